# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Ends the work of a task between two calls when the task is interrupted, so that it can report what it has written."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, TypeVar

# seconds from the interrupt in which a write that was sent is answered, and the last calls are sent
LONGEST = 10.0
# seconds after which the end of this time is noticed again
_AGAIN = 1.0
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_Value = TypeVar("_Value")


class Stopped(BaseException):
    """Nothing more may be sent. The transport turns it into an error; no ``except Exception`` may catch it before."""


class Stop:
    """Whether the work of a task must end, and why.

    reason: why, a clause, None while the task goes on; number: the signal, None for another reason; timed_out: whether it
    is the time limit of the task; cut: whether a call was not made because of it.
    """

    def __init__(
        self, abandoned: Callable[[], bool] = lambda: False, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """abandoned: whether nobody takes the result of the task any more."""
        self.reason: str | None = None
        self.number: int | None = None
        self.timed_out = False
        self.cut = False
        self._abandoned = abandoned
        self._clock = clock
        self._until = 0.0
        self._listens = False
        # whether a signal may break off what is done now, and whether only at the end of the time
        self._breakable = False
        self._patient = False
        self._last_calls = False

    @property
    def failure(self) -> str | None:
        """The message of a task whose work is incomplete because of the interrupt, None for any other."""
        return f"The task is incomplete, because {self.reason}. Run the task again." if self.cut else None

    def begin(self, reason: str) -> None:
        """Let the work end. The first reason counts."""
        if self.reason is None:
            self.reason = reason
            self._until = self._clock() + LONGEST
            if self._listens:
                signal.setitimer(signal.ITIMER_REAL, LONGEST, _AGAIN)

    def check(self) -> None:
        """Raise Stopped if nothing more may be sent."""
        if self.reason is None and self._abandoned():
            self.begin("nobody takes its result any more")
        if self.reason is not None and not (self._last_calls and self._clock() < self._until):
            self.cut = True
            raise Stopped

    def during(self, work: Callable[[], _Value], patient: bool = False) -> _Value:
        """Do something that an interrupt breaks off by raising Stopped. patient: not before its time is over."""
        try:
            self._patient = patient
            self._breakable = True
            self.check()
            return work()
        finally:
            self._breakable = False

    @contextlib.contextmanager
    def last_calls(self) -> Iterator[None]:
        """Permit calls after the interrupt, as long as its time lasts: those that show or undo what was written."""
        before, self._last_calls = self._last_calls, True
        try:
            yield
        finally:
            self._last_calls = before

    @contextlib.contextmanager
    def listening(self) -> Iterator[Stop]:
        """Take the signals that interrupt a task. One that is ignored, as below nohup, stays so."""
        handlers: dict[int, Any] = {}
        if threading.current_thread() is threading.main_thread():
            for each in (*SIGNALS, signal.SIGALRM):
                if signal.getsignal(each) not in (signal.SIG_IGN, None):
                    handlers[each] = signal.signal(each, self._take)
        self._listens = signal.SIGALRM in handlers
        try:
            yield self
        finally:
            if self._listens and self.reason is not None:
                signal.setitimer(signal.ITIMER_REAL, 0)
            self._listens = False
            for number, handler in handlers.items():
                signal.signal(number, handler)

    def _take(self, number: int, _frame: FrameType | None) -> None:
        if self.reason is None:
            # ansible-core sets an alarm for the keyword timeout; a later one is that of begin()
            self.timed_out = number == signal.SIGALRM
            self.number = None if self.timed_out else number
            self.begin(
                "its time limit has passed (the keyword timeout)"
                if self.timed_out
                else f"it was interrupted ({signal.Signals(number).name})"
            )
        if self._breakable and not ((self._patient or self._last_calls) and self._clock() < self._until):
            # once, as it may be raised behind the end of what it breaks off
            self._breakable = False
            self.cut = True
            raise Stopped
