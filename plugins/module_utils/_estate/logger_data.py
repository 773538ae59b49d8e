# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Reads, filters and deletes the requests that an HTTP logger recorded. ``decoded``, ``selected`` and ``by_id`` are pure."""

from __future__ import annotations

import base64
import binascii
import contextlib
import ipaddress
import json
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from fnmatch import fnmatchcase
from typing import Any, NamedTuple, Union

from .._http.answer import Answer
from .._http.client import Client
from .._model.errors import AnswerError, Refused, WrongOption, counted, printable
from .._model.families import HTTP_LOGGER
from .._model.records import Record, number_in, read_id
from .._model.times import moment_of
from .._task.raw_options import UNKNOWN_ID
from .._task.references import find
from .._task.task import Task
from .canary import why_deaf

Network = Union[ipaddress.IPv4Network, ipaddress.IPv6Network]


class Filters(NamedTuple):
    """Which requests are wanted; None for any. since: a time without a zone, which means UTC."""

    method: str | None = None
    path: str | None = None
    header: str | None = None
    source: Network | None = None
    since: datetime | None = None


# the fields of a recorded request, without those of its body
_FIELDS = ("ip_address", "request_method", "url_params", "user_agent", "http_headers", "request_date")


def clear(task: Task) -> dict[str, Any]:
    """The work of http_logger_data: delete the requests that a logger recorded."""
    client = task.client
    logger = None
    if task.params["id"] == UNKNOWN_ID:
        task.warn_assumed("the HTTP logger")
    else:
        logger = find(task, HTTP_LOGGER)
        if logger is None:
            task.warn(f"No HTTP logger {_reference(task.params)} exists, so nothing was deleted.")
    entries = captured(client, logger["id"]) if logger else []
    count = len(entries)
    if logger and count and not task.check_mode:
        logger_id = logger["id"]
        before = {json.dumps(entry, sort_keys=True) for entry in entries}

        def is_gone() -> bool:
            # a request that arrives in the meantime does not count
            return before.isdisjoint(json.dumps(entry, sort_keys=True) for entry in captured(client, logger_id))

        if not client.delete(HTTP_LOGGER, logger_id, below="/data", is_gone=is_gone):
            count = 0
    result: dict[str, Any] = dict(changed=count > 0, cleared=count)
    if task.diff_mode:
        result["diff"] = dict(before=dict(requests=count), after=dict(requests=0))
    return result


def read(task: Task) -> dict[str, Any]:
    """The work of http_logger_data_info: return the requests that a logger recorded, filtered."""
    params = task.params
    filters = _filters(params)
    unknown = params["id"] == UNKNOWN_ID
    logger = None if unknown else find(task, HTTP_LOGGER)
    if logger is None and (unknown or task.check_mode):
        task.warn_assumed("the HTTP logger" if unknown else f"HTTP logger {_reference(params)}")
        return dict(requests=[], undecided=0, total=0, records=True)
    if logger is None:
        raise Refused(
            f"No HTTP logger {_reference(params)} exists: correct the label or the id, or declare it with"
            " scanops.scanner.http_logger first."
        )
    entries = captured(task.client, logger["id"], logger["num_requests"])
    deaf = why_deaf(logger)
    if deaf:
        task.warn(f"{deaf} So a request that is missing here proves nothing.")
    if params["after"] is not None:
        entries = [entry for number, entry in by_id(entries).items() if number > params["after"]]
    judged = [(decoded(entry), selected(entry, filters)) for entry in entries]
    kept = [entry for entry, passes in judged if passes]
    times = [entry.get("request_date") for entry in kept] if filters.since else []
    undated = [time for time in times if moment_of(time) is None]
    if undated:
        task.warn(
            f"{counted(len(undated), 'request')} cannot be compared with since, because request_date is missing or not a"
            f" time ({printable(undated[0])!r} first), and {'is' if len(undated) == 1 else 'are'} returned."
        )
    undecided = sum(passes is None for _entry, passes in judged)
    return dict(requests=kept, undecided=undecided, total=len(entries), records=not deaf)


def decoded(entry: Record) -> Record:
    """An entry with ``body``: its Base64 body as text, or None if it is not UTF-8 text."""
    try:
        body = base64.b64decode(entry.get("request_body_base64") or "", validate=True).decode("utf-8")
    except (ValueError, TypeError, binascii.Error):
        body = None
    return dict(entry, body=body)


