# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Reads long lists row by row while the answer arrives, so that only the rows that the caller keeps take memory."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Collection, Generator, Mapping
from itertools import accumulate
from typing import Any

from .._errors import ApiError
from .._families.family import Family
from .._records import Record, is_row, record_of
from .answer import Answer
from .client import Client
from .complete import Streamed
from .envelope import Beside, Progress, beside, placed
from .listing import NO_SUCH_PAGE, following
from .redact import JSON, refuse_depth

# a coroutine to which the pieces of a text are sent
_Parser = Generator[None, str, None]

_WHITE_SPACE = re.compile(r"[ \t\n\r]*")


def stream(
    client: Client,
    resource: Family,
    query: Mapping[str, Any],
    begin: Callable[[], None],
    take: Callable[[Record], None],
) -> Streamed:
    """Read a list that is documented to come in one answer, and pass on its rows as records, each id once.

    If the answer says that more rows follow, the next pages are read until the service shows an end or sends nothing new.
    begin: called before the first row, and again when a broken answer is retried: all earlier records must be dropped;
    take: called with each record.
    Raises what ``Transport.send`` raises, and an AnswerError if the answer is not a list of this family, in which case some
    records may have been taken.
    """
    progress = Progress()
    seen: set[Any] = set()

    def begin_again() -> None:
        seen.clear()
        begin()

    def take_new(record: Record) -> None:
        if record["id"] not in seen:
            seen.add(record["id"])
            take(record)

    progress.note(*_read_page(client, resource, query, {}, begin_again, take_new, seen))
    number = 1
    while progress.shows_more:
        number = following(resource, number)
        page: list[Record] = []
        try:
            # a page that breaks off must not drop the pages before it, so its rows are held back until its end
            found = _read_page(client, resource, query, progress.next_page(), page.clear, page.append, page)[1]
        except ApiError as error:
            if error.status not in NO_SUCH_PAGE:
                raise
            break
        before = len(seen)
        for record in page:
            take_new(record)
        progress.note(len(seen) - before, found)
        if len(seen) == before and not progress.repeats:
            break
    return Streamed(progress.rows, progress.total, progress.shows_more)


def _read_page(
    client: Client,
    resource: Family,
    query: Mapping[str, Any],
    place: Mapping[str, Any],
    begin: Callable[[], None],
    take: Callable[[Record], None],
    taken: Collection[Any],
) -> tuple[int, Beside]:
    """Read one answer. Returns the number of its rows, which are in ``taken`` by then, and what it says beside them."""
    about = client.transport.about("list", resource, query)
    reader = _Reader(resource, begin, take)
    client.transport.send("GET", resource.path, query=placed(query, place), about=about, sink=reader)
    reader.finish()
    return len(taken), reader.beside()


class _Reader:
    """The sink of ``stream``."""

    _answer: Answer
    _decoder: codecs.IncrementalDecoder
    _text: _Text
    _parser: _Parser

    def __init__(self, resource: Family, begin: Callable[[], None], take: Callable[[Record], None]) -> None:
        self._resource = resource
        self._begin = begin
        self._take = take

    def beside(self) -> Beside:
        """What the answer says beside its rows, once it is complete."""
        return beside(self._answer.clean(self._text.others), self._answer.headers)

    def restart(self, answer: Answer) -> None:
        self._answer = answer
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._text = _Text(self._row)
        self._parser = self._text.parse()
        next(self._parser)
        self._begin()

    def write(self, piece: bytes) -> None:
        self._feed(piece, final=False)

    def finish(self) -> None:
        self._feed(b"", final=True)

    def _feed(self, piece: bytes, final: bool) -> None:
        try:
            text = self._decoder.decode(piece, final)
            self._text.ended = final
            self._parser.send(text)
        except StopIteration:
            pass
        except _Unexpected as error:
            raise self._answer.unexpected(str(error)) from None
        except (ValueError, RecursionError) as error:
            raise self._answer.not_json(error) from None

    def _row(self, row: Any) -> None:
        refuse_depth(row)
        row = self._answer.clean(row)
        if not is_row(self._resource, row):
            raise _Unexpected(f"data that is not a list of {self._resource.noun}s")
        self._take(record_of(self._resource, row))


class _Unexpected(Exception):
    """The body is JSON, but not a list in the service's envelope."""


