# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Judges of single assumptions: scans, their findings and output, reports, finding templates. Pure."""

from __future__ import annotations

import re

from .._errors import counted
from .._families.finding import SEVERITIES
from .._families.report import REPORT_TYPES
from .._families.scan_statuses import SCAN_STATUSES
from .._http.retry import moment
from .._records import Record
from .._report.status import is_known
from .._scan.record import findings_of, last_moment_of, uncounted
from .._scan.tools import TOOLS
from .judges import (
    Judge,
    Observations,
    Verdict,
    confirmed_if,
    describe,
    judge_rows,
    list_fields,
    list_names,
    list_words,
    no_rows,
    not_tried,
)

_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?")
# seconds by which the newest time of a scan may be ahead of the Date header
_TOLERANCE = 300
_NO_SCAN = "no finished scan was found"
_NO_FINDINGS = "no finished scan with findings was found"


# --- scans


def status_text(scan: Record) -> str:
    return str(scan.get("status_name", scan.get("status")))


def scan_statuses(exact: bool) -> Judge:
    """Judges the statuses of scans. exact: compare the case of letters, too."""
    known = set(SCAN_STATUSES if exact else map(str.lower, SCAN_STATUSES))

    def word(row: Record) -> str:
        return status_text(row) if exact else status_text(row).lower()

    return judge_rows(
        "scans",
        lambda row: word(row) in known,
        "known statuses",
        lambda wrong: f"other statuses: {list_words(map(word, wrong))}",
    )


def scan_times(answers: Observations) -> Verdict:
    times = [row[field] for row in answers.rows("scans") for field in ("start_time", "end_time") if row.get(field)]
    if not times:
        return not_tried("no scan with a time was found")
    others = [time for time in times if not (isinstance(time, str) and _TIME.fullmatch(time))]
    kinds = {"times with a time zone or in another format" if isinstance(time, str) else "numbers" for time in others}
    return confirmed_if(not others, " and ".join(sorted(kinds)) or "times without a time zone")


def scan_zone(answers: Observations) -> Verdict:
    rows = answers.rows("scans")
    moments = [last for last in map(last_moment_of, rows) if last and not last.zoned]
    now = moment(answers["scans"].headers.get("Date")) if rows else None
    if not moments or now is None:
        return not_tried("no scan with a time without a time zone was found")
    ahead = max(last.at for last in moments) - now
    if ahead > _TOLERANCE:
        return confirmed_if(False, f"the newest time is {ahead / 3600:.1f} h ahead of the Date header")
    return confirmed_if(True, "no time is in the future; a time zone behind UTC would not be noticed")


def tool_params(answers: Observations) -> Verdict:
    scan = answers.record("scan")
    if scan is None:
        return not_tried(_NO_SCAN)
    return confirmed_if(isinstance(scan.get("tool_params"), dict), f"fields: {list_fields(scan)}")


def tools(answers: Observations) -> Verdict:
    rows = answers.rows("scans")
    if not rows:
        return no_rows("scans")
    others = {str(row.get("tool_id")) for row in rows} - {str(tool_id) for tool_id in TOOLS.values()}
    numbers = sorted(filter(str.isdigit, others), key=int)[:10]
    return confirmed_if(not others, f"other ids: {', '.join(numbers) or 'not numbers'}" if others else "known ids")


# --- findings


def findings_whole(answers: Observations) -> Verdict:
    scan, answer = answers.record("scan"), answers.get("findings")
    if scan is None or answer is None:
        return not_tried(_NO_SCAN)
    rows, total = len(answer.rows), count_findings(scan)
    announced = answer.beside.more or (answer.beside.total or 0) > rows
    if uncounted(scan) and not announced:
        return not_tried("the scan does not say how many findings it has")
    seen = f"{counted(rows, 'row')}; the scan counts {counted(total, 'finding')}"
    return confirmed_if(
        not announced and total <= rows, f"{seen}, and the answer announces more rows" if announced else seen
    )


def count_findings(scan: Record) -> int:
    """How many findings a scan counts."""
    return sum(findings_of(scan).values())


