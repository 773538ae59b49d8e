# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Files that are written completely or not at all: first beside their path, then moved to it in one step, with the owner, mode,
SELinux context and attributes that the task declares, which ansible-core's functions set."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import glob
import hashlib
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from typing import IO, Any, NamedTuple, NoReturn

from .._model.errors import Refused, WrongOption, harmless, printable, reason_of, shown
from .._model.trust import refuse_untrusted
from .host import Checks, assumption

_BLOCK = 1 << 20
_LONGEST_NAME = 255
_ACL = "system.posix_acl_access"
_NEXT_STEP = {
    errno.ENOSPC: "free disk space there, or give another {option}",
    errno.EDQUOT: "free some of the disk quota of the user who runs the task, or give another {option}",
    errno.EFBIG: "raise the limit on the size of files, or give another {option}",
    errno.ENOENT: "create the directory first, with ansible.builtin.file, or correct {option}",
    errno.ENOTDIR: "correct {option}",
    errno.ENAMETOOLONG: "give {option} a shorter name",
}

# {before: {name: value}, after: {name: value}}, which ansible-core fills
Difference = dict[str, dict[str, Any]]


class Content(NamedTuple):
    """The content of a file: its size in bytes, and its SHA-1 checksum as ansible.builtin.stat returns it."""

    size: int
    checksum: str


class Stored(NamedTuple):
    """The outcome of ``store``."""

    # the content or an attribute
    changed: bool
    # those that were changed
    attributes: Difference
    # None if the file did not exist
    before: Content | None
    after: Content


class Rights(NamedTuple):
    """Who can read and write a file, by the names of ansible-core's options."""

    mode: int
    owner: int
    group: int


