# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What the record of a scan says: how it ended, how old it is, whether it is what a task declares. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from email.utils import mktime_tz, parsedate_tz
from typing import Any, NamedTuple

from .._errors import printable
from .._moments import Clock, Moment, moment_of
from .._records import Record
from .._resources import SEVERITIES
from .statuses import (
    DELETED,
    FINISHED,
    IN_PROGRESS,
    NEXT_STEP,
    QUEUE_TIMEOUT,
    RUN_TIMEOUT,
    UNKNOWN_STATE,
    outcome_of_status,
)

MOST_CANDIDATES = 5
# time zones differ by multiples of this, in seconds
_ZONE_STEP = 900
# and clocks by less than this
_TOLERANCE = 300


def status_of(record: Record) -> str:
    """The status of a scan in lower case, "" if its record has none."""
    status = record.get("status_name")
    return status.strip().lower() if isinstance(status, str) else ""


def is_in_progress(record: Record) -> bool:
    return status_of(record) in IN_PROGRESS


def outcome_of(record: Record) -> str | None:
    """How a scan ended, one of OUTCOMES, or None while it is in progress."""
    return outcome_of_status(status_of(record))


def last_moment_of(record: Record) -> Moment | None:
    """When a scan ended, else when it began, None if its record has neither."""
    return moment_of(record.get("end_time")) or moment_of(record.get("start_time"))


def service_now(date: str | None, rows: Iterable[Record], local: float) -> Clock:
    """The clock of the service.

    date: its Date header; rows: scans; local: the Unix time of this machine, used without a Date header.
    Times without a zone are read as UTC. If the newest of them is in the future, the records use a zone that is ahead of
    UTC, and the smallest such offset is assumed.
    """
    parsed = parsedate_tz(date) if date else None
    now = local if parsed is None else mktime_tz(parsed)
    moments = [moment for moment in map(last_moment_of, rows) if moment and not moment.zoned]
    ahead = max([moment.at for moment in moments], default=0) - now
    return Clock(now, -(-ahead // _ZONE_STEP) * _ZONE_STEP if ahead > _TOLERANCE else 0)


class Candidate(NamedTuple):
    """A scan that might be used instead of a new one, and why it cannot be, None if it can."""

    record: Record
    reason: str | None


def candidates(rows: Iterable[Record], clock: Clock, max_age: int) -> list[Candidate]:
    """The scans of one target and tool, the best first.

    Finished ones that are recent enough come first, then those in progress, then those that cannot be used; the newest of
    each first.
    """
    newest_first = sorted(rows, key=lambda row: row["id"], reverse=True)
    judged = [Candidate(row, _why_not(row, clock, max_age)) for row in newest_first]
    return sorted(judged, key=lambda each: 2 if each.reason else 1 if is_in_progress(each.record) else 0)


def _why_not(record: Record, clock: Clock, max_age: int) -> str | None:
    outcome = outcome_of(record)
    if outcome is None:
        return None
    if outcome != FINISHED:
        return f"it did not finish, its status is {printable(record.get('status_name'), 60)!r}"
    ended = last_moment_of(record)
    if ended is None:
        return "its record does not say when it ended"
    age = clock.age_of(ended)
    return f"it ended {_duration(age)} ago, and max_age is {_duration(max_age)}" if age > max_age else None


def _duration(seconds: float) -> str:
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds // length:.0f} {unit}"
    return f"{seconds:.0f} s"


def why_other_params(
    record: Record,
    tool_params: Mapping[str, Any] | None,
    vpn_uuid: str | None,
    authentication_type: str | None,
    further: Mapping[str, Any] | None = None,
) -> str | None:
    """Why a scan does not have the declared parameters, a clause, or None if its record has each of them.

    vpn_uuid: "" for no VPN, None if the task does not say; further: other fields of a start, compared if the record has
    them.
    """
    found = record.get("tool_params")
    if not isinstance(found, dict):
        if tool_params or authentication_type:
            return "its record does not show its tool_params"
        found = {}
    for name, value in (tool_params or {}).items():
        if name not in found:
            return f"tool_params.{printable(name, 60)} is not in its record"
        if not _matches(found[name], value):
            return f"tool_params.{printable(name, 60)} differs"
    if vpn_uuid is not None and (record.get("vpn_profile_uuid") or "") != vpn_uuid:
        return "its VPN profile differs"
    theirs = found.get("authentication")
    if authentication_type and not (isinstance(theirs, dict) and theirs.get("type") == authentication_type):
        return "its authentication is of another type"
    other = [name for name, value in (further or {}).items() if name in record and not _matches(record[name], value)]
    return f"{printable(other[0], 60)} differs" if other else None


def _matches(found: object, wanted: object) -> bool:
    """Whether a value of the service is the declared one. Nested dictionaries match as subsets."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(key in found and _matches(found[key], wanted[key]) for key in wanted)
    if isinstance(wanted, list):
        return (
            isinstance(found, list) and len(found) == len(wanted) and all(_matches(f, w) for f, w in zip(found, wanted))
        )
    if found is None or wanted is None or isinstance(found, (dict, list)):
        return found is wanted
    # templates turn numbers and booleans into text; and to Python, true is 1
    return str(found).lower() == str(wanted).lower() or (found == wanted and bool not in (type(found), type(wanted)))


def without_secrets(record: Record) -> Record:
    """A record that repeats only the type, the page and the user name of an authentication."""
    params = record.get("tool_params")
    if not isinstance(params, dict) or not params.get("authentication"):
        return record
    theirs = params["authentication"]
    shown: str | Record = "***"
    if isinstance(theirs, dict):
        inner = theirs.get("params")
        fields = inner if isinstance(inner, dict) else {}
        masked = {name: fields[name] if name in ("login_page_url", "username") else "***" for name in fields}
        shown = {"type": theirs.get("type"), "params": masked}
    return dict(record, tool_params=dict(params, authentication=shown))


def findings_of(record: Record) -> dict[str, int]:
    """How many findings a scan has so far, by severity, {} if its record does not say."""
    summary = record.get("result_summary")
    if not isinstance(summary, dict):
        return {}
    counts = {level: summary.get(level) for level in reversed(SEVERITIES)}
    return {level: count for level, count in counts.items() if isinstance(count, int) and not isinstance(count, bool)}


def bad_end(
    scan_id: int | None,
    target: str,
    outcome: str,
    record: Record | None,
    seconds: float | None = None,
    stopped: bool = False,
) -> str:
    """The sentence for a scan that did not finish. seconds: the timeout; stopped: whether this task stopped it after one."""
    said = printable(record.get("status_message") or "", 200) if record else ""
    status = printable(record.get("status_name"), 60) if record else ""
    how = {
        UNKNOWN_STATE: f"has the status {status!r}",
        QUEUE_TIMEOUT: f"was still waiting to start after {seconds:g} s" if seconds is not None else "waited too long",
        RUN_TIMEOUT: f"was still running after {seconds:g} s" if seconds is not None else "ran too long",
        DELETED: "no longer exists",
    }.get(outcome, f"ended as {outcome}")
    next_step = f"it was stopped; raise {outcome}" if stopped else NEXT_STEP[outcome]
    return f"Scan {scan_id} of {printable(target)!r} {how}{f' ({said})' if said else ''}: {next_step}."
