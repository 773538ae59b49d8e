# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Finds what a task of the module scan refers to: its targets, its VPN profile, and the scans of these targets."""

from __future__ import annotations

import contextlib
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from .._evidence.clock import latest_clock
from .._evidence.scans import candidates, is_in_progress, outcome_of, status_of
from .._http.client import Client
from .._model import private_files
from .._model.errors import ApiError, CallError, Refused, WrongOption, first_of, printable
from .._model.families import FINISHED, SCAN, TARGET, VPN_PROFILE
from .._model.records import Record
from .._model.target_names import normal_form
from .._scope.permit import Permits
from .._scope.valid_names import refuse_name
from .._task.lookup import Place, confirm_place, find_by_key, not_empty
from .._task.name_match import Names, listed
from .._task.raw_options import UNKNOWN_ID
from .._task.references import existing, place_of, warn_current_workspace
from .._task.task import Task
from .result import unclear_start
from .spec import tools_of
from .watch import Entry

# how the service may refuse a list that this key, or this plan, does not include
_NOT_LISTED = (403, 404, 405, 501)
# the most existing scans of a target that are considered
_MOST_CANDIDATES = 5
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
# targets share this many locks for each tool and service: a task with many targets must not run out of file descriptors
_LOCKS = 64
# mistakes of one kind that a message names
_MOST_NAMED = 20
# how long a task waits for another one, in seconds
_LONGEST_WAIT = 120


class Targets(NamedTuple):
    """The workspace and the targets of a task, an Entry for each, with its id if the target exists."""

    place: Place
    entries: list[Entry]


# --- targets


def declared_names(params: Mapping[str, Any]) -> list[str]:
    """The names in target or targets, [] if the task gives target_id. Raises WrongOption."""
    if params["target_id"] is not None:
        return []
    names: list[str] = [params["target"]] if params["targets"] is None else params["targets"]
    if not names:
        raise WrongOption("targets is empty: give at least one target, or skip this task.")
    seen: dict[str, str] = {}
    doubles = []
    for index, name in enumerate(names):
        where = _option_of(params, index)
        not_empty(where, name)
        first = seen.setdefault(normal_form(name), where)
        if first != where:
            doubles.append(f"{first} and {where} are the same target, {printable(name)!r}: remove one of them.")
    if doubles:
        more = f" {len(doubles) - _MOST_NAMED} more follow." if len(doubles) > _MOST_NAMED else ""
        raise WrongOption(" ".join(doubles[:_MOST_NAMED]) + more)
    return names


def _option_of(params: Mapping[str, Any], index: int) -> str:
    """What the task calls the name with this index."""
    return "target" if params["targets"] is None else f"targets[{index}]"


def resolve(task: Task) -> Targets:
    """The targets that the task names."""
    names = declared_names(task.params)
    if not names:
        place, target_id = place_of(task), task.params["target_id"]
        if target_id == UNKNOWN_ID:
            task.warn_assumed("the target")
            return Targets(place, [Entry("the target that an earlier task would have made", by_id=True)])
        return _resolve_id(task.client, task.permits, place, target_id, task.params["state"])
    task.permits.refuse(names)
    place = place_of(task)
    warn_current_workspace(place, task.warn)
    live: list[Record | None] = (
        [None] * len(names) if place.missing else _live_targets(task.client, task.params, place, names)
    )
    new = [name for name, record in zip(names, live) if record is None]
    if new and task.params["state"] == "present":
        # before anything is started
        for name in new:
            refuse_name(_option_of(task.params, names.index(name)), name)
        do_not_exist = (
            f"{'Target' if len(new) == 1 else 'Targets'} {listed(new)} {'does' if len(new) == 1 else 'do'} not exist"
        )
        if task.params["missing_target"] == "fail" and not task.check_mode:
            raise Refused(f"{do_not_exist}, and missing_target is fail: declare them first, or correct the name.")
        if not place.missing:
            task.warn(
                f"{do_not_exist} yet."
                " The service creates a missing target and scans it: declare targets first, and set scope, so that a typo"
                " is not scanned."
            )
    if place.id is None and not place.missing:
        # the current workspace may change during the task
        place = place._replace(id=next((record["workspace_id"] for record in live if record), None))
    return Targets(
        place,
        [Entry(record["name"], record["id"]) if record else Entry(name) for name, record in zip(names, live)],
    )


def _resolve_id(client: Client, permits: Permits, place: Place, target_id: int, state: str) -> Targets:
    """The target with this id, if it exists. state: of its scans."""
    if place.missing and state != "present":
        # a workspace that does not exist contains no target
        return Targets(place, [])
    if state == "absent":
        record = client.read(TARGET, target_id)
    else:
        record = existing(client, TARGET, target_id, "target_id, or give target")
    if record is None:
        return Targets(place, [])
    if place.declared and not place.missing and record["workspace_id"] not in (None, place.id):
        raise WrongOption(
            f"target {printable(record['name'])!r} (id {target_id}) is not in {place}, but in another workspace: correct"
            " the workspace, or leave it out."
        )
    permits.refuse([record["name"]])
    place = place if place.id is not None else place._replace(id=record["workspace_id"])
    return Targets(place, [Entry(record["name"], target_id, by_id=True)])


