# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""How an OpenAPI document differs from what the collection relies on. Pure."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Any

from .._errors import printable
from .._families.family import Operation
from .._records import Record
from .relied_on import LARGEST, RELIED_ON, TYPE_OF, VALUES

# an object of the document; YAML has keys that are not strings, such as the status 200
Node = dict[Any, Any]
# one difference: kind, part, name of the parameter or field, and note, as service_info documents them
Found = Iterator[tuple[str, str, str, str]]

# header parameters of these names are to be ignored (OpenAPI 3.0.3, Parameter Object)
_EVERY_CALL_HAS = ("accept", "authorization", "content-type")
# query parameters that page a list
_PAGING = frozenset(
    ["page", "limit", "offset", "cursor", "per_page", "page_size", "page_token", "page_number", "starting_after"]
)
_MOST_URLS = 100
# references that lead to further references
_MOST_HOPS = 20
_DEPRECATED = "the schema marks it as deprecated"
# the keys that hold the alternatives of a schema
_ALTERNATIVES = ("allOf", "oneOf", "anyOf")


def openapi_of(document: object) -> Record | None:
    """The document if it is an OpenAPI 3 document with paths, else None."""
    if not isinstance(document, dict) or not isinstance(document.get("paths"), dict):
        return None
    return document if str(document.get("openapi", "")).startswith("3.") else None


def differences(document: Record, base_path: str, operations: Iterable[Operation] = RELIED_ON) -> list[Record]:
    """What an OpenAPI 3 document lacks or contradicts of what the collection relies on.

    base_path: the path of base_url, such as ``/api/v2``.
    """
    comparison = _Comparison(document, base_path)
    found = [("", each) for each in itertools.chain(comparison.servers(), comparison.authentication())]
    found += [(str(operation), each) for operation in operations for each in comparison.compare(operation)]
    return [
        dict(kind=kind, part=part, operation=operation, name=name, note=note)
        for operation, (kind, part, name, note) in found
    ]


def _mapping(value: object) -> Node:
    return value if isinstance(value, dict) else {}


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _template(path: object) -> str:
    return re.sub(r"\{[^{}]*\}", "{}", str(path)).rstrip("/")


def _urls(server: object) -> list[str]:
    """The addresses of a Server Object, each of its variables replaced by its values."""
    server = _mapping(server)
    urls = [str(server.get("url") or "")]
    for name, variable in _mapping(server.get("variables")).items():
        values = _listed(_mapping(variable).get("enum")) or [_mapping(variable).get("default")]
        filled = (url.replace(f"{{{name}}}", str(value).strip("/")) for url in urls for value in values)
        urls = list(itertools.islice(filled, _MOST_URLS))
    return urls


def _takes_bearer(scheme: Node) -> bool:
    """Whether a security scheme accepts a bearer token in the header Authorization."""
    if str(scheme.get("type", "")).lower() == "apikey":
        return scheme.get("in") == "header" and str(scheme.get("name", "")).lower() == "authorization"
    return str(scheme.get("scheme", "")).lower() == "bearer"


