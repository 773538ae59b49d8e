# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The table of all calls that the collection relies on. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .._report.choices import FORMATS, GROUPINGS, SOURCES
from .._resources import PAGE_SIZE, RESOURCES, TARGET_TYPES, Resource
from .._scan.statuses import SCAN_STATUSES

# the OpenAPI file, at the root of the host
SCHEMA_PATH = "/api-schema.yml"
SCHEMA_TYPES = "application/yaml, application/json, text/yaml, */*"

FORM, JSON = "application/x-www-form-urlencoded", "application/json"


class Operation(NamedTuple):
    """A call that a task may send.

    query: parameters that may be sent; encoding: FORM, JSON or "" for no body; always, sometimes: fields of the body;
    fields: fields that are read in each record of the answer; also: other names of these fields; one_of: fields of which
    the answer must have one; inside: the field of data that holds the records, "" for data itself; accepts: content types
    that are requested beside JSON.
    """

    method: str
    path: str
    query: tuple[str, ...] = ()
    encoding: str = ""
    always: tuple[str, ...] = ()
    sometimes: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    also: dict[str, str] | None = None
    one_of: tuple[str, ...] = ()
    inside: str = ""
    accepts: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def is_list(self) -> bool:
        """Whether this reads the list of a family."""
        return self.method == "GET" and "{" not in self.path


class _Body(NamedTuple):
    """The body of a create. sometimes: fields that are sent if the task declares them."""

    encoding: str
    always: tuple[str, ...]
    sometimes: tuple[str, ...] = ()


# filters of a list, beside workspace and paging
_FILTERS: dict[str, tuple[str, ...]] = {
    "target": ("type",),
    "scan": ("tool_id", "target_id", "status"),
    "finding": ("target_id", "task_id", "group_duplicates"),
    "finding_template": ("vuln_id_type", "has_ptt_exploit"),
}

# fields that are read in a single record, beside those of the list
_ALONE: dict[str, tuple[str, ...]] = {"scan": ("tool_params", "vpn_profile_uuid")}

_CREATES = {
    "workspace": _Body(FORM, ("name",), ("description",)),
    "target": _Body(FORM, ("name",), ("description", "workspace_id")),
    "http_logger": _Body(FORM, ("label",)),
    "scan": _Body(
        JSON,
        ("tool_id",),
        (
            "target_name", "target_id", "workspace_id", "vpn_profile_uuid", "max_scan_time", "authentication",
            "tool_params", "redirect_level", "scan_original_url", "report_callback",
        ),
    ),
    "report": _Body(JSON, ("format", "source", "resources", "group_by"), ("webhook_url",)),
}  # fmt: skip

_OTHER_CALLS = (
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

# type of each field and parameter; those that are not listed may have any
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

# values that are sent in a parameter or a field of a body
VALUES: dict[tuple[str, str], tuple[str, ...]] = {
    ("GET /targets", "type"): TARGET_TYPES,
    ("GET /scans", "status"): SCAN_STATUSES,
    ("POST /reports", "format"): FORMATS,
    ("POST /reports", "source"): SOURCES,
    ("POST /reports", "group_by"): GROUPINGS,
}
# the largest number that is sent
LARGEST = {"limit": PAGE_SIZE}


def _calls_of(resource: Resource) -> Iterator[Operation]:
    workspace = ("workspace_id",) if resource.in_workspace else ()
    pages = {"page": ("limit", "page"), "offset": ("limit", "offset")}.get(resource.paged, ())
    query = workspace + pages + _FILTERS.get(resource.name, ())
    yield Operation("GET", resource.path, query=query, fields=resource.fields, also=resource.also)
    one = resource.path + "/{id}"
    if resource.identity == "id":
        fields = resource.fields + _ALONE.get(resource.name, ())
        yield Operation("GET", one, fields=fields, also=resource.also)
    body = _CREATES.get(resource.name)
    if body:
        in_query = workspace if resource.in_workspace == "query" else ()
        yield Operation("POST", resource.path, in_query, *body, one_of=resource.created)
    if resource.updatable:
        yield Operation("PUT", one, encoding=JSON, sometimes=resource.updatable)
    if not resource.read_only:
        yield Operation("DELETE", one)


RELIED_ON = (*(call for resource in RESOURCES.values() for call in _calls_of(resource)), *_OTHER_CALLS)
