# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Workspaces of an estate with an id, and those that seem to have another name."""

from __future__ import annotations

import pytest

SHOP = ["a.example.com", "b.example.com", "c.example.com"]


@pytest.fixture
def account(service):
    service.reset(
        settings={"rate_limits": None, "validate": True},
        state={
            "workspaces": [{"id": 2, "name": "Shop", "description": "Till"}, {"id": 3, "name": "Lab"}],
            "targets": [
                *({"id": 1001 + index, "name": name, "workspace": "Shop"} for index, name in enumerate(SHOP)),
                {"id": 1100, "name": "lab.example.com", "workspace": "Lab"},
            ],
            "http_loggers": [{"id": 501, "label": "shop", "workspace": "Shop"}],
        },
    )
    return service


def names(account):
    return {row["id"]: row["name"] for row in account.workspaces() if row["id"] != 1}


def refused(account, result, *words):
    assert result.failed and account.writes() == [], result
    for word in words:
        assert word in result.msg, result.msg


def test_a_rename_is_one_changed_line_and_a_second_run_changes_nothing(account, run):
    estate = [{"id": 2, "name": "Web shop", "targets": SHOP, "http_loggers": [{"label": "shop"}]}]
    planned = run("estate", check=True, workspaces=estate)
    assert account.writes() == [] and planned["summary"]["update"] == 1 and planned["summary"]["unchanged"] == 4
    (action,) = planned["plan"]["actions"]
    assert (action["action"], action["before"]["name"], action["after"]["name"]) == ("update", "Shop", "Web shop")
    result = run("estate", workspaces=estate)
    assert not result.failed and result["plan"]["checksum"] == planned["plan"]["checksum"]
    assert account.writes() == ["PUT /workspaces/2"] and names(account) == {2: "Web shop", 3: "Lab"}
    account.clear_log()
    assert not run("estate", workspaces=estate).changed and account.writes() == []


def test_an_approved_rename_is_not_that_of_another_workspace(account, run):
    planned = run("estate", check=True, workspaces=[{"id": 2, "name": "New"}], unmanaged="ignore")
    result = run("estate", workspaces=[{"id": 3, "name": "New"}], expect_plan=planned["plan"]["checksum"])
    refused(account, result, "has changed since the plan was reviewed")


@pytest.mark.parametrize("new", [{"targets": [*SHOP, "new.example.com"]}, {"http_loggers": [{"label": "new"}]}])
def test_an_approved_plan_is_not_that_of_another_account(account, run, new):
    """All customers of a service may have one address, and their workspaces the same names."""
    estate = [{"name": "Shop", **new}]
    planned = run("estate", check=True, workspaces=estate)["plan"]
    targets = [{"name": name, "workspace": "Shop"} for name in SHOP]
    state = {"workspaces": [{"id": 12, "name": "Shop", "description": "Till"}], "targets": targets}
    account.reset(settings={"rate_limits": None, "validate": True}, state=state)
    result = run("estate", workspaces=estate, expect_plan=planned["checksum"])
    refused(account, result, "has changed since the plan was reviewed")
    assert [each["workspace_id"] for each in (*planned["actions"], *result["plan"]["actions"])] == [2, 12]


def test_an_older_declaration_renames_back_and_creates_nothing(account, run):
    run("estate", workspaces=[{"id": 2, "name": "Web shop", "targets": SHOP}])
    account.clear_log()
    result = run("estate", workspaces=[{"id": 2, "name": "Shop", "targets": SHOP}])
    assert account.writes() == ["PUT /workspaces/2"] and names(account)[2] == "Shop"
    assert result["summary"]["update"] == 1


def test_a_new_target_of_a_renamed_workspace_is_created_in_it(account, run):
    result = run("estate", workspaces=[{"id": 2, "name": "Web shop", "targets": [*SHOP, "d.example.com"]}])
    assert not result.failed, result.msg
    assert account.writes() == ["PUT /workspaces/2", "POST /targets"]
    assert {row["workspace_id"] for row in account.targets() if row["name"] == "d.example.com"} == {2}


def test_a_target_of_a_renamed_workspace_can_be_purged(account, run):
    run("estate", workspaces=[{"id": 2, "name": "Web shop", "targets": SHOP[:2]}], purge=["targets"])
    assert account.writes() == ["PUT /workspaces/2", "DELETE /targets/1003"]


WRONG = {
    "no such id": ([{"id": 9, "name": "Shop"}], "workspaces[0].id is 9", "no workspace"),
    "no such id of a new name": ([{"id": 9, "name": "New"}], "workspaces[0].id is 9"),
    "id of another entry": ([{"id": 2, "name": "Web shop"}, {"name": "Shop"}], "workspaces[0].id", "workspaces[1]"),
    "the same id twice": ([{"id": 2, "name": "Shop"}, {"id": 2, "name": "Web shop"}], "workspaces[0].id", "same"),
    "the name of another one": ([{"id": 2, "name": "Lab"}], "workspaces[0].name", "'Lab'", "id 3"),
    "swapped": ([{"id": 2, "name": "Lab"}, {"id": 3, "name": "Shop"}], "workspaces[0].name", "'Lab'"),
    "one takes the name that another leaves": (
        [{"id": 2, "name": "Web shop"}, {"id": 3, "name": "Shop"}],
        "workspaces[1].name",
        "'Shop'",
    ),
    "text": ([{"id": "two", "name": "Shop"}], "workspaces[0].id", "number"),
    "zero": ([{"id": 0, "name": "Shop"}], "workspaces[0].id"),
    "a boolean": ([{"id": True, "name": "Shop"}], "workspaces[0].id"),
    "null": ([{"id": None, "name": "Shop"}], "workspaces[0].id is null"),
    "id and new": ([{"id": 2, "name": "Shop", "new": True}], "workspaces[0]", "new"),
    "new as text": ([{"name": "Other", "new": "maybe"}], "workspaces[0].new"),
}


