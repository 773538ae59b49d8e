# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The answers of the service as judges see them, and phrases about them. Pure.

A phrase quotes names of fields, numbers, and words of the service's vocabulary, but no name, address or text of the account.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .._evidence.scans import findings_of
from .._http.listing import Beside, beside
from .._model.errors import counted
from .._model.families import FAMILIES
from .._model.records import Record

# the family of each list
LISTS = {family.plural: family for family in FAMILIES.values()}
# anything else may be a name or an address of the account
_FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,39}")
_WORD = re.compile(r"[A-Za-z][A-Za-z _-]{0,29}|[0-9]{1,9}")
_MOST_LISTED = 10
_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", list: "list", dict: "object"}
_FORMS = {"empty": "an empty body", "html": "an HTML page", "text": "plain text", "redirect": "a redirect"}


class Observation(NamedTuple):
    """One answer of the service."""

    status: int
    # json, text, html, empty, redirect or other
    form: str
    # the value of JSON, text, or None
    body: object
    # ignores the case of names
    headers: Mapping[str, str]
    # fields and values that were sent, or that the rows of a filtered list should have
    expected: Record
    # what was sent, such as "GET /scans/{id}"
    call: str = ""
    # False for a list with more pages than were read
    whole: bool = True

    @property
    def succeeded(self) -> bool:
        return 200 <= self.status < 300

    @property
    def data(self) -> object:
        """The content of a success, without the envelope; None for a refusal."""
        if self.form != "json" or not self.succeeded:
            return None
        return self.body["data"] if isinstance(self.body, dict) and "data" in self.body else self.body

    @property
    def rows(self) -> list[Record]:
        """The rows of a list; none if it is not a list."""
        return [row for row in self.data if isinstance(row, dict)] if isinstance(self.data, list) else []

    @property
    def record(self) -> Record:
        """The object in a success; empty if it is none."""
        return self.data if isinstance(self.data, dict) else {}

    @property
    def error(self) -> Record:
        """The object of a refusal; empty if it is none."""
        return self.body if isinstance(self.body, dict) and not self.succeeded else {}

    @property
    def is_readable(self) -> bool:
        """Whether this is a list, or a record with an id."""
        return isinstance(self.data, list) or "id" in self.record

    @property
    def beside(self) -> Beside:
        """What the answer says beside its rows."""
        body = self.body if isinstance(self.body, dict) else {}
        return beside({name: value for name, value in body.items() if name != "data"}, self.headers)

    @property
    def is_cut(self) -> bool:
        """Whether the answer says that the list has more rows."""
        return self.beside.more or (self.beside.total or 0) > len(self.rows)


class Observations(dict[str, Observation]):
    """The answers of the service, by the names that the judges know them by."""

    def __init__(self, *args: Mapping[str, Observation], **named: Observation) -> None:
        super().__init__(*args, **named)
        # the calls without an answer, by the same names
        self.lost: dict[str, str] = {}
        # the calls that were redirected
        self.redirected: list[str] = []

    def why_not(self, *names: str) -> str | None:
        """What kept the first of these answers from being judged: it is missing, a refusal, or in another form."""
        for name in names:
            if name in self.lost:
                return f"{self.lost[name]}: no answer"
            if name in self and not self[name].is_readable:
                return f"{self[name].call}: {describe(self[name])}".lstrip(": ")
        return None

    def record(self, name: str) -> Record:
        """The object in an answer; empty without one."""
        return self[name].record if name in self else {}

    def rows(self, *names: str) -> list[Record]:
        """The rows of lists; none without an answer."""
        return [row for name in names if name in self for row in self[name].rows]


def values_of(rows: Iterable[Record], field: str) -> set[str]:
    """The values of a field as strings, without null."""
    return {str(row[field]) for row in rows if row.get(field) is not None}


def ids_of(rows: Iterable[Record]) -> set[str]:
    """The ids of rows as strings."""
    return values_of(rows, "id")


def status_text(scan: Record) -> str:
    """The status of a scan in lower case."""
    return str(scan.get("status_name", scan.get("status"))).lower()


def count_findings(scan: Record) -> int:
    """How many findings a scan counts."""
    return sum(findings_of(scan).values())


# --- phrases


def list_names(names: Iterable[object], pattern: re.Pattern[str] = _FIELD, noun: str = "name") -> str:
    """Names of fields as a phrase. Those that could be text of the account are only counted."""
    different = set(map(str, names))
    plain = sorted(filter(pattern.fullmatch, different))
    parts = plain[:_MOST_LISTED]
    if len(plain) > _MOST_LISTED:
        parts.append(f"{len(plain) - _MOST_LISTED} more")
    if len(different) > len(plain):
        parts.append(counted(len(different) - len(plain), f"withheld {noun}"))
    return ", ".join(parts) or "none"


def list_words(words: Iterable[object]) -> str:
    """Numbers, and words of the service's vocabulary, as a phrase, likewise."""
    return list_names(("null" if word is None else word for word in words), _WORD, "value")


def describe(answer: Observation) -> str:
    """An answer as a phrase."""
    body = answer.body
    data = body.get("data") if isinstance(body, dict) else None
    if answer.form != "json":
        what = _FORMS.get(answer.form, "other content")
    elif data == {} or body == {}:
        what = "an empty object"
    elif isinstance(data, (dict, list)):
        what = f"data with {list_names(data)}" if isinstance(data, dict) else f"{counted(len(data), 'row')} in data"
    elif isinstance(body, dict):
        what = f"an object with {list_names(body)}"
    else:
        what = "a bare list" if isinstance(body, list) else f"a JSON {type_of(body)}"
    return f"status {answer.status}, {what}"


def type_of(value: object) -> str:
    """The type of a value in the words of JSON."""
    return _TYPES.get(type(value), "null")
