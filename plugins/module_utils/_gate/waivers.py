# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Waivers: their files, and which findings they waive, which have expired, match nothing or match the same finding. Pure.

A file is YAML with ``version: 1`` and a list ``waivers``. All problems are reported, each with its line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from .._evidence.findings import matches_all
from .._evidence.fingerprint import SCHEME
from .._evidence.matchers import KEYS, READERS, Matcher, accepts, matcher_of
from .._evidence.rows import Row
from .._model.errors import WrongOption, counted, first_of, printable
from .._model.gate_words import WAIVER_STATUSES
from .._model.times import LONGEST_EXCEPTION, NEVER, expiry_of
from .._model.yaml_nodes import BrokenYaml, node_of

VERSION = 1
# thousands of waivers
LARGEST = 5_000_000
_MOST_PROBLEMS = 50
_LONGEST = 4000
# CVE ids that a clause names
_MOST_CVES = 5
_OWN_KEYS = ("reason", "owner", "expires", "status")
_REQUIRED = {
    "reason": "say why the finding is waived",
    "owner": "name who answers for it",
    "expires": "write a date, as in 2026-12-31",
}
# YAML has no way to write them
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")

# takes a line and what is wrong there, a clause
Report = Callable[[int, str], None]


class Waiver(NamedTuple):
    """A waiver, as gate.json shows it."""

    file: str
    line: int
    # as written
    matcher: Mapping[str, object]
    reason: str
    owner: str
    # a date or time as written, or "never"
    expires: str
    # one of WAIVER_STATUSES
    status: str


class Rule(NamedTuple):
    """A waiver ready for use."""

    waiver: Waiver
    matcher: Matcher
    # the Unix time at which it expires, infinity for never
    ends: float


class Doubled(NamedTuple):
    """A finding that several waivers in force match."""

    fingerprint: str
    waivers: tuple[Waiver, ...]


class Waived(NamedTuple):
    """What the waivers say of a run."""

    # for each row the waiver in force that matches it, or None; empty without waivers
    rows: Sequence[Waiver | None] = ()
    # those that no longer count
    expired: Sequence[Waiver] = ()
    # those in force that match no row
    unused: Sequence[Waiver] = ()
    doubled: Sequence[Doubled] = ()
    # for each row a clause about waivers that match it and do not cover all that it names, ""; empty without such rows
    partial: Sequence[str] = ()
    # for each row the first expired waiver that matches one of its places, or None; empty without expired waivers
    lapsed: Sequence[Waiver | None] = ()


NO_WAIVERS = Waived()


class _Wrong(BrokenYaml):
    """A file that cannot be read at all: the line, and a clause."""


# --- files


def read_waivers(files: Iterable[tuple[str, bytes | str]], now: float, allow_permanent: bool = False) -> list[Rule]:
    """The waivers in these files, in their order. files: paths and contents; now: Unix time.

    Raises WrongOption, which lists every problem with file and line.
    """
    latest = math.inf if allow_permanent else now + LONGEST_EXCEPTION
    rules: list[Rule] = []
    problems: list[tuple[str, int, str]] = []
    for path, content in files:

        def report(line: int, text: str, path: str = path) -> None:
            problems.append((path, line, text))

        try:
            entries = _entries(_top(_text(content)), report)
        except BrokenYaml as error:
            report(*error.args)
            continue
        for name, line, entry in entries:
            rules += _Reader(path, name, line, entry, latest, report).rules()
    if problems:
        # by the lines, and not by the texts
        problems.sort(key=lambda each: each[:2])
        shown = [f"{printable(path, 200)}:{line}: {text}." for path, line, text in problems[:_MOST_PROBLEMS]]
        more = [f"And {len(problems) - len(shown)} more."] if len(problems) > len(shown) else []
        head = f"The waivers have {counted(len(problems), 'problem')}; nothing is waived."
        raise WrongOption((" " if len(problems) == 1 else "\n").join([head, *shown, *more]))
    return rules


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
        node = node_of(text)
    except ImportError:
        raise _Wrong(1, "waivers need the Python library PyYAML: install it where the module runs") from None
    if node is None:
        raise _Wrong(1, "the file is empty: write version: 1 and a list named waivers")
    return node


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1


