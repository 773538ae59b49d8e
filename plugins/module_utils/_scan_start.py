# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Starting scans: which existing scan will do, what is started now, and what to do where the answer is lost."""

from __future__ import annotations

import re
import time

from ._errors import ApiError, CallError, Refused, printable
from ._lookup import find_by_key
from ._names import normal_form
from ._resources import SCAN, TARGET, VPN_PROFILE, is_row, new_record
from ._scan_targets import resolve
from ._scan_wish import is_slot_refusal, start_hints, wish_of
from ._scanning import (
    FAILED_TO_START,
    FINISHED,
    MOST_CANDIDATES,
    QUEUE_TIMEOUT,
    UNKNOWN_STATE,
    candidates,
    is_in_progress,
    service_now,
)
from ._watch import Entry, Watch, out_of_patience, refused_slot, startable, take

# how a service may refuse a list that this key, or this plan, does not have
_NOT_LISTED = (403, 404, 405, 501)
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def find_scans(task, now):
    """The Watch over the scans that the task declares; those that exist and will do are in it, nothing is started."""
    wish = wish_of(task.params, None)
    # URLs beside the target before any call; then the names of live targets, which are what is sent
    task.gate.refuse_body(SCAN.path, wish.body(Entry("", by_id=True), None))
    place, entries = resolve(task)
    for entry in entries:
        task.gate.refuse_body(SCAN.path, wish.body(entry, place.id))
    wish = wish._replace(vpn_uuid=_vpn_uuid(task))
    watch = Watch(entries, dict(place.query, tool_id=wish.tool_id), wish.vpn_uuid)
    known = [entry for entry in entries if entry.target_id is not None]
    if len(entries) == 1 and known:
        watch.query["target_id"] = known[0].target_id
    rows = []
    if known:
        # a page that the server has cut short must not hide the newest scan
        rows = [row for page in task.client.pages(SCAN, watch.query, whole=bool(wish.max_age)) for row in page]
    last = task.client.transport.last
    clock = service_now(last and last.headers.get("Date"), rows, time.time())
    for entry in known:
        own = [row for row in rows if row["target_id"] == entry.target_id and row["tool_id"] == wish.tool_id]
        entry.known = [row["id"] for row in own]
        if wish.max_age:
            _choose(task, wish, entry, own, clock, now)
    return watch


def _vpn_uuid(task):
    """The uuid of the VPN profile that the task names, "" for none, None where it does not say; 1 GET for a name."""
    wanted = task.params["vpn_profile"]
    if not wanted:
        return wanted
    try:
        rows = task.client.all(VPN_PROFILE)
    except ApiError as error:
        if error.status not in _NOT_LISTED or not _UUID.fullmatch(wanted):
            raise
        task.warn(
            f"vpn_profile {wanted!r} could not be checked, as the list of VPN profiles was refused ({error.status}); it is"
            " sent as it is."
        )
        return wanted
    if any(row["uuid"] == wanted for row in rows):
        return wanted
    named = [row for row in rows if row["name"] == wanted]
    if len(named) == 1:
        return named[0]["uuid"]
    if named:
        uuids = ", ".join(printable(row["uuid"], 60) for row in named)
        raise Refused(
            f"vpn_profile {printable(wanted)!r} names {len(named)} VPN profiles: give one of the uuids {uuids}."
        )
    names = ", ".join(repr(printable(row["name"], 60)) for row in rows[:20]) or "none"
    raise Refused(
        f"vpn_profile {printable(wanted)!r} is no VPN profile of this account: there are {names}; correct it."
    )


# --- a scan that will do


def _choose(task, wish, entry, rows, clock, now):
    """Take the first scan of the entry's target that is as declared; why the others were not is noted."""
    for row, reason in candidates(rows, clock, wish.max_age)[:MOST_CANDIDATES]:
        if reason is None and wish.needs_record:
            row = task.client.read(SCAN, row["id"])
            reason = wish.why_another(row) if row else "somebody has just deleted it"
        if reason is None:
            take(entry, row, now)
            # one that is in progress is joined
            entry.outcome = None if is_in_progress(row) else FINISHED
            return
        entry.candidates.append(dict(id=row["id"] if row else None, target=entry.target, reason=reason))


# --- starting


def start_next(task, watch, now, until=None):
    """Start what may be started now. A failure is that of the entry, but one of the account ends the starting.

    until: on the clock of the transport, when the rest is left to the next call of this; None for never.
    """
    wish = wish_of(task.params, watch.vpn_uuid)
    workspace_id = watch.query.get("workspace_id")
    # one that fails makes room for the next
    while ready := startable(watch, 0 if task.check_mode else task.params["concurrency"]):
        for entry in ready:
            if task.check_mode:
                _predict(entry, wish, workspace_id)
            elif entry.error is None and not _start_or_note(task, wish, entry, watch, now):
                return
            if until is not None and task.client.transport.elapsed() >= until:
                return