# texts; the group is the closing quote, empty for a text that does not end in the window
_TEXTS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*("?)', re.DOTALL)
_IN_TEXT = re.compile(r'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)
_TO_BRACKET = re.compile(r'(?:[^][{}"]+|"[^"\\]*(?:\\.[^"\\]*)*")*', re.DOTALL)
_SCALAR_END = re.compile(r"[\s,\]}]")
_DEEPER = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_NO_BRACKETS = bytes(set(range(256)) - set(_DEEPER))
# characters that are searched at once, which limits the memory of the regular expressions
_WINDOW = 65536
_FIRST_WINDOW = 1024


class _ValueEnd:
    """Finds the end of a JSON value that arrives in pieces, in one pass over its text. Does not validate the value."""

    def __init__(self) -> None:
        self._first = ""
        self._depth = 0
        self._in_text = False
        self._escaped = False
        # most values are short, so the first window is small, and each one doubles it
        self._window = min(_FIRST_WINDOW, _WINDOW)

    def find(self, piece: str) -> int | None:
        """The place after the end of the value, or None if it does not end in this piece. The first piece begins with the
        value."""
        place = 0
        if not self._first:
            place = 1
            self._first = piece[0]
            self._in_text = self._first == '"'
            self._depth = int(self._first in "[{")
        if not self._in_text and not self._depth:
            found = _SCALAR_END.search(piece)
            return found.start() if found else None
        while place < len(piece):
            window = min(len(piece), place + self._window)
            self._window = min(2 * self._window, _WINDOW)
            if self._in_text:
                place = self._pass_text(piece, place, window)
                if not self._in_text and not self._depth:
                    return place
            elif self._ends_in(piece[place:window]):
                return self._walk(piece, place)
            else:
                place = window
        return None

    def _pass_text(self, piece: str, place: int, window: int) -> int:
        if self._escaped:
            self._escaped = False
            return place + 1
        quote = piece.find('"', place, window)
        end = window if quote < 0 else quote
        # faster than the expression
        plain = piece.find("\\", place, end) < 0
        place = end if plain else _end_of(_IN_TEXT, piece, place, window)
        if place == window:
            return place
        # here is the quote, or a backslash at the end of the window
        self._in_text = self._escaped = piece[place] == "\\"
        return place + 1

    def _ends_in(self, window: str) -> bool:
        """Whether the brackets of a window close the value. If not, they are counted."""
        bare, texts = _TEXTS.subn(r"\1", window) if '"' in window else (window, 0)
        brackets = bare.encode("ascii", "replace").translate(None, _NO_BRACKETS)
        depths = list(accumulate(map(_DEEPER.__getitem__, brackets), initial=self._depth))
        if 0 in depths:
            return True
        self._depth = depths[-1]
        self._in_text = texts > bare.count('"')
        self._escaped = self._in_text and bare.endswith("\\")
        return False

    def _walk(self, piece: str, place: int) -> int:
        """The place after the end of a value that ends in the next window."""
        while self._depth:
            place = _end_of(_TO_BRACKET, piece, place, place + _WINDOW)
            self._depth += _DEEPER[ord(piece[place])]
            place += 1
        return place


def _end_of(pattern: re.Pattern[str], text: str, place: int, window: int) -> int:
    """Where a match at this place ends; the place itself if nothing matches."""
    found = pattern.match(text, place, window)
    return found.end() if found else place


class _Text:
    """A JSON text that arrives in pieces: a list, or an object with a list in ``data``.

    row: called with each value of the list; others: the other members of the object.
    """

    def __init__(self, row: Callable[[Any], None]) -> None:
        self._row = row
        self._read = JSON.raw_decode
        self._buffer = ""
        self._place = 0
        self.ended = False
        self.others: dict[str, Any] = {}

    def parse(self) -> _Parser:
        """A coroutine to which the pieces are sent, the last one with ``ended`` set. Raises ValueError unless it is JSON."""
        first = yield from self._next()
        if first == "[":
            yield from self._list()
        elif first == "{":
            yield from self._envelope()
        else:
            yield from self._value()
            raise _Unexpected("no data in it")
        yield from self._end()

    def _envelope(self) -> _Parser:
        found = False
        self._place += 1
        mark = yield from self._next()
        while mark != "}":
            key = yield from self._value()
            yield from self._mark(":")
            if not isinstance(key, str) or (found and key == "data"):
                raise ValueError("keys are texts, each of them once")
            mark = yield from self._next()
            if key == "data" and mark != "[":
                yield from self._value()
                raise _Unexpected("data that is not a list")
            if key == "data":
                found = True
                yield from self._list()
            else:
                value = yield from self._value()
                # a list says nothing about pages, and may be long
                if not isinstance(value, list):
                    self.others[key] = value
            mark = yield from self._next()
            if mark != "}":
                yield from self._mark(",")
        self._place += 1
        if not found:
            raise _Unexpected("no data in it")

    def _list(self) -> _Parser:
        self._place += 1
        mark = yield from self._next()
        while mark != "]":
            value = yield from self._value()
            self._row(value)
            mark = yield from self._next()
            if mark != "]":
                yield from self._mark(",")
        self._place += 1

    def _value(self) -> Generator[None, str, Any]:
        yield from self._next()
        try:
            value, end = self._read(self._buffer, self._place)
        except json.JSONDecodeError:
            if self.ended:
                raise
        else:
            # a number may continue in the next piece
            if self.ended or end < len(self._buffer):
                self._place = end
                return value
        text = yield from self._long_value()
        value, end = self._read(text, 0)
        if end < len(text):
            raise ValueError("something follows a value")
        return value

    def _long_value(self) -> Generator[None, str, str]:
        """The text of a value that continues in the next pieces, which are joined once, at its end."""
        finder = _ValueEnd()
        piece = self._buffer[self._place :]
        pieces = []
        while True:
            end = finder.find(piece)
            if end is not None or self.ended:
                break
            pieces.append(piece)
            self._buffer, self._place = "", 0
            yield from self._more()
            piece = self._buffer
        self._buffer = piece
        self._place = len(piece) if end is None else end
        return "".join((*pieces, piece[: self._place]))

    def _mark(self, wanted: str) -> _Parser:
        mark = yield from self._next()
        if mark != wanted:
            raise ValueError(f"{wanted} is missing")
        self._place += 1

    def _next(self) -> Generator[None, str, str]:
        """The next character that is not white space. The place stays before it."""
        while True:
            self._skip_white_space()
            if self._place < len(self._buffer):
                return self._buffer[self._place]
            if self.ended:
                raise ValueError("the text ends early")
            yield from self._more()

    def _end(self) -> _Parser:
        while True:
            self._skip_white_space()
            if self._place < len(self._buffer):
                raise ValueError("something follows the end")
            if self.ended:
                return
            yield from self._more()

    def _skip_white_space(self) -> None:
        self._place = _end_of(_WHITE_SPACE, self._buffer, self._place, len(self._buffer))

    def _more(self) -> _Parser:
        piece = yield
        self._buffer = self._buffer[self._place :] + piece
        self._place = 0
