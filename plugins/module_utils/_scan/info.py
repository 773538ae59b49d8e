# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Reads scans."""

from __future__ import annotations

from .._evidence.clock import old_scans
from .._evidence.scans import is_in_progress, last_moment_of, status_of, without_secrets
from .._model.errors import Refused, WrongOption, first_of, printable
from .._model.families import SCAN, SCAN_STATUSES
from .._model.records import Record
from .._model.times import since_of
from .._model.tools import tool_id_of
from .._task.lookup import Query
from .._task.references import belongs, information, place_of, target_filter, unplaced, warn_unplaced
from .._task.task import Task

_MOST_NAMED = 10


def read(task: Task) -> Record:
    """The work of scan_info."""
    params = task.params
    statuses: set[str] | None = None
    if params["status"] is not None:
        if not params["status"] or not all(each.strip() for each in params["status"]):
            raise WrongOption("status is empty or has an empty item: give at least one status, or remove the option.")
        statuses = {each.strip().lower().replace("_", " ") for each in params["status"]}
        for unknown in sorted(statuses - {name.lower() for name in SCAN_STATUSES}):
            task.warn(
                f"Unknown status {printable(unknown, 60)!r}; it may match nothing. Known statuses:"
                f" {', '.join(SCAN_STATUSES)}."
            )
    since = since_of(params["since"])
    tool_id = None if params["tool"] is None else tool_id_of(params["tool"])
    if params["id"] is not None:
        return dict(scans=[without_secrets(scan) for scan in information(task, SCAN)])
    listed = target_filter(task, place_of(task))
    if listed is None:
        # in check mode, the workspace or target does not exist yet
        return dict(scans=[])
    if params["target_id"] is not None and not listed.place.declared:
        raise Refused(f"Scans may be missing: {unplaced('target', params['target_id'])}.")
    warn_unplaced(listed.place, "scans", task.warn)
    query = _query({**listed.place.query, **listed.query}, tool_id, statuses)
    # an older service may ignore a filter
    owners = {field: value for field, value in query.items() if field != "status"}
    rows = task.client.all(SCAN, query)
    # a scan without a status may have any
    wanted = None if statuses is None else {"", *statuses}
    scans = [scan for scan in rows if belongs(scan, owners) and (wanted is None or status_of(scan) in wanted)]
    if since is not None:
        old = old_scans(task.client, since, rows)
        scans = [scan for scan in scans if scan["id"] not in old]
        undated = [str(scan["id"]) for scan in scans if not is_in_progress(scan) and last_moment_of(scan) is None]
        if undated:
            shown = first_of(undated, _MOST_NAMED)
            task.warn(f"The record of scan {shown} does not say when it ended, so it is returned in spite of since.")
    return dict(scans=[without_secrets(scan) for scan in scans])


def _query(owners: Query, tool_id: int | None, statuses: set[str] | None) -> Query:
    """The filters of the list. owners: those by workspace and target."""
    query = dict(owners) if tool_id is None else dict(owners, tool_id=tool_id)
    known = [name for name in SCAN_STATUSES if statuses and name.lower() in statuses]
    # the service filters by one status, and may refuse an unknown one
    if statuses and len(statuses) == len(known) == 1:
        query["status"] = known[0]
    return query
