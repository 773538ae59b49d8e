# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Keeps the logins in URLs out of what is written and shown. Pure."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, TypeVar
from urllib.parse import unquote

from .families import SEVERITIES
from .galaxy import PAGE
from .outcomes import (
    BASELINE_STATES,
    CHANGES,
    COVERED,
    OUTCOMES,
    PARTIAL,
    SCHEMA,
    STATES,
    UNPROVEN,
    VERDICTS,
    WAIVER_STATUSES,
)
from .target_names import LOGIN

_Document = TypeVar("_Document", bound=Mapping[str, Any])
_USER_INFO = re.compile(r"(?<=://)[^/?#\\]*@")
# a shorter text may be a word, or a part of one
_SHORTEST_SECRET = 8
# what programs compare: a password that is such a word, or part of a fingerprint, a time or a link, is not masked in it
_OWN_WORDS = frozenset(
    (
        *OUTCOMES,
        *VERDICTS,
        COVERED,
        PARTIAL,
        UNPROVEN,
        *SEVERITIES,
        "unknown",
        *STATES,
        *CHANGES,
        *BASELINE_STATES,
        *WAIVER_STATUSES,
        SCHEMA,
    )
)
_OWN_FORM = re.compile(
    r"(?:[0-9]+:)?[0-9a-f]{32}|[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:]{8}Z)?"
    rf"|{re.escape(PAGE)}#(?:outcome|policy)-[a-z-]{{1,20}}"
)
_MASK = "***"
# a character in JSON, and a percent sign that is encoded once or more
_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|(["/\\]))')
_ENCODED_PERCENT = re.compile(r"%(?:25)+(?=[0-9a-fA-F]{2})")


def without_user_info(url: str) -> str:
    """A URL without the name and the password of a user."""
    return _USER_INFO.sub("", url, count=1)


def without_passwords(document: _Document, names: Iterable[object], words: Iterable[str] = ()) -> _Document:
    """A document without the passwords in these names of targets, also where another of its texts repeats them.

    words: those of this document that programs compare, beside the words of gate.json.
    """
    forms: dict[str, str] = {}
    for login in filter(None, map(LOGIN.search, sorted(set(map(str, names))))):
        for decode in (str, unquote):
            forms.update(_forms(decode(login[1]), decode(login[2])))
    if not forms:
        return document
    # a search for spellings is slow, so each text is searched only for those of which a search for plain texts found a sign
    signs: dict[str, set[str]] = {}
    for form in forms:
        for sign in (form, _plain(form)):
            signs.setdefault(sign, set()).add(form)
    any_sign = re.compile("|".join(map(re.escape, sorted(signs, key=len, reverse=True))))

    def masked(text: str) -> str:
        before = None
        while text != before:
            before = text
            hits = {*any_sign.findall(text), *any_sign.findall(_plain(text))}
            # the user as the name has it, before other spellings of the same login
            for form in sorted({form for hit in hits for form in signs[hit]}, key=len, reverse=True):
                text = _spelt(form).sub(forms[form].replace("\\", r"\\"), text)
        return text

    kept = _OWN_WORDS.union(words)

    def clean(value: Any) -> Any:
        if isinstance(value, str):
            return value if value in kept or _OWN_FORM.fullmatch(value) else masked(value)
        if isinstance(value, Mapping):
            return {key: clean(each) for key, each in value.items()}
        return list(map(clean, value)) if isinstance(value, (list, tuple)) else value

    cleaned: _Document = clean(document)
    return cleaned


def _forms(user: str, password: str) -> Iterator[tuple[str, str]]:
    """The texts that show a login, as in a URL and as HTTP sends it, and its password; and what is written instead."""
    login = f"{user}:{password}"
    yield f"{login}@", f"{user}@" if user else ""
    encoded = [base64.b64encode(text.encode("utf-8", "surrogatepass")).decode("ascii") for text in (login, password)]
    for secret in (*encoded, login, password):
        if len(secret) >= _SHORTEST_SECRET:
            yield secret, _MASK


def _plain(text: str) -> str:
    """What the spellings of a text have in common."""
    for _pass in range(5):
        before, text = text, _ESCAPE.sub(lambda found: found[2] or chr(int(found[1], 16)), text)
        text = unquote(_ENCODED_PERCENT.sub("%", html.unescape(text)))
        if text == before:
            break
    return text.replace("+", " ")


@cache
def _spelt(text: str) -> re.Pattern[str]:
    return re.compile("".join(map(_spellings, text)))


@cache
def _spellings(character: str) -> str:
    """A pattern for a character as URLs, forms, HTML and JSON write it."""
    encoded = "".join(f"%(?:25)*{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))
    forms = {re.escape(character), re.escape(html.escape(character)), f"(?i:{encoded}|\\\\u{ord(character):04x})"}
    if character in '"/\\':
        forms.add(rf"\\{re.escape(character)}")
    return f"(?:{'|'.join(sorted(forms))}{'|[+]' if character == ' ' else ''})"
