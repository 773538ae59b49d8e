# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What one answer to ``GET /workspaces`` shows about the service, the key and the clock. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from .._errors import AnswerError, printable
from .._families.workspace import WORKSPACE
from .._http.answer import Answer
from .._http.rate_limit import asked_wait, moment, number_in
from .._http.retry import GATEWAY
from .._records import is_row, record_of
from .result import Preflight, RateLimit, Workspace

# a larger difference, in seconds, misleads where times of the two clocks are compared
CLOCK_WARNING = 60
# characters of a page in which its title is searched
_BEGINNING = 65536


def judge(answer: Answer) -> Preflight:
    """What an answer to ``GET /workspaces`` shows. The fields of the schema stay None."""
    body = _json(answer)
    status, headers = answer.status, answer.headers
    asked, answered = answer.moments
    known = Preflight(
        reachable=True,
        status=status,
        is_api=_is_api(status, body),
        rate_limit=rate_limit(status, headers, answered),
        clock_skew=clock_skew(headers, asked, answered),
    )
    if not known.is_api:
        return replace(known, found=_describe(answer, body))
    if status == 401:
        return replace(known, authenticated=False)
    if status == 403:
        return replace(known, authenticated=True, api_access=False)
    if 200 <= status < 300:
        return replace(known, authenticated=True, api_access=True, workspaces=_workspaces(body))
    return known


def _json(answer: Answer) -> object:
    try:
        return answer.json()
    except AnswerError:
        return None


def _rows(body: object) -> object:
    return body.get("data") if isinstance(body, dict) else body


def _workspaces(body: object) -> list[Workspace]:
    rows = _rows(body)
    records = [record_of(WORKSPACE, row) for row in rows] if isinstance(rows, list) else []
    return sorted((Workspace(each["id"], each["name"]) for each in records), key=lambda workspace: workspace.id)


def _is_api(status: int, body: object) -> bool | None:
    """Whether the service's API answered. None if a gateway or another service may have answered in its place."""
    if 200 <= status < 300:
        rows = _rows(body)
        return isinstance(rows, list) and all(is_row(WORKSPACE, row) for row in rows)
    if isinstance(body, dict) and isinstance(body.get("message"), str):
        # other services have a message as well, but only the service's error body repeats the status
        if body.get("status") == status:
            # the API always has this path: the service answers here with something else, or another version of its API
            return status != 404
        return None
    return None if status in (429, 500) or status in GATEWAY else False


def _describe(answer: Answer, body: object) -> str:
    """An answer of something other than the API, as a phrase. body: its JSON, or None."""
    headers = answer.headers
    server = headers.get("Server")
    origin = f" from the server {printable(server, 60)!r}" if server else ""
    if body is not None:
        return f"{_describe_json(body)}{origin}"
    kind = (headers.get("Content-Type") or "").partition(";")[0].strip().lower()
    text = answer.body[:_BEGINNING].decode("utf-8", "replace")
    if "html" in kind or re.match(r"\s*<(!doctype html|html)\b", text, re.IGNORECASE):
        title = re.search(r"<title[^>]*>(.*?)</title", text, re.IGNORECASE | re.DOTALL)
        words = " ".join(title.group(1).split()) if title else ""
        return "an HTML page" + (f" with the title {printable(words, 80)!r}" if words else "") + origin
    return f"other content{origin}" if answer.body.strip() else f"no content{origin}"


def _describe_json(body: object) -> str:
    if isinstance(body, list):
        return "another JSON list"
    if not isinstance(body, dict):
        return "a JSON value that is not an object"
    if isinstance(body.get("message"), str):
        return f"a JSON error that says {printable(body['message'], 100)!r}"
    keys = ", ".join(repr(printable(key, 40)) for key in sorted(body)[:6])
    more = f" and {len(body) - 6} more" if len(body) > 6 else ""
    return f"a JSON object with the keys {keys}{more}" if keys else "an empty JSON object"


def rate_limit(status: int, headers: Mapping[str, str], now: float) -> RateLimit:
    """The rate limit that the headers of an answer report. now: Unix time of the answer."""
    remaining = number_in(headers.get("X-RateLimit-Remaining"))
    wait = None
    if status == 429:
        remaining = remaining or 0
        wait = asked_wait(headers, now)
    return RateLimit(
        limit=number_in(headers.get("X-RateLimit-Limit")),
        remaining=remaining,
        retry_after=None if wait is None else round(wait),
    )


def clock_skew(headers: Mapping[str, str], asked: float, answered: float) -> int | None:
    """Whole seconds by which the service's clock is ahead of this host's, or None without a Date header.

    asked, answered: Unix times of the call. 0 where the difference is too small to measure: a date has whole seconds, and
    the call took time.
    """
    date = moment(headers.get("Date"))
    if date is None:
        return None
    # a date is cut to its second, so half a second is missing on average
    skew = date + 0.5 - (asked + answered) / 2
    return 0 if abs(skew) <= 1 + abs(answered - asked) / 2 else round(skew)


def not_the_api(answer: Answer, found: str | None, published: bool) -> str:
    """The sentence for an answer of something other than the API.

    published: whether the host publishes the service's OpenAPI file, so that only the path is wrong.
    """
    hint = (
        "This host publishes the service's OpenAPI file, so check the path of base_url, which ends in /api/v2"
        if published
        else "Check that base_url is the address of the service's API"
    )
    return f"GET /workspaces was answered {answer.status} ({printable(answer.content_type, 60)}) with {found}. {hint}."
