# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The machine's scope file, which stands above the scope of a task. Whatever is wrong with it is an error, never "no scope"."""

from __future__ import annotations

import json
import os

from .._errors import WrongOption, printable
from .rules import SCOPE_OPTION, combine, compile_scope

VARIABLE = "SCANNER_SCOPE_FILE"


def scope_in_force(option, environ):
    """The Scope for a task: its option ``scope`` (a dict, or None where not given) below the file that ``environ`` names.

    Raises WrongOption. Not for ``state: absent``, which no scope refuses.
    """
    path = environ.get(VARIABLE)
    return combine(
        None if path is None else read_scope_file(path),
        None if option is None else compile_scope(option),
    )


def read_scope_file(path):
    """The Scope in a YAML (without PyYAML: JSON) file. Raises WrongOption, which names the file or the entry."""
    shown = printable(repr(path), 200)
    if not os.path.isabs(path):
        raise WrongOption(f"{VARIABLE} is {shown}, which is no absolute path: give the whole path of the scope file.")
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = file.read()
    except UnicodeDecodeError:
        raise WrongOption(f"The scope file {shown} is not encoded in UTF-8: save it as UTF-8.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise WrongOption(
            f"{VARIABLE} names a file that cannot be read, {shown} ({printable(reason)}): put it there or correct the path."
        ) from None
    pairs = _pairs(text, shown)
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        raise WrongOption(f"The scope file {shown} gives one key twice: join what stands under the two.")
    for key in SCOPE_OPTION["options"]:
        if key in mapping and mapping[key] is None:
            raise WrongOption(
                f"The scope file {shown} has nothing under the key {key}: write what belongs there, or remove the key."
            )
    return compile_scope(mapping, VARIABLE)


def _pairs(text, shown):
    """The keys and values of the file's one mapping, in order, a key that is there twice included."""
    yaml = _pyyaml()
    try:
        pairs = _json_pairs(text) if yaml is None else _yaml_pairs(yaml, text)
    except (ValueError, LookupError, RecursionError) as error:
        language = (
            "JSON, the only form that is read where the Python library PyYAML is missing" if yaml is None else "YAML"
        )
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


def _pyyaml():
    """The library, or None on a machine where only modules run; most tasks have no scope file and need not wait for it."""
    try:
        import yaml
    except ImportError:
        return None
    return yaml


def _json_pairs(text):
    top = json.loads(text, object_pairs_hook=tuple)
    return list(top) if isinstance(top, tuple) else None


def _yaml_pairs(yaml, text):
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        if not isinstance(node, yaml.MappingNode):
            return None
        return [
            (_hashable(loader.construct_object(key, True)), loader.construct_object(value, True))
            for key, value in node.value
        ]
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        raise ValueError(where + (getattr(error, "problem", None) or str(error))) from None


def _hashable(key):
    # a key of another type is an unknown key like any other
    return key if isinstance(key, str) else repr(key)
