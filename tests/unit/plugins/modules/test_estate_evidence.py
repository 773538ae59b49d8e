# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The findings of what is deleted are saved first."""

from __future__ import annotations

import json
import os

import pytest

SUMMARY = {"critical": 0, "high": 0, "medium": 0, "low": 0, "info": 0}


@pytest.fixture
def account(service):
    def scan(number, target_id, high):
        return {
            "id": number,
            "target_id": target_id,
            "tool_id": 170,
            "workspace": "Shop",
            "result_summary": {**SUMMARY, "high": high},
        }

    service.reset(
        settings={"rate_limits": None, "validate": True},
        state={
            "workspaces": [{"id": 2, "name": "Shop"}],
            "targets": [
                {"id": 1001 + n, "name": name, "description": "Of 2019", "workspace": "Shop"}
                for n, name in enumerate(NAMES)
            ],
            "scans": [scan(40001, 1001, 2), scan(40002, 1002, 0)],
            "findings": [
                {
                    "id": 70001 + n,
                    "task_id": 40001,
                    "target_id": 1001,
                    "risk_level": 3,
                    "name": f"Weak {n}",
                    "workspace": "Shop",
                }
                for n in range(2)
            ],
        },
    )
    return service


NAMES = ["https://old.example.com/../a b", "quiet.example.com", "kept.example.com"]


def files(directory):
    if not directory.exists():
        return {}
    return {path.name: [json.loads(line) for line in path.read_text().splitlines()] for path in directory.iterdir()}


def test_what_is_purged_is_saved_first(account, run, tmp_path):
    options = dict(workspace="Shop", targets=["kept.example.com"], purge=True, evidence=str(tmp_path))
    assert not run("targets", check=True, **options).failed and files(tmp_path) == {}
    account.clear_log()
    result = run("targets", **options)
    assert not result.failed, result.msg
    saved = files(tmp_path)
    assert sorted(map(len, saved.values())) == [0, 2]
    (name,) = [name for name, rows in saved.items() if rows]
    assert name.startswith("target-1001-https-old.example.com-..-a-b-2") and "/" not in name
    assert [row["name"] for row in saved[name]] == ["Weak 0", "Weak 1"]
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}
    order = [call.split("?")[0] for call in account.calls() if call.startswith(("DELETE", "GET /findings"))]
    assert order == ["GET /findings", "DELETE /targets/1001", "GET /findings", "DELETE /targets/1002"]


def test_a_retired_workspace_is_saved_and_needs_no_force(account, run, tmp_path):
    estate = [{"name": "Shop", "state": "absent"}]
    result = run("estate", workspaces=estate, purge=["workspaces"], evidence=str(tmp_path))
    assert not result.failed, result.msg
    assert len(files(tmp_path)) == 3 and account.writes() == ["DELETE /workspaces/2"]


@pytest.mark.parametrize("entry", [{"name": "Shop"}, {"name": "Shop", "id": 2}, {"name": "Renamed since", "id": 2}])
def test_a_workspace_that_was_retired_stays_so(account, run, entry):
    estate = [{"name": "My Workspace"}, {**entry, "state": "absent"}]
    retired = [{"name": "My Workspace"}, {**entry, "name": "Shop", "state": "absent"}]
    first = run("estate", workspaces=retired, purge=["workspaces"], force=True)
    assert first.changed and account.writes() == ["DELETE /workspaces/2"]
    for check in (False, True):
        again = run("estate", workspaces=estate, purge=["workspaces"], check=check)
        assert not again.failed and not again.changed and again["summary"]["unchanged"] == 2
        assert "does not exist: remove the entry" in again["plan"]["warnings"][0]


@pytest.mark.parametrize("state", ["absent", "present"])
def test_a_wrong_id_of_a_workspace_that_exists_is_refused(account, run, state):
    estate = [{"name": "My Workspace"}, {"name": "Shop", "id": 9, "state": state}]
    result = run("estate", workspaces=estate, purge=["workspaces"], force=True)
    assert result.failed and "id is 9, and no workspace has this id, but 'Shop' has the id 2" in result.msg
    assert account.writes() == []


def test_a_deleted_workspace_is_saved_and_needs_no_force(account, run, tmp_path):
    directory = tmp_path / "new"
    options = dict(name="Shop", state="absent", evidence=str(directory))
    assert run("workspace", check=True, **options).changed and not directory.exists()
    result = run("workspace", **options)
    assert not result.failed, result.msg
    assert directory.stat().st_mode & 0o777 == 0o700
    assert sorted(map(len, files(directory).values())) == [0, 0, 2] and account.writes() == ["DELETE /workspaces/2"]


