# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The table of families: what the service keeps and which operations it has. A new family is one line here."""

from __future__ import annotations

import finding_templates
import findings
import http_loggers
import reports
import scans
import targets
import vpn_profiles
import wordlists
import workspaces

# workspaces come first: the others are in them; a scan is of a target, a finding of a scan, a report of findings
MODULES = (workspaces, targets, http_loggers, wordlists, vpn_profiles, scans, findings, reports, finding_templates)
FAMILIES = tuple(module.FAMILY for module in MODULES)
OPERATIONS = {}
for _module in MODULES:
    for _method, _path, _handler in _module.OPERATIONS:
        OPERATIONS.setdefault(_path, {})[_method] = _handler
