# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What a gate demands: which findings count, the verdict of each outcome, and which scans must exist. Pure.

A field that a finding lacks counts against it, unless ``missing`` is ``ignore``. An unknown severity counts as every severity.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple

from .._evidence.findings import SUMMARY, UNKNOWN, at_least
from .._evidence.fingerprint import severity_rank
from .._evidence.matchers import KEYS, Matcher, accepts, matchers_of, shown, with_paths
from .._evidence.rows import Pair, Row
from .._model.errors import WrongOption, counted, printable, refuse_unknown_keys, without_secrets
from .._model.families import SEVERITIES
from .._model.outcomes import FAIL, MISCONFIGURED, NONE, OUTCOMES, PASS, PASSED, VERDICTS
from .._model.passwords import without_user_info
from .._model.records import Record
from .._model.target_names import normal_form
from .._model.times import iso_moment, seconds_of, span, utc_text
from .._model.tools import tool_id_of, tool_name_of
from .._task.name_match import Spelled
from .baseline import Entry, Was

MISSING_FAILS = "fail"
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
    missing=dict(type="str", choices=[MISSING_FAILS, "ignore"], default=MISSING_FAILS),
)
# the suboptions of expect
EXPECT_OPTIONS: dict[str, Any] = dict(
    targets=dict(type="list", elements="str"),
    tools=dict(type="list", elements="str"),
    max_age=dict(type="str"),
)
# the suboptions of origin
ORIGIN_OPTIONS: dict[str, Any] = {key: dict(type="str") for key in ("build", "commit", "scan_url")}
_NO_ROW = Row(*[None] * len(Row._fields))  # type: ignore[arg-type]
NO_ORIGIN: Mapping[str, str | None] = MappingProxyType(dict.fromkeys(ORIGIN_OPTIONS))
_SCAN_URL = re.compile(r"https?://[!-~]*\{id\}[!-~]*")
# the Unix time of the year 9999, after which no date has four digits for its year
_END = 253_370_764_800