def _live_targets(client: Client, params: Mapping[str, Any], place: Place, names: Sequence[str]) -> list[Record | None]:
    """The live record of each name, None if it is missing: by the exact name, else by its normal form."""
    # the names may be some of those of the task
    options = {name: _option_of(params, index) for index, name in enumerate(params["targets"] or names)}
    if len(names) == 1:
        option = options[names[0]]
        other = "target_id" if option == "target" else ""
        return [find_by_key(client, TARGET, names[0], place.query, whole=True, option=option, other=other)]
    rows: list[Record] = []
    missing = set(names)
    for page in client.pages(TARGET, place.query):
        rows += [row for row in page if place.id is None or row["workspace_id"] in (None, place.id)]
        missing -= {row["name"] for row in page}
        if not missing:
            break
    live = Names(TARGET, rows)
    records = [live.one(name, options[name]) for name in names]
    unnamed = next((each for each in records if each and each["workspace_id"] is None), None)
    if unnamed and place.id is not None:
        # one target is enough to see whether the service filters its lists
        confirm_place(client, TARGET, unnamed, place.id)
    return records


def note_new_targets(
    client: Client, params: Mapping[str, Any], query: dict[str, int], entries: Sequence[Entry]
) -> None:
    """Note the ids of targets that have been created since."""
    missing = [entry for entry in entries if entry.target_id is None]
    if missing:
        place = Place(query.get("workspace_id"))
        for entry, record in zip(missing, _live_targets(client, params, place, [entry.target for entry in missing])):
            entry.target_id = record["id"] if record else None


def vpn_uuid_of(client: Client, wanted: str | None) -> str | None:
    """The UUID of the VPN profile in the option, "" for none, None if it does not say; 1 GET if it is named."""
    if not wanted:
        return wanted
    try:
        rows = client.all(VPN_PROFILE)
    except ApiError as error:
        if error.status not in _NOT_LISTED or not _UUID.fullmatch(wanted):
            raise
        client.warn(
            f"vpn_profile {wanted!r} was not checked, because the service refused the list of VPN profiles"
            f" ({error.status}). It is sent unchanged."
        )
        return wanted
    uuids = [str(row["uuid"]) for row in rows if wanted in (row["uuid"], row["name"])]
    if wanted in uuids:
        return wanted
    if len(uuids) == 1:
        return uuids[0]
    named = f"vpn_profile {printable(wanted)!r}"
    if uuids:
        shown = ", ".join(printable(uuid, 60) for uuid in uuids)
        raise WrongOption(f"{named} is the name of {len(uuids)} VPN profiles: use one of the UUIDs {shown}.")
    names = ", ".join(repr(printable(row["name"], 60)) for row in rows[:20]) or "none"
    raise WrongOption(f"{named} is not a VPN profile of this account: correct it. Existing profiles: {names}.")


# --- scans


@contextlib.contextmanager
def starts_locked(client: Client, tool_ids: Iterable[int], names: Sequence[str]) -> Iterator[None]:
    """Keep other tasks of this user from starting scans of these targets with these tools. If the lock cannot be taken, the
    task warns and continues."""
    transport = client.transport
    with contextlib.ExitStack() as held:
        try:
            place = private_files.directory(os.environ) if names else ""
            base_url = transport.connection.base_url
            # in the order in which every task takes them
            for parts in chain(
                *(lock_parts(base_url, tool_id, names) for tool_id in sorted(tool_ids)) if place else ()
            ):
                path = private_files.path_for(place, "start of scans", *parts)
                held.enter_context(private_files.locked(path, _LONGEST_WAIT, transport.pause, transport.now))
        except OSError as error:
            client.warn(
                "A lock could not be taken"
                f" ({printable(error.strerror or error)}), so two tasks at the same time may both start a scan of one target."
            )
        yield


def lock_parts(base_url: str, tool_id: int, names: Iterable[str]) -> list[tuple[str, ...]]:
    """What the locks of these targets are named after, in order. Pure."""
    numbers = {zlib.crc32(normal_form(name).encode("utf-8", "surrogatepass")) % _LOCKS for name in names}
    return [(base_url, str(tool_id), str(number)) for number in sorted(numbers)]


