# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run a module in this process as ansible-core runs it: JSON in, JSON out, on every supported ansible-core.

With ``SCANNER_TEST_IN_PROCESS=1`` in the environment, run its work as the action plugins do where they run in process.

`ansible.module_utils.testing` exists from ansible-core 2.19 on only.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import io
import json
import os
import time
from unittest import mock

from ansible.module_utils import basic
from ansible.module_utils.common import warnings as ansible_warnings
from ansible.module_utils.common.parameters import PASS_VARS
from ansible_collections.scanops.scanner.plugins.module_utils._task import module as _module
from ansible_collections.scanops.scanner.plugins.module_utils._task import task as _task
from ansible_collections.scanops.scanner.tests.unit.local_service import LocalService
from ansible_collections.scanops.scanner.tests.unit.task_report import LATEST

try:
    # since ansible-core 2.22
    from ansible.module_utils import secrets
except ImportError:
    secrets = None

IN_PROCESS = os.environ.get("SCANNER_TEST_IN_PROCESS") == "1"

from ansible_collections.scanops.scanner.plugins.module_utils._model.interrupts import Stop

if IN_PROCESS:
    # a controller is not needed otherwise
    from ansible_collections.scanops.scanner.plugins.plugin_utils import _core, _in_process

MODULES = "ansible_collections.scanops.scanner.plugins.modules."


class Run:
    """What a module run gave.

    name: of the module; result: what it printed, read as JSON; failed, changed: bool; msg: the error, or ""; warnings: list of
    str; diff: dict or None; calls: the module's own call log; slept: list of float, the waits in seconds that were not waited;
    shown: the lines that were shown while it ran.
    """

    def __init__(self, name: str, printed: str, slept: list[float], shown: list[str]):
        self.name = name
        self.result = json.loads(printed)
        self.failed: bool = self.result.get("failed", False)
        self.changed: bool = self.result.get("changed", False)
        self.msg: str = self.result.get("msg", "")
        self.warnings = [_text_of(warning) for warning in self.result.get("warnings", [])]
        self.diff = self.result.get("diff")
        self.calls = self.result.get("api_calls")
        self.slept = slept
        self.shown = shown
        LATEST.append(self)

    def __getitem__(self, name: str):
        return self.result[name]

    def __repr__(self) -> str:
        outcome = "failed" if self.failed else "changed" if self.changed else "ok"
        said = [f"{outcome}: {self.msg}" if self.msg else outcome]
        said += [f"warning: {warning}" for warning in self.warnings]
        said += [f"calls: {', '.join(self.calls) or 'none'}"] if self.calls is not None else []
        return f"<{self.name} {' | '.join(said)}>"


def run_module(
    name: str,
    options: dict,
    check: bool = False,
    diff: bool = True,
    verbosity: int = 2,
    sleep=None,
    clock=time.monotonic,
    shared=None,
) -> Run:
    """Run a module with these options. No waits are waited, unless sleep is time.sleep; clock: what its waits go by; shared:
    what the items of a loop share.

    Fails where the key is in what the module prints.
    """
    arguments = {
        **options,
        "_ansible_check_mode": check,
        "_ansible_diff": diff,
        "_ansible_verbosity": verbosity,
    }
    if "inject_invocation" in PASS_VARS:
        # from ansible-core 2.20 on results show the options only when asked to
        arguments["_ansible_inject_invocation"] = True
    module = importlib.import_module(MODULES + name)
    slept: list[float] = []
    shown: list[str] = []
    transport = functools.partial(_task.Transport, sleep=sleep or slept.append, clock=clock)
    printed = io.StringIO()
    _forget_secrets()
    for recorded in (ansible_warnings._global_warnings, ansible_warnings._global_deprecations):
        recorded.clear()
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.object(basic, "_ANSIBLE_ARGS", _as_arguments(arguments)))
        if hasattr(basic, "_ANSIBLE_PROFILE"):
            stack.enter_context(mock.patch.object(basic, "_ANSIBLE_PROFILE", "legacy"))
            # a test of a plugin in the same process makes a controller of it, where warnings are displayed
            stack.enter_context(mock.patch("ansible.module_utils._internal.is_controller", False))
        stack.enter_context(mock.patch.object(_task, "Transport", transport))
        stack.enter_context(contextlib.redirect_stdout(printed))
        if IN_PROCESS and _may_run_in_process(module, options):
            read = _core.as_module_reads(arguments)
            with Stop().listening() as stop:
                print(_in_process._Run(module.MODULE, read, shown.append, shared, stop).printed())
        else:
            perform = functools.partialmethod(_module.Module.perform, shared=shared)
            stack.enter_context(mock.patch.object(_module.Module, "perform", perform))
            stack.enter_context(mock.patch.object(_module._Module, "show", lambda _self, line: shown.append(line)))
            with contextlib.suppress(SystemExit):
                module.main()
    text = _as_displayed(printed.getvalue())
    assert LocalService.KEY not in text, f"{name} printed the key"
    assert _task.UNEXPECTED not in text, text
    assert '"deprecations"' not in text, f"{name} uses what ansible-core is about to drop"
    return Run(name, text, slept, shown)


def _may_run_in_process(module, options: dict) -> bool:
    """Whether an action plugin runs this task in process, where nothing but the task decides."""
    declared = module.MODULE
    return not declared.writes_file(options)


def _forget_secrets() -> None:
    """Empty the registry of secrets, which outlasts a module in this process: a word of one test would be masked in all."""
    if secrets is not None:
        masker = secrets._secret_masker
        for known in (masker._secrets, masker._forms, masker._json_forms):
            known.clear()
        masker._matcher = type(masker._matcher)()


def _as_displayed(printed: str) -> str:
    """What a module printed, as the controller shows it: from ansible-core 2.22 on the controller masks secrets, by a list
    that the module sends."""
    if secrets is None or not printed:
        return printed
    result = json.loads(printed)
    named = result.pop("_ansible_new_secrets", [])
    secrets.register_secrets(named)
    return secrets.mask_secrets(json.dumps(result))


def _as_arguments(arguments: dict) -> bytes:
    return json.dumps({"ANSIBLE_MODULE_ARGS": arguments}).encode()


def _text_of(warning: object) -> str:
    """A warning as text: ansible-core gives str, from 2.19 on an object that holds an event."""
    while isinstance(warning, dict):
        warning = warning.get("event") or warning["msg"]
    return warning
