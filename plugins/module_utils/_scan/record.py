# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What the record of a scan says: when and how it ended, what it found. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from email.utils import mktime_tz, parsedate_tz

from .._families.finding import SEVERITIES
from .._families.scan_statuses import IN_PROGRESS, outcome_of_status
from .._moments import Clock, Moment, moment_of
from .._records import Record

# time zones differ by multiples of this, in seconds
_ZONE_STEP = 900
# and no zone is farther ahead of UTC
_FARTHEST_ZONE = 14 * 3600
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
    ahead = max([moment.at - now for moment in moments if moment.at - now <= _FARTHEST_ZONE], default=0)
    return Clock(now, -(-ahead // _ZONE_STEP) * _ZONE_STEP if ahead > _TOLERANCE else 0)


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
    """How many findings a scan has so far, by severity, worst first. A severity without a valid count is left out."""
    summary = record.get("result_summary")
    if not isinstance(summary, dict):
        return {}
    counts = {level: summary.get(level) for level in reversed(SEVERITIES)}
    return {level: count for level, count in counts.items() if type(count) is int and count >= 0}


def uncounted(record: Record) -> list[str]:
    """The severities, worst first, of which a scan does not say how many findings it has."""
    counts = findings_of(record)
    return [level for level in reversed(SEVERITIES) if level not in counts]


def lacks(scan: Record) -> str:
    """The fields that a record needs to be tied to a target and a tool and lacks, "" if it has both."""
    return " and no ".join(field for field in ("target_id", "tool_id") if scan[field] is None)
