# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the table of the API says about its families."""

from __future__ import annotations

import importlib

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._bulk.declaration import IN_WORKSPACE
from ansible_collections.scanops.scanner.plugins.module_utils._ensure import ensure
from ansible_collections.scanops.scanner.plugins.module_utils._families.scan import SCAN
from ansible_collections.scanops.scanner.plugins.module_utils._families.table import FAMILIES
from ansible_collections.scanops.scanner.plugins.module_utils._families.target import TARGET

MODULES = "ansible_collections.scanops.scanner.plugins.modules."


@pytest.mark.parametrize(
    "ability, families",
    [
        ("key_is_place", {"target"}),
        ("recreatable", {"target"}),
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
