# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Reads the OpenAPI file of the service within bounds: it is untrusted YAML, or JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ansible.module_utils.common.yaml import HAS_YAML, SafeLoader

from .._http.answer import Answer
from .._model.errors import ScannerError, printable
from .._model.strict_json import without_halves

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
        if len(self.text) > LARGEST:
            raise SchemaError(f"it is larger than {LARGEST // 1024 // 1024} MiB")


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