class _Comparison:
    """Compares an OpenAPI document. Nothing in the document is trusted to have the right shape."""

    def __init__(self, document: Record, base_path: str) -> None:
        self._document = document
        self._base_path = base_path
        self._urls = [url for server in _listed(document.get("servers")) for url in _urls(server)]
        servers = [re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*://[^/]*", "", url).rstrip("/") for url in self._urls]
        # the paths of the document, alone and below each server
        self._paths = {
            _template(server) + _template(path): self._resolved(item)
            for server in ("", *servers)
            for path, item in document["paths"].items()
        }

    def servers(self) -> Found:
        below = _template(self._base_path) + "/"
        if self._urls and not any(path.startswith(below) for path in self._paths):
            shown = ", ".join(repr(printable(url, 100)) for url in self._urls[:5])
            note = f"base_url ends in {printable(self._base_path)!r}, the schema's servers are {shown}"
            yield "contradicts", "server", "servers", note

    def authentication(self) -> Found:
        schemes = _mapping(_mapping(self._document.get("components")).get("securitySchemes")).values()
        if not any(_takes_bearer(self._resolved(each)) for each in schemes):
            note = "the collection sends the key as a bearer token, which the schema does not declare"
            yield "contradicts" if schemes else "missing", "authentication", "bearer", note

    def compare(self, operation: Operation) -> Found:
        paths = (self._base_path + operation.path, operation.path)
        item = next(filter(None, (self._paths.get(_template(path)) for path in paths)), {})
        described = item.get(operation.method.lower())
        if not isinstance(described, dict):
            yield "missing", "operation", "", "the schema has no such path and method"
            return
        if described.get("deprecated") is True:
            yield "deprecated", "operation", "", _DEPRECATED
        yield from self._parameters(operation, item, described)
        yield from self._body(operation, self._resolved(described.get("requestBody")))
        yield from self._answer(operation, _mapping(described.get("responses")))

    # ---- what is sent

    def _parameters(self, operation: Operation, item: Node, described: Node) -> Found:
        resolved = map(self._resolved, (*_listed(item.get("parameters")), *_listed(described.get("parameters"))))
        parameters = {(str(each.get("in")), str(each.get("name"))): each for each in resolved}
        for name in operation.query:
            sent = parameters.get(("query", name))
            if sent is None:
                yield "missing", "parameter", name, "the schema has no such query parameter"
                continue
            if sent.get("deprecated") is True:
                yield "deprecated", "parameter", name, _DEPRECATED
            yield from self._value("parameter", operation, name, sent.get("schema"))
        pages = operation.is_list and not _PAGING.intersection(operation.query)
        for (place, name), parameter in parameters.items():
            if parameter.get("required") is True and (
                place == "query" or (place == "header" and name.lower() not in _EVERY_CALL_HAS)
            ):
                note = f"the schema requires it in the {place}; the collection does not always send it"
                yield "contradicts", "parameter", printable(name, 100), note
            if pages and place == "query" and name in _PAGING:
                note = "the schema pages this list; the collection expects it in one answer"
                yield "contradicts", "parameter", name, note

    def _body(self, operation: Operation, body: Node) -> Found:
        encoding = operation.encoding
        if not encoding:
            if body.get("required") is True:
                yield "contradicts", "body", "", "the schema requires a body; the collection sends none"
            return
        media = {str(kind).partition(";")[0].strip(): each for kind, each in _mapping(body.get("content")).items()}
        if not media:
            yield "missing", "body", "", f"the schema describes no body; the collection sends {encoding}"
            return
        if encoding not in media:
            offered = ", ".join(printable(name, 60) for name in list(media)[:5])
            note = f"the collection sends the body as {encoding}; the schema has {offered}"
            yield "contradicts", "body", "", note
        schema = _mapping(media.get(encoding) or next(iter(media.values()))).get("schema")
        known = self._properties(schema)
        for name in operation.always + operation.sometimes if known else ():
            if name in known:
                yield from self._value("body", operation, name, known[name][0])
            else:
                yield "missing", "body", name, "the schema's body has no such field"
        # without those of alternatives
        required = [str(name) for each in self._parts(schema, keys=["allOf"]) for name in _listed(each.get("required"))]
        for name in required:
            if name not in operation.always:
                note = "the schema requires it in the body; the collection does not always send it"
                yield "contradicts", "body", printable(name, 100), note

    def _value(self, part: str, operation: Operation, name: str, schema: object) -> Found:
        """Whether a schema accepts what is sent."""
        yield from self._type(part, name, [schema])
        plain = self._parts(schema)
        limits = [each["maximum"] for each in plain if isinstance(each.get("maximum"), (int, float))]
        if name in LARGEST and limits and max(limits) < LARGEST[name]:
            note = f"the collection sends {LARGEST[name]}; the schema's maximum is {max(limits)}"
            yield "contradicts", part, name, note
        allowed = [value for each in plain for value in _listed(each.get("enum"))]
        refused = [value for value in VALUES.get((str(operation), name), ()) if allowed and value not in allowed]
        if refused:
            yield "contradicts", part, name, f"the schema's enumeration lacks {', '.join(refused)}"

    # ---- what is read

    def _answer(self, operation: Operation, responses: Node) -> Found:
        media = [
            (str(kind), _mapping(each).get("schema"))
            for status, answer in responses.items()
            if re.fullmatch("2..|default", str(status))
            for kind, each in _mapping(self._resolved(answer).get("content")).items()
        ]
        for wanted in operation.accepts if media else ():
            if wanted != "*/*" and not any(kind.startswith(wanted) for kind, _schema in media):
                note = f"the collection requests {wanted}, which the schema does not offer"
                yield "contradicts", "answer", wanted, note
        if operation.fields or operation.one_of:
            yield from self._answer_fields(operation, [schema for kind, schema in media if "json" in kind])

    def _answer_fields(self, operation: Operation, schemas: list[object]) -> Found:
        known = self._record(schemas, operation.inside)
        if not known:
            note = "the schema does not describe the fields of the answer, so they cannot be compared"
            yield "missing", "answer", "", note
            return
        # a list need not be wrapped in data
        if not any("data" in self._properties(each) or (operation.is_list and self._items(each)) for each in schemas):
            note = "the collection reads data, which the schema's answer does not have"
            yield "contradicts", "answer", "data", note
        for name in operation.fields:
            other = operation.also.get(name)
            if name not in known and other in known:
                name = other
            if name in known:
                yield from self._type("field", name, known[name])
            else:
                yield "missing", "field", name, "the schema's answer has no such field"
        if operation.one_of and not any(name in known for name in operation.one_of):
            note = f"the schema's answer has none of {', '.join(operation.one_of)}"
            yield "missing", "field", operation.one_of[0], note

    def _record(self, views: list[object], inside: str) -> dict[str, list[object]]:
        """The properties of the records in an answer: the schemas of each name."""
        for step in filter(None, ("data", inside)):
            inner = [each for view in views for each in self._properties(view).get(step, ())]
            # a list without the documented envelope is read as well
            views = [each for view in inner or views for each in self._items(view) or [view]]
        return self._properties(*views)

    def _type(self, part: str, name: str, schemas: list[object]) -> Found:
        expected = TYPE_OF.get(name)
        kinds = [each.get("type") for each in self._parts(*schemas)]
        types = {str(one) for each in kinds for one in (_listed(each) or [each]) if one not in (None, [], "null")}
        if expected == "integer" and "number" in types:
            return
        if expected and types and expected not in types:
            shown = " or ".join(sorted(printable(each, 40) for each in types))
            yield "contradicts", part, name, f"the collection expects {expected}; the schema says {shown}"

    # ---- reading schemas

    def _resolved(self, node: object) -> Node:
        """A node, or what its reference points to; {} for anything else. Other files are never read."""
        for _hop in range(_MOST_HOPS):
            found = _mapping(node)
            reference = found.get("$ref")
            if reference is None:
                return found
            node = self._document if str(reference).startswith("#/") else None
            for step in str(reference)[2:].split("/"):
                node = _mapping(node).get(step.replace("~1", "/").replace("~0", "~"))
        return {}

    def _parts(self, *schemas: object, keys: Iterable[str] = _ALTERNATIVES) -> list[Node]:
        """Schemas and the schemas below these keys, at any depth, each once: references may form a cycle."""
        waiting = list(schemas)
        found: dict[int, Node] = {}
        while waiting:
            node = self._resolved(waiting.pop())
            if id(node) not in found:
                found[id(node)] = node
                waiting += [inner for key in keys for inner in _listed(node.get(key))]
        return list(found.values())

    def _properties(self, *schemas: object) -> dict[str, list[object]]:
        known: dict[str, list[object]] = {}
        for each in self._parts(*schemas):
            for name, inner in _mapping(each.get("properties")).items():
                known.setdefault(str(name), []).append(inner)
        return known

    def _items(self, schema: object) -> list[object]:
        return [each["items"] for each in self._parts(schema) if isinstance(each.get("items"), dict)]
