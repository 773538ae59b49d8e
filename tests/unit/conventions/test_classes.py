# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each file of plugins/ is in exactly one class: pure, shell, transport or documentation."""

from __future__ import annotations

import ast
from fnmatch import fnmatchcase

import pytest
from ansible_collections.scanops.scanner.tests.unit.conventions.collection import (
    ROOT,
    imported_libraries,
    imports,
    tree,
)

FILES = tuple(
    sorted(
        path.relative_to(ROOT / "plugins").with_suffix("").as_posix()
        for path in (ROOT / "plugins").rglob("*.py")
        if path.stem != "__init__"
    )
)

# patterns of paths below plugins/, without suffix
CLASSES = {
    # decides: no call, no clock, no file, no AnsibleModule
    "pure": (
        "module_utils/_bulk/cost",
        "module_utils/_bulk/declaration",
        "module_utils/_bulk/model",
        "module_utils/_bulk/plan",
        "module_utils/_bulk/report",
        "module_utils/_coverage/model",
        "module_utils/_errors",
        "module_utils/_exports/*",
        "module_utils/_families/*",
        "module_utils/_findings/model",
        "module_utils/_findings/proof",
        "module_utils/_gate/baseline",
        "module_utils/_gate/baseline_file",
        "module_utils/_gate/gate_json",
        "module_utils/_gate/enrichment",
        "module_utils/_gate/expectation",
        "module_utils/_gate/fingerprint",
        "module_utils/_gate/judge",
        "module_utils/_gate/matchers",
        "module_utils/_gate/types",
        "module_utils/_gate_words",
        "module_utils/_gate/place",
        "module_utils/_gate/policy",
        "module_utils/_gate/finding_rows",
        "module_utils/_gate/run",
        "module_utils/_gate/saved",
        "module_utils/_gate/json_file",
        "module_utils/_gate/sentence",
        "module_utils/_gate/waiver_file",
        "module_utils/_gate/scan_results",
        "module_utils/_gate/waivers",
        "module_utils/_raw_options",
        "module_utils/_http/advice",
        "module_utils/_http/answer",
        "module_utils/_http/redact",
        "module_utils/_http/download",
        "module_utils/_http/listing",
        "module_utils/_http/list_cache",
        "module_utils/_http/pace",
        "module_utils/_http/retry",
        "module_utils/_moments",
        "module_utils/_names",
        "module_utils/_preflight/compare",
        "module_utils/_preflight/relied_on",
        "module_utils/_report/status",
        "module_utils/_records",
        "module_utils/_scan/candidates",
        "module_utils/_scan/record",
        "module_utils/_scan/result",
        "module_utils/_scan/spec",
        "module_utils/_scan/tools",
        "module_utils/_scan/watch",
        "module_utils/_scope/addresses",
        "module_utils/_scope/fields",
        "module_utils/_scope/permit",
        "module_utils/_scope/rules",
        "module_utils/_scope/texts",
        "module_utils/_valid_names",
        "module_utils/_verification/judges",
        "module_utils/_verification/objects",
        "module_utils/_verification/scans",
    ),
    # the only import of requests
    "transport": ("module_utils/_http/connection",),
    # calls, reads and writes files, or speaks with Ansible
    "shell": (
        "action/*",
        "filter/*",
        "inventory/*",
        "modules/*",
        "plugin_utils/*",
        "module_utils/_bulk/apply",
        "module_utils/_bulk/info",
        "module_utils/_bulk/live",
        "module_utils/_bulk/task",
        "module_utils/_coverage/task",
        "module_utils/_ensure",
        "module_utils/_file/attributes",
        "module_utils/_file/draft",
        "module_utils/_file/replace",
        "module_utils/_findings/info",
        "module_utils/_gate/files",
        "module_utils/_gate/read",
        "module_utils/_gate/task",
        "module_utils/_http/limits",
        "module_utils/_http/budget",
        "module_utils/_http/client",
        "module_utils/_http/create",
        "module_utils/_http/row_stream",
        "module_utils/_http/transport",
        "module_utils/_interrupt",
        "module_utils/_logger_data",
        "module_utils/_lookup",
        "module_utils/_masking",
        "module_utils/_module",
        "module_utils/_options",
        "module_utils/_preflight/openapi",
        "module_utils/_private_files",
        "module_utils/_preflight/task",
        "module_utils/_references",
        "module_utils/_report/create",
        "module_utils/_report/task",
        "module_utils/_scan/clock",
        "module_utils/_scan/find",
        "module_utils/_scan/info",
        "module_utils/_scan/lock",
        "module_utils/_scan/output",
        "module_utils/_scan/output_answer",
        "module_utils/_scan/lines",
        "module_utils/_scan/start",
        "module_utils/_scan/stop",
        "module_utils/_scan/targets",
        "module_utils/_scan/task",
        "module_utils/_scan/wait",
        "module_utils/_scope/file",
        "module_utils/_task",
        "module_utils/_verification/reads",
        "module_utils/_verification/task",
    ),
    # nothing but text
    "documentation": ("doc_fragments/*",),
}


def of_class(name):
    return [path for path in FILES if any(fnmatchcase(path, pattern) for pattern in CLASSES[name])]


def libraries_of(path):
    directory, _slash, name = path.partition("/")
    return {library.partition(".")[0] for library in imported_libraries(directory, name)}


def calls_in(path):
    """The names of all functions that a file calls, methods as ".name"."""
    directory, _slash, name = path.partition("/")
    called = [node.func for node in ast.walk(tree(directory, name)) if isinstance(node, ast.Call)]
    return {func.id for func in called if isinstance(func, ast.Name)} | {
        f".{func.attr}" for func in called if isinstance(func, ast.Attribute)
    }


def test_each_file_is_in_exactly_one_class():
    classes = {path: [name for name in CLASSES if path in of_class(name)] for path in FILES}
    assert {path: names for path, names in classes.items() if len(names) != 1} == {}


def test_no_class_names_a_file_that_does_not_exist():
    patterns = [pattern for each in CLASSES.values() for pattern in each]
    assert [pattern for pattern in patterns if not any(fnmatchcase(path, pattern) for path in FILES)] == []


@pytest.mark.parametrize("path", of_class("pure"))
def test_what_is_pure_has_no_clock_no_network_no_file_and_no_ansible(path):
    name = path.partition("/")[2]
    pure = {each.partition("/")[2] for each in of_class("pure")}
    assert imports("module_utils", name) <= pure
    banned = {"ansible", "requests", "urllib3", "socket", "time", "os", "subprocess", "random", "pathlib"}
    assert not libraries_of(path) & banned
    # arithmetic with given times is pure, asking for the present one is not
    assert not calls_in(path) & {"open", ".now", ".utcnow", ".today"}


@pytest.mark.parametrize("path", [path for path in FILES if path not in of_class("transport")])
def test_only_the_transport_imports_requests(path):
    assert not libraries_of(path) & {"requests", "urllib3"}


def test_the_transport_imports_requests():
    assert "requests" in libraries_of(*of_class("transport"))


@pytest.mark.parametrize("path", of_class("documentation"))
def test_documentation_is_nothing_but_text(path):
    directory, _slash, name = path.partition("/")
    assert libraries_of(path) <= {"__future__"}
    for node in tree(directory, name).body:
        assert isinstance(node, (ast.ImportFrom, ast.ClassDef, ast.Expr))
        if isinstance(node, ast.ClassDef):
            assert all(isinstance(each.value, ast.Constant) for each in node.body)
