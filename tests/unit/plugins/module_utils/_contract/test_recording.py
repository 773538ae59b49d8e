# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A recording has the forms of answers, and nothing of the account."""

from __future__ import annotations

import base64
import json
import random
import re
import string
import time
from urllib.parse import quote

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._contract import recording
from ansible_collections.scanops.scanner.plugins.module_utils._contract.recording import Recorder
from ansible_collections.scanops.scanner.plugins.module_utils._contract.relied_on import RELIED_ON
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import FAMILIES
from ansible_collections.scanops.scanner.plugins.module_utils._model.times import moment_of
from ansible_collections.scanops.scanner.tests.unit.sampling import EXHAUSTIVE
from hypothesis import given, settings
from hypothesis import strategies as st

ACCOUNTS = 10000 if EXHAUSTIVE else 150
YEAR = 366 * 86400
# all times of an account are in 2024, and move out of it
FIRST = 1704067200
# 2026-01-02T05:00:00Z
BEGAN = 1767330000
KNOWN = sorted(recording._KNOWN)
JSON = {"Content-Type": "application/json"}


def answered(*answers, began=BEGAN):
    """The recording of answers: (path, body as JSON, more arguments of ``hear``)."""
    recorder = Recorder(began)
    for path, body, *more in answers:
        given = {"method": "GET", "query": None, "status": 200, "headers": JSON, **(more[0] if more else {})}
        raw = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        recorder.hear(path=path, body=raw, **given)
    return json.loads(recorder.text("1.0.0", []))


def body_of(path, body, **more):
    (answer,) = answered((path, body, more))["answers"]
    return answer["body"]


# --- what is kept


def test_relations_stay():
    found = answered(
        ("/workspaces", {"data": [{"id": 7001, "name": "Shop"}, {"id": 7002, "name": "Bank"}]}),
        (
            "/targets",
            {"data": [{"id": 7001, "name": "Shop", "workspace_id": "7002"}]},
            {"query": {"workspace_id": 7002}},
        ),
        ("/targets/7001", {"data": {"id": 7001, "workspace_id": 7002}}),
    )
    workspaces, targets, target = found["answers"]
    assert [row["id"] for row in workspaces["body"]["data"]["first"]] == ["workspace 1", "workspace 2"]
    (row,) = targets["body"]["data"]["first"]
    assert row == {"id": "target 1", "name": "name 1", "workspace_id": "workspace 2 as digits"}
    assert targets["query"] == {"workspace_id": "workspace 2"}
    assert (target["path"], target["ids"]) == ("/targets/{id}", ["target 1"])
    assert target["body"]["data"] == {"id": "target 1", "workspace_id": "workspace 2"}


@pytest.mark.cases("value, form")
def test_a_time_keeps_its_form_and_its_distance_in_hours(value, form):
    assert body_of("/scans/1", {"data": {"start_time": value}}) == {"data": {"start_time": form}}


@given(st.lists(st.integers(BEGAN - YEAR, BEGAN + 7200), min_size=2, max_size=30))
def test_times_keep_their_order_and_nothing_below_an_hour(times):
    moved = recording.offsets(times, BEGAN)
    ordered = sorted(set(times))
    assert [moved[each] for each in ordered] == sorted({*moved.values()})
    assert [each for each in ordered if not (0 <= each - BEGAN - moved[each] < 3600 or moved[each] % 3600)] == []
    # what is left below the hour is the place among the times of that hour
    assert [each for each in ordered if moved[each] % 3600 >= len(ordered)] == []


def test_a_known_time_does_not_give_another_one():
    rows = [{"id": number, "start_time": f"2026-01-02T03:{minute:02d}:07Z"} for number, minute in ((1, 4), (2, 59))]
    other = [{**row, "start_time": row["start_time"].replace("03:04", "03:31")} for row in rows]
    assert answered(("/scans", {"data": rows})) == answered(("/scans", {"data": other}))


