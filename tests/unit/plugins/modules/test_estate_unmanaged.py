# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an estate does not name, and what it retires."""

from __future__ import annotations

import pytest

OFFICE = {"name": "Office", "state": "absent"}
KEPT = {"name": "Shop", "targets": ["shop.example.com"]}


def is_refused(result):
    """As the role tells a guard from an error, which it does on the controller."""
    return "refused" in result.result and "api_error" not in result.result and not result.changed


@pytest.fixture
def account(service):
    service.reset(
        settings={"rate_limits": None, "validate": True},
        state={
            "workspaces": [{"id": 2, "name": "Shop"}, {"id": 3, "name": "Office"}, {"id": 4, "name": "Shadow IT"}],
            "targets": [
                {"id": 1001, "name": "shop.example.com", "workspace": "Shop"},
                *({"id": 1002 + n, "name": f"app-{n}.example.com", "workspace": "Office"} for n in (1, 2, 10)),
            ],
            "http_loggers": [{"id": 501, "label": "office", "workspace": "Office"}],
            "scans": [
                {
                    "id": 40001,
                    "target_id": 1003,
                    "tool_id": 170,
                    "workspace": "Office",
                    "end_time": "2026-11-01 10:00:00",
                },
                {
                    "id": 40002,
                    "target_id": 1003,
                    "tool_id": 170,
                    "workspace": "Office",
                    "end_time": "2026-11-20 10:00:00",
                },
            ],
        },
    )
    return service


def test_what_is_not_managed_is_listed_with_its_numbers(account, run):
    result = run("estate", workspaces=[KEPT])
    assert not result.failed and not result.changed
    assert [row for row in result["plan"]["unmanaged"] if row["id"] != 1] == [
        {"workspace": "Office", "id": 3, "targets": 3, "http_loggers": 1},
        {"workspace": "Shadow IT", "id": 4, "targets": 0, "http_loggers": 0},
    ]


def test_what_is_not_managed_can_fail_the_task_before_it_writes(account, run):
    result = run("estate", workspaces=[{**KEPT, "targets": ["new.example.com"]}], unmanaged="fail")
    assert result.failed and account.writes() == []
    assert "Office (3 targets, 1 HTTP logger), Shadow IT (empty)" in result.msg and "unmanaged: report" in result.msg
    everything = [KEPT, {"name": "Office"}, {"name": "Shadow IT"}, {"id": 1, "name": account.workspaces()[0]["name"]}]
    assert not run("estate", workspaces=everything, unmanaged="fail").failed


def test_what_is_not_managed_can_be_ignored_and_costs_nothing_then(account, run):
    result = run("estate", workspaces=[KEPT], unmanaged="ignore")
    assert result["plan"]["unmanaged"] == []
    assert account.calls() == ["GET /workspaces", "GET /targets", "GET /targets"]


# --- retirement


def test_a_retired_workspace_is_deleted_with_what_it_holds(account, run):
    options = dict(workspaces=[KEPT, OFFICE], purge=["workspaces"], force=True)
    planned = run("estate", check=True, **options)
    assert account.writes() == []
    (action,) = planned["plan"]["actions"]
    assert (action["action"], action["name"], action["before"]["id"]) == ("delete", "Office", 3)
    assert action["reason"] == ("retired, with 3 targets, 1 HTTP logger; 2 scans go with it, the newest of 2026-11-20")
    result = run("estate", **options)
    assert not result.failed, result.msg
    assert account.writes() == ["DELETE /workspaces/3"]
    account.clear_log()
    assert not run("estate", **options).changed and account.writes() == []


@pytest.mark.parametrize("declared", [{}, {"targets": ["app-1.example.com"]}], ids=["-", "one of its targets"])
@pytest.mark.parametrize("goes_on", [False, True])
def test_an_id_deletes_nothing_under_another_name(account, run, declared, goes_on):
    """In another account it is any workspace, and in this one somebody has made something else of it."""
    options = dict(purge=["workspaces"], force=True, continue_on_error=goes_on)
    entry = {**OFFICE, **declared, "id": 3}
    result = run("estate", workspaces=[{**entry, "name": "Old office"}], **options)
    assert result.failed and account.writes() == [] and is_refused(result)
    assert "'Old office': its id is that of 'Office' now. To delete that one, write its name" in result.msg
    assert not run("estate", workspaces=[entry], **options).failed and account.writes() == ["DELETE /workspaces/3"]


