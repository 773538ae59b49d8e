# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""A recording: the forms of what the service answered, without its content. Pure.

Only what a table below names is written, and never a value of the account: each field, word and header that is not listed
becomes a type or a number.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta, timezone
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from .._http.retry import moment
from .._model.families import FAILED, FAMILIES, NOT_READY, READY, REPORT_TYPES, SCAN_STATUSES, SEVERITIES, TARGET_TYPES
from .._model.records import Record
from .._model.strict_json import json_text, read_json
from .._model.times import moment_of
from .._model.tools import TOOLS
from .answers import type_of
from .relied_on import RELIED_ON, SCHEMA_PATH, TYPE_OF


def _listed(*names: str) -> set[str]:
    """The names in texts, which are separated by spaces."""
    return set(" ".join(names).split())


VERSION = 1
WHAT = (
    "The forms of a service's answers, recorded by scanops.scanner.service_verification. No key, text, id, host, address or"
    " time of the account is in it: ids and names are numbered, and times are offsets from 2000-01-01, for the first answer,"
    " rounded to the hour."
)
# the time of the first answer; those of records keep their forms, and their distances from it
_FIRST = datetime(2000, 1, 1, tzinfo=timezone.utc)
_HOUR = 3600
# thirty years: no time of a record
_FAR = 30 * 366 * 86400
# rows of a list that are examined, and those that are written although they have the form of an earlier one
_MOST_ROWS, _EQUAL_ROWS = 20, 2
_DEEPEST = 6
# numbers above this one are written by their power of ten
_SMALL = 20
# the families that ids name, the own one of each path aside
_REFERENCES = {
    "workspace_id": "workspace",
    "target_id": "target",
    "task_id": "scan",
    "scan_id": "scan",
    "tool_id": "tool",
    "vpn_profile_uuid": "VPN profile",
}
_OWN_IDS = ("id", "uuid", "created_id", "report_id")
_NAMES = ("name", "label")
_TIMES = ("start_time", "end_time", "request_date")
_STATUSES = {*SCAN_STATUSES, *NOT_READY, *READY, *FAILED, "open", "fixed", "ignored", "accepted", "false_positive"}
# the words that are written, by field, in any case
_WORDS = {
    "status": {each.lower() for each in _STATUSES},
    "status_name": {each.lower() for each in _STATUSES},
    "type": {*TARGET_TYPES},
    "format": {*REPORT_TYPES},
    "output_type": {"finding_list", "subdomain_list", "domain_list", "port_scanner", "waf_results"},
    "request_method": {"get", "head", "post", "put", "patch", "delete", "options"},
    "predefined": {"true", "false"},
    "content-type": {*REPORT_TYPES.values(), "application/problem+json", "application/yaml", "text/plain", "text/yaml"},
}
_COUNTS = _listed(
    *SEVERITIES,
    "total total_count totalCount count per_page page limit offset current_page last_page total_pages pages",
    "x-total-count x-ratelimit-limit retry-after",
)
_LINKS = _listed("next prev first last self next_page_url href location")
_KNOWN = {
    *TYPE_OF,
    *_REFERENCES,
    *_OWN_IDS,
    *_COUNTS,
    *_LINKS,
    *(field for call in RELIED_ON for field in (*call.fields, *call.also.values(), call.inside, *call.one_of)),
    *_listed(
        "data meta pagination links text has_more next_cursor status message title error errors details detail code"
    ),
    *_listed("cvss cvssv3 cvss_v3 verified confirmed"),
}
# numbers whose values the specification or the public documentation prints
_PRINTED = {
    "tool_id": {*TOOLS.values()},
    "risk_level": {*range(len(SEVERITIES))},
    "vuln_risk_level": {*range(len(SEVERITIES))},
    "x-ratelimit-limit": {250, 125, 60},
    "limit": {1000},
}
# headers of which the value is read, and those of which the name is written
_HEADERS = {"content-type", "x-ratelimit-limit", "x-total-count", "retry-after", "location"}
_NAMED_HEADERS = _listed(
    "date x-ratelimit-remaining x-ratelimit-reset ratelimit ratelimit-policy server via etag vary cache-control",
    "content-encoding content-length transfer-encoding connection deprecation sunset",
)
_PATHS = sorted({SCHEMA_PATH, *(call.path for call in RELIED_ON)}, key=len, reverse=True)
_FAMILY_OF = {path: family for family in FAMILIES.values() for path in (family.path, f"{family.path}/{{id}}")}
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)([T ])(\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:?\d\d)?", re.ASCII)
_LINK = re.compile(r"<([^<>]*)>[^<,]*rel=\"?(next|prev|first|last)\b", re.IGNORECASE)


