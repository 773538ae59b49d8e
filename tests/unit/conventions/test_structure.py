# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What each module and each family must have, and the structure of the code."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from graphlib import TopologicalSorter

import pytest
import yaml
from ansible_collections.scanops.scanner.plugins.module_utils._model.galaxy import COLLECTION_VERSION
from ansible_collections.scanops.scanner.tests.unit.conventions.collection import (
    MODULE_UTILS,
    MODULES,
    ROOT,
    block,
    documentation,
    imports,
    own_options,
    tree,
)
from ansible_collections.scanops.scanner.tests.unit.plugins.modules import scenarios

RUNTIME = yaml.safe_load((ROOT / "meta/runtime.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("module", MODULES)
def test_a_module_has_unit_tests_and_an_integration_target(module):
    # those of a family may be together
    names = {module, module.removesuffix("_info")}
    files = [file for name in names for file in (f"test_{name}.py", f"stories/{name}.yml")]
    tests = [path for file in files if (path := ROOT / "tests/unit/plugins/modules" / file).is_file()]
    assert [path for path in tests if re.search(rf'"{module}"|run: {module}\b', path.read_text(encoding="utf-8"))], (
        f"none of {', '.join(files)} runs {module}"
    )
    targets = [ROOT / f"tests/integration/targets/{name}/tasks/main.yml" for name in names]
    task = f"scanops.scanner.{module}:"
    assert [path for path in targets if path.is_file() and task in path.read_text(encoding="utf-8")], targets


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "roles").iterdir()))
def test_a_role_has_its_options_and_an_integration_target(name):
    assert (ROOT / f"roles/{name}/meta/argument_specs.yml").is_file()
    tasks = (ROOT / f"tests/integration/targets/role_{name}").rglob("*.yml")
    assert [path for path in tasks if f"scanops.scanner.{name}" in path.read_text(encoding="utf-8")], tasks


def test_the_tests_of_all_modules_know_every_module():
    assert set(scenarios.MODULES) == set(MODULES)
    for module in MODULES:
        writes = [task.changed for task in scenarios.WRITES.values() if task.module == module]
        reads = [task for task in scenarios.READS.values() if task.module == module]
        probes = [task for task in scenarios.PROBES.values() if task.module == module]
        if module.endswith("_info"):
            assert reads
            assert not writes
        elif probes:
            # in the end it has changed nothing; its own tests cover what it creates and deletes on the way
            assert not reads + writes
        elif module in scenarios.WITHOUT_DIFF:
            # it writes files and sends only GET
            assert reads
            assert not writes
        else:
            assert {True, False} == set(writes)
            assert not reads


# --- action groups


def test_the_action_group_scoped_lists_the_modules_with_a_scope():
    with_scope = [module for module in MODULES if "scope" in own_options(module)]
    assert RUNTIME["action_groups"].get("scoped", []) == with_scope
    assert set(RUNTIME["action_groups"]) <= {"all", "scoped"}


@pytest.mark.parametrize("module", MODULES)
def test_a_module_documents_check_mode_and_diff_mode(module):
    attributes = documentation(module)["attributes"]
    assert attributes["check_mode"]["support"] == "full"
    assert attributes["diff_mode"]["support"] == (
        "N/A" if module.endswith("_info") else "partial" if module in scenarios.WITHOUT_DIFF else "full"
    )
    # each run starts a new scan, unless the task has max_age; the files of a gate hold the time of the run
    assert attributes["idempotent"]["support"] == ("partial" if module in ("gate", "scan") else "full")


# --- which way imports go


def test_the_imports_of_packages_make_no_circle():
    graph = {}
    for name in MODULE_UTILS:
        box = name.partition("/")[0]
        graph.setdefault(box, set()).update({each.partition("/")[0] for each in imports("module_utils", name)} - {box})
    # raises CycleError
    assert list(TopologicalSorter(graph).static_order())


# --- permits for writes


def test_only_permits_makes_a_permit():
    for name in MODULE_UTILS:
        named = {node.id for node in ast.walk(tree("module_utils", name)) if isinstance(node, ast.Name)}
        named |= {node.attr for node in ast.walk(tree("module_utils", name)) if isinstance(node, ast.Attribute)}
        assert "SEAL" not in named or name in ("_scope/permit", "_scope/sealed"), name
        assert (
            "permit" not in named
            or name.startswith("_scope/")
            or name in ("_http/client", "_http/transport", "_task/task")
        ), name


