# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The first task of a role of this collection, for each host: refuses variables that the role does not know."""

from __future__ import annotations

from typing import Any

from ansible.plugins.action import ActionBase
from ansible_collections.scanops.scanner.plugins.plugin_utils._role_variables import options_of, unknown_variables

Result = dict[str, Any]


class RoleAction(ActionBase):  # type: ignore[misc]  # ansible-core has no types
    """A task that only roles of this collection use. It has no options that users could set."""

    _requires_connection = False
    _supports_async = False

    def run(self, tmp: str | None = None, task_vars: Result | None = None) -> Result:
        result = dict(super().run(tmp, task_vars))
        if self._task._role is None:
            return {**result, "failed": True, "msg": f"{self._task.action} is for the roles of this collection only."}
        return {**result, **self.step(task_vars or {})}

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
