# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The decisions about a rate limit that many processes share, in simulated time, against each window of the service."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._http import pace as paces
from ansible_collections.scanops.scanner.plugins.module_utils._http.pace import FIXED, SLIDING, Heard, Pace
from ansible_collections.scanops.scanner.tests.service import limits
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.pace_simulation import (
    Machine,
    shortest,
    simulate,
)

WINDOWS = sorted(limits.WINDOWS)
# seconds into a fixed minute at which the first call is sent; later ones leave no time to use that minute
STARTS = [0.5, 15, 40, 57]


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize(
    "start, limit, processes", [*((start, 125, 50) for start in STARTS), (15, 250, 50), (15, 125, 1), (15, 125, 200)]
)
def test_many_processes_use_the_complete_limit_with_few_answers_429(window, start, limit, processes):
    found = simulate(window, processes, 1000 // processes, limit, start=start, travel=0.2 if processes > 1 else 0.05)
    assert len(found.sent) == 1000
    assert found.refused <= 5
    least = shortest(window, 1000, limit, 60, start, 0.05 if processes == 1 else 0.004)
    assert max(found.sent) - min(found.sent) <= 1.05 * least


@pytest.mark.parametrize("window", WINDOWS)
def test_a_slow_service_is_used_completely_too(window):
    found = simulate(window, 50, 20, 125, start=15, travel=1.5)
    assert found.refused <= 5
    assert max(found.sent) - min(found.sent) <= 1.05 * shortest(window, 1000, 125, 60, 15, 0.03)


@pytest.mark.parametrize("window", WINDOWS)
def test_calls_that_are_under_way_while_the_machine_stands_still_are_counted(window):
    """For longer than a window, before the limit is known."""
    assert simulate(window, 50, 10, 125, start=15, travel=1.0, stall=(0.3, 65)).refused <= 5


@pytest.mark.parametrize("window", WINDOWS)
def test_without_headers_each_process_meets_one_429_at_most_until_the_limit_is_known(window):
    found = simulate(window, 50, 20, 125, start=15, headers=False)
    assert found.refused <= 50
    assert max(found.sent) - min(found.sent) <= 1.05 * shortest(window, 1000, 125, 60, 15, 0.004)


@pytest.mark.parametrize("window", WINDOWS)
def test_no_call_waits_longer_than_a_window(window):
    """Each call waits for a window and for its place in the queue, never for a second window."""
    assert simulate(window, 50, 20, 125, start=15).waits <= 62


@pytest.mark.parametrize("window", WINDOWS)
def test_a_window_of_another_length_is_found_out(window):
    """6 seconds, where 60 are documented."""
    found = simulate(window, 5, 40, 20, seconds=6, start=1, travel=0.1)
    assert len(found.sent) == 200
    assert found.refused <= 30


@pytest.mark.parametrize("window", WINDOWS)
def test_machines_that_share_nothing_but_their_parts_of_the_limit_meet_few_429(window):
    machines = [Machine(share=50), Machine(share=50)]
    found = simulate(window, 50, 10, 125, start=15, machines=machines)
    assert len(found.sent) == 500
    assert found.refused <= 25


@pytest.mark.parametrize("window", WINDOWS)
def test_a_share_holds_in_every_window(window):
    found = simulate(window, 20, 25, 125, start=15, machines=[Machine(share=40)])
    assert found.refused == 0
    times = sorted(found.sent)
    assert all(later - first >= 60 for first, later in zip(times, times[50:]))
    assert times[-1] - times[0] <= 1.05 * 9 * 60


def pace_of(**changes):
    return Pace(limit=10, window=60.0, announced=True, at=100.0, left=0.0, used=100.0)._replace(**changes)


def test_nothing_is_known_of_a_limit_from_before_a_reboot():
    assert paces.known(pace_of(at=5000.0, used=5000.0), 100.0).limit == 0
    assert paces.known(pace_of(), 100.0 + 61 * 60).limit == 0
    assert paces.known(pace_of(), 100.0 + 59 * 60).limit == 10


def test_a_place_in_the_queue_ends_with_its_process():
    waiting = pace_of(queue=((50.0, 101.0),), sent=((90.0, 10),), kind=SLIDING)
    dummy, wait = paces.take(paces.known(waiting, 149.9), 149.9, 60.0, 100)
    assert wait
    gone = paces.known(waiting, 150.1)
    assert gone.queue == ()
    assert paces.take(gone, 150.1, 60.0, 100)[1] == 0


def test_the_queue_is_served_in_order():
    """One call is free, and the process that asked first has it, even if the other one asks again first."""
    one = pace_of(left=1.0, queue=((50.0, 101.0), (60.0, 101.0)))
    later, wait = paces.take(one, 100.0, 60.0, 100)
    assert wait
    assert paces.take(later, 100.0, 50.0, 100)[1] == 0


def test_one_call_finds_out_while_the_others_wait():
    one, wait = paces.take(pace_of(), 100.0, 50.0, 100)
    assert wait == 0
    two, wait = paces.take(one, 100.1, 60.0, 100)
    assert wait > 0
    answered = paces.learn(two, 100.3, 100.0, Heard(True, False, 10, 6), 10)
    assert answered.left == 6
    assert paces.take(answered, 100.3, 60.0, 100)[1] == 0


def test_a_scout_without_an_answer_is_replaced():
    one, wait = paces.take(pace_of(), 100.0, 50.0, 100)
    assert wait == 0
    assert paces.take(paces.known(one, 114.0), 114.0, 60.0, 100)[1] > 0
    assert paces.take(paces.known(one, 116.0), 116.0, 60.0, 100)[1] == 0


def test_an_unreasonable_wait_ends_with_the_next_success():
    stopped = paces.learn(pace_of(), 101.0, 100.5, Heard(False, True, 10, 0, 10**9), 10)
    assert stopped.stop == 101.0 + 3600
    free = paces.learn(stopped, 103.0, 102.0, Heard(True, False, 10, 5), 10)
    assert (free.stop, free.left) == (paces.NEVER, 5)


def test_answers_in_another_order_do_not_raise_what_is_left():
    now = pace_of(left=2.0, under_way=(99.0, 99.1), sent=((100.0, 3),))
    assert paces.learn(now, 100.2, 99.0, Heard(True, False, 10, 7), 10).left == 3
    assert paces.learn(now, 100.2, 99.0, Heard(True, False, 10, 1), 10).left == 1


def test_a_service_that_no_longer_announces_a_limit_has_none():
    free = paces.learn(pace_of(), 101.0, 100.5, Heard(True, False), 10)
    assert paces.is_free(free, 102.0)
    assert not paces.is_free(free, 102.0 + 11 * 60)
    assert not paces.is_free(pace_of(left=5.0), 100.0)
    # as from a proxy
    assert paces.learn(pace_of(), 101.0, 100.5, Heard(False, False), 10).limit == 10


def test_two_ends_of_a_fixed_window_make_the_next_one_known():
    first = paces.learn(pace_of(), 100.0, 99.0, Heard(False, True, 10, 0, 30.0), 10)
    assert (first.kind, first.boundary, first.steady) == (FIXED, 130.0, False)
    beyond = paces.learn(first, 131.0, 130.5, Heard(True, False, 10, 9), 10)
    assert beyond.boundary == 190.0
    second = paces.learn(beyond, 140.0, 139.0, Heard(False, True, 10, 0, 50.5), 10)
    assert (second.kind, second.boundary, second.steady) == (FIXED, 190.0, True)
