# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The families that the service keeps, and their operations. A new family is an entry here."""

from __future__ import annotations

from collections.abc import Callable

from . import finding_templates, findings, http_loggers, reports, scans, targets, vpn_profiles, wordlists, workspaces
from .answers import Answer, Call

# A state is applied in this order: each family refers to earlier ones.
MODULES = (workspaces, targets, http_loggers, wordlists, vpn_profiles, scans, findings, reports, finding_templates)
FAMILIES = tuple(module.FAMILY for module in MODULES)
OPERATIONS: dict[str, dict[str, Callable[[Call], Answer]]] = {}
for _module in MODULES:
    for _method, _path, _handler in _module.OPERATIONS:
        OPERATIONS.setdefault(_path, {})[_method] = _handler
