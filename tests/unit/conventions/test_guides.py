# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the README, the guides and the pages for contributors name exists: modules, files, functions, tests, messages."""

from __future__ import annotations

import ast
import itertools
import re
from collections import Counter
from typing import NamedTuple

import pytest
import yaml
from ansible_collections.scanops.scanner.plugins.module_utils._contract.assumptions import ROWS
from ansible_collections.scanops.scanner.plugins.module_utils._model.times import seconds_of
from ansible_collections.scanops.scanner.plugins.module_utils._task.connection_options import (
    CONNECTION_OPTIONS,
    connection_from,
)
from ansible_collections.scanops.scanner.plugins.plugin_utils import _event_source
from ansible_collections.scanops.scanner.tests import mutants
from ansible_collections.scanops.scanner.tests.unit.conventions.collection import MODULES, ROOT, documentation
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scenarios import (
    ANSWER_FORMS,
    OF_SIMPLE,
    PROBES,
    READS,
    WRITES,
)

GUIDES, DEVELOPMENT = ROOT / "docs" / "docsite" / "rst", ROOT / "docs" / "development"
PAGES = sorted(path for place in (ROOT, ROOT / "docs", DEVELOPMENT, GUIDES) for path in place.glob("*.[mr][ds]*"))
FOR_CONTRIBUTORS = [ROOT / "AGENTS.md", ROOT / "CONTRIBUTING.md", *sorted(DEVELOPMENT.glob("*.md"))]
TREES = ("docs", "ee", "extensions", "meta", "playbooks", "plugins", "release", "requirements", "roles", "tests")
FILES = {path.relative_to(ROOT).as_posix() for top in TREES for path in (ROOT / top).rglob("*")}
FILES |= {path.name for path in ROOT.iterdir()}
TESTS = "\n".join(
    f"def {path.stem}(\n{path.read_text(encoding='utf-8')}" for path in (ROOT / "tests").rglob("test_*.py")
)
# what the links of the README have before a path in the repository
BLOB = "https://github.com/scanops/scanops.scanner/blob/main/"


