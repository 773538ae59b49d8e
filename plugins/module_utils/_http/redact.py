# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Checks every answer, and removes the key from it, before any other code sees it. Pure.

Modules, the inventory and its cache, and errors read answers so. The exception is a file that a user asked for,
which is kept byte for byte.
"""

from __future__ import annotations

import base64
import copy
import functools
import re
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes

MASK = "***"
# a shorter key may be an ordinary word, which names and descriptions contain by chance
SHORTEST_KEY = 8
# redirects and forms may percent-encode a text again
_MOST_DECODINGS = 3
_JSON_ESCAPE = re.compile(rb"\\u00([2-7][0-9a-fA-F])")


class Redactor:
    """Removes the API key from answers, as the service may repeat it. A short key is removed from messages only."""

    def __init__(self, key: str = "") -> None:
        self._key = key
        self._is_searched = len(key) >= SHORTEST_KEY
        self._plain = key.lower().encode()
        cores = [form.core.encode() for form in _in_base64(key)]
        self._base64_forms = [form for core in cores for form in (core, core.translate(_URL_SAFE))]
        # the longest form: base64 with each character percent-encoded several times
        self.longest_form = 12 * len(key) + 16

    @functools.cached_property
    def _pattern(self) -> re.Pattern[str]:
        in_base64 = "|".join(
            form.before + _pattern_of(form.core, _IN_URLS) + form.after for form in _in_base64(self._key)
        )
        return re.compile(f"(?i:{_pattern_of(self._key)})|(?:{in_base64})(?:=|%(?:25)*3[dD])*")

    def shows(self, data: bytes) -> bool:
        """Whether bytes contain the key: literally, in base64, percent-encoded, or with escapes of JSON."""
        if not self._is_searched:
            return False
        # as they are, and with their escapes resolved
        readings = [data]
        if b"\\" in data:
            data = _JSON_ESCAPE.sub(lambda found: bytes([int(found.group(1), 16)]), data.replace(b"\\/", b"/"))
            readings.append(data)
        for dummy in range(_MOST_DECODINGS):
            if b"%" not in data:
                break
            data = unquote_to_bytes(data)
            readings.append(data)
        for reading in readings:
            if self._plain in reading.lower() or [form for form in self._base64_forms if form in reading]:
                return True
        return False

    def text(self, text: str) -> str:
        """A text without the key in it."""
        if not text or not self._key:
            return text
        if self._is_searched:
            return self._pattern.sub(MASK, text) if self.shows(text.encode("utf-8", "surrogatepass")) else text
        return text.replace(self._key, MASK)

    def data(self, data: bytes) -> bytes:
        """Bytes without the key in them."""
        # latin-1 maps each byte to one character and back
        return self._pattern.sub(MASK, data.decode("latin-1")).encode("latin-1") if self.shows(data) else data

    def headers(self, headers: MutableMapping[str, str]) -> MutableMapping[str, str]:
        """A copy of the headers, without the key in their values."""
        clean = copy.deepcopy(headers)
        # one search in all of them, as they hardly ever have it
        together = "\n".join(headers.values())
        if self.text(together) != together:
            clean.update({name: self.text(value) for name, value in headers.items()})
        return clean

    def value(self, value: Any) -> Any:
        """A copy of a value from ``read_json``, without the key in its texts and in the keys of its objects."""
        if isinstance(value, str):
            return self.text(value) if self._is_searched else value
        if isinstance(value, dict):
            return {self.value(key): self.value(inner) for key, inner in value.items()}
        return [self.value(inner) for inner in value] if isinstance(value, list) else value


class Watch:
    """Notes whether bytes that arrive in pieces contain the key."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._tail = b""
        self.seen = False

    def feed(self, piece: bytes) -> None:
        if not self.seen:
            window = self._tail + piece
            self.seen = self._redactor.shows(window)
            longest = self._redactor.longest_form
            self._tail = window[-longest:]


# --- the forms of a key

_URL_SAFE = bytes.maketrans(b"+/", b"-_")
_SHARED = "(?:[A-Za-z0-9+/_-]|%(?:25)*[0-9a-fA-F]{2})?"
# the two characters of base64 that are written differently in URLs
_IN_URLS = {"+": "-", "/": "_"}


class _Base64Form(NamedTuple):
    """One way in which base64 may write the key, which depends on its position in the encoded text.

    core: the characters that depend on the key alone; before, after: patterns for the characters beside it, which mix bits
    of the key with bits of its neighbours.
    """

    core: str
    before: str
    after: str


def _in_base64(key: str) -> list[_Base64Form]:
    data = key.encode()
    forms = []
    for offset in range(3) if data else ():
        encoded = base64.b64encode(b"\0" * offset + data).decode()
        # a character has 6 bits
        bits = 8 * (offset + len(data))
        begin, end = -(-8 * offset // 6), bits // 6
        forms.append(_Base64Form(encoded[begin:end], _SHARED if offset else "", _SHARED if end * 6 < bits else ""))
    return forms


def _pattern_of(text: str, variants: Mapping[str, str] | None = None) -> str:
    """A pattern for a text whose characters may be percent-encoded, or escaped as in JSON.

    variants: from a character to another one that may replace it.
    """
    return "".join(f"(?:{'|'.join(_forms(character, variants or {}))})" for character in text)


def _forms(character: str, variants: Mapping[str, str]) -> Iterator[str]:
    for each in filter(None, (character, variants.get(character))):
        code = "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in f"{ord(each):02x}")
        yield from (re.escape(each), f"%(?:25)*{code}", rf"\\u00{code}")
    if character == "/":
        yield r"\\/"