class Policy(NamedTuple):
    """A policy, with the default of each option."""

    # a severity, or NONE
    fail_on: str = "high"
    max: Mapping[str, int] = {}
    only_new: bool = False
    verified_only: bool = False
    # None for no filter
    min_cvss: float | None = None
    min_epss: float | None = None
    known_exploited: bool = False
    # seconds by severity
    older_than: Mapping[str, int] = {}
    # any of them, all findings if empty
    include: tuple[Matcher, ...] = ()
    exclude: tuple[Matcher, ...] = ()
    missing: str = MISSING_FAILS

    def out_of_scope(self, row: Row) -> str | None:
        """Why the policy is not about this finding, a clause; None if it is, or is at one of its places."""
        reasons = [self._excluded(each) for each in row.at_each_place()]
        return None if None in reasons else reasons[0]

    def _excluded(self, row: Row) -> str | None:
        matching = [number for number, matcher in enumerate(self.exclude) if matcher.matches(row)]
        if matching and accepts((self.exclude[number] for number in matching), row):
            return f"policy.exclude[{matching[0]}] matches it"
        includes = Matcher.may_match if self.missing == MISSING_FAILS else Matcher.matches
        if self.include and not any(includes(matcher, row) for matcher in self.include):
            return "no matcher of policy.include matches it"
        return None

    def unmatched(self, rows: Sequence[Row], entries: Iterable[Entry]) -> list[str]:
        """The places of the matchers that match no finding. entries: of the baseline, which may have had one.

        The severity does not matter, because it has no wrong spelling.
        """
        loose = {
            f"policy.{option}[{number}]": each._replace(severity=None)
            for option in ("include", "exclude")
            for number, each in enumerate(getattr(self, option))
            if not each.is_closed
        }
        # what matchers compare of an entry
        accepted = (
            _NO_ROW._replace(
                fingerprint=entry.fingerprint,
                name=entry.name,
                check=entry.check,
                cve=entry.cve,
                target=entry.target,
                port=entry.place.port,
            )
            for entry in entries
        )
        for finding in chain(chain.from_iterable(row.at_each_place() for row in rows), accepted):
            if not loose:
                break
            loose = {place: each for place, each in loose.items() if not each.matches(finding)}
        return list(loose)

    def counts(self, row: Row) -> tuple[bool, tuple[str, ...], tuple[str, ...]]:
        """Whether fail_on counts a finding, why, as clauses, and the keys of the policy that say so."""
        if self.fail_on == NONE:
            return False, ("fail_on is none",), ()
        counted = f"{UNKNOWN} (counts as critical)" if row.severity == UNKNOWN else row.severity
        severity = f"severity is {counted}, fail_on is {self.fail_on}"
        if not at_least(row.severity, self.fail_on):
            return False, (severity,), ()
        filters = list(self._filters(row))
        against = tuple(reason for passes, reason, _keys in filters if not passes)
        if against:
            return False, against, ()
        keys = ("fail_on", *(key for _passes, _reason, each in filters for key in each))
        return True, (severity, *(reason for _passes, reason, _keys in filters)), keys

    def _filters(self, row: Row) -> Iterator[tuple[bool, str, tuple[str, ...]]]:
        """Whether a finding passes each filter that is set, why, a clause, and the keys of the policy that say so."""
        for what, value, option in (
            ("verified", row.verified, "verified_only"),
            ("CVSS", row.cvss, "min_cvss"),
            ("EPSS", row.epss, "min_epss"),
            ("known to be exploited", row.known_exploited, "known_exploited"),
        ):
            wanted = getattr(self, option)
            if wanted is None or wanted is False:
                continue
            if value is None:
                lacking = f"nothing says whether it is {what}" if wanted is True else f"it has no {what}"
                why = f"{lacking} for {option}, and missing is {self.missing}"
                yield self.missing == MISSING_FAILS, why, (option, "missing")
            elif wanted is True:
                yield bool(value), f"it is {'' if value else 'not '}{what}, {option} is true", (option,)
            else:
                yield value >= wanted, f"{what} is {value:g}, {option} is {wanted:g}", (option,)

    def worse_in(self, row: Row, was: Was) -> tuple[str, ...]:
        """In what that the policy looks at a known finding has become worse than the baseline accepted it, clauses."""
        reasons = []
        if severity_rank(row.severity) < severity_rank(was.severity):
            reasons.append(f"its severity was {was.severity}")
        for what, value, before, option, growth in (
            ("verified", row.verified, was.facts.verified, "verified_only", 1),
            ("CVSS", row.cvss, was.facts.cvss, "min_cvss", 1),
            # EPSS changes a little every day
            ("EPSS", row.epss, was.facts.epss, "min_epss", 2),
            ("known to be exploited", row.known_exploited, was.facts.known_exploited, "known_exploited", 1),
        ):
            wanted = getattr(self, option)
            if wanted is None or wanted is False or not self._passes(value, wanted):
                continue
            rose = value is not None and before is not None and value > before and value >= growth * before
            if rose or not self._passes(before, wanted):
                number = f"its {what} was {before:g}" if before is not None else f"it had no {what}"
                reasons.append(f"it was not {what}" if wanted is True else number)
        new = set(row.cve) - set(was.cve)
        # what the policy was not about cannot have been accepted
        if new and (self.include or self.exclude) and self.out_of_scope(row._replace(cve=was.cve)) is not None:
            reasons.append(f"it did not have {', '.join(sorted(new))}")
        return tuple(reasons)

    def _passes(self, value: float | bool | None, wanted: float | bool) -> bool:
        """Whether a filter lets a value count. A value that is missing counts if ``missing`` is fail."""
        if value is None:
            return self.missing == MISSING_FAILS
        return bool(value) if wanted is True else value >= wanted

    def too_old(self, row: Row, age: int | None) -> str | None:
        """Why the age of a finding fails it, a clause; None if it does not. age: in seconds, None if unknown."""
        oldest = self._oldest(row)
        if oldest is None:
            return None
        seconds, severity = oldest
        limit = f"older_than of {severity} is {span(seconds)}"
        if age is None:
            fails = self.missing == MISSING_FAILS
            return f"its age is unknown, {limit}, and missing is {self.missing}" if fails else None
        return f"it is {span(age)} old, {limit}" if age > seconds else None

    def due(self, row: Row, first_seen: str | None) -> str | None:
        """The date, in UTC, on which the age of a finding begins to fail it; None if it never does, or if that is unknown."""
        oldest = self._oldest(row)
        return _day_after(first_seen, oldest[0]) if oldest and first_seen else None

    def _oldest(self, row: Row) -> tuple[int, str] | None:
        """The shortest limit of age for a finding, and the severity that has it."""
        limits = [
            (seconds, severity) for severity, seconds in self.older_than.items() if row.severity in (severity, UNKNOWN)
        ]
        return min(limits, default=None)

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
        # programs differ in whether they write 7 or 7.0, and so would the digests of what they write
        numbers = {
            key: int(each) for key, each in self._asdict().items() if isinstance(each, float) and each.is_integer()
        }
        matchers = {name: [dict(each.written) for each in getattr(self, name)] for name in ("include", "exclude")}
        return {**self._asdict(), **numbers, "max": dict(self.max), "older_than": dict(self.older_than), **matchers}


