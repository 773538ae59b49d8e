# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The line with which a task of the gate ends: the outcome, why, what fails, and where to read more. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from .._errors import counted, printable, without_secrets
from .._gate_words import MISSING
from .._moments import expiry_of
from .judge import Decision
from .types import Judged, Waiver
from .waivers import expiry_text

_MOST_NAMED = 5
_LONGEST_NAME = 80


def sentence_of(decision: Decision, page: str | None) -> str:
    """The complete line. page: the path of the artefact that a person should open."""
    parts = (
        f"The gate ended with {decision.outcome}.",
        without_baseline(decision),
        why(decision),
        _failing(decision.failing),
        _expired(decision.waived.expired),
        f"See {printable(page)}." if page else "",
    )
    return " ".join(filter(None, parts))


def why(decision: Decision) -> str:
    """The first reason, and how many more there are."""
    reasons = decision.reasons
    more = f" See reasons in the result for {len(reasons) - 1} more." if len(reasons) > 1 else ""
    return f"{reasons[0]}{more}" if reasons else "everything was read, and nothing fails the policy."


def without_baseline(decision: Decision) -> str:
    """That the baseline does not exist, if something was judged and the reasons do not say it."""
    memory = decision.memory
    said = memory.state != MISSING or memory.blocks or not decision.targets
    return "" if said else memory.reason or ""


def _failing(failing: Sequence[Judged]) -> str:
    if not failing:
        return ""
    named = [_name(each) for each in failing[:_MOST_NAMED]]
    more = len(failing) - len(named)
    return f"Failing: {'; '.join([*named, f'and {more:,} more'] if more else named)}."


def _name(judged: Judged) -> str:
    row = judged.row
    check = f" (check {printable(row.check, _LONGEST_NAME)})" if row.check else ""
    target = printable(without_secrets(row.target), _LONGEST_NAME) or "an unknown target"
    return f"{row.severity} {printable(row.name, _LONGEST_NAME) or 'finding without a name'} on {target}{check}"


def _expired(waivers: Sequence[Waiver]) -> str:
    if not waivers:
        return ""
    states = ", ".join(
        f"{number} {status}" for status, number in sorted(Counter(each.status for each in waivers).items())
    )
    last = max(waivers, key=_end)
    have = "has" if len(waivers) == 1 else "have"
    return f"{counted(len(waivers), 'waiver')} {have} expired ({states}), the last one on {expiry_text(last.expires)}."


def _end(waiver: Waiver) -> float:
    return expiry_of(waiver.expires) or 0
