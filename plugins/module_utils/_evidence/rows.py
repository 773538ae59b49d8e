# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What a gate judges: scans and their findings as Pairs, and each finding as a Row, whatever the service sends. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from .._model.families import FINISHED, TIMED_OUT
from .._model.families import OUTCOMES as SCAN_OUTCOMES
from .._model.outcomes import INCOMPLETE, NOT_COVERED, PASSED, QUEUE_TIMEOUT, RUN_TIMEOUT, SCAN_FAILED, UNKNOWN_STATE
from .._model.passwords import without_user_info
from .._model.records import Record
from .exploits import CveFile, Exploits, number_of
from .findings import UNKNOWN
from .fingerprint import Identity, Place, Sighting, Spot, identify, identity_of, numbers_of, places_in, severity_rank
from .sight import Reach

# what a scan's outcome means for the gate; a scan that did not finish is no scan
_OUTCOME_OF_SCAN: Mapping[str | None, str] = {
    # an ending that no other line names
    **dict.fromkeys(SCAN_OUTCOMES, SCAN_FAILED),
    FINISHED: PASSED,
    TIMED_OUT: RUN_TIMEOUT,
    # words that both have
    **{word: word for word in (QUEUE_TIMEOUT, RUN_TIMEOUT, UNKNOWN_STATE)},
    # in progress
    None: INCOMPLETE,
}
# characters of a text in gate.json
LONGEST_TEXT = 4000
_MOST_REFERENCES = 100
# the fields that the numbers of saved rows follow, in the order in which those of a record of the service count
_ORDERED = (
    *(
        "cve",
        "cvss",
        "cwe",
        "epss_percentile",
        "epss",
        "places",
        "known_exploited",
        "method",
        "name",
        "parameter",
        "path",
    ),
    *(
        "port",
        "protocol",
        "recommendation",
        "references",
        "risk",
        "service",
        "severity",
        "status",
        "target",
        "verified",
    ),
    *("description", "evidence", "check"),
)


class Pair(NamedTuple):
    """A target and a tool, and what reading their newest scan gave."""

    # as the service writes it, "" if unknown
    target: str
    target_id: int | None = None
    workspace: str | None = None
    # "" if unknown
    tool: str = ""
    tool_id: int | None = None
    scan_id: int | None = None
    # the service's word for the scan, "" without one
    status: str = ""
    # one of OUTCOMES, PASSED if nothing was wrong so far
    outcome: str = NOT_COVERED
    # the end of the scan in UTC, as in 2026-11-22T10:00:00Z; None if it is in progress, or says no time
    finished: str | None = None
    # in seconds
    age: int | None = None
    # of the scan, in seconds
    duration: int | None = None
    # whether all findings of the scan were read
    complete: bool = False
    # sentences
    problems: tuple[str, ...] = ()
    # made by finding_of, until they are Rows
    findings: tuple[Record, ...] = ()
    # read from a file, which proves no coverage
    saved: bool = False
    # what the parameters of the scan let it see, None if they are unknown
    reach: Reach | None = None
    # the controls that the scan did not see, sentences
    blind: tuple[str, ...] = ()

    @property
    def is_proof(self) -> bool:
        """Whether what is not among the findings is not on the target: a finished scan of which everything was read."""
        return self.outcome == PASSED and self.complete and self.finished is not None and not (self.saved or self.blind)


class Trouble(NamedTuple):
    """Something that failed for no single pair, such as a list of scans."""

    # one of OUTCOMES
    outcome: str
    sentence: str
    # whether it is the reason why nothing was scanned
    explains: bool = False


class Reading(NamedTuple):
    """What was read, from the service or from a file."""

    pairs: tuple[Pair, ...]
    rows: tuple[Row, ...] = ()
    # its name, None for several
    workspace: str | None = None
    # why nothing could be read, or what may be hidden
    troubles: tuple[Trouble, ...] = ()
    # of the first call that failed, as every failed module returns it
    api_error: Record | None = None
    # the Unix time by the later of the clocks of the service and of this host, None without an answer
    now: float | None = None
    # the build and the controls in a saved gate.json
    build: Record | None = None
    controls: Sequence[Record] = ()


