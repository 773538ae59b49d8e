# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The creation of a report, of which no unique key tells whether it was done: the list of reports, and the note, do."""

from __future__ import annotations

import time

from .._errors import CallError, Refused, printable
from .._resources import REPORT
from .note import Note, Sent, remove_note, write_note

# a report that an earlier run asked for is used for so many seconds
RESUMED_FOR = 86400
_SHOWN_IDS = 20

_CREATE_HINTS = {
    400: "correct source, resources, format and group_by",
    404: "one of resources is not there, or this key may not see it; correct source and resources",
    422: "correct source, resources, format and group_by",
}


def could_be(row, request):
    """Whether a row of the list can be the report that was asked for: nothing that the service shows says otherwise."""
    if row["format"] is not None and str(row["format"]).lower() != request["format"]:
        return False
    for name in ("source", "group_by"):
        if isinstance(row.get(name), str) and row[name].lower() != request[name]:
            return False
    resources = row.get("resources")
    told = isinstance(resources, list) and resources and all(isinstance(each, int) for each in resources)
    return not told or sorted(set(resources)) == request["resources"]


def new_since(rows, sent):
    """The rows that can be the report that was asked for and were not in the list before, ascending by id."""
    new = [row for row in rows if row["id"] not in sent.known and could_be(row, sent.request)]
    return sorted(new, key=lambda row: row["id"])


def from_earlier_run(task, rows, sent):
    """The report of a creation that an earlier run sent without learning what became of it, or None. Warns of it either
    way. Raises where several can be it."""
    new = new_since(rows, sent)
    asked = (
        "An earlier run of this task asked for this report at"
        f" {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(sent.asked_at))} and did not learn whether it was created."
    )
    if len(new) > 1:
        raise Refused(f"{asked} {_several(new, sent)}")
    if not new:
        task.warn(f"{asked} No new {sent.request['format']} report exists, so it is asked for again.")
        return None
    found = f"report {new[0]['id']}"
    if not 0 <= time.time() - sent.asked_at < RESUMED_FOR:
        task.warn(f"{asked} It may be {found}, which is not used because that was more than a day ago.")
        return None
    task.warn(f"{asked} {found.capitalize()} is new since then and is counted as that report.")
    return new[0]


def create(task, dest, note, request, rows):
    """Ask for a report, once: (its id, the data of the answer). Raises where it cannot be known which one it is.

    note: the Note beside ``dest``, or None; rows: the list of reports as it is now. What is sent is noted before, so that
    a run that is killed is not forgotten either.
    """
    now = time.time()
    sent = Sent(request, now, [row["id"] for row in rows])
    write_note(dest, (note or Note(request, None, None, now))._replace(sent=sent))
    body = {name: value for name, value in request.items() if name != "base_url"}
    if task.params["webhook_url"] is not None:
        body["webhook_url"] = task.params["webhook_url"]
    try:
        report_id = task.client.start(REPORT, body, _CREATE_HINTS)[0]
    except CallError as error:
        if error.maybe_done:
            return _settle(task, sent, error)
        if note is None:
            remove_note(dest)
        else:
            write_note(dest, note._replace(sent=None))
        raise
    return _settle(task, sent) if report_id is None else report_id


def _settle(task, sent, error=None):
    """The id of the one report that is new since a creation was sent. Raises where there is no such one."""
    if error is None:
        what = f"The answer to POST {REPORT.path} names no report"
    elif error.status is None:
        what = f"POST {REPORT.path} got no answer"
    else:
        said = f", {printable(error.message)!r}" if error.message else ""
        what = f"POST {REPORT.path} was answered {error.status}{said}"
    try:
        new = new_since(task.client.all(REPORT), sent)
    except CallError:
        # the creation is what failed; that nothing could be read after it must not hide it
        new, seen = [], "the list of reports could not be read"
    else:
        seen = f"no new {sent.request['format']} report exists"
    if len(new) == 1:
        if error is not None:
            task.warn(f"{what}; report {new[0]['id']} is new since then and is counted as created by this task.")
        return new[0]["id"]
    result = {**(error.result if error else {}), "changed": True}
    if new:
        raise Refused(f"{what}. {_several(new, sent)}", **result)
    raise Refused(
        f"{what}, and {seen}. The report may have been started. Run the task again: it looks for the report before it asks"
        " for another one.",
        **result,
    )


def _several(new, sent):
    ids = ", ".join(str(row["id"]) for row in new[:_SHOWN_IDS]) + (", ..." if len(new) > _SHOWN_IDS else "")
    return (
        f"{len(new)} new {sent.request['format']} reports exist ({ids}), and nothing tells which of them is the one of this"
        " task. Find it in the web application and give its id to this task, or delete those that nobody needs."
    )
