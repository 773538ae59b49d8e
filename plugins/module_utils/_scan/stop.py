# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Stops and deletes scans."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .._errors import CallError, Incomplete, Refused, ScannerError, WrongOption, counted, printable
from .._families.scan import SCAN
from .._raw_options import UNKNOWN_ID
from .._records import Record
from .._task import Task
from .record import is_in_progress, outcome_of, status_of, without_secrets
from .result import failed, named_scans
from .targets import resolve
from .tools import tool_id_of
from .watch import Entry, Watch

# how long a stop may take to be seen, in seconds
_LONGEST_STOP = 300


def stop_scan(task: Task, scan_id: int) -> bool:
    """Ask that a scan stops; False if it has ended or no longer exists."""
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
            raise _maybe_stopped(scan_id, error, f"Reading it failed as well: {unread.what}.") from None
        if record is None or not is_in_progress(record):
            # if the answer was lost, this stop may have ended it
            return record is not None and error.maybe_done
        if error.maybe_done:
            raise _maybe_stopped(scan_id, error, f"It is still {printable(status_of(record))}.") from None
        raise
    return True


def _maybe_stopped(scan_id: int, error: CallError, seen: str) -> CallError:
    """Nobody knows whether a scan was stopped."""
    what = "No answer" if error.status is None else f"The answer {error.status}"
    return error.with_sentence(
        f"{what} to {error.method} {error.path}. Scan {scan_id} may have been stopped. {seen} Run the task again with"
        " state: stopped; it stops only what is still in progress."
    ).with_result(changed=True)


def interrupted(task: Task, watch: Watch, error: ScannerError) -> ScannerError:
    """The error of a task that was interrupted. Stops the scans that it started if it declares ``stop_on_interrupt``."""
    stops = task.params["stop_on_interrupt"]
    with task.client.transport.stop.last_calls():
        fates = [(entry, *_fate(task, entry, stops)) for entry in watch.pending()]
    groups: dict[tuple[str, str], list[Entry]] = {}
    for entry, fate, why in fates:
        groups.setdefault((fate, why), []).append(entry)
    sentences = [
        f"Scan {named_scans(entries)} {fate}{f' ({why})' if why else ''}." for (fate, why), entries in groups.items()
    ]
    left = len(watch.startable())
    if left:
        sentences.append(f"{counted(left, 'scan')} {'was' if left == 1 else 'were'} not started.")
    lost = isinstance(error, CallError) and error.maybe_done
    first = str(error) if lost else f"The task ends, because {task.client.transport.stop.reason}."
    return error.with_sentence(" ".join([first, *sentences]))


def _fate(task: Task, entry: Entry, stops: bool) -> tuple[str, str]:
    """What becomes of a scan of an interrupted task, and why."""
    if not stops or not entry.started:
        return "goes on", "" if entry.started else "this task did not start it"
    try:
        entry.stopped = stop_scan(task, entry.known_id)
    except CallError as error:
        return "may go on" if error.maybe_done else "goes on", str(error)
    return ("was stopped" if entry.stopped else "has ended"), ""


@dataclass
class _Cleanup:
    """What a task with the state stopped or absent has found and done.

    names: of the targets, by id; before, after: the scans; stopped, deleted: ids.
    """

    absent: bool
    names: dict[int, str] = field(default_factory=dict)
    before: list[Record] = field(default_factory=list)
    after: list[Record] = field(default_factory=list)
    stopped: list[int] = field(default_factory=list)
    deleted: list[int] = field(default_factory=list)

    def result(self, diff_mode: bool) -> Record:
        left = [] if self.absent else [without_secrets(record) for record in self.after]
        scans = [
            dict(
                target=self.names.get(record["target_id"]),
                scan=record,
                outcome=outcome_of(record),
                started=False,
                error=None,
            )
            for record in left
        ]
        result: Record = dict(
            changed=bool(self.stopped or self.deleted),
            scan=left[0] if len(left) == 1 else None,
            outcome=scans[0]["outcome"] if len(left) == 1 else None,
            started=False,
            scans=scans,
            candidates=[],
            stopped=self.stopped,
            deleted=self.deleted,
        )
        if diff_mode:
            touched = {*self.stopped, *self.deleted}
            live = {str(each["id"]): each.get("status_name") for each in self.before if each["id"] in touched}
            after = {} if self.absent else dict.fromkeys(live, "stopped")
            result["diff"] = dict(before=live, after=after, before_header="scans", after_header="scans")
        return result


