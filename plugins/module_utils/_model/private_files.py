# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Small files that all processes of a user on one machine share: where they are, how they are named, opened and locked."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import hmac
import os
import secrets
import stat
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping

try:
    import fcntl

    HAS_LOCKS = True
except ImportError:
    HAS_LOCKS = False

_SALT = "salt"
_SALT_SIZE = 32
_NAME_SIZE = 32


def directory(environ: Mapping[str, str]) -> str:
    """A directory that only this user can read and write. Raises OSError if it cannot be created."""
    user = os.geteuid()
    runtime = [environ.get("XDG_RUNTIME_DIR") or "", f"/run/user/{user}"]
    for parent in runtime:
        if os.path.isabs(parent) and _is_own(parent):
            return _create(os.path.join(parent, "scanops.scanner"))
    return _create(os.path.join(tempfile.gettempdir(), f"scanops.scanner-{user}"))


def path_for(place: str, *parts: str) -> str:
    """The path of the file for these texts, which nobody can guess from its name. place: as ``directory`` returns it.

    Raises OSError.
    """
    text = "\n".join(parts).encode("utf-8", "surrogatepass")
    return os.path.join(place, hmac.new(_salt(place), text, hashlib.sha256).hexdigest()[:_NAME_SIZE])


def opened(path: str) -> int:
    """A descriptor of a file for reading and writing; creates an empty file. Raises OSError, also for one that others can
    read or write."""
    number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    found = os.fstat(number)
    if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077:
        return number
    os.close(number)
    raise OSError(errno.EPERM, "it is not a private file of this user")


@contextlib.contextmanager
def locked(
    path: str,
    seconds: float,
    sleep: Callable[[float], object] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[int]:
    """Lock the file against all other processes, and give its descriptor. A process that ends releases its lock.

    seconds: how long to wait for the lock. Raises OSError.
    """
    if not HAS_LOCKS:
        raise OSError("this platform has no file locks")
    # opened each time: processes that inherit a descriptor would share its lock
    number = opened(path)
    try:
        until = clock() + seconds
        pause = seconds / 5000
        while True:
            try:
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if clock() >= until:
                    raise OSError(f"another task on this machine has held it for {seconds:g} s") from None
            sleep(pause)
            pause = min(2 * pause, seconds / 600)
        yield number
    finally:
        os.close(number)


def sole(path: str) -> int | None:
    """A descriptor that locks the file while it is open, None where that is impossible now."""
    number = None
    with contextlib.suppress(OSError, NameError):
        number = opened(path)
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return number
    if number is not None:
        os.close(number)
    return None


def _salt(place: str) -> bytes:
    """What makes the names of files different on each machine. Raises OSError."""
    path = os.path.join(place, _SALT)
    for _try in range(3):
        with contextlib.suppress(FileNotFoundError):
            number = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                salt = os.read(number, _SALT_SIZE + 1)
            finally:
                os.close(number)
            if len(salt) == _SALT_SIZE:
                return salt
            os.unlink(path)
        _add_salt(path)
    raise OSError(errno.EIO, "its salt cannot be kept")


def _add_salt(path: str) -> None:
    """Put a new salt in its place, complete from the start, unless another process was faster."""
    draft = f"{path}.{secrets.token_hex(8)}"
    number = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        os.write(number, secrets.token_bytes(_SALT_SIZE))
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    finally:
        os.close(number)
        os.unlink(draft)


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
