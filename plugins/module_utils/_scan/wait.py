# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Waits for scans: reads how they are until each has ended, and starts those that had to wait."""

from __future__ import annotations

from collections.abc import Mapping

from .._errors import ApiError, CallError, Interrupted, ScannerError
from .._families.scan import SCAN
from .._families.scan_statuses import QUEUE_TIMEOUT, RUN_TIMEOUT
from .._records import Record
from .._task import Task
from .lines import Lines
from .record import without_secrets
from .result import named_scans
from .spec import timeouts_of
from .start import start_next
from .stop import stop_scan
from .watch import MOST_FAILED_POLLS, Watch


def wait_for(task: Task, watch: Watch) -> None:
    """Wait until all scans have ended or timed out, and start those that had to wait. Shows the progress."""
    transport = task.client.transport
    if watch.is_over():
        return
    lines = Lines(transport.now())
    lines.show(task, watch)
    while not watch.is_over():
        transport.pause(
            watch.pause(transport.now(), task.params["poll_interval"], transport.jitter(), timeouts_of(task.params))
        )
        _poll(task, watch, transport.now())
        lines.show(task, watch)


def _poll(task: Task, watch: Watch, now: float) -> None:
    try:
        moved = _read(task, watch, now)
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
    start_next(task, watch)


def _stop_late(task: Task, watch: Watch) -> None:
    for entry in watch.entries:
        if entry.outcome in (QUEUE_TIMEOUT, RUN_TIMEOUT) and entry.scan_id is not None and entry.stopped is None:
            entry.stopped = False
            try:
                entry.stopped = stop_scan(task, entry.scan_id)
            except CallError as error:
                fate = "may have been stopped" if error.maybe_done else "could not be stopped, so it goes on"
                task.warn(f"Scan {entry.scan_id} took too long and {fate}: {error}")


def _read(task: Task, watch: Watch, now: float) -> bool:
    """Read once how the scans are, and note it; returns whether any has moved."""
    reading = watch.next_reading()
    watch.turn += 1
    records: Mapping[int, Record | None]
    if reading.kind == "nothing":
        return False
    if reading.kind == "scan":
        records = {reading.number: task.client.read(SCAN, reading.number)}
    elif reading.kind == "page":
        rows = _page(task, watch, reading.number)
        # the next poll looks for a scan that has moved to another page
        watch.found_on(reading.number, rows)
        records = {row["id"]: row for row in rows}
    else:
        records = _walk(task, watch)
    return _note(task, watch, records, now)


def _page(task: Task, watch: Watch, number: int) -> list[Record]:
    """The records on one page, none if the service answers 404 past the end: only a read by its id shows that a scan no
    longer exists, never a list."""
    try:
        return list(task.client.page(SCAN, number, watch.query))
    except ApiError as error:
        if error.status == 404 and number > 1:
            return []
        raise


def _walk(task: Task, watch: Watch) -> dict[int, Record | None]:
    """Read all pages up to the last pending scan; a scan that no page shows is read by its id."""
    wanted = {entry.scan_id for entry in watch.pending()}
    seen: dict[int, Record | None] = {}
    number = 1
    while wanted - set(seen):
        rows = _page(task, watch, number)
        if not rows or not {row["id"] for row in rows} - set(seen):
            break
        watch.found_on(number, rows)
        seen.update({row["id"]: row for row in rows})
        number += 1
    for entry in watch.pending():
        if entry.known_id not in seen:
            entry.page, entry.unlisted = None, True
            seen[entry.known_id] = task.client.read(SCAN, entry.known_id)
    return seen


def _note(task: Task, watch: Watch, records: Mapping[int, Record | None], now: float) -> bool:
    moved = False
    for entry in watch.pending():
        if entry.known_id in records:
            record = records[entry.known_id]
            # keep the fields that only a read by id shows
            known = entry.record if entry.record and entry.record.get("id") == entry.scan_id else {}
            shown = record and without_secrets({**known, **record})
            moved = entry.observe(shown, now, timeouts_of(task.params)) or moved
    if "workspace_id" not in watch.query:
        # the current workspace may change during the wait
        ids = {
            entry.record["workspace_id"] for entry in watch.entries if entry.record and entry.record.get("workspace_id")
        }
        if len(ids) == 1:
            watch.query["workspace_id"] = ids.pop()
    return moved
