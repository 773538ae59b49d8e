# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Waiver files: YAML with ``version: 1`` and a list ``waivers``. All problems are reported, each with its line. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from itertools import accumulate
from typing import Any, NamedTuple

from .._errors import WrongOption, counted, printable
from .._gate_words import WAIVER_STATUSES
from .._moments import LONGEST_EXCEPTION, NEVER, expiry_of
from .fingerprint import SCHEME, scheme_of
from .matchers import KEYS, Matcher, matcher_of
from .types import Waiver
from .waivers import Rule

VERSION = 1
# thousands of waivers
LARGEST = 5_000_000
_MOST_PROBLEMS = 50
_LONGEST = 4000
_OWN_KEYS = ("reason", "owner", "expires", "status")
_REQUIRED = {
    "reason": "say why the finding is waived",
    "owner": "name who answers for it",
    "expires": "write a date, as in 2026-12-31",
}
# YAML has no way to write them
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
# deeper than any waiver; the C library has no protection against recursion
_DEEPEST = 50
# so many brackets without their partners are in no file of waivers, not even in its patterns and comments
_ABSURD = 10_000
_NESTED = re.compile(r"(?:[-?:][ \t]+){50}")


class WaiverFile(NamedTuple):
    """A file as it was read. path: as the user writes it."""

    path: str
    content: bytes | str


class Problem(NamedTuple):
    """What is wrong in a file, and what to write: a clause."""

    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{printable(self.path, 200)}:{self.line}: {self.text}."


class _Wrong(ValueError):
    """A file that cannot be read at all, with the line."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.line = line


class _Value(NamedTuple):
    """A key's value: a text, None, or a list of them; and its line."""

    line: int
    value: Any


def read_waivers(files: Iterable[WaiverFile], now: float, allow_permanent: bool = False) -> list[Rule]:
    """The waivers in these files, in their order. now: Unix time. Raises WrongOption, which lists every problem with file and
    line."""
    latest = math.inf if allow_permanent else now + LONGEST_EXCEPTION
    rules: list[Rule] = []
    problems: list[Problem] = []
    for path, content in files:
        try:
            entries = _entries(path, _top(_text(content)), problems)
        except _Wrong as error:
            problems.append(Problem(path, error.line, str(error)))
            continue
        for number, line, entry in entries:
            rule = _Reader(path, f"waivers[{number}]", line, entry, latest, problems).rule()
            if rule:
                rules.append(rule)
    if problems:
        raise WrongOption(_message(problems))
    return rules


def _message(problems: Sequence[Problem]) -> str:
    shown = [str(each) for each in sorted(problems, key=lambda each: (each.path, each.line))[:_MOST_PROBLEMS]]
    left = len(problems) - len(shown)
    more = [f"And {left} more."] if left else []
    return "\n".join([f"The waivers have {counted(len(problems), 'problem')}; nothing is waived.", *shown, *more])


def _text(content: bytes | str) -> str:
    if len(content) > LARGEST:
        raise _Wrong(1, f"the file has more than {LARGEST:,} bytes: split it, or give the right file")
    try:
        text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise _Wrong(line, "the file is not encoded in UTF-8: save it as UTF-8") from None
    found = _CONTROL.search(text)
    if found:
        code = f"U+{ord(found[0]):04X}"
        raise _Wrong(text.count("\n", 0, found.start()) + 1, f"the file has the control character {code}: remove it")
    return text


def _top(text: str) -> Any:
    """The node of the document."""
    try:
        yaml = import_module("yaml")
    except ImportError:
        raise _Wrong(1, "waivers need the Python library PyYAML: install it where the module runs") from None
    try:
        node = yaml.compose(text, _loader(yaml, text))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        line = mark.line if mark else 0
        has_tab = "\t" in "".join(text.split("\n")[line : line + 1])
        advice = "write spaces in place of tabs" if has_tab else "correct it"
        problem = printable(getattr(error, "problem", None) or error)
        raise _Wrong(line + 1, f"not valid YAML ({problem}): {advice}") from None
    except (ValueError, RecursionError):
        raise _Wrong(1, "not valid YAML (it is nested too deeply): correct it") from None
    if node is None:
        raise _Wrong(1, "the file is empty: write version: 1 and a list named waivers")
    return node


def _loader(yaml: Any, text: str) -> Any:
    """The fast loader, or the one in Python for a text that could be nested deeply."""
    brackets = re.findall(r"[\[\]{}]", text)
    depth = max(accumulate(1 if each in "[{" else -1 for each in brackets), default=0)
    if depth > _ABSURD:
        raise RecursionError
    nested = depth > _DEEPEST or _NESTED.search(text)
    return yaml.SafeLoader if nested else getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1


