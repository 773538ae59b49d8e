# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils import _errors
from ansible_collections.scanops.scanner.plugins.module_utils._errors import (
    api_error,
    create_hints,
    next_step,
    printable,
)
from hypothesis import given, settings
from hypothesis import strategies as st

QUICK = settings(max_examples=200, deadline=None, database=None)


@QUICK
@given(st.text())
def test_printable_text_is_one_line_of_visible_characters(text):
    shown = printable(text)
    assert shown.isprintable()
    assert isinstance(shown.encode("utf-8"), bytes)
    assert len(shown) <= 300 * 10 + 3


@QUICK
@given(st.text(st.characters(whitelist_categories=["L", "N", "P", "S"]), max_size=300))
def test_visible_text_is_shown_as_it_is(text):
    assert printable(text) == text


def test_long_text_is_cut():
    assert printable("x" * 301) == "x" * 300 + "..."
    assert printable("x" * 60, 60) == "x" * 60
    assert printable("x" * 61, 60) == "x" * 60 + "..."


def test_what_is_no_text_is_shown_too():
    assert printable(None) == "None"
    assert printable(7) == "7"


@pytest.mark.parametrize("status", range(400, 600))
def test_every_status_has_a_next_step(status):
    step = next_step(status)
    assert step
    assert not step.endswith(".")
    error = api_error(status, "no", None, "GET", "/targets")
    assert str(error) == f"GET /targets was answered {status}, 'no': {step}."


def test_hints_of_the_call_come_first():
    hints = create_hints("label")
    assert next_step(422, "bad", hints) == "correct the option label"
    assert next_step(404, "bad", hints) == "no workspace has this id; check workspace_id"
    assert next_step(401, "bad", hints) == next_step(401)
    assert next_step(403, None, hints) == next_step(403)
    assert next_step(403, "something else", hints) == next_step(403)


def test_the_error_for_machines_has_five_keys():
    error = api_error(409, "there", "more", "POST", "/targets")
    assert error.result == {
        "api_error": {"status": 409, "message": "there", "details": "more", "method": "POST", "path": "/targets"}
    }
    assert str(error).startswith("POST /targets was answered 409, 'there' (more): ")


@pytest.mark.parametrize(
    "status, maybe", [(500, True), (502, True), (503, True), (504, True), (409, False), (429, False)]
)
def test_only_errors_of_servers_may_have_done_the_work(status, maybe):
    assert api_error(status, None, None, "POST", "/targets").maybe_done is maybe


def test_the_tree_has_one_root():
    for name in ("ConfigurationError", "Refused", "CallError", "NetworkError", "AnswerError", "ApiError"):
        assert issubclass(getattr(_errors, name), _errors.ScannerError)
    for name in ("NetworkError", "AnswerError", "ApiError"):
        assert issubclass(getattr(_errors, name), _errors.CallError)
