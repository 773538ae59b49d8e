# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Waits for the service's rate limits, over all calls of a task, together with the other tasks of this machine, which share
what they know in a file."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

from .._model import private_files
from .._model.errors import printable
from . import pace
from .pace import Heard, Pace, Rule
from .retry import asked_wait, number_in


class Budget:
    """Waits for the rate limits, at most ``rate_limit_wait`` seconds in all.

    seconds: ``rate_limit_wait``; window: the time in which the service counts its limits; share: the percentage of them
    that may be used; sleep, clock: as in ``Transport``; on_wait: called before each sleep, with the seconds until the next
    call.
    """

    def __init__(
        self,
        file: PaceFile,
        seconds: float,
        window: float,
        share: int,
        sleep: Callable[[float], object],
        clock: Callable[[], float],
    ) -> None:
        self._seconds = self.seconds = seconds
        self.window = window
        self.share = share
        self.file = file
        self.on_wait: Callable[[float], object] = lambda seconds: None
        self._sleep = sleep
        self._clock = clock
        self._waited = 0.0
        # what sleeps owe that returned early
        self._owed = 0.0

    def renew(self) -> None:
        """Begin another task, which may wait as long; what is known of the limits stays."""
        self.seconds = self._seconds
        self._waited = 0.0

    def now(self) -> float:
        """Seconds on the clock that all processes of this machine share."""
        return self._clock() + self._owed

    @property
    def left(self) -> float:
        """The seconds that the task may still wait."""
        return self.seconds - self._waited

    def limits(self) -> dict[str, int]:
        """The calls in a window that the service has shown to permit, by the name of the limit; 0 for an unknown limit."""
        rules = {name: Rule(number, self.window, self.share) for name, number in pace.DOCUMENTED.items()}
        return {name: pace.known(self.file.read(name), self.now(), rule).limit for name, rule in rules.items()}

    def wait(self, seconds: float, until_call: float = 0.0) -> None:
        """Sleep. until_call: the seconds until the next call, if they are more."""
        self._waited += seconds
        self.on_wait(max(seconds, until_call))
        before = self._clock()
        self._sleep(seconds)
        self._owed += max(0.0, seconds - (self._clock() - before))


class Turn:
    """One call with all its tries, which keeps its place in the queue until it is answered.

    limit: which of the service's limits it counts against, None for none.
    """

    def __init__(self, budget: Budget, limit: str | None) -> None:
        self._budget = budget
        self._limit = limit
        self._rule = Rule(pace.DOCUMENTED.get(limit or "", 0), budget.window, budget.share)
        self._ticket = budget.now()
        self._sent_at = self._ticket
        # the seconds until the call may be sent, when it was last asked for
        self._until_call = 0.0
        # whether the service was seen to have no limit
        self._free = False
        # the lock of a call that is not counted while the limit is far
        self._sole: int | None = None

    def wait(self) -> None:
        """Wait until the call may be sent. If that is longer than the task may wait, the service decides."""
        limit, budget = self._limit, self._budget
        if limit is None:
            return
        self._sent_at = now = budget.now()
        found = budget.file.read(limit)
        self._free = pace.is_free(found, now, self._rule)
        # at most one call of this machine is not counted at any time
        if not self._free and pace.is_far(found, now, self._rule):
            self._sole = budget.file.sole()
        while not self._free and self._sole is None and (left := self._ask(limit)):
            budget.wait(left, self._until_call)

    def end(self) -> bool:
        """Release the lock of a call that is not counted. Whether it was one."""
        number, self._sole = self._sole, None
        if number is not None:
            os.close(number)
        return number is not None

    def _ask(self, limit: str) -> float:
        """The seconds to wait until asking again, 0 if the call is to be sent."""
        left = 0.0
        budget = self._budget

        def decide(found: Pace | None) -> Pace:
            nonlocal left
            self._sent_at = now = budget.now()
            before = pace.known(found, now, self._rule)
            changed, left = pace.take(before, now, self._ticket, self._rule)
            self._until_call = pace.wait_of(before, now, self._ticket, self._rule) if left else 0.0
            if left and left > budget.left:
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
        if (self.end() and pace.leaves_far(heard)) or (self._free and heard.limit is None and not heard.refused):
            return

        def decide(found: Pace | None) -> Pace:
            now = budget.now()
            return pace.learn(pace.known(found, now, self._rule), now, self._sent_at, heard, self._rule)

        budget.file.change(limit, decide)


