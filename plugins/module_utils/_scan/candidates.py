# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Decides which existing scans may be used instead of a new one: how old they are, and with which parameters. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .._errors import printable
from .._families.scan_statuses import FINISHED
from .._moments import Clock
from .._records import Record
from .record import is_in_progress, last_moment_of, outcome_of

MOST_CANDIDATES = 5


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
    if not clock.is_past(ended):
        return "its record says that it ends in the future"
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
