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


def test_a_new_target_is_sent_as_it_is_declared(service, run):
    result = run("target", workspace="Web shop", name="HTTPS://New.Example.com:443/", description="Fresh")
    assert forms(service) == [{"name": "HTTPS://New.Example.com:443/", "description": "Fresh", "workspace_id": "2"}]
    assert result["target"] == {
        "id": 1004,
        "name": "HTTPS://New.Example.com:443/",
        "type": "url",
        "description": "Fresh",
        "workspace_id": 2,
    }
    assert (result["drift"], result["lost"]) == ({}, None)


def test_in_check_mode_the_workspace_is_known_and_the_id_is_not(run):
    record = run("target", check=True, workspace="Web shop", name="new.example.com")["target"]
    assert record == {"id": None, "name": "new.example.com", "type": None, "description": "", "workspace_id": 2}


def test_the_target_of_another_workspace_is_another_target(service, run):
    assert run("target", workspace_id=3, name="www.example.com")["target"]["id"] == 1002
    assert run("target", name="www.example.com").changed


def test_a_service_that_ignores_the_workspace_does_not_mix_them_up(service, run):
    rows = [{**row, "type": "hostname", "description": ""} for row in STATE["targets"][:2]]
    service.fault(method="GET", path="/targets", action="status", status=200, body={"data": rows}, times=None)
    assert run("target", workspace_id=3, name="www.example.com")["target"]["id"] == 1002


def test_a_list_without_workspaces_is_trusted_if_another_list_differs(service, run):
    rows = [{"id": 1001, "name": "www.example.com", "type": "hostname", "description": ""}]
    answer = dict(action="status", status=200, body={"data": rows}, times=None)
    service.fault(method="GET", path="/targets", query={"workspace_id": 2}, **answer)
    result = run("target", workspace_id=2, name="www.example.com")
    assert not result.changed
    assert result["target"]["workspace_id"] is None


def test_a_record_without_a_workspace_is_looked_up_in_its_list(service, run):
    record = {"id": 1001, "name": "www.example.com", "type": "hostname", "description": ""}
    service.fault(path="/targets/1001", action="status", status=200, body={"data": record}, times=None)
    assert not run("target", workspace_id=2, id=1001).failed
    assert "not in workspace 3" in run("target", workspace_id=3, id=1001).msg


# --- the workspace


def test_without_a_workspace_the_current_one_is_used_with_a_warning(service, run):
    result = run("target", name="new.example.com")
    assert result["target"]["workspace_id"] == 1
    assert "workspace_id" not in forms(service)[0]
    assert [warning for warning in result.warnings if "current one" in warning]


def test_an_id_avoids_that_warning(run):
    assert run("target", id=1001).warnings == []


def test_an_unknown_workspace_fails_and_the_message_lists_the_known_ones(service, run):
    result = run("target", workspace="Wbe shop", name="new.example.com")
    assert result.failed
    assert "workspace 'Wbe shop' does not exist" in result.msg
    assert "the account has 'My Workspace', 'Other', 'Web shop'" in result.msg
    assert service.writes() == []


def test_in_check_mode_an_unknown_workspace_counts_as_created_by_an_earlier_task(service, run):
    result = run("target", check=True, workspace="Later", name="new.example.com", description="Fresh")
    assert result.changed
    assert result["target"] == {
        "id": None,
        "name": "new.example.com",
        "type": None,
        "description": "Fresh",
        "workspace_id": None,
    }
    assert result.warnings == [
        "workspace 'Later' does not exist yet; check mode assumes that an earlier task creates it."
    ]
    assert service.calls() == ["GET /workspaces"]


@pytest.mark.parametrize("null", [None, ""])
def test_in_check_mode_the_null_id_of_such_a_workspace_is_accepted(service, run, null):
    # ansible-core before 2.19 makes an empty text of a null in a template
    result = run("target", check=True, workspace_id=null, name="new.example.com")
    assert result.changed
    assert len(result.warnings) == 1
    assert service.calls() == []


@pytest.mark.parametrize("null", [None, ""])
@pytest.mark.parametrize("state", ["present", "absent"])
def test_in_check_mode_the_null_id_of_such_a_target_is_accepted(service, run, null, state):
    result = run("target", check=True, id=null, state=state)
    # present by an id makes nothing
    assert result.changed is (state == "absent")
    assert len(result.warnings) == 1
    assert (result["target"] is None) is (state == "absent")
    assert service.calls() == []


def test_with_a_name_a_null_id_means_nothing(service, run):
    result = run("target", check=True, name="here.example.com", id=None)
    assert not result.changed
    assert result["target"]["id"] == 1003


def test_a_null_means_that_the_option_is_not_set(service, run):
    nulls = dict.fromkeys(("timeout", "retries", "validate_certs", "description", "on_drift", "state", "workspace"))
    result = run("target", workspace_id=2, name="www.example.com", **nulls)
    assert (result.failed, result.changed) == (False, False)
    assert result["invocation"]["module_args"]["state"] == "present"


def test_an_id_of_another_workspace_is_refused(service, run):
    result = run("target", workspace="Other", id=1001)
    assert result.failed
    assert "target 'www.example.com' (id 1001) is not in workspace 'Other', but in another workspace" in result.msg


