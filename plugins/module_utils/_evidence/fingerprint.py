# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Fingerprints of findings: equal for the same finding in every scan. Pure.

Scheme 1 is a digest of the target in normal form without a password, the id of the check, port, protocol, path, method and
parameter. Ids, texts, times, severity and CVE ids may change without a new fingerprint. Equal fingerprints of a run are
numbered from 1.

A finding with several places has a fingerprint for each, which baselines and waivers know, and one of all of them together,
which identifies it elsewhere.

The documented record has ``port`` and ``protocol``. A path, a method and a parameter are read from fields of these names, in
case the service adds them, or else from its evidence if that is a table, whose rows may be several places. Texts that people
read are never searched.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from .._model.records import Record
from .._model.target_names import lasting_form
from .findings import SUMMARY, UNKNOWN

# how many characters of a name identify a finding whose check has no id
LONGEST_NAME = 500
# an entry such as "Nothing was found" has this id, whatever was looked for (the service's published client)
_NO_CHECK = re.compile(r"NONVULN-[0-9]+-0+", re.IGNORECASE)


def check_or_name(check: object, name: object) -> tuple[str | None, str | None]:
    """The service's id of a check, or else the finding's name in the form in which names are compared. The other one is None.

    A CVE id is neither: different findings may have the same.
    """
    known = check_of(check)
    if known:
        return known, None
    # its first characters in lower case, composed, with single spaces
    text = "" if name is None else str(name)[:LONGEST_NAME]
    return None, " ".join(unicodedata.normalize("NFC", text.casefold()).split())


def check_of(value: object) -> str | None:
    """The id of a check in a field of the service; None if it is missing or stands for no check."""
    return None if stands_for_no_check(value) else _text_of(value) or None


def stands_for_no_check(value: object) -> bool:
    """Whether a field of the service has the id of an entry that says that nothing was found."""
    return bool(_NO_CHECK.fullmatch(_text_of(value)))


