# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The values of a task over many objects: what is declared, what exists, what is allowed, what is done. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from .._families.family import Family
from .._families.table import FAMILIES
from .._names import normal_form
from .._records import InWorkspace, Record

# every action of a step or a result
ACTIONS = ("create", "update", "delete", "unchanged", "drifted", "ignored", "protected", "refused", "failed")
WRITES = ("create", "update", "delete")


def normal_name(resource: Family, name: str) -> str:
    """The form in which two names of the same object of a family are equal."""
    return normal_form(name) if resource.key_is_place else name


class Item(NamedTuple):
    """One declared object.

    path: where it is in the declaration, for messages; position: in its list, from 0; name: its natural key;
    fields: the declared fields beside the key; ignore: neither written nor purged.
    """

    path: str
    position: int
    name: str
    fields: dict[str, str]
    ignore: bool = False


class Wanted(NamedTuple):
    """One workspace of a declaration.

    workspace: None where the workspace itself is not managed; lists: the items by the name of their family, without the
    families that the declaration leaves out.
    """

    workspace: Item | None
    lists: dict[str, list[Item]]

    @property
    def own(self) -> Item:
        """The workspace of an estate, which is always managed."""
        if self.workspace is None:
            raise TypeError("the workspace itself is not managed")
        return self.workspace


class Live(NamedTuple):
    """One workspace as it was read.

    record: None where the workspace does not exist; rows: by the name of the family, without lists that were not read;
    elsewhere: the HTTP loggers of other workspaces, by label.
    """

    record: Record | None
    rows: dict[str, InWorkspace]
    elsewhere: dict[str, Record]

    @property
    def id(self) -> int | None:
        return self.record["id"] if self.record else None


class Managed(NamedTuple):
    """One workspace that a task manages. name: as results call it."""

    name: str
    wanted: Wanted
    live: Live


class Rules(NamedTuple):
    """What a task allows. The defaults are those of the options.

    purge: names of families; purge_marker: purge takes only objects whose description contains it; protect: glob patterns;
    verdict: returns why the scope refuses a target's name, or None.
    """

    state: str = "present"
    on_drift: str = "warn"
    force: bool = False
    purge: Sequence[str] = ()
    purge_marker: str | None = None
    purge_max: int = 50
    purge_max_percent: int = 30
    purge_floor: int = 10
    protect: Sequence[str] = ()
    verdict: Callable[[str], str | None] | None = None

    def purgeable(self, rows: Sequence[Record]) -> Sequence[Record]:
        """The rows that purge may take at all."""
        return rows if self.purge_marker is None else [row for row in rows if self.purge_marker in row["description"]]


class Step(NamedTuple):
    """What a plan does with one object.

    action: one of ACTIONS; resource: the name of its family; workspace, name: as results call them; before: the live
    record; after: the declared fields; item: None for an object that is not declared; changes: the fields to write.
    """

    action: str
    resource: str
    workspace: str
    name: str
    before: Record | None = None
    after: Record | None = None
    reason: str | None = None
    item: Item | None = None
    purged: bool = False
    changes: Record | None = None

    @property
    def family(self) -> Family:
        return FAMILIES[self.resource]

    @property
    def writes(self) -> bool:
        return self.action in WRITES

    @property
    def recreates(self) -> bool:
        return recreates(self.action, self.resource)

    @property
    def live(self) -> Record:
        """The live record of a step that has one."""
        if self.before is None:
            raise TypeError(f"{self.action} {self.resource} has no live record")
        return self.before


def recreates(action: str, resource: str) -> bool:
    """Whether an action deletes an object and creates it again, which is the only update of a recreatable family."""
    return action == "update" and FAMILIES[resource].recreatable


class Done(NamedTuple):
    """What became of a step.

    step: with the action that was taken; error: why it was refused or failed; planned: the planned action, where it
    differs.
    """

    step: Step
    object_id: int | None = None
    error: str | None = None
    planned: str | None = None
