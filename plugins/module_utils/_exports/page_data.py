# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The findings as JSON in the page: one block for the table, one for the details, which the script reads when needed. Pure.

A row is a list in the order of the columns. Texts that findings share, such as descriptions, are written once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import Any, Optional

from .document import Document, Row, place_lines, waived_by
from .text import LONGEST_LINE, block, line

_encode = json.JSONEncoder(separators=(",", ":")).encode
# encoding many rows at once is fast, and all at once takes twice the memory
_CHUNK = 1000
_LONGEST_REFERENCE = 2000

# what the table shows and filters
_LINES = ("state", "severity", "name", "target", "tool", "change", "check", "protocol", "path", "method", "parameter")
_VALUES = ("index", "age", "port")
_LISTS = ("cve", "reasons")
TABLE = ("fingerprint", *_LINES, *_VALUES, *_LISTS)
# what the details add; a text is its place in the list of texts
_TEXTS = ("description", "risk", "recommendation", "evidence")
_LONG_LINES = ("service", "cwe", "status", "workspace", "first_seen")
_LONG_VALUES = ("id", "scan_id", "cvss", "epss", "known_exploited", "verified")
DETAILS = (*_TEXTS, *_LONG_LINES, *_LONG_VALUES, "references", "places", "waiver")


class _Lines(dict[Optional[str], Optional[str]]):
    """Texts as ``line`` shows them, None for None. Most texts are those of many findings."""

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        super().__init__()
        self._longest = longest

    def __missing__(self, text: str | None) -> str | None:
        return self.setdefault(text, None if text is None else line(text, self._longest))


class _Numbers(dict[str, int]):
    """The place of each text in the order in which they were asked for."""

    def __missing__(self, text: str) -> int:
        self[text] = len(self)
        return self[text]


def table_data(document: Document) -> str:
    """The content of the block for the table."""
    waivers = _waivers(document)
    head = {"columns": TABLE, "waivers": [waived_by(waiver) for waiver, _number in waivers.values()]}
    rows = _table_rows(document["findings"])
    return f'{escaped(_encode(head))[:-1]},"rows":[{"".join(_chunks(rows))}]}}'


def details_data(document: Document) -> str:
    """The content of the block for the details."""
    texts = _Numbers()
    rows = "".join(_chunks(_details_rows(document["findings"], texts, _waivers(document))))
    shown = "".join(_chunks(map(block, texts)))
    return f'{{"columns":{_encode(DETAILS)},"rows":[{rows}],"texts":[{shown}]}}'


def escaped(text: str) -> str:
    """JSON that no parser of HTML takes for markup. The rest of JSON is ASCII."""
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def waiver_key(waiver: Mapping[str, Any]) -> tuple[str, int]:
    """What tells waivers apart."""
    return str(waiver["file"]), waiver["line"]


def _waivers(document: Document) -> dict[tuple[str, int], tuple[Mapping[str, Any], int]]:
    """The waivers of the findings, each with its number."""
    found: dict[tuple[str, int], tuple[Mapping[str, Any], int]] = {}
    for row in document["findings"]:
        if row["waiver"]:
            found.setdefault(waiver_key(row["waiver"]), (row["waiver"], len(found)))
    return found


def _chunks(items: Iterable[Any]) -> Iterable[str]:
    """The items as escaped JSON, with commas between them."""
    chunk: list[Any] = []
    comma = ""
    for item in items:
        chunk.append(item)
        if len(chunk) == _CHUNK:
            yield comma + escaped(_encode(chunk)[1:-1])
            chunk, comma = [], ","
    if chunk:
        yield comma + escaped(_encode(chunk)[1:-1])


def _table_rows(rows: Iterable[Row]) -> Iterable[list[Any]]:
    lines, lists = _Lines(), itemgetter(*_LISTS)
    texts, values = itemgetter(*_LINES), itemgetter(*_VALUES)
    shown = lines.__getitem__
    for row in rows:
        yield [
            line(row["fingerprint"]),
            *map(shown, texts(row)),
            *values(row),
            *[[lines[each] for each in listed] for listed in lists(row)],
        ]


def _details_rows(
    rows: Iterable[Row], numbers: _Numbers, waivers: Mapping[tuple[str, int], tuple[Mapping[str, Any], int]]
) -> Iterable[list[Any]]:
    lines, references = _Lines(), _Lines(_LONGEST_REFERENCE)
    texts, long_lines, values = itemgetter(*_TEXTS), itemgetter(*_LONG_LINES), itemgetter(*_LONG_VALUES)
    shown = lines.__getitem__
    for row in rows:
        waiver = row["waiver"]
        yield [
            *[numbers[text] if text else None for text in texts(row)],
            *map(shown, long_lines(row)),
            *values(row),
            [references[each] for each in row["references"]],
            place_lines(row),
            waivers[waiver_key(waiver)][1] if waiver else None,
        ]
