# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Keeps the logins in URLs out of what is written and shown. Pure."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar
from urllib.parse import unquote

from .documentation import PAGE
from .families import SEVERITIES
from .gate_words import (
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
from .names import LOGIN

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


def without_user_info(url: str) -> str:
    """A URL without the name and the password of a user."""
    return _USER_INFO.sub("", url, count=1)


def without_passwords(document: _Document, names: Iterable[object], words: Iterable[str] = ()) -> _Document:
    """A document without the passwords in these names of targets, also where another of its texts repeats them.

    words: those of this document that programs compare, beside the words of gate.json.
    """
    forms: dict[str, str] = {}
    for login in filter(None, map(LOGIN.search, sorted(set(map(str, names))))):
        forms.update(_forms(login[1], login[2]))
        forms.update(_forms(unquote(login[1]), unquote(login[2])))
    if not forms:
        return document
    pattern = re.compile("|".join(map(re.escape, sorted(forms, key=len, reverse=True))))
    kept = _OWN_WORDS.union(words)

    def clean(value: Any) -> Any:
        if isinstance(value, str):
            is_own = value in kept or _OWN_FORM.fullmatch(value)
            return value if is_own else pattern.sub(lambda match: forms[match[0]], value)
        if isinstance(value, Mapping):
            return {key: clean(each) for key, each in value.items()}
        return list(map(clean, value)) if isinstance(value, (list, tuple)) else value

    cleaned: _Document = clean(document)
    return cleaned


def _forms(user: str, password: str) -> Iterator[tuple[str, str]]:
    """The texts that show a login, as in a URL and as HTTP sends it, and its password; and what is written instead."""
    login = f"{user}:{password}"
    yield f"{login}@", f"{user}@" if user else ""
    for secret in (base64.b64encode(login.encode("utf-8", "surrogatepass")).decode("ascii"), login, password):
        if len(secret) >= _SHORTEST_SECRET:
            yield secret, _MASK
