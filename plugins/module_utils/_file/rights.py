# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The owner and mode that a file gets when it takes the place of another one, or of none. Pure."""

from __future__ import annotations

import stat
from typing import NamedTuple

_NEW_FILE = 0o666


class Rights(NamedTuple):
    """mode: permission bits; uid, gid: None for those of the user who writes."""

    mode: int
    uid: int | None = None
    gid: int | None = None


def is_foreign(uid, directory_mode, euid):
    """Whether a file with this owner may have been put there by somebody whom the task does not know.

    directory_mode: that of the directory; a sticky bit keeps others from replacing a file, not from being the first.
    """
    return bool(directory_mode & stat.S_IWOTH) and uid not in (0, euid)


def starting_rights(found, foreign, umask):
    """The Rights before anything that is declared. found: the Rights of the file that is replaced, or None."""
    if found is None:
        return Rights(_NEW_FILE & ~umask)
    if foreign:
        # its owner chose this mode, so it can only take away
        return Rights(found.mode & _NEW_FILE & ~umask)
    return found


def kept_mode(mode, same_owner, same_group):
    """The mode that is left of one whose owner or group could not be kept."""
    if not same_group:
        # the members of another group get no more than everybody
        mode = mode & ~stat.S_IRWXG | mode & (mode & stat.S_IRWXO) << 3
    return mode if same_owner and same_group else mode & 0o777
