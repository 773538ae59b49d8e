# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Finds existing scans that can be used instead of new ones, and new scans of a target."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .._errors import ApiError, WrongOption, printable
from .._families.scan import SCAN
from .._families.scan_statuses import FINISHED
from .._families.vpn_profile import VPN_PROFILE
from .._lookup import Place
from .._records import Record
from .._task import Task
from .candidates import MOST_CANDIDATES, candidates
from .clock import latest_clock
from .record import is_in_progress
from .spec import ScanSpec
from .targets import live_targets
from .watch import Entry, Watch

# how the service may refuse a list that this key, or this plan, does not include
_NOT_LISTED = (403, 404, 405, 501)
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
        for row, reason in candidates(own, clock, spec.max_age)[:MOST_CANDIDATES] if spec.max_age else ():
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


def find_again(task: Task, spec: ScanSpec, watch: Watch, entries: Sequence[Entry]) -> None:
    """Look for scans that somebody else has started since, before these entries start their own."""
    _find_targets(task, entries, watch.query)
    known = [entry for entry in entries if entry.target_id is not None]
    find_scans(task, spec, _narrowed(watch.query, known), known)


def new_scans(task: Task, spec: ScanSpec, entry: Entry, query: dict[str, int]) -> list[int]:
    """The ids of the scans of an entry's target and tool that did not exist before."""
    _find_targets(task, [entry], query)
    if entry.target_id is None:
        return []
    rows = task.client.all(SCAN, dict(query, target_id=entry.target_id))
    return [row["id"] for row in _own(rows, spec, entry) if row["id"] not in entry.known]


def doubles(
    task: Task, spec: ScanSpec, query: dict[str, int], entries: Sequence[Entry]
) -> Iterator[tuple[Entry, list[int]]]:
    """The entries, just started, whose scans are not the only new ones, each with the ids of the others."""
    rows = task.client.all(SCAN, _narrowed(query, entries))
    for entry in entries:
        others = [row["id"] for row in _own(rows, spec, entry) if row["id"] not in (*entry.known, entry.scan_id)]
        if others and entry.target_id is not None:
            yield entry, others


def _narrowed(query: dict[str, int], entries: Sequence[Entry]) -> dict[str, int]:
    target_id = entries[0].target_id if len(entries) == 1 else None
    return query if target_id is None else dict(query, target_id=target_id)


def _own(rows: Sequence[Record], spec: ScanSpec, entry: Entry) -> list[Record]:
    return [row for row in rows if row["target_id"] == entry.target_id and row["tool_id"] == spec.tool_id]


def _find_targets(task: Task, entries: Sequence[Entry], query: dict[str, int]) -> None:
    """Note the ids of targets that have been created since."""
    missing = [entry for entry in entries if entry.target_id is None]
    if missing:
        place = Place(query.get("workspace_id"))
        for entry, record in zip(missing, live_targets(task, place, [entry.target for entry in missing])):
            entry.target_id = record["id"] if record else None


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
