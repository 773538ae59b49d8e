# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Types for lists that were proven to be complete. Pure.

Code that deletes something, or says that something is missing, demands one of them with ``proven``. A filtered or handmade
list has another type. A test makes sure that only the readers of lists construct them.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from .._records import Record

_Proof = TypeVar("_Proof")


class Complete(tuple[Record, ...]):
    """Every record of a list, read up to an end that the service showed. Constructed by ``listing`` only."""

    __slots__ = ()


class InWorkspace(Complete):
    """Every record of one family in one workspace. Constructed by ``_lookup`` only.

    Each record belongs to the workspace: it says so itself, or no other list that was read contains it and the service was
    seen to filter its lists.
    """

    __slots__ = ()


class Streamed(NamedTuple):
    """How far a list was read whose rows were not kept. Constructed by ``row_stream`` only.

    rows: how many were read; total: how many the service says the list has, None where it does not; has_more: whether the
    service says that more follow.
    """

    rows: int
    total: int | None
    has_more: bool

    @property
    def is_short(self) -> bool:
        return self.total is not None and self.total > self.rows


def proven(kind: type[_Proof], value: object) -> _Proof:
    """Return ``value``, which must be of this kind; anything else is a bug of the caller."""
    if not isinstance(value, kind):
        raise TypeError(f"expected {kind.__name__}, got {type(value).__name__}")
    return value
