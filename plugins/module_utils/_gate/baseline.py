# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The baseline: the findings that were accepted, and what a run changes against them. Pure.

A baseline forgets nothing: a finding that a later scan no longer has stays in it as gone, so that it is recognised when it is
reopened. Gone is only what the scan could have seen: one whose parameters are narrower than those of the scan that found it
leaves the finding as it was. Only ``run_of`` constructs a CompleteRun, without which no baseline is updated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import zip_longest
from typing import Any, NamedTuple, Optional

from .._evidence.fingerprint import (
    LONGEST_NAME,
    SCHEME,
    Place,
    Subject,
    check_of,
    severity_rank,
    subject_in,
    worst_first,
)
from .._evidence.rows import Pair, Row
from .._evidence.sight import Reach, why_narrower
from .._model.outcomes import KNOWN, NEW, NO_BASELINE, REOPENED, WORSE
from .._model.records import proven
from .._model.target_names import lasting_form

OPEN = "open"
GONE = "gone"
UNKNOWN_TOOL = ""
_WORST_CHANGE_FIRST = (NEW, WORSE, REOPENED, KNOWN)
# CVE ids that an entry keeps
_MOST_CVES = 100

# a target in normal form, and a tool
Key = tuple[str, str]
# a fingerprint with its target and tool; the tool is UNKNOWN_TOOL in a saved list of findings
Group = tuple[str, Key]


class Scan(NamedTuple):
    """A finished scan whose findings were all read."""

    # in UTC, as in 2026-11-22T10:00:00Z
    finished: str
    scan_id: int | None
    # what its parameters let it see, None if they are unknown
    reach: Reach | None = None


@dataclass(frozen=True)
class Run:
    """The findings of a run of the gate."""

    rows: tuple[Row, ...]
    # the newest scan of each target and tool that the run read completely
    scans: Mapping[Key, Scan]
    # the equal findings, worst first. A finding with several places is in several
    occurrences: Mapping[Group, Sequence[Occurrence]]
    # what the scans saw of controls, which changes nothing
    controls: frozenset[Group] = frozenset()


@dataclass(frozen=True)
class CompleteRun(Run):
    """A Run that read at least one scan, and all of its scans completely."""


class Occurrence(NamedTuple):
    """One of several equal findings."""

    # the worst in all scans
    severity: str
    # the numbers of its rows in the run
    rows: tuple[int, ...]


class Facts(NamedTuple):
    """What a policy may look at beside the severity; None for what is unknown."""

    cvss: float | None = None
    epss: float | None = None
    known_exploited: bool | None = None
    verified: bool | None = None

    def worst(self, other: Facts) -> Facts:
        pairs: Iterable[Sequence[Any]] = zip(self, other)
        return Facts(*(max((each for each in pair if each is not None), default=None) for pair in pairs))

    def best(self, other: Facts) -> Facts:
        pairs: Iterable[Sequence[Any]] = zip(self, other)
        return Facts(*(None if None in pair else min(pair) for pair in pairs))


class Entry(NamedTuple):
    """Equal findings at one place of one target and tool, all open or all gone."""

    fingerprint: str
    # in normal form
    target: str
    tool: str
    state: str
    # worst first, one for each finding
    severities: tuple[str, ...]
    name: str
    check: str | None
    cve: tuple[str, ...]
    place: Place
    # the ends of scans in UTC
    first_seen: str
    last_seen: str
    # None for open ones
    gone_since: str | None = None
    # of the least thorough scan that has found it, None if that is unknown
    reach: Reach | None = None
    # the worst of them
    facts: Facts = Facts()

    @property
    def key(self) -> Key:
        return self.target, self.tool

    @property
    def subject(self) -> Subject:
        return subject_in(self.target, self.check, self.name, self.place)


class Baseline(NamedTuple):
    """The accepted findings of a workspace, none by default."""

    workspace: str | None
    # the release that last changed them
    collection_version: str
    # the newest scan of each target and tool that an update has seen
    scans: Mapping[Key, Scan] = {}
    entries: tuple[Entry, ...] = ()

    @property
    def accepted(self) -> int:
        """How many findings are open in it. One with several places counts for each of them."""
        return sum(len(entry.severities) for entry in self.entries if entry.state == OPEN)


class Was(NamedTuple):
    """What a baseline has accepted of a finding."""

    severity: str
    facts: Facts
    cve: tuple[str, ...]


