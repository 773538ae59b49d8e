# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import time

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._model.times import utc_text
from ansible_collections.scanops.scanner.plugins.plugin_utils._comment_role import (
    is_passing,
    text_of,
    wait_after,
    with_page,
)
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_documents import document, row

MARK = "<!-- scanops.scanner.gate_comment gate -->"
TEXT = f"{MARK}\n\n## Gate passed\n"
BEGIN = {"valid": True, "pages": 0, "ids": [], "own": [], "more": True}


def comment(number, body=TEXT, author=5, **fields):
    return {"id": number, "body": body, "user": {"id": author, "login": f"user{author}", "type": "User"}, **fields}


def page(*rows, **fields):
    return {"status": 200, "json": list(rows), **fields}


def read(*pages, author=None):
    state = BEGIN
    for each in pages:
        assert state["more"]
        state = with_page(state, each, {"user": author or {"id": 5}}, MARK)
    return state


def own(*rows, author=None):
    return [row["id"] for row in read(page(*rows), author=author)["own"]]


# --- the text


def test_the_text_comes_from_a_file_or_a_result(tmp_path):
    path = tmp_path / "gate.json"
    path.write_text(json.dumps(document([row(1)], generated="2020-01-01T00:00:00Z")))
    for source in (str(path), document([row(1)], generated="2020-01-01T00:00:00Z")):
        assert text_of(source, "any", "999w")["text"].startswith("## Gate failed: 1 failing finding\n")


@pytest.mark.parametrize(
    "source, problem",
    [
        ("/missing/gate.json", "'/missing/gate.json' does not exist: correct the path"),
        ("/", "'/' is a directory: add the name of the file"),
        ({}, "The input has no valid key outcome"),
        ({"skipped": True}, "The input has no valid key outcome"),
        (None, "The input is not a dictionary but NoneType"),
        (
            {**document([]), "findings": [{"severity": "high", "state": "failing", "change": None}]},
            "fingerprint is missing",
        ),
        ({**document([]), "outcome": "passed\n\n@admin"}, "a word, a number or a time that no gate writes"),
        ({**document([]), "coverage": "@admin"}, "a word, a number or a time that no gate writes"),
        ({**document([]), "counts": {"total": "@admin"}}, "a word, a number or a time that no gate writes"),
        ({**document([]), "summary": {"high": "@admin"}}, "a word, a number or a time that no gate writes"),
        ({**document([]), "generated": "@admin"}, "a word, a number or a time that no gate writes"),
    ],
)
def test_a_source_that_no_gate_writes_has_no_text(source, problem):
    made = text_of(source, "any", "999w")
    assert "text" not in made
    assert made["msg"].startswith("gate_comment_source") and problem in made["msg"]


def test_a_file_that_lists_fewer_findings_than_it_counts_has_no_text(tmp_path):
    cut = {**document([row(1)], generated="2020-01-01T00:00:00Z"), "findings": []}
    path = tmp_path / "gate.json"
    path.write_text(json.dumps(cut))
    made = text_of(str(path), "any", "999w")
    assert "text" not in made and "The input has 0 of 1 findings" in made["msg"]
    # with rows: failing
    assert "text" in text_of(cut, "any", "999w")


@pytest.mark.parametrize("generated", ["9998-12-31T23:59:59Z", utc_text(time.time() + 7200)], ids=["far", "near"])
def test_a_source_of_the_future_is_not_believed(generated):
    """It would always be young, and the comment would be newer than all that follow."""
    made = text_of({**document([]), "generated": generated}, "any", "1h")
    assert "text" not in made and made["generated"] < utc_text(time.time() + 60)
    assert made["msg"].startswith(f"gate_comment_source is of {generated}, which is in the future: check the clock")


def test_a_source_may_be_of_a_clock_that_is_some_minutes_ahead():
    assert "text" in text_of({**document([]), "generated": utc_text(time.time() + 600)}, "any", "1h")


# --- which comments


@pytest.mark.parametrize(
    "body, counts",
    [
        (TEXT, True),
        (TEXT.replace("\n", "\r\n"), True),
        (MARK, True),
        (f"> {TEXT}", False),
        (f"\n{TEXT}", False),
        (TEXT.replace("gate -->", "gate2 -->"), False),
        (TEXT.replace("gate -->", "nightly -->"), False),
    ],
)
def test_a_comment_counts_if_it_begins_with_the_mark(body, counts):
    assert own(comment(3, body)) == ([3] if counts else [])


def test_only_comments_of_the_author_count():
    rows = [comment(3, author=6), {**comment(4), "user": None}, {**comment(5), "user": {"login": "user5"}}, comment(6)]
    assert own(*rows) == [6]
    assert own(*rows, author={"login": "user6"}) == [3]
    assert own(*rows, author={"type": "Bot"}) == []


