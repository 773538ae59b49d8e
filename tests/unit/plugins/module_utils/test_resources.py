# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the table of the API says about its families."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._resources import RESOURCES


@pytest.mark.parametrize(
    "ability, families",
    [
        ("key_is_place", {"target"}),
        ("recreatable", {"target"}),
        ("shows_workspace", {"target", "scan"}),
        ("key_is_account_wide", {"http_logger"}),
        ("uses_current_workspace", {"target"}),
        ("key_suffices", {"target"}),
        ("holds", {"workspace"}),
    ],
)
def test_a_family_is_told_by_what_it_can_do(ability, families):
    assert {name for name, entry in RESOURCES.items() if getattr(entry, ability)} == families


@pytest.mark.parametrize("entry", RESOURCES.values(), ids=list(RESOURCES))
def test_an_entry_names_fields_that_its_records_have(entry):
    assert {*entry.text, *entry.declared, *entry.updatable, *(entry.also or {})} <= set(entry.fields)
    # loggers and findings do not say in which workspace they are
    assert entry.workspace_field in entry.fields or entry.in_workspace in ("", "query")