class Draft:
    """A future file: bytes in a temporary file beside it. A context manager, which deletes the file unless it was put,
    and removes first what killed runs have left.

    dest: the path of the future file, None to count the bytes without writing them, as in check mode; option: the one that
    gives it. Only the owner can read the temporary file, and it is locked while it is in use.
    """

    def __init__(self, dest: str | None, option: str = "dest") -> None:
        self._dest = dest and os.path.abspath(dest)
        self._option = option
        self._stream: IO[bytes] | None = None
        # of the temporary file
        self.path = ""
        self._digest, self._size = _digest(), 0

    def __enter__(self) -> Draft:
        if self._dest is not None:
            with explained(self._dest, self._option):
                _sweep(self._dest)
                handle, self.path = _new_file(self._dest)
                self._stream = os.fdopen(handle, "wb")
        return self

    def __exit__(self, *exc: object) -> None:
        if self._stream is not None:
            with contextlib.suppress(OSError):
                os.unlink(self.path)
            # on a full disk, closing fails once more, because it writes the rest
            with contextlib.suppress(OSError):
                self._stream.close()

    @property
    def content(self) -> Content:
        """The Content written so far."""
        return Content(self._size, self._digest.hexdigest())

    def restart(self) -> None:
        """Discard everything written so far."""
        self._digest, self._size = _digest(), 0
        if self._stream is not None:
            with explained(self._dest, self._option):
                self._stream.seek(0)
                self._stream.truncate()

    def write(self, piece: bytes) -> None:
        """Append bytes."""
        if self._stream is not None:
            with explained(self._dest, self._option):
                self._stream.write(piece)
        self._digest.update(piece)
        self._size += len(piece)

    def put(self, move: Callable[[str, str], object] | None = None) -> None:
        """Move the complete file to its path, after it was written to the disk. move: in place of os.replace."""
        if self._dest is None or self._stream is None:
            raise RuntimeError("this draft has no file")
        with explained(self._dest, self._option):
            self._stream.flush()
            os.fsync(self._stream.fileno())
            # the file is still open, so that it stays locked until it is renamed
            (move or os.replace)(self.path, self._dest)
        # so that the new name survives a crash; some file systems cannot do this, and the file exists anyway
        with contextlib.suppress(OSError):
            handle = os.open(os.path.dirname(self._dest), os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def _sweep(dest: str) -> None:
    """Remove the drafts of this file that killed runs have left: those of this user that no process has locked."""
    for path in glob.glob(f"{glob.escape(_prefix_of(dest))}*"):
        with contextlib.suppress(OSError):
            handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                found = os.fstat(handle)
                own = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and found.st_nlink == 1
                if own and _holds(handle, path):
                    os.unlink(path)
            finally:
                os.close(handle)


def _new_file(dest: str) -> tuple[int, str]:
    """Handle and path of an empty file beside ``dest`` that this process has locked."""
    directory, prefix = os.path.split(_prefix_of(dest))
    while True:
        handle, path = tempfile.mkstemp(prefix=prefix, dir=directory)
        # before it was locked, another run may have removed it as left over
        if _holds(handle, path) is not False:
            return handle, path
        os.close(handle)


def _prefix_of(dest: str) -> str:
    """The beginning of the paths of all drafts of a file."""
    directory, name = os.path.split(dest)
    return os.path.join(directory, f".scanops-{hashlib.sha256(os.fsencode(name)).hexdigest()[:16]}-")


def _holds(handle: int, path: str) -> bool | None:
    """Whether this process has locked the file, and it still has this path; None where the file system has no locks."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    except (BlockingIOError, FileNotFoundError):
        return False
    except OSError:
        return None


def _digest() -> hashlib._Hash:
    # SHA-1, which the file modules of ansible-core return too, tells contents apart, and proves nothing
    return hashlib.sha1(usedforsecurity=False)


@contextlib.contextmanager
def explained(dest: str | None, option: str) -> Iterator[None]:
    """Turn an OSError into Refused, with what to do next. option: the one that gives the path ``dest``."""
    try:
        yield
    except OSError as error:
        step = _NEXT_STEP.get(error.errno or 0, "check the directory and its permissions, or give another {option}")
        raise Refused(
            f"{option} {shown(dest)} could not be written ({reason_of(error)}), and no incomplete file is left:"
            f" {step.format(option=option)}."
        ) from None


def content_of(path: str) -> Content | None:
    """The Content of a regular file, or None if there is none. Refuses a file that cannot be read."""
    read = Draft(None)
    try:
        # a link may name a pipe, and opening a pipe in the usual way waits for a writer
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                return None
            while block := stream.read(_BLOCK):
                read.write(block)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused(
            f"dest {shown(path)} exists but cannot be read ({reason_of(error)}): run the task as a user who may read it,"
            " or give another dest."
        ) from None
    return read.content


# --- the file that a task declares. ``module``: an AnsibleModule with the options of files


def store(
    module: Any, dest: str, fill: Callable[[Draft], object], placed: Callable[[Content], object] | None = None
) -> Stored:
    """Make sure that the file ``dest`` holds what ``fill`` writes, with the owner and mode that the task declares.

    fill: writes to the Draft. If it raises, ``dest`` is unchanged. Check mode calls it as well, and discards what it writes.
    A file with this content already is not replaced. placed: called when ``dest`` has the Content, but not in check mode.
    """
    check_place(module, dest)
    try_place(module, dest)
    before = content_of(dest)
    with Draft(None if module.check_mode else dest) as draft:
        fill(draft)
        after = draft.content
        replaced, predicted = after != before, predict_attributes(module, dest, before)
        if replaced and not module.check_mode:
            draft.put(lambda path, _dest: _replace(module, path, dest))
    if placed and not module.check_mode:
        placed(after)
    if not replaced:
        return Stored(*give(module, dest), before, after)
    if not module.check_mode:
        # last, because ``attributes`` can make a file immutable, which cannot be moved
        give(module, dest)
    return Stored(True, predicted, before, after)


def check_place(host: Checks, dest: str, longest: int = _LONGEST_NAME, option: str = "dest") -> None:
    """Refuse a ``dest`` that cannot become a file, before any call, because what a task fetches may cost something.

    longest: the maximum number of bytes of its name; option: the one that gives it.
    """
    what = f"{option} {shown(dest)}"
    directory, name = os.path.split(dest)
    if not name or os.path.isdir(dest):
        raise WrongOption(f"{what} names a directory: add the name of the file.")
    if os.path.lexists(dest) and not os.path.islink(dest) and not os.path.isfile(dest):
        raise WrongOption(f"{what} exists and is not a regular file: give another {option}.")
    # its own mode does not count, because it is replaced
    refuse_untrusted(dest, option, is_replaced=True)
    if len(os.fsencode(name)) > longest:
        raise WrongOption(f"{what} has a file name that is too long: give {option} a shorter name.")
    _check_directory(host, directory or os.curdir, what, f"the directory of {what}", option)


def check_directory(host: Checks, directory: str, option: str) -> None:
    """Refuse a directory in which no new file can be written, or that cannot be created, before any call. option: the one that
    gives it."""
    refuse_untrusted(directory, option)
    place = directory if os.path.lexists(directory) else os.path.dirname(os.path.abspath(directory))
    what = f"{option} {shown(place)}"
    _check_directory(host, place, f"a file of {what}", what, option)


def _check_directory(host: Checks, directory: str, what: str, named: str, option: str) -> None:
    if not os.path.lexists(directory) and host.check_mode:
        host.warn(harmless(assumption(named)))
        return
    if not os.path.isdir(directory):
        why = "is not a directory" if os.path.lexists(directory) else "does not exist"
        raise WrongOption(
            f"{what} cannot be written because {shown(directory)} {why}: create the directory first, with"
            f" ansible.builtin.file, or correct {option}."
        )
    if not os.access(directory, os.W_OK | os.X_OK):
        raise Refused(
            f"{what} cannot be written because {shown(directory)} is not writable for the user who runs the task:"
            f" make it writable, or give another {option}."
        )


def try_place(module: Any, dest: str) -> None:
    """Refuse what ``check_place`` cannot detect: a read-only file system, an unknown owner, a wrong mode."""
    directory = os.path.dirname(dest) or os.curdir
    if not module.check_mode:
        _try_rights(module, dest)
    elif os.path.isdir(directory):
        give(module, dest if os.path.exists(dest) else directory)


def predict_attributes(module: Any, dest: str, before: Content | None) -> Difference:
    """The difference of the attributes if another file replaces ``dest``.

    before: the Content of the file before the task. A new file is a change by itself, so its attributes are not compared.
    """
    # a file that replaces a link begins with the rights of the file that the link names
    return give(module, os.path.realpath(dest), pretend=True)[1] if before else dict(before={}, after={})


def give(module: Any, path: str, pretend: bool = False, **instead: Any) -> tuple[bool, Difference]:
    """Give a file the attributes that the task declares; return whether any changed, and their Difference.

    instead: replaces declared ones. Check mode, and ``pretend``, only predict the result.
    """
    difference: Difference = dict(before={}, after={})
    wanted = {**module.load_file_common_arguments(module.params, path=path), **instead, "path": path}
    check_mode = module.check_mode
    module.check_mode = check_mode or pretend
    try:
        with _refusing(module):
            return module.set_fs_attributes_if_different(wanted, False, difference), difference
    finally:
        module.check_mode = check_mode


@contextlib.contextmanager
def _refusing(module: Any) -> Iterator[None]:
    """Turn a failure of ansible-core's functions, which end the module, into Refused."""

    def fail(msg: str, details: str = "", **more: Any) -> NoReturn:
        raise ValueError(f"{msg}, {details}" if details else msg)

    # an attribute of the object, which hides the method of its class
    module.fail_json = fail
    try:
        yield
    except (OSError, ValueError) as error:
        reason = printable(getattr(error, "strerror", None) or error)
        raise Refused(
            f"the declared owner, mode or another attribute of dest cannot be set ({reason}): correct the options, or run the"
            " task as another user."
        ) from None
    finally:
        del module.fail_json


def kept_mode(mode: int, same_owner: bool, same_group: bool) -> int:
    """The mode to use where the owner or group of a replaced file could not be kept."""
    if not same_group:
        # another group gets no more than all users
        mode = mode & ~stat.S_IRWXG | mode & (mode & stat.S_IRWXO) << 3
    return mode if same_owner and same_group else mode & 0o777


def _rights_of(path: str) -> Rights | None:
    """The Rights of a regular file, or of the one that a link names; None if there is none."""
    with contextlib.suppress(OSError):
        found = os.stat(path)
        if stat.S_ISREG(found.st_mode):
            return Rights(stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid)
    return None


def _try_rights(module: Any, dest: str) -> Rights | None:
    """The Rights of a file that replaces ``dest``, found by giving them to an empty file."""
    found = _rights_of(dest)
    with Draft(dest) as empty:
        if found is None:
            # no call only reads it
            umask = os.umask(0o077)
            os.umask(umask)
            mode = 0o666 & ~umask
        else:
            mode, uid, gid = found
            for owner in ((-1, gid), (uid, -1)):
                with contextlib.suppress(PermissionError):
                    os.chown(empty.path, *owner)
            now = os.stat(empty.path)
            mode = kept_mode(mode, now.st_uid == uid, now.st_gid == gid)
        os.chmod(empty.path, mode)
        give(module, empty.path, attributes=None)
        return _rights_of(empty.path)


def _replace(module: Any, path: str, dest: str) -> None:
    """Move the file at ``path``, which only its owner can read, to ``dest``, with the attributes that it needs there.

    Not with atomic_move alone: that of ansible-core 2.16 gives it the mode of the old file before the declared one, and drops
    the access control list; that of 2.22 keeps neither of the two if it cannot keep the owner.
    """
    rights, found = _try_rights(module, dest), _rights_of(dest)
    if module.selinux_enabled():
        context = module.selinux_context(dest) if found else module.selinux_default_context(dest)
        with _refusing(module):
            module.set_context_if_different(path, context, False)
    give(module, path, **(rights._asdict() if rights else {}), attributes=None)
    if rights == found:
        # the access control list holds further rights, which are valid only with this mode
        with contextlib.suppress(OSError, AttributeError):
            os.setxattr(path, _ACL, os.getxattr(dest, _ACL))
    try:
        os.replace(path, dest)
    except OSError as error:
        if not module.params["unsafe_writes"] or found is None:
            raise
        give(module, dest, attributes=None)
        try:
            with _refusing(module):
                module.atomic_move(path, dest, unsafe_writes=True)
        except Exception:
            raise error from None
