# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waits for scans on the controller, by short runs of the module, and shows their progress."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.action import ActionBase
from ansible.utils.vars import merge_hash
from ansible_collections.scanops.scanner.plugins.module_utils._interrupt import SIGNALS
from ansible_collections.scanops.scanner.plugins.module_utils._scan.handover import (
    ARGUMENT,
    Fate,
    Handover,
    Step,
    fates_in,
)
from ansible_collections.scanops.scanner.plugins.module_utils._scan.result import result_of
from ansible_collections.scanops.scanner.plugins.module_utils._scan.watch import Watch
from ansible_collections.scanops.scanner.plugins.plugin_utils import _scan_lines
from ansible_collections.scanops.scanner.plugins.plugin_utils._live_line import LiveLine

# how long the stop after an interrupt may take, in seconds
_LONGEST_STOP = 60
# and the options with which the module then makes its calls
_LAST_CALLS = {"timeout": 10, "retries": 1, "rate_limit_wait": 10}
# how soon an interrupt is noticed between two polls, in seconds
_SLICE = 0.5
# the keys of a result that are collected from all runs of the module
_COLLECTED = ("warnings", "deprecations", "api_calls")

Result = dict[str, Any]


class ActionModule(ActionBase):  # type: ignore[misc]  # ansible-core has no types
    _supports_check_mode = True
    _supports_async = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> Result:
        result: Result = super().run(tmp, task_vars)
        if ARGUMENT in self._task.args:
            # in the words with which the module refuses an unknown option
            why = (
                f"Unsupported parameters for (scanops.scanner.scan) module: {ARGUMENT}. It is not an option: remove it."
            )
            return {**result, "failed": True, "changed": False, "msg": why}
        wrap_async = bool(self._task.async_val) and not getattr(self._connection, "has_native_async", False)
        if self._task.async_val or not self._waits():
            result = merge_hash(result, self._execute_module(task_vars=task_vars, wrap_async=wrap_async))
        else:
            result = merge_hash(result, _Wait(self, task_vars or {}).result())
        if not wrap_async:
            self.remove_files()
        return result

    def _waits(self) -> bool:
        args = self._task.args
        return (
            not self._task.check_mode
            and args.get("state") in (None, "present")
            and _flag(args.get("wait"), default=True)
        )

    def run_step(self, task_vars: dict[str, Any], step: Step, **options: object) -> Result:
        """One short run of the module. options: those that differ from the task's."""
        arguments = {**self._task.args, **options, ARGUMENT: step.to_json()}
        result: Result = self._execute_module(module_args=arguments, task_vars=task_vars)
        return result

    def remove_files(self) -> None:
        self._remove_tmp_path(self._connection._shell.tmpdir)

    def live_line(self, task_vars: dict[str, Any]) -> LiveLine:
        return LiveLine(self._task, task_vars)

    def stops_on_interrupt(self) -> bool:
        return _flag(self._task.args.get("stop_on_interrupt"), default=False)

    def has_one_target(self) -> bool:
        return self._task.args.get("targets") is None


