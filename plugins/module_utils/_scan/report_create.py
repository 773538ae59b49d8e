# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The create of a report, and the note beside its file.

No unique key shows whether a report was created. The list of reports does, together with the note, which holds the request
that the file answers. With the note, the same task needs no call.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from .._http.client import Client
from .._model.errors import CallError, Incomplete, Refused, WrongOption, printable
from .._model.families import REPORT
from .._model.records import Record, read_id
from .._model.times import utc_text
from .._model.trust import refuse_untrusted
from .._task.atomic_files import Content, Draft

# what a task requests: base_url, and id or the fields of a new report
Request = dict[str, Any]

# so that the name of the note is a valid file name
LONGEST_NAME = 255 - len("..request.json")
# for how many seconds a report that an earlier run requested is used
RESUMED_FOR = 86400
SEARCHES = (
    "The report may have been started. Run the task again; it searches for the report before it requests another one."
)
_VERSION = 1
_LONGEST = 1 << 22
_SHOWN_IDS = 20

_CREATE_HINTS = {
    400: "correct source, resources, format and group_by",
    404: "one of resources does not exist, or is not visible to this API key; correct source and resources",
    422: "correct source, resources, format and group_by",
}


class Sent(NamedTuple):
    """A create whose outcome is not known."""

    request: Request
    # Unix time
    asked_at: float
    # the ids of the reports that existed before
    known: list[int]


class Note(NamedTuple):
    """The content of a note."""

    request: Request
    # the service's record, None after it was deleted there
    report: Record | None
    # of the file, None before it is downloaded
    content: Content | None
    # Unix time
    asked_at: float
    sent: Sent | None = None


def note_path(dest: str) -> str:
    """The path of the note of a file."""
    directory, name = os.path.split(dest)
    return os.path.join(directory, f".{name}.request.json")


def read_note(dest: str, warn: Callable[[str], None]) -> Note | None:
    """The Note beside a file, None if none exists that can be trusted and understood."""
    path = note_path(dest)
    if not os.path.lexists(path):
        return None
    try:
        refuse_untrusted(path, "the note")
    except WrongOption:
        warn(
            f"The note {printable(path)!r} may have been written by another user, so it is ignored. It is rewritten when the"
            " file is downloaded."
        )
        return None
    try:
        with open(path, encoding="utf-8") as stream:
            note = json.loads(stream.read(_LONGEST))
        report, content, sent = note["report"], note["content"], note["sent"]
        if note["version"] != _VERSION or (report and read_id(report["id"]) is None):
            return None
        return Note(
            dict(note["request"]),
            report,
            Content(**content) if content else None,
            float(note["asked_at"]),
            Sent(**sent) if sent else None,
        )
    except (OSError, ValueError, TypeError, LookupError, RecursionError):
        return None


def write_note(dest: str, note: Note) -> None:
    """Write the note of a file. Only its owner can read it."""
    value = dict(
        note._asdict(),
        version=_VERSION,
        content=note.content and note.content._asdict(),
        sent=note.sent and note.sent._asdict(),
    )
    with Draft(note_path(dest)) as draft:
        draft.write(json.dumps(value, indent=2, sort_keys=True).encode() + b"\n")
        draft.put()


def could_be(row: Record, request: Request) -> bool:
    """Whether a row of the list may be the requested report: nothing in it contradicts the request."""
    texts = {name: row.get(name) for name in ("format", "source", "group_by")}
    if any(isinstance(text, str) and text.lower() != request[name] for name, text in texts.items()):
        return False
    resources = row.get("resources")
    if not isinstance(resources, list) or not resources or not all(isinstance(each, int) for each in resources):
        return True
    return bool(sorted(set(resources)) == request["resources"])


def new_since(rows: Iterable[Record], sent: Sent) -> list[Record]:
    """The rows that may be the requested report and were not in the list before, ascending by id."""
    new = [row for row in rows if row["id"] not in sent.known and could_be(row, sent.request)]
    return sorted(new, key=lambda row: row["id"])


def from_earlier_run(rows: Iterable[Record], sent: Sent, warn: Callable[[str], None]) -> Record | None:
    """The report of a create that an earlier run sent and whose outcome it did not learn, or None. Warns in both cases.
    Raises Refused if several reports may be it."""
    new = new_since(rows, sent)
    asked = (
        "An earlier run of this task requested this report at"
        f" {utc_text(sent.asked_at)} and could not find out whether it was created."
    )
    if len(new) > 1:
        raise Refused(f"{asked} {_several(new, sent)}")
    if not new:
        warn(f"{asked} No new {sent.request['format']} report exists, so it is requested again.")
        return None
    found = f"report {new[0]['id']}"
    if not 0 <= time.time() - sent.asked_at < RESUMED_FOR:
        warn(f"{asked} It may be {found}, which is not used because that was more than a day ago.")
        return None
    warn(f"{asked} {found.capitalize()} is new since then and is counted as that report.")
    return new[0]


def create(
    client: Client,
    dest: str,
    note: Note | None,
    request: Request,
    webhook_url: str | None,
    rows: Iterable[Record],
) -> int:
    """Request a report, once, and return its id. Raises where it cannot be known which report it is.

    note: the one beside ``dest``; rows: all reports that exist now. The create is noted before it is sent, so that the next
    run knows of it even if this one is killed.
    """
    sent = Sent(request, time.time(), [row["id"] for row in rows])
    write_note(dest, (note or Note(request, None, None, sent.asked_at))._replace(sent=sent))
    body = {name: value for name, value in request.items() if name != "base_url"}
    if webhook_url is not None:
        body["webhook_url"] = webhook_url
    try:
        report_id: int | None = client.start(REPORT, body, _CREATE_HINTS)[0]
    except CallError as error:
        if error.maybe_done:
            return _settle(client, sent, error)
        if note is not None:
            write_note(dest, note._replace(sent=None))
        else:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(note_path(dest))
        raise
    return _settle(client, sent) if report_id is None else report_id


def _settle(client: Client, sent: Sent, error: CallError | None = None) -> int:
    """The id of the only report that is new since a create was sent. Raises Incomplete if there is none, or several."""
    if error is None:
        what = f"The answer to POST {REPORT.path} contains no id"
    elif error.status is None:
        what = f"No answer to POST {REPORT.path}"
    else:
        said = f", {printable(error.message)!r}" if error.message else ""
        what = f"POST {REPORT.path} was answered {error.status}{said}"
    try:
        new = new_since(client.all(REPORT), sent)
    except CallError:
        # the failed create is the error to report, not the failed read after it
        new, seen = [], "the list of reports could not be read"
    else:
        seen = f"no new {sent.request['format']} report exists"
    if len(new) == 1:
        if error is not None:
            client.warn(f"{what}. Report {new[0]['id']} is new since then and is counted as created by this task.")
        return int(new[0]["id"])
    result = error.result if error else {}
    if new:
        raise Incomplete(f"{what}. {_several(new, sent)}", **result)
    raise Incomplete(
        f"{what}, and {seen}. {SEARCHES}",
        **result,
    )


def _several(new: list[Record], sent: Sent) -> str:
    ids = ", ".join(str(row["id"]) for row in new[:_SHOWN_IDS]) + (", ..." if len(new) > _SHOWN_IDS else "")
    return (
        f"{len(new)} new {sent.request['format']} reports exist ({ids}), and the task cannot tell which of them it created."
        " Find it in the web application and set id instead of source, or delete the ones that nobody needs."
    )