def _entries(path: str, top: Any, problems: list[Problem]) -> list[tuple[int, int, dict[str, _Value]]]:
    """The mappings in the list of waivers, each with its place in the list and its line."""
    if top.id != "mapping":
        raise _Wrong(_line(top), "the file is not a mapping: write version: 1 and a list named waivers")
    keys = _keys(path, top, ("version", "waivers"), problems)
    version = keys.get("version")
    if version is None:
        problems.append(Problem(path, _line(top), "version is missing: write version: 1"))
    elif version.id != "scalar" or version.value != str(VERSION):
        shown = printable(version.value, 40) if version.id == "scalar" else f"a {version.id}"
        problems.append(Problem(path, _line(version), f"version is {shown}: write version: {VERSION}"))
    waivers = keys.get("waivers")
    if waivers is None or waivers.id != "sequence":
        line = _line(waivers or top)
        problems.append(Problem(path, line, "waivers is not a list: write waivers: [] for none"))
        return []
    entries = []
    for number, node in enumerate(waivers.value):
        if node.id != "mapping":
            problems.append(Problem(path, _line(node), "the waiver is not a mapping: write its keys, as in check: ID"))
            continue
        found = _keys(path, node, (*KEYS, *_OWN_KEYS), problems)
        entries.append(
            (number, _line(node), {key: _Value(_line(value), _plain(value)) for key, value in found.items()})
        )
    return entries


def _keys(path: str, node: Any, known: Sequence[str], problems: list[Problem]) -> dict[str, Any]:
    """The nodes of the values in a mapping by their keys. Keys that are unknown or occur twice are problems."""
    found: dict[str, Any] = {}
    for key, value in node.value:
        name = key.value if key.id == "scalar" else f"a {key.id}"
        if key.id != "scalar" or name not in known:
            shown = printable(name, 60)
            problems.append(Problem(path, _line(key), f"{shown} is an unknown key: use {', '.join(known)}"))
        elif name in found:
            problems.append(Problem(path, _line(key), f"{name} occurs twice in one mapping: remove one of them"))
        else:
            found[name] = value
    return found


def _plain(node: Any) -> Any:
    """A scalar as text, None for null; a list of scalars; any other node as an empty mapping, which no key takes."""
    if node.id == "scalar":
        return None if node.tag.endswith(":null") else node.value
    if node.id == "sequence" and all(each.id == "scalar" for each in node.value):
        return [_plain(each) for each in node.value]
    return {}


class _Reader:
    """One waiver of a file. Its problems are added to those of all. latest: when it must have expired."""

    def __init__(
        self,
        path: str,
        name: str,
        line: int,
        entry: Mapping[str, _Value],
        latest: float,
        problems: list[Problem],
    ) -> None:
        self._path = path
        self._name = name
        self._line = line
        self._entry = entry
        self._latest = latest
        self._problems = problems

    def rule(self) -> Rule | None:
        """The waiver, or None if it has a problem."""
        before = len(self._problems)
        reason, owner, expires = (self._required(key) for key in _REQUIRED)
        ends = self._ends(expires)
        status = self._status()
        matcher = self._matcher()
        if matcher is None or len(self._problems) > before:
            return None
        return Rule(Waiver(self._path, self._line, matcher.written, reason, owner, expires, status), matcher, ends)

    def _report(self, key: str, text: str) -> None:
        line = self._entry[key].line if key in self._entry else self._line
        self._problems.append(Problem(self._path, line, text))

    def _required(self, key: str) -> str:
        value = self._entry[key].value if key in self._entry else None
        if isinstance(value, str) and value.strip():
            return value.strip()[:_LONGEST]
        what = "is missing" if value is None or isinstance(value, str) else "is not a text"
        self._report(key, f"{key} {what}: {_REQUIRED[key]}")
        return ""

    def _ends(self, expires: str) -> float:
        ends = expiry_of(expires) if expires else 0
        if ends is None:
            self._report(
                "expires",
                f"expires is {printable(repr(expires), 60)}, which is neither an existing date nor a time with a zone: write a"
                f" date, as in 2026-12-31, which ends at 24:00 UTC, or a time, as in 2026-12-31T18:00:00+01:00, or {NEVER}",
            )
        elif ends > self._latest:
            far, date = ("", "a date") if expires == NEVER else (", more than five years from now", "an earlier date")
            self._report("expires", f"expires is {expires}{far}: write {date}, or set allow_permanent: true")
        return ends or 0

    def _status(self) -> str:
        if "status" not in self._entry:
            return WAIVER_STATUSES[0]
        value = self._entry["status"].value
        if value not in WAIVER_STATUSES:
            self._report("status", f"status is {printable(repr(value), 60)}: write one of {', '.join(WAIVER_STATUSES)}")
        return str(value)

    def _matcher(self) -> Matcher | None:
        """The Matcher; every key with a problem is reported at its own line."""
        written = {key: _matched(key, each.value) for key, each in self._entry.items() if key in KEYS}
        wrong = False
        while written or not wrong:
            try:
                matcher = matcher_of(written, self._name)
            except WrongOption as error:
                text = str(error).rstrip(".")
                key = next((key for key in written if re.match(rf"{re.escape(self._name)}\.{key}\b", text)), "")
                if key or not wrong:
                    self._report(key, text)
                wrong = True
                if not key:
                    return None
                del written[key]
            else:
                return None if wrong or not self._is_present(matcher.fingerprint) else matcher
        return None

    def _is_present(self, fingerprint: str | None) -> bool:
        scheme = SCHEME if fingerprint is None else scheme_of(fingerprint)
        if scheme != SCHEME:
            self._report("fingerprint", f"fingerprint is not of scheme {SCHEME}: copy the present one from gate.json")
        return scheme == SCHEME


def _matched(key: str, value: Any) -> Any:
    """A value of a matcher as gate.json shows it; a port as a number."""
    return int(value) if key == "port" and isinstance(value, str) and re.fullmatch(r"[0-9]{1,5}", value) else value
