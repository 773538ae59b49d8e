# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The result of a gate as Markdown: the summary of a pipeline, and a comment on a change. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..._model.errors import counted
from ..._model.outcomes import BELOW, FAIL, FAILING, FINDINGS, NO_BASELINE, PASSED, STATES, WAIVED, WARN, WORSE
from ..._model.safe_text import code, line
from .document import (
    Document,
    Fix,
    Row,
    because,
    by_state,
    catalogues,
    check_of,
    coming,
    controls,
    cves_of,
    first_sentences,
    fixes,
    is_new,
    is_whole,
    pair_problems,
    place,
    problems,
    published,
    rule_of,
    scanned_build,
    tools_of,
    waived_by,
    worst,
)

MOST_LINES = 70

_MOST_REASONS = 3
_MOST_PROBLEMS = 3
_MOST_FIXES = 3
_MOST_FIXES_OF_TEAM = 1
_MOST_TEAMS = 4
_MOST_COMING = 3
_MOST_NEW = 3
_MOST_GONE = 3
_MOST_EXPIRED = 3
_MOST_WAIVED = 3
_MOST_WAIVERS = 3
_MOST_TOOLS = 4
_MOST_CONTROLS = 3
# the heading and the rest of a table, and the empty line before it
_AROUND = 7
# of a name or a reason in a table
_LONGEST = 120
_LONGEST_ADVICE = 200
_MOST_CVES = 3


def markdown(document: Document) -> str:
    """The outcome and why, the counts, and what comes first: failing findings, new and missing ones, waivers."""
    rows = document["findings"]
    failing = [row for row in rows if row["state"] == FAILING]
    new = [row for row in _without_waived(rows) if is_new(row) and row["state"] != FAILING]
    # those without a target are among the reasons
    unread = problems(document) if any(map(pair_problems, document["targets"])) else []
    first = [
        [_headline(document)],
        _reasons(document),
        _section("Not scanned or read completely", [], _bullets(unread, _MOST_PROBLEMS, "problem")),
        _controls(document),
        _counts(document),
        _fix_first(document, _fix),
    ]
    last = [
        _findings("New, but not failing", new, _MOST_NEW),
        _waived(document),
        _listed("Gone", document["gone"]),
        _listed("Not seen by this scan", document.get("unseen", ())),
        _coming(document),
        _expired(document["waivers"]["expired"]),
        _unused(document["waivers"]["unused"]),
        [_footer(document)],
    ]
    used = sum(len(section) + 1 for section in first + last if section)
    # failing findings get the lines that remain
    sections = [*first, _findings("Failing", failing, MOST_LINES - used - _AROUND), *last]
    return _joined(sections)


def comment(document: Document) -> str:
    """The outcome and why, what to fix first, what is new, worse and gone since the baseline, and what is waived: at most 55
    lines.

    Programs that wait for commands look for an @ in the text, whether or not it is code, so it has none.
    """
    document = published(document)
    changed = list(filter(is_new, _without_waived(document["findings"])))
    states = ", ".join(f"{number} {state}" for state, number in by_state(document).items() if number)
    sections = [
        [_headline(document)],
        _reasons(document),
        _controls(document),
        [f"{_since(document)} {f'By state: {states}.' if states else ''}{_below(document)}".rstrip()],
        # with the rule that decides, because a known finding that fails is in no table here
        _fix_first(document, lambda each: f"{_fix(each)} (fails: {code(rule_of(each.first), _LONGEST)})"),
        _findings("New", [row for row in changed if row["change"] != WORSE], _MOST_NEW),
        _findings("Worse", [row for row in changed if row["change"] == WORSE], _MOST_NEW),
        _waived(document),
        _coming(document),
        _listed("Gone", document["gone"]),
        _listed("Not seen by this scan", document.get("unseen", ())),
        [_footer(document)],
    ]
    return _joined(sections).replace("@", "\uff20")


def _joined(sections: Sequence[list[str]]) -> str:
    return "\n\n".join("\n".join(section) for section in sections if section) + "\n"


def _headline(document: Document) -> str:
    outcome, failing = document["outcome"], document["counts"]["failing"]
    said = {FAIL: "Gate failed", WARN: "Gate passed with a warning"}.get(document["verdict"], "Gate passed")
    # the number says it better, where findings are all that is wrong
    clauses = [] if outcome == PASSED or (outcome == FINDINGS and failing) else [outcome]
    clauses += [counted(failing, "failing finding")] if failing else []
    if document["verdict"] != FAIL:
        clauses += [counted(document["counts"][WAIVED], "waived finding")] if document["counts"][WAIVED] else []
    incomplete = "" if is_whole(document) else ". The run is not complete: findings may be missing"
    return f"## {': '.join(filter(None, [said, ', '.join(clauses)]))}{incomplete}"


