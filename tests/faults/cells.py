# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The cells of the matrix: all of them, or a fixed sample. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256
from typing import NamedTuple

PLACES = ("first", "middle", "last")


class Cell(NamedTuple):
    """One fault at one call of one operation or, with `on`, at every call from this one on."""

    operation: str
    fault: str
    place: str
    on: bool

    def __str__(self) -> str:
        return f"{self.operation}/{self.fault}/{self.place}{'-on' if self.on else ''}"


def number_of(place: str, calls: int) -> int:
    """The number of the call at this place of an operation with so many calls, from 1 on."""
    return {"first": 1, "middle": (calls + 2) // 2, "last": calls}[place]


def all_cells(calls: dict[str, int], faults: Iterable[str]) -> list[Cell]:
    """Every cell. calls: how many calls each operation sends without a fault; faults: their names.

    Places with the same call count once. A fault at the last call differs from one at every call from it on, because a
    client sends more calls after a fault, to retry or to read again."""
    cells: list[Cell] = []
    for operation, count in calls.items():
        # an operation without a call, such as some creates in check mode, has no place
        places = {number_of(place, count): place for place in reversed(PLACES) if count}
        for fault in faults:
            for number in sorted(places):
                cells += [Cell(operation, fault, places[number], on) for on in (False, True)]
    return cells


def documented(guide: str, *figures: int) -> str:
    """What is wrong with the figures of the matrix in the guide, or "". A tenth of difference is fine, so that a new
    operation does not make the guide wrong. figures: operations, faults, cells."""
    found = re.search(r"([\d,]+) operations, ([\d,]+) faults and ([\d,]+) cells", guide)
    written = [int(number.replace(",", "")) for number in found.groups()] if found else [0] * len(figures)
    if all(abs(number - figure) <= figure / 10 for number, figure in zip(written, figures)):
        return ""
    operations, faults, cells = figures
    return f"must say: {operations} operations, {faults} faults and {cells:,} cells"


def sample(cells: list[Cell], count: int) -> list[Cell]:
    """A fixed sample of about `count` cells, with at least one of each operation and each fault. The others are chosen by
    their digest, so that a new operation does not change them."""
    ordered = sorted(cells, key=lambda cell: sha256(str(cell).encode()).digest())
    chosen = set(ordered[:count])
    for kind in ("operation", "fault"):
        seen = {getattr(cell, kind) for cell in chosen}
        for cell in ordered:
            if getattr(cell, kind) not in seen:
                seen.add(getattr(cell, kind))
                chosen.add(cell)
    return [cell for cell in cells if cell in chosen]
