# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Owner, mode, SELinux context and attributes of the files that modules write, set by ansible-core's functions."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, NoReturn, Protocol, runtime_checkable

from .._errors import Refused, printable
from .._task import Task
from .draft import Draft
from .inherited_rights import Rights, is_foreign, kept_mode, starting_rights

_FAILING = "the declared owner, mode or another attribute of dest cannot be set"
_RIGHTS = ("owner", "group", "mode")
# set last, because an immutable file cannot be moved
_FLAGS = ("attributes",)
_CONTEXT = ("secontext",)
_ALL = (*_CONTEXT, *_RIGHTS, *_FLAGS)
# errors after which ansible-core honours unsafe_writes: atomic_move in lib/ansible/module_utils/basic.py of
# https://github.com/ansible/ansible
_UNMOVABLE = (errno.EPERM, errno.EXDEV, errno.EACCES, errno.ETXTBSY, errno.EBUSY)
_ACL = "system.posix_acl_access"

# {before: {name: value}, after: {name: value}}, which ansible-core fills
Difference = dict[str, dict[str, Any]]


class Change(NamedTuple):
    """A change of the attributes of a file."""

    changed: bool
    difference: Difference


@runtime_checkable
class FileModule(Protocol):
    """The functions of AnsibleModule for the attributes of files."""

    check_mode: bool
    fail_json: Callable[..., Any]

    def load_file_common_arguments(self, params: dict[str, Any], path: str | None = None) -> dict[str, Any]:
        """Return the options that describe attributes, for this path."""

    def set_fs_attributes_if_different(
        self, file_args: dict[str, Any], changed: bool, diff: Difference | None = None
    ) -> bool:
        """Set mode, owner and attributes; return whether anything changed."""

    def set_context_if_different(self, path: str, context: list[str | None], changed: bool) -> bool:
        """Set the SELinux context; return whether it changed."""

    def selinux_enabled(self) -> bool:
        """Tell whether SELinux is in use."""

    def selinux_context(self, path: str) -> list[str | None]:
        """Return the SELinux context of a path."""

    def selinux_default_context(self, path: str) -> list[str | None]:
        """Return the SELinux context that the policy has for a path."""


def _module_of(task: Task) -> FileModule:
    if not isinstance(task.host, FileModule):
        raise TypeError("only an AnsibleModule can set the attributes of files")
    return task.host


@contextlib.contextmanager
def _refusing(module: FileModule) -> Iterator[None]:
    """Turn a failure of ansible-core's functions, which end the module, into Refused."""

    def refuse(msg: str, **more: Any) -> NoReturn:
        details = more.get("details")
        raise _refused(f"{msg}, {details}" if details else msg)

    # an attribute of the object, which hides the method of its class
    module.fail_json = refuse
    try:
        yield
    except OSError as error:
        raise _refused(error.strerror or type(error).__name__) from None
    finally:
        del module.fail_json


def _refused(reason: str) -> Refused:
    return Refused(f"{_FAILING} ({printable(reason)}): correct the options, or run the task as another user.")


def no_difference() -> Difference:
    """A Difference without attributes."""
    return dict(before={}, after={})


def give(task: Task, path: str, pretend: bool = False, only: tuple[str, ...] = _ALL) -> Change:
    """Give a file the attributes that the task declares.

    Check mode, and ``pretend``, only predict the Change. Does nothing in a module without these options.
    """
    difference = no_difference()
    if "unsafe_writes" not in task.params:
        return Change(False, difference)
    module = _module_of(task)
    wanted = module.load_file_common_arguments(task.params, path=path)
    wanted.update({name: [] if name in _CONTEXT else None for name in _ALL if name not in only}, path=path)
    module.check_mode = task.check_mode or pretend
    try:
        with _refusing(module):
            changed = module.set_fs_attributes_if_different(wanted, False, difference)
    finally:
        module.check_mode = task.check_mode
    return Change(changed, difference)


