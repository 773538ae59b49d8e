# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Decides when a call is retried, and after how many seconds. Pure."""

from __future__ import annotations

# outcomes of a try that brought no HTTP status
UNREACHABLE = "unreachable"  # no connection, so the request was never sent
LOST = "lost"  # the request may have arrived, but no complete answer came back

GATEWAY = (502, 503, 504)
LONGEST_BACKOFF = 30.0


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
