# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The work of service_info: one call, and with ``schema`` the comparison of the OpenAPI file. Sends GET only."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from ansible.module_utils.basic import missing_required_lib

from .._http.answer import Answer
from .._http.retry import GATEWAY, asked_wait, moment, number_in
from .._http.transport import Transport
from .._model.errors import AnswerError, CallError, NetworkError, Refused, ScannerError, printable
from .._model.families import WORKSPACE
from .._model.records import Record, is_row, record_of
from .._task.task import Task
from .openapi import HAS_YAML, Bounded, SchemaError, differences, openapi_of, parse
from .relied_on import SCHEMA_PATH, SCHEMA_TYPES

# a larger difference, in seconds, misleads where times of the two clocks are compared
CLOCK_WARNING = 60
# characters of a page in which its title is searched
_BEGINNING = 65536
# the result of service_info before any call
_NOTHING: Record = dict(
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


def read_service(task: Task) -> Record:
    """The result of service_info. Raises Refused if ``required`` is set and the service cannot be used."""
    compare, required = task.params["schema"], task.params["required"]
    if compare and not HAS_YAML:
        raise Refused(missing_required_lib("PyYAML"))
    transport = task.client.transport
    if not required:
        # neither retry a call nor wait for the rate limit: what the first answer shows is the result
        transport.connection = transport.connection._replace(retries=0)
        transport.budget.seconds = 0
    known, error = _ask(transport)
    other = transport.last if known["is_api"] is False else None
    document, problem = _read_schema(transport) if compare or other else (None, None)
    if other:
        hint = "Check that base_url is the address of the service's API"
        if document is not None:
            hint = (
                "This host publishes the service's OpenAPI file, so check the path of base_url, which ends in /api/v2"
            )
        known["problem"] = (
            f"GET /workspaces was answered {other.status} ({printable(other.content_type, 60)}) with {known['found']}. {hint}."
        )
    elif error:
        known["problem"] = str(error)
    if compare and document is not None:
        info = document.get("info")
        version = info.get("version") if isinstance(info, dict) else None
        known["schema"] = differences(document, urlsplit(transport.connection.base_url).path)
        known["schema_version"] = None if version is None else printable(version, 60)
    elif compare and problem:
        known["schema_problem"] = problem
        task.warn(problem)
    if known["problem"] and required:
        raise Refused(known["problem"], service=known, **(error.result if error else {}))
    _warn(known, task.warn)
    return dict(service=known)


def _ask(transport: Transport) -> tuple[Record, CallError | None]:
    """What ``GET /workspaces`` shows, and its error."""
    error = None
    try:
        transport.send("GET", "/workspaces")
    except CallError as caught:
        error = caught
    if transport.last is not None:
        return judge(transport.last), error
    status = error.status if error else None
    known = {**_NOTHING, "reachable": status is not None, "status": status}
    if not isinstance(error, NetworkError):
        # a redirect is the answer of something other than the API
        known.update(is_api=False, found="a redirect")
    return known, error


def _read_schema(transport: Transport) -> tuple[Record | None, str | None]:
    """The OpenAPI document that the host publishes, or why there is none."""
    sink = Bounded()
    try:
        transport.send("GET", SCHEMA_PATH, accept=SCHEMA_TYPES, sink=sink, at_host=True)
        document = openapi_of(parse(sink.text)) if HAS_YAML else None
        if document is None:
            raise SchemaError("it is not an OpenAPI 3 document")
    except SchemaError as error:
        return None, f"The OpenAPI file of the service (GET {SCHEMA_PATH}) was not compared: {error}."
    except ScannerError as error:
        return None, f"The OpenAPI file of the service cannot be read: {error}"
    return document, None


def _warn(known: Record, warn: Callable[[str], None]) -> None:
    skew = known["clock_skew"]
    if skew is not None and abs(skew) > CLOCK_WARNING:
        warn(
            f"The service's clock is {abs(skew)} s {'ahead of' if skew > 0 else 'behind'} the clock of this host. Set the"
            " clock of this host, or allow for the difference when you compare times."
        )
    if known["workspaces"] == []:
        warn(
            "The key is accepted, but no workspace is visible to it. Check the permissions of its owner in the web"
            " application."
        )


def judge(answer: Answer) -> Record:
    """What an answer to ``GET /workspaces`` shows about the service, the key and the clock."""
    try:
        body = answer.json()
    except AnswerError:
        body = None
    status, headers = answer.status, answer.headers
    asked, answered = answer.moments
    known = dict(
        _NOTHING,
        reachable=True,
        status=status,
        is_api=_is_api(status, body),
        rate_limit=rate_limit(status, headers, answered),
        clock_skew=clock_skew(headers, asked, answered),
    )
    if not known["is_api"]:
        known["found"] = _describe(answer, body)
    elif status in (401, 403):
        known["authenticated"] = status == 403
        known["api_access"] = False if status == 403 else None
    elif 200 <= status < 300:
        records = [record_of(WORKSPACE, row) for row in _rows(body)]
        workspaces = sorted((dict(id=each["id"], name=each["name"]) for each in records), key=lambda each: each["id"])
        known.update(authenticated=True, api_access=True, workspaces=workspaces)
    return known


def _rows(body: Any) -> Any:
    return body.get("data") if isinstance(body, dict) else body


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
    text = answer.body[:_BEGINNING].decode("utf-8", "replace")
    if isinstance(body, dict) and isinstance(body.get("message"), str):
        what = f"a JSON error that says {printable(body['message'], 100)!r}"
    elif isinstance(body, dict) and body:
        what = "a JSON object with the keys " + ", ".join(repr(printable(key, 40)) for key in sorted(body)[:6])
    elif body is not None:
        what = "other JSON"
    elif "html" in answer.content_type.lower() or re.match(r"\s*<(!doctype )?html\b", text, re.IGNORECASE):
        title = re.search(r"<title[^>]*>(.*?)</title", text, re.IGNORECASE | re.DOTALL)
        words = " ".join(title[1].split()) if title else ""
        what = "an HTML page" + (f" with the title {printable(words, 80)!r}" if words else "")
    else:
        what = "other content" if answer.body.strip() else "no content"
    server = answer.headers.get("Server")
    return what + (f" from the server {printable(server, 60)!r}" if server else "")


def rate_limit(status: int, headers: Mapping[str, str], now: float) -> Record:
    """The rate limit that the headers of an answer report. now: Unix time of the answer."""
    remaining = number_in(headers.get("X-RateLimit-Remaining"))
    wait = None
    if status == 429:
        remaining = remaining or 0
        wait = asked_wait(headers, now)
    return dict(
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
