# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.fingerprint import Subject, fingerprint_of

CHECK = "WEBSCAN-00-0000001"


def of(target, port=443):
    return fingerprint_of(Subject(target, CHECK, None, port, "tcp"))


SHOP = of("shop.example.com")
SAME = {"name": "SQL injection", "risk_level": 3, "target": "Shop.example.com"}


def scan(number, target_id, high):
    counts = {"critical": 0, "high": high, "medium": 0, "low": 0, "info": 0}
    return {"id": number, "target_id": target_id, "age": 3600, "result_summary": counts}


@pytest.fixture(autouse=True)
def _account(service):
    service.add(
        workspaces=[{"id": 2, "name": "Web shop"}, {"id": 3, "name": "Copy"}],
        targets=[
            {"id": 1001, "name": "Shop.example.com", "workspace_id": 2},
            {"id": 1002, "name": "www.example.com", "workspace_id": 2},
            {"id": 1003, "name": "Shop.example.com", "workspace_id": 3},
        ],
        scans=[
            scan(40001, 1001, 1),
            scan(40002, 1001, 2),
            scan(40003, 1002, 1),
            scan(40004, 1003, 1),
        ],
        findings=[
            {"id": 70001, **SAME, "task_id": 40001, "workspace": "Web shop"},
            {"id": 70002, **SAME, "task_id": 40002, "workspace": "Web shop"},
            {"id": 70003, **SAME, "task_id": 40002, "port": 80, "workspace": "Web shop"},
            {"id": 70004, **SAME, "task_id": 40003, "target": "www.example.com", "workspace": "Web shop"},
            {"id": 70005, **SAME, "task_id": 40004, "workspace": "Copy"},
        ],
    )


def good(result):
    assert not result.failed, result.msg
    return result


def bodies(service):
    return [(entry["path"], entry["json"]) for entry in service.log() if entry["method"] == "PATCH"]


def with_status(service, status):
    return [row["id"] for row in service.findings() if row["status"] == status]


# --- by id


@pytest.mark.parametrize(
    "given, sent",
    [
        ({"status": "accepted"}, {"status": {"value": "accepted"}}),
        ({"verified": True, "reason": ""}, {"verified": {"value": True}}),
        ({"risk_level": 0, "reason": "Lab"}, {"risk_level": {"value": 0, "reason": "Lab"}}),
        (
            {"status": "fixed", "verified": False, "risk_level": 1, "reason": "Lab"},
            {"status": {"value": "fixed", "reason": "Lab"}, "risk_level": {"value": 1, "reason": "Lab"}},
        ),
    ],
    ids=str,
)
def test_only_what_differs_is_sent_with_its_reason(service, run, given, sent):
    result = good(run("finding", id=70004, **given))
    assert bodies(service) == [("/findings/70004", sent)]
    assert result.changed and result["changed_ids"] == [70004]
    shown = {name: value for name, value in given.items() if name != "reason"}
    assert {name: result["finding"][name] for name in shown} == shown
    assert result["finding"]["target_name"] == "www.example.com"
    assert result.diff["after"] == {"70004": shown}
    service.clear_log()
    assert not good(run("finding", id=70004, **given)).changed
    assert service.writes() == []


def test_a_severity_follows_its_level_in_check_mode_and_in_a_run(run):
    given = dict(id=70001, risk_level=4)
    predicted, real = (good(run("finding", check=check, **given)) for check in (True, False))
    assert predicted["finding"] == real["finding"]
    assert real["finding"]["severity"] == "critical"


@pytest.mark.parametrize("missing", [["status"], ["verified"]])
def test_a_value_that_the_service_does_not_show_is_an_error(service, run, missing):
    service.allow_violations = True
    service.add(findings=[{"id": 70010, **SAME, "workspace": "Web shop", "missing": missing}])
    result = run("finding", id=70010, status="accepted", verified=True)
    assert result.failed and result.changed
    assert set(result["unexpected"]) == set(missing)


# --- by fingerprint


@pytest.mark.parametrize("setting, patched", [("duplicates", [70001]), ("one", [70001, 70002])])
def test_every_finding_with_the_fingerprint_is_changed_however_the_service_groups_them(service, run, setting, patched):
    service.settings(finding_changes=setting)
    given = dict(workspace="Web shop", fingerprint=SHOP, status="accepted")
    check = good(run("finding", check=True, **given))
    assert service.writes() == []
    result = good(run("finding", **given))
    assert with_status(service, "accepted") == [70001, 70002]
    assert [path for path, _body in bodies(service)] == [f"/findings/{each}" for each in patched]
    assert result["changed_ids"] == check["changed_ids"] == [70001, 70002]
    assert result["finding"] == check["finding"]
    assert result["finding"]["id"] == 70002
    assert result["finding"]["target_name"] == "Shop.example.com"
    service.clear_log()
    assert not good(run("finding", **given)).changed
    assert service.writes() == []


def test_a_finding_of_another_workspace_is_left_alone_by_a_service_that_ignores_the_filter(service, run):
    service.settings(ignored_filters=["workspace_id"])
    good(run("finding", workspace_id=2, fingerprint=SHOP, status="accepted"))
    assert with_status(service, "accepted") == [70001, 70002]


# --- what a service does that lacks the call or takes another body


@pytest.mark.parametrize(
    "refusal",
    [
        {"action": "html", "status": 404},
        *({"action": "status", "status": status, "message": "no"} for status in (400, 404, 405, 415, 422, 501)),
    ],
    ids=str,
)
def test_a_refusal_says_that_the_call_is_an_assumption(service, run, refusal):
    service.fault(method="PATCH", path=".*", times=None, **refusal)
    result = run("finding", id=70001, status="accepted")
    assert result.failed and not result.changed
    assert f"PATCH /findings/70001 was answered {refusal['status']}" in result.msg
    assert "see finding-update in the guide on assumptions. Change the finding in the web application." in result.msg
    assert "base_url" not in result.msg and "proxy" not in result.msg
    assert len(service.writes()) == 1
    assert with_status(service, "accepted") == []


@pytest.mark.parametrize("when, sent", [("before", 2), ("after", 2)])
def test_a_lost_change_is_sent_again(service, run, when, sent):
    service.fault(method="PATCH", path=".*", action="reset", when=when)
    assert good(run("finding", id=70001, status="accepted")).changed
    assert len(service.writes()) == sent
    assert with_status(service, "accepted") == [70001, 70002]


# --- options
