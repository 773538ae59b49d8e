# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from email.utils import formatdate

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._http import retry as _retry
from hypothesis import given
from hypothesis import strategies as st
from requests.structures import CaseInsensitiveDict

METHODS = ("GET", "PUT", "PATCH", "DELETE", "POST")
NOW = 1_800_000_000.0


@pytest.mark.parametrize("method", METHODS)
def test_what_never_arrived_may_be_sent_again(method):
    assert _retry.may_repeat(method, _retry.UNREACHABLE)
    assert _retry.may_repeat(method, 429)


@pytest.mark.parametrize("outcome", [_retry.LOST, 502, 503, 504])
@pytest.mark.parametrize("method", METHODS)
def test_what_may_have_been_done_may_be_sent_again_unless_it_creates(method, outcome):
    assert _retry.may_repeat(method, outcome) is (method != "POST")


@pytest.mark.parametrize("method", METHODS)
def test_500_is_not_sent_again_on_writes(method):
    assert _retry.may_repeat(method, 500) is (method == "GET")


@pytest.mark.parametrize("outcome", [200, 204, 301, 400, 401, 403, 404, 405, 406, 409, 422, 501])
@pytest.mark.parametrize("method", METHODS)
def test_nothing_else_is_sent_again(method, outcome):
    assert not _retry.may_repeat(method, outcome)


@pytest.mark.cases("method, path, budget")
def test_each_call_counts_against_one_limit(method, path, budget):
    assert _retry.limit_of(method, path) == budget


@pytest.mark.cases("attempt, longest")
def test_waits_double_up_to_the_longest(attempt, longest):
    assert _retry.backoff(attempt, 1) == longest


def test_waits_are_spread_by_the_jitter():
    assert _retry.backoff(3, 0) == _retry.backoff(3, 1) / 2


def wait(now=NOW, **headers):
    return _retry.asked_wait(CaseInsensitiveDict({name.replace("_", "-"): text for name, text in headers.items()}), now)


@pytest.mark.parametrize(
    "headers, expected",
    [
        ({}, None),
        ({"Retry_After": "7"}, 7.0),
        ({"Retry_After": " 7 "}, 7.0),
        ({"Retry_After": "0"}, 0.0),
        ({"Retry_After": "2.5"}, 2.5),
        ({"retry_after": "7"}, 7.0),
        ({"Retry_After": "999999999"}, 999999999.0),
        ({"Retry_After": "-7"}, None),
        ({"Retry_After": "soon"}, None),
        ({"Retry_After": "inf"}, None),
        ({"Retry_After": "7" * 400}, None),
        ({"Retry_After": "\u0667"}, None),
        ({"Retry_After": formatdate(NOW + 30, usegmt=True)}, 30.0),
        ({"Retry_After": formatdate(NOW - 30, usegmt=True)}, 0.0),
        ({"Retry_After": "Mon, 01 Jan 99999 00:00:00 GMT"}, None),
        ({"X_RateLimit_Reset": str(int(NOW) + 40)}, 40.0),
        ({"X_RateLimit_Reset": str(int(NOW) - 40)}, 0.0),
        ({"X_RateLimit_Reset": "later"}, None),
        ({"X_RateLimit_Reset": "9" * 400}, None),
        ({"Retry_After": "7", "X_RateLimit_Reset": str(int(NOW) + 40)}, 7.0),
        ({"Retry_After": "soon", "X_RateLimit_Reset": str(int(NOW) + 40)}, 40.0),
    ],
    ids=str,
)
def test_the_wait_that_the_service_asks_for(headers, expected):
    assert wait(**headers) == expected


def test_dates_are_read_by_the_clock_of_the_service():
    theirs = NOW + 5000
    headers = {"Date": formatdate(theirs, usegmt=True), "Retry_After": formatdate(theirs + 30, usegmt=True)}
    assert wait(**headers) == 30.0
    assert wait(Date=formatdate(theirs, usegmt=True), X_RateLimit_Reset=str(int(theirs) + 30)) == 30.0
    assert wait(Date="yesterday", Retry_After=formatdate(NOW + 30, usegmt=True)) == 30.0


HEADER = st.one_of(
    st.text(st.characters(max_codepoint=255), max_size=40),
    st.builds(
        "{}, {} {} {} {}:{}:{} {}".format,
        st.sampled_from(["Mon", ""]),
        *[st.integers(-5, 10**6)] * 6,
        st.text(max_size=5),
    ),
)


@given(HEADER, HEADER, HEADER)
def test_no_header_makes_it_fail(date, retry_after, reset):
    asked = wait(Date=date, Retry_After=retry_after, X_RateLimit_Reset=reset)
    assert asked is None or asked >= 0


@given(st.one_of(st.none(), st.floats(0, 10**6)), st.integers(1, 1000), st.floats(0, 1))
def test_after_429_there_is_always_a_wait_and_never_a_shorter_one_than_asked(asked, attempt, jitter):
    pause = _retry.rate_limit_pause(asked, attempt, jitter)
    assert pause > 0
    if asked:
        assert asked <= pause <= asked + 0.25
    else:
        assert pause <= _retry.LONGEST_BACKOFF


def test_after_429_the_first_wait_is_that_of_a_second_try():
    assert _retry.rate_limit_pause(None, 1, 1) == _retry.backoff(2, 1)


@pytest.mark.cases("text, number")
def test_whole_numbers_of_headers(text, number):
    assert _retry.number_in(text) == number
