# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The lines that show the progress of scans. Control characters in the service's text are escaped."""

from __future__ import annotations

from collections.abc import Mapping

from .._errors import counted, elapsed, printable
from .._task import Task
from .record import findings_of, status_of, uncounted
from .watch import Entry, Watch, signature

# seconds between two lines while scans are started
_INTERVAL = 10
# more scans than this share one line
_MOST_LINES = 5

# what earlier lines have shown
Shown = Mapping[str, object]


class Lines:
    """Shows how the scans of a task are. began: the time on the clock of the transport."""

    def __init__(self, began: float) -> None:
        self._began = began
        self._next = began + _INTERVAL
        self._shown: Shown | None = None

    def show(self, task: Task, watch: Watch) -> None:
        """Show what is new."""
        now = task.client.transport.now()
        self._next = now + _INTERVAL
        new, self._shown = lines(watch, self._shown, now - self._began)
        for text in new:
            task.host.show(text)

    def show_starts(self, task: Task, watch: Watch) -> None:
        """Show what is new, if the last line is old."""
        if task.client.transport.now() >= self._next:
            self.show(task, watch)


def lines(watch: Watch, shown: Shown | None, seconds: float) -> tuple[list[str], Shown]:
    """The lines to show now, and what has been shown with them.

    shown: from the call before, None for the first one; seconds: how long the task has waited.
    """
    entries = [entry for entry in watch.entries if entry.scan_id is not None]
    now: dict[str, object] = {str(each.scan_id): [each.outcome, *signature(each.record)] for each in entries}
    now["no slot"] = watch.no_slot_since is not None and bool(watch.startable())
    if len(watch.entries) > _MOST_LINES:
        # one line per poll, even if nothing has moved, to show that the task is alive
        return [_summary(watch, seconds)], now
    shown = shown or {}
    new = [_line(entry) for entry in entries if now[str(entry.scan_id)] != shown.get(str(entry.scan_id))]
    if now["no slot"] and not shown.get("no slot"):
        new.append(_waiting_for_a_slot(len(watch.startable())))
    return new, now


def _line(entry: Entry) -> str:
    record = entry.record or {}
    parts = [entry.outcome or printable(record.get("status_name") or "started", 60)]
    if isinstance(record.get("progress"), int) and entry.phase == "running":
        parts.append(f"{record['progress']} %")
    if record.get("num_tests"):
        parts.append(f"{record.get('num_finished_tests') or 0} of {record['num_tests']} tests")
    if not uncounted(record):
        parts.append(_findings(findings_of(record)))
    return f"scan {entry.scan_id} of {printable(entry.target, 100)}: {printable(', '.join(parts))}"


def _findings(counts: Mapping[str, int]) -> str:
    shown = ", ".join(f"{count} {level}" for level, count in counts.items() if count)
    return counted(sum(counts.values()), "finding") + (f" ({shown})" if shown else "")


def _waiting_for_a_slot(number: int) -> str:
    return f"{number} scan{' waits' if number == 1 else 's wait'} for a free slot of the account's plan"


def _summary(watch: Watch, seconds: float) -> str:
    counts: dict[str, int] = {}
    totals: dict[str, int] = {}
    for entry in watch.entries:
        state = _state(watch, entry)
        counts[state] = counts.get(state, 0) + 1
        record = entry.record or {}
        for level, count in () if uncounted(record) else findings_of(record).items():
            totals[level] = totals.get(level, 0) + count
    shown = ", ".join(f"{count} {printable(state, 60)}" for state, count in sorted(counts.items()))
    found = f"; {_findings(totals)}" if totals else ""
    done = sum(entry.outcome is not None for entry in watch.entries)
    return f"{done} of {len(watch.entries)} scans done after {elapsed(seconds)}: {shown}{found}"


def _state(watch: Watch, entry: Entry) -> str:
    if entry.scan_id is None and not entry.error:
        return "to be started" if watch.no_slot_since is None else "waiting for a free slot"
    return entry.outcome or status_of(entry.record or {}) or "started"
