# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

STATE = {
    "workspaces": [{"id": 2, "name": "Web shop"}, {"id": 3, "name": "Other"}],
    "targets": [
        {"id": 1001, "name": "www.example.com", "workspace_id": 2, "description": "Front"},
        {"id": 1002, "name": "www.example.com", "workspace_id": 3},
        {"id": 1003, "name": "here.example.com"},
    ],
}


@pytest.fixture(autouse=True)
def _account(service):
    service.add(**STATE)


def ids(service):
    return [target["id"] for target in service.targets()]


def forms(service):
    return [entry["form"] for entry in service.log() if entry["method"] == "POST"]


# --- the workspace


def test_without_a_workspace_the_current_one_is_used_with_a_warning(service, run):
    result = run("target", name="new.example.com")
    assert result["target"]["workspace_id"] == 1
    assert "workspace_id" not in forms(service)[0]
    assert [warning for warning in result.warnings if "current one" in warning]


@pytest.mark.parametrize("null", [None, ""])
@pytest.mark.parametrize("state", ["present", "absent"])
def test_in_check_mode_the_null_id_of_such_a_target_is_accepted(service, run, null, state):
    result = run("target", check=True, id=null, state=state)
    # present by an id makes nothing
    assert result.changed is (state == "absent")
    assert len(result.warnings) == 1
    assert (result["target"] is None) is (state == "absent")
    assert service.calls() == []


def test_an_id_of_another_workspace_is_not_deleted(service, run):
    result = run("target", workspace="Other", id=1001, state="absent")
    assert (result.failed, result.changed) == (False, False)
    assert "it is not changed" in result.warnings[0]
    assert 1001 in ids(service)


# --- names


# --- drift

DRIFT = {"description": {"declared": "Back", "live": "Front"}}
DRIFTING = dict(workspace_id=2, name="www.example.com", description="Back")


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("on_drift", ["fail", "recreate"])
def test_drift_fails_on_request_and_without_force(service, run, check, on_drift):
    result = run("target", check=check, on_drift=on_drift, **DRIFTING)
    assert result.failed
    assert ("force: true" in result.msg) is (on_drift == "recreate")
    assert result["drift"] == DRIFT
    assert service.writes() == []


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("on_drift, warnings", [("warn", 1), ("ignore", 0)])
def test_drift_keeps_the_live_text(service, run, check, on_drift, warnings):
    result = run("target", check=check, on_drift=on_drift, **DRIFTING)
    assert not result.changed
    assert result["target"]["description"] == "Front"
    assert result["drift"] == DRIFT
    assert result.diff["before"] == result.diff["after"] == {"name": "www.example.com", "description": "Front"}
    assert len(result.warnings) == warnings
    assert service.writes() == []


def test_a_target_that_was_deleted_by_its_id_is_created_by_its_name(service, run):
    service.fault(method="POST", path="/targets", action="status", status=422, message="not now")
    result = run("target", id=1001, description="other", on_drift="recreate", force=True)
    assert result.failed
    assert result.msg.endswith("Its id no longer exists, so declare it by name to create it.")
    assert "run the task again" not in result.msg.lower()


@pytest.mark.parametrize("status", [403, 422, 500])
def test_a_failure_between_delete_and_create_names_the_lost_target(service, run, status):
    service.fault(method="POST", path="/targets", action="status", status=status, message="not now")
    result = run("target", on_drift="recreate", force=True, **DRIFTING)
    assert result.failed
    assert result.changed
    assert "target 'www.example.com' (id 1001) was deleted, and creating it again failed" in result.msg
    assert result.msg.lower().count("run the task again") == 1
    assert "not now" in result.msg
    assert result["lost"]["id"] == 1001
    assert result["api_error"]["status"] == status
    service.clear_faults()
    again = run("target", on_drift="recreate", force=True, **DRIFTING)
    assert again.changed
    assert again["target"]["description"] == "Back"


# --- objects that exist already, or appear meanwhile


def test_a_target_beyond_a_short_page_is_found_after_the_409(service, run):
    service.settings(page_cap=100)
    service.fill("Web shop", 250, "many")
    result = run("target", workspace_id=2, name="host-000222.example", description="one")
    assert not result.changed
    assert result["target"]["name"] == "host-000222.example"
    assert result["drift"] == {"description": {"declared": "one", "live": "many"}}
    assert service.calls() == ["GET /targets", "POST /targets", *["GET /targets"] * 4]


def test_check_mode_sees_beyond_a_short_page(service, run):
    service.settings(page_cap=100)
    service.fill("Web shop", 250)
    assert not run("target", check=True, workspace_id=2, name="host-000222.example").changed


@pytest.mark.parametrize("check", [False, True])
def test_a_target_beyond_a_short_page_is_not_absent(service, run, check):
    service.settings(page_cap=100)
    service.fill("Web shop", 250)
    result = run("target", check=check, workspace_id=2, name="host-000222.example", state="absent")
    assert result.changed
    assert ("host-000222.example" in [target["name"] for target in service.targets()]) is check


@pytest.mark.parametrize(
    "settings, said, advice",
    [
        ({"api_access": False}, "does not include API access", "plan includes API access"),
        ({"blacklist": ["new.example.com"]}, "blacklisted", "never scans this target"),
        ({"max_targets": 0}, "too many targets", "The account is full"),
        ({"licence_valid": False}, "license is not valid", "renew it"),
    ],
)
def test_the_reasons_of_a_refused_create_are_told_apart(service, run, settings, said, advice):
    if "api_access" in settings:
        service.fault(method="POST", action="status", status=403, message="the plan does not include API access")
    else:
        service.settings(**settings)
    result = run("target", workspace_id=2, name="new.example.com")
    assert result.failed
    assert said in result.msg
    assert advice in result.msg
    assert said in result["api_error"]["message"]