@pytest.mark.parametrize(
    "options, words",
    [
        ({"force": True}, "add workspaces to purge"),
        ({"purge": ["targets"], "force": True}, "add workspaces to purge"),
        ({"purge": ["workspaces"]}, "set evidence, which keeps their findings, or force: true"),
        ({"purge": ["workspaces"], "force": True, "purge_max": 4}, "5 objects would be deleted, more than purge_max"),
    ],
)
def test_a_retirement_that_nobody_has_allowed_is_refused(account, run, options, words):
    result = run("estate", workspaces=[KEPT, OFFICE], **options)
    assert result.failed and words in result.msg and account.writes() == []


@pytest.mark.parametrize("added", ["target", "http_logger"])
def test_an_approved_retirement_is_not_that_of_more_objects(account, run, added):
    options = dict(workspaces=[KEPT, OFFICE], purge=["workspaces"], force=True)
    approved = run("estate", check=True, **options)["plan"]["checksum"]
    name = {"target": {"name": "new.example.com"}, "http_logger": {"label": "new"}}[added]
    account.add(**{f"{added}s": [{**name, "workspace": "Office"}]})
    result = run("estate", **options, expect_plan=approved)
    assert result.failed and "has changed since the plan was reviewed" in result.msg and account.writes() == []


def test_what_appears_after_the_plan_is_not_deleted_with_its_workspace(account, run):
    record = {"name": "late.example.com", "workspace": "Office"}
    account.fault(method="GET", path="/scans", action="do", resource="targets", record=record)
    result = run("estate", workspaces=[KEPT, OFFICE], purge=["workspaces"], force=True)
    assert result.failed and "its targets have changed since they were read" in result.msg
    assert account.writes() == []


@pytest.mark.parametrize("more", [{}, {"id": 3}])
def test_a_workspace_that_is_renamed_after_the_plan_is_not_deleted(account, run, more):
    """Saving the evidence of many targets takes long."""
    body = {"data": {"id": 3, "name": "PRODUCTION", "description": ""}}
    account.fault(method="GET", path="/workspaces/3", action="status", status=200, body=body, times=None)
    result = run("estate", workspaces=[KEPT, {**OFFICE, **more}], purge=["workspaces"], force=True)
    assert result.failed and account.writes() == []
    assert "it is 'PRODUCTION' now; run the task again" in result.msg


def test_an_approved_retirement_by_id_is_not_that_of_another_name(account, run):
    options = dict(purge=["workspaces"], force=True)
    approved = run("estate", check=True, workspaces=[KEPT, {**OFFICE, "id": 3}], **options)["plan"]["checksum"]
    assert not run("workspace", id=3, new_name="PRODUCTION").failed
    account.clear_log()
    for name in ("Office", "PRODUCTION"):
        estate = [KEPT, {**OFFICE, "id": 3, "name": name}]
        assert run("estate", workspaces=estate, **options, expect_plan=approved).failed and account.writes() == []


@pytest.mark.parametrize("kept", ["option", "protect", "ignore"])
def test_a_retirement_keeps_what_a_line_or_the_option_protects(account, run, kept):
    name = next(row["name"] for row in account.targets() if row["workspace_id"] == 3)
    lines = [] if kept == "option" else [{"name": name, kept: True}]
    office = {**OFFICE, "targets": lines} if lines else OFFICE
    protect = [name] if kept == "option" else []
    result = run("estate", workspaces=[KEPT, office], purge=["workspaces"], force=True, protect=protect)
    assert account.writes() == [] and result["summary"]["protected"] == 1, result.msg


@pytest.mark.parametrize("order", [1, -1])
def test_a_retirement_keeps_what_one_of_two_lines_protects(account, run, order):
    account.add(targets=[{"name": name, "workspace": "Office"} for name in ("https://x.example", "https://x.example/")])
    lines = [{"name": "https://x.example", "ignore": True}, "https://x.example/"][::order]
    result = run("estate", workspaces=[KEPT, {**OFFICE, "targets": lines}], purge=["workspaces"], force=True)
    assert account.writes() == [] and result["summary"]["protected"] == 1, result.msg


