# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

STATE = {
    "workspaces": [
        {"id": 2, "name": "Web shop", "description": "All that customers reach"},
        {"id": 3, "name": "Twin"},
        {"id": 4, "name": "Twin"},
        {"id": 5, "name": "Held"},
        {"id": 6, "name": "Listening"},
        {"id": 7, "name": "Empty"},
    ],
    "targets": [{"name": "a.example", "workspace_id": 5}, {"name": "b.example", "workspace_id": 5}],
    "http_loggers": [{"label": "ear", "workspace_id": 6}],
}


@pytest.fixture(autouse=True)
def _account(service):
    service.add(**STATE)


def names(service):
    return {workspace["id"]: workspace["name"] for workspace in service.workspaces()}


def test_a_new_workspace_has_what_was_declared(service, run):
    result = run("workspace", name="New", description="Fresh")
    assert result["workspace"] == {"id": 8, "name": "New", "description": "Fresh"}
    assert service.workspaces()[-1] == {"id": 8, "name": "New", "description": "Fresh"}
    assert result.diff["before"] == {}
    assert result.diff["after"] == {"name": "New", "description": "Fresh"}
    assert result.diff["before_header"] == result.diff["after_header"] == "workspace"


def test_in_check_mode_a_new_workspace_has_no_id(run):
    assert run("workspace", check=True, name="New")["workspace"] == {"id": None, "name": "New", "description": ""}


def test_an_undeclared_description_is_not_changed(service, run):
    assert run("workspace", name="Web shop")["workspace"]["description"] == "All that customers reach"


def test_only_what_differs_is_sent_and_shown(service, run):
    result = run("workspace", name="Web shop", new_name="Shop", description="All that customers reach")
    assert service.log()[-2]["json"] == {"name": "Shop"}
    assert result.diff["before"] == {"name": "Web shop", "description": "All that customers reach"}
    assert result.diff["after"] == {"name": "Shop", "description": "All that customers reach"}
    assert result["workspace"] == {"id": 2, "name": "Shop", "description": "All that customers reach"}


def test_the_diff_holds_declared_fields_only(service, run):
    service.settings(extra_fields=True)
    result = run("workspace", name="Web shop", description="Other")
    assert set(result.diff["before"]) == set(result.diff["after"]) == {"name", "description"}
    assert result["workspace"]["created_at"]


def test_an_empty_description_is_not_sent_with_a_create(service, run):
    assert run("workspace", name="New", description="").changed
    assert [entry["form"] for entry in service.log() if entry["method"] == "POST"] == [{"name": "New"}]


# --- renaming


def test_a_rename_to_an_existing_name_is_refused(service, run):
    result = run("workspace", name="Web shop", new_name="Empty")
    assert result.failed
    assert "new_name 'Empty' is taken by workspace 7" in result.msg
    assert service.writes() == []


def test_a_rename_without_an_old_or_a_new_object_creates_no_workspace(service, run):
    result = run("workspace", name="Web shpo", new_name="Shop")
    assert result.failed
    assert "cannot be renamed, because neither" in result.msg
    assert service.writes() == []


def test_a_rename_of_what_an_earlier_task_would_create_is_predicted(service, run):
    result = run("workspace", check=True, name="Later", new_name="Much later")
    assert result.changed
    assert result["workspace"] == {"id": None, "name": "Much later", "description": ""}
    assert len(result.warnings) == 1


def test_a_rename_by_an_id_that_does_not_exist_yet_is_predicted(service, run):
    result = run("workspace", check=True, id=None, new_name="Shop", description="x")
    assert result.changed
    assert result["workspace"] == {"id": None, "name": "Shop", "description": "x"}
    assert service.calls() == []


def test_a_renamed_workspace_also_gets_its_description(service, run):
    assert run("workspace", name="Gone", new_name="Web shop", description="New words").changed
    assert service.workspaces()[1]["description"] == "New words"


def test_a_rename_and_absent_exclude_each_other(service, run):
    result = run("workspace", name="Web shop", new_name="Shop", state="absent")
    assert result.failed
    assert "new_name renames" in result.msg
    assert service.writes() == []


def test_a_rename_to_a_name_that_appeared_meanwhile_names_the_conflict(service, run):
    service.fault(method="PUT", path="/workspaces/2", action="do", resource="workspaces", record={"name": "Shop"})
    result = run("workspace", name="Web shop", new_name="Shop")
    assert result.failed
    assert "Another workspace has this name" in result.msg
    assert result["api_error"]["status"] == 409


# --- an id


@pytest.mark.parametrize("check", [False, True])
def test_an_id_that_does_not_exist_cannot_be_present(service, run, check):
    result = run("workspace", check=check, id=99, description="x")
    assert result.failed
    assert "No workspace with id 99 is visible to this API key" in result.msg
    assert service.writes() == []


# --- what is in it


@pytest.mark.parametrize("name, held", [("Held", "at least 2 targets"), ("Listening", "at least 1 HTTP logger,")])
@pytest.mark.parametrize("check", [False, True])
def test_a_workspace_that_holds_something_is_not_deleted(service, run, name, held, check):
    result = run("workspace", check=check, name=name, state="absent")
    assert result.failed
    assert held in result.msg
    assert "force: true" in result.msg
    assert service.writes() == []


@pytest.mark.parametrize("check", [False, True])
def test_a_workspace_with_targets_is_kept_where_pages_count_from_0(service, run, check):
    service.settings(first_page=0)
    result = run("workspace", name="Held", state="absent", check=check)
    assert result.failed
    assert "force: true" in result.msg
    assert service.writes() == []


def test_force_deletes_a_workspace_with_its_contents(service, run):
    result = run("workspace", name="Held", state="absent", force=True)
    assert result.changed
    assert result["workspace"] is None
    assert service.targets() == []
    assert result.diff["before"] == {"name": "Held"}
    assert result.diff["after"] == {}


def test_the_refusal_names_all_contents(service, run):
    service.add(http_loggers=[{"label": "second", "workspace_id": 5}])
    assert "at least 2 targets and at least 1 HTTP logger" in run("workspace", name="Held", state="absent").msg


def test_the_current_workspace_is_refused_and_explained(service, run):
    result = run("workspace", name="My Workspace", state="absent")
    assert result.failed
    assert "select another one in the web application" in result.msg
    assert result["api_error"]["status"] == 409
    assert result["api_error"]["message"] == "the current workspace cannot be deleted"
    assert names(service)[1] == "My Workspace"
