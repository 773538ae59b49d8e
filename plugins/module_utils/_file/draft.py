# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Temporary files beside the place of a file: written, put in place in one step, and removed after a run that was killed."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import stat
import tempfile
from typing import NamedTuple

from .._errors import Refused, printable

_PREFIX = ".scanops-"
_TRIES = 100
_NEXT_STEP = {
    errno.ENOSPC: "make room there, or give another dest",
    errno.EDQUOT: "make room in the quota of the user who runs the task, or give another dest",
    errno.EFBIG: "raise the limit on the size of files, or give another dest",
    errno.ENOENT: "make the folder first, with ansible.builtin.file, or correct dest",
    errno.ENOTDIR: "correct dest",
    errno.ENAMETOOLONG: "give dest a shorter name",
}


class Content(NamedTuple):
    """What is in a file, told by its size in bytes and its SHA-1 checksum as ansible.builtin.stat gives it."""

    size: int
    checksum: str


class Draft:
    """What will be a file: bytes in a temporary file beside their place. A context manager; what is not put is gone.

    dest: the path of the file, or None for bytes that are only counted, as in check mode; path: of the temporary file.
    Only its owner can read it, and it is locked as long as it is in use.
    """

    def __init__(self, dest):
        self._dest = dest and os.path.abspath(dest)
        self.path = self._stream = None
        self._digest, self._size = digest(), 0

    def __enter__(self):
        if self._dest is not None:
            with self._one_sentence():
                handle, self.path = _new_file(self._dest)
                self._stream = os.fdopen(handle, "wb")
        return self

    def __exit__(self, *exc):
        if self.path is not None:
            with contextlib.suppress(OSError):
                os.unlink(self.path)
        # a full disk fails once more where the rest is written out on closing
        with contextlib.suppress(OSError):
            if self._stream is not None:
                self._stream.close()

    @property
    def content(self):
        """The Content written so far."""
        return Content(self._size, self._digest.hexdigest())

    def restart(self):
        """Forget what was written: it begins again."""
        self._digest, self._size = digest(), 0
        if self._stream is not None:
            with self._one_sentence():
                self._stream.seek(0)
                self._stream.truncate()

    def write(self, piece):
        """Write bytes."""
        if self._stream is not None:
            with self._one_sentence():
                self._stream.write(piece)
        self._digest.update(piece)
        self._size += len(piece)

    def put(self, dress=None, replace=None):
        """Put the file in its place, whole and on the disk.

        dress: None, or a function of the path that gives the file all that it may have; without it only its owner can
        read it. replace: None, or a function of the paths from and to.
        """
        with self._one_sentence():
            self._stream.flush()
            os.fsync(self._stream.fileno())
            if dress:
                dress(self.path)
            # still open, so that it is locked until it has its name
            (replace or os.replace)(self.path, self._dest)
        self.path = None
        _sync_directory(os.path.dirname(self._dest))

    @contextlib.contextmanager
    def _one_sentence(self):
        try:
            yield
        except OSError as error:
            step = _NEXT_STEP.get(error.errno, "look at the folder and its rights, or give another dest")
            raise Refused(
                f"dest {shown(self._dest)} could not be written ({reason_of(error)}), and no part of it is left: {step}."
            ) from None


def sweep(dest):
    """Remove the drafts of this file that runs which were killed have left: own ones that no process has locked."""
    directory, prefix = os.path.dirname(os.path.abspath(dest)), _prefix_of(dest)
    with contextlib.suppress(OSError):
        for name in os.listdir(directory):
            if name.startswith(prefix):
                _remove_unused(os.path.join(directory, name))


def _remove_unused(path):
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            found = os.fstat(handle)
            own = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and found.st_nlink == 1
            if own and _lock(handle) and _is_at(handle, path):
                os.unlink(path)
        finally:
            os.close(handle)


def _new_file(dest):
    """(handle, path) of an empty file beside ``dest`` that this process has locked."""
    for dummy in range(_TRIES):
        handle, path = tempfile.mkstemp(prefix=_prefix_of(dest), dir=os.path.dirname(dest))
        # another run may take it for a left-over in the moment before it is locked
        if _lock(handle) is not False and _is_at(handle, path):
            return handle, path
        os.close(handle)
    raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))


def _prefix_of(dest):
    name = os.fsencode(os.path.basename(dest))
    return f"{_PREFIX}{hashlib.sha256(name).hexdigest()[:16]}-"


def _lock(handle):
    """True where the file is this process's, False where it is another's, None where the file system knows no locks."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _is_at(handle, path):
    with contextlib.suppress(OSError):
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    return False


def _sync_directory(directory):
    # so that the new name outlasts a crash; some file systems cannot, and the file is there all the same
    with contextlib.suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def digest():
    """A new SHA-1, as the file modules of ansible-core give it; it tells contents apart and proves nothing."""
    return hashlib.sha1(usedforsecurity=False)


def shown(path):
    """A path as messages have it."""
    return repr(printable(path))


def reason_of(error):
    """What an OSError says, without its path."""
    return printable(os.strerror(error.errno) if error.errno else type(error).__name__)
