# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The work of service_info: one call, and with ``schema`` the comparison of the OpenAPI file. Sends GET only."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple
from urllib.parse import urlsplit

from ansible.module_utils.basic import missing_required_lib

from .._errors import CallError, NetworkError, Refused, ScannerError, printable
from .._http.transport import Transport
from .._records import Record
from .._task import Task
from .answer import CLOCK_WARNING, judge, not_the_api
from .compare import differences, openapi_of
from .openapi import HAS_YAML, Bounded, SchemaError, parse
from .relied_on import SCHEMA_PATH, SCHEMA_TYPES
from .result import Preflight


class _Schema(NamedTuple):
    """The OpenAPI document that the host publishes, or why there is none: a sentence."""

    document: Record | None = None
    problem: str | None = None


def read_service(task: Task) -> Record:
    """The result of service_info. Raises Refused if ``required`` is set and the service cannot be used."""
    compare, required = task.params["schema"], task.params["required"]
    if compare and not HAS_YAML:
        raise Refused(missing_required_lib("PyYAML"))
    transport = task.client.transport
    if not required:
        _send_once(transport)
    known, error = _ask(transport)
    other = transport.last if known.is_api is False else None
    schema = _read_schema(transport) if compare or other else _Schema()
    if other:
        known = replace(known, problem=not_the_api(other, known.found, published=schema.document is not None))
    elif error:
        known = replace(known, problem=str(error))
    if compare:
        known = _compared(known, schema, urlsplit(transport.connection.base_url).path)
        if schema.problem:
            task.warn(schema.problem)
    if known.problem and required:
        raise Refused(known.problem, service=known.to_result(), **(error.result if error else {}))
    _warn(task, known)
    return dict(service=known.to_result())


def _send_once(transport: Transport) -> None:
    """Neither retry a call nor wait for the rate limit: what the first answer shows is the result."""
    transport.connection = transport.connection._replace(retries=0)
    transport.budget.seconds = 0


def _ask(transport: Transport) -> tuple[Preflight, CallError | None]:
    """What ``GET /workspaces`` shows, and its error."""
    error = None
    try:
        transport.send("GET", "/workspaces")
    except CallError as caught:
        error = caught
    if transport.last is not None:
        return judge(transport.last), error
    known = Preflight(reachable=error is not None and error.status is not None, status=error.status if error else None)
    if not isinstance(error, NetworkError):
        # a redirect is the answer of something other than the API
        known = replace(known, is_api=False, found="a redirect")
    return known, error


def _read_schema(transport: Transport) -> _Schema:
    sink = Bounded()
    try:
        transport.send("GET", SCHEMA_PATH, accept=SCHEMA_TYPES, sink=sink, at_host=True)
        document = openapi_of(parse(sink.text)) if HAS_YAML else None
        if document is None:
            raise SchemaError("it is not an OpenAPI 3 document")
    except SchemaError as error:
        return _Schema(problem=f"The OpenAPI file of the service (GET {SCHEMA_PATH}) was not compared: {error}.")
    except ScannerError as error:
        return _Schema(problem=f"The OpenAPI file of the service cannot be read: {error}")
    return _Schema(document)


def _compared(known: Preflight, schema: _Schema, base_path: str) -> Preflight:
    if schema.document is None:
        return replace(known, schema_problem=schema.problem)
    info = schema.document.get("info")
    version = info.get("version") if isinstance(info, dict) else None
    return replace(
        known,
        schema=differences(schema.document, base_path),
        schema_version=None if version is None else printable(version, 60),
    )


def _warn(task: Task, known: Preflight) -> None:
    skew = known.clock_skew
    if skew is not None and abs(skew) > CLOCK_WARNING:
        task.warn(
            f"The service's clock is {abs(skew)} s {'ahead of' if skew > 0 else 'behind'} the clock of this host. Set the"
            " clock of this host, or allow for the difference when you compare times."
        )
    if known.workspaces == []:
        task.warn(
            "The key is accepted, but no workspace is visible to it. Check the permissions of its owner in the web"
            " application."
        )