class Row(NamedTuple):
    """A finding, as gate.json describes it, without what the gate decides; None for a field that is unknown."""

    # the number of its Pair in their sequence
    pair: int
    fingerprint: str
    # among rows with the same fingerprint, "index" in gate.json
    number: int
    severity: str
    id: int | None
    name: str
    # the service's id of the check
    check: str | None
    # in upper case, sorted
    cve: tuple[str, ...]
    cwe: str | None
    cvss: float | None
    epss: float | None
    # of the same score
    epss_percentile: float | None
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
    # of a finding with several, empty for one
    places: tuple[Spot, ...]
    # cut to a readable length, as the three that follow
    description: str
    risk: str
    recommendation: str
    evidence: str
    references: tuple[str, ...]
    # from a saved file only
    first_seen: str | None

    def at_each_place(self) -> tuple[Row, ...]:
        """The row with the fingerprint and the place of each of its places."""
        if not self.places:
            return (self,)
        return tuple(self._replace(**spot._asdict(), places=()) for spot in self.places)

    @property
    def place(self) -> Place:
        return Place(self.port, self.protocol, self.path, self.method, self.parameter)


_ordered = itemgetter(*map(Row._fields.index, _ORDERED))


def outcome_of_scan(outcome: str | None) -> str:
    """The outcome of the gate for that of a scan, or of the wait for it; None: the scan is in progress."""
    return _OUTCOME_OF_SCAN.get(outcome, UNKNOWN_STATE)


def rows_of(pairs: Sequence[Pair]) -> tuple[Row, ...]:
    """The rows of all findings, in the order of the pairs."""
    sightings = [
        Sighting(finding, pair.target or str(finding.get("target_name") or ""), pair.tool)
        for pair in pairs
        for finding in pair.findings
    ]
    numbers = (number for number, pair in enumerate(pairs) for _finding in pair.findings)
    return tuple(
        _row(number, pairs[number], sighting, identity)
        for number, sighting, identity in zip(numbers, sightings, identify(sightings))
    )


def _row(number: int, pair: Pair, sighting: Sighting, identity: Identity) -> Row:
    get = sighting.finding.get
    cves = tuple(sorted({cve.upper() for cve in sighting.finding["cve"]}))
    fingerprint, index, (_target, _check, _name, port, protocol, path, method, parameter), places = identity
    scores = number_of(get("cvssv3"), 10), number_of(get("cvss"), 10)
    # in the order of Row, because names take three times as long
    return Row(
        number,
        fingerprint,
        index,
        get("severity", UNKNOWN),
        _integer(get("id")),
        text_of(get("name"), None),
        _text_or_none(get("vuln_id")),
        cves,
        _text_or_none(get("cwe")),
        max((score for score in scores if score is not None), default=None),
        *_epss(number_of(get("epss_score"), 1), number_of(get("epss_percentile"), 1)),
        _flag(get("in_cisa_catalog")),
        _flag(get("verified")),
        _text_or_none(get("status")),
        sighting.target,
        pair.target_id if pair.target_id is not None else _integer(get("target_id")),
        pair.workspace,
        pair.tool,
        pair.scan_id if pair.scan_id is not None else _integer(get("task_id")),
        port,
        protocol,
        _text_or_none(get("service")),
        path,
        method,
        parameter,
        places,
        text_of(get("vuln_description") or get("test_description")),
        text_of(get("risk_description")),
        text_of(get("recommendation")),
        text_of(_evidence(get("vuln_evidence"))),
        _references(get("references")),
        None,
    )