def _start_or_note(task, wish, entry, watch, now):
    """Start a scan, or note why not; False where the service has no free slot, and it is worth to wait for one."""
    try:
        _start(task, wish, entry, watch.query, now)
    except CallError as error:
        if _waits_for_slots(task, watch) and is_slot_refusal(error):
            refused_slot(watch, now)
            if out_of_patience(watch, now, task.params["queue_timeout"]):
                _give_up(task, watch, error)
            return False
        if len(watch.entries) == 1:
            raise
        outcome = UNKNOWN_STATE if error.maybe_done else FAILED_TO_START
        hopeless = error.status in (None, 401, 429) and not error.maybe_done
        for each in startable(watch, 0) if hopeless else [entry]:
            each.error, each.outcome = str(error), outcome
    else:
        watch.no_slot_since = None
    return True


def _waits_for_slots(task, watch):
    return task.params["wait"] and bool(task.params["concurrency"] or len(watch.entries) > 1)


def _give_up(task, watch, error):
    """No slot became free in time: note it for all that was not started."""
    for entry in startable(watch, 0):
        entry.outcome = QUEUE_TIMEOUT
        entry.error = (
            f"No scan of {printable(entry.target)!r} was started: the account's plan had no free slot for"
            f" {task.params['queue_timeout']:g} s ({printable(error.message)!r}). Run the task again when other scans have"
            " ended, or raise queue_timeout."
        )


def _predict(entry, wish, workspace_id):
    values = dict(tool_id=wish.tool_id, target_id=entry.target_id, workspace_id=workspace_id)
    entry.started, entry.predicted, entry.record = True, True, new_record(SCAN, values)


def _start(task, wish, entry, query, now):
    try:
        scan_id, data = task.client.start(SCAN, wish.body(entry, query.get("workspace_id")), start_hints(task.params))
    except CallError as error:
        if not error.maybe_done:
            raise
        scan_id, data = _look_for(task, wish, entry, query, error), {}
        task.warn(
            f"The answer to POST {SCAN.path} was lost or was no success; scan {scan_id} of {printable(entry.target)!r}"
            " is new since then and is counted as started by this task."
        )
    if scan_id is None:
        scan_id = _look_for(task, wish, entry, query)
    if isinstance(data.get("target_id"), int):
        entry.target_id = data["target_id"]
    known = dict(tool_id=wish.tool_id, target_id=entry.target_id, workspace_id=query.get("workspace_id"))
    record = data if is_row(SCAN, data) and "status_name" in data else dict(new_record(SCAN, known), id=scan_id)
    take(entry, record, now, started=True)


def _look_for(task, wish, entry, query, error=None):
    """The id of the one scan of the entry's target and tool that did not exist before. Raises where there is no one.

    error: what came in the place of a success, None for a success without an id.
    """
    new = None
    try:
        new = _new_scans(task, wish, entry, query)
    except CallError:
        # the start is what counts; that nothing could be read after it must not hide it
        pass
    if new is not None and len(new) == 1:
        return new[0]
    entry.started, entry.maybe_started = error is None, error is not None
    raise _Unknown(entry, new, error)


def _new_scans(task, wish, entry, query):
    if entry.target_id is None:
        record = find_by_key(task.client, TARGET, entry.target, _place_query(query), normal_form, whole=True)
        if record is None:
            return []
        entry.target_id = record["id"]
    wanted = dict(query, target_id=entry.target_id)
    return [
        row["id"]
        for row in task.client.all(SCAN, wanted)
        if row["target_id"] == entry.target_id and row["tool_id"] == wish.tool_id and row["id"] not in entry.known
    ]


def _place_query(query):
    return {name: value for name, value in query.items() if name == "workspace_id"}


class _Unknown(CallError):
    """A start of which nobody knows what it did, or which scan it started. It is never repeated."""

    def __init__(self, entry, new, error):
        seen = (
            "the list of scans could not be read"
            if new is None
            else f"the list shows {len(new)} new scans of it"
            if new
            else "the list shows no new scan of it"
        )
        target = printable(entry.target)
        if error is None:
            sentence = f"A scan of {target!r} was started, but the answer to POST {SCAN.path} does not tell its id, and {seen}."
        else:
            what = "No answer came to" if error.status is None else f"The answer {error.status} came to"
            sentence = (
                f"{what} the start of a scan of {target!r} (POST {SCAN.path}): it may have been started, though {seen}."
            )
        known = error.result["api_error"] if error else {}
        super().__init__(
            f"{sentence} Read the list with scanops.scanner.scan_info, or run the task again with max_age, which uses a"
            " scan that is in progress.",
            "POST",
            SCAN.path,
            known.get("status"),
            known.get("message"),
            known.get("details"),
            maybe_done=True,
        )
