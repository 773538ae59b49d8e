# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Which findings a task refers to, and which scans must have counted them."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._lookup import Place, place_of
from .._records import Record
from .._references import belongs, place_from, scan_of, target_of, warn_unplaced
from .._resources import SCAN
from .._scan.record import findings_of
from .._task import Task


class Asked(NamedTuple):
    """What a task asks for. query: the parameters of the call; scans: those whose findings these are; problems: why the
    answer may lack some, whatever it contains."""

    query: dict[str, Any]
    scans: tuple[Record, ...]
    problems: list[str]

    @property
    def owners(self) -> dict[str, int]:
        """The requested ids, by the field of a finding that has them."""
        return {field: self.query[field] for field in ("target_id", "task_id") if field in self.query}


def asked_of(task: Task) -> Asked | None:
    """The Asked of a task, or None where check mode refers to something that does not exist yet.

    The scans are read before the findings. A finding that is found in between makes more rows than a scan has counted,
    never fewer.
    """
    place = place_of(task)
    if place.missing:
        return None
    if task.params["scan_id"] is not None:
        return _of_scan(task, place)
    query: dict[str, Any] = {}
    problems = []
    if task.params["target"] is not None or task.params["target_id"] is not None:
        target = target_of(task, place)
        if target is None:
            return None
        query["target_id"] = target["id"]
        place = place_from(target, place)
        if not place.declared and task.params["target_id"] is not None:
            problems.append(_unplaced("target", target["id"]))
    warn_unplaced(task, place, "findings")
    listed = task.client.all(SCAN, {**place.query, **query})
    scans = tuple(scan for scan in listed if belongs(scan, query))
    return Asked(_grouped(task, {**place.query, **query}), scans, problems)


def _of_scan(task: Task, place: Place) -> Asked | None:
    scan, place = scan_of(task, place)
    if scan is None:
        return None
    warn_unplaced(task, place, "findings")
    # without a workspace, only the counts of the scan prove that the service searched the right one
    problems = [] if place.declared or findings_of(scan) else [_unplaced("scan", scan["id"])]
    return Asked(_grouped(task, {**place.query, "task_id": scan["id"]}), (scan,), problems)


def _unplaced(noun: str, object_id: int) -> str:
    return (
        f"the workspace of {noun} {object_id} is not known, and without one the service may list only the findings of its"
        " current workspace; set workspace or workspace_id"
    )


def _grouped(task: Task, query: dict[str, Any]) -> dict[str, Any]:
    return {**query, "group_duplicates": "true"} if task.params["group_duplicates"] else query