def test_an_id_of_another_workspace_is_not_deleted(service, run):
    result = run("target", workspace="Other", id=1001, state="absent")
    assert (result.failed, result.changed) == (False, False)
    assert "it is not changed" in result.warnings[0]
    assert 1001 in ids(service)


def test_an_id_in_a_workspace_that_check_mode_has_not_created_is_refused(service, run):
    result = run("target", check=True, workspace_id=None, id=1001)
    assert result.failed
    assert "is not in the workspace that an earlier task would have created" in result.msg


def test_a_workspace_id_that_does_not_exist_is_named(service, run):
    for unknown in (404, "empty"):
        service.settings(unknown_workspace=unknown)
        result = run("target", workspace_id=99, name="new.example.com")
        assert result.failed
        assert "No workspace has this id; check workspace_id" in result.msg
        assert result["api_error"]["status"] == 404
        assert ids(service) == [1001, 1002, 1003]


# --- names


@pytest.mark.parametrize("state", ["present", "absent"])
def test_a_name_that_means_two_targets_fails_and_shows_their_ids(service, run, state):
    service.add(targets=[{"id": 1009, "name": "WWW.example.com", "workspace_id": 2}])
    result = run("target", workspace_id=2, name="Www.Example.com", state=state)
    assert result.failed
    assert "names 2 targets, with the ids 1001, 1009: write one of the names" in result.msg
    assert service.writes() == []


@pytest.mark.parametrize("check", [False, True])
def test_a_delete_names_the_other_spelling(service, run, check):
    result = run("target", check=check, workspace_id=2, name="WWW.example.com.", state="absent")
    assert result.changed
    assert result.warnings == [
        "This task deletes target 'www.example.com' (id 1001), another spelling of 'WWW.example.com.'."
    ]
    assert result.diff["before"] == {"name": "www.example.com"}


def test_a_name_that_the_service_spells_differently_is_found_again(service, run):
    service.settings(normalise_targets=True)
    result = run("target", workspace_id=2, name="New.Example.com")
    assert result["target"]["name"] == "new.example.com"
    assert not run("target", workspace_id=2, name="New.Example.com").changed


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


def test_a_recreated_target_returns_what_was_lost(service, run):
    result = run("target", on_drift="recreate", force=True, **DRIFTING)
    assert result.changed
    assert result["lost"]["id"] == 1001
    assert result["lost"]["description"] == "Front"
    assert result["target"]["id"] == 1004
    assert result["target"]["description"] == "Back"
    assert result["drift"] == DRIFT
    assert ids(service) == [1002, 1003, 1004]


def test_a_recreated_target_keeps_its_workspace_and_its_spelling(service, run):
    result = run("target", id=1001, description="Back", on_drift="recreate", force=True)
    assert forms(service) == [{"name": "www.example.com", "description": "Back", "workspace_id": "2"}]
    assert result["target"]["workspace_id"] == 2


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


def test_a_delete_that_is_refused_leaves_the_target(service, run):
    service.settings(target_deletion=False)
    result = run("target", on_drift="recreate", force=True, **DRIFTING)
    assert result.failed
    assert not result.changed
    assert "plan may not include deleting targets" in result.msg
    assert service.writes() == ["DELETE /targets/1001"]


# --- objects that exist already, or appear meanwhile


def test_an_existing_target_in_a_full_account_is_unchanged(service, run):
    # an object that the lookup cannot see, and a 403 that comes before the 409
    service.settings(page_cap=1, max_targets=3)
    service.add(targets=[{"id": 1010, "name": "late.example.com", "workspace_id": 2}])
    result = run("target", workspace_id=2, name="late.example.com")
    assert not result.failed
    assert not result.changed
    assert result["target"]["id"] == 1010


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


def test_a_409_with_another_meaning_fails_with_the_words_of_the_service(service, run):
    service.fault(method="POST", path="/targets", action="status", status=409, message="workspace is locked")
    result = run("target", workspace_id=2, name="new.example.com")
    assert result.failed
    assert "workspace is locked" in result.msg
    assert result["api_error"]["status"] == 409


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


def test_a_wrong_format_names_the_option(service, run):
    # the local service takes a port in URLs only; whether the service takes it in a bare name is not public
    result = run("target", workspace_id=2, name="www.example.com:8080")
    assert result.failed
    assert "Correct the option name" in result.msg
    assert result["api_error"]["status"] == 422


def test_a_target_that_is_deleted_meanwhile_is_absent(service, run):
    service.fault(method="DELETE", action="do", do="delete", resource="targets", record={"id": 1001})
    result = run("target", id=1001, state="absent")
    assert (result.failed, result.changed) == (False, False)


def test_a_404_on_the_delete_of_an_existing_target_is_an_error(service, run):
    service.fault(method="DELETE", action="status", status=404)
    result = run("target", id=1001, state="absent")
    assert result.failed
    assert result["api_error"]["status"] == 404
    assert service.calls() == ["GET /targets/1001", "DELETE /targets/1001", "GET /targets/1001"]
