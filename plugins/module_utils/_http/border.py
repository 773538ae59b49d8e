# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The border: whatever the service sends is checked and cleaned here before any other code sees it. Pure.

Modules, the inventory and its cache, and errors read answers through it. A file that a user asked for is the exception:
its bytes are kept as they came.
"""

from __future__ import annotations

import base64
import functools
import json
import re
from urllib.parse import unquote_to_bytes

from .._errors import printable

MASK = "***"
# a shorter key may be a word that names and descriptions have for reasons of their own
SHORTEST_KEY = 8
DEEPEST = 200
# texts are percent-encoded up to so many times on their way through redirects and forms
_MOST_DECODINGS = 3
_JSON_ESCAPE = re.compile(rb"\\u00([2-7][0-9a-fA-F])")


class Border:
    """What an answer passes. key: the API key, which a service may repeat; "" where there is none."""

    def __init__(self, key=""):
        self._key = key
        self.hunts = len(key) >= SHORTEST_KEY
        self._plain = key.lower().encode()
        cores = [core.encode() for core, _before, _after in _in_base64(key)]
        self._packed = [form for core in cores for form in (core, core.translate(_URL_SAFE))]
        # the longest form: base64, each character of it percent-encoded again and again
        self.overlap = 12 * len(key) + 16

    @functools.cached_property
    def _pattern(self):
        packed = "|".join(before + _pattern_of(core, _IN_URLS) + after for core, before, after in _in_base64(self._key))
        return re.compile(f"(?i:{_pattern_of(self._key)})|(?:{packed})(?:=|%(?:25)*3[dD])*")

    def shows(self, data):
        """Whether bytes hold the key: as it is, in base64, percent-encoded, or with escapes of JSON."""
        return self.hunts and any(map(self._shows_as_it_is, _readings(data)))

    def _shows_as_it_is(self, data):
        return self._plain in data.lower() or any(form in data for form in self._packed)

    def text(self, text):
        """A text without the key in it; None stays None."""
        if not text or not self._key:
            return text
        if self.hunts:
            return self._pattern.sub(MASK, text) if self.shows(text.encode("utf-8", "surrogatepass")) else text
        return text.replace(self._key, MASK)

    def data(self, data):
        """Bytes without the key in them."""
        # each byte is a character and back
        return self._pattern.sub(MASK, data.decode("latin-1")).encode("latin-1") if self.shows(data) else data

    def headers(self, headers):
        """A copy of the headers, a mapping, without the key in their values."""
        clean = headers.copy()
        for name, value in headers.items():
            clean[name] = self.text(value)
        return clean

    def value(self, value):
        """A copy of a value, as ``read_json`` gives it, without the key in its texts and in the keys of its objects."""
        if isinstance(value, str):
            return self.text(value) if self.hunts else value
        if isinstance(value, dict):
            return {self.value(key): self.value(part) for key, part in value.items()}
        return [self.value(part) for part in value] if isinstance(value, list) else value


class Watch:
    """Whether bytes that arrive in pieces have held the key so far."""

    def __init__(self, border):
        self._border = border
        self._tail = b""
        self.seen = False

    def feed(self, piece):
        if self._border.hunts and not self.seen:
            window = self._tail + piece
            self.seen = self._border.shows(window)
            self._tail = window[-self._border.overlap :]


# --- the forms of a key

_URL_SAFE = bytes.maketrans(b"+/", b"-_")
_SHARED = "(?:[A-Za-z0-9+/_-]|%(?:25)*[0-9a-fA-F]{2})?"
# how the two characters of base64 that differ in URLs are written there
_IN_URLS = {"+": "-", "/": "_"}


def _in_base64(key):
    """(core, before, after) for each way in which base64 may write the key, by its place in what was encoded.

    core: the characters that depend on the key alone; before, after: patterns for the characters beside it that hold bits
    of the key and of its neighbours.
    """
    data = key.encode()
    ways = []
    for offset in range(3) if data else ():
        encoded = base64.b64encode(b"\0" * offset + data).decode()
        # six bits a character
        begin, end = -(-8 * offset // 6), 8 * (offset + len(data)) // 6
        ways.append(
            (encoded[begin:end], _SHARED if offset else "", _SHARED if end * 6 < 8 * (offset + len(data)) else "")
        )
    return ways


def _pattern_of(text, also=None):
    """A pattern for a text in which each character may be percent-encoded, or escaped as JSON does.

    also: dict from a character to another one that may be in its place.
    """
    return "".join(f"(?:{'|'.join(_forms(character, also or {}))})" for character in text)


def _forms(character, also):
    for each in filter(None, (character, also.get(character))):
        code = "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in f"{ord(each):02x}")
        yield from (re.escape(each), f"%(?:25)*{code}", rf"\\u00{code}")
    if character == "/":
        yield r"\\/"


def _readings(data):
    """Bytes as they are, and as they are meant where they have escapes."""
    yield data
    if b"\\" in data:
        data = _JSON_ESCAPE.sub(lambda found: bytes([int(found.group(1), 16)]), data.replace(b"\\/", b"/"))
        yield data
    for dummy in range(_MOST_DECODINGS):
        if b"%" not in data:
            return
        data = unquote_to_bytes(data)
        yield data


# --- JSON


def _object(pairs):
    made = dict(pairs)
    if len(made) != len(pairs):
        names = [name for name, dummy in pairs]
        twice = next(name for number, name in enumerate(names) if name in names[:number])
        raise ValueError(f"the key {printable(twice, 60)!r} comes twice in one object")
    return made


def _refuse_constant(name):
    raise ValueError(f"{name} is no number of JSON")


def _finite(digits):
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError("a number is too large")
    return number


# strict: each key once, finite numbers only; what it raises is a JSONDecodeError, or a ValueError whose text says why
JSON = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_finite)


def read_json(body):
    """JSON in bytes, read strictly. Raises ValueError and RecursionError, as ``JSON`` does."""
    value = JSON.decode(body.decode("utf-8-sig"))
    refuse_depth(value)
    return value


def refuse_depth(value):
    """Raise RecursionError for a value of lists and dictionaries in more levels than any answer needs."""
    level = [value]
    for dummy in range(DEEPEST):
        level = [part for each in level for part in _containers_in(each)]
        if not level:
            return
    raise RecursionError


def _containers_in(value):
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [part for part in parts if isinstance(part, (dict, list))]


def why_not_json(error):
    """Why something is no JSON, as a phrase that begins with a space, or "" where its syntax is wrong."""
    if isinstance(error, RecursionError):
        return f" (it is nested deeper than {DEEPEST} levels)"
    return "" if isinstance(error, (UnicodeDecodeError, json.JSONDecodeError)) else f" ({error})"
