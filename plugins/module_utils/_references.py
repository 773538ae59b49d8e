# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The target and the scan that a task which reads refers to. One that is not there is an error, not an empty result."""

from __future__ import annotations

from ._errors import Refused, printable
from ._lookup import UNKNOWN_ID, Place, find_by_key, in_place, not_empty, warn_current_workspace
from ._names import normal_form
from ._resources import SCAN, TARGET


def target_of(task, place):
    """The record of the task's ``target`` or ``target_id``; None where in check mode an earlier task would have made it.

    1 GET by id; by name pages up to the hit.
    """
    object_id, name = task.params["target_id"], task.params["target"]
    if object_id is not None:
        return _by_id(task, TARGET, "target_id", object_id, place)
    not_empty("target", name)
    warn_current_workspace(task, place)
    record = find_by_key(task.client, TARGET, name, place.query, normal_form, whole=True)
    if record is None and task.check_mode:
        task.warn_foreseen(f"target {printable(name)!r}")
    elif record is None:
        where = str(place) if place.declared else "the current workspace"
        raise Refused(
            f"target names no target of {where}, {printable(name)!r}: correct the name or the workspace, or give target_id."
        )
    return record


def scan_of(task, place):
    """(record, Place) of the task's ``scan_id``, at 1 GET; (None, place) where in check mode an earlier task would have
    started it.

    A record may lack the workspace, which is that of its target then, at 1 GET more.
    """
    scan_id = task.params["scan_id"]
    if scan_id == UNKNOWN_ID:
        task.warn_foreseen("the scan")
        return None, place
    scan = _read(task, SCAN, "scan_id", scan_id)
    known = dict(scan, workspace_id=_workspace_of(task, scan))
    _refuse_elsewhere(task, SCAN, known, place)
    if str(scan["status_name"] or "").lower() != "finished":
        task.warn(
            f"scan {scan_id} is not finished, its status is {printable(scan['status_name'])!r}: what it found until now"
            " may be only a part."
        )
    return scan, place_from(known, place)


def _workspace_of(task, scan):
    if scan["workspace_id"] is not None or not isinstance(scan["target_id"], int):
        return scan["workspace_id"]
    target = task.client.read(TARGET, scan["target_id"])
    return target and target["workspace_id"]


def place_from(record, place):
    """The Place of a task that refers to a target or a scan: where it declares none, the workspace that this is in.

    Without a workspace the service may look in its current one, and find nothing that is elsewhere.
    """
    if place.declared or record["workspace_id"] is None:
        return place
    return Place(id=record["workspace_id"], declared=True)


def belongs(record, owners):
    """Whether a record is one of those that were asked for: a service may ignore a filter. What it does not tell passes.

    owners: the ids that were asked for, by the field of the record that has them.
    """
    return all(not isinstance(record[field], int) or record[field] == owner for field, owner in owners.items())


def warn_unplaced(task, place, what):
    """Warn where a list is asked for without a workspace."""
    if not place.declared:
        task.warn(
            f"no workspace is given, so the service may give the {what} of its current one only, which people change in the"
            " web application; set workspace or workspace_id."
        )


def _by_id(task, resource, option, object_id, place):
    if object_id == UNKNOWN_ID:
        task.warn_foreseen(f"the {resource.noun}")
        return None
    record = _read(task, resource, option, object_id)
    _refuse_elsewhere(task, resource, record, place)
    return record


def _read(task, resource, option, object_id):
    record = task.client.read(resource, object_id)
    if record is None:
        raise Refused(f"{option} names no {resource.noun} that this key may see, {object_id}: correct the id.")
    return record


def _refuse_elsewhere(task, resource, record, place):
    if place.declared and not in_place(task.client, resource, record, place):
        raise Refused(
            f"{resource.noun} {record['id']} is not in {place}, but in another workspace: correct the workspace or leave it"
            " out."
        )