class _Wait:
    """One wait for the scans of a task."""

    def __init__(self, action: ActionModule, task_vars: dict[str, Any]) -> None:
        self.action = action
        self.task_vars = task_vars
        self.line = action.live_line(task_vars)
        self.handover: Handover | None = None
        self.shown: _scan_lines.Shown | None = None
        # the watch whose scans are being stopped
        self.stopping: Watch | None = None
        self.collected: dict[str, list[Any]] = {}
        self.began = time.monotonic()
        self.parent = os.getppid()

    def result(self) -> Result:
        if not self.action.stops_on_interrupt():
            with _Signals(self._show_what_goes_on):
                return self._result(None)
        with _Signals() as signals:
            try:
                return self._result(signals)
            except Exception:
                raise
            except BaseException:
                # the timeout of a task is raised in whatever runs at that moment
                self._stop(self.line.show)
                raise

    def _result(self, signals: _Signals | None) -> Result:
        result = self._run_step()
        while handover := Handover.from_result(result):
            self.handover = handover
            self._show_progress(handover.watch)
            self._sleep(handover.pause, signals)
            result = self._run_step()
        if self.handover is not None:
            watch = self.handover.watch
            if "scans" not in result:
                # the module itself failed: return what earlier runs did
                result = {**result_of(watch, self.action.has_one_target()), **result}
                result["changed"] = any(entry.started for entry in watch.entries)
            self._show_end(watch, result)
        return {**result, **self.collected}

    def _run_step(self) -> Result:
        result = self.action.run_step(self.task_vars, self._next_step())
        for key in _COLLECTED:
            if result.get(key):
                self.collected[key] = [*self.collected.get(key, []), *result[key]]
        return result

    def _next_step(self, stop: bool = False) -> Step:
        if self.handover is None:
            return Step(self._waited())
        return Step(self._waited(), self.handover.watch, self.handover.seal, stop)

    def _waited(self) -> float:
        return time.monotonic() - self.began

    def _sleep(self, seconds: float, signals: _Signals | None) -> None:
        until = time.monotonic() + seconds
        while True:
            if signals is not None and signals.caught is not None:
                self._end(128 + signals.caught)
            if os.getppid() != self.parent:
                # ansible-playbook has died, so nobody waits for a result
                self._end(1)
            left = until - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(_SLICE, left))

    def _show_progress(self, watch: Watch) -> None:
        lines, self.shown = _scan_lines.lines(watch, self.shown, self._waited())
        for text in lines:
            self.line.show(text)

    def _show_end(self, watch: Watch, result: Result) -> None:
        by_target = {each["target"]: each for each in result["scans"]}
        for entry in watch.entries:
            end = by_target.get(entry.target)
            if end and end["scan"]:
                entry.record, entry.outcome, entry.scan_id = end["scan"], end["outcome"], end["scan"].get("id")
        self._show_progress(watch)

    # --- interrupts

    def _show_what_goes_on(self) -> None:
        for text in _scan_lines.goes_on(self.handover.watch if self.handover else None):
            self.line.show_last(text)

    def _end(self, status: int) -> None:
        """Stop the scans if the task says so, and end this worker process: nobody is left to take a result."""
        timer = threading.Timer(_LONGEST_STOP, self._give_up, (status,))
        timer.daemon = True
        timer.start()
        try:
            if self.action.stops_on_interrupt():
                self._stop(self.line.show_last)
            else:
                self._show_what_goes_on()
            self.action.remove_files()
        finally:
            timer.cancel()
            os._exit(status)

    def _give_up(self, status: int) -> None:
        if self.stopping is not None:
            why = f"the stop took more than {_LONGEST_STOP} s"
            self._show_fates(self.line.show_last, self.stopping, _unknown_fates(self.stopping, why))
        os._exit(status)

    def _stop(self, show: Callable[[str], None]) -> None:
        """Stop the scans that this task has started and that have not ended, and show what became of each. Once: a second
        interrupt does nothing."""
        if self.stopping is not None:
            return
        if self.handover is None:
            for text in _scan_lines.goes_on(None):
                show(text)
            return
        watch = self.stopping = self.handover.watch
        if not watch.started():
            self._show_fates(show, watch, ())
            return
        try:
            result = self.action.run_step(self.task_vars, self._next_step(stop=True), **_LAST_CALLS)
        except Exception as error:
            self._show_fates(show, watch, _unknown_fates(watch, str(error)))
            raise AnsibleActionFail(f"Scans could not be stopped after an interrupt: {error}") from error
        fates = fates_in(result)
        if fates is None:
            fates = _unknown_fates(watch, result.get("msg") or "the module failed")
        self._show_fates(show, watch, fates)

    @staticmethod
    def _show_fates(show: Callable[[str], None], watch: Watch, fates: Iterable[Fate]) -> None:
        for text in _scan_lines.fates(watch, fates):
            show(text)


def _unknown_fates(watch: Watch, why: str) -> list[Fate]:
    return [Fate(entry.known_id, "may go on", why) for entry in watch.started()]


class _Signals:
    """What a signal does while a task waits.

    before: called before the signal takes its usual effect. None: the signal is noted and has no effect, so that there is
    time to stop scans. SIGINT is then ignored, also by child processes: a Ctrl-C does not break a run of the module that is
    starting a scan, and ansible-playbook sends SIGTERM to its workers right after it.
    """

    def __init__(self, before: Callable[[], None] | None = None) -> None:
        self.caught: int | None = None
        self._before = before
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> _Signals:
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                ignored = number == signal.SIGINT and self._before is None
                self._handlers[number] = signal.signal(number, signal.SIG_IGN if ignored else self._note)
        return self

    def __exit__(self, *_exception: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._handlers = {}

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self.caught = number
        if self._before is None:
            return
        self.__exit__()
        self._before()
        # with the earlier handlers, so that ansible-core does what it does on this signal
        os.kill(os.getpid(), number)


def _flag(value: object, default: bool) -> bool:
    if value is None:
        return default
    try:
        return bool(boolean(value))
    except TypeError:
        # the module rejects it with a message
        return default
