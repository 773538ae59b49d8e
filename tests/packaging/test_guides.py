# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the README and the guides name exists: modules, files, benchmarks, functions, tests."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
README = (CHECKOUT / "README.md").read_text(encoding="utf-8")
# what the links of the README have before a path in the repository
BLOB = "https://github.com/scanops/scanops.scanner/blob/main/"
GUIDES = CHECKOUT / "docs" / "docsite" / "rst"
MODULES = sorted(path.stem for path in (CHECKOUT / "plugins" / "modules").glob("*.py"))
ASSUMPTIONS = (GUIDES / "guide_assumptions.rst").read_text(encoding="utf-8")
TESTS = "\n".join(path.read_text(encoding="utf-8") for path in (CHECKOUT / "tests" / "unit").rglob("*.py"))
# "``name`` and ``other`` in ``_package/file.py``", or in ``modules/file.py``
PLACE = re.compile(r"((?:``\w+``(?:, | and )?)+) in ``((?:(?:_\w+|modules)/)?\w+\.py)``")
CODE = {
    path.relative_to(CHECKOUT / "plugins" / base).as_posix(): path
    for folder, base in (("module_utils", "module_utils"), ("action", "action"), ("modules", ""))
    for path in (CHECKOUT / "plugins" / folder).rglob("*.py")
}
# the cells of the rows of the one table, its heading left out
ROWS = [
    [cell.strip() for cell in re.split(r"\n     - ", row)]
    for row in re.split(r"\n   \* - ", ASSUMPTIONS.partition(".. list-table::")[2])[2:]
]


@pytest.mark.parametrize("module", MODULES)
def test_each_module_is_in_the_table_of_costs(module):
    costs = (GUIDES / "guide_costs.rst").read_text(encoding="utf-8")
    assert f"* - ``{module}``\n" in costs


@pytest.mark.parametrize("path", [
    *(f"plugins/modules/{module}.py" for module in MODULES),
    *(f"plugins/inventory/{path.name}" for path in sorted((CHECKOUT / "plugins" / "inventory").glob("*.py"))),
    *(f"roles/{path.name}/README.md" for path in sorted((CHECKOUT / "roles").iterdir())),
    *(f"plugins/filter/{path.name}" for path in sorted((CHECKOUT / "plugins" / "filter").glob("*.py"))),
])  # fmt: skip
def test_each_module_inventory_role_and_filter_is_listed_in_the_readme(path):
    name = path.split("/")[1] if path.startswith("roles/") else Path(path).stem
    # the beginning of an item: one name or more, each a link
    names = re.findall(r"^  - ((?:\[`\w+`\]\([^)]*\)(?:, )?)+): \S", README, re.MULTILINE)
    assert any(f"[`{name}`]({BLOB}{path})" in each for each in names)


def test_each_link_of_the_readme_is_absolute():
    targets = re.findall(r"\]\(([^)]*)\)", README)
    assert targets and [target for target in targets if not target.startswith("https://")] == []


@pytest.mark.parametrize("path", sorted(set(re.findall(rf"\]\({re.escape(BLOB)}([^)#]*)", README))))
def test_each_file_that_the_readme_links_to_exists(path):
    assert (CHECKOUT / path).is_file()


def test_each_picture_of_the_readme_exists():
    address = r"https://raw\.githubusercontent\.com/scanops/scanops\.scanner/main/"
    pictures = re.findall(rf"!\[[^\]]+\]\({address}([^)]*)\)", README)
    assert pictures and all((CHECKOUT / path).is_file() for path in pictures)


def test_the_start_page_of_the_site_lists_every_plugin_once():
    page = (CHECKOUT / "docs" / "sphinx" / "index.rst").read_text(encoding="utf-8")
    plugins = {
        f"{path.stem}_{kind}"
        for folder, kind in (("modules", "module"), ("inventory", "inventory"), ("filter", "filter"))
        for path in (CHECKOUT / "plugins" / folder).glob("*.py")
        if path.stem != "__init__"
    }
    roles = {f"{path.name}_role" for path in (CHECKOUT / "roles").iterdir()}
    guides = {f"docsite/{path.stem}" for path in GUIDES.glob("*.rst")}
    listed = re.findall(r"^   .*<([\w/]+)>$", page, re.MULTILINE)
    assert sorted(listed) == sorted({*plugins, *roles, *guides, "changelog", "environment_variables"})


def test_the_site_tells_how_to_install_this_version():
    galaxy = (CHECKOUT / "galaxy.yml").read_text(encoding="utf-8")
    version = re.search(r"^version: (\S+)$", galaxy, re.MULTILINE)[1]
    settings = (CHECKOUT / "docs" / "sphinx" / "antsibull-docs.cfg").read_text(encoding="utf-8")
    assert f"scanops-scanner-{version}.tar.gz" in settings


def test_each_guide_is_in_the_table_of_contents():
    contents = (CHECKOUT / "docs" / "docsite" / "extra-docs.yml").read_text(encoding="utf-8")
    assert re.findall(r"- (guide_\w+)", contents) and sorted(re.findall(r"- (guide_\w+)", contents)) == sorted(
        path.stem for path in GUIDES.glob("*.rst")
    )


def test_each_label_that_is_linked_exists():
    texts = [
        path.read_text(encoding="utf-8")
        for folder, kind in (("docs", "*.rst"), ("plugins", "*.py"), ("roles", "*.yml"))
        for path in (CHECKOUT / folder).rglob(kind)
    ]
    label = r"ansible_collections\.scanops\.scanner\.docsite\.[\w.]*\w"
    labels = re.findall(rf"^\.\. _({label}):$", "\n".join(texts), re.MULTILINE)
    assert len(labels) == len(set(labels))
    assert {each for text in texts for each in re.findall(label, text)} - set(labels) == set()


@pytest.mark.parametrize("name", sorted(set(re.findall(r"``(test_\w+)``", ASSUMPTIONS))))
def test_the_test_of_an_assumption_exists(name):
    assert f"def {name}(" in TESTS


@pytest.mark.parametrize("name", sorted(set(re.findall(r'"([\w-]+)"', ASSUMPTIONS))))
def test_the_form_or_task_of_an_assumption_exists(name):
    scenarios = (CHECKOUT / "tests" / "unit" / "plugins" / "modules" / "scenarios.py").read_text(encoding="utf-8")
    assert f'    "{name}": ' in scenarios


def test_each_assumption_has_its_place_and_its_test_in_one_table():
    assert ASSUMPTIONS.count("list-table::") == 1 and len(ROWS) > 25
    for row in ROWS:
        assert len(row) == 3, row
        assert PLACE.fullmatch(row[1]), row
        assert re.fullmatch(r'((forms?|tasks?|tests?) )?((``test_\w+``|"[\w-]+")(, | and )?)+', row[2]), row


@pytest.mark.parametrize("names, file", PLACE.findall(ASSUMPTIONS))
def test_the_place_of_an_assumption_exists(names, file):
    code = CODE[file].read_text(encoding="utf-8")
    for name in re.findall(r"\w+", names.replace(" and ", " ")):
        assert re.search(rf"^\s*def {name}\(|^class {name}\b|^{name}(?:: .+)? = ", code, re.MULTILINE), name


def test_each_benchmark_is_in_the_guide():
    costs = (GUIDES / "guide_costs.rst").read_text(encoding="utf-8")
    program = (CHECKOUT / "tests" / "bench" / "benchmarks.py").read_text(encoding="utf-8")
    names = re.findall(r'Benchmark\(\n\s+"(\w+)"', program)
    assert names and [name for name in names if f"* - ``{name}``\n" not in costs] == []
