# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The nested options of the module gate. Pure."""

from __future__ import annotations

from typing import Any

from .._families.finding import SEVERITIES

POLICY_OPTIONS: dict[str, Any] = dict(
    fail_on=dict(type="str", choices=[*SEVERITIES, "none"], default="high"),
    max=dict(type="dict"),
    only_new=dict(type="bool", default=False),
    verified_only=dict(type="bool", default=False),
    min_cvss=dict(type="float"),
    min_epss=dict(type="float"),
    known_exploited=dict(type="bool", default=False),
    older_than=dict(type="dict"),
    include=dict(type="list", elements="dict"),
    exclude=dict(type="list", elements="dict"),
    missing=dict(type="str", choices=["fail", "ignore"], default="fail"),
)
EXPECT_OPTIONS: dict[str, Any] = dict(
    targets=dict(type="list", elements="str"),
    tools=dict(type="list", elements="str"),
    max_age=dict(type="str"),
)
