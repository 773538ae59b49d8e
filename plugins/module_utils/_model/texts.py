# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Texts as services store them: which are the same, and which may be another form of a declared one. Pure."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable
from urllib.parse import unquote

_LINE_END = re.compile("\r\n?")
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


def same(one: object, other: object) -> bool:
    """Whether two values of a field are equal, as texts in normal form."""
    if one == other:
        return True
    return isinstance(one, str) and isinstance(other, str) and normal_text(one) == normal_text(other)


def may_be_stored_form(stored: str, sent: str) -> bool:
    """Whether a service may have made one text of the other: cut it, escaped it, or dropped or replaced characters.

    Errs on the side of yes, because deleting an object for such a difference would delete it in every run.
    """
    shown = _BEGUN.sub("", stored)
    if stored and not stored.strip("?\ufffd \t\r\n."):
        return True
    texts = (sent, _TAG.sub("", sent))
    forms: tuple[Callable[[str], str], ...] = (_letters, _ascii_letters)
    for form in forms:
        for each in (form(_unescaped(stored)), form(_unescaped(shown)), form(stored)):
            if each and any(form(text).startswith(each) or form(_unescaped(text)).startswith(each) for text in texts):
                return True
    return False


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
