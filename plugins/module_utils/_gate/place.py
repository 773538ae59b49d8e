# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Where a scanner saw a finding: port, protocol, path, method and parameter, from fields that programs write. Pure.

The documented record has ``port`` and ``protocol``. A path, a method and a parameter are read from fields of these names, in
case the service adds them, or else from its evidence if that is a table, whose rows may be several places. Texts that people
read are never searched.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

from .._records import Record

_LAST_PORT = 65535
_METHOD = re.compile(r"[A-Z]{3,20}")
# a name as forms, queries, headers and cookies have; a cell with a value or a sentence is no name
_PARAMETER = re.compile(r"[\w.$\[\]:-]{1,200}", re.ASCII)
# the printable characters of ASCII; browsers and scanners encode all others in an address
_ADDRESS = re.compile(r"[!-~]{1,2000}")
_NO_ADDRESS = re.compile(r"[<>\"\\]")
# nearly every path of a finding: what path_of returns as it is
_PATH = re.compile(r"/(?!/)[!$-;=@-\[\]-~]{0,1999}")

# headers of evidence tables, in lower case
_PATH_HEADERS = ("path", "url")
_METHOD_HEADERS = ("method",)
_PARAMETER_HEADERS = ("parameter", "vulnerable parameter")


# the key under which the reader of a gate.json keeps the places that the file lists
SAVED_PLACES = "gate_places"


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
    port, protocol = port_of(finding.get("port")), protocol_of(finding.get("protocol"))
    saved = finding.get(SAVED_PLACES)
    if saved and isinstance(saved, list):
        return _in_order(_said(port, protocol, each if isinstance(each, dict) else {}) for each in saved)
    own = _said(port, protocol, finding)
    table = _table(finding.get("vuln_evidence"))
    if not table:
        return (own,)
    columns = (
        _column(path_of, own.path, table, _PATH_HEADERS),
        _column(method_of, own.method, table, _METHOD_HEADERS),
        _column(parameter_of, own.parameter, table, _PARAMETER_HEADERS),
    )
    return _in_order(Place(port, protocol, *each) for each in zip(*columns)) or (own,)


def _said(port: int | None, protocol: str | None, fields: Record) -> Place:
    """The Place in the fields of its names."""
    path, method, parameter = fields.get("path"), fields.get("method"), fields.get("parameter")
    return Place(port, protocol, path_of(path), method_of(method), parameter_of(parameter))


def _in_order(places: Iterable[Place]) -> tuple[Place, ...]:
    return tuple(sorted(set(places), key=lambda place: tuple(part or "" for part in place[2:])))


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


def protocol_of(value: object) -> str | None:
    """A protocol in lower case; None for what is not a text, or is blank."""
    return (value.strip().lower() or None) if isinstance(value, str) else None


def path_of(value: object) -> str | None:
    """The path in a URL or a path, without query and fragment, which hold what the scanner tried; None for other text."""
    if not isinstance(value, str):
        return None
    if _PATH.fullmatch(value):
        return value
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


def method_of(value: object) -> str | None:
    """A method of HTTP in upper case; None for other text."""
    return _method(value) if isinstance(value, str) else None


@lru_cache(maxsize=1024)
def _method(value: str) -> str | None:
    text = value.strip().upper()
    return text if _METHOD.fullmatch(text) else None


def parameter_of(value: object) -> str | None:
    """The name of a parameter; None for other text."""
    return _parameter(value) if isinstance(value, str) else None


@lru_cache(maxsize=1024)
def _parameter(value: str) -> str | None:
    text = value.strip()
    return text if _PARAMETER.fullmatch(text) else None


def _stripped(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _column(
    read: Callable[[object], str | None], own: str | None, table: dict[str, list[object]], headers: tuple[str, ...]
) -> list[str | None]:
    """One field of the place in each row of a table: the finding's own, or the first that a column has."""
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
        name: [_unescaped(row[column]) if column < len(row) else None for row in rows]
        for column, name in enumerate(names)
        if name and times[name] == 1
    }


def _unescaped(cell: object) -> object:
    return html.unescape(cell) if isinstance(cell, str) else cell
