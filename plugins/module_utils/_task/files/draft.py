# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Temporary files beside a file: written, moved to its path in one step, and removed after a run that was killed."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from typing import IO, NamedTuple

from ..._model.errors import Refused, printable

_PREFIX = ".scanops-"
_TRIES = 100
_NEXT_STEP = {
    errno.ENOSPC: "free disk space there, or give another {option}",
    errno.EDQUOT: "free some of the disk quota of the user who runs the task, or give another {option}",
    errno.EFBIG: "raise the limit on the size of files, or give another {option}",
    errno.ENOENT: "create the directory first, with ansible.builtin.file, or correct {option}",
    errno.ENOTDIR: "correct {option}",
    errno.ENAMETOOLONG: "give {option} a shorter name",
}


class Content(NamedTuple):
    """The content of a file: its size in bytes, and its SHA-1 checksum as ansible.builtin.stat returns it."""

    size: int
    checksum: str


class Draft:
    """A future file: bytes in a temporary file beside it. A context manager, which deletes the file unless it was put.

    dest: the path of the future file, None to count the bytes without writing them, as in check mode; option: the one that
    gives it. Only the owner can read the temporary file, and it is locked while it is in use.
    """

    def __init__(self, dest: str | None, option: str = "dest") -> None:
        self._dest = dest and os.path.abspath(dest)
        self._option = option
        self._stream: IO[bytes] | None = None
        self._path: str | None = None
        self._digest, self._size = digest(), 0

    def __enter__(self) -> Draft:
        if self._dest is not None:
            with self._explained():
                handle, self._path = _new_file(self._dest)
                self._stream = os.fdopen(handle, "wb")
        return self

    def __exit__(self, *exc: object) -> None:
        if self._path is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._path)
        # on a full disk, closing fails once more, because it writes the rest
        with contextlib.suppress(OSError):
            if self._stream is not None:
                self._stream.close()

    @property
    def path(self) -> str:
        """The path of the temporary file."""
        if self._path is None:
            raise RuntimeError("this draft has no file")
        return self._path

    @property
    def content(self) -> Content:
        """The Content written so far."""
        return Content(self._size, self._digest.hexdigest())

    def restart(self) -> None:
        """Discard everything written so far."""
        self._digest, self._size = digest(), 0
        if self._stream is not None:
            with self._explained():
                self._stream.seek(0)
                self._stream.truncate()

    def write(self, piece: bytes) -> None:
        """Append bytes."""
        if self._stream is not None:
            with self._explained():
                self._stream.write(piece)
        self._digest.update(piece)
        self._size += len(piece)

    def put(
        self, dress: Callable[[str], None] | None = None, replace: Callable[[str, str], None] | None = None
    ) -> None:
        """Move the complete file to its path, after it was written to the disk.

        dress: gives the file at this path its attributes; without it, only the owner can read the file. replace: moves a
        file from one path to another, in place of os.replace.
        """
        if self._dest is None or self._stream is None:
            raise RuntimeError("this draft has no file")
        with self._explained():
            self._stream.flush()
            os.fsync(self._stream.fileno())
            if dress:
                dress(self.path)
            # the file is still open, so that it stays locked until it is renamed
            (replace or os.replace)(self.path, self._dest)
        self._path = None
        _sync_directory(os.path.dirname(self._dest))

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn an OSError into Refused, with what to do next."""
        try:
            yield
        except OSError as error:
            step = _NEXT_STEP.get(error.errno or 0, "check the directory and its permissions, or give another {option}")
            raise Refused(
                f"{self._option} {shown(self._dest)} could not be written ({reason_of(error)}), and no incomplete file is left:"
                f" {step.format(option=self._option)}."
            ) from None


def sweep(dest: str) -> None:
    """Remove the drafts of this file that killed runs have left: those of this user that no process has locked."""
    directory, prefix = os.path.dirname(os.path.abspath(dest)), _prefix_of(dest)
    with contextlib.suppress(OSError):
        for name in os.listdir(directory):
            if name.startswith(prefix):
                _remove_unused(os.path.join(directory, name))


def _remove_unused(path: str) -> None:
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            found = os.fstat(handle)
            own = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and found.st_nlink == 1
            if own and _lock(handle) and _is_at(handle, path):
                os.unlink(path)
        finally:
            os.close(handle)


def _new_file(dest: str) -> tuple[int, str]:
    """Handle and path of an empty file beside ``dest`` that this process has locked."""
    for dummy in range(_TRIES):
        handle, path = tempfile.mkstemp(prefix=_prefix_of(dest), dir=os.path.dirname(dest))
        # before it was locked, another run may have removed it as left over
        if _lock(handle) is not False and _is_at(handle, path):
            return handle, path
        os.close(handle)
    raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))


def _prefix_of(dest: str) -> str:
    name = os.fsencode(os.path.basename(dest))
    return f"{_PREFIX}{hashlib.sha256(name).hexdigest()[:16]}-"


def _lock(handle: int) -> bool | None:
    """Whether this process has the lock of the file; None where the file system does not support locks."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _is_at(handle: int, path: str) -> bool:
    with contextlib.suppress(OSError):
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    return False


def _sync_directory(directory: str) -> None:
    # so that the new name survives a crash; some file systems cannot do this, and the file exists anyway
    with contextlib.suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def digest() -> hashlib._Hash:
    """A new SHA-1, which the file modules of ansible-core return too. It tells contents apart, and proves nothing."""
    return hashlib.sha1(usedforsecurity=False)


def shown(path: str | None) -> str:
    """A path as messages show it."""
    return repr(printable(path))


def reason_of(error: OSError) -> str:
    """The reason of an OSError, without its path."""
    return printable(os.strerror(error.errno) if error.errno else type(error).__name__)


def is_own_file(path: str) -> bool:
    """Whether a file exists that only this user or root can have written, so that its content can be trusted."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_uid in (0, os.geteuid()) and not found.st_mode & 0o022
