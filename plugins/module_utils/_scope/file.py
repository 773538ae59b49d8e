# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The scope file of the machine, which applies in addition to the scope of a task. A wrong file is always an error."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType

from .._model.errors import WrongOption, printable, shape_of
from .._model.inputs import text_in
from .option import SCOPE_KEYS
from .rules import Scope, combine, compile_scope

VARIABLE = "SCANNER_SCOPE_FILE"


def scope_in_force(option: object, environ: Mapping[str, str]) -> Scope:
    """The Scope for a task: its option ``scope`` (None if not set) and the file that ``environ`` names.

    Raises WrongOption. Not for ``state: absent``, which no scope refuses.
    """
    path = environ.get(VARIABLE)
    return combine(
        None if path is None else read_scope_file(path),
        None if option is None else compile_scope(option),
    )


def read_scope_file(path: str) -> Scope:
    """The Scope in a YAML file (JSON without PyYAML). Raises WrongOption, which names the file or the entry."""
    shown = printable(repr(path), 200)
    if not os.path.isabs(path):
        raise WrongOption(
            f"{VARIABLE} is {shown}, which is not an absolute path: give the absolute path of the scope file."
        )
    text = text_in(path, VARIABLE)
    pairs = _pairs(text, shown)
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        raise WrongOption(f"The scope file {shown} has a key twice: merge the two entries.")
    for key in SCOPE_KEYS:
        if key in mapping and mapping[key] is None:
            raise WrongOption(f"The scope file {shown} has no value for the key {key}: add one, or remove the key.")
    return compile_scope(mapping, VARIABLE)


def _pairs(text: str, shown: str) -> list[tuple[str, object]]:
    """The keys and values of the mapping in the file, in order, with duplicate keys."""
    try:
        # late, because most tasks have no scope file
        yaml: ModuleType | None = import_module("yaml")
    except ImportError:
        # as on hosts that only run modules
        yaml = None
    try:
        if yaml is None:
            top = json.loads(text, object_pairs_hook=tuple)
            pairs = list(top) if isinstance(top, tuple) else None
        else:
            pairs = _yaml_pairs(yaml, text)
    except (ValueError, LookupError, ArithmeticError, AttributeError, RecursionError) as error:
        # PyYAML does not check the values that tags announce, such as !!timestamp
        language = "JSON, the only format supported without the Python library PyYAML" if yaml is None else "YAML"
        raise WrongOption(
            f"The scope file {shown} is not valid {language} ({printable(error)}): correct it, and put entries that begin"
            " with * or [ in quotes."
        ) from None
    if pairs is None:
        raise WrongOption(
            f"The scope file {shown} is not a mapping of allow, deny and private: write one, or {{}} to refuse only what is"
            " not public."
        )
    return pairs


def _yaml_pairs(yaml: ModuleType, text: str) -> list[tuple[str, object]] | None:
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        if not isinstance(node, yaml.MappingNode):
            return None
        pairs: list[tuple[str, object]] = []
        for name, value in node.value:
            key = loader.construct_object(name, True)
            # a key of another type is an unknown key as well; the aliases of YAML make a short list of lists a very long text
            key = key if isinstance(key, str) else shape_of(key)
            pairs.append((key, loader.construct_object(value, True)))
        return pairs
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        raise ValueError(where + (getattr(error, "problem", None) or str(error))) from None
