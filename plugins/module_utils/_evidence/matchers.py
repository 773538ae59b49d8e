# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Matchers of findings, as policies and waivers have them: dictionaries of which all keys must match. Pure.

``name`` and ``target`` are patterns: ``*`` matches any text, ``?`` one character, ``[abc]`` one of these. A target matches as
written and in normal form. ``check``, ``cve``, ``severity``, ``port`` and ``fingerprint`` are exact.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from .._model.errors import WrongOption, printable, refuse_unknown_keys, shape_of
from .._model.target_names import normal_form
from .findings import SUMMARY, UNKNOWN, is_cve, matches_all, pattern_of
from .rows import Row

KEYS = ("name", "check", "cve", "target", "severity", "port", "fingerprint")

_FINGERPRINT = re.compile(r"[0-9]{1,6}:[0-9a-f]{32}")
_LAST_PORT = 65535
# results of a pattern that are kept: the targets and the names of checks in an account are not many more
_KEPT = 4096

# whether a text matches
Test = Callable[[str], bool]


class Matcher(NamedTuple):
    """A matcher in force; None in a field: any value matches."""

    # as the user wrote it
    written: Mapping[str, object]
    # whether a name matches
    name: Test | None = None
    check: str | None = None
    # in upper case
    cve: str | None = None
    # whether a target matches
    target: Test | None = None
    severity: str | None = None
    port: int | None = None
    fingerprint: str | None = None

    def matches(self, row: Row) -> bool:
        """Whether everything that the matcher names is known of the finding, and matches."""
        if self.fingerprint not in (None, row.fingerprint) or self.check not in (None, row.check):
            return False
        if self.severity not in (None, row.severity) or self.port not in (None, row.port):
            return False
        return self.cve in (None, *row.cve) and self.matches_texts(row.name, row.target)

    def matches_texts(self, name: str, target: str) -> bool:
        """Whether the patterns match."""
        return (self.target is None or self.target(target)) and (self.name is None or self.name(name))

    @property
    def is_closed(self) -> bool:
        """Whether it consists of words of closed lists, which cannot be misspelt."""
        return all(each is None for each in self._replace(severity=None)[1:])

    def may_match(self, row: Row) -> bool:
        """Whether it matches, or would for some value of what is not known of the finding."""
        return self._replace(
            check=None if row.check is None else self.check,
            severity=None if row.severity == UNKNOWN else self.severity,
            port=None if row.port is None else self.port,
            target=self.target if row.target else None,
            name=self.name if row.name else None,
        ).matches(row)


def accepts(matching: Iterable[Matcher], row: Row) -> bool:
    """Whether matchers that all match a finding accept it together. One that names a CVE id accepts no other id that the
    finding has."""
    named = {each.cve for each in matching}
    return None in named or (bool(row.cve) and named.issuperset(row.cve))


def matchers_of(given: Iterable[Mapping[str, object]], path: str) -> tuple[Matcher, ...]:
    """The matchers in an option. path: its name in messages. Raises WrongOption."""
    named = with_paths(given, path)
    refuse_unknown_keys(named, KEYS)
    return tuple(matcher_of(each, where) for where, each in named)


def with_paths(given: Iterable[Mapping[str, object]], path: str) -> list[tuple[str, Mapping[str, object]]]:
    """The dictionaries of a list, each with its path."""
    return [(f"{path}[{index}]", each) for index, each in enumerate(given)]


def matcher_of(given: Mapping[str, object], path: str) -> Matcher:
    """The Matcher in a dictionary. path: where it is written, in messages. Raises WrongOption."""
    refuse_unknown_keys([(path, given)], KEYS)
    if not given:
        raise WrongOption(
            f"{path} is empty, so it would match every finding: write one or more of the keys"
            f" {', '.join(KEYS[:-1])} and {KEYS[-1]}."
        )
    parts = {key: READERS[key](value, f"{path}.{key}") for key, value in given.items()}
    if all(key in ("name", "target") and matches_all(value) for key, value in parts.items()):
        raise WrongOption(f"{path} matches every finding: name the check, the target or the severity that it is for.")
    if "name" in parts:
        parts["name"] = _test(parts["name"], lambda text: {text.casefold()})
    if "target" in parts:
        parts["target"] = target_test(parts["target"])
    return Matcher(dict(given), **parts)


# --- reading the values


def shown(value: object) -> str:
    """A wrong value for a message: a text in quotes, cut to a readable length, or what kind of value it is."""
    return repr(printable(value, 60)) if isinstance(value, str) else shape_of(value)


def _text(value: object, path: str) -> str:
    if isinstance(value, (int, float)):
        raise WrongOption(
            f"{path} is {shape_of(value)}: write it in quotes, as in {path.rpartition('.')[2]}: '{str(value).lower()}'. Without"
            " them, YAML reads 010017 as the number 4111, and yes as true."
        )
    if not isinstance(value, str):
        raise WrongOption(f"{path} is {shape_of(value)}: give one text; write another matcher for another value.")
    if not value.strip():
        raise WrongOption(f"{path} is empty: give a text, or leave the key out.")
    return value.strip()


def _cve(value: object, path: str) -> str:
    text = _text(value, path)
    if not is_cve(text):
        raise WrongOption(f"{path} {shown(text)} is not a CVE id: write it as CVE-2021-44228.")
    return text.upper()


def _severity(value: object, path: str) -> str:
    text = _text(value, path).lower()
    if text not in SUMMARY:
        raise WrongOption(f"{path} is {shown(text)}: write one of {', '.join(SUMMARY)}.")
    return text


def _port(value: object, path: str) -> int:
    text = str(value) if isinstance(value, (int, float)) else _text(value, path)
    port = int(text) if re.fullmatch(r"[0-9]{1,5}", text) else 0
    if not 0 < port <= _LAST_PORT:
        raise WrongOption(f"{path} is {shown(text)}: give a port from 1 to {_LAST_PORT}.")
    return port


def _fingerprint(value: object, path: str) -> str:
    text = _text(value, path).lower()
    if not _FINGERPRINT.fullmatch(text):
        raise WrongOption(
            f"{path} {shown(text)} is not a fingerprint: copy it from gate.json, where it is a number, a colon and"
            " 32 hexadecimal digits."
        )
    return text


READERS: Mapping[str, Callable[[object, str], Any]] = {
    "name": _text,
    "check": _text,
    "cve": _cve,
    "target": _text,
    "severity": _severity,
    "port": _port,
    "fingerprint": _fingerprint,
}


# --- patterns


def target_test(pattern: str) -> Test:
    """Whether a target matches a pattern, as written or in normal form."""
    return _test(pattern, _spellings)


@lru_cache(maxsize=_KEPT)
def _spellings(target: str) -> set[str]:
    """A target as written and in normal form, which many patterns are compared with."""
    return {target, normal_form(target)}


def _test(pattern: str, forms: Callable[[str], set[str]]) -> Test:
    """Whether a form of a text is a form of the pattern, or matches one."""
    patterns = forms(pattern)
    compiled = [pattern_of(each) for each in patterns]
    # the name of an IPv6 target has brackets, which a pattern reads as one of several characters
    return lru_cache(maxsize=_KEPT)(
        lambda text: any(each in patterns or any(one.match(each) for one in compiled) for each in forms(text))
    )
