# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What a task says about its scans: the lines that show the progress, the result, and the sentences for failures. Pure.

Control characters in the service's text are escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .._evidence.scans import findings_of, status_of, without_secrets
from .._model.errors import AnswerError, CallError, Incomplete, ScannerError, counted, elapsed, first_of, printable
from .._model.families import DELETED, FINISHED, NEXT_STEP, QUEUE_TIMEOUT, RUN_TIMEOUT, SCAN, UNKNOWN_STATE
from .._model.records import Record
from .._model.tools import tool_name_of
from .watch import Entry, Timeouts, Watch, signature

# the most scans that a sentence names
_MOST_NAMED = 5
# more scans than this share one line
_MOST_LINES = 5

# percent of the work after which the time that is left is predicted
_ENOUGH = 10

# what earlier lines have shown
Shown = Mapping[str, object]


def result_of(entries: Sequence[Entry], single: bool, diff_mode: bool = False) -> Record:
    """The result of the module. single: whether the task concerns one scan, not a list."""
    scans = [
        dict(
            target=entry.target or None,
            tool_id=entry.spec.tool_id or (entry.record or {}).get("tool_id"),
            scan=entry.record and without_secrets(entry.record),
            outcome=entry.outcome,
            started=entry.started,
            error=entry.error,
        )
        for entry in entries
    ]
    started = [entry.target for entry in entries if entry.started]
    stopped = [entry.scan_id for entry in entries if entry.stopped]
    bad = [entry.outcome for entry in unfinished(entries)]
    all_ended = scans and None not in [entry.outcome for entry in entries]
    result: Record = dict(
        changed=bool(started or stopped or any(entry.maybe_started for entry in entries)),
        scan=scans[0]["scan"] if single and scans else None,
        outcome=bad[0] if bad else FINISHED if all_ended else None,
        started=bool(started),
        scans=scans,
        candidates=[each for entry in entries for each in entry.candidates],
        stopped=stopped,
        deleted=[],
    )
    if diff_mode:
        after = {name: value for name, value in (("started", started), ("stopped", stopped)) if value}
        result["diff"] = dict(before={}, after=after, before_header="scans", after_header="scans")
    return result


def failed(error: ScannerError, done: Record) -> ScannerError:
    """The error of a task that had this result until it failed."""
    result = {**done, **error.result}
    if result.get("changed") and not isinstance(error, CallError):
        # other classes may promise that nothing was written
        return Incomplete(str(error), **result)
    return error.with_result(**result)


def unfinished(entries: Sequence[Entry]) -> list[Entry]:
    """The entries with an outcome other than finished."""
    return [entry for entry in entries if entry.outcome not in (None, FINISHED)]


def verdict(watch: Watch) -> str:
    """The sentence for the scans that did not finish."""
    bad = unfinished(watch.entries)
    first = bad[0].error or bad_end(bad[0], watch.timeouts)
    if len(watch.entries) == 1:
        return first
    tool = _tools(watch.entries)
    named = first_of([f"{printable(entry.name, 60)!r}{tool(entry)} ({entry.outcome})" for entry in bad], _MOST_NAMED)
    return f"{len(bad)} of {len(watch.entries)} scans did not finish, {named}; see scans. The first of them: {first}"


def bad_end(entry: Entry, timeouts: Timeouts) -> str:
    """The sentence for a scan that did not finish."""
    record, outcome = entry.record or {}, entry.outcome or UNKNOWN_STATE
    said = printable(record.get("status_message") or "", 200)
    how = {
        UNKNOWN_STATE: f"has the status {printable(record.get('status_name'), 60)!r}",
        QUEUE_TIMEOUT: f"was still waiting to start after {timeouts.queue:g} s",
        RUN_TIMEOUT: f"was still running after {timeouts.run:g} s",
        DELETED: "no longer exists",
    }.get(outcome, f"ended as {outcome}")
    next_step = f"it was stopped; raise {outcome}" if entry.stopped else NEXT_STEP[outcome]
    return f"Scan {entry.scan_id} of {printable(entry.name)!r} {how}{f' ({said})' if said else ''}: {next_step}."


def named_scans(entries: Sequence[Entry]) -> str:
    """Some scans for a sentence."""
    tool = _tools(entries)
    return first_of(
        [f"{entry.scan_id} of {printable(entry.name, 60)!r}{tool(entry)}" for entry in entries], _MOST_NAMED
    )


def _tools(entries: Sequence[Entry]) -> Callable[[Entry], str]:
    """A function that names the tool of a scan where these scans have several, the end of a phrase."""
    several = len({entry.spec.tool_id for entry in entries}) > 1
    return lambda entry: f" with {tool_name_of(entry.spec.tool_id)}" if several else ""


def answer_in(error: CallError) -> str:
    """What a failed call was answered, the beginning of a sentence."""
    if error.status is None:
        return "No answer"
    words = ", ".join(repr(printable(text)) for text in (error.message, error.details) if text)
    return f"The answer {error.status}" + (f" ({words})" if words else "")