# --- pages


def test_reading_ends_with_a_page_that_adds_nothing():
    whole = page(comment(1), comment(2))
    state = read(whole, whole)
    assert not state["more"] and state["valid"] and [row["id"] for row in state["own"]] == [1, 2]


def test_an_empty_page_that_announces_another_one_is_not_the_last():
    following = {"link": '<https://gitlab.example/notes?page=3>; rel="next", <https://gitlab.example/>; rel="first"'}
    state = read(page(comment(1, "a")), page(**following), page(comment(7)), page(link='<x>; rel="first"'))
    assert [row["id"] for row in state["own"]] == [7] and state["pages"] == 4 and not state["more"]


@pytest.mark.parametrize(
    "answer",
    [
        {"status": 401, "json": []},
        {"status": 301, "json": []},
        {"status": 200},
        {"status": 200, "json": {"id": 1}},
        {"status": 200, "json": "<html>"},
        {"status": 200, "json": [{"id": "1", "body": ""}]},
        {"status": 200, "json": [{"id": 1}]},
        {"status": 200, "json": [None]},
        {"status": -1, "msg": "Connection refused"},
        {"failed": True, "msg": "MODULE FAILURE"},
    ],
)
def test_an_answer_that_is_no_page_is_not_an_empty_page(answer):
    state = read(page(comment(3)), answer)
    assert not state["valid"] and not state["more"]


# --- calls that are repeated

LOST = {"status": -1, "msg": "Status code was -1 and not [200, 201]: Connection failure: Remote end closed connection"}
REFUSED = {
    "status": -1,
    "msg": "Status code was -1 and not [201]: Request failed: <urlopen error [Errno 111] Connection refused>",
}
UNNAMED = {"status": -1, "msg": "Request failed: <urlopen error [Errno -3] Temporary failure in name resolution>"}
SECONDARY = {"status": 403, "json": {"message": "You have exceeded a secondary rate limit. Please wait."}}
# the two answers in https://github.com/prontolabs/pronto/issues/133 and
# https://github.com/mitchspano/sfdx-scan-pull-request/issues/6
ABUSE = {"status": 403, "json": {"message": "You have triggered an abuse detection mechanism. Please retry later."}}
ABUSE_CODE = {"status": 422, "json": {"message": "Validation Failed", "errors": [{"field": "base", "code": "abuse"}]}}
INVALID = {"status": 422, "json": {"message": "Validation Failed", "errors": [{"field": "body", "code": "invalid"}]}}
USED_UP = {"status": 403, "json": {"message": "No"}, "x_ratelimit_remaining": "0", "x_ratelimit_reset": "1040"}


@pytest.mark.parametrize(
    "answer, read, post",
    [
        ({"status": 200}, False, False),
        ({"status": 429}, True, True),
        (SECONDARY, True, True),
        (USED_UP, True, True),
        (ABUSE, True, True),
        (ABUSE_CODE, True, True),
        (INVALID, False, False),
        ({"status": 403, "json": {"message": "Resource not accessible by integration"}}, False, False),
        ({"status": 401}, False, False),
        ({"status": 404}, False, False),
        ({"status": 500}, False, False),
        ({"status": 502}, True, False),
        ({"status": 503}, True, False),
        ({"status": 504}, True, False),
        (LOST, True, False),
        ({"status": -1, "msg": "The read operation timed out"}, True, False),
        ({"failed": True, "msg": "MODULE FAILURE"}, True, False),
        (REFUSED, True, True),
        (UNNAMED, True, True),
    ],
)
def test_a_call_is_repeated_if_that_does_no_harm(answer, read, post):
    assert [is_passing(answer, method) for method in ("GET", "PUT", "PATCH", "POST")] == [read, read, read, post]


@pytest.mark.parametrize(
    "answer, seconds",
    [
        ({"status": 502}, 3),
        ({"status": 429}, 3),
        ({"status": 429, "retry_after": "7"}, 7),
        ({"status": 429, "retry_after": "0"}, 3),
        ({"status": 503, "retry_after": "3600"}, 60),
        ({"status": 429, "retry_after": "Thu, 01 Jan 1970 00:17:00 GMT"}, 20),
        ({"status": 429, "retry_after": "soon"}, 3),
        (SECONDARY, 60),
        (ABUSE, 60),
        (ABUSE_CODE, 60),
        ({**SECONDARY, "retry_after": "5"}, 5),
        (USED_UP, 40),
        ({**USED_UP, "x_ratelimit_reset": "999"}, 3),
    ],
)
def test_the_wait_is_what_the_provider_asks_for_up_to_a_minute(answer, seconds):
    assert wait_after(answer, 3, 1000.0) == seconds
