# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A service that ignores the workspace filter, with records that do not name their workspace: nothing is taken, reported
or deleted in the wrong workspace."""

from __future__ import annotations

import pytest

W, T, H = "GET /workspaces", "GET /targets", "GET /http_loggers"


@pytest.fixture
def account(service):
    """Shop (2) and Lab (3), and the current workspace (1), which is empty; targets do not name their workspace."""
    service.reset(
        settings={"rate_limits": None, "validate": True, "missing_fields": {"targets": ["workspace_id"]}},
        state={
            "workspaces": [{"id": 2, "name": "Shop"}, {"id": 3, "name": "Lab"}],
            "targets": [
                {"id": 1001, "name": "a.example.com", "workspace": "Shop"},
                {"id": 1002, "name": "b.example.com", "workspace": "Shop"},
                {"id": 1003, "name": "lab.example.com", "workspace": "Lab", "description": "Ours"},
            ],
            "http_loggers": [
                {"id": 501, "label": "shop", "workspace": "Shop"},
                {"id": 502, "label": "lab", "workspace": "Lab"},
            ],
        },
    )
    return service


@pytest.fixture
def unfiltered(account):
    account.settings(ignored_filters=["workspace_id"])
    return account


@pytest.fixture
def stuck(account):
    """A service that always gives the lists of Shop."""
    shop = {
        "/targets": [{"id": 1001, "name": "a.example.com"}, {"id": 1002, "name": "b.example.com"}],
        "/http_loggers": [{"id": 501, "label": "shop"}],
    }
    for path, rows in shop.items():
        for workspace_id in (1, 2, 3):
            query = {"workspace_id": workspace_id, **({"page": None} if path == "/targets" else {})}
            account.fault(path=path, query=query, times=None, action="status", status=200, body={"data": rows})
    return account


def good(result):
    assert not result.failed, result.msg
    return result


def refused(service, result, *words):
    assert result.failed, result
    for word in ("although it can be in one only", *words):
        assert word in result.msg
    assert not result.changed
    assert service.writes() == []


def lab(**more):
    return {"name": "Lab", **more}


def shop(**more):
    return {"name": "Shop", **more}


PURGES = {
    "loggers of two workspaces": [
        shop(http_loggers=[{"label": "shop"}]),
        lab(http_loggers=[{"label": "lab"}]),
    ],
    "all loggers of one": [shop(http_loggers=[{"label": "new"}])],
    "targets of two": [shop(targets=["a.example.com", "b.example.com"]), lab(targets=["lab.example.com"])],
    "targets of one": [shop(targets=["a.example.com"])],
}
EVERY_KIND = ["targets", "http_loggers"]


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("workspaces", PURGES.values(), ids=PURGES)
def test_estate_purges_nothing(unfiltered, run, workspaces, check):
    refused(unfiltered, run("estate", check=check, workspaces=workspaces, purge=EVERY_KIND, purge_max_percent=100))


@pytest.mark.parametrize("workspace", ["Shop", "Lab"])
@pytest.mark.parametrize("check", [False, True])
def test_estate_purges_nothing_where_every_list_is_that_of_one_workspace(stuck, run, workspace, check):
    declared = {"name": workspace, "http_loggers": [{"label": "new"}], "targets": ["new.example.com"]}
    result = run("estate", check=check, workspaces=[declared], purge=EVERY_KIND, purge_max_percent=100)
    refused(stuck, result)


BULK = {
    "present": dict(targets=["lab.example.com"]),
    "absent": dict(targets=["lab.example.com"], state="absent"),
    "purge": dict(targets=["a.example.com"], purge=True, purge_max_percent=100),
    "recreate": dict(
        targets=[{"name": "lab.example.com", "description": "New"}], on_drift="recreate", force=True
    ),
}  # fmt: skip


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("options", BULK.values(), ids=BULK)
def test_targets_touches_nothing(unfiltered, run, options, check):
    refused(unfiltered, run("targets", check=check, workspace="Shop", **options))


SINGLE = {
    "present": ("target", dict(name="lab.example.com")),
    "absent": ("target", dict(name="lab.example.com", state="absent")),
    "absent by id": ("target", dict(id=1003, state="absent")),
    "logger": ("http_logger", dict(label="lab", state="absent")),
    "logger by id": ("http_logger", dict(id=502, state="absent")),
    "read": ("target_info", dict()),
    "read by name": ("target_info", dict(name="lab.example.com")),
    "findings": ("finding_info", dict(target="lab.example.com")),
    "scans": ("scan_info", dict(target="lab.example.com")),
    "start": ("scan", dict(target="lab.example.com", tool="170", wait=False)),
    "start of several": ("scan", dict(targets=["a.example.com", "lab.example.com"], tool="170", wait=False)),
}


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("module, options", SINGLE.values(), ids=SINGLE)
def test_one_object_of_another_workspace_is_not_taken(unfiltered, run, module, options, check):
    refused(unfiltered, run(module, check=check, workspace_id=2, **options))


def test_an_export_holds_nothing_twice(unfiltered, run):
    for options in ({}, {"workspaces": ["Shop"]}, {"workspaces": ["Shop", "Lab"]}):
        result = run("estate_info", **options)
        refused(unfiltered, result)
        assert "workspaces" not in result.result


def test_an_object_that_names_its_workspace_is_told_apart_all_the_same(unfiltered, run):
    unfiltered.settings(missing_fields={})
    declared = dict(targets=["a.example.com", "b.example.com"], purge=True)
    assert not good(run("targets", workspace_id=2, **declared)).changed
    unfiltered.clear_log()
    assert [row["id"] for row in run("target_info", workspace_id=2)["targets"]] == [1001, 1002]
    assert unfiltered.calls() == [T, T]


# --- what it costs where the service filters


def test_an_account_of_one_workspace_needs_no_proof(account, run):
    account.reset(settings={"rate_limits": None, "missing_fields": {"targets": ["workspace_id"]}})
    account.add(http_loggers=[{"id": 501, "label": "a"}], targets=[{"id": 1001, "name": "a.example.com"}])
    declared = [{"name": "My Workspace", "http_loggers": [{"label": "b"}], "targets": ["b.example.com"]}]
    good(run("estate", workspaces=declared, purge=EVERY_KIND, purge_max_percent=100))
    assert account.writes()[-2:] == ["DELETE /targets/1001", "DELETE /http_loggers/501"]


@pytest.mark.parametrize(
    "module, options, calls",
    [
        # targets that do not name their workspace: the workspaces, and a page of another one
        ("targets", dict(targets=["a.example.com"]), [T, T, W, T]),
        ("target", dict(name="a.example.com"), [T, W, T]),
        ("target_info", {}, [T, T, W, T]),
        # before something is deleted: the lists of all others
        (
            "targets",
            dict(targets=["a.example.com"], state="absent"),
            [T, T, W, T, "GET /scans", T, T, T, "DELETE /targets/1001", T, T],
        ),
        ("http_logger", dict(label="shop"), [H, H]),
        ("http_logger", dict(label="shop", state="absent"), [H, H, W, H, "DELETE /http_loggers/501", f"{H}/501"]),
    ],
    ids=str,
)
def test_the_calls_of_a_proof(account, run, module, options, calls):
    good(run(module, workspace_id=2, **options))
    assert account.calls() == calls


def test_loggers_cost_no_proof_until_one_is_deleted(account, run):
    declared = [shop(http_loggers=[{"label": "shop"}])]
    options = dict(purge=["http_loggers"], unmanaged="ignore")
    good(run("estate", workspaces=declared, **options))
    assert account.calls() == [W, H, H]
    account.clear_log()
    declared = [shop(http_loggers=[{"label": "new"}])]
    plan = good(run("estate", check=True, workspaces=declared, **options))["plan"]
    assert account.calls() == [W, H, H, H, H]
    account.clear_log()
    good(run("estate", workspaces=declared, **options))
    assert account.calls() == [W, H, H, H, H, "POST /http_loggers", "DELETE /http_loggers/501", H, H]
    assert plan["calls"] == {"GET": 7, "POST": 1, "PUT": 0, "DELETE": 1}


def test_where_one_workspace_has_all_loggers_another_one_shows_the_filter_at_work(account, run):
    account.control("POST", "/state", {"http_loggers": [{"id": 502, "label": "lab", "workspace": "Shop"}]})
    declared = [shop(http_loggers=[{"label": "shop"}, {"label": "lab"}])]
    assert not good(run("estate", workspaces=declared, unmanaged="ignore")).changed
    assert account.calls() == [W, H, H, H]
