# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Changes a file of an estate to what the account has, line by line, so that all other lines stay as people wrote them. Pure.

A library that writes YAML again, such as ruamel.yaml, keeps comments but not indentation, quotes and folded lines, and loses
the comment above a line that follows a removed one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..filter.estate_yaml import estate_yaml
from ..module_utils._model.families import HTTP_LOGGER, TARGET, WORKSPACE
from ..module_utils._model.family import Family
from ..module_utils._model.records import Record
from ..module_utils._model.texts import same
from ..module_utils._model.yaml_nodes import all_nodes, node_of
from ..module_utils._task.name_match import Names

# where a line ends for YAML, beside the one that this file counts
_OTHER_BREAKS = re.compile("[\r\x85\u2028\u2029]")
_SECRET_TAGS = ("!vault", "!vault-encrypted")

# what is declared of one object
Declared = Mapping[str, Any]


class OtherForm(ValueError):
    """The text cannot be changed line by line."""


class _Edits:
    """What becomes of the lines of a text."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        # first line, line after the last one, and what replaces them
        self._edits: list[tuple[int, int, list[str]]] = []

    def replace(self, first: int, after: int, lines: Sequence[str] = ()) -> None:
        self._edits.append((first, after, list(lines)))

    def set(self, column: int, pair: tuple[Any, Any], field: str, value: object) -> None:
        """Give a key of a mapping another value, and keep a comment at the end of its line."""
        key, node = pair
        line, ends_on, end = key.start_mark.line, node.end_mark.line, node.end_mark.column
        rest = self._lines[line][end:] if ends_on == line else ""
        self.replace(line, _after(node), [f"{self._lines[line][:column]}{_lines_of({field: value})[0]}{rest}"])

    def text(self) -> str:
        lines = list(self._lines)
        # from the end, so that no number of a line changes; what is inserted at one place keeps its order
        for first, after, new in sorted(self._edits, key=lambda edit: edit[:2])[::-1]:
            lines[first:after] = new
        return "\n".join(lines)


def has_secrets(text: str) -> bool:
    """Whether a text may have values that ansible-vault encrypted."""
    try:
        return any(node.tag in _SECRET_TAGS for node in all_nodes(node_of(text)))
    except ValueError:
        # it is not YAML
        return _SECRET_TAGS[0] in text


def edited(text: str, declared: Sequence[Declared], workspaces: Sequence[Record]) -> str:
    """The text of a file that declares these workspaces, which it takes from the account. declared: what it declares now.

    Raises OtherForm, as for a list in brackets that differs. Whoever calls it reads the text again, which shows whether it
    means that.
    """
    body, breaks = text.replace("\r\n", "\n"), text.count("\r\n")
    root = node_of(body)
    nodes = list(all_nodes(root))
    # one node that stands at several places cannot be changed at one of them
    is_mixed = breaks not in (0, body.count("\n"))
    if is_mixed or _OTHER_BREAKS.search(body) or len({id(node) for node in nodes}) < len(nodes):
        raise OtherForm
    entries = root.value[0][1] if root is not None and root.id == "mapping" and len(root.value) == 1 else None
    if entries is None or entries.id != "sequence" or entries.flow_style or not entries.value:
        raise OtherForm
    edits = _Edits(body)
    rest = {each["id"]: each for each in workspaces}
    names = {each[WORKSPACE.key] for each in workspaces}
    for entry, own in zip(entries.value, declared):
        # an entry that is none costs no other one its lines
        own = own if isinstance(own, Mapping) else {}
        name = own.get(WORKSPACE.key)
        is_live = isinstance(name, str) and name in names
        named = (each for each in (rest.values() if is_live else ()) if each[WORKSPACE.key] == name)
        # the workspace with its id, else that with its name, which may have been created again
        live = (rest.get(own["id"]) if isinstance(own.get("id"), int) else None) or next(named, None)
        if live is not None:
            del rest[live["id"]]
            _workspace(edits, entry, own, live)
        elif own.get("state") != "absent":
            edits.replace(entry.start_mark.line, _after(entry))
    _append(edits, entries, rest.values())
    return edits.text().replace("\n", "\r\n" if breaks else "\n")


def _workspace(edits: _Edits, entry: Any, own: Declared, live: Record) -> None:
    fields, place = _fields(entry), _after(entry)
    if own.get("state") == "absent":
        _remove(edits, entry, fields["state"])
    if "id" in own and own["id"] != live["id"]:
        edits.set(entry.start_mark.column, fields["id"], "id", live["id"])
    _set_fields(edits, entry, own, live, WORKSPACE)
    for family in (TARGET, HTTP_LOGGER):
        rows, given = live[family.plural], own.get(family.plural, [])
        items = given if isinstance(given, list) else []
        matched = list(_matched(family, items, rows))
        is_same = len(matched) == len(rows) and not any(_differs(family, *each) for each in matched)
        # what is no list becomes one, also where the account has nothing
        if is_same and given == items:
            continue
        pair = fields.get(family.plural)
        lines = _lines_of({family.plural: rows}, entry.start_mark.column)
        if pair is None:
            edits.replace(place, place, lines)
        elif items and (pair[1].id != "sequence" or pair[1].flow_style):
            raise OtherForm
        elif items and (rows or any(isinstance(item, Mapping) and item.get("ignore") for item in items)):
            _items(edits, pair[1], items, rows, family)
        else:
            # a list without a line is no list
            edits.replace(pair[0].start_mark.line, _after(pair[1]), lines)


def _set_fields(edits: _Edits, entry: Any, own: Declared, live: Record, family: Family) -> None:
    """Give the fields of an object, which a mapping declares, their live values."""
    column, fields = entry.start_mark.column, _fields(entry)
    # a target is the same under any spelling of its name
    for field in (*([family.key] if family.key in family.updatable else ()), *family.declared):
        wanted, pair = live.get(field) or "", fields.get(field)
        now = own.get(field) or ""
        # a name in another form is found only by its id
        if wanted == now or (field != family.key and same(wanted, now)):
            continue
        if pair is None:
            after = _after(fields[family.key][1])
            edits.replace(after, after, _lines_of({field: wanted}, column))
        elif wanted:
            edits.set(column, pair, field, wanted)
        else:
            _remove(edits, entry, pair)


def _remove(edits: _Edits, entry: Any, pair: tuple[Any, Any]) -> None:
    """Remove a key of a mapping, which its first line keeps."""
    if pair[0].start_mark.line == entry.start_mark.line:
        raise OtherForm
    edits.replace(pair[0].start_mark.line, _after(pair[1]))


def _items(edits: _Edits, nodes: Any, items: Sequence[Any], rows: Sequence[Record], family: Family) -> None:
    """Change a list of objects, an item for each."""
    column = nodes.start_mark.column
    rest = {row[family.key]: row for row in rows}
    for node, (item, row) in zip(nodes.value, _matched(family, items, rows)):
        if row is not None:
            rest.pop(row[family.key], None)
        if not _differs(family, item, row):
            continue
        if row is None:
            edits.replace(node.start_mark.line, _after(node))
        elif isinstance(item, Mapping):
            _set_fields(edits, node, item, row, family)
        else:
            # a name gets a description, in its own spelling
            new = {**row, family.key: item}
            edits.replace(node.start_mark.line, _after(node), _lines_of([new], column))
    _append(edits, nodes, rest.values())


def _append(edits: _Edits, nodes: Any, rows: Iterable[Record]) -> None:
    """Add objects to the end of a list."""
    # once, because all that the list has is looked at
    after = _after(nodes)
    for row in rows:
        edits.replace(after, after, _lines_of([row], nodes.start_mark.column))


def _matched(family: Family, items: Sequence[Any], rows: Sequence[Record]) -> Iterator[tuple[Any, Record | None]]:
    """Each declared object with the live one, as a task finds it."""
    live = Names(family, rows)
    for item in items:
        name = item.get(family.key) if isinstance(item, Mapping) else item
        # what is no text names nothing
        found = live.all(name) if isinstance(name, str) else ()
        yield item, found[0] if len(found) == 1 else None


def _differs(family: Family, item: Any, row: Record | None) -> bool:
    own = item if isinstance(item, Mapping) else {}
    if own.get("ignore"):
        return False
    return row is None or any(not same(own.get(field) or "", row.get(field) or "") for field in family.declared)


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


def _lines_of(data: object, column: int = 0) -> list[str]:
    """The lines of data in YAML, indented by so many spaces."""
    return [f"{' ' * column}{line}" for line in str(estate_yaml(data)).splitlines()[1:]]
