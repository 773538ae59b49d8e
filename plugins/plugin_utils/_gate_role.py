# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The steps of the role scan_gate: whether this host decides, what is wrong with the variables, and what the results mean."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ansible.errors import AnsibleError
from ansible_collections.scanops.scanner.plugins.module_utils._exports.formats import FORMATS
from ansible_collections.scanops.scanner.plugins.module_utils._gate_words import MISCONFIGURED
from ansible_collections.scanops.scanner.plugins.module_utils._task import UNEXPECTED
from ansible_collections.scanops.scanner.plugins.plugin_utils._core import play_of
from ansible_collections.scanops.scanner.plugins.plugin_utils._play import is_selected, wrong_strategy
from ansible_collections.scanops.scanner.plugins.plugin_utils._role_action import Result, RoleAction

PREFIX = "scan_gate_"
# the variables on which the decision depends
JUDGED = (
    "scan_gate_base_url",
    "scan_gate_workspace",
    "scan_gate_targets",
    "scan_gate_tools",
    "scan_gate_tool_params",
    "scan_gate_max_age",
    "scan_gate_policy",
    "scan_gate_baseline",
    "scan_gate_baseline_missing",
    "scan_gate_waivers",
    "scan_gate_allow_permanent",
    "scan_gate_epss_file",
    "scan_gate_known_exploited_file",
    "scan_gate_outcomes",
    "scan_gate_scope",
)
# the variables without which nothing can be judged
_NEEDED = ("targets", "tools", "formats", "artifacts")
# written if none of the given formats is known
_FORMATS = ("json", "markdown", "html")
# options of modules that have another name in the role
_RENAMED = {"tool": "tools", "workspaces[0].targets": "targets", "workspaces[0].name": "workspace"}
_BEGINNING = re.compile(r"^(value of |argument '?)?(?:expect\.)?(workspaces\[0\]\.(?:name|targets)|[a-z_]+)")
# keys of a failed result that did not come from the module itself, or that say that a call was sent
_NOT_REFUSED = ("api_error", "scans", "module_stdout", "module_stderr", "timedout", "unreachable", "skipped", "outcome")


class GateAction(RoleAction):
    """With ``entered``, checks the variables of all hosts; with ``results``, classifies results; else decides for a host."""

    def step(self, variables: Result) -> Result:
        given = self._task.args
        if "results" in given:
            options = self.options()
            return {"results": [classified(each, options) for each in given["results"]]}
        return self._checked(given) if "entered" in given else self._entered(variables)

    def _entered(self, variables: Result) -> Result:
        """decide: whether the gate decides now; earlier: why it failed in an earlier batch, or empty."""
        play = play_of(self._task)
        host = variables["inventory_hostname"]
        if not is_selected(self._task, variables):
            return {"decide": False, "earlier": ""}
        wrong = wrong_strategy(self._templar.template(play.strategy), variables, "scan_gate could not stop them")
        if wrong:
            return {"failed": True, "msg": wrong}
        settings = digests({name: self._value(name, variables) for name in JUDGED})
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
        mistake = unknown or differing([mine, *entered]) or mistake_in(settings)
        return {
            "mistake": mistake or "",
            "targets": listed(settings["targets"]),
            "tools": listed(settings["tools"]),
            "formats": usable_formats(settings["formats"]),
        }


def listed(value: Any) -> Any:
    """A list of names; one name is a list of one, as everywhere in ansible-core."""
    return [value] if isinstance(value, str) and value else value


def mistake_in(settings: Mapping[str, Any]) -> str | None:
    """Why nothing can be judged with these variables, by their names without the prefix, a sentence; or None."""
    empty = [f"{PREFIX}{name}" for name in _NEEDED if not settings[name]]
    if empty:
        one = len(empty) == 1
        names = " and ".join(empty)
        return f"{names} {'is' if one else 'are'} empty, so nothing would be judged: set {'it' if one else 'them'}."
    tools = [str(tool) for tool in listed(settings["tools"])]
    params = settings["tool_params"]
    unused = [str(name) for name in params if str(name) not in tools] if isinstance(params, Mapping) else []
    if unused:
        return (
            f"{PREFIX}tool_params has the key {unused[0]!r}, which is not in {PREFIX}tools: write the name of the tool as"
            f" in {PREFIX}tools."
        )
    return None


def usable_formats(formats: Any) -> list[str]:
    """The formats that can be written although another variable, or one of them, is wrong."""
    given = listed(formats)
    known = [each for each in given if each in FORMATS] if isinstance(given, list) else []
    return known or list(_FORMATS)


def digests(values: Mapping[str, Any]) -> dict[str, str]:
    """A short text for the value of each variable, equal for equal values."""
    return {
        name: hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:16]
        for name, value in values.items()
    }


def differing(entered: Iterable[Mapping[str, Any]]) -> str | None:
    """Why one decision cannot hold for all hosts, a sentence, or None. entered: what each of them registered."""
    hosts = list(entered)
    names = sorted(
        {name for each in hosts for name, digest in each["settings"].items() if digest != _first(hosts, name)}
    )
    if not names:
        return None
    other = next(each for each in hosts if any(each["settings"][name] != _first(hosts, name) for name in names))
    return (
        f"{' and '.join(names)} {'differs' if len(names) == 1 else 'differ'} between the hosts {hosts[0]['host']} and"
        f" {other['host']}, and the gate judges once for all hosts of the play: give all hosts the same values, or run the"
        " role in a play for each of them."
    )


def _first(hosts: Sequence[Mapping[str, Any]], name: str) -> str:
    return str(hosts[0]["settings"][name])


def named(msg: str, options: Iterable[str]) -> str:
    """A message of a module that begins with one of its options, with the variable of the role instead."""
    msg = re.sub(r" found in ([a-z_]+)$", rf" found in {PREFIX}\1", msg)
    found = _BEGINNING.match(msg)
    if not found:
        return msg
    variable = f"{PREFIX}{_RENAMED.get(found[2], found[2])}"
    rest = msg.removeprefix(found[0])
    return f"{found[1] or ''}{variable}{rest}" if variable in options else msg


def classified(result: Mapping[str, Any], options: Iterable[str]) -> dict[str, Any]:
    """The result of a task, with the outcome of one that refused its options before any call."""
    msg = result.get("msg")
    refused = isinstance(msg, str) and not result.get("changed") and not any(name in result for name in _NOT_REFUSED)
    if not refused or not isinstance(msg, str) or msg.startswith((UNEXPECTED, "MODULE FAILURE")):
        return dict(result)
    return {**result, "outcome": MISCONFIGURED, "msg": named(msg, options)}
