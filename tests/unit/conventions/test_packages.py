# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The packages of module_utils, and what each may import."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.tests.unit.conventions.collection import HELPERS, MODULE_UTILS, imports

# each package, and those that it may import; it may reach others through them
PACKAGES = {
    "_model": set(),
    "_scope": {"_model"},
    "_http": {"_model", "_scope/sealed"},
    "_task": {"_model", "_scope", "_http"},
    "_estate": {"_model", "_scope", "_http", "_task"},
    "_evidence": {"_model", "_scope", "_http", "_task"},
    "_scan": {"_model", "_scope", "_http", "_task", "_evidence"},
    "_gate": {"_model", "_task", "_evidence"},
    "_contract": {"_model", "_scope", "_http", "_task", "_evidence"},
}
# what speaks with the service, or knows a task that does
WIRE = ("_http/", "_scan/", "_task/task", "_task/module")


def reached(name):
    """All files that a file imports, directly or through others."""
    found, left = set(), [name]
    while left:
        new = imports("module_utils", left.pop()) - found
        found |= new
        left += new
    return found


def test_each_file_is_in_one_of_these_packages():
    assert {name.partition("/")[0] for name in MODULE_UTILS} == set(PACKAGES)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_only_those_below_it(package):
    wrong = [
        (name, other)
        for name in MODULE_UTILS
        if name.startswith(f"{package}/")
        for other in sorted(imports("module_utils", name))
        if not {other, other.partition("/")[0]} & {package, *PACKAGES[package]}
    ]
    assert wrong == []


def test_the_gate_imports_nothing_that_speaks_with_the_service():
    wrong = [
        (name, other)
        for name in MODULE_UTILS
        if name.startswith("_gate/")
        for other in sorted(reached(name))
        if other.startswith(WIRE)
    ]
    assert wrong == []


def test_no_init_file_imports_anything():
    texts = {path: path.read_text(encoding="utf-8") for path in HELPERS.rglob("__init__.py")}
    assert [path for path, text in texts.items() if "import" in text] == []
