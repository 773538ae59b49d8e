# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Starting scans, alone on this machine where a scan must not be started twice, and what to do where an answer is lost."""

from __future__ import annotations

import contextlib

from .._errors import CallError, ScannerError, printable
from .._records import is_row, new_record, read_id, record_of
from .._resources import SCAN
from .find import doubles, find_again, find_scans, new_scans, vpn_uuid_of
from .lock import starts_locked
from .record import FAILED_TO_START, QUEUE_TIMEOUT, UNKNOWN_STATE
from .result import result_of
from .targets import declared_names, resolve
from .watch import Entry, out_of_patience, refused_slot, startable, take
from .wish import is_slot_refusal, start_hints, wish_of


def begin(task, now, until=None):
    """Find or start the scans that the task declares, as many as may run at once; returns the Watch over them.

    until: see ``start_next``.
    """
    wish = wish_of(task.params, None)
    # URLs beside the target before any call; then the names of live targets, which are what is sent
    task.gate.refuse_body(SCAN.path, wish.body(Entry("", by_id=True), None))
    names = declared_names(task.params)
    # the name of a target that is given by its id is read first
    resolved = None if names else resolve(task)
    with _alone(task, wish, names or [entry.target for entry in resolved[1]]):
        place, entries = resolved or resolve(task)
        for entry in entries:
            task.gate.refuse_body(SCAN.path, wish.body(entry, place.id))
        wish = wish._replace(vpn_uuid=vpn_uuid_of(task))
        watch = find_scans(task, wish, place, entries, now)
        with nothing_lost(task, watch):
            _start_ready(task, wish, watch, now, until)
    _warn_of_doubles(task, wish, watch, [entry for entry in entries if entry.started])
    return watch


def start_next(task, watch, now, until=None):
    """Start what may be started by now, unless somebody else has.

    until: on the clock of the transport, when the rest is left to the next call of this; None for never.
    """
    wish = wish_of(task.params, watch.vpn_uuid)
    if not wish.max_age:
        _start_ready(task, wish, watch, now, until)
        return
    while ready := startable(watch, task.params["concurrency"]):
        with _alone(task, wish, [entry.target for entry in ready]):
            find_again(task, wish, watch, ready, now)
            left = [entry for entry in ready if entry.scan_id is None]
            goes_on = _start_each(task, wish, watch, left, now, until)
        _warn_of_doubles(task, wish, watch, [entry for entry in left if entry.started])
        if not goes_on:
            return


@contextlib.contextmanager
def nothing_lost(task, watch):
    """What has been started is in the result, whatever fails after it."""
    try:
        yield
    except ScannerError as error:
        error.result = {**result_of(watch, task.params["targets"] is None, task.diff_mode), **error.result}
        raise


def _alone(task, wish, names):
    """Where an existing scan would do, no other task of this machine looks for one of these targets at the same time."""
    if not wish.max_age or task.check_mode:
        return contextlib.nullcontext()
    return starts_locked(task, wish.tool_id, names)


def _warn_of_doubles(task, wish, watch, entries):
    """Say what another machine has started at the same time, which no lock can prevent. Nothing is stopped for it."""
    if not wish.max_age or not entries or task.check_mode:
        return
    with contextlib.suppress(CallError):
        for entry, others in doubles(task, wish, watch, entries):
            ids = ", ".join(str(number) for number in others)
            task.warn(
                f"While this task started scan {entry.scan_id} of {printable(entry.target)!r}, somebody else started"
                f" {'another' if len(others) == 1 else 'others'} with the same tool: {ids}. All of them go on. Stop those that"
                " are not needed, with state: stopped and their ids."
            )


# --- starting


def _start_ready(task, wish, watch, now, until):
    """Start what may be started now. A failure is that of the entry, but one of the account ends the starting."""
    # one that fails makes room for the next
    while ready := startable(watch, 0 if task.check_mode else task.params["concurrency"]):
        if not _start_each(task, wish, watch, ready, now, until):
            return


def _start_each(task, wish, watch, entries, now, until):
    """Start these; False where the rest has to wait."""
    for entry in entries:
        if task.check_mode:
            _predict(entry, wish, watch.query.get("workspace_id"))
        elif entry.error is None and not _start_or_note(task, wish, entry, watch, now):
            return False
        if until is not None and task.client.transport.now() >= until:
            return False
    return True


