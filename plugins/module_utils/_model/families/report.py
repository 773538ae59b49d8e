# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Reports. Pure."""

from __future__ import annotations

from .family import JSON, Body, Family, Operation, typed

_OFFICE = "application/vnd.openxmlformats-officedocument."

# the formats, and the content type of each, asked for in a download and refused in the place of another one
REPORT_TYPES = {
    "pdf": "application/pdf",
    "html": "text/html",
    "json": "application/json",
    "csv": "text/csv",
    "xlsx": _OFFICE + "spreadsheetml.sheet",
    "docx": _OFFICE + "wordprocessingml.document",
}
# the statuses of a report are not public, so these are the words that scans and other services use
NOT_READY = ("waiting", "running", "pending", "queued", "in progress", "processing", "generating", "created", "new")
FAILED = ("failed", "error", "aborted", "failed to start", "cancelled", "canceled", "timed out")
READY = ("finished", "ready", "done", "completed", "complete", "generated", "available", "success")
REPORT_SOURCES = ("scans", "findings")
REPORT_GROUPINGS = ("target", "vulnerability")


class _Report(Family):
    name = "report"
    plural = "reports"
    noun = "report"
    path = "/reports"
    key = "id"
    fields = ("id", "format", "status")
    # whether a report has a status is not public; scans call theirs status_name
    also = {"status": "status_name"}
    created = ("report_id", "created_id", "id")
    # a webhook gets the report and is not scanned
    scoped = False
    creates = Body(JSON, ("format", "source", "resources", "group_by"), ("webhook_url",))
    further = (Operation("GET", "/reports/{id}/download", accepts=("*/*",)),)
    types = typed(
        integer="id report_id created_id",
        string="format status status_name source group_by webhook_url",
        array="resources",
    )
    values = {
        ("POST", "format"): tuple(REPORT_TYPES),
        ("POST", "source"): REPORT_SOURCES,
        ("POST", "group_by"): REPORT_GROUPINGS,
    }


REPORT = _Report()


def status_word(status: object) -> str:
    """The status of a report as in NOT_READY, FAILED and READY."""
    return str(status).strip().lower().replace("_", " ")
