# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waits for scans on the controller, by short runs of the module, and tells the person who watches how they get on."""

from __future__ import annotations

import os
import signal
import threading
import time

from ansible.errors import AnsibleActionFail
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display
from ansible.utils.vars import merge_hash
from ansible_collections.scanops.scanner.plugins.module_utils._watch import lines

display = Display()

# how long the end of an interrupted task may take, in seconds
_BOUND = 60
# and what the module may take of it for a call
_LAST_CALLS = {"timeout": 10, "retries": 1, "rate_limit_wait": 10}
# how soon an interrupt is seen while nothing is done, in seconds
_SLICE = 0.5
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# the keys of a module's result that gather over its runs
_GATHERED = ("warnings", "deprecations", "api_calls")


class ActionModule(ActionBase):
    _supports_check_mode = True
    _supports_async = True

    def run(self, tmp=None, task_vars=None):
        result = super().run(tmp, task_vars)
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
        return self._execute_module(module_args={**self._task.args, **options, "_step": step}, task_vars=task_vars)

    def forget_files(self):
        self._remove_tmp_path(self._connection._shell.tmpdir)

    def show(self, text):
        """A line on standard error, where callbacks that print JSON on standard output are not disturbed."""
        if self._task.no_log:
            return
        # lines go to ansible-playbook through a queue: a worker that is killed with its lock in hand would block it for ever
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            display.display(text, stderr=True)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def stops_on_interrupt(self):
        return _flag(self._task.args.get("stop_on_interrupt"), default=False)


class _Wait:
    """One wait for the scans of a task."""

    def __init__(self, action, task_vars):
        self.action = action
        self.task_vars = task_vars or {}
        self.watch = None
        self.told = None
        self.gathered = {}
        self.began = time.monotonic()
        self.parent = os.getppid()

    def result(self):
        if not self.action.stops_on_interrupt():
            return self._result(None)
        with _Signals() as signals:
            try:
                return self._result(signals)
            except Exception:
                raise
            except BaseException:
                # the timeout of a task arrives as an exception in whatever is done just then
                self._stop()
                raise

    def _result(self, signals):
        result = self._step()
        while "watch" in result:
            self.watch = result["watch"]
            self._tell()
            self._sleep(result["pause"], signals)
            result = self._step()
        if self.watch is not None:
            self._tell_end(result)
            if "started" not in result:
                # the module itself has failed: what it did before is known all the same
                result["changed"] = any(entry["started"] for entry in self.watch["entries"])
        return {**result, **self.gathered}

    def _step(self):
        step = {"now": time.monotonic() - self.began, **({"watch": self.watch} if self.watch else {})}
        result = self.action.step(self.task_vars, step)
        for key in _GATHERED:
            if result.get(key):
                self.gathered[key] = [*self.gathered.get(key, []), *result[key]]
        return result

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
        shown, self.told = lines(self.watch, self.told)
        host = self.task_vars.get("inventory_hostname")
        for line in shown:
            self.action.show(f"{host}: {line}" if host else line)

    def _tell_end(self, result):
        """The last lines: the module has returned its result in the place of the watch."""
        by_target = {each["target"]: each for each in result.get("scans") or ()}
        for entry in self.watch["entries"]:
            end = by_target.get(entry["target"])
            if end and end["scan"]:
                entry.update(record=end["scan"], outcome=end["outcome"], scan_id=end["scan"].get("id"))
        self._tell()

    # --- interrupts

    def _end(self, status):
        """Stop what is to be stopped, and end this worker process: there is nobody left who takes a result."""
        timer = threading.Timer(_BOUND, os._exit, (status,))
        timer.daemon = True
        timer.start()
        try:
            if self.action.stops_on_interrupt():
                self._stop()
            self.action.forget_files()
        finally:
            timer.cancel()
            os._exit(status)

    def _stop(self):
        """Stop the scans that this task has started and that have not ended."""
        entries = self.watch["entries"] if self.watch else []
        # once, whatever else ends this
        self.watch = None
        ids = [entry["scan_id"] for entry in entries if entry["started"] and entry["outcome"] is None]
        if not ids:
            return
        try:
            result = self.action.step(self.task_vars, {"stop": ids}, **_LAST_CALLS)
        except Exception as error:
            raise AnsibleActionFail(f"The scans {ids} could not be stopped after an interrupt: {error}") from error
        if result.get("stopped"):
            stopped = ", ".join(str(number) for number in result["stopped"])
            self.action.show(f"interrupted: stopped scan {stopped}")


class _Signals:
    """Notes a signal instead of dying of it, so that there is time to stop scans.

    SIGINT is ignored, also by the processes that this one starts: a Ctrl-C then does not break a run of the module that
    is just starting a scan. ansible-playbook sends SIGTERM to its workers right after it.
    """

    def __init__(self):
        self.caught = None
        self._before = {}

    def __enter__(self):
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGHUP):
                self._before[number] = signal.signal(number, self._note)
            self._before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.SIG_IGN)
        return self

    def __exit__(self, *_exception):
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number, _frame):
        self.caught = number


def _flag(value, default):
    if value is None:
        return default
    try:
        return boolean(value)
    except TypeError:
        # the module says what is wrong with it
        return default
