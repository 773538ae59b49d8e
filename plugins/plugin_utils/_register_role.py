# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role estate_register: the hosts of a group as targets, with a marker that says which inventory they are of."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ..filter.register_targets import register_targets
from ..module_utils._estate.marks import Mark
from ..module_utils._model.errors import WrongOption, first_of
from ._plan_file import line_of
from ._role_action import SKIPPED, Result, RoleAction

# options of the module that the role itself decides
_OF_ROLE = (
    *(
        "workspace",
        "workspace_id",
        "targets",
        "state",
        "purge",
        "purge_only",
        "owner",
        "on_drift",
        "force",
        "expect_plan",
    ),
    *("report_unchanged", "report_full_plan"),
)
# every other variable is an option of the module
_OWN = ("workspace", "source", "group", "description", "retire")
# an owner of 60 characters, with what names the role
_SOURCE = re.compile(r"[\w.:-]([\w .:-]{0,41}[\w.:-])?")
_MOST_NAMED = 20


class RegisterAction(RoleAction):
    """One host does the work, once for the whole play."""

    steps = ("enter", "register", "report")
    given = ("estate_register_result",)
    # the variable of the hosts
    known = ("estate_register_targets",)

    def register(self) -> Result:
        """The result of the module targets."""
        if not self.works():
            return SKIPPED
        values, retires = self.own_values(), self.is_true("retire")
        source, group = values.get("source"), values.get("group", "all")
        groups = self.variables["groups"]
        problem = mistake_in(values.get("workspace"), source, group, groups)
        if problem:
            raise WrongOption(problem)
        mark = Mark(f"estate_register: {source}")
        text = {"description": values["description"]} if values.get("description") else {}
        asked = register_targets(groups[group], self.variables["hostvars"], **text)
        if asked["problem"]:
            raise WrongOption(asked["problem"])
        if retires and not asked["targets"]:
            raise WrongOption(
                f"The group {group} gives no target, so estate_register_retire would delete all that carry {mark}: correct"
                " the inventory, or leave estate_register_retire out."
            )
        options = {
            **{name: each for name, each in values.items() if name not in _OWN},
            "workspace": values["workspace"],
            "targets": asked["targets"],
            "purge": retires,
            "purge_only": "own",
            "owner": mark.owner,
            # an existing target keeps its description
            "on_drift": "ignore",
        }
        result = self.call("targets", options, without=_OF_ROLE)
        if not result.get("failed"):
            line = line_of(result["summary"], bool(self._task.check_mode))
            said, others = f"{line}.", result["plan"]["unmarked"]
            if others:
                exist = "target exists" if len(others) == 1 else "targets exist"
                names = first_of(others, _MOST_NAMED)
                said += f" {len(others)} {exist} without the mark and will not be retired: {names}."
            self.keep("said", said)
        return result


def mistake_in(workspace: object, source: object, group: object, groups: Mapping[str, Any]) -> str | None:
    """What is wrong with these variables, a sentence, or None."""
    if not isinstance(source, str) or not _SOURCE.fullmatch(source):
        return (
            f"estate_register_source is {json.dumps(source)}: give 1 to 43 letters, digits, spaces and _.:- without a space"
            " at the ends."
        )
    if not isinstance(workspace, str) or not workspace.strip():
        return (
            f"estate_register_workspace is {json.dumps(workspace)}: give the name of the workspace as text, in quotes where"
            " YAML would read it as a number or a boolean."
        )
    if group not in groups:
        return f"estate_register_group names no group of the inventory, {group}: correct it, or the inventory."
    return None
