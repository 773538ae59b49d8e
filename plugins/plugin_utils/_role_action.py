# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The tasks of the roles of this collection: they run on the controller, and do the work of modules with the options that the
variables of the role and ``module_defaults`` of the play set. Every variable with the prefix of a role belongs to it."""

from __future__ import annotations

import copy
import difflib
import functools
import json
import os
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from ansible import constants
from ansible.errors import AnsibleError
from ansible.playbook.task_include import TaskInclude
from ansible.plugins.action import ActionBase
from ansible.plugins.loader import strategy_loader
from ansible.plugins.strategy.linear import StrategyModule as Linear

from ..module_utils._http.connection import missing_requests
from ..module_utils._model.errors import Refused, ScannerError, WrongOption, harmless, printable
from ..module_utils._task.connection_options import CONNECTION_OPTIONS
from . import _core
from ._notes import claim, note, noted, notes
from ._play import above, batch_of, is_selected, play_of
from ._unsafe import unsafe
from ._unset_environment import explained

Result = dict[str, Any]
# shows the result of a task that has only a message, as that of ansible.builtin.debug
SHOWN = {"_ansible_verbose_always": True}
SKIPPED: Result = {"skipped": True}
_COLLECTION = "scanops.scanner."
# what ansible-core prints of each result
PRINTED = ("warnings", "deprecations", "diff")
# lists of the results of modules that the result of a role has together
JOINED = ("warnings", "deprecations", "api_calls")
_INTERPRETER = "ansible_python_interpreter"


class RoleAction(ActionBase):  # type: ignore[misc]  # ansible-core has no types
    """A task that only roles of this collection use. Its option ``step`` names one of its methods, which returns the
    result."""

    _requires_connection = False
    _supports_async = False
    steps: Sequence[str] = ()
    # variables that the role itself sets, and registers
    given: Collection[str] = ()
    # others with its prefix: statistics, which a workflow hands on as extra variables, and what it reads of hosts
    known: Collection[str] = ()
    # why each host must wait for the others after each task, a clause; "" if it need not
    together = ""
    # whether the modules that it runs show nothing
    silent = False
    # of the task that runs
    variables: Mapping[str, Any] = {}

    def run(self, tmp: str | None = None, task_vars: Result | None = None) -> Result:
        result = dict(super().run(tmp, task_vars))
        step = self._task.args.get("step", "")
        if self._task._role is None or step not in self.steps:
            return {**result, "failed": True, "msg": f"{self._task.action} is for the roles of this collection only."}
        self.variables = task_vars or {}
        self._joined: dict[str, list[Any]] = {}
        self._trace: Any = None
        if step != self.steps[0]:
            note("begun", self.key, True)
        try:
            done = dict(getattr(self, step)())
            # the last step may fail, and the conditions of the role are those of each task
            if not done.get("failed") and not _core.holds(self, done):
                end = dict(getattr(self, self.steps[-1])())
                done = end if end.get("failed") else done
        except (ScannerError, AnsibleError) as error:
            done = {"failed": True, "msg": str(error)}
        for key, rows in self._joined.items():
            if rows:
                done[key] = [*rows, *done.get(key, [])]
        if done.get("failed") and self._trace:
            result["exception"] = self._trace
        done = explained(done, self._task, self.variables)
        # texts of the service are never templates, and in what is printed no commands
        is_printed = done.get("failed") or SHOWN.keys() <= done.keys()
        printed = done if is_printed else {key: done[key] for key in PRINTED if key in done}
        return {**result, **unsafe({**done, **harmless(printed)})}

    # --- who runs it, and where

    @property
    def role(self) -> str:
        """The name of the role, without that of the collection."""
        return str(self._task._role.get_name().rpartition(".")[2])

    @property
    def host(self) -> str:
        return str(self.variables["inventory_hostname"])

    def begin(self, **more: Any) -> None:
        """Note that this host runs the role now. Raises Refused where a variable replaces its name."""
        batch = batch_of(self._task, self.variables)
        if self.host not in batch:
            raise Refused(
                f"inventory_hostname is {printable(self.host, 100)!r}, which is no host that the play runs on now, so a"
                " variable replaces the name of the host: remove it."
            )
        # equal items of a loop, and handlers that are notified again, run the same role once more
        earlier = self.entry()
        turn = earlier["turn"] + 1 if earlier else 0
        # what was done for the hosts of an earlier turn may no longer hold
        while self.waits_for_all() and noted("begun", f"{self._block} {turn}"):
            turn += 1
        note(
            "entry",
            f"{self._block} {self.host}",
            {"host": self.host, "batch": batch, "turn": turn, "selected": True, **more},
        )

    def entry(self) -> Result | None:
        """What this host noted when it began the role, None if it did not."""
        return noted("entry", f"{self._block} {self.host}")  # type: ignore[no-any-return]

    def entered(self) -> list[Result]:
        """What all hosts of this batch noted that run the role together, in the order of the play."""
        found = [noted("entry", f"{self._block} {host}") for host in self.batch]
        return [each for each in found if each and each["selected"] and each["turn"] == self.turn]

    def is_out(self) -> bool:
        """Whether the tags of the run do not select the role."""
        entry = self.entry()
        return entry is not None and not entry["selected"]

    def is_in_charge(self) -> bool:
        """Whether this host does the work, as the first of those that run the role."""
        entered = self.entered()
        return bool(entered) and entered[0]["host"] == self.host

    @property
    def _block(self) -> str:
        """What identifies this run of the role in the play, for all hosts: the includes that lead to it, with the items of
        their loops. The blocks of a role that is included again are the same."""
        includes = [(each._uuid, each.vars) for each in above(self._task) if isinstance(each, TaskInclude)]
        return f"{play_of(self._task)._uuid} {includes or self._task._parent._uuid}"

    @property
    def key(self) -> str:
        """What identifies this run of the role, for these hosts."""
        return f"{self._block} {self.turn}"

    @property
    def turn(self) -> int:
        """How often hosts have run the role before, from the same place of the play."""
        entry = self.entry()
        return int(entry["turn"]) if entry else 0

    @property
    def origin(self) -> str:
        """What in the play runs the role. It is the same in each batch of hosts."""
        dynamic = [each for each in above(self._task) if isinstance(each, TaskInclude) and not each.statically_loaded]
        # each batch loads what is included again, with other ids
        places = [(each.get_path(), each.vars) for each in dynamic]
        return f"{play_of(self._task)._uuid} {(dynamic[-1] if dynamic else self._task._parent)._uuid} {places}"

    @property
    def batch(self) -> list[str]:
        """The hosts with which this one began the role."""
        entry = self.entry()
        return list(entry["batch"]) if entry else []

    def keep(self, kind: str, value: Any) -> None:
        """Keep a value for the later tasks of this run of the role."""
        note(kind, self.key, value)

    def kept(self, kind: str) -> Any:
        """What an earlier task of this run of the role has kept, else None."""
        return noted(kind, self.key)

    def claims(self, kind: str) -> bool:
        """Whether this host is the first that does something, in this run of the role."""
        return claim(kind, self.key)

    def enter(self) -> Result:
        """Note that this host runs the role. Raises Refused for wrong variables, and for a play in which it does not work."""
        if not is_selected(self._task, self.variables):
            self.begin(selected=False)
            return SKIPPED
        self.begin()
        problem = self.misuse() or self.wrong_play()
        if problem:
            raise Refused(problem)
        return {}

    def report(self) -> Result:
        """Say what was done, for the host that has kept it."""
        said = self.kept("said")
        return {"msg": said, **SHOWN} if said and self.claims("report") else SKIPPED

    def works(self) -> bool:
        """Whether this host does the work of the role, once for the whole play: the first host that runs it, of the first
        batch; with a strategy that does not wait for all hosts, the first that gets here."""
        entry = self.entry()
        if entry is None or not entry["selected"]:
            return False
        if not self.waits_for_all():
            return self.claims("work")
        if not self.is_in_charge():
            return False
        mine, done = set(self.batch), f"{self.role} works"
        if any(each["origin"] == self.origin and not mine & set(each["batch"]) for each in notes(done)):
            return False
        note(done, self.key, {"origin": self.origin, "batch": self.batch})
        return True

    def strategy(self) -> str:
        return str(self._templar.template(play_of(self._task).strategy))

    def waits_for_all(self) -> bool:
        """Whether each host waits for the others after each task."""
        found = strategy_loader.get(self.strategy(), class_only=True)
        return isinstance(found, type) and issubclass(found, Linear)

    def wrong_play(self) -> str | None:
        """The message on a strategy with which a host does not wait for the others after each task, or None."""
        if not self.together or len(self.variables["ansible_play_hosts_all"]) < 2 or self.waits_for_all():
            return None
        return (
            f"With the strategy {self.strategy()}, each host of the play goes on by itself, so {self.together}: use the"
            " strategy linear in this play, or run the role before it in a play of its own, with hosts: localhost."
        )

    def refuse_replaced(self, name: str, given: Mapping[str, Any]) -> None:
        """Raises Refused unless what an earlier task registered is what it has returned."""
        seen = self.variables.get(name)
        if not isinstance(seen, Mapping) or any(
            json.loads(json.dumps(seen.get(key), default=str)) != each for key, each in given.items()
        ):
            raise Refused(f"{name} was set from outside of the role, so nothing is proven: remove it.")

    # --- its variables

    def misuse(self) -> str | None:
        """The message on variables that the role does not have, or that it sets itself, or None."""
        extra = getattr(self._task.get_variable_manager(), "extra_vars", None) or {}
        outside = sorted(name for name in self.given if name in extra)
        role = self._task._role
        if outside:
            return (
                f"{outside[0]} is a result of the role {role.get_name()}, and cannot be set: remove it from the extra"
                " variables."
            )
        return unknown_variables(self.variables, role.get_name(), role._role_path, (*self.given, *self.known))

    def value(self, option: str, otherwise: Any = None) -> Any:
        """The variable of the role for an option, or ``otherwise`` if it is not set."""
        return self.values([option]).get(option, otherwise)

    def values(self, options: Iterable[str]) -> Result:
        """The variables of the role for these options, without those that are not set."""
        found = {}
        for option in options:
            name = f"{self.role}_{option}"
            if name not in self.variables:
                continue
            try:
                found[option] = _core.evaluated(self, self.variables[name], self.variables)
            except _core.Omitted:
                pass
            except (TypeError, ValueError) as error:
                raise WrongOption(f"{name} cannot be read ({error}): correct it.") from None
            except AnsibleError as error:
                raise WrongOption(f"{name} cannot be evaluated ({printable(error, 1000)}): correct it.") from None
        return found

    def is_true(self, option: str) -> bool:
        """Whether the variable of an option is true, also as a text of the command line."""
        return self.value(option) in (True, "true", "yes")

    def path(self, option: str, otherwise: str = "") -> str:
        """The variable of a path, "" if it is empty. A relative path starts at the directory of the playbook."""
        text = self.value(option, otherwise)
        return self.absolute(text) if text else ""

    def absolute(self, path: str) -> str:
        expanded = os.path.expanduser(os.path.expandvars(str(path)))
        # with its links, which somebody else may have made
        return os.path.abspath(os.path.join(self._loader.get_basedir(), expanded))

    def documented(self) -> list[str]:
        """The variables that the role documents."""
        return options_of(self._task._role._role_path)

    def own_options(self) -> list[str]:
        """The options of these variables, but for those of the connection."""
        options = [name.removeprefix(f"{self.role}_") for name in self.documented()]
        return [name for name in options if name not in CONNECTION_OPTIONS]

    def own_values(self) -> Result:
        """Those of them that are set."""
        return self.values(self.own_options())

    def null_in(self, values: Mapping[str, Any]) -> str:
        """That the variable of one of these options is null, a sentence; or ""."""
        null = next((name for name, each in values.items() if each is None), None)
        if null is None:
            return ""
        return f"{self.role}_{null} is null, probably because a variable is unset: give a value, or leave the variable out."

    # --- the work of modules

    def defaults(self, module: str) -> Result:
        """What ``module_defaults`` of the play set for a module."""
        return _core.defaults_of(self, f"{_COLLECTION}{module}", self.variables)

    def call(
        self,
        module: str,
        options: Mapping[str, Any],
        *,
        without: Collection[str] = (),
        own: bool = False,
        check_mode: bool | None = None,
        loop: str | None = None,
    ) -> Result:
        """The result of a module, which runs on the controller with these options, the connection of the role, and
        ``module_defaults`` of the play.

        without: options that ``module_defaults`` do not set here; own: they set only the connection; loop: a name for the
        calls that share a connection.
        """
        arguments = self.arguments(module, options, without=without, own=own)
        return self._called(f"{_COLLECTION}{module}", arguments, check_mode, loop)

    def arguments(
        self, module: str, options: Mapping[str, Any], *, without: Collection[str] = (), own: bool = False
    ) -> Result:
        """The options of a module, with the connection and ``module_defaults``; see ``call``."""
        connection = {name: each for name, each in self.values(CONNECTION_OPTIONS).items() if each is not None}
        defaults = {
            name: each
            for name, each in self.defaults(module).items()
            if name not in without and (name in CONNECTION_OPTIONS or not own)
        }
        return {**defaults, **connection, **options}

    def _called(
        self, action: str, arguments: Result, check_mode: bool | None = None, loop: str | None = None
    ) -> Result:
        task = copy.copy(self._task)
        task.action, task.args = action, arguments
        # they are in the arguments
        task.module_defaults = []
        task.delegate_to = None
        task.no_log = task.no_log or self.silent
        task.check_mode = self._task.check_mode if check_mode is None else check_mode
        if loop:
            task.loop, task._uuid = [loop], f"{task._uuid} {loop}"
        try:
            result = self._run_here(task)
        except AnsibleError as error:
            result = {"failed": True, "msg": str(error)}
        # some releases keep an object there, which no module can be given
        self._trace = result.pop("exception", None) or self._trace
        for key in JOINED:
            self._joined.setdefault(key, []).extend(result.pop(key, None) or [])
        return result

    def other(self, action: str, arguments: Mapping[str, Any]) -> Result:
        """The result of an action of ansible-core, also in check mode, which never shows its arguments."""
        task = copy.copy(self._task)
        task.action, task.args, task.module_defaults, task.delegate_to = action, dict(arguments), [], None
        task.check_mode, task.no_log = False, True
        return self._run_here(task)

    def _run_here(self, task: Any) -> Result:
        """The result of a task, run on the controller, whatever the connection of the play or of the host localhost."""
        loaders, context = self._shared_loader_obj, self._play_context.copy()
        context.become, context.connection, context.shell = False, "local", None
        context.executable = constants.DEFAULT_EXECUTABLE
        connection = loaders.connection_loader.get("ansible.builtin.local", context)
        for each in (connection, connection._shell):
            each.set_options(var_options={})
        action = loaders.action_loader.get(
            task.action,
            task=task,
            connection=connection,
            play_context=context,
            loader=self._loader,
            templar=self._templar,
            shared_loader_obj=loaders,
        )
        variables = {**self.variables, _INTERPRETER: sys.executable}
        if missing_requests():
            # another Python of this machine may have it
            hosts = self.variables.get("hostvars", {})
            if "localhost" in hosts:
                variables[_INTERPRETER] = dict(hosts["localhost"]).get(_INTERPRETER, sys.executable)
        try:
            return dict(action.run(task_vars=variables))
        finally:
            action.cleanup()


def unknown_variables(names: Iterable[str], role: str, directory: str, given: Collection[str] = ()) -> str | None:
    """The message on variables that have the prefix of a role and that it does not document, or None. directory: of the role;
    given: further variables, which the role sets."""
    prefix = f"{role.rpartition('.')[2]}_"
    known = [*options_of(directory), *given]
    unknown = [name for name in sorted(names) if name.startswith(prefix) and name not in known]
    if not unknown:
        return None
    near = {name: difflib.get_close_matches(name, options_of(directory), 1) for name in unknown}
    shown = ", ".join(printable(name) + (f" (did you mean {each[0]}?)" if each else "") for name, each in near.items())
    are, them = ("is no variable", "it") if len(unknown) == 1 else ("are no variables", "them")
    return f"{shown} {are} of the role {role}: correct {them}, or remove {them}."


@functools.cache
def options_of(directory: str) -> list[str]:
    """The variables that a role documents."""
    text = Path(directory, "meta", "argument_specs.yml").read_text(encoding="utf-8")
    return list(yaml.safe_load(text)["argument_specs"]["main"]["options"])
