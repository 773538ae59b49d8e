# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Files of the service, streamed into a draft, and refused where they do not have the requested format."""

from __future__ import annotations

import re

from .._http.advice import Hints
from .._http.answer import Answer
from .._http.client import Client
from .._model.families import REPORT_TYPES
from .._model.family import Family
from .._task.atomic_files import Draft

# the content type of each format of a file
CONTENT_TYPES = {**REPORT_TYPES, "raw": "text/plain"}
# so much of the beginning is checked before the first byte is written, and of the end after the last
_HEAD = _TAIL = 1024
_MARKUP = re.compile(
    rb"(<\?xml[^>]*>\s*|<!--.*?-->\s*)*(<!doctype\s+html|<html|<head|<body)", re.IGNORECASE | re.DOTALL
)
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_NOUNS = {"pdf": "a PDF file", "html": "an HTML page", "json": "JSON", "csv": "CSV", "raw": "text"}


def noun_of(kind: str | None) -> str:
    """A format as a phrase for messages."""
    return _NOUNS.get(kind or "") or (f"a file of the format {kind}" if kind in CONTENT_TYPES else "a file")


def accept_of(kind: str | None) -> str:
    """The Accept header for a format, None for an unknown one. The service has one file and does not choose."""
    return f"{CONTENT_TYPES.get(kind or '', 'application/octet-stream')}, */*;q=0.1"


def wrong_type(kind: str | None, content_type: str) -> str | None:
    """What an answer of this content type is, as a phrase, where it cannot be the format; else None.

    The types of other formats are wrong. For vaguer ones, such as application/octet-stream, the first bytes decide.
    """
    main = content_type.partition(";")[0].strip().lower()
    found = next((name for name, known in CONTENT_TYPES.items() if known == main and name != "raw"), None)
    if found is None or found == kind:
        return None
    # an unknown format may be anything but the page of a gateway
    return noun_of(found) if kind in CONTENT_TYPES or found == "html" else None


def wrong_beginning(kind: str | None, head: bytes) -> str | None:
    """What a file with this beginning is, as a phrase, where it cannot be the format; else None. head: its first
    kilobyte."""
    if not head:
        return None if kind == "raw" else "nothing"
    text = head[3:].lstrip() if head.startswith(b"\xef\xbb\xbf") else head.lstrip()
    if kind not in ("html", "raw") and _MARKUP.match(text):
        return "an HTML page"
    if kind == "pdf":
        # readers of PDF look for it in the first kilobyte
        fits = b"%PDF-" in head
    elif kind == "html":
        fits = text.startswith(b"<") or head.startswith(_UTF_16)
    elif kind == "json":
        fits = text[:1] in (b"[", b"{")
    elif kind == "csv":
        fits = head.startswith(_UTF_16) or (
            b"\0" not in head and text[:1] not in (b"[", b"{", b"<") and not text.startswith((b"%PDF-", b"PK\x03\x04"))
        )
    elif kind in ("xlsx", "docx"):
        fits = head.startswith(b"PK\x03\x04")
    else:
        fits = True
    return None if fits else "another kind of file"


class Download:
    """Takes the body of an answer for ``Transport.send`` and passes it on to a draft.

    kind: the format that was asked for, or None. Raises AnswerError for anything else.
    """

    # set by restart, which is called before the first piece
    _answer: Answer

    def __init__(self, draft: Draft, kind: str | None) -> None:
        self._draft = draft
        self._kind = kind
        # the first bytes until they are judged, None from then on
        self._head: bytes | None = b""
        self._tail = b""

    def restart(self, answer: Answer) -> None:
        self._answer = answer
        self._head = self._tail = b""
        self._draft.restart()
        # 204 says that there is nothing
        self._judge("nothing" if answer.status == 204 else wrong_type(self._kind, answer.content_type))

    def write(self, piece: bytes) -> None:
        self._tail = (self._tail + piece)[-_TAIL:]
        if self._head is None:
            self._draft.write(piece)
            return
        self._head += piece
        if len(self._head) >= _HEAD:
            self._pass_on_head(self._head)

    def finish(self) -> None:
        """Note that the answer is complete."""
        if self._head is not None:
            self._pass_on_head(self._head)
        # only PDF marks its end, and readers look for it in the last kilobyte
        if self._kind == "pdf" and b"%%EOF" not in self._tail:
            raise self._answer.unexpected(f"{noun_of(self._kind)} that breaks off before its end")

    def _pass_on_head(self, head: bytes) -> None:
        self._head = None
        self._judge(wrong_beginning(self._kind, head[:_HEAD]))
        self._draft.write(head)

    def _judge(self, found: str | None) -> None:
        if found:
            raise self._answer.unexpected(f"{found} where {noun_of(self._kind)} was asked for")


def download(
    client: Client,
    resource: Family,
    object_id: int,
    below: str,
    kind: str | None,
    draft: Draft,
    hints: Hints | None = None,
) -> None:
    """Stream the file ``below`` an object into a draft. A try that breaks off is repeated from the start."""
    sink = Download(draft, kind)
    client.data(resource, object_id, below, accept=accept_of(kind), hints=hints, sink=sink)
    sink.finish()