def unclear_start(entry: Entry, new: Sequence[int] | None, error: CallError | None) -> CallError:
    """Nobody knows what a start did, or which scan it started. It is never repeated."""
    seen = (
        f"the list shows {len(new) or 'no'} new scan{'s' if new else ''} of it"
        if new is not None
        else ("the list of scans could not be read")
    )
    target = printable(entry.name)
    if error is None or isinstance(error, AnswerError):
        why = error.what if error else f"the answer to POST {SCAN.path} was a success without its id"
        sentence = f"A scan of {target!r} may have been started: {why}, and {seen}."
    else:
        sentence = (
            f"{answer_in(error)} to the start of a scan of {target!r} (POST {SCAN.path}). It may have been started, although"
            f" {seen}."
        )
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


# --- the lines that show the progress


class Lines:
    """Shows how the scans of a task are. now: the clock; show: shows a line."""

    def __init__(self, now: Callable[[], float], show: Callable[[str], None]) -> None:
        self._now, self._show = now, show
        self._began = self._last = now()
        self._shown: Shown | None = None

    def failed_poll(self, watch: Watch, what: str) -> None:
        """Show that a poll failed and will be repeated. what: what failed and why."""
        pending = watch.pending()
        failed = f"scan {named_scans(pending)} cannot be read" if pending else "the next scan cannot be started"
        self._show(
            f"{failed} ({printable(what, 200)}); trying again for {elapsed(watch.outage.left(self._now()))} (outage_wait)"
            f"{', the scans go on' if pending else ''}"
        )

    def show(self, watch: Watch, interval: float = 0) -> None:
        """Show what is new, unless the last line is younger than the interval."""
        now = self._now()
        if now - self._last >= interval:
            self._last = now
            new, self._shown = lines(watch, self._shown, now - self._began)
            for text in new:
                self._show(text)


def lines(watch: Watch, shown: Shown | None, seconds: float) -> tuple[list[str], Shown]:
    """The lines to show now, and what has been shown with them.

    shown: from the call before, None for the first one; seconds: how long the task has waited.
    """
    entries = [entry for entry in watch.entries if entry.scan_id]
    now: dict[str, object] = {str(each.scan_id): [each.outcome, *signature(each.record)] for each in entries}
    now["no slot"] = watch.no_slot_since is not None and bool(watch.startable())
    if len(watch.entries) > _MOST_LINES:
        # one line per poll, even if nothing has moved, to show that the task is alive
        return [_summary(watch, seconds)], now
    shown = shown or {}
    tool = _tools(watch.entries)
    new = [_line(entry, tool(entry)) for entry in entries if now[str(entry.scan_id)] != shown.get(str(entry.scan_id))]
    if now["no slot"] and not shown.get("no slot"):
        number = len(watch.startable())
        new.append(f"{number} scan{' waits' if number == 1 else 's wait'} for a free slot of the account's plan")
    return new, now


def _line(entry: Entry, tool: str) -> str:
    record = entry.record or {}
    parts = [entry.outcome or printable(record.get("status_name") or "started", 60)]
    if isinstance(record.get("progress"), int) and entry.phase == "running":
        parts.append(f"{record['progress']} %")
    if record.get("num_tests"):
        parts.append(f"{record.get('num_finished_tests') or 0} of {record['num_tests']} tests")
    counts = findings_of(record, whole=True)
    if counts:
        parts.append(_findings(counts))
    return f"scan {entry.scan_id} of {printable(entry.name, 100)}{tool}: {printable(', '.join(parts))}"


def _findings(counts: Mapping[str, int]) -> str:
    shown = ", ".join(f"{count} {level}" for level, count in counts.items() if count)
    return counted(sum(counts.values()), "finding") + (f" ({shown})" if shown else "")


def _summary(watch: Watch, seconds: float) -> str:
    counts: dict[str, int] = {}
    totals: dict[str, int] = {}
    percent = 0
    for entry in watch.entries:
        record = entry.record or {}
        progress = record.get("progress")
        if entry.outcome is not None:
            percent += 100
        elif isinstance(progress, int) and entry.phase == "running":
            percent += min(max(progress, 0), 100)
        state = entry.outcome or status_of(record) or "started"
        if not entry.scan_id and not entry.error:
            state = "to be started" if watch.no_slot_since is None else "waiting for a free slot"
        counts[state] = counts.get(state, 0) + 1
        for level, count in findings_of(record, whole=True).items():
            totals[level] = totals.get(level, 0) + count
    shown = ", ".join(f"{count} {printable(state, 60)}" for state, count in sorted(counts.items()))
    found = f"; {_findings(totals)}" if totals else ""
    done = sum(entry.outcome is not None for entry in watch.entries)
    # of all scans together, and how long the rest takes at the same speed
    percent //= len(watch.entries)
    left = f", about {elapsed(seconds * (100 - percent) / percent)} left" if _ENOUGH <= percent < 100 else ""
    ahead = f"; {percent} % in all{left}" if 0 < percent < 100 else ""
    return f"{done} of {len(watch.entries)} scans done after {elapsed(seconds)}: {shown}{ahead}{found}"
