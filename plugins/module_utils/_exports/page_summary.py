# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What the page says of a run: the headline, what to fix first, numbers by severity, change, age and target, waivers. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from .._errors import counted
from .._findings.model import SUMMARY
from .._gate_words import (
    FAIL,
    FAILING,
    FINDINGS,
    INCOMPLETE,
    KNOWN,
    MISCONFIGURED,
    NEW,
    NOT_COVERED,
    NOTHING_SCANNED,
    PASSED,
    QUEUE_TIMEOUT,
    REOPENED,
    RUN_TIMEOUT,
    SCAN_FAILED,
    SERVICE_ERROR,
    STALE_BASELINE,
    UNKNOWN_STATE,
    VERDICTS,
    WARN,
    WORSE,
)
from .._moments import iso_moment
from .document import Document, Row, check_of, waived_by
from .page_data import by_waiver
from .text import line

_DAY = 86400
# a waiver that ends within these days is marked
_SOON = 14 * _DAY

_SAID = {
    SERVICE_ERROR: "the service did not answer as expected",
    MISCONFIGURED: "an option or a file is wrong",
    UNKNOWN_STATE: "a scan has an unknown status",
    NOTHING_SCANNED: "nothing was scanned",
    SCAN_FAILED: "a scan did not finish",
    QUEUE_TIMEOUT: "a scan did not start in time",
    RUN_TIMEOUT: "a scan did not finish in time",
    NOT_COVERED: "a target has no recent scan",
    INCOMPLETE: "some findings may be missing",
    STALE_BASELINE: "the baseline cannot be used",
}
# a person reads them in this order; the gate itself has unknown first
_WORST_FIRST = SUMMARY
_AGES = (
    (_DAY, "under 1 day"),
    (7 * _DAY, "1 to 6 days"),
    (30 * _DAY, "7 to 29 days"),
    (90 * _DAY, "30 to 89 days"),
    (None, "90 days or more"),
)


class Fix(NamedTuple):
    """Failing findings with one check, so usually one fix."""

    # the worst of them
    first: Row
    number: int
    targets: int


class Bar(NamedTuple):
    """A line of a small chart."""

    label: str
    number: int
    # how many of them
    failing: int
    # the filter that shows those with this label, "" without one
    key: str = ""


class TargetLine(NamedTuple):
    """A target and tool with the numbers of its findings by severity."""

    pair: Mapping[str, Any]
    numbers: Counter[str]
    failing: Counter[str]


class Used(NamedTuple):
    """A waiver with the findings that it waives."""

    waiver: Mapping[str, Any]
    rows: Sequence[Row]
    # the seconds until it ends, None if it never does
    left: float | None

    @property
    def ends_soon(self) -> bool:
        return self.left is not None and self.left < _SOON


def headline(document: Document) -> str:
    """The outcome in words."""
    outcome, failing = document["outcome"], document["counts"]["failing"]
    if outcome == PASSED:
        return "The gate passed"
    said = {FAIL: "The gate failed", WARN: "The gate passed with a warning"}.get(
        document["verdict"], "The gate passed, as its mapping of outcomes says"
    )
    clauses = [_SAID[outcome]] if outcome in _SAID else [] if outcome == FINDINGS else [line(outcome)]
    if failing:
        clauses.append(f"{counted(failing, 'finding')} {'fails' if failing == 1 else 'fail'} the policy")
    return f"{said}: {', and '.join(clauses)}" if clauses else said


def fixes(document: Document) -> list[Fix]:
    """What to fix, the most urgent first: by severity, then known exploits, verification, EPSS, CVSS, and the number."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in document["findings"]:
        if row["state"] == FAILING:
            groups.setdefault((check_of(row), str(row["name"])), []).append(row)
    found = [
        Fix(min(rows, key=_urgency), len(rows), len({str(row["target"]) for row in rows})) for rows in groups.values()
    ]
    return sorted(found, key=lambda fix: (*_urgency(fix.first), -fix.number))


def _urgency(row: Row) -> tuple[float, ...]:
    severity = row["severity"]
    rank: float = _WORST_FIRST.index(severity) if severity in _WORST_FIRST else 0
    if severity == _WORST_FIRST[-1]:
        # unknown: below critical, because a known danger comes first
        rank = 0.5
    return (rank, not row["known_exploited"], not row["verified"], -(row["epss"] or 0), -(row["cvss"] or 0))


def _bars(document: Document, label_of: Callable[[Row], Any], labels: Iterable[str], key: str = "") -> list[Bar]:
    tally = Counter((label_of(row), row["state"] == FAILING) for row in document["findings"])
    return [Bar(label, tally[label, True] + tally[label, False], tally[label, True], key) for label in labels]


def severities(document: Document) -> list[Bar]:
    return _bars(document, itemgetter("severity"), SUMMARY, "severity")


def changes(document: Document) -> list[Bar]:
    """New against known; empty if no finding was compared with a baseline."""
    gone = len(document["gone"])
    if not gone and not any(row["change"] for row in document["findings"]):
        return []
    return [*_bars(document, itemgetter("change"), (NEW, REOPENED, WORSE, KNOWN), "change"), Bar("gone", gone, 0)]


def ages(document: Document) -> list[Bar]:
    labels = [*(label for _limit, label in _AGES), age_label(None)]
    bars = _bars(document, lambda row: age_label(row["age"]), labels)
    return bars if bars[-1].number else bars[:-1]


def age_label(age: int | None) -> str:
    if age is None:
        return "unknown"
    return next(label for limit, label in _AGES if limit is None or age < limit)


def target_lines(document: Document) -> list[TargetLine]:
    """The targets, first those that fail: by verdict, then by the worst failing findings."""
    lines = [TargetLine(pair, Counter(), Counter()) for pair in document["targets"]]
    by_scan = {each.pair["scan_id"]: each for each in lines if each.pair["scan_id"] is not None}
    by_name = {(each.pair["target"], each.pair["tool"]): each for each in lines}
    keys = itemgetter("target", "tool", "scan_id", "severity", "state")
    for (target, tool, scan, severity, state), number in Counter(map(keys, document["findings"])).items():
        found = by_name.get((target, tool), by_scan.get(scan))
        if found:
            found.numbers[severity] += number
            found.failing[severity] += number if state == FAILING else 0
    return sorted(lines, key=_badness)


def _badness(each: TargetLine) -> tuple[object, ...]:
    """The place of a target among others, the worst first."""
    pair = each.pair
    return (
        VERDICTS.index(pair["verdict"]) if pair["verdict"] in VERDICTS else 0,
        pair["outcome"] in (FINDINGS, PASSED),
        *(-each.failing[severity] for severity in _WORST_FIRST),
        str(pair["target"]),
        str(pair["tool"]),
    )


def used_waivers(document: Document) -> list[Used]:
    """The waivers in force, first those that end first."""
    now = iso_moment(document["generated"])
    found = []
    for waived in by_waiver(document).values():
        waiver = waived[0]["waiver"]
        end = iso_moment(str(waiver["expires"]))
        found.append(Used(waiver, waived, None if end is None or now is None else end - now))
    return sorted(found, key=lambda each: (each.left is None, each.left or 0, waived_by(each.waiver)))


def short_duration(seconds: float) -> str:
    """A duration in a cell, as in 3 d; the script of the page writes ages in the same way."""
    for unit, letter in ((_DAY, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * unit:
            return f"{int(seconds // unit)} {letter}"
    return f"{int(seconds)} s"
