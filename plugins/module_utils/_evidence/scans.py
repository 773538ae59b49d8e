# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What the scans of the service say: their states and times, and the newest of each target and tool. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from .._model.errors import printable
from .._model.families import FINISHED, IN_PROGRESS, SEVERITIES, outcome_of_status
from .._model.records import Record
from .._model.times import Clock, Moment, moment_of, span, utc_text
from .sight import why_incomplete


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


def ended_in(scan: Record, clock: Clock) -> tuple[str | None, int | None]:
    """When a scan ended, in UTC, and its age in seconds; None for both if its record says no time that has passed."""
    ended = last_moment_of(scan)
    if ended is None or not clock.is_past(ended):
        return None, None
    return utc_text(ended.at - (0 if ended.zoned else clock.ahead)), int(clock.age_of(ended))


def duration_of(scan: Record) -> int | None:
    """The seconds from the start to the end of a scan, None if its record does not say them."""
    began, ended = moment_of(scan.get("start_time")), moment_of(scan.get("end_time"))
    if began is None or ended is None or began.zoned != ended.zoned or began.at > ended.at:
        return None
    return int(ended.at - began.at)


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


def findings_of(record: Record, whole: bool = False) -> dict[str, int]:
    """How many findings a scan has so far, by severity, worst first. A severity without a valid count is left out.

    whole: {} unless each severity has a valid count.
    """
    summary = record.get("result_summary")
    if not isinstance(summary, dict):
        return {}
    counts = {level: summary.get(level) for level in reversed(SEVERITIES)}
    valid = {
        level: count
        for level, count in counts.items()
        if isinstance(count, int) and not isinstance(count, bool) and count >= 0
    }
    return {} if whole and valid != counts else valid


def uncounted(record: Record) -> list[str]:
    """The severities, worst first, of which a scan does not say how many findings it has."""
    counts = findings_of(record)
    return [level for level in reversed(SEVERITIES) if level not in counts]


def lacks(scan: Record) -> str:
    """The fields that a record needs to be tied to a target and a tool and lacks, "" if it has both."""
    return " and no ".join(field for field in ("target_id", "tool_id") if scan[field] is None)


# --- which scans can be used instead of new ones


class Candidate(NamedTuple):
    """A scan that might be used instead of a new one, and why it cannot be, None if it can."""

    record: Record
    reason: str | None


def candidates(rows: Iterable[Record], clock: Clock, max_age: int) -> list[Candidate]:
    """The scans of one target and tool, the best first.

    Finished ones that are recent enough come first, then those in progress, then those that cannot be used; the newest of
    each first.
    """
    judged = [Candidate(row, _why_not(row, clock, max_age)) for row in newest_first(rows)]
    return sorted(judged, key=lambda each: 2 if each.reason else 1 if is_in_progress(each.record) else 0)


def _why_not(record: Record, clock: Clock, max_age: int) -> str | None:
    outcome = outcome_of(record)
    if outcome is None:
        return None
    if outcome != FINISHED:
        return f"it did not finish, its status is {printable(record.get('status_name'), 60)!r}"
    blind = why_incomplete(record)
    if blind:
        return f"it may not have seen everything: {blind.rstrip('.')}"
    ended = last_moment_of(record)
    if ended is None:
        return "its record does not say when it ended"
    if not clock.is_past(ended):
        return "its record says that it ends in the future"
    age = clock.age_of(ended)
    return f"it ended {span(age)} ago, and max_age is {span(max_age)}" if age > max_age else None


# the ids of a target and a tool, None for one that a record lacks; the tool None stands for any
Key = tuple[object, object]


def newest_first(scans: Iterable[Record]) -> list[Record]:
    """Scans, the newest first."""
    return sorted(scans, key=lambda scan: int(scan["id"]), reverse=True)


def history_of(scans: Iterable[Record], any_tool: bool = False) -> dict[Key, list[Record]]:
    """The scans of each target and tool, the newest first; the groups in the order of their newest scans, too.

    any_tool: the scans of a target with all tools are one group.
    """
    found: dict[Key, list[Record]] = {}
    for scan in newest_first(scans):
        found.setdefault((scan["target_id"], None if any_tool else scan["tool_id"]), []).append(scan)
    return found


def newest_of(scans: Iterable[Record], any_tool: bool = False) -> dict[Key, Record]:
    """The newest scan of each target and tool, in the order of their ids. any_tool: see ``history_of``."""
    return {key: group[0] for key, group in reversed(history_of(scans, any_tool).items())}
