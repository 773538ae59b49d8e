# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lines that show the progress of scans, and what an interrupt leaves behind. Pure.

Control characters in the service's text are escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ansible_collections.scanops.scanner.plugins.module_utils._errors import counted, printable
from ansible_collections.scanops.scanner.plugins.module_utils._scan.handover import Fate
from ansible_collections.scanops.scanner.plugins.module_utils._scan.record import findings_of, status_of, uncounted
from ansible_collections.scanops.scanner.plugins.module_utils._scan.watch import Entry, Watch, signature
from ansible_collections.scanops.scanner.plugins.plugin_utils._live_line import elapsed

# more scans than this share one line
_MOST_LINES = 5

# what earlier lines have shown
Shown = Mapping[str, object]


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
    return f"{_named(entry)}: {printable(', '.join(parts))}"


def _named(entry: Entry) -> str:
    return f"scan {entry.scan_id} of {printable(entry.target, 100)}"


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


# --- after an interrupt


def goes_on(watch: Watch | None) -> list[str]:
    """The lines for scans that an interrupted task leaves running; watch: None if it is not known which ones."""
    if watch is None:
        return [
            "interrupted: scans may have been started, and they go on at the service; read the list with"
            " scanops.scanner.scan_info"
        ]
    return [*_each(watch.pending(), "goes on", "stop_on_interrupt is not set"), *_not_started(watch)]


def fates(watch: Watch, known: Iterable[Fate]) -> list[str]:
    """The lines after a stop. known: the fate of each scan that was to be stopped."""
    by_id = {each.id: each for each in known}
    groups: dict[tuple[str, str], list[Entry]] = {}
    for entry in watch.pending():
        fate = by_id.get(entry.known_id) or Fate(entry.known_id, "goes on", "this task did not start it")
        groups.setdefault((fate.fate, fate.why or ""), []).append(entry)
    shown = [line for (fate, why), entries in groups.items() for line in _each(entries, fate, why)]
    return shown + _not_started(watch)


def _not_started(watch: Watch) -> list[str]:
    number = len(watch.startable())
    return [f"interrupted: {number} scan{' was' if number == 1 else 's were'} not started"] if number else []


def _each(entries: Sequence[Entry], fate: str, why: str = "") -> list[str]:
    because = f" ({printable(why, 1000)})" if why else ""
    if len(entries) <= _MOST_LINES:
        return [f"interrupted: {_named(entry)}: {fate}{because}" for entry in entries]
    ids = ", ".join(str(entry.scan_id) for entry in entries)
    return [f"interrupted: {len(entries)} scans: {fate}{because}: {ids}"]
