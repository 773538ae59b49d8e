# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A whole estate in one task: order, cost, faults in each position, purge by kind, what cannot be meant."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.tests.unit.sampling import pairs

SHOP = {
    "name": "Shop",
    "description": "New words",
    "targets": ["a.example.com", {"name": "c.example.com", "description": "Fresh"}],
    "http_loggers": [{"label": "shop-new"}],
}
OFFICE = {"name": "Office", "targets": ["d.example.com"], "http_loggers": [{"label": "office"}]}
ESTATE = [OFFICE, SHOP]


@pytest.fixture
def account(service):
    service.reset(
        settings={"rate_limits": None, "validate": True},
        state={
            "workspaces": [{"id": 2, "name": "Shop", "description": "Old words"}, {"id": 3, "name": "Lab"}],
            "targets": [
                {"id": 1001, "name": "a.example.com", "workspace": "Shop", "description": "till"},
                {"id": 1002, "name": "b.example.com", "workspace": "Shop", "description": "till"},
                {"id": 1003, "name": "lab.example.com", "workspace": "Lab"},
            ],
            "http_loggers": [
                {"id": 501, "label": "shop-old", "workspace": "Shop"},
                {"id": 502, "label": "lab", "workspace": "Lab"},
            ],
        },
    )
    return service


def good(result):
    assert not result.failed, result.msg
    return result


def refused(result, *words):
    assert result.failed, result
    for word in words:
        assert word in result.msg
    assert "\n" not in result.msg
    return result


def found(account):
    """{workspace: (description, target names, logger labels)} of the live account, without the first workspace."""
    return {
        row["name"]: (
            row["description"],
            sorted(target["name"] for target in account.targets() if target["workspace_id"] == row["id"]),
            sorted(logger["label"] for logger in account.http_loggers() if logger["workspace_id"] == row["id"]),
        )
        for row in account.workspaces()
        if row["id"] != 1
    }


def objects_in(account):
    """The names of all objects but the first workspace."""
    return {name for space, (_text, *lists) in found(account).items() for name in (space, *lists[0], *lists[1])}


WITHOUT_PURGE = {
    "Lab": ("", ["lab.example.com"], ["lab"]),
    "Office": ("", ["d.example.com"], ["office"]),
    "Shop": ("New words", ["a.example.com", "b.example.com", "c.example.com"], ["shop-new", "shop-old"]),
}
PURGED = {**WITHOUT_PURGE, "Shop": ("New words", ["a.example.com", "c.example.com"], ["shop-new"])}


def test_the_estate_is_created_as_declared_parents_first_and_a_second_run_writes_nothing(account, run):
    check = good(run("estate", check=True, workspaces=ESTATE))
    assert account.writes() == []
    result = good(run("estate", workspaces=ESTATE))
    assert check["plan"] == result["plan"]
    assert check.diff == result.diff
    assert found(account) == WITHOUT_PURGE
    assert account.writes() == [
        "POST /workspaces",
        "PUT /workspaces/2",
        "POST /targets",
        "POST /http_loggers",
        "POST /targets",
        "POST /http_loggers",
    ]
    account.clear_log()
    assert not good(run("estate", workspaces=ESTATE)).changed
    # the workspaces, all loggers, and of each workspace its targets, the end of their list, and its loggers
    reads = ["GET /targets", "GET /targets", "GET /http_loggers"]
    # those that are not declared: the first one is empty
    others = ["GET /targets", "GET /http_loggers", *reads]
    assert account.calls() == ["GET /workspaces", "GET /http_loggers", *reads, *reads, *others]
    account.clear_log()
    assert not good(run("estate", workspaces=ESTATE, unmanaged="ignore")).changed
    assert account.calls() == ["GET /workspaces", "GET /http_loggers", *reads, *reads]


def test_results_follow_the_declaration(account, run):
    result = good(run("estate", workspaces=ESTATE, purge=["targets", "http_loggers"]))
    shown = [(entry["index"], entry["resource"], entry["name"], entry["action"]) for entry in result["results"]]
    assert shown == [
        (0, "workspace", "Office", "create"),
        (0, "target", "d.example.com", "create"),
        (0, "http_logger", "office", "create"),
        (1, "workspace", "Shop", "update"),
        (0, "target", "a.example.com", "unchanged"),
        (1, "target", "c.example.com", "create"),
        (0, "http_logger", "shop-new", "create"),
        (None, "target", "b.example.com", "delete"),
        (None, "http_logger", "shop-old", "delete"),
    ]
    assert found(account) == PURGED
    assert [entry for entry in result["results"] if entry["id"] is None] == []


