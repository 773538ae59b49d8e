# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The table of assumptions about the service: one row for each row of the guide on assumptions. Pure."""

from __future__ import annotations

from typing import NamedTuple

from .._families.vpn_profile import VPN_PROFILE
from . import objects, scans
from .judges import (
    NEEDS_WRITES,
    Judge,
    Observations,
    Verdict,
    judge_current_workspace,
    judge_fields,
    judge_filters,
    judge_status,
    judge_types,
    not_tried,
)

_NO_START = "no scan is started"
_NO_REPORT = "no report is created"
_NO_DOWNLOAD = "no report is downloaded"
_NO_LIMIT = "the limit is never used up on purpose"


class Row(NamedTuple):
    """One assumption. name: its name in the guide; assumption: the sentence with which the guide begins; judge: the judge,
    or why it is never tried, a clause."""

    name: str
    assumption: str
    judge: Judge | str


class Judged(NamedTuple):
    """The verdict on one assumption."""

    name: str
    assumption: str
    verdict: str
    seen: str


def judge_all(answers: Observations, wrote: bool) -> list[Judged]:
    """The verdict on each assumption. wrote: whether creates and deletes were tried."""
    return [Judged(row.name, row.assumption, *_verdict(row, answers, wrote)) for row in ROWS]


def _verdict(row: Row, answers: Observations, wrote: bool) -> Verdict:
    if isinstance(row.judge, str):
        return not_tried(row.judge)
    verdict = row.judge(answers)
    if wrote and verdict == not_tried(NEEDS_WRITES):
        return not_tried("an object that it requires was not created")
    return verdict


