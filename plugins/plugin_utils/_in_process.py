# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs the work of a module in the worker process of ansible-core where that is equal, and the module otherwise."""

from __future__ import annotations

import contextlib
import json
import logging
import multiprocessing
import os
import signal
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.errors import UnsupportedError
from ansible.plugins.action.normal import ActionModule as NormalAction
from ansible.utils.display import Display
from ansible.utils.vars import merge_hash

from ..module_utils._model.errors import WrongOption, counted, first_of, harmless, printable
from ..module_utils._model.interrupts import SIGNALS, Stop
from ..module_utils._task.masking import masked, shown_options, shown_result
from ..module_utils._task.module import Module
from ..module_utils._task.task import Shared
from . import _core
from ._loop import loop_of
from ._run_as import for_module, why_as_module
from ._unset_environment import explained

display = Display()

_INTERNAL = "_ansible_"
# the loggers of what the transport uses
_LIBRARIES = ("requests", "urllib3", "charset_normalizer")
# objects that a line about an interrupt names; the log of requests at the service has the others
_MOST_NAMED = 20
_DONE = {"create": "created", "update": "updated", "delete": "deleted"}


# ansible-core loads action plugins before it forks its workers, and from 2.19 on a worker closes its own standard error
_STDERR: int | None = None
with contextlib.suppress(OSError):
    _STDERR = os.dup(2)

Result = dict[str, Any]


class AsModule(Exception):
    """The task must run as a module, for this reason. Raised before anything is sent."""


class InProcess(NormalAction):  # type: ignore[misc]  # ansible-core has no types
    """An action plugin for one module, which a subclass names."""

    declared: Module

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> Result:
        variables = task_vars or {}
        # an option with the value of ``omit`` is not set, so it does not hide that of module_defaults
        self._task.args = {
            **_core.defaults_of(self, self._task.resolved_action or self._task.action, variables),
            **self._task.args,
        }
        result = self._result(tmp, variables)
        if self._task.action.rpartition(".")[2] == "gate":
            # no other task needs it
            from ._gate_runs import ended
            from ._play import place_of

            result = ended(result, place_of(self._task, variables))
        return explained(result, self._task, variables)

    def _result(self, tmp: str | None, task_vars: dict[str, Any]) -> Result:
        environment: dict[str, Any] = {}
        self._compute_environment_string(environment)
        environment = {str(name): str(value) for name, value in environment.items()}
        why = why_as_module(self, task_vars, environment)
        if why is None:
            try:
                return self._run_here(tmp, task_vars, environment)
            except AsModule as reason:
                why = str(reason)
        self._say(f"as a module, because {why}")
        loop = loop_of(self._task)
        if loop is not None:
            # the module may write
            loop.drop_lists()
        return dict(super().run(tmp, for_module(self, task_vars)))

    def _run_here(self, tmp: str | None, task_vars: Result, environment: Mapping[str, str]) -> Result:
        """Do the work of the module. Raises AsModule. After a signal, ansible-core does here what it does on this signal."""
        result = super(NormalAction, self).run(tmp, task_vars)
        arguments = dict(self._task.args)
        self._update_module_args(self._task.action, arguments, task_vars)
        try:
            arguments = _core.as_module_reads(arguments)
        except (TypeError, ValueError):
            # ansible-core has its own words for it
            raise AsModule("its options are not JSON") from None
        self._say("in process")
        parent = multiprocessing.parent_process()
        # whether ansible-playbook, which started this worker, has died
        with Stop(lambda: parent is not None and parent.pid != os.getppid()).listening() as stop:
            lines = Lines(bool(self._task.no_log), task_vars.get("inventory_hostname"))
            with apart(environment, self._loader.get_basedir()):
                printed = _Run(self.declared, arguments, lines.show, loop_of(self._task), stop).printed()
            done = _core.returned(self, printed)
            # nobody takes the result
            if stop.reason is not None and not stop.timed_out:
                for text in lines_of_interrupt(self._task.action.rpartition(".")[2], done):
                    lines.show_last(text)
        if stop.number is not None:
            os.kill(os.getpid(), stop.number)
        elif stop.reason is not None and not stop.timed_out:
            # ansible-playbook has died, so nobody waits for the next item
            os._exit(1)
        if stop.timed_out and stop.cut:
            # as ansible-core has it
            done["timedout"] = dict(period=self._task.timeout)
        return dict(merge_hash(result, done))

    def _say(self, way: str) -> None:
        display.vvv(f"{self._task.action} runs {way}", host=self._play_context.remote_addr)


