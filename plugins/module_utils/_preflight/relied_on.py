# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What the collection relies on at the service, as one table of calls. Pure."""

from __future__ import annotations

from typing import NamedTuple

from .. import _resources
from .._resources import PAGE_SIZE, TARGET_TYPES
from .._scan.statuses import SCAN_STATUSES

SCHEMA_PATH = "/api-schema.yml"

FORM, JSON = "application/x-www-form-urlencoded", "application/json"


class Operation(NamedTuple):
    """A call that some task may send.

    query: parameters that may be sent, none of them always; encoding: FORM, JSON or "" for no body; always, sometimes:
    fields of the body; fields: what is read in a record of the answer; also: another name under which a field is read,
    by field; one_of: fields of which the answer must have one;
    inside: where the records are within data, "" for data itself; accepts: forms of the answer that are asked for beside
    JSON.
    """

    method: str
    path: str
    query: tuple = ()
    encoding: str = ""
    always: tuple = ()
    sometimes: tuple = ()
    fields: tuple = ()
    also: dict | None = None
    one_of: tuple = ()
    inside: str = ""
    accepts: tuple = ()

    def __str__(self):
        return f"{self.method} {self.path}"

    @property
    def is_list(self):
        """Whether this reads a list of a family."""
        return self.method == "GET" and "{" not in self.path


# the filters of the lists, beside workspace and paging
_FILTERS = {
    "target": ("type",),
    "scan": ("tool_id", "target_id", "status"),
    "finding": ("target_id", "task_id", "group_duplicates"),
    "finding_template": ("vuln_id_type", "has_ptt_exploit"),
}

# what is read in the record of one object, beside the fields that the lists have
_ALONE = {"scan": ("tool_params", "vpn_profile_uuid")}

# creates: encoding, what is always sent, what is sent where the task declares it
_CREATES = {
    "workspace": (FORM, ("name",), ("description",)),
    "target": (FORM, ("name",), ("description", "workspace_id")),
    "http_logger": (FORM, ("label",), ()),
    "scan": (
        JSON,
        ("tool_id",),
        (
            "target_name", "target_id", "workspace_id", "vpn_profile_uuid", "max_scan_time", "authentication",
            "tool_params", "redirect_level", "scan_original_url", "report_callback",
        ),
    ),
    "report": (JSON, ("format", "source", "resources", "group_by"), ("webhook_url",)),
}  # fmt: skip

_FURTHER = (
    Operation(
        "GET", "/http_loggers/{id}/data", inside="requests",
        fields=("ip_address", "request_method", "request_body_base64", "request_date"),
    ),
    Operation("DELETE", "/http_loggers/{id}/data"),
    Operation("GET", "/wordlists/{id}/contents", accepts=("text/plain",)),
    Operation("POST", "/scans/{id}/stop"),
    Operation("GET", "/scans/{id}/output", fields=("output_type", "output_data"), accepts=("application/pdf",)),
    Operation("GET", "/scans/{id}/raw", accepts=("text/plain",)),
    Operation("GET", "/reports/{id}/download", accepts=("*/*",)),
)  # fmt: skip

# types by the name of the field or the parameter; what is not here may be anything
_TYPES = {
    "integer": (
        "id", "workspace_id", "target_id", "tool_id", "task_id", "created_id", "report_id", "limit", "page", "offset",
        "num_words", "num_requests", "active_days", "max_scan_time", "progress", "duration", "num_tests",
        "num_finished_tests", "risk_level",
    ),
    "string": (
        "name", "description", "label", "type", "handler_url", "uuid", "vpn_profile_uuid", "target_name", "status",
        "status_name", "status_message", "start_time", "end_time", "format", "source", "group_by", "vuln_id_type",
        "ip_address", "request_method", "request_body_base64", "request_date", "output_type", "redirect_level",
        "webhook_url",
    ),
    "boolean": ("predefined", "has_ptt_exploit", "group_duplicates", "scan_original_url"),
    "array": ("cve", "resources"),
    "object": ("authentication", "tool_params", "result_summary", "report_callback"),
}  # fmt: skip
TYPE_OF = {name: kind for kind, names in _TYPES.items() for name in names}

# what is sent as the value of a parameter or a field of a body: text that an enumeration must hold, and the largest number
VALUES = {
    ("GET /targets", "type"): TARGET_TYPES,
    ("GET /scans", "status"): SCAN_STATUSES,
    ("POST /reports", "format"): ("pdf", "docx", "html", "json", "csv", "xlsx"),
    ("POST /reports", "source"): ("scans", "findings"),
    ("POST /reports", "group_by"): ("target", "vulnerability"),
}
LARGEST = {"limit": PAGE_SIZE}


def _family(resource):
    """The operations of an entry of ``_resources``."""
    workspace = ("workspace_id",) if resource.in_workspace else ()
    pages = {"page": ("limit", "page"), "offset": ("limit", "offset")}.get(resource.paged, ())
    query = workspace + pages + _FILTERS.get(resource.name, ())
    yield Operation("GET", resource.path, query=query, fields=resource.fields, also=resource.also)
    one = resource.path + "/{id}"
    if resource.identity == "id":
        fields = resource.fields + _ALONE.get(resource.name, ())
        yield Operation("GET", one, fields=fields, also=resource.also)
    if resource.name in _CREATES:
        encoding, always, sometimes = _CREATES[resource.name]
        in_query = workspace if resource.in_workspace == "query" else ()
        yield Operation("POST", resource.path, in_query, encoding, always, sometimes, one_of=resource.created)
    if resource.updatable:
        yield Operation("PUT", one, encoding=JSON, sometimes=resource.updatable)
    if not resource.read_only:
        yield Operation("DELETE", one)


_FAMILIES = [entry for entry in vars(_resources).values() if isinstance(entry, _resources.Resource)]

RELIED_ON = tuple(operation for family in _FAMILIES for operation in _family(family)) + _FURTHER