def selected(entry: Record, filters: Filters) -> bool | None:
    """Whether an entry passes the filters; None if a field is missing that decides it. A time that cannot be read passes."""
    # of each filter that is given
    verdicts: list[bool | None] = []
    if filters.method is not None:
        method = entry.get("request_method")
        verdicts.append(str(method).upper() == filters.method.upper() if method else None)
    if filters.path is not None:
        path = entry.get("url_params")
        verdicts.append(fnmatchcase(path, filters.path) if isinstance(path, str) else None)
    if filters.header is not None:
        headers = entry.get("http_headers")
        wanted, colon, glob = map(str.strip, filters.header.partition(":"))
        pairs = [str(text).partition(":") for text in headers] if isinstance(headers, list) else []
        values = [value.strip() for name, _colon, value in pairs if name.strip().lower() == wanted.lower()]
        has_value = any(not colon or fnmatchcase(value, glob) for value in values)
        verdicts.append(has_value if isinstance(headers, list) else None)
    if filters.source is not None:
        try:
            verdicts.append(ipaddress.ip_address(str(entry.get("ip_address"))) in filters.source)
        except ValueError:
            verdicts.append(None)
    if filters.since is not None:
        moment = moment_of(entry.get("request_date"))
        verdicts.append(moment is None or moment.at >= filters.since.replace(tzinfo=timezone.utc).timestamp())
    return False if False in verdicts else None if None in verdicts else True


def by_id(entries: Iterable[Record]) -> dict[int, Record]:
    """The entries by their ids. Raises Refused for one without a valid id."""
    # assumed: ids grow, also after the data was deleted
    found = {read_id(entry.get("id")): entry for entry in entries}
    if None in found:
        raise Refused("A recorded request has no valid id, so requests that are new cannot be told from others.")
    return {number: entry for number, entry in found.items() if number is not None}


def captured(client: Client, logger_id: int, announced: object = None) -> list[Record]:
    """The entries of a logger as the service returns them. announced: the logger's own count, read before them.

    Raises AnswerError if the list is shorter than it says, or than the logger counted before it and counts after it. A count
    that was higher before may be one of entries that somebody has just deleted.
    """
    entries: list[Record] = client.nested(HTTP_LOGGER, logger_id, "/data", _entries_in)
    before = number_in(announced)
    if before is None or before <= len(entries):
        return entries
    logger = client.read(HTTP_LOGGER, logger_id)
    after = number_in(logger["num_requests"]) if logger else None
    if logger is None or (after is not None and after <= len(entries)):
        return entries
    path = f"{HTTP_LOGGER.path}/{logger_id}/data"
    raise AnswerError(
        f"GET {path} returned only {len(entries):,} of the {before:,} requests that the HTTP logger counts in num_requests."
        " Run the task again. If it fails again, delete the recorded requests with scanops.scanner.http_logger_data.",
        "GET",
        path,
        status=200,
    )


def _entries_in(answer: Answer) -> tuple[list[Record], Record]:
    body = answer.json()
    outer = body if isinstance(body, dict) else {}
    data = outer.get("data") if isinstance(body, dict) else body
    # assumed: data is an object with the key requests; a list is accepted as well
    inner = data if isinstance(data, dict) else {}
    entries = inner.get("requests") if isinstance(data, dict) else data
    # some fields of a request may be missing
    if not isinstance(entries, list) or not all(
        isinstance(entry, dict) and any(entry.get(field) is not None for field in _FIELDS) for entry in entries
    ):
        raise answer.unexpected("data that is not a list of recorded requests")
    return entries, {**outer, **inner}


def _reference(params: Mapping[str, Any]) -> str:
    return f"with the id {params['id']}" if params["id"] is not None else f"labelled {printable(params['label'])!r}"


def _filters(params: Mapping[str, Any]) -> Filters:
    """The options that filter. Raises WrongOption."""
    for name in ("method", "path", "header"):
        if params[name] == "":
            raise WrongOption(f"{name} is empty: give a value, or leave the option out.")
    since: datetime | None = None
    if params["since"] is not None:
        with contextlib.suppress(ValueError):
            since = datetime.fromisoformat(params["since"])
        if since is None or since.tzinfo:
            raise WrongOption(
                f"since {printable(params['since'])!r} is not a date or time without a time zone: write it as 2026-01-31 or"
                " 2026-01-31 12:00:00."
            )
    source: Network | None = None
    if params["source"] is not None:
        try:
            source = ipaddress.ip_network(params["source"], strict=False)
        except ValueError:
            raise WrongOption(
                f"source {printable(params['source'])!r} is not an IP address or a network: write it as 192.0.2.7 or"
                " 192.0.2.0/24."
            ) from None
    return Filters(params["method"], params["path"], params["header"], source, since)
