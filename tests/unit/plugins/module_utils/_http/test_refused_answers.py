# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The reason in an answer that is no success, in whatever form it comes."""

from __future__ import annotations

import json

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._http.answer import Answer, reason_in, refusal
from ansible_collections.scanops.scanner.plugins.module_utils._http.connection import redirected
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import AnswerError, ApiError


@pytest.mark.cases("said, message, details")
def test_the_reason_is_found_in_any_form(said, message, details):
    assert reason_in(said) == (message, details)


def answer(status, said, cut=False):
    body = said if isinstance(said, bytes) else json.dumps(said).encode()
    one = Answer("GET", "/targets/5", status, {"Content-Type": "application/json"}, body)
    one.cut = cut
    return one


@pytest.mark.parametrize("status", [400, 401, 403, 405, 406, 409, 422])
def test_another_form_is_quoted_with_both_things_to_check(status):
    error = refusal(answer(status, {"error": "no\x9bsuch", "error_description": "plan"}))
    assert isinstance(error, ApiError)
    assert error.status == status
    assert f"was answered {status} (application/json) with an error in another form" in str(error)
    assert r"'no\\x9bsuch' (plan). Check that base_url is the address of the service's API; if it is, " in str(error)


def test_a_404_in_another_form_is_never_the_absence_of_an_object():
    error = refusal(answer(404, {"detail": "Not Found"}))
    assert isinstance(error, AnswerError)
    assert "'Not Found'" in str(error)
    assert error.result["api_error"]["message"] == "Not Found"


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_gateway_is_quoted_where_it_says_why(status):
    assert f"was answered {status}, 'upstream is down'. " in str(refusal(answer(status, {"error": "upstream is down"})))
    assert f"was answered {status}. " in str(refusal(answer(status, b"<html>")))


def test_an_error_body_that_is_cut_is_named():
    assert "with an error body of more than 1 MiB. Check" in str(refusal(answer(400, b"{", cut=True)))
    assert "an error body of more than 1 MiB" in str(refusal(answer(500, b"{", cut=True)))


# --- redirects

HERE = "https://scanner.example.com:8443/api/v2/targets?page=2&a="


@pytest.mark.parametrize(
    "location",
    ["/api/v2/targets/?page=2&a=", "?a=&page=2", "#top", "https://scanner.example.com:8443/api/v2/targets?page=2&a="],
)
def test_a_read_follows_a_redirect_to_the_same_address(location):
    target = redirected("GET", "/targets", 302, HERE, location)
    assert target.startswith("https://scanner.example.com:8443/api/v2/targets") and "page=2" in target
    with pytest.raises(AnswerError) as caught:
        redirected("POST", "/targets", 307, HERE, location)
    assert ", and only reads follow a redirect. Set base_url to the address of the API itself." in str(caught.value)


@pytest.mark.cases("location, shown")
def test_no_other_address_is_followed_and_the_error_shows_it(location, shown):
    with pytest.raises(AnswerError) as caught:
        redirected("GET", "/targets", 302, HERE, location)
    assert shown in str(caught.value)
    assert "u:p" not in str(caught.value)
