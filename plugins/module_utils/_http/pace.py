# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Decides which of many processes may send the next call under one rate limit, and when. Pure.

A service counts its limit in fixed windows, in a sliding window or in a token bucket, and does not say which. Its headers
say how many calls are left. When none is left, one call is sent all the same, and the Retry-After of its 429 shows the
kind of window. From then on the time of the next free call is known, and no further 429 is needed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

# seconds; the service limits the calls per minute (service-api.md, Limits)
RATE_WINDOW = 60.0
# calls in a window, where the service announces no limit but answers 429
DOCUMENTED = {"GET": 250, "write": 125, "output": 60}

UNKNOWN, FIXED, SLIDING, BUCKET = "unknown", "fixed", "sliding", "bucket"
KINDS = (UNKNOWN, FIXED, SLIDING, BUCKET)

# how long a process may be late, in seconds, before the next one in the queue overtakes it
PATIENCE = 5.0
# for how long a limit is remembered, in windows after its last call: announced, or known from a 429 alone
REMEMBERED = 60
REMEMBERED_REFUSAL = 10
# the longest time for which a 429 stops all processes, in seconds
LONGEST_STOP = 3600.0
# calls that were answered within this part of a window are kept as one number
_GRAINS = 256
# Retry-After counts in seconds, of which the documented window has this many
_TICKS = 60
_ENOUGH = 1 - 1e-6
# calls that may be under way while nothing is known about the limit
_UNTRIED = 20
# for how long a call without an answer counts, in windows: its process may stand still, or have ended
_UNANSWERED = 5
NEVER = -1.0


class Pace(NamedTuple):
    """What is known about one rate limit. Times are in seconds, of a clock that all processes of the machine share.

    limit: calls in a window, 0 while the service shows no limit; announced: whether the headers say so; at: the time of
    ``left``, the number of calls that may be sent at once; kind: one of KINDS; boundary: the next end of a fixed window;
    steady: whether two of them fit the window; stop: nobody sends before this time; refused: the time of the last 429;
    scout: when the call that finds out was sent, NEVER without one; sent: pairs of the time of answers and their number;
    under_way: when the calls without an answer were sent; queue: pairs of a ticket and the time at which its process
    returns; used: the time of the last call.
    """

    limit: int
    window: float
    announced: bool
    at: float
    left: float
    kind: str = UNKNOWN
    boundary: float = NEVER
    steady: bool = False
    stop: float = NEVER
    refused: float = NEVER
    scout: float = NEVER
    sent: tuple[tuple[float, int], ...] = ()
    under_way: tuple[float, ...] = ()
    queue: tuple[tuple[float, float], ...] = ()
    used: float = NEVER


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


def is_free(pace: Pace | None, now: float) -> bool:
    """Whether the service has shown lately that it has no limit, so that calls need not even be counted."""
    return (
        pace is not None
        and not pace.limit
        and 0 <= now - pace.used < REMEMBERED_REFUSAL * pace.window
        and pace.left > 0
    )


def known(pace: Pace | None, now: float, window: float = RATE_WINDOW) -> Pace:
    """The pace at this time: without what is overtaken, too old, or from before a reboot."""
    remembered = 0.0 if pace is None else (REMEMBERED if pace.announced else REMEMBERED_REFUSAL) * pace.window
    if pace is None or pace.at > now + 1 or not -1 <= now - pace.used <= remembered:
        return Pace(0, window, False, at=now, left=0.0, used=now)
    return _advanced(pace, now)


def take(pace: Pace, now: float, ticket: float, share: int) -> tuple[Pace, float]:
    """Ask for a call. Returns the new pace, and the seconds after which to ask again: 0 if the call may be sent now.

    pace: as ``known`` returns it; ticket: the time at which the process asked first, its place in the queue; share: the
    percentage of the limit that may be used.
    """
    if not pace.limit:
        # more calls at once could exceed a limit before the first answer shows it
        crowded = sum(now - each < pace.window / 20 for each in pace.under_way) >= _UNTRIED
        return (pace, pace.window / 200) if crowded else (send(pace, now), 0.0)
    others = tuple(each for each in pace.queue if each[0] != ticket)
    ahead = sum(each[0] < ticket for each in others)
    wait, scout = _wait(pace, now, ahead, share)
    if wait > 0:
        return pace._replace(queue=tuple(sorted([*others, (ticket, now + wait)]))), wait
    return send(pace._replace(queue=others, scout=now if scout else pace.scout), now), 0.0


