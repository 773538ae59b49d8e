# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import itertools
import re

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._http.advice import (
    ACTIONS,
    CREATE_HINTS,
    READS,
    Call,
    after_another_answer,
    after_no_answer,
    next_step,
)
from ansible_collections.scanops.scanner.plugins.module_utils._http.answer import api_error
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import (
    Incomplete,
    NetworkError,
    ScannerError,
    printable,
)
from hypothesis import given
from hypothesis import strategies as st


@given(st.text())
def test_printable_text_is_one_line_of_visible_characters(text):
    shown = printable(text)
    assert shown.isprintable()
    assert isinstance(shown.encode("utf-8"), bytes)
    assert len(shown) <= 300 * 10 + 3


@given(st.text(st.characters(whitelist_categories=["L", "N", "P", "S"]), max_size=300))
def test_visible_text_is_shown_as_it_is(text):
    assert printable(text) == text


def test_long_text_is_cut():
    assert printable("x" * 301) == "x" * 300 + "..."
    assert printable("x" * 60, 60) == "x" * 60
    assert printable("x" * 61, 60) == "x" * 60 + "..."


# --- what to do next

CALLS = [
    Call(action, "target", "name", *facts)
    for action in ACTIONS
    for facts in itertools.product((False, True), (False, True), ("", "workspace_id", "id"), (False, True))
]
NO_STATUS = ("no answer", "another answer")
# those of the table of next steps, and some that it does not have
STATUSES = [400, 401, 402, 403, 404, 405, 406, 409, 418, 422, 429, 499, 500, 501, 502, 503, 504, 599]


def advice(status, call):
    if status == "no answer":
        return after_no_answer(call, "raise timeout")
    return after_another_answer(call) if status == "another answer" else next_step(status, call=call)


@pytest.mark.parametrize("status", [*STATUSES, *NO_STATUS])
def test_no_advice_names_what_cannot_be_the_cause(status):
    for call in CALLS:
        step = advice(status, call)
        assert step, call
        assert not step.endswith("."), call
        assert "{" not in step, call
        if call.answered:
            # address and key were right in an earlier call of this task
            assert "base_url" not in step, call
            assert "api_key" not in step, call
            assert "API access" not in step, call
        for option in ("workspace_id", "id"):
            assert re.search(rf"check {option}\b", step) is None or call.given == option, call
        assert "filter" not in step or call.filtered, call
        assert "format" not in step or call.action == "download", call
        assert "may have been" not in step, call
        assert "look at" not in step, call
        if call.action in READS:
            assert "still missing" not in step, call
            assert "choose another" not in step, call
        if call.action in ("delete", "stop", *READS):
            assert "correct the option" not in step, call
            assert "declared" not in step, call
        if call.action in ("list", "create"):
            assert "the target was deleted" not in step, call
            assert "in use" not in step, call


@pytest.mark.parametrize("status", [500, 502, 503, 504, *NO_STATUS])
def test_what_may_have_been_done_is_repeated_only_where_that_is_safe(status):
    for call in CALLS:
        step = advice(status, call)
        if call.action == "start" and (call.answered or status != "another answer"):
            assert "before you run the task again" in step, call
        elif call.action not in READS and (call.answered or status != "another answer"):
            assert "it changes only what is still missing" in step, call


@pytest.mark.parametrize("status", STATUSES)
def test_an_error_says_what_failed_why_and_what_to_do(status):
    for call in CALLS:
        error = api_error(status, "no", None, "GET", "/targets", call=call)
        step = next_step(status, call=call)
        assert str(error) == f"GET /targets was answered {status}, 'no'. {step[0].upper()}{step[1:]}."


@pytest.mark.cases("status, facts, step")
def test_advice_follows_from_what_is_known(status, facts, step):
    assert step in next_step(status, call=Call(**{"noun": "target", **facts}))


def test_hints_of_the_call_come_first():
    hints = {422: "correct the option label", **CREATE_HINTS}
    assert next_step(422, "bad", hints) == "correct the option label"
    assert next_step(401, "bad", hints) == next_step(401)
    assert next_step(403, None, hints) == next_step(403)
    assert next_step(403, "something else", hints) == next_step(403)
    assert next_step(403, "the plan does not include API access", hints) != next_step(403, call=Call(answered=True))


@pytest.mark.parametrize("advice", [None, "run the task again"])
def test_what_may_have_been_done_is_said_once_and_counts_as_changed(advice):
    error = NetworkError("No answer to PUT /x", "PUT", "/x", maybe_done=True, advice=advice)
    assert error.may_have_worked
    before = str(error)
    other = error.with_effect("The workspace may have been updated.").with_effect("The change may have been made.")
    end = " Run the task again." if advice else ""
    assert str(other) == f"No answer to PUT /x. The workspace may have been updated.{end}"
    assert other.result == {**error.result, "changed": True}
    assert (str(error), "changed" in error.result) == (before, False)


@pytest.mark.parametrize(
    "error",
    [
        ScannerError("no", kept=1),
        Incomplete("no", kept=1),
        NetworkError("No answer to PUT /x", "PUT", "/x", maybe_done=True, advice="run the task again"),
    ],
)
def test_another_error_is_of_the_same_kind_and_leaves_the_first_as_it_was(error):
    before = (str(error), error.result)
    other = error.with_result(lost=2).with_sentence("It failed.")
    assert type(other) is type(error)
    assert (str(other), other.result) == ("It failed.", {**error.result, "lost": 2})
    assert (str(error), error.result) == before


def test_facts_are_added_to_the_others():
    error = NetworkError("No answer to PUT /x", "PUT", "/x", maybe_done=True)
    other = error.with_facts(after_loss=True, unread=True)
    assert (other.maybe_done, other.after_loss, other.unread) == (True, True, True)
    assert not other.with_facts(maybe_done=False, after_loss=False).may_have_worked
    assert (error.maybe_done, error.after_loss, error.unread, str(other)) == (True, False, False, str(error))


def test_another_sentence_takes_the_place_of_the_advice():
    error = NetworkError("No answer to PUT /x", "PUT", "/x", maybe_done=True, advice="run the task again")
    other = error.with_sentence(f"It was deleted: {error}").with_effect("It may have been updated.")
    assert str(other) == "It was deleted: No answer to PUT /x. Run the task again. It may have been updated."


def test_a_read_never_changes_anything():
    assert not NetworkError("No answer to GET /x", "GET", "/x", maybe_done=True).may_have_worked


def test_the_error_for_machines_has_five_keys():
    error = api_error(409, "there", "more", "POST", "/targets")
    assert error.result == {
        "api_error": {"status": 409, "message": "there", "details": "more", "method": "POST", "path": "/targets"}
    }
    assert str(error).startswith("POST /targets was answered 409, 'there' (more). ")


@pytest.mark.parametrize(
    "status, maybe", [(500, True), (502, True), (503, True), (504, True), (409, False), (429, False)]
)
def test_only_errors_of_servers_may_have_done_the_work(status, maybe):
    assert api_error(status, None, None, "POST", "/targets").maybe_done is maybe
