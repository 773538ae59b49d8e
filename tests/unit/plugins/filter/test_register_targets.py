# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible.errors import AnsibleUndefinedVariable
from ansible_collections.scanops.scanner.plugins.filter.register_targets import register_targets


def asked(hosts, **more):
    hostvars = {host: {} if value is None else {"estate_register_targets": value} for host, value in hosts.items()}
    return register_targets(list(hosts), hostvars, **more)


def test_targets_in_the_order_of_the_hosts_each_once():
    hosts = {"b": ["https://b", "vip.example"], "a": "https://a", "c": [], "d": ["vip.example"]}
    assert asked(hosts) == {
        "problem": None,
        "targets": [{"name": "https://b"}, {"name": "vip.example"}, {"name": "https://a"}],
    }
    assert asked({"a": "x"}, description="of us")["targets"] == [{"name": "x", "description": "of us"}]


def test_another_variable():
    assert register_targets(["a"], {"a": {"mine": "x"}}, variable="mine")["targets"] == [{"name": "x"}]


@pytest.mark.parametrize(
    ("hosts", "problem"),
    [
        ({"a": "x", "b": None, "c": None}, "is not set for 2 of 3 hosts (b, c): set it in the inventory"),
        ({f"h{n}": None for n in range(12)}, "(h0, h1, h2, h3, h4, h5, h6, h7, h8, h9 and 2 more)"),
        ({"a": 7}, "of the host a is not a list of strings"),
        ({"a": {"name": "x"}}, "of the host a is not a list of strings"),
        ({"a": ["x", 7]}, "of the host a is not a list of strings"),
        ({"a": ["x", " "]}, "of the host a is not a list of strings"),
        ({"a": ["https://{{ nowhere }}"]}, "of the host a cannot be evaluated (the template uses an undefined variable"),
        ({"a": ["https://a{# x #}"]}, "of the host a cannot be evaluated (the template uses an undefined variable"),
        ({"a": "x.example", "b": "X.example."}, "of the hosts a and b gives 'x.example' and 'X.example.', which"),
    ],
)  # fmt: skip
def test_problems_name_the_hosts(hosts, problem):
    result = asked(hosts)
    assert problem in result["problem"]
    assert "{" not in result["problem"]
    assert result["targets"] == []


def test_an_undefined_variable_names_the_host():
    class Undefined(dict):
        def __getitem__(self, key):
            raise AnsibleUndefinedVariable("'nowhere' is undefined")

    result = register_targets(["a"], {"a": Undefined(estate_register_targets=None)})
    assert "of the host a cannot be evaluated ('nowhere' is undefined)" in result["problem"]
