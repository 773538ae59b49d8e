# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write what follows from the modules and the API families.

    .venv/bin/nox -s generate

It writes whole files (an action plugin for each module, the settings of the integration targets of families, the pages of
assumptions, outcomes, variables of the gate and event sources), lists (action groups), and entries that the costs and the start
page of the site lack. An entry that exists is never changed: improve its words by hand. Needs PyYAML.
"""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
# REUSE-IgnoreStart
HEAD = (
    "# Copyright: The scanops.scanner contributors\n"
    "# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)\n"
    "# SPDX-License-Identifier: GPL-3.0-or-later\n\n"
)
PAGE = """..
  Copyright: The scanops.scanner contributors
  GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
  SPDX-License-Identifier: GPL-3.0-or-later

  Written by nox -s generate, from ROWS in plugins/module_utils/_contract/assumptions.py.

.. _{label}:

Every assumption about the service
==================================

What exactly does the collection assume, who says so, and what happens if it is wrong?

The rows of ``service_verification``, and of the file that the playbook ``scanops.scanner.verify_service`` writes, have these
names. The sources are:

* The *specification* is the one that the collection implements.
* The *public documentation* is the vendor's reference of the API. https://pentest-tools.com/docs/llms.txt lists its
  pages.
* The *published client* is the vendor's package ``pentesttools`` on PyPI.
* *Nobody has checked* the other assumptions.

**Not safe** means that a result may be wrong without an error: {unsafe}.

Otherwise the task fails, warns, or reads another form as well: {safe}.

Paths of code begin in ``plugins/module_utils``, or in ``plugins`` if they are of modules. Forms of answers and tasks, in
quotes, are those of ``tests/unit/plugins/modules/scenarios.py``, with which the tests of all modules run.

