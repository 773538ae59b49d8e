# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The table of assumptions about the service: one row for each row of the guide on assumptions, in its order. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from .._families.finding import SEVERITIES
from .._families.http_logger import HTTP_LOGGER
from .._families.report import FAILED, NOT_READY, READY, REPORT_TYPES, status_word
from .._families.scan import SCAN_STATUSES, TOOLS
from .._families.target import TARGET, TARGET_TYPES
from .._families.vpn_profile import VPN_PROFILE
from .._http.retry import moment
from .._moments import moment_of
from .._records import Record
from .._scan.record import last_moment_of
from .answers import Observations, status_text, type_of
from .judges import (
    NOT_TRIED,
    Judge,
    Verdict,
    answer_is,
    both,
    created_are_listed,
    finding_has_risk,
    findings_are_counted,
    findings_are_whole,
    has_created_id,
    has_fields,
    has_rate_headers,
    has_schema,
    ids_are_integers,
    is_filtered,
    is_of_current_workspace,
    is_utc,
    lists_are_whole,
    lists_are_wrapped,
    name_is_stored_as_sent,
    names_depend_on_case,
    objects_have_workspaces,
    output_is_refused,
    refusal_has_known_reason,
    refused,
    scan_is_in_workspace_of_target,
    status_is,
    targets_are_paged,
    templates_are_paged,
    values_are,
)

NEEDS_WRITES = "requires writes: true"
_NO_ANSWER = "no answer"
_NO_LIMIT = "the limit is never used up on purpose"
_NO_SHORT_WORDLIST = "no short wordlist was found"
_NO_TARGETS = "no targets were found"
_NO_START = "no scan is started"
_NO_REPORT = "no report is created"
_NO_DOWNLOAD = "no report is downloaded"
_NO_SCANS = "no scans were found"
_NO_REPORTS = "no reports were found"
_NO_SCAN = "no finished scan was found"
_NO_FINDINGS = "no finished scan with findings was found"

# the answers to writes
_CREATES = ("create", "create_in_lower_case", "create_target", "create_http_logger")
_DELETES = ("delete_target", "delete_http_logger", "delete_workspace")
_TOOL_IDS = list(map(str, TOOLS.values()))
_STATUSES = [status.lower() for status in SCAN_STATUSES]


class Row(NamedTuple):
    """One assumption."""

    # its name in the guide
    name: str
    # the sentence with which the guide begins
    assumption: str
    # the code that depends on it
    place: str
    # what a trial needs and does not have, or why there is none, a clause
    missing: str
    # None if it is never tried
    judge: Judge | None = None

    def judged(self, answers: Observations, wrote: bool) -> Record:
        """The verdict. wrote: whether creates and deletes were tried."""
        verdict = self.judge(answers) if self.judge else None
        if not verdict and wrote and self.missing == NEEDS_WRITES:
            not_created = Verdict(NOT_TRIED, "an object that it requires was not created")
            verdict = refused(answers, *_CREATES, *_DELETES) or not_created
        verdict = verdict or Verdict(NOT_TRIED, self.missing)
        return dict(name=self.name, assumption=self.assumption, **verdict._asdict())


def _type_of(field: str) -> Callable[[Record], str]:
    return lambda row: type_of(row.get(field))


def _report_status(report: Record) -> str | None:
    status = report.get("status", report.get("status_name"))
    return None if status is None else status_word(status)


