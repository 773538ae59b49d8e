# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs the work of a module in the worker process of ansible-core where that is equal, and the module otherwise."""

from __future__ import annotations

import logging
import multiprocessing
import os
import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from ansible import constants
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.errors import UnsupportedError
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.action.normal import ActionModule as NormalAction
from ansible.utils.display import Display
from ansible.utils.vars import merge_hash
from ansible_collections.scanops.scanner.plugins.module_utils._http.connection import missing_requests
from ansible_collections.scanops.scanner.plugins.module_utils._interrupt import Stop
from ansible_collections.scanops.scanner.plugins.module_utils._masking import hide, masked, shown_options, shown_result
from ansible_collections.scanops.scanner.plugins.module_utils._module import Module
from ansible_collections.scanops.scanner.plugins.module_utils._task import TOO_DEEP, Ended, Shared, perform
from ansible_collections.scanops.scanner.plugins.plugin_utils import _core
from ansible_collections.scanops.scanner.plugins.plugin_utils._interrupt_lines import lines
from ansible_collections.scanops.scanner.plugins.plugin_utils._live_line import LiveLine
from ansible_collections.scanops.scanner.plugins.plugin_utils._loop import loop_of
from ansible_collections.scanops.scanner.plugins.plugin_utils._where import Facts, why_as_module

display = Display()

# the variables with a path that requests reads
_CA_VARIABLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
_INTERNAL = "_ansible_"
# the loggers of what the transport uses
_LIBRARIES = ("requests", "urllib3", "charset_normalizer")

Result = dict[str, Any]


class AsModule(Exception):
    """The task must run as a module, for this reason. Raised before anything is sent."""