def test_an_empty_workspace_needs_no_force(account, run):
    result = run("estate", workspaces=[{"name": "Shadow IT", "state": "absent"}], purge=["workspaces"])
    assert not result.failed and account.writes() == ["DELETE /workspaces/4"]


@pytest.mark.parametrize("mark, action", [("[protected]", "protected"), ("[managed by cmdb]", "foreign"),
                                          ("[managed by cm", "foreign")])  # fmt: skip
def test_a_workspace_with_a_target_that_may_not_be_deleted_stays(account, run, mark, action):
    account.add(targets=[{"id": 1090, "name": "vip.example.com", "workspace": "Office", "description": mark}])
    shop = {**KEPT, "targets": ["shop.example.com", "new.example.com"]}
    result = run("estate", workspaces=[shop, OFFICE], purge=["workspaces"], force=True, owner="web")
    assert not result.failed, result.msg
    assert account.writes() == ["POST /targets"]
    (row,) = [row for row in result["plan"]["actions"] if row["name"] == "Office"]
    assert row["action"] == action and "its target 'vip.example.com' is" in row["reason"]


@pytest.mark.parametrize("state", ["gone", True, None, 1])
def test_another_state_is_refused(account, run, state):
    result = run("estate", workspaces=[{"name": "Office", "state": state}])
    assert result.failed and "workspaces[0].state is" in result.msg and account.calls() == []


# --- what a deletion loses


def test_a_purged_target_says_how_many_scans_go_with_it(account, run):
    office = {"name": "Office", "targets": ["app-10.example.com"]}
    plan = run("estate", check=True, workspaces=[office], purge=["targets"])["plan"]
    reasons = {each["name"]: each["reason"] for each in plan["actions"]}
    assert reasons == {
        "app-1.example.com": "not declared; 2 scans go with it, the newest of 2026-11-20",
        "app-2.example.com": "not declared",
    }


def test_a_scan_without_a_target_counts_for_no_target(account, run):
    scans = [
        {"id": 40001, "target_id": 1003, "workspace_id": 3, "end_time": "2026-11-01 10:00:00"},
        {"id": 40002, "workspace_id": 3, "end_time": "2026-11-20 10:00:00"},
    ]
    account.fault(path="/scans", action="status", status=200, body={"data": scans})
    office = {"name": "Office", "targets": ["app-10.example.com"]}
    plan = run("estate", check=True, workspaces=[office], purge=["targets"])["plan"]
    assert [each["reason"] for each in plan["actions"]] == [
        "not declared; at least 1 scan goes with it, the newest of 2026-11-01",
        "not declared; how many scans go with it is not known, because the target of 1 scan of the workspace is not shown",
    ]


def test_scans_that_cannot_be_read_are_not_none(account, run):
    account.fault(path="/scans", action="status", status=403, times=None)
    office = {"name": "Office", "targets": ["app-10.example.com"]}
    plan = run("estate", check=True, workspaces=[office], purge=["targets"])["plan"]
    unlike = [each for each in plan["actions"] if "is not known, because they could not be read" not in each["reason"]]
    assert plan["actions"] and unlike == []


def test_numbers_are_sorted_by_their_value(account, run):
    office = {"name": "Office", "targets": ["x.example.com"]}
    plan = run("estate", check=True, workspaces=[office], purge=["targets"])["plan"]
    assert [each["name"].partition(".")[0] for each in plan["actions"]] == ["x", "app-1", "app-2", "app-10"]


def test_a_pattern_that_protects_nothing_of_a_retired_workspace_is_named(account, run):
    options = dict(workspaces=[KEPT, OFFICE], purge=["workspaces"], force=True, check=True)
    warned = run("estate", **options, protect=["ap-*.example.com"])["plan"]["warnings"]
    assert [each for each in warned if each.startswith("protect[0] ('ap-*.example.com') matches no object")]
    assert "protect[0]" not in str(run("estate", **options, protect=["app-1.*"])["plan"]["warnings"])


