# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Scans. Pure."""

from __future__ import annotations

from .family import JSON, Body, Family, Operation, typed
from .scan_statuses import SCAN_STATUSES


class _Scan(Family):
    name = "scan"
    plural = "scans"
    noun = "scan"
    path = "/scans"
    key = "id"
    fields = (
        "id", "tool_id", "target_id", "workspace_id", "status_name", "status_message", "progress", "result_summary",
        "start_time", "end_time", "duration", "num_tests", "num_finished_tests",
    )  # fmt: skip
    in_workspace = "json"
    paged = "page"
    # the contract's illustration of a record calls it status; the public documentation of scans status_name
    also = {"status_name": "status"}
    delete_hints = {409: "a running scan cannot be deleted; stop it first, or set force"}
    target_names = ("target_name",)
    unscoped_fields = tuple(
        f"authentication.params.{name}" for name in ("cookie_header", "headers", "username", "password")
    )
    harmless_actions = ("stop",)
    creates = Body(
        JSON,
        ("tool_id",),
        (
            "target_name", "target_id", "workspace_id", "vpn_profile_uuid", "max_scan_time", "authentication",
            "tool_params", "redirect_level", "scan_original_url", "report_callback",
        ),
    )  # fmt: skip
    filters = ("tool_id", "target_id", "status")
    alone = ("tool_params", "vpn_profile_uuid")
    further = (
        Operation("POST", "/scans/{id}/stop"),
        Operation("GET", "/scans/{id}/output", fields=("output_type", "output_data"), accepts=("application/pdf",)),
        Operation("GET", "/scans/{id}/raw", accepts=("text/plain",)),
    )
    types = typed(
        integer="id tool_id target_id workspace_id limit page max_scan_time progress duration num_tests num_finished_tests",
        string="status status_name status_message start_time end_time target_name vpn_profile_uuid redirect_level"
        " output_type",
        boolean="scan_original_url",
        object="authentication tool_params result_summary report_callback",
    )
    values = {("GET", "status"): SCAN_STATUSES}


SCAN = _Scan()
