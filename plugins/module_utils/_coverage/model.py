# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Decides which targets have a finished scan that is recent enough. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from .._errors import WrongOption, counted, printable
from .._families.scan_statuses import FINISHED
from .._findings.model import name_pattern
from .._moments import Clock, iso_moment, seconds_of
from .._names import normal_form
from .._records import Record
from .._scan.record import lacks, last_moment_of, outcome_of
from .._scan.tools import tool_name_of

ANY_TOOL = "any tool"
_KEYS = ("workspace", "target", "tool", "reason", "expires")


class Row(NamedTuple):
    """A target and a tool. scan_id, finished, age: of the newest finished scan, None without one; finished: Unix time; age: in
    seconds; reason: why it is not covered, or why it is excluded, a sentence, "" if it is covered."""

    workspace: str
    target: str
    tool: str
    covered: bool
    excluded: bool
    scan_id: int | None
    finished: float | None
    age: int | None
    reason: str


class Exclusion(NamedTuple):
    """What need not be scanned. workspace, target, tool: patterns, None for all; ends: Unix time."""

    workspace: str | None
    target: str | None
    tool: str | None
    reason: str
    expires: str
    ends: int

    def takes(self, workspace: str, target: str, tool: str) -> bool:
        """Whether all of its patterns match."""
        given = ((self.workspace, workspace), (self.target, target), (self.tool, tool))
        return all(pattern is None or name_pattern(pattern)(name) for pattern, name in given)


class Account(NamedTuple):
    """One workspace: its name, its live targets, and all of its scans."""

    workspace: str
    targets: Sequence[Record]
    scans: Sequence[Record]


class Coverage(NamedTuple):
    """What was found. undeclared: live targets that are not declared; duplicates: live targets with the same normal name;
    empty: workspaces without targets; expired, unused: exclusions."""

    rows: tuple[Row, ...]
    undeclared: tuple[Record, ...]
    duplicates: tuple[Record, ...]
    empty: tuple[str, ...]
    expired: tuple[Exclusion, ...]
    unused: tuple[Exclusion, ...]

    @property
    def gaps(self) -> list[Row]:
        """The rows that are neither covered nor excluded."""
        return [row for row in self.rows if not row.covered and not row.excluded]


def exclusions_of(given: Iterable[Mapping[str, object]] | None) -> tuple[Exclusion, ...]:
    """The Exclusions that the option lists. Raises WrongOption, which names the item."""
    return tuple(_exclusion(f"exclusions[{index}]", each) for index, each in enumerate(given or ()))


def _exclusion(where: str, given: Mapping[str, object]) -> Exclusion:
    unknown = sorted(set(given) - set(_KEYS))
    if unknown:
        raise WrongOption(f"{where} has the unknown key {printable(unknown[0])!r}: its keys are {', '.join(_KEYS)}.")
    texts: dict[str, str | None] = {}
    for key in _KEYS:
        value = given.get(key)
        if value is not None and not str(value).strip():
            raise WrongOption(f"{where}.{key} is empty: give a value, or remove it.")
        texts[key] = None if value is None else str(value).strip()
    if texts["workspace"] is None and texts["target"] is None:
        raise WrongOption(f"{where} names neither a workspace nor a target, so it would exclude everything: add one.")
    reason, expires = texts["reason"], texts["expires"]
    if reason is None or expires is None:
        raise WrongOption(f"{where} needs a reason and the date on which it expires: add both.")
    moment = iso_moment(expires)
    if moment is None:
        raise WrongOption(f"{where}.expires is {printable(expires, 60)!r}: write a date, as in 2027-01-31.")
    # a date counts until its end
    ends = moment + 86400 if len(expires) == len("2027-01-31") else moment
    return Exclusion(texts["workspace"], texts["target"], texts["tool"], reason, expires, ends)


def max_age_of(text: str | None) -> int | None:
    """The seconds in the option ``max_age``, None for any age. Raises WrongOption."""
    return None if text is None else seconds_of(text)


