# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Reading the OpenAPI file of the service: YAML (and so JSON) of an unknown author, within bounds."""

from __future__ import annotations

from ansible.module_utils.common.yaml import HAS_YAML, SafeLoader

from .._errors import ScannerError, printable

try:
    import yaml
except ImportError:
    # said by whoever needs it, see HAS_YAML
    yaml = None

LARGEST = 4 * 1024 * 1024
# parts of the file, and what it may grow to when each alias is replaced by what it stands for
MOST_PARTS = 300000
# the fast reader of PyYAML has no bound of its own and takes the whole process with it
DEEPEST = 200
# digits of a number; reading one takes time that grows with its square
LONGEST_NUMBER = 100

_TOO_LONG = f"it has more than {MOST_PARTS} parts, what its aliases stand for included"

__all__ = ("HAS_YAML", "Bounded", "SchemaError", "parse")


class SchemaError(ScannerError):
    """The schema cannot be read; its text is a clause."""


class Bounded:
    """A sink for ``Transport.send`` that holds an answer in memory and refuses one that is too large."""

    def __init__(self):
        self.text = bytearray()

    def restart(self, _answer):
        del self.text[:]

    def write(self, piece):
        self.text += piece
        if len(self.text) > LARGEST:
            raise SchemaError(f"it is larger than {LARGEST // 1024 // 1024} MiB")


def parse(text):
    """The document in YAML text, bytes. Raises SchemaError."""
    text = bytes(text)
    try:
        _refuse_deep_or_long(yaml.parse(text, Loader=SafeLoader))
        loader = SafeLoader(text)
        try:
            node = loader.get_single_node()
            if node is not None:
                _count(node)
            return loader.construct_document(node) if node is not None else None
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        reason = printable(getattr(error, "problem", None) or error, 100)
        raise SchemaError(f"it is not valid YAML ({where}{reason})") from None
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise SchemaError(f"it is not valid YAML ({type(error).__name__})") from None


def _refuse_deep_or_long(events):
    depth = 0
    for number, event in enumerate(events):
        if number > MOST_PARTS:
            raise SchemaError(_TOO_LONG)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise SchemaError(f"it is nested deeper than {DEEPEST} levels")


def _count(top):
    """Refuse a document that aliases make too large, or endless: an alias is the same node again."""
    sizes = {}
    entered = set()
    waiting = [(top, False)]
    while waiting:
        node, done = waiting.pop()
        if done:
            entered.discard(id(node))
            sizes[id(node)] = 1 + sum(sizes[id(inner)] for inner in _inside(node))
            if sizes[id(node)] > MOST_PARTS:
                raise SchemaError(_TOO_LONG)
        elif id(node) in entered:
            raise SchemaError("an alias in it stands for what it is in")
        elif id(node) not in sizes:
            if isinstance(node, yaml.ScalarNode) and _is_number(node) and len(node.value) > LONGEST_NUMBER:
                raise SchemaError("a number in it is too long")
            entered.add(id(node))
            waiting.append((node, True))
            waiting += [(inner, False) for inner in _inside(node)]


def _is_number(node):
    return node.tag in ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")


def _inside(node):
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return node.value if isinstance(node, yaml.SequenceNode) else []