class _Time(NamedTuple):
    """A time of an answer, until all of them are known."""

    # Unix time
    at: float
    # what is between the date and the clock, the fraction and the zone of a text; empty for a number
    form: tuple[str, ...]
    # 1 for seconds, 1000 for milliseconds
    unit: int

    def moved(self, seconds: int) -> Any:
        """The time of so many seconds after the first answer in the same form, in UTC and with a fraction of zeros. An
        offset that changes would tell when summer begins."""
        at = _FIRST + timedelta(seconds=seconds)
        if not self.form:
            return int(at.timestamp()) * self.unit
        between, fraction, zone = self.form
        zeros = re.sub("[0-9]", "0", fraction + zone.replace("-", "+"))
        return f"{at:%Y-%m-%d}{between}{at:%H:%M:%S}{zeros}"


class Recorder:
    """Turns answers into their forms."""

    def __init__(self, began: float) -> None:
        """began: the time of the first answer, which is not recorded."""
        self.answers: list[Record] = []
        # the different headers, to which answers refer by number
        self._headers: list[Record] = []
        self._began = began
        self._numbers: dict[tuple[str, str], int] = {}
        self._used: Counter[str] = Counter()
        # what the ids of the present answer's rows name
        self._own = ""
        self._status = 0

    def hear(
        self,
        method: str,
        path: str,
        query: Record | None,
        status: int,
        headers: Mapping[str, str],
        body: bytes | None,
    ) -> None:
        """Record an answer. body: None if it was not kept."""
        noun = next((family.noun for family in FAMILIES.values() if path.startswith(family.path)), "object")
        ids = [self._numbered(noun, part) for part in path.split("/") if _is_id(part)]
        path = _template(path)
        self._own = _FAMILY_OF[path].noun if path in _FAMILY_OF else "object"
        self._status = status
        asked = {
            name: self._leaf(name, _plain_number(value)) for name, value in (query or {}).items() if name in _KNOWN
        }
        heads = self._heads(headers)
        if heads not in self._headers:
            self._headers.append(heads)
        content: Record = {"form": "not kept" if body is None else "empty"}
        if body and body.strip():
            try:
                content = {"body": self._shape("", read_json(json_text(body)), 0)}
            except (ValueError, RecursionError):
                content = {"form": "not JSON"}
        answer = {
            "method": method,
            "path": path,
            "ids": ids,
            "query": asked,
            "status": status,
            "headers": self._headers.index(heads) + 1,
            **content,
        }
        answer = {name: value for name, value in answer.items() if value not in ([], {})}
        if answer not in self.answers:
            self.answers.append(answer)

    def text(self, collection: str, rows: Iterable[Record]) -> str:
        """The recording as a file, with a line for each answer. rows: those of service_verification."""
        verdicts: dict[str, list[str]] = {}
        for row in rows:
            verdicts.setdefault(row["verdict"], []).append(row["name"])
        sections = {
            "about": dict(what=WHAT, version=VERSION, collection=collection),
            "answers": _with_times(self.answers, offsets(_times_in(self.answers), self._began)),
            "headers": {str(number): each for number, each in enumerate(self._headers, 1)},
            "verdicts": verdicts,
        }
        return "{\n" + ",\n".join(f'"{name}": {_lines(section)}' for name, section in sections.items()) + "\n}\n"

    def _heads(self, headers: Mapping[str, str]) -> Record:
        """The headers that matter, and the names of those that are well known; all others are counted."""
        values = {name.lower(): value for name, value in headers.items()}
        found: Record = {}
        for name in values.keys() & _HEADERS:
            value = values[name].partition(";")[0].strip() if name == "content-type" else values[name]
            found[name] = "date" if moment(value) else self._leaf(name, _plain_number(value))
        if "link" in values:
            found["link"] = {rel.lower(): _place(address) for address, rel in _LINK.findall(values["link"])}
        found["names"] = sorted(values.keys() & _NAMED_HEADERS)
        found["others"] = len(values.keys() - {*_HEADERS, *_NAMED_HEADERS, "link"})
        return found

    def _shape(self, name: str, value: Any, depth: int) -> Any:
        if depth > _DEEPEST and isinstance(value, (dict, list)):
            return type_of(value)
        if isinstance(value, dict):
            shape = {each: self._shape(each, inner, depth + 1) for each, inner in value.items() if each in _KNOWN}
            others = Counter(type_of(inner) for each, inner in value.items() if each not in _KNOWN)
            return {**shape, "other fields": dict(others)} if others else shape
        if not isinstance(value, list):
            return self._leaf(name, value)
        rows: list[Any] = []
        forms: set[str] = set()
        for row in value[:_MOST_ROWS]:
            shape = self._shape(name, row, depth + 1)
            form = re.sub("[0-9]+", "0", json.dumps(shape))
            if form not in forms or len(rows) < _EQUAL_ROWS:
                rows.append(shape)
            forms.add(form)
        return {"rows": _size(len(value)), "first": rows}

    def _leaf(self, name: str, value: Any) -> Any:
        """A value without content: null, a printed word or number, a numbered id or name, a moved time, or a type."""
        if value is None or value == "":
            return value
        digits = value if isinstance(value, str) and re.fullmatch("[0-9]{1,15}", value, re.ASCII) else ""
        number = int(digits) if digits else value if isinstance(value, int) and not isinstance(value, bool) else None
        if number in _PRINTED.get(name, ()) or (name == "status" and value == self._status):
            return value
        if name in _OWN_IDS or name in _REFERENCES:
            if not isinstance(value, (int, str)) or isinstance(value, bool):
                return type_of(value)
            form = " as digits" if digits else " as text" if isinstance(value, str) else ""
            return self._numbered(_REFERENCES.get(name, self._own), str(value)) + form
        if name in _TIMES:
            found = _TIME.fullmatch(value) if isinstance(value, str) else None
            read = moment_of(value)
            is_number = isinstance(value, int) and not isinstance(value, bool)
            if read is None or abs(read.at - self._began) > _FAR or not (found or is_number):
                return type_of(value)
            if not found:
                return _Time(read.at, (), 1 if read.at == value else 1000)
            _day, between, _clock, fraction, zone = found.groups("")
            return _Time(read.at, (between, fraction, zone), 1)
        if name in _COUNTS and number is not None and number >= 0:
            return f"{_size(number)} as text" if digits else _size(number)
        if not isinstance(value, str):
            return value if name == "predefined" and isinstance(value, bool) else type_of(value)
        if value.lower() in _WORDS.get(name, ()):
            return value
        if name in _LINKS:
            return _place(value)
        return self._numbered("name", value) if name in _NAMES else "digits" if digits else "string"

    def _numbered(self, noun: str, value: str) -> str:
        """The same words for the same value."""
        if (noun, value) not in self._numbers:
            self._used[noun] += 1
            self._numbers[noun, value] = self._used[noun]
        return f"{noun} {self._numbers[noun, value]}"


