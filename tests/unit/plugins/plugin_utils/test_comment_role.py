# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json

import pytest
from ansible_collections.scanops.scanner.plugins.plugin_utils._comment_role import text_of, with_page
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
    path.write_text(json.dumps(document([row(1)])))
    for source in (str(path), document([row(1)])):
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
