# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The objects that the options of a task refer to: its workspace, its own object, a target, a scan. Only reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .._http.client import Client
from .._model.errors import Refused, printable
from .._model.families import SCAN, TARGET, WORKSPACE
from .._model.family import Family
from .._model.records import Record
from .host import Warn
from .lookup import (
    NOWHERE,
    Contents,
    Place,
    Query,
    confirm_place,
    existing_workspaces,
    find_by_key,
    in_place,
    not_empty,
)
from .name_match import look_alike, named
from .raw_options import UNKNOWN_ID
from .task import Task


def place_of(task: Task) -> Place:
    """The Place that the task's options name; costs 1 GET for a name.

    Refuses an unknown name, except in check mode and for ``state: absent``, where the Place is ``missing``.
    """
    name, object_id = task.params.get("workspace"), task.params.get("workspace_id")
    if object_id is not None:
        if object_id == UNKNOWN_ID:
            task.warn_assumed("the workspace")
            return Place(declared=True, missing=True)
        return Place(id=object_id, declared=True)
    if name is None:
        return NOWHERE
    not_empty("workspace", name)
    rows = task.client.listed(WORKSPACE)
    row = named(WORKSPACE, rows, name, "workspace", "workspace_id")
    if row is not None:
        return Place(row["id"], name, declared=True)
    shown = f"workspace {printable(name)!r}"
    if task.params.get("state") == "absent":
        task.warn(f"{shown} does not exist, so nothing is deleted. Correct the name if it is misspelt.")
    elif task.check_mode:
        task.warn_assumed(shown)
    else:
        alike = look_alike([name], [row["name"] for row in rows])
        raise Refused(
            f"{shown} does not exist: {existing_workspaces(rows)}. Correct the name, or declare the workspace with"
            f" scanops.scanner.workspace first.{f' {alike}' if alike else ''}"
        )
    return Place(name=name, declared=True, missing=True)


def find(
    task: Task, resource: Family, place: Place = NOWHERE, whole: bool = False, exact: bool = False
) -> Record | None:
    """The live record that the task's id or natural key means, or None; refuses a record of another workspace.

    whole, exact: see ``find_by_key``.
    """
    client, params = task.client, task.params
    # a key that is unique in the account may be taken in another workspace
    everywhere = resource.key_is_account_wide
    if params.get("id") is not None:
        record = client.read(resource, params["id"])
    else:
        wanted = params[resource.key]
        not_empty(resource.key, wanted)
        if place.missing and not everywhere:
            return None
        record = find_by_key(client, resource, wanted, {} if everywhere else place.query, whole, exact, task.warn)
        if not everywhere:
            return record
    if record is None or not place.declared:
        return record
    absent = params.get("state") == "absent"
    if in_place(client, resource, record, place):
        # checked before each deletion; otherwise an account-wide key names the right object in any case
        if place.id is not None and (absent or not everywhere):
            confirm_place(client, resource, record, place.id)
        return record
    problem = (
        f"{resource.noun} {printable(record[resource.key])!r} (id {record['id']}) is not in {place}, but in another"
        " workspace"
    )
    if not absent:
        raise Refused(f"{problem}: correct the workspace or leave it out.")
    task.warn(f"{problem}; it is not changed.")
    return None


def information(task: Task, resource: Family, query: Query | None = None) -> list[Record]:
    """The records that an _info task asks for. query: filters that the service applies."""
    client, params = task.client, task.params
    place = place_of(task)
    if params.get("id") == UNKNOWN_ID:
        task.warn_assumed(f"the {resource.noun}")
        return []
    if place.missing:
        return []
    filters = dict(place.query, **(query or {}))
    if params.get("id") is not None:
        record = client.read(resource, params["id"])
        if record is None or (place.declared and not in_place(client, resource, record, place)):
            return []
        records = [record]
    else:
        if resource.uses_current_workspace:
            warn_current_workspace(place, task.warn)
        wanted = params.get(resource.key)
        if wanted is None and place.id is not None:
            return list(Contents(client, [(place.id, resource)], filters=query)[resource, place.id])
        if wanted is None:
            return list(client.all(resource, filters))
        not_empty(resource.key, wanted)
        if resource.paged:
            record = find_by_key(client, resource, wanted, filters, whole=True)
            return [record] if record else []
        records = [row for row in client.all(resource, filters) if row[resource.key] == wanted]
    if place.id is not None and resource.in_workspace:
        for record in records:
            confirm_place(client, resource, record, place.id)
    return records


def warn_current_workspace(place: Place, warn: Warn) -> None:
    """Warn if a target is named without a workspace: the service then uses its current one."""
    if not place.declared:
        warn(
            "No workspace is given, so the service uses its current one, which people change in the web application. Set"
            " workspace or workspace_id."
        )


