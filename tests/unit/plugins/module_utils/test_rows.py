# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Long lists are read row by row; the result is that of reading them at once."""

from __future__ import annotations

import json
import time

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._errors import AnswerError, ApiError, NetworkError
from ansible_collections.scanops.scanner.plugins.module_utils._families.finding import FINDING
from ansible_collections.scanops.scanner.plugins.module_utils._http import row_stream as _rows
from ansible_collections.scanops.scanner.plugins.module_utils._http.transport import Answer
from hypothesis import given, settings
from hypothesis import strategies as st

QUICK = settings(max_examples=100, deadline=None, database=None)
ANSWER = Answer("GET", "/findings", 200, {"Content-Type": "application/json"}, b"")


class OneAnswer:
    """A client whose service answers with this body, in pieces of this many bytes."""

    def __init__(self, body, size=5):
        self._body = body
        self._size = size

    def sender(self, _resource, _query, sink):
        def send(_place):
            sink.restart(ANSWER)
            for place in range(0, len(self._body), self._size):
                sink.write(self._body[place : place + self._size])

        return send


def read(body, size=5):
    """The rows of a body, with the number that the reader gives."""
    rows = []
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    return rows, _rows.stream(OneAnswer(body, size), FINDING, {}, rows.clear, rows.append).rows


def ids(body, size=5):
    rows, number = read(body, size)
    assert number == len(rows)
    return [row["id"] for row in rows]


SIZES = pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 100000])
ROWS = [
    {"id": 1, "name": "a"},
    {"id": 2, "name": 'q"\\\u00fc\u2028 \U0001f600 [{'},
    {"id": 3, "x": [{"id": 4}, -1.5e3]},
]


@SIZES
@pytest.mark.parametrize(
    "body",
    [
        {"data": ROWS},
        ROWS,
        {"a": 1234, "data": ROWS, "b": [{"id": 9}], "c": None},
        {"meta": {"data": [{"id": 9}]}, "data": ROWS},
    ],
    ids=["wrapped", "bare", "among others", "below another"],
)
def test_rows_are_read_in_every_envelope_and_however_they_are_cut(body, size):
    assert ids(body, size) == [1, 2, 3]
    assert [row["name"] for row in read(body, size)[0]] == ["a", ROWS[1]["name"], ""]


@SIZES
def test_white_space_a_byte_order_mark_and_unescaped_text_are_no_matter(size):
    body = '\ufeff \r\n{\t"data" : [ \n' + " , ".join(json.dumps(row, ensure_ascii=False) for row in ROWS) + " ] \n} \n"
    assert ids(body.encode(), size) == [1, 2, 3]


@SIZES
@pytest.mark.parametrize("body", [{"data": []}, []])
def test_an_empty_list_has_no_rows(body, size):
    assert ids(body, size) == []


