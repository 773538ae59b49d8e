# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Finds live objects by name, and makes sure which workspace they are in. Only reads, and only this file creates an
InWorkspace.

A record belongs to the workspace that it names. HTTP loggers name none, and a target may lack the field. Such a record
belongs to the workspace that lists it, if the service filters its lists at all and no other list read here contains the
record. A record in two lists is an error.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .._http.client import Client
from .._model.errors import CallError, Refused, WrongOption, printable
from .._model.families import WORKSPACE
from .._model.family import Family
from .._model.records import InWorkspace, Record, rows_in
from .._model.target_names import normal_form
from .host import Warn
from .name_match import NAMES_LISTED, listed, look_alike, named

# parameters of a list
Query = dict[str, Any]


class Place(NamedTuple):
    """The workspace that a task refers to. missing: the declared workspace does not exist (yet)."""

    id: int | None = None
    name: str | None = None
    declared: bool = False
    missing: bool = False

    @property
    def query(self) -> Query:
        return {"workspace_id": self.id} if self.id is not None else {}

    def __str__(self) -> str:
        if self.name is not None:
            return f"workspace {printable(self.name)!r}"
        return "the workspace that an earlier task would have created" if self.id is None else f"workspace {self.id}"


NOWHERE = Place()


def existing_workspaces(rows: Sequence[Record]) -> str:
    """The names of the account's workspaces, a clause for a message."""
    return f"the account has {listed(sorted(row['name'] for row in rows))}" if rows else "the account has none"


def chosen_workspaces(workspaces: Sequence[Record], asked: Sequence[object] | None) -> list[Record]:
    """The workspaces with the names in the option workspaces, or all of them. Pure."""
    if asked is None:
        return list(workspaces)
    chosen = {}
    for name in map(str, asked):
        found = named(WORKSPACE, workspaces, name, "workspaces")
        if found is None:
            raise WrongOption(
                f"workspaces has a name that no workspace has, {printable(name)!r}: {existing_workspaces(workspaces)}; correct"
                " the name."
            )
        chosen[found["id"]] = found
    return list(chosen.values())


def not_empty(option: str, value: str) -> None:
    """Refuse an empty name. Raises WrongOption."""
    if not value.strip():
        raise WrongOption(f"{option} is empty: give the name of the object.")


def find_by_key(
    client: Client,
    resource: Family,
    wanted: str,
    query: Query | None = None,
    whole: bool = False,
    exact: bool = False,
    warn: Warn | None = None,
    option: str | None = None,
    other: str = "id",
) -> Record | None:
    """The live record that ``wanted`` names; stops reading at an exact match.

    whole: whether to read until an empty page before giving up, because a server may cap its pages; warn: gets a sentence
    where nothing is found, but a name that looks the same; exact, option, other: see ``Names``, by default the key and id.
    Costs 2 more GET calls if the query has a workspace and the record does not name its own.
    """
    query = query or {}
    place_id = query.get("workspace_id")
    cached = client.cached(resource, query, whole)
    if cached is None:
        rows = _read_up_to(client, resource, wanted, query, whole)
    else:
        rows = cached.exact(wanted)
        if not rows and resource.key_is_place and not exact:
            rows = cached.near(wanted, normal_form)
    record = named(resource, rows, wanted, option or resource.key, other, exact)
    if record and place_id is not None:
        confirm_place(client, resource, record, place_id)
    names = [row[resource.key] for row in rows] if cached is None else cached.beyond_ascii
    alike = look_alike([wanted], names) if record is None else ""
    if warn and alike:
        warn(alike)
    return record


def _read_up_to(client: Client, resource: Family, wanted: str, query: Query, whole: bool) -> list[Record]:
    """The rows of the page with an exact match, and all rows if there is none."""
    read: list[Record] = []
    for page in client.pages(resource, query, whole):
        rows = rows_in(page, query.get("workspace_id"))
        if any(row[resource.key] == wanted for row in rows):
            return rows
        read += rows
    return read


def in_place(client: Client, resource: Family, record: Record, place: Place) -> bool:
    """Whether a record is in a workspace; reads the list of the workspace if the record does not name one (loggers)."""
    if place.missing:
        return False
    if record.get("workspace_id") is not None:
        return bool(record["workspace_id"] == place.id)
    cached = client.cached(resource, place.query)
    pages = client.pages(resource, place.query) if cached is None else [cached.rows()]
    return any(row["id"] == record["id"] for page in pages for row in page)


