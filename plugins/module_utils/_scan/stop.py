# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Stops and deletes scans."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .._evidence.scans import is_in_progress, outcome_of, status_of
from .._http.client import Client
from .._model.errors import (
    CallError,
    Incomplete,
    Interrupted,
    Refused,
    ScannerError,
    counted,
    elapsed,
    first_of,
    printable,
)
from .._model.families import DELETED, SCAN
from .._model.records import Record
from .._task.task import Task
from .result import answer_in, failed, named_scans, result_of
from .watch import Entry, Outage, Watch

# how long a stop may take to be seen, in seconds
_LONGEST_STOP = 300


def stop_scan(client: Client, scan_id: int) -> bool:
    """Ask that a scan stops; False if it has ended or no longer exists."""
    try:
        client.stop(SCAN, scan_id)
    except CallError as error:
        if error.status not in (404, 409) and not error.maybe_done:
            raise
        try:
            record = client.read(SCAN, scan_id)
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
    return error.with_sentence(
        f"{answer_in(error)} to {error.method} {error.path}. Scan {scan_id} may have been stopped. {seen} Run the task again"
        " with state: stopped; it stops only what is still in progress."
    ).with_result(changed=True)


def interrupted(client: Client, stops: bool, watch: Watch, error: ScannerError) -> ScannerError:
    """The error of a task that was interrupted. stops: whether to stop the scans that it started."""
    groups: dict[tuple[str, str], list[Entry]] = {}
    with client.transport.stop.last_calls():
        for entry in watch.pending():
            groups.setdefault(_fate(client, entry, stops), []).append(entry)
    sentences = [
        f"Scan {named_scans(entries)} {fate}{f' ({why})' if why else ''}." for (fate, why), entries in groups.items()
    ]
    left = len(watch.startable())
    if left:
        sentences.append(f"{counted(left, 'scan')} {'was' if left == 1 else 'were'} not started.")
    lost = isinstance(error, CallError) and error.maybe_done
    first = str(error) if lost else f"The task ends, because {client.transport.stop.reason}."
    return error.with_sentence(" ".join([first, *sentences]))


def _fate(client: Client, entry: Entry, stops: bool) -> tuple[str, str]:
    """What becomes of a scan of an interrupted task, and why."""
    if not stops or not entry.started:
        return "goes on", "" if entry.started else "this task did not start it"
    try:
        record = None if entry.proven else client.read(SCAN, entry.scan_id)
        if record and not entry.is_of(record):
            return "goes on", "it is a scan of another target or tool, and the start was answered with it"
        entry.stopped = (entry.proven or record is not None) and stop_scan(client, entry.scan_id)
    except CallError as error:
        return "may go on" if error.maybe_done else "goes on", str(error)
    return ("was stopped" if entry.stopped else "has ended"), ""


def stop_or_delete(task: Task, found: Sequence[Entry]) -> Record:
    """The work of ``state`` stopped and absent, on these scans."""
    absent, outage = task.params["state"] == "absent", Outage(task.params["outage_wait"])
    unclear = [str(entry.scan_id) for entry in found if not status_of(entry.record or {})]
    if unclear and not absent:
        raise Refused(
            f"The record of scan {first_of(unclear, 10)} has no status, so it may be in progress, and nothing was stopped:"
            " check it in the web application."
        )
    running = [entry for entry in found if entry.outcome is None]
    if absent and running and not task.params["force"]:
        shown = ", ".join(str(entry.scan_id) for entry in running[:10])
        raise Refused(
            f"{len(running)} of the {len(found)} scans to be deleted {'is' if len(running) == 1 else 'are'} in progress"
            f" ({shown}), and nothing was deleted: set force: true to stop and delete, or wait until they have ended."
        )
    statuses = {str(entry.scan_id): (entry.record or {}).get("status_name") for entry in found}
    deleted: list[int] = []
    try:
        for entry in running:
            entry.stopped = task.check_mode or stop_scan(task.client, entry.scan_id)
        if not task.check_mode and (absent or task.params["wait"]):
            _await_end(task.client, running, outage, min(task.params["poll_interval"], 10), task.host.show)
        for entry in found if absent else ():
            if task.check_mode or task.client.delete(SCAN, entry.scan_id):
                deleted.append(entry.scan_id)
    except ScannerError as error:
        raise failed(error, _result(found, absent, deleted, statuses, task.diff_mode)) from None
    return _result(found, absent, deleted, statuses, task.diff_mode)


def _result(found: Sequence[Entry], absent: bool, deleted: list[int], statuses: Record, diff_mode: bool) -> Record:
    """The result of a task that stops or deletes scans. statuses: before the task, by id."""
    left = [entry for entry in found if entry.record and not absent]
    stopped = [entry.scan_id for entry in found if entry.stopped]
    changed = bool(stopped or deleted)
    result = dict(result_of(left, len(left) == 1), changed=changed, stopped=stopped, deleted=deleted)
    if diff_mode:
        touched = {number: status for number, status in statuses.items() if int(number) in (*stopped, *deleted)}
        after = {} if absent else dict.fromkeys(touched, "stopped")
        result["diff"] = dict(before=touched, after=after, before_header="scans", after_header="scans")
    return result


def _await_end(
    client: Client, stopping: Sequence[Entry], outage: Outage, interval: float, show: Callable[[str], None]
) -> None:
    """Read the scans until they have ended. The seconds of an outage are none of those that a stop may take."""
    transport = client.transport
    left: float = _LONGEST_STOP
    while stopping:
        asked = transport.now()
        try:
            for entry in stopping:
                entry.record = client.read(SCAN, entry.scan_id)
                entry.outcome = outcome_of(entry.record) if entry.record else DELETED
        except Interrupted:
            raise
        except CallError as error:
            if not outage.survives(error, asked, transport.now()):
                raise error.with_sentence(
                    f"Scan {named_scans(stopping)} was asked to stop, and whether it has ended is unknown: {error}"
                ) from None
            show(
                f"scan {named_scans(stopping)} cannot be read ({printable(error.what, 200)}); trying again for"
                f" {elapsed(outage.left(transport.now()))} (outage_wait), it was asked to stop"
            )
            transport.pause(max(min(interval, outage.left(transport.now())), 0.01))
            continue
        outage.end()
        stopping = [entry for entry in stopping if entry.outcome is None]
        if stopping and left <= 0:
            status = (stopping[0].record or {}).get("status_name")
            raise Incomplete(
                f"Scan {stopping[0].scan_id} was asked to stop and is still {printable(status)!r} after {_LONGEST_STOP} s:"
                " check it in the web application, and run the task again."
            )
        if stopping:
            transport.pause(interval)
            left -= transport.now() - asked