def scan_counts(answers: Observations) -> Verdict:
    scan = answers.record("scan")
    if scan is None or "findings" not in answers:
        return not_tried(_NO_SCAN)
    if not isinstance(scan.get("result_summary"), dict):
        return confirmed_if(False, f"no result_summary; fields: {list_fields(scan)}")
    if uncounted(scan):
        return confirmed_if(False, f"result_summary has no valid number for {', '.join(uncounted(scan))}")
    rows, total = answers.rows("findings"), count_findings(scan)
    # where the filter is ignored, there are rows of other scans
    own = [row for row in rows if str(row.get("task_id")) == str(scan.get("id"))]
    if rows and not own:
        return confirmed_if(False, f"no row of {len(rows)} names the scan in task_id")
    seen = f"{counted(len(own), 'row')} of the scan, which counts {counted(total, 'finding')}"
    return confirmed_if(len(own) == total, seen)


def scan_workspace(answers: Observations) -> Verdict:
    scan, target = answers.record("scan"), answers.record("scan_target")
    if scan is None or target is None:
        return not_tried("no finished scan whose target exists was found")
    if scan.get("workspace_id") is None or target.get("workspace_id") is None:
        return not_tried("the scan or its target has no workspace_id")
    same = str(scan["workspace_id"]) == str(target["workspace_id"])
    return confirmed_if(same, "the same workspace" if same else "different workspaces")


def finding_names(answers: Observations) -> Verdict:
    finding = answers.record("finding")
    if finding is None:
        return not_tried(_NO_FINDINGS)
    similar = {str(name) for name in finding if "risk" in str(name) or "severity" in str(name)}
    return confirmed_if("risk_level" in finding, f"fields for the risk: {list_names(similar)}")


def risk_levels(answers: Observations) -> Verdict:
    rows = answers.rows("findings")
    if not rows:
        return not_tried(_NO_FINDINGS)
    wrong = [row for row in rows if row.get("risk_level") not in range(len(SEVERITIES))]
    return confirmed_if(
        not wrong, f"other values in {len(wrong)} of {len(rows)} rows" if wrong else "numbers from 0 to 4"
    )


def templates(answers: Observations) -> Verdict:
    first, second = answers.rows("finding_templates"), answers.rows("templates_2")
    if len(first) < 2:
        return not_tried("fewer than two finding templates were found")
    same = first == second
    good = len(first) == 2 and not same and all(row.get("name") for row in first + second)
    after = "the same rows" if same else counted(len(second), "row")
    return confirmed_if(good, f"limit 2: {counted(len(first), 'row')}, then {after} with offset 2")


# --- output and reports


def output(answers: Observations) -> Verdict:
    answer = answers.get("output")
    if answer is None or answer.status != 200:
        return not_tried("no finished scan with parsed output was found")
    data = answer.body.get("data") if isinstance(answer.body, dict) else None
    return confirmed_if(isinstance(data, dict) and "output_type" in data and "output_data" in data, describe(answer))


def raw_output(answers: Observations) -> Verdict:
    answer = answers.get("raw")
    if answer is None or answer.status != 200:
        return not_tried("no finished scan with raw output was found")
    return confirmed_if(answer.form == "text", describe(answer))


def output_refusals(answers: Observations) -> Verdict:
    # the statuses that are expected, beside 200
    expected = {"output": (406,), "running_output": (404, 409)}
    asked = [name for name in expected if name in answers]
    if not asked:
        return not_tried("no finished or running scan was found")
    refused = [name for name in asked if answers[name].status != 200]
    if not refused:
        return not_tried("no output was refused")
    others = [name for name in refused if answers[name].status not in expected[name]]
    return confirmed_if(not others, describe(answers[(others or refused)[0]]))


report_status = judge_rows(
    "reports",
    lambda row: is_known(row.get("status", row.get("status_name"))),
    "known statuses, or none",
    lambda wrong: f"{counted(len(wrong), 'report')} with another status",
)

report_format = judge_rows(
    "reports",
    lambda row: str(row.get("format")).lower() in REPORT_TYPES,
    "known formats",
    lambda wrong: f"other formats: {list_words(row.get('format') for row in wrong)}",
)


def report_list(answers: Observations) -> Verdict:
    rows = answers.rows("reports")
    if not rows:
        return no_rows("reports")
    missing = {name for row in rows for name in ("id", "format") if row.get(name) is None}
    complete = f"{counted(len(rows), 'row')} with id and format"
    return confirmed_if(not missing, f"missing: {list_names(missing)}" if missing else complete)
