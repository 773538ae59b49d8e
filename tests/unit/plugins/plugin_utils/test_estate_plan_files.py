# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of a plan that the role estate_apply writes: none of an earlier run is taken for that of this one."""

from __future__ import annotations

import json

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._estate.outcome import as_result
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import Refused
from ansible_collections.scanops.scanner.plugins.plugin_utils import _estate_role
from ansible_collections.scanops.scanner.tests.unit.plugins.plugin_utils import role_steps
from ansible_collections.scanops.scanner.tests.unit.plugins.plugin_utils.role_steps import Role

URL = "https://scanner.example.com/api/v2"
WORKSPACES = [{"name": "Shop"}]


@pytest.fixture
def role(tmp_path, monkeypatch):
    """Runs steps of the role, with an old plan beside the playbook. The module says that it has written."""
    answer = {"changed": True, "plan": as_result([], 1, base_url=URL), "results": [], "summary": {"create": 1}}
    monkeypatch.setitem(role_steps.ANSWERS, "estate", answer)
    for name in ("plan.json", "plan.md"):
        (tmp_path / name).write_text("old")

    def run(*steps, **variables):
        given = {"workspaces": WORKSPACES, "plan_dest": "plan.json", **variables}
        declared = {f"estate_apply_{name}": each for name, each in given.items() if each is not ...}
        play = Role("estate_apply", tmp_path, declared)
        result = play.run(*steps)
        return result, [name for name, _arguments in play.calls]

    return run


MISTAKES = {
    "no such plan": {"reviewed_plan": "nowhere.json"},
    "no plan": {"reviewed_plan": "notes.txt"},
    "an empty checksum": {"expect_plan": ""},
    "no list": {"workspaces": "Shop"},
    "nothing declared": {"workspaces": ...},
    "no such file": {"files": ["nowhere.yml"]},
    "files that are no list": {"files": 7},
    "a variable that is not set": {"scope": "{{ no_such_variable }}"},
}


@pytest.mark.parametrize("variables", MISTAKES.values(), ids=MISTAKES)
def test_no_old_plan_is_left_where_there_is_no_new_one(role, tmp_path, variables):
    (tmp_path / "notes.txt").write_text("{}")
    result, calls = role("enter", "apply", **variables)
    assert result["outcome"] == "error" and calls == []
    assert not list(tmp_path.glob("plan.*"))


def test_no_old_plan_is_left_after_a_misspelt_variable(role, tmp_path):
    result, calls = role("enter", pruge=["targets"])
    assert result["failed"] and "did you mean estate_apply_purge" in result["msg"] and calls == []
    assert not list(tmp_path.glob("plan.*"))


@pytest.mark.parametrize("variables, words", [
    ({"reviewed_plan": "plan.json"}, "names the reviewed plan"),
    ({"reviewed_plan": "plan.md"}, "names the reviewed plan"),
    ({"files": ["plan.json"]}, "names a file of the estate"),
    ({"plan_dest": "plan.md"}, "give a path that ends in .json"),
])  # fmt: skip
def test_a_file_that_is_no_old_plan_stays(role, tmp_path, variables, words):
    for _try in range(2):
        result, calls = role("enter", "apply", **variables)
        assert result["outcome"] == "error" and calls == [] and "estate_apply_plan_dest" in result["msg"]
        assert [path.read_text() for path in sorted(tmp_path.glob("plan.*"))] == ["old", "old"]
        assert words in result["msg"]
    assert role("enter", pruge=[], **variables)[0]["failed"]
    assert [path.read_text() for path in sorted(tmp_path.glob("plan.*"))] == ["old", "old"]


def test_what_was_done_is_told_although_the_plan_cannot_be_written(role, monkeypatch):
    def full(path, text, option, mode):
        raise Refused("No space is left.")

    monkeypatch.setattr(_estate_role, "write", full)
    result, calls = role("enter", "apply")
    assert calls == ["estate"] and result["outcome"] == "error" and result["changed"] is True
    assert result["summary"] == {"create": 1} and role("enter", "report")[0].get("failed") is None
    assert role("enter", "apply", "report")[0]["msg"].startswith("1 created. No space is left. See ")


def test_a_plan_that_can_be_written_nowhere_is_told_before_anything_is_done(role, tmp_path):
    (tmp_path / "file").write_text("")
    result, calls = role("enter", "apply", plan_dest="file/plan.json")
    assert result["outcome"] == "error" and calls == [] and "cannot be replaced (Not a directory)" in result["msg"]


def test_a_plan_is_written(role, tmp_path):
    result, calls = role("enter", "apply")
    assert result["outcome"] == "applied" and calls == ["estate"]
    assert json.loads((tmp_path / "plan.json").read_text())["outcome"] == "applied"
    assert (tmp_path / "plan.md").read_text().startswith("# Plan of the estate")
