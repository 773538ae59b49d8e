# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""One task at a time on this machine looks for a scan and starts one, so that two with ``max_age`` do not start two."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile

from .._errors import printable
from .._names import normal_form

try:
    import fcntl
except ImportError:
    fcntl = None

# targets share this many files for each tool and service: a task with many targets must not run out of file descriptors
_FILES = 64
# how long a task waits for another one, in seconds, and how often it asks
LONGEST_WAIT = 120
_INTERVAL = 0.2


@contextlib.contextmanager
def starts_locked(task, tool_id, names):
    """Keep other tasks of this user from starting scans of these targets with this tool. Where that cannot be done the task
    goes on, with one warning."""
    base_url = task.client.transport.connection.base_url
    with contextlib.ExitStack() as held:
        try:
            directory = _directory(os.environ)
            for name in file_names(base_url, tool_id, names):
                _lock(task, held, os.path.join(directory, name))
        except OSError as error:
            task.warn(
                "Two tasks that run at the same time may both start a scan of one target, because a lock could not be taken"
                f" ({printable(error.strerror or error)})."
            )
        yield


def file_names(base_url, tool_id, names):
    """The names of the files for these targets, in the order in which every task takes them. Pure."""
    digests = [_digest(normal_form(name)) for name in names]
    return sorted({_digest(f"{base_url}\n{tool_id}\n{int(digest, 16) % _FILES}")[:32] for digest in digests})


def _digest(text):
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _lock(task, held, path):
    if fcntl is None:
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
                raise OSError(f"another task on this machine has kept it for {LONGEST_WAIT} s") from None
        transport.pause(_INTERVAL)


def _directory(environ):
    """A directory of this user that nobody else can write to or read. Raises OSError where there is none."""
    user = os.geteuid()
    runtime = [environ.get("XDG_RUNTIME_DIR") or "", f"/run/user/{user}"]
    for parent in runtime:
        if os.path.isabs(parent) and _is_own(parent):
            return _made(os.path.join(parent, "scanops.scanner"))
    return _made(os.path.join(tempfile.gettempdir(), f"scanops.scanner-{user}"))


def _made(path):
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, 0o700)
    if not _is_own(path):
        raise OSError(f"{path} is not a private directory of this user")
    return path


def _is_own(path):
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077
