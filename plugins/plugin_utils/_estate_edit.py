# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Changes a file of an estate to what the account has, line by line, so that all other lines stay as people wrote them. Pure.

A library that writes YAML again, such as ruamel.yaml, keeps comments but not indentation, quotes and folded lines, and loses
the comment above a line that follows a removed one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..filter.estate_yaml import estate_yaml
from ..module_utils._model.families import HTTP_LOGGER, TARGET, WORKSPACE
from ..module_utils._model.family import Family
from ..module_utils._model.records import Record
from ..module_utils._model.yaml_nodes import node_of

# where a line ends for YAML, beside the one that this file counts
_OTHER_BREAKS = re.compile("[\r\x85\u2028\u2029]")


class OtherForm(ValueError):
    """The text cannot be changed line by line."""


class _Edits:
    """What becomes of the lines of a text."""

    def __init__(self, text: str) -> None:
        if _OTHER_BREAKS.search(text):
            raise OtherForm
        self._lines = text.split("\n")
        # first line, line after the last one, and what replaces them
        self._edits: list[tuple[int, int, list[str]]] = []

    def replace(self, first: int, after: int, lines: Sequence[str] = ()) -> None:
        self._edits.append((first, after, list(lines)))

    def set(self, column: int, pair: tuple[Any, Any], field: str, value: object) -> None:
        """Give a key of a mapping another value, and keep a comment at the end of its line."""
        key, node = pair
        line, end = key.start_mark.line, node.end_mark
        rest = self._lines[line][end.column :] if end.line == line else ""
        self.replace(line, _after(node), [f"{self._lines[line][:column]}{_lines_of({field: value})[0]}{rest}"])

    def text(self) -> str:
        lines = list(self._lines)
        # from the end, so that no number of a line changes; what is inserted at one place keeps its order
        for first, after, new in sorted(self._edits, key=lambda edit: edit[:2])[::-1]:
            lines[first:after] = new
        return "\n".join(lines)


def edited(text: str, workspaces: Sequence[Record]) -> str:
    """The text of a file that declares these workspaces, which it takes from the account. Raises OtherForm, as for a list in
    brackets. Whoever calls it reads the text again, which shows whether it means that."""
    root = node_of(text)
    if root is None or root.id != "mapping" or root.flow_style or len(root.value) != 1:
        raise OtherForm
    entries = root.value[0][1]
    if entries.id != "sequence" or entries.flow_style or not entries.value:
        raise OtherForm
    edits = _Edits(text)
    rest = {each["id"]: each for each in workspaces}
    for entry in entries.value:
        fields = _fields(entry)
        live = _live(fields, rest.values())
        if live is None:
            edits.replace(entry.start_mark.line, _after(entry))
        else:
            del rest[live["id"]]
            _workspace(edits, entry, fields, live)
    column = entries.start_mark.column
    for live in rest.values():
        edits.replace(_after(entries), _after(entries), _indented(column, _lines_of([live])))
    return edits.text()


def _live(fields: Mapping[str, Any], workspaces: Any) -> Record | None:
    """The live workspace that an entry means."""
    key, value = ("id", fields["id"][1].value) if "id" in fields else (WORKSPACE.key, fields[WORKSPACE.key][1].value)
    return next((each for each in workspaces if str(each[key]) == value), None)


def _workspace(edits: _Edits, entry: Any, fields: Mapping[str, Any], live: Record) -> None:
    column, place = entry.start_mark.column, _after(entry)
    if "state" in fields:
        raise OtherForm
    _set_fields(edits, entry, fields, live, WORKSPACE)
    for family in (TARGET, HTTP_LOGGER):
        rows = live[family.plural]
        pair = fields.get(family.plural)
        items = pair[1] if pair else None
        if items is not None and items.id == "sequence" and items.value and not items.flow_style and rows:
            _items(edits, items, rows, family)
            continue
        if not rows and (items is None or not items.value):
            continue
        lines = _indented(column, _lines_of({family.plural: rows}))
        if pair is None:
            edits.replace(place, place, lines)
        else:
            edits.replace(pair[0].start_mark.line, _after(items), lines)


def _set_fields(edits: _Edits, entry: Any, fields: Mapping[str, Any], live: Record, family: Family) -> None:
    """Give the fields of an object, which a mapping declares, their live values."""
    column = entry.start_mark.column
    for field in (family.key, *family.declared):
        wanted, pair = live.get(field) or "", fields.get(field)
        if pair is None and wanted:
            after = _after(fields[family.key][1])
            edits.replace(after, after, _indented(column, _lines_of({field: wanted})))
        elif pair is not None and pair[1].value != wanted:
            if wanted or pair[0].start_mark.line == entry.start_mark.line:
                edits.set(column, pair, field, wanted)
            else:
                edits.replace(pair[0].start_mark.line, _after(pair[1]))


def _items(edits: _Edits, items: Any, rows: Sequence[Record], family: Family) -> None:
    """Change a list of objects, an item for each."""
    column = items.start_mark.column
    rest = {row[family.key]: row for row in rows}
    for item in items.value:
        fields = _fields(item) if item.id == "mapping" else {}
        row = rest.pop(fields[family.key][1].value if fields else item.value, None)
        if "ignore" in fields:
            continue
        if row is None:
            edits.replace(item.start_mark.line, _after(item))
        elif fields:
            _set_fields(edits, item, fields, row, family)
        elif row.get("description"):
            edits.replace(item.start_mark.line, _after(item), _indented(column, _lines_of([row])))
    for row in rest.values():
        edits.replace(_after(items), _after(items), _indented(column, _lines_of([row])))


def _fields(entry: Any) -> dict[str, Any]:
    """The nodes of a mapping by its keys."""
    if entry.id != "mapping" or entry.flow_style:
        raise OtherForm
    return {key.value: (key, value) for key, value in entry.value}


def _after(node: Any) -> int:
    """The line after the last one of a node. A collection ends with its last part, because its own end is where the next
    token is."""
    if node.id == "scalar" or node.flow_style:
        end = node.end_mark
        return int(end.line + (end.column > 0 or end.line == node.start_mark.line))
    parts = [part for pair in node.value for part in pair] if node.id == "mapping" else node.value
    return max((_after(part) for part in parts), default=int(node.start_mark.line + 1))


def _lines_of(data: object) -> list[str]:
    return str(estate_yaml(data)).splitlines()[1:]


def _indented(column: int, lines: Sequence[str]) -> list[str]:
    return [f"{' ' * column}{line}" for line in lines]
