# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""A row of the table of assumptions, what its judge sees, and the judges that several rows share. Pure.

A verdict quotes names of fields, numbers, and words of the service's vocabulary, but no name, address or text of the
account.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple, Optional

from .._errors import counted
from .._families.family import Family
from .._http.listing import Beside, beside
from .._records import Record

CONFIRMED, REFUTED, NOT_TRIED = "confirmed", "refuted", "not tried"
NEEDS_WRITES = "requires writes: true"

# anything else may be a name or an address of the account
_FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,39}")
_WORD = re.compile(r"[A-Za-z][A-Za-z _-]{0,29}|[0-9]{1,9}")
_MOST_LISTED = 10
_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?")


class Observation(NamedTuple):
    """One answer of the service."""

    status: int
    # json, text, html, empty or other
    form: str
    # the value of JSON, text, or None
    body: object
    # ignores the case of names
    headers: Mapping[str, str]
    # fields and values that were sent, or that the rows of a filtered list should have
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
    def record(self) -> Record:
        """The object in a success; empty if it is none."""
        return self.data if isinstance(self.data, dict) else {}

    @property
    def error(self) -> Record:
        """The object of a refusal; empty if it is none."""
        return self.body if isinstance(self.body, dict) and not self.succeeded else {}

    @property
    def beside(self) -> Beside:
        """What the answer says about further rows."""
        body = self.body if isinstance(self.body, dict) else {}
        return beside({name: value for name, value in body.items() if name != "data"}, self.headers)


class Observations(dict[str, Observation]):
    """The answers of the service, by the names that the judges know them by."""

    def record(self, name: str) -> Record:
        """The object in an answer; empty without one."""
        return self[name].record if name in self else {}

    def rows(self, *names: str) -> list[Record]:
        """The rows of lists; none without an answer."""
        return [row for name in names if name in self for row in self[name].rows]


class Verdict(NamedTuple):
    """The judgement of one assumption."""

    # CONFIRMED, REFUTED or NOT_TRIED
    verdict: str
    # what was observed, or why it was not tried, a phrase
    seen: str


# returns None if the answers lack what the row names as missing
Judge = Callable[[Observations], Optional[Verdict]]


class Row(NamedTuple):
    """One assumption."""

    # its name in the guide
    name: str
    # the sentence with which the guide begins
    assumption: str
    # what a trial needs and does not have, or why there is none, a clause
    missing: str
    # None if it is never tried
    judge: Judge | None = None


def confirmed_if(condition: object, seen: str) -> Verdict:
    """The verdict that confirms an assumption if the condition is true, and refutes it otherwise."""
    return Verdict(CONFIRMED if condition else REFUTED, seen)


def unless(deviations: Collection[str], good: str, label: str = "") -> Verdict:
    """The verdict that deviations refute. good: what was observed without any; label: what they are."""
    bad = ", ".join(sorted(deviations))
    return Verdict(REFUTED, f"{label}: {bad}" if label else bad) if deviations else Verdict(CONFIRMED, good)


def not_tried(reason: str) -> Verdict:
    return Verdict(NOT_TRIED, reason)


def refused(answers: Observations, *names: str) -> Verdict | None:
    """The verdict that quotes the first refusal among these answers; None without one."""
    statuses = [answers[name].status for name in names if name in answers and not answers[name].succeeded]
    return not_tried(f"refused with status {statuses[0]}") if statuses else None


def values_of(rows: Iterable[Record], field: str) -> set[str]:
    """The values of a field as strings, without null."""
    return {str(row[field]) for row in rows if row.get(field) is not None}


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


_FORMS = {"empty": "an empty body", "html": "an HTML page", "text": "plain text"}


def describe(answer: Observation) -> str:
    """An answer as a phrase."""
    body = answer.body
    if answer.form != "json":
        what = _FORMS.get(answer.form, "other content")
    elif isinstance(body, dict):
        data = body.get("data")
        what = f"data with {list_names(data)}" if isinstance(data, dict) else f"an object with {list_names(body)}"
        what = f"{counted(len(data), 'row')} in data" if isinstance(data, list) else what
    else:
        what = "a bare list" if isinstance(body, list) else f"a JSON {type_of(body)}"
    return f"status {answer.status}, {what}"


