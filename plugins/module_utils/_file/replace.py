# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Files that are written whole or not at all: first beside their place, then put there in one step."""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from .._errors import Refused
from . import attributes
from .draft import Content, Draft, digest, reason_of, shown, sweep

_BLOCK = 1 << 20
_LONGEST_NAME = 255


class Stored(NamedTuple):
    """What ``store`` led to. changed: bool, the content or an attribute; attributes: the changed attributes as
    {before: {...}, after: {...}}; before: Content or None, the file's before; after: Content."""

    changed: bool
    attributes: dict
    before: Content | None
    after: Content


def store(task, dest, fill, placed=None):
    """Make the file ``dest`` hold what ``fill`` writes, with the owner and mode that the task declares; a Stored.

    fill: a function of a Draft, which calls its ``write``. Its errors pass through, and ``dest`` is then as it was. In
    check mode ``fill`` is called as well, and what it writes goes nowhere. Where the content is there already, the file is
    not touched. placed: None, or a function of the Content, called when ``dest`` has it; not in check mode.
    """
    check_place(task, dest)
    if not task.check_mode:
        sweep(dest)
    try_place(task, dest)
    before = content_of(dest)
    with Draft(None if task.check_mode else dest) as draft:
        fill(draft)
        after = draft.content
        replaced = after != before or attributes.stays_planted(task, dest)
        predicted = predict_attributes(task, dest, before)
        if replaced and not task.check_mode:
            _put(task, draft, dest)
    if placed and not task.check_mode:
        placed(after)
    if not replaced:
        return Stored(*attributes.give(task, dest), before, after)
    if not task.check_mode:
        attributes.finish(task, dest)
    return Stored(True, predicted, before, after)


def _put(task, draft, dest):
    draft.put(
        dress=lambda path: attributes.dress(task, path, dest),
        replace=lambda path, place: attributes.replace(task, path, place),
    )


def predict_attributes(task, dest, before):
    """The difference of the attributes where another file takes the place of ``dest``.

    before: Content or None, of the file before the task; a file that is new is a change as it is.
    """
    return attributes.predict(task, dest)[1] if before else dict(before={}, after={})


def check_place(task, dest, longest=_LONGEST_NAME):
    """Refuse a ``dest`` that cannot become a file: before any call, since what a task fetches may cost something.

    longest: bytes that its name may have.
    """
    named = shown(dest)
    folder, name = os.path.split(dest)
    if not name or os.path.isdir(dest):
        raise Refused(f"dest {named} names a folder: add the name of the file.")
    if os.path.lexists(dest) and not os.path.islink(dest) and not os.path.isfile(dest):
        raise Refused(f"dest {named} is there and is no regular file: give another dest.")
    if attributes.is_planted(dest) and task.params.get("owner") is None:
        raise Refused(
            f"dest {named} belongs to another user, in a directory in which every user can create files: that user could"
            " read or change what the task writes. Remove the file, or declare owner, or give another dest."
        )
    if len(os.fsencode(name)) > longest:
        raise Refused(f"dest {named} is longer than a name may be: give dest a shorter name.")
    folder = folder or os.curdir
    if not os.path.lexists(folder) and task.check_mode:
        task.warn_foreseen(f"the folder of dest {named}")
        return
    if not os.path.isdir(folder):
        why = "is no folder" if os.path.lexists(folder) else "is not there"
        raise Refused(
            f"dest {named} cannot be written, {shown(folder)} {why}: make the folder first, with ansible.builtin.file, or"
            " correct dest."
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Refused(
            f"dest {named} cannot be written, {shown(folder)} is not writable for the user who runs the task: make it"
            " writable, or give another dest."
        )


def try_place(task, dest):
    """Refuse what ``check_place`` cannot see: a file system that is read-only, an owner that is unknown, a wrong mode."""
    folder = os.path.dirname(dest) or os.curdir
    if task.check_mode:
        if os.path.isdir(folder):
            attributes.give(task, dest if os.path.exists(dest) else folder)
        return
    attributes.try_rights(task, dest)


def content_of(path):
    """The Content of a regular file, or None where there is none. Refuses what cannot be read."""
    try:
        # a link may name a pipe, which is waited for when it is opened in the usual way
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                return None
            read, size = digest(), 0
            while block := stream.read(_BLOCK):
                read.update(block)
                size += len(block)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused(
            f"dest {shown(path)} is there and cannot be read ({reason_of(error)}): run the task as a user who may read it,"
            " or give another dest."
        ) from None
    return Content(size, read.hexdigest())


def is_own_file(path):
    """Whether a file is there that only this user or root can have written: what it says may be relied on."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_uid in (0, os.geteuid()) and not found.st_mode & 0o022
