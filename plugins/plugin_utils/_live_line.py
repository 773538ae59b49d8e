# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lines on standard error that show the progress of a long task, and what an interrupt leaves behind."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from typing import Any, Protocol

from ansible.utils.display import Display
from ansible_collections.scanops.scanner.plugins.module_utils._interrupt import SIGNALS

display = Display()


def _kept_stderr() -> int | None:
    try:
        return os.dup(2)
    except OSError:
        return None


# ansible-core loads action plugins before it forks its workers, and from 2.19 on a worker closes its own standard error
_STDERR = _kept_stderr()


class HasNoLog(Protocol):
    """A task of ansible-core."""

    no_log: bool


class LiveLine:
    """The lines of one task. They go to standard error, because callbacks may print JSON on standard output; a task with
    ``no_log`` shows none."""

    def __init__(self, task: HasNoLog, task_vars: Mapping[str, Any] | None = None) -> None:
        self._silent = bool(task.no_log)
        self._host = (task_vars or {}).get("inventory_hostname")

    def show(self, text: str) -> None:
        """Show a line while the task runs."""
        if self._silent:
            return
        # lines go to ansible-playbook through a queue: a worker that is killed while it holds the lock would block it
        before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            display.display(self._with_host(text), stderr=True)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def show_last(self, text: str) -> None:
        """Show a line after an interrupt, when ansible-playbook no longer reads the queue."""
        self.show_directly(text)

    def show_directly(self, text: str) -> None:
        """Write a line without ansible-core, which is safe in a signal handler and in a thread."""
        if self._silent or _STDERR is None:
            return
        try:
            os.write(_STDERR, f"{self._with_host(text)}\n".encode("utf-8", "backslashreplace"))
        except OSError:
            # the terminal has been closed
            pass

    def _with_host(self, text: str) -> str:
        return f"{self._host}: {text}" if self._host else text
