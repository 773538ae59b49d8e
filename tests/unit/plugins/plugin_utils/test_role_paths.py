# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The paths that roles take are judged with the links in them."""

from __future__ import annotations

import os

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._model import trust
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption
from ansible_collections.scanops.scanner.plugins.plugin_utils._local_files import write
from ansible_collections.scanops.scanner.tests.unit.plugins.plugin_utils.role_steps import Role

ESTATE = "estate_apply_workspaces: []\n"


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """A link of somebody else in a public directory to a directory of mine."""
    mine, shared = tmp_path / "mine", tmp_path / "shared"
    mine.mkdir()
    shared.mkdir()
    (mine / "a.yml").write_text(ESTATE)
    (mine / "plan.json").write_text("{}")
    (mine / "gate.json").write_text("{}")
    (shared / "link").symlink_to(mine)
    shared.chmod(0o1777)
    real = os.lstat

    def lstat(path, **more):
        found = real(path, **more)
        return os.stat_result([*found[:4], 12345, *found[5:]]) if str(path) == f"{shared}/link" else found

    monkeypatch.setattr(trust.os, "lstat", lstat)
    return shared / "link"


@pytest.mark.parametrize(
    "name, steps, variables",
    [
        ("estate_apply", ("apply", "report"), {"files": ["LINK"]}),
        ("estate_apply", ("apply", "report"), {"files": "LINK/a.yml"}),
        ("estate_apply", ("apply", "report"), {"workspaces": [], "plan_dest": "LINK/new.json"}),
        ("estate_apply", ("apply", "report"), {"workspaces": [], "reviewed_plan": "LINK/plan.json"}),
        ("estate_export", ("export",), {"dest": "LINK/a.yml"}),
        ("estate_export", ("export",), {"dest": "LINK", "split": True}),
        ("prove_fix", ("before",), {"source": {}, "artifacts": "LINK"}),
        ("prove_fix", ("before",), {"source": "LINK/gate.json"}),
    ],
)
def test_a_link_that_somebody_else_has_planted_is_refused(planted, tmp_path, name, steps, variables):
    def placed(value):
        if isinstance(value, list):
            return [placed(each) for each in value]
        return value.replace("LINK", str(planted)) if isinstance(value, str) else value

    given = {f"{name}_{option}": placed(value) for option, value in variables.items()}
    role = Role(name, tmp_path, given)
    result = role.run(*(("enter",) if name != "prove_fix" else ()), *steps)
    assert result.get("failed") and f"'{planted}' belongs to another user" in result["msg"], result
    assert role.calls == []
    assert sorted(os.listdir(planted)) == ["a.yml", "gate.json", "plan.json"]


def test_a_file_that_two_paths_name_is_read_once(tmp_path):
    (tmp_path / "estate").mkdir()
    (tmp_path / "estate" / "a.yml").write_text(ESTATE)
    (tmp_path / "other").symlink_to("estate")
    role = Role("estate_apply", tmp_path, {"estate_apply_files": ["estate", "./estate", "other", "other/a.yml"]})
    role.run("enter", "apply")
    assert role.last("estate")["workspaces"] == [] and role.last("estate")["declared_at"] == []


def test_the_reviewed_plan_is_not_overwritten_through_a_link(tmp_path):
    (tmp_path / "plan.json").write_text("{}")
    (tmp_path / "other.json").symlink_to("plan.json")
    given = {"workspaces": [], "plan_dest": "other.json", "reviewed_plan": "plan.json"}
    role = Role("estate_apply", tmp_path, {f"estate_apply_{option}": each for option, each in given.items()})
    assert "would be overwritten" in role.run("enter", "apply", "report")["msg"] and role.calls == []
    assert (tmp_path / "plan.json").read_text() == "{}"


def test_a_directory_that_appears_before_a_file_is_written_is_judged(tmp_path, monkeypatch):
    """The calls of a role take minutes in which somebody else can create it."""
    tmp_path.chmod(0o1777)
    real = os.makedirs

    def makedirs(path, *more, **named):
        real(path, *more, **named)
        os.chmod(path, 0o777)

    monkeypatch.setattr("os.makedirs", makedirs)
    with pytest.raises(WrongOption, match="because every user can write in"):
        write(str(tmp_path / "new" / "plan.json"), "{}", "estate_apply_plan_dest")
    assert os.listdir(tmp_path / "new") == []


@pytest.mark.parametrize("splits", [True, False])
def test_an_empty_path_of_an_export_is_refused_before_any_call(tmp_path, splits):
    """The files would be in the directory in which ansible-playbook has started."""
    role = Role("estate_export", tmp_path, {"estate_export_dest": "", "estate_export_split": splits})
    assert role.run("enter", "export")["msg"].startswith("estate_export_dest is empty: give ")
    assert role.calls == []
