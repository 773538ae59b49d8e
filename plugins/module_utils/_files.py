# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Files that are written whole or not at all: first beside their place, then put there in one step."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import tempfile
from typing import NamedTuple

from ._errors import Refused, printable

_BLOCK = 1 << 20
_LONGEST_NAME = 255
_PREFIX = ".scanops-"
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


class Stored(NamedTuple):
    """What ``store`` led to. changed: bool, the content or an attribute; before: Content or None, the file's before;
    after: Content; attributes: the changed attributes as {before: {...}, after: {...}}."""

    changed: bool
    before: Content | None
    after: Content
    attributes: dict


def store(task, dest, fill, placed=None):
    """Make the file ``dest`` hold what ``fill`` writes, with the owner and mode that the task declares; a Stored.

    fill: a function of a Draft, which calls its ``write``. Its errors pass through, and ``dest`` is then as it was. In
    check mode ``fill`` is called as well, and what it writes goes nowhere. Where the content is there already, the file is
    not touched. placed: None, or a function of the Content, called when ``dest`` has it and before it gets its owner and
    mode, which may fail; not in check mode.
    """
    check_place(task, dest)
    try_place(task, dest)
    before = content_of(dest)
    with Draft(None if task.check_mode else dest) as draft:
        fill(draft)
        after = draft.content
        changed = after != before
        if changed and not task.check_mode:
            draft.put(task.replace_file)
    if placed and not task.check_mode:
        placed(after)
    adjusted, attributes = give_attributes(task, dest, before)
    return Stored(changed or adjusted, before, after, attributes)


def give_attributes(task, dest, before):
    """Give the file ``dest`` the declared owner, mode and so on: (whether that changes something, the difference).

    before: Content or None, of the file before the task; a file that is new is a change as it is.
    """
    if before is None and task.check_mode:
        return False, dict(before={}, after={})
    adjusted, difference = task.give_attributes(dest)
    return (adjusted, difference) if before else (False, dict(before={}, after={}))


def check_place(task, dest, longest=_LONGEST_NAME):
    """Refuse a ``dest`` that cannot become a file: before any call, since what a task fetches may cost something.

    longest: bytes that its name may have.
    """
    shown = _shown(dest)
    folder, name = os.path.split(dest)
    if not name or os.path.isdir(dest):
        raise Refused(f"dest {shown} names a folder: add the name of the file.")
    if os.path.lexists(dest) and not os.path.islink(dest) and not os.path.isfile(dest):
        raise Refused(f"dest {shown} is there and is no regular file: give another dest.")
    if len(os.fsencode(name)) > longest:
        raise Refused(f"dest {shown} is longer than a name may be: give dest a shorter name.")
    folder = folder or os.curdir
    if not os.path.lexists(folder) and task.check_mode:
        task.warn_foreseen(f"the folder of dest {shown}")
        return
    if not os.path.isdir(folder):
        why = "is no folder" if os.path.lexists(folder) else "is not there"
        raise Refused(
            f"dest {shown} cannot be written, {_shown(folder)} {why}: make the folder first, with ansible.builtin.file, or"
            " correct dest."
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Refused(
            f"dest {shown} cannot be written, {_shown(folder)} is not writable for the user who runs the task: make it"
            " writable, or give another dest."
        )


def try_place(task, dest):
    """Refuse what ``check_place`` cannot see: a file system that is read-only, an owner that is unknown, a wrong mode."""
    folder = os.path.dirname(dest) or os.curdir
    if task.check_mode:
        if os.path.isdir(folder):
            task.give_attributes(dest if os.path.exists(dest) else folder)
        return
    with Draft(dest) as draft:
        task.give_attributes(draft.path, pretend=True)


def content_of(path):
    """The Content of a file, or None where there is none. Refuses what cannot be read."""
    try:
        with open(path, "rb") as stream:
            digest, size = _digest(), 0
            while block := stream.read(_BLOCK):
                digest.update(block)
                size += len(block)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused(
            f"dest {_shown(path)} is there and cannot be read ({_reason(error)}): run the task as a user who may read it,"
            " or give another dest."
        ) from None
    return Content(size, digest.hexdigest())


class Draft:
    """What will be a file: bytes in a temporary file beside their place. A context manager; what is not put is gone.

    dest: the path of the file, or None for bytes that are only counted, as in check mode; path: of the temporary file.
    """

    def __init__(self, dest):
        self._dest = dest and os.path.abspath(dest)
        self.path = self._stream = None
        self._digest, self._size = _digest(), 0

    def __enter__(self):
        if self._dest is not None:
            with self._one_sentence():
                handle, self.path = tempfile.mkstemp(prefix=_PREFIX, dir=os.path.dirname(self._dest))
                self._stream = os.fdopen(handle, "wb")
        return self

    def __exit__(self, *exc):
        # a full disk fails once more where the rest is written out on closing
        with contextlib.suppress(OSError):
            if self._stream is not None:
                self._stream.close()
        if self.path is not None:
            with contextlib.suppress(OSError):
                os.unlink(self.path)

    @property
    def content(self):
        """The Content written so far."""
        return Content(self._size, self._digest.hexdigest())

    def restart(self):
        """Forget what was written: it begins again."""
        self._digest, self._size = _digest(), 0
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

    def put(self, replace=os.replace):
        """Put the file in its place, whole and on the disk. replace: a function of the paths from and to."""
        with self._one_sentence():
            self._stream.flush()
            os.fsync(self._stream.fileno())
            self._stream.close()
            replace(self.path, self._dest)
        self.path = None
        _sync_folder(os.path.dirname(self._dest))

    @contextlib.contextmanager
    def _one_sentence(self):
        try:
            yield
        except OSError as error:
            step = _NEXT_STEP.get(error.errno, "look at the folder and its rights, or give another dest")
            raise Refused(
                f"dest {_shown(self._dest)} could not be written ({_reason(error)}), and no part of it is left: {step}."
            ) from None


def is_own_file(path):
    """Whether a file is there that only this user or root can have written: what it says may be relied on."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_uid in (0, os.geteuid()) and not found.st_mode & 0o022


def _sync_folder(folder):
    # so that the new name outlasts a crash; some file systems cannot, and the file is there all the same
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _digest():
    # SHA-1, as the file modules of ansible-core give it; it tells contents apart and proves nothing
    return hashlib.sha1(usedforsecurity=False)


def _shown(path):
    return repr(printable(path))


def _reason(error):
    return printable(os.strerror(error.errno) if error.errno else type(error).__name__)
