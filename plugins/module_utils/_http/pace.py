# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Decides which of many processes may send the next call under one rate limit, and when. Pure.

The rule: no more calls in any minute than the limit, each counted from its answer, so that the service has counted it
before; and none until the time for which a 429 asks. Whoever keeps to it is permitted by a fixed window, a sliding window
and a token bucket alike.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from typing import NamedTuple

# seconds; the service limits the calls per minute (service-api.md, Limits)
RATE_WINDOW = 60.0
# calls in a window, as the specification says
DOCUMENTED = {"GET": 250, "write": 125, "output": 60}

# how long a process may be late, in seconds, before the next one in the queue overtakes it
PATIENCE = 5.0
# for how long a limit is remembered, in windows after the last call that was counted: one of them is, in each window
REMEMBERED = 61
# the longest time for which a 429 stops all processes, in seconds
LONGEST_STOP = 3600.0
# calls that were answered within this part of a window are kept as one number
_GRAINS = 256
# calls that may be under way before the first answer, and where the documented limit may apply
_UNTRIED = 20
_DOUBTFUL = 2
# a window of any kind permits no more calls in its time than the limit, multiplied by this
_PROOF = 2
# for how long a call without an answer counts, in windows: its process may stand still, or have ended
_UNANSWERED = 5
# a limit is far while fewer calls than this part of it are used up
_FAR = 4
NEVER = -1.0


# pairs of a time and a number of calls
Counts = tuple[tuple[float, int], ...]


class Rule(NamedTuple):
    """What applies to one kind of calls."""

    # calls in a window, where the service announces no limit but answers 429
    documented: int
    # seconds
    window: float = RATE_WINDOW
    # the percentage of the limit that may be used
    share: int = 100


class Pace(NamedTuple):
    """What is known about one rate limit. Times are in seconds, of a clock that all processes of the machine share."""

    # the time of the last call
    used: float
    # calls in a window, 0 while the service shows no limit
    limit: int = 0
    # nobody sends before this time
    stop: float = NEVER
    # the time of the last 429, NEVER after a success that was sent later
    refused: float = NEVER
    # when the calls without an answer were sent
    under_way: tuple[float, ...] = ()
    # the calls by the time of their answers
    calls: Counts = ()
    # calls of other machines and programs, by the time of the answer whose headers betray them
    others: Counts = ()
    # pairs of a ticket and the time at which its process returns
    queue: tuple[tuple[float, float], ...] = ()


class Heard(NamedTuple):
    """What an answer says about the limit. refused: its status was 429; good: it was a success; limit, left: of the
    headers; asked: the seconds that the service asks to wait."""

    good: bool
    refused: bool
    limit: int | None = None
    left: int | None = None
    asked: float | None = None


# no answer arrived, or one that says nothing
SILENCE = Heard(good=False, refused=False)


def known(pace: Pace | None, now: float, rule: Rule) -> Pace:
    """The pace at this time: without what is overtaken, too old, or from before a reboot."""
    window = rule.window
    if pace is None or not -1 <= now - pace.used <= REMEMBERED * window:
        return Pace(now)
    return pace._replace(
        # somewhat longer than a window, as answers under way say how many counted when they were sent
        calls=_since(pace.calls, now - 1.1 * window),
        others=_since(pace.others, now - window),
        under_way=tuple([each for each in pace.under_way if each + _UNANSWERED * window > now]),
        queue=tuple([each for each in pace.queue if each[1] + PATIENCE > now]),
    )


def is_free(pace: Pace | None, now: float, rule: Rule) -> bool:
    """Whether the last window has shown that no limit applies, so that calls need not even be counted."""
    return (
        pace is not None and not pace.limit and _total(_since(pace.calls, now - rule.window)) > _PROOF * rule.documented
    )


def is_far(pace: Pace | None, now: float, rule: Rule) -> bool:
    """Whether the limit is so far that a call need not be counted while no other one is under way. The answers to later calls
    show it, as they show the calls of other machines."""
    if pace is None or now - pace.used >= rule.window or rule.share < 100:
        return False
    pace = known(pace, now, rule)
    waits = pace.queue or pace.under_way or pace.stop > now or pace.refused != NEVER
    return not waits and _FAR * _total(pace.calls + pace.others) < pace.limit


