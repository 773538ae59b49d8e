# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Which files other users of the machine can have written. One rule for everything that decides: scopes, estates, baselines,
waivers, artefacts, saved results, plans, and the state of event sources."""

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


def is_foreign(uid: int, directory_mode: int, euid: int) -> bool:
    """Whether a user other than root and ``euid`` may have created a file with this owner.

    directory_mode: a sticky bit keeps other users from replacing a file, but not from creating it first.
    """
    return bool(directory_mode & stat.S_IWOTH) and uid not in (0, euid)


def refuse_untrusted(path: str, option: str, mode: int | None = None) -> None:
    """Raise WrongOption for a file or directory that every user can write, and for one in a directory that every user can
    write, unless that is sticky and the file is one's own or root's.

    Another owner alone is no reason: a checkout in a container often has one. option: what names the file, for the message;
    mode: that of the opened file. A file that does not exist is judged by its directory.
    """
    try:
        mode = os.stat(path).st_mode if mode is None else mode
    except OSError:
        # whoever reads or writes it says why that fails
        mode = 0
    named = f"{option} {printable(path)!r}"
    if mode & stat.S_IWOTH:
        raise WrongOption(
            f"{named} can be written by every user of this machine, so anybody may have changed it: check it, and remove the"
            f" permission with chmod o-w.{_MOUNTS}"
        )
    for part in _parts(path):
        above = os.path.dirname(part)
        try:
            mode_above = os.stat(above).st_mode
        except OSError:
            # no part of the real path: .. after a symbolic link leads elsewhere
            continue
        if mode_above & stat.S_IWOTH and not mode_above & stat.S_ISVTX and part in _places(path):
            raise WrongOption(
                f"{named} cannot be trusted, because every user can write in {printable(above)!r}, so anybody may have put it"
                f" there: check it, and remove the permission with chmod o-w, or use another directory.{_MOUNTS}"
            )
        try:
            foreign = is_foreign(os.lstat(part).st_uid, mode_above, os.geteuid())
        except OSError:
            continue
        if foreign:
            raise WrongOption(
                f"{named} cannot be trusted, because {printable(part)!r} belongs to another user, and every user can write in"
                f" {printable(above)!r}: use a directory that only you or root can write in, or correct the owner."
            )


def _places(path: str) -> tuple[str, str]:
    """Where the file itself is: as written, and without symbolic links."""
    return os.path.abspath(path), os.path.realpath(path)


def _parts(path: str) -> Iterator[str]:
    """A path and all directories above it, as written, without symbolic links, and wherever these lead on the way."""
    left, seen = [*_places(path)], {os.sep}
    while left:
        part = left.pop(0)
        if part in seen:
            continue
        seen.add(part)
        yield part
        left.append(os.path.dirname(part))
        if os.path.islink(part):
            left.append(os.path.normpath(os.path.join(os.path.dirname(part), os.readlink(part))))
