# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What a task declares for many objects, read into items; a wrong shape is named by its path. Pure."""

from __future__ import annotations

from typing import NamedTuple

from .._errors import Refused, WrongOption, printable
from .._given import shape_of, unknown_key
from .._resources import HTTP_LOGGER, TARGET, WORKSPACE


class Item(NamedTuple):
    """One declared object. path: str, where it stands in the declaration; index: int in its list; name: str, its natural
    key; fields: dict, the fields beside it that are declared; ignore: bool, neither touched nor purged."""

    path: str
    index: int
    name: str
    fields: dict
    ignore: bool = False


class Wanted(NamedTuple):
    """One workspace of a declaration. workspace: Item, or None where the workspace itself is not managed;
    lists: {resource name: list of Item}, without the families that the declaration leaves out."""

    workspace: Item | None
    lists: dict


# the keys of an object in a declaration: its natural key, its fields, and what the collection adds
_KEYS = {
    TARGET.name: (TARGET.key, *TARGET.declared, "ignore"),
    HTTP_LOGGER.name: (HTTP_LOGGER.key, "ignore"),
    WORKSPACE.name: (WORKSPACE.key, *WORKSPACE.declared, TARGET.plural, HTTP_LOGGER.plural),
}


def read_targets(entries):
    """The ``targets`` option of the module of this name as a Wanted."""
    return Wanted(None, {TARGET.name: _items(TARGET, entries, "targets")})


def read_estate(entries, declared_at=None):
    """The ``workspaces`` option of the estate module as a list of Wanted. declared_at: its option of this name."""
    wanted = []
    seen = {}
    for index, (entry, path) in enumerate(zip(_list(entries, "workspaces"), _paths(entries, declared_at))):
        item = _item(WORKSPACE, entry, path, index)
        if item.name in seen:
            raise WrongOption(
                f"{seen[item.name]}.name and {path}.name are the same workspace, {printable(item.name)!r}: merge the two."
            )
        seen[item.name] = path
        lists = {
            resource.name: _items(resource, entry[resource.plural], f"{path}.{resource.plural}")
            for resource in (TARGET, HTTP_LOGGER)
            if entry.get(resource.plural) is not None
        }
        wanted.append(Wanted(item, lists))
    return wanted


def _paths(entries, declared_at):
    if declared_at is None:
        return [f"workspaces[{index}]" for index in range(len(entries))]
    if len(declared_at) != len(entries):
        raise WrongOption(
            f"declared_at has {len(declared_at)} entries, and workspaces has {len(entries)}: give one for each, or leave"
            " declared_at out."
        )
    return [printable(text) for text in declared_at]


def _items(resource, entries, path):
    return [_item(resource, entry, f"{path}[{index}]", index) for index, entry in enumerate(_list(entries, path))]


def _list(entries, path):
    if not isinstance(entries, list):
        raise WrongOption(f"{path} is {shape_of(entries)}: write a list.")
    return entries


def _item(resource, entry, path, index):
    if isinstance(entry, str) and resource is TARGET:
        entry = {resource.key: entry}
    if not isinstance(entry, dict):
        shape = "a text (in quotes) or a dictionary" if resource is TARGET else "a dictionary"
        raise WrongOption(f"{path} is {shape_of(entry)}: write {shape} with the key {resource.key}.")
    keys = _KEYS[resource.name]
    for key in entry:
        if key not in keys:
            raise WrongOption(f"{unknown_key(path, key, keys)}.")
        if entry[key] is None and key not in (resource.key, *resource.declared):
            raise WrongOption(f"{path}.{key} is null, as an unset variable is: give a value, or leave the key out.")
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


def _text(value, path):
    if not isinstance(value, str):
        raise WrongOption(f"{path} is {shape_of(value)}, not text: put it in quotes.")
    return value


def same_labels(wanted):
    """Refuse a label that is declared in two workspaces: labels are unique in the account."""
    seen = {}
    for entry in wanted:
        for item in entry.lists.get(HTTP_LOGGER.name, ()):
            if item.name in seen:
                raise Refused(
                    f"{seen[item.name]} and {item.path} have the same label, {printable(item.name)!r}, and labels are unique"
                    " in the account: choose another one."
                )
            seen[item.name] = item.path