def _entries(top: Any, report: Report) -> list[tuple[str, int, dict[str, Any]]]:
    """The mappings in the list of waivers, each with its name and its line, as nodes by their keys."""
    if top.id != "mapping":
        raise _Wrong(_line(top), "the file is not a mapping: write version: 1 and a list named waivers")
    keys = _keys(top, ("version", "waivers"), report)
    version = keys.get("version")
    if version is None:
        report(_line(top), "version is missing: write version: 1")
    elif version.id != "scalar" or version.value != str(VERSION):
        shown = printable(version.value, 40) if version.id == "scalar" else f"a {version.id}"
        report(_line(version), f"version is {shown}: write version: {VERSION}")
    waivers = keys.get("waivers")
    if waivers is None or waivers.id != "sequence":
        report(_line(waivers or top), "waivers is not a list: write waivers: [] for none")
        return []
    entries = []
    for number, node in enumerate(waivers.value):
        if node.id == "mapping":
            entries.append((f"waivers[{number}]", _line(node), _keys(node, (*KEYS, *_OWN_KEYS), report)))
        else:
            report(_line(node), "the waiver is not a mapping: write its keys, as in check: ID")
    return entries


def _keys(node: Any, known: Sequence[str], report: Report) -> dict[str, Any]:
    """The nodes of the values in a mapping by their keys. Keys that are unknown or occur twice are problems."""
    found: dict[str, Any] = {}
    for key, value in node.value:
        name = key.value if key.id == "scalar" else f"a {key.id}"
        if key.id != "scalar" or name not in known:
            report(_line(key), f"{printable(name, 60)} is an unknown key: use {', '.join(known)}")
        elif name in found:
            report(_line(key), f"{name} occurs twice in one mapping: remove one of them")
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


@dataclass
class _Reader:
    """One waiver of a file."""

    path: str
    name: str
    line: int
    # the values by their keys
    nodes: Mapping[str, Any]
    # the Unix time at which it must have expired
    latest: float
    report: Report
    is_wrong: bool = False

    def rules(self) -> list[Rule]:
        """The waiver, none if it has a problem."""
        reason, owner, expires = (self._required(key) for key in _REQUIRED)
        ends = self._ends(expires)
        status = self._value("status") if "status" in self.nodes else WAIVER_STATUSES[0]
        if status not in WAIVER_STATUSES:
            shown = printable(repr(status), 60)
            self._report("status", f"status is {shown}: write one of {', '.join(WAIVER_STATUSES)}")
        matcher = self._matcher()
        if matcher is None or self.is_wrong:
            return []
        waiver = Waiver(self.path, self.line, matcher.written, reason, owner, expires, status)
        return [Rule(waiver, matcher, ends)]

    def _report(self, key: str, text: str) -> None:
        self.is_wrong = True
        self.report(_line(self.nodes[key]) if key in self.nodes else self.line, text)

    def _value(self, key: str) -> Any:
        return _plain(self.nodes[key]) if key in self.nodes else None

    def _required(self, key: str) -> str:
        value = self._value(key)
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
        elif ends > self.latest:
            far, date = ("", "a date") if expires == NEVER else (", more than five years from now", "an earlier date")
            self._report("expires", f"expires is {expires}{far}: write {date}, or set allow_permanent: true")
        return ends or 0

    def _matcher(self) -> Matcher | None:
        """The Matcher, or None; every key with a problem is reported at its own line."""
        written = {key: _matched(key, _plain(node)) for key, node in self.nodes.items() if key in KEYS}
        wrong = [key for key, value in written.items() if self._refuses(key, READERS[key], value, f"{self.name}.{key}")]
        if wrong or self._refuses("", matcher_of, written, self.name):
            return None
        matcher = matcher_of(written, self.name)
        if matcher.severity is not None and all(_is_wide(key, value) for key, value in written.items()):
            self._report(
                "severity",
                f"the waiver matches every finding whose severity is {matcher.severity}, also later ones: name the check, the"
                " finding or the target",
            )
        if matcher.fingerprint is not None and not matcher.fingerprint.startswith(f"{SCHEME}:"):
            self._report("fingerprint", f"fingerprint is not of scheme {SCHEME}: copy the present one from gate.json")
        return matcher

    def _refuses(self, key: str, read: Callable[[Any, str], object], value: object, where: str) -> bool:
        try:
            read(value, where)
        except WrongOption as error:
            self._report(key, str(error).rstrip("."))
            return True
        return False