class Remembered(NamedTuple):
    """What the baseline says of a row."""

    # one of CHANGES, or None
    change: str | None = None
    # in UTC, or None
    first_seen: str | None = None
    # what was accepted, None for what is not in the baseline
    was: Was | None = None


class Gone(NamedTuple):
    """A finding of the baseline that a finished, completely read scan of its target and tool does not show."""

    fingerprint: str
    name: str
    check: str | None
    severity: str
    target: str
    tool: str
    first_seen: str | None
    last_seen: str | None


class Unseen(NamedTuple):
    """A finding of the baseline that a scan does not show, which may see less than the scan that found it."""

    gone: Gone
    # a clause about the scan
    reason: str


class Memory(NamedTuple):
    """What the baseline says of a run."""

    path: str | None = None
    # one of BASELINE_STATES
    state: str = NO_BASELINE
    scheme: int | None = None
    # the number of entries
    accepted: int = 0
    # why the baseline is not used and what to do, a sentence
    reason: str | None = None
    # whether the outcome is STALE_BASELINE because of it
    blocks: bool = False
    # one for each row, or empty without a usable baseline
    rows: Sequence[Remembered] = ()
    # one for each finding, at each place
    gone: Sequence[Gone] = ()
    # those that the scan of this run could not have seen
    unseen: Sequence[Unseen] = ()
    entries: Sequence[Entry] = ()


NO_MEMORY = Memory()
# the open and the gone entry of equal findings
_Entries = tuple[Optional[Entry], Optional[Entry]]


class _Match(NamedTuple):
    """What the baseline says of each occurrence of equal findings, and the severities in it that no occurrence has."""

    remembered: list[Remembered]
    left_open: list[str]
    left_gone: list[str]


# --- what a run saw


def run_of(pairs: Sequence[Pair], rows: Sequence[Row], controls: Sequence[Row] = ()) -> Run:
    """The Run with these pairs and the rows of all of their findings; a CompleteRun if nothing can be missing.

    controls: the rows of controls, which are no findings. What a baseline has of them stays as it is. A pair that is no proof
    shows nothing as gone. Neither does any other pair of the same target and tool then.
    """
    normal = cache(lasting_form)
    scans: dict[Key, Scan] = {}
    doubtful = set()
    for pair in pairs:
        key = (normal(pair.target), pair.tool)
        if pair.finished is None or not pair.is_proof:
            doubtful.add(key)
        else:
            scan = Scan(pair.finished, pair.scan_id, pair.reach)
            scans[key] = max(scan, scans.get(key, scan), key=lambda each: (each.finished, each.scan_id or 0))
    occurrences = _occurrences(rows, normal)
    own = frozenset(_occurrences(controls, normal)).difference(occurrences)
    if scans and not doubtful:
        return CompleteRun(tuple(rows), scans, occurrences, own)
    return Run(tuple(rows), {key: scan for key, scan in scans.items() if key not in doubtful}, occurrences, own)


def _occurrences(rows: Sequence[Row], normal: Callable[[str], str]) -> dict[Group, Sequence[Occurrence]]:
    groups: dict[Group, list[int]] = {}
    for number, row in enumerate(rows):
        key = (normal(row.target), row.tool)
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

    def rank(same: Iterable[int]) -> int:
        return min(severity_rank(rows[number].severity) for number in same)

    ranked = [
        [number for same in equal for number in same or ()]
        for equal in zip_longest(*(sorted(findings.values(), key=rank) for findings in scans.values()))
    ]
    return [
        Occurrence(worst_first(rows[number].severity for number in same)[0], tuple(same))
        for same in sorted(ranked, key=rank)
    ]


# --- what the baseline says of it


