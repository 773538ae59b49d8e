# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Only the code that reads lists creates the proof that a list, or a run of the gate, is complete."""

from __future__ import annotations

import ast

import pytest
from ansible_collections.scanops.scanner.tests.unit.conventions.collection import ROOT

# the only file that may make each of them
MAKERS = {
    "Complete": "plugins/module_utils/_http/listing.py",
    "CompleteRun": "plugins/module_utils/_gate/baseline.py",
    "InWorkspace": "plugins/module_utils/_task/lookup.py",
    "Streamed": "plugins/module_utils/_http/listing.py",
}


def made_in(text):
    """The types of ``complete`` that a text makes: by a call, through another name, or as the base of a class."""
    found = set()
    tree = ast.parse(text)
    passed = {"isinstance", "proven"}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").endswith("records"):
            # a second name would hide a call
            found.update(alias.name for alias in node.names if alias.asname)
        if isinstance(node, ast.Call):
            found.add(name_of(node.func))
            if name_of(node.func) not in passed:
                found.update(name_of(each) for each in node.args)
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.Return)):
            found.add(name_of(node.value))
        elif isinstance(node, ast.ClassDef):
            found.update(name_of(base) for base in node.bases)
        elif isinstance(node, ast.Attribute) and node.attr.startswith("__"):
            found.add(name_of(node.value))
    return found & set(MAKERS)


def name_of(node):
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None


@pytest.mark.parametrize("path", sorted((ROOT / "plugins").rglob("*.py")), ids=str)
def test_only_the_readers_of_lists_make_a_proof(path):
    where = path.relative_to(ROOT).as_posix()
    if path.stem == "records":
        return
    assert {name for name in made_in(path.read_text(encoding="utf-8")) if MAKERS[name] != where} == set()


@pytest.mark.parametrize("name", MAKERS)
def test_each_proof_has_its_maker(name):
    assert name in made_in((ROOT / MAKERS[name]).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "text",
    [
        "Complete(rows)",
        "Complete.__new__(Complete, rows)",
        "tuple.__new__(Complete, rows)",
        "make = Complete",
        "class Other(Complete): pass",
        "from .._records import Complete as Sure",
    ],
)
def test_a_proof_made_elsewhere_is_found(text):
    assert made_in(text) == {"Complete"}
    assert made_in("rows = proven(Complete, rows) if isinstance(rows, Complete) else None") == set()