@pytest.mark.parametrize("form", ["created_id", "record", "nothing"])
@pytest.mark.parametrize("lists", ["wrapped", "bare"])
def test_the_form_of_the_answers_does_not_matter(account, run, form, lists):
    account.settings(create_answer=form, lists=lists, page_cap=1)
    result = good(run("estate", workspaces=ESTATE, purge=["targets", "http_loggers"]))
    assert found(account) == PURGED
    assert [entry for entry in result["results"] if entry["id"] is None] == []
    assert not good(run("estate", workspaces=ESTATE, purge=["targets", "http_loggers"])).changed


def test_a_description_that_is_left_out_is_left_alone_and_an_empty_one_clears(account, run):
    assert not good(run("estate", workspaces=[{"name": "Shop"}])).changed
    assert good(run("estate", workspaces=[{"name": "Shop", "description": ""}])).changed
    assert found(account)["Shop"][0] == ""


def test_the_diff_is_a_line_for_each_object_that_is_written(account, run):
    diff = good(run("estate", check=True, workspaces=ESTATE, purge=["targets"])).diff
    assert diff["before"].splitlines() == [
        "Shop: target b.example.com, description: 'till'",
        "workspace Shop, description: 'Old words'",
    ]
    assert diff["after"].splitlines() == [
        "Office: HTTP logger office",
        "Office: target d.example.com",
        "Shop: HTTP logger shop-new",
        "Shop: target c.example.com, description: 'Fresh'",
        "workspace Office",
        "workspace Shop, description: 'New words'",
    ]


FAULTS = {
    "500": {"action": "status", "status": 500, "message": "oops"},
    "500-after": {"action": "status", "status": 500, "when": "after"},
    "429": {"action": "status", "status": 429, "headers": {"Retry-After": "900"}},
    "reset-before": {"action": "reset"},
    "reset-after": {"action": "reset", "when": "after"},
}


@pytest.mark.slow
@pytest.mark.parametrize("fault, position", pairs(list(FAULTS), range(8), rounds=2))
def test_a_fault_in_each_position_of_an_apply(account, run, fault, position):
    options = dict(workspaces=ESTATE, purge=["targets", "http_loggers"], rate_limit_wait=60)
    writes = [
        ("POST", "/workspaces", 1),
        ("PUT", "/workspaces/2", 1),
        ("POST", "/targets", 1),
        ("POST", "/http_loggers", 1),
        ("POST", "/targets", 2),
        ("POST", "/http_loggers", 2),
        ("DELETE", "/targets/1002", 1),
        ("DELETE", "/http_loggers/501", 1),
    ]
    method, path, nth = writes[position]
    account.fault(method=method, path=path, nth=nth, times=None, **FAULTS[fault])
    before = live = objects_in(account)
    result = run("estate", **options)
    live = objects_in(account)
    done = {action: {entry["name"] for entry in result["results"] if entry["action"] == action}
            for action in ("create", "delete")}  # fmt: skip
    # a read finds the effect of a lost answer, so the report says what exists
    assert done == {"create": live - before, "delete": before - live}
    if result.failed:
        refused(result, "failed or w", "un the task again")
        assert result["api_error"]["path"] == path
        # what is unchanged is no news where something failed
        assert len(result["results"]) == 9 - result["summary"]["unchanged"]
        failed = [entry["action"] for entry in result["results"] if entry["error"]]
        assert failed.count("failed") == 1
        if method != "DELETE":
            assert [call for call in account.writes() if call.startswith("DELETE")] == []
        # a request that was lost may have been done
        assert result.changed is (position > 0 or fault == "reset-before")
        assert ("may have been" in result.msg) is (fault == "reset-before")
    else:
        # the answer was lost, and reading again showed the work
        assert fault.endswith("-after")
    account.clear_faults()
    good(run("estate", **options))
    assert found(account) == PURGED
    account.clear_log()
    assert not good(run("estate", **options)).changed
    assert account.writes() == []


@pytest.mark.parametrize("options", [{}, {"purge": ["targets", "http_loggers"]}])
def test_the_plan_predicts_the_calls(account, run, options):
    account.add(targets=[{"name": "drift.example.com", "workspace": "Lab", "description": "old"}])
    drifting = {"name": "Lab", "targets": ["lab.example.com", {"name": "drift.example.com", "description": "new"}]}
    options = dict(workspaces=[*ESTATE, drifting], on_drift="recreate", force=True, **options)
    foreseen = good(run("estate", check=True, **options))["plan"]["calls"]
    account.clear_log()
    good(run("estate", **options))
    assert {method: count for method, count in foreseen.items() if count} == account.summary()["by_method"]
    assert account.summary()["by_method"]["DELETE"] == (3 if "purge" in options else 1)


