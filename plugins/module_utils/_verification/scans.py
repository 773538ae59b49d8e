# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The assumptions about scans, their findings and output, and reports: one row each. Pure."""

from __future__ import annotations

from .._errors import counted
from .._families.finding import SEVERITIES
from .._families.report import FAILED, NOT_READY, READY, REPORT_TYPES, status_word
from .._families.scan import TOOLS
from .._families.scan_statuses import SCAN_STATUSES
from .._families.vpn_profile import VPN_PROFILE
from .._http.retry import moment
from .._records import Record
from .._scan.record import findings_of, last_moment_of, uncounted
from .judges import (
    Observations,
    Row,
    Verdict,
    confirmed_if,
    describe,
    fields_of,
    judge_answers,
    judge_current_workspace,
    judge_fields,
    judge_filters,
    judge_rows,
    judge_status,
    judge_times,
    judge_types,
    list_names,
    not_tried,
)

# seconds by which the newest time of a scan may be ahead of the Date header
_TOLERANCE = 300
_NO_START = "no scan is started"
_NO_REPORT = "no report is created"
_NO_DOWNLOAD = "no report is downloaded"
_NO_SCANS = "no scans were found"
_NO_REPORTS = "no reports were found"
_NO_SCAN = "no finished scan was found"
_NO_FINDINGS = "no finished scan with findings was found"
_STATUSES = set(map(str.lower, SCAN_STATUSES))
_TOOL_IDS = {str(tool_id) for tool_id in TOOLS.values()}


# --- scans


def status_text(scan: Record) -> str:
    """The status of a scan in lower case."""
    return str(scan.get("status_name", scan.get("status"))).lower()


def count_findings(scan: Record) -> int:
    """How many findings a scan counts."""
    return sum(findings_of(scan).values())


def _judge_zone(answers: Observations) -> Verdict | None:
    rows = answers.rows("scans")
    moments = [last for last in map(last_moment_of, rows) if last and not last.zoned]
    now = moment(answers["scans"].headers.get("Date")) if rows else None
    if not moments or now is None:
        return None
    ahead = max(last.at for last in moments) - now
    if ahead > _TOLERANCE:
        return confirmed_if(False, f"the newest time is {ahead / 3600:.1f} h ahead of the Date header")
    return confirmed_if(True, "no time is in the future; a time zone behind UTC would not be noticed")


def _judge_scan_workspace(answers: Observations) -> Verdict | None:
    scan, target = answers.record("scan"), answers.record("scan_target")
    if scan.get("workspace_id") is None or target.get("workspace_id") is None:
        return None
    same = str(scan["workspace_id"]) == str(target["workspace_id"])
    return confirmed_if(same, "the same workspace" if same else "different workspaces")


# --- findings


def _judge_whole(answers: Observations) -> Verdict | None:
    scan, answer = answers.record("scan"), answers.get("findings")
    if not scan or answer is None:
        return None
    rows, total = len(answer.rows), count_findings(scan)
    announced = answer.beside.more or (answer.beside.total or 0) > rows
    if uncounted(scan) and not announced:
        return not_tried("the scan does not say how many findings it has")
    seen = f"{counted(rows, 'row')}; the scan counts {counted(total, 'finding')}"
    return confirmed_if(
        not announced and total <= rows, f"{seen}, and the answer announces more rows" if announced else seen
    )


def _judge_counts(answers: Observations) -> Verdict | None:
    scan = answers.record("scan")
    if not scan or "findings" not in answers:
        return None
    if uncounted(scan):
        return confirmed_if(False, f"result_summary has no valid number for {', '.join(uncounted(scan))}")
    rows, total = answers.rows("findings"), count_findings(scan)
    # where the filter is ignored, there are rows of other scans
    own = [row for row in rows if str(row.get("task_id")) == str(scan.get("id"))]
    if rows and not own:
        return confirmed_if(False, f"no row of {len(rows)} names the scan in task_id")
    seen = f"{counted(len(own), 'row')} of the scan, which counts {counted(total, 'finding')}"
    return confirmed_if(len(own) == total, seen)


def _judge_names(answers: Observations) -> Verdict | None:
    finding = answers.record("finding")
    similar = [name for name in finding if "risk" in str(name) or "severity" in str(name)]
    return confirmed_if("risk_level" in finding, f"fields for the risk: {list_names(similar)}") if finding else None


def _unknown_level(finding: Record) -> list[object]:
    level = finding.get("risk_level")
    return [] if level in range(len(SEVERITIES)) else [level]


def _judge_templates(answers: Observations) -> Verdict | None:
    first, second = answers.rows("finding_templates"), answers.rows("templates_2")
    if len(first) < 2:
        return None
    same = first == second
    good = len(first) == 2 and not same and all(row.get("name") for row in first + second)
    after = "the same rows" if same else counted(len(second), "row")
    return confirmed_if(good, f"limit 2: {counted(len(first), 'row')}, then {after} with offset 2")


# --- output and reports


def _judge_output_refusals(answers: Observations) -> Verdict | None:
    expected = {"output": (406,), "running_output": (404, 409)}
    refused = [name for name in expected if name in answers and answers[name].status != 200]
    if not refused:
        return None
    others = [name for name in refused if answers[name].status not in expected[name]]
    return confirmed_if(not others, describe(answers[(others or refused)[0]]))


def _unknown_status(report: Record) -> list[object]:
    status = report.get("status", report.get("status_name"))
    return [] if status is None or status_word(status) in (*NOT_READY, *FAILED, *READY) else [status]


