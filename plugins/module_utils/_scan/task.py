# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The work of the module scan, from its beginning: find or start scans, wait for them, and return how they ended."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping

from .._errors import CallError, Interrupted, ScannerError, printable
from .._families.scan import SCAN
from .._families.scan_statuses import QUEUE_TIMEOUT, RUN_TIMEOUT
from .._records import Record
from .._task import Task
from .find import find_scans, vpn_uuid_of
from .lines import Lines
from .record import without_secrets
from .result import failed, named_scans, result_of, unfinished, verdict
from .spec import check_options, spec_of
from .start import Starter, starts_locked
from .stop import interrupted, stop_or_delete, stop_scan
from .targets import declared_names, resolve
from .watch import MOST_FAILED_POLLS, Entry, Timeouts, Watch


def ensure_scan(task: Task) -> Record:
    """The work of the module."""
    # to async_status a result with ``started`` and without ``finished`` is that of a job in progress
    finished = {"finished": True} if "ANSIBLE_ASYNC_DIR" in os.environ else {}
    try:
        return {**_ensure(task), **finished}
    except ScannerError as error:
        raise failed(error, finished) from None


def _ensure(task: Task) -> Record:
    check_options(task.params)
    if task.params["state"] != "present":
        return stop_or_delete(task)
    starter = _find_or_start(task)
    watch = starter.watch
    with _reported(task, watch):
        if task.check_mode or not task.params["wait"]:
            _read_started(task, watch)
        else:
            _wait(starter)
        if unfinished(watch):
            raise ScannerError(verdict(watch))
        return result_of(watch, task.params["targets"] is None, task.diff_mode)


def _find_or_start(task: Task) -> Starter:
    """Find or start the scans that the task declares, as many as can run at once."""
    spec = spec_of(task.params)
    # judge the URLs beside the target before any call, then the names of live targets, which are what is sent
    task.permits.refuse_body(SCAN.path, spec.body(Entry("", by_id=True), None))
    names = declared_names(task.params)
    # the lock needs the name of a target that is given by its id
    resolved = None if names else resolve(task)
    with starts_locked(task, spec, [entry.target for entry in resolved.entries] if resolved else names):
        place, entries = resolved or resolve(task)
        for entry in entries:
            task.permits.refuse_body(SCAN.path, spec.body(entry, place.id))
        spec = spec._replace(vpn_uuid=vpn_uuid_of(task))
        timeouts = Timeouts(task.params["queue_timeout"], task.params["run_timeout"])
        watch = Watch(entries, dict(place.query, tool_id=spec.tool_id), timeouts)
        if len(entries) == 1 and entries[0].target_id is not None:
            watch.query["target_id"] = entries[0].target_id
        find_scans(task, spec, watch.query, entries)
        starter = Starter(task, spec, watch, Lines(task.client.transport.now()))
        with _reported(task, watch):
            starter.start_ready()
    starter.warn_of_doubles(entries)
    return starter


@contextlib.contextmanager
def _reported(task: Task, watch: Watch) -> Iterator[None]:
    """Whatever fails in this block, the result contains what the task has started."""
    try:
        yield
    except ScannerError as error:
        if task.client.transport.stop.reason is not None:
            error = interrupted(task, watch, error)
        raise failed(error, result_of(watch, task.params["targets"] is None, task.diff_mode)) from None


def _read_started(task: Task, watch: Watch) -> None:
    """Read the records of the scans that were just started, 1 GET each. A failure is a warning."""
    for entry in watch.started():
        why = "the service does not show it yet"
        try:
            record = task.client.read(SCAN, entry.known_id)
        except CallError as error:
            record, why = None, error.what
        if record is not None:
            entry.record = record
            continue
        task.warn(
            f"Scan {entry.scan_id} of {printable(entry.target)!r} was started, but its record could not be read: {why}. The"
            " result has only what the start returned. The scan goes on; read it with scanops.scanner.scan_info."
        )


