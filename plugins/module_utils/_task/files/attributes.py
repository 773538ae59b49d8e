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
from collections.abc import Iterator
from typing import Any, NamedTuple, NoReturn

from ..._model.errors import Refused, printable
from ..._model.trust import is_foreign
from ..host import Host
from .draft import Draft

_FAILING = "the declared owner, mode or another attribute of dest cannot be set"
_RIGHTS = ("owner", "group", "mode")
# set last, because an immutable file cannot be moved
FLAGS = ("attributes",)
_CONTEXT = ("secontext",)
_ALL = (*_CONTEXT, *_RIGHTS, *FLAGS)
# errors after which ansible-core honours unsafe_writes: atomic_move in lib/ansible/module_utils/basic.py of
# https://github.com/ansible/ansible
_UNMOVABLE = (errno.EPERM, errno.EXDEV, errno.EACCES, errno.ETXTBSY, errno.EBUSY)
_ACL = "system.posix_acl_access"
_NEW_FILE = 0o666

# {before: {name: value}, after: {name: value}}, which ansible-core fills
Difference = dict[str, dict[str, Any]]


class Rights(NamedTuple):
    """Mode and owner of a file."""

    # permission bits
    mode: int
    # None for those of the user who writes
    uid: int | None = None
    gid: int | None = None

    @property
    def owner(self) -> tuple[int, int]:
        """uid and gid as chown takes them: -1 leaves one as it is."""
        return -1 if self.uid is None else self.uid, -1 if self.gid is None else self.gid


def starting_rights(found: Rights | None, foreign: bool, umask: int) -> Rights:
    """The Rights before what the task declares. found: those of the file that is replaced, None if there is none."""
    if found is None:
        return Rights(_NEW_FILE & ~umask)
    if foreign:
        # another user chose this mode, so it can only restrict
        return Rights(found.mode & _NEW_FILE & ~umask)
    return found


def kept_mode(mode: int, same_owner: bool, same_group: bool) -> int:
    """The mode to use where the owner or group of a replaced file could not be kept."""
    if not same_group:
        # another group gets no more than all users
        mode = mode & ~stat.S_IRWXG | mode & (mode & stat.S_IRWXO) << 3
    return mode if same_owner and same_group else mode & 0o777


@contextlib.contextmanager
def _refusing(module: Any) -> Iterator[None]:
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


def give(host: Host, path: str, pretend: bool = False, only: tuple[str, ...] = _ALL) -> tuple[bool, Difference]:
    """Give a file the attributes that the task declares; return whether any changed, and their Difference.

    Check mode, and ``pretend``, only predict the result. Does nothing in a module without these options.
    """
    difference: Difference = dict(before={}, after={})
    if "unsafe_writes" not in host.params:
        return False, difference
    # an AnsibleModule, because only modules with the options of files get here
    module: Any = host
    wanted = module.load_file_common_arguments(host.params, path=path)
    wanted.update({name: [] if name in _CONTEXT else None for name in _ALL if name not in only}, path=path)
    check_mode = host.check_mode
    module.check_mode = check_mode or pretend
    try:
        with _refusing(module):
            changed = module.set_fs_attributes_if_different(wanted, False, difference)
    finally:
        module.check_mode = check_mode
    return changed, difference


def predict(host: Host, dest: str) -> Difference:
    """The difference that ``give`` would make to a file that replaces ``dest``, which exists."""
    # a file that replaces a link begins with the rights of the file that the link names
    return give(host, os.path.realpath(dest), pretend=True)[1]


def is_planted(dest: str) -> bool:
    """Whether another user may have created ``dest``, or the file that it links to, so that this task writes to it."""
    for path in (os.path.abspath(dest), os.path.realpath(dest)):
        with contextlib.suppress(OSError):
            if is_foreign(os.lstat(path).st_uid, os.stat(os.path.dirname(path)).st_mode, os.geteuid()):
                return True
    return False


def stays_planted(host: Host, dest: str) -> bool:
    """Whether ``dest`` would remain a file that another user created, and may still have open for writing."""
    return is_planted(dest) and "owner" in predict(host, dest)["after"]


def try_rights(host: Host, dest: str) -> Rights:
    """The Rights of a file that replaces ``dest``, found by giving them to an empty file."""
    with Draft(dest) as empty:
        give(host, empty.path, pretend=True)
        base = starting_rights(_found(dest), is_planted(dest), _umask())
        for uid, gid in ((-1, base.gid), (base.uid, -1)):
            if uid is not None and gid is not None:
                with contextlib.suppress(PermissionError):
                    os.chown(empty.path, uid, gid)
        now = os.lstat(empty.path)
        kept = base.uid is None or now.st_uid == base.uid, base.gid is None or now.st_gid == base.gid
        os.chmod(empty.path, kept_mode(base.mode, *kept))
        give(host, empty.path, only=_RIGHTS)
        return _rights_of(os.lstat(empty.path))


def dress(host: Host, path: str, dest: str) -> None:
    """Give the file at ``path``, which only its owner can read, the attributes that it needs before it becomes ``dest``."""
    rights, found = try_rights(host, dest), _found(dest)
    now = os.lstat(path)
    uid, gid = rights.owner
    if (now.st_uid, now.st_gid) != (uid, gid):
        os.chown(path, uid, gid)
    module: Any = host
    if module.selinux_enabled():
        context = module.selinux_context(dest) if found else module.selinux_default_context(dest)
        with _refusing(module):
            module.set_context_if_different(path, context, False)
        give(host, path, only=_CONTEXT)
    os.chmod(path, rights.mode)
    if rights == found and not is_planted(dest):
        # the access control list holds further rights, which are valid only with this mode
        with contextlib.suppress(OSError, AttributeError):
            os.setxattr(path, _ACL, os.getxattr(dest, _ACL))


def replace(host: Host, path: str, dest: str) -> None:
    """Move the file at ``path`` to ``dest``. Where that is impossible, write into ``dest`` with unsafe_writes."""
    try:
        os.replace(path, dest)
    except OSError as error:
        unsafe = error.errno in _UNMOVABLE and host.params.get("unsafe_writes") and os.path.isfile(dest)
        if not unsafe or is_planted(dest):
            raise
        give(host, dest, only=(*_CONTEXT, *_RIGHTS))
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
