# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The policy of a gate: which findings count, and why. Pure.

A field that a finding lacks counts against it, unless ``missing`` is ``ignore``. An unknown severity counts as every severity.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from .._errors import WrongOption, counted
from .._families.finding import SEVERITIES
from .._findings.model import SUMMARY, UNKNOWN, at_least
from .._gate_words import FAIL, MISCONFIGURED, NONE, OUTCOMES, PASS, PASSED, VERDICTS
from .._moments import seconds_of
from .._raw_options import unknown_key
from .._records import Record
from .matchers import Matcher, matchers_of, shown
from .types import Row

MISSING_FAILS = "fail"
MISSING_IGNORED = "ignore"
_MISSING = (MISSING_FAILS, MISSING_IGNORED)
# the suboptions of policy
POLICY_OPTIONS: dict[str, Any] = dict(
    fail_on=dict(type="str", choices=[*SEVERITIES, NONE], default="high"),
    max=dict(type="dict"),
    only_new=dict(type="bool", default=False),
    verified_only=dict(type="bool", default=False),
    min_cvss=dict(type="float"),
    min_epss=dict(type="float"),
    known_exploited=dict(type="bool", default=False),
    older_than=dict(type="dict"),
    include=dict(type="list", elements="dict"),
    exclude=dict(type="list", elements="dict"),
    missing=dict(type="str", choices=[*_MISSING], default=MISSING_FAILS),
)
_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


class Policy(NamedTuple):
    """A policy. fail_on: a severity, or NONE; min_cvss, min_epss: None for no filter; older_than: seconds by severity;
    include: any of them, all findings if empty."""

    fail_on: str = "high"
    max: Mapping[str, int] = {}
    only_new: bool = False
    verified_only: bool = False
    min_cvss: float | None = None
    min_epss: float | None = None
    known_exploited: bool = False
    older_than: Mapping[str, int] = {}
    include: tuple[Matcher, ...] = ()
    exclude: tuple[Matcher, ...] = ()
    missing: str = MISSING_FAILS

    def out_of_scope(self, row: Row) -> str | None:
        """Why the policy is not about this finding, a clause; None if it is, or is at one of its places."""
        outside = None
        for each in row.at_each_place():
            reason = self._excluded(each)
            if reason is None:
                return None
            outside = outside or reason
        return outside

    def _excluded(self, row: Row) -> str | None:
        for number, matcher in enumerate(self.exclude):
            if matcher.matches(row):
                return f"policy.exclude[{number}] matches it"
        if self.include and not any(self._includes(matcher, row) for matcher in self.include):
            return "no matcher of policy.include matches it"
        return None

    def _includes(self, matcher: Matcher, row: Row) -> bool:
        return matcher.may_match(row) if self.missing == MISSING_FAILS else matcher.matches(row)

    def counts(self, row: Row) -> Counting:
        """Whether fail_on counts a finding."""
        if self.fail_on == NONE:
            return Counting(False, ("fail_on is none",))
        counted = f"{UNKNOWN} (counts as critical)" if row.severity == UNKNOWN else row.severity
        severity = f"severity is {counted}, fail_on is {self.fail_on}"
        if not at_least(row.severity, self.fail_on):
            return Counting(False, (severity,))
        asked = [filtered for filtered in self._filtered(row) if filtered is not None]
        against = tuple(filtered.reason for filtered in asked if not filtered.passes)
        return Counting(False, against) if against else Counting(True, (severity, *(each.reason for each in asked)))

    def _filtered(self, row: Row) -> Iterable[_Filtered | None]:
        yield self._flag("verified", row.verified, "verified_only", self.verified_only)
        yield self._number("CVSS", row.cvss, "min_cvss", self.min_cvss)
        yield self._number("EPSS", row.epss, "min_epss", self.min_epss)
        yield self._flag("known to be exploited", row.known_exploited, "known_exploited", self.known_exploited)

    def _flag(self, what: str, value: bool | None, option: str, wanted: bool) -> _Filtered | None:
        if not wanted:
            return None
        if value is None:
            return self._lacking(f"nothing says whether it is {what}", option)
        return _Filtered(value, f"it is {'' if value else 'not '}{what}, {option} is true")

    def _number(self, what: str, value: float | None, option: str, least: float | None) -> _Filtered | None:
        if least is None:
            return None
        if value is None:
            return self._lacking(f"it has no {what}", option)
        return _Filtered(value >= least, f"{what} is {value:g}, {option} is {least:g}")

    def _lacking(self, what: str, option: str) -> _Filtered:
        return _Filtered(self.missing == MISSING_FAILS, f"{what} for {option}, and missing is {self.missing}")

    def too_old(self, row: Row, age: int | None) -> str | None:
        """Why the age of a finding fails it, a clause; None if it does not. age: in seconds, None if unknown."""
        limits = [
            (seconds, severity) for severity, seconds in self.older_than.items() if row.severity in (severity, UNKNOWN)
        ]
        if not limits:
            return None
        seconds, severity = min(limits)
        limit = f"older_than of {severity} is {lasting(seconds)}"
        if age is None:
            fails = self.missing == MISSING_FAILS
            return f"its age is unknown, {limit}, and missing is {self.missing}" if fails else None
        return f"it is {lasting(age)} old, {limit}" if age > seconds else None

    def exceeded(self, rows: Iterable[Row]) -> dict[str, str]:
        """Why too many findings fail, by severity, a clause. rows: those in scope that are not waived.

        UNKNOWN is a key if an unknown severity makes the number too large.
        """
        numbers = Counter(row.severity for row in rows)
        reasons: dict[str, str] = {}
        for severity in SUMMARY:
            most = self.max.get(severity)
            unknown = numbers[UNKNOWN] if severity != UNKNOWN else 0
            number = numbers[severity] + unknown
            if most is not None and number > most:
                them = f" ({unknown} of them of unknown severity)" if unknown else ""
                reasons[severity] = f"{counted(number, f'{severity} finding')}{them}, max of {severity} is {most}"
                reasons.setdefault(UNKNOWN, reasons[severity])
        return reasons

    def record(self) -> Record:
        """The policy as gate.json shows it, with all keys."""
        matchers = {name: [dict(each.written) for each in getattr(self, name)] for name in ("include", "exclude")}
        return {**self._asdict(), "max": dict(self.max), "older_than": dict(self.older_than), **matchers}


