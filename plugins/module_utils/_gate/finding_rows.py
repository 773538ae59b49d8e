# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The findings of pairs as rows: every field in one form, whatever the service sends. Pure."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from .._findings.model import UNKNOWN
from .._records import Record
from .fingerprint import Identity, Sighting, identify
from .run import is_moment
from .types import NO_EXPLOITS, Exploits, Pair, Row

# characters of a text in gate.json
LONGEST_TEXT = 4000
_LARGEST_CVSS = 10.0
_MOST_REFERENCES = 100
# what _Details is read of, beside the CVE ids
_DETAILS = ("vuln_id", "cwe", "cvssv3", "cvss", "epss_score", "in_cisa_catalog", "verified", "status", "service")
# combinations that are kept in memory
_MOST_DETAILS = 10_000


def rows_of(pairs: Sequence[Pair], exploits: Exploits = NO_EXPLOITS) -> tuple[Row, ...]:
    """The rows of all findings, in the order of the pairs. exploits: what the user's files say of CVEs."""
    found = [(number, finding) for number, pair in enumerate(pairs) for finding in pair.findings]
    sightings = [Sighting(finding, _target(pairs[number], finding), pairs[number].tool) for number, finding in found]
    details = _DetailsOf(exploits)
    return tuple(
        _row(number, pairs[number], sighting, identity, details.of(sighting.finding))
        for (number, _finding), sighting, identity in zip(found, sightings, identify(sightings))
    )


def _target(pair: Pair, finding: Record) -> str:
    return pair.target or str(finding.get("target_name") or "")


def _row(number: int, pair: Pair, sighting: Sighting, identity: Identity, details: _Details) -> Row:
    get = sighting.finding.get
    first_seen = get("first_seen") if pair.saved else None
    check, cve, cwe, cvss, epss, known_exploited, verified, status, service = details
    fingerprint, index, (_target, _check, _name, port, protocol, path, method, parameter), places = identity
    # in the order of Row, because names take three times as long
    return Row(
        number,
        fingerprint,
        index,
        get("severity", UNKNOWN),
        _integer(get("id")),
        text_of(get("name"), None),
        check,
        cve,
        cwe,
        cvss,
        epss,
        known_exploited,
        verified,
        status,
        sighting.target,
        pair.target_id if pair.target_id is not None else _integer(get("target_id")),
        pair.workspace,
        pair.tool,
        pair.scan_id if pair.scan_id is not None else _integer(get("task_id")),
        port,
        protocol,
        service,
        path,
        method,
        parameter,
        places,
        text_of(get("vuln_description") or get("test_description")),
        text_of(get("risk_description")),
        text_of(get("recommendation")),
        text_of(_evidence(get("vuln_evidence"))),
        _references(get("references")),
        str(first_seen) if is_moment(first_seen) else None,
    )


class _Details(NamedTuple):
    """The fields of a row that many findings of a check have in common."""

    check: str | None
    cve: tuple[str, ...]
    cwe: str | None
    cvss: float | None
    epss: float | None
    known_exploited: bool | None
    verified: bool | None
    status: str | None
    service: str | None


class _DetailsOf:
    """The details of findings, read once for each combination that a finding has."""

    def __init__(self, exploits: Exploits) -> None:
        self._exploits = exploits
        self._known: dict[tuple[object, ...], _Details] = {}

    def of(self, finding: Record) -> _Details:
        values = tuple(map(finding.get, _DETAILS))
        # 1, 1.0 and True are equal
        key = (*values, *finding["cve"], *map(type, values))
        try:
            known = self._known.get(key)
        except TypeError:
            # one of them is a list or an object
            return self._read(finding)
        if known is None:
            known = self._read(finding)
            if len(self._known) < _MOST_DETAILS:
                self._known[key] = known
        return known

    def _read(self, finding: Record) -> _Details:
        cves = tuple(sorted({cve.upper() for cve in finding["cve"]}))
        exploits = self._exploits
        return _Details(
            check=_text_or_none(finding.get("vuln_id")),
            cve=cves,
            cwe=_text_or_none(finding.get("cwe")),
            cvss=_worst((_number(finding.get("cvssv3"), _LARGEST_CVSS), _number(finding.get("cvss"), _LARGEST_CVSS))),
            epss=_worst((_number(finding.get("epss_score"), 1.0), *_epss_of(cves, exploits))),
            known_exploited=_known_exploited(_flag(finding.get("in_cisa_catalog")), cves, exploits),
            verified=_flag(finding.get("verified")),
            status=_text_or_none(finding.get("status")),
            service=_text_or_none(finding.get("service")),
        )


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


def _number(value: object, largest: float) -> float | None:
    """A number from 0, also one in a text; None for anything else."""
    if value is None or isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and 0 <= number <= largest else None


def _worst(numbers: Iterable[float | None]) -> float | None:
    worst = None
    for number in numbers:
        if number is not None and (worst is None or number > worst):
            worst = number
    return worst


def _epss_of(cves: Sequence[str], exploits: Exploits) -> Iterable[float | None]:
    return [exploits.epss.scores.get(cve) for cve in cves] if exploits.epss else ()


def _known_exploited(said: bool | None, cves: Sequence[str], exploits: Exploits) -> bool | None:
    """Whether the service or the file says so. A finding without a CVE id is in no catalogue, which says nothing about it."""
    if exploits.known_exploited is None or not cves:
        return said
    return bool(said) or not exploits.known_exploited.cves.isdisjoint(cves)


def _references(value: object) -> tuple[str, ...]:
    texts = value if isinstance(value, list) else [value]
    kept = [text_of(text) for text in texts if isinstance(text, str) and text.strip()]
    return tuple(kept[:_MOST_REFERENCES])


def _evidence(value: object) -> object:
    """The text of an evidence of the documented forms, a text or a table with headers; of any other as JSON."""
    data = value.get("data") if isinstance(value, dict) else None
    if isinstance(data, dict) and isinstance(data.get("headers"), list) and isinstance(data.get("rows"), list):
        return _table(data["headers"], data["rows"])
    return data if isinstance(data, str) else value


def _table(headers: Sequence[Any], rows: Sequence[Any]) -> str:
    lines = []
    for row in rows:
        cells = row if isinstance(row, list) else [row]
        names = [*headers, *[""] * len(cells)]
        texts = [(text_of(name), text_of(cell)) for name, cell in zip(names, cells)]
        lines.append(", ".join(f"{name}: {cell}" if name else cell for name, cell in texts))
    return "\n".join(lines)
