# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Reads the OpenAPI file of the service within bounds: it is untrusted YAML, or JSON."""

from __future__ import annotations

from collections.abc import Iterable

from ansible.module_utils.common.yaml import HAS_YAML, SafeLoader

from .._errors import ScannerError, printable
from .._http.answer import Answer
from .._http.border import without_halves

try:
    import yaml
except ImportError:
    # service_info checks HAS_YAML
    pass

LARGEST = 4 * 1024 * 1024
# nodes of the document, with each alias expanded
MOST_NODES = 300000
# the C reader of PyYAML has no limit and crashes the process
DEEPEST = 200
# digits of a number; the time to read one grows with their square
LONGEST_NUMBER = 100

_TOO_LONG = f"it has more than {MOST_NODES} nodes when its aliases are expanded"

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
        if len(self.text) > LARGEST:
            raise SchemaError(f"it is larger than {LARGEST // 1024 // 1024} MiB")


def parse(text: bytes | bytearray) -> object:
    """The document in a YAML text. Raises SchemaError."""
    text = bytes(text)
    try:
        _refuse_deep_or_long(yaml.parse(text, Loader=SafeLoader))
        loader = SafeLoader(text)
        try:
            node = loader.get_single_node()
            if node is None:
                return None
            _refuse_expanded(node)
            return without_halves(loader.construct_document(node))
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        reason = printable(getattr(error, "problem", None) or error, 100)
        raise SchemaError(f"it is not valid YAML ({where}{reason})") from None
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise SchemaError(f"it is not valid YAML ({type(error).__name__})") from None


def _refuse_deep_or_long(events: Iterable[yaml.Event]) -> None:
    depth = 0
    for number, event in enumerate(events):
        if number > MOST_NODES:
            raise SchemaError(_TOO_LONG)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise SchemaError(f"it is nested deeper than {DEEPEST} levels")


def _refuse_expanded(top: yaml.Node) -> None:
    """Refuse a document that its aliases make too large, or endless: an alias is the same node again."""
    sizes: dict[int, int] = {}
    entered = set()
    waiting = [(top, False)]
    while waiting:
        node, done = waiting.pop()
        if done:
            entered.discard(id(node))
            sizes[id(node)] = 1 + sum(sizes[id(inner)] for inner in _children(node))
            if sizes[id(node)] > MOST_NODES:
                raise SchemaError(_TOO_LONG)
        elif id(node) in entered:
            raise SchemaError("one of its aliases refers to a node that contains the alias")
        elif id(node) not in sizes:
            if isinstance(node, yaml.ScalarNode) and _is_number(node) and len(node.value) > LONGEST_NUMBER:
                raise SchemaError("a number in it is too long")
            entered.add(id(node))
            waiting.append((node, True))
            waiting += [(inner, False) for inner in _children(node)]


def _is_number(node: yaml.ScalarNode) -> bool:
    return node.tag in ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")


def _children(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [child for pair in node.value for child in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []
