# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Findings. Pure."""

from __future__ import annotations

from .family import JSON, Family, Operation, typed

# severities by the service's risk_level, 0 to 4, and the keys of a scan's result_summary
SEVERITIES = ("info", "low", "medium", "high", "critical")
# the fields that a PATCH can change
CHANGEABLE = ("status", "verified", "risk_level")


class _Finding(Family):
    name = "finding"
    plural = "findings"
    noun = "finding"
    path = "/findings"
    key = "id"
    fields = ("id", "name", "risk_level", "status", "verified", "cve", "target_id", "task_id")
    text = ("name",)
    # a finding that is read by its id may call it so (tests of the service's published client)
    also = {"risk_level": "vuln_risk_level"}
    in_workspace = ("query",)
    read_only = True
    # a PATCH changes what people think of a finding, and names no target; an import does
    harmless_methods = ("DELETE", "PATCH")
    filters = ("target_id", "task_id", "group_duplicates")
    # in newer public documentation only, which does not describe the body: each field is an object with the value and a reason
    further = (Operation("PATCH", "/findings/{id}", encoding=JSON, sometimes=CHANGEABLE),)
    types = typed(
        integer="id risk_level target_id task_id workspace_id",
        string="name status",
        boolean="group_duplicates verified",
        array="cve",
    )


FINDING = _Finding()