ROWS = (
    Row(
        "create-answer",
        "A create returns data.created_id with status 201.",
        "_created in _http/create.py",
        NEEDS_WRITES,
        answer_is(has_created_id, *_CREATES, refusals=False),
    ),
    Row(
        "created-listed",
        "A new object is in the list of its family.",
        "Reading in _http/listing.py",
        NEEDS_WRITES,
        created_are_listed,
    ),
    Row("lists-in-data", "Lists are wrapped in data.", "rows_of in _http/listing.py", _NO_ANSWER, lists_are_wrapped),
    Row("ids", "Ids are integers.", "read_id in _records.py", "no rows were found", ids_are_integers),
    Row(
        "wordlist-contents",
        "The contents of a wordlist are a JSON string.",
        "words in modules/wordlist_info.py",
        _NO_SHORT_WORDLIST,
        answer_is(lambda answer: answer.form == "json" and isinstance(answer.body, str), "contents"),
    ),
    Row(
        "logger-data",
        "The requests that a logger recorded are in data.requests.",
        "_captured in _logger_data.py",
        "no HTTP loggers were found",
        answer_is(lambda answer: isinstance(answer.record.get("requests"), list), "logger_data"),
    ),
    Row(
        "delete-answer",
        "A delete returns 204.",
        "send in _http/transport.py",
        NEEDS_WRITES,
        answer_is(lambda answer: answer.status == 204, *_DELETES, refusals=False),
    ),
    Row(
        "descriptions",
        "The description of a record is a string.",
        "record_of in _records.py",
        "no workspaces, targets or wordlists were found",
        values_are(_type_of("description"), ("string",), "workspaces", "targets", "wordlists"),
    ),
    Row(
        "past-end",
        "The page after the last is an empty list.",
        "pages in _http/listing.py",
        "no workspaces were found",
        answer_is(lambda answer: answer.status == 200 and answer.data == [], "past_end"),
    ),
    Row(
        "whole-lists",
        "Lists without pages, those of findings aside, are complete in one answer.",
        "Reading in _http/listing.py",
        _NO_ANSWER,
        lists_are_whole,
    ),
    Row(
        "error-body",
        "An error is a JSON object with a message.",
        "reason_in in _http/answer.py",
        _NO_ANSWER,
        answer_is(lambda answer: isinstance(answer.error.get("message"), str), "unknown"),
    ),
    Row(
        "target-delete",
        "DELETE /targets/{id} deletes a target.",
        "delete in _http/client.py",
        NEEDS_WRITES,
        status_is("deleted_target", 404),
    ),
    Row(
        "wordlist-by-id",
        "GET /wordlists/{id} returns one wordlist.",
        "read, delete and data in _http/client.py",
        _NO_SHORT_WORDLIST,
        status_is("wordlist", 200),
    ),
    Row(
        "pages",
        "The target list accepts limit, up to 1,000, and page, starting at 1.",
        "PAGE_SIZE and may_be_full in _families/family.py",
        "no workspace with two targets was found",
        targets_are_paged,
    ),
    Row(
        "target-types",
        "The type of a target is hostname, ip_address or url.",
        "TARGET_TYPES in _families/target.py",
        _NO_TARGETS,
        both(values_are(lambda row: row.get("type"), TARGET_TYPES, "targets"), is_filtered("targets_of_type", "type")),
    ),
    Row(
        "target-fields",
        "Targets and HTTP loggers have all fields that the collection knows.",
        "Family in _families/family.py",
        _NO_TARGETS,
        both(has_fields(TARGET, "description"), has_fields(HTTP_LOGGER)),
    ),
    Row(
        "object-workspaces",
        "A target has a workspace_id, an HTTP logger has none.",
        "Contents in _lookup.py",
        "no targets or HTTP loggers were found",
        objects_have_workspaces,
    ),
    Row(
        "target-update",
        "No call changes the description of a target.",
        "TARGET in _families/target.py",
        "no documented call changes it",
    ),
    Row(
        "predefined",
        "A predefined wordlist cannot be deleted.",
        "WORDLIST in _families/wordlist.py",
        "no wordlist is ever deleted",
    ),
    Row(
        "current-workspace",
        "Without a workspace, the service lists the targets of its current one.",
        "warn_current_workspace in _references.py",
        "no two workspaces with targets were found",
        is_of_current_workspace("targets"),
    ),
    Row(
        "name-spelling",
        "The name of a target is stored as sent.",
        "normal_form in _names.py",
        NEEDS_WRITES,
        name_is_stored_as_sent,
    ),
    Row(
        "workspace-names",
        "Workspace names are compared exactly, including case.",
        "match in _lookup.py",
        NEEDS_WRITES,
        names_depend_on_case,
    ),
    Row(
        "create-refusals",
        "The message of a 403 on a create states the reason.",
        "_CREATE_REFUSALS in _http/advice.py",
        "requires an account that is full or has no licence",
        refusal_has_known_reason,
    ),
    Row(
        "unknown-id",
        "An id that does not exist is answered with 404.",
        "read in _http/client.py",
        _NO_ANSWER,
        status_is("unknown", 404),
    ),
    Row(
        "request-times",
        "Times of recorded requests without an offset are UTC.",
        "selected in _logger_data.py",
        "no recorded requests were found",
        is_utc("requests", lambda row: moment_of(row.get("request_date"))),
    ),
    Row("rate-limit-wait", "A 429 says how long to wait.", "asked_wait in _http/retry.py", _NO_LIMIT),
    Row("rate-limit-budgets", "PUT shares the rate limit of POST and DELETE.", "limit_of in _http/retry.py", _NO_LIMIT),
    Row(
        "rate-limit-headers",
        "Every answer has X-RateLimit-Limit and X-RateLimit-Remaining.",
        "learn in _http/pace.py",
        _NO_ANSWER,
        has_rate_headers,
    ),
    Row(
        "key-check",
        "GET /workspaces returns 200 for a valid key.",
        "judge in _preflight/task.py",
        _NO_ANSWER,
        status_is("workspaces", 200),
    ),
    Row(
        "error-status",
        "An error body repeats the HTTP status as a number.",
        "_is_api in _preflight/task.py",
        _NO_ANSWER,
        answer_is(lambda answer: answer.error.get("status") == answer.status, "unknown"),
    ),
    Row(
        "schema",
        "The OpenAPI file is at the root of the host and needs no key.",
        "SCHEMA_PATH in _preflight/relied_on.py",
        _NO_ANSWER,
        has_schema,
    ),
    Row(
        "date",
        "Every answer has a Date header.",
        "clock_skew in _preflight/task.py",
        _NO_ANSWER,
        answer_is(lambda answer: moment(answer.headers.get("Date")) is not None, "workspaces"),
    ),
    Row("start-answer", "A start returns data.created_id.", "start in _http/client.py", _NO_START),
    Row(
        "start-without-id",
        "A scan whose start returned no id appears in the list.",
        "find_started in _scan/find.py",
        _NO_START,
    ),
    Row(
        "start-creates-target", "A start with target_name creates a missing target.", "body in _scan/spec.py", _NO_START
    ),
    Row("start-fields", "A start accepts the documented fields.", "body in _scan/spec.py", _NO_START),
    Row(
        "start-slots",
        "A start beyond the plan's limit of parallel scans returns 403 and a message about parallel scans.",
        "is_slot_refusal in _scan/spec.py",
        _NO_START,
    ),
    Row(
        "scan-outcomes",
        "Every scan has one of the known statuses.",
        "_ENDINGS in _families/scan.py",
        _NO_SCANS,
        values_are(status_text, _STATUSES, "scans"),
    ),
    Row(
        "scan-zone",
        "Times of scans without an offset are UTC.",
        "service_now in _scan/clock.py",
        "no scan with a time without a time zone was found",
        is_utc("scans", last_moment_of),
    ),
    Row(
        "scan-filters",
        "The list of scans can be filtered by workspace_id, target_id and tool_id.",
        "find_scans in _scan/find.py",
        _NO_SCAN,
        is_filtered("scans_filtered", "workspace_id", "target_id", "tool_id"),
    ),
    Row(
        "scan-tool-params",
        "A scan read by its id has tool_params.",
        "why_another in _scan/spec.py",
        _NO_SCAN,
        answer_is(lambda answer: isinstance(answer.record.get("tool_params"), dict), "scan"),
    ),
    Row("scan-stop", "POST /scans/{id}/stop stops a scan.", "stop_or_delete in _scan/stop.py", _NO_START),
    Row(
        "tools",
        "The tool ids are those of the public list.",
        "TOOLS in _families/scan.py",
        _NO_SCANS,
        values_are(lambda row: str(row.get("tool_id")), _TOOL_IDS, "scans"),
    ),
    Row(
        "findings-whole",
        "All findings of a scan are in one list.",
        "stream in _http/listing.py",
        _NO_SCAN,
        findings_are_whole,
    ),
    Row(
        "scan-counts",
        "A scan counts its findings in result_summary, and each finding names the scan in task_id.",
        "proof_of in _findings/proof.py",
        _NO_SCAN,
        findings_are_counted,
    ),
    Row(
        "scan-workspace",
        "A scan is in the workspace of its target.",
        "scan_of in _references.py",
        "no finished scan and target with a workspace_id were found",
        scan_is_in_workspace_of_target,
    ),
    Row(
        "finding-names",
        "A finding read by its id has risk_level.",
        "FINDING in _families/finding.py",
        _NO_FINDINGS,
        finding_has_risk,
    ),
    Row(
        "finding-filters",
        "The list of findings can be filtered by task_id, the id of a scan.",
        "_asked_of in _findings/info.py",
        _NO_FINDINGS,
        is_filtered("findings", "task_id"),
    ),
    Row(
        "finding-workspace",
        "Without a workspace, the service lists the scans and findings of its current one.",
        "_place_from in _references.py",
        "no two workspaces with scans were found",
        is_of_current_workspace("scans"),
    ),
    Row(
        "risk-levels",
        "risk_level is a number from 0 to 4.",
        "severity_of in _findings/model.py",
        _NO_FINDINGS,
        values_are(lambda row: row.get("risk_level"), range(len(SEVERITIES)), "findings"),
    ),
    Row(
        "cve",
        "cve is a list.",
        "cves_of in _findings/model.py",
        _NO_FINDINGS,
        values_are(_type_of("cve"), ("list",), "findings"),
    ),
    Row(
        "finding-status",
        "The status of a finding is a string.",
        "selector in _findings/model.py",
        _NO_FINDINGS,
        values_are(_type_of("status"), ("string",), "findings"),
    ),
    Row(
        "vpn-profiles",
        "A VPN profile has a uuid and a name.",
        "VPN_PROFILE in _families/vpn_profile.py",
        "no VPN profiles were found",
        has_fields(VPN_PROFILE),
    ),
    Row(
        "finding-templates",
        "Finding templates have a name, and their list accepts limit and offset.",
        "FINDING_TEMPLATE in _families/finding_template.py",
        "fewer than two finding templates were found",
        templates_are_paged,
    ),
    Row(
        "scan-status-filter",
        "The list of scans can be filtered by status.",
        "_query in _scan/info.py",
        _NO_SCAN,
        is_filtered("scans_finished", "status_name"),
    ),
    Row(
        "output-refusals",
        "Output that does not exist is refused with 406, output of a scan in progress with 404 or 409.",
        "refusal_hints in _scan/output.py",
        "no output was refused",
        output_is_refused,
    ),
    Row(
        "output",
        "Parsed output has output_type and output_data in data.",
        "what_is_missing in _scan/output.py",
        _NO_SCAN,
        answer_is(lambda answer: {"output_type", "output_data"} <= {*answer.record}, "output", refusals=False),
    ),
    Row(
        "raw-output",
        "Raw output is plain text.",
        "_raw in _scan/output.py",
        _NO_SCAN,
        answer_is(lambda answer: answer.form == "text", "raw", refusals=False),
    ),
    Row(
        "reports",
        "GET /reports lists the reports.",
        "create in _report/create.py",
        _NO_ANSWER,
        status_is("reports", 200),
    ),
    Row("report-answer", "Creating a report returns data.report_id.", "REPORT in _families/report.py", _NO_REPORT),
    Row(
        "report-list",
        "The list of reports contains the id and format of each report.",
        "new_since in _report/create.py",
        _NO_REPORTS,
        values_are(lambda row: None not in (row.get("id"), row.get("format")), (True,), "reports"),
    ),
    Row("report-early", "A download returns 404 or 409 before the file exists.", "_try in _report/task.py", _NO_REPORT),
    Row(
        "report-status",
        "The status of a report is a known word or missing.",
        "_try in _report/task.py",
        _NO_REPORTS,
        values_are(_report_status, (None, *NOT_READY, *FAILED, *READY), "reports"),
    ),
    Row(
        "report-format",
        "The format of a report is one of six.",
        "wrong_type in _file/download.py",
        _NO_REPORTS,
        values_are(lambda row: str(row.get("format")).lower(), REPORT_TYPES, "reports"),
    ),
    Row("report-unchanged", "A report does not change.", "_unchanged in _report/task.py", _NO_DOWNLOAD),
    Row(
        "report-accept",
        "A report's file does not depend on the Accept header.",
        "accept_of and wrong_type in _file/download.py",
        _NO_DOWNLOAD,
    ),
)
