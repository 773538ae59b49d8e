# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What must have been scanned: the option ``expect``, and which pairs do not fulfil it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .._errors import WrongOption, printable
from .._families.scan import tool_id_of, tool_name_of
from .._gate_words import NOT_COVERED, PASSED
from .._moments import seconds_of
from .._names import normal_form
from .policy import lasting
from .types import Pair

# the suboptions of expect
EXPECT_OPTIONS: dict[str, Any] = dict(
    targets=dict(type="list", elements="str"),
    tools=dict(type="list", elements="str"),
    max_age=dict(type="str"),
)


class Expect(NamedTuple):
    """Which scans must exist. targets: empty for those that were judged; tools: ids, empty for any tool; max_age: in seconds,
    None for any age."""

    targets: tuple[str, ...] = ()
    tools: tuple[int, ...] = ()
    max_age: int | None = None


NOTHING_EXPECTED = Expect()


class Gaps(NamedTuple):
    """What is not covered. missing: pairs that do not exist; late: a sentence for each of the other pairs, by its number."""

    missing: tuple[Pair, ...]
    late: Mapping[int, str]


def expect_of(given: Mapping[str, Any] | None) -> Expect:
    """The Expect in the option ``expect``, whose types ansible-core has checked. Raises WrongOption."""
    given = given or {}
    tools = (tool_id_of(name, f"expect.tools[{index}]") for index, name in enumerate(_names(given, "tools")))
    age = given.get("max_age")
    return Expect(_names(given, "targets"), tuple(tools), None if age is None else seconds_of(age, "expect.max_age"))


def _names(given: Mapping[str, Any], key: str) -> tuple[str, ...]:
    values = given.get(key)
    if values == []:
        raise WrongOption(f"expect.{key} is empty, so nothing would be expected: name at least one, or leave it out.")
    names = tuple(value.strip() for value in values or ())
    if "" in names:
        raise WrongOption(f"expect.{key}[{names.index('')}] is empty: write a name, or remove it.")
    return names


def gaps_in(expect: Expect, pairs: Sequence[Pair]) -> Gaps:
    """What of the expected scans is missing or too old.

    Without tools, one scan of a target is enough. A scan that did not finish is no gap, because its own outcome says so. A
    saved file proves no coverage.
    """
    if expect == NOTHING_EXPECTED:
        return Gaps((), {})
    by_target: dict[str, list[int]] = {}
    for number, pair in enumerate(pairs):
        by_target.setdefault(normal_form(pair.target), []).append(number)
    missing: list[Pair] = []
    late: dict[int, str] = {}
    for target in _targets(expect, pairs):
        numbers = by_target.get(normal_form(target), [])
        for tool in expect.tools or (None,):
            own = [number for number in numbers if tool is None or pairs[number].tool_id == tool]
            if not own:
                missing.append(_missing(target, tool, pairs))
            late.update(_late(expect, own, pairs))
    return Gaps(tuple(missing), late)


def _targets(expect: Expect, pairs: Sequence[Pair]) -> Iterable[str]:
    """The expected targets, each once."""
    targets = expect.targets or tuple(pair.target for pair in pairs)
    once: dict[str, str] = {}
    for target in targets:
        once.setdefault(normal_form(target), target)
    return once.values()


def _late(expect: Expect, numbers: Sequence[int], pairs: Sequence[Pair]) -> dict[int, str]:
    """Why none of some pairs is recent enough; empty if one of them is, or if none has a finished scan."""
    finished = {number: pairs[number] for number in numbers if pairs[number].outcome == PASSED}
    reasons = {number: _problem(expect, pair) for number, pair in finished.items()}
    found = {number: reason for number, reason in reasons.items() if reason is not None}
    every = expect.tools or len(found) == len(finished)
    return found if every else {}


def _problem(expect: Expect, pair: Pair) -> str | None:
    where = f"{printable(pair.target)!r}"
    if pair.saved:
        return (
            f"The file does not prove when {where} was scanned, which expect demands: judge the scans of the service."
        )
    if expect.max_age is None:
        return None
    most = f"expect.max_age is {lasting(expect.max_age)}"
    if pair.age is None:
        return f"The scan of {where} with {pair.tool} does not say when it ended, and {most}: scan the target again."
    if pair.age > expect.max_age:
        return f"The scan of {where} with {pair.tool} is {lasting(pair.age)} old, and {most}: scan the target again."
    return None


def _missing(target: str, tool: int | None, pairs: Sequence[Pair]) -> Pair:
    workspaces = {pair.workspace for pair in pairs}
    name = "any tool" if tool is None else tool_name_of(tool)
    return Pair(
        target=target,
        target_id=next((pair.target_id for pair in pairs if normal_form(pair.target) == normal_form(target)), None),
        workspace=workspaces.pop() if len(workspaces) == 1 else None,
        tool=name,
        tool_id=tool,
        scan_id=None,
        status="",
        outcome=NOT_COVERED,
        finished=None,
        age=None,
        complete=False,
        problems=(f"{printable(target)!r} has no scan with {name}, which expect demands: scan the target.",),
        findings=(),
    )
