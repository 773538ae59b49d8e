# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What a task declares for many objects, read into items. Errors name a wrong value by its path. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from .._model.errors import WrongOption, first_clauses, first_sentences, printable, shape_of, unknown_keys
from .._model.families import HTTP_LOGGER, TARGET, WORKSPACE
from .._model.family import Family
from .._model.records import read_id
from .marks import check_text

# the families that an estate declares in a workspace: texts only, created by the key alone, and judged by it
IN_WORKSPACE: tuple[Family, ...] = (TARGET, HTTP_LOGGER)


class Item(NamedTuple):
    """One declared object."""

    # where it is in the declaration, for messages
    path: str
    # in its list, from 0
    position: int
    # its natural key
    name: str
    # the declared fields beside the key
    fields: dict[str, str]
    # neither written nor purged
    ignore: bool = False
    # of a workspace: which one it is, whatever its name
    id: int | None = None
    # of a target: its mark keeps it from being deleted
    protect: bool = False
    # a workspace to delete, with all that it holds
    absent: bool = False
    # a new workspace, although another one has its objects
    new: bool = False


class Wanted(NamedTuple):
    """One workspace of a declaration."""

    # None where the workspace itself is not managed
    workspace: Item | None
    # without the families that the declaration leaves out
    lists: dict[Family, list[Item]]

    @property
    def own(self) -> Item:
        """The workspace of an estate, which is always managed."""
        if self.workspace is None:
            raise TypeError("the workspace itself is not managed")
        return self.workspace


def read_targets(entries: object) -> Wanted:
    """The ``targets`` option of the module of this name."""
    _refuse_unknown_keys([(TARGET, "targets", entries)])
    return Wanted(None, {TARGET: _items(TARGET, entries, "targets")})


def read_estate(entries: object, declared_at: Sequence[str] | None = None) -> list[Wanted]:
    """The ``workspaces`` option of the estate module. declared_at: its option of this name."""
    workspaces = _list(entries, "workspaces")
    wanted = []
    paths = [f"workspaces[{index}]" for index in range(len(workspaces))]
    if declared_at is not None:
        if len(declared_at) != len(paths):
            raise WrongOption(
                f"declared_at has {len(declared_at)} entries, and workspaces has {len(paths)}: give one for each, or leave"
                " declared_at out."
            )
        paths = [printable(text) for text in declared_at]
    _refuse_unknown_keys(
        [
            (WORKSPACE, paths, workspaces),
            *(
                (family, f"{path}.{family.plural}", entry.get(family.plural))
                for path, entry in zip(paths, workspaces)
                if isinstance(entry, dict)
                for family in IN_WORKSPACE
            ),
        ]
    )
    for index, (entry, path) in enumerate(zip(workspaces, paths)):
        item = _item(WORKSPACE, entry, path, index)
        lists = {
            family: _items(family, entry[family.plural], f"{path}.{family.plural}")
            for family in IN_WORKSPACE
            if entry.get(family.plural) is not None
        }
        wanted.append(Wanted(item, lists))
    _refuse_all(
        f"{one.path}.id and {other.path}.id are the same workspace, {one.id}: merge the two."
        for one, other in _alike((entry.own for entry in wanted if entry.own.id), lambda item: item.id)
    )
    _refuse_all(
        f"{one.path}.name and {other.path}.name are the same workspace, {printable(one.name)!r}: merge the two."
        for one, other in _alike((entry.own for entry in wanted), lambda item: item.name)
    )
    for family in IN_WORKSPACE:
        everywhere = [item for entry in wanted for item in entry.lists.get(family, ())]
        _refuse_all(
            f"{one.path} and {other.path} have the same {family.key}, {printable(one.name)!r}, but a {family.key} must"
            " be unique in the account: choose another one."
            for one, other in (_alike(everywhere, lambda item: item.name) if family.key_is_account_wide else ())
        )
    return wanted


