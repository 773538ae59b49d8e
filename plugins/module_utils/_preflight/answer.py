# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What one answer to ``GET /workspaces`` tells about the service, the key and the clock. Pure: no call, no clock."""

from __future__ import annotations

import re

from .._errors import AnswerError, printable
from .._http.retry import GATEWAY, asked_wait, moment
from .._records import is_row, record_of
from .._resources import WORKSPACE

# seconds of difference from which times that are compared across the two clocks can mislead
CLOCK_WARNING = 60

NOTHING_KNOWN = dict(
    reachable=False,
    is_api=None,
    found=None,
    status=None,
    authenticated=None,
    api_access=None,
    rate_limit=dict(limit=None, remaining=None, retry_after=None),
    workspaces=None,
    clock_skew=None,
    problem=None,
    schema=None,
    schema_version=None,
    schema_problem=None,
)


def judge(answer):
    """What an Answer to ``GET /workspaces`` tells: a dict with the keys of NOTHING_KNOWN, those of the schema null."""
    said = _json(answer)
    status, headers = answer.status, answer.headers
    asked, answered = answer.moments
    known = dict(
        NOTHING_KNOWN,
        reachable=True,
        status=status,
        is_api=_is_api(status, said),
        rate_limit=rate_limit(status, headers, answered),
        clock_skew=clock_skew(headers, asked, answered),
    )
    if not known["is_api"]:
        known["found"] = describe(headers, answer.body, said)
        return known
    if status == 401:
        known["authenticated"] = False
    elif status == 403:
        known.update(authenticated=True, api_access=False)
    elif 200 <= status < 300:
        rows = [dict(id=row["id"], name=row["name"]) for row in (record_of(WORKSPACE, row) for row in _rows(said))]
        known.update(authenticated=True, api_access=True, workspaces=sorted(rows, key=lambda row: row["id"]))
    return known


def _json(answer):
    try:
        return answer.json()
    except AnswerError:
        return None


def _rows(said):
    return said.get("data") if isinstance(said, dict) else said


def _is_api(status, said):
    """True, False, or None where the answer may be that of the service or of something before it."""
    if 200 <= status < 300:
        rows = _rows(said)
        return isinstance(rows, list) and all(is_row(WORKSPACE, row) for row in rows)
    if isinstance(said, dict) and isinstance(said.get("message"), str):
        # the service's error body repeats the status; other services have a message as well
        if said.get("status") == status:
            # it lists no workspaces: another service of the same house, or another version of its API
            return status != 404
        return None
    return None if status in (429, 500) or status in GATEWAY else False


def describe(headers, body, said=None):
    """What an answer is that is not the service's, as a clause."""
    kind = (headers.get("Content-Type") or "").partition(";")[0].strip().lower()
    server = headers.get("Server")
    by = f" by the server {printable(server, 60)!r}" if server else ""
    if said is not None:
        return f"{_json_described(said)}{by}"
    text = body[:65536].decode("utf-8", "replace")
    if "html" in kind or re.match(r"\s*<(!doctype html|html)\b", text, re.IGNORECASE):
        title = re.search(r"<title[^>]*>(.*?)</title", text, re.IGNORECASE | re.DOTALL)
        words = " ".join(title.group(1).split()) if title else ""
        return "an HTML page" + (f" with the title {printable(words, 80)!r}" if words else "") + by
    if not body.strip():
        return f"no content{by}"
    return f"other content{by}"


def _json_described(said):
    if isinstance(said, dict):
        if isinstance(said.get("message"), str):
            return f"a JSON error that says {printable(said['message'], 100)!r}"
        keys = ", ".join(repr(printable(key, 40)) for key in sorted(said)[:6])
        more = f" and {len(said) - 6} more" if len(said) > 6 else ""
        return f"a JSON object with the keys {keys}{more}" if keys else "an empty JSON object"
    return "a JSON list of something else" if isinstance(said, list) else "a JSON value that is no object"


def rate_limit(status, headers, now):
    """The rate limit as the answer's headers tell it; null where they do not."""
    numbers = [_number(headers.get(name)) for name in ("X-RateLimit-Limit", "X-RateLimit-Remaining")]
    wait = asked_wait(headers, now) if status == 429 else None
    if status == 429 and numbers[1] is None:
        numbers[1] = 0
    return dict(limit=numbers[0], remaining=numbers[1], retry_after=None if wait is None else round(wait))


def _number(text):
    return int(text) if text and re.fullmatch(r"[0-9]{1,15}", text.strip()) else None


def clock_skew(headers, asked, answered):
    """Whole seconds that the service's clock is ahead of this machine's, or None where the answer has no date.

    0 where the difference is within what can be told: a date has whole seconds, and the call took its time.
    """
    theirs = moment(headers.get("Date"))
    if theirs is None:
        return None
    # a date is cut to its second, so that half a second is missing on average
    skew = theirs + 0.5 - (asked + answered) / 2
    return 0 if abs(skew) <= 1 + abs(answered - asked) / 2 else round(skew)


def not_the_api(answer, found, published):
    """The sentence for an answer that is not the service's. found: see ``describe``; published: whether the host publishes
    the service's OpenAPI file, so that only the path is wrong."""
    hint = (
        "this host publishes the service's OpenAPI file, so check the path of base_url, which ends in /api/v2"
        if published
        else "check that base_url is the address of the service's API"
    )
    return f"GET /workspaces was answered {answer.status} ({printable(answer.content_type, 60)}) with {found}: {hint}."
