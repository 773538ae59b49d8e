# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Reads the OpenAPI file of the service within bounds, as untrusted YAML or JSON, and compares it with what we rely on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from ansible.module_utils.common.yaml import HAS_YAML, SafeLoader

from .._http.answer import Answer
from .._model.errors import ScannerError, printable
from .._model.family import Operation
from .._model.records import Record
from .._model.strict_json import without_halves
from .relied_on import LARGEST, RELIED_ON, TYPE_OF, VALUES

try:
    import yaml
except ImportError:
    # service_info checks HAS_YAML
    pass

LARGEST_FILE = 4 * 1024 * 1024
# nodes of the document, with each alias expanded
MOST_NODES = 300000
# the C reader of PyYAML has no limit and crashes the process
DEEPEST = 200
# digits of a number; the time to read one grows with their square
LONGEST_NUMBER = 100

# what a plain scalar must look like to become a number
_NUMBER = re.compile(r"[-+0-9A-Fa-fXxOo_.:\s]+")

__all__ = ("HAS_YAML", "Bounded", "SchemaError", "parse")


class SchemaError(ScannerError):
    """The OpenAPI file cannot be read; the text is a clause."""


class Bounded:
    """A sink for ``Transport.send`` that holds an answer in memory and refuses one that is too large."""

    def __init__(self) -> None:
        self.text = bytearray()

    def restart(self, _answer: Answer) -> None:
        del self.text[:]

    def write(self, piece: bytes) -> None:
        self.text += piece
        if len(self.text) > LARGEST_FILE:
            raise SchemaError(f"it is larger than {LARGEST_FILE // 1024 // 1024} MiB")