def test_an_offset_tells_neither_the_day_nor_another_order():
    """Summer begins on 2026-03-29 at 01:00 UTC in Europe, and the order is that of the times in UTC."""
    texts = [
        "2026-03-29T01:59:00+01:00",
        "2026-03-29T03:01:00+02:00",
        "2026-03-29T01:02:00Z",
        "2026-03-28T20:03:00-0500",
    ]
    rows = [{"id": number, "start_time": each} for number, each in enumerate(texts)]
    shown = [row["start_time"] for row in body_of("/scans", {"data": rows})["data"]["first"]]
    assert [each[19:] for each in shown] == ["+00:00", "+00:00", "Z", "+0000"]
    moments = [moment_of(each) for each in shown]
    assert moments == sorted(moments) and len({*moments}) == 4


@pytest.mark.cases("field, value, kept")
def test_only_printed_words_and_small_counts_are_kept(field, value, kept):
    assert body_of("/elsewhere", {"data": {field: value}}) == {"data": {field: kept}}


def test_unknown_fields_are_counted_by_type():
    assert body_of("/workspaces/1", {"data": {"owner": "Ann", "www.example.com": 1, "colour": "red"}}) == {
        "data": {"other fields": {"integer": 1, "string": 2}}
    }


def test_rows_of_another_form_are_kept_and_the_rest_is_counted():
    rows = [{"id": 7000 + number, "name": "x"} for number in range(1200)]
    rows[10] = {"id": None}
    shape = body_of("/scans", {"data": rows})["data"]
    assert (shape["rows"], len(shape["first"]), shape["first"][-1]) == ("1000 or more", 3, {"id": None})


@pytest.mark.parametrize(
    "body, form", [(None, "not kept"), (b"", "empty"), (b"<html>", "not JSON"), (b'{"a": 1, "a": 2}', "not JSON")]
)
def test_another_body_has_only_a_form(body, form):
    (answer,) = answered(("/scans", body))["answers"]
    assert answer["form"] == form and "body" not in answer


def test_headers_that_matter_are_kept_and_others_are_counted():
    headers = {
        "content-TYPE": "application/json; charset=utf-8",
        "X-RateLimit-Limit": "250",
        "X-RateLimit-Remaining": "4711",
        "Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT",
        "Location": "/api/v2/scans/4711/?token=abc&page=2",
        "Link": '<https://a.example/targets?page=2>; rel="next"',
        "Date": "Wed, 21 Oct 2015 07:28:00 GMT",
        "X-Ann": "me",
    }
    found = answered(("/scans", None, {"headers": headers, "status": 302}))
    assert found["headers"] == {
        "1": {
            "content-type": "application/json",
            "x-ratelimit-limit": 250,
            "retry-after": "date",
            "location": "/scans/{id}/?page",
            "link": {"next": "/targets?page"},
            "names": ["date", "x-ratelimit-remaining"],
            "others": 1,
        }
    }


def test_equal_answers_are_written_once_in_lines_that_are_sorted():
    recorder = Recorder(YEAR)
    for dummy in range(2):
        recorder.hear("GET", "/workspaces", {}, 200, JSON, b"[]")
    text = recorder.text("1.0.0", [{"name": "ids", "verdict": "confirmed"}])
    assert len(json.loads(text)["answers"]) == 1
    assert json.loads(text)["verdicts"] == {"confirmed": ["ids"]}
    for line in text.splitlines():
        members = re.match(r"(?:\"\d\": )?(\{.*\}),?$", line)
        if members:
            assert json.dumps(json.loads(members[1]), sort_keys=True) == members[1]


# --- what is not kept


