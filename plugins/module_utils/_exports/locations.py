# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Which line of an estate file declares a target. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

from .._errors import WrongOption, printable
from .._names import normal_form

# a file and a line, from 1
Location = tuple[str, int]
Locations = dict[str, Location]


def locations_of(files: Iterable[tuple[str, str]]) -> Locations:
    """The places that declare targets, by the normal form of the target's name. files: paths and texts.

    The first place counts if several declare a target. Raises WrongOption for a file that is not YAML.
    """
    found: Locations = {}
    for path, text in files:
        for name, number in target_lines(text, path).items():
            found.setdefault(name, (path, number))
    return found


def target_lines(text: str, path: str) -> dict[str, int]:
    """The lines of a YAML file that declare targets, by the normal form of the target's name. Raises WrongOption.

    A target is an item of a list below a key that is ``targets`` or ends in ``_targets``: a name, or a mapping with a name.
    """
    yaml = _pyyaml()
    found: dict[str, int] = {}
    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        for document in yaml.compose_all(text, loader):
            for node in _targets(yaml, document):
                found.setdefault(normal_form(node.value), node.start_mark.line + 1)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        raise WrongOption(
            f"The estate file {printable(path)!r} is not valid YAML ({where}"
            f"{printable(getattr(error, 'problem', None) or error)}): correct it, or remove it from estate_files."
        ) from None
    return found


def _pyyaml() -> ModuleType:
    try:
        return import_module("yaml")
    except ImportError:
        raise WrongOption(
            "estate_files needs the Python library PyYAML on the host where the task runs: install it, or name a file for all"
            " findings instead."
        ) from None


def _targets(yaml: ModuleType, top: Any) -> Iterator[Any]:
    """The scalar nodes with the names of targets. An anchor is read once, however often it is used."""
    waiting, seen = [top], set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting += reversed(node.value)
        elif isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if _declares_targets(key.value) and isinstance(value, yaml.SequenceNode):
                    yield from _names(yaml, value)
            waiting += [value for dummy, value in reversed(node.value)]


def _declares_targets(key: object) -> bool:
    return isinstance(key, str) and (key == "targets" or key.endswith("_targets"))


def _names(yaml: ModuleType, declared: Any) -> Iterator[Any]:
    for item in declared.value:
        if isinstance(item, yaml.ScalarNode):
            yield item
        elif isinstance(item, yaml.MappingNode):
            for key, value in item.value:
                if key.value == "name" and isinstance(value, yaml.ScalarNode):
                    yield value
