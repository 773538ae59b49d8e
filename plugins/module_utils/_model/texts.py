# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Texts as services store them: which are the same, and which may be another form of a declared one. Pure."""

from __future__ import annotations

import contextlib
import html
import re
import unicodedata
from urllib.parse import unquote

_LINE_END = re.compile("\r\n?")
# what version 1 of the API stored as the description of every target that it created
_DEFAULT_TEXT = "addedfromapi"
# texts may be escaped several times
_MOST_ESCAPES = 3
_TAG = re.compile("<[^>]*>")
# of an escape sequence, where a text was cut
_BEGUN = re.compile(r"(?:&#?\w*|%[0-9a-fA-F]?|\\u?[0-9a-fA-F]{0,3})\Z")
_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|U(00(?:0[0-9a-fA-F]|10)[0-9a-fA-F]{4})|[nrtabfv])")


def normal_text(text: str) -> str:
    """The form in which texts are equal that differ in Unicode normalisation, line ends, or outer white space."""
    if text.isascii() and "\r" not in text:
        return text.strip()
    return unicodedata.normalize("NFC", _LINE_END.sub("\n", text)).strip()


def natural(text: str) -> tuple[object, ...]:
    """What sorts texts as people do: numbers in them by their value, so that app-2 comes before app-10."""
    parts = re.split("([0-9]+)", text)
    numbers = [(len(digits), digits) for digits in (part.lstrip("0") for part in parts[1::2])]
    return (tuple(zip(parts[::2], [*numbers, (0, "")])), text)


def same(one: object, other: object) -> bool:
    """Whether two values of a field are equal, as texts in normal form."""
    if one == other:
        return True
    return isinstance(one, str) and isinstance(other, str) and normal_text(one) == normal_text(other)


def may_be_stored_form(stored: str, sent: str) -> bool:
    """Whether a service may have made one text of the other: dropped it or put its default text in its place, cut it, added
    to it, escaped it, or dropped or replaced characters.

    Errs on the side of yes, because deleting an object for such a difference would delete it in every run. A translation, a
    hash, or another text of the service is not recognised: it looks like any text that a person wrote.
    """
    if _DEFAULT_TEXT in _letters(stored):
        return True
    lives = {*_read_forms(stored), *_read_forms(_BEGUN.sub("", stored)), stored}
    declared = {form for text in (sent, _TAG.sub("", sent)) for form in (text, _unescaped(text))}
    for live in lives:
        for text in declared:
            one, other = _letters(live), _letters(text)
            if _is_in(one, other) or _is_in(other, one):
                return True
            # what remains where other characters than ASCII are dropped, replaced or transliterated
            one, other = _ascii_letters(live), _ascii_letters(text)
            if (one and _is_in(one, other)) or (live.isascii() and not text.isascii() and _is_in(other, one)):
                return True
    return False


def _is_in(part: str, text: str) -> bool:
    """Whether dropping characters of a text can lead to the other. Everything contains the empty text."""
    rest = iter(text)
    return all(each in rest for each in part)


def _read_forms(stored: str) -> list[str]:
    """A text without its escapes, and also as UTF-8 that a service took for another encoding."""
    forms = [_unescaped(stored)]
    for encoding in ("latin-1", "cp1252"):
        with contextlib.suppress(UnicodeError):
            forms.append(stored.encode(encoding).decode())
    return forms


def _unescaped(text: str) -> str:
    for _time in range(_MOST_ESCAPES):
        text = _ESCAPED.sub(_character, unquote(html.unescape(text), errors="replace"))
    return text


def _character(found: re.Match[str]) -> str:
    digits = found[1] or found[2] or found[3]
    return chr(int(digits, 16)) if digits else " "


def _letters(text: str) -> str:
    """The letters and digits of a text, regardless of their case and form."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", text).casefold()))


def _ascii_letters(text: str) -> str:
    """Those of ASCII, as they remain where others are dropped or replaced."""
    return "".join(each for each in text.casefold() if each.isascii() and each.isalnum())