@SIZES
@pytest.mark.parametrize(
    "body, said",
    [
        (b"", "a body that is not JSON"),
        (b"  ", "a body that is not JSON"),
        (b"<html></html>", "a body that is not JSON"),
        (b'{"data":[{"id":1},{"id":2}', "a body that is not JSON"),
        (b'{"data":[{"id":1},{"id"', "a body that is not JSON"),
        (b'{"data":[{"id":1}]', "a body that is not JSON"),
        (b'{"data":[{"id":1}]}]', "a body that is not JSON"),
        (b'{"data":[{"id":1}]} {"data":[]}', "a body that is not JSON"),
        (b'{"data":[{"id":1},]}', "a body that is not JSON"),
        (b'{"data":[{"id":1}],"n":NaN}', "a body that is not JSON (NaN is not a JSON number)"),
        (b'{"data":[{"id":1} {"id":2}]}', "a body that is not JSON"),
        (b'{"data":[,{"id":1}]}', "a body that is not JSON"),
        (b'{"data":[{"id":1}],}', "a body that is not JSON"),
        (b'{"data":[],"data":[]}', "a body that is not JSON (the key 'data' occurs twice"),
        (b'{"data":1,"data":[]}', "a body that is not JSON (the key 'data' occurs twice"),
        (b'{"data" []}', "a body that is not JSON"),
        (b'{7:1,"data":[]}', "a body that is not JSON"),
        (b'{"data":[{"id":1,"x":NaN}]}', "a body that is not JSON"),
        (b'{"data":[{"id":1,"x":-1e999}]}', "a body that is not JSON"),
        (b'{"data":[{"id":1,"x":-Infinity}]}', "a body that is not JSON"),
        (b'{"data":[{"id":1,"name":"\xff"}]}', "a body that is not JSON"),
        (b'{"data":[{"id":1,"name":"a\nb"}]}', "a body that is not JSON"),
        (b'[{"id":1,"x":' + b"[" * 200000, "a body that is not JSON"),
        (b"{}", "no data in it"),
        (b'{"rows":[]}', "no data in it"),
        (b"true", "no data in it"),
        (b'"text"', "no data in it"),
        (b"12", "no data in it"),
        (b'{"data":null}', "data that is not a list"),
        (b'{"data":{"id":1}}', "data that is not a list"),
        (b'{"data":[1]}', "data that is not a list of findings"),
        (b'{"data":[[]]}', "data that is not a list of findings"),
        (b'{"data":[{"id":"one"}]}', "data that is not a list of findings"),
        (b'{"data":[{"id":0}]}', "data that is not a list of findings"),
        (b'{"data":[{"id":1,"task_id":-1}]}', "data that is not a list of findings"),
        (b'{"data":[{"id":true}]}', "data that is not a list of findings"),
        (b'{"data":[{"id":1,"name":["x"]}]}', "data that is not a list of findings"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_is_no_list_of_findings_is_an_error_that_says_so(body, said, size):
    with pytest.raises(AnswerError) as error:
        read(body, size)
    assert f"GET /findings was answered 200 (application/json) with {said}" in str(error.value)


@QUICK
@given(
    st.lists(
        st.dictionaries(
            st.text(max_size=5),
            st.recursive(
                st.one_of(
                    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()
                ),
                lambda inner: st.one_of(
                    st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
                ),
                max_leaves=5,
            ),
            max_size=4,
        ),
        max_size=6,
    ),
    st.integers(1, 50),
    st.booleans(),
)
def test_what_is_read_is_what_was_written(rows, size, ascii_only):
    rows = [{**row, "id": number, "name": "x"} for number, row in enumerate(rows, 1)]
    body = json.dumps({"data": rows}, ensure_ascii=ascii_only).encode("utf-8", "backslashreplace")
    found = read(body, size)[0]
    # what JSON makes of a lone surrogate is its own matter
    assert [{name: record[name] for name in row} for record, row in zip(found, json.loads(body)["data"])] == json.loads(
        body
    )["data"]


LONG = {
    "text": "y" * 900_000,
    "line ends": "y\n" * 300_000,
    "quotes": '"' * 450_000,
    "backslashes": "\\" * 450_000,
    "umlauts": "\u00fc" * 150_000,
    "lists": [[]] * 225_000,
    "numbers": [1] * 300_000,
    "objects": [{"a": '}"'}] * 60_000,
    "number": 7,
}


@pytest.mark.parametrize("size", [1000, 65536])
def test_a_value_that_continues_is_tried_again_when_twice_as_much_has_arrived(monkeypatch, size):
    tries = []
    raw_decode = _rows.JSON.raw_decode

    def counted(_self, s, idx=0):
        tries.append(len(s) - idx)
        return raw_decode(s, idx)

    monkeypatch.setattr(type(_rows.JSON), "raw_decode", counted)
    value = LONG["objects"]
    body = json.dumps({"data": [{"id": 1, "x": value}, {"id": 2}]})
    rows, number = read(body.encode(), size)
    assert (number, rows[0]["x"]) == (2, value)
    assert sum(tries) <= 4 * len(body)


@pytest.mark.parametrize("value", LONG.values(), ids=LONG)
def test_the_time_for_a_long_value_grows_with_its_size(value):
    """Eight times the size take about eight times as long, however small the pieces are; 64 times if it were quadratic."""

    def seconds(times):
        body = json.dumps({"data": [{"id": 1, "x": value * times}]}).encode()
        for _attempt in range(3):
            began = time.process_time()
            read(body, 4096)
            yield time.process_time() - began

    once = max(min(seconds(1)), 0.002)
    assert any(eight < 30 * once for eight in seconds(8))


# --- with the service


def test_a_broken_answer_is_asked_for_again_and_what_was_read_of_it_is_forgotten(service, client):
    service.fill(findings=300, finding_size=2000)
    service.fault(path="/findings", action="truncate")
    service.fault(path="/findings", nth=2, action="short")
    rows, begun = [], []

    def begin():
        rows.clear()
        begun.append(None)

    assert _rows.stream(client, FINDING, {"workspace_id": 2}, begin, rows.append) == (300, None, False)
    assert len({row["id"] for row in rows}) == 300
    assert len(begun) == 3
    assert service.calls() == ["GET /findings"] * 3


def test_an_answer_that_always_breaks_is_an_error(service, client):
    service.fill(findings=10)
    service.fault(path="/findings", action="truncate", times=None)
    with pytest.raises(NetworkError, match="broke off before its announced end"):
        _rows.stream(client, FINDING, {}, list, lambda row: None)


def test_a_refusal_comes_from_the_service(service, client):
    with pytest.raises(ApiError, match="No workspace has this id"):
        _rows.stream(client, FINDING, {"workspace_id": 99}, list, lambda row: None)
