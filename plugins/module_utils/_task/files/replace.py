# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Files that are written completely or not at all: first beside their path, then moved to it in one step."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from typing import NamedTuple

from ..._model.errors import Refused, WrongOption, harmless
from ..host import Host, foreseen
from . import attributes
from .draft import Content, Draft, digest, reason_of, shown, sweep

_BLOCK = 1 << 20
_LONGEST_NAME = 255


class Stored(NamedTuple):
    """The outcome of ``store``. changed: the content or an attribute; attributes: those that were changed; before: None if
    the file did not exist."""

    changed: bool
    attributes: attributes.Difference
    before: Content | None
    after: Content


def store(
    host: Host, dest: str, fill: Callable[[Draft], object], placed: Callable[[Content], object] | None = None
) -> Stored:
    """Make sure that the file ``dest`` holds what ``fill`` writes, with the owner and mode that the task declares.

    fill: writes to the Draft. If it raises, ``dest`` is unchanged. Check mode calls it as well, and discards what it writes.
    A file with this content already is not replaced. placed: called when ``dest`` has the Content, but not in check mode.
    """
    check_place(host, dest)
    if not host.check_mode:
        sweep(dest)
    try_place(host, dest)
    before = content_of(dest)
    with Draft(None if host.check_mode else dest) as draft:
        fill(draft)
        after = draft.content
        replaced = after != before or attributes.stays_planted(host, dest)
        predicted = predict_attributes(host, dest, before)
        if replaced and not host.check_mode:
            draft.put(
                dress=lambda path: attributes.dress(host, path, dest),
                replace=lambda path, place: attributes.replace(host, path, place),
            )
    if placed and not host.check_mode:
        placed(after)
    if not replaced:
        return Stored(*attributes.give(host, dest), before, after)
    if not host.check_mode:
        attributes.give(host, dest, only=attributes.FLAGS)
    return Stored(True, predicted, before, after)


def predict_attributes(host: Host, dest: str, before: Content | None) -> attributes.Difference:
    """The difference of the attributes if another file replaces ``dest``.

    before: the Content of the file before the task. A new file is a change by itself, so its attributes are not compared.
    """
    return attributes.predict(host, dest) if before else dict(before={}, after={})


def check_place(host: Host, dest: str, longest: int = _LONGEST_NAME, option: str = "dest") -> None:
    """Refuse a ``dest`` that cannot become a file, before any call, because what a task fetches may cost something.

    longest: the maximum number of bytes of its name; option: the one that gives it.
    """
    named = shown(dest)
    directory, name = os.path.split(dest)
    if not name or os.path.isdir(dest):
        raise WrongOption(f"{option} {named} names a directory: add the name of the file.")
    if os.path.lexists(dest) and not os.path.islink(dest) and not os.path.isfile(dest):
        raise WrongOption(f"{option} {named} exists and is not a regular file: give another {option}.")
    if attributes.is_planted(dest) and host.params.get("owner") is None:
        own = "set owner, " if "owner" in host.params else ""
        raise Refused(
            f"{option} {named} belongs to another user, in a directory in which every user can create files: that user could"
            f" read or change what the task writes. Remove the file, {own}or give another {option}."
        )
    if len(os.fsencode(name)) > longest:
        raise WrongOption(f"{option} {named} has a file name that is too long: give {option} a shorter name.")
    _check_directory(host, directory or os.curdir, f"{option} {named}", option)


def _check_directory(host: Host, directory: str, what: str, option: str) -> None:
    if not os.path.lexists(directory) and host.check_mode:
        host.warn(harmless(foreseen(f"the directory of {what}")))
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


def try_place(host: Host, dest: str) -> None:
    """Refuse what ``check_place`` cannot detect: a read-only file system, an unknown owner, a wrong mode."""
    directory = os.path.dirname(dest) or os.curdir
    if host.check_mode:
        if os.path.isdir(directory):
            attributes.give(host, dest if os.path.exists(dest) else directory)
        return
    attributes.try_rights(host, dest)


def content_of(path: str) -> Content | None:
    """The Content of a regular file, or None if there is none. Refuses a file that cannot be read."""
    try:
        # a link may name a pipe, and opening a pipe in the usual way waits for a writer
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
            f"dest {shown(path)} exists but cannot be read ({reason_of(error)}): run the task as a user who may read it,"
            " or give another dest."
        ) from None
    return Content(size, read.hexdigest())
