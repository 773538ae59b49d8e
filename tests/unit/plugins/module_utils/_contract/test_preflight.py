# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from email.utils import formatdate

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._contract.service_info import (
    clock_skew,
    judge,
    rate_limit,
)
from ansible_collections.scanops.scanner.plugins.module_utils._http.answer import Answer

NOW = 1700000000.0


def judged(status, body, **headers):
    return judge(Answer("GET", "/workspaces", status, headers, body, (NOW, NOW)))


@pytest.mark.parametrize(
    "status, body, is_api",
    [
        (200, b'{"data": []}', True),
        (200, b'{"data": [{"id": 1, "name": "A"}]}', True),
        (200, b'[{"id": 1, "name": "A"}]', True),
        (200, b'{"data": [{"id": "1", "name": "A"}]}', True),
        (200, b'{"data": [{"id": "one", "name": "A"}]}', False),
        (200, b'{"data": [{"id": 0, "name": "A"}]}', False),
        (200, b'{"data": {"id": 1, "name": "A"}}', False),
        (200, b"{}", False),
        (200, b"", False),
        (200, b"<html>", False),
        (200, b"[" * 100000, False),
        (401, b'{"status": 401, "message": "no"}', True),
        (403, b'{"status": 403, "message": "no", "details": null}', True),
        (500, b'{"status": 500, "message": "no"}', True),
        (404, b'{"status": 404, "message": "no"}', False),
        (401, b'{"status": "401", "message": "Bad credentials"}', None),
        (403, b'{"message": "Forbidden"}', None),
        (401, b'{"error": "unauthorized"}', False),
        (403, b"<html>blocked", False),
        (400, b"<html>", False),
        (429, b"<html>", None),
        (502, b"", None),
        (500, b"oops", None),
    ],
)
def test_whose_answer_it_is(status, body, is_api):
    known = judged(status, body)
    assert known["is_api"] is is_api
    assert (known["found"] is None) is (is_api is True)
    if not is_api:
        assert {"authenticated": None, "api_access": None, "workspaces": None}.items() <= known.items()


def test_workspaces_are_returned_with_id_and_name_in_the_order_of_their_ids():
    known = judged(200, b'{"data": [{"id": 3, "name": 7, "x": 1}, {"id": 2, "name": "B"}]}')
    assert known["workspaces"] == [{"id": 2, "name": "B"}, {"id": 3, "name": "7"}]


@pytest.mark.parametrize(
    "headers, body, words",
    [
        (
            {"Content-Type": "text/html; charset=x"},
            b"<TITLE a=b> Log\x1b\n in </TITLE>",
            r"an HTML page with the title 'Log\\x1b in'",
        ),
        ({"Content-Type": "text/plain"}, b"  <!DOCTYPE HTML><p>", "an HTML page"),
        (
            {"Content-Type": "image/png", "Server": "nginx\x07"},
            b"\x89PNG",
            r"other content from the server 'nginx\\x07'",
        ),
        ({}, b"hello", "other content"),
        ({}, b" ", "no content"),
        ({}, b"[1]", "other JSON"),
        ({}, b'{"message": "no \\u001b[31mroute"}', r"a JSON error that says 'no \\x1b[31mroute'"),
        (
            {},
            b'{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}',
            "a JSON object with the keys 'a', 'b', 'c', 'd', 'e', 'f'",
        ),
    ],
)
def test_an_answer_of_something_else_is_described(headers, body, words):
    assert judged(200, body, **headers)["found"] == words


@pytest.mark.cases("theirs, asked, answered, skew")
def test_a_clock_difference_within_the_duration_of_the_call_is_zero(theirs, asked, answered, skew):
    assert clock_skew({"Date": formatdate(theirs, usegmt=True)}, asked, answered) == skew


@pytest.mark.parametrize("date", [None, "", "soon", "Tue, 99 Nov 2023 22:13:20 GMT"])
def test_without_a_valid_date_the_clock_difference_is_unknown(date):
    assert clock_skew({"Date": date} if date is not None else {}, NOW, NOW) is None


@pytest.mark.parametrize(
    "status, headers, expected",
    [
        (200, {}, (None, None, None)),
        (200, {"X-RateLimit-Limit": "250", "X-RateLimit-Remaining": "0", "Retry-After": "7"}, (250, 0, None)),
        (200, {"X-RateLimit-Limit": "many", "X-RateLimit-Remaining": "-1"}, (None, None, None)),
        (429, {}, (None, 0, None)),
        (429, {"Retry-After": "7.6"}, (None, 0, 8)),
        (429, {"X-RateLimit-Remaining": "3", "X-RateLimit-Reset": str(int(NOW) + 9)}, (None, 3, 9)),
    ],
)
def test_the_rate_limit_is_read_from_the_headers(status, headers, expected):
    assert tuple(rate_limit(status, headers, NOW).values()) == expected
