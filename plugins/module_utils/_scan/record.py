# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What the record of a scan says: how it ended, how old it is, whether it is what a task declares. Pure."""

from __future__ import annotations

import re
from email.utils import mktime_tz, parsedate_tz

from .._errors import WrongOption, printable
from .._moments import Clock, moment_of

# assumed: the statuses of a scan, compared without regard to case. Any other one is an end of unknown kind
IN_PROGRESS = ("waiting", "running")
FINISHED = "finished"
UNKNOWN_STATE = "unknown_state"
DELETED = "deleted"
QUEUE_TIMEOUT = "queue_timeout"
RUN_TIMEOUT = "run_timeout"
FAILED_TO_START = "failed_to_start"
_OUTCOMES = {
    "finished": FINISHED,
    "failed to start": FAILED_TO_START,
    "stopped": "stopped",
    "timed out": "timed_out",
    "aborted": "aborted",
    "vpn connection error": "vpn_error",
    "auth failed": "auth_failed",
    "connection error": "connection_error",
}
# the closed list of what may become of a scan
OUTCOMES = (*_OUTCOMES.values(), UNKNOWN_STATE, QUEUE_TIMEOUT, RUN_TIMEOUT, DELETED)

# what the reader of a failed task does next, by outcome
NEXT_STEP = {
    FAILED_TO_START: "check that the target can be reached and that the plan includes this tool",
    "stopped": "somebody or something stopped it; run again",
    "timed_out": "raise max_scan_time, or make the scan smaller with tool_params",
    "aborted": "look at it in the web application and run again",
    "vpn_error": "check the VPN profile",
    "auth_failed": "check authentication",
    "connection_error": "check that the target can be reached by the service",
    UNKNOWN_STATE: "look at it in the web application; this version of the collection does not know the status",
    QUEUE_TIMEOUT: "it goes on; raise queue_timeout, or set on_timeout to stop",
    RUN_TIMEOUT: "it goes on; raise run_timeout, or set on_timeout to stop",
    DELETED: "somebody deleted it during the wait; run again",
}

MOST_CANDIDATES = 5
_LEVELS = ("critical", "high", "medium", "low", "info")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
# time zones differ by multiples of this
_ZONE_STEP = 900
# and clocks by less than this
_TOLERANCE = 300


def status_of(record):
    """The status of a scan in lower case, "" where its record has none."""
    status = record.get("status_name")
    return status.strip().lower() if isinstance(status, str) else ""


def is_in_progress(record):
    return status_of(record) in IN_PROGRESS


def outcome_of(record):
    """How a scan ended, one of OUTCOMES, or None while it is in progress."""
    return None if is_in_progress(record) else _OUTCOMES.get(status_of(record), UNKNOWN_STATE)


def seconds_of(text, option="max_age"):
    """An age in seconds: a number, or one with s, m, h, d or w. Raises WrongOption."""
    found = re.fullmatch(r"\s*([0-9]{1,9})\s*([smhdw]?)\s*", str(text).lower())
    if not found:
        raise WrongOption(
            f"{option} is {printable(text, 60)!r}: give seconds, or a number with s, m, h, d or w, as in 90m or 7d."
        )
    return int(found[1]) * _UNITS[found[2] or "s"]


def last_moment_of(record):
    """The Moment at which a scan ended, else began, or None."""
    return moment_of(record.get("end_time")) or moment_of(record.get("start_time"))


