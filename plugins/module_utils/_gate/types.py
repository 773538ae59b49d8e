# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What the files of the gate hand each other. Pure.

Scans and findings are read as Pairs. ``rows_of`` makes Rows of them, to which the baseline (Memory) and the waivers (Waived)
add what they know, in the order of the rows. ``decide`` makes a Decision of all that, and ``document_of`` gate.json.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .._families.scan_statuses import FINISHED, TIMED_OUT
from .._families.scan_statuses import OUTCOMES as SCAN_OUTCOMES
from .._families.scan_statuses import QUEUE_TIMEOUT as SCAN_QUEUE_TIMEOUT
from .._families.scan_statuses import RUN_TIMEOUT as SCAN_RUN_TIMEOUT
from .._families.scan_statuses import UNKNOWN_STATE as SCAN_UNKNOWN_STATE
from .._gate_words import (
    INCOMPLETE,
    NO_BASELINE,
    PASSED,
    QUEUE_TIMEOUT,
    RUN_TIMEOUT,
    SCAN_FAILED,
    UNKNOWN_STATE,
)
from .._records import Record
from .fingerprint import Place, Spot

# what a scan's outcome means for the gate; a scan that did not finish is no scan
_OUTCOME_OF_SCAN: Mapping[str | None, str] = {
    # an ending that no other line names
    **dict.fromkeys(SCAN_OUTCOMES, SCAN_FAILED),
    FINISHED: PASSED,
    TIMED_OUT: RUN_TIMEOUT,
    SCAN_RUN_TIMEOUT: RUN_TIMEOUT,
    SCAN_QUEUE_TIMEOUT: QUEUE_TIMEOUT,
    SCAN_UNKNOWN_STATE: UNKNOWN_STATE,
    # in progress
    None: INCOMPLETE,
}


class Pair(NamedTuple):
    """A target and a tool, and what reading their newest scan gave.

    target: as the service writes it, "" if unknown; tool: "" if unknown; status: the service's word for the scan, "" without
    one; outcome: one of OUTCOMES, PASSED if nothing was wrong so far; finished: in UTC, as in 2026-11-22T10:00:00Z, None
    for a scan that did not finish; age: in seconds; complete: whether all findings of the scan were read; problems: sentences;
    findings: made by ``finding_of``; saved: read from a file, which proves no coverage.
    """

    target: str
    target_id: int | None
    workspace: str | None
    tool: str
    tool_id: int | None
    scan_id: int | None
    status: str
    outcome: str
    finished: str | None
    age: int | None
    complete: bool
    problems: tuple[str, ...]
    findings: tuple[Record, ...]
    saved: bool = False

    @property
    def is_proof(self) -> bool:
        """Whether what is not among the findings is not on the target: a finished scan of which everything was read."""
        return self.outcome == PASSED and self.complete and self.finished is not None and not self.saved


class Trouble(NamedTuple):
    """Something that failed for no single pair, such as a list of scans. outcome: one of OUTCOMES; sentence: for people;
    explains: whether it is the reason why nothing was scanned."""

    outcome: str
    sentence: str
    explains: bool = False


class Row(NamedTuple):
    """A finding, as gate.json describes it, without what the gate decides. pair: the number of its Pair in their sequence.

    fingerprint: see ``fingerprint``; number: among rows with the same fingerprint, ``index`` in gate.json; check: the service's
    id of the check; cve: in upper case, sorted; description, risk, recommendation, evidence: cut to a readable length;
    first_seen: from a saved file only; places: of a finding with several, empty for one. Other fields are None if unknown.
    """

    pair: int
    fingerprint: str
    number: int
    severity: str
    id: int | None
    name: str
    check: str | None
    cve: tuple[str, ...]
    cwe: str | None
    cvss: float | None
    epss: float | None
    known_exploited: bool | None
    verified: bool | None
    status: str | None
    target: str
    target_id: int | None
    workspace: str | None
    tool: str
    scan_id: int | None
    port: int | None
    protocol: str | None
    service: str | None
    path: str | None
    method: str | None
    parameter: str | None
    places: tuple[Spot, ...]
    description: str
    risk: str
    recommendation: str
    evidence: str
    references: tuple[str, ...]
    first_seen: str | None

    def at_each_place(self) -> tuple[Row, ...]:
        """The row with the fingerprint and the place of each of its places."""
        if not self.places:
            return (self,)
        return tuple(self._replace(**spot._asdict(), places=()) for spot in self.places)

    @property
    def place(self) -> Place:
        return Place(self.port, self.protocol, self.path, self.method, self.parameter)


