# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An error is complete when it is raised: no code changes it, as the ``with_...`` methods return another one."""

from __future__ import annotations

import ast

import pytest
from ansible_collections.scanops.scanner.tests.unit.conventions.collection import ROOT

FACTS = {"args", "result", "after_loss", "unread", "maybe_done"}
CHANGES = {"update", "setdefault", "pop", "clear"}


def changes_in(text):
    """The lines that change a fact of an error: they assign to it outside of a constructor, or change its value."""
    tree = ast.parse(text)
    constructors = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef) and each.name == "__init__"]
    own = {id(node) for each in constructors for node in ast.walk(each) if isinstance(node, ast.Attribute)}
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            changed = node.attr in FACTS and id(node) not in own
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            changed = is_fact(node.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            changed = node.func.attr in CHANGES and is_fact(node.func.value)
        else:
            continue
        if changed:
            found.add(node.lineno)
    return found


def is_fact(node):
    return isinstance(node, ast.Attribute) and node.attr in FACTS


@pytest.mark.parametrize("path", sorted((ROOT / "plugins/module_utils").rglob("*.py")), ids=str)
def test_no_code_changes_an_error(path):
    assert changes_in(path.read_text(encoding="utf-8")) == set()


@pytest.mark.parametrize(
    "text",
    [
        "error.args = ('it failed',)",
        "error.result = {}",
        "error.result['changed'] = True",
        "error.result.update(more)",
        "error.unread = True",
    ],
)
def test_a_change_of_an_error_is_found(text):
    assert changes_in(text) == {1}
    assert changes_in(text.replace("error.", "", 1)) == set()
