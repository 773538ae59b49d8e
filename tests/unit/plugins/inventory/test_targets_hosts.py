# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Hosts, variables and groups that the targets make."""

from __future__ import annotations

import pytest

STATE = {
    "fresh": False,
    "workspaces": [{"id": 3, "name": "Web shop"}, {"id": 4, "name": "Büro 1"}],
    "targets": [
        {"id": 30, "name": "https://shop.example.com:8443/login", "workspace_id": 3, "description": "Front"},
        {"id": 20, "name": "SHOP.example.com.", "workspace_id": 4, "description": ""},
        {"id": 10, "name": "192.0.2.7", "workspace_id": 3, "description": "Router"},
        {"id": 40, "name": "http://[2001:db8::1]/", "workspace_id": 4, "description": ""},
    ],
}


@pytest.fixture
def account(service):
    service.reset(settings={"rate_limits": None, "validate": True}, state=STATE)
    return service


def record(target_id, name, type_, description, workspace, workspace_id):
    return dict(
        id=target_id, name=name, type=type_, description=description, workspace=workspace, workspace_id=workspace_id
    )


SHOP = [
    record(20, "SHOP.example.com.", "hostname", "", "Büro 1", 4),
    record(30, "https://shop.example.com:8443/login", "url", "Front", "Web shop", 3),
]


def test_the_single_variables_are_those_of_the_lowest_id(account, parse):
    inventory = parse()
    assert inventory.hosts["shop.example.com"] == {
        "ansible_host": "shop.example.com",
        "scanner_id": 20,
        "scanner_name": "SHOP.example.com.",
        "scanner_type": "hostname",
        "scanner_description": "",
        "scanner_workspace": "Büro 1",
        "scanner_workspace_id": 4,
        "scanner_targets": SHOP,
    }


def test_hosts_come_in_the_order_of_the_lowest_id(account, parse):
    assert list(parse().hosts) == ["192.0.2.7", "shop.example.com", "2001:db8::1"]


def test_a_merged_host_is_in_all_of_its_groups(account, parse):
    assert parse().groups == {
        "workspace_Web_shop": ["192.0.2.7", "shop.example.com"],
        "workspace_Büro_1": ["shop.example.com", "2001:db8::1"],
        "type_ip_address": ["192.0.2.7"],
        "type_hostname": ["shop.example.com"],
        "type_url": ["shop.example.com", "2001:db8::1"],
    }


def test_groups_can_be_turned_off(account, parse):
    assert set(parse(type_groups=False).groups) == {"workspace_Web_shop", "workspace_Büro_1"}
    assert set(parse(workspace_groups=False).groups) == {"type_ip_address", "type_hostname", "type_url"}


def test_a_workspace_without_targets_is_a_group(service, parse):
    assert parse().groups == {"workspace_My_Workspace": []}


def test_the_prefix_changes_all_names(account, parse):
    inventory = parse(hostvars_prefix="pt_", hostnames=["'h' ~ pt_id"], exclude=["pt_type == 'url'"])
    assert set(inventory.hosts) == {"h10", "h20"}
    assert set(inventory.hosts["h10"]) == {
        "ansible_host",
        *(f"pt_{field}" for field in ("id", "name", "type", "description", "workspace", "workspace_id", "targets")),
    }


def test_suffixes_go_by_the_id(account, parse):
    inventory = parse(duplicates="suffix")
    assert {name: host["scanner_id"] for name, host in inventory.hosts.items()} == {
        "192.0.2.7": 10,
        "shop.example.com": 20,
        "shop.example.com_2": 30,
        "2001:db8::1": 40,
    }
    second = inventory.hosts["shop.example.com_2"]
    assert second["scanner_targets"] == SHOP[1:]
    assert second["ansible_host"] == "shop.example.com"
    assert inventory.groups["workspace_Büro_1"] == ["shop.example.com", "2001:db8::1"]


def test_the_first_expression_that_gives_a_value_names_the_host(account, parse):
    inventory = parse(hostnames=["scanner_description", "no_such_variable", "none", "scanner_id"])
    assert list(inventory.hosts) == ["Router", "20", "Front", "40"]
    assert inventory.hosts["Front"]["ansible_host"] == "shop.example.com"


def test_an_expression_may_be_a_text_with_commas(account, parse):
    inventory = parse(hostnames="scanner_name | regex_replace('[^a-z]', '')", include="scanner_id in [30, 40]")
    assert list(inventory.hosts) == ["httpsshopexamplecomlogin", "httpdb"]


def test_a_target_without_a_name_is_an_error(account, parse):
    inventory = parse(hostnames=["no_such_variable", "''"])
    assert "hostnames returns no name for target 10, '192.0.2.7'" in inventory.error
    assert "no_such_variable" in inventory.error
    assert inventory.hosts == {}


def test_a_failing_expression_is_an_error_where_strict(account, parse):
    inventory = parse(hostnames=["no_such_variable", "scanner_id"], strict=True)
    assert "cannot be evaluated for target 10, '192.0.2.7', 'no_such_variable'" in inventory.error