def _refuse_all(sentences: Iterable[str]) -> None:
    """Raise WrongOption with these sentences, if there are any."""
    found = [*sentences]
    if found:
        raise WrongOption(first_sentences(found))


def _refuse_unknown_keys(lists: Iterable[tuple[Family, str | Sequence[str], object]]) -> None:
    """Raise WrongOption for all unknown keys of lists. Each has a path, or the paths of its entries."""
    found = []
    for family, path, entries in lists:
        more = ["ignore", "protect"] if family is TARGET else ["ignore"]
        if family is WORKSPACE:
            more = ["id", "new", "state", *(each.plural for each in IN_WORKSPACE)]
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            where = f"{path}[{index}]" if isinstance(path, str) else path[index]
            known = (family.key, *family.declared, *more)
            problem = unknown_keys([(where, entry)], known) if isinstance(entry, dict) else None
            found += [problem] if problem else []
    if found:
        raise WrongOption(f"{first_clauses(found)}.")


def _alike(items: Iterable[Item], identity: Callable[[Item], object]) -> Iterator[tuple[Item, Item]]:
    """The items with the name or id of an earlier one, each with that one."""
    seen: dict[object, Item] = {}
    for item in items:
        first = seen.setdefault(identity(item), item)
        if first is not item:
            yield first, item


def _items(family: Family, entries: object, path: str) -> list[Item]:
    return [_item(family, entry, f"{path}[{index}]", index) for index, entry in enumerate(_list(entries, path))]


def _list(entries: object, path: str) -> list[Any]:
    if not isinstance(entries, list):
        raise WrongOption(f"{path} is {shape_of(entries)}: write a list.")
    return entries


def _item(family: Family, entry: object, path: str, index: int) -> Item:
    key = family.key
    if isinstance(entry, str) and family.key_suffices:
        entry = {key: entry}
    if not isinstance(entry, dict):
        shape = "a string (in quotes) or a dictionary" if family.key_suffices else "a dictionary"
        raise WrongOption(f"{path} is {shape_of(entry)}: write {shape} with the key {key}.")
    for name, value in entry.items():
        # where leaving the key out would mean something else
        if value is None and name not in (key, *family.declared):
            raise WrongOption(
                f"{path}.{name} is null, probably because a variable is unset: give a value, or leave the key out."
            )
    texts = {
        field: _text(entry[field], f"{path}.{field}")
        for field in (key, *family.declared)
        if entry.get(field) is not None
    }
    name = texts.pop(key, None)
    if name is None or not name.strip():
        problem = "missing" if name is None else "empty"
        raise WrongOption(f"{path}.{key} is {problem}: give the {key} of the {family.noun}.")
    number = read_id(entry["id"]) if "id" in entry else None
    if "id" in entry and number is None:
        raise WrongOption(
            f"{path}.id is {printable(json.dumps(entry['id']), 60)}: give the id of the workspace as the service lists it, a"
            " positive number."
        )
    if "description" in texts and family is TARGET:
        check_text(texts["description"], f"{path}.description")
    ignore, protect, new = (_flag(entry, key, path) for key in ("ignore", "protect", "new"))
    if new and number:
        raise WrongOption(f"{path} has both id and new: a workspace with an id exists, so remove one of them.")
    state = entry.get("state", "present")
    if state not in ("present", "absent"):
        raise WrongOption(f"{path}.state is {printable(json.dumps(state), 60)}: write present or absent.")
    return Item(path, index, name, texts, ignore, number, protect, state == "absent", new)


def _flag(entry: dict[Any, Any], key: str, path: str) -> bool:
    value = entry.get(key) or False
    if not isinstance(value, bool):
        raise WrongOption(f"{path}.{key} is {shape_of(value)}: write true or false.")
    return value


def _text(value: object, path: str) -> str:
    if not isinstance(value, str):
        raise WrongOption(f"{path} is {shape_of(value)}, not text: put it in quotes.")
    return value