class _Run:
    """The Host of a task that runs in process, and the run of it."""

    def __init__(
        self,
        declared: Module,
        arguments: Result,
        show: Callable[[str], None],
        shared: Shared | None = None,
        stop: Stop | None = None,
    ) -> None:
        self.declared = declared
        self.stop = stop or Stop()
        self._show = show
        self._shared = shared
        self.check_mode = bool(arguments.get("_ansible_check_mode"))
        self.diff_mode = bool(arguments.get("_ansible_diff"))
        self._verbosity = arguments.get("_ansible_verbosity", 0)
        # older releases show the options of a task always
        self._shows_options = bool(arguments.get("_ansible_inject_invocation", True))
        self._secrets: set[str] = set()
        self._warnings: list[str] = []
        self.params: Result = {}
        self.refusal = self._read(arguments)

    def _read(self, arguments: Result) -> str | None:
        """Convert the options. Returns why they are wrong, or None."""
        prepared = self.declared.prepared(arguments, os.environ, self._secrets)
        self.params = {name: value for name, value in prepared.params.items() if not name.startswith(_INTERNAL)}
        if prepared.refusal:
            return prepared.refusal
        found = ArgumentSpecValidator(self.declared.spec(), **self.declared.constraints()).validate(self.params)
        if getattr(found, "_warnings", None) or getattr(found, "_deprecations", None):
            # AnsibleModule has its own words for them
            raise AsModule("its options cause warnings")
        self.params.update(found.validated_parameters)
        self._secrets.update(found._no_log_values)
        if not found.errors.errors:
            return None
        msg = str(found.errors.msg)
        if isinstance(found.errors[0], UnsupportedError):
            return f"Unsupported parameters for ({arguments.get('_ansible_module_name', '')}) module: {msg}"
        return msg

    def warn(self, warning: str) -> None:
        """Show a warning with the result of the task."""
        self._warnings.append(warning)

    def show(self, text: str) -> None:
        """Show a line while the task runs, as ansible-core shows it: without the secrets of the task."""
        self._show(str(masked(text, self._secrets)))

    def printed(self) -> str:
        """Do the work, and write its result as the module would print it."""
        if self.refusal:
            return self._printed(failed=True, msg=harmless(self.refusal))
        ended = self.declared.perform(self, self._secrets, self._shared)
        returned = ended.returned(self._verbosity)
        if _core.SHOWS_TRACES:
            returned.pop("exception", None)
        try:
            return self._printed(**returned)
        except RecursionError:
            return self._printed(**ended.too_deep(self._verbosity))

    def _printed(self, **result: Any) -> str:
        if self._shows_options:
            result["invocation"] = shown_options(self.params) or dict(module_args=self.params)
        if self._warnings:
            result["warnings"] = self._warnings
        return json.dumps(shown_result(result, self._secrets), cls=_core.RESULT_ENCODER)


def converted(declared: Module, arguments: Result) -> Result:
    """The options of a task, as the module has them. Raises WrongOption, or AsModule if only the module can say it."""
    run = _Run(declared, arguments, lambda _text: None)
    if run.refusal:
        raise WrongOption(run.refusal)
    return run.params


@contextlib.contextmanager
def apart(variables: Mapping[str, str], directory: str) -> Iterator[None]:
    """Work as a module does: with these environment variables, in the directory where ansible-core starts the modules of this
    machine, and without the messages that Python libraries print, because those of a module reach nobody."""
    before = {name: os.environ.get(name) for name in variables}
    outside = os.getcwd()
    loggers = {logger: logger.propagate for logger in map(logging.getLogger, _LIBRARIES)}
    try:
        os.environ.update(variables)
        os.chdir(directory)
        for logger in loggers:
            # libraries have a handler that does nothing; the one above it writes to the log file of ansible-core
            logger.propagate = False
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        os.chdir(outside)
        for name, value in before.items():
            os.environ.pop(name, None)
            os.environ.update({} if value is None else {name: value})
        for logger, propagate in loggers.items():
            logger.propagate = propagate


class Lines:
    """The lines of one task that show its progress, and what an interrupt leaves behind. They go to standard error, because
    callbacks may print JSON on standard output."""

    def __init__(self, silent: bool, host: str | None) -> None:
        """silent: whether the task has ``no_log``."""
        self._silent = silent
        self._start = f"{host}: " if host else ""

    def show(self, text: str) -> None:
        """Show a line while the task runs."""
        if self._silent:
            return
        # lines go to ansible-playbook through a queue: a worker that is killed while it holds the lock would block it
        before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            display.display(f"{self._start}{harmless(text)}", stderr=True)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def show_last(self, text: str) -> None:
        """Write a line without ansible-core: after an interrupt, ansible-playbook no longer reads the queue."""
        if not self._silent and _STDERR is not None:
            # the terminal may have been closed
            with contextlib.suppress(OSError):
                os.write(_STDERR, f"{self._start}{harmless(text)}\n".encode("utf-8", "backslashreplace"))


def lines_of_interrupt(action: str, result: Mapping[str, Any]) -> list[str]:
    """The lines that say what an interrupted task has done, where ansible-core takes no result.

    action: the name of the module; result: what the task would have returned.
    """
    results = result.get("results")
    rows = results if isinstance(results, list) else []
    shown = []
    for kind, done in _DONE.items():
        written = [row for row in rows if row["action"] == kind]
        if written:
            names = [f"{row['resource']} {printable(row['name'], 100)!r}" for row in written]
            shown.append(f"{counted(len(written), 'object')} {done}: {first_of(names, _MOST_NAMED)}")
    if result.get("failed"):
        shown.append(printable(result.get("msg") or "the task failed", 1000))
    if not result.get("changed"):
        shown.append("nothing was changed")
    return [f"interrupted: {action}: {line}" for line in shown or ["changed as declared"]]
