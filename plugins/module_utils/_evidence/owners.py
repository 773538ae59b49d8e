# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The owners of targets: a YAML file with ``version: 1`` and a list ``owners``, of which the last match wins. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._model.errors import counted, first_of, printable, without_secrets
from .._model.yaml_nodes import Problem, Report, entries_in, line_of, plain, refuse
from .matchers import Test, target_test

_TEXTS = ("team", "contact", "channel")
_LONGEST = 200
_LONGEST_PATTERN = 2000
_MOST_PROBLEMS = 3
_MOST_NAMED = 5


class Owner(NamedTuple):
    """Who answers for a target, as gate.json shows it."""

    team: str | None = None
    contact: str | None = None
    channel: str | None = None


NOBODY = Owner()


class _Pattern(NamedTuple):
    """A pattern of the file with the owner of what it matches."""

    line: int
    matches: Test
    owner: Owner


class Owners:
    """The owners in a file."""

    def __init__(self, path: str, patterns: Sequence[_Pattern]) -> None:
        self.path = path
        self._patterns = patterns
        self._known: dict[str, Owner] = {}

    def of(self, target: str) -> Owner:
        """The owner of a target by the last pattern that matches it, or NOBODY."""
        if target not in self._known:
            matching = (each.owner for each in reversed(self._patterns) if each.matches(target))
            self._known[target] = next(matching, NOBODY)
        return self._known[target]

    def without(self, targets: Iterable[str]) -> list[str]:
        """Those of the targets that nobody owns, each once, without the passwords in their names."""
        return [without_secrets(each) for each in dict.fromkeys(targets) if self.of(each) is NOBODY]

    def warnings(self, targets: Iterable[str], complete: bool = True) -> Iterator[str]:
        """What is wrong between the file and the targets, in sentences. complete: whether these are all targets that were to
        be judged, so that a pattern which matches none may be a typo."""
        names = list(dict.fromkeys(targets))
        alone, path = self.without(names), printable(self.path, 200)
        if alone:
            have = "has" if len(alone) == 1 else "have"
            first = first_of([printable(each, 80) for each in alone], _MOST_NAMED)
            yield f"{counted(len(alone), 'target')} {have} no owner in {path} ({first}): add a pattern to the file."
        idle = [f"{path}:{each.line}" for each in self._patterns if not any(map(each.matches, names))]
        if idle and names and complete:
            said = "The pattern at {} matches" if len(idle) == 1 else "The patterns at {} match"
            yield f"{said.format(first_of(idle, _MOST_NAMED))} no judged target: check for a typo, or remove it."


def read_owners(content: bytes | str, path: str) -> Owners:
    """The owners in a file. Raises WrongOption, which names the first problems with their lines."""
    problems: list[Problem] = []

    def report(line: int, text: str) -> None:
        problems.append((path, line, text))

    patterns = [
        pattern
        for number, line, nodes in entries_in(content, "owners", ("targets", *_TEXTS), report)
        for pattern in _patterns(f"owners[{number}]", line, nodes, report)
    ]
    refuse("The owners have {}; the file was not used.", problems, _MOST_PROBLEMS, " ")
    return Owners(path, patterns)


def _patterns(name: str, line: int, nodes: Mapping[str, Any], report: Report) -> Iterator[_Pattern]:
    """The patterns of an entry."""
    texts = {key: _text(nodes[key], f"{name}.{key}", report) for key in _TEXTS if key in nodes}
    if "team" not in nodes:
        report(line, f"{name}.team is missing: name the team that answers for the targets")
    listed = nodes.get("targets")
    if listed is None or listed.id != "sequence" or not listed.value:
        where = line if listed is None else line_of(listed)
        report(where, f'{name}.targets is not a list of patterns: write one, as in targets: ["*.example.com"]')
        return
    for number, node in enumerate(listed.value):
        pattern = _text(node, f"{name}.targets[{number}]", report, _LONGEST_PATTERN)
        if pattern:
            yield _Pattern(line_of(node), target_test(pattern), Owner(**texts))


def _text(node: Any, where: str, report: Report, longest: int = _LONGEST) -> str:
    """A text of the file, "" if it is wrong."""
    value = plain(node)
    text = value.strip() if isinstance(value, str) else ""
    if not text or len(text) > longest or len(text.splitlines()) > 1:
        report(
            line_of(node), f"{where} is not a text of 1 to {longest:,} characters on one line: write one, or remove it"
        )
    return text
