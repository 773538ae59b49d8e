# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Lists that the items of one loop share: read once, as far as somebody needs them, and kept true by the loop's own writes.

They are at most as old as ``LONGEST``, so an object that somebody else creates or deletes in the meantime may be missing in
them, or be in them. Whoever uses them has to read again before a deletion, and before it fails because of what they hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .._model.family import Family
from .._model.records import Record

# seconds that a list is used
LONGEST = 60.0


class CachedList:
    """The records of one list by name.

    pages: its pages, which are read when they are needed; workspace_id: that of the list, if it has one; whole: whether the
    pages go on until an empty one.
    """

    def __init__(
        self, resource: Family, pages: Iterator[list[Record]], since: float, workspace_id: int | None, whole: bool
    ) -> None:
        self.since = since
        self.whole = whole
        # reading failed, so that the list has no end
        self.broken = False
        self._key = resource.key
        self._pages = pages
        self._ended = False
        self._workspace_id = workspace_id
        self._rows: list[Record] = []
        self._first: int | None = None
        self._by_key: dict[str, list[Record]] = {}
        self._by_form: dict[str, list[Record]] = {}
        # how many of the rows are in _by_form
        self._formed = 0
        # names that look_alike can find
        self.beyond_ascii: list[str] = []

    def exact(self, wanted: str) -> list[Record]:
        """The records of this name; reads on until there is one."""
        while wanted not in self._by_key and self._read_on():
            pass
        return [dict(row) for row in self._by_key.get(wanted, ())]

    def near(self, wanted: str, normal_form: Callable[[str], str]) -> list[Record]:
        """The records whose name has the same normal form, which must be the same function each time."""
        begin = self._formed
        for row in self.rows()[begin:]:
            self._by_form.setdefault(normal_form(row[self._key]), []).append(row)
            self._formed += 1
        return [dict(row) for row in self._by_form.get(normal_form(wanted), ())]

    def rows(self) -> list[Record]:
        """All records."""
        while self._read_on():
            pass
        return self._rows

    def first_page(self) -> list[Record]:
        """The records on the first page."""
        if self._first is None:
            self._read_on()
        return self._rows[: self._first]

    def add(self, record: Record) -> None:
        """Add a record that was created."""
        if self._ended:
            if all(row["id"] != record["id"] for row in self._by_key.get(record[self._key], ())):
                self._take([record])
        else:
            # one of its next pages may have the record, too
            self.broken = True

    def _read_on(self) -> bool:
        """Read a page; whether there was one."""
        if self._ended:
            return False
        # until the page has come
        self.broken = True
        page = next(self._pages, None)
        self.broken = False
        self._ended = page is None
        # the object of another workspace must not be taken, even if the service ignores the filter
        places = (None, self._workspace_id)
        self._take([row for row in page or () if self._workspace_id is None or row.get("workspace_id") in places])
        if self._first is None:
            self._first = len(self._rows)
        return not self._ended

    def _take(self, rows: list[Record]) -> None:
        self._rows += rows
        for row in rows:
            name = row[self._key]
            self._by_key.setdefault(name, []).append(row)
            if not name.isascii():
                self.beyond_ascii.append(name)


class Lists:
    """The lists that the items of one loop have read over one connection.

    clock: seconds on a clock that only goes forward; drop_others: forgets the lists of the loop's other connections.
    """

    def __init__(self, clock: Callable[[], float], drop_others: Callable[[], None] = lambda: None) -> None:
        self.clock = clock
        # what is written over one connection changes what the others would read
        self.drop_others = drop_others
        self._cached: dict[tuple[Any, ...], CachedList] = {}

    def get(self, resource: Family, query: Mapping[str, Any], whole: bool) -> CachedList | None:
        """The list of a family with these parameters, unless it is too old or was not read far enough."""
        cached = self._cached.get(_place(resource, query))
        if cached is None or cached.broken or (whole and not cached.whole) or self.clock() - cached.since > LONGEST:
            return None
        return cached

    def put(self, resource: Family, query: Mapping[str, Any], cached: CachedList) -> None:
        """Cache a list, in place of an older one."""
        self._cached[_place(resource, query)] = cached

    def add(self, resource: Family, query: Mapping[str, Any], record: Record) -> None:
        """Add a record that was created to this list, if it is cached."""
        cached = self._cached.get(_place(resource, query))
        if cached is not None:
            cached.add(record)

    def forget(self) -> None:
        """Forget the lists of this connection."""
        self._cached.clear()

    def drop(self) -> None:
        """Forget the lists of all connections."""
        self.forget()
        self.drop_others()


def _place(resource: Family, query: Mapping[str, Any]) -> tuple[Any, ...]:
    return (resource.name, *sorted(query.items()))
