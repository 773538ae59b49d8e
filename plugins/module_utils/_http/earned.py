# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Lists whose completeness has been proven, as types. Pure.

Whatever deletes, or says that something is missing, demands one of these with ``earned``. A filtered or handmade list is
none of them. A test makes sure that only the readers of lists construct them.
"""

from __future__ import annotations

from typing import NamedTuple


class Complete(tuple):
    """Every record of a list, read up to an end that the service showed. Made by ``_listing``."""

    __slots__ = ()


class InWorkspace(Complete):
    """Every record of one family in one workspace. Made by ``_contents``.

    Each record belongs to the workspace: it says so itself, or no other list that was read has it, and the service was
    seen to filter its lists.
    """

    __slots__ = ()


class Streamed(NamedTuple):
    """How a list was read whose rows were not kept. Made by ``_rows``.

    rows: how many; total: how many the service says there are, or None; has_more: whether it says that more follow.
    """

    rows: int
    total: int | None
    has_more: bool

    @property
    def is_short(self):
        return self.total is not None and self.total > self.rows


def earned(kind, value):
    """Return ``value``, which must be of this kind; anything else is a mistake in the code that called."""
    if not isinstance(value, kind):
        raise TypeError(f"a {type(value).__name__} is no {kind.__name__}")
    return value
