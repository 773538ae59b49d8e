# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Calls are spaced out before the rate limit answers 429, each kind of call for itself."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._options import Connection
from ansible_collections.scanops.scanner.plugins.module_utils._transport import Transport


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
        transport.send("PUT", "/workspaces/1", json={"description": str(number)})
    transport.send("GET", "/workspaces")
    assert sleeps == []
    transport.send("POST", "/workspaces", form={"name": "New"})
    assert sleeps == [pytest.approx(3.0)]


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
