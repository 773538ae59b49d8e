# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Misspelt variables of the roles, wherever they are set: refused before any call."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.tests.plays.playbook import LOCAL, play

WORKSPACES = [{"name": "Web shop", "targets": ["www.example.com"]}]
# the role, the misspelt variable, the one that is meant, and where it is set
MISSPELT = [
    ("estate_apply", "estate_apply_scop", "estate_apply_scope", "play"),
    ("estate_export", "estate_export_splitt", "estate_export_split", "inventory"),
    ("estate_register", "estate_register_retir", "estate_register_retire", "include_role"),
    ("scan_gate", "scan_gate_polcy", "scan_gate_policy", "command line"),
]
VALID = {
    "estate_apply": {"estate_apply_workspaces": WORKSPACES},
    "estate_export": {"estate_export_dest": "estate.yml"},
    "estate_register": {"estate_register_workspace": "Web shop", "estate_register_source": "here"},
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
    assert not any(event.log for event in events)
