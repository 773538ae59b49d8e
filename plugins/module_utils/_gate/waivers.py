# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Which findings are waived, and which waivers have expired, match nothing or match the same finding. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from .._moments import is_date
from .matchers import Matcher, Test
from .types import Doubled, Row, Waived, Waiver


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
    candidates = _candidates([rule.matcher for rule in active])
    waivers: list[Waiver | None] = []
    doubled: dict[tuple[str, tuple[int, ...]], Doubled] = {}
    used: set[int] = set()
    for row in rows:
        firsts: list[int] = []
        places = row.at_each_place()
        for each in places:
            numbers = tuple(number for number in candidates(each) if active[number].matcher.matches(each))
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


def _candidates(matchers: Sequence[Matcher]) -> Callable[[Row], list[int]]:
    """A function that returns the numbers of the matchers that could match a row, in order.

    A thousand waivers and 50,000 findings are too many pairs, so each matcher is found by one of its keys.
    """
    exact: dict[str, list[int]] = {}
    named: list[tuple[int, Test]] = []
    others: list[tuple[int, Test | None]] = []
    for number, each in enumerate(matchers):
        key = each.fingerprint or each.check or each.cve
        if key:
            exact.setdefault(key, []).append(number)
        elif each.name:
            named.append((number, each.name))
        else:
            others.append((number, each.target))

    @cache
    def with_name(name: str) -> list[int]:
        return [number for number, matches in named if matches(name)]

    @cache
    def with_target(target: str) -> list[int]:
        return [number for number, matches in others if matches is None or matches(target)]

    def candidates(row: Row) -> list[int]:
        found = {*with_name(row.name), *with_target(row.target)}
        for key in (row.fingerprint, row.check, *row.cve):
            found.update(exact.get(key or "", ()))
        return sorted(found)

    return candidates
