# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Starts scans: under a lock if an existing scan would do as well, and never twice if an answer is lost."""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .. import _private_files
from .._errors import CallError, Interrupted, printable
from .._families.scan import SCAN
from .._families.scan_statuses import FAILED_TO_START, QUEUE_TIMEOUT, UNKNOWN_STATE
from .._names import normal_form
from .._records import is_row, new_record, read_id, record_of
from .._task import Task
from .find import doubles, find_scans, narrowed, new_scans
from .lines import Lines
from .spec import ScanSpec, is_slot_refusal, start_hints
from .targets import find_missing
from .watch import Entry, Watch

# targets share this many locks for each tool and service: a task with many targets must not run out of file descriptors
_LOCKS = 64
# how long a task waits for another one, in seconds
_LONGEST_WAIT = 120


@contextlib.contextmanager
def starts_locked(task: Task, spec: ScanSpec, names: Iterable[str]) -> Iterator[None]:
    """If an existing scan would do, keep other tasks of this user from starting scans of these targets with this tool. If
    the lock cannot be taken, the task warns and continues."""
    transport = task.client.transport
    with contextlib.ExitStack() as held:
        try:
            place = _private_files.directory(os.environ) if spec.max_age and not task.check_mode else ""
            for parts in lock_parts(transport.connection.base_url, spec.tool_id, names) if place else ():
                path = _private_files.path_for(place, "start of scans", *parts)
                held.enter_context(_private_files.locked(path, _LONGEST_WAIT, transport.pause, transport.now))
        except OSError as error:
            task.warn(
                "A lock could not be taken"
                f" ({printable(error.strerror or error)}), so two tasks at the same time may both start a scan of one target."
            )
        yield


def lock_parts(base_url: str, tool_id: int, names: Iterable[str]) -> list[tuple[str, ...]]:
    """What the locks of these targets are named after, in the order in which every task takes them. Pure."""
    numbers = {zlib.crc32(normal_form(name).encode("utf-8", "surrogatepass")) % _LOCKS for name in names}
    return [(base_url, str(tool_id), str(number)) for number in sorted(numbers)]


