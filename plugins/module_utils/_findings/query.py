# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Which findings a task refers to, which scans must have counted them, and the names of their targets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from .._families.scan import SCAN
from .._families.target import TARGET
from .._lookup import Place, place_of
from .._records import Record
from .._references import belongs, scan_of, target_filter, warn_unplaced
from .._scan.record import uncounted
from .._task import Task


class Asked(NamedTuple):
    """What a task asks for. query: the parameters of the call; scans: those whose findings these are; problems: why the
    answer may lack some, whatever it contains; target_names: by target id."""

    query: dict[str, Any]
    scans: tuple[Record, ...]
    problems: list[str]
    target_names: dict[int, str]

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
    if task.params["scan_id"] is not None:
        return _of_scan(task, place)
    wanted = target_filter(task, place)
    if wanted is None:
        return None
    warn_unplaced(task, wanted.place, "findings")
    target_id = task.params["target_id"]
    problems = [] if target_id is None or wanted.place.declared else [_unplaced("target", target_id)]
    query = {**wanted.place.query, **wanted.query}
    scans = tuple(scan for scan in task.client.all(SCAN, query) if belongs(scan, wanted.query))
    targets = [wanted.target] if wanted.target else task.client.all(TARGET, wanted.place.query)
    return Asked(_grouped(task, query), scans, problems, names_of(targets))


def _of_scan(task: Task, place: Place) -> Asked | None:
    if place.missing:
        return None
    referred = scan_of(task, place)
    if referred is None:
        return None
    scan, place, target = referred
    warn_unplaced(task, place, "findings")
    # without a workspace, only the counts of the scan prove that the service searched the right one
    problems = [] if place.declared or not uncounted(scan) else [_unplaced("scan", scan["id"])]
    query = _grouped(task, {**place.query, "task_id": scan["id"]})
    return Asked(query, (scan,), problems, names_of([target] if target else []))


def names_of(targets: Iterable[Record]) -> dict[int, str]:
    """The names of targets by id."""
    return {target["id"]: target["name"] for target in targets}


def _unplaced(noun: str, object_id: int) -> str:
    return (
        f"the workspace of {noun} {object_id} is not known, and without one the service may list only the findings of its"
        " current workspace; set workspace or workspace_id"
    )


def _grouped(task: Task, query: dict[str, Any]) -> dict[str, Any]:
    return {**query, "group_duplicates": "true"} if task.params["group_duplicates"] else query
