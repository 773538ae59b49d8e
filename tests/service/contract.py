# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Validate requests and answers against the OpenAPI file beside this module, with openapi-core."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import parse_qsl

from .answers import BASE, FORM, Answer, Call, dumps
from .records import Record
from .schema import CONTRACT


class ContractUnavailable(ValueError):
    """A library for the validation is missing."""


try:
    import yaml
    from openapi_core import OpenAPI
    from openapi_core.datatypes import RequestParameters
    from openapi_core.exceptions import OpenAPIError
    from werkzeug.datastructures import Headers, ImmutableMultiDict
except ImportError as exc:
    raise ContractUnavailable(
        f"validation needs openapi-core and PyYAML ({exc}): pip install -r tests/service/requirements.txt"
    ) from exc

SAMPLE = 50
"""How many rows of a long list are checked, evenly spread, including the first and the last one."""
REMEMBERED = 5000
"""How many pairs of a request and an answer are not validated again."""
LONG = 64 * 1024
"""The bytes of a body that is not remembered."""
CURSOR = "unknown in the query: cursor"
PAGING = ("unknown in the query: page", "unknown in the query: limit")


class Differences(NamedTuple):
    """How a request differs from the contract, and which differences a setting allows."""

    violations: list[str]
    allowed: list[str]