def offsets(times: Iterable[float], began: float) -> dict[float, int]:
    """For each time the seconds since the beginning, rounded down to the hour. Those of one hour follow each other by a second,
    so that their order stays, and nothing else."""
    found: dict[float, int] = {}
    last = None
    for at in sorted(set(times)):
        hour = int((at - began) // _HOUR) * _HOUR
        last = hour if last is None else max(hour, last + 1)
        found[at] = last
    return found


def _times_in(value: Any) -> Iterator[float]:
    if isinstance(value, _Time):
        yield value.at
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _times_in(inner)


def _with_times(value: Any, moved: Mapping[float, int]) -> Any:
    if isinstance(value, _Time):
        return value.moved(moved[value.at])
    if isinstance(value, dict):
        return {key: _with_times(inner, moved) for key, inner in value.items()}
    return [_with_times(inner, moved) for inner in value] if isinstance(value, list) else value


def _lines(section: Any) -> str:
    """A section of the file as JSON, with a line for each of its members."""
    if isinstance(section, list):
        return "[\n" + ",\n".join(json.dumps(each, sort_keys=True) for each in section) + "\n]"
    members = (f"{json.dumps(name)}: {json.dumps(section[name], sort_keys=True)}" for name in sorted(section))
    return "{\n" + ",\n".join(members) + "\n}"


def _size(number: int) -> Any:
    """A small number, else the power of ten below it."""
    return number if number <= _SMALL else f"{10 ** (len(str(number)) - 1)} or more"


def _plain_number(value: Any) -> Any:
    """A number in a query or header, where all values are texts."""
    text = str(value).strip()
    return int(text) if re.fullmatch("[0-9]{1,15}", text, re.ASCII) else text


def _is_id(part: str) -> bool:
    return part.isascii() and part.isdigit()


def _template(path: str) -> str:
    """The path without ids, of an address below any base; "other" if the collection does not know it."""
    plain = "/".join("{id}" if _is_id(part) else part for part in path.split("/")).rstrip("/")
    return next((known for known in _PATHS if plain.endswith(known)), "other")


def _place(address: str) -> str:
    """Where a link points to: the template of its path, a final slash, and the known names of its query."""
    try:
        parts = urlsplit(address)
        names = sorted({name for name, dummy in parse_qsl(parts.query, True)} & _KNOWN)
    except ValueError:
        return "no address"
    slash = "/" if parts.path.endswith("/") else ""
    return _template(parts.path) + slash + (f"?{'&'.join(names)}" if parts.query else "")
