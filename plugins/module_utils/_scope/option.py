# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The option ``scope`` of the modules that create or scan targets."""

from __future__ import annotations

from typing import Any

_OPTIONS: dict[str, dict[str, Any]] = dict(
    allow=dict(type="list", elements="str"),
    deny=dict(type="list", elements="str"),
    private=dict(type="bool", default=False),
)
SCOPE_KEYS = tuple(_OPTIONS)
# its entry in an argument spec
SCOPE_OPTION: dict[str, Any] = dict(type="dict", options=_OPTIONS)
