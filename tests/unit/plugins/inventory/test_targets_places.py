# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""No object of the account changes where a play runs."""

from __future__ import annotations

import pytest
from ansible.inventory.data import InventoryData

# test_names_of_the_machine_that_uses_them has the other notations
OWN = ["localhost", "::1", "https://LOCALHOST/x", "127.0.0.2"]
# none of them is a valid name of a target
ODD = ["127.1", "localhost.", "ssh://127.1:22"]


@pytest.mark.parametrize("options", [{}, {"hostnames": ["scanner_name"]}], ids=str)
@pytest.mark.parametrize("name", ODD)
def test_a_target_that_leads_to_this_machine_is_no_host(service, parse, name, options):
    service.add(targets=[{"name": "a.example"}, {"name": name}])
    inventory = parse(**options)
    assert inventory.error is None
    assert len(inventory.hosts) == 1
    (warning,) = parse.warned
    assert "target 1002, " in warning and "is omitted from this inventory" in warning


@pytest.mark.parametrize("text", ["127.1", "localhost", "root@0x7f.1", "10.0.0.1"])
def test_an_expression_on_a_target_does_not_lead_to_this_machine(service, parse, text):
    service.add(targets=[{"name": "a.example", "description": "192.0.2.1"}, {"name": "b.example", "description": text}])
    inventory = parse(compose={"ansible_host": "scanner_description"}, keyed_groups=[{"key": "scanner_type"}])
    assert inventory.error is None
    own = text != "10.0.0.1"
    assert list(inventory.hosts) == ["a.example"] + ["b.example"] * (not own)
    of_a = [hosts for hosts in inventory.groups.values() if "a.example" in hosts]
    assert [hosts for hosts in of_a if ("b.example" in hosts) is own] == []
    assert ["target 1002, 'b.example', is omitted" in warning for warning in parse.warned] == [True] * own


def test_the_inventory_file_may_lead_to_this_machine(service, parse):
    service.add(targets=[{"name": "a.example"}])
    compose = {"ansible_host": "'127.0.0.1'", "ansible_port": "2200 + scanner_id"}
    assert parse(compose=compose).hosts["a.example"]["ansible_host"] == "127.0.0.1"
    assert parse.warned == []


@pytest.mark.parametrize(
    "options", [{}, {"hostnames": ["scanner_name"]}, {"hostnames": ["'x-' ~ scanner_id"]}], ids=str
)
@pytest.mark.parametrize("name", OWN)
def test_a_target_that_names_this_machine_is_no_host(service, parse, name, options):
    service.add(targets=[{"name": "a.example"}, {"name": name}])
    inventory = parse(**options)
    assert inventory.error is None
    assert len(inventory.hosts) == 1
    assert [hosts for hosts in inventory.groups.values() if len(hosts) > 1] == []
    (warning,) = parse.warned
    assert f"target 1002, {name!r}, is omitted from this inventory" in warning
    for implicit in ("localhost", "127.0.0.1", "::1"):
        local = inventory.data.get_host(implicit)
        assert local.implicit
        assert local.get_vars()["ansible_connection"] == "local"


def test_a_target_that_is_excluded_is_not_warned_of(service, parse):
    service.add(targets=[{"name": "a.example"}, {"name": "localhost"}])
    assert list(parse(exclude=["scanner_name == 'localhost'"]).hosts) == ["a.example"]
    assert parse.warned == []


@pytest.mark.parametrize(
    "name", ["localhost", "127.0.0.1", "::1", "all", "ungrouped", "type_hostname", "shard_1", "web"]
)
def test_a_host_that_is_to_be_called_so_is_left_out(service, parse, name):
    service.add(targets=[{"name": "a.example"}, {"name": "b.example"}])
    expression = f"{name!r} if scanner_name == 'b.example' else scanner_name"
    data = InventoryData()
    data.add_group("web")
    inventory = parse(data=data, hostnames=[expression], keyed_groups=[{"key": "'1'", "prefix": "shard"}])
    assert inventory.error is None
    assert list(inventory.hosts) == ["a.example"]
    assert inventory.groups["type_hostname"] == ["a.example"]
    assert inventory.data.groups["all"].vars == {}
    (warning,) = parse.warned
    assert "target 1002, 'b.example', is omitted from this inventory" in warning
    assert f"its host would have the name {name!r}" in warning


@pytest.mark.parametrize("name", ["localhost", "db1"])
def test_a_group_does_not_take_the_plays_of_a_host(service, parse, name):
    service.add(targets=[{"name": "a.example", "description": name}])
    data = InventoryData()
    data.add_host("db1")
    inventory = parse(data=data, keyed_groups=[{"key": "scanner_description", "prefix": "", "separator": ""}])
    assert inventory.error is None
    assert name not in inventory.groups
    assert f"The group {name!r} is omitted" in parse.warned[0]


def test_a_host_of_another_source_keeps_its_address(service, parse):
    service.add(targets=[{"name": "db1"}, {"name": "db2"}, {"name": "db3"}])
    data = InventoryData()
    for name, address in (("db1", "192.0.2.1"), ("db2", "db2")):
        data.add_host(name)
        data.set_variable(name, "ansible_host", address)
    inventory = parse(data=data)
    assert [inventory.hosts[name]["ansible_host"] for name in ("db1", "db2", "db3")] == ["192.0.2.1", "db2", "db3"]
    assert inventory.hosts["db1"]["scanner_id"] == 1001
    (warning,) = parse.warned
    assert "The host 'db1', which another source defines, keeps its address. It does not get 'db1'" in warning
    # what the inventory file itself asks for counts
    data.set_variable("db1", "ansible_host", "192.0.2.1")
    assert parse(data=data, compose={"ansible_host": "'192.0.2.9'"}).hosts["db1"]["ansible_host"] == "192.0.2.9"
