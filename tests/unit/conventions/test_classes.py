# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What decides is pure, and one file imports requests."""

from __future__ import annotations

import ast

import pytest
from ansible_collections.scanops.scanner.tests.unit.conventions.collection import (
    MODULE_UTILS,
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

# files in module_utils that make calls, read files or the clock, or speak with Ansible; all others decide
SHELL = frozenset(
    {
        "_estate/account",
        "_estate/apply",
        "_estate/many",
        "_evidence/coverage",
        "_estate/ensure",
        "_scan/download",
        "_task/atomic_files",
        "_model/inputs",
        "_evidence/finding_status",
        "_evidence/finding_info",
        "_gate/gate_files",
        "_gate/options",
        "_evidence/read",
        "_gate/gate",
        "_evidence/host_findings",
        "_estate/saving",
        "_evidence/saved",
        "_http/rate_limit",
        "_http/client",
        "_http/create",
        "_http/call_limits",
        "_http/transport",
        "_model/interrupts",
        "_estate/logger_data",
        "_task/lookup",
        "_task/masking",
        "_task/module",
        "_task/connection_options",
        "_contract/openapi",
        "_contract/service_info",
        "_model/private_files",
        "_task/references",
        "_scan/report_create",
        "_scan/report",
        "_evidence/clock",
        "_scan/find",
        "_scan/info",
        "_scan/output",
        "_scan/stop",
        "_scan/scan",
        "_scope/file",
        "_task/host",
        "_task/task",
        "_model/trust",
        "_contract/reads",
        "_contract/verification",
    }
)
# the only import of requests
TRANSPORT = "_http/connection"
PURE = sorted(set(MODULE_UTILS) - SHELL - {TRANSPORT})


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


def test_no_shell_names_a_file_that_does_not_exist():
    assert set(MODULE_UTILS) >= SHELL


@pytest.mark.parametrize("name", PURE)
def test_what_is_pure_has_no_clock_no_network_no_file_and_no_ansible(name):
    path = f"module_utils/{name}"
    assert imports("module_utils", name) <= set(PURE)
    banned = {"ansible", "requests", "urllib3", "socket", "time", "os", "subprocess", "random", "pathlib"}
    assert not libraries_of(path) & banned
    # arithmetic with given times is pure, asking for the present one is not
    assert not calls_in(path) & {"open", ".now", ".utcnow", ".today"}


def test_only_the_transport_imports_requests():
    importers = {path for path in FILES if libraries_of(path) & {"requests", "urllib3"}}
    assert importers == {f"module_utils/{TRANSPORT}"}
