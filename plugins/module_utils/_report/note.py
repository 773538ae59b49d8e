# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The note beside the file of a report: which request it answers, so that the same task needs no call."""

from __future__ import annotations

import contextlib
import json
import os
from typing import Any, NamedTuple

from .._errors import printable
from .._file.draft import Content, Draft
from .._file.replace import is_own_file
from .._records import Record
from .._task import Task

# what a task requests: base_url, and id or the fields of a new report
Request = dict[str, Any]

# so that the name of the note is a valid file name
LONGEST_NAME = 255 - len("..request.json")
_VERSION = 1
_LONGEST = 1 << 22


class Sent(NamedTuple):
    """A create whose outcome is not known. asked_at: Unix time; known: the ids of the reports that existed before."""

    request: Request
    asked_at: float
    known: list[int]


class Note(NamedTuple):
    """The content of a note. report: the service's record, None after it was deleted there; content: of the file, None
    before it is downloaded; asked_at: Unix time."""

    request: Request
    report: Record | None
    content: Content | None
    asked_at: float
    sent: Sent | None = None


def note_path(dest: str) -> str:
    """The path of the note of a file."""
    directory, name = os.path.split(dest)
    return os.path.join(directory, f".{name}.request.json")


def read_note(task: Task, dest: str) -> Note | None:
    """The Note beside a file, None if there is none that can be trusted."""
    path = note_path(dest)
    if not os.path.lexists(path):
        return None
    if not is_own_file(path):
        task.warn(
            f"The note {printable(path)!r} may have been written by another user, so it is ignored. It is rewritten when the"
            " file is downloaded."
        )
        return None
    try:
        with open(path, encoding="utf-8") as stream:
            return note_of(json.loads(stream.read(_LONGEST)))
    except (OSError, ValueError, RecursionError):
        return None


def note_of(value: Any) -> Note | None:
    """The Note in a value read from JSON, None where it is none."""
    if not isinstance(value, dict) or value.get("version") != _VERSION:
        return None
    request, report, asked_at = value.get("request"), value.get("report"), value.get("asked_at")
    size, checksum = value.get("size"), value.get("checksum")
    sent = value.get("sent")
    if not isinstance(request, dict) or not isinstance(asked_at, (int, float)):
        return None
    if report is not None and not (isinstance(report, dict) and _is_int(report.get("id"))):
        return None
    if sent is not None and not _is_sent(sent):
        return None
    content = None
    if checksum is not None:
        if not isinstance(checksum, str) or not isinstance(size, int) or isinstance(size, bool):
            return None
        content = Content(size, checksum)
    return Note(
        _with_default(request),
        report,
        content,
        asked_at,
        Sent(_with_default(sent["request"]), sent["asked_at"], sent["known"]) if sent else None,
    )


def _is_sent(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("request"), dict)
        and isinstance(value.get("asked_at"), (int, float))
        and isinstance(value.get("known"), list)
        and all(map(_is_int, value["known"]))
    )


def _with_default(request: Request) -> Request:
    # written for a task without group_by, before that option had a default
    return {**request, "group_by": "target"} if "group_by" in request and request["group_by"] is None else request


def write_note(dest: str, note: Note) -> None:
    """Write the note of a file. Only its owner can read it."""
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


def remove_note(dest: str) -> None:
    """Remove the note of a file."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(note_path(dest))


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
