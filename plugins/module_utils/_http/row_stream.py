# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Long lists, read row by row while the answer arrives, so that only what is kept takes memory."""

from __future__ import annotations

import codecs
import json
import re
from itertools import accumulate

from .._errors import ApiError
from .._records import is_row, record_of
from .border import JSON, refuse_depth
from .earned import Streamed
from .envelope import Progress, beside, placed
from .listing import NO_SUCH_PAGE, following

_WHITE_SPACE = re.compile(r"[ \t\n\r]*")


def stream(client, resource, query, begin, take):
    """Read a list that is documented to come whole and hand on its rows as records, no id twice; returns a Streamed.

    Where the answer shows that more rows follow, the next pages are asked for, until the service shows an end or gives
    nothing new.
    begin: called before the first row, and again where a broken answer is asked for again: what was taken before must be
    forgotten; take: called with each record. Raises what ``Transport.send`` raises; an AnswerError where the answer is no
    list of this family, maybe after rows of it were taken.
    """
    progress, seen = Progress(), set()

    def begin_anew():
        seen.clear()
        begin()

    def take_new(record):
        if record["id"] not in seen:
            seen.add(record["id"])
            take(record)

    progress.note(*_read_page(client, resource, query, {}, begin_anew, take_new, seen))
    number = 1
    while progress.shows_more:
        number = following(resource, number)
        page = []
        try:
            # a page that breaks off must not take back the pages before it, so its rows wait for its end
            found = _read_page(client, resource, query, progress.next_page(), page.clear, page.append, page)[1]
        except ApiError as error:
            if error.status not in NO_SUCH_PAGE:
                raise
            break
        before = len(seen)
        for record in page:
            take_new(record)
        progress.note(len(seen) - before, found)
        if len(seen) == before:
            break
    return Streamed(progress.rows, progress.total, progress.shows_more)


def _read_page(client, resource, query, place, begin, take, counted):
    """Read one answer; returns the number of its rows, which ``counted`` holds then, and its Beside."""
    about = client.transport.known.call("list", resource, query)
    reader = _Reader(resource, begin, take)
    client.transport.send("GET", resource.path, query=placed(query, place), about=about, sink=reader)
    reader.finish()
    return len(counted), reader.beside


class _Reader:
    """The sink of ``stream``."""

    def __init__(self, resource, begin, take):
        self._resource = resource
        self._begin = begin
        self._take = take

    @property
    def beside(self):
        return beside(self._answer.clean(self._text.others), self._answer.headers)

    def restart(self, answer):
        self._answer = answer
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._text = _Text(self._row)
        self._parser = self._text.parse()
        next(self._parser)
        self._begin()

    def write(self, piece):
        self._feed(piece, final=False)

    def finish(self):
        self._feed(b"", final=True)

    def _feed(self, piece, final):
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

    def _row(self, row):
        refuse_depth(row)
        row = self._answer.clean(row)
        if not is_row(self._resource, row):
            raise _Unexpected(f"data that is no list of {self._resource.noun}s")
        self._take(record_of(self._resource, row))


class _Unexpected(Exception):
    """The body is JSON, but no list in the service's envelope."""


