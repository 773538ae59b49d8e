# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Many processes under one rate limit, in simulated time: the decisions of `_http/pace`, and the windows of the local
service."""

from __future__ import annotations

import heapq
import math
import random
from typing import NamedTuple

from ansible_collections.scanops.scanner.plugins.module_utils._http import pace as paces
from ansible_collections.scanops.scanner.plugins.module_utils._http.pace import Heard, Rule
from ansible_collections.scanops.scanner.tests.service import limits


class Machine:
    """The processes of one machine, which share what they know."""

    def __init__(self, share: int = 100):
        self.pace = None
        self.share = share
        # the process whose call is not counted
        self.sole = None


class Simulated(NamedTuple):
    """refused: number of answers 429; sent: the times of the calls that were permitted; waits: the longest time between
    asking and sending; ends: the time at which each process had its last answer."""

    refused: int
    sent: list[float]
    waits: float
    ends: list[float]


class Process:
    def __init__(self, machine: Machine, calls: int):
        self.machine = machine
        self.calls = calls
        self.ticket: float | None = None
        self.asked = 0.0


def simulate(
    window: str,
    processes: int = 50,
    calls: int = 20,
    limit: int = 125,
    seconds: float = 60.0,
    start: float = 0.0,
    travel: float = 0.2,
    headers: bool = True,
    retry_after: bool = True,
    machines: list[Machine] | None = None,
    service=None,
    seed: int = 1,
    stall: tuple[float, float] | None = None,
) -> Simulated:
    """Let each process send its calls one after another. travel: the mean time of a call; start: Unix time; stall: the
    seconds after the first call at which the whole machine stands still, and goes on."""
    chance = random.Random(seed)
    counter = service or limits.WINDOWS[window](limit, seconds)
    machines = machines or [Machine()]
    events: list[tuple[float, int, str, Process, object]] = []
    number = 0

    def later(moment: float, what: str, process: Process, more: object = None) -> None:
        nonlocal number
        number += 1
        if stall and stall[0] <= moment - 1000.0 < stall[1]:
            moment = 1000.0 + stall[1]
        heapq.heappush(events, (moment, number, what, process, more))

    ready = [Process(machines[each % len(machines)], calls) for each in range(processes)]
    for process in ready:
        later(1000.0 + chance.random() * 0.1, "ask", process)
    refused, sent, ends, longest = 0, [], [], 0.0
    while events:
        now, dummy, what, process, more = heapq.heappop(events)
        machine = process.machine
        if what == "ask":
            if process.ticket is None:
                process.ticket = process.asked = now
            rule = Rule(limit, 60.0, machine.share)
            wait = 0.0
            if machine.sole is None and paces.is_far(machine.pace, now, rule):
                machine.sole = process
            else:
                machine.pace, wait = paces.take(paces.known(machine.pace, now, rule), now, process.ticket, rule)
            if wait:
                later(now + wait + 0.002 * chance.random(), "ask", process)
                continue
            longest = max(longest, now - process.asked)
            later(now + travel * (0.2 + 0.6 * chance.random()), "arrive", process, now)
        elif what == "arrive":
            verdict = counter.take(now - 1000.0 + start)
            later(now + travel * (0.2 + 0.6 * chance.random()), "answer", process, (more, verdict))
        else:
            sent_at, verdict = more
            asked = None
            if not verdict.allowed and retry_after:
                # whole seconds, and in a scaled window its sixtieth part
                tick = seconds / 60
                asked = max(1, math.ceil(verdict.wait / tick)) * tick
            heard = Heard(
                verdict.allowed, not verdict.allowed, verdict.limit if headers else None,
                verdict.remaining if headers else None, asked,
            )  # fmt: skip
            rule = Rule(limit, 60.0, machine.share)
            is_sole, machine.sole = machine.sole is process, None if machine.sole is process else machine.sole
            if not (is_sole and paces.leaves_far(heard)):
                machine.pace = paces.learn(paces.known(machine.pace, now, rule), now, sent_at, heard, rule)
            if verdict.allowed:
                sent.append(sent_at)
                process.ticket = None
                process.calls -= 1
                if process.calls:
                    later(now, "ask", process)
                else:
                    ends.append(now)
            else:
                refused += 1
                later(now + (asked or seconds / 60), "ask", process)
    return Simulated(refused, sent, longest, ends)