@pytest.mark.parametrize("estate, words", [(each, words) for each, *words in WRONG.values()], ids=WRONG)
def test_an_id_that_cannot_be_meant_is_refused(account, run, estate, words):
    refused(account, run("estate", workspaces=estate), *words)


def test_the_id_may_be_the_text_that_a_template_gives(account, run):
    assert not run("estate", workspaces=[{"id": "2", "name": "Shop", "targets": SHOP}]).changed


@pytest.mark.parametrize("name", ["Bu\u0308ro", " B\u00fcro\n"], ids=["decomposed", "white space"])
@pytest.mark.parametrize("state", ["present", "absent"])
def test_a_name_that_is_the_same_text_is_no_other_name(account, run, name, state):
    account.add(workspaces=[{"id": 7, "name": "B\u00fcro"}], targets=[{"name": "x.example", "workspace": "B\u00fcro"}])
    estate = [{"id": 7, "name": name, "targets": ["new.example.com"], "state": state}]
    result = run("estate", workspaces=estate, purge=["workspaces"], force=True)
    assert not result.failed and result["plan"]["warnings"] == [], result.msg
    assert account.writes() == ["POST /targets" if state == "present" else "DELETE /workspaces/7"]


# --- without an id


@pytest.mark.parametrize(
    "declared",
    [
        {"targets": SHOP},
        {"targets": SHOP[:1]},
        {"targets": [*SHOP, "x.example.com", "y.example.com", "z.example.com"]},
        {"targets": ["A.example.com."]},
        {"http_loggers": [{"label": "shop"}]},
        {"targets": ["x.example.com"], "http_loggers": [{"label": "shop"}]},
    ],
    ids=["all targets", "one", "half", "another spelling", "a logger", "a logger and a new target"],
)
@pytest.mark.parametrize("name", ["Web shop", "Entirely different"])
def test_a_workspace_that_another_one_seems_to_be_is_not_created(account, run, declared, name):
    result = run("estate", workspaces=[{"name": name, **declared}])
    refused(account, result, f"{name!r} does not exist", "'Shop'", "id: 2", "new: true")
    assert "delete" not in result.msg
    assert not run("estate", workspaces=[{"id": 2, "name": name, **declared}]).failed or "http" in str(declared)


@pytest.mark.parametrize(
    "declared",
    [{"targets": ["x.example.com", "y.example.com", SHOP[0]]}, {"targets": []}, {}],
    ids=["less", "none", "-"],
)
def test_a_workspace_that_no_other_seems_to_be_is_created(account, run, declared):
    result = run("estate", workspaces=[{"name": "Web shop", **declared}])
    assert not result.failed, result.msg
    assert account.writes()[0] == "POST /workspaces"


def test_a_new_one_may_have_the_same_targets(account, run):
    result = run("estate", workspaces=[{"name": "Copy", "new": True, "targets": SHOP}])
    assert not result.failed, result.msg
    assert names(account) == {2: "Shop", 3: "Lab", max(names(account)): "Copy"}
    # it says nothing about one that exists
    assert not run("estate", workspaces=[{"name": "Copy", "new": True, "targets": SHOP}]).changed


def test_a_declared_workspace_is_no_other(account, run):
    result = run("estate", workspaces=[{"name": "Shop", "targets": SHOP}, {"name": "Copy", "targets": SHOP}])
    assert not result.failed, result.msg


def test_what_cannot_be_compared_is_not_created(account, run):
    account.fault(path="/targets", action="status", status=403, times=None)
    refused(account, run("estate", workspaces=[{"name": "Web shop", "targets": SHOP}], retries=0))


# --- ids of another account


def test_each_workspace_with_another_name_is_named_above_the_rows(account, run):
    estate = [{"id": 2, "name": "Web shop", "targets": SHOP}, {"id": 3, "name": "Laboratory"}]
    (warning,) = run("estate", check=True, workspaces=estate)["plan"]["warnings"]
    assert warning.startswith(
        "workspaces[0].id is 2, which is 'Shop' and not 'Web shop', workspaces[1].id is 3, which is 'Lab' and not 'Laboratory'."
    )


@pytest.mark.parametrize("state", ["present", "absent"])
def test_a_workspace_with_another_name_and_none_of_the_targets_is_another_one(account, run, state):
    estate = [{"id": 2, "name": "Bank", "targets": ["bank.example.com"], "state": state}]
    result = run("estate", workspaces=estate, purge=["workspaces", "targets"], force=True)
    refused(
        account, result, "workspaces[0].id is 2, which is 'Shop' and has none of the declared targets", "remove the id"
    )


@pytest.mark.parametrize(
    "declared",
    [
        {"targets": []},
        {},
        {"targets": ["new.example.com", "B.example.com."]},
        {"targets": ["new.example.com"], "http_loggers": [{"label": "shop"}]},
        {"targets": [{"name": "new.example.com", "ignore": True}]},
    ],
    ids=["none", "-", "one", "a logger", "ignored"],
)
def test_a_workspace_that_may_be_the_same_is_renamed(account, run, declared):
    result = run("estate", workspaces=[{"id": 2, "name": "Web shop", **declared}])
    assert not result.failed and names(account)[2] == "Web shop", result.msg


def test_an_empty_workspace_is_renamed_and_filled(account, run):
    run("workspace", name="Empty")
    number = max(names(account))
    result = run("estate", workspaces=[{"id": number, "name": "Full", "targets": ["new.example.com"]}])
    assert not result.failed and names(account)[number] == "Full", result.msg
