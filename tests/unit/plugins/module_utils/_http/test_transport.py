# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import re

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._http import connection as _connection
from ansible_collections.scanops.scanner.plugins.module_utils._http.connection import Connection
from ansible_collections.scanops.scanner.plugins.module_utils._http.transport import Transport
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import (
    AnswerError,
    ApiError,
    CallError,
    NetworkError,
)
from ansible_collections.scanops.scanner.tests.unit.local_service import LocalService
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.conftest import permitted


def test_what_is_sent(service, transport):
    transport().send(**permitted("POST", "/http_loggers", query={"workspace_id": 1}, form={"label": "é ☕&="}))
    (entry,) = service.log()
    assert entry["query"] == {"workspace_id": "1"}
    assert entry["form"] == {"label": "é ☕&="}
    assert entry["content_type"] == "application/x-www-form-urlencoded"
    assert entry["accept"] == "application/json"
    assert entry["authorization"] == "right"
    assert re.fullmatch(r"scanops\.scanner/[0-9.]+ ansible-core/\S+", entry["user_agent"])


def test_one_connection_carries_all_calls(service, transport):
    one = transport()
    for dummy in range(3):
        one.send("GET", "/workspaces")
    assert len({entry["client_port"] for entry in service.log()}) == 1


def test_the_call_log_has_what_was_sent_and_answered(service, transport):
    one = transport(retries=1)
    one.send("GET", "/targets", query={"limit": 1000, "page": 1})
    service.fault(action="status", status=503)
    one.send("GET", "/workspaces")
    service.fault(action="reset", times=None)
    with pytest.raises(NetworkError):
        one.send("GET", "/workspaces")
    assert one.calls == [
        "GET /targets?limit=1000&page=1 -> 200",
        "GET /workspaces -> 503",
        "GET /workspaces -> 200",
        "GET /workspaces -> no answer",
        "GET /workspaces -> no answer",
    ]


def test_neither_the_key_nor_the_proxy_is_in_any_text(service, transport):
    connection = Connection(
        "https://scanner.example.com/api/v2", service.api_key, proxy="http://u:pa55@proxy.example.com"
    )
    one = Transport(connection)
    for each in (connection, one, one._session, [connection], {"connection": connection}):
        for text in (repr(each), str(each), f"{each}"):
            assert service.api_key not in text
            assert "pa55" not in text


@pytest.mark.cases("fault")
def test_the_key_is_in_no_exception(service, transport, fault):
    service.allow_violations = True
    service.fault(
        times=None,
        **{
            name: str(value).replace("KEY", service.api_key) if isinstance(value, str) else value
            for name, value in fault.items()
        },
    )
    with pytest.raises((NetworkError, AnswerError, ApiError, Exception)) as caught:
        transport().send("GET", "/workspaces").json()
    error = caught.value
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        assert service.api_key not in f"{error!r} {error} {vars(error)}"
        # what a traceback would show
        assert error.__suppress_context__ or error.__context__ is None
        error = error.__cause__


# --- retries


def test_the_waits_between_retries_grow(service, transport, clock):
    service.fault(action="html", status=503, times=None)
    with pytest.raises(ApiError):
        transport(retries=4).send("GET", "/workspaces")
    assert clock.slept == [0.75, 1.5, 3.0, 6.0]


def test_a_rate_limit_does_not_use_up_the_retries(service, transport, clock):
    service.fault(action="status", status=429, headers={"Retry-After": 3}, times=5)
    service.fault(nth=6, action="html", status=503)
    assert transport(retries=1).send("GET", "/workspaces").status == 200
    assert clock.slept == [3.125] * 5 + [0.75]


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "POST"])
def test_a_closed_port_is_tried_again_by_every_method(transport, clock, method):
    one = transport(base_url="http://127.0.0.1:1/api/v2", retries=2)
    with pytest.raises(NetworkError) as caught:
        one.send(**permitted(method, "/workspaces"))
    assert len(clock.slept) == 2
    assert not caught.value.maybe_done


@pytest.mark.parametrize("action", ["reset", "close", "truncate", "short"])
def test_a_lost_answer_may_have_been_done(service, transport, action):
    service.fault(method="POST", action=action, when="after")
    with pytest.raises(NetworkError) as caught:
        transport().send(**permitted("POST", "/workspaces", form={"name": "New"}))
    assert caught.value.maybe_done
    assert caught.value.status is None
    assert service.writes() == ["POST /workspaces"]


