# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The pages of the documentation that tests/generate.py writes: variables of the role scan_gate, and the event sources."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).resolve().parents[1]
PLACE = "docs/docsite/rst"
SPECIFICATION = "roles/scan_gate/meta/argument_specs.yml"
SOURCES = "extensions/eda/plugins/event_source"
# REUSE-IgnoreStart
PAGE = """..
  Copyright: The scanops.scanner contributors
  GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
  SPDX-License-Identifier: GPL-3.0-or-later

  Written by nox -s generate, from {source}.

.. _ansible_collections.scanops.scanner.docsite.{name}:

{title}
{line}

{introduction}

"""
# REUSE-IgnoreEnd
VARIABLES = """Which variables does the role :ansplugin:`scanops.scanner.scan_gate#role` have?

``ansible-doc -t role scanops.scanner.scan_gate`` shows their complete descriptions. The link at the end of a row leads to
the option of a module that the variable is passed on to. For examples, see
:ref:`ansible_collections.scanops.scanner.docsite.guide_gate`."""
EVENT_SOURCES = """Which options do the event sources have, and what do they promise?

``ansible-doc`` does not know event sources, so this page has what their files say. For complete rulebooks, and for what is
lost and repeated, see :ref:`ansible_collections.scanops.scanner.docsite.guide_pipelines.events`."""


def pages() -> dict[str, str]:
    """The text of each page, by its path."""
    return {
        f"{PLACE}/guide_gate_variables.rst": _page(
            "guide_gate_variables", "Variables of the gate", SPECIFICATION, VARIABLES, _variables()
        ),
        f"{PLACE}/guide_event_sources.rst": _page(
            "guide_event_sources", "Event sources", f"{SOURCES}/*.py", EVENT_SOURCES, _sources()
        ),
    }


def _page(name: str, title: str, source: str, introduction: str, body: str) -> str:
    head = PAGE.format(name=name, title=title, line="=" * len(title), source=source, introduction=introduction)
    return f"{head}{body.rstrip()}\n"


class Option(NamedTuple):
    """An option with its documentation."""

    # with the names of the options that hold it, and dots between them
    name: str
    documented: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """Its type, as in ``list of str``, or its choices."""
        if self.documented.get("choices"):
            return ", ".join(f"``{each}``" for each in self.documented["choices"])
        elements = self.documented.get("elements")
        return f"{self.documented['type']} of {elements}" if elements else str(self.documented["type"])

    @property
    def default(self) -> str:
        """Its default in YAML, "required", or "" if it has none."""
        if self.documented.get("required"):
            return "required"
        if "default" not in self.documented:
            return ""
        value = self.documented["default"]
        text = yaml.safe_dump(value, default_flow_style=True, width=1000).removesuffix("\n...\n").strip()
        return f"``{text}``"

    @property
    def paragraphs(self) -> list[str]:
        described = self.documented["description"]
        return [described] if isinstance(described, str) else list(described)


def _options(documented: Mapping[str, Any], inner: str, before: str = "") -> Iterator[Option]:
    """The options, each followed by those that it holds, which are at the key ``inner``."""
    for name, option in documented.items():
        yield Option(f"{before}{name}", option)
        yield from _options(option.get(inner, {}), inner, f"{before}{name}.")


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=\.) (?=[A-Z])", text)


def _marked(text: str) -> str:
    """Text with the markup of ansible-doc, as reStructuredText."""
    text = re.sub(r"R\(([^,]*),([^)]*)\)", r":ref:`\1 <\2>`", text)
    text = re.sub(r"M\(([\w.]+)\)", r":ansplugin:`\1#module`", text)
    text = re.sub(r"P\(([\w.]+#\w+)\)", r":ansplugin:`\1`", text)
    text = re.sub(r"O\(([\w.]+#\w+:[\w.]+)\)", r":ansopt:`\1`", text)
    text = re.sub(r"B\(([^)]*)\)", r"**\1**", text)
    return re.sub(r"\b(?:C|V|O|E|RV)\(((?:[^()\\]|\\.)*)\)", lambda found: f"``{found[1]}``", text)


def _table(heads: Sequence[str], rows: Iterator[Sequence[str]]) -> str:
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in [heads, *rows]:
        cells = [f"     - {cell}".rstrip() for cell in row]
        lines += [f"   * - {cells[0].removeprefix('     - ')}", *cells[1:]]
    return "\n".join(lines) + "\n"


def _variables() -> str:
    """The variables of the role, each with the first sentence of its description."""
    text = (ROOT / SPECIFICATION).read_text(encoding="utf-8")
    documented = yaml.safe_load(text)["argument_specs"]["main"]["options"]
    rows = (
        (f"``{option.name}``", option.kind, option.default, _effect(option), _danger(option))
        for option in _options(documented, "options")
    )
    return _table(["Variable", "Type", "Default", "What it does", "Danger"], rows)


def _effect(option: Option) -> str:
    """The first sentence, and a link to the option of a module."""
    first = _marked(_sentences(option.paragraphs[0])[0])
    links = re.findall(r"See (O\([\w.]+#\w+:[\w.]+\))", " ".join(option.paragraphs))
    return f"{first} {_marked(links[0])}" if links else first


def _danger(option: Option) -> str:
    found = [each.removeprefix("Danger - ") for each in option.paragraphs if each.startswith("Danger - ")]
    return _marked(" ".join(f"{each[0].upper()}{each[1:]}" for each in found))


def _sources() -> str:
    """A section for each event source."""
    sections = []
    for path in sorted((ROOT / SOURCES).glob("[a-z]*.py")):
        blocks = {
            ast.unparse(node.targets[0]): ast.literal_eval(node.value)
            for node in ast.parse(path.read_text(encoding="utf-8")).body
            if isinstance(node, ast.Assign)
        }
        documented = yaml.safe_load(blocks["DOCUMENTATION"])
        rows = (
            (f"``{option.name}``", option.kind, option.default, _marked(" ".join(option.paragraphs)))
            for option in _options(documented["options"], "suboptions")
        )
        title = f"scanops.scanner.{path.stem}"
        sections += [
            f".. _ansible_collections.scanops.scanner.docsite.guide_event_sources.{path.stem}:",
            f"{title}\n{'-' * len(title)}",
            f"{documented['short_description']}.",
            *map(_marked, documented["description"]),
            _table(["Option", "Type", "Default", "What it does"], rows).rstrip(),
            ".. code-block:: yaml\n\n" + re.sub(r"(?m)^(?=.)", "   ", blocks["EXAMPLES"].strip()),
        ]
    return "\n\n".join(sections)
