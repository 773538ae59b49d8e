# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The API families, each with the words of its fields. Pure."""

from __future__ import annotations

from typing import NamedTuple

from .family import FORM, JSON, PAGE_SIZE, Body, Family, Operation, typed

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


class _FindingTemplate(Family):
    name = "finding_template"
    plural = "finding_templates"
    noun = "finding template"
    path = "/public/finding_templates"
    key = "name"
    fields = ("name",)
    text = ("name",)
    identity = ""
    paged = "offset"
    # the most that it takes is not public
    page_sizes = (PAGE_SIZE, 500, 100, 50, 10)
    read_only = True
    filters = ("vuln_id_type", "has_ptt_exploit")
    types = typed(integer="limit offset", string="name vuln_id_type", boolean="has_ptt_exploit")


FINDING_TEMPLATE = _FindingTemplate()


class _HttpLogger(Family):
    name = "http_logger"
    plural = "http_loggers"
    noun = "HTTP logger"
    path = "/http_loggers"
    key = "label"
    fields = ("id", "label", "handler_url", "active_days", "num_requests")
    text = ("label",)
    # the specification has it in the query, the service's published client in the form
    in_workspace = ("query", "form")
    key_is_account_wide = True
    scoped = False
    creates = Body(FORM, ("label",), ("workspace_id",))
    further = (
        Operation(
            "GET",
            "/http_loggers/{id}/data",
            inside="requests",
            fields=(
                "id",
                "ip_address",
                "request_method",
                "url_params",
                "http_headers",
                "request_body_base64",
                "request_date",
            ),
        ),
        Operation("DELETE", "/http_loggers/{id}/data"),
    )
    types = typed(
        integer="id workspace_id active_days num_requests",
        string="label handler_url ip_address request_method url_params request_body_base64 request_date",
    )


HTTP_LOGGER = _HttpLogger()


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


# assumed: the statuses in which a scan has not ended yet
IN_PROGRESS = ("waiting", "running")

FINISHED = "finished"
FAILED_TO_START = "failed_to_start"
TIMED_OUT = "timed_out"
UNKNOWN_STATE = "unknown_state"
QUEUE_TIMEOUT = "queue_timeout"
RUN_TIMEOUT = "run_timeout"
DELETED = "deleted"


class _Ending(NamedTuple):
    """How a scan, or the wait for it, can end.

    outcome: the word in results; status: the service's word, "" if the task itself decides; next_step: what to do after a
    failed task, a clause.
    """

    outcome: str
    status: str
    next_step: str


# assumed: the final statuses. The service may add new ones, whose outcome is UNKNOWN_STATE
_ENDINGS = (
    _Ending(FINISHED, "finished", ""),
    _Ending(
        FAILED_TO_START,
        "failed to start",
        "check that the target can be reached and that the plan includes this tool",
    ),
    _Ending("stopped", "stopped", "somebody or something stopped it; run the task again"),
    _Ending(TIMED_OUT, "timed out", "raise max_scan_time, or make the scan smaller with tool_params"),
    _Ending("aborted", "aborted", "check it in the web application, and run the task again"),
    _Ending("vpn_error", "VPN connection error", "check the VPN profile"),
    _Ending("auth_failed", "auth failed", "check authentication"),
    _Ending("connection_error", "connection error", "check that the service can reach the target"),
    _Ending(
        UNKNOWN_STATE, "", "check it in the web application; this version of the collection does not know the status"
    ),
    _Ending(QUEUE_TIMEOUT, "", "it goes on; raise queue_timeout, or set on_timeout to stop"),
    _Ending(RUN_TIMEOUT, "", "it goes on; raise run_timeout, or set on_timeout to stop"),
    _Ending(DELETED, "", "somebody deleted it during the wait; run the task again"),
)

# the statuses as the service spells them (its public documentation)
SCAN_STATUSES = (*IN_PROGRESS, *(ending.status for ending in _ENDINGS if ending.status))
OUTCOMES = tuple(ending.outcome for ending in _ENDINGS)
# for every outcome but FINISHED
NEXT_STEP = {ending.outcome: ending.next_step for ending in _ENDINGS if ending.next_step}

_OUTCOME_OF = {ending.status.lower(): ending.outcome for ending in _ENDINGS if ending.status}


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
    in_workspace = ("json",)
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


def outcome_of_status(status: str) -> str | None:
    """The outcome of a scan with this status in lower case, None while it is in progress."""
    return None if status in IN_PROGRESS else _OUTCOME_OF.get(status, UNKNOWN_STATE)


# values of the filter ``type`` of the list (public documentation of the service)
TARGET_TYPES = ("hostname", "ip_address", "url")


class _Target(Family):
    name = "target"
    plural = "targets"
    noun = "target"
    path = "/targets"
    key = "name"
    fields = ("id", "name", "type", "description", "workspace_id")
    text = ("name", "description")
    declared = ("description",)
    # most estates list names only
    key_suffices = True
    in_workspace = ("form",)
    uses_current_workspace = True
    paged = "page"
    lost_with = "its scans"
    delete_hints = {403: "the account's plan may not include deleting targets; delete it in the web application"}
    target_names = ("name",)
    unscoped_fields = ("description",)
    creates = Body(FORM, ("name",), ("description", "workspace_id"))
    filters = ("type",)
    types = typed(integer="id workspace_id limit page", string="name description type")
    values = {("GET", "type"): TARGET_TYPES}


TARGET = _Target()


class _VpnProfile(Family):
    name = "vpn_profile"
    plural = "vpn_profiles"
    noun = "VPN profile"
    path = "/vpn_profiles"
    key = "name"
    fields = ("uuid", "name")
    text = ("name",)
    identity = "uuid"
    read_only = True
    types = typed(string="uuid name")


VPN_PROFILE = _VpnProfile()


class _Wordlist(Family):
    name = "wordlist"
    plural = "wordlists"
    noun = "wordlist"
    path = "/wordlists"
    key = "name"
    fields = ("id", "name", "description", "num_words", "predefined")
    text = ("name", "description")
    # what the service does on the delete of a predefined list is not public, so it is never asked
    kept = "predefined"
    scoped = False
    further = (Operation("GET", "/wordlists/{id}/contents", accepts=("text/plain",)),)
    types = typed(integer="id num_words", string="name description", boolean="predefined")


WORDLIST = _Wordlist()


class _Workspace(Family):
    name = "workspace"
    plural = "workspaces"
    noun = "workspace"
    path = "/workspaces"
    key = "name"
    fields = ("id", "name", "description")
    text = ("name", "description")
    declared = ("description",)
    updatable = ("name", "description")
    workspace_field = "id"
    holds = ("target", "http_logger")
    scoped = False
    delete_hints = {
        409: "the account's current workspace cannot be deleted; select another one in the web application, and run the"
        " task again"
    }
    creates = Body(FORM, ("name",), ("description",))
    types = typed(integer="id", string="name description")


WORKSPACE = _Workspace()


FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        FINDING,
        FINDING_TEMPLATE,
        HTTP_LOGGER,
        REPORT,
        SCAN,
        TARGET,
        VPN_PROFILE,
        WORDLIST,
        WORKSPACE,
    )
}
