# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""How an OpenAPI document differs from what the collection relies on. Pure."""

from __future__ import annotations

import itertools
import re

from .._errors import printable
from .relied_on import LARGEST, RELIED_ON, TYPE_OF, VALUES


def is_openapi(document):
    """Whether this is an OpenAPI 3 document with paths."""
    return (
        isinstance(document, dict)
        and str(document.get("openapi", "")).startswith("3.")
        and isinstance(document.get("paths"), dict)
    )


def differences(document, base_path, operations=RELIED_ON):
    """What an OpenAPI 3 document lacks or contradicts of what the collection relies on: a list of dicts with the keys
    kind (missing, contradicts, deprecated), part, operation, name and note.

    base_path: the path of base_url, as ``/api/v2``.
    """
    reading = _Reading(document, base_path)
    found = [*reading.servers(), *reading.authentication()]
    for operation in operations:
        found += reading.compare(operation)
    return found


def _difference(kind, part, operation, name, note):
    return dict(kind=kind, part=part, operation=str(operation), name=name, note=note)


def _mapping(value):
    return value if isinstance(value, dict) else {}


def _listed(value):
    return value if isinstance(value, list) else []


def _template(path):
    return re.sub(r"\{[^{}]*\}", "{}", str(path)).rstrip("/")


# header parameters of these names are to be ignored (OpenAPI 3.0.3, Parameter Object)
_EVERY_CALL_HAS = ("accept", "authorization", "content-type")
# parameters that cut a list into pages
_PAGING = frozenset(
    ["page", "limit", "offset", "cursor", "per_page", "page_size", "page_token", "page_number", "starting_after"]
)
_MOST_URLS = 100


def _urls(server):
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


def _takes_bearer(scheme):
    """Whether a bearer token in the header Authorization is what a security scheme asks for."""
    if str(scheme.get("type", "")).lower() == "apikey":
        return scheme.get("in") == "header" and str(scheme.get("name", "")).lower() == "authorization"
    return str(scheme.get("scheme", "")).lower() == "bearer"


