# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Waits for the service's rate limits, over all calls of a task."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from .._errors import CallError
from . import rate_limit
from .answer import Answer


class Budget:
    """Waits for the rate limits, at most ``seconds`` in all.

    sleep, clock, jitter: as in ``Transport``; on_wait: called with the seconds of each wait.
    """

    def __init__(
        self,
        seconds: float,
        sleep: Callable[[float], object],
        clock: Callable[[], float],
        jitter: Callable[[], float],
    ) -> None:
        self._seconds = seconds
        self._sleep = sleep
        self._clock = clock
        self._jitter = jitter
        self.on_wait: Callable[[float], object] = lambda seconds: None
        self._waited = 0.0
        self._not_before: dict[str, float] = {}

    def renew(self) -> None:
        """Begin another task, which may wait as long; what is known of the limits stays."""
        self.on_wait = lambda seconds: None
        self._waited = 0.0

    def keep_spacing(self, limit: str) -> None:
        """Wait until the next call may be sent. limit: which of the service's limits it counts against."""
        wait = self._not_before.get(limit, 0.0) - self._clock()
        if 0 < wait <= self._seconds - self._waited:
            self._wait(wait)

    def learn(self, limit: str, headers: Mapping[str, str]) -> None:
        """Space out the next calls if an answer says that few are left."""
        pause = rate_limit.spacing(
            rate_limit.number_in(headers.get("X-RateLimit-Limit")),
            rate_limit.number_in(headers.get("X-RateLimit-Remaining")),
        )
        self._not_before[limit] = self._clock() + pause

    def wait(self, answer: Answer, error: CallError, limited: int) -> None:
        """Wait after a 429, the ``limited``-th of its call. Raises an error of the same type if the wait is too long."""
        asked = rate_limit.asked_wait(answer.headers, time.time())
        pause = rate_limit.rate_limit_pause(asked, limited, self._jitter())
        if pause > self._seconds - self._waited:
            raise type(error)(
                f"{answer.method} {answer.path} was answered 429, the rate limit is used up and the next call is allowed"
                f" in {pause:.0f} s",
                answer.method, answer.path, status=429, message=error.message,
                details=error.details,
                advice=f"run the task again later, or raise rate_limit_wait (now {self._seconds} s for the whole task)",
            ).with_facts(after_loss=error.after_loss) from None  # fmt: skip
        self._wait(pause)

    def _wait(self, seconds: float) -> None:
        self._waited += seconds
        self.on_wait(seconds)
        self._sleep(seconds)
