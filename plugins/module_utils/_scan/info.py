# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Reading scans and their output."""

from __future__ import annotations

import time

from .._errors import ApiError, Refused, printable
from .._lookup import UNKNOWN_ID, in_place, place_of
from .._references import belongs, place_from, target_of, warn_unplaced
from .._resources import SCAN, SCAN_STATUSES
from .._since import since_of
from .output_answer import parsed_output, refusal_hints, scan_of
from .record import is_in_progress, last_moment_of, service_now, status_of, without_secrets
from .tools import tool_id_of


def read(task):
    """The work of scan_info."""
    params = task.params
    statuses, since = _statuses(task), since_of(params["since"])
    tool_id = None if params["tool"] is None else tool_id_of(params["tool"])
    place = place_of(task)
    if params["id"] is not None:
        return dict(scans=[without_secrets(scan) for scan in _by_id(task, place)])
    query = _query(task, place, tool_id, statuses)
    if query is None:
        return dict(scans=[])
    # older services know fewer filters; what they let through is left out here
    owners = {field: value for field, value in query.items() if field != "status"}
    rows = task.client.all(SCAN, query)
    scans = [scan for scan in rows if belongs(scan, owners) and (statuses is None or status_of(scan) in statuses)]
    if since is not None:
        scans = _recent(task, since, rows, scans)
    return dict(scans=[without_secrets(scan) for scan in scans])


def _recent(task, since, rows, scans):
    """The scans that ended since then, those that are in progress, and those whose records do not tell."""
    last = task.client.transport.last
    clock = service_now(last and last.headers.get("Date"), rows, time.time())
    longest = clock.now - since.at(clock.now)
    moments = {scan["id"]: None if is_in_progress(scan) else last_moment_of(scan) for scan in scans}
    silent = [scan["id"] for scan in scans if moments[scan["id"]] is None and not is_in_progress(scan)]
    if silent:
        shown = ", ".join(map(str, silent[:10])) + (f" and {len(silent) - 10} more" if len(silent) > 10 else "")
        task.warn(f"The record of scan {shown} does not tell when it ended, so since leaves it in the result.")
    return [scan for scan in scans if moments[scan["id"]] is None or clock.age_of(moments[scan["id"]]) <= longest]


def _by_id(task, place):
    if task.params["id"] == UNKNOWN_ID:
        task.warn_foreseen("the scan")
        return []
    if place.missing:
        return []
    scan = task.client.read(SCAN, task.params["id"])
    if scan is None or (place.declared and not in_place(task.client, SCAN, scan, place)):
        return []
    return [scan]


def _query(task, place, tool_id, statuses):
    """What the service is asked for, or None where in check mode what the task refers to does not exist yet."""
    if place.missing:
        return None
    query = {}
    if task.params["target"] is not None or task.params["target_id"] is not None:
        target = target_of(task, place)
        if target is None:
            return None
        query["target_id"] = target["id"]
        place = place_from(target, place)
    warn_unplaced(task, place, "scans")
    if tool_id is not None:
        query["tool_id"] = tool_id
    known = [name for name in SCAN_STATUSES if statuses and name.lower() in statuses]
    # the service takes one status, and may refuse one that it does not know
    if statuses and len(statuses) == len(known) == 1:
        query["status"] = known[0]
    return {**place.query, **query}


def _statuses(task):
    """The declared statuses in lower case, a set, or None; warns of those that nobody has described."""
    given = task.params["status"]
    if given is None:
        return None
    if not given or not all(each.strip() for each in given):
        raise Refused("status is empty, or has an empty item: name at least one value, or leave the option out.")
    statuses = {each.strip().lower().replace("_", " ") for each in given}
    known = {name.lower() for name in SCAN_STATUSES}
    for status in sorted(statuses - known):
        task.warn(
            f"status {printable(status, 60)!r} is none that is known, so it is looked for and maybe never found; known are"
            f" {', '.join(SCAN_STATUSES)}."
        )
    return statuses


def read_output(task):
    """The work of scan_output_info."""
    scan_id = task.params["id"]
    if scan_id == UNKNOWN_ID:
        task.warn_foreseen("the scan")
        return dict(output=None, text=None)
    scan = scan_of(task.client, scan_id)
    hints = refusal_hints(
        scan,
        "this tool gives its output in no form that can be returned; get it as a file with scanops.scanner.scan_output",
    )
    try:
        result = dict(output=parsed_output(task.client.data(SCAN, scan_id, "/output", hints=hints)), text=None)
    except ApiError as error:
        if error.status != 406:
            raise
        # the tool has no parsed output
        answer = task.client.text(SCAN, scan_id, "/raw", accept="text/plain", hints=hints)
        result = dict(output=None, text=_raw(task, answer))
    if is_in_progress(scan):
        task.warn(f"scan {scan_id} is still {printable(status_of(scan))}, so its output may be only a part.")
    return result


def _raw(task, answer):
    # assumed: plain text, as it is asked for; text in data is read as well
    if answer.content_type.startswith("text/plain"):
        try:
            return answer.body.decode("utf-8")
        except ValueError:
            task.warn(
                "The raw output is not all UTF-8; what is not is replaced by U+FFFD. A file keeps it as it is: use"
                " scanops.scanner.scan_output with the format raw."
            )
            return answer.body.decode("utf-8", "replace")
    body = answer.json()
    text = body.get("data") if isinstance(body, dict) else body
    if not isinstance(text, str):
        raise answer.unexpected("data that is no text")
    return text
