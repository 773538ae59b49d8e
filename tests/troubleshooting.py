# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the guide "Troubleshooting by message" from the messages in plugins/ and roles/ and docs/troubleshooting.yml.

    python tests/troubleshooting.py

Fails if a message has no cause and cure, or a family has no message.
"""

from __future__ import annotations

import ast
import fnmatch
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

CHECKOUT = Path(__file__).resolve().parents[1]
PLUGINS = CHECKOUT / "plugins"
DATA = CHECKOUT / "docs" / "troubleshooting.yml"
PAGE = CHECKOUT / "docs" / "docsite" / "rst" / "guide_troubleshooting.rst"
# Documentation, and the texts of the files that the gate writes.
OTHER_TEXTS = ("doc_fragments/*", "module_utils/_exports/*")
DOCUMENTATION = {"DOCUMENTATION", "EXAMPLES", "RETURN"}
# A text with fewer words and values is a name or a fragment of a sentence.
FEWEST_PARTS = 4
FEWEST_WORDS = 2
TEMPLATE = re.compile(r"\{\{.*?\}\}", re.DOTALL)
HEAD = """\
..
  Copyright: The scanops.scanner contributors
  GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
  SPDX-License-Identifier: GPL-3.0-or-later

..
  Written by `nox -s troubleshooting` from docs/troubleshooting.yml and the code. Do not edit it.

.. _ansible_collections.scanops.scanner.docsite.guide_troubleshooting:

Troubleshooting by message
==========================

What does this message mean, and what do I do?

Search this page for a few words of the message that are not a name or a number of yours. ``…`` stands for \
what differs. A message says what failed, why, and what to do. Some consist of several of the texts below: \
what failed, and the advice.

Two commands answer most questions. The first one checks address, key, plan, rate limit and clock. The second \
one shows the calls of a task and the status of each:

.. code-block:: console

   $ ansible localhost -m scanops.scanner.service_info
   $ ansible-playbook shop.yml -vvv

A failed task returns ``api_error`` with the method, the path, the status and the words of the service, if a \
call failed. Neither contains the key.

.. contents::
   :local:
   :depth: 1
"""


class Message(NamedTuple):
    """A text of the code, ``…`` for each value. place: the file below plugins without its suffix, or roles/NAME."""

    place: str
    text: str


class Family(NamedTuple):
    """Messages with one cause and cure. places: patterns of files; words: a regular expression; each may be empty."""

    places: tuple[str, ...]
    title: str
    words: str
    cause: str
    cure: str

    def has(self, message: Message) -> bool:
        somewhere = not self.places or any(fnmatch.fnmatch(message.place, place) for place in self.places)
        return somewhere and (not self.words or re.search(self.words, message.text) is not None)


def constants_of(tree: ast.Module) -> dict[str, str]:
    """The constants of a module that are texts, by name."""
    return {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def template_of(node: ast.AST, constants: dict[str, str]) -> str | None:
    """The text of an expression, if it is one: a constant, an f-string, or a sum of them."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(_part(part, constants) for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = template_of(node.left, constants), template_of(node.right, constants)
        if left is not None or right is not None:
            return ("…" if left is None else left) + ("…" if right is None else right)
    return None


def _part(node: ast.expr, constants: dict[str, str]) -> str:
    """One piece of an f-string: a text, a constant of the module, or what differs."""
    if isinstance(node, ast.FormattedValue) and isinstance(node.value, ast.Name):
        return constants.get(node.value.id, "…")
    return str(node.value) if isinstance(node, ast.Constant) else "…"


def no_messages(tree: ast.Module) -> set[int]:
    """The nodes of docstrings, annotations and documentation blocks."""
    found: list[ast.AST] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found.append(node)
        elif isinstance(node, ast.Assign):
            names = {target.id for target in node.targets if isinstance(target, ast.Name)}
            found += [node] if names & DOCUMENTATION else []
        found += [each for field in ("annotation", "returns") if (each := getattr(node, field, None))]
    return {id(node) for each in found for node in ast.walk(each)}


def is_long_enough(text: str) -> bool:
    words = len(re.findall(r"[A-Za-z]{2,}", text))
    return words >= FEWEST_WORDS and words + text.count("…") >= FEWEST_PARTS and " " in text


