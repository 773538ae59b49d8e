# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Calls are spaced out before the rate limit answers 429, each kind of call for itself."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._http.transport import Transport
from ansible_collections.scanops.scanner.plugins.module_utils._options import Connection
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.conftest import permitted


@pytest.fixture
def paused(service):
    """(transport, list of the seconds it would have slept); no time passes for it."""
    sleeps = []
    connection = Connection(service.base_url, service.api_key)
    transport = Transport(connection, sleep=sleeps.append, clock=lambda: 0.0)
    yield transport, sleeps
    transport.close()


@pytest.mark.parametrize("window", ["fixed", "sliding", "bucket"])
def test_near_the_end_of_the_limit_calls_are_spaced_out_by_their_share_of_a_minute(service, paused, window):
    service.settings(rate_limits={"window": window, "GET": 20, "write": 10})
    transport, sleeps = paused
    for dummy in range(18):
        transport.send("GET", "/workspaces")
    assert sleeps == []
    transport.send("GET", "/workspaces")
    assert sleeps == [pytest.approx(1.0)]
    transport.send("GET", "/workspaces")
    assert sleeps[1:] == [pytest.approx(2.0)]


def test_put_counts_with_post_and_delete_and_not_with_get(service, paused):
    service.settings(rate_limits={"window": "fixed", "GET": 20, "write": 10})
    transport, sleeps = paused
    for number in range(9):
        transport.send(**permitted("PUT", "/workspaces/1", json={"description": str(number)}))
    transport.send("GET", "/workspaces")
    assert sleeps == []
    transport.send(**permitted("POST", "/workspaces", form={"name": "New"}))
    assert sleeps == [pytest.approx(3.0)]


def test_the_output_of_scans_counts_for_itself(service, paused):
    """60 a minute, as the contract has it, and none of them takes from the other calls."""
    service.add(targets=[{"id": 1001, "name": "a.example"}], scans=[{"id": 40001, "target_id": 1001}])
    service.settings(rate_limits={"window": "sliding", "GET": 250, "output": 60})
    transport, sleeps = paused
    for dummy in range(54):
        transport.send("GET", "/scans/40001/output")
    assert sleeps == []
    for dummy in range(6):
        transport.send("GET", "/scans/40001/output", accept="application/pdf")
    # a minute has room for 60, so the last of them wait a second at most
    assert len(sleeps) == 6
    assert 0 < sleeps[0] < sleeps[-1] < 1
    for path in ("/scans", "/scans/40001", "/scans/40001/raw", "/findings"):
        transport.send("GET", path)
    assert len(sleeps) == 6
    assert [entry["status"] for entry in service.log()] == [200] * 64


def test_spacing_ends_with_the_budget_of_the_task(service):
    sleeps = []
    service.settings(rate_limits={"window": "fixed", "GET": 20, "write": 10})
    transport = Transport(
        Connection(service.base_url, service.api_key, rate_limit_wait=2), sleep=sleeps.append, clock=lambda: 0.0
    )
    for dummy in range(20):
        transport.send("GET", "/workspaces")
    transport.close()
    # the first wait fits, the next does not
    assert sleeps == [pytest.approx(1.0)]
