# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The result of a gate as Markdown, for the summary of a pipeline or a comment on a change: at most 60 lines. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._errors import counted
from .._gate_words import FAIL, FAILING, FINDINGS, NO_BASELINE, PASSED, STATES, WAIVED, WARN
from .document import Document, Row, first_sentences, is_new, is_whole, pair_problems, place, problems
from .page_summary import fixes
from .text import code, line

MOST_LINES = 60

# failing findings get the lines that remain
_MOST_REASONS = 3
_MOST_PROBLEMS = 4
_MOST_FIXES = 3
_MOST_NEW = 4
_MOST_EXPIRED = 4
# the heading and the rest of a table, and the empty line before it
_AROUND = 7
# of a name or a reason in a table
_LONGEST = 120
_LONGEST_ADVICE = 200
_MOST_CVES = 3

_FAILING_SECTION = 5
_WORST_FIRST = ("unknown", "critical", "high", "medium", "low", "info")


def markdown(document: Document) -> str:
    """The outcome and why, the counts, and what comes first: failing findings, new ones, expired waivers."""
    rows = document["findings"]
    new = [row for row in rows if is_new(row) and row["state"] not in (FAILING, WAIVED)]
    sections = [
        [_headline(document)],
        _reasons(document),
        _not_scanned(document),
        _counts(document),
        _fixes(document),
        [],
        _findings("New, but not failing", new, _MOST_NEW),
        _expired(document["waivers"]["expired"]),
        [_footer(document)],
    ]
    used = sum(len(section) + 1 for section in sections if section)
    failing = [row for row in rows if row["state"] == FAILING]
    sections[_FAILING_SECTION] = _findings("Failing", failing, MOST_LINES - used - _AROUND)
    return "\n\n".join("\n".join(section) for section in sections if section) + "\n"


def _reasons(document: Document) -> list[str]:
    reasons = (document["reasons"] or ["No reason was recorded."]) if _is_red(document) else []
    return _bullets([*first_sentences(document), *reasons], _MOST_REASONS, "reason")


def _is_red(document: Document) -> bool:
    red: bool = document["verdict"] == FAIL or document["outcome"] != PASSED
    return red


def _headline(document: Document) -> str:
    outcome, verdict = document["outcome"], document["verdict"]
    said = {FAIL: "Gate failed", WARN: "Gate passed with a warning"}.get(verdict, "Gate passed")
    failing = document["counts"]["failing"]
    # the number says it better, where findings are all that is wrong
    what = "" if outcome == PASSED or (outcome == FINDINGS and failing) else outcome
    if failing:
        what += f"{', ' if what else ''}{counted(failing, 'failing finding')}"
    if not is_whole(document):
        what += ". The run is not complete: findings may be missing"
    return f"## {said}{': ' if what else ''}{what}"


def _bullets(sentences: Sequence[str], most: int, noun: str) -> list[str]:
    shown = [f"- {code(sentence, 300)}" for sentence in sentences[:most]]
    more = len(sentences) - most
    return [*shown, f"- and {counted(more, f'more {noun}')}"] if more > 0 else shown


def _more(number: int, noun: str) -> list[str]:
    return ["", f"And {counted(number, f'more {noun}')}."] if number > 0 else []


def _not_scanned(document: Document) -> list[str]:
    found = [sentence for pair in document["targets"] for sentence in pair_problems(pair)]
    # those without a target are among the reasons
    if is_whole(document) or not found:
        return []
    return ["### Not scanned or read completely", "", *_bullets(problems(document), _MOST_PROBLEMS, "problem")]


def _counts(document: Document) -> list[str]:
    counts, rows = document["counts"], document["findings"]
    worst: dict[str, str] = {}
    for row in rows:
        known = worst.get(row["state"], row["severity"])
        worst[row["state"]] = min(known, row["severity"], key=_WORST_FIRST.index)
    table = ["| State | Findings | Worst |", "|---|---:|---|"]
    table += [f"| {state} | {counts[state]} | {worst.get(state, '')} |" for state in STATES]
    compared = document["baseline"].get("state") not in (None, NO_BASELINE)
    changes = ", ".join(f"{counts[change]} {change}" for change in ("new", "reopened", "worse", "gone"))
    since = f"Since the baseline: {changes}." if compared else "Not compared with a baseline."
    severities = ", ".join(f"{number} {severity}" for severity, number in document["summary"].items() if number)
    return [*table, "", f"{since} All findings: {severities or 'none'}."]


def _fixes(document: Document) -> list[str]:
    found = fixes(document)[:_MOST_FIXES]
    return ["### Fix first", "", *(f"- {_fix(each.first)}" for each in found)] if found else []


def _fix(row: Row) -> str:
    """A finding with its CVEs and what to do about it."""
    cves = ", ".join(code(cve, 30) for cve in row["cve"][:_MOST_CVES])
    advice = code(row["recommendation"], _LONGEST_ADVICE) if line(row["recommendation"]).strip() else "no advice"
    return f"{row['severity']}: {code(row['name'], _LONGEST)}{f' ({cves})' if cves else ''}: {advice}"


def _findings(title: str, rows: Sequence[Row], most: int) -> list[str]:
    if not rows:
        return []
    return [
        f"### {title}",
        "",
        "| Severity | Finding | Where | Change | Why |",
        "|---|---|---|---|---|",
        *(_row(row) for row in rows[:most]),
        *_more(len(rows) - most, "finding"),
    ]


def _row(row: Row) -> str:
    why = code("; ".join(map(line, row["reasons"])), _LONGEST)
    where = code(place(row), _LONGEST)
    return f"| {row['severity']} | {code(row['name'], _LONGEST)} | {where} | {row['change'] or ''} | {why} |"


def _expired(waivers: Sequence[Mapping[str, Any]]) -> list[str]:
    if not waivers:
        return []
    return [
        "### Expired waivers",
        "",
        "| Expired | Owner | Reason | File |",
        "|---|---|---|---|",
        *(
            f"| {code(each['expires'], 40)} | {code(each['owner'], 60)} | {code(each['reason'], _LONGEST)} |"
            f" {code(line(each['file']) + ':' + str(each['line']), _LONGEST)} |"
            for each in waivers[:_MOST_EXPIRED]
        ),
        *_more(len(waivers) - _MOST_EXPIRED, "expired waiver"),
    ]


def _footer(document: Document) -> str:
    workspace = f" in workspace {code(document['workspace'], _LONGEST)}" if document["workspace"] else ""
    return (
        f"{counted(len(document['targets']), 'target')} judged{workspace}, coverage {document['coverage']},"
        f" {document['generated']}."
    )
