# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What a gate.json holds, and the checks of its values when it is judged again. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from typing import Any

from .._errors import printable
from .._findings.model import SUMMARY
from .._gate_words import OUTCOMES
from .._moments import iso_moment
from .._records import Record
from .run import is_moment


class Wrong(ValueError):
    """What is wrong with a file, a clause that follows its name."""


def is_id(value: object) -> bool:
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
    return isinstance(value, dict) and all(severity in value and is_id(value[severity]) for severity in SUMMARY)


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _is_list_of_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_places(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(each, dict) and all(_is_text_or_null(each.get(key, 0)) for key in ("path", "method", "parameter"))
        for each in value
    )


_Checks = dict[str, Callable[[object], bool]]

DOCUMENT: _Checks = {
    "outcome": _is_outcome,
    "reasons": _is_list_of_texts,
    "workspace": _is_text_or_null,
    "targets": _is_list,
    "summary": _is_summary,
    "findings": _is_list,
}
TARGET: _Checks = {
    "target": _is_text,
    "target_id": is_id,
    "workspace": _is_text_or_null,
    "tool": _is_text,
    "tool_id": is_id,
    "scan_id": is_id,
    "status": _is_text,
    "outcome": _is_outcome,
    "complete": _is_flag,
    "finished": _is_moment_or_null,
    "reasons": _is_list_of_texts,
}
ROW: _Checks = {
    "severity": _is_severity,
    "id": is_id,
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
    "target_id": is_id,
    "scan_id": is_id,
    "port": is_id,
    "protocol": _is_text_or_null,
    "service": _is_text_or_null,
    "path": _is_text_or_null,
    "method": _is_text_or_null,
    "parameter": _is_text_or_null,
    "places": _is_places,
    "description": _is_text,
    "risk": _is_text,
    "recommendation": _is_text,
    "evidence": _is_text,
    "references": _is_list_of_texts,
    "first_seen": _is_moment_or_null,
    "workspace": _is_text_or_null,
    "tool": _is_text,
}

_TEXTS = frozenset({str})
_VALUES = itemgetter(*ROW)


def checked(value: Any, checks: _Checks, where: str) -> Record:
    """An object with the right values. where: its path with a dot, "" for the document."""
    if not isinstance(value, dict):
        raise Wrong(f"is not a gate.json: {where.rstrip('.') or 'it'} is not an object")
    for key, accepts in checks.items():
        if key not in value:
            raise Wrong(f"is not a complete gate.json: {where}{key} is missing")
        if not accepts(value[key]):
            raise Wrong(f"is not a gate.json: {where}{key} has the value {printable(repr(value[key]), 60)}")
    return value


def objects(values: Iterable[Any], checks: _Checks, name: str) -> Iterator[Record]:
    return (checked(value, checks, f"{name}[{number}].") for number, value in enumerate(values))


def checked_rows(rows: list[Any]) -> Iterator[tuple[Any, ...]]:
    """The values of the rows of a gate.json, in the order of ROW. Most are of the same types, which are checked once.

    Each row leaves the list, because many findings in two forms take twice the memory.
    """
    right: set[tuple[type, ...]] = set()
    moments: set[str | None] = set()
    for number, row in enumerate(rows):
        rows[number] = None
        try:
            values = _VALUES(row)
            types = tuple(map(type, values))
        except (KeyError, TypeError):
            values, types = (), ()
        if (
            types not in right
            or row["first_seen"] not in moments
            or row["severity"] not in SUMMARY
            or not _TEXTS.issuperset(map(type, row["cve"]))
            or not _TEXTS.issuperset(map(type, row["references"]))
            or row["places"]
        ):
            checked(row, ROW, f"findings[{number}].")
            right.add(types)
            moments.add(row["first_seen"])
        yield values
