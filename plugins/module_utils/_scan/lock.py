# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""A lock for tasks on one machine, so that two of them with ``max_age`` do not both start a scan."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Iterator

from .. import _private_files
from .._errors import printable
from .._names import normal_form
from .._task import Task

# targets share this many files for each tool and service: a task with many targets must not run out of file descriptors
_FILES = 64
# how long a task waits for another one, in seconds
LONGEST_WAIT = 120


@contextlib.contextmanager
def starts_locked(task: Task, tool_id: int, names: Iterable[str]) -> Iterator[None]:
    """Keep other tasks of this user from starting scans of these targets with this tool. If the lock cannot be taken, the
    task warns and continues."""
    transport = task.client.transport
    with contextlib.ExitStack() as held:
        try:
            place = _private_files.directory(os.environ)
            for name in file_names(transport.connection.base_url, tool_id, names):
                path = _private_files.path_for(place, "start of scans", name)
                held.enter_context(_private_files.locked(path, LONGEST_WAIT, transport.pause, transport.now))
        except OSError as error:
            task.warn(
                "A lock could not be taken"
                f" ({printable(error.strerror or error)}), so two tasks at the same time may both start a scan of one target."
            )
        yield


def file_names(base_url: str, tool_id: int, names: Iterable[str]) -> list[str]:
    """The names of the files for these targets, in the order in which every task locks them. Pure."""
    digests = [_digest(normal_form(name)) for name in names]
    return sorted({_digest(f"{base_url}\n{tool_id}\n{int(digest, 16) % _FILES}")[:32] for digest in digests})


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