class Counting(NamedTuple):
    """Whether fail_on counts a finding, and why, as clauses."""

    counts: bool
    reasons: tuple[str, ...]


class _Filtered(NamedTuple):
    """Whether a finding passes a filter, and why, a clause."""

    passes: bool
    reason: str


def lasting(seconds: int) -> str:
    """A duration for people: in the largest unit of which it has at least two, rounded down."""
    for unit, noun in _UNITS:
        if seconds >= 2 * unit:
            return counted(seconds // unit, noun)
    return counted(seconds, "second")


def policy_of(given: Mapping[str, Any] | None) -> Policy:
    """The Policy in the option ``policy``, whose types ansible-core has checked; a key that is null has its default.

    Raises WrongOption.
    """
    readers: Mapping[str, Callable[[Any, str], Any]] = {
        "max": _max,
        "min_cvss": _cvss,
        "min_epss": _epss,
        "older_than": _older_than,
        "include": matchers_of,
        "exclude": matchers_of,
    }
    values = {key: value for key, value in (given or {}).items() if value is not None}
    return Policy(
        **{key: readers[key](each, f"policy.{key}") if key in readers else each for key, each in values.items()}
    )


def _number(value: float, path: str, largest: float, advice: str) -> float:
    if not 0 <= value <= largest:
        raise WrongOption(f"{path} is {shown(value)}: give a number from 0 to {largest:g}, {advice}.")
    return value


def _cvss(value: float, path: str) -> float:
    return _number(value, path, 10, "as in 7.0")


def _epss(value: float, path: str) -> float:
    return _number(value, path, 1, "as in 0.1 for 10 percent")


def _max(value: Mapping[str, Any], path: str) -> dict[str, int]:
    return {_severity(key, path): _count(number, f"{path}.{key}") for key, number in value.items()}


def _older_than(value: Mapping[str, Any], path: str) -> dict[str, int]:
    return {_severity(key, path): seconds_of(duration, f"{path}.{key}") for key, duration in value.items()}


def _severity(key: str, path: str) -> str:
    if key not in SUMMARY:
        raise WrongOption(f"{unknown_key(path, key, SUMMARY)}.")
    return key


def _count(value: object, path: str) -> int:
    if isinstance(value, str) and re.fullmatch(r"\s*[0-9]{1,15}\s*", value):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise WrongOption(f"{path} is {shown(value)}: give the number of findings that are accepted, 0 or more.")
    return value


def mapping_of(given: Mapping[str, Any] | None) -> dict[str, str]:
    """The verdict of each outcome after the option ``outcomes``. Raises WrongOption."""
    mapping = {outcome: PASS if outcome == PASSED else FAIL for outcome in OUTCOMES}
    for key, value in (given or {}).items():
        if key not in mapping:
            raise WrongOption(f"{unknown_key('outcomes', key, OUTCOMES)}.")
        mapping[key] = value.strip().lower() if isinstance(value, str) else ""
        if mapping[key] not in VERDICTS:
            raise WrongOption(f"outcomes.{key} is {shown(value)}: write one of {', '.join(VERDICTS)}.")
    if mapping[MISCONFIGURED] != FAIL:
        raise WrongOption(f"outcomes.{MISCONFIGURED} must be {FAIL}, because nothing was judged: remove it.")
    return mapping
