# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The result of a task that watches scans, and the sentence for scans that did not finish. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from .._errors import CallError, Incomplete, ScannerError, printable
from .._families.scan_statuses import DELETED, FINISHED, NEXT_STEP, QUEUE_TIMEOUT, RUN_TIMEOUT, UNKNOWN_STATE
from .._records import Record
from .record import without_secrets
from .watch import Entry, Timeouts, Watch

# the most scans that a sentence names
_MOST_NAMED = 5


def result_of(watch: Watch, single: bool, diff_mode: bool = False) -> Record:
    """The result of the module. single: whether the task names one target, not a list."""
    scans = [
        dict(
            target=entry.target,
            scan=entry.record and without_secrets(entry.record),
            outcome=entry.outcome,
            started=entry.started,
            error=entry.error,
        )
        for entry in watch.entries
    ]
    started = [entry.target for entry in watch.entries if entry.started]
    stopped = [entry.scan_id for entry in watch.entries if entry.stopped]
    result: Record = dict(
        changed=bool(started or stopped or any(entry.maybe_started for entry in watch.entries)),
        scan=scans[0]["scan"] if single and scans else None,
        outcome=_common_outcome([entry.outcome for entry in watch.entries]),
        started=bool(started),
        scans=scans,
        candidates=[each for entry in watch.entries for each in entry.candidates],
        stopped=stopped,
        deleted=[],
    )
    if diff_mode:
        after = {name: value for name, value in (("started", started), ("stopped", stopped)) if value}
        result["diff"] = dict(before={}, after=after, before_header="scans", after_header="scans")
    return result


def _common_outcome(outcomes: Sequence[str | None]) -> str | None:
    """The first that is not finished; None while a scan is in progress."""
    bad = [outcome for outcome in outcomes if outcome not in (None, FINISHED)]
    return bad[0] if bad else FINISHED if outcomes and None not in outcomes else None


def failed(error: ScannerError, done: Record) -> ScannerError:
    """The error of a task that had this result until it failed."""
    result = {**done, **error.result}
    if result.get("changed") and not isinstance(error, CallError):
        # other classes may promise that nothing was written
        return Incomplete(str(error), **result)
    return error.with_result(**result)


def unfinished(watch: Watch) -> list[Entry]:
    """The entries with an outcome other than finished."""
    return [entry for entry in watch.entries if entry.outcome not in (None, FINISHED)]


def verdict(watch: Watch) -> str:
    """The sentence for the scans that did not finish."""
    bad = unfinished(watch)
    first = bad[0].error or bad_end(bad[0], watch.timeouts)
    if len(watch.entries) == 1:
        return first
    named = ", ".join(f"{printable(entry.target, 60)!r} ({entry.outcome})" for entry in bad[:_MOST_NAMED])
    more = f" and {len(bad) - _MOST_NAMED} more" if len(bad) > _MOST_NAMED else ""
    return (
        f"{len(bad)} of {len(watch.entries)} scans did not finish, {named}{more}; see scans. The first of them: {first}"
    )


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
    return f"Scan {entry.scan_id} of {printable(entry.target)!r} {how}{f' ({said})' if said else ''}: {next_step}."


def named_scans(entries: Sequence[Entry]) -> str:
    """Some scans for a sentence."""
    shown = ", ".join(f"{entry.scan_id} of {printable(entry.target, 60)!r}" for entry in entries[:_MOST_NAMED])
    return shown + (f" and {len(entries) - _MOST_NAMED} more" if len(entries) > _MOST_NAMED else "")
