# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the modules of all simple families do with duplicates, deletions, and ids and keys without a record."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scenarios import ACCOUNT
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.simple_families import SIMPLE, Sample

on_each = pytest.mark.parametrize("family", SIMPLE, ids=lambda family: family.name)
on_each_with_ids = pytest.mark.parametrize(
    "family", [family for family in SIMPLE if family.identity == "id"], ids=lambda family: family.name
)
on_each_deleted = pytest.mark.parametrize(
    "family", [family for family in SIMPLE if not family.read_only], ids=lambda family: family.name
)


@on_each
def test_all_with_one_key_are_returned_and_another_case_is_another_key(account, run, family):
    this = Sample(family, ACCOUNT)
    again = {name: value for name, value in this.row.items() if name not in ("id", "uuid", "requests")}
    account.add(**{family.plural: [{**again, "id": 4000, "uuid": "0e37df36-f698-11e6-8dd4-cb9ced3df977"}]})
    assert len(run(f"{family.name}_info", **this.by_key)[family.plural]) == 2
    other = {family.key: this.row[family.key].swapcase()}
    assert run(f"{family.name}_info", **other)[family.plural] == []


@on_each_with_ids
def test_in_check_mode_a_null_id_returns_an_empty_list_and_a_warning(account, run, family):
    result = run(f"{family.name}_info", check=True, id=None)
    assert result[family.plural] == []
    assert len(result.warnings) == 1
    assert account.calls() == []


@on_each_deleted
@pytest.mark.parametrize("by", ["by_key", "by_id"])
def test_a_deleted_object_is_gone_and_its_key_is_in_the_diff(account, run, family, by):
    this = Sample(family, ACCOUNT)
    force = {"force": True} if family.holds else {}
    before = account.state()[family.plural]
    result = run(family.name, **getattr(this, by), state="absent", **force)
    assert (result.changed, result[family.name], result.diff["before"]) == (True, None, this.by_key)
    rest = [record["id"] for record in before if record["id"] != this.row["id"]]
    assert [record["id"] for record in account.state()[family.plural]] == rest


@on_each_deleted
def test_an_object_that_does_not_exist_is_absent(account, run, family):
    for reference in ({family.key: "Never"}, {"id": 99}):
        result = run(family.name, state="absent", **reference)
        assert (result.failed, result.changed, result[family.name]) == (False, False, None)