def texts_in(code: str) -> Iterator[str]:
    """The texts of a file with enough words, those inside of f-strings among them."""
    tree = ast.parse(code)
    skipped, constants = no_messages(tree), constants_of(tree)
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if id(node) in skipped:
            continue
        text = template_of(node, constants)
        if text is None:
            waiting += ast.iter_child_nodes(node)
            continue
        text = " ".join(re.sub(r"\{\w*\}", "…", text).split())
        if is_long_enough(text):
            yield text
        waiting += [each.value for each in ast.walk(node) if isinstance(each, ast.FormattedValue)]


def fail_messages(node: object) -> Iterator[str]:
    """The messages of the tasks that fail in a YAML document."""
    if isinstance(node, list):
        for item in node:
            yield from fail_messages(item)
    elif isinstance(node, dict):
        for key, value in node.items():
            if key == "fail_msg" or (key == "ansible.builtin.fail"):
                text = value["msg"] if isinstance(value, dict) else value
                yield " ".join(TEMPLATE.sub("…", text).split())
                for template in TEMPLATE.findall(text):
                    yield from re.findall(r"'([^']+)'", " ".join(template.split()))
            else:
                yield from fail_messages(value)


def messages(plugins: Path = PLUGINS, roles: Path | None = CHECKOUT / "roles") -> list[Message]:
    found = set()
    for path in roles.glob("*/tasks/*.yml") if roles else ():
        tasks = yaml.safe_load(path.read_text(encoding="utf-8"))
        found |= {
            Message(f"roles/{path.parts[-3]}", text.strip()) for text in fail_messages(tasks) if is_long_enough(text)
        }
    for path in plugins.rglob("*.py"):
        place = path.relative_to(plugins).with_suffix("").as_posix()
        if not any(fnmatch.fnmatch(place, pattern) for pattern in OTHER_TEXTS):
            found |= {Message(place, text) for text in texts_in(path.read_text(encoding="utf-8"))}
    return sorted(found)


def read() -> tuple[list[Family], list[Family]]:
    """The families, and those of texts that are no messages."""
    data = yaml.safe_load(DATA.read_text(encoding="utf-8"))

    def family(entry: dict[str, Any]) -> Family:
        texts = (entry.get(key, "") for key in ("title", "words", "cause", "cure"))
        return Family(tuple(entry.get("places", ())), *texts)

    return [family(entry) for entry in data["families"]], [family(entry) for entry in data["ignored"]]


def sort(found: list[Message], families: list[Family], ignored: list[Family]) -> tuple[dict[str, list[str]], list[str]]:
    """The texts of each family by its title, and what is wrong."""
    sorted_texts: dict[str, list[str]] = {family.title: [] for family in families}
    problems = []
    for message in found:
        if any(family.has(message) for family in ignored):
            continue
        family = next((family for family in families if family.has(message)), None)
        if family is None:
            place = message.place if message.place.startswith("roles/") else f"plugins/{message.place}.py"
            problems.append(f"{place}: no cause and cure in docs/troubleshooting.yml for: {message.text}")
        elif message.text not in sorted_texts[family.title]:
            sorted_texts[family.title].append(message.text)
    problems += [
        f"docs/troubleshooting.yml: no message belongs to: {title}"
        for title, texts in sorted_texts.items()
        if not texts
    ]
    return sorted_texts, problems


def page(families: list[Family], texts: dict[str, list[str]]) -> str:
    parts = [HEAD]
    for family in families:
        parts.append(
            f"{family.title}\n{'-' * len(family.title)}\n\n**Cause:** {family.cause}\n\n**Cure:** {family.cure}\n"
        )
        parts.append("\n".join(f"* ``{text}``" for text in sorted(texts[family.title], key=str.lower)) + "\n")
    return "\n".join(parts)


def main() -> None:
    families, ignored = read()
    texts, problems = sort(messages(), families, ignored)
    if problems:
        sys.exit("\n".join(problems))
    PAGE.write_text(page(families, texts), encoding="utf-8")
    print(f"{PAGE.relative_to(CHECKOUT)}: {sum(map(len, texts.values()))} messages in {len(families)} families")


if __name__ == "__main__":
    main()