# --- the file of all processes of a user on one machine

_FORMAT = 2
# a larger file is not one of ours
_MOST_BYTES = 256 * 1024
# nobody holds the lock while waiting, so only a stopped process makes others wait this long, in seconds
_LONGEST_LOCK = 5.0
# longer numbers may have no float; limits in headers have at most 15 digits
_LARGEST = 1e15


class PaceFile:
    """The paces of one key, by the name of the limit.

    Where the file cannot be used, its tasks warn once and continue with paces of their own.
    """

    def __init__(self, base_url: str, api_key: str) -> None:
        self._names = ("rate limit", base_url.lower(), api_key)
        self._path: str | None = None
        self._own: dict[str, Pace] | None = None
        self.warn: Callable[[str], object] = lambda text: None

    def read(self, name: str) -> Pace | None:
        """One pace, without the lock; None if it is unknown, or while another process writes."""
        if self._own is not None:
            return self._own.get(name)
        try:
            number = private_files.opened(self._place())
            try:
                return paces_in(os.pread(number, _MOST_BYTES, 0)).get(name)
            finally:
                os.close(number)
        except (OSError, ValueError):
            # the next change reports it
            return None

    def sole(self) -> int | None:
        """The descriptor of a lock for a call that is not counted, None where another process has it."""
        return private_files.sole(f"{self._path}-sole") if self._own is None and self._path else None

    def change(self, name: str, decide: Callable[[Pace | None], Pace]) -> None:
        """Replace one pace, while no other process does."""
        if self._own is None:
            try:
                self._change_file(name, decide)
                return
            except OSError as error:
                self._own = {}
                self.warn(
                    "The file that shares the rate limit between tasks cannot be used"
                    f" ({printable(error.strerror or error)}), so this task paces its calls alone. Tasks that run at the same"
                    " time may exceed the limit and wait longer."
                )
        self._own[name] = decide(self._own.get(name))

    def _place(self) -> str:
        if self._path is None:
            self._path = private_files.path_for(private_files.directory(os.environ), *self._names)
        return self._path

    def _change_file(self, name: str, decide: Callable[[Pace | None], Pace]) -> None:
        with private_files.locked(self._place(), _LONGEST_LOCK) as number:
            content = os.pread(number, _MOST_BYTES, 0)
            try:
                paces = paces_in(content)
            except ValueError:
                paces = {}
                self.warn(
                    "The file that shares the rate limit between tasks was damaged. It has been replaced; the limit may be"
                    " exceeded once."
                )
            before = paces.get(name)
            after = decide(before)
            if after != before:
                text = text_of({**paces, name: after})
                if os.pwrite(number, text, 0) != len(text):
                    raise OSError("the disk is full")
                os.ftruncate(number, len(text))


def text_of(paces: dict[str, Pace]) -> bytes:
    """The content of the file."""
    return json.dumps([_FORMAT, paces], separators=(",", ":")).encode()


def paces_in(content: bytes) -> dict[str, Pace]:
    """The paces in the content of the file. Raises ValueError for any other content; an empty file has none."""
    if not content:
        return {}
    try:
        version, found = json.loads(content)
        if version != _FORMAT:
            return {}
        return {str(name): _pace(values) for name, values in found.items()}
    except (TypeError, AttributeError, KeyError, RecursionError) as error:
        raise ValueError("not paces") from error


def _pace(values: Any) -> Pace:
    used, limit, stop, refused, under_way, *lists = values
    # unpacking refuses what is no pair, and a generator would be called for each
    # pylint: disable-next=unnecessary-comprehension
    calls, others, queue = [tuple([(moment, other) for moment, other in each]) for each in lists]
    pace = Pace(used, limit, stop, refused, tuple(under_way), calls, others, queue)
    for number in (*pace[:4], *pace.under_way, *chain(*calls, *others, *queue)):
        # not true or NaN
        if type(number) not in (int, float) or not -1 <= number <= _LARGEST:
            raise ValueError("not a number that a pace can have")
    return pace
