# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The decisions about a rate limit that many processes share, in simulated time, against each window of the service."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._http import pace as paces
from ansible_collections.scanops.scanner.plugins.module_utils._http.pace import Heard, Pace, Rule
from ansible_collections.scanops.scanner.tests.service import limits
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils._http.pace_simulation import (
    Machine,
    simulate,
)

WINDOWS = sorted(limits.WINDOWS)
# seconds into a fixed minute at which the first call is sent
STARTS = [0.5, 15, 57]


def at_the_limit(found, limit, seconds=60):
    """Whether no minute had fewer calls than 99 per cent of the limit, but for the time of the last calls to arrive."""
    return max(found.sent) - min(found.sent) <= 1.01 * (len(found.sent) / limit - 1) * seconds + 6


@pytest.mark.slow
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize(
    "start, limit, processes", [*((start, 125, 50) for start in STARTS), (15, 250, 50), (15, 125, 1), (15, 125, 200)]
)
def test_calls_use_the_complete_limit_with_hardly_a_429(window, start, limit, processes):
    found = simulate(window, processes, 1000 // processes, limit, start=start, travel=0.2 if processes > 1 else 0.05)
    assert len(found.sent) == 1000
    assert found.refused <= 1
    assert at_the_limit(found, limit)


@pytest.mark.slow
@pytest.mark.parametrize("window", WINDOWS)
def test_a_slow_service_is_used_completely_too(window):
    found = simulate(window, 50, 20, 125, start=15, travel=1.5)
    assert found.refused <= 1
    # each call counts until a window after its answer
    assert max(found.sent) - min(found.sent) <= 7 * (60 + 1.5 * 1.6) + 6


@pytest.mark.parametrize("window", WINDOWS)
def test_calls_that_are_under_way_while_the_machine_stands_still_are_counted(window):
    """For longer than a window, before the limit is known."""
    assert simulate(window, 50, 10, 125, start=15, travel=1.0, stall=(0.3, 65)).refused <= 5


@pytest.mark.slow
@pytest.mark.parametrize("retry_after", [True, False])
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("processes, travel", [(1, 0.05), (50, 0.2)])
def test_without_headers_one_call_in_a_hundred_meets_a_429_until_the_limit_is_known(
    window, processes, travel, retry_after
):
    more = dict(headers=False, retry_after=retry_after)
    found = simulate(window, processes, 1000 // processes, 125, start=15, travel=travel, **more)
    assert found.refused <= 10
    assert at_the_limit(found, 125)


@pytest.mark.slow
@pytest.mark.parametrize("window", WINDOWS)
def test_no_call_waits_longer_than_a_window(window):
    """Each call waits for a window and for its place in the queue, never for a second window."""
    assert simulate(window, 50, 20, 125, start=15).waits <= 62


@pytest.mark.parametrize("window", WINDOWS)
def test_machines_that_share_nothing_but_their_parts_of_the_limit_meet_few_429(window):
    machines = [Machine(share=50), Machine(share=50)]
    found = simulate(window, 50, 10, 125, start=15, machines=machines)
    assert len(found.sent) == 500
    assert found.refused == 0
    # 124 of 125 calls a minute, as each machine has a share of 62
    assert max(found.sent) - min(found.sent) <= 4 * 61 + 6


@pytest.mark.parametrize("window", WINDOWS)
def test_a_share_holds_in_every_window(window):
    found = simulate(window, 20, 25, 125, start=15, machines=[Machine(share=40)])
    assert found.refused == 0
    times = sorted(found.sent)
    assert [(first, later) for first, later in zip(times, times[50:]) if later - first < 60] == []
    assert times[-1] - times[0] <= 1.05 * 9 * 60


RULE = Rule(10)


def pace_of(**changes):
    return Pace(used=100.0, limit=10)._replace(**changes)


def tuples(value):
    return tuple(map(tuples, value)) if isinstance(value, list) else value


def learn(pace, now, sent_at, **heard):
    return paces.learn(pace, now, sent_at, Heard(**{"good": True, "refused": False, **heard}), RULE)


def test_nothing_is_known_of_a_limit_from_before_a_reboot():
    assert paces.known(pace_of(used=5000.0), 100.0, RULE) == Pace(100.0)
    assert paces.known(pace_of(), 100.0 + 62 * 60, RULE).limit == 0
    assert paces.known(pace_of(), 100.0 + 59 * 60, RULE).limit == 10


def test_calls_are_forgotten_somewhat_after_a_window():
    """Answers under way say how many calls counted when they were sent."""
    pace = pace_of(calls=((32.0, 1), (36.0, 2), (90.0, 1)), others=((39.0, 1), (41.0, 2)), under_way=(-199.0, -201.0))
    known = paces.known(pace, 100.0, RULE)
    assert (known.calls, known.others, known.under_way) == (((36.0, 2), (90.0, 1)), ((41.0, 2),), (-199.0,))
    # clocks of processors differ a little
    assert paces.known(pace, 99.1, RULE).limit == 10
    assert paces.known(pace, 98.5, RULE).limit == 0


def test_a_place_in_the_queue_ends_with_its_process():
    waiting = pace_of(queue=((50.0, 101.0),), calls=((90.0, 10),))
    assert paces.take(paces.known(waiting, 105.9, RULE), 105.9, 60.0, RULE)[1] > 0
    gone = paces.known(waiting, 150.1, RULE)
    assert gone.queue == ()
    assert paces.take(gone, 150.1, 60.0, RULE)[1] == 0


def test_the_queue_is_served_in_order():
    """One call is free, and the process that asked first has it, even if the other one asks again first."""
    one = pace_of(calls=((99.0, 9),), queue=((50.0, 101.0), (60.0, 101.0)))
    later, wait = paces.take(one, 100.0, 60.0, RULE)
    assert wait == 5.0
    sent, wait = paces.take(later, 100.0, 50.0, RULE)
    assert (wait, sent.under_way, sent.queue, sent.used) == (0, (100.0,), ((60.0, 105.0),), 100.0)


@pytest.mark.cases("changes, wait")
def test_when_the_next_call_is_sent(changes, wait):
    pace = pace_of(**{key: tuples(value) for key, value in changes.items()})
    after, found = paces.take(pace, 100.0, 100.0, RULE)
    assert found == pytest.approx(wait)
    assert len(after.under_way) == len(pace.under_way) + (not wait)


def test_a_stop_that_ends_now_is_over():
    full = {"calls": ((90.0, 10),)}
    assert paces.take(pace_of(stop=100.0, **full), 100.0, 100.0, RULE)[1] == 5.0
    assert paces.take(pace_of(stop=100.1, **full), 100.0, 100.0, RULE)[1] == pytest.approx(0.1)


def test_a_call_without_an_answer_is_recent_for_a_twentieth_of_the_window():
    waits = [paces.take(pace_of(refused=50.0, under_way=(sent,)), 100.0, 100.0, RULE)[1] for sent in (99.9, 97.1, 97.0)]
    assert waits == pytest.approx([0.3, 0.3, 0.0])


def test_only_a_429_makes_the_documented_limit_known():
    assert learn(pace_of(limit=0), 101.0, 100.5).limit == 0
    assert learn(pace_of(limit=0), 101.0, 100.5, good=False).limit == 0
    assert learn(pace_of(limit=0), 101.0, 100.5, good=False, refused=True).limit == RULE.documented


def test_an_own_place_in_the_queue_is_not_ahead():
    pace = pace_of(calls=((41.0, 4), (98.0, 5)), queue=((100.0, 101.0),))
    assert paces.wait_of(pace, 100.0, 100.0, RULE) == 0.0
    assert paces.wait_of(pace, 100.0, 100.1, RULE) == 1.0


def test_a_share_counts_own_calls_only():
    rule = RULE._replace(share=50)
    for own, others, wait in ((4, 5, 0), (5, 0, 1.0), (4, 6, 3.0)):
        pace = pace_of(calls=((41.0, own),), others=((43.0, others),))
        assert paces.take(pace, 100.0, 100.0, rule)[1] == (min(wait, 1.0) if own + others == 10 else wait)


def test_a_429_stops_everybody_until_a_later_success():
    stopped = learn(pace_of(limit=0, under_way=(100.5,)), 101.0, 100.5, good=False, refused=True, asked=10**9)
    assert stopped == Pace(used=101.0, limit=10, stop=101.0 + 3600, refused=101.0)
    assert learn(stopped, 102.0, 100.8).stop == 101.0 + 3600
    assert learn(stopped, 102.0, 101.5, good=False).stop == 101.0 + 3600
    free = learn(stopped, 103.0, 102.0)
    assert (free.stop, free.refused) == (paces.NEVER, paces.NEVER)
    # without a time to wait for, a second
    assert learn(pace_of(), 101.0, 100.5, good=False, refused=True).stop == 102.0


def test_headers_show_the_limit_and_the_calls_of_others():
    pace = pace_of(limit=0, under_way=(99.0, 99.5), calls=((38.5, 1), (39.8, 1), (90.0, 1)))
    found = learn(pace, 100.0, 99.0, limit=20, left=16)
    # all 4 that the service has counted may be own ones, and an own one that is older than a window counted no more
    assert found == Pace(100.0, 20, under_way=(99.5,), calls=((38.5, 1), (39.8, 1), (90.0, 1), (100.0, 1)))
    found = learn(pace, 100.0, 99.0, limit=20, left=13)
    assert found.others == ((100.0, 3),)
    # each is counted once
    assert learn(found, 100.1, 99.5, limit=20, left=11).others == ((100.0, 3), (100.1, 2))


def test_a_limit_without_the_calls_that_are_left_says_nothing_of_others():
    assert learn(pace_of(), 100.0, 99.0, limit=20) == Pace(100.0, 20, calls=((100.0, 1),))


def test_the_first_in_the_queue_asks_more_often_than_the_last():
    queue = tuple((50.0 + number, 101.0) for number in range(8))
    waits = [
        paces.take(pace_of(under_way=(99.0,) * 10, queue=queue), 100.0, ticket, RULE)[1] for ticket in (49.0, 60.0)
    ]
    assert waits == pytest.approx([0.3, 0.6])


def test_a_share_is_rounded_down():
    pace = pace_of(limit=15, calls=((41.0, 7),))
    assert paces.take(pace, 100.0, 100.0, RULE._replace(share=50))[1] == 1.0


def test_calls_at_almost_the_same_time_are_kept_as_one_number():
    pace = pace_of()
    for moment in (100.01, 100.02, 100.5):
        pace = learn(pace, moment, 99.0)
    assert pace.calls == ((100.02, 2), (100.5, 1))


def test_a_service_without_limits_is_free_once_a_window_had_more_calls_than_any_limit_permits():
    assert not paces.is_free(None, 100.0, RULE)
    assert not paces.is_free(pace_of(limit=0, calls=((90.0, 20),)), 100.0, RULE)
    assert paces.is_free(pace_of(limit=0, calls=((90.0, 21),)), 100.0, RULE)
    assert not paces.is_free(pace_of(limit=0, calls=((40.0, 21),)), 100.0, RULE)
    assert not paces.is_free(pace_of(calls=((90.0, 21),)), 100.0, RULE)


WRITES = Rule(125)
FAR = Pace(1000.0, 125, calls=((990.0, 20),), others=((995.0, 11),))


@pytest.mark.parametrize(
    "pace, rule, far",
    [
        (FAR, WRITES, True),
        (FAR._replace(others=((995.0, 12),)), WRITES, False),
        # so many calls were a minute ago
        (FAR._replace(calls=((930.0, 200),)), WRITES, True),
        (None, WRITES, False),
        # the limit must not be forgotten
        (FAR._replace(used=940.0), WRITES, False),
        # the service has shown no limit
        (FAR._replace(limit=0), WRITES, False),
        (FAR._replace(under_way=(999.0,)), WRITES, False),
        (FAR._replace(queue=((999.0, 1001.0),)), WRITES, False),
        (FAR._replace(stop=1001.0), WRITES, False),
        (FAR._replace(refused=900.0), WRITES, False),
        # headers do not say how much of the limit is the share of these tasks
        (FAR, Rule(125, share=50), False),
    ],
)
def test_only_calls_far_from_the_limit_need_not_be_counted(pace, rule, far):
    assert paces.is_far(pace, 1000.0, rule) is far


@pytest.mark.parametrize(
    "heard, far",
    [
        (Heard(True, False, 125, 94), True),
        (Heard(True, False, 125, 93), False),
        (Heard(True, False, 125, None), False),
        (Heard(True, False, None, 94), False),
        (Heard(False, False, 125, 94), False),
        (Heard(False, True, 125, 94), False),
        (paces.SILENCE, False),
    ],
)
def test_an_answer_says_whether_the_limit_is_far(heard, far):
    assert paces.leaves_far(heard) is far
