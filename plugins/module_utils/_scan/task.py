# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What a task of the module scan does: find or start, wait, stop, delete; and the short steps of a wait from outside."""

from __future__ import annotations

import os

from .._errors import ApiError, CallError, ScannerError, printable
from .._resources import SCAN
from .handover import Step, handed_over
from .record import QUEUE_TIMEOUT, RUN_TIMEOUT, without_secrets
from .result import named_scans, result_of, unfinished, verdict
from .start import begin, nothing_lost, start_next
from .stop import settle_scans, stop_each, stop_scans
from .watch import (
    MOST_TROUBLES,
    found_on,
    is_over,
    next_reading,
    observe,
    pause,
    pending,
    settle,
    startable,
    started,
)

_SHORTEST_POLL = 0.1
# so many seconds may pass with starts before a short run hands over, so that the person who watches sees them
_LONGEST_START = 10


def ensure_scan(task):
    """The work of the module; returns its result, a dict."""
    # to async_status a result with ``started`` and without ``finished`` is that of a job that goes on
    over = {"finished": True} if "ANSIBLE_ASYNC_DIR" in os.environ else {}
    try:
        return {**_ensured(task), **over}
    except ScannerError as error:
        error.result.update(over)
        raise


def _ensured(task):
    _check(task.params)
    step = _step_of(task)
    if step and step.stop:
        return stop_each(task, started(step.watch))
    if task.params["state"] != "present":
        return settle_scans(task)
    transport = task.client.transport
    # the time of a wait goes on from one run of the module to the next
    ahead = step.now - transport.now() if step else 0
    now = transport.now() + ahead
    watch = step.watch if step else None
    begins = watch is None
    until = transport.now() + _LONGEST_START if step else None
    if begins:
        watch = begin(task, now, until)
    with nothing_lost(task, watch):
        if not begins:
            _poll(task, watch, now, until)
        elif task.check_mode or not task.params["wait"]:
            _read_started(task, watch)
            return _result(task, watch)
        while not is_over(watch):
            seconds = _pause(task, watch, now)
            handed = _handed_over(task, watch) if step else None
            # a password may be in a target's name: then nothing but this run knows the name
            if handed and task.survives_masking(handed):
                return dict(changed=False, pause=seconds, **handed)
            transport.pause(seconds)
            now = transport.now() + ahead
            _poll(task, watch, now)
    return _result(task, watch)


def _step_of(task):
    """The Step that the action plugin asks for, None where the task runs in one piece. Check mode takes no steps, so
    that nothing is started or stopped by one."""
    if task.step is None or task.check_mode:
        return None
    transport = task.client.transport
    step = Step.from_json(task.step, transport.connection.api_key, task.params)
    # the run before this one has had answers, so address and key are right
    transport.known.answered |= step.watch is not None
    return step


def _handed_over(task, watch):
    return handed_over(watch, task.client.transport.connection.api_key, task.params)


def _check(params):
    for option in ("queue_timeout", "run_timeout"):
        if not params[option] >= 0:
            raise ScannerError(f"{option} is {params[option]:g}: set it to 0 seconds or more.")
    if not params["poll_interval"] >= _SHORTEST_POLL:
        raise ScannerError(f"poll_interval is {params['poll_interval']:g}: set it to {_SHORTEST_POLL} seconds or more.")
    if params["concurrency"] < 0:
        raise ScannerError(f"concurrency is {params['concurrency']}: set it to 0 for all at once, or to a number.")
    if params["concurrency"] and not params["wait"]:
        raise ScannerError(
            "concurrency needs wait: true, as nobody else would start the rest: set wait, or leave it out."
        )
    if params["state"] == "present" and params["id"] is not None:
        raise ScannerError("id names an existing scan: use it with state: stopped or absent, or give target instead.")


def _limits(task):
    return dict(queue_timeout=task.params["queue_timeout"], run_timeout=task.params["run_timeout"])


def _pause(task, watch, now):
    if watch.no_slot_since is None and startable(watch, task.params["concurrency"]):
        # the starts were only interrupted to show them
        return 0
    jitter = task.client.transport.jitter()
    return pause(watch, now, task.params["poll_interval"], jitter, **_limits(task))


# --- one poll