def _is_wide(key: str, value: Any) -> bool:
    """Whether a value says nothing of what a finding is."""
    return key == "severity" or (key in ("name", "target") and matches_all(value))


def _matched(key: str, value: Any) -> Any:
    """A value of a matcher as gate.json shows it; a port as a number."""
    return int(value) if key == "port" and isinstance(value, str) and re.fullmatch(r"[0-9]{1,5}", value) else value


# --- which findings they waive


def waive(rules: Sequence[Rule], rows: Sequence[Row], now: float) -> Waived:
    """What the waivers say of these rows at the Unix time ``now``. The first one in the order of the files waives a row.

    A finding with several places or CVE ids is waived only if each of them is, by one waiver or by several.
    """
    active = [rule for rule in rules if now < rule.ends]
    candidates = _candidates([rule.matcher for rule in active])
    waivers: list[Waiver | None] = []
    partial: list[str] = []
    doubled: dict[tuple[str, tuple[int, ...]], Doubled] = {}
    used: set[int] = set()
    for row in rows:
        firsts: list[int] = []
        partial.append("")
        places = row.at_each_place()
        for each in places:
            numbers = tuple(number for number in candidates(each) if active[number].matcher.matches(each))
            matchers = {number: active[number].matcher for number in numbers}
            if accepts(matchers.values(), each):
                firsts.append(next((number for number in numbers if accepts([matchers[number]], each)), numbers[0]))
            elif numbers:
                partial[-1] = _partial([active[number] for number in numbers], each)
            used.update(numbers)
            if any(accepts([matchers[other] for other in numbers if other != number], each) for number in numbers):
                several = Doubled(each.fingerprint, tuple(active[number].waiver for number in numbers))
                doubled.setdefault((each.fingerprint, numbers), several)
        waivers.append(active[min(firsts)].waiver if len(firsts) == len(places) else None)
    return Waived(
        tuple(waivers) if rules else (),
        tuple(rule.waiver for rule in rules if rule.ends <= now),
        tuple(rule.waiver for number, rule in enumerate(active) if number not in used),
        tuple(doubled.values()),
        tuple(partial) if any(partial) else (),
        _lapsed([rule for rule in rules if rule.ends <= now], rows),
    )


def _partial(rules: Sequence[Rule], row: Row) -> str:
    """That waivers name some CVE ids of a finding only, a clause."""
    waiver = rules[0].waiver
    left = sorted({*row.cve} - {rule.matcher.cve for rule in rules})
    return (
        f"its waiver in {printable(waiver.file, 200)}:{waiver.line} is for {rules[0].matcher.cve}, and it also has"
        f" {first_of([printable(each, 40) for each in left], _MOST_CVES)}"
    )


def _lapsed(expired: Sequence[Rule], rows: Sequence[Row]) -> tuple[Waiver | None, ...]:
    """For each row the first of some expired waivers that matches it."""
    if not expired:
        return ()
    candidates = _candidates([rule.matcher for rule in expired])
    matching = (
        min(
            (
                number
                for each in row.at_each_place()
                for number in candidates(each)
                if expired[number].matcher.matches(each)
            ),
            default=None,
        )
        for row in rows
    )
    return tuple(None if number is None else expired[number].waiver for number in matching)


def _candidates(matchers: Sequence[Matcher]) -> Callable[[Row], list[int]]:
    """A function that returns the numbers of the matchers that could match a row, in order.

    A thousand waivers and 50,000 findings are too many pairs, so each matcher is found by one of its keys.
    """
    exact: dict[str, list[int]] = {}
    globs: list[int] = []
    for number, each in enumerate(matchers):
        key = each.fingerprint or each.check or each.cve
        (exact.setdefault(key, []) if key else globs).append(number)

    @cache
    def with_texts(name: str, target: str) -> list[int]:
        return [number for number in globs if matchers[number].matches_texts(name, target)]

    def candidates(row: Row) -> list[int]:
        keys = (row.fingerprint, row.check or "", *row.cve)
        return sorted({*with_texts(row.name, row.target), *(number for key in keys for number in exact.get(key, ()))})

    return candidates