# --- what the baseline adds


class Remembered(NamedTuple):
    """What the baseline says of a row. change: one of CHANGES, or None; first_seen: in UTC, or None."""

    change: str | None = None
    first_seen: str | None = None


class Gone(NamedTuple):
    """An entry of the baseline that a finished, completely read scan of its target and tool no longer shows."""

    fingerprint: str
    name: str
    check: str | None
    severity: str
    target: str
    tool: str
    first_seen: str | None
    last_seen: str | None


class Memory(NamedTuple):
    """What the baseline says of a run. state: one of BASELINE_STATES; reason: why the baseline is not used and what to do, a
    sentence; blocks: whether the outcome is STALE_BASELINE because of it; accepted: the number of entries; rows: one for
    each row, or empty without a usable baseline."""

    path: str | None = None
    state: str = NO_BASELINE
    scheme: int | None = None
    accepted: int = 0
    reason: str | None = None
    blocks: bool = False
    rows: Sequence[Remembered] = ()
    gone: Sequence[Gone] = ()


# --- what the waivers add


class Waiver(NamedTuple):
    """A waiver, as gate.json shows it. matcher: as written; expires: a date or time as written, or "never"; status: one of
    WAIVER_STATUSES."""

    file: str
    line: int
    matcher: Mapping[str, object]
    reason: str
    owner: str
    expires: str
    status: str


class Doubled(NamedTuple):
    """A finding that several waivers in force match."""

    fingerprint: str
    waivers: tuple[Waiver, ...]


class Waived(NamedTuple):
    """What the waivers say of a run. rows: for each row the waiver in force that matches it, or None; empty without waivers;
    expired: those that no longer count; unused: those in force that match no row."""

    rows: Sequence[Waiver | None] = ()
    expired: Sequence[Waiver] = ()
    unused: Sequence[Waiver] = ()
    doubled: Sequence[Doubled] = ()


NO_MEMORY = Memory()
NO_WAIVERS = Waived()


# --- what files of the user add


class Source(NamedTuple):
    """A file with data about CVEs. date: that of the data, as the file says it, or None."""

    path: str
    date: str | None


class Epss(NamedTuple):
    """The probability of each CVE, by its id in upper case, and where they are from."""

    scores: Mapping[str, float]
    source: Source


class KnownExploited(NamedTuple):
    """The CVE ids of a catalogue, in upper case, and where they are from."""

    cves: frozenset[str]
    source: Source


class Exploits(NamedTuple):
    """What is known about CVEs; None without a file."""

    epss: Epss | None = None
    known_exploited: KnownExploited | None = None


NO_EXPLOITS = Exploits()


# --- what the gate decides


class Judged(NamedTuple):
    """A row with what was decided. state: one of STATES; change: one of CHANGES, or None; reasons: clauses; age: in seconds."""

    row: Row
    state: str
    change: str | None
    reasons: tuple[str, ...]
    first_seen: str | None
    age: int | None
    waiver: Waiver | None


class Verdict(NamedTuple):
    """What was decided about a pair. outcome: one of OUTCOMES; verdict: one of VERDICTS; reasons: sentences; decisive: the
    outcome whose verdict counts, if several apply."""

    pair: Pair
    outcome: str
    verdict: str
    reasons: tuple[str, ...]
    decisive: str


def outcome_of_scan(outcome: str | None) -> str:
    """The outcome of the gate for that of a scan, or of the wait for it; None: the scan is in progress."""
    return _OUTCOME_OF_SCAN.get(outcome, UNKNOWN_STATE)