def type_of(value: object) -> str:
    """The type of a value in the words of JSON."""
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "list", dict: "object"}
    return names.get(type(value), "null")


# --- judges that several assumptions share


def judge_answers(test: Callable[[Observation], object], *names: str, refusals: bool = True) -> Judge:
    """Judges each of these answers. refusals: judge refusals, too."""

    def judge(answers: Observations) -> Verdict | None:
        sent = [answers[name] for name in names if name in answers]
        judged = [answer for answer in sent if refusals or answer.succeeded]
        if not judged:
            return refused(answers, *names)
        wrong = [answer for answer in judged if not test(answer)]
        return confirmed_if(not wrong, describe((wrong or judged)[0]))

    return judge


def judge_status(name: str, status: int) -> Judge:
    """Judges the status of one answer."""
    return judge_answers(lambda answer: answer.status == status, name)


def judge_rows(
    names: Collection[str],
    deviations: Callable[[Record], Iterable[object]],
    good: str,
    label: str,
    listing: Callable[[Iterable[object]], str] = list_words,
) -> Judge:
    """Judges every row of some lists. good, label: as for ``unless``; listing: how deviations become a phrase."""

    def judge(answers: Observations) -> Verdict | None:
        rows = answers.rows(*names)
        found = [deviation for row in rows for deviation in deviations(row)]
        return unless([listing(found)] if found else [], good, label) if rows else None

    return judge


def judge_types(field: str, expected: str, *names: str) -> Judge:
    """Judges the type of a field in each row of some lists. expected: in the words of JSON."""

    def other(row: Record) -> Iterable[str]:
        return {type_of(row[field]) if field in row else "missing"} - {expected}

    return judge_rows(names, other, f"each is a {expected}", "other types")


def judge_fields(name: str, fields: Collection[str], nullable: tuple[str, ...] = ()) -> Judge:
    """Judges the rows of a list: they have these fields."""

    def lacking(row: Record) -> Iterable[str]:
        return (field for field in fields if field not in row or (row[field] is None and field not in nullable))

    return judge_rows([name], lacking, "all fields present", "missing or null", list_names)


def fields_of(family: Family) -> list[str]:
    """The fields of a family that have no other name."""
    return [field for field in family.fields if field not in family.also]


def judge_filters(name: str, *fields: str) -> Judge:
    """Judges a filtered list: each row has the expected values."""

    def judge(answers: Observations) -> Verdict | None:
        rows = answers.rows(name)
        if not rows:
            return None
        expected = answers[name].expected
        ignored = {field for field in fields if any(row.get(field) not in (None, expected.get(field)) for row in rows)}
        return unless(ignored, f"every row matches ({counted(len(rows), 'row')})", "filters ignored")

    return judge


def judge_times(name: str, *fields: str) -> Judge:
    """Judges the times in each row of a list: they have no time zone."""

    def judge(answers: Observations) -> Verdict | None:
        times = [row[field] for row in answers.rows(name) for field in fields if row.get(field)]
        others = {
            "times with a time zone or in another format" if isinstance(time, str) else "numbers"
            for time in times
            if not (isinstance(time, str) and _TIME.fullmatch(time))
        }
        return unless(others, "times without a time zone") if times else None

    return judge


def judge_current_workspace(family: str) -> Judge:
    """Judges a list that was read without a workspace: it is that of one workspace, although another one has rows, too."""

    def judge(answers: Observations) -> Verdict | None:
        found = values_of(answers.rows(f"{family}_anywhere"), "workspace_id")
        if len(found) > 1:
            return confirmed_if(False, f"{family} of {len(found)} workspaces are listed")
        if not values_of(answers.rows(f"{family}_elsewhere"), "workspace_id") - found:
            return None
        return confirmed_if(True, f"{family} of one workspace are listed, although others have some")

    return judge


def judge_both(first: Judge, second: Judge) -> Judge:
    """The verdict that refutes, or else confirms, of two judges."""

    def judge(answers: Observations) -> Verdict | None:
        found = filter(None, (first(answers), second(answers)))
        return min(found, key=lambda each: (REFUTED, CONFIRMED, NOT_TRIED).index(each.verdict), default=None)

    return judge