ROWS = (
    Row("create-answer", "A create returns data.created_id with status 201.", objects.create_answer),
    Row("created-listed", "A new object is in the list of its family.", objects.created_listed),
    Row("lists-in-data", "Lists are wrapped in data.", objects.envelopes),
    Row("ids", "Ids are integers.", objects.integer_ids),
    Row("wordlist-contents", "The contents of a wordlist are a JSON string.", objects.contents),
    Row("logger-data", "The requests that a logger recorded are in data.requests.", objects.logger_data),
    Row("delete-answer", "A delete returns 204.", objects.delete_answer),
    Row("descriptions", "The description of a record is a string.", objects.descriptions),
    Row("extra-fields", "Records have only the fields that the collection knows.", objects.extra_fields),
    Row("order", "Lists are in no particular order.", objects.order),
    Row("past-end", "The page after the last is an empty list.", objects.past_end),
    Row(
        "whole-lists",
        "Lists without pages, those of findings aside, are complete in one answer.",
        objects.whole_lists,
    ),
    Row("error-body", "An error is a JSON object with a message.", objects.error_body),
    Row("target-delete", "DELETE /targets/{id} deletes a target.", objects.target_delete),
    Row(
        "wordlist-by-id",
        "GET /wordlists/{id} returns one wordlist.",
        judge_status("wordlist", 200, objects.NO_SHORT_WORDLIST),
    ),
    Row("pages", "The target list accepts limit, up to 1,000, and page, starting at 1.", objects.pages),
    Row("target-types", "The type of a target is hostname, ip_address or url.", objects.target_types),
    Row("target-fields", "Targets and HTTP loggers have all fields that the collection knows.", objects.target_fields),
    Row(
        "object-workspaces",
        "A target has a workspace_id, an HTTP logger has none.",
        objects.object_workspaces,
    ),
    Row("target-update", "No call changes the description of a target.", "no documented call changes it"),
    Row("predefined", "A predefined wordlist cannot be deleted.", "no wordlist is ever deleted"),
    Row(
        "current-workspace",
        "Without a workspace, the service lists the targets of its current one.",
        judge_current_workspace("targets"),
    ),
    Row("name-spelling", "The name of a target is stored as sent.", objects.name_spelling),
    Row("workspace-names", "Workspace names are compared exactly, including case.", objects.workspace_names),
    Row("create-refusals", "The message of a 403 on a create states the reason.", objects.create_refusals),
    Row("unknown-id", "An id that does not exist is answered with 404.", judge_status("unknown", 404)),
    Row("request-times", "The times of recorded requests have no time zone.", objects.request_times),
    Row("rate-limit-wait", "A 429 says how long to wait.", _NO_LIMIT),
    Row("rate-limit-budgets", "PUT shares the rate limit of POST and DELETE.", _NO_LIMIT),
    Row("rate-limit-headers", "Every answer has X-RateLimit-Limit and X-RateLimit-Remaining.", objects.rate_headers),
    Row("key-check", "GET /workspaces returns 200 for a valid key.", judge_status("workspaces", 200)),
    Row("error-status", "An error body repeats the HTTP status as a number.", objects.error_status),
    Row("schema", "The OpenAPI file is at the root of the host and needs no key.", objects.schema),
    Row("date", "Every answer has a Date header.", objects.date),
    Row("start-answer", "A start returns data.created_id.", _NO_START),
    Row("start-without-id", "A scan whose start returned no id appears in the list.", _NO_START),
    Row("start-creates-target", "A start with target_name creates a missing target.", _NO_START),
    Row("start-fields", "A start accepts the documented fields.", _NO_START),
    Row(
        "start-slots",
        "A start beyond the plan's limit of parallel scans returns 403 and a message about parallel scans.",
        _NO_START,
    ),
    Row("scan-outcomes", "Every scan has one of the known statuses.", scans.scan_statuses(exact=False)),
    Row("scan-zone", "Times of scans without an offset are UTC.", scans.scan_zone),
    Row(
        "scan-filters",
        "The list of scans can be filtered by workspace_id, target_id and tool_id.",
        judge_filters("scans_filtered", ("workspace_id", "target_id", "tool_id")),
    ),
    Row("scan-tool-params", "A scan read by its id has tool_params.", scans.tool_params),
    Row("scan-stop", "POST /scans/{id}/stop stops a scan.", _NO_START),
    Row("tools", "The tool ids are those of the public list.", scans.tools),
    Row("findings-whole", "All findings of a scan are in one list.", scans.findings_whole),
    Row(
        "scan-counts",
        "A scan counts its findings in result_summary, and each finding names the scan in task_id.",
        scans.scan_counts,
    ),
    Row("scan-workspace", "A scan is in the workspace of its target.", scans.scan_workspace),
    Row("finding-names", "A finding read by its id has risk_level.", scans.finding_names),
    Row(
        "finding-filters",
        "The list of findings can be filtered by task_id, the id of a scan.",
        judge_filters("findings", ("task_id",)),
    ),
    Row(
        "finding-workspace",
        "Without a workspace, the service lists the scans and findings of its current one.",
        judge_current_workspace("scans"),
    ),
    Row("risk-levels", "risk_level is a number from 0 to 4.", scans.risk_levels),
    Row("cve", "cve is a list.", judge_types("findings", "cve", list, "lists")),
    Row("finding-status", "The status of a finding is a string.", judge_types("findings", "status", str, "strings")),
    Row("vpn-profiles", "A VPN profile has a uuid and a name.", judge_fields("vpn_profiles", VPN_PROFILE)),
    Row(
        "finding-templates", "Finding templates have a name, and their list accepts limit and offset.", scans.templates
    ),
    Row(
        "scan-status-filter",
        "The list of scans can be filtered by status.",
        judge_filters("scans_finished", ("status_name",)),
    ),
    Row("scan-status-spelling", "The statuses of scans are spelled as documented.", scans.scan_statuses(exact=True)),
    Row("scan-times", "The times of scans are strings without a time zone.", scans.scan_times),
    Row(
        "output-refusals",
        "Output that does not exist is refused with 406, output of a scan in progress with 404 or 409.",
        scans.output_refusals,
    ),
    Row("output", "Parsed output has output_type and output_data in data.", scans.output),
    Row("raw-output", "Raw output is plain text.", scans.raw_output),
    Row("reports", "GET /reports lists the reports.", judge_status("reports", 200)),
    Row("report-answer", "Creating a report returns data.report_id.", _NO_REPORT),
    Row("report-list", "The list of reports contains the id and format of each report.", scans.report_list),
    Row("report-early", "A download returns 404 or 409 before the file exists.", _NO_REPORT),
    Row("report-status", "The status of a report is a known word or missing.", scans.report_status),
    Row("report-format", "The format of a report is one of six.", scans.report_format),
    Row("report-unchanged", "A report does not change.", _NO_DOWNLOAD),
    Row("report-accept", "A report's file does not depend on the Accept header.", _NO_DOWNLOAD),
)
