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
from operator import attrgetter
from typing import Any, NamedTuple

from .._evidence.findings import matches_all
from .._evidence.fingerprint import SCHEME
from .._evidence.matchers import KEYS, READERS, Matcher, accepts, matcher_of
from .._evidence.rows import Row
from .._model.errors import WrongOption, first_of, printable
from .._model.outcomes import WAIVER_STATUSES
from .._model.times import LONGEST_EXCEPTION, NEVER, expiry_of
from .._model.yaml_nodes import Problem, Report, entries_in, line_of, plain, refuse

_LONGEST = 4000
_DAY = 86400
# CVE ids that a clause names
_MOST_CVES = 5
_OWN_KEYS = ("reason", "owner", "expires", "status")
_REQUIRED = {
    "reason": "say why the finding is waived",
    "owner": "name who answers for it",
    "expires": "write a date, as in 2026-12-31",
}


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


class Ending(NamedTuple):
    """A waiver that ends soon."""

    waiver: Waiver
    # whole days until then
    days: int


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
    # those in force that end within the option notice, in the order of their ends
    ending: Sequence[Ending] = ()


NO_WAIVERS = Waived()


# --- files


def read_waivers(files: Iterable[tuple[str, bytes | str]], now: float, allow_permanent: bool = False) -> list[Rule]:
    """The waivers in these files, in their order. files: paths and contents; now: Unix time.

    Raises WrongOption, which lists every problem with file and line.
    """
    latest = math.inf if allow_permanent else now + LONGEST_EXCEPTION
    rules: list[Rule] = []
    problems: list[Problem] = []
    for path, content in files:

        def report(line: int, text: str, path: str = path) -> None:
            problems.append((path, line, text))

        for number, line, entry in entries_in(content, "waivers", (*KEYS, *_OWN_KEYS), report):
            rules += _Reader(path, f"waivers[{number}]", line, entry, latest, report).rules()
    refuse("The waivers have {}; nothing is waived.", problems)
    return rules


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
        status = plain(self.nodes["status"]) if "status" in self.nodes else WAIVER_STATUSES[0]
        if status not in WAIVER_STATUSES:
            shown = printable(repr(status), 60)
            self._report("status", f"status is {shown}: write one of {', '.join(WAIVER_STATUSES)}")
        written = {key: _matched(key, plain(node)) for key, node in self.nodes.items() if key in KEYS}
        # every key with a problem is reported at its own line
        wrong = [key for key, value in written.items() if self._refuses(key, READERS[key], value, f"{self.name}.{key}")]
        if wrong or self._refuses("", matcher_of, written, self.name):
            return []
        matcher = matcher_of(written, self.name)
        # keys that say nothing of what a finding is
        wide = {"severity", *(key for key in ("name", "target") if key in written and matches_all(written[key]))}
        if matcher.severity is not None and wide.issuperset(written):
            self._report(
                "severity",
                f"the waiver matches every finding whose severity is {matcher.severity}, also later ones: name the check, the"
                " finding or the target",
            )
        if matcher.fingerprint is not None and not matcher.fingerprint.startswith(f"{SCHEME}:"):
            self._report("fingerprint", f"fingerprint is not of scheme {SCHEME}: copy the present one from gate.json")
        if self.is_wrong:
            return []
        waiver = Waiver(self.path, self.line, matcher.written, reason, owner, expires, status)
        return [Rule(waiver, matcher, ends)]

    def _report(self, key: str, text: str) -> None:
        self.is_wrong = True
        self.report(line_of(self.nodes[key]) if key in self.nodes else self.line, text)

    def _required(self, key: str) -> str:
        value = plain(self.nodes[key]) if key in self.nodes else None
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

    def _refuses(self, key: str, read: Callable[[Any, str], object], value: object, where: str) -> bool:
        try:
            read(value, where)
        except WrongOption as error:
            self._report(key, str(error).rstrip("."))
            return True
        return False


def _matched(key: str, value: Any) -> Any:
    """A value of a matcher as gate.json shows it; a port as a number."""
    return int(value) if key == "port" and isinstance(value, str) and re.fullmatch(r"[0-9]{1,5}", value) else value


# --- which findings they waive


def waive(rules: Sequence[Rule], rows: Sequence[Row], now: float, notice: float = 0) -> Waived:
    """What the waivers say of these rows at the Unix time ``now``. The first one in the order of the files waives a row;
    of several that are needed, the one that ends first is named.

    notice: the seconds within which a waiver ends soon.

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
                alone = next((number for number in numbers if accepts([matchers[number]], each)), None)
                # of several that are needed, the one that ends first
                firsts.append(min(numbers, key=lambda number: active[number].ends) if alone is None else alone)
            elif numbers:
                partial[-1] = _partial([active[number] for number in numbers], each)
            used.update(numbers)
            if any(accepts([matchers[other] for other in numbers if other != number], each) for number in numbers):
                several = Doubled(each.fingerprint, tuple(active[number].waiver for number in numbers))
                doubled.setdefault((each.fingerprint, numbers), several)
        first = min(firsts, key=lambda number: (active[number].ends, number), default=0)
        waivers.append(active[first].waiver if len(firsts) == len(places) else None)
    return Waived(
        tuple(waivers) if rules else (),
        tuple(rule.waiver for rule in rules if rule.ends <= now),
        tuple(rule.waiver for number, rule in enumerate(active) if number not in used),
        tuple(doubled.values()),
        tuple(partial) if any(partial) else (),
        _lapsed([rule for rule in rules if rule.ends <= now], rows),
        tuple(
            Ending(rule.waiver, int((rule.ends - now) // _DAY))
            for rule in sorted(active, key=attrgetter("ends"))
            if rule.ends <= now + notice
        ),
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
