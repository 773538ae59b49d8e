# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What a task of the module scan does: find or start, wait, stop, delete; and the short steps of a wait from outside."""

from __future__ import annotations

import os

from ._errors import CallError, ScannerError, printable
from ._resources import SCAN
from ._scan_start import begin, start_next
from ._scan_stop import settle_scans, stop_scans
from ._scanning import FINISHED, MOST_CANDIDATES, QUEUE_TIMEOUT, RUN_TIMEOUT, bad_end, without_secrets
from ._watch import (
    MOST_TROUBLES,
    found_on,
    is_over,
    next_reading,
    observe,
    pause,
    pending,
    settle,
)

_SHORTEST_POLL = 0.1
# the most scans that a sentence names
_MOST_NAMED = 5


def ensure_scan(task):
    """The work of the module; returns its result, a dict."""
    # to async_status a result with ``started`` and without ``finished`` is that of a job that goes on
    over = {"finished": 1} if "ANSIBLE_ASYNC_DIR" in os.environ else {}
    try:
        return {**_ensured(task), **over}
    except ScannerError as error:
        error.result.update(over)
        raise


def _ensured(task):
    _check(task.params)
    step = task.step
    if step and "stop" in step:
        stopped = []
        stop_scans(task, step["stop"], stopped)
        return dict(changed=False, stopped=stopped)
    if task.params["state"] != "present":
        return settle_scans(task)
    transport = task.client.transport
    # the time of a wait goes on from one run of the module to the next
    ahead = step["now"] - transport.elapsed() if step else 0
    now = transport.elapsed() + ahead
    watch = step.get("watch") if step else None
    if watch is None:
        watch = begin(task, now)
        if task.check_mode or not task.params["wait"]:
            _read_started(task, watch)
            return _result(task, watch)
    else:
        _poll(task, watch, now)
    while not is_over(watch):
        seconds = _pause(task, watch, now)
        # a password may be part of a target's name: then nothing but this run knows the name
        if step and task.survives_masking(watch):
            return dict(changed=False, watch=watch, pause=seconds)
        transport.pause(seconds)
        now = transport.elapsed() + ahead
        _poll(task, watch, now)
    return _result(task, watch)


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
        raise ScannerError("id names a scan that is there: use it with state: stopped or absent, or give target.")


def _limits(task):
    return dict(queue_timeout=task.params["queue_timeout"], run_timeout=task.params["run_timeout"])


def _pause(task, watch, now):
    jitter = task.client.transport.jitter()
    return pause(watch, now, task.params["poll_interval"], jitter, **_limits(task))


# --- one poll


def _poll(task, watch, now):
    """Read once how the scans are, note it, start what may be started now, and stop what took too long."""
    try:
        moved = _read(task, watch, now)
    except CallError as error:
        passing = error.status is None or error.status == 429 or error.status >= 500
        watch["troubles"] += 1
        if passing and not error.final and watch["troubles"] < MOST_TROUBLES:
            return
        names = ", ".join(
            f"{entry['scan_id']} of {printable(entry['target'], 60)!r}" for entry in _some(pending(watch))
        )
        raise ScannerError(
            f"The wait for scan {names} was given up, the scans go on: {error}",
            **{**_result(task, watch, judge=False), **error.result},
        ) from None
    settle(watch, moved)
    if task.params["on_timeout"] == "stop":
        _stop_late(task, watch)
    start_next(task, watch, now)


def _stop_late(task, watch):
    for entry in watch["entries"]:
        if entry["outcome"] in (QUEUE_TIMEOUT, RUN_TIMEOUT) and "stopped" not in entry:
            stopped = []
            try:
                stop_scans(task, [entry["scan_id"]], stopped)
            except CallError as error:
                task.warn(f"Scan {entry['scan_id']} took too long and could not be stopped, so it goes on: {error}")
            entry["stopped"] = bool(stopped)


def _read(task, watch, now):
    kind, what = next_reading(watch)
    watch["turn"] += 1
    if kind == "scan":
        return _note(task, watch, {what: task.client.read(SCAN, what)}, now)
    query = dict(watch["query"])
    if kind == "page":
        rows = task.client.page(SCAN, what, query)
        # one that has moved to another page is looked for by the next poll
        found_on(watch, what, rows)
        return _note(task, watch, {row["id"]: row for row in rows}, now)
    return _walk(task, watch, query, now)