"""
# REUSE-IgnoreEnd
ACTION = '''"""Runs the module of this name in process where that is equal."""

from __future__ import annotations

from ..modules.{module} import MODULE
from ..plugin_utils._in_process import InProcess


class ActionModule(InProcess):
    declared = MODULE
'''
TARGET = {"aliases": "gather_facts/no\n", "meta/main.yml": "dependencies:\n  - setup_service\n"}


def _read(path: str) -> str:
    file = ROOT / path
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def _modules() -> dict[str, dict[str, Any]]:
    """The documentation of each module."""
    found = {}
    for path in sorted((ROOT / "plugins/modules").glob("[a-z]*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "DOCUMENTATION":
                found[path.stem] = yaml.safe_load(ast.literal_eval(node.value))
    return found


def _families() -> list[str]:
    """The name of each family."""
    return re.findall(r'^    name = "(\w+)"$', _read("plugins/module_utils/_model/families.py"), re.MULTILINE)


def _groups(modules: dict[str, dict[str, Any]]) -> dict[str, list[str]]:
    """The modules of each action group."""
    scoped = "scanops.scanner.attributes.action_group_scoped"
    return {
        "all": list(modules),
        "scoped": [name for name, docs in modules.items() if scoped in docs["extends_documentation_fragment"]],
    }


def _runtime(groups: dict[str, list[str]]) -> str:
    lists = "".join(f"  {name}:\n" + "".join(f"    - {each}\n" for each in groups[name]) for name in groups)
    return re.sub(r"(?s)action_groups:\n.*", lambda _found: f"action_groups:\n{lists}", _read("meta/runtime.yml"))


def _checks(groups: dict[str, list[str]]) -> str:
    pattern = f'name = "scoped"\npattern = "^({"|".join(groups["scoped"])})$"'
    return re.sub(r'name = "scoped"\npattern = ".*"', lambda _found: pattern, _read("antsibull-nox.toml"))


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize() + "s"


def _before(text: str, place: str, entry: str) -> str:
    assert text.count(place) == 1, place
    return text.replace(place, entry + place)


def _start_page(text: str, family: str, docs: dict[str, str]) -> str:
    title = _title(family)
    shown = [f"* :ansplugin:`{module} <scanops.scanner.{module}#module>`: {docs[module]}" for module in docs]
    listed = [f"   {module} <{module}_module>" for module in docs]
    tree = [".. toctree::", f"   :caption: Modules: {title.lower()}", "   :maxdepth: 1", "   :hidden:", "", *listed]
    section = "\n".join([title, "~" * len(title), "", *shown, "", *tree, "", ""])
    return _before(text, ".. _inventory_plugins_in_scanops.scanner:\n", section)


def _cost(text: str, module: str, documentation: dict[str, Any]) -> str:
    (words,) = (line for line in documentation["description"] if line.startswith("Cost - "))
    words = re.sub(r"O\((.*?)\)", r"``\1``", words.removeprefix("Cost - ").partition(". ")[0].rstrip("."))
    unchanged, _mark, changes = words.partition("; ")
    row = f"   * - ``{module}``\n     - {unchanged}\n"
    if module.endswith("_info"):
        return _before(text, "   * - ``estate_info``\n", f"   * - ``{module}``\n     - {words}\n")
    for number, change in enumerate(changes.split(", ")):
        name, _mark, calls = change.partition(" + ")
        row += f"     {' ' if number else '-'} * {name.capitalize()}: {calls}\n"
    return _before(text, "   * - ``targets``\n", row)


def _assumptions() -> str:
    """The page with a section for each assumption, which reads well without Sphinx."""
    sys.path.append(str(ROOT.parents[2]))
    from ansible_collections.scanops.scanner.plugins.module_utils._contract.assumptions import ROWS

    label = "ansible_collections.scanops.scanner.docsite.guide_assumptions_table"
    said = yaml.safe_load(_read("docs/docsite/assumptions.yml"))
    assert [*said] == [row.name for row in ROWS], "docs/docsite/assumptions.yml has other rows, or another order"
    names = {safe: ", ".join(f"`{row.name}`_" for row in ROWS if row.safe is safe) for safe in (True, False)}
    sections = [PAGE.format(label=label, safe=names[True], unsafe=names[False])]
    for row in ROWS:
        # whole words are literals: names of code and of tests
        place = re.sub(
            r"[\w/.]*[\w/]*\w", lambda word: word[0] if word[0] in ("and", "in") else f"``{word[0]}``", row.place
        )
        modules = (
            "all that make calls" if row.modules == "all" else ", ".join(f"``{each}``" for each in row.modules.split())
        )
        lines = [
            f".. _{label}.{row.name.replace('-', '_')}:",
            "",
            row.name,
            "-" * len(row.name),
            "",
            " ".join(filter(None, (row.assumption, said[row.name].get("more")))).replace("`", "``"),
            "",
            f"* If it is wrong, {'safe' if row.safe else '**not safe**'}: {row.consequence.replace('`', '``')}",
            f"* Source: {row.source}",
            f"* Modules: {modules}",
            f"* Code: {place}",
            "* Tests: " + re.sub(r"\btest_\w+", r"``\g<0>``", said[row.name]["tests"]),
        ]
        sections.append("\n".join(lines) + "\n\n")
    return "".join(sections).rstrip("\n") + "\n"


def _beside(name: str) -> ModuleType:
    """A module beside this program, which runs with and without a package around it."""
    spec = importlib.util.spec_from_file_location(name, ROOT / f"tests/{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def texts() -> dict[str, str]:
    """What each file must contain, by its path."""
    modules, families = _modules(), _families()
    groups = _groups(modules)
    found = {
        "meta/runtime.yml": _runtime(groups),
        "antsibull-nox.toml": _checks(groups),
        "docs/docsite/rst/guide_assumptions_table.rst": _assumptions(),
    }
    found.update({f"plugins/action/{name}.py": HEAD + ACTION.format(module=name) for name in modules})
    pages = {name: _read(name) for name in ("docs/sphinx/index.rst", "docs/docsite/rst/guide_costs.rst")}
    start, costs = pages
    for family in families:
        pair = {name: modules[name]["short_description"] for name in (family, f"{family}_info") if name in modules}
        if not any(f"   {name} <{name}_module>" in pages[start] for name in pair):
            pages[start] = _start_page(pages[start], family, pair)
        for name in pair:
            if f"* - ``{name}``\n" not in pages[costs]:
                pages[costs] = _cost(pages[costs], name, modules[name])
            place = f"tests/integration/targets/{name}"
            if (ROOT / place / "tasks").is_dir():
                found[f"{place}/aliases"] = HEAD + TARGET["aliases"]
                found[f"{place}/meta/main.yml"] = "---\n" + HEAD + TARGET["meta/main.yml"]
    outcomes = _beside("generate_outcomes")
    found[outcomes.PAGE] = outcomes.page_of(yaml.safe_load(_read(outcomes.SOURCE)))
    return {**found, **pages, **_beside("generate_pages").pages()}


def outdated() -> list[str]:
    """The paths of the files that must be written."""
    return [path for path, text in texts().items() if _read(path) != text]


def main() -> None:
    for path, text in texts().items():
        if _read(path) != text:
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / path).write_text(text, encoding="utf-8")
            print(path)


if __name__ == "__main__":
    main()
