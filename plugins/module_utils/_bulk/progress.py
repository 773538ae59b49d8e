# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The progress of a long task, in a file that its action plugin creates and reads while the module runs.

The file is in the directory that ansible-core makes for the task, which no option of a task can name. It holds numbers only.
"""

from __future__ import annotations

import json
import os
import stat
import time
from typing import NamedTuple

NAME = "scanops_scanner_progress.json"

# every text has the same length, so that a reader never sees a part of one
_LENGTH = 200


class Told(NamedTuple):
    """done, total, failed: numbers of objects; until: Unix time to which the rate limit makes the task wait, or None."""

    done: int
    total: int
    failed: int
    until: float | None = None


def create(directory: str) -> str:
    """Create the file, readable by its owner only; returns its path. Raises OSError."""
    path = os.path.join(directory, NAME)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
    return path


def read(path: str) -> Told | None:
    """What the module has told so far, None where it has told nothing."""
    try:
        with open(path, "rb") as file:
            told = json.loads(file.read(_LENGTH))
        return Told(**told)
    except (OSError, ValueError, TypeError):
        return None


class Progress:
    """Tells how far the task is. It never fails: without a file it does nothing."""

    def __init__(self, directory: str | None):
        """directory: the one that ansible-core made for the task, or None."""
        self._file = None
        self._told = Told(0, 0, 0)
        if directory:
            try:
                self._file = _opened(os.path.join(directory, NAME))
            except OSError:
                # the task has no action plugin that reads it, as on another host
                pass

    def tell(self, done: int, total: int, failed: int) -> None:
        self._told = Told(done, total, failed)
        self._write(self._told)

    def waits(self, seconds: float) -> None:
        """Tell that the rate limit makes the task wait."""
        if seconds >= 1:
            self._write(self._told._replace(until=time.time() + seconds))

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _write(self, told: Told) -> None:
        if self._file is not None:
            try:
                os.pwrite(self._file, json.dumps(told._asdict()).ljust(_LENGTH).encode(), 0)
            except OSError:
                # a full disk is no reason to fail a task
                pass


def _opened(path: str) -> int:
    number = os.open(path, os.O_WRONLY | os.O_NOFOLLOW)
    found = os.fstat(number)
    if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077:
        return number
    os.close(number)
    raise OSError("not the file of the action plugin")