def predict(task: Task, dest: str) -> Difference:
    """The difference that ``give`` would make to a file that replaces ``dest``, which exists."""
    # a file that replaces a link begins with the rights of the file that the link names
    return give(task, os.path.realpath(dest), pretend=True).difference


def is_planted(dest: str) -> bool:
    """Whether another user may have created ``dest``, or the file that it links to, so that this task writes to it."""
    for path in (os.path.abspath(dest), os.path.realpath(dest)):
        with contextlib.suppress(OSError):
            if is_foreign(os.lstat(path).st_uid, os.stat(os.path.dirname(path)).st_mode, os.geteuid()):
                return True
    return False


def stays_planted(task: Task, dest: str) -> bool:
    """Whether ``dest`` would remain a file that another user created, and may still have open for writing."""
    return is_planted(dest) and "owner" in predict(task, dest)["after"]


def try_rights(task: Task, dest: str) -> Rights:
    """The Rights of a file that replaces ``dest``, found by giving them to an empty file."""
    with Draft(dest) as empty:
        give(task, empty.path, pretend=True)
        base = starting_rights(_found(dest), is_planted(dest), _umask())
        for uid, gid in ((-1, base.gid), (base.uid, -1)):
            if uid is not None and gid is not None:
                with contextlib.suppress(PermissionError):
                    os.chown(empty.path, uid, gid)
        now = os.lstat(empty.path)
        kept = base.uid is None or now.st_uid == base.uid, base.gid is None or now.st_gid == base.gid
        os.chmod(empty.path, kept_mode(base.mode, *kept))
        give(task, empty.path, only=_RIGHTS)
        return _rights_of(os.lstat(empty.path))


def dress(task: Task, path: str, dest: str) -> None:
    """Give the file at ``path``, which only its owner can read, the attributes that it needs before it becomes ``dest``."""
    rights, found = try_rights(task, dest), _found(dest)
    now = os.lstat(path)
    uid, gid = rights.owner
    if (now.st_uid, now.st_gid) != (uid, gid):
        os.chown(path, uid, gid)
    module = _module_of(task)
    if module.selinux_enabled():
        context = module.selinux_context(dest) if found else module.selinux_default_context(dest)
        with _refusing(module):
            module.set_context_if_different(path, context, False)
        give(task, path, only=_CONTEXT)
    os.chmod(path, rights.mode)
    if rights == found and not is_planted(dest):
        # the access control list holds further rights, which are valid only with this mode
        with contextlib.suppress(OSError, AttributeError):
            os.setxattr(path, _ACL, os.getxattr(dest, _ACL))


def finish(task: Task, dest: str) -> None:
    """Give a file at its path the attributes that it could not have before."""
    give(task, dest, only=_FLAGS)


def replace(task: Task, path: str, dest: str) -> None:
    """Move the file at ``path`` to ``dest``. Where that is impossible, write into ``dest`` with unsafe_writes."""
    try:
        os.replace(path, dest)
    except OSError as error:
        unsafe = error.errno in _UNMOVABLE and task.params.get("unsafe_writes") and os.path.isfile(dest)
        if not unsafe or is_planted(dest):
            raise
        give(task, dest, only=(*_CONTEXT, *_RIGHTS))
        with open(path, "rb") as source, open(dest, "wb") as stream:
            shutil.copyfileobj(source, stream)
            stream.flush()
            os.fsync(stream.fileno())
        os.unlink(path)


def _found(dest: str) -> Rights | None:
    """The Rights of the file that is replaced, None if there is none."""
    with contextlib.suppress(OSError):
        found = os.stat(dest)
        if stat.S_ISREG(found.st_mode):
            return _rights_of(found)
    return None


def _rights_of(found: os.stat_result) -> Rights:
    return Rights(stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid)


def _umask() -> int:
    # no call only reads it
    umask = os.umask(0o077)
    os.umask(umask)
    return umask
