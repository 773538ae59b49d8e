# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Judges of single assumptions: scans, their findings and output, reports, finding templates. Pure."""

from __future__ import annotations

import re

from .._http.download import CONTENT_TYPES
from .._http.retry import moment
from .._report.status import is_known
from .._resources import SEVERITIES
from .._scan.record import last_moment_of
from .._scan.statuses import SCAN_STATUSES
from .._scan.tools import TOOLS
from .judges import (
    Judge,
    Seen,
    Verdict,
    beside_of,
    data_of,
    each_row,
    fields_shown,
    form_of,
    rows_of,
    shown,
    told,
    untried,
    values_of,
    words_shown,
)

_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?")
# how far the Date header and the newest time may differ, in seconds
_TOLERANCE = 300
_NO_SCAN = "the account shows no finished scan"


# --- scans


def status_text(row: dict) -> str:
    return str(row.get("status_name", row.get("status")))


def scan_statuses(exact: bool) -> Judge:
    """Judges the statuses of scans: their spelling too, or without regard to case."""
    known = set(SCAN_STATUSES if exact else map(str.lower, SCAN_STATUSES))

    def word(row: dict) -> str:
        return status_text(row) if exact else status_text(row).lower()

    return each_row(
        "scans",
        lambda row: word(row) in known,
        "known statuses",
        lambda wrong: f"others: {words_shown({word(row) for row in wrong})}",
    )


def scan_times(answers: dict[str, Seen]) -> Verdict:
    rows = rows_of(answers, "scans")
    times = [row.get(field) for row in rows for field in ("start_time", "end_time") if row.get(field)]
    if not times:
        return untried("the account shows no scan with a time")
    odd = [text for text in times if not (isinstance(text, str) and _TIME.fullmatch(text))]
    kinds = {"texts with a zone or in another form" if isinstance(text, str) else "numbers" for text in odd}
    return told(not odd, " and ".join(sorted(kinds)) if odd else "times without a zone")


def scan_zone(answers: dict[str, Seen]) -> Verdict:
    rows = rows_of(answers, "scans")
    moments = [last for last in map(last_moment_of, rows) if last and not last.zoned]
    now = moment(answers["scans"].headers.get("Date")) if rows else None
    if not moments or now is None:
        return untried("the account shows no scan with a time without a zone")
    ahead = max(last.at for last in moments) - now
    if ahead > _TOLERANCE:
        return told(False, f"the newest time is {ahead / 3600:.1f} h ahead of the Date header")
    return told(True, "no time in the future; a zone that is behind cannot be seen")


def tool_params(answers: dict[str, Seen]) -> Verdict:
    record = data_of(answers.get("scan"))
    if not isinstance(record, dict):
        return untried(_NO_SCAN)
    return told(isinstance(record.get("tool_params"), dict), f"fields: {fields_shown(record)}")


def tools(answers: dict[str, Seen]) -> Verdict:
    rows = rows_of(answers, "scans")
    if not rows:
        return untried("the account shows no scans")
    others = {str(row.get("tool_id")) for row in rows} - {str(tool_id) for tool_id in TOOLS.values()}
    numbers = sorted(filter(str.isdigit, others), key=int)[:10]
    return told(not others, f"others: {', '.join(numbers) or 'no numbers'}" if others else "known ids")


def place_needed(answers: dict[str, Seen]) -> Verdict:
    found = values_of(rows_of(answers, "scans_anywhere"), "workspace_id")
    if len(found) > 1:
        return told(False, f"scans of {len(found)} workspaces")
    if not values_of(rows_of(answers, "scans_elsewhere"), "workspace_id") - found:
        return untried("no two workspaces that were read have scans")
    return told(True, "scans of one workspace, others have scans too")


# --- findings


def findings_whole(answers: dict[str, Seen]) -> Verdict:
    record, seen = data_of(answers.get("scan")), answers.get("findings")
    if not isinstance(record, dict) or seen is None:
        return untried(_NO_SCAN)
    rows, found = len(rows_of(answers, "findings")), beside_of(seen)
    counted = counts_of(record)
    cut = found.more or (found.total or 0) > rows or counted > rows
    return told(
        not cut, f"{rows} rows; the scan counts {counted}, and the answer {'shows' if found.more else 'no'} more"
    )


