# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What an answer says beside the rows of a list: how many exist in all, and whether another page follows. Pure.

The specification documents nothing of the kind. The names are those that web frameworks commonly use.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple
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
# parameters of a link that say where a page begins; all others are filters, which the task sets itself
_PLACE = re.compile(r"page|limit|offset|cursor|after|start|skip|token")
_PLAIN = re.compile(r"[!-~]{1,500}")


class Beside(NamedTuple):
    """What one answer says about the complete list."""

    total: int | None = None  # rows of the complete list
    more: bool = False  # another page follows
    query: Mapping[str, Any] = {}  # the parameters that ask for it, as far as the answer names them
    by_offset: bool = False  # pages are numbered by their first row
    current: int | None = None  # the number of this page


def beside(values: Mapping[Any, Any], headers: Mapping[str, str]) -> Beside:
    """Read what an answer says beside its rows. values: the members of its object."""
    fields = _fields(values, _DEEPEST)
    totals = [number for name in _TOTALS for number in [_number(fields.get(name))] if number is not None]
    totals += [number for name in _HEADERS for number in [_number(headers.get(name))] if number is not None]
    last = max([_number(fields.get(name)) or 0 for name in _LAST_PAGES])
    current = next(
        (number for name in _CURRENT_PAGES for number in [_number(fields.get(name))] if number is not None), None
    )
    following = next((value for name in _NEXT for value in [_link(fields.get(name))] if value), None)
    following = following or _next_link(headers.get("Link"))
    cursor = _text(fields.get(_CURSOR))
    more = (
        last > (1 if current is None else current)
        or bool(following or cursor)
        or any(fields.get(name) is True for name in _MORE)
    )
    query = _query_of(following) or ({"cursor": cursor} if cursor else {})
    return Beside(max(totals, default=None), more, query, "offset" in fields, current)


def _fields(values: Mapping[Any, Any], depth: int) -> dict[str, Any]:
    """Members by plain name, of an object and of the objects in it that describe pages; outer ones take precedence."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        plain = str(name).lower().replace("_", "").replace("-", "")
        if isinstance(value, dict) and plain in _CONTAINERS:
            inner = _fields(value, depth - 1) if depth else {}
            found.update({each: inner[each] for each in inner if each not in found})
        else:
            found[plain] = value
    return found


def _number(value: object) -> int | None:
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) <= 15:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _link(value: object) -> str | None:
    """A link to the next page, or its number, as text, or None."""
    if isinstance(value, dict):
        value = value.get("href")
    number = _number(value)
    return str(number) if number else _text(value)


def _next_link(header: str | None) -> str | None:
    for part in (header or "").split(","):
        address, _separator, parameters = part.partition(";")
        if 'rel="next"' in parameters.lower() or "rel=next" in parameters.lower():
            return address.strip().strip("<>")
    return None


def _query_of(following: str | None) -> dict[str, Any]:
    """The parameters of a link to the next page. Its address is ignored, as the key is sent to base_url only."""
    if not following:
        return {}
    number = _number(following)
    if number is not None:
        return {"page": number}
    try:
        query = parse_qsl(urlsplit(following).query)
    except ValueError:
        return {}
    return {name: value for name, value in query if _PLACE.search(name.lower()) and _PLAIN.fullmatch(value)}
