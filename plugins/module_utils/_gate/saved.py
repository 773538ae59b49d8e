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
from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from typing import Any, NamedTuple

from .._errors import WrongOption, counted, printable
from .._findings.model import SUMMARY, finding_of
from .._moments import iso_moment
from .._records import Record
from .model import (
    FINDINGS,
    NOT_COVERED,
    OUTCOMES,
    PASSED,
    SCHEMA,
    STALE_BASELINE,
    VERSION,
    Pair,
    Trouble,
)
from .run import is_moment

_ADVICE = "Write the file again, with formats: [json] of gate or with dest of finding_info."
# outcomes that are decided again
_DECIDED = (STALE_BASELINE, FINDINGS, PASSED)


class Saved(NamedTuple):
    """What a file holds. workspace: its name, None if the file does not say; troubles: what had failed when a gate.json was
    written, beside its pairs."""

    pairs: tuple[Pair, ...]
    workspace: str | None = None
    troubles: tuple[Trouble, ...] = ()


class _Wrong(ValueError):
    """What is wrong with a file, a clause that follows its name."""


def saved_of(content: bytes, path: str, now: float) -> Saved:
    """What the file of this path holds, empty for an empty file. now: Unix time. Raises WrongOption."""
    try:
        content = content.removeprefix(codecs.BOM_UTF8)
        if not content.strip():
            return Saved(())
        if not _is_gate(content):
            return _of_lines(content)
        text = _text(content)
        # a large file has no room for the bytes, the text and the values at once
        del content
        return _of_gate(_parsed(text), now)
    except _Wrong as error:
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


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise _Wrong("is not text in UTF-8") from None


def _parsed(text: str) -> Any:
    def refused(constant: str) -> float:
        raise _Wrong(f"has the value {constant}, which JSON does not have")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        read = dict(pairs)
        if len(read) != len(pairs):
            raise _Wrong("has an object with the same key twice")
        return read

    try:
        return json.loads(text, object_pairs_hook=once, parse_constant=refused)
    except json.JSONDecodeError as error:
        raise _Wrong(f"is truncated or not valid JSON (line {error.lineno}: {error.msg})") from None
    except _Wrong:
        raise
    except (ValueError, RecursionError):
        raise _Wrong("is not valid JSON") from None


# --- lines of finding_info


def _of_lines(content: bytes) -> Saved:
    findings: dict[tuple[str, int | None, int | None], list[Record]] = {}
    known: dict[object, Record] = {}
    for number, line in enumerate(_lines(content), 1):
        if not line.strip():
            continue
        try:
            finding = _line(_parsed(_text(line)))
        except _Wrong as error:
            raise _Wrong(f"line {number} {error}") from None
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
        raise _Wrong("is not a finding, which has a name and a risk_level")
    for field in ("id", "target_id", "task_id"):
        if not _is_id(value.get(field)):
            raise _Wrong(f"has the {field} {printable(value[field], 60)!r}, which is not a number")
    record = {"id": None, "cve": [], "target_id": None, "task_id": None, **value}
    named = record.get("target_name")
    if not isinstance(named, str) or not named:
        named = f"target {record['target_id']}" if record["target_id"] is not None else ""
    return {**finding_of(record), "target_name": named, "first_seen": None}


# --- gate.json


def _is_id(value: object) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_text_or_null(value: object) -> bool:
    return value is None or isinstance(value, str)


def _is_number_or_null(value: object) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_flag_or_null(value: object) -> bool:
    return value is None or isinstance(value, bool)


def _is_moment_or_null(value: object) -> bool:
    return value is None or (is_moment(value) and iso_moment(str(value)) is not None)


def _is_outcome(value: object) -> bool:
    return value in OUTCOMES


def _is_severity(value: object) -> bool:
    return value in SUMMARY


def _is_summary(value: object) -> bool:
    return isinstance(value, dict) and all(severity in value and _is_id(value[severity]) for severity in SUMMARY)


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _is_list_of_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


_Checks = dict[str, Callable[[object], bool]]

