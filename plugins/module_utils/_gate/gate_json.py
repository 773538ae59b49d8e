# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""gate.json, version 1: writes all of a decision, with every key always present, and reads saved findings again. Pure.

docs/docsite/gate.schema.json describes it. Exports are made of it, and nothing else.

Saved findings are a gate.json, or the lines that finding_info wrote. No file proves what was scanned. What was wrong when a
gate.json was written stays wrong; what its policy, its baseline and its waivers said is decided again. A file that is truncated
or spoilt is refused, never read in part.
"""

from __future__ import annotations

import codecs
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from operator import attrgetter, itemgetter
from typing import Any

from .._evidence.exploits import NO_EXPLOITS, Exploits
from .._evidence.findings import SUMMARY, finding_of
from .._evidence.fingerprint import Spot
from .._evidence.owners import NOBODY, Owners
from .._evidence.rows import Pair, Reading, Row, Trouble, numbered, rows_of, saved_row
from .._model.errors import WrongOption, counted, printable
from .._model.galaxy import section_of
from .._model.outcomes import FINDINGS, INCOMPLETE, NOT_COVERED, OUTCOMES, PASSED, SCHEMA, STALE_BASELINE, VERSION
from .._model.records import Record
from .._model.target_names import lasting_form
from .._model.times import iso_moment, utc_text
from .formats.schema import DOCUMENT, FINDING, TOP
from .json_file import (
    INTEGER_OR_NULL,
    LIST,
    OBJECT,
    TEXT,
    TEXT_OR_NULL,
    Fields,
    Wrong,
    demand,
    has_texts,
    is_time,
    parsed,
    text_of,
    types_in,
)
from .judge import Decision, Judged, Verdict
from .policy import NO_ORIGIN, Policy
from .waivers import Waiver

# the fields of a row and of a pair that gate.json has under the same names
_SEVERITY = Row._fields.index("severity")
_OF_ROW = Row._fields[_SEVERITY:]
_OF_PAIR = Pair._fields[: Pair._fields.index("problems")]


def document_of(
    decision: Decision,
    *,
    collection_version: str,
    now: float,
    workspace: str | None,
    exploits: Exploits = NO_EXPLOITS,
    origin: Mapping[str, str | None] = NO_ORIGIN,
    owners: Owners | None = None,
    run: str = "",
    build: Record | None = None,
) -> Record:
    """The dictionary of gate.json.

    now: the Unix time of the decision; workspace: None for several or none; origin: the option; run: the random id of this run;
    build: see ``build_of``.
    """
    memory, waived = decision.memory, decision.waived
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "collection_version": collection_version,
        "generated": utc_text(now),
        "run": run,
        "outcome": decision.outcome,
        "passed": decision.passed,
        "verdict": decision.verdict,
        "reasons": list(decision.reasons),
        "see": _see(decision),
        "coverage": decision.coverage,
        "workspace": workspace,
        "origin": dict(origin),
        "build": build,
        "policy": decision.policy.record(),
        "outcomes": dict(decision.mapping),
        "baseline": {key: getattr(memory, key) for key in ("path", "state", "scheme", "accepted", "reason")},
        "sources": {
            name: None if file is None else {"path": file.path, "date": file.date}
            for name, file in exploits._asdict().items()
        },
        "owners": owners and {"path": owners.path, "unowned": owners.without(names_in(decision))},
        "targets": [_target(each) for each in decision.targets],
        "controls": [each._asdict() for each in decision.controls],
        "summary": dict(decision.summary),
        "counts": dict(decision.counts),
        "waivers": {
            "expired": _waivers(waived.expired),
            "unused": _waivers(waived.unused),
            "doubled": [{**each._asdict(), "waivers": _waivers(each.waivers)} for each in waived.doubled],
            "ending": [{**_waivers([each.waiver])[0], "days": each.days} for each in waived.ending],
        },
        "gone": [each._asdict() for each in memory.gone],
        "unseen": [{**each.gone._asdict(), "reason": each.reason} for each in memory.unseen],
        "findings": [_finding(each, owners) for each in decision.rows],
    }


def names_in(decision: Decision) -> list[str]:
    """The targets that were judged, each once. A finding may name one that no scan does."""
    names = [*(each.pair.target for each in decision.targets), *(each.row.target for each in decision.rows)]
    return [name for name in dict.fromkeys(names) if name]


def _see(decision: Decision) -> Record:
    """The addresses of what the outcome, each reason and the policy mean: of the outcome that decides, and of the keys of the
    policy for which findings fail."""
    keys = {key for each in decision.failing for key in each.keys}
    return {
        "outcome": section_of(decision.decisive),
        "reasons": [section_of(each) for each in decision.reason_outcomes],
        "policy": {key: section_of(key, "policy") for key in Policy._fields if key in keys},
    }


def _finding(judged: Judged, owners: Owners | None) -> Record:
    row = judged.row
    return {
        "fingerprint": row.fingerprint,
        "index": row.number,
        "state": judged.state,
        "change": judged.change,
        "reasons": list(judged.reasons),
        **dict(zip(_OF_ROW, row[_SEVERITY:])),
        "cve": list(row.cve),
        "places": [each._asdict() for each in row.places],
        "references": list(row.references),
        "first_seen": judged.first_seen,
        "age": judged.age,
        "due": judged.due,
        **(owners.of(row.target) if owners else NOBODY)._asdict(),
        "waiver": None if judged.waiver is None else _waivers([judged.waiver])[0],
    }


def _target(verdict: Verdict) -> Record:
    return {
        **dict(zip(_OF_PAIR, verdict.pair)),
        "outcome": verdict.outcome,
        "verdict": verdict.verdict,
        "reasons": list(verdict.reasons),
    }


def _waivers(waivers: Sequence[Waiver]) -> list[Record]:
    return [{**each._asdict(), "matcher": dict(each.matcher)} for each in waivers]


# --- saved findings

_ADVICE = "Write the file again, with formats: [json] of gate or with dest of finding_info."
# outcomes that are decided again
_DECIDED = (STALE_BASELINE, FINDINGS, PASSED)


def of_workspace(saved: Reading, workspace: str | None) -> Reading:
    """The same as of this workspace, which the user names for a file that does not. Raises WrongOption if the file names
    another one."""
    if workspace is None:
        return saved
    names = {each.workspace for each in saved.pairs} | {saved.workspace}
    for name in sorted(name for name in names if name not in (None, workspace)):
        raise WrongOption(
            f"findings_file is of the workspace {printable(name)!r}, and workspace is {printable(workspace)!r}: correct"
            " one of them."
        )
    return saved._replace(workspace=workspace)


def saved_of(content: bytes, path: str, now: float) -> Reading:
    """What the file of this path holds, empty for an empty file. now: Unix time. Raises WrongOption."""
    try:
        content = content.removeprefix(codecs.BOM_UTF8)
        if not content or content.isspace():
            return Reading(())
        if not _is_gate(content):
            return _reading(_of_lines(content))
        text = text_of(content)
        # a large file has no room for the bytes, the text and the values at once
        del content
        document = parsed(text)
        del text
        saved = saved_in(document, now)
        refuse_other_keys(document)
        return saved
    except Wrong as error:
        raise WrongOption(f"findings_file {printable(repr(path), 200)} {error}. {_ADVICE}") from None


def _is_gate(content: bytes) -> bool:
    """Whether a file is one JSON document, and not lines of JSON."""
    first = next(line for line in _lines(content) if line.strip()).strip()
    # a document with line breaks, or of one line, which is not parsed twice
    if first == b"{" or first.startswith((b'{"schema"', b'{ "schema"')):
        return True
    try:
        line = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(line, dict) and "schema" in line


def _lines(content: bytes) -> Iterator[bytes]:
    """The lines of a file, one at a time: a large one has no room for a second copy."""
    start = 0
    while start < len(content):
        end = content.find(b"\n", start)
        end = len(content) if end < 0 else end
        yield content[start:end]
        start = end + 1


def _pair(**fields: Any) -> Pair:
    """A pair of a file that says nothing else about it."""
    return Pair(**fields, outcome=PASSED, complete=True, saved=True)


def _of_lines(content: bytes) -> Iterator[Record]:
    for number, line in enumerate(_lines(content), 1):
        if not line.strip():
            continue
        try:
            yield _line(parsed(text_of(line)))
        except Wrong as error:
            raise Wrong(f"line {number} {error}") from None


def _reading(listed: Iterable[Record]) -> Reading:
    findings: dict[tuple[str, int | None, int | None], list[Record]] = {}
    known: dict[object, Record] = {}
    for finding in listed:
        # a file that another was appended to; a different finding with the same id counts, too
        first = finding if finding["id"] is None else known.setdefault(finding["id"], finding)
        if first is not finding and first == finding:
            continue
        key = (finding["target_name"], finding["target_id"], finding["task_id"])
        findings.setdefault(key, []).append(finding)
    pairs = tuple(
        _pair(target=target, target_id=target_id, scan_id=scan_id, findings=tuple(listed))
        for (target, target_id, scan_id), listed in findings.items()
    )
    return Reading(pairs, rows_of(pairs))


def _line(value: Any) -> Record:
    """A line as ``finding_of`` makes it."""
    if not isinstance(value, dict) or not isinstance(value.get("name"), str) or "risk_level" not in value:
        raise Wrong("is not a finding, which has a name and a risk_level")
    record = {"id": None, "cve": [], "target_id": None, "task_id": None, **value}
    for field in ("id", "target_id", "task_id"):
        if type(record[field]) not in INTEGER_OR_NULL:
            raise Wrong(f"has the {field} {printable(record[field], 60)!r}, which is not a number")
    named = record.get("target_name")
    if not isinstance(named, str) or not named:
        named = f"target {record['target_id']}" if record["target_id"] is not None else ""
    return {**finding_of(record), "target_name": named}


# --- the result of finding_info


def is_unjudged(value: object) -> bool:
    """Whether a value is the result of finding_info, and not that of a gate."""
    keys = {*value} if isinstance(value, Mapping) else set()
    return {"findings", "total", "complete", "doubts"} <= keys and "outcome" not in keys


def unjudged(result: Mapping[str, Any]) -> Record:
    """What the format csv reads of a gate.json, for the result of finding_info. Raises WrongOption."""
    doubts, total = result["doubts"], result["total"]
    if not isinstance(total, int) or not isinstance(doubts, list) or [x for x in doubts if not isinstance(x, str)]:
        raise WrongOption("total or doubts is not as finding_info returns it: give its unchanged result.")
    try:
        rows = _reading(map(_line, result["findings"])).rows
        listed = len(result["findings"])
    except (Wrong, TypeError) as error:
        raise WrongOption(f"An item of findings {error}: give the unchanged result of finding_info.") from None
    doubts = [*doubts]
    if not (doubts or result["complete"]):
        doubts.append("The list of findings may be incomplete.")
    if listed < total:
        doubts.append(f"{listed:,} of {total:,} findings are listed: raise limit of finding_info.")
    return {
        "outcome": INCOMPLETE if doubts else FINDINGS,
        "reasons": doubts,
        "targets": [],
        "findings": [_finding(Judged(row, "", None, (), None, None, None), None) for row in rows],
    }


# --- a saved gate.json

_KEY = ("target", "target_id", "workspace", "tool", "scan_id")
_DOCUMENT = Fields(
    {
        "outcome": TEXT,
        "reasons": LIST,
        "workspace": TEXT_OR_NULL,
        "targets": LIST,
        "summary": OBJECT,
        "findings": LIST,
    },
    others=True,
)
_TARGET = Fields({**types_in(Pair, (key for key in _OF_PAIR if key != "age")), "reasons": LIST}, others=True)
_ROW = Fields(types_in(Row, _OF_ROW), others=True)
_PLACE = Fields(types_in(Spot, ("path", "method", "parameter")), others=True)
_key_of_row = itemgetter(*map(_OF_ROW.index, _KEY))


def saved_in(document: Any, now: float) -> Reading:
    """What the value of a gate.json holds, which loses its findings. Raises Wrong."""
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise Wrong("is neither a gate.json nor a list of findings")
    if document.get("version") != VERSION:
        raise Wrong(f"has the version {printable(repr(document.get('version')), 60)}, and this release reads {VERSION}")
    outcome, reasons, workspace, targets, summary, listed = _DOCUMENT.of(document, "the top level")
    _check_words("the top level", document)
    demand(all(type(summary.get(each, "")) in INTEGER_OR_NULL for each in SUMMARY), "the top level", "summary", summary)
    for number, target in enumerate(targets):
        where = f"targets[{number}]"
        _TARGET.of(target, where)
        _check_words(where, target)
        demand(target["finished"] is None or is_time(target["finished"]), where, "finished", target["finished"])
    numbers: dict[tuple[object, ...], int] = {}
    for number, target in enumerate(targets):
        numbers.setdefault(tuple(target[key] for key in _KEY), number)
    # findings whose target the file does not list
    others: dict[tuple[object, ...], int] = {}

    def number_of(key: tuple[object, ...]) -> int:
        found = numbers.get(key)
        return others.setdefault(key, len(targets) + len(others)) if found is None else found

    rows = sorted(rows_in(listed, number_of), key=attrgetter("pair"))
    tally = Counter(row.severity for row in rows)
    # such as the saved result of a task with rows: failing
    for severity, number in summary.items():
        if (number or 0) > tally[severity]:
            said = f"{counted(number, f'{severity} finding')}, and lists {tally[severity]:,}"
            raise Wrong(f"is not complete: it counts {said}")
    pairs = [_of_target(target, now) for target in targets] + [_pair(**dict(zip(_KEY, key))) for key in others]
    troubles: tuple[Trouble, ...] = ()
    if outcome not in _DECIDED and outcome not in {target["outcome"] for target in targets}:
        said = reasons[0] if reasons else "no reason is given"
        troubles = (Trouble(outcome, f"The saved file says {outcome}: {said}"),)
    build, controls = document.get("build"), document.get("controls", ())
    return Reading(tuple(pairs), numbered(rows), workspace, troubles, build=build, controls=controls)


def refuse_other_keys(document: Mapping[str, Any], others: bool = False) -> None:
    """Raise Wrong for a document that has not the published schema, whose findings ``saved_in`` judges. others: whether the
    document itself may have other keys, as the result of the module has."""
    problem = DOCUMENT.problem({**document, "findings": []}, TOP, others)
    if problem:
        raise Wrong(f"is wrong in {problem}")


def _check_words(where: str, value: Record) -> None:
    demand(value["outcome"] in OUTCOMES, where, "outcome", value["outcome"])
    demand(has_texts(value["reasons"]), where, "reasons", value["reasons"])


def rows_in(listed: list[Any], pair_of: Callable[[tuple[object, ...]], int]) -> Iterator[Row]:
    """The findings of a gate.json. Raises Wrong. pair_of: the number of the pair with these values of _KEY.

    Each leaves the list, because many findings in two forms take twice the memory.
    """
    normal = cache(lasting_form)
    for number, row in enumerate(listed):
        listed[number] = None
        where = f"findings[{number}]"
        values = _ROW.of(row, where)
        demand(row["severity"] in SUMMARY, where, "severity", row["severity"])
        for key in ("cve", "references"):
            demand(has_texts(row[key]), where, key, row[key])
        for place, each in enumerate(row["places"]):
            _PLACE.of(each, f"{where}.places[{place}]")
        problem = FINDING.problem(row, where)
        if problem:
            raise Wrong(f"is wrong in {problem}")
        yield saved_row(pair_of(_key_of_row(values)), normal(row["target"]), values)


def _of_target(target: Record, now: float) -> Pair:
    ended = None if target["finished"] is None else iso_moment(target["finished"])
    outcome = target["outcome"]
    # a scan that was too old then; the present task says how old it may be
    decided = outcome in _DECIDED or (outcome == NOT_COVERED and target["scan_id"] is not None)
    return Pair(**{key: target[key] for key in _OF_PAIR if key != "age"})._replace(
        outcome=PASSED if decided else outcome,
        age=None if ended is None else max(0, int(now - ended)),
        problems=() if decided and target["complete"] else tuple(target["reasons"][:1]),
        saved=True,
    )
