# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the requests of an HTTP logger prove."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._estate.canary import verdict, why_deaf

LOGGER = {"id": 501, "label": "canary", "active_days": 30, "handler_url": "https://handler.example/h/1"}
HIT = {"id": 7, "ip_address": "192.0.2.7", "request_method": "GET"}
MATCH = {"header": "X-Canry: shop", "method": None}


def judged(expect, requests=(), undecided=0, total=0, match=None, **logger):
    return verdict(expect, match or MATCH, {**LOGGER, **logger}, requests, undecided, max(total, len(requests)), 30)


def test_what_was_expected_is_no_failure():
    assert judged("request", [HIT]) == (False, "")
    assert judged("silence") == (False, "")


def test_silence_says_how_many_requests_did_not_match():
    assert judged("silence", total=1) == (
        False,
        "No request that matches logger_canary_match (header) arrived at the logger canary. 1 request arrived that does not"
        " match it. Check it for a typo.",
    )
    assert " 3 requests arrived that do not match it." in judged("silence", total=3).sentence
    assert " 2 requests arrived that do not match it. Check logger_canary_match" in judged("request", total=2).sentence


def test_a_request_that_was_not_expected_is_named_and_escaped():
    failed, sentence = judged("silence", [{**HIT, "request_method": "G\x1bT"}, HIT])
    assert failed
    assert sentence.startswith(
        "2 matching requests arrived at the logger canary, the first one from 192.0.2.7 (G\\x1bT, id 7)"
    )
    assert "from unknown (unknown, id None)" in judged("silence", [{}]).sentence


@pytest.mark.parametrize("expect", ["request", "silence"])
@pytest.mark.parametrize("undecided, total", [(1, 1), (2, 5)])
def test_a_request_that_nobody_can_judge_proves_nothing(expect, undecided, total):
    failed, sentence = judged(expect, undecided=undecided, total=total)
    assert failed and f"is unknown, because {undecided} of those that arrived lack a field" in sentence


@pytest.mark.parametrize("days", [0, "0", 0.0])
def test_a_logger_that_records_nothing_proves_nothing(days):
    for expect in ("request", "silence"):
        failed, sentence = judged(expect, active_days=days)
        assert failed and sentence.startswith(
            "Nothing is proven: The HTTP logger 'canary' can no longer record requests"
        )
    # what it has recorded is there all the same
    assert judged("request", [HIT], active_days=days).failed is False
    assert judged("silence", [HIT], active_days=days).failed is True


@pytest.mark.parametrize("days", [None, "soon", -1])
def test_days_that_are_not_known_prove_no_silence(days):
    assert why_deaf({**LOGGER, "active_days": days}) == ""
    failed, sentence = judged("silence", active_days=days)
    assert failed and "has no active_days" in sentence
