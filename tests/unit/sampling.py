# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fixed samples of many cases. SCANNER_TEST_EXHAUSTIVE=1 tries every case; `make matrix` sets it for one ansible-core."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

EXHAUSTIVE = bool(os.environ.get("SCANNER_TEST_EXHAUSTIVE"))
SLOW = "slow: takes seconds of processor time by its nature; `make test` leaves it to `make matrix`"
"""The marker, for the conftest.py of each tree of tests."""

EVERY = {
    "test_bad_input.py": 2,
    "test_every_module.py": 3,
    "test_exports.py": 2,
    "test_exports_of_decisions.py": 2,
    "test_gate.py": 2,
    "test_gate_build.py": 3,
    "test_loops.py": 2,
    "test_module_options.py": 4,
    "test_scan_starts.py": 2,
    "test_statuses.py": 3,
    "test_stored_texts.py": 4,
    "test_stories.py": 3,
    "test_targets_findings.py": 2,
    "test_targets_service.py": 2,
}
"""The tables of which `make test` tries the first row and every second, third or fourth one, and `make matrix` all."""

Case = TypeVar("Case")
First = TypeVar("First")
Second = TypeVar("Second")


def one_of_each(cases: Iterable[Case], kinds_of: Callable[[Case], Iterable[Hashable]]) -> list[Case]:
    """The first case of each kind. A case can be of several kinds."""
    chosen: list[Case] = []
    seen: set[Hashable] = set()
    for case in cases:
        kinds = set(kinds_of(case))
        if EXHAUSTIVE or kinds - seen:
            chosen.append(case)
        seen |= kinds
    return chosen


def each_value(*dimensions: Sequence[object]) -> list[tuple[object, ...]]:
    """Cases of the product in which each value occurs."""
    if EXHAUSTIVE:
        return list(itertools.product(*dimensions))
    length = max(map(len, dimensions))
    return [tuple(values[number % len(values)] for values in dimensions) for number in range(length)]


def pairs(first: Sequence[First], second: Sequence[Second], rounds: int = 1) -> list[tuple[First, Second]]:
    """Pairs of the product in which each value occurs at least as often as there are rounds."""
    if EXHAUSTIVE:
        return list(itertools.product(first, second))
    return [
        (first[number % len(first)], second[(number + shift) % len(second)])
        for shift in range(rounds)
        for number in range(max(len(first), len(second)))
    ]
