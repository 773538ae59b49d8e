# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Waits for the service's rate limits, over all calls of a task, together with the other tasks of this machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from .._errors import CallError
from . import pace
from .connection import Connection
from .pace import Heard, Pace
from .pace_file import PaceFile
from .retry import asked_wait, number_in, rate_limit_pause


class Budget:
    """Waits for the rate limits, at most ``rate_limit_wait`` seconds in all.

    sleep, clock, jitter: as in ``Transport``; on_wait: called with the seconds of each wait.
    """

    def __init__(
        self,
        connection: Connection,
        sleep: Callable[[float], object],
        clock: Callable[[], float],
        jitter: Callable[[], float],
    ) -> None:
        self._seconds = self.seconds = float(connection.rate_limit_wait)
        self.share = connection.rate_share
        self.window = connection.rate_window
        self.file = PaceFile(connection.base_url, connection.api_key)
        self.on_wait: Callable[[float], object] = lambda seconds: None
        self._sleep = sleep
        self._clock = clock
        self._jitter = jitter
        self._waited = 0.0
        # what sleeps owe that returned early
        self._owed = 0.0

    def renew(self) -> None:
        """Begin another task, which may wait as long; what is known of the limits stays."""
        self.seconds = self._seconds
        self.on_wait = lambda seconds: None
        self._waited = 0.0

    def turn(self, limit: str | None) -> Turn:
        """A call that is about to be sent. limit: which of the service's limits it counts against, None for none."""
        return Turn(self, limit)

    def now(self) -> float:
        """Seconds on the clock that all processes of this machine share."""
        return self._clock() + self._owed

    def allows(self, seconds: float) -> bool:
        """Whether the task may wait that long."""
        return seconds <= self.seconds - self._waited

    def wait(self, seconds: float) -> None:
        self._waited += seconds
        self.on_wait(seconds)
        before = self._clock()
        self._sleep(seconds)
        self._owed += max(0.0, seconds - (self._clock() - before))

    def wait_asked(self, headers: Mapping[str, str], error: CallError, limited: int) -> None:
        """Wait after a 429, the ``limited``-th of its call. Raises an error of the same type if the wait is too long."""
        pause = rate_limit_pause(asked_wait(headers, time.time()), limited, self._jitter())
        if not self.allows(pause):
            raise type(error)(
                f"{error.method} {error.path} was answered 429, the rate limit is used up and the next call is allowed"
                f" in {pause:.0f} s",
                error.method, error.path, status=429, message=error.message, details=error.details,
                advice="run the task again later, or raise rate_limit_wait"
                f" (now {self.seconds:g} s for the whole task)",
            ).with_facts(after_loss=error.after_loss) from None  # fmt: skip
        self.wait(pause)


class Turn:
    """One call with all its tries. It keeps its place in the queue until it is answered."""

    def __init__(self, budget: Budget, limit: str | None) -> None:
        self._budget = budget
        self._limit = limit
        self._ticket = budget.now()
        self._sent_at = self._ticket

    def wait(self) -> None:
        """Wait until the call may be sent. If that is longer than the task may wait, the service decides."""
        limit, budget = self._limit, self._budget
        if limit is None:
            return
        self._sent_at = budget.now()
        if pace.is_free(budget.file.read(limit), self._sent_at):
            return
        while True:
            left = self._ask(limit)
            if not left:
                return
            budget.wait(left)

    def _ask(self, limit: str) -> float:
        """The seconds to wait until asking again, 0 if the call is to be sent."""
        left = 0.0
        budget = self._budget

        def decide(found: Pace | None) -> Pace:
            nonlocal left
            self._sent_at = now = budget.now()
            changed, left = pace.take(pace.known(found, now, budget.window), now, self._ticket, budget.share)
            if left and not budget.allows(left):
                left = 0.0
                return pace.send(pace.leave(changed, self._ticket), now)
            return changed

        budget.file.change(limit, decide)
        return left

    def lost(self) -> None:
        """No answer arrived. The service may have counted the call."""
        self._learn(pace.SILENCE)

    def answered(self, status: int, headers: Mapping[str, str]) -> None:
        """Share what an answer says about the limit."""
        self._learn(
            Heard(
                good=200 <= status < 300,
                refused=status == 429,
                limit=number_in(headers.get("X-RateLimit-Limit")),
                left=number_in(headers.get("X-RateLimit-Remaining")),
                asked=asked_wait(headers, time.time()) if status == 429 else None,
            )
        )

    def _learn(self, heard: Heard) -> None:
        limit, budget = self._limit, self._budget
        if limit is None:
            return
        nothing_new = heard.limit is None and not heard.refused
        if nothing_new and pace.is_free(budget.file.read(limit), budget.now()):
            return

        def decide(found: Pace | None) -> Pace:
            now = budget.now()
            found = pace.known(found, now, budget.window)
            return pace.learn(found, now, self._sent_at, heard, pace.DOCUMENTED[limit], budget.window)

        budget.file.change(limit, decide)
