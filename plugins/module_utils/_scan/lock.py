# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""A lock for tasks on one machine, so that two of them with ``max_age`` do not both start a scan."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping

from .._errors import printable
from .._names import normal_form
from .._task import Task

try:
    import fcntl

    HAS_LOCKS = True
except ImportError:
    HAS_LOCKS = False

# targets share this many files for each tool and service: a task with many targets must not run out of file descriptors
_FILES = 64
# how long a task waits for another one, and how often it tries, in seconds
LONGEST_WAIT = 120
_INTERVAL = 0.2


@contextlib.contextmanager
def starts_locked(task: Task, tool_id: int, names: Iterable[str]) -> Iterator[None]:
    """Keep other tasks of this user from starting scans of these targets with this tool. If the lock cannot be taken, the
    task warns and continues."""
    base_url = task.client.transport.connection.base_url
    with contextlib.ExitStack() as held:
        try:
            directory = _directory(os.environ)
            for name in file_names(base_url, tool_id, names):
                _lock(task, held, os.path.join(directory, name))
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


def _lock(task: Task, held: contextlib.ExitStack, path: str) -> None:
    if not HAS_LOCKS:
        raise OSError("this platform has no file locks")
    number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    held.callback(os.close, number)
    transport = task.client.transport
    until = transport.now() + LONGEST_WAIT
    while True:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if transport.now() >= until:
                raise OSError(f"another task on this machine has held it for {LONGEST_WAIT} s") from None
        transport.pause(_INTERVAL)


def _directory(environ: Mapping[str, str]) -> str:
    """A directory that only this user can read and write. Raises OSError if it cannot be created."""
    user = os.geteuid()
    runtime = [environ.get("XDG_RUNTIME_DIR") or "", f"/run/user/{user}"]
    for parent in runtime:
        if os.path.isabs(parent) and _is_own(parent):
            return _create(os.path.join(parent, "scanops.scanner"))
    return _create(os.path.join(tempfile.gettempdir(), f"scanops.scanner-{user}"))


def _create(path: str) -> str:
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, 0o700)
    if not _is_own(path):
        raise OSError(f"{path} is not a private directory of this user")
    return path


def _is_own(path: str) -> bool:
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077
