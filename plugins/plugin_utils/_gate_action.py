# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The steps of the role scan_gate: whether this host decides, what is wrong with the variables, and what the results mean."""

from __future__ import annotations

import hashlib
from typing import Any

from ansible.errors import AnsibleError
from ansible_collections.scanops.scanner.plugins.plugin_utils import _gate_role
from ansible_collections.scanops.scanner.plugins.plugin_utils._play import is_selected, play_of, runs_in_lockstep
from ansible_collections.scanops.scanner.plugins.plugin_utils._role_action import Result, RoleAction


class GateAction(RoleAction):
    """With ``entered``, checks the variables of all hosts; with ``results``, classifies results; else decides for a host."""

    def step(self, variables: Result) -> Result:
        given = self._task.args
        if "results" in given:
            options = self.options()
            return {"results": [_gate_role.classified(each, options) for each in given["results"]]}
        return self._checked(given) if "entered" in given else self._entered(variables)

    def _entered(self, variables: Result) -> Result:
        """decide: whether the gate decides now; earlier: why it failed in an earlier batch, or empty."""
        play = play_of(self._task)
        host = variables["inventory_hostname"]
        if not is_selected(self._task, variables):
            return {"decide": False, "earlier": ""}
        strategy = self._templar.template(play.strategy)
        if len(variables["ansible_play_hosts_all"]) > 1 and not runs_in_lockstep(strategy):
            return {"failed": True, "msg": _wrong_strategy(strategy)}
        settings = _gate_role.digests({name: self._value(name, variables) for name in _gate_role.JUDGED})
        key = hashlib.sha256(f"{play._uuid} {sorted(settings.items())}".encode()).hexdigest()
        earlier = self._task.args["decided"].get(key)
        # the same gate can stand twice in a play; only later batches share its decision
        repeated = earlier is not None and host not in earlier["hosts"]
        return {
            "decide": not repeated,
            "earlier": earlier["msg"] if repeated else "",
            "key": key,
            "settings": settings,
            "unknown": self.unknown(variables),
            "host": host,
            "task": str(self._task._uuid),
        }

    def _value(self, name: str, variables: Result) -> Any:
        try:
            return self._templar.template(variables.get(name))
        except AnsibleError as error:
            # the task that needs it says why
            return str(error)

    def _checked(self, given: Result) -> Result:
        settings = given["settings"]
        mine = given["mine"]
        entered = [each for each in given["entered"] if each.get("task") == mine["task"]]
        unknown = next((each["unknown"] for each in entered if each["unknown"]), None)
        mistake = unknown or _gate_role.differing([mine, *entered]) or _gate_role.mistake_in(settings)
        return {
            "mistake": mistake or "",
            "targets": _gate_role.listed(settings["targets"]),
            "tools": _gate_role.listed(settings["tools"]),
            "formats": _gate_role.usable_formats(settings["formats"]),
        }


def _wrong_strategy(strategy: str) -> str:
    return (
        f"With the strategy {strategy}, each host of the play goes on by itself, so scan_gate could not stop them: use the"
        " strategy linear in this play, or run the role before it in a play of its own, with hosts: localhost."
    )
