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


# --- an id


# --- what is in it


@pytest.mark.parametrize("name, held", [("Held", "at least 2 targets"), ("Listening", "at least 1 HTTP logger,")])
@pytest.mark.parametrize("check", [False, True])
def test_a_workspace_that_holds_something_is_not_deleted(service, run, name, held, check):
    result = run("workspace", check=check, name=name, state="absent")
    assert result.failed
    assert held in result.msg
    assert "force: true" in result.msg
    assert service.writes() == []


def test_the_current_workspace_is_refused_and_explained(service, run):
    result = run("workspace", name="My Workspace", state="absent")
    assert result.failed
    assert "select another one in the web application" in result.msg
    assert result["api_error"]["status"] == 409
    assert result["api_error"]["message"] == "the current workspace cannot be deleted"
    assert names(service)[1] == "My Workspace"


def test_the_findings_of_a_deleted_workspace_are_saved(service, run, tmp_path):
    service.reset(
        state={"workspaces": [{"id": 2, "name": "Held"}], "targets": [{"name": "a.example", "workspace": "Held"}]}
    )
    result = run("workspace", name="Held", state="absent", evidence=str(tmp_path / "evidence"))
    assert not result.failed and service.writes() == ["DELETE /workspaces/2"]
    assert [path.suffix for path in (tmp_path / "evidence").iterdir()] == [".jsonl"]
