# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Starts scans: under a lock if an existing scan would do as well, and never twice if an answer is lost."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .._errors import CallError, Interrupted, ScannerError, printable
from .._families.scan import SCAN
from .._families.scan_statuses import FAILED_TO_START, QUEUE_TIMEOUT, UNKNOWN_STATE
from .._records import is_row, new_record, read_id, record_of
from .._task import Task
from .find import doubles, find_again, find_scans, new_scans, vpn_uuid_of
from .lines import Lines
from .lock import starts_locked
from .result import failed, result_of
from .spec import ScanSpec, is_slot_refusal, spec_of, start_hints
from .stop import interrupted
from .targets import declared_names, resolve
from .watch import Entry, Watch


def find_or_start(task: Task) -> Watch:
    """Find or start the scans that the task declares, as many as can run at once."""
    spec = spec_of(task.params)
    # judge the URLs beside the target before any call, then the names of live targets, which are what is sent
    task.permits.refuse_body(SCAN.path, spec.body(Entry("", by_id=True), None))
    names = declared_names(task.params)
    # the lock needs the name of a target that is given by its id
    resolved = None if names else resolve(task)
    with _alone(task, spec, [entry.target for entry in resolved.entries] if resolved else names):
        place, entries = resolved or resolve(task)
        for entry in entries:
            task.permits.refuse_body(SCAN.path, spec.body(entry, place.id))
        spec = spec._replace(vpn_uuid=vpn_uuid_of(task))
        watch = Watch(entries, dict(place.query, tool_id=spec.tool_id), spec.vpn_uuid)
        if len(entries) == 1 and entries[0].target_id is not None:
            watch.query["target_id"] = entries[0].target_id
        find_scans(task, spec, watch.query, entries)
        starter = Starter(task, spec, watch)
        with reported(task, watch):
            starter.start_ready()
    starter.warn_of_doubles(entries)
    return watch


def start_next(task: Task, watch: Watch) -> None:
    """Start the scans that can be started by now, unless somebody else has."""
    spec = spec_of(task.params, watch.vpn_uuid)
    starter = Starter(task, spec, watch)
    if not spec.max_age:
        starter.start_ready()
        return
    while ready := watch.startable(task.params["concurrency"]):
        with _alone(task, spec, [entry.target for entry in ready]):
            find_again(task, spec, watch, ready)
            left = [entry for entry in ready if entry.scan_id is None]
            continues = starter.start_each(left)
        starter.warn_of_doubles(left)
        if not continues:
            return


@contextlib.contextmanager
def reported(task: Task, watch: Watch) -> Iterator[None]:
    """Whatever fails in this block, the result contains what the task has started."""
    try:
        yield
    except ScannerError as error:
        if task.client.transport.stop.reason is not None:
            error = interrupted(task, watch, error)
        raise failed(error, result_of(watch, task.params["targets"] is None, task.diff_mode)) from None


def _alone(task: Task, spec: ScanSpec, names: Iterable[str]) -> contextlib.AbstractContextManager[None]:
    """If an existing scan would do, keep other tasks on this machine from starting one at the same time."""
    if not spec.max_age or task.check_mode:
        return contextlib.nullcontext()
    return starts_locked(task, spec.tool_id, names)


@dataclass(frozen=True)
class Starter:
    """Starts scans of a watch."""

    task: Task
    spec: ScanSpec
    watch: Watch

    def start_ready(self) -> None:
        """Start what can be started now. A failed start makes room for the next one."""
        while ready := self.watch.startable(0 if self.task.check_mode else self.task.params["concurrency"]):
            if not self.start_each(ready):
                return

    def start_each(self, entries: Sequence[Entry]) -> bool:
        """Start these; False if the rest has to wait."""
        lines = Lines(self.task.client.transport.now())
        for entry in entries:
            if self.task.check_mode:
                self._predict(entry)
            elif entry.error is None and not self._start_or_note(entry):
                return False
            lines.show_starts(self.task, self.watch)
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

    def _predict(self, entry: Entry) -> None:
        entry.started, entry.predicted, entry.record = True, True, new_record(SCAN, self._known_fields(entry))

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
                if watch.waited_too_long_for_a_slot(now, task.params["queue_timeout"]):
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
                f" {self.task.params['queue_timeout']:g} s ({printable(error.message)!r}). Run the task again when other"
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
            new = new_scans(self.task, self.spec, entry, self.watch.query)
        if new is not None and len(new) == 1:
            return new[0]
        entry.started, entry.maybe_started = error is None, error is not None
        raise _UnclearStart(entry, new, error)


class _UnclearStart(CallError):
    """Nobody knows what a start did, or which scan it started. It is never repeated."""

    def __init__(self, entry: Entry, new: Sequence[int] | None, error: CallError | None) -> None:
        if new is None:
            seen = "the list of scans could not be read"
        elif new:
            seen = f"the list shows {len(new)} new scans of it"
        else:
            seen = "the list shows no new scan of it"
        target = printable(entry.target)
        if error is None:
            sentence = (
                f"A scan of {target!r} may have been started: the answer to POST {SCAN.path} was a success without its id,"
                f" and {seen}."
            )
        else:
            what = "No answer" if error.status is None else f"The answer {error.status}"
            sentence = (
                f"{what} to the start of a scan of {target!r} (POST {SCAN.path}). It may have been started, although"
                f" {seen}."
            )
        super().__init__(
            f"{sentence} Read the list with scanops.scanner.scan_info, or run the task again with max_age, which uses a"
            " scan that is in progress.",
            "POST",
            SCAN.path,
            error.status if error else None,
            error.message if error else None,
            error.details if error else None,
            maybe_done=True,
        )


def read_started(task: Task, watch: Watch) -> None:
    """Without a wait, read the records of the scans that were just started, 1 GET each. A failure is a warning."""
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
