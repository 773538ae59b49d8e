# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Prose uses the common terms: documentation, messages, comments, docstrings, names of tasks and tests."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from ansible_collections.scanops.scanner.tests.unit.conventions.collection import ROOT


class Phrase(NamedTuple):
    """A regular expression, in which a space matches any white space, and what to write in its place."""

    pattern: str
    instead: str


PHRASES = (
    Phrase(r"folders?(?!\.\w)", "directory"),
    Phrase(r"(is|are|was|were|be|been)( not| still| already| now)? there", "exists, does not exist, is missing"),
    Phrase(r"fore(tell|tells|told|telling|see|sees|saw|seen|seeing)", "predict, estimate"),
    Phrase(r"mend(s|ed|ing)?", "fix, resolve"),
    Phrase(r"anew", "again"),
    Phrase(r"settle[sd]?", "decide, resolve"),
    Phrase(r"tak(e|es|en|ing) ([\w-]+ ){1,4}(away|along)", "remove"),
    Phrase(r"a part of", "some of"),
    Phrase(r"(the|its) whole of", "the complete"),
    Phrase(r"say with", "restrict with"),
    Phrase(r"ends? (well|badly)", "succeeds, fails"),
    Phrase(r"passing reasons?", "temporary"),
    Phrase(r"told in", "what it is: not an integer"),
    Phrase(r"strangers?", "untrusted"),
    Phrase(r"(one|1) more (GET|POST|PUT|DELETE|call|read|with)", "an additional call"),
    Phrase(r"(can|could|may|to) be had", "available"),
    Phrase(r"(a|the|each|every|first|second|next|last|one|no|another) looks?(?! like|-)", "poll, read"),
    Phrase(
        r"(lives?|lived|lies|lay|stands?|stood) (in|on|at|there|here|beside|below|under|above|behind|elsewhere)",
        "is in, exists",
    ),
    Phrase(r"gets? on", "progress"),
    Phrase(r"comes? out", "is returned, is printed"),
    Phrase(r"that which", "the thing itself"),
    Phrase(r"(is|are|was|were) made(?! (of|up)\b)", "is created, is generated"),
)
PATTERNS = [
    (re.compile(rf"\b{phrase.pattern}\b".replace(" ", r"\s+"), re.IGNORECASE), phrase.instead) for phrase in PHRASES
]

SUFFIXES = (".cfg", ".ini", ".md", ".py", ".rst", ".toml", ".yaml", ".yml")
PLACES = ("changelogs", "docs", "meta", "playbooks", "plugins", "roles", "tests")
# The keys of YAML files whose values a person reads.
TEXT_KEYS = ("name", "description", "short_description", "msg", "fail_msg", "success_msg", "title")


class Prose(NamedTuple):
    """A piece of text and its first line in the file."""

    line: int
    text: str


def without(pattern: str, text: str) -> str:
    """Replace the matches by blanks, so that lines keep their numbers."""
    return re.sub(pattern, lambda found: re.sub(r"\S", " ", found[0]), text, flags=re.DOTALL | re.MULTILINE)


def plain(text: str) -> str:
    """reStructuredText or Markdown without code blocks, literals, templates and addresses."""
    text = without(r"^```.*?^```", text)
    text = without(r"^( *)\.\. (code-block|parsed-literal)::.*?\n(?=\1?\S|\Z)", text)
    return without(r"``.*?``|`[^`\n]+`|https?://\S+|\{\{.*?\}\}", text)


def of_comments(text: str) -> Iterator[Prose]:
    """The comments of a file whose comment lines start with # or ;. A block of lines is one comment."""
    for found in re.finditer(r"(^[ \t]*[#;].*\n?)+", text, re.MULTILINE):
        yield Prose(text.count("\n", 0, found.start()) + 1, without(r"^[ \t]*[#;]+", found[0]))


def of_python(code: str, messages: bool) -> Iterator[Prose]:
    """Comments, docstrings and names of tests; with messages, all strings of several words."""
    comments = [
        token for token in tokenize.generate_tokens(io.StringIO(code).readline) if token.type == tokenize.COMMENT
    ]
    block: list[str] = []
    for token, following in zip(comments, [*comments[1:], None]):
        block.append(token.string.lstrip("# "))
        if following is None or following.start != (token.start[0] + 1, token.start[1]):
            yield Prose(token.start[0] - len(block) + 1, "\n".join(block))
            block = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield Prose(node.lineno, node.name.replace("_", " "))
        value = node.value if isinstance(node, ast.Expr) else node if messages else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str) and " " in value.value:
            yield Prose(value.lineno, value.value)


def of_yaml(text: str, every: bool) -> Iterator[Prose]:
    """Comments and the values of TEXT_KEYS; with every, the values of all keys."""
    yield from of_comments(text)
    waiting = [(node, every) for node in yaml.compose_all(text, yaml.SafeLoader) if node is not None]
    while waiting:
        node, read = waiting.pop()
        if isinstance(node, yaml.MappingNode):
            waiting += [(value, every or key.value in TEXT_KEYS) for key, value in node.value]
        elif isinstance(node, yaml.SequenceNode):
            waiting += [(value, read) for value in node.value]
        elif read:
            yield Prose(node.start_mark.line + 1, node.value)


def prose_of(path: Path) -> Iterator[Prose]:
    place, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        yield from of_python(text, messages=place.startswith("plugins/"))
    elif path.suffix in (".yaml", ".yml"):
        yield from of_yaml(text, every=place.startswith("changelogs/"))
    elif path.suffix in (".md", ".rst"):
        yield Prose(1, text)
    else:
        yield from of_comments(text)


def findings(path: Path) -> list[str]:
    """The phrases in a file that PHRASES rules out, each with its place and what to write."""
    found = []
    for prose in prose_of(path):
        text = plain(prose.text)
        for pattern, instead in PATTERNS:
            for match in pattern.finditer(text):
                line = prose.line + text.count("\n", 0, match.start())
                found.append((line, f'{" ".join(match[0].split())}: write "{instead}"'))
    return [f"{path.relative_to(ROOT)}:{line}: {what}" for line, what in dict.fromkeys(sorted(found))]


def prose_files() -> list[Path]:
    files = [*ROOT.glob("*"), *(path for place in PLACES for path in (ROOT / place).rglob("*"))]
    # where ansible-test and the benchmarks write
    written = [ROOT / "tests" / "output", ROOT / "tests" / "bench" / "results"]
    files = [path for path in files if not any(place in path.parents for place in written)]
    return sorted(path for path in files if path.suffix in SUFFIXES and path.is_file())


def test_prose_uses_common_terms():
    found = [finding for path in prose_files() for finding in findings(path)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "lines",
    [
        ["It is", "not  there yet."],
        ["Folders and files"],
        ["The plan foretells it."],
        ["A second look"],
        ["A scan that ends", "well"],
        ["where it lives in the account"],
    ],
)
def test_a_phrase_is_found(lines, tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    contents = {
        "page.rst": lines,
        "docstring.py": ["def f():", '    """', *lines, '    """'],
        "comment.py": ["x = 1", *(f"# {line}" for line in lines), "y = 2  # beside"],
        "tasks.yml": ["- name: |", *(f"    {line}" for line in lines)],
        "program.cfg": ["[a]", *(f"# {line}" for line in lines), "b = 1"],
    }
    for name, content in contents.items():
        (tmp_path / name).write_text("\n".join(content) + "\n", encoding="utf-8")
        (finding,) = findings(tmp_path / name)
        assert content[int(finding.split(":")[1]) - 1].strip("# ") in ['"""', "- name: |", lines[0]], finding
