# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Starting scans: which targets are meant, which scan of them will do, and what to do where the answer is lost."""

from __future__ import annotations

import time

from ._errors import CallError, ConfigurationError, Refused, create_hints, printable
from ._lookup import (
    UNKNOWN_ID,
    find_by_key,
    listed,
    match,
    not_empty,
    place_of,
    warn_current_workspace,
)
from ._names import normal_form
from ._resources import SCAN, TARGET, VPN_PROFILE, is_row, new_record
from ._scanning import (
    FAILED_TO_START,
    FINISHED,
    MOST_CANDIDATES,
    candidates,
    is_in_progress,
    seconds_of,
    service_now,
    why_other_params,
)
from ._tools import tool_id_of
from ._watch import new_entry, new_watch, startable, take

AUTHENTICATION_OPTION = dict(
    type="dict",
    options=dict(
        type=dict(type="str", choices=["cookies", "headers", "login_form"], required=True),
        cookie_header=dict(type="str", no_log=True),
        headers=dict(type="list", elements="str", no_log=True),
        login_page_url=dict(type="str"),
        username=dict(type="str"),
        password=dict(type="str", no_log=True),
    ),
    required_if=[
        ("type", "cookies", ("cookie_header",)),
        ("type", "headers", ("headers",)),
        ("type", "login_form", ("login_page_url", "username", "password")),
    ],
)
# the sub-options that belong to each type
_AUTHENTICATION = {
    "cookies": ("cookie_header",),
    "headers": ("headers",),
    "login_form": ("login_page_url", "username", "password"),
}
# assumed: the highest that the service takes
_LONGEST_SCAN = 1440


def begin(task, now):
    """Find or start the scans that the task declares, as many as may run at once; returns the watch over them."""
    wish = _Wish(task)
    # URLs beside the target before any call; then the names of live targets, which are what is sent
    task.gate.refuse_body(SCAN.path, wish.body(new_entry(None), None))
    place, entries = resolve(task)
    for entry in entries:
        task.gate.refuse_body(SCAN.path, wish.body(entry, place.id))
    wish.vpn_uuid = _vpn_uuid(task)
    known = [entry for entry in entries if entry["target_id"] is not None]
    query = dict(place.query, tool_id=wish.tool_id)
    rows = []
    if known:
        if len(entries) == 1:
            query["target_id"] = known[0]["target_id"]
        # a page that the server has cut short must not hide the newest scan
        rows = [row for page in task.client.pages(SCAN, query, whole=bool(wish.max_age)) for row in page]
    last = task.client.transport.last
    clock = service_now(last and last.headers.get("Date"), rows, time.time())
    for entry in known:
        own = [row for row in rows if row["target_id"] == entry["target_id"] and row["tool_id"] == wish.tool_id]
        entry["known"] = [row["id"] for row in own]
        if wish.max_age:
            _choose(task, wish, entry, own, clock, now)
    watch = new_watch(entries, query)
    start_next(task, watch, now, wish)
    return watch


class _Wish:
    """What the task declares of its scans, checked. Raises ConfigurationError."""

    def __init__(self, task):
        params = task.params
        self.tool_id = tool_id_of(params["tool"])
        self.max_age = seconds_of(params["max_age"])
        self.tool_params = params["tool_params"]
        self.max_scan_time = params["max_scan_time"]
        self.authentication = _authentication(params["authentication"])
        self.vpn_uuid = None
        if self.max_scan_time is not None and not 1 <= self.max_scan_time <= _LONGEST_SCAN:
            raise ConfigurationError(
                f"max_scan_time is {self.max_scan_time}: set it to 1 to {_LONGEST_SCAN} minutes, or leave it out."
            )

    def body(self, entry, workspace_id):
        """The body of a start."""
        # a target that is there is named as the service has it; only an id given by the task is sent as one
        target = {"target_id": entry["target_id"]} if entry.get("by_id") else {"target_name": entry["target"]}
        optional = dict(
            workspace_id=workspace_id,
            tool_params=self.tool_params,
            max_scan_time=self.max_scan_time,
            authentication=self.authentication,
        )
        body = dict(target, tool_id=self.tool_id, **{name: each for name, each in optional.items() if each is not None})
        # null is no VPN, left out is the one of the workspace
        return body if self.vpn_uuid is None else dict(body, vpn_profile_uuid=self.vpn_uuid or None)


