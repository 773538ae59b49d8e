# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Reads JSON strictly: each key once, finite numbers, no half of a surrogate pair, no endless depth. Pure."""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from typing import Any

# levels of lists and objects in JSON
DEEPEST = 200
_HALF = re.compile("[\ud800-\udfff]")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]+")
# half of a pair or ASCII, written as an escape; or a key that ansible-core reads
_SUSPECT = re.compile(r'\\u(?:[dD][89a-fA-F]|00[2-7])|"__ansible_')


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) != len(pairs):
        (repeated, _times), *_others = Counter(name for name, _value in pairs).most_common(1)
        raise ValueError(f"the key {str(repeated)[:60]!r} occurs twice in one object")
    return read


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError("a number is too large")
    return number


class _Decoder(json.JSONDecoder):
    """Reads JSON ``without_halves``."""

    def raw_decode(self, s: str, idx: int = 0) -> tuple[Any, int]:
        # decode calls it, too
        value, end = super().raw_decode(s, idx)
        # the pattern takes ten times as long as a search for a text
        may_be = s.find("\\u", idx, end) >= 0 or s.find('"__ansible_', idx, end) >= 0
        return (without_halves(value) if may_be and _SUSPECT.search(s, idx, end) else value), end


# Strict: each key once, finite numbers only. Raises a JSONDecodeError, or a ValueError whose text says why.
JSON = _Decoder(object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_finite)


def without_halves(value: Any) -> Any:
    """A copy of a value as JSON or YAML has it, in which U+FFFD replaces each half of a surrogate pair that has no other half.
    No file can contain one, and ansible-core refuses results with one. Keys that mean something to ansible-core get one more
    underscore."""
    if isinstance(value, str):
        # YAML reads the escapes of a pair as two halves
        return (
            value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace") if _HALF.search(value) else value
        )
    if isinstance(value, dict):
        pairs = []
        for key, inner in value.items():
            name = without_halves(key)
            # ansible-core reads an object with such a key as another value, in a cache even as a template, or refuses it
            if isinstance(name, str) and name.startswith("__ansible_"):
                name = f"_{name}"
            pairs.append((name, without_halves(inner)))
        return _object(pairs)
    return [without_halves(inner) for inner in value] if isinstance(value, list) else value


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """An error handler of codecs, which replaces characters beyond ASCII by their escapes in JSON."""
    found = isinstance(error, UnicodeDecodeError) and _BEYOND_ASCII.match(error.object, error.start)
    if not found:
        raise error
    text, place = found.group().decode(), found.start()
    # behind a backslash, the escape would have two
    before = place - 1
    is_escaped = found.string[before:place] == b"\\"
    return (text if is_escaped else json.dumps(text)[1:-1]), found.end()


# a text with one emoji takes 4 bytes for each of its characters, so that 100 MB of findings would take 400
codecs.register_error("scanops.scanner.json", _escaped)


def json_text(body: bytes) -> str:
    """The text of JSON in UTF-8, with escapes for characters beyond ASCII. Raises ValueError."""
    return body.removeprefix(codecs.BOM_UTF8).decode("ascii", "scanops.scanner.json")


def read_json(text: str) -> Any:
    """Read JSON strictly. Raises ValueError as ``JSON`` does, and RecursionError for lists and dictionaries that are nested
    deeper than any answer needs."""
    value = JSON.decode(text)
    level: list[Any] = [[value]]
    for dummy in range(DEEPEST + 1):
        level = [
            inner
            for each in level
            for inner in (each.values() if isinstance(each, dict) else each)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return value
    raise RecursionError


def why_not_json(error: Exception) -> str:
    """Why ``read_json`` failed, as a phrase that begins with a space; "" for a syntax error."""
    if isinstance(error, RecursionError):
        return f" (it is nested deeper than {DEEPEST} levels)"
    return "" if isinstance(error, (UnicodeDecodeError, json.JSONDecodeError)) else f" ({error})"
