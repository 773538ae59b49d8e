# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Waiting for scans: what is asked next, when, and when the waiting ends. Pure: the time is an argument, in seconds.

A Watch has a JSON form, so that it can be handed from one short module run to the next.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Any

from .record import DELETED, QUEUE_TIMEOUT, RUN_TIMEOUT, outcome_of, status_of

# a poll that brings nothing new makes the next wait longer by this, up to so many times the interval
_SLOWER = 1.5
_SLOWEST = 6
_JITTER = 0.2
# so many polls in a row may fail before the waiting does
MOST_TROUBLES = 5


@dataclass
class Entry:
    """One scan that a task is about."""

    target: str
    target_id: int | None = None
    # the task names its target by id
    by_id: bool = False
    # the ids of the scans of its target and tool that existed before
    known: list[int] = field(default_factory=list)
    # scans that were not used: id, target, reason
    candidates: list[dict[str, Any]] = field(default_factory=list)
    scan_id: int | None = None
    # by this task
    started: bool = False
    # the answer to the start was lost, and no read could tell what it did
    maybe_started: bool = False
    # in check mode: a scan would be started
    predicted: bool = False
    record: dict[str, Any] | None = None
    outcome: str | None = None
    # why no scan could be started
    error: str | None = None
    # the status of the scan, and since when it has it
    phase: str | None = None
    since: float = 0.0
    # on which page of the list the scan was seen
    page: int | None = None
    # no page of the list shows it
    unlisted: bool = False
    # whether this task stopped it after a timeout; None where it did not try
    stopped: bool | None = None

    def to_json(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def from_json(cls, value: object) -> Entry:
        return cls(**_named(cls, value))


@dataclass
class Watch:
    """The scans of one task. Made once a task knows its targets, and complete from then on: what later starts need is in
    it, but for the options of the task."""

    entries: list[Entry]
    # the filters of the list that shows these scans
    query: dict[str, int]
    # the VPN profile of each start: "" for none, None where the task does not say
    vpn_uuid: str | None
    turn: int = 0
    quiet: int = 0
    troubles: int = 0
    # since when the service refuses starts because its parallel scans are used up, None where it does not
    no_slot_since: float | None = None

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "entries": [entry.to_json() for entry in self.entries]}

    @classmethod
    def from_json(cls, value: object) -> Watch:
        """Raises ValueError where the value is not the JSON form of a watch."""
        named = _named(cls, value)
        if not isinstance(named["entries"], list):
            raise ValueError("the entries of a watch are a list")
        return cls(**{**named, "entries": [Entry.from_json(each) for each in named["entries"]]})


def _named(cls: type, value: object) -> dict[str, Any]:
    names = {each.name for each in fields(cls)}
    if not isinstance(value, dict) or set(value) != names:
        raise ValueError(f"not the JSON form of {cls.__name__}")
    return value


def take(entry: Entry, record: dict[str, Any], now: float, started: bool = False) -> None:
    """From now on an entry is about this scan."""
    entry.scan_id, entry.started, entry.record = record["id"], started, record
    entry.phase, entry.since = None, now
    entry.target_id = record.get("target_id") or entry.target_id


def pending(watch: Watch) -> list[Entry]:
    """The entries whose scans go on."""
    return [entry for entry in watch.entries if entry.scan_id is not None and entry.outcome is None]


def startable(watch: Watch, concurrency: int) -> list[Entry]:
    """The entries whose scans are to be started now; concurrency: how many may be in progress, 0 for all."""
    left = [entry for entry in watch.entries if entry.scan_id is None and not entry.error and not entry.predicted]
    return left if not concurrency else left[: max(0, concurrency - len(pending(watch)))]


def is_over(watch: Watch) -> bool:
    return not pending(watch) and not startable(watch, 0)


def started(watch: Watch) -> list[Entry]:
    """The entries whose scans this task started and that may still be in progress."""
    return [entry for entry in pending(watch) if entry.started]


