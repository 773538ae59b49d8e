# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Finds existing scans that can be used instead of new ones, and new scans of a target. ``candidates`` is pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .._errors import ApiError, WrongOption, printable
from .._families.scan import SCAN
from .._families.scan_statuses import FINISHED
from .._families.vpn_profile import VPN_PROFILE
from .._moments import Clock, span
from .._records import Record
from .._task import Task
from .clock import latest_clock
from .record import is_in_progress, last_moment_of, outcome_of
from .spec import ScanSpec
from .watch import Entry

# how the service may refuse a list that this key, or this plan, does not include
_NOT_LISTED = (403, 404, 405, 501)
# the most existing scans of a target that are considered
_MOST_CANDIDATES = 5
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def find_scans(task: Task, spec: ScanSpec, query: dict[str, int], entries: Sequence[Entry]) -> None:
    """Let the entries take existing scans that are as declared, and note which scans exist. At most one list."""
    entries = [entry for entry in entries if entry.target_id is not None]
    if not entries:
        return
    # a page that the server has cut short must not hide the newest scan
    rows = [row for page in task.client.pages(SCAN, query, whole=bool(spec.max_age)) for row in page]
    clock = latest_clock(task, rows)
    for entry in entries:
        own = _own(rows, spec, entry)
        entry.known = [row["id"] for row in own]
        entry.candidates = []
        for row, reason in candidates(own, clock, spec.max_age)[:_MOST_CANDIDATES] if spec.max_age else ():
            shown: Record | None = row
            if reason is None and spec.needs_record:
                shown = task.client.read(SCAN, row["id"])
                reason = spec.why_another(shown) if shown else "somebody has just deleted it"
            if shown and reason is None:
                entry.take(shown, task.client.transport.now())
                # a scan in progress is joined
                entry.outcome = None if is_in_progress(shown) else FINISHED
                break
            entry.candidates.append(dict(id=shown["id"] if shown else None, target=entry.target, reason=reason))


def new_scans(task: Task, spec: ScanSpec, entry: Entry, query: dict[str, int]) -> list[int]:
    """The ids of the scans of an entry's target and tool that did not exist before."""
    if entry.target_id is None:
        return []
    rows = task.client.all(SCAN, dict(query, target_id=entry.target_id))
    return [row["id"] for row in _own(rows, spec, entry) if row["id"] not in entry.known]


def doubles(
    task: Task, spec: ScanSpec, query: dict[str, int], entries: Sequence[Entry]
) -> Iterator[tuple[Entry, list[int]]]:
    """The entries, just started, whose scans are not the only new ones, each with the ids of the others."""
    rows = task.client.all(SCAN, narrowed(query, entries))
    for entry in entries:
        others = [row["id"] for row in _own(rows, spec, entry) if row["id"] not in (*entry.known, entry.scan_id)]
        if others and entry.target_id is not None:
            yield entry, others


def narrowed(query: dict[str, int], entries: Sequence[Entry]) -> dict[str, int]:
    """The filters of the list that shows the scans of these entries."""
    target_id = entries[0].target_id if len(entries) == 1 else None
    return query if target_id is None else dict(query, target_id=target_id)


def _own(rows: Sequence[Record], spec: ScanSpec, entry: Entry) -> list[Record]:
    return [row for row in rows if row["target_id"] == entry.target_id and row["tool_id"] == spec.tool_id]


def vpn_uuid_of(task: Task) -> str | None:
    """The UUID of the VPN profile that the task names, "" for none, None if it does not say; 1 GET if it is named."""
    wanted: str | None = task.params["vpn_profile"]
    if not wanted:
        return wanted
    try:
        rows = task.client.all(VPN_PROFILE)
    except ApiError as error:
        if error.status not in _NOT_LISTED or not _UUID.fullmatch(wanted):
            raise
        task.warn(
            f"vpn_profile {wanted!r} was not checked, because the service refused the list of VPN profiles"
            f" ({error.status}). It is sent unchanged."
        )
        return wanted
    if any(row["uuid"] == wanted for row in rows):
        return wanted
    uuids = [str(row["uuid"]) for row in rows if row["name"] == wanted]
    if len(uuids) == 1:
        return uuids[0]
    if uuids:
        shown = ", ".join(printable(uuid, 60) for uuid in uuids)
        raise WrongOption(
            f"vpn_profile {printable(wanted)!r} is the name of {len(uuids)} VPN profiles: use one of the UUIDs {shown}."
        )
    names = ", ".join(repr(printable(row["name"], 60)) for row in rows[:20]) or "none"
    raise WrongOption(
        f"vpn_profile {printable(wanted)!r} is not a VPN profile of this account: correct it. Existing profiles: {names}."
    )


# --- which scans can be used


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
    return f"it ended {span(age)} ago, and max_age is {span(max_age)}" if age > max_age else None