# --- the wait


def _wait(starter: Starter) -> None:
    """Wait until all scans have ended or timed out, and start those that had to wait. Shows the progress."""
    task, watch = starter.task, starter.watch
    if watch.is_over():
        return
    transport = task.client.transport
    starter.lines.show(task, watch)
    while not watch.is_over():
        transport.pause(watch.pause(transport.now(), task.params["poll_interval"], transport.jitter()))
        _poll(starter, transport.now())
        starter.lines.show(task, watch)


def _poll(starter: Starter, now: float) -> None:
    task, watch = starter.task, starter.watch
    try:
        moved = _note(watch, _read(task, watch), now)
    except Interrupted:
        raise
    except CallError as error:
        temporary = error.status is None or error.status == 429 or error.status >= 500
        watch.failed_polls += 1
        if temporary and not error.final and watch.failed_polls < MOST_FAILED_POLLS:
            return
        raise ScannerError(
            f"The wait for scan {named_scans(watch.pending())} was given up, the scans go on: {error}",
            **error.result,
        ) from None
    watch.poll_succeeded(moved)
    if task.params["on_timeout"] == "stop":
        _stop_late(task, watch)
    starter.start_next()


def _read(task: Task, watch: Watch) -> dict[int, Record | None]:
    """Read the pending scans: one by its id, several by the pages of the list that show them, and one that no page
    shows by its id. Only a read by its id shows that a scan no longer exists, never a list.
    """
    wanted = {entry.known_id for entry in watch.pending()}
    seen: dict[int, Record | None] = {}
    first, number = 1, watch.first_page
    while len(wanted) > 1 and not wanted <= seen.keys():
        rows = {row["id"]: row for row in _page(task, watch, number)}
        if rows.keys() <= seen.keys():
            break
        if not wanted & seen.keys():
            first = number
        seen.update(rows)
        number += 1
    unlisted = wanted - seen.keys()
    if unlisted and watch.first_page > 1:
        # they may be on an earlier page by now
        watch.first_page = 1
        return _read(task, watch)
    watch.first_page = 1 if unlisted else first
    if unlisted:
        # in turn, so that a poll costs few calls
        watch.turn += 1
        scan_id = sorted(unlisted)[watch.turn % len(unlisted)]
        seen[scan_id] = task.client.read(SCAN, scan_id)
    return seen


def _page(task: Task, watch: Watch, number: int) -> list[Record]:
    """The records on one page, none if the service answers 404 past the end."""
    try:
        return task.client.page(SCAN, number, watch.query)
    except CallError as error:
        if error.status == 404 and number > 1:
            return []
        raise


def _note(watch: Watch, records: Mapping[int, Record | None], now: float) -> bool:
    """Note how the scans are; returns whether any has moved."""
    moved = False
    for entry in watch.pending():
        if entry.known_id in records:
            record = records[entry.known_id]
            # keep the fields that only a read by id shows
            known = entry.record if entry.record and entry.record.get("id") == entry.scan_id else {}
            shown = record and without_secrets({**known, **record})
            moved = entry.observe(shown, now, watch.timeouts) or moved
    if "workspace_id" not in watch.query:
        # the current workspace may change during the wait
        ids = {
            entry.record["workspace_id"] for entry in watch.entries if entry.record and entry.record.get("workspace_id")
        }
        if len(ids) == 1:
            watch.query["workspace_id"] = ids.pop()
    return moved


def _stop_late(task: Task, watch: Watch) -> None:
    for entry in watch.entries:
        if entry.outcome in (QUEUE_TIMEOUT, RUN_TIMEOUT) and entry.scan_id is not None and entry.stopped is None:
            entry.stopped = False
            try:
                entry.stopped = stop_scan(task, entry.scan_id)
            except CallError as error:
                fate = "may have been stopped" if error.maybe_done else "could not be stopped, so it goes on"
                task.warn(f"Scan {entry.scan_id} took too long and {fate}: {error}")