ROWS = (
    Row("start-answer", "A start returns data.created_id.", _NO_START),
    Row("start-without-id", "A scan whose start returned no id appears in the list.", _NO_START),
    Row("start-creates-target", "A start with target_name creates a missing target.", _NO_START),
    Row("start-fields", "A start accepts the documented fields.", _NO_START),
    Row(
        "start-slots",
        "A start beyond the plan's limit of parallel scans returns 403 and a message about parallel scans.",
        _NO_START,
    ),
    Row(
        "scan-outcomes",
        "Every scan has one of the known statuses.",
        _NO_SCANS,
        judge_rows(["scans"], lambda row: {status_text(row)} - _STATUSES, "known statuses", "other statuses"),
    ),
    Row(
        "scan-zone",
        "Times of scans without an offset are UTC.",
        "no scan with a time without a time zone was found",
        _judge_zone,
    ),
    Row(
        "scan-filters",
        "The list of scans can be filtered by workspace_id, target_id and tool_id.",
        _NO_SCAN,
        judge_filters("scans_filtered", "workspace_id", "target_id", "tool_id"),
    ),
    Row(
        "scan-tool-params",
        "A scan read by its id has tool_params.",
        _NO_SCAN,
        judge_answers(lambda answer: isinstance(answer.record.get("tool_params"), dict), "scan"),
    ),
    Row("scan-stop", "POST /scans/{id}/stop stops a scan.", _NO_START),
    Row(
        "tools",
        "The tool ids are those of the public list.",
        _NO_SCANS,
        judge_rows(["scans"], lambda row: {str(row.get("tool_id"))} - _TOOL_IDS, "known ids", "other ids"),
    ),
    Row("findings-whole", "All findings of a scan are in one list.", _NO_SCAN, _judge_whole),
    Row(
        "scan-counts",
        "A scan counts its findings in result_summary, and each finding names the scan in task_id.",
        _NO_SCAN,
        _judge_counts,
    ),
    Row(
        "scan-workspace",
        "A scan is in the workspace of its target.",
        "no finished scan and target with a workspace_id were found",
        _judge_scan_workspace,
    ),
    Row("finding-names", "A finding read by its id has risk_level.", _NO_FINDINGS, _judge_names),
    Row(
        "finding-filters",
        "The list of findings can be filtered by task_id, the id of a scan.",
        _NO_FINDINGS,
        judge_filters("findings", "task_id"),
    ),
    Row(
        "finding-workspace",
        "Without a workspace, the service lists the scans and findings of its current one.",
        "no two workspaces with scans were found",
        judge_current_workspace("scans"),
    ),
    Row(
        "risk-levels",
        "risk_level is a number from 0 to 4.",
        _NO_FINDINGS,
        judge_rows(["findings"], _unknown_level, "numbers from 0 to 4", "other values"),
    ),
    Row("cve", "cve is a list.", _NO_FINDINGS, judge_types("cve", "list", "findings")),
    Row(
        "finding-status",
        "The status of a finding is a string.",
        _NO_FINDINGS,
        judge_types("status", "string", "findings"),
    ),
    Row(
        "vpn-profiles",
        "A VPN profile has a uuid and a name.",
        "no VPN profiles were found",
        judge_fields("vpn_profiles", fields_of(VPN_PROFILE)),
    ),
    Row(
        "finding-templates",
        "Finding templates have a name, and their list accepts limit and offset.",
        "fewer than two finding templates were found",
        _judge_templates,
    ),
    Row(
        "scan-status-filter",
        "The list of scans can be filtered by status.",
        _NO_SCAN,
        judge_filters("scans_finished", "status_name"),
    ),
    Row(
        "scan-times",
        "The times of scans are strings without a time zone.",
        "no scan with a time was found",
        judge_times("scans", "start_time", "end_time"),
    ),
    Row(
        "output-refusals",
        "Output that does not exist is refused with 406, output of a scan in progress with 404 or 409.",
        "no output was refused",
        _judge_output_refusals,
    ),
    Row(
        "output",
        "Parsed output has output_type and output_data in data.",
        _NO_SCAN,
        judge_answers(lambda answer: {"output_type", "output_data"} <= set(answer.record), "output", refusals=False),
    ),
    Row(
        "raw-output",
        "Raw output is plain text.",
        _NO_SCAN,
        judge_answers(lambda answer: answer.form == "text", "raw", refusals=False),
    ),
    Row("reports", "GET /reports lists the reports.", "no answer", judge_status("reports", 200)),
    Row("report-answer", "Creating a report returns data.report_id.", _NO_REPORT),
    Row(
        "report-list",
        "The list of reports contains the id and format of each report.",
        _NO_REPORTS,
        judge_fields("reports", ("id", "format")),
    ),
    Row("report-early", "A download returns 404 or 409 before the file exists.", _NO_REPORT),
    Row(
        "report-status",
        "The status of a report is a known word or missing.",
        _NO_REPORTS,
        judge_rows(["reports"], _unknown_status, "known statuses, or none", "other statuses"),
    ),
    Row(
        "report-format",
        "The format of a report is one of six.",
        _NO_REPORTS,
        judge_rows(
            ["reports"],
            lambda row: {str(row.get("format")).lower()} - set(REPORT_TYPES),
            "known formats",
            "other formats",
        ),
    ),
    Row("report-unchanged", "A report does not change.", _NO_DOWNLOAD),
    Row("report-accept", "A report's file does not depend on the Accept header.", _NO_DOWNLOAD),
)
