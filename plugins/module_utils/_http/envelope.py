# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What an answer holds beside the rows of a list: how many there are in all, and whether another page follows. Pure.

The specification documents nothing of the kind. The names are those that web frameworks commonly use.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

# names are compared in lower case, without separators
_CONTAINERS = ("meta", "pagination", "paging", "page", "pageinfo", "links")
_TOTALS = ("total", "totalcount", "totalitems", "totalresults", "totalrows", "totalelements", "totalrecords", "count")
_LAST_PAGES = ("lastpage", "totalpages", "pagecount", "pages", "numpages")
_CURRENT_PAGES = ("currentpage", "page", "pagenumber")
_MORE = ("hasmore", "hasnext", "hasnextpage", "more", "truncated")
_NEXT = ("next", "nextpage", "nexturl", "nextlink", "nextpageurl")
_CURSOR = "nextcursor"
_HEADERS = ("X-Total-Count", "X-Total", "Total-Count")
_DEEPEST = 2
# the parameters of a link that say where a page begins; its others are the filters of the task
_PLACE = re.compile(r"page|limit|offset|cursor|after|start|skip|token")
_PLAIN = re.compile(r"[!-~]{1,500}")


class Beside(NamedTuple):
    """total: int, the rows of the whole list, or None; more: bool, the answer says that another page follows; query: dict
    or None, the parameters that ask for it, where the answer names them; by_offset: bool, pages begin at a row."""

    total: int | None = None
    more: bool = False
    query: dict | None = None
    by_offset: bool = False


def beside(values, headers):
    """The Beside of an answer. values: dict, what its object holds beside ``data``; headers: a mapping without case."""
    fields = _fields(values, _DEEPEST)
    totals = [number for name in _TOTALS for number in [_number(fields.get(name))] if number is not None]
    totals += [number for name in _HEADERS for number in [_number(headers.get(name))] if number is not None]
    last = max([_number(fields.get(name)) or 0 for name in _LAST_PAGES])
    current = next((number for name in _CURRENT_PAGES for number in [_number(fields.get(name))] if number), 1)
    following = next((value for name in _NEXT for value in [_link(fields.get(name))] if value), None)
    following = following or _next_link(headers.get("Link"))
    cursor = fields[_CURSOR] if _is_text(fields.get(_CURSOR)) else None
    more = last > current or bool(following or cursor) or any(fields.get(name) is True for name in _MORE)
    query = _query_of(following) or ({"cursor": cursor} if cursor else None)
    return Beside(max(totals, default=None), more, query, "offset" in fields)


def placed(query, place):
    """The parameters for a page: those of the task, which count whatever a link says, and where the page begins."""
    return {**query, **{name: value for name, value in place.items() if name not in query}}


class Progress:
    """How far a list has been read that is documented to come whole.

    rows: int, the rows read so far; total: int or None, as the service says it.
    """

    def __init__(self):
        self.rows = 0
        self.total = None
        self._pages = 0
        self._beside = Beside()

    def note(self, rows, found):
        """Take down a page: how many rows of it were new, and its Beside."""
        self.rows += rows
        self._pages += 1
        self._beside = found
        self.total = self.total if found.total is None else found.total

    @property
    def shows_more(self):
        """Whether the service has said that the list has rows that were not read."""
        return self._beside.more or self.is_short

    @property
    def is_short(self):
        return self.total is not None and self.total > self.rows

    def next_page(self):
        """The parameters that ask for the next page."""
        if self._beside.query:
            return self._beside.query
        return {"offset": self.rows} if self._beside.by_offset else {"page": self._pages + 1}


def _fields(values, depth):
    """{plain name: value} of an object and of the objects in it that describe pages; the outer ones count first."""
    found = {}
    for name, value in values.items():
        plain = str(name).lower().replace("_", "").replace("-", "")
        if isinstance(value, dict) and plain in _CONTAINERS:
            inner = _fields(value, depth - 1) if depth else {}
            found.update({each: inner[each] for each in inner if each not in found})
        else:
            found[plain] = value
    return found


def _number(value):
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) <= 15:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _is_text(value):
    return isinstance(value, str) and bool(value.strip())


def _link(value):
    """A link to the next page, or its number, as text, or None."""
    if isinstance(value, dict):
        value = value.get("href")
    number = _number(value)
    return str(number) if number else value if _is_text(value) else None


def _next_link(header):
    for part in (header or "").split(","):
        address, _separator, parameters = part.partition(";")
        if 'rel="next"' in parameters.lower() or "rel=next" in parameters.lower():
            return address.strip().strip("<>")
    return None


def _query_of(following):
    """The parameters of a link to the next page. Its address is not used: the key goes to the service's own only."""
    if not following:
        return {}
    if following.isdigit():
        return {"page": int(following)}
    try:
        query = parse_qsl(urlsplit(following).query)
    except ValueError:
        return {}
    return {name: value for name, value in query if _PLACE.search(name.lower()) and _PLAIN.fullmatch(value)}
