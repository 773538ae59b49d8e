# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The file in which all processes of a user on one machine keep the rate limits of one key."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from .. import _private_files
from .._errors import printable
from .pace import KINDS, Pace

_FORMAT = 1
# a larger file is not one of ours
_MOST_BYTES = 256 * 1024
# nobody holds the lock while waiting, so only a stopped process makes others wait this long, in seconds
_LONGEST_LOCK = 5.0
# beyond these, sums and quotients of a pace may have no float; limits in headers have at most 15 digits
_LARGEST = 1e15
_SHORTEST_WINDOW, _LONGEST_WINDOW = 1e-3, 1e6


class PaceFile:
    """The paces of one key, by the name of the limit.

    Where the file cannot be used, its tasks warn once and continue with paces of their own.
    """

    def __init__(self, base_url: str, api_key: str) -> None:
        self._names = ("rate limit", base_url.lower(), api_key)
        self._path: str | None = None
        self._own: dict[str, Pace] | None = None
        self.warn: Callable[[str], object] = lambda text: None

    def read(self, name: str) -> Pace | None:
        """One pace, without the lock; None if it is unknown, or while another process writes."""
        if self._own is not None:
            return self._own.get(name)
        try:
            number = _private_files.opened(self._place())
            try:
                return paces_in(os.pread(number, _MOST_BYTES, 0)).get(name)
            finally:
                os.close(number)
        except (OSError, ValueError):
            # the next change reports it
            return None

    def change(self, name: str, decide: Callable[[Pace | None], Pace]) -> None:
        """Replace one pace, while no other process does."""
        if self._own is None:
            try:
                self._change_file(name, decide)
                return
            except OSError as error:
                self._own = {}
                self.warn(
                    "The file that shares the rate limit between tasks cannot be used"
                    f" ({printable(error.strerror or error)}), so this task paces its calls alone. Tasks that run at the same"
                    " time may exceed the limit and wait longer."
                )
        self._own[name] = decide(self._own.get(name))

    def _place(self) -> str:
        if self._path is None:
            self._path = _private_files.path_for(_private_files.directory(os.environ), *self._names)
        return self._path

    def _change_file(self, name: str, decide: Callable[[Pace | None], Pace]) -> None:
        with _private_files.locked(self._place(), _LONGEST_LOCK) as number:
            content = os.pread(number, _MOST_BYTES, 0)
            try:
                paces = paces_in(content)
            except ValueError:
                paces = {}
                self.warn(
                    "The file that shares the rate limit between tasks was damaged. It has been replaced; the limit may be"
                    " exceeded once."
                )
            before = paces.get(name)
            after = decide(before)
            if after != before:
                text = text_of({**paces, name: after})
                if os.pwrite(number, text, 0) != len(text):
                    raise OSError("the disk is full")
                os.ftruncate(number, len(text))


def text_of(paces: dict[str, Pace]) -> bytes:
    """The content of the file."""
    return json.dumps([_FORMAT, paces], separators=(",", ":")).encode()


def paces_in(content: bytes) -> dict[str, Pace]:
    """The paces in the content of the file. Raises ValueError for any other content; an empty file has none."""
    if not content:
        return {}
    try:
        version, found = json.loads(content)
        if version != _FORMAT:
            return {}
        return {str(name): _pace(values) for name, values in found.items()}
    except (TypeError, AttributeError, KeyError, RecursionError) as error:
        raise ValueError("not paces") from error


def _pace(values: Any) -> Pace:
    pace = Pace(*values)
    pace = pace._replace(
        sent=tuple((_number(moment), _whole(count)) for moment, count in pace.sent),
        under_way=tuple(_number(moment) for moment in pace.under_way),
        queue=tuple((_number(ticket), _number(due)) for ticket, due in pace.queue),
    )
    for value in (pace.at, pace.left, pace.boundary, pace.stop, pace.refused, pace.scout, pace.used):
        _number(value)
    _whole(pace.limit)
    if pace.kind not in KINDS or not _SHORTEST_WINDOW <= _number(pace.window) <= _LONGEST_WINDOW:
        raise ValueError("not a pace")
    if not isinstance(pace.announced, bool) or not isinstance(pace.steady, bool):
        raise ValueError("not a truth value")
    return pace


def _number(value: Any) -> float:
    # also false for NaN
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -_LARGEST <= value <= _LARGEST:
        raise ValueError("not a number that a pace can have")
    return value


def _whole(value: Any) -> int:
    if not isinstance(value, int) or _number(value) < 0:
        raise ValueError("not a count")
    return value
