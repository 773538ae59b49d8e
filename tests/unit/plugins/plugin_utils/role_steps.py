# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs the steps of roles in this process, with the play, the tasks and the action plugins of ansible-core."""

from __future__ import annotations

import contextlib
import json
from unittest import mock

import ansible.template
from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader
from ansible.playbook.play import Play
from ansible.playbook.play_context import PlayContext
from ansible.plugins import loader as plugins
from ansible.template import Templar
from ansible.vars.manager import VariableManager
from ansible_collections.scanops.scanner.plugins.plugin_utils import _core, _role_action
from ansible_collections.scanops.scanner.tests.unit.collection_loader import install_collection_loader

# what the modules say that a role asks before it goes on, where none is run
ANSWERS = {
    "estate": {"changed": False, "plan": {"checksum": "0"}, "results": [], "summary": {}},
    "targets": {"changed": False, "plan": {"actions": [], "unmarked": []}, "summary": {}},
    "scan": {"changed": False, "scans": []},
    "gate": {
        "changed": False,
        "verdict": "pass",
        "passed": True,
        "outcome": "passed",
        "outcomes": {"stale_baseline": "fail"},
        "baseline": {"state": "missing", "reason": None},
    },
}


class Role:
    """A role of a play. calls: the modules that it ran, each with its arguments; batch: the hosts that the play is at.

    directory: of the playbook; defaults: module_defaults of the play; answered: whether ANSWERS take the place of modules;
    hosts: of the play, the first one runs what names no other; when: the condition of the role, which is not tried before.
    """

    def __init__(
        self, name, directory, variables, defaults=None, answered=True, hosts=("localhost",), when=True, **play
    ):
        install_collection_loader()
        self.calls, self._answered = [], answered
        loader = DataLoader()
        loader.set_basedir(str(directory))
        inventory = InventoryManager(loader, sources=f"{','.join(hosts)},")
        manager = VariableManager(loader, inventory)
        declared = {
            "name": "Role",
            "hosts": "all",
            "gather_facts": False,
            "module_defaults": trusted(defaults or {}),
            **play,
            "roles": [{"role": f"scanops.scanner.{name}", "when": trusted(when)}],
        }
        play = Play.load(declared, variable_manager=manager, loader=loader)
        blocks = [block for role in play.roles for block in role.compile(play=play)]
        self._tasks = {task.args["step"]: task for block in blocks for task in _tasks_of(block) if "step" in task.args}
        first, self.batch = next(iter(self._tasks.values())), list(hosts)
        of_play = {f"ansible_play_{kind}": list(hosts) for kind in ("hosts", "batch", "hosts_all")}
        given = manager.get_vars(play=play, host=inventory.get_host(hosts[0]), task=first)
        self._variables = {**given, **of_play, **trusted(variables)}
        self._variables.update(groups={"all": list(hosts)}, hostvars={each: dict(self._variables) for each in hosts})
        self._loader, self._templar = loader, Templar(loader=loader, variables=self._variables)

    @contextlib.contextmanager
    def acting(self, step, host=None):
        """The action plugin of a step, whose calls are noted."""
        of_host = {"inventory_hostname": host} if host else {}
        variables = {**self._variables, **of_host, "ansible_play_batch": self.batch}
        task = self._tasks[step].copy()
        action = plugins.action_loader.get(
            task.action,
            task=task,
            connection=plugins.connection_loader.get("ansible.builtin.local", PlayContext()),
            play_context=PlayContext(),
            loader=self._loader,
            templar=self._templar,
            shared_loader_obj=plugins,
        )
        called = _role_action.RoleAction._called

        def noted(self_, module, arguments, *rest):
            short = module.rpartition(".")[2]
            self.calls.append((short, _core.as_module_reads(dict(arguments))))
            return json.loads(json.dumps(ANSWERS[short])) if self._answered else called(self_, module, arguments, *rest)

        with mock.patch.object(_role_action.RoleAction, "_called", noted):
            action.variables, action._joined, action._trace = variables, {}, None
            yield action

    def run(self, *steps, host=None):
        """The result of the last of these steps."""
        for step in steps:
            with self.acting(step, host) as action:
                result = action.run(task_vars=action.variables)
        return result

    def plain(self, module, arguments):
        """The result of a task of a module."""
        with self.acting(next(iter(self._tasks))) as action:
            return action._called(f"scanops.scanner.{module}", trusted(arguments))

    def last(self, module):
        """The arguments of the last run of a module."""
        return [arguments for name, arguments in self.calls if name == module][-1]


def trusted(value):
    """A value whose texts may be templates, as those of a play."""
    if isinstance(value, dict):
        return {key: trusted(part) for key, part in value.items()}
    if isinstance(value, list):
        return [trusted(part) for part in value]
    trust = getattr(ansible.template, "trust_as_template", None)
    return trust(value) if trust and isinstance(value, str) else value


def _tasks_of(block):
    for each in [*block.block, *block.rescue, *block.always]:
        if hasattr(each, "block"):
            yield from _tasks_of(each)
        else:
            yield each