@pytest.mark.parametrize(
    "mark, words", [("[protected]", "protected by its mark"), ("[managed by cmdb]", "managed by 'cmdb'")]
)
def test_a_retirement_that_is_not_made_is_no_silence(account, run, mark, words):
    account.add(targets=[{"id": 1090, "name": "vip.example.com", "workspace": "Office", "description": mark}])
    planned = run("estate", check=True, workspaces=[KEPT, OFFICE], purge=["workspaces"], force=True)["plan"]
    (warning,) = planned["warnings"]
    assert (
        warning.startswith("workspaces[1] ('Office') is not deleted: ") and f"'vip.example.com' is {words}." in warning
    )


def test_a_retirement_takes_only_what_a_purge_may(account, run):
    """Another repository may have created the targets without a mark."""
    account.add(targets=[{"id": 1090, "name": "own.example.com", "workspace": "Shadow IT",
                          "description": "[managed by web]"}])  # fmt: skip
    options = dict(purge=["workspaces"], force=True, owner="web", purge_only="own")
    result = run("estate", workspaces=[KEPT, OFFICE], **options)
    assert account.writes() == [] and result["summary"]["foreign"] == 1
    assert (
        "its target 'app-1.example.com' is without the mark that purge_only: own asks for"
        in result["plan"]["warnings"][0]
    )
    assert run("estate", workspaces=[KEPT, {"name": "Shadow IT", "state": "absent"}], **options).changed
    assert account.writes() == ["DELETE /workspaces/4"]


def test_a_mark_that_only_a_read_by_id_shows_keeps_a_retired_workspace(account, run):
    account.settings(missing_in_lists={"targets": ["description"]})
    options = dict(workspaces=[KEPT, OFFICE], purge=["workspaces"], force=True)
    account.add(targets=[{"id": 1090, "name": "vip.example.com", "workspace": "Office", "description": "[protected]"}])
    result = run("estate", check=True, **options)
    assert "its target 'vip.example.com' is protected by its mark" in str(result["plan"]["actions"])
    assert run("target", id=1090, state="absent", force=True).changed
    account.clear_log()
    assert run("estate", **options).changed and account.writes() == ["DELETE /workspaces/3"]


def test_a_retired_workspace_may_hold_what_is_out_of_scope_now(account, run):
    office = {**OFFICE, "targets": ["app-1.example.com"]}
    scope = {"allow": ["shop.example.com"]}
    result = run("estate", workspaces=[KEPT, office], purge=["workspaces"], force=True, scope=scope)
    assert not result.failed, result.msg
    assert account.writes() == ["DELETE /workspaces/3"]


def test_nothing_is_retired_while_another_object_is_refused(account, run):
    """Its targets may be about to get another place."""
    shop = {**KEPT, "targets": ["shop.example.com", "shop.example.com/admin"]}
    result = run("estate", workspaces=[shop, OFFICE], purge=["workspaces"], force=True, continue_on_error=True)
    assert result.failed and account.writes() == [] and result["summary"]["refused"] == 2
    assert "retired, with 3 targets, 1 HTTP logger, but nothing is purged while" in str(result["plan"]["actions"])


@pytest.mark.parametrize(
    "options",
    [
        {"workspaces": [KEPT], "unmanaged": "fail"},
        {"workspaces": [{**KEPT, "name": "Web shop"}]},
        {"workspaces": [{**KEPT, "id": 9}]},
        {"workspaces": [{"id": 3, "name": "Bank", "targets": ["bank.example.com"]}]},
        {"workspaces": [{**KEPT, "targets": []}], "purge": ["targets"]},
        {"workspaces": [OFFICE], "purge": ["workspaces"]},
    ],
    ids=["not managed", "renamed", "no such id", "another account", "an empty list", "a guard of the plan"],
)
def test_a_guard_is_told_from_an_error(account, run, options):
    """Also one that refuses before there is a plan."""
    result = run("estate", **options)
    assert account.writes() == [] and result.failed and is_refused(result), result.msg


@pytest.mark.parametrize("options", [{"workspaces": [{"nam": "Shop"}]}, {"workspaces": [KEPT], "owner": "a/b"}])
def test_a_wrong_option_is_no_guard(account, run, options):
    result = run("estate", **options)
    assert result.failed and not is_refused(result)


def test_a_failed_call_is_no_guard(account, run):
    account.fault(path="/workspaces", action="status", status=403, times=None)
    result = run("estate", workspaces=[KEPT])
    assert result.failed and not is_refused(result)
