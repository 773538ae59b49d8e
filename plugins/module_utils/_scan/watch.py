# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The scans of a task: which are pending, when to poll them, and when the wait is over. Pure.

The time, ``now``, is an argument in seconds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .._evidence.scans import status_of
from .._model.errors import CallError, without_secrets
from .._model.families import DELETED, QUEUE_TIMEOUT, RUN_TIMEOUT, outcome_of_status
from .._model.records import Record
from .._model.times import seconds_of
from .spec import ScanSpec

# of a scan that is only stopped or deleted
_UNDECLARED = ScanSpec(0, 0, None, None, None, None, {})
# a poll without news makes the next interval longer by this factor, up to a multiple of the declared one
_SLOWER = 1.5
_SLOWEST = 6
_JITTER = 0.2
OUTAGE_OPTION: dict[str, Any] = dict(type="str", default="10m")


class Outage:
    """The failed reads of a wait, since the last one that succeeded."""

    def __init__(self, longest: object) -> None:
        """longest: the option outage_wait. Raises WrongOption."""
        self.longest = seconds_of(longest, "outage_wait")
        # when the first of them began; empty if the last read succeeded
        self._began: list[float] = []

    @property
    def failing(self) -> bool:
        """Whether the last read failed."""
        return bool(self._began)

    def survives(self, error: CallError, asked: float, now: float) -> bool:
        """Note that a read failed; whether the wait continues. asked, now: the times before and after it."""
        self._began = self._began or [asked]
        temporary = error.status is None or error.status == 429 or error.status >= 500
        return temporary and not error.final and self.left(now) > 0

    def left(self, now: float) -> float:
        """The seconds for which reads may go on to fail."""
        return self.longest - sum(now - began for began in self._began)

    def end(self) -> None:
        """Note that a read succeeded."""
        self._began = []


class Timeouts(NamedTuple):
    """How long a scan may wait in the service's queue, and how long it may run, in seconds."""

    queue: float
    run: float


@dataclass
class Entry:
    """One scan of a task."""

    target: str
    target_id: int | None = None
    # the task names its target by id
    by_id: bool = False
    # the ids of the scans of its target and tool that existed before
    known: list[int] = field(default_factory=list)
    # scans that were not used: id, target, reason
    candidates: list[Record] = field(default_factory=list)
    # 0 while it has none
    scan_id: int = 0
    # by this task; in check mode, it would be
    started: bool = False
    # a read has shown that it is a scan of this target and tool
    proven: bool = False
    # the answer to the start was lost, and no read showed what it did
    maybe_started: bool = False
    record: Record | None = None
    outcome: str | None = None
    # why no scan could be started
    error: str | None = None
    # the status of the scan, and since when it has it
    phase: str | None = None
    since: float = 0.0
    # whether this task stopped it after a timeout; None if it did not try
    stopped: bool | None = None
    # what the task declares of it
    spec: ScanSpec = _UNDECLARED

    @property
    def name(self) -> str:
        """The target for messages, without a password that its name can have."""
        return without_secrets(self.target)

    def body(self, workspace_id: int | None) -> Record:
        """The body of its start."""
        # an existing target is named as the service spells it; an id is sent only if the task gives one
        target: Record = {"target_id": self.target_id} if self.by_id else {"target_name": self.target}
        return self.spec.body(target, workspace_id)

    def is_of(self, record: Record) -> bool:
        """Whether a record is that of a scan of this target with this tool. A field that is missing may be any."""
        target_id = self.target_id or record["target_id"]
        return record["tool_id"] in (None, self.spec.tool_id) and record["target_id"] in (None, target_id)

    def take(self, record: Record, now: float, started: bool = False) -> None:
        """Use this scan from now on."""
        self.scan_id, self.started, self.record = record["id"], started, record
        self.phase, self.since = None, now
        self.target_id = self.target_id or record.get("target_id")

    def observe(self, record: Record | None, now: float, timeouts: Timeouts) -> bool:
        """Note the scan's latest record, None if it no longer exists; returns whether the scan has moved."""
        if record is None:
            self.outcome = DELETED
            return True
        before = signature(self.record)
        self.record = record
        self.target_id = record.get("target_id") or self.target_id
        phase = status_of(record)
        self.outcome = outcome_of_status(phase)
        if self.outcome is None and phase != self.phase:
            # a scan that already ran when it was joined gets the whole run_timeout as well
            self.since = self.since if self.phase is None and phase == "waiting" else now
            self.phase = phase
        limit, outcome = (timeouts.queue, QUEUE_TIMEOUT) if phase == "waiting" else (timeouts.run, RUN_TIMEOUT)
        if self.outcome is None and now - self.since >= limit:
            self.outcome = outcome
        return signature(record) != before


@dataclass
class Watch:
    """The scans of one task, and how far the wait for them is. It is created once the targets are known."""

    entries: list[Entry]
    # the filters of the list that shows these scans
    query: dict[str, int]
    timeouts: Timeouts
    outage: Outage = field(default_factory=lambda: Outage("10m"))
    # the first page of the list that shows a pending scan
    first_page: int = 1
    # which of the scans that no page shows was read last
    turn: int = 0
    # polls in a row without news
    quiet_polls: int = 0
    # since when the service refuses starts because the plan's parallel scans are used up, None if it does not
    no_slot_since: float | None = None

    def pending(self) -> list[Entry]:
        """The entries whose scans are in progress."""
        return [entry for entry in self.entries if entry.scan_id and entry.outcome is None]

    def startable(self, concurrency: int = 0) -> list[Entry]:
        """The entries whose scans can be started now. concurrency: how many may be in progress, 0 for no limit."""
        left = [entry for entry in self.entries if not (entry.scan_id or entry.error or entry.started)]
        return left if not concurrency else left[: max(0, concurrency - len(self.pending()))]

    def is_over(self) -> bool:
        return not self.pending() and not self.startable()

    # --- when to poll

    def pause(self, now: float, interval: float, jitter: float) -> float:
        """Seconds until the next poll: at least the interval, longer while nothing moves, never past the next timeout."""
        longer = min(_SLOWEST, _SLOWER ** min(self.quiet_polls, 10))
        wait = interval * longer * (1 + _JITTER * jitter)
        if self.outage.failing:
            # a timeout that passes meanwhile is no reason to poll sooner
            return max(min(wait, self.outage.left(now)), 0.01)
        for entry in self.pending():
            limit = self.timeouts.run if entry.phase == "running" else self.timeouts.queue
            wait = min(wait, max(0.0, entry.since + limit - now))
        if self.no_slot_since is not None and not self.pending():
            wait = min(wait, max(0.0, self.no_slot_since + self.timeouts.queue - now))
        # also after a timeout that has just passed
        return max(wait, 0.01)

    # --- free slots of the account's plan

    def slot_refused(self, now: float) -> bool:
        """Note that the service started nothing because the plan's parallel scans are used up; whether for too long.

        A scan of this task that is in progress restarts the clock, because its slot becomes free.
        """
        if self.no_slot_since is None or self.pending():
            self.no_slot_since = now
        return now - self.no_slot_since >= self.timeouts.queue


def signature(record: Record | None) -> list[object]:
    """The fields of a record that change when its scan moves."""
    record = record or {}
    return [record.get(name) for name in ("status_name", "progress", "num_finished_tests")]
