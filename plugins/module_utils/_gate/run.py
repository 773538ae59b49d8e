# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What a run of the gate saw, and which scans show that what it did not see is gone. Pure.

Only ``run_of`` constructs a CompleteRun, without which no baseline is updated.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .._names import normal_form
from .fingerprint import severity_rank, worst_first
from .types import Pair, Row

# a target in normal form, and a tool
Key = tuple[str, str]
# a fingerprint with its target and tool; the tool is UNKNOWN_TOOL in a saved list of findings
Group = tuple[str, Key]

UNKNOWN_TOOL = ""

_UTC = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")


class Scan(NamedTuple):
    """A finished scan whose findings were all read. finished: in UTC, as in 2026-11-22T10:00:00Z."""

    finished: str
    scan_id: int | None


@dataclass(frozen=True)
class Run:
    """The findings of a run, and the newest scan of each target and tool that the run read completely.

    occurrences: the equal findings by fingerprint, target and tool, worst first. A finding with several places is in several.
    """

    rows: tuple[Row, ...]
    scans: Mapping[Key, Scan]
    occurrences: Mapping[Group, Sequence[Occurrence]]


@dataclass(frozen=True)
class CompleteRun(Run):
    """A Run that read at least one scan, and all of its scans completely."""


class Occurrence(NamedTuple):
    """One of several equal findings: its severity, the worst in all scans, and the numbers of its rows in the run."""

    severity: str
    rows: tuple[int, ...]


class _Normal(dict[str, str]):
    """The normal form of each name that was asked for."""

    def __missing__(self, name: str) -> str:
        return self.setdefault(name, normal_form(name))


def is_moment(value: object) -> bool:
    """Whether a value is a time in UTC, as in 2026-11-22T10:00:00Z. The order of such texts is that of the times."""
    return isinstance(value, str) and bool(_UTC.fullmatch(value))


def run_of(pairs: Sequence[Pair], rows: Sequence[Row]) -> Run:
    """The Run with these pairs and the rows of all of their findings; a CompleteRun if nothing can be missing.

    A pair shows nothing as gone if it is no proof, or if some of its findings have no row. Neither does any other pair of the
    same target and tool then.
    """
    normal = _Normal()
    given = Counter(row.pair for row in rows)
    scans: dict[Key, Scan] = {}
    doubtful = set()
    for number, pair in enumerate(pairs):
        key = (normal[pair.target], pair.tool)
        if (
            not pair.is_proof
            or pair.finished is None
            or not is_moment(pair.finished)
            or given[number] != len(pair.findings)
        ):
            doubtful.add(key)
        else:
            scan = Scan(pair.finished, pair.scan_id)
            scans[key] = max(scan, scans.get(key, scan), key=lambda each: (each.finished, each.scan_id or 0))
    proven = {key: scan for key, scan in scans.items() if key not in doubtful}
    occurrences = _occurrences(rows, normal)
    if proven and not doubtful:
        return CompleteRun(tuple(rows), proven, occurrences)
    return Run(tuple(rows), proven, occurrences)


def _occurrences(rows: Sequence[Row], normal: Mapping[str, str]) -> dict[Group, Sequence[Occurrence]]:
    groups: dict[Group, list[int]] = {}
    for number, row in enumerate(rows):
        key = (normal[row.target], row.tool)
        for each in row.places or (row,):
            groups.setdefault((each.fingerprint, key), []).append(number)
    return {group: _apart(rows, numbers) for group, numbers in groups.items()}


def _apart(rows: Sequence[Row], numbers: Sequence[int]) -> Sequence[Occurrence]:
    """Equal rows as occurrences, worst first. A finding that a list has twice under one id is one, and so is one that two
    scans report."""
    if len(numbers) == 1:
        return (Occurrence(rows[numbers[0]].severity, (numbers[0],)),)
    scans: dict[object, dict[object, list[int]]] = {}
    for number in numbers:
        row = rows[number]
        scan = row.scan_id if row.scan_id is not None else f"pair {row.pair}"
        # without an id, each row is a finding of its own
        identity = row.id if row.id is not None else f"row {number}"
        scans.setdefault(scan, {}).setdefault(identity, []).append(number)
    ranked: list[list[int]] = []
    for findings in scans.values():
        for place, same in enumerate(sorted(findings.values(), key=lambda same: severity_rank(_worst(rows, same)))):
            if place == len(ranked):
                ranked.append([])
            ranked[place].extend(same)
    return sorted(
        (Occurrence(_worst(rows, same), tuple(same)) for same in ranked), key=lambda each: severity_rank(each[0])
    )


def _worst(rows: Sequence[Row], numbers: Iterable[int]) -> str:
    return worst_first(rows[number].severity for number in numbers)[0]
