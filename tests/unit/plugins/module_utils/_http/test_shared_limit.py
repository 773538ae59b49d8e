# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Many processes under one rate limit: which calls the service receives, and in which order."""

from __future__ import annotations

import os
from collections import Counter

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._http.connection import Connection
from ansible_collections.scanops.scanner.plugins.module_utils._http.transport import Transport
from ansible_collections.scanops.scanner.tests.unit.sampling import EXHAUSTIVE

pytestmark = pytest.mark.slow

# for each of the two tests
WINDOWS = [("fixed", "sliding", "bucket")] * 2 if EXHAUSTIVE else [("fixed", "sliding"), ("bucket",)]
MOST_REFUSED = 5
# seconds of a window: a busy machine delays a call by tenths of a second, which must stay a small part of it
WINDOW = 4
PROCESSES, CALLS = 50, 6
# more processes than calls in a window, so that somebody always waits
RACERS, ROUNDS = 8, 10
# calls of another process between two calls of one; a fair queue permits about 2, on a busy machine a few more
MOST_BETWEEN = 6


@pytest.fixture
def limited(service):
    """Sets a limit, and returns the connection that counts in the same window: limited(window, calls, seconds)."""

    def limit(window, calls, seconds):
        rules = {"window": window, "seconds": seconds, "tick": seconds / 60, "GET": calls, "retry_after": "seconds"}
        service.settings(validate=False, rate_limits=rules)
        return Connection(service.base_url, service.api_key, rate_window=float(seconds))

    return limit


def start(work, *arguments):
    """Call a function in a process of its own; returns its id. It exits with 0 unless the function raises."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        work(*arguments)
        status = 0
    finally:
        os._exit(status)


def statuses_of(children):
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def send(connection, calls, path="/workspaces"):
    one = Transport(connection)
    for dummy in range(calls):
        one.send("GET", path)


@pytest.mark.parametrize("window", WINDOWS[0])
def test_processes_share_one_limit(service, limited, window):
    """The documented limit of writes, with a shorter window."""
    connection = limited(window, 125, WINDOW)
    running = [start(send, connection, CALLS) for dummy in range(PROCESSES)]
    assert statuses_of(running) == [0] * PROCESSES
    answers = Counter(entry["status"] for entry in service.log())
    assert answers[200] == PROCESSES * CALLS
    assert answers[429] <= MOST_REFUSED


def most_between(paths):
    """The largest number of calls of one process while another one, which sends later, waits: in a list of paths of which
    each belongs to one process."""
    waited = {path: Counter() for path in paths}
    most = 0
    for path in paths:
        most = max([most, *waited[path].values()])
        waited[path].clear()
        for other, seen in waited.items():
            if other != path:
                seen[path] += 1
    return most


def test_calls_between_two_of_one_process_are_counted():
    assert most_between(list("abcabc")) == 1
    assert most_between(list("abbbac")) == 3
    assert most_between(list("aaaab")) == 4


@pytest.mark.parametrize("window", WINDOWS[1])
def test_no_process_starves(service, limited, window):
    workspaces = [{"id": number, "name": f"Workspace {number}"} for number in range(1, RACERS + 1)]
    service.reset(state={"workspaces": workspaces})
    connection = limited(window, RACERS // 2, 0.3)
    ready, begin = os.pipe()

    def race(number):
        os.close(begin)
        os.read(ready, 1)
        send(connection, ROUNDS, f"/workspaces/{number}")

    running = [start(race, number) for number in range(1, RACERS + 1)]
    os.close(ready)
    os.close(begin)
    assert statuses_of(running) == [0] * RACERS
    paths = [entry["path"] for entry in service.log() if entry["status"] == 200]
    assert Counter(paths) == {f"/workspaces/{number}": ROUNDS for number in range(1, RACERS + 1)}
    assert most_between(paths) <= MOST_BETWEEN