_DOCUMENT: _Checks = {
    "outcome": _is_outcome,
    "reasons": _is_list_of_texts,
    "workspace": _is_text_or_null,
    "targets": _is_list,
    "summary": _is_summary,
    "findings": _is_list,
}
_TARGET: _Checks = {
    "target": _is_text,
    "target_id": _is_id,
    "workspace": _is_text_or_null,
    "tool": _is_text,
    "tool_id": _is_id,
    "scan_id": _is_id,
    "status": _is_text,
    "outcome": _is_outcome,
    "complete": _is_flag,
    "finished": _is_moment_or_null,
    "reasons": _is_list_of_texts,
}
_ROW: _Checks = {
    "severity": _is_severity,
    "id": _is_id,
    "name": _is_text,
    "check": _is_text_or_null,
    "cve": _is_list_of_texts,
    "cwe": _is_text_or_null,
    "cvss": _is_number_or_null,
    "epss": _is_number_or_null,
    "known_exploited": _is_flag_or_null,
    "verified": _is_flag_or_null,
    "status": _is_text_or_null,
    "target": _is_text,
    "target_id": _is_id,
    "workspace": _is_text_or_null,
    "tool": _is_text,
    "scan_id": _is_id,
    "port": _is_id,
    "protocol": _is_text_or_null,
    "service": _is_text_or_null,
    "path": _is_text_or_null,
    "method": _is_text_or_null,
    "parameter": _is_text_or_null,
    "description": _is_text,
    "risk": _is_text,
    "recommendation": _is_text,
    "evidence": _is_text,
    "references": _is_list_of_texts,
    "first_seen": _is_moment_or_null,
}

_TEXTS = frozenset({str})
_VALUES = itemgetter(*_ROW)
_KEY = itemgetter("target", "target_id", "workspace", "tool", "scan_id")
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
}
_FIELDS = {key: key for key in _ROW if key not in (*_RENAMED.values(), "workspace", "tool")} | _RENAMED
_FIELD_VALUES = itemgetter(*_FIELDS.values())


def _checked(value: Any, checks: _Checks, where: str) -> Record:
    """An object with the right values. where: its path with a dot, "" for the document."""
    if not isinstance(value, dict):
        raise _Wrong(f"is not a gate.json: {where.rstrip('.') or 'it'} is not an object")
    for key, accepts in checks.items():
        if key not in value:
            raise _Wrong(f"is not a complete gate.json: {where}{key} is missing")
        if not accepts(value[key]):
            raise _Wrong(f"is not a gate.json: {where}{key} has the value {printable(repr(value[key]), 60)}")
    return value


def _objects(values: Iterable[Any], checks: _Checks, name: str) -> Iterator[Record]:
    return (_checked(value, checks, f"{name}[{number}].") for number, value in enumerate(values))


def _rows(values: Iterable[Any]) -> Iterator[Record]:
    """The rows of a gate.json. Most have values of the same types, which are checked once."""
    right: set[tuple[type, ...]] = set()
    moments: set[str | None] = set()
    for number, row in enumerate(values):
        try:
            types = tuple(map(type, _VALUES(row)))
        except (KeyError, TypeError):
            types = ()
        if (
            types not in right
            or row["first_seen"] not in moments
            or row["severity"] not in SUMMARY
            or not _TEXTS.issuperset(map(type, row["cve"]))
            or not _TEXTS.issuperset(map(type, row["references"]))
        ):
            _checked(row, _ROW, f"findings[{number}].")
            right.add(types)
            moments.add(row["first_seen"])
        yield row


def _of_gate(document: Any, now: float) -> Saved:
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise _Wrong("is neither a gate.json nor a list of findings")
    if document.get("version") != VERSION:
        raise _Wrong(
            f"has the version {printable(repr(document.get('version')), 60)}, and this release reads {VERSION}"
        )
    _checked(document, _DOCUMENT, "")
    targets = list(_objects(document["targets"], _TARGET, "targets"))
    findings: dict[tuple[object, ...], list[Record]] = {}
    for row in _rows(document["findings"]):
        findings.setdefault(_key(row), []).append(dict(zip(_FIELDS, _FIELD_VALUES(row))))
    pairs = [_pair(target, findings.pop(_key(target), []), now) for target in targets]
    _refuse_missing(document)
    # findings whose target the file does not list
    pairs += [_pair(_loose(rows[0], key), rows, now) for key, rows in findings.items()]
    return Saved(tuple(pairs), document["workspace"], tuple(_troubles(document, targets)))


def _refuse_missing(document: Record) -> None:
    """Refuse a file that lists less than it counts, such as a saved result of a task with rows: failing."""
    listed = Counter(row["severity"] for row in document["findings"])
    for severity, number in document["summary"].items():
        if (number or 0) > listed[severity]:
            raise _Wrong(
                f"is not complete: it counts {counted(number, f'{severity} finding')}, and lists {listed[severity]:,}"
            )


def _key(record: Record) -> tuple[object, ...]:
    key: tuple[object, ...] = _KEY(record)
    return key


def _loose(finding: Record, key: tuple[object, ...]) -> Record:
    target, target_id, workspace, tool, scan_id = key
    return dict(
        target=target,
        target_id=target_id,
        workspace=workspace,
        tool=tool,
        tool_id=None,
        scan_id=scan_id,
        status="",
        outcome=PASSED,
        complete=True,
        finished=None,
        reasons=[],
    )


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
