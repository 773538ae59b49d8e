# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Lists of the service, read page by page. Nothing else constructs a Complete."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .._errors import AnswerError, ApiError, printable
from .._families.family import PAGE_SIZE, Family, may_be_full
from .._records import Record, identity_of, is_row, record_of
from .answer import Answer
from .complete import Complete
from .envelope import Beside, Progress, beside, placed

# no account is as large; a service without a last page must not be read for ever
MOST_PAGES = 2000
# how a service may refuse a page that it does not have
NO_SUCH_PAGE = (400, 404, 422)


# sends the call for a page of a list with these parameters
Send = Callable[[Record], Answer]


def whole(pages: Iterator[list[Record]]) -> Complete:
    """Every record of a list. pages: as ``pages`` yields them, until an empty page."""
    return Complete(row for page in pages for row in page)


def pages(resource: Family, send: Send, query: Record, whole: bool = True) -> Iterator[list[Record]]:
    """Yield the rows of a list as records, page by page; no id twice.

    query: the filters; whole: read on until an empty page, as a server may cap its pages; without it a short page is the last.
    """
    return _by_pages(resource, send, query, whole) if resource.paged else _at_once(resource, send, query)


def page(resource: Family, send: Send, number: int, query: Record) -> list[Record]:
    """The records on one page of a list that is cut by pages, the first of which has the number 1; none past its end."""
    place = {"page": number} if number > 1 else {}
    answer = _ask(resource, send, query, {"limit": PAGE_SIZE, **place}, place.get("page", 0))
    return rows_of(resource, answer)[0]


def _by_pages(resource: Family, send: Send, query: Record, whole: bool) -> Iterator[list[Record]]:
    answer, size = _first_page(resource, send, query)

    def ask(number: int, place: Record) -> list[Record]:
        return rows_of(resource, _ask(resource, send, query, {"limit": size, **place}, number))[0]

    seen: set[Any] = set()
    cut = _by_offset if resource.paged == "offset" else _by_number
    for number, rows in cut(resource, ask, rows_of(resource, answer)[0]):
        fresh = _fresh(resource, rows, seen)
        # where pages count from 1, page 1 is the first page once more
        if rows and not fresh and number != 1:
            raise AnswerError(
                f"GET {resource.path} returned nothing new on page {number}: the list changed while it was read, or the"
                " service ignores the page. Run the task again.",
                "GET",
                resource.path,
                status=200,
            )
        if fresh:
            yield fresh
        if not rows or (not whole and len(rows) < size):
            return


# a function from the number of a page and its parameters to its records
_Ask = Callable[[int, Record], list[Record]]


def _by_offset(resource: Family, ask: _Ask, first: list[Record]) -> Iterator[tuple[int, list[Record]]]:
    """Yield the pages of a list with their numbers, without end. first: the first page, which has the number 0."""
    yield 0, first
    received, number = len(first), 1
    while True:
        number = following(resource, number)
        rows = ask(number, {"offset": received})
        received += len(rows)
        yield number, rows


def _by_number(resource: Family, ask: _Ask, first: list[Record]) -> Iterator[tuple[int, list[Record]]]:
    """As ``_by_offset``. The first page, which was asked for without a number, may be page 0 or page 1 of the service.

    Pages 1, 2 and so on are therefore read as well, and contain the complete list in both cases. If the first page cannot be
    full and page 2 is empty, the first page is the only one, and page 1 is not asked for.
    """
    yield 0, first
    second = None if may_be_full(len(first)) else ask(2, {"page": 2})
    rows = ask(1, {"page": 1}) if second is None or second else []
    if rows or not second:
        yield 1, rows
    number = 1
    while True:
        number = following(resource, number)
        yield number, second if number == 2 and second is not None else ask(number, {"page": number})


def _first_page(resource: Family, send: Send, query: Record) -> tuple[Answer, int]:
    """The first page, the largest that the service takes, and the number of rows that was asked for."""
    begin = {"offset": 0} if resource.paged == "offset" else {}
    refusals: list[ApiError] = []
    for size in resource.page_sizes:
        try:
            return _ask(resource, send, query, {"limit": size, **begin}), size
        except ApiError as error:
            if not _may_mean_the_limit(error, query):
                raise
            refusals.append(error)
    # the first refusal is about the size that was preferred
    raise refusals[0]


