# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What a task declares for many objects, read into items. Errors name a wrong value by its path. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._errors import WrongOption, printable, shape_of
from .._families.family import Family
from .._families.table import FAMILIES
from .._families.target import TARGET
from .._families.workspace import WORKSPACE
from .._raw_options import unknown_key
from .model import Item, Wanted

# the families that an estate declares in a workspace
IN_WORKSPACE = tuple(FAMILIES[name] for name in WORKSPACE.holds)


def _keys(resource: Family) -> tuple[str, ...]:
    """The keys of an object in a declaration: its natural key, its fields, and what the collection adds."""
    added = tuple(FAMILIES[name].plural for name in resource.holds) or ("ignore",)
    return (resource.key, *resource.declared, *added)


def read_targets(entries: object) -> Wanted:
    """The ``targets`` option of the module of this name."""
    return Wanted(None, {TARGET.name: _items(TARGET, entries, "targets")})


def read_estate(entries: object, declared_at: Sequence[str] | None = None) -> list[Wanted]:
    """The ``workspaces`` option of the estate module. declared_at: its option of this name."""
    wanted = []
    seen: dict[str, str] = {}
    workspaces = _list(entries, "workspaces")
    for index, (entry, path) in enumerate(zip(workspaces, _paths(workspaces, declared_at))):
        item = _item(WORKSPACE, entry, path, index)
        if item.name in seen:
            raise WrongOption(
                f"{seen[item.name]}.name and {path}.name are the same workspace, {printable(item.name)!r}: merge the two."
            )
        seen[item.name] = path
        lists = {
            resource.name: _items(resource, entry[resource.plural], f"{path}.{resource.plural}")
            for resource in IN_WORKSPACE
            if entry.get(resource.plural) is not None
        }
        wanted.append(Wanted(item, lists))
    _refuse_same_keys(wanted)
    return wanted


def _paths(entries: Sequence[Any], declared_at: Sequence[str] | None) -> list[str]:
    if declared_at is None:
        return [f"workspaces[{index}]" for index in range(len(entries))]
    if len(declared_at) != len(entries):
        raise WrongOption(
            f"declared_at has {len(declared_at)} entries, and workspaces has {len(entries)}: give one for each, or leave"
            " declared_at out."
        )
    return [printable(text) for text in declared_at]


def _items(resource: Family, entries: object, path: str) -> list[Item]:
    return [_item(resource, entry, f"{path}[{index}]", index) for index, entry in enumerate(_list(entries, path))]


def _list(entries: object, path: str) -> list[Any]:
    if not isinstance(entries, list):
        raise WrongOption(f"{path} is {shape_of(entries)}: write a list.")
    return entries


def _item(resource: Family, entry: object, path: str, index: int) -> Item:
    if isinstance(entry, str) and resource.key_suffices:
        entry = {resource.key: entry}
    if not isinstance(entry, dict):
        shape = "a string (in quotes) or a dictionary" if resource.key_suffices else "a dictionary"
        raise WrongOption(f"{path} is {shape_of(entry)}: write {shape} with the key {resource.key}.")
    keys = _keys(resource)
    for key in entry:
        if key not in keys:
            raise WrongOption(f"{unknown_key(path, key, keys)}.")
        if entry[key] is None and key not in (resource.key, *resource.declared):
            raise WrongOption(
                f"{path}.{key} is null, probably because a variable is unset: give a value, or leave the key out."
            )
    if entry.get(resource.key) is None:
        raise WrongOption(f"{path}.{resource.key} is missing: give the {resource.key} of the {resource.noun}.")
    name = _text(entry[resource.key], f"{path}.{resource.key}")
    if not name.strip():
        raise WrongOption(f"{path}.{resource.key} is empty: give the {resource.key} of the {resource.noun}.")
    fields = {
        field: _text(entry[field], f"{path}.{field}") for field in resource.declared if entry.get(field) is not None
    }
    ignore = entry.get("ignore") or False
    if not isinstance(ignore, bool):
        raise WrongOption(f"{path}.ignore is {shape_of(ignore)}: write true or false.")
    return Item(path, index, name, fields, ignore)


def _text(value: object, path: str) -> str:
    if not isinstance(value, str):
        raise WrongOption(f"{path} is {shape_of(value)}, not text: put it in quotes.")
    return value


def _refuse_same_keys(wanted: Sequence[Wanted]) -> None:
    """Refuse a key that two workspaces declare, where keys are unique in the account."""
    for resource in IN_WORKSPACE:
        if not resource.key_is_account_wide:
            continue
        seen: dict[str, str] = {}
        for item in (item for entry in wanted for item in entry.lists.get(resource.name, ())):
            if item.name in seen:
                raise WrongOption(
                    f"{seen[item.name]} and {item.path} have the same {resource.key}, {printable(item.name)!r}, but a"
                    f" {resource.key} must be unique in the account: choose another one."
                )
            seen[item.name] = item.path
