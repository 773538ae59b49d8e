# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""How an assumption about the service is judged by its answers. Pure.

What a verdict says was seen holds names of fields, numbers and words of the service's vocabulary, and no name, address or
text of the account.
"""

from __future__ import annotations

import re
from typing import Callable, NamedTuple

from .._http.envelope import Beside, beside
from .._resources import Resource

CONFIRMED, REFUTED, NOT_TRIED = "confirmed", "refuted", "not tried"
NO_WRITES = "set writes: true to try it"

# what else could hold a name or an address of the account
_FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,39}")
_WORD = re.compile(r"[A-Za-z][A-Za-z _-]{0,29}")
_MOST_SHOWN = 10


class Seen(NamedTuple):
    """One answer. form: json, text, html, empty or other; body: the value of JSON, text, or None; headers: a mapping whose
    look-up ignores case; asked: dict, the query or the values that were sent."""

    status: int
    form: str
    body: object
    headers: object
    asked: dict

    @property
    def worked(self) -> bool:
        return 200 <= self.status < 300


class Verdict(NamedTuple):
    """verdict: CONFIRMED, REFUTED or NOT_TRIED; seen: what was seen, or why it was not tried."""

    verdict: str
    seen: str


# from the answers by their names to a verdict
Judge = Callable[[dict], Verdict]


def told(good: bool, seen: str) -> Verdict:
    return Verdict(CONFIRMED if good else REFUTED, seen)


def untried(why: str) -> Verdict:
    return Verdict(NOT_TRIED, why)


def together(verdicts: list[Verdict]) -> Verdict:
    """The first that refutes, else the first that confirms, else the first."""
    ranked = sorted(verdicts, key=lambda each: (REFUTED, CONFIRMED, NOT_TRIED).index(each.verdict))
    return ranked[0]


# --- reading answers


def data_of(seen: Seen | None) -> object:
    """What an answer holds, with or without the envelope; None for a refusal."""
    if seen is None or seen.form != "json" or not seen.worked:
        return None
    return seen.body["data"] if isinstance(seen.body, dict) and "data" in seen.body else seen.body


def rows_of(answers: dict[str, Seen], name: str) -> list[dict]:
    data = data_of(answers.get(name))
    return [row for row in data if isinstance(row, dict)] if isinstance(data, list) else []


def values_of(rows: list[dict], field: str) -> set[str]:
    """The values of a field, as texts; rows without one are left out."""
    return {str(row[field]) for row in rows if row.get(field) is not None}


def beside_of(seen: Seen) -> Beside:
    """What stands beside the rows of a list."""
    if not isinstance(seen.body, dict):
        return beside({}, seen.headers)
    return beside({name: value for name, value in seen.body.items() if name != "data"}, seen.headers)


# --- phrases


def shown(names: set[str], pattern: re.Pattern = _FIELD) -> str:
    """Names of fields, or words, as a phrase."""
    plain = sorted(name for name in names if pattern.fullmatch(name))
    others = len(names) - len(plain)
    parts = plain[:_MOST_SHOWN] + ([f"{len(plain) - _MOST_SHOWN} more"] if len(plain) > _MOST_SHOWN else [])
    return ", ".join(parts + ([f"{others} in another form"] if others else [])) or "none"


def words_shown(words: set[str]) -> str:
    return shown(words, _WORD)


def fields_shown(record: dict) -> str:
    return shown({str(name) for name in record})


def form_of(seen: Seen) -> str:
    """An answer as a phrase."""
    if seen.form != "json":
        what = {"empty": "an empty body", "html": "an HTML page"}.get(seen.form, seen.form)
    elif isinstance(seen.body, dict):
        inner = seen.body.get("data")
        what = (
            f"data with {fields_shown(inner)}"
            if isinstance(inner, dict)
            else f"an object with {fields_shown(seen.body)}"
        )
    else:
        what = {list: "a bare list", str: "a JSON text"}.get(type(seen.body), "another JSON value")
    return f"status {seen.status}, {what}"


# --- judges that several rows share


def each_row(name: str, test: Callable[[dict], bool], good: str, bad: Callable[[list[dict]], str]) -> Judge:
    """Judges every row of a list: good and bad say what was seen."""

    def judge(answers: dict[str, Seen]) -> Verdict:
        rows = rows_of(answers, name)
        if not rows:
            return untried(f"the account shows no {name.replace('_', ' ')}")
        wrong = [row for row in rows if not test(row)]
        return told(not wrong, bad(wrong) if wrong else good)

    return judge


def filtered(name: str, fields: tuple[str, ...]) -> Judge:
    """Judges a list that was asked for with filters: each row has the values that were asked for."""

    def judge(answers: dict[str, Seen]) -> Verdict:
        rows = rows_of(answers, name)
        if not rows:
            return untried("no row to compare")
        asked = answers[name].asked
        wrong = [field for field in fields if any(row.get(field) not in (None, asked.get(field)) for row in rows)]
        return told(not wrong, f"ignored: {', '.join(wrong)}" if wrong else f"{len(rows)} rows, all as asked for")

    return judge


def status(name: str, expected: int, without: str = "the account shows nothing to ask for") -> Judge:
    """Judges the status of one answer."""

    def judge(answers: dict[str, Seen]) -> Verdict:
        seen = answers.get(name)
        return untried(without) if seen is None else told(seen.status == expected, form_of(seen))

    return judge


def has_fields(name: str, resource: Resource, may_be_null: tuple[str, ...] = ()) -> Judge:
    """Judges the rows of a list: they have the fields of the table."""
    fields = [field for field in resource.fields if field not in (resource.also or {})]

    def lacks(row: dict, field: str) -> bool:
        return field not in row or (row[field] is None and field not in may_be_null)

    return each_row(
        name,
        lambda row: not any(lacks(row, field) for field in fields),
        "every field",
        lambda wrong: (
            "missing or null: " + ", ".join(field for field in fields if any(lacks(row, field) for row in wrong))
        ),
    )
