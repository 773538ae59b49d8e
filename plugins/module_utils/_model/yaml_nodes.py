# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Reads YAML without building its values, so that each problem has its line. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from itertools import accumulate
from typing import Any

from .errors import printable

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