# texts, with their quote at the end, which one that goes on behind the window has not
_TEXTS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*("?)', re.DOTALL)
_IN_TEXT = re.compile(r'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)
_TO_BRACKET = re.compile(r'(?:[^][{}"]+|"[^"\\]*(?:\\.[^"\\]*)*")*', re.DOTALL)
_SCALAR_END = re.compile(r"[\s,\]}]")
_DEEPER = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_NO_BRACKETS = bytes(set(range(256)) - set(_DEEPER))
# how much is worked on at once, so that no expression needs much memory
_WINDOW = 65536
_FIRST_WINDOW = 1024


class _ValueEnd:
    """Finds where a JSON value ends that arrives in pieces, in one pass over its text. It does not judge the value."""

    def __init__(self):
        self._first = ""
        self._depth = 0
        self._in_text = False
        self._escaped = False
        # most values end soon: little is looked at first, and twice as much each time
        self._window = min(_FIRST_WINDOW, _WINDOW)

    def find(self, piece):
        """The place behind the end of the value, or None where the piece has none. The first piece begins with the
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

    def _pass_text(self, piece, place, window):
        if self._escaped:
            self._escaped = False
            return place + 1
        quote = piece.find('"', place, window)
        end = window if quote < 0 else quote
        # quicker than the expression
        plain = piece.find("\\", place, end) < 0
        place = end if plain else _IN_TEXT.match(piece, place, window).end()
        if place == window:
            return place
        # what stops it is the quote, or a backslash at the end of the window
        self._in_text = self._escaped = piece[place] == "\\"
        return place + 1

    def _ends_in(self, window):
        """Whether the brackets of a window close the value; if not, they are counted."""
        bare, texts = _TEXTS.subn(r"\1", window) if '"' in window else (window, 0)
        brackets = bare.encode("ascii", "replace").translate(None, _NO_BRACKETS)
        depths = list(accumulate(map(_DEEPER.__getitem__, brackets), initial=self._depth))
        if 0 in depths:
            return True
        self._depth = depths[-1]
        self._in_text = texts > bare.count('"')
        self._escaped = self._in_text and bare.endswith("\\")
        return False

    def _walk(self, piece, place):
        while self._depth:
            place = _TO_BRACKET.match(piece, place, place + _WINDOW).end()
            self._depth += _DEEPER[ord(piece[place])]
            place += 1
        return place


class _Text:
    """A JSON text that arrives in pieces: a list, or an object with a list in ``data``. row: called with each of its
    values; others: what the object holds beside the list, a dict."""

    def __init__(self, row):
        self._row = row
        self._read = JSON.raw_decode
        self._buffer = ""
        self._place = 0
        self.ended = False
        self.others = {}

    def parse(self):
        """A coroutine that takes the pieces by ``send``, the last one with ``ended``; ValueError where it is no JSON."""
        first = yield from self._next()
        if first == "[":
            yield from self._list()
        elif first == "{":
            yield from self._envelope()
        else:
            yield from self._value()
            raise _Unexpected("no data in it")
        yield from self._end()

    def _envelope(self):
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
                raise _Unexpected("data that is no list")
            if key == "data":
                found = True
                yield from self._list()
            else:
                value = yield from self._value()
                # a list says nothing of pages, and may be long
                if not isinstance(value, list):
                    self.others[key] = value
            mark = yield from self._next()
            if mark != "}":
                yield from self._mark(",")
        self._place += 1
        if not found:
            raise _Unexpected("no data in it")

    def _list(self):
        self._place += 1
        mark = yield from self._next()
        while mark != "]":
            value = yield from self._value()
            self._row(value)
            mark = yield from self._next()
            if mark != "]":
                yield from self._mark(",")
        self._place += 1

    def _value(self):
        yield from self._next()
        try:
            value, end = self._read(self._buffer, self._place)
        except json.JSONDecodeError:
            if self.ended:
                raise
        else:
            # a number may go on in the next piece
            if self.ended or end < len(self._buffer):
                self._place = end
                return value
        text = yield from self._long_value()
        value, end = self._read(text, 0)
        if end < len(text):
            raise ValueError("something follows a value")
        return value

    def _long_value(self):
        """The text of a value that goes on in the next pieces. They are joined once, at its end."""
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

    def _mark(self, wanted):
        mark = yield from self._next()
        if mark != wanted:
            raise ValueError(f"{wanted} is missing")
        self._place += 1

    def _next(self):
        """The next character that is no white space; it is not passed."""
        while True:
            self._place = _WHITE_SPACE.match(self._buffer, self._place).end()
            if self._place < len(self._buffer):
                return self._buffer[self._place]
            if self.ended:
                raise ValueError("the text ends early")
            yield from self._more()

    def _end(self):
        while True:
            if _WHITE_SPACE.match(self._buffer, self._place).end() < len(self._buffer):
                raise ValueError("something follows the end")
            if self.ended:
                return
            yield from self._more()

    def _more(self):
        piece = yield
        self._buffer = self._buffer[self._place :] + piece
        self._place = 0
