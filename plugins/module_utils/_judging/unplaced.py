# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Scans whose records lack the target or the tool: each may be of all that its record does not exclude. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .._records import Record
from .._scan.record import lacks


class Slot(NamedTuple):
    """A target and a tool that are judged. scan_id: of their newest scan, None without one; ids are None if unknown."""

    target_id: int | None
    tool_id: int | None
    scan_id: int | None


class Unplaced(NamedTuple):
    """What scans without a target or tool leave open. newer: a sentence for each slot that one may replace, by its number;
    hidden: sentences about those that may be of a target and tool without another scan."""

    newer: dict[int, str]
    hidden: list[str]


def unplaced_in(scans: Iterable[Record], slots: Sequence[Slot], any_tool: bool) -> Unplaced:
    """What the scans leave open that lack a field. any_tool: whether each tool that has scanned a target is judged."""
    newer: dict[int, str] = {}
    hidden = []
    for scan in scans:
        missing = lacks(scan)
        if not missing:
            continue
        own = [number for number, slot in enumerate(slots) if _may_be_of(scan, slot)]
        for number in own:
            known = slots[number].scan_id
            if known is not None and known < scan["id"]:
                newer[number] = f"Scan {scan['id']} may be a newer scan of it, because its record has no {missing}."
        if any(slots[number].scan_id is None for number in own) or (any_tool and _may_be_another(scan, slots)):
            hidden.append(
                f"Scan {scan['id']} may be of a target and tool without another scan, because its record has no {missing}:"
                " check it in the web application."
            )
    return Unplaced(newer, hidden)


def _may_be_of(scan: Record, slot: Slot) -> bool:
    if slot.target_id is None:
        # a target that does not exist
        return False
    same_tool = slot.tool_id is None or scan["tool_id"] in (None, slot.tool_id)
    return same_tool and scan["target_id"] in (None, slot.target_id)


def _may_be_another(scan: Record, slots: Iterable[Slot]) -> bool:
    """Whether the scan may be of a judged target and a tool that would be judged, if the record said so."""
    tools: dict[int, set[int | None]] = {}
    for slot in slots:
        if slot.target_id is not None and scan["target_id"] in (None, slot.target_id):
            tools.setdefault(slot.target_id, set()).add(slot.tool_id)
    return any(scan["tool_id"] is None or scan["tool_id"] not in own for own in tools.values())
