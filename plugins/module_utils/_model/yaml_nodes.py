# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Reads YAML without building its values, so that each problem has its line; files of waivers and of owners, too. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from importlib import import_module
from itertools import accumulate
from typing import Any

from .errors import WrongOption, counted, printable

# deeper than any file that people write; the C library has no protection against recursion
_DEEPEST = 50
# so many brackets without their partners are in no such file, not even in its patterns and comments
_ABSURD = 10_000
_NESTED = re.compile(r"(?:[-?:][ \t]+){50}")


class BrokenYaml(ValueError):
    """A text that cannot be read as YAML: the line, and a clause that says what is wrong and what to do."""


def node_of(text: str) -> Any:
    """The node of the only document, None if there is none. Raises BrokenYaml, and ImportError without PyYAML."""
    yaml = import_module("yaml")
    try:
        return yaml.compose(text, _loader(yaml, text))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        line = mark.line if mark else 0
        after = line + 1
        has_tab = "\t" in "".join(text.split("\n")[line:after])
        advice = "write spaces in place of tabs" if has_tab else "correct it"
        problem = printable(getattr(error, "problem", None) or error)
        raise BrokenYaml(after, f"not valid YAML ({problem}): {advice}") from None
    except (ValueError, RecursionError):
        raise BrokenYaml(1, "not valid YAML (it is nested too deeply): correct it") from None


def all_nodes(node: Any) -> Iterator[Any]:
    """A node and all that it consists of; one that an alias repeats, several times, but what is in it once."""
    left, seen = [] if node is None else [node], set()
    while left:
        each = left.pop()
        yield each
        if id(each) in seen:
            continue
        seen.add(id(each))
        for part in () if each.id == "scalar" else each.value:
            left += part if isinstance(part, tuple) else [part]


def _loader(yaml: Any, text: str) -> Any:
    """The fast loader, or the one in Python for a text that could be nested deeply."""
    brackets = re.findall(r"[\[\]{}]", text)
    depth = max(accumulate(1 if each in "[{" else -1 for each in brackets), default=0)
    if depth > _ABSURD:
        raise RecursionError
    nested = depth > _DEEPEST or _NESTED.search(text)
    return yaml.SafeLoader if nested else getattr(yaml, "CSafeLoader", yaml.SafeLoader)


# --- files of waivers and of owners

# what such a file says of itself
VERSION = 1
# thousands of entries
LARGEST = 5_000_000
# how an entry of each list begins
_FIRST = {"waivers": "check: ID", "owners": "targets: [PATTERN]"}
# YAML has no way to write them
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")

# takes a line and what is wrong there, a clause
Report = Callable[[int, str], None]
# a path, a line, and a clause
Problem = tuple[str, int, str]


def entries_in(
    content: bytes | str, name: str, keys: Sequence[str], report: Report
) -> list[tuple[int, int, dict[str, Any]]]:
    """The mappings in the list of a file, each with its number and its line, as nodes by their keys.

    name: of the list; keys: those that a mapping may have.
    """
    try:
        top = node_of(_text(content))
    except BrokenYaml as error:
        report(*error.args)
        return []
    except ImportError:
        report(1, f"{name} need the Python library PyYAML: install it where the module runs")
        return []
    if top is None:
        report(1, f"the file is empty: write version: {VERSION} and a list named {name}")
        return []
    listed = _listed(top, name, report)
    entries = []
    for number, node in enumerate(listed):
        if node.id == "mapping":
            entries.append((number, line_of(node), _keys(node, keys, report)))
        else:
            report(line_of(node), f"{name}[{number}] is not a mapping: write its keys, as in {_FIRST[name]}")
    return entries


def refuse(head: str, problems: list[Problem], most: int = 50, between: str = "\n") -> None:
    """Raise WrongOption for problems, with file and line of each. head: a sentence with a place for their number."""
    if not problems:
        return
    # by the lines, and not by the texts
    problems.sort(key=lambda each: each[:2])
    shown = [f"{printable(path, 200)}:{line}: {text}." for path, line, text in problems[:most]]
    more = [f"And {len(problems) - len(shown)} more."] if len(problems) > len(shown) else []
    said = head.format(counted(len(problems), "problem"))
    raise WrongOption((" " if len(problems) == 1 else between).join([said, *shown, *more]))


def line_of(node: Any) -> int:
    """The line of a node, from 1."""
    return int(node.start_mark.line) + 1


def plain(node: Any) -> Any:
    """A scalar as text, None for null; a list of scalars; any other node as an empty mapping, which no key takes."""
    if node.id == "scalar":
        return None if node.tag.endswith(":null") else node.value
    if node.id == "sequence" and all(each.id == "scalar" for each in node.value):
        return [plain(each) for each in node.value]
    return {}


def _text(content: bytes | str) -> str:
    if len(content) > LARGEST:
        raise BrokenYaml(1, f"the file has more than {LARGEST:,} bytes: split it, or give the right file")
    try:
        text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise BrokenYaml(line, "the file is not encoded in UTF-8: save it as UTF-8") from None
    found = _CONTROL.search(text)
    if found:
        line = text.count("\n", 0, found.start()) + 1
        raise BrokenYaml(line, f"the file has the control character U+{ord(found[0]):04X}: remove it")
    return text


def _listed(top: Any, name: str, report: Report) -> list[Any]:
    """The nodes in the list of a document."""
    if top.id != "mapping":
        report(line_of(top), f"the file is not a mapping: write version: {VERSION} and a list named {name}")
        return []
    keys = _keys(top, ("version", name), report)
    version = keys.get("version")
    if version is None:
        report(line_of(top), f"version is missing: write version: {VERSION}")
    elif version.id != "scalar" or version.value != str(VERSION):
        shown = printable(version.value, 40) if version.id == "scalar" else f"a {version.id}"
        report(line_of(version), f"version is {shown}: write version: {VERSION}")
    listed = keys.get(name)
    if listed is None or listed.id != "sequence":
        report(line_of(listed or top), f"{name} is not a list: write {name}: [] for none")
        return []
    return list(listed.value)


def _keys(node: Any, known: Sequence[str], report: Report) -> dict[str, Any]:
    """The nodes of the values in a mapping by their keys. Keys that are unknown or occur twice are problems."""
    found: dict[str, Any] = {}
    for key, value in node.value:
        name = key.value if key.id == "scalar" else f"a {key.id}"
        if key.id != "scalar" or name not in known:
            near = get_close_matches(name, known, 1)
            advice = f"the closest one is {near[0]}" if near else f"use {', '.join(known)}"
            report(line_of(key), f"{printable(name, 60)} is an unknown key: {advice}")
        elif name in found:
            report(line_of(key), f"{name} occurs twice in one mapping: remove one of them")
        else:
            found[name] = value
    return found
