# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rate limits: the windows with a clock of our own, and what the service says about them."""

from __future__ import annotations

from email.utils import parsedate_to_datetime

import pytest
from ansible_collections.scanops.scanner.tests.service.limits import (
    FixedWindow,
    Limiter,
    SlidingWindow,
    TokenBucket,
    kind_of,
)


def allowed(window, times):
    return [window.take(now).allowed for now in times]


def test_fixed_window():
    window = FixedWindow(2, 60)
    assert allowed(window, [59, 59, 59, 60, 61, 62, 119.9, 120]) == [True, True, False, True, True, False, False, True]


def test_fixed_window_announces_its_end():
    window = FixedWindow(2, 60)
    first, second, third = window.take(70), window.take(71), window.take(72)
    assert (first.remaining, first.wait) == (1, 0)
    assert (second.remaining, second.wait) == (0, 49)
    assert (third.allowed, third.remaining, third.wait) == (False, 0, 48)


def test_sliding_window():
    window = SlidingWindow(2, 60)
    assert allowed(window, [0, 59, 59.5, 60, 60, 118, 119]) == [True, True, False, True, False, False, True]


def test_sliding_window_announces_when_the_oldest_leaves():
    window = SlidingWindow(2, 60)
    window.take(0), window.take(10)
    refused = window.take(20)
    assert (refused.allowed, refused.remaining, refused.wait) == (False, 0, 40)
    # a refused request does not count
    assert window.take(60).allowed


def test_token_bucket():
    window = TokenBucket(2, 60)
    assert allowed(window, [0, 0, 0, 29, 30, 31, 59, 60]) == [True, True, False, False, True, False, False, True]


def test_token_bucket_is_never_fuller_than_full():
    window = TokenBucket(2, 60)
    assert allowed(window, [0, 10_000, 10_000, 10_000]) == [True, True, True, False]


def test_token_bucket_announces_the_next_token():
    window = TokenBucket(2, 60)
    window.take(0), window.take(0)
    assert window.take(10).wait == pytest.approx(20)


@pytest.mark.parametrize("kind", [FixedWindow, SlidingWindow, TokenBucket])
def test_a_client_that_waits_as_told_is_never_refused(kind):
    window, now = kind(5, 60), 7.0
    for _turn in range(50):
        verdict = window.take(now)
        assert verdict.allowed
        now += verdict.wait + 0.001


@pytest.mark.parametrize(
    "method,path,kind",
    [
        ("GET", "/targets", "GET"),
        ("GET", "/scans/{id}/output", "output"),
        ("GET", "/scans/{id}/raw", "GET"),
        ("POST", "/targets", "write"),
        ("PUT", "/workspaces/{id}", "write"),
        ("DELETE", "/targets/{id}", "write"),
    ],
)
def test_kinds(method, path, kind):
    assert kind_of(method, path) == kind


def rules(**changes):
    base = {
        "window": "fixed",
        "seconds": 60,
        "tick": 1,
        "GET": 1,
        "write": 2,
        "output": 1,
        "retry_after": "seconds",
        "headers": True,
    }
    return {**base, **changes}


def test_kinds_are_counted_apart():
    limiter = Limiter(rules())
    assert limiter.take("GET", "/targets", 0).allowed
    assert not limiter.take("GET", "/workspaces", 0).allowed
    assert limiter.take("POST", "/targets", 0).allowed
    assert limiter.take("DELETE", "/targets/{id}", 0).allowed
    assert not limiter.take("PUT", "/workspaces/{id}", 0).allowed
    assert limiter.take("GET", "/scans/{id}/output", 0).allowed


def refused_headers(**changes):
    limiter = Limiter(rules(**changes))
    limiter.take("GET", "/", 30)
    return limiter.headers(limiter.take("GET", "/", 30.5), 30.5)


def test_headers_of_a_refusal():
    assert refused_headers() == {
        "X-RateLimit-Limit": "1",
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset": "60",
        "Retry-After": "30",
    }
    assert parsedate_to_datetime(refused_headers(retry_after="date")["Retry-After"]).timestamp() == 60
    assert "Retry-After" not in refused_headers(retry_after="none")
    assert refused_headers(headers=False) == {"Retry-After": "30"}


def test_headers_of_an_allowed_request():
    limiter = Limiter(rules(write=125))
    assert limiter.headers(limiter.take("POST", "/", 0), 0) == {
        "X-RateLimit-Limit": "125",
        "X-RateLimit-Remaining": "124",
    }
    limiter = Limiter(None)
    assert limiter.headers(limiter.take("POST", "/", 0), 0) == {}


def test_the_documented_limits_are_the_default(service, send):
    service.settings(rate_limits={})
    read, written = send("GET", "/targets"), send("POST", "/targets", form={"name": "a.example"})
    assert (read.headers["X-RateLimit-Limit"], read.headers["X-RateLimit-Remaining"]) == ("250", "249")
    assert (written.headers["X-RateLimit-Limit"], written.headers["X-RateLimit-Remaining"]) == ("125", "124")
    # an error tells the numbers too
    assert send("GET", "/targets/1").headers["X-RateLimit-Remaining"] == "248"
    assert service.settings()["rate_limits"]["output"] == 60


@pytest.mark.parametrize("window", ["fixed", "sliding", "bucket"])
def test_refused(service, send, window):
    service.settings(rate_limits={"window": window, "seconds": 36000, "write": 3})
    names = [f"{number}.example" for number in "abcd"]
    assert [send("POST", "/targets", form={"name": name}).status for name in names] == [201, 201, 201, 429]
    assert len(service.targets()) == 3
    assert send("GET", "/targets").status == 200
    # a change of the setting starts new counters
    service.settings(rate_limits={"window": window, "seconds": 36000, "write": 3})
    assert send("POST", "/targets", form={"name": "d.example"}).status == 201
    service.settings(rate_limits=None)
    assert "X-RateLimit-Limit" not in send("GET", "/targets").headers


def test_a_wrong_key_and_a_fault_before_the_work_cost_nothing(service, send):
    service.settings(rate_limits={"GET": 1, "seconds": 36000})
    service.fault(action="html", nth=2)
    assert [send("GET", "/targets", key=key).status for key in ("wrong", service.api_key, service.api_key)] == [
        401,
        502,
        200,
    ]
