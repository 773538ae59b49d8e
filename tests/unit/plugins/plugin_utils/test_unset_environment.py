# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from types import SimpleNamespace

import pytest
from ansible_collections.scanops.scanner.plugins.plugin_utils._unset_environment import explained

TARGETS = "scanops.scanner.targets"
EMPTY = "api_key is empty: set it."
ONE = f"{EMPTY} The environment variable KEY, which it looks up, has no value."


def message(options, variables=None, defaults=None, msg=EMPTY, role=None):
    """The message of a task with these options, on an option that is empty."""
    play = SimpleNamespace(_ds={"hosts": "all", "module_defaults": defaults})
    block = SimpleNamespace(_ds=None, _parent=None, _play=play)
    task = SimpleNamespace(action=TARGETS, _ds={TARGETS: options, "name": "Register"}, _parent=block)
    task._role = role and SimpleNamespace(get_name=lambda: role)
    return explained({"failed": True, "msg": msg}, task, variables or {})["msg"]


@pytest.fixture(autouse=True)
def _unset(monkeypatch):
    for name in ("KEY", "OTHER"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    "template",
    [
        "{{ lookup('ansible.builtin.env', 'KEY') }}",
        '{{ lookup("env", "KEY") }}',
        "{{ q('env','KEY') | first }}",
        "{{ query( 'ansible.builtin.env' , 'KEY' ) | join }}",
    ],
)
def test_the_variable_of_a_lookup_is_named(template, monkeypatch):
    assert message({"api_key": template}) == ONE
    monkeypatch.setenv("KEY", "set")
    assert message({"api_key": template}) == EMPTY


def test_the_variable_behind_a_variable_is_named():
    variables = {"key": "{{ shop.key | default(other) }}", "other": "{{ lookup('env', 'KEY') }}{{ key }}"}
    assert message({"api_key": "{{ key }}"}, variables) == ONE


def test_all_variables_without_a_value_are_named():
    both = "{{ lookup('env', 'KEY') | default(lookup('env', 'OTHER'), true) }}"
    named = "The environment variables KEY and OTHER, which it looks up, have no value."
    assert message({"api_key": both}) == f"{EMPTY} {named}"


def test_the_defaults_of_the_module_and_of_the_group_count():
    for name in (TARGETS, "group/scanops.scanner.all"):
        default = {name: {"api_key": "{{ lookup('env', 'KEY') }}"}}
        assert message({}, defaults=default) == message({}, defaults=[default]) == ONE
    assert message({}, defaults=[{"scanops.scanner.scan": {"api_key": "{{ lookup('env', 'KEY') }}"}}]) == EMPTY


def test_an_option_of_the_task_counts_before_its_defaults():
    defaults = [{TARGETS: {"api_key": "{{ lookup('env', 'OTHER') }}"}}]
    assert message({"api_key": "{{ lookup('env', 'KEY') }}"}, defaults=defaults) == ONE


def test_in_a_role_the_variable_of_the_role_counts():
    variables = {"scan_gate_api_key": "{{ lookup('env', 'KEY') }}"}
    defaults = [{TARGETS: "{{ scanner_connection }}"}]
    assert message({}, variables, defaults, role="scanops.scanner.scan_gate") == ONE
    named = "scan_gate_api_key is empty."
    assert message({}, variables, msg=named, role="scanops.scanner.scan_gate").startswith(f"{named} The environment")


@pytest.mark.parametrize("msg", ["The API key was refused.", "targets is empty: give one.", "api_key is wrong.", None])
def test_any_other_message_is_left_alone(msg):
    assert message({"api_key": "{{ lookup('env', 'KEY') }}"}, msg=msg) == msg