def test_only_the_client_sends_writes_and_only_in_one_place():
    found = []
    for directory, names in (("module_utils", MODULE_UTILS), ("inventory", ("targets",))):
        for name in names:
            for node in ast.walk(tree(directory, name)):
                if not (
                    isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "send"
                ):
                    continue
                if not ast.unparse(node.func.value).endswith("transport"):
                    continue
                if not (isinstance(node.args[0], ast.Constant) and node.args[0].value == "GET"):
                    found.append((name, ast.unparse(node.args[0]), "permit=permit" in ast.unparse(node)))
    assert found == [("_http/client", "method", True)]


def test_each_task_creates_permits_once():
    made = []
    for directory, names in (("module_utils", MODULE_UTILS), ("inventory", ("targets",)), ("modules", MODULES)):
        for name in names:
            for node in ast.walk(tree(directory, name)):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Name)
                    and node.func.id in ("Permits", "Client")
                ):
                    made.append((name, node.func.id))
    assert sorted(made) == [
        ("_task/task", "Client"),
        ("_task/task", "Permits"),
        ("targets", "Client"),
        ("targets", "Permits"),
    ]


@pytest.mark.parametrize("module", MODULES)
def test_a_module_with_a_scope_says_where_it_comes_from(module):
    assert ("scope" in own_options(module)) is ("_scope/file" in imports("modules", module))


# --- tests


def shows_a_generator(node):
    """Whether an assertion that fails shows a generator, and not the values that are wrong."""
    if not isinstance(node, ast.Assert) or node.msg:
        return False
    call = node.test.operand if isinstance(node.test, ast.UnaryOp) else node.test
    return (
        isinstance(call, ast.Call)
        and ast.unparse(call.func) in ("all", "any")
        and isinstance(call.args[0], ast.GeneratorExp)
    )


def test_assertions_show_the_values_that_are_wrong():
    """``assert [each for each in values if wrong(each)] == []``, not ``assert not any(wrong(each) for each in values)``."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests").rglob("*.py"))}
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path, text in texts.items()
        # reading the syntax of all tests takes seconds
        if re.search(r"assert\s+(not\s+)?(all|any)\(", text)
        for node in ast.walk(ast.parse(text))
        if shows_a_generator(node)
    ]
    assert found == []


# what the importer of Galaxy and pylint of older releases of ansible-test refuse, and only `make matrix` would run
_OPERATORS = {"and", "or", "+", "-", "*", "/", "%", "|", "&", "<", ">", "==", "!=", "<=", ">=", "in", "not in", "is"}


def refused_lines(text):
    """The numbers of lines that begin with an operator between two values, have a space before a colon or the name ``_``, or
    compare a type."""
    before, found = None, set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT):
            continue
        if before is not None and token.type in (tokenize.OP, tokenize.NAME):
            is_first = token.start[0] > before.end[0] and before.type != tokenize.NEWLINE
            has_value = before.type in (tokenize.NAME, tokenize.NUMBER, tokenize.STRING) or before.string in ")]}"
            is_spaced = token.string == ":" and before.end[0] == token.start[0] and before.end[1] < token.start[1]
            if (is_first and has_value and token.string in _OPERATORS) or is_spaced or token.string == "_":
                found.add(token.start[0])
        before = token
    compared = re.compile(r"\btype\([^()]*\) (?:is|==|!=) ")
    found |= {number for number, line in enumerate(text.splitlines(), 1) if compared.search(line)}
    return sorted(found)


def test_no_line_of_a_plugin_is_refused_by_a_tool_that_only_the_matrix_runs():
    files = sorted((ROOT / "plugins").rglob("*.py"))
    assert [f"{path.name}:{line}" for path in files for line in refused_lines(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    "text", ["a = (\n    b\n    and c\n)\n", "a = b[c :]\n", "a, _ = b\n", "a = (b()\n    + c)\n", "type(a) is int\n"]
)
def test_such_a_line_is_found(text):
    assert refused_lines(text) == [text.rstrip(")\n").count("\n") + 1]


# --- versions and names


@pytest.mark.parametrize("part", ["unit", "plays"])
def test_each_file_of_tests_has_a_name_of_its_own(part):
    """pytest imports them by their names: one of two would not run when both are in one session."""
    names = Counter(path.name for path in (ROOT / "tests" / part).rglob("test_*.py"))
    assert [name for name, number in names.items() if number > 1] == []


def test_the_user_agent_tells_the_version_of_the_collection():
    galaxy = yaml.safe_load((ROOT / "galaxy.yml").read_text(encoding="utf-8"))
    assert galaxy["version"] == COLLECTION_VERSION


@pytest.mark.parametrize("module", MODULES)
def test_a_module_is_documented_under_its_own_name(module):
    own = block(module, "DOCUMENTATION")
    assert own["module"] == module
    assert own["author"] == ["The scanops.scanner contributors (!UNKNOWN)"]
    assert [line for line in own["description"] if "Cost - " in line], own["description"]