def memory_of(path: str, state: str, baseline: Baseline, run: Run) -> Memory:
    """What a baseline that was read from this path says of a run. state: one of BASELINE_STATES.

    Equal findings are matched one by one: those of the same severity first, then the worst with the worst. A finding is gone if
    a scan of its target and tool, no older than the baseline's own, was read completely and does not have it. A finding of an
    unknown tool is matched with what all tools have found. A finding with several places is known only if all of them are.
    A scan that may see less than the one that found it shows nothing as gone.
    """
    found_before: list[list[Remembered]] = [[] for _row in run.rows]
    scanned = {key for key, scan in run.scans.items() if not _is_older(scan, baseline.scans.get(key))}
    gone: list[Gone] = []
    unseen: list[Unseen] = []
    groups = _by_group(baseline.entries)
    for group, (opened, closed) in {**_of_any_tool(groups, run), **groups}.items():
        found = run.occurrences.get(group, ())
        match = _match(found, opened, closed)
        for occurrence, remembered in zip(found, match.remembered):
            for number in occurrence.rows:
                found_before[number].append(remembered)
        if opened and group[1] in scanned and group not in run.controls:
            fields = {name: getattr(opened, name) for name in Gone._fields if name != "severity"}
            left = [Gone(severity=each, **fields) for each in match.left_open]
            narrower = left and why_narrower(run.scans[group[1]].reach, opened.reach)
            if narrower:
                kind = f" ({run.scans[group[1]].reach})" if run.scans[group[1]].reach else ""
                unseen += [Unseen(each, f"not seen by this scan{kind}: {narrower}") for each in left]
            else:
                gone += left
    rows = tuple(_of_all_places(row, each) for row, each in zip(run.rows, found_before))
    return Memory(
        path,
        state,
        SCHEME,
        baseline.accepted,
        rows=rows,
        gone=tuple(gone),
        unseen=tuple(unseen),
        entries=baseline.entries,
    )


def _of_all_places(row: Row, found: Sequence[Remembered]) -> Remembered:
    """What the baseline says of a finding. found: of those of its places that the baseline has."""
    if len(found) == 1 and not row.places:
        return found[0]
    changes = {each.change for each in found} | ({NEW} if len(found) < max(1, len(row.places)) else set())
    first_seen = min((each.first_seen for each in found if each.first_seen is not None), default=None)
    accepted = [each.was for each in found if each.was is not None]
    was = None
    if accepted:
        # what is accepted at each of them
        was = Was(
            max((each.severity for each in accepted), key=severity_rank),
            reduce(Facts.best, (each.facts for each in accepted)),
            tuple(sorted(set.intersection(*({*each.cve} for each in accepted)))),
        )
    return Remembered(next(change for change in _WORST_CHANGE_FIRST if change in changes), first_seen, was)


def update(baseline: Baseline, run: CompleteRun, collection_version: str) -> Baseline:
    """The baseline after a complete run: findings are added, dated, marked as gone or open again, and never removed.

    The same baseline if the run has no finding at all while the baseline has some, and for targets and tools whose scan is
    older than the baseline's own.
    """
    run = proven(CompleteRun, run)
    if baseline.entries and not run.rows:
        return baseline
    scans = {key: scan for key, scan in run.scans.items() if not _is_older(scan, baseline.scans.get(key))}
    before = _by_group(baseline.entries)
    entries = [
        entry for entry in baseline.entries if entry.key not in scans or (entry.fingerprint, entry.key) in run.controls
    ]
    for group in {**before, **run.occurrences}:
        if group[1] in scans and group not in run.controls:
            entries += _dated(group, run, *before.get(group, (None, None)), scans[group[1]])
    after = baseline._replace(scans={**baseline.scans, **scans}, entries=in_order(entries))
    return baseline if after == baseline else after._replace(collection_version=collection_version)