class InProcess(NormalAction):  # type: ignore[misc]  # ansible-core has no types
    """An action plugin for one module, which a subclass names."""

    declared: Module
    # of the task that runs
    _stop = Stop()

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> Result:
        environment = self._environment()
        why = why_as_module(self._facts(task_vars or {}, environment))
        if why is None:
            result = super(NormalAction, self).run(tmp, task_vars)
            try:
                arguments = self._arguments(task_vars or {})
                self._say("in process")
                with Stop(_is_orphan).listening() as self._stop:
                    done = self.run_in_process(arguments, environment, task_vars)
                    self._report_interrupt(done, task_vars)
                return dict(merge_hash(result, self._as_ended(done)))
            except AsModule as reason:
                why = str(reason)
        self._say(f"as a module, because {why}")
        loop = loop_of(self._task)
        if loop is not None:
            # the module may write
            loop.drop_lists()
        return self.run_as_module(tmp, task_vars)

    def run_as_module(self, tmp: str | None, task_vars: dict[str, Any] | None) -> Result:
        """Run the module."""
        return dict(super().run(tmp, task_vars))

    def _report_interrupt(self, done: Result, task_vars: dict[str, Any] | None) -> None:
        """Show what the task has done where nobody takes its result."""
        if self._stop.reason is None or self._stop.timed_out:
            return
        line = LiveLine(self._task, task_vars)
        for text in lines(self._task.action.rpartition(".")[2], done):
            line.show_last(text)

    def _as_ended(self, done: Result) -> Result:
        """The result after the end of the work. After a signal, ansible-core does here what it does on this signal."""
        stop = self._stop
        if stop.number is not None:
            os.kill(os.getpid(), stop.number)
        elif stop.timed_out and stop.cut:
            # as ansible-core has it
            return {**done, "timedout": dict(period=self._task.timeout)}
        elif stop.reason is not None and not stop.timed_out:
            # ansible-playbook has died, so nobody waits for a result, or for the next item
            os._exit(1)
        return done

    def run_in_process(
        self, arguments: Result, environment: Mapping[str, str], task_vars: dict[str, Any] | None
    ) -> Result:
        """Do the work of the module here. Raises AsModule."""
        loop, line = loop_of(self._task), LiveLine(self._task, task_vars)
        printed = apart(environment, lambda: _Run(self.declared, arguments, line.show, loop, self._stop).printed())
        return _core.returned(self, printed)

    def _say(self, way: str) -> None:
        display.vvv(f"{self._task.action} runs {way}", host=self._play_context.remote_addr)

    # --- facts

    def _environment(self) -> dict[str, str]:
        """``environment`` of the task, as the shell would set it."""
        found: dict[str, Any] = {}
        self._compute_environment_string(found)
        return {str(name): str(value) for name, value in found.items()}

    def _facts(self, task_vars: Mapping[str, Any], environment: Mapping[str, str]) -> Facts:
        interpreter = self._interpreter(task_vars)
        return Facts(
            wanted=_flag(self._given("in_process", environment), self.declared.spec()["in_process"]["default"]),
            transport=self._connection.transport,
            become=self._connection.become is not None,
            in_background=bool(self._task.async_val),
            interpreter=interpreter,
            own_interpreter=is_own(interpreter),
            variables=environment,
            missing=missing_requests(),
            writes_file=self.declared.writes_file(self._task.args),
            relative=self._relative_path(environment),
            examined=_core.examined(),
            unknown=_core.unknown(),
        )

    def _interpreter(self, task_vars: Mapping[str, Any]) -> str:
        """The interpreter for modules on the host of the task, "" if none is set."""
        if self._task.delegate_to:
            task_vars = task_vars.get("ansible_delegated_vars", {}).get(self._task.delegate_to, {})
        found = constants.config.get_config_value("INTERPRETER_PYTHON", variables=task_vars)
        return str(self._templar.template(found) or "").strip()

    def _given(self, option: str, environment: Mapping[str, str]) -> object:
        """The value of an option, from the task or its environment variable."""
        value = self._task.args.get(option)
        fallback = self.declared.spec()[option].get("fallback")
        if value is not None or not fallback:
            return value
        name = fallback[1][0]
        return environment.get(name, os.environ.get(name))

    def _relative_path(self, environment: Mapping[str, str]) -> str | None:
        """An option or variable with a relative path; None if a module would resolve it in the same directory."""
        if os.path.realpath(self._loader.get_basedir()) == os.path.realpath(os.curdir):
            return None
        spec = self.declared.spec()
        paths = {name: self._given(name, environment) for name, entry in spec.items() if entry.get("type") == "path"}
        paths.update((name, environment.get(name, os.environ.get(name))) for name in _CA_VARIABLES)
        return next((name for name, path in paths.items() if is_relative(path)), None)

    def _arguments(self, task_vars: Mapping[str, Any]) -> Result:
        """The arguments as the module would read them."""
        arguments = dict(self._task.args)
        self._update_module_args(self._task.action, arguments, task_vars)
        try:
            return _core.as_module_reads(arguments)
        except (TypeError, ValueError):
            # ansible-core has its own words for it
            raise AsModule("its options are not JSON") from None


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
        self._module = arguments.get("_ansible_module_name", "")
        self._spec = declared.spec()
        self._secrets: set[str] = set()
        self._warnings: list[str] = []
        self.params: Result = {}
        self._refusal = self._read(arguments)

    def _read(self, arguments: Result) -> str | None:
        """Convert the options. Returns why they are wrong, or None."""
        prepared = self.declared.prepared(arguments, os.environ)
        for secret in prepared.secrets:
            hide(secret, self._secrets)
        self.params = {name: value for name, value in prepared.params.items() if not name.startswith(_INTERNAL)}
        if prepared.refusal:
            return prepared.refusal
        found = ArgumentSpecValidator(self._spec, **self.declared.constraints()).validate(self.params)
        if getattr(found, "_warnings", None) or getattr(found, "_deprecations", None):
            # AnsibleModule has its own words for them
            raise AsModule("its options cause warnings")
        self.params.update(found.validated_parameters)
        self._secrets.update(found._no_log_values)
        if not found.errors.errors:
            return None
        msg = str(found.errors.msg)
        if isinstance(found.errors[0], UnsupportedError):
            return f"Unsupported parameters for ({self._module}) module: {msg}"
        return msg

    def warn(self, warning: str) -> None:
        """Show a warning with the result of the task."""
        self._warnings.append(warning)

    def show(self, text: str) -> None:
        """Show a line while the task runs, as ansible-core shows it: without the secrets of the task."""
        self._show(str(masked(text, self._secrets)))

    def printed(self) -> str:
        """Do the work, and write its result as the module would print it."""
        if self._refusal:
            return self._printed(failed=True, msg=self._refusal)
        makes_calls = self.declared.makes_calls(self.params)
        ended = perform(
            self, self._spec, self.declared.work, self.declared.scope_in_force, os.environ, self._shared, makes_calls
        )
        log: Result = {"api_calls": ended.calls} if self._verbosity >= 2 else {}
        if ended.trace and self._verbosity >= 3 and not _core.SHOWS_TRACES:
            log["exception"] = ended.trace
        if ended.secret:
            hide(ended.secret, self._secrets)
        try:
            return self._printed(**_result_of(ended), **log)
        except RecursionError:
            return self._printed(failed=True, msg=TOO_DEEP, changed=ended.result.get("changed", False), **log)

    def _printed(self, **result: Any) -> str:
        if self._shows_options:
            result["invocation"] = shown_options(self.params) or dict(module_args=self.params)
        if self._warnings:
            result["warnings"] = _core.recorded(self._warnings)
        return _core.as_module_prints(shown_result(result, self._secrets))