def send(pace: Pace, now: float) -> Pace:
    """Note that a call is sent now."""
    return pace._replace(left=max(0.0, pace.left - 1), under_way=(*pace.under_way, now), used=now)


def leave(pace: Pace, ticket: float) -> Pace:
    """Give up a place in the queue."""
    return pace._replace(queue=tuple(each for each in pace.queue if each[0] != ticket))


def learn(pace: Pace, now: float, sent_at: float, heard: Heard, documented: int, window: float = RATE_WINDOW) -> Pace:
    """What is known after an answer. pace: as ``known`` returns it; documented: the limit where none is announced."""
    announces = bool(heard.limit) and heard.left is not None
    is_scout = pace.scout == sent_at
    pace = pace._replace(
        under_way=_without(pace.under_way, sent_at), scout=NEVER if is_scout else pace.scout, used=max(pace.used, now)
    )
    if heard.good and not announces and (pace.announced or not pace.limit):
        # the service has no limit, or has dropped it
        return Pace(0, window, False, at=now, left=1.0, used=now)
    if not pace.limit:
        if not announces and not heard.refused:
            return pace
        pace = pace._replace(limit=heard.limit if announces and heard.limit else documented, left=0.0)
    if heard.refused:
        return _refused(pace, now, sent_at, heard.asked, window)
    answered = pace._replace(sent=_added(pace.sent, now, pace.window / _GRAINS))
    if heard.good and pace.stop > now and sent_at > pace.refused:
        # whoever asked to wait until then was wrong
        answered = answered._replace(stop=NEVER)
    if announces:
        answered = _counted(answered, now, sent_at, heard.limit or 0, heard.left or 0)
    elif heard.good and pace.kind == FIXED and sent_at >= pace.boundary:
        answered = answered._replace(left=float(pace.limit - 1 - len(pace.under_way)))
    if heard.good and pace.kind == FIXED and sent_at >= pace.boundary:
        answered = _beyond_boundary(answered, now, heard.left if announces else None)
    return answered


def _advanced(pace: Pace, now: float) -> Pace:
    """The pace at a later time, with the calls that are free again."""
    sent = tuple(each for each in pace.sent if each[0] + pace.window > now)
    under_way = tuple(each for each in pace.under_way if each + _UNANSWERED * pace.window > now)
    left = pace.left
    if pace.kind == SLIDING:
        left += _total(pace.sent) - _total(sent)
    elif pace.kind == BUCKET:
        left += (now - pace.at) * pace.limit / pace.window
    if not sent and not under_way and now >= pace.refused + pace.window:
        # whatever the kind of window, this machine has used none of it
        left = float(pace.limit)
    return pace._replace(
        at=max(now, pace.at),
        left=min(left, float(pace.limit)),
        sent=sent,
        under_way=under_way,
        queue=tuple(each for each in pace.queue if each[1] + PATIENCE > now),
        scout=pace.scout if now - pace.scout < pace.window / 4 else NEVER,
    )


def _wait(pace: Pace, now: float, ahead: int, share: int) -> tuple[float, bool]:
    """The seconds until a process with this many others ahead of it asks again, 0 to send; and whether its call is the
    scout, which finds out what the service permits while the others wait."""
    if pace.stop > now:
        return pace.stop - now, False
    part = _part(pace, now, ahead, share)
    if part > 0:
        return part, False
    if pace.left >= ahead + _ENOUGH:
        return 0.0, False
    # the first in the queue asks more often than the last
    soon = pace.window / 200 * (1 + ahead / 8)
    if pace.kind == BUCKET:
        return _slice(pace, max(ahead + 1 - pace.left, 1e-6) * pace.window / pace.limit), False
    if pace.kind == SLIDING and pace.sent:
        return _slice(pace, _freed(pace, now, math.ceil(ahead + _ENOUGH - pace.left), soon)), False
    if pace.kind == FIXED and pace.steady and pace.boundary > now:
        return _slice(pace, pace.boundary - now), False
    # the scout waits for what is under way, because its answers may show that calls are left
    waiting = any(now - each < pace.window / 20 for each in pace.under_way)
    if ahead or pace.scout != NEVER or waiting:
        return soon, False
    return 0.0, True


