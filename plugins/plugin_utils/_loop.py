# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the items of one loop share: their connections to the service, and the lists that they have read.

A write over one connection, and an item that runs as a module, end the lists of all connections.

ansible-core forks a process for each task of each host, which runs all items of its loop. Nothing is shared across tasks,
and nothing is inherited over a fork: two processes on one connection would read the answers of each other.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..module_utils._http.connection import Connection
from ..module_utils._http.list_cache import Lists
from ..module_utils._http.transport import Transport
from ..module_utils._model.errors import ScannerError
from ..module_utils._task.task import Opened

# connections of one loop, whose items may name different services or keys
_MOST_CONNECTIONS = 8
# variables that change where a request goes, or whom it trusts; the others are options
_OF_REQUESTS = ("_PROXY", "_CA_BUNDLE")


class Loop:
    """What the items of one loop share in this process."""

    def __init__(self) -> None:
        self._opened: dict[tuple[Any, ...], Opened] = {}

    @contextlib.contextmanager
    def opened(
        self, connection: Connection, environ: Mapping[str, str], opening: Callable[[Connection], Transport]
    ) -> Iterator[Opened]:
        """The connection, for one item; opened where no earlier item has it.

        It is closed behind an item that was interrupted, as by its time limit: a call may be half done.
        """
        key = (connection, *sorted(each for each in environ.items() if each[0].upper().endswith(_OF_REQUESTS)))
        opened = self._opened.pop(key, None)
        if opened is None:
            transport = opening(connection)
            opened = Opened(transport, Lists(transport.now, self.drop_lists))
        opened.transport.renew()
        try:
            yield opened
        except ScannerError:
            self._keep(key, opened)
            raise
        except BaseException:
            opened.transport.close()
            raise
        self._keep(key, opened)

    def drop_lists(self) -> None:
        """Forget the lists of all connections but the one that an item is using."""
        for opened in self._opened.values():
            if opened.lists is not None:
                opened.lists.forget()

    def _keep(self, key: tuple[Any, ...], opened: Opened) -> None:
        self._opened[key] = opened
        if len(self._opened) > _MOST_CONNECTIONS:
            self._opened.pop(next(iter(self._opened))).transport.close()

    def close(self) -> None:
        """Close the connections."""
        for opened in self._opened.values():
            opened.transport.close()
        self._opened.clear()


# the loop that a process runs, by the process and the task
_LATEST: dict[tuple[int, str], Loop] = {}


def loop_of(task: Any) -> Loop | None:
    """What the items of the loop of this task share; None for a task that has no loop, or that repeats its items.

    task: a Task of ansible-core.
    """
    repeats = task.until or task.retries
    if task.loop is None or repeats or getattr(task.loop_control, "pause", None):
        return None
    key = (os.getpid(), task._uuid)
    if key not in _LATEST:
        for (process, _task), loop in _LATEST.items():
            if process == os.getpid():
                loop.close()
        _LATEST.clear()
        _LATEST[key] = Loop()
    return _LATEST[key]
