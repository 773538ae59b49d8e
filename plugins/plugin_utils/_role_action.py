# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The first task of a role of this collection, for each host: refuses variables that the role does not know. Every variable
with the prefix of a role belongs to it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml
from ansible.plugins.action import ActionBase
from ansible_collections.scanops.scanner.plugins.module_utils._errors import harmless, printable
from ansible_collections.scanops.scanner.plugins.plugin_utils._unset import explained

Result = dict[str, Any]


class RoleAction(ActionBase):  # type: ignore[misc]  # ansible-core has no types
    """A task that only roles of this collection use. It has no options that users could set."""

    _requires_connection = False
    _supports_async = False

    def run(self, tmp: str | None = None, task_vars: Result | None = None) -> Result:
        result = dict(super().run(tmp, task_vars))
        if self._task._role is None:
            return {**result, "failed": True, "msg": f"{self._task.action} is for the roles of this collection only."}
        done = explained(self.step(task_vars or {}), self._task, task_vars or {})
        return {**result, **(harmless(done) if done.get("failed") else done)}

    def step(self, variables: Result) -> Result:
        """What the task returns."""
        unknown = self.unknown(variables)
        return {"failed": True, "msg": unknown} if unknown else {}

    def unknown(self, variables: Result) -> str | None:
        """The message on misspelt variables, or None."""
        role = self._task._role
        return unknown_variables(variables, role.get_name(), role._role_path)

    def options(self) -> list[str]:
        """The variables that the role documents."""
        return options_of(self._task._role._role_path)


def unknown_variables(names: Iterable[str], role: str, directory: str) -> str | None:
    """The message on variables that have the prefix of a role and that it never reads, or None. directory: of the role."""
    prefix = f"{role.rpartition('.')[2]}_"
    files = [path for part in ("defaults", "meta", "tasks", "vars") for path in Path(directory, part).glob("*.y*ml")]
    # what they never mention, the role cannot read
    words = {word for path in files for word in re.findall(rf"\b{prefix}\w+", path.read_text(encoding="utf-8"))}
    unknown = [name for name in sorted(names) if name.startswith(prefix) and name not in words]
    if not unknown:
        return None
    near = {name: difflib.get_close_matches(name, options_of(directory), 1) for name in unknown}
    shown = ", ".join(printable(name) + (f" (did you mean {each[0]}?)" if each else "") for name, each in near.items())
    are, them = ("is no variable", "it") if len(unknown) == 1 else ("are no variables", "them")
    return f"{shown} {are} of the role {role}: correct {them}, or remove {them}."


def options_of(directory: str) -> list[str]:
    """The variables that a role documents."""
    text = Path(directory, "meta", "argument_specs.yml").read_text(encoding="utf-8")
    return list(yaml.safe_load(text)["argument_specs"]["main"]["options"])