def _poll(task, watch, now, until=None):
    """Read once how the scans are, note it, start what may be started now, and stop what took too long."""
    try:
        moved = _read(task, watch, now)
    except CallError as error:
        passing = error.status is None or error.status == 429 or error.status >= 500
        watch.troubles += 1
        if passing and not error.final and watch.troubles < MOST_TROUBLES:
            return
        raise ScannerError(
            f"The wait for scan {named_scans(pending(watch))} was given up, the scans go on: {error}", **error.result
        ) from None
    settle(watch, moved)
    if task.params["on_timeout"] == "stop":
        _stop_late(task, watch)
    start_next(task, watch, now, until)


def _stop_late(task, watch):
    for entry in watch.entries:
        if entry.outcome in (QUEUE_TIMEOUT, RUN_TIMEOUT) and entry.scan_id is not None and entry.stopped is None:
            stopped = []
            try:
                stop_scans(task, [entry.scan_id], stopped)
            except CallError as error:
                fate = "may have been stopped" if error.maybe_done else "could not be stopped, so it goes on"
                task.warn(f"Scan {entry.scan_id} took too long and {fate}: {error}")
            entry.stopped = bool(stopped)


def _read(task, watch, now):
    kind, what = next_reading(watch)
    watch.turn += 1
    if kind == "nothing":
        return False
    if kind == "scan":
        return _note(task, watch, {what: task.client.read(SCAN, what)}, now)
    query = dict(watch.query)
    if kind == "page":
        rows = _page(task, what, query)
        # one that has moved to another page is looked for by the next poll
        found_on(watch, what, rows)
        return _note(task, watch, {row["id"]: row for row in rows}, now)
    return _walk(task, watch, query, now)


def _page(task, number, query):
    """The records on one page. Whether a scan exists is never told by a list, but by its id: so a list that ends with a 404
    is as good as another."""
    try:
        return task.client.page(SCAN, number, query)
    except ApiError as error:
        if error.status == 404 and number > 1:
            return []
        raise


def _walk(task, watch, query, now):
    """Read all pages up to the last pending scan; one that no page shows is read by its id."""
    wanted = {entry.scan_id for entry in pending(watch)}
    seen, number = {}, 1
    while wanted - set(seen):
        rows = _page(task, number, query)
        if not rows or not {row["id"] for row in rows} - set(seen):
            break
        found_on(watch, number, rows)
        seen.update({row["id"]: row for row in rows})
        number += 1
    for entry in pending(watch):
        if entry.scan_id not in seen:
            entry.page, entry.unlisted = None, True
            seen[entry.scan_id] = task.client.read(SCAN, entry.scan_id)
    return _note(task, watch, seen, now)


def _note(task, watch, records, now):
    moved = False
    for entry in pending(watch):
        if entry.scan_id in records:
            record = records[entry.scan_id]
            # what only a read by id tells is kept
            known = entry.record if entry.record and entry.record.get("id") == entry.scan_id else {}
            moved = observe(entry, record and without_secrets({**known, **record}), now, **_limits(task)) or moved
    if "workspace_id" not in watch.query:
        # the current workspace may change while this waits
        ids = {entry.record.get("workspace_id") for entry in watch.entries if entry.record} - {None}
        if len(ids) == 1:
            watch.query["workspace_id"] = ids.pop()
    return moved


# --- the result


def _read_started(task, watch):
    """Without a wait: the records of what was started just now, 1 GET each. The scans go on whatever comes of it."""
    for entry in started(watch):
        why = "the service does not show it yet"
        try:
            record = task.client.read(SCAN, entry.scan_id)
        except CallError as error:
            record, why = None, error.what
        if record is not None:
            entry.record = record
            continue
        task.warn(
            f"Scan {entry.scan_id} of {printable(entry.target)!r} was started, but its record could not be read ({why}), so"
            " the result has only what the start told. The scan goes on; read it with scanops.scanner.scan_info."
        )


def _is_single(task):
    return task.params["targets"] is None


def _result(task, watch):
    if unfinished(watch):
        raise ScannerError(verdict(watch, task.params), **result_of(watch, _is_single(task), task.diff_mode))
    return result_of(watch, _is_single(task), task.diff_mode)
