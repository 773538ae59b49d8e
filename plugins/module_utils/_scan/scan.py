# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The work of the module scan, from its beginning: find or start scans, wait for them, and return how they ended."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from .._evidence.scans import without_secrets
from .._model.errors import AnswerError, CallError, Interrupted, ScannerError, printable
from .._model.families import FAILED_TO_START, QUEUE_TIMEOUT, RUN_TIMEOUT, SCAN, UNKNOWN_STATE
from .._model.records import Record, is_row, new_record, read_id, record_of
from .._task.task import Task
from .find import (
    declared_names,
    doubles,
    find_again,
    find_scans,
    find_started,
    narrowed,
    note_new_targets,
    resolve,
    scans_to_end,
    starts_locked,
    vpn_uuid_of,
)
from .result import Lines, failed, named_scans, result_of, unfinished, verdict
from .spec import ScanSpec, check_options, is_slot_refusal, specs_of, start_hints
from .stop import interrupted, stop_or_delete, stop_scan
from .watch import Entry, Outage, Timeouts, Watch

# seconds between two lines while scans are started
_INTERVAL = 10


def ensure_scan(task: Task) -> Record:
    """The work of the module."""
    # to async_status a result with ``started`` and without ``finished`` is that of a job in progress
    finished = {"finished": True} if "ANSIBLE_ASYNC_DIR" in os.environ else {}
    try:
        check_options(task.params)
        if task.params["state"] != "present":
            return {**stop_or_delete(task, scans_to_end(task)), **finished}
        timeouts = Timeouts(task.params["queue_timeout"], task.params["run_timeout"])
        watch = Watch([], {}, timeouts, Outage(task.params["outage_wait"]))
        run = _Run(task, specs_of(task.params), watch, Lines(task.client.transport.now, task.host.show))
        return {**run.result(), **finished}
    except ScannerError as error:
        raise failed(error, finished) from None


