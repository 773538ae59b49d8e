# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The page of outcomes and policy keys, from docs/docsite/outcomes.yml. Plain reStructuredText, so that it reads well on the
host of the repository, too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

SOURCE, PAGE = "docs/docsite/outcomes.yml", "docs/docsite/rst/outcomes.rst"
# REUSE-IgnoreStart
HEAD = """..
  Copyright: The scanops.scanner contributors
  GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
  SPDX-License-Identifier: GPL-3.0-or-later

..
  Written by tests/generate.py from docs/docsite/outcomes.yml.

.. _ansible_collections.scanops.scanner.docsite.outcomes:

Outcomes and policy keys
========================

The gate ended with a word, or a fix or an estate did. What does it mean, and what do I do?

The message of a role that failed links to its section here. So do ``gate.md``, the page and ``see`` in ``gate.json``.

.. contents::
   :local:
   :depth: 2
"""
# REUSE-IgnoreEnd


class Group(NamedTuple):
    """The sections of one kind of words."""

    title: str
    text: str


GROUPS = {
    "outcome": Group(
        "Outcomes of a gate",
        "The worst first. A gate has the worst outcome of all its targets and tools. If ``outcomes`` lets that one pass and"
        " another one fails, the link is for the one that fails.",
    ),
    "policy": Group(
        "Keys of the policy",
        "A finding fails if ``fail_on`` and all filters count it, or by ``max`` or ``older_than``. Its ``reasons`` name the"
        " key.",
    ),
    "fix": Group(
        "Verdicts on a fix",
        "The role ``prove_fix`` fails unless every finding is ``fixed``. Any doubt is ``unproven``.",
    ),
    "estate": Group(
        "Outcomes of an estate",
        "``estate_apply_outcome`` in the statistics of the run, and ``outcome`` in the file of the plan.",
    ),
}


def title_of(kind: str, word: str) -> str:
    """The heading of a section, without underscores, of which programs make different anchors."""
    return f"{kind.capitalize()}: {word.replace('_', ' ')}"


def page_of(source: dict[str, dict[str, dict[str, Any]]]) -> str:
    """The text of the page."""
    lines = [HEAD]
    for kind, group in GROUPS.items():
        lines += [group.title, "-" * len(group.title), "", group.text, ""]
        for word, entry in source[kind].items():
            lines += _section(title_of(kind, word), word, entry)
    return "\n".join(lines)


def _section(title: str, word: str, entry: dict[str, Any]) -> Iterator[str]:
    yield from (title, "^" * len(title), "", f"``{word}``, since {entry.get('since', '1.0.0')}. {entry['means']}", "")
    yield from (f"**What to do:** {entry['do']}", "")
    for when in ("before", "after"):
        if when in entry:
            code = [f"   {line}".rstrip() for line in entry[when].splitlines()]
            language = "yaml+jinja" if "{{" in entry[when] else "yaml"
            yield from (f"{when.capitalize()}:", "", f".. code-block:: {language}", "", *code, "")
