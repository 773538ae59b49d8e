# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The progress of a long task, in a file that its action plugin creates and reads while the module runs.

The file is in the directory that ansible-core creates for the task, and that no option can name. It contains only numbers.
"""

from __future__ import annotations

import json
import os
import stat
import time
from typing import NamedTuple

NAME = "scanops_scanner_progress.json"

# every record has the same length, so that a reader never sees half of one
_LENGTH = 200


class Snapshot(NamedTuple):
    """done, total, failed: numbers of objects; until: the Unix time until which the rate limit makes the task wait."""

    done: int
    total: int
    failed: int
    until: float | None = None


def create(directory: str) -> str:
    """Create the file, readable by its owner only; returns its path. Raises OSError."""
    path = os.path.join(directory, NAME)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
    return path


def read(path: str) -> Snapshot | None:
    """The last progress that the module reported, or None."""
    try:
        with open(path, "rb") as file:
            return Snapshot(**json.loads(file.read(_LENGTH)))
    except (OSError, ValueError, TypeError):
        return None


class Progress:
    """Reports how far the task is. It never fails: without a file it does nothing."""

    def __init__(self, directory: str | None):
        """directory: the one that ansible-core created for the task."""
        self._file: int | None = None
        self._last = Snapshot(0, 0, 0)
        if directory:
            try:
                self._file = _opened(os.path.join(directory, NAME))
            except OSError:
                # the task has no action plugin that reads it, as on another host
                pass

    def report(self, done: int, total: int, failed: int) -> None:
        self._last = Snapshot(done, total, failed)
        self._write(self._last)

    def waits(self, seconds: float) -> None:
        """Report that the rate limit makes the task wait."""
        if seconds >= 1:
            self._write(self._last._replace(until=time.time() + seconds))

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _write(self, snapshot: Snapshot) -> None:
        if self._file is not None:
            try:
                os.pwrite(self._file, json.dumps(snapshot._asdict()).ljust(_LENGTH).encode(), 0)
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
