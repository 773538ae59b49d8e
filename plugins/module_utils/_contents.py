# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What is in a workspace; the only maker of an InWorkspace.

A record belongs to the workspace that it names. HTTP loggers name none, and a target may lack the field. Such a record
belongs to the workspace that lists it, provided that the service filters its lists at all, and that no other list that
was read has the record too. A record in two lists stops the run.
"""

from __future__ import annotations

from ._errors import Refused, printable
from ._http.earned import InWorkspace
from ._resources import WORKSPACE


class Contents:
    """The records in some workspaces: ``contents[resource, workspace id]`` is an InWorkspace.

    wanted: (workspace id, resource) pairs, which are read in this order; workspaces: every workspace of the account, where
    the caller has read them; everything: {resource name: every record of the account}, where the caller has read it;
    filters: a dict, further parameters of the lists.
    """

    def __init__(self, client, wanted, workspaces=None, everything=None, filters=None):
        self._client = client
        self._workspaces = workspaces
        self._filters = filters or {}
        # {resource name: {id: workspace id}} and the lists that were read
        self._places = {}
        self._lists = {}
        for workspace_id, resource in wanted:
            self._read(resource, workspace_id)
        for resource in {resource.name: resource for _id, resource in wanted}.values():
            self._see_the_filter_at_work(resource, (everything or {}).get(resource.name))

    def __getitem__(self, key):
        resource, workspace_id = key
        return self._lists[resource.name, workspace_id]

    def refuse_shared(self, records):
        """Make sure that no other workspace lists a record that is about to be deleted. Costs a list for each workspace
        that was not read yet, but nothing where all of the records name their workspace.

        records: (resource, record) pairs.
        """
        for resource in {each.name: each for each, record in records if not _names_its_workspace(record)}.values():
            for workspace in self._all_workspaces():
                if (resource.name, workspace["id"]) not in self._lists:
                    self._read(resource, workspace["id"])

    def _read(self, resource, workspace_id):
        rows = self._client.all(resource, {"workspace_id": workspace_id, **self._filters})
        # a service that ignores the filter must not mix workspaces up
        rows = InWorkspace(row for row in rows if row.get("workspace_id") in (None, workspace_id))
        places = self._places.setdefault(resource.name, {})
        for row in rows:
            if places.setdefault(row["id"], workspace_id) != workspace_id:
                raise _shared(resource, row, (places[row["id"]], workspace_id), self._all_workspaces())
        self._lists[resource.name, workspace_id] = rows

    def _see_the_filter_at_work(self, resource, everything):
        """Where records do not name their workspace, a list that differs from another one shows that the service filters:
        that of another workspace, or that of all workspaces."""
        read = {workspace_id: rows for (name, workspace_id), rows in self._lists.items() if name == resource.name}
        unnamed = {row["id"]: row for rows in read.values() for row in rows if not _names_its_workspace(row)}
        if not unnamed or len(read) > 1:
            return
        (workspace_id,) = read
        if everything is not None and {row["id"] for row in everything} - set(unnamed):
            return
        other = _another(workspace_id, self._all_workspaces())
        if other is not None and not resource.paged:
            # at the cost of a page it is the complete list, and shows whether the two have a record in common
            self._read(resource, other)
        elif other is not None:
            _refuse_unfiltered(self._client, resource, unnamed, (workspace_id, other), self._workspaces, self._filters)

    def _all_workspaces(self):
        if self._workspaces is None:
            self._workspaces = self._client.all(WORKSPACE)
        return self._workspaces


def confirm_place(client, resource, record, workspace_id):
    """Make sure that a record which this workspace lists is in it; costs 2 GET, but nothing where it names its
    workspace."""
    if _names_its_workspace(record):
        return
    workspaces = client.all(WORKSPACE)
    other = _another(workspace_id, workspaces)
    if other is not None:
        _refuse_unfiltered(client, resource, {record["id"]: record}, (workspace_id, other), workspaces)


def _another(workspace_id, workspaces):
    """The id of a workspace that is not this one, or None."""
    return next((row["id"] for row in workspaces if row["id"] != workspace_id), None)


def _refuse_unfiltered(client, resource, records, places, workspaces, filters=None):
    """Refuse records ({id: record}) of the one place that the first page of the other place has too: the service then gives
    the same list whatever workspace is asked for."""
    query = {"workspace_id": places[1], **(filters or {})}
    for row in next(iter(client.pages(resource, query, whole=False)), ()):
        if row["id"] in records and not _names_its_workspace(row):
            raise _shared(resource, row, places, workspaces)


def _names_its_workspace(record):
    return record.get("workspace_id") is not None


def _shared(resource, row, places, workspaces):
    names = {each["id"]: each["name"] for each in workspaces}
    one, other = (f"{place} ({printable(names.get(place))!r})" for place in places)
    return Refused(
        f"The service lists {resource.noun} {printable(row[resource.key])!r} (id {row['id']}) in workspace {one} and in"
        f" workspace {other}, although it can be in one only. It seems to ignore workspace_id in lists, so this task cannot"
        " tell which workspace the object belongs to. Report this to the service's support."
    )