@lru_cache(maxsize=4096)
def _day_after(moment: str, seconds: int) -> str | None:
    """The date of the first second that is more than some seconds after a moment."""
    began = iso_moment(moment)
    at = None if began is None else began + seconds + 1
    return None if at is None or at >= _END else utc_text(at)[:10]


def policy_of(given: Mapping[str, Any] | None) -> Policy:
    """The Policy in the option ``policy``, whose types ansible-core has checked; a key that is null has its default.

    Raises WrongOption.
    """
    values = {key: value for key, value in (given or {}).items() if value is not None}
    for key, largest, advice in (("min_cvss", 10, "as in 7.0"), ("min_epss", 1, "as in 0.1 for 10 percent")):
        if key in values and not 0 <= values[key] <= largest:
            raise WrongOption(f"policy.{key} is {shown(values[key])}: give a number from 0 to {largest}, {advice}.")
    readers: Mapping[str, Callable[[Any, str], int]] = {"max": _count, "older_than": seconds_of}
    refuse_unknown_keys([(f"policy.{key}", values.get(key, {})) for key in readers], SUMMARY)
    for key, read in readers.items():
        values[key] = {name: read(each, f"policy.{key}.{name}") for name, each in values.get(key, {}).items()}
    lists = {key: values.get(key, ()) for key in ("include", "exclude")}
    refuse_unknown_keys([each for key, given in lists.items() for each in with_paths(given, f"policy.{key}")], KEYS)
    for key, matchers in lists.items():
        values[key] = matchers_of(matchers, f"policy.{key}")
    return Policy(**values)


def _count(value: object, path: str) -> int:
    if isinstance(value, str) and re.fullmatch(r"\s*[0-9]{1,15}\s*", value):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise WrongOption(f"{path} is {shown(value)}: give the number of findings that are accepted, 0 or more.")
    return value


def mapping_of(given: Mapping[str, Any] | None) -> dict[str, str]:
    """The verdict of each outcome after the option ``outcomes``. Raises WrongOption."""
    mapping = {outcome: PASS if outcome == PASSED else FAIL for outcome in OUTCOMES}
    refuse_unknown_keys([("outcomes", given or {})], OUTCOMES)
    for key, value in (given or {}).items():
        mapping[key] = value.strip().lower() if isinstance(value, str) else ""
        if mapping[key] not in VERDICTS:
            raise WrongOption(f"outcomes.{key} is {shown(value)}: write one of {', '.join(VERDICTS)}.")
    if mapping[MISCONFIGURED] != FAIL:
        raise WrongOption(f"outcomes.{MISCONFIGURED} must be {FAIL}, because nothing was judged: remove it.")
    return mapping


# --- which scans must exist


class Expect(NamedTuple):
    """Which scans must exist."""

    # empty for those that were judged
    targets: tuple[str, ...] = ()
    # ids, empty for any tool
    tools: tuple[int, ...] = ()
    # in seconds, None for any age
    max_age: int | None = None


NOTHING_EXPECTED = Expect()


