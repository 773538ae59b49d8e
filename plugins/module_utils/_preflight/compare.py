# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""How an OpenAPI document differs from what the collection relies on. Pure."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from .._errors import printable
from .._families.family import Operation
from .._records import Record
from .relied_on import LARGEST, RELIED_ON, TYPE_OF, VALUES
from .result import Difference

# an object of the document; YAML has keys that are not strings, such as the status 200
Node = dict[Any, Any]

# header parameters of these names are to be ignored (OpenAPI 3.0.3, Parameter Object)
_EVERY_CALL_HAS = ("accept", "authorization", "content-type")
# query parameters that page a list
_PAGING = frozenset(
    ["page", "limit", "offset", "cursor", "per_page", "page_size", "page_token", "page_number", "starting_after"]
)
_MOST_URLS = 100
# references that lead to further references
_MOST_HOPS = 20


def openapi_of(document: object) -> Record | None:
    """The document if it is an OpenAPI 3 document with paths, else None."""
    if not isinstance(document, dict) or not isinstance(document.get("paths"), dict):
        return None
    return document if str(document.get("openapi", "")).startswith("3.") else None


def differences(document: Record, base_path: str, operations: Iterable[Operation] = RELIED_ON) -> list[Difference]:
    """What an OpenAPI 3 document lacks or contradicts of what the collection relies on.

    base_path: the path of base_url, such as ``/api/v2``.
    """
    comparison = _Comparison(document, base_path)
    found = [*comparison.servers(), *comparison.authentication()]
    for operation in operations:
        found += comparison.compare(operation)
    return found


def _difference(kind: str, part: str, operation: Operation | None, name: str, note: str) -> Difference:
    return Difference(kind, part, str(operation or ""), name, note)


_missing: Callable[[str, Operation | None, str, str], Difference] = partial(_difference, "missing")
_contradicts: Callable[[str, Operation | None, str, str], Difference] = partial(_difference, "contradicts")


def _deprecated(part: str, operation: Operation, name: str = "") -> Difference:
    return _difference("deprecated", part, operation, name, "the schema marks it as deprecated")


def _mapping(value: object) -> Node:
    return value if isinstance(value, dict) else {}


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _template(path: object) -> str:
    return re.sub(r"\{[^{}]*\}", "{}", str(path)).rstrip("/")


def _urls(server: object) -> Iterator[str]:
    """The addresses of a Server Object, each of its variables replaced by its values."""
    server = _mapping(server)
    url, variables = str(server.get("url") or ""), _mapping(server.get("variables"))
    names = [name for name in re.findall(r"\{([^{}]*)\}", url) if name in variables]
    values = [
        _listed(_mapping(variables[name]).get("enum")) or [_mapping(variables[name]).get("default")] for name in names
    ]
    for chosen in itertools.islice(itertools.product(*values), _MOST_URLS):
        filled = url
        for name, value in zip(names, chosen):
            filled = filled.replace(f"{{{name}}}", str(value).strip("/"))
        yield filled


def _takes_bearer(scheme: Node) -> bool:
    """Whether a security scheme accepts a bearer token in the header Authorization."""
    if str(scheme.get("type", "")).lower() == "apikey":
        return scheme.get("in") == "header" and str(scheme.get("name", "")).lower() == "authorization"
    return str(scheme.get("scheme", "")).lower() == "bearer"