def _reasons(document: Document) -> list[str]:
    reasons: list[str] = []
    if document["verdict"] == FAIL or document["outcome"] != PASSED:
        reasons = document["reasons"] or ["No reason was recorded."]
    lines = _bullets([*first_sentences(document), *reasons], _MOST_REASONS, "reason")
    if document["outcome"] == PASSED:
        return lines
    # on a line of a reason, because there are few lines
    return [f"{lines[0]} [What to do]({document['see']['outcome']})", *lines[1:]]


def _controls(document: Document) -> list[str]:
    lines = controls(document)
    return [*lines[:1], *([""] if lines[1:] else []), *_bullets(lines[1:], _MOST_CONTROLS, "control")]


def _bullets(sentences: Sequence[str], most: int, noun: str) -> list[str]:
    shown = [f"- {code(sentence, 300)}" for sentence in sentences[:most]]
    more = len(sentences) - most
    return [*shown, f"- and {counted(more, f'more {noun}')}"] if more > 0 else shown


def _counts(document: Document) -> list[str]:
    severities: dict[str, set[str]] = {}
    for row in document["findings"]:
        severities.setdefault(row["state"], set()).add(row["severity"])
    shown = {state: worst(severities[state]) if state in severities else "" for state in STATES}
    numbers = by_state(document)
    tools = tools_of(document)
    by_tool: dict[str, Mapping[str, int]] = {}
    # columns whose sum is that of all findings; a document may hold the failing ones only
    if len(tools) > 1 and len(document["findings"]) == document["counts"]["total"]:
        tally = Counter((row["tool"], row["state"]) for row in document["findings"])
        by_tool = {
            code(tool, 60) or "unknown tool": {state: tally[tool, state] for state in STATES}
            for tool in tools[:_MOST_TOOLS]
        }
        if len(tools) > _MOST_TOOLS:
            others = {state: numbers[state] - sum(each[state] for each in by_tool.values()) for state in STATES}
            by_tool["other tools"] = others
    table = [
        f"| {state} | {' | '.join(map(str, [numbers[state], *(each[state] for each in by_tool.values())]))} | {severity} |"
        for state, severity in shown.items()
    ]
    heads = [f"| {' | '.join(['State', 'Findings', *by_tool, 'Worst'])} |", f"|---|---:|{'---:|' * len(by_tool)}---|"]
    return [*heads, *table, "", f"{_since(document)}{_below(document)}"]


def _since(document: Document) -> str:
    """How many findings changed since the baseline, and how many there are."""
    since, counts = "Not compared with a baseline.", document["counts"]
    if document["baseline"].get("state") not in (None, NO_BASELINE):
        changes = ", ".join(f"{counts[change]} {change}" for change in ("new", "reopened", "worse", "gone"))
        unseen = f", {counts['unseen']} not seen by this scan" if counts.get("unseen") else ""
        since = f"Since the baseline: {changes}{unseen}."
    found = ", ".join(f"{number} {severity}" for severity, number in document["summary"].items() if number)
    return f"{since} All findings: {found or 'none'}."


def _below(document: Document) -> str:
    """What the state below means, if a finding has it."""
    means = f" **{BELOW}** means that the policy does not count the finding, mostly because its severity is lower."
    return means if by_state(document)[BELOW] else ""


def _fix_first(document: Document, write: Callable[[Fix], str]) -> list[str]:
    """What to fix first; of several teams that own failing findings, for each of the first ones."""
    teams: dict[str | None, list[Row]] = {}
    for row in document["findings"]:
        if row["state"] == FAILING:
            teams.setdefault(row["team"], []).append(row)
    if len(teams) < 2:
        return _section("Fix first", [], [f"- {write(each)}" for each in fixes(document)[:_MOST_FIXES]])
    lines = []
    for team, rows in list(teams.items())[:_MOST_TEAMS]:
        # a team may have a contact for each of its patterns
        contacts = dict.fromkeys(row[key] for row in rows for key in ("contact", "channel") if row[key])
        named = ", ".join([code(team, _LONGEST) if team else "Nobody", *(code(each, _LONGEST) for each in contacts)])
        lines.append(f"- {named}: {counted(len(rows), 'failing finding')}")
        lines += [f"  - {write(each)}" for each in fixes({"findings": rows})[:_MOST_FIXES_OF_TEAM]]
    return _section("Fix first", [], lines, len(teams) - _MOST_TEAMS, "team")


def _coming(document: Document) -> list[str]:
    """What begins to fail by time alone."""
    found = coming(document)
    lines = [f"- {code(day, 20)}: {code(text, 3 * _LONGEST)}" for day, text in found[:_MOST_COMING]]
    more = len(found) - _MOST_COMING
    return _section("Begins to fail", [], [*lines, *([f"- and {more:,} more"] if more > 0 else [])])


