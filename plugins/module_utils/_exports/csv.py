# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Findings as a table in CSV for spreadsheets. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .document import Document, Row, is_whole, pair_problems, problems
from .text import block, cell, line

# no cell has it, because it is a control character
_BETWEEN = "\x1f"


def _text(key: str) -> Callable[[Row], str]:
    return lambda row: cell(line(row[key]))


def _long(key: str) -> Callable[[Row], str]:
    return lambda row: cell(block(row[key]))


def _value(key: str) -> Callable[[Row], str]:
    return lambda row: "" if row[key] is None else str(row[key])


def _joined(key: str, separator: str) -> Callable[[Row], str]:
    return lambda row: cell(separator.join(map(line, row[key]))) if row[key] else ""


def _of_waiver(key: str) -> Callable[[Row], str]:
    return lambda row: cell(line(str(row["waiver"][key]))) if row["waiver"] else ""


def _yes_or_no(key: str) -> Callable[[Row], str]:
    return lambda row: "" if row[key] is None else "yes" if row[key] else "no"


# what a row shows, and how
COLUMNS: Mapping[str, Callable[[Row], str]] = {
    "state": _value("state"),
    "change": _value("change"),
    "severity": _value("severity"),
    "name": _text("name"),
    "target": _text("target"),
    "port": _value("port"),
    "protocol": _text("protocol"),
    "service": _text("service"),
    "path": _text("path"),
    "method": _text("method"),
    "parameter": _text("parameter"),
    "reasons": _joined("reasons", "; "),
    "check": _text("check"),
    "cve": _joined("cve", " "),
    "cwe": _text("cwe"),
    "cvss": _value("cvss"),
    "epss": _value("epss"),
    "known_exploited": _yes_or_no("known_exploited"),
    "verified": _yes_or_no("verified"),
    "status": _text("status"),
    "tool": _text("tool"),
    "scan_id": _value("scan_id"),
    "workspace": _text("workspace"),
    "first_seen": _text("first_seen"),
    "age": _value("age"),
    "waiver_status": _of_waiver("status"),
    "waiver_reason": _of_waiver("reason"),
    "waiver_owner": _of_waiver("owner"),
    "waiver_expires": _of_waiver("expires"),
    "description": _long("description"),
    "risk": _long("risk"),
    "recommendation": _long("recommendation"),
    "evidence": _long("evidence"),
    "references": _joined("references", " "),
    "id": _value("id"),
    "fingerprint": _value("fingerprint"),
    "index": _value("index"),
}


def table(document: Document) -> str:
    """All findings as CSV with a header.

    The first rows of an incomplete run have the outcome in place of a state: one for each target that was not scanned or read
    completely.
    """
    lines = [_line([*COLUMNS]), *map(_line, _problem_rows(document))]
    makers = list(COLUMNS.values())
    lines += [_line([make(row) for make in makers]) for row in document["findings"]]
    return "\r\n".join([*lines, ""])


def _line(cells: list[str]) -> str:
    """A record as RFC 4180 has it. The writer of the standard library takes several times longer.

    All cells have quotes, which keep a semicolon from starting a cell in the spreadsheets where it separates them.
    """
    inner = _BETWEEN.join(cells).replace('"', '""').replace(_BETWEEN, '","')
    return f'"{inner}"'


def _problem_rows(document: Document) -> list[list[str]]:
    if is_whole(document):
        return []
    rows = [
        _problem_row(state=pair["outcome"], target=line(pair["target"]), tool=line(pair["tool"]), name=sentence)
        for pair in document["targets"]
        for sentence in pair_problems(pair)
    ]
    return rows or [_problem_row(state=document["outcome"], name=problem) for problem in problems(document)]


def _problem_row(**values: str) -> list[str]:
    return [cell(values.get(name, "")) for name in COLUMNS]
