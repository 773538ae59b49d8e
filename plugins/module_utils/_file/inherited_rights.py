# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The owner and mode of a file that replaces another one, or is new. Pure."""

from __future__ import annotations

import stat
from typing import NamedTuple

_NEW_FILE = 0o666


class Rights(NamedTuple):
    """mode: permission bits; uid, gid: None for those of the user who writes."""

    mode: int
    uid: int | None = None
    gid: int | None = None

    @property
    def owner(self) -> tuple[int, int]:
        """uid and gid as chown takes them: -1 leaves one as it is."""
        return -1 if self.uid is None else self.uid, -1 if self.gid is None else self.gid


def is_foreign(uid: int, directory_mode: int, euid: int) -> bool:
    """Whether a user other than root and ``euid`` may have created a file with this owner.

    directory_mode: a sticky bit keeps other users from replacing a file, but not from creating it first.
    """
    return bool(directory_mode & stat.S_IWOTH) and uid not in (0, euid)


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