def stop_or_delete(task: Task) -> Record:
    """The work of ``state`` stopped and absent, on the scan with this id or all scans of the targets with this tool."""
    cleanup = _Cleanup(absent=task.params["state"] == "absent")
    if task.params["id"] == UNKNOWN_ID:
        task.warn_foreseen("the scan")
        return cleanup.result(task.diff_mode)
    cleanup.before = cleanup.after = _find(task, cleanup)
    running = [record["id"] for record in cleanup.before if is_in_progress(record)]
    if cleanup.absent and running and not task.params["force"]:
        shown = ", ".join(str(scan_id) for scan_id in running[:10])
        raise Refused(
            f"{len(running)} of the {len(cleanup.before)} scans to be deleted {'is' if len(running) == 1 else 'are'} in"
            f" progress ({shown}), and nothing was deleted: set force: true to stop and delete, or wait until they have"
            " ended."
        )
    if task.check_mode:
        cleanup.stopped = running
        cleanup.deleted = [record["id"] for record in cleanup.before] if cleanup.absent else []
        return cleanup.result(task.diff_mode)
    try:
        for scan_id in running:
            if stop_scan(task, scan_id):
                cleanup.stopped.append(scan_id)
        cleanup.after = _after_stop(task, cleanup.before, running if cleanup.absent or task.params["wait"] else [])
        for record in cleanup.before if cleanup.absent else ():
            if task.client.delete(SCAN, record["id"]):
                cleanup.deleted.append(record["id"])
    except ScannerError as error:
        raise failed(error, cleanup.result(task.diff_mode)) from None
    return cleanup.result(task.diff_mode)


def _find(task: Task, cleanup: _Cleanup) -> list[Record]:
    """The scans that the task names; notes the names of their targets."""
    scan_id = task.params["id"]
    if scan_id is not None:
        record = task.client.read(SCAN, scan_id)
        if record is None and not cleanup.absent:
            raise WrongOption(f"No scan with id {scan_id} is visible to this API key: correct the id.")
        return [record] if record else []
    tool_id = tool_id_of(task.params["tool"])
    place, entries = resolve(task)
    cleanup.names = {entry.target_id: entry.target for entry in entries if entry.target_id is not None}
    ids = set(cleanup.names)
    if not ids:
        return []
    query = dict(place.query, tool_id=tool_id)
    if len(ids) == 1:
        query["target_id"] = min(ids)
    rows = [row for row in task.client.all(SCAN, query) if row["target_id"] in ids and row["tool_id"] == tool_id]
    return rows if cleanup.absent else [row for row in rows if is_in_progress(row)]


def _after_stop(task: Task, found: Iterable[Record], ids: Iterable[int]) -> list[Record]:
    """The records, those with these ids read again until they have ended; without those that no longer exist."""
    records: dict[int, Record | None] = {record["id"]: record for record in found}
    transport = task.client.transport
    until = transport.now() + _LONGEST_STOP
    left = list(ids)
    while left:
        for scan_id in left:
            records[scan_id] = task.client.read(SCAN, scan_id)
        running = [record for scan_id in left if (record := records[scan_id]) and is_in_progress(record)]
        if running and transport.now() > until:
            raise Incomplete(
                f"Scan {running[0]['id']} was asked to stop and is still {printable(running[0].get('status_name'))!r} after"
                f" {_LONGEST_STOP} s: check it in the web application, and run the task again."
            )
        if running:
            transport.pause(min(task.params["poll_interval"], 10))
        left = [record["id"] for record in running]
    return [record for record in records.values() if record is not None]