def leaves_far(heard: Heard) -> bool:
    """Whether the limit is still as far after an answer."""
    return bool(heard.good and heard.limit and heard.left and _FAR * (heard.limit - heard.left) < heard.limit)


def take(pace: Pace, now: float, ticket: float, rule: Rule) -> tuple[Pace, float]:
    """Ask for a call. Returns the new pace, and the seconds after which to ask again: 0 if the call may be sent now.

    pace: as ``known`` returns it; ticket: the time at which the process asked first, its place in the queue.
    """
    pace = leave(pace, ticket)
    wait = wait_of(pace, now, ticket, rule)
    if not wait:
        return send(pace, now), 0.0
    if pace.stop <= now:
        # ask again soon, because others may have learned more
        wait = min(wait, rule.window / 12)
    return pace._replace(queue=tuple(sorted([*pace.queue, (ticket, now + wait)]))), wait


def send(pace: Pace, now: float) -> Pace:
    """Note that a call is sent now."""
    return pace._replace(under_way=(*pace.under_way, now), used=now)


def leave(pace: Pace, ticket: float) -> Pace:
    """Give up a place in the queue."""
    return pace._replace(queue=tuple([each for each in pace.queue if each[0] != ticket]))


def learn(pace: Pace, now: float, sent_at: float, heard: Heard, rule: Rule) -> Pace:
    """What is known after an answer. pace: as ``known`` returns it."""
    place = pace.under_way.index(sent_at) if sent_at in pace.under_way else len(pace.under_way)
    after = place + 1
    pace = pace._replace(
        under_way=pace.under_way[:place] + pace.under_way[after:],
        limit=heard.limit or pace.limit or (rule.documented if heard.refused else 0),
        used=max(pace.used, now),
    )
    if heard.refused:
        end = now + min(heard.asked or rule.window / 60, LONGEST_STOP)
        return pace._replace(stop=max(pace.stop, end), refused=now)
    if heard.good and sent_at > pace.refused:
        # whoever asked to wait longer was wrong
        pace = pace._replace(stop=NEVER, refused=NEVER)
    pace = pace._replace(calls=_added(pace.calls, now, 1, rule))
    if not heard.limit or heard.left is None:
        return pace
    own = _total(_since(pace.calls, sent_at - rule.window)) + len(pace.under_way)
    others = heard.limit - heard.left - own - _total(pace.others)
    return pace._replace(others=_added(pace.others, now, others, rule)) if others > 0 else pace


def wait_of(pace: Pace, now: float, ticket: float, rule: Rule) -> float:
    """The seconds until a call may be sent, as far as is known now; 0 to send."""
    if pace.stop > now:
        return pace.stop - now
    ahead = sum([each[0] < ticket for each in pace.queue])
    window = rule.window
    # the first in the queue asks more often than the last
    soon = window / 200 * (1 + ahead / 8)
    recent = sum([now - each < window / 20 for each in pace.under_way])
    # after a 429, one call finds out whether the service permits more
    if recent and pace.refused != NEVER:
        return soon
    calls = _since(pace.calls, now - window)
    if not pace.limit:
        # the answers to the first calls may show a limit, or those beyond what is documented
        answered = _total(calls)
        doubtful = rule.documented <= answered + recent and answered <= _PROOF * rule.documented
        most = _UNTRIED if not answered else _DOUBTFUL if doubtful else recent + 1
        return window / 1000 if recent >= most else 0.0
    wait = 0.0
    for counts, most in (calls, max(1, pace.limit * rule.share // 100)), (sorted(calls + pace.others), pace.limit):
        over = _total(counts) + len(pace.under_way) + ahead + 1 - most
        if over > 0:
            totals = zip(counts, accumulate(count for _moment, count in counts))
            moment = next((moment for (moment, _count), total in totals if total >= over), None)
            wait = max(wait, soon if moment is None else moment + window - now)
    return wait


def _since(counts: Counts, since: float) -> Counts:
    return tuple([each for each in counts if each[0] > since])


def _total(counts: Iterable[tuple[float, int]]) -> int:
    return sum([count for _moment, count in counts])


def _added(counts: Counts, now: float, number: int, rule: Rule) -> Counts:
    """With more calls. Those in one grain of time count as of the last of them."""
    grain = rule.window / _GRAINS
    if counts and counts[-1][0] // grain >= now // grain:
        return (*counts[:-1], (max(now, counts[-1][0]), counts[-1][1] + number))
    return (*counts, (now, number))
