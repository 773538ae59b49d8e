# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Misspelt and unset variables, wherever they are set: refused before any call."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.tests.plays.playbook import LOCAL, play

pytestmark = pytest.mark.slow

WORKSPACES = [{"name": "Web shop", "targets": ["www.example.com"]}]
# the role, the misspelt variable, the one that is meant, and where it is set
MISSPELT = [
    ("estate_apply", "estate_apply_scop", "estate_apply_scope", "play"),
    ("estate_export", "estate_export_splitt", "estate_export_split", "inventory"),
    ("estate_register", "estate_register_retir", "estate_register_retire", "include_role"),
    ("logger_canary", "logger_canary_wihtin", "logger_canary_within", "play"),
    ("prove_fix", "prove_fix_task", "prove_fix_tasks", "play"),
    ("gate_comment", "gate_comment_tokn", "gate_comment_token", "play"),
    ("scan_gate", "scan_gate_polcy", "scan_gate_policy", "command line"),
]
VALID = {
    "estate_apply": {"estate_apply_workspaces": WORKSPACES},
    "estate_export": {"estate_export_dest": "estate.yml"},
    "estate_register": {"estate_register_workspace": "Web shop", "estate_register_source": "here"},
    "logger_canary": {"logger_canary_tasks": "send.yml"},
    "prove_fix": {"prove_fix_source": "gate.json"},
    "gate_comment": {
        "gate_comment_provider": "github",
        "gate_comment_repository": "shop/web",
        "gate_comment_source": "gate.json",
    },
    "scan_gate": {"scan_gate_workspace": "Web shop", "scan_gate_targets": "www.example.com"},
}


@pytest.fixture(scope="module")
def played(service_process, tmp_path_factory):
    """One ansible-playbook with a play for each role, which rescues the failure."""
    directory = tmp_path_factory.mktemp("misspelt")
    plays, inventory, arguments = [], "", ()
    for role, name, _meant, where in MISSPELT:
        given = VALID[role] | ({name: "x"} if where == "include_role" else {})
        included = {"name": role, "ansible.builtin.include_role": {"name": f"scanops.scanner.{role}"}, "vars": given}
        rescue = [{"name": "Go on", "ansible.builtin.meta": "noop"}]
        variables = {name: "x"} if where == "play" else {}
        plays.append(
            {
                "hosts": role,
                "gather_facts": False,
                "vars": variables,
                "tasks": [{"block": [included], "rescue": rescue}],
            }
        )
        inventory += f"{role} {LOCAL}{f' {name}=x' if where == 'inventory' else ''}\n"
        arguments += (f"--extra-vars={name}=x",) if where == "command line" else ()
    return play(directory, service_process, plays, inventory=inventory, arguments=arguments)


@pytest.mark.parametrize("role, name, meant, where", MISSPELT, ids=[role for role, *dummy in MISSPELT])
def test_a_misspelt_variable_fails_the_role_before_any_call(played, role, name, meant, where):
    events = [event for some in played.events.values() for event in some if event.host == role]
    (failed,) = [event for event in events if event.kind == "failed"]
    assert f"{name} (did you mean {meant}?) is no variable of the role scanops.scanner.{role}" in failed.result["msg"]
    assert [event for event in events if event.log] == []


# an environment variable that is not set
UNSET = "{{ lookup('ansible.builtin.env', 'SHOP_%s') }}"


@pytest.mark.parametrize("in_process", ["true", "false"])
def test_a_variable_of_a_lookup_that_is_not_set_is_named(service_process, tmp_path, in_process):
    """With the real ansible-playbook, because it keeps templates elsewhere than results."""
    tasks = [
        {"name": "an option", "scanops.scanner.workspace": {"name": UNSET % "NAME"}},
        {"name": "a variable", "scanops.scanner.workspace": {"name": "{{ shop }}"}},
        {"name": "a default", "scanops.scanner.workspace": {"name": "Shop"}},
    ]
    tasks[2]["module_defaults"] = {"group/scanops.scanner.all": {"api_key": UNSET % "KEY"}}
    one = {"hosts": "localhost", "gather_facts": False, "ignore_errors": True, "vars": {"shop": UNSET % "VARIABLE"}}
    played = play(tmp_path, service_process, [{**one, "tasks": tasks}], {"SCANNER_IN_PROCESS": in_process})
    for task, name in zip(tasks, ("SHOP_NAME", "SHOP_VARIABLE", "SHOP_KEY")):
        (event,) = played.events[task["name"]]
        assert event.result["msg"].endswith(f" The environment variable {name}, which it looks up, has no value.")
        assert not event.log
