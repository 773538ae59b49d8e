# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The note beside the file of a report: what it was asked for by, so that the same task needs no call."""

from __future__ import annotations

import contextlib
import json
import os
from typing import NamedTuple

from .._errors import printable
from .._file.draft import Content, Draft
from .._file.replace import is_own_file

# so that a name and what is added to it are a name
LONGEST_NAME = 255 - len("..request.json")
_VERSION = 1
_LONGEST = 1 << 22


class Sent(NamedTuple):
    """A creation that was sent, and of which it is not known whether it was done. request: what was asked for, a dict;
    asked_at: Unix time; known: the ids of the reports that existed before."""

    request: dict
    asked_at: float
    known: list


class Note(NamedTuple):
    """request: what was asked for, a dict; report: the service's record, None once it is deleted there; content: the
    Content of the file, None while the report is asked for and its file not fetched; asked_at: Unix time; sent: a Sent,
    or None."""

    request: dict
    report: dict | None
    content: Content | None
    asked_at: float
    sent: Sent | None = None


def note_path(dest):
    """Where the note of a file is."""
    folder, name = os.path.split(dest)
    return os.path.join(folder, f".{name}.request.json")


def read_note(task, dest):
    """The Note beside a file, None where there is none that can be relied on."""
    path = note_path(dest)
    if not os.path.lexists(path):
        return None
    if not is_own_file(path):
        task.warn(
            f"{printable(path)!r} can have been written by other users and is not relied on: it is written anew where the"
            " file is fetched."
        )
        return None
    try:
        with open(path, encoding="utf-8") as stream:
            return note_of(json.loads(stream.read(_LONGEST)))
    except (OSError, ValueError, RecursionError):
        return None


def note_of(value):
    """The Note in a value read from JSON, None where it is none."""
    if not isinstance(value, dict) or value.get("version") != _VERSION:
        return None
    request, report, asked_at = value.get("request"), value.get("report"), value.get("asked_at")
    size, checksum = value.get("size"), value.get("checksum")
    sent = value.get("sent")
    good = (
        isinstance(request, dict)
        and (sent is None or _is_sent(sent))
        and (report is None or (isinstance(report, dict) and _is_int(report.get("id"))))
        and isinstance(asked_at, (int, float))
        and (checksum is None or (isinstance(checksum, str) and _is_int(size)))
    )
    if not good:
        return None
    sent = sent and Sent(_with_default(sent["request"]), sent["asked_at"], sent["known"])
    return Note(_with_default(request), report, checksum and Content(size, checksum), asked_at, sent)


def _is_sent(value):
    return (
        isinstance(value, dict)
        and isinstance(value.get("request"), dict)
        and isinstance(value.get("asked_at"), (int, float))
        and isinstance(value.get("known"), list)
        and all(map(_is_int, value["known"]))
    )


def _with_default(request):
    # of a task without group_by, before that had a default
    return {**request, "group_by": "target"} if "group_by" in request and request["group_by"] is None else request


def write_note(dest, note):
    """Write the note of a file; it is for nobody else to read."""
    value = dict(
        version=_VERSION,
        request=note.request,
        report=note.report,
        size=note.content and note.content.size,
        checksum=note.content and note.content.checksum,
        asked_at=note.asked_at,
        sent=note.sent and note.sent._asdict(),
    )
    with Draft(note_path(dest)) as draft:
        draft.write(json.dumps(value, indent=2, sort_keys=True).encode() + b"\n")
        draft.put()


def remove_note(dest):
    """Remove the note of a file."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(note_path(dest))


def _is_int(value):
    return isinstance(value, int) and not isinstance(value, bool)
