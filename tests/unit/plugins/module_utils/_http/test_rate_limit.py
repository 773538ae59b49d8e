# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One process under a rate limit: it uses the complete limit, and then waits for the next free call, each kind of call for
itself."""

from __future__ import annotations

import time

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._http import retry
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.conftest import permitted


def statuses(service):
    return [entry["status"] for entry in service.log()]


@pytest.mark.parametrize("window", ["fixed", "sliding", "bucket"])
def test_a_limit_is_used_completely_without_a_wait(service, transport, clock, window):
    service.settings(rate_limits={"window": window, "GET": 20, "write": 10})
    one = transport()
    for dummy in range(20):
        one.send("GET", "/workspaces")
    assert clock.slept == []
    assert statuses(service) == [200] * 20


def test_put_counts_with_post_and_delete_and_not_with_get(service, transport, clock):
    service.settings(rate_limits={"window": "sliding", "GET": 20, "write": 10})
    one = transport(rate_limit_wait=0)
    for number in range(10):
        one.send(**permitted("PUT", "/workspaces/1", json={"description": str(number)}))
    one.send("GET", "/workspaces")
    assert statuses(service) == [204] * 10 + [200]
    with pytest.raises(Exception, match="429"):
        one.send(**permitted("POST", "/workspaces", form={"name": "New"}))


def test_the_output_of_scans_counts_for_itself(service, transport, clock, output):
    """60 a minute, as the contract has it, and none of them takes from the other calls."""
    service.settings(rate_limits={"window": "sliding", "GET": 250, "output": 60})
    one = transport()
    for dummy in range(60):
        one.send("GET", output)
    for path in ("/scans", "/scans/40001", "/scans/40001/raw", "/findings"):
        one.send("GET", path)
    assert clock.slept == []
    assert statuses(service) == [200] * 64


@pytest.fixture
def output(service):
    """The path of an output, of which the documented limit permits 60 a minute."""
    service.add(targets=[{"id": 1001, "name": "a.example"}], scans=[{"id": 40001, "target_id": 1001}])
    service.settings(validate=False)
    return "/scans/40001/output"


def test_a_service_without_limits_is_not_slowed_down(service, transport, clock, output):
    one = transport()
    for dummy in range(70):
        one.send("GET", output)
    assert clock.slept == []


def test_a_limit_above_the_documented_one_counts(service, transport, clock, output):
    service.settings(rate_limits={"window": "sliding", "output": 80})
    one = transport()
    for dummy in range(80):
        one.send("GET", output)
    assert clock.slept == []


@pytest.mark.parametrize("share, allowed", [(100, 20), (50, 10), (1, 1)])
def test_a_share_leaves_the_rest_of_the_limit_to_others(service, transport, clock, share, allowed):
    service.settings(rate_limits={"window": "sliding", "GET": 20})
    one = transport(rate_share=share)
    for dummy in range(allowed):
        one.send("GET", "/workspaces")
    assert clock.slept == []
    if share < 100:
        one.send("GET", "/workspaces")
        assert sum(clock.slept) == pytest.approx(60)
        assert statuses(service) == [200] * (allowed + 1)


def test_a_task_waits_where_another_one_met_a_429(service, transport, clock):
    service.fault(action="status", status=429, headers={"Retry-After": 30})
    with pytest.raises(Exception, match="429"):
        transport(rate_limit_wait=0).send("GET", "/workspaces")
    transport().send("GET", "/workspaces")
    assert sum(clock.slept) == pytest.approx(30)
    assert statuses(service) == [429, 200]


def test_another_key_and_another_service_share_nothing(service, transport, clock):
    service.fault(action="status", status=429, headers={"Retry-After": 30})
    with pytest.raises(Exception, match="429"):
        transport(rate_limit_wait=0).send("GET", "/workspaces")
    for other in ({"api_key": "another"}, {"base_url": service.base_url.replace("127.0.0.1", "localhost")}):
        one = transport(**other)
        service.fault(action="status", status=200, body={"data": []})
        one.send("GET", "/workspaces")
    assert clock.slept == []


def test_a_stop_that_is_longer_than_the_task_may_wait_is_left_to_the_service(service, transport, clock):
    service.fault(action="status", status=429, headers={"Retry-After": 3000})
    for expected in ("429", None):
        one = transport(rate_limit_wait=10)
        if expected:
            with pytest.raises(Exception, match=expected):
                one.send("GET", "/workspaces")
        else:
            one.send("GET", "/workspaces")
    # the service answers again, so nobody waits any longer
    transport().send("GET", "/workspaces")
    assert clock.slept == []
    assert statuses(service) == [429, 200, 200]


def test_a_limit_that_nobody_used_for_a_window_is_complete(service, transport, clock):
    headers = {"X-RateLimit-Limit": 250, "X-RateLimit-Remaining": 0}
    service.fault(method="GET", action="status", status=200, body={"data": []}, headers=headers)
    one = transport()
    one.send("GET", "/workspaces")
    clock.now += 61
    one.send("GET", "/workspaces")
    assert clock.slept == []


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/New_York"])
@pytest.mark.parametrize(
    "date",
    [
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        "Sun, 06 Nov 1994 08:49:37 -0000",
        "Sun, 06 Nov 1994 08:49:37",
    ],
)
def test_an_http_date_is_in_utc_wherever_the_task_runs(monkeypatch, zone, date):
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        assert retry.moment(date) == 784111777
    finally:
        monkeypatch.undo()
        time.tzset()
