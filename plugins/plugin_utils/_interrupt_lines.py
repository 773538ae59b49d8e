# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lines that say what an interrupted task has done, where ansible-core takes no result. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_collections.scanops.scanner.plugins.module_utils._bulk.model import WRITES
from ansible_collections.scanops.scanner.plugins.module_utils._errors import counted, printable

# objects that a line names; the log of requests at the service has the others
_MOST_NAMED = 20
_DONE = {"create": "created", "update": "updated", "delete": "deleted"}


def lines(action: str, result: Mapping[str, Any]) -> list[str]:
    """action: the name of the module; result: what the task would have returned."""
    rows = result.get("results")
    shown = [
        line
        for done in WRITES
        for line in _of_rows(done, [row for row in rows if row["action"] == done] if isinstance(rows, list) else [])
    ]
    if result.get("failed"):
        shown.append(printable(result.get("msg") or "the task failed", 1000))
    if not shown:
        shown.append("changed as declared" if result.get("changed") else "nothing was changed")
    elif not result.get("changed"):
        shown.append("nothing was changed")
    return [f"interrupted: {action}: {line}" for line in shown]


def _of_rows(done: str, rows: list[Mapping[str, Any]]) -> list[str]:
    if not rows:
        return []
    names = ", ".join(f"{row['resource']} {printable(row['name'], 100)!r}" for row in rows[:_MOST_NAMED])
    more = f" and {len(rows) - _MOST_NAMED} more" if len(rows) > _MOST_NAMED else ""
    return [f"{counted(len(rows), 'object')} {_DONE[done]}: {names}{more}"]
