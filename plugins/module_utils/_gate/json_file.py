# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Reads the text and the JSON of files that may be spoilt, and checks the types of their values. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from operator import itemgetter
from typing import Any

from .._model.errors import printable
from .._model.strict_json import JSON
from .._model.times import iso_moment

# the types that a value may have; a boolean is no integer
Types = frozenset[type]
TEXT: Types = frozenset({str})
TEXT_OR_NULL: Types = frozenset({str, type(None)})
INTEGER_OR_NULL: Types = frozenset({int, type(None)})
LIST: Types = frozenset({list})
OBJECT: Types = frozenset({dict})
OBJECT_OR_NULL: Types = frozenset({dict, type(None)})
_UTC = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
# what JSON has for the annotations of fields
_KINDS: Mapping[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "tuple": (list,),
    "None": (type(None),),
}


class Wrong(ValueError):
    """What is wrong with a file, a clause that follows its name."""


def text_of(content: bytes | str) -> str:
    """The text of a file, without a byte order mark. Raises Wrong."""
    try:
        return content.decode("utf-8-sig") if isinstance(content, bytes) else content
    except UnicodeDecodeError:
        raise Wrong("is not text in UTF-8") from None


def parsed(text: str) -> Any:
    """The value in a JSON text. Raises Wrong."""
    try:
        return JSON.decode(text)
    except json.JSONDecodeError as error:
        raise Wrong(f"is truncated or not valid JSON (line {error.lineno}: {error.msg})") from None
    except RecursionError:
        raise Wrong("is not valid JSON (it is nested too deeply)") from None
    except ValueError as error:
        raise Wrong(f"is not valid JSON ({error})") from None


def types_in(kind: type[tuple[Any, ...]], names: Iterable[str]) -> dict[str, Types]:
    """The types of these fields of a NamedTuple, as JSON has them."""
    # text, or a ForwardRef with it
    texts = {name: str(getattr(each, "__forward_arg__", each)) for name, each in kind.__annotations__.items()}
    return {
        name: frozenset(found for part in texts[name].split(" | ") for found in _KINDS[part.partition("[")[0]])
        for name in names
    }


class Fields:
    """The keys that an object must have, each with its types."""

    def __init__(self, types: Mapping[str, Types], others: bool) -> None:
        """others: whether an object may have other keys as well."""
        self._types = types
        self._others = others
        self._values = itemgetter(*types)
        self._right: set[tuple[type, ...]] = set()

    def of(self, value: Any, where: str) -> tuple[Any, ...]:
        """The values in an object, in the order of the keys. where: the path of the object. Raises Wrong."""
        try:
            values: tuple[Any, ...] = self._values(value)
        except (KeyError, TypeError):
            raise Wrong(self._problem(value, where)) from None
        found = tuple(map(type, values))
        # most objects of a file have values of the same types
        if found not in self._right:
            if not all(each in types for each, types in zip(found, self._types.values())):
                raise Wrong(self._problem(value, where))
            self._right.add(found)
        if not self._others and len(value) != len(values):
            raise Wrong(self._problem(value, where))
        return values

    def _problem(self, value: Any, where: str) -> str:
        if not isinstance(value, dict):
            return f"is wrong in {where}: not an object"
        for key, types in self._types.items():
            if key not in value:
                return f"is wrong in {where}: {key} is missing"
            if type(value[key]) not in types:
                return f"is wrong in {where}: {key} is {printable(repr(value[key]), 60)}"
        return f"is wrong in {where}: {printable(repr(min(set(value) - set(self._types))), 60)} is an unknown key"


def demand(is_right: bool, where: str, key: str, value: object) -> None:
    """Raises Wrong for the value of a key that is not right."""
    if not is_right:
        raise Wrong(f"is wrong in {where}: {key} is {printable(repr(value), 60)}")


def has_texts(values: Iterable[object]) -> bool:
    """Whether all values are texts."""
    return TEXT.issuperset(map(type, values))


@lru_cache(maxsize=4096)
def is_time(value: object) -> bool:
    """Whether a value is an existing time in UTC, as in 2026-11-22T10:00:00Z. Such texts are in the order of their times."""
    return isinstance(value, str) and bool(_UTC.fullmatch(value)) and iso_moment(value) is not None
