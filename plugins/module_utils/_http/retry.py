# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Decides whether a call is sent again after an error or a 429, and after how many seconds; which rate limit it counts
against. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timezone
from email.utils import parsedate_to_datetime

# outcomes of a try that brought no HTTP status
UNREACHABLE = "unreachable"  # no connection, so the request was never sent
LOST = "lost"  # the request may have arrived, but no complete answer came back

GATEWAY = (502, 503, 504)
LONGEST_BACKOFF = 30.0
_OUTPUT_PATH = re.compile(r"/scans/\d+/output")


def may_repeat(method: str, outcome: int | str) -> bool:
    """Whether a call with this outcome may be sent again: an HTTP status, UNREACHABLE or LOST."""
    if outcome in (UNREACHABLE, 429):
        return True
    if outcome == 500:
        return method == "GET"
    if outcome == LOST or outcome in GATEWAY:
        # a second POST could create a second object; ``create`` reads first, and repeats it where a unique key protects
        return method != "POST"
    return False


def backoff(attempt: int, jitter: float) -> float:
    """Seconds to wait after try number ``attempt``, which counts from 1; jitter is a number from 0 to 1."""
    longest = min(LONGEST_BACKOFF, 0.5 * 2.0 ** min(attempt, 10))
    return longest * (0.5 + 0.5 * jitter)


# --- rate limits


def limit_of(method: str, path: str) -> str:
    """The name of the rate limit that a call counts against: ``output``, ``GET`` or ``write``."""
    if method != "GET":
        return "write"
    return "output" if _OUTPUT_PATH.fullmatch(path) else "GET"


def asked_wait(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that the service asks to wait, from Retry-After or X-RateLimit-Reset, or None.

    headers: look-ups ignore case; now: Unix time, used if the answer has no Date.
    """
    date = moment(headers.get("Date"))
    now = now if date is None else date
    value = (headers.get("Retry-After") or "").strip()
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", value):
        return float(value)
    until = moment(value)
    if until is None:
        reset = (headers.get("X-RateLimit-Reset") or "").strip()
        until = float(reset) if re.fullmatch(r"[0-9]{1,12}", reset) else None
    return None if until is None else max(0.0, until - now)


def number_in(text: str | None) -> int | None:
    """The whole number in the text of a header, or None."""
    return int(text) if text and re.fullmatch(r"[0-9]{1,15}", text.strip()) else None


def moment(text: str | None) -> float | None:
    """The Unix time of an HTTP date, or None for any other text."""
    try:
        read = parsedate_to_datetime(text or "")
        # the form of asctime names no zone, and all HTTP dates are in UTC (RFC 9110, section 5.6.7)
        return (read if read.tzinfo else read.replace(tzinfo=timezone.utc)).timestamp()
    except (TypeError, ValueError, IndexError, OverflowError):
        return None


def rate_limit_pause(asked: float | None, attempt: int, jitter: float) -> float:
    """Seconds to wait after a 429: what the service asks for, or an exponential wait if it asks for nothing."""
    if asked:
        # a little more than asked, so that parallel tasks do not all come back in the same instant
        return asked + 0.25 * jitter
    return backoff(attempt + 1, jitter)