def coverage_of(
    accounts: Sequence[Account],
    declared: Sequence[str] | None,
    tools: Sequence[int],
    max_age: int | None,
    exclusions: Sequence[Exclusion],
    clock: Clock,
) -> Coverage:
    """Judge workspaces.

    declared: names of targets of the only account, None for the live targets of all; tools: ids, empty if a scan with any
    tool counts.
    """
    in_force = [each for each in exclusions if each.ends > clock.now]
    expired = tuple(each for each in exclusions if each.ends <= clock.now)
    used: set[Exclusion] = set()
    rows: list[Row] = []
    for account in accounts:
        newest = _newest_finished(account.scans)
        unplaced = [scan for scan in account.scans if lacks(scan) and outcome_of(scan) == FINISHED]
        for name, record in _named(account, declared):
            for tool in tools or (None,):
                scan = newest.get((record["id"], tool)) if record else None
                row = _row(account.workspace, name, record, tool, scan, max_age, clock)
                if record is not None and scan is None:
                    row = row._replace(reason=_no_scan(unplaced, record["id"], tool))
                match = next((each for each in in_force if each.takes(row.workspace, row.target, row.tool)), None)
                if match is not None:
                    used.add(match)
                    if not row.covered:
                        row = row._replace(excluded=True, reason=f"Excluded until {match.expires}: {match.reason}")
                rows.append(row)
    return Coverage(
        tuple(rows),
        tuple(_undeclared(accounts, declared)),
        tuple(record for account in accounts for record in _duplicates(account.targets)),
        tuple(account.workspace for account in accounts if not account.targets),
        expired,
        tuple(each for each in in_force if each not in used),
    )


def _newest_finished(scans: Iterable[Record]) -> dict[tuple[object, int | None], Record]:
    """The newest finished scan of each target and tool, and of each target with any tool."""
    newest: dict[tuple[object, int | None], Record] = {}
    for scan in sorted(scans, key=lambda row: int(row["id"])):
        if outcome_of(scan) == FINISHED and not lacks(scan):
            newest[scan["target_id"], scan["tool_id"]] = newest[scan["target_id"], None] = scan
    return newest


def _no_scan(unplaced: Iterable[Record], target_id: int, tool: int | None) -> str:
    """Why no scan covers a target. unplaced: finished scans whose records lack a field, so that they cover nothing."""
    for scan in unplaced:
        if scan["target_id"] in (None, target_id) and (tool is None or scan["tool_id"] in (None, tool)):
            return f"Scan {scan['id']} may be of it, but its record has no {lacks(scan)}."
    return "No scan of it has finished."


def _named(account: Account, declared: Sequence[str] | None) -> Iterator[tuple[str, Record | None]]:
    if declared is None:
        yield from ((record["name"], record) for record in account.targets)
        return
    exact = {record["name"]: record for record in account.targets}
    by_form = {normal_form(record["name"]): record for record in reversed(account.targets)}
    for name in declared:
        yield name, exact.get(name) or by_form.get(normal_form(name))


def _row(
    workspace: str,
    name: str,
    record: Record | None,
    tool: int | None,
    scan: Record | None,
    max_age: int | None,
    clock: Clock,
) -> Row:
    row = Row(workspace, name, ANY_TOOL if tool is None else tool_name_of(tool), False, False, None, None, None, "")
    if record is None:
        return row._replace(reason="The target does not exist in this workspace.")
    if scan is None:
        return row
    row = row._replace(tool=tool_name_of(scan["tool_id"]), scan_id=scan["id"])
    ended = last_moment_of(scan)
    if ended is None or not clock.is_past(ended):
        return row._replace(
            covered=max_age is None,
            reason="" if max_age is None else f"The record of scan {scan['id']} does not say when it ended.",
        )
    age = int(clock.age_of(ended))
    row = row._replace(finished=ended.at - (0 if ended.zoned else clock.ahead), age=age)
    if max_age is not None and age > max_age:
        return row._replace(
            reason=f"Its newest finished scan ended {_duration(age)} ago, and max_age is {_duration(max_age)}."
        )
    return row._replace(covered=True)


def _undeclared(accounts: Sequence[Account], declared: Sequence[str] | None) -> Iterator[Record]:
    if declared is None:
        return
    forms = {normal_form(name) for name in declared}
    for account in accounts:
        yield from (record for record in account.targets if normal_form(record["name"]) not in forms)


def _duplicates(targets: Iterable[Record]) -> list[Record]:
    by_form: dict[str, list[Record]] = {}
    for record in targets:
        by_form.setdefault(normal_form(record["name"]), []).append(record)
    return [record for same in by_form.values() if len(same) > 1 for record in same]


def _duration(seconds: float) -> str:
    for noun, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            return counted(int(seconds // length), noun)
    return counted(int(seconds), "second")