def test_evidence_may_be_created_in_the_directory_of_temporary_files(account, run, tmp_path):
    """It is judged like a directory that exists: a sticky directory above it is no reason."""
    tmp_path.chmod(0o1777)
    result = run("workspace", name="Shop", state="absent", evidence=str(tmp_path / "new"))
    assert not result.failed, result.msg
    assert account.writes() == ["DELETE /workspaces/2"]


def test_nothing_is_deleted_if_somebody_else_has_created_the_directory_of_its_evidence(
    account, run, tmp_path, monkeypatch
):
    """Between the check and the first file, minutes may pass."""
    tmp_path.chmod(0o1777)
    real = os.makedirs

    def makedirs(path, *more, **named):
        real(path, *more, **named)
        os.chmod(path, 0o777)

    monkeypatch.setattr("os.makedirs", makedirs)
    result = run("workspace", name="Shop", state="absent", evidence=str(tmp_path / "new"))
    assert result.failed and "can be written by every user" in result.msg
    assert account.writes() == [] and list((tmp_path / "new").iterdir()) == []


@pytest.mark.parametrize("force", [False, True])
def test_a_workspace_with_a_target_that_cannot_be_saved_is_not_deleted(account, run, tmp_path, force):
    waiting = {"status_name": "waiting", "script": {"queue": 20, "run": 9000}}
    account.add(scans=[{"id": 40003, "target_id": 1003, "tool_id": 170, "workspace": "Shop", **waiting}])
    result = run("workspace", name="Shop", state="absent", evidence=str(tmp_path), force=force)
    assert result.failed and "'kept.example.com' were not saved" in result.msg and account.writes() == []


def test_requests_of_a_logger_are_not_saved_so_it_needs_force(account, run, tmp_path):
    account.add(http_loggers=[{"label": "ear", "workspace": "Shop"}])
    options = dict(name="Shop", state="absent", evidence=str(tmp_path))
    result = run("workspace", **options)
    assert result.failed and "holds at least 1 HTTP logger, which" in result.msg and account.writes() == []
    assert not run("workspace", **options, force=True).failed and len(files(tmp_path)) == 3


@pytest.mark.parametrize(
    "check, place, words", [(True, "", "evidence is empty"), (False, "missing/x", "does not exist")]
)
def test_a_workspace_is_not_deleted_if_its_evidence_has_no_place(account, run, tmp_path, check, place, words):
    place = place and str(tmp_path / place)
    result = run("workspace", name="Shop", state="absent", check=check, evidence=place, force=True)
    assert result.failed and words in result.msg and account.writes() == []


def test_the_diff_of_a_deleted_workspace_says_what_goes_with_it(account, run):
    options = dict(name="Shop", state="absent", force=True, check=True, diff=True)
    held = {"targets": 3, "http_loggers": 0, "scans": 2}
    assert run("workspace", **options).diff["before"] == {"name": "Shop", **held}
    account.fault(path="/scans", action="status", status=403, times=None)
    assert "may not read" in run("workspace", **options).diff["before"]["scans"]


def test_what_is_recreated_is_saved(account, run, tmp_path):
    declared = [{"name": "quiet.example.com", "description": "Till"}]
    result = run("targets", workspace="Shop", targets=declared, on_drift="recreate", force=True, evidence=str(tmp_path))
    assert not result.failed and len(files(tmp_path)) == 1


@pytest.mark.parametrize("cause", ["missing", "running", "fails"])
def test_what_cannot_be_saved_is_not_deleted_and_the_others_are(account, run, tmp_path, cause):
    scan = {"id": 40003, "target_id": 1001, "tool_id": 170, "workspace": "Shop"}
    if cause == "missing":
        account.add(scans=[{**scan, "result_summary": {**SUMMARY, "high": 1}}])
    elif cause == "running":
        account.add(scans=[{**scan, "status_name": "waiting", "script": {"queue": 20, "run": 9000}}])
    else:
        account.fault(path="/findings", action="status", status=500, times=None, nth=1)
    options = dict(workspace="Shop", targets=["kept.example.com"], purge=True, evidence=str(tmp_path), retries=0)
    result = run("targets", **options)
    assert result.failed and ("were not saved" in result.msg or cause == "fails"), result.msg
    assert "DELETE /targets/1001" not in account.writes()
    assert not [name for name in files(tmp_path) if name.startswith("target-1001")]
    if cause == "running":
        assert account.writes() == ["DELETE /targets/1002"]


