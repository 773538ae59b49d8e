# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs a module that writes many objects, in process or not, and shows its progress while it runs."""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

from ansible import constants
from ansible_collections.scanops.scanner.plugins.module_utils._bulk import progress as _progress
from ansible_collections.scanops.scanner.plugins.module_utils._errors import counted
from ansible_collections.scanops.scanner.plugins.plugin_utils._in_process import InProcess, Result
from ansible_collections.scanops.scanner.plugins.plugin_utils._live_line import LiveLine, elapsed

# seconds from one line to the next; a task that is quicker shows none
INTERVAL = 5.0


class BulkAction(InProcess):
    def run_as_module(self, tmp: str | None, task_vars: dict[str, Any] | None) -> Result:
        with self._shown(self._progress_file(), task_vars):
            return super().run_as_module(tmp, task_vars)

    def run_in_process(
        self, arguments: Result, environment: Mapping[str, str], task_vars: dict[str, Any] | None
    ) -> Result:
        if not self._is_shown():
            return self.work_here(arguments, environment)
        with contextlib.ExitStack() as stack:
            directory = path = None
            # progress is no reason to fail a task
            with contextlib.suppress(OSError):
                directory = stack.enter_context(tempfile.TemporaryDirectory(dir=constants.DEFAULT_LOCAL_TMP))
                path = _progress.create(directory)
            stack.enter_context(self._shown(path, task_vars))
            return self.work_here(arguments, environment, directory)

    @contextlib.contextmanager
    def _shown(self, path: str | None, task_vars: dict[str, Any] | None) -> Iterator[None]:
        """Show the progress in this file."""
        if path is None:
            yield
            return
        ticker = _Ticker(path, LiveLine(self._task, task_vars))
        ticker.start()
        try:
            yield
        finally:
            ticker.end()
            with contextlib.suppress(OSError):
                os.unlink(path)

    def _is_shown(self) -> bool:
        return not (self._task.check_mode or self._task.async_val or self._task.no_log)

    def _progress_file(self) -> str | None:
        """The file in which the module reports its progress; None where nobody can or wants to read it."""
        if not self._is_shown() or self._connection.transport != "local":
            return None
        if self._connection.become is not None:
            # the module may run as another user
            return None
        try:
            if not self._connection._shell.tmpdir:
                self._make_tmp_path()
            return _progress.create(self._connection._shell.tmpdir)
        except Exception:
            # progress is no reason to fail a task: if the directory cannot be created, the module's run reports it
            return None


class _Ticker(threading.Thread):
    """Shows a line every few seconds.

    A line is written directly to standard error and not sent through the queue of ansible-core: a worker that is killed
    while one of its threads holds the queue's lock would block ansible-playbook.
    """

    def __init__(self, path: str, line: LiveLine):
        super().__init__(daemon=True)
        self._path = path
        self._line = line
        self._began = time.monotonic()
        self._ended = threading.Event()

    def run(self) -> None:
        while not self._ended.wait(INTERVAL):
            snapshot = _progress.read(self._path)
            if snapshot is not None:
                self._line.show_directly(line_of(snapshot, time.monotonic() - self._began, time.time()))

    def end(self) -> None:
        self._ended.set()
        # a terminal that takes no text must not hold up the task
        self.join(1)


def line_of(snapshot: _progress.Snapshot, seconds: float, now: float) -> str:
    """seconds: how long the task has taken; now: Unix time."""
    failed = f", {snapshot.failed} failed" if snapshot.failed else ""
    waits = round((snapshot.until or 0) - now)
    limit = f"; waiting {elapsed(waits)} for the rate limit" if waits > 0 else ""
    return f"{snapshot.done} of {counted(snapshot.total, 'object')} done{failed}, {elapsed(seconds)}{limit}"