def observe(entry: Entry, record: dict[str, Any] | None, now: float, queue_timeout: float, run_timeout: float) -> bool:
    """Note what a scan's record says now, None where the scan is gone; returns whether anything has moved."""
    if record is None:
        entry.outcome = DELETED
        return True
    before = signature(entry.record)
    entry.record = record
    entry.target_id = record.get("target_id") or entry.target_id
    entry.outcome = outcome_of(record)
    phase = status_of(record)
    if entry.outcome is None and phase != entry.phase:
        # a scan that was joined while it ran is given the whole time as well
        entry.since = entry.since if entry.phase is None and phase == "waiting" else now
        entry.phase = phase
    limit, outcome = (queue_timeout, QUEUE_TIMEOUT) if phase == "waiting" else (run_timeout, RUN_TIMEOUT)
    if entry.outcome is None and now - entry.since >= limit:
        entry.outcome = outcome
    return signature(record) != before


def signature(record: dict[str, Any] | None) -> list[object]:
    """What of a record tells that its scan has moved."""
    record = record or {}
    return [record.get(name) for name in ("status_name", "progress", "num_finished_tests")]


def settle(watch: Watch, moved: bool) -> None:
    """Note that a poll came back, and whether anything has moved since the one before."""
    watch.troubles = 0
    watch.quiet = 0 if moved else watch.quiet + 1


def pause(watch: Watch, now: float, interval: float, jitter: float, queue_timeout: float, run_timeout: float) -> float:
    """Seconds until the next poll: the interval at least, longer while nothing moves, and not beyond the next timeout."""
    longer = min(_SLOWEST, _SLOWER ** min(watch.quiet, 10))
    wait = interval * longer * (1 + _JITTER * jitter)
    for entry in pending(watch):
        limit = run_timeout if entry.phase == "running" else queue_timeout
        wait = min(wait, max(0.0, entry.since + limit - now))
    if watch.no_slot_since is not None and not pending(watch):
        wait = min(wait, max(0.0, watch.no_slot_since + queue_timeout - now))
    # a timeout that is just over still has its turn
    return max(wait, 0.01)


# --- slots of the service


def refused_slot(watch: Watch, now: float) -> None:
    """Note that the service started nothing because its parallel scans are used up."""
    if watch.no_slot_since is None:
        watch.no_slot_since = now


def out_of_patience(watch: Watch, now: float, queue_timeout: float) -> bool:
    """Whether the wait for a free slot has taken too long: scans of this task hold slots that will become free."""
    if watch.no_slot_since is not None and pending(watch):
        watch.no_slot_since = now
    return watch.no_slot_since is not None and now - watch.no_slot_since >= queue_timeout


# --- which call tells most


def next_reading(watch: Watch) -> tuple[str, int | None]:
    """What one poll reads: ("scan", id), ("page", number), or ("walk", None), all pages up to the last pending scan; and
    ("nothing", None) where no scan is in progress.

    One call, but for a walk, which is due where it is not known on which page a scan is.
    """
    waiting = pending(watch)
    if not waiting:
        return "nothing", None
    if len(waiting) == 1:
        return "scan", waiting[0].scan_id
    if any(entry.page is None and not entry.unlisted for entry in waiting):
        return "walk", None
    places: list[tuple[str, int | None]] = []
    places += [("page", page) for page in sorted({entry.page for entry in waiting if entry.page is not None})]
    places += [("scan", entry.scan_id) for entry in waiting if entry.unlisted]
    return places[watch.turn % len(places)]


def found_on(watch: Watch, number: int, rows: Iterable[dict[str, Any]]) -> None:
    """Note which pending scans are on a page, and which have left it."""
    there = {row["id"] for row in rows}
    for entry in pending(watch):
        if entry.scan_id in there:
            entry.page, entry.unlisted = number, False
        elif entry.page == number:
            entry.page = None
