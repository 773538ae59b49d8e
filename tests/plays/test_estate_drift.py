# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role estate_apply that expects an unchanged account, and what it says of each end."""

from __future__ import annotations

import json

import pytest
from ansible_collections.scanops.scanner.tests.plays.playbook import play

STATE = {
    "workspaces": [{"id": 2, "name": "Shop"}, {"id": 3, "name": "Office"}],
    "targets": [
        {"id": 1001, "name": "shop.example.com", "description": "till", "workspace": "Shop"},
        {"id": 1002, "name": "cmdb.example.com", "description": "[managed by cmdb]", "workspace": "Shop"},
    ],
}
SAME = {"name": "Shop", "targets": ["shop.example.com"]}
DRIFTED = {"name": "Shop", "targets": [{"name": "shop.example.com", "description": "front"}]}
OTHER = {"name": "Shop", "description": "new", "targets": ["new.example.com"]}
PURGE = {"estate_apply_purge": ["targets"], "estate_apply_expect": "unchanged"}

# what is declared, the variables, the status, the outcome, and what is said
ENDS = {
    "unchanged": ([SAME], PURGE, 0, "unchanged", "2 unchanged"),
    "another description": ([DRIFTED], {**PURGE, "estate_apply_on_drift": "ignore"}, 0, "unchanged", "1 drifted"),
    "differs": (
        [OTHER],
        PURGE,
        2,
        "differs",
        "3 objects differ: create 1, update 1, delete 1; see DIRECTORY/plan.md.",
    ),
    "differs in one": ([SAME, {"name": "New"}], PURGE, 2, "differs", "1 object differs: create 1; see"),
    "not managed": ([SAME], {**PURGE, "estate_apply_unmanaged": "fail"}, 2, "differs", "Not managed: "),
    "refused": ([OTHER], {**PURGE, "estate_apply_purge_max": 0}, 2, "refused", "more than purge_max allows (0)"),
    "not applied": ([OTHER], {}, 0, "applied", "1 created, 1 updated"),
}


@pytest.mark.parametrize("declared, variables, status, outcome, said", ENDS.values(), ids=ENDS)
def test_each_end_is_told_from_the_others(service_process, tmp_path, declared, variables, status, outcome, said):
    given = {"estate_apply_workspaces": declared, "estate_apply_plan_dest": "plan.json", **variables}
    task = {"ansible.builtin.include_role": {"name": "scanops.scanner.estate_apply"}, "vars": given}
    plays = [{"hosts": "localhost", "gather_facts": False, "tasks": [task]}]
    played = play(tmp_path, service_process, plays, {"ANSIBLE_SHOW_CUSTOM_STATS": "true"}, state=STATE)
    assert played.status == status, played.output
    assert said.replace("DIRECTORY", str(tmp_path)) in played.output
    assert f'"estate_apply_outcome": "{outcome}"' in " ".join(played.output.rpartition("CUSTOM STATS:")[2].split())
    assert json.loads((tmp_path / "plan.json").read_text())["outcome"] == outcome
    assert (tmp_path / "plan.md").read_text().startswith("# Plan of the estate")
    sent = [call for events in played.events.values() for event in events for call in event.log or ()]
    writes = [call for call in sent if call["method"] != "GET"]
    assert (writes != []) == (outcome == "applied")


def test_an_error_is_no_difference(service_process, tmp_path):
    given = {"estate_apply_workspaces": [SAME], "estate_apply_plan_dest": "plan.json", **PURGE}
    task = {"ansible.builtin.include_role": {"name": "scanops.scanner.estate_apply"}, "vars": given}
    plays = [{"hosts": "localhost", "gather_facts": False, "tasks": [task]}]
    faults = {"Apply the estate": [{"path": "/workspaces", "action": "status", "status": 403, "times": None}]}
    played = play(tmp_path, service_process, plays, {"ANSIBLE_SHOW_CUSTOM_STATS": "true"}, state=STATE, faults=faults)
    assert played.status == 2 and '"estate_apply_outcome": "error"' in " ".join(played.output.split())
    assert not (tmp_path / "plan.json").exists()