def find_scans(client: Client, query: dict[str, int], entries: Sequence[Entry]) -> None:
    """Let the entries take existing scans that are as declared, and note which scans exist. At most one list."""
    entries = [entry for entry in entries if entry.target_id is not None]
    if not entries:
        return
    # of all entries
    max_age = entries[0].spec.max_age
    # a page that the server has cut short must not hide the newest scan
    rows = [row for page in client.pages(SCAN, query, whole=bool(max_age)) for row in page]
    for entry in entries:
        entry.known = [row["id"] for row in _own(rows, entry)]
    if not max_age:
        return
    clock = latest_clock(client, rows)
    for entry in entries:
        entry.candidates = []
        declared = entry.spec.tool_params or entry.spec.authentication or entry.spec.further
        for row, reason in candidates(_own(rows, entry), clock, max_age)[:_MOST_CANDIDATES]:
            shown: Record | None = row
            # rows do not show all that is declared
            if reason is None and (declared or entry.spec.vpn_uuid is not None):
                shown = client.read(SCAN, row["id"])
                reason = entry.spec.why_another(shown) if shown else "somebody has just deleted it"
            if shown and reason is None:
                entry.take(shown, client.transport.now())
                # a scan in progress is joined
                entry.outcome = None if is_in_progress(shown) else FINISHED
                break
            entry.candidates.append(dict(id=shown["id"] if shown else None, target=entry.target, reason=reason))


def find_again(client: Client, params: Mapping[str, Any], query: dict[str, int], entries: Sequence[Entry]) -> None:
    """Let the entries take scans that somebody has started since, even of targets that were created since."""
    note_new_targets(client, params, query, entries)
    find_scans(client, narrowed(query, entries), entries)


def find_started(task: Task, query: dict[str, int], entry: Entry, error: CallError | None = None) -> int:
    """The id of the one scan of the entry's target and tool that did not exist before. Raises if there is not exactly one.

    error: of the start, which is warned of; None if it succeeded without an id.
    """
    client = task.client
    new: list[int] | None = None
    # if nothing can be read, the failed start is still what the error is about
    with contextlib.suppress(CallError), client.transport.stop.last_calls():
        note_new_targets(client, task.params, query, [entry])
        rows = () if entry.target_id is None else client.all(SCAN, narrowed(query, [entry]))
        new = [row["id"] for row in _own(rows, entry) if row["id"] not in entry.known]
    if new is not None and len(new) == 1:
        if error:
            task.warn(
                f"{error.what}. Scan {new[0]} of {printable(entry.name)!r} is new since then and is counted as started by"
                " this task."
            )
        return new[0]
    entry.started, entry.maybe_started = error is None, error is not None
    raise unclear_start(entry, new, error)


def doubles(client: Client, query: dict[str, int], entries: Sequence[Entry]) -> Iterator[tuple[Entry, list[int]]]:
    """The entries, just started, whose scans are not the only new ones, each with the ids of the others."""
    rows = client.all(SCAN, narrowed(query, entries))
    for entry in entries:
        others = [row["id"] for row in _own(rows, entry) if row["id"] not in (*entry.known, entry.scan_id)]
        if others and entry.target_id is not None:
            yield entry, others


def scans_to_end(task: Task) -> list[Entry]:
    """The scans that a task with the state stopped or absent names."""
    absent, scan_id = task.params["state"] == "absent", task.params["id"]
    if scan_id == UNKNOWN_ID:
        task.warn_assumed("the scan")
        return []
    if scan_id is not None:
        record = task.client.read(SCAN, scan_id) if absent else existing(task.client, SCAN, scan_id)
        return [_entry_of("", record)] if record else []
    tools = tools_of(task.params)
    place, entries = resolve(task)
    names = {entry.target_id: entry.target for entry in entries if entry.target_id is not None}
    if not names:
        return []
    query = dict(place.query, tool_id=next(iter(tools))) if len(tools) == 1 else place.query
    rows = task.client.all(SCAN, narrowed(query, entries))
    for field in ("target_id", "tool_id"):
        unclear = [str(row["id"]) for row in rows if row[field] is None]
        if unclear:
            raise Refused(
                f"The record of scan {first_of(unclear, _MOST_CANDIDATES)} has no {field}, so the scans of"
                f" {listed(sorted(names.values()))} are not known, and nothing was changed: give the id of a scan."
            )
    own = [row for row in rows if row["target_id"] in names and row["tool_id"] in tools]
    # a scan without a status may be in progress
    return [
        _entry_of(names[row["target_id"]], row) for row in own if absent or is_in_progress(row) or not status_of(row)
    ]


def _entry_of(target: str, record: Record) -> Entry:
    return Entry(target, record["target_id"], scan_id=record["id"], record=record, outcome=outcome_of(record))


def narrowed(query: dict[str, int], entries: Sequence[Entry]) -> dict[str, int]:
    """The filters of the list that shows the scans of these entries."""
    targets, tools = {entry.target_id for entry in entries}, {entry.spec.tool_id for entry in entries}
    fields = (("target_id", targets), ("tool_id", tools))
    return {**query, **{name: each for name, same in fields for each in same if each and len(same) == 1}}


def _own(rows: Iterable[Record], entry: Entry) -> list[Record]:
    return [row for row in rows if row["target_id"] == entry.target_id and row["tool_id"] == entry.spec.tool_id]