class Marks:
    """Makes values of an account that are not in any list, and remembers them."""

    def __init__(self, seed):
        self._random = random.Random(seed)
        self.made: list[str] = []

    def pick(self, *values):
        return self._random.choice(values)

    def _made(self, value, *marks):
        self.made += marks or [str(value)]
        return value

    def word(self):
        return self._made("".join(self._random.choices(string.ascii_letters + "äß語", k=12)))

    def text(self):
        word = self.word()
        address = f"10.{self._random.randrange(100, 255)}.{self._random.randrange(100, 255)}.7"
        return self.pick(
            word,
            f"{word}.example.com",
            f"https://{word}.example.com/a?{word}={word}",
            self._made(address),
            f"finished {word}",
            f"{word}\n{word}",
            f"Bearer {word}",
            self.number(),
            str(self.number()),
        )

    def number(self):
        return self._made(self._random.randrange(10**11, 10**15))

    def identity(self):
        return self.pick(self.number(), str(self.number()), self.word())

    def moment(self):
        at = FIRST + self._random.randrange(YEAR - 86400)
        fraction = str(self.number())
        day, clock = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(at)).split()
        self.made += [day, str(at)]
        return self.pick(
            at, at * 1000, str(at), f"{day} {clock}", f"{day}T{clock}Z", f"{day}T{clock}.{fraction}+02:00", day
        )

    def value(self, field, depth=0):
        if field in ("start_time", "end_time", "request_date"):
            return self.moment()
        if field.endswith(("id", "uuid")):
            return self.identity()
        more = (
            lambda: {self.word(): self.text(), "text": self.text(), "id": self.identity()},
            lambda: [self.text()] * 3,
        )
        simple = (self.text, self.number, self.moment, lambda: self.pick(True, False, None), lambda: self.number() / 7)
        return self.pick(*simple, *(more if depth < 3 else ()))()

    def row(self, fields):
        row = {field: self.value(field) for field in sorted(fields) if self.pick(True, True, False)}
        return {**row, self.word(): self.text(), self.word(): {self.word(): self.text()}}

    def headers(self):
        query = f"page={self.word()}&{self.word()}={self.word()}"
        return {
            "Content-Type": self.pick("application/json", f"text/{self.word()}", self.word()),
            "X-RateLimit-Limit": self.pick("250", str(self.number())),
            "X-RateLimit-Remaining": str(self.number()),
            "Retry-After": self.pick(str(self.number()), self.word()),
            "Location": f"https://{self.word()}.example/{self.pick('scans', self.word())}/{self.number()}?{query}",
            "Link": f'<https://{self.word()}.example/{self.word()}?{query}>; rel="next"',
            "Set-Cookie": self.word(),
            f"X-{self.word()}": self.word(),
            "Server": self.word(),
            "Date": time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(FIRST + self._random.randrange(YEAR))),
        }

    def body(self, call):
        """An answer to a call, in one of the forms in which services answer."""
        kind = self.pick("rows", "rows", "row", "created", "error", "text", "bare", "page", "strange")
        rows = [self.row({*call.fields, *self._random.sample(KNOWN, 6)}) for dummy in range(2)]
        if kind == "text":
            return self.pick(f"<html>{self.word()}", self.word(), json.dumps(self.text())).encode()
        found = {
            "rows": {"data": rows},
            "row": {"data": rows[0]},
            "created": {"data": {"created_id": self.identity()}},
            "error": {"status": self.number(), "message": self.text(), "details": {self.word(): self.text()}},
            "bare": rows,
            "page": {
                "data": rows,
                "meta": {"total": self.number(), "next": self.text()},
                "links": {"next": self.text()},
            },
            "strange": {self.word(): rows, "data": {self.word(): rows}},
        }[kind]
        return json.dumps(found, ensure_ascii=self.pick(True, False)).encode()


