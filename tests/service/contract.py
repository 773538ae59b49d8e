# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests and answers against the OpenAPI file beside this module, by openapi-core."""

from __future__ import annotations

import json
from urllib.parse import parse_qsl

from answers import FORM, Answer, Call, dumps
from schema import OPENAPI

BASE = "/api/v2"
SAMPLE = 50
"""How many rows of a long list are checked: evenly spread, the first and the last among them."""


PAGING = ("unknown in the query: page", "unknown in the query: limit")


class ContractUnavailable(ValueError):
    """Validation was asked for and its libraries are not there."""


class Contract:
    def __init__(self):
        try:
            import yaml
            from openapi_core import OpenAPI
            from openapi_core.datatypes import RequestParameters
            from werkzeug.datastructures import Headers, ImmutableMultiDict
        except ImportError as exc:
            raise ContractUnavailable(
                f"validation needs openapi-core and PyYAML ({exc}): pip install -r tests/service/requirements.txt"
            ) from exc
        with OPENAPI.open(encoding="utf-8") as stream:
            self.document = yaml.safe_load(stream)
        self.api = OpenAPI.from_dict(self.document)
        self._parameters = RequestParameters
        self._headers = Headers
        self._multi = ImmutableMultiDict

    def operation(self, call: Call) -> tuple:
        """The path item and the operation of a call, {} for what the contract does not have."""
        item = self.document["paths"].get(call.template, {})
        return item, item.get(call.method.lower(), {})

    def request(self, call: Call, headers) -> tuple[list[str], list[str]]:
        """What a request does against the contract, and what of it a setting allows."""
        item, operation = self.operation(call)
        if not operation:
            return [f"{call.method} {call.template} is not in the contract"], []
        unknown = self._unknown_names(call, item, operation)
        paged = call.template.strip("/") in call.settings.paged_lists
        allowed = [each for each in unknown if paged and each in PAGING]
        return [
            *([] if call.path == call.normal else ["slashes in the path that are not in the contract"]),
            *(each for each in unknown if each not in allowed),
            *self._wrong_accept(headers.get("Accept", ""), operation),
            *self._errors(self.api.validate_request, self._request(call, headers)),
        ], allowed

    def answer(self, call: Call, headers, answer: Answer) -> list[str]:
        """What an answer does against the contract."""
        operation = self.operation(call)[1]
        if not operation:
            return []
        if not answer.body:
            # openapi-core wants a body wherever one is described; a create may answer without
            known = str(answer.status) in operation["responses"]
            return [] if known else [f"status {answer.status} is not in the contract"]
        return self._errors(self.api.validate_response, self._request(call, headers), _Response(answer, self._headers))

    def _request(self, call: Call, headers):
        return _Request(
            call,
            self._parameters(
                query=self._multi(call.query), header=self._headers(list(headers.items())), cookie=self._multi()
            ),
        )

    def _unknown_names(self, call: Call, item: dict, operation: dict) -> list[str]:
        """openapi-core passes over names that are not declared, in the query and in forms, and over `True` for `true`."""
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

    def _wrong_accept(self, accept: str, operation: dict) -> list[str]:
        """The contract says that clients ask for JSON; an answer in another form must be asked for by name."""
        asked = {part.partition(";")[0].strip() for part in accept.split(",")}
        offered = {"application/json"}
        for response in operation["responses"].values():
            offered |= set(self._resolved(response).get("content", {}))
        return [] if asked & offered else [f"the Accept header {accept!r} names no form that the answer has"]

    def _resolved(self, node: dict) -> dict:
        while "$ref" in node:
            found = self.document
            for name in node["$ref"].lstrip("#/").split("/"):
                found = found[name]
            node = found
        return node

    @staticmethod
    def _errors(validate, *arguments) -> list[str]:
        from openapi_core.exceptions import OpenAPIError

        try:
            validate(*arguments)
        except OpenAPIError as exc:
            return [_reason(exc)]
        return []


def _reason(exc: BaseException) -> str:
    """One line for a chain of exceptions: what failed, and the last word on why."""
    said = str(exc).partition(": Value ")[0]
    reason = ""
    while exc is not None:
        schema_errors = [error.message for error in getattr(exc, "schema_errors", ())]
        reason = "; ".join(schema_errors) or str(exc)
        exc = None if schema_errors else exc.__cause__
    return said[:300] if said == reason or reason in said else f"{said[:300]}: {reason[:300]}"


class _Request:
    """A call in the shape that openapi-core reads."""

    host_url = "http://127.0.0.1"

    def __init__(self, call: Call, parameters):
        self.path = BASE + call.normal
        self.method = call.method.lower()
        self.parameters = parameters
        self.body = call.raw or None
        self.content_type = call.content_type or ""


class _Response:
    """An answer in the shape that openapi-core reads; a long list is reduced to a sample."""

    def __init__(self, answer: Answer, make_headers):
        self.status_code = answer.status
        self.headers = make_headers(list(answer.headers.items()))
        self.content_type = answer.content_type or ""
        self.data = _sampled(answer.body) if len(answer.body) > 4096 else answer.body


def _sampled(body: bytes) -> bytes:
    try:
        content = json.loads(body)
    except ValueError:
        return body
    rows = content.get("data") if isinstance(content, dict) else content
    if not isinstance(rows, list) or len(rows) <= SAMPLE:
        return body
    sample = [rows[number * (len(rows) - 1) // (SAMPLE - 1)] for number in range(SAMPLE)]
    return dumps({**content, "data": sample} if isinstance(content, dict) else sample)
