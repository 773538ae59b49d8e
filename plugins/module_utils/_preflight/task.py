# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The work of service_info: ask once, say what was found; with ``schema`` read the OpenAPI file as well. Reads only."""

from __future__ import annotations

from urllib.parse import urlsplit

from ansible.module_utils.basic import missing_required_lib

from .._errors import CallError, NetworkError, Refused, ScannerError, printable
from .answer import CLOCK_WARNING, NOTHING_KNOWN, judge, not_the_api
from .compare import differences, is_openapi
from .openapi import HAS_YAML, Bounded, SchemaError, parse
from .relied_on import SCHEMA_PATH

YAML_TYPES = "application/yaml, application/json, text/yaml, */*"


def read_service(task):
    """The result of service_info. Raises Refused for what ``required`` demands and is not there."""
    params = task.params
    if params["schema"] and not HAS_YAML:
        raise Refused(missing_required_lib("PyYAML"))
    transport = task.client.transport
    if not params["required"]:
        # what is found at once is the answer; waiting is for those who need the service
        transport.connection = transport.connection._replace(retries=0, rate_limit_wait=0)
    known, error = _ask(transport)
    document, problem = None, None
    stranger = transport.last if known["is_api"] is False else None
    if params["schema"] or stranger:
        document, problem = _published(transport)
    if stranger:
        known["problem"] = not_the_api(stranger, known["found"], published=document is not None)
    elif error is not None:
        known["problem"] = str(error)
    if params["schema"]:
        known.update(_compared(transport, document, problem))
        if problem:
            task.warn(problem)
    if known["problem"] and params["required"]:
        raise Refused(known["problem"], service=known, **(error.result if error else {}))
    _warn(task, known)
    return dict(service=known)


def _ask(transport):
    """(what is known, the CallError or None) after ``GET /workspaces``."""
    error = None
    try:
        transport.send("GET", "/workspaces")
    except CallError as caught:
        error = caught
    answer = transport.last
    if answer is None:
        # a redirect is an answer, too, and not the service's
        known = dict(NOTHING_KNOWN, reachable=error.status is not None, status=error.status)
        if not isinstance(error, NetworkError):
            known.update(is_api=False, found="a redirect")
        return known, error
    return judge(answer), error


def _published(transport):
    """(the OpenAPI document that the host publishes, why there is none), one of them None."""
    sink = Bounded()
    try:
        transport.send("GET", SCHEMA_PATH, accept=YAML_TYPES, sink=sink, at_host=True)
        document = parse(sink.text) if HAS_YAML else None
        if not is_openapi(document):
            raise SchemaError("it is no OpenAPI 3 document")
    except SchemaError as error:
        return None, f"The service's OpenAPI file, GET {SCHEMA_PATH} on its host, was not compared: {error}."
    except ScannerError as error:
        return None, f"The service's OpenAPI file cannot be read: {error}"
    return document, None


def _compared(transport, document, problem):
    if document is None:
        return dict(schema_problem=problem)
    info = document.get("info")
    version = info.get("version") if isinstance(info, dict) else None
    return dict(
        schema=differences(document, urlsplit(transport.connection.base_url).path),
        schema_version=None if version is None else printable(version, 60),
    )


def _warn(task, known):
    skew = known["clock_skew"]
    if skew is not None and abs(skew) > CLOCK_WARNING:
        task.warn(
            f"the service's clock is {abs(skew)} s {'ahead of' if skew > 0 else 'behind'} the clock of this host: set the"
            " clock of this host, or mind the difference where times are compared."
        )
    if known["workspaces"] == []:
        task.warn("the key is accepted and sees no workspace: check in the web application what its owner may see.")
