# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Whether all findings were read, by what the service says about its list and how many the scans have counted. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .._model.errors import counted, first_of, printable
from .._model.families import FINISHED
from .._model.family import PAGE_SIZE
from .._model.records import Record, Streamed, proven
from .findings import SUMMARY, UNKNOWN
from .scans import findings_of, newest_of, outcome_of, uncounted

_MOST_DOUBTS = 20

# the number of findings of each severity
Counts = dict[str, int]


class Proof(NamedTuple):
    """What shows that a list is incomplete, as clauses."""

    # findings are missing
    problems: list[str]
    # findings may be missing
    doubts: list[str]
    # there are more findings than the scans counted, which is no reason to doubt: a count is a floor
    notes: Sequence[str] = ()

    @property
    def sentence(self) -> str:
        """The first problem, and the number of the others."""
        more = f" (and {len(self.problems) - 1} more)" if len(self.problems) > 1 else ""
        return f"The findings are incomplete: {self.problems[0]}{more}."

    @property
    def all(self) -> list[str]:
        """Problems and doubts, at most as many as a person would read."""
        both = [*self.problems, *self.doubts]
        left = len(both) - _MOST_DOUBTS
        return both if left <= 0 else [*both[:_MOST_DOUBTS], f"and {left} more"]


class Tally:
    """How many findings were read of each severity, by scan and by target. Findings that name none count under None."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, int | None, str]] = Counter()

    def take(self, finding: Record) -> None:
        """Count a finding."""
        for field in ("task_id", "target_id"):
            owner = finding[field] if isinstance(finding[field], int) else None
            self._counts[field, owner, finding["severity"]] += 1

    def of(self, field: str, owner: int | None) -> Counts:
        """The Counts of a scan (``task_id``) or of a target (``target_id``)."""
        return {severity: self._counts[field, owner, severity] for severity in SUMMARY}


def proof_of(read: Streamed, scans: Iterable[Record], tally: Tally, grouped: bool) -> Proof:
    """Judge a list of findings.

    scans: those whose findings the list must contain, read before it, so that none can have counted more findings than
    could be read; grouped: whether the service was asked to omit duplicates.
    """
    problems: list[str] = []
    doubts: list[str] = []
    proven(Streamed, read)
    if read.is_short:
        problems.append(f"the service reports {read.total:,} findings, and {read.rows:,} could be read")
    elif read.has_more:
        problems.append(f"the service reports more findings after the {read.rows:,} that could be read")
    # older ones say less about the present
    newest = [*newest_of(scans).values()]
    notes: list[str] = []
    # with more findings than they counted, as of a severity that a summary does not have
    for scan in () if grouped else sorted(scans, key=lambda scan: scan["id"]):
        total, found = sum(findings_of(scan).values()), sum(tally.of("task_id", scan["id"]).values())
        if outcome_of(scan) == FINISHED and not uncounted(scan) and found > total:
            notes.append(f"scan {scan['id']} counted {counted(total, 'finding')}, and {found:,} were read")
    problems += _grouped_problems(newest, tally) if grouped else _ungrouped_problems(scans, tally)
    doubts += _doubts(scans, newest, grouped)
    if grouped and any(sum(findings_of(scan).values()) for scan in newest):
        doubts.append("with group_duplicates only the severities could be compared with the scans, not the numbers")
    if may_be_cut(read):
        doubts.append(f"the service returned exactly {PAGE_SIZE:,} findings, and may limit its lists to this number")
    return Proof(problems, doubts, notes)


def surplus_warning(notes: Sequence[str]) -> str:
    """The warning about the notes of one task, "" without any."""
    if not notes:
        return ""
    return f"The service lists more findings than its scans counted, and all of them are used: {first_of(notes, 1)}."


def may_be_cut(read: Streamed) -> bool:
    """Whether a list whose length the service does not report is as long as the largest page of other lists."""
    return read.total is None and read.rows == PAGE_SIZE


def _doubts(scans: Iterable[Record], newest: Sequence[Record], grouped: bool) -> Iterator[str]:
    """What the records of scans leave open. Without duplicates, older scans are not compared, so their counts do not matter."""
    for scan in newest:
        if outcome_of(scan) != FINISHED:
            yield f"scan {scan['id']} has not finished, its status is {printable(scan['status_name'], 60)!r}"
    compared = newest if grouped else sorted(scans, key=lambda scan: scan["id"])
    for scan in compared:
        lacking = uncounted(scan)
        if lacking and outcome_of(scan) == FINISHED:
            lack = f"its result_summary has no valid number for {_listed(lacking)}"
            if scan.get("result_summary") is None:
                lack = "its record has no result_summary"
            yield f"scan {scan['id']} does not say how many findings it has: {lack}"


class _Gap(NamedTuple):
    """A scan that has counted more findings than were read. missing: how many more; read: how many were read."""

    scan: Record
    missing: Counts
    read: Counts

    @property
    def worst(self) -> int:
        """The place of the worst missing severity in SUMMARY."""
        return min(SUMMARY.index(severity) for severity in self.missing)

    @property
    def problem(self) -> str:
        counts = findings_of(self.scan)
        severities = [severity for severity in SUMMARY if severity in self.missing]
        has = _listed([f"{counts[severity]:,} {severity}" for severity in severities])
        found = _listed([f"{self.read[severity]:,}" for severity in severities])
        plural = "" if [counts[severity] for severity in severities] == [1] else "s"
        return f"scan {self.scan['id']} counted {has} finding{plural}, and {found} of them could be read"


def _ungrouped_problems(scans: Iterable[Record], tally: Tally) -> list[str]:
    gaps = []
    for scan in scans:
        read = tally.of("task_id", scan["id"])
        missing = {severity: count - read[severity] for severity, count in findings_of(scan).items()}
        missing = {severity: number for severity, number in missing.items() if number > 0}
        # each row of unknown severity may be one of the missing ones
        if sum(missing.values()) > read[UNKNOWN]:
            gaps.append(_Gap(scan, missing, read))
    if _filled(gaps, tally.of("task_id", None)):
        return []
    return [gap.problem for gap in sorted(gaps, key=lambda gap: gap.worst)]


def _filled(gaps: Iterable[_Gap], loose: Counts) -> bool:
    """Whether the missing findings may be rows that do not name their scan. loose: the number of these rows."""
    missing = dict.fromkeys(SUMMARY, 0)
    unknown = loose[UNKNOWN]
    for gap in gaps:
        unknown += gap.read[UNKNOWN]
        for severity, number in gap.missing.items():
            missing[severity] += number
    return sum(max(0, missing[severity] - loose[severity]) for severity in SUMMARY if severity != UNKNOWN) <= unknown


def _grouped_problems(newest: Iterable[Record], tally: Tally) -> list[str]:
    """One of several duplicates remains, so each severity that a scan counted must appear among the rows of its target."""
    problems = []
    for scan in newest:
        rows = [tally.of("target_id", owner) for owner in (scan["target_id"], None)]
        for severity in SUMMARY:
            count = findings_of(scan).get(severity, 0)
            if count > 0 and not any(read[severity] or read[UNKNOWN] for read in rows):
                problems.append(
                    f"scan {scan['id']} counted {count:,} {severity} finding{'s' if count > 1 else ''}, and none of this"
                    " severity could be read"
                )
    return problems


def _listed(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
