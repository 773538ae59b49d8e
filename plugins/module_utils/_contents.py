# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The records in a workspace. Only this file creates an InWorkspace.

A record belongs to the workspace that it names. HTTP loggers name none, and a target may lack the field. Such a record
belongs to the workspace that lists it, if the service filters its lists at all and no other list read here contains the
record. A record in two lists is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ._errors import Refused, printable
from ._families.family import Family
from ._families.workspace import WORKSPACE
from ._http.client import Client
from ._http.complete import InWorkspace
from ._records import Record


class Contents:
    """The records in some workspaces: ``contents[resource, workspace id]`` is an InWorkspace.

    wanted: workspace ids and resources, read in this order; workspaces, everything (by resource name): every workspace and
    every record of the account, if the caller has read them; filters: more parameters of the lists.
    """

    def __init__(
        self,
        client: Client,
        wanted: Sequence[tuple[int, Family]],
        workspaces: Sequence[Record] | None = None,
        everything: Mapping[str, Iterable[Record]] | None = None,
        filters: Mapping[str, object] | None = None,
    ) -> None:
        self._client = client
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
        listed = self._client.all(resource, {"workspace_id": workspace_id, **self._filters})
        # a service that ignores the filter must not mix up workspaces
        rows = InWorkspace(row for row in listed if row.get("workspace_id") in (None, workspace_id))
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
