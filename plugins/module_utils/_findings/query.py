# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Which findings a task refers to, and which scans must have counted them."""

from __future__ import annotations

from typing import NamedTuple

from .._lookup import place_of
from .._references import belongs, place_from, scan_of, target_of, warn_unplaced
from .._resources import SCAN
from .._scan.record import findings_of


class Asked(NamedTuple):
    """query: what the service is asked for; scans: the records of the scans whose findings these are; problems: why the
    answer may lack some, whatever it holds."""

    query: dict
    scans: tuple
    problems: list

    @property
    def owners(self):
        """The ids that were asked for, by the field of a finding that has them."""
        return {field: self.query[field] for field in ("target_id", "task_id") if field in self.query}


def asked_of(task):
    """The Asked of a task, or None where in check mode it refers to something that does not exist yet.

    The scans are read before the findings: what is found meanwhile makes more rows than a scan has counted, never fewer.
    """
    place = place_of(task)
    if place.missing:
        return None
    if task.params["scan_id"] is not None:
        return _of_scan(task, place)
    query, problems = {}, []
    if task.params["target"] is not None or task.params["target_id"] is not None:
        target = target_of(task, place)
        if target is None:
            return None
        query["target_id"] = target["id"]
        place = place_from(target, place)
        if not place.declared and task.params["target_id"] is not None:
            problems.append(_unplaced("target", target["id"]))
    warn_unplaced(task, place, "findings")
    scans = task.client.all(SCAN, {**place.query, **query})
    scans = tuple(scan for scan in scans if belongs(scan, query))
    return Asked(_grouped(task, {**place.query, **query}), scans, problems)


def _of_scan(task, place):
    scan, place = scan_of(task, place)
    if scan is None:
        return None
    warn_unplaced(task, place, "findings")
    # without a workspace the counts of the scan are the only proof that the service looked in the right one
    problems = [] if place.declared or findings_of(scan) else [_unplaced("scan", scan["id"])]
    return Asked(_grouped(task, {**place.query, "task_id": scan["id"]}), (scan,), problems)


def _unplaced(noun, object_id):
    return (
        f"the workspace of {noun} {object_id} is not known, and without one the service may list only the findings of its"
        " current workspace; give workspace or workspace_id"
    )


def _grouped(task, query):
    return {**query, "group_duplicates": "true"} if task.params["group_duplicates"] else query
