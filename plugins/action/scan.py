# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waits for scans on the controller, by short runs of the module, and shows their progress to the person who watches."""

from __future__ import annotations

import os
import signal
import threading
import time

from ansible.errors import AnsibleActionFail
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.action import ActionBase
from ansible.utils.vars import merge_hash
from ansible_collections.scanops.scanner.plugins.module_utils._scan.handover import ARGUMENT, Step
from ansible_collections.scanops.scanner.plugins.module_utils._scan.result import result_of
from ansible_collections.scanops.scanner.plugins.module_utils._scan.watch import Watch, started
from ansible_collections.scanops.scanner.plugins.plugin_utils import _scan_lines
from ansible_collections.scanops.scanner.plugins.plugin_utils._live_line import SIGNALS, LiveLine

# how long the end of an interrupted task may take, in seconds
_BOUND = 60
# and what the module may take of it for a call
_LAST_CALLS = {"timeout": 10, "retries": 1, "rate_limit_wait": 10}
# how soon an interrupt is seen while nothing is done, in seconds
_SLICE = 0.5
# the keys of a module's result that gather over its runs
_GATHERED = ("warnings", "deprecations", "api_calls")


class ActionModule(ActionBase):
    _supports_check_mode = True
    _supports_async = True

    def run(self, tmp=None, task_vars=None):
        result = super().run(tmp, task_vars)
        if ARGUMENT in self._task.args:
            # as the module refuses what is no option
            why = f"Unsupported parameters for (scanops.scanner.scan) module: {ARGUMENT}. It is no option: remove it."
            return {**result, "failed": True, "changed": False, "msg": why}
        wrap_async = bool(self._task.async_val) and not getattr(self._connection, "has_native_async", False)
        if self._task.async_val or not self._waits():
            result = merge_hash(result, self._execute_module(task_vars=task_vars, wrap_async=wrap_async))
        else:
            result = merge_hash(result, _Wait(self, task_vars).result())
        if not wrap_async:
            self.forget_files()
        return result

    def _waits(self):
        args = self._task.args
        return (
            not self._task.check_mode
            and args.get("state") in (None, "present")
            and _flag(args.get("wait"), default=True)
        )

    def step(self, task_vars, step, **options):
        """One short run of the module; its result, a dict."""
        return self._execute_module(module_args={**self._task.args, **options, ARGUMENT: step}, task_vars=task_vars)

    def forget_files(self):
        self._remove_tmp_path(self._connection._shell.tmpdir)

    def live_line(self, task_vars):
        return LiveLine(self._task, task_vars)

    def stops_on_interrupt(self):
        return _flag(self._task.args.get("stop_on_interrupt"), default=False)

    def is_about_one(self):
        return self._task.args.get("targets") is None


