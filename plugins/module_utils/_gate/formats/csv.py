# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Findings as a table in CSV for spreadsheets. Pure."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ..._model.safe_text import block, cell, exact_cell, line
from .document import Document, Row, pair_problems, problems, references_of

# no cell has it, because it is a control character
_BETWEEN = "\x1f"
_BYTE_ORDER_MARK = "\ufeff"
_LONG_TEXTS = frozenset(("description", "risk", "recommendation", "evidence"))
_OF_WAIVER = "waiver_"
# a spreadsheet may show them as numbers and times
_VALUES = frozenset(("fingerprint", "first_seen", "due", "waiver_expires"))

COLUMNS = (
    "state", "change", "severity", "name", "target", "port", "protocol", "service", "path", "method", "parameter", "reasons",
    "check", "cve", "cwe", "cvss", "epss", "epss_percentile", "known_exploited", "verified", "status", "tool", "scan_id",
    "workspace", "team", "contact", "channel", "first_seen", "age", "due", "waiver_status", "waiver_reason", "waiver_owner",
    "waiver_expires", "description", "risk", "recommendation", "evidence", "references", "id", "fingerprint", "index",
)  # fmt: skip


def table(document: Document) -> str:
    """All findings as CSV with a header.

    The first rows of an incomplete run have the outcome in place of a state: one for each target that was not scanned or read
    completely.
    """
    found = [
        {"state": pair["outcome"], "target": line(pair["target"]), "tool": line(pair["tool"]), "name": sentence}
        for pair in document["targets"]
        for sentence in pair_problems(pair)
    ]
    found = found or [{"state": document["outcome"], "name": problem} for problem in problems(document)]
    first = [[exact_cell(values.get(column, "")) for column in COLUMNS] for values in found]
    rows = [[_shown(row, column) for column in COLUMNS] for row in document["findings"]]
    # the writer of the standard library takes several times longer
    lines = (_BETWEEN.join(cells).replace('"', '""').replace(_BETWEEN, '","') for cells in [COLUMNS, *first, *rows])
    # cells have quotes and no line breaks, so a spreadsheet with other separators finds no more than the first one
    text = "\r\n".join([*(f'"{each}"' for each in lines), ""])
    # without it, Excel reads the code page of the machine
    return text if text.isascii() else f"{_BYTE_ORDER_MARK}{text}"


def _shown(row: Row, column: str) -> str:
    """The cell of a finding in a column."""
    value: Any
    if column == "references":
        value = references_of(row)
    elif column.startswith(_OF_WAIVER):
        value = str(row["waiver"][column.removeprefix(_OF_WAIVER)]) if row["waiver"] else None
    else:
        value = row[column]
    if isinstance(value, str):
        return _cell(value, column in _VALUES, column in _LONG_TEXTS)
    if isinstance(value, list):
        return exact_cell(("; " if column == "reasons" else " ").join(map(line, value)))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


# the findings of one check repeat most of their texts
@lru_cache(maxsize=4096)
def _cell(text: str, is_value: bool, is_long: bool) -> str:
    shown = block(text) if is_long else line(text)
    return cell(shown) if is_value else exact_cell(shown)
