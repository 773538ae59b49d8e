# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What an HTTP logger proves: that a request arrived, or that none did. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._model.errors import counted, printable
from .._model.records import Record, number_in

REQUEST, SILENCE = "request", "silence"


class Verdict(NamedTuple):
    """What was proven. sentence: how it failed and what to do, or what a person should know although it did not."""

    failed: bool
    sentence: str = ""


def why_deaf(logger: Record) -> str:
    """Why a logger can no longer record requests, a sentence; "" if it can, or does not say."""
    if number_in(logger.get("active_days")) != 0:
        return ""
    return (
        f"The HTTP logger {printable(logger.get('label'))!r} can no longer record requests, because its active_days are over:"
        " create another one."
    )


def verdict(
    expect: str,
    match: Mapping[str, Any],
    logger: Record,
    requests: Sequence[Record],
    undecided: int,
    total: int,
    within: object,
) -> Verdict:
    """What the requests since the begin of some tasks prove.

    match: the option that selects requests; requests: those that match; undecided: how many lack a field that decides it;
    total: how many arrived; within: for how many seconds after the tasks requests were awaited.
    """
    at = f"the logger {printable(logger.get('label'))}"
    if requests:
        return _arrived(expect, at, requests)
    if deaf := why_deaf(logger):
        return Verdict(True, f"Nothing is proven: {deaf}")
    if undecided:
        return Verdict(
            True,
            f"Whether a matching request arrived at {at} is unknown, because {undecided} of those that arrived lack a field"
            " that logger_canary_match compares.",
        )
    if expect == SILENCE and number_in(logger.get("active_days")) is None:
        return Verdict(
            True, f"Nothing is proven, because the record of {at} has no active_days, so it may record nothing."
        )
    others = total - undecided
    said = (
        f" {counted(others, 'request')} arrived that {'does' if others == 1 else 'do'} not match it." if others else ""
    )
    if expect == REQUEST:
        return Verdict(
            True,
            f"No matching request arrived at {at} within {within} s after the tasks.{said} Check logger_canary_match, and that"
            f" the hosts can reach {printable(logger.get('handler_url'))}.",
        )
    if others:
        keys = ", ".join(key for key, value in match.items() if value is not None)
        return Verdict(
            False, f"No request that matches logger_canary_match ({keys}) arrived at {at}.{said} Check it for a typo."
        )
    return Verdict(False)


def _arrived(expect: str, at: str, requests: Sequence[Record]) -> Verdict:
    if expect == REQUEST:
        return Verdict(False)
    first = requests[0]
    address, method = (printable(first.get(key) or "unknown") for key in ("ip_address", "request_method"))
    number = f"{len(requests):,} matching request{'' if len(requests) == 1 else 's'}"
    return Verdict(
        True,
        f"{number} arrived at {at}, the first one from {address} ({method}, id {printable(first.get('id'))}). None was"
        " expected.",
    )
