# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the table of the API says about its families."""

from __future__ import annotations

import contextlib
import importlib

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._estate.declaration import IN_WORKSPACE
from ansible_collections.scanops.scanner.plugins.module_utils._estate.ensure import ensure
from ansible_collections.scanops.scanner.plugins.module_utils._model import families as families_file
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import FAMILIES, SCAN, TARGET, WORKSPACE
from ansible_collections.scanops.scanner.plugins.module_utils._model.family import FORM, Body, Family, typed

MODULES = "ansible_collections.scanops.scanner.plugins.modules."


def test_the_table_has_each_family():
    assert [each for each in vars(families_file).values() if isinstance(each, Family)] == list(FAMILIES.values())


@pytest.mark.parametrize(
    "ability, families",
    [
        ("key_is_place", {"target"}),
        ("key_is_account_wide", {"http_logger"}),
        ("uses_current_workspace", {"target"}),
        ("key_suffices", {"target"}),
        ("holds", {"workspace"}),
    ],
)
def test_a_family_is_told_by_what_it_can_do(ability, families):
    assert {name for name, entry in FAMILIES.items() if getattr(entry, ability)} == families


def created_by_form(entry):
    """Whether the module of the family or the estate creates its objects, in the one way that both know."""
    module = None if entry.read_only else importlib.import_module(MODULES + entry.name)
    return entry in IN_WORKSPACE or getattr(module, "ensure", None) is ensure


def managed():
    """The families whose module is derived from their declaration."""
    found = {name: import_or_none(MODULES + name) for name in FAMILIES}
    return [FAMILIES[name] for name, module in found.items() if getattr(module, "ensure", None) is ensure]


def import_or_none(name):
    with contextlib.suppress(ModuleNotFoundError):
        return importlib.import_module(name)


def not_managed(family):
    """What ``ensure`` cannot do with a declaration, in sentences."""
    types = {field: family.types.get(field) for field in family.declared}
    sent = {*family.creates.always, *family.creates.sometimes} if family.creates else set()
    demands = {
        "a form and options have only texts, integers and booleans": {
            field for field, kind in types.items() if kind not in ("string", "integer", "boolean")
        },
        "text that is null must be read as empty": {field for field, kind in types.items() if kind == "string"}
        - set(family.text),
        "no task can declare what a create sends": sent - {family.key, *family.declared, "workspace_id"},
        "a create does not send what a task declares": set(family.declared) - sent if family.creates else set(),
        "the scope of check mode sees names of targets, no ids": {
            field for field in family.declared if family.scoped and field in ("target_id", "target_ids")
        },
        "the live target is unknown": set(family.target_names) - set(family.text) if family.scoped else set(),
    }
    return {why: fields for why, fields in demands.items() if fields}


class Odd(type(TARGET)):
    declared = ("tags", "note", "target_id")
    target_names = ("name", "target_name")
    creates = Body(FORM, ("name", "kind"))
    types = typed(array="tags", string="note", integer="target_id")


def test_a_declaration_that_a_module_cannot_be_derived_from_is_found():
    assert list(not_managed(Odd()).values()) == [
        {"tags"}, {"note"}, {"kind"}, {"tags", "note", "target_id"}, {"target_id"}, {"target_name"}
    ]  # fmt: skip


@pytest.mark.parametrize("family", managed(), ids=lambda family: family.name)
def test_a_module_can_be_derived_from_its_family(family):
    assert not_managed(family) == {}


def test_what_is_deleted_with_a_workspace_is_counted_before():
    """A family in a workspace belongs in ``holds`` of workspace.py if its objects are deleted with the workspace."""
    in_workspaces = {family.name for family in FAMILIES.values() if family.in_workspace}
    # scans and findings exist only for targets, which are counted
    assert in_workspaces - set(WORKSPACE.holds) == {"finding", "scan"}


@pytest.mark.parametrize("family", IN_WORKSPACE, ids=lambda family: family.name)
def test_an_estate_can_declare_a_family(family):
    assert set(family.declared) <= set(family.text)
    assert family.creates.always == (family.key,)
    assert not family.scoped or family.target_names == (family.key,)


def cannot_be_created(entries):
    """The families whose creates would leave their workspace out."""
    return [
        entry.name for entry in entries if created_by_form(entry) and not set(entry.in_workspace) <= {"form", "query"}
    ]


class InJson(type(TARGET)):
    in_workspace = ("json",)


def test_a_create_with_a_form_names_its_workspace_in_the_form_or_in_the_query():
    # scan is the one family with "json": its module starts scans
    assert created_by_form(TARGET) and not created_by_form(SCAN)
    assert cannot_be_created([InJson()]) == ["target"]
    assert cannot_be_created(FAMILIES.values()) == []
