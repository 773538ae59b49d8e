# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every state that the files of a directory pass through, as another user could see them.

Python reports each call to the file system to an audit hook before it makes it. Between two calls nothing changes, so a
record of the directory at each of them, and at the end, misses no state. A thread that polls would miss most.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from typing import NamedTuple

_watchers = []


class Seen(NamedTuple):
    """A regular file at one moment."""

    name: str
    inode: int
    mode: int
    uid: int
    gid: int
    size: int


@contextlib.contextmanager
def watched(directory="."):
    """Yield a set that every state of the files of the directory is added to. Links are left out."""
    states = set()
    path = os.path.abspath(directory)

    def look():
        for name in os.listdir(path):
            with contextlib.suppress(FileNotFoundError):
                found = os.lstat(os.path.join(path, name))
                if stat.S_ISREG(found.st_mode):
                    mode = stat.S_IMODE(found.st_mode)
                    states.add(Seen(name, found.st_ino, mode, found.st_uid, found.st_gid, found.st_size))

    _watchers.append(look)
    try:
        yield states
    finally:
        _watchers.remove(look)
        look()


def _hook(event, _arguments):
    if not _watchers or not (event == "open" or event.startswith(("os.", "shutil.", "tempfile."))):
        return
    # what the watchers do themselves is not watched
    watching, _watchers[:] = _watchers[:], []
    try:
        for look in watching:
            look()
    finally:
        _watchers[:] = watching


# there is no way to remove one, so there is one for all tests
sys.addaudithook(_hook)
