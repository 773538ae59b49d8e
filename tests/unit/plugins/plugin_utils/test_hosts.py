# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import socket

import pytest
from ansible.inventory.data import InventoryData
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import Refused
from ansible_collections.scanops.scanner.plugins.plugin_utils._hosts import (
    Plan,
    address_of,
    hosts_of,
    is_this_machine,
    safe_name,
)
from hypothesis import given
from hypothesis import strategies as st

# without a deadline, which a busy machine misses


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("example.com", "example.com"),
        ("EXAMPLE.com.", "example.com"),
        ("example.com:8443", "example.com"),
        ("192.0.2.7", "192.0.2.7"),
        ("2001:DB8::1", "2001:db8::1"),
        ("https://shop.example.com", "shop.example.com"),
        ("https://user@shop.example.com:8443/a/b?c=d#e", "shop.example.com"),
        ("http://[2001:db8::1]:80/", "2001:db8::1"),
        ("https://bücher.example/", "xn--bcher-kva.example"),
        ("_dmarc.example.com", "_dmarc.example.com"),
        *dict.fromkeys(
            [
                "",
                "-oProxyCommand=x",
                "-x.example.com",
                "exa mple.com",
                "exa\nmple.com",
                "https://exa\tmple.com/",
                "{{ x }}",
                "fe80::1%$(reboot)",
                "https://[::1",
                "a..b",
                "../x",
                "$(reboot)",
            ]
        ).items(),
    ],
)
def test_addresses(name, address):
    assert address_of(name) == address


@given(st.text(max_size=40))
def test_an_address_is_harmless(text):
    address = address_of(text)
    assert address is None or (
        not (set(address) - set("abcdefghijklmnopqrstuvwxyz0123456789._-:")) and address[0] != "-"
    )


THIS_MACHINE = [
    "localhost",
    "LOCALHOST.",
    "https://localhost:8443/x",
    "a.localhost",
    "localhost.localdomain",
    "ip6-loopback",
    "127.0.0.1",
    "127.8.9.10",
    "http://127.0.0.1/",
    "::1",
    "http://[::1]:80/",
    "::ffff:127.0.0.1",
    "::FFFF:7F00:1",
    "::127.0.0.1",
    "64:ff9b::127.0.0.1",
    "0.0.0.0",
    "::",
    "::1%lo",
    "[::1%1]",
    "127.1",
    "127.0.1",
    "127.0x1",
    "0x7F.1",
    "0x7f000001",
    "0177.0.0.1",
    "00000000000000000177.1",
    "017700000001",
    "0127.1",
    "0x",
    "2130706433",
    "0",
    "00",
    "0.0",
    # some versions of inet_aton keep the last 32 bits
    "6425673729",
    "383.0.0.1",
    f"{2**32 * 10**60 + 2130706433}",
    "0" * 5000 + "177.1",
    "127.0.0.1..",
    "localhost..",
    "①27.0.0.1",
    "ｌocalhost",
    "local\u200bhost",
    "loc\u00adal\u2060host",
    "127\u30020\uff0e0\uff611",
    "127\uff611",
    "LocalHost.LocalDomain.",
    "x.localhost.localdomain",
    "_outbound",
    "root@127.1",
    "ssh://root@127.1:22/",
    "127.1:22",
    "１２７.1",
    "ssh://127.1",
    "127.1/x",
    "http://127.1/",
    "localhost:99999",
    "[::1]:22",
    "//127.1/x",
]
OTHERS = [
    "0.0.0.1",
    "localhost.example.com",
    "mylocalhost",
    "localhost@a.example",
    "a.example/localhost",
    "a.example:0",
    "128.0.0.1",
    "10.1",
    "127",
    "16777216",
    "127.0.0.0.1",
    "127.0.0.x",
    "0x7g.1",
    "08.example",
    "127.example",
    "::2",
    "10.0.0.1",
    "-x",
    "",
]