def _authentication(given):
    if given is None:
        return None
    kind = given["type"]
    extra = [
        name for name, value in given.items() if value is not None and name not in ("type", *_AUTHENTICATION[kind])
    ]
    if extra:
        raise ConfigurationError(
            f"authentication.{extra[0]} does not belong to type {kind}: leave it out, or choose another type."
        )
    return {"type": kind, "params": {name: given[name] for name in _AUTHENTICATION[kind]}}


def _vpn_uuid(task):
    """The uuid of the VPN profile that the task names, "" for none, None where it does not say; 1 GET for a name."""
    wanted = task.params["vpn_profile"]
    if not wanted:
        return wanted
    rows = task.client.all(VPN_PROFILE)
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


# --- the targets


def resolve(task):
    """(Place, entries) of the task: one entry for each target, with its id where it is there."""
    params = task.params
    names = [params["target"]] if params["targets"] is None else params["targets"]
    if not names:
        raise Refused("targets is empty: give at least one target, or skip this task.")
    if params["target_id"] is not None:
        return _resolve_id(task)
    _refuse_bad_names(names, "target" if params["targets"] is None else "targets")
    task.gate.refuse(names)
    place = place_of(task)
    warn_current_workspace(task, place)
    if place.missing:
        return place, [new_entry(name) for name in names]
    live = _live_targets(task, place, names)
    if place.id is None:
        # from here on the same workspace, whatever becomes of the current one
        place = place._replace(id=next((record["workspace_id"] for record in live if record), None))
    _warn_of_new_targets(task, [name for name, record in zip(names, live) if record is None])
    entries = [
        new_entry(name) if record is None else new_entry(record["name"], record["id"])
        for name, record in zip(names, live)
    ]
    return place, entries


def _warn_of_new_targets(task, names):
    if names and task.params["state"] == "present":
        task.warn(
            f"No target {listed(names)} is there yet, and the service makes what it is asked to scan: declare targets first,"
            " and set scope, so that a typo is not scanned."
        )


def _resolve_id(task):
    target_id = task.params["target_id"]
    place = place_of(task)
    if target_id == UNKNOWN_ID:
        task.warn_foreseen("the target")
        return place, [new_entry("the target that an earlier task would have made")]
    if place.missing and task.params["state"] != "present":
        # what is in a workspace that is not there is not there either
        return place, []
    record = task.client.read(TARGET, target_id)
    if record is None:
        if task.params["state"] == "absent":
            return place, []
        raise Refused(f"target_id {target_id} is no target that this key can see: correct it, or give target.")
    if place.declared and not place.missing and record["workspace_id"] not in (None, place.id):
        raise Refused(
            f"target {printable(record['name'])!r} (id {target_id}) is not in {place}, but in another workspace: correct"
            " the workspace or leave it out."
        )
    task.gate.refuse([record["name"]])
    place = place if place.id is not None else place._replace(id=record["workspace_id"])
    return place, [dict(new_entry(record["name"], target_id), by_id=True)]


def _refuse_bad_names(names, option):
    seen = {}
    for index, name in enumerate(names):
        where = option if option == "target" else f"targets[{index}]"
        not_empty(where, name)
        first = seen.setdefault(normal_form(name), where)
        if first != where:
            raise Refused(f"{first} and {where} are the same target, {printable(name)!r}: leave one of them out.")


def _live_targets(task, place, names):
    """The live record of each name, None where there is none: letter by letter, else by what the name means."""
    if len(names) == 1:
        return [find_by_key(task.client, TARGET, names[0], place.query, normal_form, whole=True)]
    rows, missing = [], set(names)
    for page in task.client.pages(TARGET, place.query):
        rows += [row for row in page if place.id is None or row["workspace_id"] in (None, place.id)]
        missing -= {row["name"] for row in page}
        if not missing:
            break
    by_form = {}
    for row in rows:
        by_form.setdefault(normal_form(row["name"]), []).append(row)
    return [match(TARGET, by_form.get(normal_form(name), []), name, normal_form) for name in names]


# --- a scan that will do


def _choose(task, wish, entry, rows, clock, now):
    """Take the first scan of the entry's target that is as declared; why the others were not is noted."""
    judged = candidates(rows, clock, wish.max_age)
    wants_record = bool(wish.tool_params or wish.authentication or wish.vpn_uuid is not None)
    kind = wish.authentication and wish.authentication["type"]
    for row, reason in judged[:MOST_CANDIDATES]:
        if reason is None and wants_record:
            row = task.client.read(SCAN, row["id"])
            reason = (
                why_other_params(row, wish.tool_params, wish.vpn_uuid, kind) if row else "somebody has just deleted it"
            )
        if reason is None:
            take(entry, row, now)
            # one that is in progress is joined
            entry["outcome"] = None if is_in_progress(row) else FINISHED
            return
        entry["candidates"].append(dict(id=row["id"] if row else None, target=entry["target"], reason=reason))