def test_a_timeout_may_have_been_done(service, transport):
    service.fault(method="POST", action="delay", seconds=1)
    with pytest.raises(NetworkError, match=r"within 0\.2 s\. .* Raise timeout if this persists\.$") as caught:
        transport(timeout=0.2).send(**permitted("POST", "/workspaces", form={"name": "New"}))
    assert caught.value.maybe_done
    assert service.writes() == ["POST /workspaces"]


@pytest.mark.parametrize("missing", [1, 10, 10**6])
def test_a_body_that_is_shorter_than_announced_is_lost(service, transport, missing):
    service.fault(action="short", missing=missing)
    one = transport()
    assert one.send("GET", "/workspaces").json()["data"]
    assert [call.rpartition(" ")[2] for call in one.calls] == ["answer", "200"]


# --- the rate limit


def test_the_budget_is_one_for_the_whole_task(service, transport, clock):
    one = transport(rate_limit_wait=10)
    service.fault(action="status", status=429, headers={"Retry-After": 6}, times=None, nth=1)
    with pytest.raises(ApiError, match=r"rate_limit_wait \(now 10 s"):
        one.send("GET", "/workspaces")
    with pytest.raises(ApiError, match=r"rate_limit_wait"):
        one.send("GET", "/workspaces")
    assert clock.slept == [6.125]


def test_waits_for_a_free_call_count_against_the_budget_and_stop_with_it(service, transport, clock):
    headers = {"X-RateLimit-Limit": 60, "X-RateLimit-Remaining": 0}
    service.fault(method="GET", action="status", status=200, body={"data": []}, headers=headers, times=None)
    one = transport(rate_limit_wait=2)
    for dummy in range(5):
        one.send("GET", "/workspaces")
    assert sum(clock.slept) <= 2


# --- the library


@pytest.mark.cases("version, missing")
def test_a_requests_that_is_too_old_is_named(monkeypatch, version, missing):
    monkeypatch.setattr(_connection, "REQUESTS_VERSION", version)
    assert (_connection.missing_requests() is not None) is missing
    if missing:
        assert version in _connection.missing_requests()
        assert "requests >= 2.31" in _connection.missing_requests()


def test_the_address_is_not_doubted_once_it_has_answered(transport):
    with LocalService.start() as service:
        sender = transport(base_url=service.base_url, api_key=service.api_key, retries=1)
        sender.send("GET", "/workspaces")
    with pytest.raises(NetworkError, match="It answered earlier in this task") as caught:
        sender.send("GET", "/workspaces")
    assert "base_url" not in str(caught.value)
    assert not caught.value.maybe_done


@pytest.fixture
def shown(transport, clock):
    """shown(passed, **connection) reads once, that many seconds after the last line, and returns the lines."""

    def read(passed, **connection):
        one = transport(**connection)
        lines = []
        one.show = lines.append
        clock.now += passed
        with contextlib.suppress(CallError):
            one.send("GET", "/workspaces")
        return lines

    return read


def test_a_retry_after_a_silence_is_shown(service, shown):
    service.fault(action="status", status=503, times=2)
    assert shown(10) == ["GET /workspaces was answered 503, 'fault on demand'; trying again, 1 of 3, in 1 s"]


def test_retries_of_a_moment_are_silent(service, shown):
    service.fault(action="status", status=503, times=None)
    assert shown(0, retries=2) == []


def test_each_try_that_takes_long_is_shown(service, shown, clock, monkeypatch):
    service.fault(action="status", status=503, times=None)
    once = Transport._try_once
    monkeypatch.setattr(Transport, "_try_once", lambda *given: (clock.sleep(30), once(*given))[1])
    lines = shown(0, retries=2)
    assert [line.partition("again, ")[2] for line in lines] == ["1 of 2, in 1 s", "2 of 2, in 1 s"]


def test_a_wait_for_the_rate_limit_is_shown_once(service, shown):
    service.fault(action="status", status=429, headers={"Retry-After": 40})
    assert shown(0) == ["the rate limit is used up; the next call is in 40 s"]


def test_the_next_task_begins_its_silence_anew(service, transport, clock):
    service.fault(action="status", status=503)
    one = transport()
    clock.now += 10
    one.renew()
    lines = []
    one.show = lines.append
    one.send("GET", "/workspaces")
    assert lines == []
