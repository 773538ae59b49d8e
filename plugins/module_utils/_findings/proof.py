# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Whether all findings were read: what the service says of its list, and how many the scans have counted. Pure."""

from __future__ import annotations

from typing import NamedTuple

from .._errors import printable
from .._http.earned import Streamed, earned
from .._resources import PAGE_SIZE
from .._scan.record import findings_of, outcome_of
from .._scan.statuses import FINISHED
from .model import SUMMARY, UNKNOWN

_MOST_DOUBTS = 20


class Proof(NamedTuple):
    """problems: why findings are missing, a list of clauses; doubts: what else speaks against a complete list."""

    problems: list
    doubts: list

    @property
    def sentence(self):
        """The first problem, and how many more there are."""
        more = f" (and {len(self.problems) - 1} more)" if len(self.problems) > 1 else ""
        return f"The findings are incomplete: {self.problems[0]}{more}."

    @property
    def all(self):
        """Problems and doubts, at most so many that a person would read them."""
        both = [*self.problems, *self.doubts]
        left = len(both) - _MOST_DOUBTS
        return both if left <= 0 else [*both[:_MOST_DOUBTS], f"and {left} more"]


class Tally:
    """How many findings were read of each severity, by scan and by target. Those that do not name theirs are at None."""

    def __init__(self):
        self.begin()

    def begin(self):
        self._by = {"task_id": {}, "target_id": {}}

    def take(self, finding):
        for field, counts in self._by.items():
            owner = finding[field] if isinstance(finding[field], int) else None
            counts.setdefault(owner, dict.fromkeys(SUMMARY, 0))[finding["severity"]] += 1

    def of(self, field, owner):
        """{severity: number} of a scan (``task_id``) or of a target (``target_id``)."""
        return self._by[field].get(owner) or dict.fromkeys(SUMMARY, 0)


def proof_of(read, scans, tally, grouped):
    """Judge a list of findings; returns a Proof.

    read: the Streamed; scans: records of the scans whose findings it has to hold, read before it, so that none can have
    counted more than could be read; grouped: whether the service was asked to leave duplicates out.
    """
    problems, doubts = [], []
    earned(Streamed, read)
    if read.is_short:
        problems.append(f"the service says that there are {read.total:,}, and {read.rows:,} could be read")
    elif read.has_more:
        problems.append(f"the service says that more follow the {read.rows:,} that could be read")
    newest = _newest(scans)
    problems += _ungrouped_problems(scans, tally) if not grouped else _grouped_problems(newest, tally)
    doubts += [doubt for scan in newest for doubt in [_doubt(scan)] if doubt]
    if grouped and any(sum(findings_of(scan).values()) for scan in newest):
        doubts.append("with group_duplicates only the severities could be compared with the scans, not the numbers")
    if may_be_cut(read):
        doubts.append(f"the service gave exactly {PAGE_SIZE:,} findings and may cut its lists there")
    return Proof(problems, doubts)


def may_be_cut(read):
    """Whether a list without a word about its length is as long as the largest page of other lists."""
    return read.total is None and read.rows == PAGE_SIZE


def _newest(scans):
    """The newest scan of each target and tool: what an older one found says less of the present."""
    newest = {}
    for scan in sorted(scans, key=lambda scan: scan["id"]):
        newest[scan["target_id"], scan["tool_id"]] = scan
    return sorted(newest.values(), key=lambda scan: scan["id"])


def _doubt(scan):
    if outcome_of(scan) != FINISHED:
        return f"scan {scan['id']} has not finished, its status is {printable(scan['status_name'], 60)!r}"
    return None if findings_of(scan) else f"scan {scan['id']} does not say how many findings it has"


def _ungrouped_problems(scans, tally):
    short = []
    for scan in scans:
        read = tally.of("task_id", scan["id"])
        gaps = {severity: count - read[severity] for severity, count in findings_of(scan).items()}
        gaps = {severity: gap for severity, gap in gaps.items() if gap > 0}
        # each row of unknown severity may be one of those that are missing
        if sum(gaps.values()) > read[UNKNOWN]:
            short.append((scan, gaps, read))
    if _filled(short, tally.of("task_id", None)):
        return []
    short.sort(key=lambda each: min(SUMMARY.index(severity) for severity in each[1]))
    return [_counted(scan, gaps, read) for scan, gaps, read in short]


def _filled(short, loose):
    """Whether rows that do not name their scan may be those that are missing."""
    missing = dict.fromkeys(SUMMARY, 0)
    unknown = loose[UNKNOWN]
    for _scan, gaps, read in short:
        unknown += read[UNKNOWN]
        for severity, gap in gaps.items():
            missing[severity] += gap
    return sum(max(0, missing[severity] - loose[severity]) for severity in SUMMARY if severity != UNKNOWN) <= unknown


def _counted(scan, gaps, read):
    counts = findings_of(scan)
    severities = [severity for severity in SUMMARY if severity in gaps]
    counted = _listed([f"{counts[severity]:,} {severity}" for severity in severities])
    found = _listed([f"{read[severity]:,}" for severity in severities])
    plural = "" if [counts[severity] for severity in severities] == [1] else "s"
    return f"scan {scan['id']} counted {counted} finding{plural}, and {found} of them could be read"


def _grouped_problems(newest, tally):
    """Of duplicates one stays, so that each severity which a scan counted has to appear among the rows of its target."""
    problems = []
    for scan in newest:
        rows = [tally.of("target_id", owner) for owner in (scan["target_id"], None)]
        for severity in SUMMARY:
            count = findings_of(scan).get(severity, 0)
            if count > 0 and not any(read[severity] or read[UNKNOWN] for read in rows):
                plural = "s" if count > 1 else ""
                problems.append(
                    f"scan {scan['id']} counted {count:,} {severity} finding{plural}, and none of this severity could be"
                    " read"
                )
    return problems


def _listed(words):
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