def service_now(date, rows, local):
    """The Clock of the service.

    date: the Date header of the service, or None; rows: records of scans; local: this machine's Unix time, for where the
    service tells nothing. Times that name no zone are read as UTC; where the newest of them is in the future, the clock of
    the records is ahead by a zone, and the least zone that explains it counts.
    """
    parsed = parsedate_tz(date) if date else None
    now = local if parsed is None else mktime_tz(parsed)
    moments = [moment for moment in map(last_moment_of, rows) if moment and not moment.zoned]
    ahead = max([moment.at for moment in moments], default=0) - now
    return Clock(now, -(-ahead // _ZONE_STEP) * _ZONE_STEP if ahead > _TOLERANCE else 0)


def candidates(rows, clock, max_age):
    """The scans of one target and tool in the order in which they are looked at, as (record, None or why not).

    Finished ones that are young enough come first, then those in progress, then those that will not do; the newest first.
    """
    judged = [(row, _why_not(row, clock, max_age)) for row in sorted(rows, key=lambda row: row["id"], reverse=True)]
    return sorted(judged, key=lambda pair: 2 if pair[1] else 1 if is_in_progress(pair[0]) else 0)


def _why_not(record, clock, max_age):
    outcome = outcome_of(record)
    if outcome is None:
        return None
    if outcome != FINISHED:
        return f"it did not finish, its status is {printable(record.get('status_name'), 60)!r}"
    ended = last_moment_of(record)
    if ended is None:
        return "its record does not tell when it ended"
    age = clock.age_of(ended)
    return f"it ended {_span(age)} ago, and max_age is {_span(max_age)}" if age > max_age else None


def _span(seconds):
    """Seconds for a reader."""
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds // length:.0f} {unit}"
    return f"{seconds:.0f} s"


def why_other_params(record, tool_params, vpn_uuid, authentication_type, further=None):
    """Why a scan does not have the declared parameters, a clause, or None where each declared one is found in its record.

    vpn_uuid: str, "" for no VPN, or None where the task does not say; authentication_type: str or None; further: other
    fields of a start, a dict, compared where the record tells them.
    """
    found = record.get("tool_params")
    if (tool_params or authentication_type) and not isinstance(found, dict):
        return "its record does not tell its tool_params"
    for name, value in (tool_params or {}).items():
        if name not in found:
            return f"tool_params.{printable(name, 60)} is not in its record"
        if not _holds(found[name], value):
            return f"tool_params.{printable(name, 60)} differs"
    if vpn_uuid is not None and (record.get("vpn_profile_uuid") or "") != vpn_uuid:
        return "its VPN profile differs"
    theirs = found.get("authentication") if authentication_type else None
    if authentication_type and not (isinstance(theirs, dict) and theirs.get("type") == authentication_type):
        return "its authentication is of another type"
    other = [name for name, value in (further or {}).items() if name in record and not _holds(record[name], value)]
    return f"{printable(other[0], 60)} differs" if other else None


def _holds(found, wanted):
    """Whether a value of the service is the declared one; of an object only what is declared counts."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(key in found and _holds(found[key], wanted[key]) for key in wanted)
    if isinstance(wanted, list):
        return (
            isinstance(found, list) and len(found) == len(wanted) and all(_holds(f, w) for f, w in zip(found, wanted))
        )
    if found is None or wanted is None or isinstance(found, (dict, list)):
        return found is wanted
    # templates turn numbers and booleans into text; and to Python, true is 1
    return str(found).lower() == str(wanted).lower() or (found == wanted and bool not in (type(found), type(wanted)))


def without_secrets(record):
    """A record without what it repeats of an authentication: of that only the type, the page and the user are kept."""
    params = record.get("tool_params") if isinstance(record, dict) else None
    if not isinstance(params, dict) or not params.get("authentication"):
        return record
    theirs = params["authentication"]
    shown = "***"
    if isinstance(theirs, dict):
        inner = theirs.get("params")
        kept = inner if isinstance(inner, dict) else {}
        shown = {"type": theirs.get("type")}
        shown["params"] = {name: kept[name] if name in ("login_page_url", "username") else "***" for name in kept}
    return dict(record, tool_params=dict(params, authentication=shown))


def findings_of(record):
    """How many findings a scan has so far, by severity, {} where its record does not tell."""
    summary = record.get("result_summary")
    if not isinstance(summary, dict):
        return {}
    counts = {level: summary.get(level) for level in _LEVELS}
    counts = {level: count for level, count in counts.items() if isinstance(count, int) and not isinstance(count, bool)}
    return counts


def bad_end(scan_id, target, outcome, record, seconds=None, stopped=False):
    """The sentence for a scan that did not finish. stopped: whether this task stopped it after a timeout."""
    said = printable(record.get("status_message") or "", 200) if record else ""
    status = printable(record.get("status_name"), 60) if record else ""
    how = {
        UNKNOWN_STATE: f"has the status {status!r}",
        QUEUE_TIMEOUT: f"was still waiting to start after {seconds:g} s" if seconds is not None else "waited too long",
        RUN_TIMEOUT: f"was still running after {seconds:g} s" if seconds is not None else "ran too long",
        DELETED: "is gone",
    }.get(outcome, f"ended as {outcome}")
    next_step = f"it was stopped; raise {outcome}" if stopped else NEXT_STEP[outcome]
    return f"Scan {scan_id} of {printable(target)!r} {how}{f' ({said})' if said else ''}: {next_step}."