def text_of(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


README, COSTS = text_of("README.md"), text_of("docs/docsite/rst/guide_costs.rst")
BENCHMARKS = text_of("docs/development/benchmarks.md")


# --- files and tests


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_each_test_that_a_page_names_exists(path):
    # a name with capitals is an example
    named = set(re.findall(r"\btest_[a-z0-9_]+\b", path.read_text(encoding="utf-8")))
    assert [name for name in sorted(named) if f"def {name}(" not in TESTS] == []


def test_each_input_of_the_fuzzing_is_tried():
    corpus = sorted((ROOT / "tests/fuzz/corpus").glob("*.json"))
    assert corpus and [path.name for path in corpus if f"def test_{path.stem}(" not in TESTS] == []


@pytest.mark.parametrize("page", [*FOR_CONTRIBUTORS, ROOT / "docs/audit.md"], ids=lambda path: path.name)
def test_each_file_that_a_page_for_contributors_names_exists(page):
    """A name without directories may be in any directory. tests/sanity is named because it does not exist."""
    named = {
        name.rstrip("/")
        for name in re.findall(r"`([\w.-]+(?:/[\w.-]+)*/?)`", page.read_text(encoding="utf-8"))
        if name.endswith(".py") or name.startswith(tuple(f"{tree}/" for tree in TREES))
    }
    ends = {name for name in named if "NAME" not in name} - {"tests/sanity"}
    assert ends and [end for end in sorted(ends) if not any(f"/{path}".endswith(f"/{end}") for path in FILES)] == []


@pytest.mark.parametrize("page", FOR_CONTRIBUTORS, ids=lambda path: path.name)
def test_each_command_that_a_page_for_contributors_names_exists(page):
    text, noxfile = page.read_text(encoding="utf-8"), text_of("noxfile.py")
    targets = re.findall(r"[a-z]+", " ".join(re.findall(r"^[^#\t\n].*$", text_of("Makefile"), re.MULTILINE)))
    assert set(re.findall(r"(?:^\$ |`|=1 )make ([a-z]+)", text, re.MULTILINE)) - set(targets) == set()
    checks = [name.replace("_", "-") for name in re.findall(r"\[sessions\.(\w+)\]", text_of("antsibull-nox.toml"))]
    # without the release of ansible-core at its end
    sessions = {
        *checks,
        *re.findall(r"[\"']([a-z]+(?:-[a-z]+)*)\b", noxfile),
        *re.findall(r"^\[([\w-]+)\]$", text_of("tests/sessions.toml"), re.MULTILINE),
        *re.findall(r"^def (\w+)\(", noxfile, re.M),
    }
    assert set(re.findall(r"nox -s ([a-z]+(?:-[a-z]+)*)", text)) - sessions == set()


def test_the_map_has_each_directory_and_each_private_file():
    named = re.findall(r"`([^`]+)`", (DEVELOPMENT / "map.md").read_text(encoding="utf-8"))
    places = {"plugins": "", "plugins/module_utils": "", "docs": "docs/", "tests": "tests/"}
    expected = {
        f"{before}{path.name}{'/' if path.is_dir() else ''}"
        for place, before in places.items()
        for path in (ROOT / place).iterdir()
        if (path.is_dir() or path.suffix == ".py") and path.name != "output" and not path.name.startswith(("__", "."))
    }
    assert len(expected) > 40 and sorted(expected - set(named)) == []


def test_the_first_pages_for_contributors_are_short():
    words = {name: len(text_of(name).split()) for name in ("CONTRIBUTING.md", "AGENTS.md")}
    assert words["CONTRIBUTING.md"] <= 800 and words["AGENTS.md"] <= 350


def test_the_files_of_the_mutants_and_their_tests_exist():
    files = [f"plugins/module_utils/{file}.py" for file in {*mutants.TESTS_OF, *mutants.RECORDED}]
    files += [f"tests/unit/plugins/module_utils/{each}.py" for tests in mutants.TESTS_OF.values() for each in tests]
    assert [file for file in sorted(files) if file not in FILES] == []


def test_each_link_of_the_readme_is_absolute():
    targets = re.findall(r"\]\(([^)#]*)", README)
    assert targets and [target for target in targets if not target.startswith("https://")] == []


RECIPES = [*(ROOT / "docs/recipes").glob("*.yml")]


def test_each_playbook_of_the_recipes_runs_in_a_test():
    runs = text_of("tests/integration/targets/guide_recipes/cook.py")
    assert len(RECIPES) > 5 and [path.name for path in RECIPES if f'"{path.name}"' not in runs] == []


# --- plugins, roles and guides


@pytest.mark.parametrize("path", [
    *(path for kind in ("modules", "inventory", "filter") for path in sorted((ROOT / "plugins" / kind).glob("*.py"))),
    *sorted((ROOT / "roles").iterdir()),
    *sorted((ROOT / "extensions/eda/plugins/event_source").glob("*.py")),
], ids=lambda path: f"{path.parent.name}-{path.stem}")  # fmt: skip
def test_each_plugin_and_each_role_is_described_on_the_start_page_of_the_site(path):
    kind = path.parent.name.removesuffix("s")
    link = (
        rf"`{path.stem} <{BLOB}{path.relative_to(ROOT)}>`__"
        if kind == "event_source"
        else rf":ansplugin:`{path.stem} <scanops.scanner.{path.stem}#{kind}>`"
    )
    assert len(re.findall(rf"^\* {re.escape(link)}: \S", text_of("docs/sphinx/index.rst"), re.MULTILINE)) == 1


def test_the_start_page_of_the_site_lists_every_plugin_once():
    plugins = {
        f"{path.stem}_{kind}"
        for directory, kind in (("modules", "module"), ("inventory", "inventory"), ("filter", "filter"))
        for path in (ROOT / "plugins" / directory).glob("*.py")
        if path.stem != "__init__"
    }
    roles = {f"{path.name}_role" for path in (ROOT / "roles").iterdir()}
    guides = {f"docsite/{path.stem}" for path in GUIDES.glob("*.rst")}
    listed = re.findall(r"^   .*<([\w/]+)>$", text_of("docs/sphinx/index.rst"), re.MULTILINE)
    assert sorted(listed) == sorted({*plugins, *roles, *guides, "changelog", "environment_variables"})


def test_each_module_is_in_the_guide_to_costs_and_each_benchmark_has_its_figures():
    benchmarks = re.findall(r'Benchmark\(\n\s+"(\w+)"', text_of("tests/bench/benchmarks.py"))
    assert [name for name in MODULES if f"* - ``{name}``\n" not in COSTS] == []
    assert benchmarks and [name for name in benchmarks if f"| `{name}` |" not in BENCHMARKS] == []


# --- costs
#
# test_every_module counts the calls of the tasks of scenarios.py; here they are compared with the words of the guide

CALLS = {**WRITES, **READS, **PROBES}
METHOD = "(?:GET|POST|PUT|PATCH|DELETE)"
COUNT = re.compile(rf"(\d+) ({METHOD}(?:(?:, | or ){METHOD})*)")
# a list of a small account costs a call for its rows, and one for its end
LISTS = re.compile(r"(?:complete|rechecked) list(?:s of \w+ and(?: of)? \w+|s)?|[Pp]ages\b")
# as often as something exists or is polled
OFTEN = re.compile(r"(?:for|of) each|\bat most|about \d+|complete list once more|lists of")


class Cost(NamedTuple):
    """What a clause of the guide says: how many calls of each method, at most, and whether that is exact."""

    calls: Counter
    exact: bool

    def __add__(self, other):
        return Cost(self.calls + other.calls, self.exact and other.exact)

    def explains(self, calls):
        """Whether so many calls are the words of the guide. A task may end before it has read everything."""
        return all(
            calls[method] <= self.calls[method]
            if method == "GET" or not self.exact
            else calls[method] == self.calls[method]
            for method in {*calls, *self.calls}
        )


def costs_of(line):
    """The costs that one line of a cell permits: an alternative for each clause, and what a clause adds with ``also``."""
    found = []
    for clause in line.split("; "):
        calls = Counter()
        for count, methods in COUNT.findall(clause):
            for method in re.findall(METHOD, methods):
                calls[method] += int(count)
        for each in LISTS.findall(clause):
            calls["GET"] += 2 * (each.count(" and ") + 1)
        often = bool(OFTEN.search(clause))
        if often:
            calls = Counter(dict.fromkeys(calls or ["GET"], 1000))
        cost = Cost(calls, not often)
        if " also " in f" {clause}" and found:
            found += [each + cost for each in found]
        elif calls:
            found.append(cost)
    return found or [Cost(Counter(), True)]


def rows_of_costs():
    """The costs of the guide by module: those of a task with nothing to change, and those that each change adds."""
    tables = COSTS.partition("Calls of each module\n")[2].partition("What else costs calls")[0]
    rows = {}
    for row in re.split(r"\n   \* - ", tables)[1:]:
        name, *cells = re.split(r"\n     - ", row.partition("\n\n")[0])
        lines = [[line.strip(" *") for line in cell.split("\n       * ")] for cell in cells]
        if name.startswith("``"):
            rows[name.strip("`")] = [[cost for line in cell for cost in costs_of(line)] for cell in lines]
    return rows


ROWS_OF_COSTS = rows_of_costs()
NAMED = Cost(Counter(GET=1), True)


def explained(task):
    """The costs of the guide that explain the calls of a task."""
    unchanged, changes = [*ROWS_OF_COSTS[task.module], [], []][:2]
    # a workspace by name costs one more
    named = [NAMED] if task.options.get("workspace") is not None else []
    first = [each + more for each in unchanged for more in [*named, Cost(Counter(), True)]]
    calls = Counter(call.partition(" ")[0] for call in task.calls)
    # a task may do what several lines say; how often it writes tells which
    several = [sum(each, Cost(Counter(), True)) for size in range(4) for each in itertools.combinations(changes, size)]
    return [one + more for one in first for more in several if (one + more).explains(calls)]


@pytest.mark.parametrize("name", CALLS)
def test_the_guide_to_costs_explains_the_calls_of_a_task(name):
    task = CALLS[name]
    assert explained(task), f"correct the row of {task.module} in guide_costs.rst, which does not have {task.calls}"


@pytest.mark.parametrize("module", OF_SIMPLE)
def test_the_guide_to_costs_names_no_change_that_costs_less(module):
    tasks = [task for task in CALLS.values() if task.module == module]
    for change in [cost for cell in ROWS_OF_COSTS[module][1:] for cost in cell]:
        assert any(
            Counter(call.partition(" ")[0] for call in task.calls) == (one + change).calls
            for task in tasks
            for one in [*ROWS_OF_COSTS[module][0], *[each + NAMED for each in ROWS_OF_COSTS[module][0]]]
        ), f"no task of {module} costs {dict(change.calls)} more than without a change"


def test_the_site_tells_how_to_install_this_version():
    version = re.search(r"^version: (\S+)$", text_of("galaxy.yml"), re.MULTILINE)[1]
    assert f"scanops-scanner-{version}.tar.gz" in text_of("docs/sphinx/antsibull-docs.cfg")


def test_each_guide_is_in_the_table_of_contents():
    contents = re.findall(r"- (guide_\w+|outcomes)", text_of("docs/docsite/extra-docs.yml"))
    assert sorted(contents) == sorted(path.stem for path in GUIDES.glob("*.rst"))


def test_each_label_that_is_linked_exists():
    texts = [
        path.read_text(encoding="utf-8")
        for directory, kind in (("docs", "*.rst"), ("plugins", "*.py"), ("roles", "*.yml"))
        for path in (ROOT / directory).rglob(kind)
    ]
    label = r"ansible_collections\.scanops\.scanner\.docsite\.[\w.]*\w"
    labels = re.findall(rf"^\.\. _({label}):$", "\n".join(texts), re.MULTILINE)
    assert len(labels) == len(set(labels))
    assert {each for text in texts for each in re.findall(label, text)} - set(labels) == set()


# --- defaults

SPECS = [
    yaml.safe_load(path.read_text(encoding="utf-8")) for path in (ROOT / "roles").glob("*/meta/argument_specs.yml")
]
OPTIONS = [
    *(documentation(module)["options"] for module in MODULES),
    *(spec["argument_specs"]["main"]["options"] for spec in SPECS),
    *(source.options for source in (_event_source.Requests, _event_source.Scans)),
]
# "``name`` … (1 hour by default)", "``name`` …, 7 days by default", "``name`` (50)"
NUMBERED = re.compile(
    r"``(\w+)``[^`.;()]*(?:\(([\d,]+)( [a-zA-Z]+)?(?: by default)?\)|, ([\d,]+)( [a-zA-Z]+)? by default)"
)
UNITS = {"seconds": 1, "minutes": 60, "hour": 3600, "hours": 3600, "days": 86400, "MiB": 1 << 20}
DEFAULTS = [
    (page.name, name, int((one or other).replace(",", "")) * UNITS.get((unit or of_other).strip(), 1))
    for page in GUIDES.glob("guide_*.rst")
    for name, one, unit, other, of_other in NUMBERED.findall(page.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("page, name, value", DEFAULTS)
def test_a_default_that_a_guide_names_is_that_of_an_option(page, name, value):
    found = [options[name].get("default") for options in OPTIONS if name in options]
    assert value in [seconds_of(str(each).removesuffix(".0")) for each in found if each is not None], page


def test_the_guides_name_some_defaults():
    assert len(DEFAULTS) > 8


# --- troubleshooting

# the sections by their headings
_BEFORE, *_SECTIONS = re.split(
    r"^``(.+)``\n\^+$",
    text_of("docs/docsite/rst/guide_troubleshooting.rst").partition("Something else\n---")[0],
    flags=re.MULTILINE,
)
TROUBLES = dict(zip(_SECTIONS[::2], _SECTIONS[1::2]))


def test_each_message_that_the_guide_to_troubleshooting_quotes_exists():
    texts = [
        node.value
        for path in (ROOT / "plugins").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    fragments = [part.strip() for message in TROUBLES for part in message.split("…")]
    assert len(TROUBLES) > 17 and [part for part in fragments if not any(part in text for text in texts)] == []


@pytest.mark.parametrize("message", TROUBLES)
def test_a_trouble_has_an_input_before_and_after_or_says_why_not(message):
    text = TROUBLES[message]
    assert "**What to do:** " in text
    assert (".. code-block:: diff\n" in text) is not bool(re.search(r"^No input changes\b", text, re.MULTILINE))


def test_a_wrong_address_in_the_guide_is_refused_by_the_service_and_not_before():
    addresses = re.findall(r"^   [-+]base_url: (\S+)$", "".join(TROUBLES.values()), re.MULTILINE)
    defaults = {name: each.get("default") for name, each in CONNECTION_OPTIONS.items()}
    assert len(addresses) > 1
    for address in addresses:
        assert connection_from({**defaults, "api_key": "none", "base_url": address}).base_url == address


# --- assumptions

# the texts of each section of the generated page
ASSUMPTIONS = dict(
    re.findall(
        r"^([a-z-]+)\n-+\n\n(.*?)(?=^\.\. _|\Z)",
        text_of("docs/docsite/rst/guide_assumptions_table.rst"),
        re.MULTILINE | re.DOTALL,
    )
)
CODE = {
    path.relative_to(ROOT / "plugins" / base).as_posix(): path
    for directory, base in (("module_utils", "module_utils"), ("action", "action"), ("modules", ""))
    for path in (ROOT / "plugins" / directory).rglob("*.py")
}
# "name and other in _package/file.py", or in modules/file.py
PLACE = re.compile(r"((?:\w+(?:, | and )?)+) in ((?:(?:_\w+|modules)/)?\w+\.py)")


def test_the_guide_and_service_verification_have_the_same_assumptions_in_the_same_order():
    assert list(ASSUMPTIONS) == [row.name for row in ROWS]


SAID = yaml.safe_load(text_of("docs/docsite/assumptions.yml"))


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_an_assumption_has_its_sentence_its_place_and_its_test(row):
    section, said = ASSUMPTIONS[row.name].replace("``", ""), SAID[row.name]
    more, tests = said.get("more", ""), said["tests"]
    assert section.startswith(row.assumption.replace("`", "")) and row.assumption.endswith(".")
    for text in (row.source, row.consequence, row.place, more, tests):
        assert text.replace("`", "") in section
    for text in (row.assumption, more, row.consequence):
        assert text.count("`") % 2 == 0 and "``" not in text
    assert ("not safe" in section) is not row.safe
    assert row.modules == "all" or set(row.modules.split()) <= {*MODULES, "inventory"}
    # a test, or in quotes a form or task of scenarios.py
    assert re.fullmatch(r'((forms?|tasks?) )?((test_\w+|"[\w-]+")(, | and )?)+', tests)
    for name in re.findall(r'"([\w-]+)"', tests):
        assert name in {**ANSWER_FORMS, **WRITES, **READS}, name
    assert PLACE.fullmatch(row.place)
    for names, file in PLACE.findall(row.place):
        for name in re.findall(r"\w+", names.replace(" and ", " ")):
            pattern = rf"^\s*def {name}\(|^class {name}\b|^{name}(?:: .+)? = "
            assert re.search(pattern, CODE[file].read_text(encoding="utf-8"), re.MULTILINE), name


def test_the_guide_names_each_assumption_that_is_not_safe():
    named = re.findall(r"guide_assumptions_table\.(\w+)>", text_of("docs/docsite/rst/guide_assumptions.rst"))
    assert [row.name for row in ROWS if not row.safe and row.name.replace("-", "_") not in named] == []
