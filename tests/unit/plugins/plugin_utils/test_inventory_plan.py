# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible.inventory.data import InventoryData
from ansible_collections.scanops.scanner.plugins.plugin_utils._hosts import Plan


def some_plan():
    plan = Plan()
    plan.add_group("shop")
    plan.add_host("a.example", "shop")
    plan.add_host("b.example")
    plan.add_child("shop", "b.example")
    plan.set_variable("a.example", "x", 1)
    plan.set_variable("a.example", "x", 2)
    plan.add_group("all_shops")
    plan.add_child("all_shops", "shop")
    return plan


def test_a_plan_fills_the_inventory():
    data = InventoryData()
    some_plan().into(data)
    assert data.hosts["a.example"].vars["x"] == 2
    assert [host.name for host in data.groups["shop"].hosts] == ["a.example", "b.example"]
    assert [host.name for host in data.groups["all_shops"].get_hosts()] == ["a.example", "b.example"]


def test_the_same_as_without_a_plan():
    direct, planned = InventoryData(), InventoryData()
    for data in (direct, plan := Plan()):
        data.add_group("g")
        data.add_group("p")
        data.add_host("h")
        data.add_host("h", "g")
        data.add_child("g", "h")
        data.add_child("p", "g")
        data.set_variable("h", "x", [1])
    plan.into(planned)
    for data in (direct, planned):
        data.reconcile_inventory()
    assert planned.get_groups_dict() == direct.get_groups_dict()
    assert planned.hosts["h"].get_vars() == direct.hosts["h"].get_vars()


@pytest.mark.parametrize("name", ["all", "ungrouped", "shop", "earlier", "localhost"])
def test_a_host_called_like_a_group_or_like_the_implicit_host_is_dropped(name):
    data = InventoryData()
    data.add_group("earlier")
    plan = some_plan()
    plan.add_host(name, "shop")
    plan.set_variable(name, "x", 3)
    assert plan.drop_ambiguous(data, ("localhost",)) == ([name], [])
    plan.into(data)
    assert list(data.hosts) == ["a.example", "b.example"]
    assert [host.name for host in data.groups["shop"].hosts] == ["a.example", "b.example"]
    assert not any("x" in group.vars for group in data.groups.values())


@pytest.mark.parametrize("name", ["earlier", "localhost"])
def test_a_group_called_like_a_host_of_another_source_or_like_the_implicit_host_is_dropped(name):
    data = InventoryData()
    data.add_host("earlier")
    plan = some_plan()
    plan.add_group(name)
    plan.add_child(name, "a.example")
    plan.add_child("all_shops", name)
    plan.add_child(name, "shop")
    assert plan.drop_ambiguous(data, ("localhost",)) == ([], [name])
    plan.into(data)
    data.reconcile_inventory()
    assert set(data.groups) == {"all", "ungrouped", "shop", "all_shops"}
    assert set(data.hosts) == {"a.example", "b.example", "earlier"}


def test_nothing_else_is_dropped():
    plan, data = some_plan(), InventoryData()
    data.add_host("a.example")
    data.add_group("shop")
    assert plan.drop_ambiguous(data, ("localhost",)) == ([], [])
    assert list(plan.hosts) == ["a.example", "b.example"]


def test_a_loop_of_groups_adds_no_host():
    plan = some_plan()
    plan.add_child("shop", "all_shops")
    data = InventoryData()
    with pytest.raises(Exception, match="recursive dependency loop"):
        plan.into(data)
    assert data.hosts == {}
