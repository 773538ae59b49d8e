# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Fingerprints of findings: equal for the same finding in every scan. Pure.

Scheme 1 is a digest of the target in normal form, the id of the check, port, protocol, path, method and parameter. Ids, texts,
times, severity and CVE ids may change without a new fingerprint. Equal fingerprints of a run are numbered from 1.

A finding with several places has a fingerprint for each, which baselines and waivers know, and one of all of them together,
which identifies it elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from typing import NamedTuple

from .._findings.model import SUMMARY, UNKNOWN
from .._names import normal_form
from .._records import Record
from .place import Place, Spot, agreed, places_of

SCHEME = 1
# how many characters of a name identify a finding whose check has no id
LONGEST_NAME = 500
_DIGITS = 32
_FINGERPRINT = re.compile(rf"(0|[1-9][0-9]{{0,5}}):[0-9a-f]{{{_DIGITS}}}")
# what each digest begins with, so that no other digest of the same texts is equal
_DOMAIN = "scanops.scanner/fingerprint"
_HEAD = f"[{encode_basestring_ascii(_DOMAIN)},{SCHEME}"
_NULL = "null"
# a gate needs each fingerprint twice: for what was found, and for the baseline
_MOST_KNOWN = 100_000
# an entry such as "Nothing was found" has this id, whatever was looked for (the service's published client)
_NO_CHECK = re.compile(r"NONVULN-[0-9]+-0+", re.IGNORECASE)
# worst first; an unknown severity may be the worst
_WORST_FIRST = (UNKNOWN, *(each for each in SUMMARY if each != UNKNOWN))
_RANKS = {severity: rank for rank, severity in enumerate(_WORST_FIRST)}


class Subject(NamedTuple):
    """What a fingerprint stands for. check: the service's id of the check, or None; name: what identifies the check without
    an id, the finding's name in lower case, else None; the others as in Place."""

    target: str
    check: str | None = None
    name: str | None = None
    port: int | None = None
    protocol: str | None = None
    path: str | None = None
    method: str | None = None
    parameter: str | None = None

    @property
    def place(self) -> Place:
        return Place(*self[3:])


class Identity(NamedTuple):
    """What identifies a finding. number: among findings of the run with the same fingerprint; subject: what the fingerprint
    stands for, or what all places have in common; places: empty for a finding with one place."""

    fingerprint: str
    number: int
    subject: Subject
    places: tuple[Spot, ...] = ()


class Sighting(NamedTuple):
    """A finding, made by ``finding_of``, and the target and the tool of its scan."""

    finding: Record
    target: str
    tool: str = ""


def subject_in(target: str, check: object, name: object, place: Place) -> Subject:
    """The Subject with these parts of a finding; target: in normal form."""
    known = check_of(check)
    return Subject(target, known, None if known else plain_name(name), *place)


def check_of(value: object) -> str | None:
    """The id of a check in a field of the service; None if it is missing or stands for no check."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    text = value.strip() if isinstance(value, str) else ""
    return None if _NO_CHECK.fullmatch(text) else text or None


def plain_name(value: object) -> str:
    """A name in the form in which names are compared: its first characters in lower case, composed, with single spaces."""
    text = "" if value is None else str(value)[:LONGEST_NAME]
    return " ".join(unicodedata.normalize("NFC", text.casefold()).split())


def canonical(subject: Subject) -> bytes:
    """The bytes that scheme 1 digests: a JSON array in ASCII, without spaces."""
    target, check, name, port, protocol, path, method, parameter = subject
    by = name if check is None else check
    # what json.dumps writes, in a fraction of the time
    parts = (
        _HEAD,
        encode_basestring_ascii(target),
        '"name"' if check is None else '"check"',
        _NULL if by is None else encode_basestring_ascii(by),
        _NULL if port is None else str(port),
        _NULL if protocol is None else encode_basestring_ascii(protocol),
        _NULL if path is None else encode_basestring_ascii(path),
        _NULL if method is None else encode_basestring_ascii(method),
        _NULL if parameter is None else encode_basestring_ascii(parameter),
    )
    return f"{','.join(parts)}]".encode("ascii")


@lru_cache(maxsize=_MOST_KNOWN)
def fingerprint_of(subject: Subject) -> str:
    """The fingerprint: the number of its scheme, a colon, and 32 hexadecimal digits."""
    return _digest(canonical(subject))


def _identity(finding: Record, target: str) -> Identity:
    """The Identity of a finding, the first of its fingerprint. target: in normal form."""
    places = places_of(finding)
    subject = subject_in(target, finding.get("vuln_id"), finding.get("name"), agreed(places))
    if len(places) == 1:
        return Identity(fingerprint_of(subject), 1, subject)
    spots = tuple(Spot(fingerprint_of(subject._replace(**place._asdict())), *place[2:]) for place in places)
    text = json.dumps([_DOMAIN, SCHEME, "places", sorted(spot.fingerprint for spot in spots)])
    return Identity(_digest(text.encode("ascii")), 1, subject, spots)


def _digest(content: bytes) -> str:
    return f"{SCHEME}:{hashlib.sha256(content).hexdigest()[:_DIGITS]}"


def scheme_of(fingerprint: str) -> int | None:
    """The number of the scheme of a fingerprint; None for other text."""
    found = _FINGERPRINT.fullmatch(fingerprint)
    return int(found[1]) if found else None


def identify(sightings: Iterable[Sighting]) -> list[Identity]:
    """The Identity of each finding of a run, in the order given.

    The numbers of equal ones follow what the findings say, worst first; ids and the order of arrival do not count.
    """
    listed = list(sightings)
    targets = {target: normal_form(target) for target in {each.target for each in listed}}
    identities = []
    groups: dict[str, list[int]] = {}
    for position, (finding, target, _tool) in enumerate(listed):
        identity = _identity(finding, targets[target])
        identities.append(identity)
        groups.setdefault(identity.fingerprint, []).append(position)
    for positions in groups.values():
        if len(positions) > 1:
            for number, position in enumerate(sorted(positions, key=lambda each: _order(listed[each])), 1):
                identities[position] = identities[position]._replace(number=number)
    return identities


# not in the order of equal findings: they differ between two reads or two scans of the same finding
_PASSING = {
    "id",
    "task_id",
    "scan_id",
    "target_id",
    "workspace_id",
    "first_seen",
    "last_seen",
    "created_at",
    "updated_at",
}


def _order(sighting: Sighting) -> tuple[int, str, str]:
    finding = sighting.finding
    kept = {field: value for field, value in finding.items() if field not in _PASSING}
    text = json.dumps(kept, sort_keys=True, default=str)
    return severity_rank(str(finding.get("severity"))), text, sighting.tool


def severity_rank(severity: str) -> int:
    """The place of a severity in their order, worst first; the worst is 0."""
    return _RANKS.get(severity, 0)


def worst_first(severities: Iterable[str]) -> list[str]:
    """Severities in order, worst first."""
    return sorted(severities, key=severity_rank)


def is_worse(severity: str, than: str) -> bool:
    """Whether a severity is worse than another. UNKNOWN is worse than any that is known."""
    return severity_rank(severity) < severity_rank(than)
