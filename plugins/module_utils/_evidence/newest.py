# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The newest scan of each target and tool. Ids rise with time; a record may lack its time. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from .._model.records import Record

# the ids of a target and a tool, None for one that a record lacks; the tool None stands for any
Key = tuple[object, object]


def newest_first(scans: Iterable[Record]) -> list[Record]:
    """Scans, the newest first."""
    return sorted(scans, key=lambda scan: int(scan["id"]), reverse=True)


def history_of(scans: Iterable[Record], any_tool: bool = False) -> dict[Key, list[Record]]:
    """The scans of each target and tool, the newest first; the groups in the order of their newest scans, too.

    any_tool: the scans of a target with all tools are one group.
    """
    found: dict[Key, list[Record]] = {}
    for scan in newest_first(scans):
        found.setdefault((scan["target_id"], None if any_tool else scan["tool_id"]), []).append(scan)
    return found


def newest_of(scans: Iterable[Record], any_tool: bool = False) -> dict[Key, Record]:
    """The newest scan of each target and tool, in the order of their ids. any_tool: see ``history_of``."""
    return {key: group[0] for key, group in reversed(history_of(scans, any_tool).items())}
