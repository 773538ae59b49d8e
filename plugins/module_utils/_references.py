# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The target or scan that a reading task refers to. If it does not exist, that is an error, not an empty result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ._errors import Refused, printable
from ._families.family import Family
from ._families.scan import SCAN
from ._families.target import TARGET
from ._lookup import Place, find_by_key, in_place, not_empty, warn_current_workspace
from ._names import normal_form
from ._raw_options import UNKNOWN_ID
from ._records import Record
from ._task import Task


def target_of(task: Task, place: Place) -> Record | None:
    """The record of the task's ``target`` or ``target_id``; None if check mode assumes that an earlier task creates it.

    Costs 1 GET by id; by name, the pages up to the match.
    """
    object_id, name = task.params["target_id"], task.params["target"]
    if object_id is not None:
        if object_id == UNKNOWN_ID:
            task.warn_foreseen("the target")
            return None
        target = _read(task, TARGET, "target_id", object_id)
        _refuse_elsewhere(task, TARGET, target, place)
        return target
    not_empty("target", name)
    warn_current_workspace(task, place)
    record = find_by_key(task.client, TARGET, name, place.query, normal_form, whole=True)
    if record is None and task.check_mode:
        task.warn_foreseen(f"target {printable(name)!r}")
    elif record is None:
        where = str(place) if place.declared else "the current workspace"
        raise Refused(
            f"target {printable(name)!r} does not exist in {where}: correct the name or the workspace, or give target_id."
        )
    return record


class TargetFilter(NamedTuple):
    """The filter of a list by the target of a task, {} where the task names none; the workspace of that list; the target."""

    query: dict[str, int]
    place: Place
    target: Record | None = None


def target_filter(task: Task, place: Place) -> TargetFilter | None:
    """The filter by the task's target; None if check mode assumes that an earlier task creates the workspace or target."""
    if place.missing:
        return None
    if task.params["target"] is None and task.params["target_id"] is None:
        return TargetFilter({}, place)
    target = target_of(task, place)
    return None if target is None else TargetFilter({"target_id": target["id"]}, place_from(target, place), target)


class ScanReferred(NamedTuple):
    """The scan that a task refers to, the Place to search, and the record of its target, None if that no longer exists."""

    scan: Record
    place: Place
    target: Record | None


def scan_of(task: Task, place: Place) -> ScanReferred | None:
    """The task's ``scan_id``; None if check mode assumes that an earlier task starts it.

    Costs 2 GET. A scan whose record lacks the workspace is in that of its target.
    """
    if task.params["scan_id"] == UNKNOWN_ID:
        task.warn_foreseen("the scan")
        return None
    referred = scan_by_id(task, task.params["scan_id"], "scan_id", place)
    scan = referred.scan
    if str(scan["status_name"] or "").lower() != "finished":
        task.warn(
            f"Scan {scan['id']} is not finished, its status is {printable(scan['status_name'])!r}: its findings may be"
            " incomplete."
        )
    return referred


def scan_by_id(task: Task, scan_id: int, option: str, place: Place) -> ScanReferred:
    """The scan that an option names by its id; refuses one of another workspace. Costs 2 GET."""
    scan = _read(task, SCAN, option, scan_id)
    target = target_of_record(task, scan)
    known = scan
    if scan["workspace_id"] is None and target is not None:
        known = dict(scan, workspace_id=target["workspace_id"])
    _refuse_elsewhere(task, SCAN, known, place)
    return ScanReferred(scan, place_from(known, place), target)


def target_of_record(task: Task, record: Record) -> Record | None:
    """The target of a scan or a finding; None where it names none, or one that no longer exists. Costs 1 GET."""
    target_id = record["target_id"]
    return task.client.read(TARGET, target_id) if isinstance(target_id, int) else None


def place_from(record: Record, place: Place) -> Place:
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


def warn_unplaced(task: Task, place: Place, what: str) -> None:
    """Warn if a list is read without a workspace. what: the records, in the plural."""
    if not place.declared:
        task.warn(
            f"No workspace is given, so the service may return only the {what} of its current one, which people change in"
            " the web application. Set workspace or workspace_id."
        )


def _read(task: Task, resource: Family, option: str, object_id: int) -> Record:
    record = task.client.read(resource, object_id)
    if record is None:
        raise Refused(f"No {resource.noun} with id {object_id} is visible to this API key: correct {option}.")
    return record


def _refuse_elsewhere(task: Task, resource: Family, record: Record, place: Place) -> None:
    if place.declared and not in_place(task.client, resource, record, place):
        raise Refused(
            f"{resource.noun} {record['id']} is not in {place}, but in another workspace: correct the workspace or leave"
            " it out."
        )