class _Wait:
    """One wait for the scans of a task."""

    def __init__(self, action, task_vars):
        self.action = action
        self.task_vars = task_vars or {}
        self.line = action.live_line(self.task_vars)
        # what the module handed over the last time, and the seal with which it takes it back
        self.watch: Watch | None = None
        self.seal: str | None = None
        self.told: _scan_lines.Told | None = None
        # the watch whose scans are being stopped
        self.stopping: Watch | None = None
        self.gathered = {}
        self.began = time.monotonic()
        self.parent = os.getppid()

    def result(self):
        if not self.action.stops_on_interrupt():
            with _Signals(self._tell_what_goes_on):
                return self._result(None)
        with _Signals() as signals:
            try:
                return self._result(signals)
            except Exception:
                raise
            except BaseException:
                # the timeout of a task arrives as an exception in whatever is done just then
                self._stop(self.line.show)
                raise

    def _result(self, signals):
        result = self._step()
        while "watch" in result:
            self.watch, self.seal = Watch.from_json(result["watch"]), result["seal"]
            self._tell()
            self._sleep(result["pause"], signals)
            result = self._step()
        if self.watch is not None:
            if "scans" not in result:
                # the module itself has failed: what it did before is known all the same
                result = {**result_of(self.watch, self.action.is_about_one()), **result}
                result["changed"] = any(entry.started for entry in self.watch.entries)
            self._tell_end(result)
        return {**result, **self.gathered}

    def _step(self):
        step = Step(self._waited(), self.watch)
        result = self.action.step(self.task_vars, step.to_json(self.seal))
        for key in _GATHERED:
            if result.get(key):
                self.gathered[key] = [*self.gathered.get(key, []), *result[key]]
        return result

    def _waited(self):
        return time.monotonic() - self.began

    def _sleep(self, seconds, signals):
        until = time.monotonic() + seconds
        while True:
            if signals is not None and signals.caught is not None:
                self._end(128 + signals.caught)
            if os.getppid() != self.parent:
                # ansible-playbook is gone, so nobody waits for a result any more
                self._end(1)
            left = until - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(_SLICE, left))

    def _tell(self):
        shown, self.told = _scan_lines.lines(self.watch, self.told, self._waited())
        for text in shown:
            self.line.show(text)

    def _tell_end(self, result):
        """The last lines: the module has returned its result in the place of the watch."""
        by_target = {each["target"]: each for each in result["scans"]}
        for entry in self.watch.entries:
            end = by_target.get(entry.target)
            if end and end["scan"]:
                entry.record, entry.outcome, entry.scan_id = end["scan"], end["outcome"], end["scan"].get("id")
        self._tell()

    # --- interrupts

    def _tell_what_goes_on(self):
        for text in _scan_lines.goes_on(self.watch):
            self.line.show_last(text)

    def _end(self, status):
        """Stop what is to be stopped, and end this worker process: there is nobody left who takes a result."""
        timer = threading.Timer(_BOUND, self._give_up, (status,))
        timer.daemon = True
        timer.start()
        try:
            if self.action.stops_on_interrupt():
                self._stop(self.line.show_last)
            else:
                self._tell_what_goes_on()
            self.action.forget_files()
        finally:
            timer.cancel()
            os._exit(status)

    def _give_up(self, status):
        if self.stopping is not None:
            self._tell_fates(self.line.show_last, self.stopping, f"the stop took more than {_BOUND} s")
        os._exit(status)

    def _stop(self, show):
        """Stop the scans that this task has started and that have not ended, and show what became of each."""
        # once, whatever else ends this
        watch, self.watch = self.watch, None
        if watch is None:
            for text in _scan_lines.goes_on(None) if self.stopping is None else ():
                show(text)
            return
        self.stopping = watch
        if not started(watch):
            self._tell_fates(show, watch)
            return
        try:
            step = Step(self._waited(), watch, stop=True)
            result = self.action.step(self.task_vars, step.to_json(self.seal), **_LAST_CALLS)
        except Exception as error:
            self._tell_fates(show, watch, str(error))
            raise AnsibleActionFail(f"Scans could not be stopped after an interrupt: {error}") from error
        if "fates" in result:
            for text in _scan_lines.fates(watch, result["fates"]):
                show(text)
        else:
            self._tell_fates(show, watch, result.get("msg") or "the module failed")

    @staticmethod
    def _tell_fates(show, watch, why=None):
        """Show that nobody knows what became of the scans that were to be stopped, and why."""
        told = [{"id": entry.scan_id, "fate": "may go on", "why": why} for entry in started(watch)]
        for text in _scan_lines.fates(watch, told):
            show(text)


class _Signals:
    """What a signal does while a task waits.

    tell: None, to note the signal instead of dying of it, so that there is time to stop scans. SIGINT is then ignored, also
    by the processes that this one starts: a Ctrl-C does not break a run of the module that is just starting a scan.
    ansible-playbook sends SIGTERM to its workers right after it.
    tell: a function that is called before the signal takes its effect.
    """

    def __init__(self, tell=None):
        self.caught = None
        self._tell = tell
        self._before = {}

    def __enter__(self):
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                ignored = number == signal.SIGINT and self._tell is None
                self._before[number] = signal.signal(number, signal.SIG_IGN if ignored else self._note)
        return self

    def __exit__(self, *_exception):
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}

    def _note(self, number, _frame):
        self.caught = number
        if self._tell is None:
            return
        self.__exit__()
        self._tell()
        # with the handlers of before: whatever ansible-core does on this signal
        os.kill(os.getpid(), number)


def _flag(value, default):
    if value is None:
        return default
    try:
        return boolean(value)
    except TypeError:
        # the module says what is wrong with it
        return default