def _text_of(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    return value.strip() if isinstance(value, str) else ""


SCHEME = 1
_DIGITS = 32
# what each digest begins with, so that no other digest of the same texts is equal
_DOMAIN = "scanops.scanner/fingerprint"
_JSON = json.JSONEncoder(separators=(",", ":"))
# a gate needs each fingerprint twice: for what was found, and for the baseline
_MOST_KNOWN = 100_000
# worst first; an unknown severity may be the worst
_RANKS = {severity: rank for rank, severity in enumerate(sorted(SUMMARY, key=lambda each: each != UNKNOWN))}


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
    known, plain = check_or_name(check, name)
    return Subject(target, known, plain, *place)


def canonical(subject: Subject) -> bytes:
    """The bytes that scheme 1 digests: a JSON array in ASCII, without spaces."""
    target, check, name, *place = subject
    by = ("name", name) if check is None else ("check", check)
    return _JSON.encode([_DOMAIN, SCHEME, target, *by, *place]).encode("ascii")


@lru_cache(maxsize=_MOST_KNOWN)
def fingerprint_of(subject: Subject) -> str:
    """The fingerprint: the number of its scheme, a colon, and 32 hexadecimal digits."""
    return _digest(canonical(subject))


def identity_of(target: str, check: object, name: object, places: tuple[Place, ...]) -> Identity:
    """The Identity of a finding, the first of its fingerprint. target: in normal form."""
    subject = subject_in(target, check, name, agreed(places))
    if len(places) == 1:
        return Identity(fingerprint_of(subject), 1, subject)
    spots = tuple(Spot(fingerprint_of(subject._replace(**place._asdict())), *place[2:]) for place in places)
    text = json.dumps([_DOMAIN, SCHEME, "places", sorted(spot.fingerprint for spot in spots)])
    return Identity(_digest(text.encode("ascii")), 1, subject, spots)


def _digest(content: bytes) -> str:
    return f"{SCHEME}:{hashlib.sha256(content).hexdigest()[:_DIGITS]}"


def identify(sightings: Iterable[Sighting]) -> list[Identity]:
    """The Identity of each finding of a run, in the order given.

    The numbers of equal ones follow what the findings say, worst first; ids and the order of arrival do not count.
    """
    listed = list(sightings)
    normal = cache(lasting_form)
    identities = [
        identity_of(normal(target), finding.get("vuln_id"), finding.get("name"), places_of(finding))
        for finding, target, _tool in listed
    ]
    numbers = numbers_of([each.fingerprint for each in identities], lambda position: _order(listed[position]))
    for position, number in numbers.items():
        identities[position] = identities[position]._replace(number=number)
    return identities


def numbers_of(fingerprints: Iterable[str], order: Callable[[int], Any]) -> dict[int, int]:
    """The numbers of equal fingerprints, by position. order: what the number of a position follows."""
    groups: dict[str, list[int]] = {}
    for position, fingerprint in enumerate(fingerprints):
        groups.setdefault(fingerprint, []).append(position)
    several = (sorted(positions, key=order) for positions in groups.values() if len(positions) > 1)
    return {position: number for positions in several for number, position in enumerate(positions, 1)}


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


# --- where a scanner saw a finding, from fields that programs write

_LAST_PORT = 65535
_METHOD = re.compile(r"[A-Z]{3,20}")
# a name as forms, queries, headers and cookies have; a cell with a value or a sentence is no name
_PARAMETER = re.compile(r"[\w.$\[\]:-]{1,200}", re.ASCII)
# the printable characters of ASCII; browsers and scanners encode all others in an address
_ADDRESS = re.compile(r"[!-~]{1,2000}")
_NO_ADDRESS = re.compile(r"[<>\"\\]")


class Place(NamedTuple):
    """Where a finding was seen; None for what its record does not say. protocol: in lower case, such as tcp."""

    port: int | None = None
    protocol: str | None = None
    path: str | None = None
    method: str | None = None
    parameter: str | None = None


class Spot(NamedTuple):
    """One of several places of a finding, with the fingerprint of the finding there."""

    fingerprint: str
    path: str | None
    method: str | None
    parameter: str | None


def places_of(finding: Record) -> tuple[Place, ...]:
    """The different places in a record of the service, in order, at least one."""
    (own,) = places_in(finding.get("port"), finding.get("protocol"), [finding])
    table = _table(finding.get("vuln_evidence"))
    if not table:
        return (own,)
    columns = (
        _column(path_of, own.path, table, "path", "url"),
        _column(_method_of, own.method, table, "method"),
        _column(_parameter_of, own.parameter, table, "parameter", "vulnerable parameter"),
    )
    return _in_order(Place(*own[:2], *each) for each in zip(*columns)) or (own,)


def places_in(port: object, protocol: object, listed: Sequence[Record]) -> tuple[Place, ...]:
    """The different places in the fields of their names, in order. listed: each with its path, its method and its parameter."""
    start = port_of(port), _stripped(protocol).lower() or None
    places = [
        Place(*start, path_of(each.get("path")), _method_of(each.get("method")), _parameter_of(each.get("parameter")))
        for each in listed
    ]
    return _in_order(places) if len(places) > 1 else tuple(places)


def _in_order(places: Iterable[Place]) -> tuple[Place, ...]:
    return tuple(sorted(set(places), key=lambda place: [part or "" for part in place[2:]]))


def agreed(places: tuple[Place, ...]) -> Place:
    """What several places have in common; None for a part in which they differ."""
    if len(places) == 1:
        return places[0]
    return Place(*(parts[0] if len(set(parts)) == 1 else None for parts in zip(*places)))


def port_of(value: object) -> int | None:
    """A port, written as a number or as its digits; None for anything else, and for 0."""
    if isinstance(value, str) and re.fullmatch(r"\s*[0-9]{1,5}\s*", value, re.ASCII):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _LAST_PORT else None


def path_of(value: object) -> str | None:
    """The path in a URL or a path, without query and fragment, which hold what the scanner tried; None for other text."""
    if not isinstance(value, str):
        return None
    text = re.split(r"[?#]", value.strip(), maxsplit=1)[0]
    if not _ADDRESS.fullmatch(text) or _NO_ADDRESS.search(text):
        return None
    if text.startswith("/") and not text.startswith("//"):
        return text
    try:
        parts = urlsplit(text)
    except ValueError:
        return None
    return (parts.path or "/") if parts.scheme in ("http", "https") and parts.netloc else None


def _method_of(value: object) -> str | None:
    """A method of HTTP in upper case; None for other text."""
    text = _stripped(value).upper()
    return text if _METHOD.fullmatch(text) else None


def _parameter_of(value: object) -> str | None:
    """The name of a parameter; None for other text."""
    text = _stripped(value)
    return text if _PARAMETER.fullmatch(text) else None


def _stripped(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _column(
    read: Callable[[object], str | None], own: str | None, table: dict[str, list[object]], *headers: str
) -> list[str | None]:
    """One field of the place in each row of a table: the finding's own, or the first that a column has.

    headers: in lower case.
    """
    found = [own] * len(next(iter(table.values())))
    for header in headers:
        found = [read(cell) if known is None else known for known, cell in zip(found, table.get(header, found))]
    return found


def _table(evidence: object) -> dict[str, list[object]]:
    """The columns of an evidence table by their header in lower case; none if it has another form.

    Cells may hold HTML entities. A header that occurs twice has no meaning of its own.
    """
    data = evidence.get("data") if isinstance(evidence, dict) and evidence.get("type") == "table" else None
    if not isinstance(data, dict):
        return {}
    headers, rows = data.get("headers"), data.get("rows")
    if not isinstance(headers, list) or not isinstance(rows, list):
        return {}
    names = [_stripped(header).lower() for header in headers]
    times = Counter(names)
    rows = [row for row in rows if isinstance(row, list)]
    return {
        name: [
            html.unescape(row[column]) if column < len(row) and isinstance(row[column], str) else None for row in rows
        ]
        for column, name in enumerate(names)
        if name and times[name] == 1
    }
