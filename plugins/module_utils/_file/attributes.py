# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Owner, mode, context and attributes of the files that modules write, by the functions of ansible-core."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat

from .draft import Draft
from .rights import Rights, is_foreign, kept_mode, starting_rights

_FAILING = "the declared owner, mode or another attribute of dest cannot be set"
_RIGHTS = ("owner", "group", "mode")
# set last, as a file that is immutable cannot be put in place
_FLAGS = ("attributes",)
_CONTEXT = ("secontext",)
_ALL = (*_CONTEXT, *_RIGHTS, *_FLAGS)
# what ansible-core takes for a place where no file can be replaced: https://github.com/ansible/ansible, atomic_move
_UNMOVABLE = (errno.EPERM, errno.EXDEV, errno.EACCES, errno.ETXTBSY, errno.EBUSY)
_ACL = "system.posix_acl_access"


def give(task, path, pretend=False, only=_ALL):
    """Give a file what is declared: (whether that changes something, the difference as before and after). Only predicts
    in check mode and with ``pretend``; does nothing in a module without these options."""
    difference = dict(before={}, after={})
    if "unsafe_writes" not in task.params:
        return False, difference
    module = task.ansible
    wanted = module.load_file_common_arguments(task.params, path=path)
    wanted.update({name: [] if name in _CONTEXT else None for name in _ALL if name not in only}, path=path)
    module.check_mode = task.check_mode or pretend
    try:
        changed = module.attempt(_FAILING, module.set_fs_attributes_if_different, wanted, False, difference)
    finally:
        module.check_mode = task.check_mode
    return changed, difference


def predict(task, dest):
    """What ``give`` would return for a file that takes the place of ``dest``, which exists."""
    # what replaces a link begins with the rights of the file that the link names
    return give(task, os.path.realpath(dest), pretend=True)


def is_planted(dest):
    """Whether another user may have put ``dest`` there, or the file that it links to, for this task to write to."""
    for path in (os.path.abspath(dest), os.path.realpath(dest)):
        with contextlib.suppress(OSError):
            if is_foreign(os.lstat(path).st_uid, os.stat(os.path.dirname(path)).st_mode, os.geteuid()):
                return True
    return False


def stays_planted(task, dest):
    """Whether ``dest`` would go on being a file that another user made; it may be open for writing there."""
    return is_planted(dest) and "owner" in predict(task, dest)[1]["after"]


def try_rights(task, dest):
    """The Rights that a file gets in the place of ``dest``, found by giving them to an empty one."""
    with Draft(dest) as empty:
        give(task, empty.path, pretend=True)
        base = starting_rights(_found(dest), is_planted(dest), _umask())
        for owner in ((-1, base.gid), (base.uid, -1)) if base.uid is not None else ():
            with contextlib.suppress(PermissionError):
                os.chown(empty.path, *owner)
        now = os.lstat(empty.path)
        kept = base.uid is None or now.st_uid == base.uid, base.gid is None or now.st_gid == base.gid
        os.chmod(empty.path, kept_mode(base.mode, *kept))
        give(task, empty.path, only=_RIGHTS)
        return _rights_of(os.lstat(empty.path))


def dress(task, path, dest):
    """Give the file at ``path``, which nobody else can read yet, all that it may have before it becomes ``dest``."""
    rights, found = try_rights(task, dest), _found(dest)
    now = os.lstat(path)
    if (now.st_uid, now.st_gid) != (rights.uid, rights.gid):
        os.chown(path, rights.uid, rights.gid)
    module = task.ansible
    if module.selinux_enabled():
        context = module.selinux_context(dest) if found else module.selinux_default_context(dest)
        module.attempt(_FAILING, module.set_context_if_different, path, context, False)
        give(task, path, only=_CONTEXT)
    os.chmod(path, rights.mode)
    if rights == found and not is_planted(dest):
        # the list has rights of its own, which hold together with this mode only
        with contextlib.suppress(OSError, AttributeError):
            os.setxattr(path, _ACL, os.getxattr(dest, _ACL))


def finish(task, dest):
    """Give a file that is in its place what it could not have before."""
    give(task, dest, only=_FLAGS)


def replace(task, path, dest):
    """Put the file at ``path`` in the place of ``dest``; with unsafe_writes, where that cannot be, write into ``dest``."""
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


def _found(dest):
    """The Rights of the file that is replaced, None where there is none."""
    with contextlib.suppress(OSError):
        found = os.stat(dest)
        if stat.S_ISREG(found.st_mode):
            return _rights_of(found)
    return None


def _rights_of(found):
    return Rights(stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid)


def _umask():
    # there is no call that only reads it
    umask = os.umask(0o077)
    os.umask(umask)
    return umask