def expect_of(given: Mapping[str, Any] | None) -> Expect:
    """The Expect in the option ``expect``, whose types ansible-core has checked. Raises WrongOption."""
    given = given or {}
    tools = (tool_id_of(name, f"expect.tools[{index}]") for index, name in enumerate(_names(given, "tools")))
    age = given.get("max_age")
    return Expect(_names(given, "targets"), tuple(tools), None if age is None else seconds_of(age, "expect.max_age"))


def _names(given: Mapping[str, Any], key: str) -> tuple[str, ...]:
    values = given.get(key)
    if values == []:
        raise WrongOption(f"expect.{key} is empty, so nothing would be expected: name at least one, or leave it out.")
    names = tuple(value.strip() for value in values or ())
    if "" in names:
        raise WrongOption(f"expect.{key}[{names.index('')}] is empty: write a name, or remove it.")
    return names


def origin_of(given: Mapping[str, Any] | None) -> dict[str, str | None]:
    """The option ``origin`` with all of its keys, null for what is not set or empty. Raises WrongOption."""
    found = {key: (given or {}).get(key) or None for key in ORIGIN_OPTIONS}
    url = found["scan_url"]
    if url and not _SCAN_URL.fullmatch(url):
        raise WrongOption(
            f"origin.scan_url is {printable(without_secrets(url), 200)!r}: give the URL of a scan in the web application,"
            " with {id} for its id."
        )
    return {key: value and without_user_info(value) for key, value in found.items()}


def gaps_in(expect: Expect, pairs: Sequence[Pair]) -> tuple[list[Pair], dict[int, str]]:
    """What of the expected scans does not exist, as pairs, and a sentence for each pair that is too old, by its number.

    Without tools, one scan of a target is enough. A scan that did not finish is no gap, because its own outcome says so. A
    saved file proves no coverage.
    """
    missing: list[Pair] = []
    late: dict[int, str] = {}
    if expect == NOTHING_EXPECTED:
        return missing, late
    judged = Spelled(list(enumerate(pairs)), lambda each: each[1].target)
    seen: set[object] = set()
    for target in expect.targets or [pair.target for pair in pairs]:
        found = [number for number, _pair in judged.all(target)]
        identity = tuple(found) or normal_form(target)
        if identity in seen:
            continue
        seen.add(identity)
        names = {pairs[each].target for each in found}
        for tool in expect.tools or (None,):
            own = [each for each in found if len(names) == 1 and (tool is None or pairs[each].tool_id == tool)]
            if not own:
                missing.append(_missing(target, tool, [pairs[each] for each in found], pairs))
            reasons = {number: _problem(expect, pairs[number]) for number in own if pairs[number].outcome == PASSED}
            old = {number: reason for number, reason in reasons.items() if reason is not None}
            # without tools, one recent scan is enough
            if expect.tools or len(old) == len(reasons):
                late.update(old)
    return missing, late


def _problem(expect: Expect, pair: Pair) -> str | None:
    where = f"{printable(pair.target)!r}"
    if pair.saved:
        return (
            f"The file does not prove when {where} was scanned, which expect demands: judge the scans of the service."
        )
    if expect.max_age is None:
        return None
    most = f"expect.max_age is {span(expect.max_age)}"
    if pair.age is None:
        return f"The scan of {where} with {pair.tool} does not say when it ended, and {most}: scan the target again."
    if pair.age > expect.max_age:
        return f"The scan of {where} with {pair.tool} is {span(pair.age)} old, and {most}: scan the target again."
    return None


def _missing(target: str, tool: int | None, found: Sequence[Pair], pairs: Sequence[Pair]) -> Pair:
    """found: the pairs of the target, or of several that it may mean."""
    workspaces = {pair.workspace for pair in pairs}
    names = sorted({printable(pair.target) for pair in found})
    name = "any tool" if tool is None else tool_name_of(tool)
    sentence = f"{printable(target)!r} has no scan with {name}, which expect demands: scan the target."
    if len(names) > 1:
        sentence = f"expect.targets has {printable(target)!r}, which may be {' or '.join(map(repr, names))}: write one of them."
    return Pair(
        target,
        found[0].target_id if len(names) == 1 else None,
        workspaces.pop() if len(workspaces) == 1 else None,
        name,
        tool,
        problems=(sentence,),
    )