def parse(text: bytes | bytearray) -> object:
    """The document in a YAML text. Raises SchemaError."""
    text = bytes(text)
    try:
        _refuse_excess(yaml.parse(text, Loader=SafeLoader))
        return without_halves(yaml.load(text, Loader=SafeLoader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        reason = printable(getattr(error, "problem", None) or error, 100)
        raise SchemaError(f"it is not valid YAML ({where}{reason})") from None
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise SchemaError(f"it is not valid YAML ({type(error).__name__})") from None


def _refuse_excess(events: Iterable[yaml.Event]) -> None:
    """Refuse a document that is too deep, or too large when each alias counts as the node that it repeats."""
    size = 0
    # the anchor of each open collection, and the size before it
    opened: list[tuple[str | None, int]] = []
    sizes: dict[str | None, int] = {}
    for event in events:
        if isinstance(event, yaml.CollectionEndEvent):
            anchor, before = opened.pop()
            sizes[anchor] = size - before
        elif isinstance(event, yaml.CollectionStartEvent):
            opened.append((event.anchor, size))
            sizes.pop(event.anchor, None)
            size += 1
        elif isinstance(event, yaml.ScalarEvent):
            sizes[event.anchor] = 1
            size += 1
            if len(event.value) > LONGEST_NUMBER and not event.implicit[1] and _NUMBER.fullmatch(event.value):
                raise SchemaError("a number in it is too long")
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in sizes:
                raise SchemaError("one of its aliases refers to no earlier, complete node")
            size += sizes[event.anchor]
        if size > MOST_NODES:
            raise SchemaError(f"it has more than {MOST_NODES} nodes when its aliases are expanded")
        if len(opened) > DEEPEST:
            raise SchemaError(f"it is nested deeper than {DEEPEST} levels")


# one difference: kind, part, name of the parameter or field, and note, as service_info documents them
Found = Iterator[tuple[str, str, str, str]]

# header parameters of these names are to be ignored (OpenAPI 3.0.3, Parameter Object)
_EVERY_CALL_HAS = ("accept", "authorization", "content-type")
# query parameters that page a list
_PAGING = frozenset(
    ["page", "limit", "offset", "cursor", "per_page", "page_size", "page_token", "page_number", "starting_after"]
)
# references that lead to further references
_MOST_HOPS = 20
_DEPRECATED = "the schema marks it as deprecated"


def openapi_of(document: object) -> Record | None:
    """The document if it is an OpenAPI 3 document with paths, else None."""
    if not isinstance(document, dict) or not isinstance(document.get("paths"), dict):
        return None
    return document if str(document.get("openapi", "")).startswith("3.") else None


def differences(document: Record, base_path: str, operations: Iterable[Operation] = RELIED_ON) -> list[Record]:
    """What an OpenAPI 3 document lacks or contradicts of what the collection relies on.

    base_path: the path of base_url, such as ``/api/v2``.
    """
    top = _Node(document, document)
    urls = [str(server.value.get("url") or "") for server in top.listed("servers")]
    servers = [re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*://[^/]*", "", url).rstrip("/") for url in urls]
    # the paths of the document, alone and below each server
    paths = {
        _template(server) + _template(path): item
        for server in ("", *servers)
        for path, item in top["paths"].members().items()
    }
    found = [("", each) for each in _service(top, urls, paths, base_path)]
    for operation in operations:
        templates = (_template(base_path + operation.path), _template(operation.path))
        item = next((paths[path] for path in templates if path in paths and paths[path].value), _Node(document, None))
        found += [(str(operation), each) for each in _compare(operation, item)]
    return [
        dict(kind=kind, part=part, operation=operation, name=name, note=note)
        for operation, (kind, part, name, note) in found
    ]


class _Node:
    """A place in the document, behind its references. Nothing in it is trusted to have the right shape.

    value: its members by their names, which need not be texts: YAML has keys such as the status 200.
    """

    def __init__(self, document: Record, value: object) -> None:
        self._document = document
        self.value: dict[Any, Any] = {}
        for _hop in range(_MOST_HOPS):
            found = value if isinstance(value, dict) else {}
            reference = found.get("$ref")
            if reference is None:
                self.value = found
                return
            # other files are never read
            value = document if str(reference).startswith("#/") else None
            for step in str(reference)[2:].split("/"):
                value = value.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(value, dict) else None

    def __getitem__(self, name: str) -> _Node:
        return _Node(self._document, self.value.get(name))

    def members(self) -> dict[str, _Node]:
        return {str(name): _Node(self._document, value) for name, value in self.value.items()}

    def values(self, name: str) -> list[Any]:
        """The items of the list with this name."""
        found = self.value.get(name)
        return found if isinstance(found, list) else []

    def listed(self, name: str) -> list[_Node]:
        """The same items as nodes."""
        return [_Node(self._document, value) for value in self.values(name)]

    def has(self, name: str) -> bool:
        return self.value.get(name) is True


def _parts(*schemas: _Node, keys: Iterable[str] = ("allOf", "oneOf", "anyOf")) -> list[_Node]:
    """Schemas and the schemas below these keys, at any depth, each once: references may form a cycle."""
    waiting = list(schemas)
    found: dict[int, _Node] = {}
    while waiting:
        node = waiting.pop()
        if id(node.value) not in found:
            found[id(node.value)] = node
            waiting += [inner for key in keys for inner in node.listed(key)]
    return list(found.values())


def _properties(*schemas: _Node) -> dict[str, list[_Node]]:
    known: dict[str, list[_Node]] = {}
    for each in _parts(*schemas):
        for name, inner in each["properties"].members().items():
            known.setdefault(name, []).append(inner)
    return known


def _items(schema: _Node) -> list[_Node]:
    return [each["items"] for each in _parts(schema) if isinstance(each.value.get("items"), dict)]


def _template(path: str) -> str:
    return re.sub(r"\{[^{}]*\}", "{}", path).rstrip("/")


# --- the service


def _service(top: _Node, urls: list[str], paths: Iterable[str], base_path: str) -> Found:
    is_known = any(path.startswith(f"{_template(base_path)}/") for path in paths)
    # a variable may have any value
    if urls and not is_known and not any("{" in url for url in urls):
        shown = ", ".join(repr(printable(url, 100)) for url in urls[:5])
        note = f"base_url ends in {printable(base_path)!r}, the schema's servers are {shown}"
        yield "contradicts", "server", "servers", note
    schemes = top["components"]["securitySchemes"].members().values()
    if not any(str(each.value.get("scheme")).lower() == "bearer" for each in schemes):
        note = "the collection sends the key as a bearer token, which the schema does not declare"
        yield "contradicts" if schemes else "missing", "authentication", "bearer", note


# --- a call


def _compare(operation: Operation, item: _Node) -> Found:
    described = item[operation.method.lower()]
    # an operation that describes nothing exists
    if operation.method.lower() not in item.value:
        yield "missing", "operation", "", "the schema has no such path and method"
        return
    if described.has("deprecated"):
        yield "deprecated", "operation", "", _DEPRECATED
    found = [*_parameters(operation, [*item.listed("parameters"), *described.listed("parameters")])]
    found += _body(operation, described["requestBody"])
    # what is sent in the query and in the body is missing only where neither has it
    twice = set(operation.query).intersection(operation.always + operation.sometimes)
    missing = Counter(name for kind, _part, name, _note in found if kind == "missing")
    yield from (each for each in found if each[0] != "missing" or each[2] not in twice or missing[each[2]] == 2)
    yield from _answer(operation, described["responses"].members())


def _parameters(operation: Operation, listed: Iterable[_Node]) -> Found:
    parameters = {(str(each.value.get("in")), str(each.value.get("name"))): each for each in listed}
    for name in operation.query:
        sent = parameters.get(("query", name))
        if sent is None:
            yield "missing", "parameter", name, "the schema has no such query parameter"
            continue
        if sent.has("deprecated"):
            yield "deprecated", "parameter", name, _DEPRECATED
        yield from _value("parameter", operation, name, sent["schema"])
    pages = operation.is_list and not _PAGING.intersection(operation.query)
    for (place, name), parameter in parameters.items():
        is_ours = place == "query" or (place == "header" and name.lower() not in _EVERY_CALL_HAS)
        if is_ours and parameter.has("required"):
            note = f"the schema requires it in the {place}; the collection does not always send it"
            yield "contradicts", "parameter", printable(name, 100), note
        if pages and place == "query" and name in _PAGING:
            note = "the schema pages this list; the collection expects it in one answer"
            yield "contradicts", "parameter", name, note


def _body(operation: Operation, body: _Node) -> Found:
    encoding = operation.encoding
    if not encoding:
        if body.has("required"):
            yield "contradicts", "body", "", "the schema requires a body; the collection sends none"
        return
    media = {kind.partition(";")[0].strip(): each for kind, each in body["content"].members().items()}
    if not media:
        yield "missing", "body", "", f"the schema describes no body; the collection sends {encoding}"
        return
    if encoding not in media:
        offered = ", ".join(printable(name, 60) for name in list(media)[:5])
        yield "contradicts", "body", "", f"the collection sends the body as {encoding}; the schema has {offered}"
    first, *_others = media.values()
    schema = media.get(encoding, first)["schema"]
    known = _properties(schema)
    for name in operation.always + operation.sometimes if known else ():
        if name in known:
            yield from _value("body", operation, name, known[name][0])
        else:
            yield "missing", "body", name, "the schema's body has no such field"
    # without those of alternatives
    for name in (str(name) for each in _parts(schema, keys=["allOf"]) for name in each.values("required")):
        if name not in operation.always:
            note = "the schema requires it in the body; the collection does not always send it"
            yield "contradicts", "body", printable(name, 100), note


def _value(part: str, operation: Operation, name: str, schema: _Node) -> Found:
    """Whether a schema accepts what is sent."""
    # a PATCH sends an object for each field
    yield from _type(part, name, [schema], "object" if operation.method == "PATCH" else TYPE_OF.get(name))
    parts = _parts(schema)
    limits = [each.value["maximum"] for each in parts if isinstance(each.value.get("maximum"), (int, float))]
    if name in LARGEST and limits and max(limits) < LARGEST[name]:
        yield "contradicts", part, name, f"the collection sends {LARGEST[name]}; the schema's maximum is {max(limits)}"
    allowed = [value for each in parts for value in each.values("enum")]
    refused = [value for value in VALUES.get((str(operation), name), ()) if allowed and value not in allowed]
    if refused:
        yield "contradicts", part, name, f"the schema's enumeration lacks {', '.join(refused)}"


def _answer(operation: Operation, responses: dict[str, _Node]) -> Found:
    media = [
        (kind, each["schema"])
        for status, answer in responses.items()
        if re.fullmatch("2..|default", status)
        for kind, each in answer["content"].members().items()
    ]
    for wanted in operation.accepts if media else ():
        if wanted != "*/*" and not any(kind.startswith(wanted) for kind, _schema in media):
            yield "contradicts", "answer", wanted, f"the collection requests {wanted}, which the schema does not offer"
    if not (operation.fields or operation.one_of):
        return
    schemas = [schema for kind, schema in media if "json" in kind]
    records = schemas
    for step in filter(None, ("data", operation.inside)):
        inner = [each for record in records for each in _properties(record).get(step, ())]
        # a list without the documented envelope is read as well
        records = [each for record in inner or records for each in _items(record) or [record]]
    known = _properties(*records)
    if not known:
        note = "the schema does not describe the fields of the answer, so they cannot be compared"
        yield "missing", "answer", "", note
        return
    # a list need not be wrapped in data
    if not any("data" in _properties(each) or (operation.is_list and _items(each)) for each in schemas):
        yield "contradicts", "answer", "data", "the collection reads data, which the schema's answer does not have"
    for name in operation.fields:
        other = operation.also.get(name)
        name = other if other in known and name not in known else name
        if name in known:
            yield from _type("field", name, known[name], TYPE_OF.get(name))
        else:
            yield "missing", "field", name, "the schema's answer has no such field"
    if operation.one_of and known.keys().isdisjoint(operation.one_of):
        note = f"the schema's answer has none of {', '.join(operation.one_of)}"
        yield "missing", "field", operation.one_of[0], note


def _type(part: str, name: str, schemas: Iterable[_Node], expected: str | None) -> Found:
    kinds = (kind for each in _parts(*schemas) for kind in each.values("type") or [each.value.get("type")])
    types = {str(kind) for kind in kinds if kind not in (None, [], "null")}
    fits = not types or expected in types or (expected == "integer" and "number" in types)
    if expected and not fits:
        shown = " or ".join(sorted(printable(each, 40) for each in types))
        yield "contradicts", part, name, f"the collection expects {expected}; the schema says {shown}"
