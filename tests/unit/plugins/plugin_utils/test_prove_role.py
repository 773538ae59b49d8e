# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which hosts carry a target, and which targets are not scanned because a fix failed."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.plugin_utils._prove_role import carries, plan
from ansible_collections.scanops.scanner.tests.unit.plugins.plugin_utils.role_steps import Role

READ = {
    "id": 7,
    "problem": "",
    "record": {"id": 7, "target_id": 1, "tool_id": 170, "workspace_id": 3, "tool_params": {}},
    "target": "a.example",
    "tool": "Website Scanner",
    "workspace": "Web shop",
}


@pytest.mark.parametrize(
    ("variables", "target", "expected"),
    [
        ({"scanner_targets": [{"name": "b.example"}, {"name": "https://A.example:443"}]}, "https://a.example/", True),
        ({"scanner_targets": [{"name": "https://a.example/admin"}]}, "https://a.example/", False),
        # gate.json has no passwords
        ({"scanner_targets": [{"name": "https://u:secret@a.example/x"}]}, "https://u@a.example/x", True),
        # with the variable of the inventory plugin, the name of the host does not count
        ({"scanner_targets": []}, "a.example", False),
        ({}, "a.example", True),
        ({}, "https://a.example/admin", True),
        ({}, "b.example", False),
        ({"ansible_host": "192.0.2.10"}, "http://192.0.2.10:8080/", True),
        ({"ansible_host": "192.0.2.10"}, "192.0.2.11", False),
        ({}, "not a name", False),
    ],
)
def test_a_host_carries_the_targets_of_the_inventory_plugin_or_of_its_name(variables, target, expected):
    assert carries("a.example", variables, target) is expected


@pytest.mark.parametrize("option", ["must_see", "fingerprints", "select", "authentication", "source_max_age"])
def test_a_null_variable_is_not_taken_for_one_that_is_not_set(tmp_path, option):
    """An unset variable in a template gives null, and without controls or a login a scan sees less."""
    play = Role("prove_fix", tmp_path, {"prove_fix_source": "gate.json", f"prove_fix_{option}": None})
    result = play.run("before")
    assert result["failed"] and result["msg"].startswith(
        f"prove_fix_{option} is null, probably because a variable is unset"
    )
    assert play.calls == []


def verdicts_of_yesterday(directory):
    (directory / "prove_fix").mkdir()
    for name in ("prove_fix.json", "prove_fix.md", "notes.md"):
        (directory / "prove_fix" / name).write_text("fixed")
    return directory / "prove_fix"


@pytest.mark.parametrize(
    "variables",
    [
        {"source": "missing.json"},
        {"source": None},
        {"source": {}, "must_see": [{}]},
        {"source": {}, "selct": "name"},
        {"source": {}, "select": "{{ no_such_variable }}"},
    ],
)
def test_a_role_that_proves_nothing_leaves_no_verdicts_of_an_earlier_run(tmp_path, variables):
    directory = verdicts_of_yesterday(tmp_path)
    play = Role("prove_fix", tmp_path, {f"prove_fix_{name}": each for name, each in variables.items()})
    assert play.run("before")["failed"]
    assert [each.name for each in directory.iterdir()] == ["notes.md"]


def test_check_mode_removes_no_verdicts(tmp_path):
    directory = verdicts_of_yesterday(tmp_path)
    assert Role("prove_fix", tmp_path, {"prove_fix_source": "missing.json"}, check_mode=True).run("before")["failed"]
    assert len([*directory.iterdir()]) == 3


def test_an_empty_path_of_the_verdicts_is_refused_before_any_call(tmp_path):
    """They would be written at the top of the file system, after the scans."""
    play = Role("prove_fix", tmp_path, {"prove_fix_source": "gate.json", "prove_fix_artifacts": ""})
    assert play.run("before")["msg"].startswith("prove_fix_artifacts is empty: give the path of a directory")
    assert play.calls == []


@pytest.mark.parametrize(
    ("hosts", "left", "reason"),
    [
        ([], None, None),
        ([], ["web1"], "No host of the play carries its target, so the tasks of the fix ran on none."),
        (["web1", "web2"], ["web1"], "The tasks of the fix failed on web2."),
        (["web1"], ["web1"], None),
    ],
)
def test_a_target_is_not_scanned_unless_all_its_hosts_are_fixed(hosts, left, reason):
    planned = plan([{"scan_id": 7, "hosts": hosts}], [READ], [{"scans": [READ["record"]]}], left)
    assert planned["left_out"] == ([{"id": 7, "reason": reason}] if reason else [])
    assert [group["before"] for group in planned["groups"]] == ([] if reason else [[7]])
    assert planned["known"] == [{"id": 7, "scans": [READ["record"]]}]


def test_a_target_is_not_scanned_if_its_earlier_scans_are_unknown():
    planned = plan([{"scan_id": 7, "hosts": []}], [READ], [{"msg": "No answer."}])
    assert planned["left_out"] == [{"id": 7, "reason": "The scans of its target could not be read: No answer."}]
