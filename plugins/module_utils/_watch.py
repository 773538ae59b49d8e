# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Waiting for scans: what is asked next, when, and when the waiting ends. Pure: the time is an argument, in seconds.

A watch is a dict that can be sent as JSON, so that it can be handed from one short module run to the next.
"""

from __future__ import annotations

from ._errors import printable
from ._scanning import DELETED, QUEUE_TIMEOUT, RUN_TIMEOUT, findings_of, outcome_of, status_of

# a poll that brings nothing new makes the next wait longer by this, up to so many times the interval
_SLOWER = 1.5
_SLOWEST = 6
_JITTER = 0.2
# so many polls in a row may fail before the waiting does
MOST_TROUBLES = 5
# so many scans have lines of their own
_MOST_LINES = 5


def new_entry(target, target_id=None, known=()):
    """One scan that a task is about, a dict.

    known: the ids of the scans of its target and tool that were there before; started: whether this task did it; phase,
    since: the status in which it is, and since when; page: where it stands in the list; unlisted: the list does not show
    it; by_id: the task names its target by id; foreseen: in check mode, it would be started.
    """
    return dict(
        target=target, target_id=target_id, known=list(known), candidates=[], scan_id=None, started=False, record=None,
        outcome=None, error=None, phase=None, since=None, page=None, unlisted=False, by_id=False, foreseen=False,
    )  # fmt: skip


def new_watch(entries, query):
    """A watch over these entries. query: the filters of the list that shows their scans, a dict."""
    return dict(entries=entries, query=query, turn=0, quiet=0, troubles=0)


def take(entry, record, now, started=False):
    """From now on an entry is about this scan."""
    entry.update(scan_id=record["id"], started=started, phase=None, since=now, record=record)
    entry["target_id"] = record.get("target_id") or entry["target_id"]


def pending(watch):
    """The entries whose scans go on."""
    return [entry for entry in watch["entries"] if entry["scan_id"] is not None and entry["outcome"] is None]


def startable(watch, concurrency):
    """The entries whose scans are to be started now; concurrency: how many may be in progress, 0 for all."""
    left = [
        entry for entry in watch["entries"] if entry["scan_id"] is None and not entry["error"] and not entry["foreseen"]
    ]
    return left if not concurrency else left[: max(0, concurrency - len(pending(watch)))]


def is_over(watch):
    return not pending(watch) and not startable(watch, 0)


def observe(entry, record, now, queue_timeout, run_timeout):
    """Note what a scan's record says now, None where the scan is gone; returns whether anything has moved."""
    if record is None:
        entry["outcome"] = DELETED
        return True
    before = _signature(entry["record"])
    entry["record"] = record
    entry["target_id"] = record.get("target_id") or entry["target_id"]
    entry["outcome"] = outcome_of(record)
    phase = status_of(record)
    if entry["outcome"] is None and phase != entry["phase"]:
        # a scan that was joined while it ran is given the whole time as well
        entry["since"] = entry["since"] if entry["phase"] is None and phase == "waiting" else now
        entry["phase"] = phase
    limit, outcome = (queue_timeout, QUEUE_TIMEOUT) if phase == "waiting" else (run_timeout, RUN_TIMEOUT)
    if entry["outcome"] is None and now - entry["since"] >= limit:
        entry["outcome"] = outcome
    return _signature(record) != before


def _signature(record):
    record = record or {}
    return [record.get(name) for name in ("status_name", "progress", "num_finished_tests")]


def settle(watch, moved):
    """Note that a poll came back, and whether anything has moved since the one before."""
    watch["troubles"] = 0
    watch["quiet"] = 0 if moved else watch["quiet"] + 1


def pause(watch, now, interval, jitter, queue_timeout, run_timeout):
    """Seconds until the next poll: the interval at least, longer while nothing moves, and not beyond the next timeout."""
    longer = min(_SLOWEST, _SLOWER ** min(watch["quiet"], 10))
    wait = interval * longer * (1 + _JITTER * jitter)
    for entry in pending(watch):
        limit = run_timeout if entry["phase"] == "running" else queue_timeout
        wait = min(wait, max(0.0, entry["since"] + limit - now))
    # a timeout that is just over still has its turn
    return max(wait, 0.01)


# --- which call tells most


def next_reading(watch):
    """What one poll reads: ("scan", id), ("page", number), or ("walk", None), all pages up to the last pending scan.

    One call, but for a walk, which is due where it is not known on which page a scan stands.
    """
    waiting = pending(watch)
    if len(waiting) == 1:
        return "scan", waiting[0]["scan_id"]
    if any(entry["page"] is None and not entry["unlisted"] for entry in waiting):
        return "walk", None
    places = [("page", page) for page in sorted({entry["page"] for entry in waiting if entry["page"] is not None})]
    places += [("scan", entry["scan_id"]) for entry in waiting if entry["unlisted"]]
    return places[watch["turn"] % len(places)]


def found_on(watch, number, rows):
    """Note which pending scans stand on a page, and which have left it."""
    there = {row["id"] for row in rows}
    for entry in pending(watch):
        if entry["scan_id"] in there:
            entry["page"], entry["unlisted"] = number, False
        elif entry["page"] == number:
            entry["page"] = None


# --- what a person who waits is told


def lines(watch, told):
    """The lines to show now, and what is told with them; told: what this gave the last time, or None.

    The texts are those of the service: control characters are escaped.
    """
    entries = [entry for entry in watch["entries"] if entry["scan_id"] is not None]
    now = {str(entry["scan_id"]): [entry["outcome"], *_signature(entry["record"])] for entry in entries}
    news = [entry for entry in entries if now[str(entry["scan_id"])] != (told or {}).get(str(entry["scan_id"]))]
    if len(watch["entries"]) > _MOST_LINES:
        return ([_summary(watch)] if news else []), now
    return [_line(entry) for entry in news], now


def _line(entry):
    record = entry["record"] or {}
    parts = [entry["outcome"] or printable(record.get("status_name") or "started", 60)]
    if isinstance(record.get("progress"), int) and entry["phase"] == "running":
        parts.append(f"{record['progress']} %")
    if record.get("num_tests"):
        parts.append(f"{record.get('num_finished_tests') or 0} of {record['num_tests']} tests")
    counts = findings_of(record)
    if counts:
        parts.append(_counted(counts))
    return f"scan {entry['scan_id']} of {printable(entry['target'], 100)}: {printable(', '.join(parts))}"


def _counted(counts):
    number = sum(counts.values())
    shown = ", ".join(f"{count} {level}" for level, count in counts.items() if count)
    return f"{number} finding{'' if number == 1 else 's'}" + (f" ({shown})" if shown else "")


def _summary(watch):
    counts, totals = {}, {}
    for entry in watch["entries"]:
        state = "failed" if entry["error"] else "to be started" if entry["scan_id"] is None else None
        state = state or entry["outcome"] or status_of(entry["record"] or {}) or "started"
        counts[state] = counts.get(state, 0) + 1
        for level, count in findings_of(entry["record"] or {}).items():
            totals[level] = totals.get(level, 0) + count
    shown = ", ".join(f"{count} {printable(state, 60)}" for state, count in sorted(counts.items()))
    found = f"; {_counted(totals)}" if totals else ""
    return f"{len(watch['entries'])} scans: {shown}{found}"