@dataclass
class _Run:
    """The scans of one task."""

    task: Task
    # of each tool
    specs: list[ScanSpec]
    watch: Watch
    lines: Lines
    # whether a failed call is an outage of the wait
    waits: bool = False

    def result(self) -> Record:
        """Find or start the scans, and wait for them; returns the result of the module."""
        task, watch = self.task, self.watch
        single = task.params["targets"] is None and task.params["tools"] is None
        try:
            self._find_or_start()
            if task.check_mode or not task.params["wait"]:
                self._read_started()
            elif not watch.is_over():
                self.lines.show(watch)
                self.waits = True
                transport = task.client.transport
                while not watch.is_over():
                    transport.pause(watch.pause(transport.now(), task.params["poll_interval"], transport.jitter()))
                    self._poll()
                    self.lines.show(watch)
            if unfinished(watch.entries):
                raise ScannerError(verdict(watch))
            return result_of(watch.entries, single, task.diff_mode)
        except ScannerError as error:
            if watch.entries and task.client.transport.stop.reason is not None:
                error = interrupted(task.client, task.params["stop_on_interrupt"], watch, error)
            # whatever fails, the result contains what the task has started
            raise failed(error, result_of(watch.entries, single, task.diff_mode)) from None

    def _find_or_start(self) -> None:
        """Use the existing scans that will do, and start the others, as many as can run at once."""
        task, watch = self.task, self.watch
        # judge the URLs beside the target before any call, then the names of live targets, which are what is sent
        for spec in self.specs:
            task.permits.refuse_body(SCAN.path, Entry("", by_id=True, spec=spec).body(None))
        names = declared_names(task.params)
        # the lock needs the name of a target that is given by its id
        resolved = None if names else resolve(task)
        with self._locked([entry.target for entry in resolved.entries] if resolved else names):
            place, entries = resolved or resolve(task)
            watch.entries = [replace(entry, spec=spec) for spec in self.specs for entry in entries]
            for entry in watch.entries:
                task.permits.refuse_body(SCAN.path, entry.body(place.id))
            vpn_uuid = vpn_uuid_of(task.client, task.params["vpn_profile"])
            for entry in watch.entries:
                entry.spec = entry.spec._replace(vpn_uuid=vpn_uuid)
            watch.query = narrowed(place.query, watch.entries)
            find_scans(task.client, watch.query, watch.entries)
            self._start_ready(again=False)
        if self._reuses:
            self._warn_of_doubles(watch.entries)

    @property
    def _reuses(self) -> bool:
        """Whether an existing scan may do."""
        return bool(self.specs[0].max_age)

    def _locked(self, names: Sequence[str]) -> contextlib.AbstractContextManager[None]:
        """The lock of ``starts_locked``, where an existing scan would do."""
        tools = [spec.tool_id for spec in self.specs]
        needed = names if self._reuses and not self.task.check_mode else ()
        return starts_locked(self.task.client, tools, needed)

    # --- starts

    def _start_ready(self, again: bool) -> None:
        """Start what can be started now. again: unless somebody else has started it since the scans were found."""
        task, query = self.task, self.watch.query
        while ready := self.watch.startable(0 if task.check_mode else task.params["concurrency"]):
            with self._locked([entry.target for entry in ready] if again else ()):
                if again:
                    find_again(task.client, task.params, query, ready)
                ready = [entry for entry in ready if not entry.scan_id]
                # a failed start makes room for the next one
                continues = all(map(self._start_or_note, ready))
            if again:
                self._warn_of_doubles(ready)
            if not continues:
                return

    def _start_or_note(self, entry: Entry) -> bool:
        """Start a scan, or note why it failed; False if it has to wait for a free slot.

        A failure concerns one entry, but one of the account or the network concerns all that are left.
        """
        task, watch = self.task, self.watch
        if task.check_mode:
            entry.started, entry.record = True, new_record(SCAN, self._known_fields(entry))
        if task.check_mode or entry.error is not None:
            return True
        try:
            self._start(entry)
        except CallError as error:
            waits_for_slots = task.params["wait"] and (task.params["concurrency"] or len(watch.entries) > 1)
            if waits_for_slots and is_slot_refusal(error):
                if watch.slot_refused(task.client.transport.now()):
                    for each in watch.startable():
                        each.outcome = QUEUE_TIMEOUT
                        each.error = (
                            f"No scan of {printable(each.name)!r} was started: the account's plan had no free slot for"
                            f" {watch.timeouts.queue:g} s ({printable(error.message)!r}). Run the task again when other"
                            " scans have ended, or raise queue_timeout."
                        )
                return False
            if len(watch.entries) == 1 or isinstance(error, Interrupted):
                raise
            outcome = UNKNOWN_STATE if error.maybe_done else FAILED_TO_START
            hopeless = error.status in (None, 401, 429) and not error.maybe_done
            if hopeless and self.waits:
                raise
            for each in watch.startable() if hopeless else [entry]:
                each.error, each.outcome = str(error), outcome
        else:
            watch.no_slot_since = None
        self.lines.show(watch, _INTERVAL)
        return True

    def _start(self, entry: Entry) -> None:
        task, query = self.task, self.watch.query
        try:
            scan_id, data = task.client.start(SCAN, entry.body(query.get("workspace_id")), start_hints(task.params))
        except CallError as error:
            if not error.maybe_done:
                raise
            scan_id, data = find_started(task, query, entry, error), {}
        if scan_id is None:
            scan_id = find_started(task, query, entry)
        # the scan must be one of the target that the service has created for it
        with contextlib.suppress(ScannerError):
            note_new_targets(task.client, task.params, query, [entry])
        entry.target_id = entry.target_id or read_id(data.get("target_id"))
        if is_row(SCAN, data) and "status_name" in data:
            record = record_of(SCAN, data)
        else:
            record = dict(new_record(SCAN, self._known_fields(entry)), id=scan_id)
        entry.take(record, task.client.transport.now(), started=True)

    def _is_own(self, entry: Entry, record: Record) -> bool:
        """Whether a record is that of the entry's scan. If the start was answered with another scan, the entry takes the one
        that the list shows, or fails."""
        entry.proven = entry.proven or not entry.started or entry.is_of(record)
        if entry.proven:
            return True
        what = f"POST {SCAN.path} was answered with the id {entry.scan_id} of another scan"
        entry.scan_id, entry.record = 0, None
        try:
            error = AnswerError(what, "POST", SCAN.path, maybe_done=True)
            scan_id = find_started(self.task, self.watch.query, entry, error)
        except CallError as unclear:
            entry.error, entry.outcome = str(unclear), UNKNOWN_STATE
        else:
            new = dict(new_record(SCAN, self._known_fields(entry)), id=scan_id)
            entry.take(new, self.task.client.transport.now(), started=True)
        return False

    def _known_fields(self, entry: Entry) -> dict[str, int | None]:
        workspace_id = self.watch.query.get("workspace_id")
        return dict(tool_id=entry.spec.tool_id, target_id=entry.target_id, workspace_id=workspace_id)

    def _warn_of_doubles(self, entries: Sequence[Entry]) -> None:
        """Warn of scans that somebody on another machine has started at the same time. None of them is stopped."""
        entries = [entry for entry in entries if entry.started]
        if not entries or self.task.check_mode:
            return
        with contextlib.suppress(CallError):
            for entry, others in doubles(self.task.client, self.watch.query, entries):
                ids = ", ".join(str(number) for number in others)
                self.task.warn(
                    f"While this task started scan {entry.scan_id} of {printable(entry.name)!r}, somebody else started"
                    f" {'another' if len(others) == 1 else 'others'} with the same tool: {ids}. All of them go on. Stop those"
                    " that are not needed, with state: stopped and their ids."
                )

    def _read_started(self) -> None:
        """Read the records of the scans that were just started, 1 GET each. A failure is a warning."""
        for entry in [each for each in self.watch.pending() if each.started]:
            why = "the service does not show it yet"
            try:
                record = self.task.client.read(SCAN, entry.scan_id)
            except CallError as error:
                record, why = None, error.what
            if record is not None:
                entry.record = record if self._is_own(entry, record) else entry.record
                continue
            self.task.warn(
                f"Scan {entry.scan_id} of {printable(entry.name)!r} was started, but its record could not be read: {why}."
                " The result has only what the start returned. The scan goes on; read it with scanops.scanner.scan_info."
            )

    # --- the wait

    def _poll(self) -> None:
        task, watch = self.task, self.watch
        now = task.client.transport.now()
        try:
            moved = self._note(self._read(), now)
            watch.quiet_polls = 0 if moved else watch.quiet_polls + 1
            self._stop_late()
            self._start_ready(again=self._reuses)
        except Interrupted:
            raise
        except CallError as error:
            if not error.may_have_worked and watch.outage.survives(error, now, task.client.transport.now()):
                self.lines.failed_poll(watch, error.what)
                return
            if error.method == "POST" and len(watch.entries) > 1:
                for each in watch.startable():
                    each.error, each.outcome = str(error), FAILED_TO_START
            elif not watch.pending():
                raise
            else:
                raise ScannerError(
                    f"The wait for scan {named_scans(watch.pending())} was given up, the scans go on: {error}",
                    **error.result,
                ) from None
        watch.outage.end()

    def _stop_late(self) -> None:
        """Stop the scans that took too long, if the task says so."""
        task = self.task
        for entry in self.watch.entries if task.params["on_timeout"] == "stop" else ():
            if entry.outcome in (QUEUE_TIMEOUT, RUN_TIMEOUT) and entry.scan_id and entry.stopped is None:
                entry.stopped = False
                try:
                    entry.stopped = stop_scan(task.client, entry.scan_id)
                except CallError as error:
                    fate = "may have been stopped" if error.maybe_done else "could not be stopped, so it goes on"
                    task.warn(f"Scan {entry.scan_id} took too long and {fate}: {error}")

    def _read(self) -> dict[int, Record | None]:
        """Read the pending scans: one by its id, several by the pages of the list that show them, and one that no page
        shows by its id. Only a read by its id shows that a scan no longer exists, never a list.
        """
        watch, client = self.watch, self.task.client
        wanted = {entry.scan_id for entry in watch.pending()}
        seen: dict[int, Record | None] = {}
        first, number = 1, watch.first_page
        while len(wanted) > 1 and not wanted <= seen.keys():
            try:
                rows = {row["id"]: row for row in client.page(SCAN, number, watch.query)}
            except CallError as error:
                if error.status != 404 or number == 1:
                    raise
                # past the end
                break
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
            return self._read()
        watch.first_page = 1 if unlisted else first
        if unlisted:
            # in turn, so that a poll costs few calls
            watch.turn += 1
            scan_id = sorted(unlisted)[watch.turn % len(unlisted)]
            seen[scan_id] = client.read(SCAN, scan_id)
        return seen

    def _note(self, records: Mapping[int, Record | None], now: float) -> bool:
        """Note how the scans are; returns whether any has moved."""
        watch, moved = self.watch, False
        for entry in watch.pending():
            if entry.scan_id in records:
                record = records[entry.scan_id]
                if record and not self._is_own(entry, record):
                    continue
                # keep the fields that only a read by id shows
                known = entry.record if entry.record and entry.record.get("id") == entry.scan_id else {}
                shown = record and without_secrets({**known, **record})
                moved = entry.observe(shown, now, watch.timeouts) or moved
        if "workspace_id" not in watch.query:
            # the current workspace may change during the wait
            ids = {
                entry.record["workspace_id"]
                for entry in watch.entries
                if entry.record and entry.record.get("workspace_id")
            }
            if len(ids) == 1:
                watch.query["workspace_id"] = ids.pop()
        return moved