def in_order(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Entries in the order of the file, which depends on nothing that a scan words differently."""
    return tuple(
        sorted(entries, key=lambda each: (each.target, each.tool, each.check or "", each.fingerprint, each.state))
    )


def _by_group(entries: Iterable[Entry]) -> dict[Group, _Entries]:
    """The entries of each fingerprint, target and tool."""
    groups: dict[Group, _Entries] = {}
    for entry in entries:
        group = (entry.fingerprint, (entry.target, entry.tool))
        opened, closed = groups.get(group, (None, None))
        groups[group] = (entry, closed) if entry.state == OPEN else (opened, entry)
    return groups


def _of_any_tool(groups: Mapping[Group, _Entries], run: Run) -> dict[Group, _Entries]:
    """The entries for each group of the run whose tool is unknown: those of all tools together."""
    wanted = {(group[0], group[1][0]): group for group in run.occurrences if group[1][1] == UNKNOWN_TOOL}
    found: dict[Group, _Entries] = {}
    for (fingerprint, (target, _tool)), (opened, closed) in groups.items() if wanted else ():
        group = wanted.get((fingerprint, target))
        if group is not None:
            others = found.get(group, (None, None))
            found[group] = (_either(others[0], opened), _either(others[1], closed))
    return found


def _either(one: Entry | None, other: Entry | None) -> Entry | None:
    """One entry for the same findings of two tools, with the worse severity of each. Two tools that report a finding have
    found one, so the numbers are not added."""
    if one is None or other is None:
        return one or other
    worst = [min(filter(None, both), key=severity_rank) for both in zip_longest(one.severities, other.severities)]
    return one._replace(severities=tuple(worst), first_seen=min(one.first_seen, other.first_seen))


def _is_older(scan: Scan, than: Scan | None) -> bool:
    return than is not None and scan.finished < than.finished


def _match(found: Sequence[Occurrence], opened: Entry | None, closed: Entry | None) -> _Match:
    if opened and not closed and len(found) == 1 and opened.severities == (found[0].severity,):
        # nearly every finding of a baseline
        return _Match([_accepted(opened, opened.severities[0])], [], [])
    remembered = [Remembered(NEW)] * len(found)
    left_open = Counter(opened.severities if opened else ())
    left_gone = Counter(closed.severities if closed else ())
    waiting = []
    for number, occurrence in enumerate(found):
        severity = occurrence.severity
        if opened and left_open[severity]:
            left_open[severity] -= 1
            remembered[number] = _accepted(opened, severity)
        else:
            waiting.append(number)
    for number in waiting:
        severity = found[number].severity
        was = min(+left_open, key=severity_rank, default=None)
        if opened and was:
            left_open[was] -= 1
            change = WORSE if severity_rank(severity) < severity_rank(was) else KNOWN
            remembered[number] = _accepted(opened, was)._replace(change=change)
            continue
        was = severity if left_gone[severity] else min(+left_gone, key=severity_rank, default=None)
        if closed and was:
            left_gone[was] -= 1
            remembered[number] = Remembered(REOPENED, closed.first_seen)
    return _Match(remembered, worst_first(left_open.elements()), worst_first(left_gone.elements()))


def _accepted(opened: Entry, severity: str) -> Remembered:
    return Remembered(KNOWN, opened.first_seen, Was(severity, opened.facts, opened.cve))


def _dated(group: Group, run: Run, opened: Entry | None, closed: Entry | None, scan: Scan) -> list[Entry]:
    """The entries of a fingerprint, target and tool after a scan."""
    found = run.occurrences.get(group, ())
    match = _match(found, opened, closed)
    entries = []
    # a scan that may see less than the one that found something closes nothing
    keeps = opened is not None and bool(match.left_open and why_narrower(scan.reach, opened.reach))
    if found:
        first = min(remembered.first_seen or scan.finished for remembered in match.remembered)
        entry = _open_entry(group, run, first, scan)
        if opened:
            # both scans have found it, so the less thorough one shows what a scan needs to see it
            keeps_reach = keeps or (opened.reach is not None and not why_narrower(entry.reach, opened.reach))
            entry = entry._replace(
                severities=tuple(worst_first([*entry.severities, *(match.left_open if keeps else ())])),
                reach=opened.reach if keeps_reach else entry.reach,
                facts=entry.facts.worst(opened.facts),
            )
        entries.append(entry)
    elif keeps and opened:
        entries.append(opened)
    if opened and match.left_open and not keeps:
        left = opened._replace(state=GONE, severities=tuple(match.left_open), gone_since=scan.finished)
        # nothing was reopened while open ones are left
        if closed:
            left = left._replace(
                severities=tuple(worst_first([*left.severities, *closed.severities])),
                cve=_cves([*left.cve, *closed.cve]),
                first_seen=min(left.first_seen, closed.first_seen),
            )
        entries.append(left)
    elif closed and match.left_gone:
        entries.append(closed._replace(severities=tuple(match.left_gone)))
    return entries


def _open_entry(group: Group, run: Run, first_seen: str, scan: Scan) -> Entry:
    fingerprint, (target, tool) = group
    found = run.occurrences[group]
    rows = [
        row
        for occurrence in found
        for number in occurrence.rows
        for row in run.rows[number].at_each_place()
        if row.fingerprint == fingerprint
    ]
    # the same one in every run, whatever the order of the list
    row = min(rows, key=lambda each: each.name)
    return Entry(
        fingerprint,
        target,
        tool,
        OPEN,
        tuple(occurrence.severity for occurrence in found),
        row.name[:LONGEST_NAME],
        check_of(row.check),
        _cves(cve for each in rows for cve in each.cve),
        row.place,
        first_seen,
        scan.finished,
        reach=scan.reach,
        facts=reduce(Facts.worst, (Facts(each.cvss, each.epss, each.known_exploited, each.verified) for each in rows)),
    )


def _cves(cves: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({cve.upper() for cve in cves}))[:_MOST_CVES]
