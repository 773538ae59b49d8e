# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What users read has the common terms: guides, documentation, messages, names of tasks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
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

SUFFIXES = (".md", ".py", ".rst", ".yaml", ".yml")
PLACES = ("changelogs", "docs", "meta", "playbooks", "plugins", "roles")


def without(pattern: str, text: str) -> str:
    """Replace the matches by blanks, so that lines keep their numbers."""
    return re.sub(pattern, lambda found: re.sub(r"\S", " ", found[0]), text, flags=re.DOTALL | re.MULTILINE)


def plain(text: str) -> str:
    """reStructuredText or Markdown without code blocks, literals, templates and addresses."""
    text = without(r"^```.*?^```", text)
    text = without(r"^( *)\.\. (code-block|parsed-literal)::.*?\n(?=\1?\S|\Z)", text)
    return without(r"``.*?``|`[^`\n]+`|https?://\S+|\{\{.*?\}\}", text)


def prose_of(path: Path) -> Iterator[tuple[int, str]]:
    """The first line and the text of each piece of prose: of Python, the strings of several words."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield 1, text
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value


def findings(path: Path) -> list[str]:
    """The phrases in a file that PHRASES rules out, each with its place and what to write."""
    found = []
    for first, prose in prose_of(path):
        text = plain(prose)
        for pattern, instead in PATTERNS:
            for match in pattern.finditer(text):
                line = first + text.count("\n", 0, match.start())
                found.append(f'{path}:{line}: {" ".join(match[0].split())}: write "{instead}"')
    return found


def test_prose_uses_common_terms():
    files = [*ROOT.glob("*"), *(path for place in PLACES for path in (ROOT / place).rglob("*"))]
    found = [finding for path in sorted(files) if path.suffix in SUFFIXES for finding in findings(path)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("lines", [["It is", "not  there yet."], ["where it lives in the account"]])
def test_a_phrase_is_found(lines, tmp_path):
    contents = {"page.rst": lines, "message.py": ['f("""', *lines, '""")'], "tasks.yml": ["- name: >-", *lines]}
    for name, content in contents.items():
        (tmp_path / name).write_text("\n".join(content) + "\n", encoding="utf-8")
        (finding,) = findings(tmp_path / name)
        assert finding.startswith(f"{tmp_path / name}:{1 if name == 'page.rst' else 2}: ")