def saved_row(pair: int, normal_target: str, values: Sequence[Any]) -> Row:
    """The Row in the values of a finding of gate.json, in the order of Row after its number. Its texts are cut already.

    normal_target: the lasting form of its target.
    """
    severity, object_id, name, check, cve, cwe, cvss, epss, percentile, exploited, verified, status = values[:12]
    port, protocol, service, path, method, parameter, places = values[17:24]
    listed = places or [{"path": path, "method": method, "parameter": parameter}]
    fingerprint, index, subject, spots = identity_of(normal_target, check, name, places_in(port, protocol, listed))
    cves = sorted({each.upper() for each in cve})
    return Row._make(
        (
            *(
                pair,
                fingerprint,
                index,
                severity,
                object_id,
                name,
                _text_or_none(check),
                tuple(cves),
                _text_or_none(cwe),
            ),
            *(number_of(cvss, 10), *_epss(number_of(epss, 1), number_of(percentile, 1))),
            *(exploited, verified, _text_or_none(status), *values[12:17]),
            *(subject.port, subject.protocol, _text_or_none(service), *subject[5:], spots),
            *(*values[24:28], _references(values[28]), values[29]),
        )
    )


def numbered(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Saved rows, with a number among those of the same fingerprint."""
    found = list(rows)
    for position, number in numbers_of((row.fingerprint for row in rows), lambda each: _order(rows[each])).items():
        found[position] = found[position]._replace(number=number)
    return tuple(found)


def _order(row: Row) -> tuple[int, str, str]:
    return severity_rank(row.severity), json.dumps(_ordered(row)), row.tool


def enriched(rows: tuple[Row, ...], exploits: Exploits) -> tuple[Row, ...]:
    """The rows with what the user's files say of their CVEs."""
    if not any(exploits):
        return rows
    found = []
    for row in rows:
        epss, percentile = _epss(row.epss, row.epss_percentile, row.cve, exploits.epss)
        exploited, file = row.known_exploited, exploits.known_exploited
        # a finding without a CVE id is in no catalogue, which says nothing about it
        if file is not None and row.cve:
            exploited = bool(exploited) or any(cve in file.scores for cve in row.cve)
        found.append(row._replace(epss=epss, epss_percentile=percentile, known_exploited=exploited))
    return tuple(found)


# --- fields


def text_of(value: object, longest: int | None = LONGEST_TEXT) -> str:
    """A field as text, "" if it has none, cut to ``longest`` characters with a note on what is missing."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    if longest is None or len(text) <= longest:
        return text
    # the note counts, too, so that a text that was cut once is never cut again
    kept = longest - len(_note(len(text)))
    return text[:kept] + _note(len(text) - kept)


def _note(missing: int) -> str:
    return f" … ({missing:,} more characters)"


def _text_or_none(value: object) -> str | None:
    if isinstance(value, str):
        return value.strip() or None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _integer(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _epss(
    score: float | None, percentile: float | None, cves: Iterable[str] = (), file: CveFile | None = None
) -> tuple[float | None, float | None]:
    """The highest score, which the service or the file has, and its percentile."""
    known = [(file.scores[cve], file.percentiles.get(cve)) for cve in cves if cve in file.scores] if file else []
    if score is not None:
        known.append((score, percentile))
    return max(known, key=lambda each: (each[0], each[1] or 0), default=(None, None))


def _references(value: object) -> tuple[str, ...]:
    texts = value if isinstance(value, list) else [value]
    kept = [without_user_info(text_of(text)) for text in texts if isinstance(text, str) and text.strip()]
    return tuple(kept[:_MOST_REFERENCES])


def _evidence(value: object) -> object:
    """The text of an evidence of the documented forms, a text or a table with headers; of any other as JSON."""
    data = value.get("data") if isinstance(value, dict) else None
    if isinstance(data, dict) and isinstance(data.get("headers"), list) and isinstance(data.get("rows"), list):
        headers = list(map(text_of, data["headers"]))
        lines = []
        for row in data["rows"]:
            cells = row if isinstance(row, list) else [row]
            named = zip([*headers, *[""] * len(cells)], map(text_of, cells))
            lines.append(", ".join(f"{name}: {cell}" if name else cell for name, cell in named))
        return "\n".join(lines)
    return data if isinstance(data, str) else value
