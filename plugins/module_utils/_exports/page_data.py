# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The findings as JSON in the page: one block for the table, one for the details, which the script reads when needed. Pure.

A row is a list in the order of the columns. Texts that findings share, such as descriptions, are written once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from .document import Document, Row, place_lines, waived_by
from .text import block, encode, line

# encoding many rows at once is fast, and all at once takes twice the memory
_CHUNK = 1000
_LONGEST_REFERENCE = 2000

# what the table shows and filters
TABLE = (
    "fingerprint", "state", "severity", "name", "target", "tool", "change", "check", "protocol", "path", "method", "parameter",
    "index", "age", "port", "cve", "reasons",
)  # fmt: skip
# what the details add; a text is its place in the list of texts
_TEXTS = ("description", "risk", "recommendation", "evidence")
_FACTS = (
    "service", "cwe", "status", "workspace", "first_seen", "id", "scan_id", "cvss", "epss", "known_exploited", "verified",
)  # fmt: skip
DETAILS = (*_TEXTS, *_FACTS, "references", "places", "waiver")


class _Numbers(dict[str, int]):
    """The place of each text in the order in which they were asked for."""

    def __missing__(self, text: str) -> int:
        self[text] = len(self)
        return self[text]


def table_data(document: Document) -> str:
    """The content of the block for the table."""
    head = {"columns": TABLE, "waivers": [waived_by(waived[0]["waiver"]) for waived in by_waiver(document).values()]}
    rows = ([_shown(row[name]) for name in TABLE] for row in document["findings"])
    return f'{_escaped(head)[:-1]},"rows":[{"".join(_chunks(rows))}]}}'


def details_data(document: Document) -> str:
    """The content of the block for the details."""
    texts, waivers = _Numbers(), {key: number for number, key in enumerate(by_waiver(document))}
    rows = "".join(_chunks(_details(row, texts, waivers) for row in document["findings"]))
    shown = "".join(_chunks(map(block, texts)))
    return f'{{"columns":{encode(DETAILS)},"rows":[{rows}],"texts":[{shown}]}}'


def _escaped(value: object) -> str:
    """JSON that no parser of HTML takes for markup. The rest of JSON is ASCII."""
    return encode(value).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _waiver_key(waiver: Mapping[str, Any]) -> tuple[str, int]:
    return str(waiver["file"]), waiver["line"]


def by_waiver(document: Document) -> dict[tuple[str, int], list[Row]]:
    """The waived findings of each waiver."""
    found: dict[tuple[str, int], list[Row]] = {}
    for row in document["findings"]:
        if row["waiver"]:
            found.setdefault(_waiver_key(row["waiver"]), []).append(row)
    return found


def _chunks(items: Iterable[Any]) -> Iterator[str]:
    """The items as escaped JSON, with commas between them."""
    rest, comma = iter(items), ""
    while chunk := list(islice(rest, _CHUNK)):
        yield comma + _escaped(chunk)[1:-1]
        comma = ","


def _shown(value: Any) -> Any:
    if isinstance(value, str):
        return line(value)
    return [_shown(each) for each in value] if isinstance(value, list) else value


def _details(row: Row, numbers: _Numbers, waivers: Mapping[tuple[str, int], int]) -> list[Any]:
    return [
        *[numbers[row[name]] if row[name] else None for name in _TEXTS],
        *[_shown(row[name]) for name in _FACTS],
        [line(each, _LONGEST_REFERENCE) for each in row["references"]],
        place_lines(row),
        waivers[_waiver_key(row["waiver"])] if row["waiver"] else None,
    ]