@pytest.mark.parametrize("name", [*THIS_MACHINE, *OTHERS])
def test_names_of_the_machine_that_uses_them(name):
    own = name in THIS_MACHINE
    assert is_this_machine(name) is own
    assert own is is_this_machine(address_of(name) or name)


def notations(number):
    """Every notation of an IPv4 address that inet_aton reads."""
    parts = [number >> 24, number >> 16 & 255, number >> 8 & 255, number & 255]
    for length in range(1, 5):
        last = number & (1 << 8 * (5 - length)) - 1
        for write in (str, hex, "0{:o}".format, "0X{:X}".format, "000{:o}".format):
            for write_last in (str, hex, "0{:o}".format):
                yield ".".join([*map(write, parts[: length - 1]), write_last(last)])


@given(st.integers(0, (1 << 24) - 1))
def test_no_notation_of_a_loopback_address_is_overlooked(number):
    for text in notations(127 << 24 | number):
        assert socket.inet_aton(text)[0] == 127
        assert is_this_machine(text), text


@given(st.text("0123456789abcdefxX.", max_size=16))
def test_what_the_system_reads_as_this_machine_is_this_machine(text):
    try:
        read = socket.inet_aton(text)
    except (OSError, ValueError):
        return
    if read[0] == 127 or read == bytes(4):
        assert is_this_machine(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("shop.example.com", "shop.example.com"),
        ("2001:db8::1", "2001:db8::1"),
        ("::1", "::1"),
        ("https://a.example/b/../c?d=e", "https://a.example/b/__/c_d_e"),
        (".", "_"),
        ("..", "__"),
        ("./a/./..", "_/a/_/__"),
        ("a..b/...", "a..b/..."),
        ("/etc", "_etc"),
        ("-x", "_x"),
        (" Büro 1", "_Büro_1"),
        ("{{ a }}", "___a___"),
    ],
)
def test_safe_names(text, name):
    assert safe_name(text) == name


@given(st.text(min_size=1, max_size=40))
def test_a_safe_name_is_harmless(text):
    name = safe_name(text)
    assert len(name) == len(text)
    assert [character for character in name if not (character.isalnum() or character in "_.:/-")] == []
    assert not {".", ".."} & set(name.split("/"))
    assert name[0] not in "./-"
    assert safe_name(name) == name


def named(*names):
    return [(name, {"id": number, "name": name}) for number, name in enumerate(names, 1)]


def ids(hosts):
    return {name: [record["id"] for record in records] for name, records in hosts.items()}


def test_suffix():
    hosts = ids(hosts_of(named("a", "b", "a", "a", "b"), "suffix"))
    assert hosts == {"a": [1], "b": [2], "a_2": [3], "a_3": [4], "b_2": [5]}
    assert list(hosts) == ["a", "b", "a_2", "a_3", "b_2"]


def test_a_suffix_that_makes_a_name_that_is_taken():
    with pytest.raises(Refused, match="results in the host name 'a_2' for id 3, but id 2 already has it"):
        hosts_of(named("a", "a_2", "a"), "suffix")


def test_fail():
    with pytest.raises(Refused, match="3 targets have the host name 'a', ids 1, 3, 4"):
        hosts_of(named("a", "b", "a", "a"), "fail")


def test_long_lists_are_cut():
    with pytest.raises(Refused, match=r"ids 1, .*, 20 and 5 more: set hostnames"):
        hosts_of(named(*["a"] * 25), "fail")


@pytest.mark.parametrize("duplicates", ["merge", "suffix", "fail"])
def test_two_texts_of_one_name(duplicates):
    with pytest.raises(Refused, match=r"'a b' \(id 1\) and 'a\?b' \(id 2\)"):
        hosts_of(named("a b", "a?b"), duplicates)


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


def test_a_loop_of_groups_adds_no_host():
    plan = some_plan()
    plan.add_child("shop", "all_shops")
    data = InventoryData()
    with pytest.raises(Exception, match="recursive dependency loop"):
        plan.into(data)
    assert data.hosts == {}