class _Comparison:
    """An OpenAPI document and what it lacks. Nothing in the document is trusted to have the right shape."""

    def __init__(self, document: Record, base_path: str) -> None:
        self._document = document
        self._base_path = base_path
        self._urls = [url for server in _listed(document.get("servers")) for url in _urls(server)]
        self._paths = {_template(path): _mapping(item) for path, item in document["paths"].items()}
        # paths below each server: the path of a server and a path of the document
        self._full_paths: dict[str, Node] = {}
        for url in self._urls:
            server = re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*://[^/]*", "", url).rstrip("/")
            self._full_paths.update({_template(server) + path: item for path, item in self._paths.items()})

    def servers(self) -> Iterator[Difference]:
        below = _template(self._base_path) + "/"
        if not self._urls or any(path.startswith(below) for path in (*self._full_paths, *self._paths)):
            return
        shown = ", ".join(repr(printable(url, 100)) for url in self._urls[:5])
        note = f"base_url ends in {printable(self._base_path)!r}, the schema's servers are {shown}"
        yield _contradicts("server", None, "servers", note)

    def authentication(self) -> Iterator[Difference]:
        schemes = _mapping(_mapping(self._document.get("components")).get("securitySchemes"))
        resolved = [self._resolved(scheme) for scheme in schemes.values()]
        if not resolved:
            note = "the schema declares no authentication; the collection sends the key as a bearer token"
            yield _missing("authentication", None, "bearer", note)
        elif not any(_takes_bearer(each) for each in resolved):
            note = "the collection sends the key as a bearer token, which the schema does not declare"
            yield _contradicts("authentication", None, "bearer", note)

    def compare(self, operation: Operation) -> Iterator[Difference]:
        full_path = _template(self._base_path + operation.path)
        item = (
            self._full_paths.get(full_path) or self._paths.get(_template(operation.path)) or self._paths.get(full_path)
        )
        if item is None:
            yield _missing("operation", operation, "", "the schema has no such path")
            return
        item = self._resolved(item)
        described = item.get(operation.method.lower())
        if not isinstance(described, dict):
            yield _missing("operation", operation, "", "the schema has this path, but not this method")
            return
        if described.get("deprecated") is True:
            yield _deprecated("operation", operation)
        yield from self._parameters(operation, item, described)
        yield from self._body(operation, self._resolved(described.get("requestBody")))
        yield from self._answer(operation, _mapping(described.get("responses")))

    # ---- what is sent

    def _parameters(self, operation: Operation, item: Node, described: Node) -> Iterator[Difference]:
        parameters = {}
        for each in [*_listed(item.get("parameters")), *_listed(described.get("parameters"))]:
            parameter = self._resolved(each)
            parameters[str(parameter.get("in")), str(parameter.get("name"))] = parameter
        for name in operation.query:
            sent = parameters.get(("query", name))
            if sent is None:
                yield _missing("parameter", operation, name, "the schema has no such query parameter")
                continue
            if sent.get("deprecated") is True:
                yield _deprecated("parameter", operation, name)
            yield from self._value("parameter", operation, name, _mapping(sent.get("schema")))
        for (place, name), parameter in parameters.items():
            if place == "header" and name.lower() in _EVERY_CALL_HAS:
                continue
            if place in ("query", "header") and parameter.get("required") is True:
                note = f"the schema requires it in the {place}; the collection does not always send it"
                yield _contradicts("parameter", operation, printable(name, 100), note)
        if operation.is_list and not _PAGING.intersection(operation.query):
            for name in sorted(_PAGING.intersection(name for place, name in parameters if place == "query")):
                note = "the schema pages this list; the collection expects it in one answer"
                yield _contradicts("parameter", operation, name, note)

    def _body(self, operation: Operation, body: Node) -> Iterator[Difference]:
        encoding = operation.encoding
        if not encoding:
            if body.get("required") is True:
                note = "the schema requires a body; the collection sends none"
                yield _contradicts("body", operation, "", note)
            return
        media = {str(kind).partition(";")[0].strip(): each for kind, each in _mapping(body.get("content")).items()}
        if not media:
            note = f"the schema describes no body; the collection sends {encoding}"
            yield _missing("body", operation, "", note)
            return
        if encoding not in media:
            offered = ", ".join(printable(name, 60) for name in list(media)[:5])
            note = f"the collection sends the body as {encoding}; the schema has {offered}"
            yield _contradicts("body", operation, "", note)
        first, *_others = media.values()
        schema = _mapping(_mapping(media.get(encoding) or first).get("schema"))
        yield from self._body_fields(operation, schema)

    def _body_fields(self, operation: Operation, schema: Node) -> Iterator[Difference]:
        known = self._properties(schema)
        for name in operation.always + operation.sometimes if known else ():
            if name in known:
                yield from self._value("body", operation, name, known[name][0])
            else:
                yield _missing("body", operation, name, "the schema's body has no such field")
        for name in self._required(schema):
            if name not in operation.always:
                note = "the schema requires it in the body; the collection does not always send it"
                yield _contradicts("body", operation, printable(name, 100), note)

    def _value(self, part: str, operation: Operation, name: str, schema: object) -> Iterator[Difference]:
        """Whether a schema accepts what is sent."""
        yield from self._type(part, operation, name, [schema])
        plain = self._alternatives(schema)
        limits = [each["maximum"] for each in plain if isinstance(each.get("maximum"), (int, float))]
        if name in LARGEST and limits and max(limits) < LARGEST[name]:
            note = f"the collection sends {LARGEST[name]}; the schema's maximum is {max(limits)}"
            yield _contradicts(part, operation, name, note)
        allowed = [value for each in plain for value in _listed(each.get("enum"))]
        refused = [value for value in VALUES.get((str(operation), name), ()) if allowed and value not in allowed]
        if refused:
            yield _contradicts(part, operation, name, f"the schema's enumeration lacks {', '.join(refused)}")

    # ---- what is read

    def _answer(self, operation: Operation, responses: Node) -> Iterator[Difference]:
        successes = [
            self._resolved(answer) for status, answer in responses.items() if re.fullmatch("2..|default", str(status))
        ]
        media = [
            (str(kind), _mapping(each))
            for answer in successes
            for kind, each in _mapping(answer.get("content")).items()
        ]
        for wanted in operation.accepts if media else ():
            if wanted != "*/*" and not any(kind.startswith(wanted) for kind, _each in media):
                note = f"the collection requests {wanted}, which the schema does not offer"
                yield _contradicts("answer", operation, wanted, note)
        if operation.fields or operation.one_of:
            schemas = [_mapping(each.get("schema")) for kind, each in media if "json" in kind]
            yield from self._answer_fields(operation, schemas)

    def _answer_fields(self, operation: Operation, schemas: list[Node]) -> Iterator[Difference]:
        known = self._record(schemas, operation.inside)
        if not known:
            note = "the schema does not describe the fields of the answer, so they cannot be compared"
            yield _missing("answer", operation, "", note)
            return
        if not any(self._has_envelope(schema, operation.is_list) for schema in schemas):
            note = "the collection reads data, which the schema's answer does not have"
            yield _contradicts("answer", operation, "data", note)
        for name in operation.fields:
            other = operation.also.get(name)
            if name not in known and other in known:
                name = other
            if name in known:
                yield from self._type("field", operation, name, known[name])
            else:
                yield _missing("field", operation, name, "the schema's answer has no such field")
        if operation.one_of and not any(name in known for name in operation.one_of):
            note = f"the schema's answer has none of {', '.join(operation.one_of)}"
            yield _missing("field", operation, operation.one_of[0], note)

    def _has_envelope(self, schema: Node, is_list: bool) -> bool:
        """Whether an answer is wrapped in data. A list need not be."""
        return "data" in self._properties(schema) or (is_list and bool(self._items(schema)))

    def _record(self, schemas: list[Node], inside: str) -> dict[str, list[object]]:
        """The properties of the records in an answer: the schemas of each name."""
        views: list[object] = list(schemas)
        for step in filter(None, ("data", inside)):
            inner = [each for view in views for each in self._properties(view).get(step, ())]
            # a list without the documented envelope is read as well
            views = [each for view in inner or views for each in self._items(view) or [view]]
        known: dict[str, list[object]] = {}
        for view in views:
            for name, described in self._properties(view).items():
                known.setdefault(name, []).extend(described)
        return known

    def _type(self, part: str, operation: Operation, name: str, schemas: list[object]) -> Iterator[Difference]:
        expected = TYPE_OF.get(name)
        types = {each for schema in schemas for each in self._types(schema)}
        if expected and types and expected not in types and not (expected == "integer" and "number" in types):
            shown = " or ".join(sorted(printable(each, 40) for each in types))
            note = f"the collection expects {expected}; the schema says {shown}"
            yield _contradicts(part, operation, name, note)

    # ---- reading schemas

    def _resolved(self, node: object) -> Node:
        """A node, or what its reference points to; {} for anything else. Other files are never read."""
        for _hop in range(_MOST_HOPS):
            found = _mapping(node)
            if found.get("$ref") is None:
                return found
            node = self._target(str(found["$ref"]))
        return {}

    def _target(self, reference: str) -> object:
        """What a reference within the document points to, or None."""
        if not reference.startswith("#/"):
            return None
        found: object = self._document
        for part in reference[2:].split("/"):
            found = _mapping(found).get(part.replace("~1", "/").replace("~0", "~"))
        return found

    def _combined(self, schema: object, *keys: str) -> list[Node]:
        """A schema and the schemas below these keys, at any depth, each once: references may form a cycle."""
        waiting: list[object] = [schema]
        seen: set[int] = set()
        found = []
        while waiting:
            node = self._resolved(waiting.pop())
            if id(node) in seen:
                continue
            seen.add(id(node))
            found.append(node)
            for key in keys:
                waiting += _listed(node.get(key))
        return found

    def _alternatives(self, schema: object) -> list[Node]:
        return self._combined(schema, "allOf", "oneOf", "anyOf")

    def _properties(self, schema: object) -> dict[str, list[object]]:
        known: dict[str, list[object]] = {}
        for each in self._alternatives(schema):
            for name, inner in _mapping(each.get("properties")).items():
                known.setdefault(str(name), []).append(inner)
        return known

    def _items(self, schema: object) -> list[object]:
        return [each["items"] for each in self._alternatives(schema) if isinstance(each.get("items"), dict)]

    def _required(self, schema: object) -> list[str]:
        """The fields that a body must have, without those of alternatives."""
        return [str(name) for each in self._combined(schema, "allOf") for name in _listed(each.get("required"))]

    def _types(self, schema: object) -> set[str]:
        types = [each.get("type") for each in self._alternatives(schema)]
        flat = [one for each in types for one in (each if isinstance(each, list) else [each])]
        return {str(one) for one in flat if one not in (None, "null")}