def test_include_and_exclude(account, parse):
    assert set(parse(include=["scanner_id == 10", "scanner_type == 'url'"]).hosts) == {
        "192.0.2.7",
        "shop.example.com",
        "2001:db8::1",
    }
    inventory = parse(include=["scanner_id == 10", "scanner_type == 'url'"], exclude=["'login' in scanner_name"])
    assert set(inventory.hosts) == {"192.0.2.7", "2001:db8::1"}
    # a target is left out, not its host
    assert parse(exclude=["scanner_id == 30"]).hosts["shop.example.com"]["scanner_targets"] == SHOP[:1]


@pytest.mark.parametrize("option", ["include", "exclude"])
@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("condition", ["no_such_variable == 1", "scanner_id ==", "scanner_id | no_such_filter"])
def test_a_condition_that_cannot_be_evaluated_is_always_an_error(account, parse, option, strict, condition):
    inventory = parse(**{option: [condition], "strict": strict})
    assert (
        f"{option} has a condition that cannot be evaluated for target 10, '192.0.2.7', '{condition}'"
        in inventory.error
    )
    assert inventory.hosts == {}


def test_extra_variables_count_where_asked_for(account, parse, monkeypatch):
    monkeypatch.setattr("ansible.plugins.inventory.load_extra_vars", lambda loader: {"wanted": 10})
    assert list(parse(include=["scanner_id == wanted"], use_extra_vars=True).hosts) == ["192.0.2.7"]
    assert "wanted" in parse(include=["scanner_id == wanted"]).error


def test_constructed_variables_and_groups(account, parse):
    inventory = parse(
        compose={"upper": "scanner_name | upper", "me": "inventory_hostname ~ '/' ~ group_names | join('+')"},
        groups={"routers": "upper == '192.0.2.7'", "shops": "ansible_host is search('shop')"},
        keyed_groups=[
            {"key": "scanner_workspace_id | string", "prefix": "in"},
            {"key": "upper", "parent_group": "by_name"},
        ],
        workspace_groups=False,
    )
    assert inventory.error is None
    assert inventory.hosts["192.0.2.7"]["upper"] == "192.0.2.7"
    assert inventory.hosts["shop.example.com"]["me"] == "shop.example.com/type_hostname+type_url"
    groups = inventory.groups
    assert groups["routers"] == ["192.0.2.7"]
    assert groups["shops"] == ["shop.example.com"]
    assert groups["in_3"] == ["192.0.2.7"]
    assert groups["in_4"] == ["shop.example.com", "2001:db8::1"]
    assert groups["_192_0_2_7"] == ["192.0.2.7"]
    assert "_192_0_2_7" in [group.name for group in inventory.data.groups["by_name"].child_groups]


def test_compose_can_replace_a_variable(account, parse):
    inventory = parse(compose={"ansible_host": "'proxy.example.com'"}, groups={"all_of_them": "ansible_host[0] == 'p'"})
    assert inventory.hosts["192.0.2.7"]["ansible_host"] == "proxy.example.com"
    assert len(inventory.groups["all_of_them"]) == 3


@pytest.mark.parametrize(
    "options",
    [
        {"compose": {"x": "scanner_description == '' and no_such_variable"}},
        {"groups": {"x": "no_such_variable"}},
        {"keyed_groups": [{"key": "no_such_variable"}]},
    ],
)
def test_a_construction_that_fails_adds_no_host(account, parse, options):
    inventory = parse(strict=True, **options)
    assert "no_such_variable" in inventory.error
    assert inventory.hosts == {} and inventory.groups == {}
    assert parse(strict=False, **options).error is None


def test_hosts_of_earlier_sources_keep_their_variables(account, parse):
    from ansible.inventory.data import InventoryData

    data = InventoryData()
    data.add_host("192.0.2.7")
    data.set_variable("192.0.2.7", "room", "cellar")
    inventory = parse(data=data, compose={"place": "room ~ ' ' ~ scanner_id"})
    assert inventory.hosts["192.0.2.7"]["room"] == "cellar"
    assert inventory.hosts["192.0.2.7"]["place"] == "cellar 10"


def test_two_workspaces_that_become_one_group_are_an_error(service, parse):
    service.add(workspaces=[{"name": "a b"}, {"name": "a-b"}])
    inventory = parse()
    assert "'a b' and 'a-b' both result in the group 'workspace_a_b'" in inventory.error
    assert "workspace_groups to false" in inventory.error
    assert inventory.groups == {}
    assert parse(workspace_groups=False).error is None
    assert parse(workspaces=["a-b"]).groups == {"workspace_a_b": []}


def test_a_target_that_names_no_valid_host_has_no_ansible_host(service, parse):
    service.add(targets=[{"name": "-oProxyCommand=reboot"}, {"name": "../../etc"}, {"name": "a b\n{{ 1 + 1 }}"}])
    inventory = parse()
    assert list(inventory.hosts) == ["_oProxyCommand_reboot", "__/__/etc", "a_b____1___1___"]
    assert [host for host in inventory.hosts.values() if "ansible_host" in host] == []
    assert inventory.hosts["__/__/etc"]["scanner_name"] == "../../etc"