def counts_of(scan: dict) -> int:
    """How many findings a scan counts."""
    summary = scan.get("result_summary")
    return sum(count for count in summary.values() if _is_count(count)) if isinstance(summary, dict) else 0


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def scan_counts(answers: dict[str, Seen]) -> Verdict:
    record = data_of(answers.get("scan"))
    if not isinstance(record, dict) or "findings" not in answers:
        return untried(_NO_SCAN)
    if not isinstance(record.get("result_summary"), dict):
        return told(False, f"no result_summary; fields: {fields_shown(record)}")
    rows = rows_of(answers, "findings")
    # rows of another scan are those of a filter that is ignored
    own = [row for row in rows if str(row.get("task_id")) == str(record.get("id"))]
    if rows and not own:
        return told(False, f"none of {len(rows)} rows names the scan in task_id")
    return told(len(own) == counts_of(record), f"{len(own)} rows of the scan, which counts {counts_of(record)}")


def scan_workspace(answers: dict[str, Seen]) -> Verdict:
    scan, target = data_of(answers.get("scan")), data_of(answers.get("scan_target"))
    if not isinstance(scan, dict) or not isinstance(target, dict):
        return untried("the account shows no finished scan of a target that exists")
    if scan.get("workspace_id") is None or target.get("workspace_id") is None:
        return untried("the scan that was read, or its target, names no workspace")
    same = str(scan["workspace_id"]) == str(target.get("workspace_id"))
    return told(same, "the same workspace" if same else "another workspace")


def finding_names(answers: dict[str, Seen]) -> Verdict:
    one = data_of(answers.get("finding"))
    if not isinstance(one, dict):
        return untried("the account shows no findings of a finished scan")
    others = {str(name) for name in one if "risk" in str(name) or "severity" in str(name)}
    return told("risk_level" in one, f"fields like it: {shown(others)}")


def risk_levels(answers: dict[str, Seen]) -> Verdict:
    rows = rows_of(answers, "findings")
    if not rows:
        return untried("the account shows no findings of a finished scan")
    wrong = [row for row in rows if row.get("risk_level") not in range(len(SEVERITIES))]
    return told(not wrong, f"{len(wrong)} of {len(rows)} are others" if wrong else "numbers from 0 to 4")


def typed(name: str, field: str, expected: type, good: str) -> Judge:
    """Judges the type of a field in each row of a list."""
    return each_row(
        name,
        lambda row: isinstance(row.get(field), expected),
        good,
        lambda wrong: "other types: " + ", ".join(sorted({type(row.get(field)).__name__ for row in wrong})),
    )


def templates(answers: dict[str, Seen]) -> Verdict:
    first, second = rows_of(answers, "finding_templates"), rows_of(answers, "templates_2")
    if len(first) < 2:
        return untried("the service shows fewer than two finding templates")
    good = len(first) == 2 and first != second and all(row.get("name") for row in first + second)
    return told(good, f"limit 2: {len(first)} rows, {'the same' if first == second else len(second)} after offset 2")


# --- output and reports


def output(answers: dict[str, Seen]) -> Verdict:
    seen = answers.get("output")
    if seen is None or seen.status != 200:
        return untried("no finished scan with parsed output")
    data = seen.body.get("data") if isinstance(seen.body, dict) else None
    return told(isinstance(data, dict) and "output_type" in data and "output_data" in data, form_of(seen))


def raw_output(answers: dict[str, Seen]) -> Verdict:
    seen = answers.get("raw")
    if seen is None or seen.status != 200:
        return untried("no finished scan with raw output")
    return told(seen.form == "text", form_of(seen))


def output_refusals(answers: dict[str, Seen]) -> Verdict:
    finished, running = answers.get("output"), answers.get("running_output")
    tried = [(seen, allowed) for seen, allowed in ((finished, (200, 406)), (running, (200, 404, 409))) if seen]
    if not tried:
        return untried("the account shows no scan")
    odd = [seen for seen, allowed in tried if seen.status not in allowed]
    refused = [seen for seen, _allowed in tried if seen.status != 200]
    if not odd and not refused:
        return untried("no output was refused")
    return told(not odd, form_of((odd or refused)[0]))


report_status = each_row(
    "reports",
    lambda row: is_known(row.get("status", row.get("status_name"))),
    "known words, or none",
    lambda wrong: f"{len(wrong)} in other words",
)

report_format = each_row(
    "reports",
    lambda row: str(row.get("format")).lower() in CONTENT_TYPES,
    "known formats",
    lambda wrong: f"others: {words_shown({str(row.get('format')) for row in wrong})}",
)


def report_list(answers: dict[str, Seen]) -> Verdict:
    rows = rows_of(answers, "reports")
    if not rows:
        return untried("the account shows no reports")
    lacking = {name for row in rows for name in ("id", "format") if row.get(name) is None}
    return told(not lacking, f"missing: {shown(lacking)}" if lacking else f"{len(rows)} rows with id and format")