def _may_mean_the_limit(error: ApiError, query: Record) -> bool:
    """Whether the service may take the page with a smaller limit."""
    said = f"{error.message} {error.details}".lower()
    return error.status in (400, 422) and ("limit" in said or not any(name in said for name in query))


def _at_once(resource: Family, send: Send, query: Record) -> Iterator[list[Record]]:
    """A list that is documented to have one page; its other pages too where the answer shows that it has some."""
    seen: set[Any] = set()
    progress = Progress()
    answer = _ask(resource, send, query)
    number = 1
    while True:
        rows, found = rows_of(resource, answer)
        fresh = _fresh(resource, rows, seen)
        progress.note(len(fresh), found)
        yield fresh
        if not progress.shows_more:
            return
        if not fresh and not progress.repeats:
            raise _cut(resource, progress)
        number = following(resource, number)
        try:
            answer = _ask(resource, send, query, progress.next_page())
        except ApiError as error:
            if error.status not in NO_SUCH_PAGE:
                raise
            raise _cut(resource, progress) from None


def _ask(resource: Family, send: Send, query: Record, place: Record | None = None, number: int = 0) -> Answer:
    """The Answer for one page. Only an empty page ends a list: a 404 after the first may mean that its workspace was
    deleted in the meantime."""
    try:
        return send(placed(query, place or {}))
    except ApiError as error:
        if error.status != 404 or not number:
            raise
        said = f", {printable(error.message)!r}" if error.message else ""
        raise ApiError(
            f"GET {resource.path} could not be read to its end: page {number} was answered 404{said}. Its workspace may"
            " have been deleted in the meantime. Check that the workspace still exists, and run the task again.",
            "GET",
            resource.path,
            status=404,
            message=error.message,
            details=error.details,
        ) from None


def following(resource: Family, number: int) -> int:
    """The number of the next page. Raises AnswerError where there are too many."""
    if number < MOST_PAGES:
        return number + 1
    raise AnswerError(
        f"GET {resource.path} was not read to its end: it has more than {MOST_PAGES:,} pages. Check that base_url is the"
        " address of the service's API; if it is, tell the service's support that the list does not end.",
        "GET",
        resource.path,
        status=200,
    )


def _cut(resource: Family, progress: Progress) -> AnswerError:
    total = f" of {progress.total:,}" if progress.is_short else ""
    return AnswerError(
        f"GET {resource.path} returned only {progress.rows:,}{total} rows, and the next page has no more. This task needs"
        " the complete list. Ask the service's support how to read it.",
        "GET",
        resource.path,
        status=200,
    )


def _fresh(resource: Family, rows: list[Record], seen: set[Any]) -> list[Record]:
    """The rows that no earlier page had. seen: the identities of all rows, extended here."""
    fresh = {identity_of(resource, row): row for row in rows}
    fresh = {identity: row for identity, row in fresh.items() if identity not in seen}
    seen.update(fresh)
    return list(fresh.values())


def rows_of(resource: Family, answer: Answer) -> tuple[list[Record], Beside]:
    """The records in the answer to a list, and what the answer holds beside them."""
    body = answer.json()
    # the contract wraps lists in data; a bare list is read as well
    bare = isinstance(body, list)
    rows = body if bare else data_of(answer, body)
    if not isinstance(rows, list) or not all(is_row(resource, row) for row in rows):
        raise answer.unexpected(f"data that is not a list of {resource.noun}s")
    others = {} if bare else {name: value for name, value in body.items() if name != "data"}
    return [record_of(resource, row) for row in rows], beside(others, answer.headers)


def data_of(answer: Answer, body: Any = None) -> Any:
    """The ``data`` of an answer. body: its JSON, where that was read already."""
    body = answer.json() if body is None else body
    if not isinstance(body, dict) or "data" not in body:
        raise answer.unexpected("no data in it")
    return body["data"]
