# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The create of a report. No unique key shows whether it succeeded, so the list of reports and the note do."""

from __future__ import annotations

import time
from collections.abc import Iterable

from .._errors import CallError, Incomplete, Refused, printable
from .._families.report import REPORT
from .._records import Record
from .._task import Task
from .note import Note, Request, Sent, remove_note, write_note

# for how many seconds a report that an earlier run requested is used
RESUMED_FOR = 86400
_SHOWN_IDS = 20

_CREATE_HINTS = {
    400: "correct source, resources, format and group_by",
    404: "one of resources does not exist, or is not visible to this API key; correct source and resources",
    422: "correct source, resources, format and group_by",
}


def could_be(row: Record, request: Request) -> bool:
    """Whether a row of the list may be the requested report: nothing in it contradicts the request."""
    if row["format"] is not None and str(row["format"]).lower() != request["format"]:
        return False
    for name in ("source", "group_by"):
        if isinstance(row.get(name), str) and row[name].lower() != request[name]:
            return False
    resources = row.get("resources")
    if not isinstance(resources, list) or not resources or not all(isinstance(each, int) for each in resources):
        return True
    return bool(sorted(set(resources)) == request["resources"])


def new_since(rows: Iterable[Record], sent: Sent) -> list[Record]:
    """The rows that may be the requested report and were not in the list before, ascending by id."""
    new = [row for row in rows if row["id"] not in sent.known and could_be(row, sent.request)]
    return sorted(new, key=lambda row: row["id"])


def from_earlier_run(task: Task, rows: Iterable[Record], sent: Sent) -> Record | None:
    """The report of a create that an earlier run sent and whose outcome it did not learn, or None. Warns in both cases.
    Raises Refused if several reports may be it."""
    new = new_since(rows, sent)
    asked = (
        "An earlier run of this task requested this report at"
        f" {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(sent.asked_at))} and could not find out whether it was created."
    )
    if len(new) > 1:
        raise Refused(f"{asked} {_several(new, sent)}")
    if not new:
        task.warn(f"{asked} No new {sent.request['format']} report exists, so it is requested again.")
        return None
    found = f"report {new[0]['id']}"
    if not 0 <= time.time() - sent.asked_at < RESUMED_FOR:
        task.warn(f"{asked} It may be {found}, which is not used because that was more than a day ago.")
        return None
    task.warn(f"{asked} {found.capitalize()} is new since then and is counted as that report.")
    return new[0]


def create(task: Task, dest: str, note: Note | None, request: Request, rows: Iterable[Record]) -> int:
    """Request a report, once, and return its id. Raises where it cannot be known which report it is.

    note: the one beside ``dest``; rows: all reports that exist now. The create is noted before it is sent, so that the next
    run knows of it even if this one is killed.
    """
    now = time.time()
    sent = Sent(request, now, [row["id"] for row in rows])
    write_note(dest, (note or Note(request, None, None, now))._replace(sent=sent))
    body = {name: value for name, value in request.items() if name != "base_url"}
    if task.params["webhook_url"] is not None:
        body["webhook_url"] = task.params["webhook_url"]
    try:
        report_id: int | None = task.client.start(REPORT, body, _CREATE_HINTS)[0]
    except CallError as error:
        if error.maybe_done:
            return _settle(task, sent, error)
        if note is None:
            remove_note(dest)
        else:
            write_note(dest, note._replace(sent=None))
        raise
    return _settle(task, sent) if report_id is None else report_id


def _settle(task: Task, sent: Sent, error: CallError | None = None) -> int:
    """The id of the only report that is new since a create was sent. Raises Incomplete if there is none, or several."""
    if error is None:
        what = f"The answer to POST {REPORT.path} contains no id"
    elif error.status is None:
        what = f"No answer to POST {REPORT.path}"
    else:
        said = f", {printable(error.message)!r}" if error.message else ""
        what = f"POST {REPORT.path} was answered {error.status}{said}"
    try:
        new = new_since(task.client.all(REPORT), sent)
    except CallError:
        # the failed create is the error to report, not the failed read after it
        new, seen = [], "the list of reports could not be read"
    else:
        seen = f"no new {sent.request['format']} report exists"
    if len(new) == 1:
        if error is not None:
            task.warn(f"{what}. Report {new[0]['id']} is new since then and is counted as created by this task.")
        return int(new[0]["id"])
    result = error.result if error else {}
    if new:
        raise Incomplete(f"{what}. {_several(new, sent)}", **result)
    raise Incomplete(
        f"{what}, and {seen}. The report may have been started. Run the task again; it searches for the report before it"
        " requests another one.",
        **result,
    )


def _several(new: list[Record], sent: Sent) -> str:
    ids = ", ".join(str(row["id"]) for row in new[:_SHOWN_IDS]) + (", ..." if len(new) > _SHOWN_IDS else "")
    return (
        f"{len(new)} new {sent.request['format']} reports exist ({ids}), and the task cannot tell which of them it created."
        " Find it in the web application and set id instead of source, or delete the ones that nobody needs."
    )
