# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Exploit predictions (EPSS) and known-exploited vulnerabilities (KEV), from files that the user gives. Pure.

The forms are the public ones: the CSV of https://www.first.org/epss/data_stats, and the JSON and CSV of
https://www.cisa.gov/known-exploited-vulnerabilities-catalog. A file in another form is an error, never an empty list.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping

from .._evidence.exploits import CveFile, Exploits, number_of
from .._evidence.findings import is_cve
from .._model.errors import WrongOption, printable
from .._model.times import iso_moment, span
from .json_file import Wrong, parsed, text_of

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DAY = 86400


def stale_in(exploits: Exploits, limits: Mapping[str, int], now: float) -> list[str]:
    """A sentence for each file that is too old, or does not say its date. limits: the ages in seconds, by the field."""
    sentences = []
    for field, file in exploits._asdict().items():
        if file is None:
            continue
        limit = f"{field}_max_age is {span(limits[field])}"
        began = None if file.date is None else iso_moment(file.date)
        name = f"{field}_file {_shown(file.path)}"
        if began is None:
            sentences.append(f"{name} does not say its date, and {limit}: give the unchanged file of the catalogue.")
        elif began > now + _DAY:
            sentences.append(f"{name} is of {file.date}, which is in the future: check the file and the clock.")
        elif now - began > limits[field]:
            sentences.append(f"{name} is of {file.date}, {span(now - began)} ago, and {limit}: fetch it again.")
    return sentences


def read_epss(content: bytes | str, path: str) -> CveFile:
    """The scores in an EPSS file. Raises WrongOption, which names the file and the line."""
    try:
        return _epss(_text(content), path)
    except Wrong as error:
        raise WrongOption(
            f"The EPSS file {_shown(path)} {error}. Give the unchanged CSV file of a day, with the columns cve and epss."
        ) from None


def read_known_exploited(content: bytes | str, path: str) -> CveFile:
    """The CVE ids in a catalogue of known exploited vulnerabilities, JSON or CSV. Raises WrongOption, which names the file."""
    try:
        text = _text(content)
        read = _catalogue if text.lstrip().startswith(("{", "[")) else _catalogue_table
        return read(text, path)
    except Wrong as error:
        raise WrongOption(
            f"The file of known exploited vulnerabilities {_shown(path)} {error}. Give the unchanged JSON or CSV file of the"
            " catalogue."
        ) from None


def _text(content: bytes | str) -> str:
    text = text_of(content)
    if not text.strip():
        raise Wrong("is empty")
    return text


def _epss(text: str, path: str) -> CveFile:
    comments, lines, first = _without_comments(text)
    scores: dict[str, float] = {}
    percentiles: dict[str, float] = {}
    for line, row in _rows(lines, first, ("cve", "epss")):
        cve = row["cve"].strip().upper()
        score, percentile = number_of(row["epss"], 1), number_of(row.get("percentile"), 1)
        if not is_cve(cve):
            raise Wrong(f"has no CVE id in line {line}, but {_shown(row['cve'])}")
        if score is None:
            raise Wrong(f"has no score from 0 to 1 in line {line}, but {_shown(row['epss'])}")
        if scores.setdefault(cve, score) != score:
            raise Wrong(f"has two scores for {cve}, the second one in line {line}")
        if percentile is not None:
            percentiles[cve] = percentile
    if not scores:
        raise Wrong("has no scores")
    # as in #model_version:v2025.03.14,score_date:2026-01-31T12:55:00Z
    dated = re.search(r"score_date\s*:\s*([0-9TZ:.+-]+)", "\n".join(comments))
    return CveFile(scores, path, _date(dated[1]) if dated else None, percentiles)


def _without_comments(text: str) -> tuple[list[str], list[str], int]:
    """The comment lines at the top, the other lines, and the number of the first of these."""
    lines = text.splitlines()
    number = 0
    while number < len(lines) and (lines[number].startswith("#") or not lines[number].strip()):
        number += 1
    return lines[:number], lines[number:], number + 1


def _date(text: object) -> str | None:
    """The date in a text that begins with one and that is a time; None for null. Other values are an error."""
    if text is None:
        return None
    found = _DATE.match(text) if isinstance(text, str) else None
    if not found or iso_moment(found[0]) is None:
        raise Wrong(f"has a date that does not exist, {_shown(text)}")
    return found[0]


def _rows(lines: list[str], first: int, columns: tuple[str, ...]) -> Iterable[tuple[int, dict[str, str]]]:
    """The rows of a table with these columns, with their lines; names of columns in lower case."""
    reader = csv.reader(lines, strict=True)
    try:
        header = [name.strip().lower() for name in next(reader, [])]
        missing = [column for column in columns if header.count(column) != 1]
        if missing:
            raise Wrong(f"has no column {missing[0]}, or several, in the header in line {first}")
        for row in reader:
            line = first + reader.line_num - 1
            if not row:
                continue
            if len(row) != len(header):
                raise Wrong(f"has {len(row)} values in line {line}, not {len(header)}: it may be truncated")
            yield line, dict(zip(header, row))
    except csv.Error as error:
        raise Wrong(f"is not valid CSV in line {first + reader.line_num - 1} ({printable(error)})") from None


def _catalogue(text: str, path: str) -> CveFile:
    data = parsed(text)
    entries = data.get("vulnerabilities") if isinstance(data, dict) else None
    if not isinstance(entries, list):
        raise Wrong("has no list named vulnerabilities")
    announced = data.get("count")
    if isinstance(announced, int) and announced != len(entries):
        raise Wrong(f"announces {announced} vulnerabilities and has {len(entries)}")
    ids = (each.get("cveID") if isinstance(each, dict) else each for each in entries)
    cves = _cves((f"vulnerabilities[{number}]", each) for number, each in enumerate(ids))
    return CveFile(cves, path, _date(data.get("dateReleased")))


def _catalogue_table(text: str, path: str) -> CveFile:
    _comments, lines, first = _without_comments(text)
    # a quoted value may hold line breaks
    rows = list(_rows([line + "\n" for line in lines], first, ("cveid",)))
    # the table has no date of its own
    added = [row["dateadded"].strip() for _line, row in rows if _DATE.fullmatch(row.get("dateadded", "").strip())]
    return CveFile(_cves((f"line {line}", row["cveid"]) for line, row in rows), path, max(added, default=None))


def _cves(values: Iterable[tuple[str, object]]) -> dict[str, float]:
    found: dict[str, float] = {}
    for where, value in values:
        cve = value.strip().upper() if isinstance(value, str) else ""
        if not is_cve(cve):
            raise Wrong(f"has no CVE id in {where}, but {_shown(value)}")
        found[cve] = 1
    if not found:
        raise Wrong("has no CVE ids")
    return found


def _shown(value: object) -> str:
    return printable(repr(value), 100)