class _TargetFilter(NamedTuple):
    """The filter of a list by the target of a task, {} where the task names none; the workspace of that list; the target."""

    query: dict[str, int]
    place: Place
    target: Record | None = None


def target_filter(task: Task, place: Place) -> _TargetFilter | None:
    """The filter by the task's ``target`` or ``target_id``; None if check mode assumes that an earlier task creates it, or
    the workspace. Costs 1 GET by id; by name, the pages up to the match."""
    target_id, name = task.params["target_id"], task.params["target"]
    if place.missing:
        return None
    if target_id == UNKNOWN_ID:
        task.warn_assumed("the target")
        return None
    if target_id is not None:
        target = existing(task.client, TARGET, target_id, "target_id")
        _refuse_elsewhere(task.client, TARGET, target, place)
    elif name is None:
        return _TargetFilter({}, place)
    else:
        not_empty("target", name)
        warn_current_workspace(place, task.warn)
        found = find_by_key(task.client, TARGET, name, place.query, whole=True, option="target", other="target_id")
        if found is None and task.check_mode:
            task.warn_assumed(f"target {printable(name)!r}")
            return None
        if found is None:
            where = str(place) if place.declared else "the current workspace"
            raise Refused(
                f"target {printable(name)!r} does not exist in {where}: correct the name or the workspace, or give"
                " target_id."
            )
        target = found
    return _TargetFilter({"target_id": target["id"]}, _place_from(target, place), target)


class _ScanReferred(NamedTuple):
    """The scan that a task refers to, the Place to search, and the record of its target, None if that no longer exists."""

    scan: Record
    place: Place
    target: Record | None


def scan_of(task: Task, place: Place) -> _ScanReferred | None:
    """The task's ``scan_id``; None if check mode assumes that an earlier task starts it.

    Costs 2 GET. A scan whose record lacks the workspace is in that of its target.
    """
    if task.params["scan_id"] == UNKNOWN_ID:
        task.warn_assumed("the scan")
        return None
    referred = scan_by_id(task.client, task.params["scan_id"], "scan_id", place)
    scan = referred.scan
    if str(scan["status_name"] or "").lower() != "finished":
        task.warn(
            f"Scan {scan['id']} is not finished, its status is {printable(scan['status_name'])!r}: its findings may be"
            " incomplete."
        )
    return referred


def scan_by_id(client: Client, scan_id: int, option: str, place: Place) -> _ScanReferred:
    """The scan that an option names by its id; refuses one of another workspace. Costs 2 GET."""
    scan = existing(client, SCAN, scan_id, option)
    target = target_of_record(client, scan)
    known = scan
    if scan["workspace_id"] is None and target is not None:
        known = dict(scan, workspace_id=target["workspace_id"])
    _refuse_elsewhere(client, SCAN, known, place)
    return _ScanReferred(scan, _place_from(known, place), target)


def target_of_record(client: Client, record: Record) -> Record | None:
    """The target of a scan or a finding; None where it names none, or one that no longer exists. Costs 1 GET."""
    target_id = record["target_id"]
    return client.read(TARGET, target_id) if isinstance(target_id, int) else None


def _place_from(record: Record, place: Place) -> Place:
    """The Place of a task that refers to a target or a scan: by default, the workspace of that object.

    Without a workspace the service may search only its current one.
    """
    if place.declared or record["workspace_id"] is None:
        return place
    return Place(id=record["workspace_id"], declared=True)


def belongs(record: Record, owners: Mapping[str, int]) -> bool:
    """Whether a record matches the filters of its list, because a service may ignore them. A missing field matches.

    owners: the requested ids, by field.
    """
    return all(not isinstance(record[field], int) or record[field] == owner for field, owner in owners.items())


def warn_unplaced(place: Place, what: str, warn: Warn) -> None:
    """Warn if a list is read without a workspace. what: the records, in the plural."""
    if not place.declared:
        warn(
            f"No workspace is given, so the service may return only the {what} of its current one, which people change in"
            " the web application. Set workspace or workspace_id."
        )


def unplaced(noun: str, object_id: int) -> str:
    """Why the scans or findings of an object in an unknown workspace may be missing, a clause."""
    return (
        f"the workspace of {noun} {object_id} is not known, and without one the service may list only what is in its current"
        " workspace; set workspace or workspace_id"
    )


def existing(client: Client, resource: Family, object_id: int, option: str = "the id") -> Record:
    """The record with this id. Raises Refused. option: what to correct."""
    record = client.read(resource, object_id)
    if record is None:
        raise Refused(f"No {resource.noun} with id {object_id} is visible to this API key: correct {option}.")
    return record


def _refuse_elsewhere(client: Client, resource: Family, record: Record, place: Place) -> None:
    if place.declared and not in_place(client, resource, record, place):
        raise Refused(
            f"{resource.noun} {record['id']} is not in {place}, but in another workspace: correct the workspace or leave"
            " it out."
        )