def _walk(task, watch, query, now):
    """Read all pages up to the last pending scan; one that no page shows is read by its id."""
    wanted = {entry["scan_id"] for entry in pending(watch)}
    seen, number = {}, 1
    while wanted - set(seen):
        rows = task.client.page(SCAN, number, query)
        if not rows or not {row["id"] for row in rows} - set(seen):
            break
        found_on(watch, number, rows)
        seen.update({row["id"]: row for row in rows})
        number += 1
    for entry in pending(watch):
        if entry["scan_id"] not in seen:
            entry["page"], entry["unlisted"] = None, True
            seen[entry["scan_id"]] = task.client.read(SCAN, entry["scan_id"])
    return _note(task, watch, seen, now)


def _note(task, watch, records, now):
    moved = False
    for entry in pending(watch):
        if entry["scan_id"] in records:
            record = records[entry["scan_id"]]
            # what only a read by id tells is kept
            known = entry["record"] if entry["record"] and entry["record"].get("id") == entry["scan_id"] else {}
            moved = observe(entry, record and without_secrets({**known, **record}), now, **_limits(task)) or moved
    if "workspace_id" not in watch["query"]:
        # the current workspace may become another one while this waits
        ids = {entry["record"].get("workspace_id") for entry in watch["entries"] if entry["record"]} - {None}
        if len(ids) == 1:
            watch["query"]["workspace_id"] = ids.pop()
    return moved


# --- the result


def _read_started(task, watch):
    """Without a wait: the records of what was started just now, 1 GET each."""
    for entry in pending(watch):
        if entry["started"]:
            entry["record"] = task.client.read(SCAN, entry["scan_id"]) or entry["record"]


def _result(task, watch, judge=True):
    entries = watch["entries"]
    scans = [
        dict(
            target=entry["target"],
            scan=entry["record"] and without_secrets(entry["record"]),
            outcome=entry["outcome"],
            started=entry["started"],
            error=entry["error"],
        )
        for entry in entries
    ]
    started = [entry["target"] for entry in entries if entry["started"]]
    stopped = [entry["scan_id"] for entry in entries if entry.get("stopped")]
    single = task.params["targets"] is None
    result = dict(
        changed=bool(started or stopped),
        scan=scans[0]["scan"] if single else None,
        outcome=_common_outcome(scans),
        started=bool(started),
        scans=scans,
        candidates=[each for entry in entries for each in entry["candidates"][:MOST_CANDIDATES]],
        stopped=stopped,
        deleted=[],
    )
    if task.diff_mode:
        after = {name: value for name, value in (("started", started), ("stopped", stopped)) if value}
        result["diff"] = dict(before={}, after=after, before_header="scans", after_header="scans")
    bad = [entry for entry in entries if entry["outcome"] not in (None, FINISHED)]
    if bad and judge:
        raise ScannerError(_verdict(task, entries, bad), **result)
    return result


def _common_outcome(scans):
    """The outcome of all of them: the first that is not finished, null while one is open."""
    outcomes = [each["outcome"] for each in scans]
    bad = [outcome for outcome in outcomes if outcome not in (None, FINISHED)]
    return bad[0] if bad else FINISHED if outcomes and None not in outcomes else None


def _verdict(task, entries, bad):
    if len(entries) > 1:
        named = ", ".join(f"{printable(entry['target'], 60)!r} ({entry['outcome']})" for entry in _some(bad))
        more = f" and {len(bad) - _MOST_NAMED} more" if len(bad) > _MOST_NAMED else ""
        first = bad[0]
        why = first["error"] or _sentence(task, first)
        return f"{len(bad)} of {len(entries)} scans did not finish, {named}{more}; see scans. The first of them: {why}"
    return _sentence(task, bad[0])


def _sentence(task, entry):
    seconds = task.params["queue_timeout" if entry["outcome"] == QUEUE_TIMEOUT else "run_timeout"]
    sentence = bad_end(entry["scan_id"], entry["target"], entry["outcome"], entry["record"], seconds)
    return (
        sentence
        if not entry.get("stopped")
        else sentence.replace("it goes on; raise", "it was stopped; raise").replace(", or set on_timeout to stop", "")
    )


def _some(entries):
    return entries[:_MOST_NAMED]