@pytest.mark.parametrize("fault", [{"action": "reset"}, {"action": "status", "status": 401}], ids=["outage", "key"])
@pytest.mark.parametrize("goes_on", [False, True])
def test_an_outage_while_findings_are_saved_ends_the_run_and_is_no_guard(account, run, tmp_path, fault, goes_on):
    account.fault(path="/findings", times=None, **fault)
    estate = [{"name": "Shop", "targets": ["kept.example.com"]}]
    options = dict(purge=["targets"], evidence=str(tmp_path), retries=0, continue_on_error=goes_on)
    result = run("estate", workspaces=estate, **options)
    assert result.failed and account.writes() == [] and result.result.get("api_error"), result.msg
    assert len([call for call in account.calls() if call.startswith("GET /findings")]) == 1
    assert "not tried, because the run ended" in result["results"][-1]["error"]


def test_a_password_in_the_name_of_a_target_is_in_no_name_of_a_file_and_in_no_message(account, run, tmp_path):
    waiting = {"status_name": "waiting", "script": {"queue": 20, "run": 9000}}
    account.add(targets=[{"id": 1010, "name": "https://me:hunter2@shop.example.com/?key=hunter2", "workspace": "Shop"}])
    options = dict(workspace="Shop", targets=NAMES, purge=True, evidence=str(tmp_path))
    account.add(scans=[{"id": 40009, "target_id": 1010, "tool_id": 170, "workspace": "Shop", **waiting}])
    assert "hunter2" not in run("targets", **options)["results"][-1]["error"]
    account.settings(clock=4_000_000_000)
    result = run("targets", **options)
    assert not result.failed, result.msg
    assert len(files(tmp_path)) == 1 and "hunter2" not in str(list(files(tmp_path)))


COUNTED = {"tool_id": 170, "workspace": "Shop", "result_summary": {**SUMMARY, "high": 2}}


def test_what_a_stopped_scan_counted_is_not_lost(account, run, tmp_path):
    account.add(scans=[{"id": 40003, "target_id": 1002, "status_name": "stopped", **COUNTED}])
    result = run("targets", workspace="Shop", targets=["kept.example.com"], purge=True, evidence=str(tmp_path))
    assert result.failed and "counted 2 high" in result.msg and "DELETE /targets/1002" not in account.writes()


def test_a_scan_that_begins_while_another_target_is_deleted_is_seen(account, run, tmp_path):
    waiting = {"id": 40003, "target_id": 1002, "tool_id": 170, "workspace": "Shop", "status_name": "waiting"}
    record = {**waiting, "script": {"queue": 20, "run": 9000}}
    account.fault(method="DELETE", path="/targets/1001", action="do", resource="scans", record=record)
    result = run("targets", workspace="Shop", targets=["kept.example.com"], purge=True, evidence=str(tmp_path))
    assert result.failed and "scan 40003 is in progress" in result.msg, result.msg
    assert account.writes() == ["DELETE /targets/1001"]


@pytest.mark.parametrize("module", ["workspace", "estate"])
def test_a_target_that_is_added_while_findings_are_saved_is_not_deleted(account, run, tmp_path, module):
    record = {"name": "late.example.com", "workspace": "Shop"}
    account.fault(method="GET", path="/findings", nth=3, action="do", resource="targets", record=record)
    if module == "workspace":
        options = dict(name="Shop", state="absent")
    else:
        options = dict(workspaces=[{"name": "Shop", "state": "absent"}], purge=["workspaces"])
    result = run(module, evidence=str(tmp_path), **options)
    assert result.failed and "targets were added" in result.msg, result.msg
    assert account.writes() == []


@pytest.mark.parametrize("place, words", [("missing/x", "does not exist"), ("", "evidence is empty")])
def test_a_directory_that_cannot_be_meant_is_refused_before_anything_is_written(account, run, tmp_path, place, words):
    place = str(tmp_path / place) if place else place
    result = run("targets", workspace="Shop", targets=["kept.example.com"], purge=True, evidence=place)
    assert result.failed and words in result.msg and account.writes() == []


def test_a_second_run_does_not_overwrite(account, run, tmp_path):
    for _time in range(2):
        declared = [{"name": "kept.example.com", "description": f"Text {_time}"}]
        result = run(
            "targets", workspace="Shop", targets=declared, on_drift="recreate", force=True, evidence=str(tmp_path)
        )
        assert not result.failed, result.msg
    assert len(files(tmp_path)) == 2
