# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""When a call is tried again and how long that waits: pure decisions, no clock, no network."""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime

# what came of one try, beside an HTTP status
UNREACHABLE = "unreachable"  # the connection was never made
LOST = "lost"  # the request may have arrived, no whole answer came back

GATEWAY = (502, 503, 504)
# seconds; the service counts its limits a minute (service-api.md, Limits)
RATE_WINDOW = 60.0
# below this share of the limit calls are spaced out
LOW_WATER = 0.1
LONGEST_BACKOFF = 30.0

_OUTPUT_PATH = re.compile(r"/scans/\d+/output")


def budget_of(method, path):
    """The name of the rate limit that a call counts against: ``output``, ``GET`` or ``write``."""
    if method != "GET":
        return "write"
    return "output" if _OUTPUT_PATH.fullmatch(path) else "GET"


def may_repeat(method, outcome):
    """Whether a call that ended so may be sent again: outcome is an HTTP status, UNREACHABLE or LOST."""
    if outcome in (UNREACHABLE, 429):
        return True
    if outcome == 500:
        return method == "GET"
    if outcome == LOST or outcome in GATEWAY:
        # a second POST could make a second object; it is settled by reading again instead
        return method != "POST"
    return False


def backoff(attempt, jitter):
    """Seconds before try ``attempt`` + 1 (counted from 1); jitter is a number from 0 to 1."""
    longest = min(LONGEST_BACKOFF, 0.5 * 2 ** min(attempt, 10))
    return longest * (0.5 + 0.5 * jitter)


def asked_wait(headers, now):
    """Seconds that the service asks to wait, from Retry-After or X-RateLimit-Reset, or None.

    headers: a mapping whose look-up ignores case; now: Unix time, used where the answer has no Date of its own.
    """
    theirs = moment(headers.get("Date"))
    now = now if theirs is None else theirs
    value = (headers.get("Retry-After") or "").strip()
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", value):
        return float(value)
    until = moment(value)
    if until is None:
        reset = (headers.get("X-RateLimit-Reset") or "").strip()
        until = float(reset) if re.fullmatch(r"[0-9]{1,12}", reset) else None
    return None if until is None else max(0.0, until - now)


def number_in(text):
    """The whole number in the text of a header, or None."""
    return int(text) if text and re.fullmatch(r"[0-9]{1,15}", text.strip()) else None


def moment(text):
    """The Unix time of an HTTP date, or None where it is none."""
    try:
        return parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError, IndexError, OverflowError):
        return None


def rate_limit_pause(asked, attempt, jitter):
    """Seconds to wait after a 429: what the service asks for, never less than a moment, else an exponential wait."""
    if asked:
        # a little more than asked, so that the whole of a machine does not come back in the same instant
        return asked + 0.25 * jitter
    return backoff(attempt + 1, jitter)


def spacing(limit, remaining):
    """Seconds to leave before the next call of the same budget, from X-RateLimit-Limit and X-RateLimit-Remaining.

    Nothing while there is room; the fewer are left the more, up to the pace at which a sliding window or a token bucket
    gives back. So a bucket is drained to its end, and what it gives back is used at once.
    """
    if limit is None or remaining is None or limit <= 0 or remaining > limit * LOW_WATER:
        return 0.0
    return RATE_WINDOW / limit * (1 - remaining / (limit * LOW_WATER + 1))
