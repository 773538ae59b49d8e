# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rate limits: three ways to count. The time is an argument, in seconds."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from email.utils import formatdate
from typing import Any, Protocol


@dataclass(frozen=True)
class Verdict:
    """`wait` is the number of seconds until the next request is allowed, 0 if it is allowed now."""

    allowed: bool
    limit: int
    remaining: int
    wait: float


class Counter(Protocol):
    """One way to count requests."""

    def take(self, now: float) -> Verdict:
        """Count a request at this time."""


class FixedWindow:
    """`limit` requests in each window of `seconds`, at fixed times of the clock."""

    def __init__(self, limit: int, seconds: float) -> None:
        self.limit = limit
        self.seconds = seconds
        self.window: int | None = None
        self.used = 0

    def take(self, now: float) -> Verdict:
        window = math.floor(now / self.seconds)
        if window != self.window:
            self.window, self.used = window, 0
        allowed = self.used < self.limit
        self.used += allowed
        remaining = self.limit - self.used
        return Verdict(allowed, self.limit, remaining, 0 if remaining else (window + 1) * self.seconds - now)


class SlidingWindow:
    """At most `limit` requests in any period of `seconds`."""

    def __init__(self, limit: int, seconds: float) -> None:
        self.limit = limit
        self.seconds = seconds
        self.taken: deque[float] = deque()

    def take(self, now: float) -> Verdict:
        while self.taken and self.taken[0] <= now - self.seconds:
            self.taken.popleft()
        allowed = len(self.taken) < self.limit
        if allowed:
            self.taken.append(now)
        remaining = self.limit - len(self.taken)
        return Verdict(allowed, self.limit, remaining, 0 if remaining else self.taken[0] + self.seconds - now)


class TokenBucket:
    """A bucket of `limit` tokens, refilled at a rate of `limit` in `seconds`."""

    def __init__(self, limit: int, seconds: float) -> None:
        self.limit = limit
        self.rate = limit / seconds
        self.tokens = float(limit)
        self.filled: float | None = None

    def take(self, now: float) -> Verdict:
        if self.filled is not None:
            self.tokens = min(self.limit, self.tokens + max(0.0, now - self.filled) * self.rate)
        self.filled = now
        allowed = self.tokens >= 1
        self.tokens -= allowed
        return Verdict(allowed, self.limit, int(self.tokens), 0 if self.tokens >= 1 else (1 - self.tokens) / self.rate)


WINDOWS: dict[str, type[FixedWindow] | type[SlidingWindow] | type[TokenBucket]] = {
    "fixed": FixedWindow,
    "sliding": SlidingWindow,
    "bucket": TokenBucket,
}


def kind_of(method: str, path: str) -> str:
    """Which limit a request counts against. PUT is not documented and counts as a write, the stricter assumption."""
    if method == "GET":
        return "output" if path == "/scans/{id}/output" else "GET"
    return "write"


class Limiter:
    """The counters of one user under the `rate_limits` setting."""

    def __init__(self, rules: dict[str, Any] | None) -> None:
        self.rules = rules
        self.counters: dict[str, Counter] = {}
        if rules:
            window = WINDOWS[rules["window"]]
            self.counters = {kind: window(rules[kind], rules["seconds"]) for kind in ("GET", "write", "output")}

    def take(self, method: str, path: str, now: float) -> Verdict | None:
        """Count one request. None without limits."""
        return self.counters[kind_of(method, path)].take(now) if self.rules else None

    def headers(self, verdict: Verdict | None, now: float) -> dict[str, str]:
        """The headers that announce a verdict; `now` is Unix time in seconds."""
        if verdict is None or self.rules is None:
            return {}
        headers = {}
        if self.rules["headers"]:
            headers["X-RateLimit-Limit"] = str(verdict.limit)
            headers["X-RateLimit-Remaining"] = str(verdict.remaining)
        if not verdict.allowed:
            if self.rules["headers"]:
                headers["X-RateLimit-Reset"] = str(math.ceil(now + verdict.wait))
            if self.rules["retry_after"] == "seconds":
                tick = self.rules["tick"]
                ticks = max(1, math.ceil(verdict.wait / tick))
                headers["Retry-After"] = str(ticks) if tick == 1 else f"{ticks * tick:.6f}"
            elif self.rules["retry_after"] == "date":
                headers["Retry-After"] = formatdate(math.ceil(now + verdict.wait), usegmt=True)
        return headers
