# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Stopping scans and deleting them."""

from __future__ import annotations

from .._errors import CallError, Refused, ScannerError, printable
from .._lookup import UNKNOWN_ID
from .._resources import SCAN
from .record import is_in_progress, outcome_of, status_of, without_secrets
from .targets import resolve
from .tools import tool_id_of

# how long a stop may take to be seen, in seconds
_LONGEST_STOP = 300


def stop_scans(task, ids, stopped):
    """Ask that these scans stop, and add the ids of those that were in progress to ``stopped``. One that has ended or is
    gone is none."""
    for scan_id in ids:
        if _stop(task, scan_id):
            stopped.append(scan_id)


def _stop(task, scan_id):
    """Ask that a scan stops: True where this did it, False where the scan has ended or is gone."""
    try:
        task.client.stop(SCAN, scan_id)
    except CallError as error:
        if error.status not in (404, 409) and not error.maybe_done:
            raise
        try:
            record = task.client.read(SCAN, scan_id)
        except CallError as unread:
            if not error.maybe_done:
                raise error from None
            raise _MaybeStopped(scan_id, error, f"reading it failed as well, {unread.what}.") from None
        if record is None or not is_in_progress(record):
            # an answer that was lost may have been that of this stop
            return record is not None and error.maybe_done
        if error.maybe_done:
            raise _MaybeStopped(scan_id, error, f"it is still {printable(status_of(record))}.") from None
        raise
    return True


class _MaybeStopped(CallError):
    """A stop of which nobody knows whether it was done."""

    def __init__(self, scan_id, error, seen):
        what = "No answer came to" if error.status is None else f"The answer {error.status} came to"
        known = error.result["api_error"]
        super().__init__(
            f"{what} {error.method} {error.path}, so scan {scan_id} may have been stopped; {seen} Run the task again with"
            " state: stopped; it stops only what is still in progress.",
            error.method,
            error.path,
            error.status,
            known["message"],
            known["details"],
            maybe_done=True,
        )
        self.result["changed"] = True


def stop_each(task, entries):
    """Stop the scans of an interrupted task: what became of each, none kept back by another's failure."""
    fates = []
    for entry in entries:
        fate, why = "stopped", None
        try:
            if not _stop(task, entry.scan_id):
                fate = "has ended"
        except CallError as error:
            fate, why = "may go on" if error.maybe_done else "goes on", str(error)
        fates.append(dict(id=entry.scan_id, fate=fate, why=why))
    stopped = [each["id"] for each in fates if each["fate"] == "stopped"]
    return dict(changed=bool(stopped), stopped=stopped, fates=fates)


def settle_scans(task):
    """``state`` stopped or absent: stop, and delete, the scan with this id or all of the targets with this tool."""
    absent = task.params["state"] == "absent"
    if task.params["id"] == UNKNOWN_ID:
        task.warn_foreseen("the scan")
        return _result(task, [], [], [], {})
    names = {}
    found = _found(task, names)
    running = [record["id"] for record in found if is_in_progress(record)]
    if absent and running and not task.params["force"]:
        shown = ", ".join(str(scan_id) for scan_id in running[:10])
        raise Refused(
            f"{len(running)} of the {len(found)} scans to be deleted {'is' if len(running) == 1 else 'are'} in progress"
            f" ({shown}), and nothing was deleted: set force: true to stop and delete, or wait until they have ended."
        )
    if task.check_mode:
        return _result(task, found, running, [record["id"] for record in found] if absent else [], names)
    before, stopped, deleted = found, [], []
    try:
        stop_scans(task, running, stopped)
        found = _after_stop(task, found, running if absent or task.params["wait"] else [])
        for record in before if absent else ():
            if task.client.delete(SCAN, record["id"]):
                deleted.append(record["id"])
    except ScannerError as error:
        # what was done before it is part of the result
        error.result = {**_result(task, before, stopped, deleted, names), **error.result}
        raise
    return _result(task, found, stopped, deleted, names, before)


def _found(task, names):
    """The live records that the task means; names: filled with the names of their targets by id."""
    scan_id = task.params["id"]
    if scan_id is not None:
        record = task.client.read(SCAN, scan_id)
        if record is None and task.params["state"] == "stopped":
            raise Refused(f"No scan with id {scan_id} is visible to this API key: correct the id.")
        return [record] if record else []
    tool_id = tool_id_of(task.params["tool"])
    place, entries = resolve(task)
    names.update({entry.target_id: entry.target for entry in entries if entry.target_id is not None})
    ids = set(names)
    if not ids:
        return []
    query = dict(place.query, tool_id=tool_id)
    if len(ids) == 1:
        query["target_id"] = min(ids)
    rows = [row for row in task.client.all(SCAN, query) if row["target_id"] in ids and row["tool_id"] == tool_id]
    return rows if task.params["state"] == "absent" else [row for row in rows if is_in_progress(row)]


def _after_stop(task, found, ids):
    """The records, those with these ids read again until they have ended; one that is gone is left out."""
    records = {record["id"]: record for record in found}
    transport = task.client.transport
    until = transport.now() + _LONGEST_STOP
    left = list(ids)
    while left:
        for scan_id in left:
            records[scan_id] = task.client.read(SCAN, scan_id)
        left = [scan_id for scan_id in left if records[scan_id] is not None and is_in_progress(records[scan_id])]
        if left and transport.now() > until:
            raise Refused(
                f"Scan {left[0]} was asked to stop and is still {printable(records[left[0]].get('status_name'))!r} after"
                f" {_LONGEST_STOP} s: look at it in the web application and run again."
            )
        if left:
            transport.pause(min(task.params["poll_interval"], 10))
    return [record for record in records.values() if record is not None]


def _result(task, found, stopped, deleted, names, before=None):
    absent = task.params["state"] == "absent"
    left = [] if absent else [without_secrets(record) for record in found]
    scans = [
        dict(
            target=names.get(record.get("target_id")),
            scan=record,
            outcome=outcome_of(record),
            started=False,
            error=None,
        )
        for record in left
    ]
    result = dict(
        changed=bool(stopped or deleted),
        scan=left[0] if len(left) == 1 else None,
        outcome=scans[0]["outcome"] if len(left) == 1 else None,
        started=False,
        scans=scans,
        candidates=[],
        stopped=stopped,
        deleted=deleted,
    )
    if task.diff_mode:
        touched = {*stopped, *deleted}
        live = {str(each["id"]): each.get("status_name") for each in before or found if each["id"] in touched}
        after = {} if absent else dict.fromkeys(live, "stopped")
        result["diff"] = dict(before=live, after=after, before_header="scans", after_header="scans")
    return result
