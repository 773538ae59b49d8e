# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Which files other users of the machine can have written. One rule for everything that decides: scopes, estates, baselines,
waivers, artefacts, saved results, plans, the state of event sources, certificates and their keys."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from .errors import WrongOption, printable

_MOUNTS = (
    " Where chmod changes nothing, as on directories of Windows, mount them with other rights (WSL: options ="
    ' "metadata,umask=022" below [automount] in /etc/wsl.conf; Vagrant: mount_options: ["dmode=755", "fmode=644"]), or copy'
    " the file to a directory of Linux."
)

# as Linux follows
_MOST_LINKS = 40


def is_foreign(uid: int, directory_mode: int, euid: int) -> bool:
    """Whether a user other than root and ``euid`` may have created a file with this owner.

    directory_mode: a sticky bit keeps other users from replacing a file, but not from creating it first.
    """
    return bool(directory_mode & stat.S_IWOTH) and uid not in (0, euid)


def refuse_untrusted(path: str, option: str, is_replaced: bool = False) -> None:
    """Raise WrongOption for a file or directory that every user can write, and for one in a directory that every user can
    write, unless that is sticky and the file is one's own or root's.

    Another owner alone is no reason: a checkout in a container often has one. option: what names the file, for the message;
    is_replaced: whether a new file takes the place of this one. A file that does not exist is judged by its directory.
    """
    try:
        mode = 0 if is_replaced else os.stat(path).st_mode
    except (OSError, ValueError):
        # whoever reads or writes it says why that fails
        mode = 0
    named = f"{option} {printable(path)!r}"
    if mode & stat.S_IWOTH:
        advice = f"check it, and remove the permission with chmod o-w.{_MOUNTS}"
        # one such as /tmp is public on purpose
        advice = "use a directory of your own below it." if mode & stat.S_ISVTX else advice
        raise WrongOption(
            f"{named} can be written by every user of this machine, so anybody may have changed it: {advice}"
        )
    for part, is_last in _parts(path):
        above = os.path.dirname(part)
        try:
            mode_above = os.stat(above).st_mode
            if mode_above & stat.S_IWOTH and not mode_above & stat.S_ISVTX and is_last:
                raise WrongOption(
                    f"{named} cannot be trusted, because every user can write in {printable(above)!r}, so anybody may have put"
                    f" it there: check it, and remove the permission with chmod o-w, or use another directory.{_MOUNTS}"
                )
            if is_foreign(os.lstat(part).st_uid, mode_above, os.geteuid()):
                raise WrongOption(
                    f"{named} cannot be trusted, because {printable(part)!r} belongs to another user, and every user can write"
                    f" in {printable(above)!r}: use a directory that only you or root can write in, or correct the owner."
                )
        except (OSError, ValueError):
            # it does not exist
            continue


def _parts(path: str) -> Iterator[tuple[str, bool]]:
    """Each name by which the system finds a file, in its own directory, with those that links lead to; and whether it names
    the file itself. A link before .. counts, which a shortened path does not have."""
    at, left, links = os.sep, _names(os.path.join(os.getcwd(), path)), 0
    while left:
        part = os.path.normpath(os.path.join(at, left.pop()))
        yield part, not left
        if os.path.islink(part) and links < _MOST_LINKS:
            target = os.readlink(part)
            at = os.sep if os.path.isabs(target) else at
            left += _names(target)
            links += 1
        else:
            at = part


def _names(path: str) -> list[str]:
    """The names in a path, the last one first."""
    return [name for name in path.split(os.sep)[::-1] if name not in ("", os.curdir)]