class Contents:
    """The records in some workspaces: ``contents[resource, workspace id]`` is an InWorkspace.

    wanted: workspace ids and resources, read in this order; workspaces, everything (by resource name): every workspace and
    every record of the account, if the caller has read them; filters: more parameters of the lists; recheck: see
    ``listing.pages``.
    """

    def __init__(
        self,
        client: Client,
        wanted: Sequence[tuple[int, Family]],
        workspaces: Sequence[Record] | None = None,
        everything: Mapping[str, Iterable[Record]] | None = None,
        filters: Mapping[str, object] | None = None,
        recheck: bool = False,
    ) -> None:
        self._client = client
        self._recheck = recheck
        self._workspaces = workspaces
        self._filters = filters or {}
        # by resource name: the workspace id of each record, by its id
        self._places: dict[str, dict[int, int]] = {}
        # by resource name and workspace id
        self._lists: dict[tuple[str, int], InWorkspace] = {}
        for workspace_id, resource in wanted:
            self._read(resource, workspace_id)
        for resource in {resource.name: resource for _id, resource in wanted}.values():
            self._check_that_lists_are_filtered(resource, (everything or {}).get(resource.name))

    def __getitem__(self, key: tuple[Family, int]) -> InWorkspace:
        resource, workspace_id = key
        return self._lists[resource.name, workspace_id]

    def refuse_shared(self, records: Iterable[tuple[Family, Record]]) -> None:
        """Make sure that no other workspace lists a record that is about to be deleted.

        Costs a list for each workspace not read yet, and nothing if all records name their workspace.
        """
        for resource in {each.name: each for each, record in records if not _names_its_workspace(record)}.values():
            for workspace in self._all_workspaces():
                if (resource.name, workspace["id"]) not in self._lists:
                    self._read(resource, workspace["id"])

    def _read(self, resource: Family, workspace_id: int) -> None:
        listed = self._client.all(resource, {"workspace_id": workspace_id, **self._filters}, self._recheck)
        rows = InWorkspace(rows_in(listed, workspace_id))
        places = self._places.setdefault(resource.name, {})
        for row in rows:
            if places.setdefault(row["id"], workspace_id) != workspace_id:
                raise _shared(resource, row, (places[row["id"]], workspace_id), self._all_workspaces())
        self._lists[resource.name, workspace_id] = rows

    def _check_that_lists_are_filtered(self, resource: Family, everything: Iterable[Record] | None) -> None:
        """Refuse records that do not name their workspace, unless their list differs from that of another workspace or of
        all workspaces: only a difference shows that the service filters its lists."""
        read = {workspace_id: rows for (name, workspace_id), rows in self._lists.items() if name == resource.name}
        unnamed = {row["id"]: row for rows in read.values() for row in rows if not _names_its_workspace(row)}
        if not unnamed or len(read) > 1:
            return
        (workspace_id,) = read
        if everything is not None and {row["id"] for row in everything} - set(unnamed):
            return
        other = _another(workspace_id, self._all_workspaces())
        if other is not None and not resource.paged:
            # it costs one page, is the complete list, and shows whether the two have a record in common
            self._read(resource, other)
        elif other is not None:
            _refuse_unfiltered(
                self._client, resource, unnamed, (workspace_id, other), self._all_workspaces(), self._filters
            )

    def _all_workspaces(self) -> Sequence[Record]:
        if self._workspaces is None:
            self._workspaces = self._client.all(WORKSPACE)
        return self._workspaces


def confirm_place(client: Client, resource: Family, record: Record, workspace_id: int) -> None:
    """Make sure that a record listed by this workspace is in it. Costs 2 GET calls, none if the record names its
    workspace."""
    if _names_its_workspace(record):
        return
    workspaces = client.listed(WORKSPACE)
    other = _another(workspace_id, workspaces)
    if other is not None:
        _refuse_unfiltered(client, resource, {record["id"]: record}, (workspace_id, other), workspaces)


def whereabouts(client: Client, resource: Family, key: str, place: Place) -> str:
    """Where a new object is that the list of its workspace does not have, and what to do: a clause for a message.

    Costs 1 GET, and 1 GET for each of the first workspaces.
    """
    with contextlib.suppress(CallError):
        for workspace in client.all(WORKSPACE)[:NAMES_LISTED]:
            there = client.all(resource, {"workspace_id": workspace["id"]}) if workspace["id"] != place.id else ()
            if any(row[resource.key] == key for row in there):
                return misplaced(place, workspace["id"], f" ({printable(workspace['name'])!r})")
    return (
        f"the list of {place} does not have it, nor has any other list that was read: search for it in the web application"
        " before you run the task again"
    )


def misplaced(place: Place, other: int, name: str = "") -> str:
    """That a new object is in another workspace, and what to do: a clause for a message."""
    return (
        f"it is in workspace {other}{name} instead of {place}: delete it there unless it existed before, make {place} the"
        " current workspace in the web application, and run the task again"
    )


def _another(workspace_id: int, workspaces: Iterable[Record]) -> int | None:
    """The id of a workspace that is not this one, or None."""
    return next((row["id"] for row in workspaces if row["id"] != workspace_id), None)


def _refuse_unfiltered(
    client: Client,
    resource: Family,
    records: Mapping[int, Record],
    places: tuple[int, int],
    workspaces: Sequence[Record],
    filters: Mapping[str, object] | None = None,
) -> None:
    """Refuse records of the first workspace (by id) that the first page of the second one contains too: then the service
    returns the same list for every workspace."""
    query = {"workspace_id": places[1], **(filters or {})}
    for row in client.first_page(resource, query):
        if row["id"] in records and not _names_its_workspace(row):
            raise _shared(resource, row, places, workspaces)


def _names_its_workspace(record: Record) -> bool:
    return record.get("workspace_id") is not None


def _shared(resource: Family, row: Record, places: tuple[int, int], workspaces: Iterable[Record]) -> Refused:
    names = {each["id"]: each["name"] for each in workspaces}
    one, other = (f"{place} ({printable(names.get(place))!r})" for place in places)
    return Refused(
        f"The service lists {resource.noun} {printable(row[resource.key])!r} (id {row['id']}) in workspace {one} and in"
        f" workspace {other}, although it can be in one only. It seems to ignore workspace_id in lists, so this task cannot"
        " tell which workspace the object belongs to. Report this to the service's support."
    )
