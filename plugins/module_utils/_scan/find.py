# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Which existing scan will do for a target, and which scans of it are new."""

from __future__ import annotations

import re
import time

from .._errors import ApiError, Refused, printable
from .._lookup import Place
from .._resources import SCAN, VPN_PROFILE
from .record import FINISHED, MOST_CANDIDATES, candidates, is_in_progress, service_now
from .targets import live_targets
from .watch import Watch, take

# how a service may refuse a list that this key, or this plan, does not have
_NOT_LISTED = (403, 404, 405, 501)
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def find_scans(task, wish, place, entries, now):
    """The Watch over the scans of a task; those that exist and will do are in it, nothing is started."""
    watch = Watch(entries, dict(place.query, tool_id=wish.tool_id), wish.vpn_uuid)
    known = [entry for entry in entries if entry.target_id is not None]
    if len(entries) == 1 and known:
        watch.query["target_id"] = known[0].target_id
    if known:
        _look(task, wish, watch.query, known, now)
    return watch


def find_again(task, wish, watch, entries, now):
    """Look for scans that were started since, before these entries start their own."""
    _find_targets(task, entries, watch.query)
    known = [entry for entry in entries if entry.target_id is not None]
    query = dict(watch.query, target_id=known[0].target_id) if len(known) == 1 else watch.query
    if known:
        _look(task, wish, query, known, now)


def _look(task, wish, query, entries, now):
    # a page that the server has cut short must not hide the newest scan
    rows = [row for page in task.client.pages(SCAN, query, whole=bool(wish.max_age)) for row in page]
    last = task.client.transport.last
    clock = service_now(last and last.headers.get("Date"), rows, time.time())
    for entry in entries:
        own = _own(rows, wish, entry)
        entry.known = [row["id"] for row in own]
        if wish.max_age:
            _choose(task, wish, entry, own, clock, now)


def _own(rows, wish, entry):
    return [row for row in rows if row["target_id"] == entry.target_id and row["tool_id"] == wish.tool_id]


def _choose(task, wish, entry, rows, clock, now):
    """Take the first scan of the entry's target that is as declared; why the others were not is noted."""
    entry.candidates = []
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


def new_scans(task, wish, entry, query):
    """The ids of the scans of an entry's target and tool that did not exist before."""
    _find_targets(task, [entry], query)
    if entry.target_id is None:
        return []
    rows = task.client.all(SCAN, dict(query, target_id=entry.target_id))
    return [row["id"] for row in _own(rows, wish, entry) if row["id"] not in entry.known]


def doubles(task, wish, watch, entries):
    """(entry, ids of other new scans) for those of the entries, just started, that are not the only new ones."""
    query = watch.query if len(entries) > 1 else dict(watch.query, target_id=entries[0].target_id)
    rows = task.client.all(SCAN, query)
    for entry in entries:
        others = [row["id"] for row in _own(rows, wish, entry) if row["id"] not in (*entry.known, entry.scan_id)]
        if others and entry.target_id is not None:
            yield entry, others


def _find_targets(task, entries, query):
    """Note the ids of targets that exist by now."""
    missing = [entry for entry in entries if entry.target_id is None]
    if missing:
        place = Place(query.get("workspace_id"))
        for entry, record in zip(missing, live_targets(task, place, [entry.target for entry in missing])):
            entry.target_id = record and record["id"]


def vpn_uuid_of(task):
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