RECREATE = {"on_drift": "recreate", "force": True, "workspaces": [
    {"name": "Shop", "targets": [{"name": name, "description": "new"} for name in ("a.example.com", "b.example.com")]}
]}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("fault, position", pairs(list(FAULTS), range(4), rounds=2))
def test_a_fault_in_each_position_of_a_recreation(account, run, fault, position):
    method, path, nth = [
        ("DELETE", "/targets/1001", 1),
        ("POST", "/targets", 1),
        ("DELETE", "/targets/1002", 1),
        ("POST", "/targets", 2),
    ][position]
    account.fault(method=method, path=path, nth=nth, times=None, **FAULTS[fault])
    result = run("estate", rate_limit_wait=60, **RECREATE)
    account.clear_faults()
    if result.failed:
        refused(result, "failed or w")
        assert ("was deleted, and creating it again failed" in result.msg) is (method == "POST")
        assert result.changed is (position > 0 or fault == "reset-before")
    good(run("estate", **RECREATE))
    shop = [target for target in account.targets() if target["workspace_id"] == 2]
    assert sorted(target["name"] for target in shop) == ["a.example.com", "b.example.com"]
    assert {target["description"] for target in shop} == {"new"}
    account.clear_log()
    assert not good(run("estate", **RECREATE)).changed
    assert account.writes() == []


def test_without_its_workspace_nothing_of_it_is_tried(account, run):
    account.fault(method="POST", path="/workspaces", action="status", status=403, message="no", times=None)
    result = refused(run("estate", workspaces=ESTATE, continue_on_error=True))
    outcome = {entry["name"]: entry["action"] for entry in result["results"]}
    assert (outcome["Office"], outcome["d.example.com"], outcome["office"]) == ("failed", "failed", "failed")
    assert (outcome["Shop"], outcome["c.example.com"], outcome["shop-new"]) == ("update", "create", "create")
    assert "Office" not in found(account)


def test_a_workspace_that_another_run_made_meanwhile_gets_the_declared_description(account, run):
    account.fault(
        method="POST", path="/workspaces", action="do", do="create", resource="workspaces",
        record={"name": "Office", "description": "theirs"},
    )  # fmt: skip
    result = good(run("estate", workspaces=[{**OFFICE, "description": "ours"}]))
    assert result["results"][0]["action"] == "update"
    assert found(account)["Office"] == ("ours", ["d.example.com"], ["office"])


@pytest.mark.parametrize("path, nth", [("/workspaces", 1), ("/http_loggers", 1), ("/targets", 3), ("/http_loggers", 2)])
def test_a_listing_that_fails_writes_nothing(account, run, path, nth):
    account.settings(page_cap=1)
    account.fault(method="GET", path=path, nth=nth, action="status", status=500, times=None)
    for check in (True, False):
        result = refused(run("estate", check=check, workspaces=ESTATE, purge=["targets", "http_loggers"]))
        assert not result.changed
    assert account.writes() == []


# --- purge


def test_purge_takes_only_its_kinds_and_only_lists_that_are_declared(account, run):
    good(run("estate", workspaces=[{"name": "Shop", "targets": ["a.example.com"]}], purge=["http_loggers"]))
    assert account.writes() == []
    good(run("estate", workspaces=[{"name": "Shop", "http_loggers": [{"label": "new"}]}], purge=["targets"]))
    assert account.writes() == ["POST /http_loggers"]
    good(run("estate", workspaces=[{"name": "Shop", "targets": ["a.example.com"]}], purge=["targets"]))
    assert account.writes()[1:] == ["DELETE /targets/1002"]
    assert found(account)["Lab"] == WITHOUT_PURGE["Lab"]


def test_a_missing_workspace_is_created_and_nothing_is_purged_in_it(account, run):
    account.add(workspaces=[{"name": "shop "}])
    misspelt = {"name": "Shpo", "targets": ["a.example.com"]}
    refused(run("estate", workspaces=[misspelt], purge=["targets"]), "'Shpo' does not exist", "add id: 2")
    assert account.writes() == []
    result = good(run("estate", workspaces=[{**misspelt, "new": True}], purge=["targets"]))
    assert result["summary"] == {**dict.fromkeys(result["summary"], 0), "create": 2}
    assert found(account)["Shop"][1] == ["a.example.com", "b.example.com"]


# --- a reviewed plan and the scope