def encoded(mark):
    """The ways in which a mark may be written."""
    raw = mark.encode()
    yield mark
    yield json.dumps(mark)[1:-1]
    yield quote(mark, safe="")
    yield raw.hex()
    for offset in range(3):
        # the characters that depend on the mark alone
        middle = base64.b64encode(b"\0" * offset + raw)[-(-8 * offset // 6) : 8 * (offset + len(raw)) // 6]
        yield middle.decode()
        yield middle.translate(bytes.maketrans(b"+/", b"-_")).decode()


class Haystack:
    """A text that is searched for many parts, each of at least six characters, without regard to case."""

    def __init__(self, text):
        self.text = text.lower()
        self._beginnings = {self.text[place : place + 6] for place in range(len(text))}

    def __contains__(self, part):
        part = part.lower()
        return part[:6] in self._beginnings and part in self.text


def recording_of(marks, began):
    """The text of a recording of four answers with marks."""
    recorder = Recorder(began)
    for dummy in range(4):
        call = marks.pick(*CALLS)
        path = call.path.replace("{id}", str(marks.number()))
        query = {name: marks.identity() for name in (*call.query, marks.word())}
        recorder.hear(call.method, path, query, marks.pick(200, 201, 404), marks.headers(), marks.body(call))
    return recorder.text("1.0.0", [])


CALLS = [call for call in RELIED_ON if call.method in ("GET", "POST", "DELETE")]


def test_a_mark_is_found_in_each_encoding():
    for form in encoded("Wörterbuch 17"):
        assert form in Haystack(f"and {form} here")


@pytest.mark.slow
def test_no_mark_of_an_account_is_in_its_recording():
    written = 0
    for seed in range(ACCOUNTS):
        marks = Marks(seed)
        text = recording_of(marks, FIRST + YEAR + seed % 3000 * 86400)
        haystack = Haystack(text)
        found = [mark for mark in set(marks.made) for form in encoded(mark) if form in haystack]
        assert found == [], f"account {seed}: {found}"
        written += len(text)
    # the recordings are not empty
    assert written / ACCOUNTS > 1000


TEMPLATES = "|".join(
    re.escape(path) for path in sorted({*(call.path for call in RELIED_ON), "/api-schema.yml", "other"})
)
NOUNS = "|".join([*(family.noun for family in FAMILIES.values()), "object", "tool", "name"])
WORDS = {word for words in recording._WORDS.values() for word in words}
ALLOWED = re.compile(
    rf"(?:{NOUNS}) \d+(?: as (?:digits|text))?|boolean|integer|number|string|list|object|null|digits|date|no address|"
    r"\d+(?: or more)?(?: as text)?|not kept|not JSON|empty|"
    rf"(?:{TEMPLATES})/?(?:\?[a-z_&A-Z]*)?|(?:\d{{4}}-\d\d-\d\d[T ][\d:]{{8}}(?:\.0+)?(?:Z|[+-]\d\d:?\d\d)?)|"
)
STRUCTURE = {
    "body",
    "data",
    "rows",
    "first",
    "other fields",
    "form",
    "headers",
    "ids",
    "method",
    "path",
    "query",
    "status",
}
STRUCTURE |= {"boolean", "integer", "number", "string", "list", "object", "null"}

leaves = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(),
    st.sampled_from(["finished", "2024-02-03 04:05:06", "170", "https://a.example/scans?page=2", "\U0001f600", "pdf "]),
)  # fmt: skip
names = st.one_of(st.text(), st.sampled_from(KNOWN))
documents = st.recursive(
    leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(names, inner, max_size=5)),
    max_leaves=20,
)


def strings_in(value):
    """All strings of a shape, and the keys of its objects that no table names."""
    if isinstance(value, dict):
        yield from (key for key in value if key not in STRUCTURE | recording._KNOWN)
        for inner in value.values():
            yield from strings_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings_in(inner)
    elif isinstance(value, str):
        yield value


@pytest.mark.slow
@settings(derandomize=True)
@given(documents, st.sampled_from([call.path for call in RELIED_ON]), st.text(), st.sampled_from([200, 404]))
def test_every_word_of_a_recording_is_from_a_list(document, path, query, status):
    found = answered(
        (path.replace("{id}", "4711"), document, {"query": {"type": query, query: query}, "status": status})
    )
    for answer in found["answers"]:
        assert answer.pop("method") == "GET" and answer.pop("headers") == 1
        others = [text for text in strings_in(answer) if not ALLOWED.fullmatch(text) and text.lower() not in WORDS]
        assert others == []
