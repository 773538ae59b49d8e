# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Saved findings as pairs, to judge them without the service: a gate.json, or the lines that finding_info wrote. Pure.

No file proves what was scanned. What was wrong when a gate.json was written stays wrong; what its policy, its baseline and its
waivers said is decided again. A file that is truncated or spoilt is refused, never read in part.
"""

from __future__ import annotations

import codecs
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from operator import itemgetter
from typing import Any, NamedTuple

from .._errors import WrongOption, counted, printable
from .._findings.model import SUMMARY, finding_of
from .._gate_words import FINDINGS, NOT_COVERED, OUTCOMES, PASSED, SCHEMA, STALE_BASELINE, VERSION
from .._moments import iso_moment
from .._records import Record
from .fingerprint import SAVED_PLACES
from .json_file import (
    FLAG,
    FLAG_OR_NULL,
    INTEGER_OR_NULL,
    LIST,
    NUMBER_OR_NULL,
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
)
from .types import Pair, Trouble

_ADVICE = "Write the file again, with formats: [json] of gate or with dest of finding_info."
# outcomes that are decided again
_DECIDED = (STALE_BASELINE, FINDINGS, PASSED)


class Saved(NamedTuple):
    """What a file holds. workspace: its name, None if the file does not say; troubles: what had failed when a gate.json was
    written, beside its pairs."""

    pairs: tuple[Pair, ...]
    workspace: str | None = None
    troubles: tuple[Trouble, ...] = ()

    def of(self, workspace: str | None) -> Saved:
        """The same as of this workspace, which the user names for a file that does not. Raises WrongOption if the file names
        another one."""
        if workspace is None:
            return self
        names = {each.workspace for each in self.pairs} | {self.workspace}
        for name in sorted(name for name in names if name not in (None, workspace)):
            raise WrongOption(
                f"findings_file is of the workspace {printable(name)!r}, and workspace is {printable(workspace)!r}: correct"
                " one of them."
            )
        return self._replace(workspace=workspace)


def saved_of(content: bytes, path: str, now: float) -> Saved:
    """What the file of this path holds, empty for an empty file. now: Unix time. Raises WrongOption."""
    try:
        content = content.removeprefix(codecs.BOM_UTF8)
        if not content or content.isspace():
            return Saved(())
        if not _is_gate(content):
            return _of_lines(content)
        text = text_of(content)
        # a large file has no room for the bytes, the text and the values at once
        del content
        return _of_gate(parsed(text), now)
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


# --- lines of finding_info


def _of_lines(content: bytes) -> Saved:
    findings: dict[tuple[str, int | None, int | None], list[Record]] = {}
    known: dict[object, Record] = {}
    for number, line in enumerate(_lines(content), 1):
        if not line.strip():
            continue
        try:
            finding = _line(parsed(text_of(line)))
        except Wrong as error:
            raise Wrong(f"line {number} {error}") from None
        # a file that another was appended to; a different finding with the same id counts, too
        first = finding if finding["id"] is None else known.setdefault(finding["id"], finding)
        if first is not finding and first == finding:
            continue
        key = (finding["target_name"], finding["target_id"], finding["task_id"])
        findings.setdefault(key, []).append(finding)
    return Saved(
        tuple(
            Pair(
                target=target,
                target_id=target_id,
                workspace=None,
                tool="",
                tool_id=None,
                scan_id=scan_id,
                status="",
                outcome=PASSED,
                finished=None,
                age=None,
                complete=True,
                problems=(),
                findings=tuple(rows),
                saved=True,
            )
            for (target, target_id, scan_id), rows in findings.items()
        )
    )


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
    return {**finding_of(record), "target_name": named, "first_seen": None}


# --- gate.json


_KEY = ("target", "target_id", "workspace", "tool", "scan_id")
# the fields of the finding that a row was made of, and the keys of the row that hold them
_RENAMED = {
    "task_id": "scan_id",
    "target_name": "target",
    "vuln_id": "check",
    "epss_score": "epss",
    "in_cisa_catalog": "known_exploited",
    "vuln_description": "description",
    "risk_description": "risk",
    "vuln_evidence": "evidence",
    SAVED_PLACES: "places",
}
_FIELD_OF = {key: field for field, key in _RENAMED.items()}
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
_TARGET = Fields(
    {
        "target": TEXT,
        "target_id": INTEGER_OR_NULL,
        "workspace": TEXT_OR_NULL,
        "tool": TEXT,
        "tool_id": INTEGER_OR_NULL,
        "scan_id": INTEGER_OR_NULL,
        "status": TEXT,
        "outcome": TEXT,
        "complete": FLAG,
        "finished": TEXT_OR_NULL,
        "reasons": LIST,
    },
    others=True,
)
_TYPES_OF_ROW = {
    "severity": TEXT,
    "id": INTEGER_OR_NULL,
    "name": TEXT,
    "check": TEXT_OR_NULL,
    "cve": LIST,
    "cwe": TEXT_OR_NULL,
    "cvss": NUMBER_OR_NULL,
    "epss": NUMBER_OR_NULL,
    "known_exploited": FLAG_OR_NULL,
    "verified": FLAG_OR_NULL,
    "status": TEXT_OR_NULL,
    "target": TEXT,
    "target_id": INTEGER_OR_NULL,
    "scan_id": INTEGER_OR_NULL,
    "port": INTEGER_OR_NULL,
    "protocol": TEXT_OR_NULL,
    "service": TEXT_OR_NULL,
    "path": TEXT_OR_NULL,
    "method": TEXT_OR_NULL,
    "parameter": TEXT_OR_NULL,
    "places": LIST,
    "description": TEXT,
    "risk": TEXT,
    "recommendation": TEXT,
    "evidence": TEXT,
    "references": LIST,
    "first_seen": TEXT_OR_NULL,
    "workspace": TEXT_OR_NULL,
    "tool": TEXT,
}
_ROW = Fields(_TYPES_OF_ROW, others=True)
_PLACE = Fields(dict.fromkeys(("path", "method", "parameter"), TEXT_OR_NULL), others=True)
# of the values of a row; the last ones are those of its pair
_FIELDS = tuple(_FIELD_OF.get(key, key) for key in _TYPES_OF_ROW if key not in ("workspace", "tool"))
_KEY_OF_ROW = itemgetter(*(list(_TYPES_OF_ROW).index(key) for key in _KEY))


def _of_gate(document: Any, now: float) -> Saved:
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise Wrong("is neither a gate.json nor a list of findings")
    if document.get("version") != VERSION:
        raise Wrong(f"has the version {printable(repr(document.get('version')), 60)}, and this release reads {VERSION}")
    outcome, reasons, workspace, targets, summary, listed = _DOCUMENT.of(document, "the top level")
    _check_words("the top level", outcome, reasons)
    demand(all(type(summary.get(each, "")) in INTEGER_OR_NULL for each in SUMMARY), "the top level", "summary", summary)
    for number, target in enumerate(targets):
        _check_target(target, f"targets[{number}]")
    findings: dict[tuple[object, ...], list[Record]] = {}
    for values in _rows(listed):
        findings.setdefault(_KEY_OF_ROW(values), []).append(dict(zip(_FIELDS, values)))
    _refuse_missing(summary, Counter(row["severity"] for rows in findings.values() for row in rows))
    pairs = [_pair(target, findings.pop(tuple(target[key] for key in _KEY), []), now) for target in targets]
    # findings whose target the file does not list
    pairs += [_pair(_loose(key), rows, now) for key, rows in findings.items()]
    return Saved(tuple(pairs), workspace, tuple(_troubles(document, targets)))


def _check_words(where: str, outcome: str, reasons: list[object]) -> None:
    demand(outcome in OUTCOMES, where, "outcome", outcome)
    demand(has_texts(reasons), where, "reasons", reasons)


def _check_target(target: Any, where: str) -> None:
    *_ids, outcome, _complete, finished, reasons = _TARGET.of(target, where)
    _check_words(where, outcome, reasons)
    demand(finished is None or is_time(finished), where, "finished", finished)


def _rows(listed: list[Any]) -> Iterator[tuple[Any, ...]]:
    """The values of the rows. Each row leaves the list, because many findings in two forms take twice the memory."""
    for number, row in enumerate(listed):
        listed[number] = None
        where = f"findings[{number}]"
        values = _ROW.of(row, where)
        demand(row["severity"] in SUMMARY, where, "severity", row["severity"])
        demand(row["first_seen"] is None or is_time(row["first_seen"]), where, "first_seen", row["first_seen"])
        for key in ("cve", "references"):
            demand(has_texts(row[key]), where, key, row[key])
        for place, each in enumerate(row["places"]):
            _PLACE.of(each, f"{where}.places[{place}]")
        yield values


def _refuse_missing(summary: Record, listed: Mapping[str, int]) -> None:
    """Refuse a file that lists less than it counts, such as a saved result of a task with rows: failing."""
    for severity, number in summary.items():
        if (number or 0) > listed[severity]:
            raise Wrong(
                f"is not complete: it counts {counted(number, f'{severity} finding')}, and lists {listed[severity]:,}"
            )


def _loose(key: tuple[object, ...]) -> Record:
    return dict(zip(_KEY, key), tool_id=None, status="", outcome=PASSED, complete=True, finished=None, reasons=[])


def _pair(target: Record, findings: list[Record], now: float) -> Pair:
    ended = None if target["finished"] is None else iso_moment(target["finished"])
    outcome = target["outcome"]
    # a scan that was too old then; the present task says how old it may be
    decided = outcome in _DECIDED or (outcome == NOT_COVERED and target["scan_id"] is not None)
    return Pair(
        target=target["target"],
        target_id=target["target_id"],
        workspace=target["workspace"],
        tool=target["tool"],
        tool_id=target["tool_id"],
        scan_id=target["scan_id"],
        status=target["status"],
        outcome=PASSED if decided else outcome,
        finished=target["finished"],
        age=None if ended is None else max(0, int(now - ended)),
        complete=target["complete"],
        problems=() if decided and target["complete"] else tuple(target["reasons"][:1]),
        findings=tuple(findings),
        saved=True,
    )


def _troubles(document: Record, targets: Iterable[Record]) -> Iterator[Trouble]:
    """What the file says of itself and of none of its targets."""
    outcome = document["outcome"]
    if outcome not in _DECIDED and outcome not in {target["outcome"] for target in targets}:
        said = document["reasons"][0] if document["reasons"] else "no reason is given"
        yield Trouble(outcome, f"The saved file says {outcome}: {said}")
