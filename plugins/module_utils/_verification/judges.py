# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""How the answers of the service confirm or refute an assumption, and the judges that several assumptions share. Pure.

A verdict quotes names of fields, numbers, and words of the service's vocabulary, but no name, address or text of the
account.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from .._errors import counted
from .._families.family import Family
from .._http.listing import Beside, beside
from .._records import Record

CONFIRMED, REFUTED, NOT_TRIED = "confirmed", "refuted", "not tried"
NEEDS_WRITES = "requires writes: true"

# anything else may be a name or an address of the account
_FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,39}")
_WORD = re.compile(r"[A-Za-z][A-Za-z _-]{0,29}")
_MOST_LISTED = 10


class Observation(NamedTuple):
    """One answer of the service.

    form: json, text, html, empty or other; body: the value of JSON, text, or None; headers: ignores the case of names;
    expected: fields and values that were sent, or that the rows of a filtered list should have.
    """

    status: int
    form: str
    body: object
    headers: Mapping[str, str]
    expected: Record

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
    def beside(self) -> Beside:
        """What the answer says about further rows."""
        body = self.body if isinstance(self.body, dict) else {}
        return beside({name: value for name, value in body.items() if name != "data"}, self.headers)


class Observations(dict[str, Observation]):
    """The answers of the service, by the names that the judges know them by."""

    def data(self, name: str) -> object:
        """The content of an answer; None for a refusal, or without an answer."""
        return self[name].data if name in self else None

    def record(self, name: str) -> Record | None:
        """The object in an answer, or None."""
        data = self.data(name)
        return data if isinstance(data, dict) else None

    def rows(self, name: str) -> list[Record]:
        """The rows of a list; none without an answer."""
        return self[name].rows if name in self else []


class Verdict(NamedTuple):
    """verdict: CONFIRMED, REFUTED or NOT_TRIED; seen: what was observed, or why it was not tried, a phrase."""

    verdict: str
    seen: str


Judge = Callable[[Observations], Verdict]


def confirmed_if(condition: object, seen: str) -> Verdict:
    """The verdict that confirms an assumption if the condition is true, and refutes it otherwise."""
    return Verdict(CONFIRMED if condition else REFUTED, seen)


def not_tried(reason: str) -> Verdict:
    return Verdict(NOT_TRIED, reason)


def combine(*verdicts: Verdict) -> Verdict:
    """The first that refutes, else the first that confirms, else the first."""
    return min(verdicts, key=lambda each: (REFUTED, CONFIRMED, NOT_TRIED).index(each.verdict))


def values_of(rows: Iterable[Record], field: str) -> set[str]:
    """The values of a field as strings, without null."""
    return {str(row[field]) for row in rows if row.get(field) is not None}


# --- phrases


def list_names(names: Iterable[str], pattern: re.Pattern[str] = _FIELD, noun: str = "name") -> str:
    """Names of fields as a phrase. Those that could be text of the account are only counted."""
    different = set(names)
    plain = sorted(name for name in different if pattern.fullmatch(name))
    parts = plain[:_MOST_LISTED]
    if len(plain) > _MOST_LISTED:
        parts.append(f"{len(plain) - _MOST_LISTED} more")
    if len(different) > len(plain):
        parts.append(counted(len(different) - len(plain), f"withheld {noun}"))
    return ", ".join(parts) or "none"


def list_words(words: Iterable[object]) -> str:
    """Words of the service's vocabulary as a phrase, likewise."""
    return list_names(("null" if word is None else str(word) for word in words), _WORD, "value")


def list_fields(record: Record) -> str:
    """The names of a record's fields as a phrase, likewise."""
    return list_names({str(name) for name in record})


def describe(answer: Observation) -> str:
    """An answer as a phrase."""
    return f"status {answer.status}, {_describe_body(answer)}"


_FORMS = {"empty": "an empty body", "html": "an HTML page", "text": "plain text"}