@dataclass(frozen=True)
class Starter:
    """Starts scans of a watch."""

    task: Task
    spec: ScanSpec
    watch: Watch
    lines: Lines

    def start_ready(self) -> None:
        """Start what can be started now. A failed start makes room for the next one."""
        while (ready := self._ready()) and self._start_each(ready):
            pass

    def start_next(self) -> None:
        """Start what can be started by now, unless somebody else has."""
        if not self.spec.max_age:
            self.start_ready()
            return
        task, query = self.task, self.watch.query
        while ready := self._ready():
            with starts_locked(task, self.spec, [entry.target for entry in ready]):
                find_missing(task, ready, query)
                find_scans(task, self.spec, narrowed(query, ready), ready)
                left = [entry for entry in ready if entry.scan_id is None]
                continues = self._start_each(left)
            self.warn_of_doubles(left)
            if not continues:
                return

    def _ready(self) -> list[Entry]:
        return self.watch.startable(0 if self.task.check_mode else self.task.params["concurrency"])

    def _start_each(self, entries: Sequence[Entry]) -> bool:
        """Start these; False if the rest has to wait."""
        for entry in entries:
            if self.task.check_mode:
                entry.started, entry.predicted, entry.record = True, True, new_record(SCAN, self._known_fields(entry))
            elif entry.error is None and not self._start_or_note(entry):
                return False
            self.lines.show_starts(self.task, self.watch)
        return True

    def warn_of_doubles(self, entries: Sequence[Entry]) -> None:
        """Warn of scans that somebody on another machine has started at the same time. None of them is stopped."""
        entries = [entry for entry in entries if entry.started]
        if not self.spec.max_age or not entries or self.task.check_mode:
            return
        with contextlib.suppress(CallError):
            for entry, others in doubles(self.task, self.spec, self.watch.query, entries):
                ids = ", ".join(str(number) for number in others)
                self.task.warn(
                    f"While this task started scan {entry.scan_id} of {printable(entry.target)!r}, somebody else started"
                    f" {'another' if len(others) == 1 else 'others'} with the same tool: {ids}. All of them go on. Stop those"
                    " that are not needed, with state: stopped and their ids."
                )

    def _start_or_note(self, entry: Entry) -> bool:
        """Start a scan, or note why it failed; False if it has to wait for a free slot.

        A failure concerns one entry, but one of the account or the network concerns all that are left.
        """
        task, watch = self.task, self.watch
        try:
            self._start(entry)
        except CallError as error:
            waits_for_slots = task.params["wait"] and (task.params["concurrency"] or len(watch.entries) > 1)
            if waits_for_slots and is_slot_refusal(error):
                now = task.client.transport.now()
                watch.slot_refused(now)
                if watch.waited_too_long_for_a_slot(now):
                    self._give_up(error)
                return False
            if len(watch.entries) == 1 or isinstance(error, Interrupted):
                raise
            outcome = UNKNOWN_STATE if error.maybe_done else FAILED_TO_START
            hopeless = error.status in (None, 401, 429) and not error.maybe_done
            for each in watch.startable() if hopeless else [entry]:
                each.error, each.outcome = str(error), outcome
        else:
            watch.no_slot_since = None
        return True

    def _give_up(self, error: CallError) -> None:
        """Note for all that was not started that no slot became free in time."""
        for entry in self.watch.startable():
            entry.outcome = QUEUE_TIMEOUT
            entry.error = (
                f"No scan of {printable(entry.target)!r} was started: the account's plan had no free slot for"
                f" {self.watch.timeouts.queue:g} s ({printable(error.message)!r}). Run the task again when other"
                " scans have ended, or raise queue_timeout."
            )

    def _start(self, entry: Entry) -> None:
        task, query = self.task, self.watch.query
        body = self.spec.body(entry, query.get("workspace_id"))
        try:
            scan_id, data = task.client.start(SCAN, body, start_hints(task.params))
        except CallError as error:
            if not error.maybe_done:
                raise
            scan_id, data = self._find_started(entry, error), {}
            task.warn(
                f"The answer to POST {SCAN.path} was lost or was not a success. Scan {scan_id} of"
                f" {printable(entry.target)!r} is new since then and is counted as started by this task."
            )
        if scan_id is None:
            scan_id = self._find_started(entry)
        target_id = read_id(data.get("target_id"))
        if target_id is not None:
            entry.target_id = target_id
        if is_row(SCAN, data) and "status_name" in data:
            record = record_of(SCAN, data)
        else:
            record = dict(new_record(SCAN, self._known_fields(entry)), id=scan_id)
        entry.take(record, self.task.client.transport.now(), started=True)

    def _known_fields(self, entry: Entry) -> dict[str, int | None]:
        workspace_id = self.watch.query.get("workspace_id")
        return dict(tool_id=self.spec.tool_id, target_id=entry.target_id, workspace_id=workspace_id)

    def _find_started(self, entry: Entry, error: CallError | None = None) -> int:
        """The id of the one scan of the entry's target and tool that did not exist before. Raises if there is not exactly
        one.

        error: of the start, None if it succeeded without an id.
        """
        new = None
        # if nothing can be read, the failed start is still what the error is about
        with contextlib.suppress(CallError), self.task.client.transport.stop.last_calls():
            find_missing(self.task, [entry], self.watch.query)
            new = new_scans(self.task, self.spec, entry, self.watch.query)
        if new is not None and len(new) == 1:
            return new[0]
        entry.started, entry.maybe_started = error is None, error is not None
        raise _unclear_start(entry, new, error)


def _unclear_start(entry: Entry, new: Sequence[int] | None, error: CallError | None) -> CallError:
    """Nobody knows what a start did, or which scan it started. It is never repeated."""
    seen = (
        f"the list shows {len(new) or 'no'} new scan{'s' if new else ''} of it"
        if new is not None
        else ("the list of scans could not be read")
    )
    target = printable(entry.target)
    if error is None:
        sentence = (
            f"A scan of {target!r} may have been started: the answer to POST {SCAN.path} was a success without its id, and"
            f" {seen}."
        )
    else:
        what = "No answer" if error.status is None else f"The answer {error.status}"
        sentence = f"{what} to the start of a scan of {target!r} (POST {SCAN.path}). It may have been started, although {seen}."
    return CallError(
        f"{sentence} Read the list with scanops.scanner.scan_info, or run the task again with max_age, which uses a scan"
        " that is in progress.",
        "POST",
        SCAN.path,
        error.status if error else None,
        error.message if error else None,
        error.details if error else None,
        maybe_done=True,
    )