class _Reading:
    """An OpenAPI document as it is compared. Nothing in it is trusted to have the right shape."""

    def __init__(self, document, base_path):
        self.document = document
        self.base_path = base_path
        self.urls = [url for server in _listed(document.get("servers")) for url in _urls(server)]
        self.paths = {_template(path): _mapping(item) for path, item in document["paths"].items()}
        # each operation by its whole path: that of a server, and its own
        self.whole = {}
        for url in self.urls:
            server = re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*://[^/]*", "", url).rstrip("/")
            self.whole.update({_template(server) + path: item for path, item in self.paths.items()})

    def servers(self):
        below = _template(self.base_path) + "/"
        if not self.urls or any(path.startswith(below) for path in (*self.whole, *self.paths)):
            return
        shown = ", ".join(repr(printable(url, 100)) for url in self.urls[:5])
        note = f"base_url ends in {printable(self.base_path)!r}, the schema's servers are {shown}"
        yield _difference("contradicts", "server", "", "servers", note)

    def authentication(self):
        schemes = _mapping(_mapping(self.document.get("components")).get("securitySchemes"))
        schemes = [self._resolved(scheme) for scheme in schemes.values()]
        if not schemes:
            note = "the schema names no way to send a key; the collection sends it as a bearer token"
            yield _difference("missing", "authentication", "", "bearer", note)
        elif not any(_takes_bearer(each) for each in schemes):
            note = "the collection sends the key as a bearer token, which the schema does not name"
            yield _difference("contradicts", "authentication", "", "bearer", note)

    def compare(self, operation):
        whole = _template(self.base_path + operation.path)
        item = self.whole.get(whole) or self.paths.get(_template(operation.path)) or self.paths.get(whole)
        if item is None:
            yield _difference("missing", "operation", operation, "", "the schema has no such path")
            return
        item = self._resolved(item)
        described = item.get(operation.method.lower())
        if not isinstance(described, dict):
            yield _difference("missing", "operation", operation, "", "the schema has the path without this method")
            return
        if described.get("deprecated") is True:
            yield _difference("deprecated", "operation", operation, "", "the schema calls it deprecated")
        yield from self._parameters(operation, item, described)
        yield from self._body(operation, self._resolved(described.get("requestBody")))
        yield from self._answer(operation, _mapping(described.get("responses")))

    # ---- what is sent

    def _parameters(self, operation, item, described):
        parameters = {}
        for each in [*_listed(item.get("parameters")), *_listed(described.get("parameters"))]:
            parameter = self._resolved(each)
            parameters[str(parameter.get("in")), str(parameter.get("name"))] = parameter
        for name in operation.query:
            parameter = parameters.get(("query", name))
            if parameter is None:
                yield _difference("missing", "parameter", operation, name, "the schema has no such query parameter")
                continue
            if parameter.get("deprecated") is True:
                yield _difference("deprecated", "parameter", operation, name, "the schema calls it deprecated")
            yield from self._value("parameter", operation, name, _mapping(parameter.get("schema")))
        for (place, name), parameter in parameters.items():
            if place == "header" and name.lower() in _EVERY_CALL_HAS:
                continue
            if place in ("query", "header") and parameter.get("required") is True:
                note = f"the schema demands it in the {place}, and the collection sends it not always, or never"
                yield _difference("contradicts", "parameter", operation, printable(name, 100), note)
        names = {name for place, name in parameters if place == "query"}
        if operation.is_list and not _PAGING.intersection(operation.query):
            for name in sorted(_PAGING.intersection(names)):
                note = "the schema cuts this list into pages, and the collection reads it whole"
                yield _difference("contradicts", "parameter", operation, name, note)

    def _body(self, operation, body):
        names = operation.always + operation.sometimes
        if not operation.encoding:
            if body.get("required") is True:
                note = "the schema demands a body, and the collection sends none"
                yield _difference("contradicts", "body", operation, "", note)
            return
        media = {str(kind).partition(";")[0].strip(): each for kind, each in _mapping(body.get("content")).items()}
        if not media:
            yield _difference(
                "missing", "body", operation, "", f"the schema describes no body; {operation.encoding} is sent"
            )
            return
        if operation.encoding not in media:
            offered = ", ".join(printable(name, 60) for name in list(media)[:5])
            note = f"the body is sent as {operation.encoding}, the schema has {offered}"
            yield _difference("contradicts", "body", operation, "", note)
        first, *_others = media.values()
        chosen = media.get(operation.encoding) or first
        schema = _mapping(_mapping(chosen).get("schema"))
        known = self._properties(schema)
        for name in names if known else ():
            if name not in known:
                yield _difference("missing", "body", operation, name, "the schema's body has no such field")
            for each in known.get(name, ())[:1]:
                yield from self._value("body", operation, name, each)
        for name in self._demanded(schema):
            if name not in operation.always:
                note = "the schema demands it in the body, and the collection sends it not always, or never"
                yield _difference("contradicts", "body", operation, printable(name, 100), note)

    def _value(self, part, operation, name, schema):
        """Whether a schema takes what is sent."""
        yield from self._type(part, operation, name, [schema])
        plain = self._alternatives(schema)
        limits = [each["maximum"] for each in plain if isinstance(each.get("maximum"), (int, float))]
        if name in LARGEST and limits and max(limits) < LARGEST[name]:
            note = f"{LARGEST[name]} is sent, the schema takes at most {max(limits)}"
            yield _difference("contradicts", part, operation, name, note)
        allowed = [value for each in plain for value in _listed(each.get("enum"))]
        lost = [value for value in VALUES.get((str(operation), name), ()) if allowed and value not in allowed]
        if lost:
            note = f"the schema's enumeration lacks {', '.join(lost)}"
            yield _difference("contradicts", part, operation, name, note)

    # ---- what is read

    def _answer(self, operation, responses):
        good = [
            self._resolved(answer) for status, answer in responses.items() if re.fullmatch("2..|default", str(status))
        ]
        media = [
            (str(kind), _mapping(each)) for answer in good for kind, each in _mapping(answer.get("content")).items()
        ]
        for wanted in operation.accepts if media else ():
            if wanted != "*/*" and not any(kind.startswith(wanted) for kind, _each in media):
                note = f"the answer is asked for as {wanted}, which the schema does not have"
                yield _difference("contradicts", "answer", operation, wanted, note)
        if not operation.fields and not operation.one_of:
            return
        views = [_mapping(each.get("schema")) for kind, each in media if "json" in kind]
        known = self._record(views, operation.inside)
        if not known:
            note = "the schema does not say which fields the answer has, so they cannot be compared"
            yield _difference("missing", "answer", operation, "", note)
            return
        if not any(self._has_envelope(view, operation.is_list) for view in views):
            note = "the collection reads what is in data, and the schema's answer has no data"
            yield _difference("contradicts", "answer", operation, "data", note)
        for name in operation.fields:
            other = (operation.also or {}).get(name)
            if name not in known and other in known:
                name = other
            if name not in known:
                yield _difference("missing", "field", operation, name, "the schema's answer has no such field")
            else:
                yield from self._type("field", operation, name, known[name])
        if operation.one_of and not any(name in known for name in operation.one_of):
            note = f"the schema's answer has none of {', '.join(operation.one_of)}"
            yield _difference("missing", "field", operation, operation.one_of[0], note)

    def _has_envelope(self, schema, is_list):
        """Whether an answer has its content in data. A list may come without."""
        return "data" in self._properties(schema) or (is_list and bool(self._items(schema)))

    def _record(self, views, inside):
        """The properties of the records in an answer: a dict from the name to a list of schemas."""
        for step in filter(None, ("data", inside)):
            inner = [each for view in views for each in self._properties(view).get(step, ())]
            # the envelope is what the contract says; a list without it is read as well
            views = [each for view in inner or views for each in self._items(view) or [view]]
        known = {}
        for view in views:
            for name, schemas in self._properties(view).items():
                known.setdefault(name, []).extend(schemas)
        return known

    def _type(self, part, operation, name, schemas):
        expected = TYPE_OF.get(name)
        kinds = {kind for schema in schemas for kind in self._kinds(schema)}
        if expected and kinds and expected not in kinds and not (expected == "integer" and "number" in kinds):
            shown = " or ".join(sorted(printable(kind, 40) for kind in kinds))
            note = f"the collection takes it for {expected}, the schema for {shown}"
            yield _difference("contradicts", part, operation, name, note)

    # ---- reading schemas

    def _resolved(self, node):
        """What a node or its reference within the document is, a dict; {} for anything else. Other files are never read."""
        for _hop in range(20):
            node = _mapping(node)
            reference = node.get("$ref")
            if reference is None:
                return node
            found = self.document
            parts = str(reference)[2:].split("/") if str(reference).startswith("#/") else [None]
            for part in parts:
                found = _mapping(found).get(part and part.replace("~1", "/").replace("~0", "~"))
            node = found
        return {}

    def _alternatives(self, schema):
        """The schema and all that it is put together from, each once, so that no reference leads in circles."""
        waiting, seen, plain = [schema], set(), []
        while waiting:
            node = self._resolved(waiting.pop())
            if id(node) in seen:
                continue
            seen.add(id(node))
            plain.append(node)
            for key in ("allOf", "oneOf", "anyOf"):
                waiting += _listed(node.get(key))
        return plain

    def _properties(self, schema):
        known = {}
        for each in self._alternatives(schema):
            for name, inner in _mapping(each.get("properties")).items():
                known.setdefault(str(name), []).append(inner)
        return known

    def _items(self, schema):
        return [each["items"] for each in self._alternatives(schema) if isinstance(each.get("items"), dict)]

    def _demanded(self, schema):
        """The fields that a body must have, those of alternatives left out."""
        waiting, seen, names = [schema], set(), []
        while waiting:
            node = self._resolved(waiting.pop())
            if id(node) not in seen:
                seen.add(id(node))
                names += [str(name) for name in _listed(node.get("required"))]
                waiting += _listed(node.get("allOf"))
        return names

    def _kinds(self, schema):
        kinds = set()
        for each in self._alternatives(schema):
            kind = each.get("type")
            kinds.update(str(one) for one in (kind if isinstance(kind, list) else [kind]) if one not in (None, "null"))
        return kinds
