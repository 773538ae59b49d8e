# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan of the modules estate and targets as a file for reviewers and for a later run. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from ansible_collections.scanops.scanner.plugins.module_utils._bulk.plan import WRITES
from ansible_collections.scanops.scanner.plugins.module_utils._bulk.report import checksum, deleted_id, identity
from ansible_collections.scanops.scanner.plugins.module_utils._errors import printable
from ansible_collections.scanops.scanner.plugins.module_utils._families.table import FAMILIES
from ansible_collections.scanops.scanner.plugins.module_utils._records import Record

# the ``plan`` of a module's result, or the content of a file with it
Plan = Mapping[str, Any]


class Reading(NamedTuple):
    """What a file holds. plan: None where there is a problem; problem: the end of a sentence."""

    plan: Plan | None = None
    problem: str | None = None


class Differences(NamedTuple):
    """The writes that only one of two plans contains, one line of text for each."""

    new: list[str]
    gone: list[str]


def record(plan: Plan, summary: Mapping[str, int]) -> dict[str, Any]:
    """The content of the file. Of live records it keeps what identifies them, and nothing else that the service says, such
    as the address of a logger."""
    actions = [dict(action, before=_identified(action["resource"], action["before"])) for action in plan["actions"]]
    return dict(plan, actions=actions, summary=summary)


def _identified(resource: str, before: Record | None) -> Record | None:
    family = FAMILIES[resource]
    return before and {field: before[field] for field in ("id", family.key, *family.declared)}


def read(text: str) -> Reading:
    """Read the content of a file, and check that nobody has changed it."""
    try:
        plan = json.loads(text)
        if plan.get("left_out"):
            return Reading(
                problem="is incomplete because the task that made it failed: create a new plan, or set report_full_plan"
                " for that task"
            )
        own = checksum(plan["actions"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Reading(
            problem="is not a plan: give the JSON file that estate_apply_plan_dest names in the run that was reviewed"
        )
    if plan.get("checksum") != own:
        return Reading(
            problem="was changed after it was written: its checksum does not match its actions. Create and review a new"
            " plan"
        )
    return Reading(plan)


def difference(reviewed: Plan, present: Plan) -> Differences:
    """Compare two plans; there are no differences where the present one is shortened."""
    if present.get("left_out"):
        return Differences([], [])
    mine, theirs = _writes(reviewed), _writes(present)
    new = [_line(action) for key, action in theirs.items() if key not in mine]
    gone = [_line(action) for key, action in mine.items() if key not in theirs]
    return Differences(new, gone)


def _writes(plan: Plan) -> dict[str, Record]:
    return {identity(action): action for action in plan["actions"] if action["action"] in WRITES}


def _line(action: Record) -> str:
    family = FAMILIES[action["resource"]]
    fields = "".join(
        f", {field}: {printable(value)!r}" for field, value in (action["after"] or {}).items() if field != family.key
    )
    deleted = deleted_id(action)
    number = "" if deleted is None else f" (id {deleted})"
    where = f" in {printable(action['workspace'])!r}" if family.in_workspace else ""
    return f"{action['action']} {family.noun} {printable(action['name'])!r}{number}{where}{fields}"