def _fix(fix: Fix) -> str:
    """A finding with its CVEs, where it is, and what to do about it."""
    row = fix.first
    cves = ", ".join(code(cve, 30) for cve in cves_of(row)[:_MOST_CVES])
    advice = code(row["recommendation"], _LONGEST_ADVICE) if line(row["recommendation"]).strip() else "no advice"
    where = code(place(row), _LONGEST)
    if fix.number > 1:
        where = f"{counted(fix.number, 'finding')} on {counted(fix.targets, 'target')}, first {where}"
    return f"{row['severity']}: {code(row['name'], _LONGEST)}{f' ({cves})' if cves else ''}, {where}: {advice}"


def _without_waived(rows: Iterable[Row]) -> list[Row]:
    """The findings that no waiver decides; the others have a section of their own."""
    return [row for row in rows if row["state"] != WAIVED]


def _kinds(rows: Iterable[Row]) -> list[list[Row]]:
    """Findings that differ only in their place, so that a section shows more than one kind."""
    kinds: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        what = (row["severity"], check_of(row), str(row["name"]))
        kinds.setdefault((*what, row["change"], row["state"], rule_of(row), because(row)), []).append(row)
    return list(kinds.values())


def _findings(title: str, rows: Sequence[Row], most: int) -> list[str]:
    """A table with a line for each of the first kinds. Why: the rule that decides the state."""
    shown = _kinds(rows)[: max(most, 1)]
    lines = [f"| {_first_cells(each)} | {each[0]['state']} | {code(because(each[0]), _LONGEST)} |" for each in shown]
    head = ["| Severity | Finding | Where | Change | State | Why |", "|---|---|---|---|---|---|"]
    return _section(title, head, lines, len(rows) - sum(map(len, shown)), "finding")


def _first_cells(kind: Sequence[Row]) -> str:
    row, where = kind[0], code(place(kind[0]), _LONGEST)
    if len(kind) > 1:
        where += f" and {len(kind) - 1} more, {counted(len({each['target'] for each in kind}), 'target')}"
    return f"{row['severity']} | {code(row['name'], _LONGEST)} | {where} | {row['change'] or ''}"


def _listed(title: str, found: Sequence[Mapping[str, Any]]) -> list[str]:
    """Findings of the baseline, each with the reason that it may have."""
    lines = [
        ", ".join(code(each[key], _LONGEST) for key in ("name", "target", "reason") if key in each)
        for each in found[:_MOST_GONE]
    ]
    return _section(title, [], [f"- {line}" for line in lines], len(found) - _MOST_GONE, "finding")


def _waived(document: Document) -> list[str]:
    """What would decide without a waiver, and the waiver that decides instead. New findings come first."""
    rows = [row for row in document["findings"] if row["state"] == WAIVED]
    shown = sorted(_kinds(rows), key=lambda kind: not is_new(kind[0]))[:_MOST_WAIVED]
    lines = [
        f"| {_first_cells(each)} | {code(rule_of(each[0]), _LONGEST)} |"
        f" {code(waived_by(each[0]['waiver'], _LONGEST), 6 * _LONGEST) if each[0]['waiver'] else ''} |"
        for each in shown
    ]
    head = ["| Severity | Waived finding | Where | Change | Without the waiver | Waiver |", "|---|---|---|---|---|---|"]
    return _section("Waived", head, lines, len(rows) - sum(map(len, shown)), "waived finding")


def _expired(waivers: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = [
        f"| {code(each['expires'], 40)} | {code(each['owner'], 60)} | {code(each['reason'], _LONGEST)} |"
        f" {code(line(each['file']) + ':' + str(each['line']), _LONGEST)} |"
        for each in waivers[:_MOST_EXPIRED]
    ]
    head = ["| Expired | Owner | Reason | File |", "|---|---|---|---|"]
    return _section("Expired waivers", head, lines, len(waivers) - _MOST_EXPIRED, "expired waiver")


def _unused(waivers: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = [
        f"- {code(line(each['file']) + ':' + str(each['line']), _LONGEST)}: {code(each['reason'], _LONGEST)}"
        for each in waivers[:_MOST_WAIVERS]
    ]
    return _section("Waivers that match no finding", [], lines, len(waivers) - _MOST_WAIVERS, "unused waiver")


def _section(title: str, head: list[str], lines: list[str], left_out: int = 0, noun: str = "") -> list[str]:
    """Lines below a title, and how many are left out; nothing without a line."""
    more = ["", f"And {counted(left_out, f'more {noun}')}."] if left_out > 0 else []
    return [f"### {title}", "", *head, *lines, *more] if lines else []


def _footer(document: Document) -> str:
    workspace = f" in workspace {code(document['workspace'], _LONGEST)}" if document["workspace"] else ""
    targets = counted(len({pair["target"] for pair in document["targets"]}), "target")
    tools = counted(len(tools_of(document)), "tool")
    judged = f"{targets} judged with {tools}{workspace}, coverage {document['coverage']}, {document['generated']}."
    build = scanned_build(document, code)
    judged += "".join(f" {name} of {code(date, 40)}." for name, date in catalogues(document).items())
    return f"{judged} Build: {build}." if build else judged