# --- starting


def start_next(task, watch, now, wish=None):
    """Start what may be started now. A failure is that of the entry, but one of the account ends the starting."""
    if wish is None:
        wish = _Wish(task)
        wish.vpn_uuid = watch.get("vpn_uuid")
    watch["vpn_uuid"] = wish.vpn_uuid
    workspace_id = watch["query"].get("workspace_id")
    # one that fails makes room for the next
    while ready := startable(watch, 0 if task.check_mode else task.params["concurrency"]):
        for entry in ready:
            if task.check_mode:
                _foresee(entry, wish, workspace_id)
            elif entry["error"] is None:
                _start_or_note(task, wish, entry, watch, now)


def _start_or_note(task, wish, entry, watch, now):
    try:
        _start(task, wish, entry, watch["query"], now)
    except CallError as error:
        if len(watch["entries"]) == 1:
            raise
        hopeless = error.status in (None, 401, 429) and not error.maybe_done
        for each in startable(watch, 0) if hopeless else [entry]:
            each.update(error=str(error), outcome=FAILED_TO_START)


def _foresee(entry, wish, workspace_id):
    values = dict(tool_id=wish.tool_id, target_id=entry["target_id"], workspace_id=workspace_id)
    entry.update(started=True, foreseen=True, record=new_record(SCAN, values))


def _start(task, wish, entry, query, now):
    hints = {**create_hints("target"), 404: "check target_id, workspace_id and vpn_profile"}
    try:
        scan_id, data = task.client.start(SCAN, wish.body(entry, query.get("workspace_id")), hints)
    except CallError as error:
        if not error.maybe_done:
            raise
        scan_id, data = _look_for(task, wish, entry, query, error), {}
        task.warn(
            f"The answer to POST {SCAN.path} was lost or was no success; scan {scan_id} of {printable(entry['target'])!r}"
            " is new since then and is counted as started by this task."
        )
    if scan_id is None:
        scan_id = _look_for(task, wish, entry, query)
    if isinstance(data.get("target_id"), int):
        entry["target_id"] = data["target_id"]
    record = data if is_row(SCAN, data) and "status_name" in data else dict(new_record(SCAN, {}), id=scan_id)
    take(entry, record, now, started=True)


def _look_for(task, wish, entry, query, error=None):
    """The id of the one scan of the entry's target and tool that was not there before. Raises where there is no one."""
    new = None
    try:
        new = _new_scans(task, wish, entry, query)
    except CallError:
        # the start is what failed; that nothing could be read after it must not hide it
        if error is None:
            raise
    if new is not None and len(new) == 1:
        return new[0]
    seen = (
        "could not be looked for"
        if new is None
        else f"{len(new)} new scans of it are there"
        if new
        else "no new one is there"
    )
    what = "was not answered" if error is None or error.status is None else f"was answered {error.status}"
    what = "was answered without its id" if error is None else what
    raise _MaybeStarted(
        f"The start of a scan of {printable(entry['target'])!r} {what}, and {seen}: it may have been started; look at the"
        " list of scans, and run again with max_age to use it.",
        error,
    )


def _new_scans(task, wish, entry, query):
    if entry["target_id"] is None:
        record = find_by_key(task.client, TARGET, entry["target"], _place_query(query), normal_form, whole=True)
        if record is None:
            return []
        entry["target_id"] = record["id"]
    wanted = dict(query, target_id=entry["target_id"])
    return [
        row["id"]
        for row in task.client.all(SCAN, wanted)
        if row["target_id"] == entry["target_id"] and row["tool_id"] == wish.tool_id and row["id"] not in entry["known"]
    ]


def _place_query(query):
    return {name: value for name, value in query.items() if name == "workspace_id"}


class _MaybeStarted(CallError):
    """A start of which nobody knows whether it was done. It is never repeated."""

    def __init__(self, sentence, error):
        known = error.result["api_error"] if error else {}
        super().__init__(
            sentence,
            "POST",
            SCAN.path,
            known.get("status"),
            known.get("message"),
            known.get("details"),
            maybe_done=True,
        )
