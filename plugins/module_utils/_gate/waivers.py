# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Which findings are waived, and which waivers have expired, match nothing or match the same finding. Pure.

Each row is compared with few waivers: a table of bit masks, one bit for each waiver, first rules out those that cannot match.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .._moments import is_date
from .matchers import Matcher, Test
from .model import Doubled, Row, Waived, Waiver

_WILDCARDS = re.compile(r"[*?\[]")


class Rule(NamedTuple):
    """A waiver ready for use. ends: the Unix time at which it expires, infinity for never."""

    waiver: Waiver
    matcher: Matcher
    ends: float

    def is_in_force(self, now: float) -> bool:
        return now < self.ends


def expiry_text(expires: str) -> str:
    """When a waiver expires, for people: a date with the hour at which it ends."""
    return f"{expires} at 24:00 UTC" if is_date(expires) else expires


def waive(rules: Sequence[Rule], rows: Sequence[Row], now: float) -> Waived:
    """What the waivers say of these rows at the Unix time ``now``. The first one in the order of the files waives a row.

    A finding with several places is waived only if each of them is, by one waiver or by several.
    """
    active = [rule for rule in rules if rule.is_in_force(now)]
    table = _Table([rule.matcher for rule in active])
    waivers: list[Waiver | None] = []
    doubled: dict[tuple[str, tuple[int, ...]], Doubled] = {}
    used: set[int] = set()
    for row in rows:
        firsts: list[int] = []
        places = row.at_each_place()
        for each in places:
            numbers = tuple(number for number in table.candidates(each) if active[number].matcher.matches(each))
            firsts += numbers[:1]
            used.update(numbers)
            if len(numbers) > 1:
                several = Doubled(each.fingerprint, tuple(active[number].waiver for number in numbers))
                doubled.setdefault((each.fingerprint, numbers), several)
        waivers.append(active[min(firsts)].waiver if len(firsts) == len(places) else None)
    return Waived(
        tuple(waivers) if rules else (),
        tuple(rule.waiver for rule in rules if not rule.is_in_force(now)),
        tuple(rule.waiver for number, rule in enumerate(active) if number not in used),
        tuple(doubled.values()),
    )


class _Exact:
    """The waivers whose matcher has this value for a field, or no value, as bit masks."""

    def __init__(self, wanted: Iterable[object]) -> None:
        self._free = 0
        self._masks: dict[object, int] = {}
        for number, value in enumerate(wanted):
            if value is None:
                self._free |= 1 << number
            else:
                self._masks[value] = self._masks.get(value, 0) | 1 << number

    def mask(self, value: object) -> int:
        return self._free | self._masks.get(value, 0)


class _Patterns:
    """The waivers whose pattern for a field could match: by its text before the first wildcard, or else by trying it."""

    def __init__(self, wanted: Iterable[tuple[Test | None, str]], has_prefixes: bool) -> None:
        self._free = 0
        self._prefixes: dict[str, int] = {}
        self._tried: dict[str, tuple[Test, int]] = {}
        self._known: dict[str, int] = {}
        for number, (test, pattern) in enumerate(wanted):
            prefix = _WILDCARDS.split(pattern)[0].casefold() if has_prefixes else ""
            if test is None:
                self._free |= 1 << number
            elif prefix:
                self._prefixes[prefix] = self._prefixes.get(prefix, 0) | 1 << number
            else:
                first, mask = self._tried.get(pattern, (test, 0))
                self._tried[pattern] = (first, mask | 1 << number)
        self._lengths = sorted({len(prefix) for prefix in self._prefixes})

    def mask(self, text: str) -> int:
        found = self._known.get(text)
        if found is None:
            found = self._free
            folded = text.casefold()
            for length in self._lengths:
                found |= self._prefixes.get(folded[:length], 0)
            for test, mask in self._tried.values():
                if test(text):
                    found |= mask
            self._known[text] = found
        return found


class _Table:
    """Which of the waivers could match a row. One bit of a mask is one waiver."""

    def __init__(self, matchers: Sequence[Matcher]) -> None:
        self._fingerprint = _Exact(each.fingerprint for each in matchers)
        self._check = _Exact(each.check for each in matchers)
        self._cve = _Exact(each.cve for each in matchers)
        self._port = _Exact(each.port for each in matchers)
        self._severity = _Exact(each.severity for each in matchers)
        # the normal form of a target may begin with another text than its pattern
        self._target = _Patterns(((each.target, _written(each, "target")) for each in matchers), has_prefixes=False)
        self._name = _Patterns(((each.name, _written(each, "name")) for each in matchers), has_prefixes=True)

    def candidates(self, row: Row) -> Iterable[int]:
        """The numbers of the waivers that could match a row, in their order."""
        mask = self._fingerprint.mask(row.fingerprint) & self._check.mask(row.check)
        cves = self._cve.mask(None)
        for cve in row.cve:
            cves |= self._cve.mask(cve)
        mask &= cves & self._port.mask(row.port) & self._severity.mask(row.severity)
        mask = mask and mask & self._target.mask(row.target)
        mask = mask and mask & self._name.mask(row.name)
        while mask:
            lowest = mask & -mask
            yield lowest.bit_length() - 1
            mask ^= lowest


def _written(matcher: Matcher, key: str) -> str:
    return str(matcher.written.get(key, "")).strip()