def _is_orphan() -> bool:
    """Whether ansible-playbook, which started this worker, has died."""
    parent = multiprocessing.parent_process()
    return parent is not None and parent.pid != os.getppid()


def _result_of(ended: Ended) -> Result:
    return ended.result if ended.failure is None else {**ended.result, "failed": True, "msg": ended.failure}


def apart(variables: Mapping[str, str], work: Callable[[], str]) -> str:
    """Work with these environment variables, and without the messages that Python libraries print: those of a module reach
    nobody."""
    before = {name: os.environ.get(name) for name in variables}
    show = warnings.showwarning
    propagates = {name: logging.getLogger(name).propagate for name in _LIBRARIES}
    try:
        os.environ.update(variables)
        warnings.showwarning = _show_nothing
        for name in _LIBRARIES:
            # libraries have a handler that does nothing; the one above it writes to the log file of ansible-core
            logging.getLogger(name).propagate = False
        return work()
    finally:
        _restore(before, show, propagates)


def _restore(variables: Mapping[str, str | None], show: Any, propagates: Mapping[str, bool]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    warnings.showwarning = show
    for name, propagate in propagates.items():
        logging.getLogger(name).propagate = propagate


def _show_nothing(*_arguments: Any, **_named: Any) -> None:
    """In the place of warnings.showwarning, which prints to standard error."""


def is_own(interpreter: str) -> bool:
    """Whether a path names the interpreter of this process: the same program in the same environment of Python."""
    directory, name = os.path.split(interpreter)
    own_directory, own_name = os.path.split(sys.executable)
    if not directory or os.path.realpath(directory) != os.path.realpath(own_directory):
        return False
    return name == own_name or os.path.realpath(interpreter) == os.path.realpath(sys.executable)


def is_relative(path: object) -> bool:
    """Whether an option of the type path names a file relative to the working directory."""
    return isinstance(path, str) and bool(path) and not os.path.isabs(os.path.expanduser(os.path.expandvars(path)))


def _flag(value: object, default: bool) -> bool | None:
    """The value of in_process; None if it is no boolean."""
    if value is None:
        return default
    try:
        return bool(boolean(value))
    except TypeError:
        return None