class _Sent(NamedTuple):
    """All that openapi-core reads of a request."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...]
    headers: tuple[tuple[str, str], ...]
    content_type: str
    body: bytes


class _Answered(NamedTuple):
    """All that openapi-core reads of an answer."""

    status: int
    headers: tuple[tuple[str, str], ...]
    content_type: str
    body: bytes


class Contract:
    """The operations of the OpenAPI file."""

    def __init__(self) -> None:
        self.document: Record = yaml.safe_load(CONTRACT)
        self.api = OpenAPI.from_dict(self.document)
        # a validation takes longer than all the rest of a request, and most requests of tests are alike
        self._remembered = functools.lru_cache(REMEMBERED)(self._errors)

    def operation(self, call: Call) -> tuple[Record, Record]:
        """The path item and the operation of a call, {} if the contract does not have them."""
        item = self.document["paths"].get(call.template, {})
        return item, item.get(call.method.lower(), {})

    def request(self, call: Call, headers: Mapping[str, str]) -> Differences:
        """How a request differs from the contract."""
        item, operation = self.operation(call)
        if not operation:
            return Differences([f"{call.method} {call.template} is not in the contract"], [])
        unknown = self._unknown_names(call, item, operation)
        paged = call.template.strip("/") in call.settings.paged_lists
        by_cursor = call.settings.beside_data == "cursor"
        allowed = [each for each in unknown if (paged and each in PAGING) or (by_cursor and each == CURSOR)]
        slashes = [] if call.path == call.normal else ["slashes in the path that are not in the contract"]
        if call.settings.redirects != "none":
            allowed += slashes
        violations = [
            *(each for each in [*slashes, *unknown] if each not in allowed),
            *self._wrong_accept(headers.get("Accept", ""), operation),
            *self._judged(_sent(call, headers)),
        ]
        return Differences(violations, allowed)

    def answer(self, call: Call, answer: Answer) -> list[str]:
        """How an answer differs from the contract."""
        operation = self.operation(call)[1]
        if not operation:
            return []
        if not answer.body:
            # openapi-core requires every documented body, but the answer to a create can be empty
            known = str(answer.status) in operation["responses"]
            return [] if known else [f"status {answer.status} is not in the contract"]
        body = _sampled(answer.body) if len(answer.body) > 4096 else answer.body
        headers = tuple(each for each in answer.headers.items() if each[0] != "Date")
        answered = _Answered(answer.status, headers, answer.content_type or "", body)
        # of the request, openapi-core then reads only what names the operation
        return [*self._judged(_Sent(call.method, call.normal, (), (), "", b""), answered)]

    def _unknown_names(self, call: Call, item: Record, operation: Record) -> list[str]:
        """What openapi-core ignores: undeclared names in the query and in forms, and `True` in place of `true`."""
        parameters = [self._resolved(each) for each in [*item.get("parameters", ()), *operation.get("parameters", ())]]
        known = {each["name"] for each in parameters if each["in"] == "query"}
        found = [f"unknown in the query: {name}" for name in call.query if name not in known]
        flags = {each["name"] for each in parameters if each["schema"].get("type") == "boolean"} & set(call.query)
        found += [f"neither true nor false: {name}" for name in flags if call.query[name] not in ("true", "false")]
        form = operation.get("requestBody", {}).get("content", {}).get("application/x-www-form-urlencoded")
        if form and call.content_type == FORM:
            pairs = parse_qsl(call.raw.decode("utf-8", "replace"), keep_blank_values=True)
            names = [name for name, value in pairs]
            found += [f"unknown in the form: {name}" for name in names if name not in form["schema"]["properties"]]
            found += [f"twice in the form: {name}" for name in sorted(set(names)) if names.count(name) > 1]
        return found

    def _wrong_accept(self, accept: str, operation: Record) -> list[str]:
        """An Accept header that does not name a content type of the answer. The contract requires one."""
        accepted = {part.partition(";")[0].strip() for part in accept.split(",")}
        offered = {"application/json"}
        for response in operation["responses"].values():
            offered |= set(self._resolved(response).get("content", {}))
        return [] if accepted & offered else [f"the Accept header {accept!r} names no form that the answer has"]

    def _resolved(self, node: Record) -> Record:
        while "$ref" in node:
            found = self.document
            for name in node["$ref"].lstrip("#/").split("/"):
                found = found[name]
            node = found
        return node

    def _judged(self, sent: _Sent, answered: _Answered | None = None) -> tuple[str, ...]:
        """The violations of a request, or of the answer to it."""
        long = len(sent.body) + len(answered.body if answered else b"") > LONG
        return self._errors(sent, answered) if long else self._remembered(sent, answered)

    def _errors(self, sent: _Sent, answered: _Answered | None) -> tuple[str, ...]:
        try:
            if answered:
                self.api.validate_response(_Request(sent), _Response(answered))
            else:
                self.api.validate_request(_Request(sent))
        except OpenAPIError as exc:
            return (_reason(exc),)
        return ()


def _sent(call: Call, headers: Mapping[str, str]) -> _Sent:
    query = tuple(call.query.items())
    return _Sent(call.method, call.normal, query, tuple(headers.items()), call.content_type or "", call.raw)


def _reason(exc: BaseException) -> str:
    """One line for a chain of exceptions: what failed, and the innermost reason."""
    summary = _text(exc).partition(": Value ")[0]
    reason = ""
    cause: BaseException | None = exc
    while cause is not None:
        schema_errors = [error.message for error in getattr(cause, "schema_errors", ())]
        reason = "; ".join(schema_errors) or _text(cause)
        cause = None if schema_errors else cause.__cause__
    return summary[:300] if summary == reason or reason in summary else f"{summary[:300]}: {reason[:300]}"


def _text(exc: BaseException) -> str:
    """The text of an exception; openapi-core has none for a body that is not UTF-8."""
    try:
        return str(exc)
    except UnicodeDecodeError:
        return type(exc).__name__


class _Request:
    """A request in the form that openapi-core reads."""

    host_url = "http://127.0.0.1"

    def __init__(self, sent: _Sent) -> None:
        self.path = BASE + sent.path
        self.method = sent.method.lower()
        self.parameters = RequestParameters(
            query=ImmutableMultiDict(sent.query),
            header=Headers(sent.headers),
            cookie=ImmutableMultiDict(),
        )
        self.body = sent.body or None
        self.content_type = sent.content_type


class _Response:
    """An answer in the form that openapi-core reads."""

    def __init__(self, answered: _Answered) -> None:
        self.status_code = answered.status
        self.headers = Headers(answered.headers)
        self.content_type = answered.content_type
        self.data = answered.body


def _sampled(body: bytes) -> bytes:
    """A long list reduced to a sample."""
    try:
        content = json.loads(body)
    except ValueError:
        return body
    rows = content.get("data") if isinstance(content, dict) else content
    if not isinstance(rows, list) or len(rows) <= SAMPLE:
        return body
    sample = [rows[number * (len(rows) - 1) // (SAMPLE - 1)] for number in range(SAMPLE)]
    return dumps({**content, "data": sample} if isinstance(content, dict) else sample)