def _part(pace: Pace, now: float, ahead: int, share: int) -> float:
    """The seconds until the calls of the last window are less than the share of the limit."""
    if share >= 100:
        return 0.0
    over = _total(pace.sent) + len(pace.under_way) + ahead + 1 - max(1, pace.limit * share // 100)
    return _slice(pace, _freed(pace, now, over, pace.window / 200)) if over > 0 else 0.0


def _freed(pace: Pace, now: float, number: int, soon: float) -> float:
    """The seconds until this many of the calls are older than a window; ``soon`` if some of them have no answer yet."""
    for moment, count in pace.sent:
        number -= count
        if number <= 0:
            return max(moment + pace.window - now, 1e-6)
    return soon


def _slice(pace: Pace, seconds: float) -> float:
    """A wait after which to look again, because others may have learned more."""
    return min(seconds, pace.window / 12)


def _counted(pace: Pace, now: float, sent_at: float, limit: int, left: int) -> Pace:
    """The pace after an answer that says how many calls were left."""
    # answers arrive in any order: calls without an answer, and those answered since, may not be in this number
    if pace.kind == SLIDING:
        own = _total(pace.sent) + len(pace.under_way)
        return pace._replace(limit=limit, announced=True, left=float(max(0, min(limit - own, left))))
    since = sum(count for moment, count in pace.sent if moment > sent_at) - 1
    least = left - len(pace.under_way) - max(0, since)
    # the number is rounded down, and a bucket fills while the answer travels
    most = left + (1 + (now - sent_at) * pace.limit / pace.window if pace.kind == BUCKET else 0)
    return pace._replace(limit=limit, announced=True, left=max(0.0, min(max(pace.left, float(least)), float(most))))


def _beyond_boundary(pace: Pace, now: float, left: int | None) -> Pace:
    """The pace after the first answer beyond the end of a fixed window."""
    if left is not None and left < pace.limit // 2 and _total(pace.sent) + len(pace.under_way) < pace.limit // 2:
        # somebody else uses the limit too, or it is not a fixed window
        return pace._replace(kind=UNKNOWN, steady=False)
    return pace._replace(boundary=pace.boundary + pace.window * (math.floor((now - pace.boundary) / pace.window) + 1))


def _refused(pace: Pace, now: float, sent_at: float, asked: float | None, window: float) -> Pace:
    """The pace after a 429: which kind of window explains the wait that it asks for."""
    tick = pace.window / _TICKS
    end = now + min(asked or tick, LONGEST_STOP)
    if sent_at <= pace.refused:
        # sent before the last 429 arrived, so it shows nothing new
        return pace._replace(left=0.0, stop=max(pace.stop, end))
    closed = pace._replace(left=0.0, at=now, stop=end, refused=now)
    if not asked:
        return closed._replace(kind=UNKNOWN, steady=False)
    if pace.kind == FIXED and not pace.steady and abs(end - pace.boundary) <= 1.5 * tick:
        return closed._replace(boundary=min(end, pace.boundary), steady=True)
    since = end - (pace.boundary - pace.window)
    if pace.kind == FIXED and not pace.steady and 2 * tick < since < pace.window:
        # the window of this service is shorter
        return closed._replace(boundary=end, window=since)
    closed = closed._replace(window=window, steady=False)
    fits = pace.sent and _total(pace.sent) <= pace.limit * 1.02 + 1
    if fits and abs(end - pace.sent[0][0] - window) <= 1.5 * tick:
        return closed._replace(kind=SLIDING)
    if asked <= window / pace.limit + 1.02 * tick:
        return closed._replace(kind=BUCKET)
    return closed._replace(kind=FIXED, boundary=end)


def _total(sent: tuple[tuple[float, int], ...]) -> int:
    return sum(count for _moment, count in sent)


def _added(sent: tuple[tuple[float, int], ...], now: float, grain: float) -> tuple[tuple[float, int], ...]:
    """With one more answer. Those in one grain of time count as of the last of them."""
    if sent and math.floor(sent[-1][0] / grain) >= math.floor(now / grain):
        return (*sent[:-1], (max(now, sent[-1][0]), sent[-1][1] + 1))
    return (*sent, (now, 1))


def _without(times: tuple[float, ...], one: float) -> tuple[float, ...]:
    if one not in times:
        return times
    place = times.index(one)
    return (*times[:place], *times[place + 1 :])