def _start_or_note(task, wish, entry, watch, now):
    """Start a scan, or note why not; False where the service has no free slot, and it is worth to wait for one."""
    try:
        _start(task, wish, entry, watch.query, now)
    except CallError as error:
        if _waits_for_slots(task, watch) and is_slot_refusal(error):
            refused_slot(watch, now)
            if out_of_patience(watch, now, task.params["queue_timeout"]):
                _give_up(task, watch, error)
            return False
        if len(watch.entries) == 1:
            raise
        outcome = UNKNOWN_STATE if error.maybe_done else FAILED_TO_START
        hopeless = error.status in (None, 401, 429) and not error.maybe_done
        for each in startable(watch, 0) if hopeless else [entry]:
            each.error, each.outcome = str(error), outcome
    else:
        watch.no_slot_since = None
    return True


def _waits_for_slots(task, watch):
    return task.params["wait"] and bool(task.params["concurrency"] or len(watch.entries) > 1)


def _give_up(task, watch, error):
    """No slot became free in time: note it for all that was not started."""
    for entry in startable(watch, 0):
        entry.outcome = QUEUE_TIMEOUT
        entry.error = (
            f"No scan of {printable(entry.target)!r} was started: the account's plan had no free slot for"
            f" {task.params['queue_timeout']:g} s ({printable(error.message)!r}). Run the task again when other scans have"
            " ended, or raise queue_timeout."
        )


def _predict(entry, wish, workspace_id):
    values = dict(tool_id=wish.tool_id, target_id=entry.target_id, workspace_id=workspace_id)
    entry.started, entry.predicted, entry.record = True, True, new_record(SCAN, values)


def _start(task, wish, entry, query, now):
    try:
        scan_id, data = task.client.start(SCAN, wish.body(entry, query.get("workspace_id")), start_hints(task.params))
    except CallError as error:
        if not error.maybe_done:
            raise
        scan_id, data = _look_for(task, wish, entry, query, error), {}
        task.warn(
            f"The answer to POST {SCAN.path} was lost or was no success; scan {scan_id} of {printable(entry.target)!r}"
            " is new since then and is counted as started by this task."
        )
    if scan_id is None:
        scan_id = _look_for(task, wish, entry, query)
    target_id = read_id(data.get("target_id"))
    if target_id is not None:
        entry.target_id = target_id
    known = dict(tool_id=wish.tool_id, target_id=entry.target_id, workspace_id=query.get("workspace_id"))
    told = is_row(SCAN, data) and "status_name" in data
    record = record_of(SCAN, data) if told else dict(new_record(SCAN, known), id=scan_id)
    take(entry, record, now, started=True)


def _look_for(task, wish, entry, query, error=None):
    """The id of the one scan of the entry's target and tool that did not exist before. Raises where there is no one.

    error: what came in the place of a success, None for a success without an id.
    """
    new = None
    try:
        new = new_scans(task, wish, entry, query)
    except CallError:
        # the start is what counts; that nothing could be read after it must not hide it
        pass
    if new is not None and len(new) == 1:
        return new[0]
    entry.started, entry.maybe_started = error is None, error is not None
    raise _Unknown(entry, new, error)


class _Unknown(CallError):
    """A start of which nobody knows what it did, or which scan it started. It is never repeated."""

    def __init__(self, entry, new, error):
        seen = (
            "the list of scans could not be read"
            if new is None
            else f"the list shows {len(new)} new scans of it"
            if new
            else "the list shows no new scan of it"
        )
        target = printable(entry.target)
        if error is None:
            sentence = (
                f"A scan of {target!r} may have been started: the answer to POST {SCAN.path} was a success without its id,"
                f" and {seen}."
            )
        else:
            what = "No answer came to" if error.status is None else f"The answer {error.status} came to"
            sentence = (
                f"{what} the start of a scan of {target!r} (POST {SCAN.path}): it may have been started, though {seen}."
            )
        known = error.result["api_error"] if error else {}
        super().__init__(
            f"{sentence} Read the list with scanops.scanner.scan_info, or run the task again with max_age, which uses a"
            " scan that is in progress.",
            "POST",
            SCAN.path,
            known.get("status"),
            known.get("message"),
            known.get("details"),
            maybe_done=True,
        )
