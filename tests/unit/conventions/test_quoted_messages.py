# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each message that a guide or the README of a role quotes literally is one that the code writes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from ansible_collections.scanops.scanner.tests.unit.conventions.collection import ROOT

VALUE = "…"
GUIDES = [
    path
    for path in sorted((ROOT / "docs/docsite/rst").glob("guide_*.rst"))
    if "Written by nox -s generate" not in path.read_text(encoding="utf-8")
]
READMES = sorted((ROOT / "roles").glob("*/README.md"))
# blocks of guides that are no messages: inventories, records, crontabs
NO_MESSAGE = re.compile(r'[{@|"]|.* \* ')
# what a command, a template or YAML has, and a sentence has not
NO_SENTENCE = re.compile(r"[\[{}=$|\\<>]| -|^\S+:( |$)")


@cache
def templates() -> list[str]:
    """The texts of the code, with VALUE for what it fills in, and the output of the demo, which each run has."""
    found = (ROOT / "tests/demo/output.txt").read_text(encoding="utf-8").splitlines()
    for path in [*(ROOT / "plugins").rglob("*.py"), *(ROOT / "extensions").rglob("*.py")]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        nodes = [*ast.walk(tree)]
        # parts of other texts, and docstrings
        inner = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
        inner |= {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            if isinstance(node, ast.JoinedStr):
                each = [part.value if isinstance(part, ast.Constant) else VALUE for part in node.values]
                found.append("".join(each))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner:
                found.append(node.value)
    found += [path.read_text(encoding="utf-8") for path in (ROOT / "docs/awx").rglob("*.yml")]
    return [" ".join(each.split()) for each in found]


def words_of(shape: str) -> list[str]:
    """The words of a shape, without its values."""
    return [part for part in shape.split(VALUE) if part.strip()]


def is_written(shape: str) -> bool:
    """Whether one text of the code has this shape."""
    return any(is_in_order(words_of(shape), text) for text in templates())


def is_in_order(words: list[str], text: str) -> bool:
    place = 0
    for each in words:
        found = text.find(each, place)
        if found < 0:
            return False
        place = found + len(each)
    return True


def quoted(page: Path) -> Iterator[str]:
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".md":
        yield from (each for each in re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text) if len(each.split()) > 2)
        return
    block = r"^( *)\.\. code-block:: {}\n\n((?:\1   .*\n|\n)+)"
    for _indent, lines in re.findall(block.format("text"), text, re.MULTILINE):
        shown = [line.strip() for line in lines.splitlines()]
        yield from (line for line in shown if len(line.split()) > 3 and not NO_MESSAGE.match(line))
    for each in re.findall(r"``([^`\n]+)``", re.sub(block.format(".*"), "", text, flags=re.MULTILINE)):
        if len(each.split()) > 3 and not NO_SENTENCE.search(each):
            yield each


QUOTED = [(page, message) for page in [*GUIDES, *READMES] for message in quoted(page)]

# messages with values in them: their beginning, and the shapes of the texts that they consist of
SHAPES = {
    "localhost: interrupted: targets": ["interrupted: …: …", "created", ": "],
    "localhost: interrupted: scan": [
        "interrupted: …: …", "The task ends, because ", "it was interrupted (…)", "was stopped",
        "goes on", "this task did not start it",
    ],
    "scanops.scanner.target runs": ["… runs …", "as a module, because …", "become is set"],
    "localhost: 250 of 1000": ["… of … done…, ", "; about … left", "; waiting … for the rate limit"],
    "4 workspaces with": ["… with … and", "are", "in …; applying them changes nothing."],
    "No estate can": [
        "No estate can create these again: scans, findings and reports; … that HTTP loggers captured;"
    ],
    "3 objects differ": ["differ", "see ", ". Apply the estate, or correct it if the account is right."],
    "Not managed": ["Not managed: ", " (…)"],
    "751 objects": ["… would be deleted, more than purge_max allows (…)"],
    "751 of the": ["… of the … of workspace …", "would be deleted, more than purge_max_percent allows (… %)"],
    "nothing is declared": ["nothing is declared for the …s of workspace …, so purge would delete all of them"],
    "retired": ["retired…, with …", " with it", ", the newest of …"],
    "The gate passed": ["The gate passed", " of ", "findings fail", "… waived… until …"],
    "SCANNER_SCOPE_FILE": ["… … does not exist"],
    "localhost: scan 40001": ["scan … of ……: …", "… of … tests"],
    "localhost: the rate limit": ["the rate limit is used up; the next call is", " in "],
}  # fmt: skip


def words_between(message: str, shapes: list[str]) -> list[str] | None:
    """What a message has between the words of its shapes, which come in their order; None if it lacks one of them."""
    words = [part for shape in shapes for part in words_of(shape)]
    found = re.fullmatch("(.*?)".join(["", *map(re.escape, words), ""]), message)
    return list(found.groups()) if found else None


@pytest.mark.parametrize("page, message", QUOTED, ids=[f"{page.stem}-{message[:40]}" for page, message in QUOTED])
def test_a_quoted_message_is_one_of_the_code(page, message):
    shapes = next((shapes for begin, shapes in SHAPES.items() if message.startswith(begin)), [message])
    assert [shape for shape in shapes if not is_written(shape)] == []
    # what is left are names, numbers and nouns
    left = words_between(message, shapes)
    assert left is not None and [each for each in left if re.search(r"(?<![\w'.])[a-z]{3,} [a-z]{3,}\b", each)] == []


def test_each_shape_is_that_of_a_message():
    assert [begin for begin in SHAPES if not any(message.startswith(begin) for _page, message in QUOTED)] == []


@pytest.mark.parametrize("message", [
    "may test little less than …", "has … tests, and scan … had …", "the rate limit is used up; the next one is"
])  # fmt: skip
def test_another_message_is_noticed(message):
    assert not is_written(message)