def _describe_body(answer: Observation) -> str:
    body = answer.body
    if answer.form != "json":
        return _FORMS.get(answer.form, "other content")
    if isinstance(body, dict):
        data = body.get("data")
        what, record = ("data", data) if isinstance(data, dict) else ("an object", body)
        return f"{what} with {list_fields(record) if record else 'no fields'}"
    if isinstance(body, list):
        return "a bare list"
    return "a JSON string" if isinstance(body, str) else "another JSON value"


_NOUNS = {"http_loggers": "HTTP loggers", "vpn_profiles": "VPN profiles", "requests": "recorded requests"}


def no_rows(name: str) -> Verdict:
    """The verdict without rows of a list: nothing could be judged."""
    return not_tried(f"no {_NOUNS.get(name, name.replace('_', ' '))} were found")


# --- judges that several assumptions share


def judge_rows(name: str, test: Callable[[Record], bool], good: str, bad: Callable[[list[Record]], str]) -> Judge:
    """Judges every row of a list. good, bad: what was observed, the latter from the rows that fail the test."""

    def judge(answers: Observations) -> Verdict:
        rows = answers.rows(name)
        if not rows:
            return no_rows(name)
        wrong = [row for row in rows if not test(row)]
        return confirmed_if(not wrong, bad(wrong) if wrong else good)

    return judge


def judge_filters(name: str, fields: tuple[str, ...]) -> Judge:
    """Judges a filtered list: each row has the expected values."""

    def judge(answers: Observations) -> Verdict:
        rows = answers.rows(name)
        if not rows:
            return not_tried("no rows to compare")
        expected = answers[name].expected
        ignored = [field for field in fields if any(row.get(field) not in (None, expected.get(field)) for row in rows)]
        matching = f"every row matches ({counted(len(rows), 'row')})"
        return confirmed_if(not ignored, f"filters ignored: {', '.join(ignored)}" if ignored else matching)

    return judge


def judge_status(name: str, status: int, without: str = "no answer") -> Judge:
    """Judges the status of one answer. without: why there may be no answer."""

    def judge(answers: Observations) -> Verdict:
        answer = answers.get(name)
        return not_tried(without) if answer is None else confirmed_if(answer.status == status, describe(answer))

    return judge


def judge_fields(name: str, resource: Family, nullable: tuple[str, ...] = ()) -> Judge:
    """Judges the rows of a list: they have the fields of the resource."""
    fields = [field for field in resource.fields if field not in resource.also]

    def lacks(row: Record, field: str) -> bool:
        return field not in row or (row[field] is None and field not in nullable)

    def missing(rows: list[Record]) -> list[str]:
        return [field for field in fields if any(lacks(row, field) for row in rows)]

    return judge_rows(
        name,
        lambda row: not missing([row]),
        "all fields present",
        lambda wrong: f"missing or null: {', '.join(missing(wrong))}",
    )


def judge_current_workspace(family: str) -> Judge:
    """Judges a list that was read without a workspace: it is that of one workspace, although another one has rows, too."""

    def judge(answers: Observations) -> Verdict:
        found = values_of(answers.rows(f"{family}_anywhere"), "workspace_id")
        if len(found) > 1:
            return confirmed_if(False, f"{family} of {len(found)} workspaces are listed")
        if not values_of(answers.rows(f"{family}_elsewhere"), "workspace_id") - found:
            return not_tried(f"no two workspaces with {family} were found")
        return confirmed_if(True, f"{family} of one workspace are listed, although others have some")

    return judge


def judge_types(name: str, field: str, expected: type, good: str) -> Judge:
    """Judges the type of a field in each row of a list."""
    return judge_rows(
        name,
        lambda row: isinstance(row.get(field), expected),
        good,
        lambda wrong: f"other types: {list_words(_type_of(row.get(field)) for row in wrong)}",
    )


def _type_of(value: object) -> str:
    """The type of a value in the words of JSON."""
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "list", dict: "object"}
    return next((name for kind, name in names.items() if isinstance(value, kind)), "null")
