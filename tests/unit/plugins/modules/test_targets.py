# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Many targets in one task: cost, faults in each position, purge guards, reviewed plans, scope."""

from __future__ import annotations

import collections
import itertools
import json
import re

import pytest

NEW = [f"new{number}.example.com" for number in range(4)]
OLD = [f"old{number:02}.example.com" for number in range(12)]


@pytest.fixture
def account(service):
    """The workspace Shop (2) with twelve targets."""
    service.reset(
        settings={"rate_limits": None, "validate": True},
        state={
            "workspaces": [{"id": 2, "name": "Shop"}],
            "targets": [{"name": name, "workspace": "Shop", "description": "till"} for name in OLD],
        },
    )
    return service


def names(service):
    return [target["name"] for target in service.targets()]


def actions(result):
    return {entry["name"]: entry["action"] for entry in result["results"]}


def good(result):
    assert not result.failed, result.msg
    return result


def refused(result, *words):
    """The task failed with one sentence that has these words."""
    assert result.failed, result
    for word in words:
        assert word in result.msg
    assert "\n" not in result.msg
    assert result.msg.endswith((".", "?"))
    return result


# --- cost and order


@pytest.mark.parametrize("live, pages", [(0, 1), (999, 2), (1000, 3), (1001, 4), (2500, 5)])
def test_cost_is_the_pages_an_empty_one_and_the_writes(service, run, live, pages):
    service.fill("Bulk", live)
    service.clear_log()
    declared = [f"host-{number + 1:06}.example" for number in range(live)]
    assert not good(run("targets", workspace="Bulk", targets=declared)).changed
    assert service.calls() == ["GET /workspaces"] + ["GET /targets"] * pages
    service.clear_log()
    result = good(run("targets", workspace="Bulk", targets=[*declared, *NEW]))
    # what was created is read at the end, in one more listing
    again = -(-(live + len(NEW)) // 1000) + 1 + (live + len(NEW) >= 1000)
    created = ["POST /targets"] * len(NEW)
    assert service.calls() == ["GET /workspaces"] + ["GET /targets"] * pages + created + ["GET /targets"] * again
    assert result["plan"]["calls"] == {"GET": 1 + pages + again, "POST": len(NEW), "PUT": 0, "DELETE": 0}
    assert result["summary"]["create"] == len(NEW)
    assert result["summary"]["unchanged"] == live


def test_pages_that_count_from_0_are_all_purged(account, run):
    account.settings(first_page=0, page_cap=3)
    result = good(run("targets", workspace_id=2, targets=OLD[:1], purge=True, purge_max=99, purge_max_percent=100))
    assert result["summary"]["delete"] == len(OLD) - 1
    assert [target["name"] for target in account.targets() if target["workspace_id"] == 2] == OLD[:1]


def test_missing_ids_of_created_objects_are_read_in_one_listing(account, run):
    account.settings(create_answer="nothing", normalise_targets=True)
    result = good(run("targets", workspace_id=2, targets=["HTTPS://New.Example.com:443/", NEW[0]]))
    assert account.calls() == ["GET /targets"] * 2 + ["POST /targets"] * 2 + ["GET /targets"] * 2
    assert [entry["id"] for entry in result["results"]] == [target["id"] for target in account.targets()[-2:]]


@pytest.mark.parametrize("module", ["targets", "estate"])
@pytest.mark.parametrize(
    "status, body", [(200, ""), (201, ""), (204, ""), (201, {"data": {"created_id": 999_999}}), (200, {"data": {}})]
)
@pytest.mark.parametrize("create_answer", ["created_id", "nothing"])
def test_a_create_that_the_list_does_not_show_has_failed(account, run, module, status, body, create_answer):
    """The service answers with success, and even with an id, and does nothing."""
    for nth in (1, 3):
        account.fault(method="POST", path="/targets", nth=nth, action="status", status=status, body=body)
    account.settings(create_answer=create_answer)
    declared = {
        "targets": {"workspace_id": 2, "targets": NEW},
        "estate": {"workspaces": [{"name": "Shop", "targets": NEW}]},
    }[module]
    result = refused(run(module, continue_on_error=True, **declared), "does not list it", "run the task again")
    assert [actions(result)[name] for name in NEW] == ["failed", "create", "failed", "create"]
    assert result["summary"]["create"] == 2
    assert sorted(names(account)) == sorted([*OLD, NEW[1], NEW[3]])
    assert account.writes() == ["POST /targets"] * 4
    account.clear_faults()
    good(run(module, **declared))
    assert sorted(names(account)) == sorted([*OLD, *NEW])


def test_a_workspace_without_targets_that_the_list_does_not_show_has_failed(account, run):
    account.fault(method="POST", path="/workspaces", action="status", status=201, body={"data": {"created_id": 77}})
    declared = [{"name": "Lab"}]
    result = refused(run("estate", workspaces=declared, continue_on_error=True), "'Lab'", "does not list it")
    assert set(actions(result).values()) == {"failed"}
    assert [call for call in account.calls() if "/workspaces" in call] == [
        "GET /workspaces",
        "POST /workspaces",
        "GET /workspaces",
    ]


def test_a_workspace_that_the_list_does_not_show_has_failed_and_holds_nothing(account, run):
    account.fault(method="POST", path="/workspaces", action="status", status=200, body="")
    declared = [{"name": "Lab", "targets": NEW}]
    result = refused(
        run("estate", workspaces=declared, continue_on_error=True), "workspaces[0] 'Lab'", "does not list it"
    )
    assert set(actions(result).values()) == {"failed"}
    assert account.writes() == ["POST /workspaces"]


def test_a_service_that_ignores_the_workspace_does_not_mix_them_up(account, run):
    account.add(workspaces=[{"id": 3, "name": "Other"}], targets=[{"id": 7777, "name": NEW[0], "workspace": "Other"}])
    rows = [{"id": 7777, "name": NEW[0], "type": "hostname", "description": "", "workspace_id": 3}]
    account.fault(method="GET", path="/targets", action="status", status=200, body={"data": rows})
    assert actions(good(run("targets", workspace_id=2, targets=NEW[:1], purge=False)))[NEW[0]] == "create"
    result = good(run("targets", check=True, workspace_id=2, targets=OLD, purge=True))
    assert 7777 not in [entry["id"] for entry in result["results"]]


LOOK_ALIKES = [
    "münchen.example",
    "раураl.example",
    "https://shop.example/ä?q='{{x}}'",
    "xn--mnchen-3ya.test",
    "日本.example",
    "no.example",
    "1e3.example",
]


def test_names_are_sent_as_declared_and_found_again(account, run):
    assert good(run("targets", workspace="Shop", targets=LOOK_ALIKES)).changed
    assert names(account)[-len(LOOK_ALIKES) :] == LOOK_ALIKES
    assert not good(run("targets", workspace="Shop", targets=LOOK_ALIKES)).changed
    # another alphabet is another target
    assert actions(good(run("targets", check=True, workspace="Shop", targets=["paypal.example"]))) == {
        "paypal.example": "create"
    }
    spelled = ["MÜNCHEN.example.", "xn--wgv71a.example"]
    assert not good(run("targets", workspace="Shop", targets=spelled)).changed


# --- what cannot be meant


def test_check_mode_predicts_a_workspace_of_an_earlier_task(account, run):
    for reference in ({"workspace": "Later"}, {"workspace_id": None}):
        result = good(run("targets", check=True, targets=NEW, **reference))
        assert result.changed
        assert result["summary"]["create"] == len(NEW)
        assert len(result.warnings) == 1
        assert {type(entry["workspace"]) for entry in result["results"]} == {str}
    assert "GET /targets" not in account.calls()


# --- faults: what was done stays reported, a second run completes it, nothing is doubled, nothing is purged


def test_the_first_failure_ends_the_writing_and_says_so(account, run):
    account.fault(method="POST", path="/targets", nth=2, action="status", status=422, message="bad name")
    result = refused(
        run("targets", workspace_id=2, targets=NEW), "3 of 4 objects failed or were skipped, 1 was written", "bad name"
    )
    assert list(actions(result).values()) == ["create", "failed", "refused", "refused"]
    assert result["results"][2]["error"] == f"not tried, because the run ended at {NEW[1]!r}"
    assert result["api_error"]["status"] == 422
    assert result.msg.count(f"targets[1] {NEW[1]!r}: POST /targets was answered 422, 'bad name'") == 1
    assert result.msg.endswith("Correct this, and run the task again; it does the rest.")


@pytest.mark.parametrize("status", [401, 429])
def test_a_refused_key_or_a_used_up_rate_limit_ends_the_writing_in_any_case(account, run, status):
    account.fault(method="POST", nth=2, times=None, action="status", status=status, headers={"Retry-After": "900"})
    options = dict(workspace_id=2, targets=NEW, rate_limit_wait=60, continue_on_error=True)
    result = refused(run("targets", **options))
    assert collections.Counter(actions(result).values()) == {"create": 1, "failed": 1, "refused": 2}
    assert account.writes() == ["POST /targets"] * 2
    assert "un the task again" in result.msg


HANGS = {"action": "delay", "seconds": 1}


@pytest.mark.parametrize(
    "options, writes",
    [
        ({"targets": NEW}, ["POST /targets"]),
        ({"targets": OLD[:4], "state": "absent"}, ["DELETE /targets/1001"]),
        (
            {
                "targets": [{"name": name, "description": "other"} for name in OLD[:3]],
                "on_drift": "recreate",
                "force": True,
            },
            ["DELETE /targets/1001"],
        ),
    ],
    ids=["create", "delete", "recreate"],
)
def test_a_service_that_hangs_is_tried_once_and_not_for_each_item(account, run, options, writes):
    account.fault(method="POST", times=None, **HANGS)
    account.fault(method="DELETE", times=None, **HANGS)
    # after the targets and, before a deletion, the scans
    account.fault(method="GET", nth=3 if writes == ["POST /targets"] else 4, times=None, **HANGS)
    for each in (5, 6, 7):
        account.fault(method="GET", path=f"/targets/100{each}", times=None, **HANGS)
    options = dict(workspace_id=2, continue_on_error=True, timeout=0.1, retries=0, **options)
    result = refused(run("targets", **options), "may have been", "run the task again".capitalize())
    assert account.writes() == writes
    # before a deletion, how many scans it loses is read
    assert len(account.calls()) == (4 if writes == ["POST /targets"] else 5)
    assert result.changed
    first, *rest = (entry["action"] for entry in result["results"])
    assert first == "failed"
    assert set(rest) == {"refused"}
    name = result["results"][0]["name"]
    assert {entry["error"] for entry in result["results"][1:]} == {f"not tried, because the run ended at {name!r}"}


def test_what_another_run_made_meanwhile_is_present_and_compared(account, run):
    account.fault(
        method="POST", path="/targets", action="do", do="create", resource="targets",
        record={"name": NEW[0], "workspace_id": 2, "description": "theirs"},
    )  # fmt: skip
    declared = [{"name": NEW[0], "description": "ours"}, NEW[1]]
    result = good(run("targets", workspace_id=2, targets=declared))
    assert [entry["action"] for entry in result["results"]] == ["drifted", "create"]
    assert names(account).count(NEW[0]) == 1


# --- purge


@pytest.mark.parametrize(
    "options, words",
    [
        (
            {"targets": [], "purge_max": 999, "purge_max_percent": 100},
            "nothing is declared for the targets of workspace",
        ),
        ({"targets": OLD[4:]}, "4 of the 12 targets of workspace 'Shop' would be deleted"),
        ({"targets": OLD[1:], "purge_max": 0}, "1 object would be deleted, more than purge_max allows (0)"),
    ],
)
def test_a_guard_refuses_all_of_the_plan_and_names_what_would_go(account, run, options, words):
    for check in (True, False):
        result = refused(run("targets", check=check, workspace="Shop", purge=True, **options), words)
        assert not result.changed
    assert account.writes() == []
    assert names(account) == OLD


@pytest.mark.parametrize(
    "options, gone",
    [
        ({"targets": OLD[3:]}, OLD[:3]),
        ({"targets": OLD[6:], "purge_floor": 13}, OLD[:6]),
        ({"targets": [*OLD[3:], {"name": OLD[0].upper(), "ignore": True}], "protect": ["*01.example.com"]}, OLD[2:3]),
        ({"targets": OLD[2:], "purge": False}, []),
    ],
)
def test_purge_takes_what_is_not_declared(account, run, options, gone):
    options = dict(workspace="Shop", purge=True) | options
    check = good(run("targets", check=True, **options))
    result = good(run("targets", **options))
    assert check["summary"] == result["summary"]
    assert check["plan"] == result["plan"]
    assert [entry["name"] for entry in result["results"] if entry["action"] == "delete"] == gone
    assert names(account) == [name for name in OLD if name not in gone]
    assert result.changed is bool(gone)


def test_recreated_targets_count_under_the_guards(account, run):
    drifting = [{"name": name, "description": "other"} for name in OLD]
    options = dict(workspace="Shop", targets=drifting, on_drift="recreate")
    refused(run("targets", **options), "needs force: true")
    refused(run("targets", force=True, **options), "12 of the 12 targets")
    assert account.writes() == []
    good(run("targets", force=True, purge_max_percent=100, **options))
    assert {target["description"] for target in account.targets()} == {"other"}


# --- what a failure prints

MANY = [f"host-{number:06}.example" for number in range(270)]
HUNDRED = MANY[:100]


@pytest.mark.parametrize(
    "options, refusal, planned",
    [
        (
            {"targets": [*OLD, *(f"new-{name}" for name in HUNDRED)], "purge": True},
            "purge_max allows (50)",
            {"create": 100, "delete": 270},
        ),
        (
            {"targets": [{"name": name, "description": "x"} for name in MANY], "on_drift": "fail"},
            "targets[0] 'host-000000.example' (and 269 more): its description differs",
            {"refused": 270},
        ),
    ],
    ids=["purge", "drift"],
)
def test_a_refused_plan_of_270_rows_is_short(account, run, options, refusal, planned):
    account.add(targets=[{"name": name, "workspace": "Shop"} for name in MANY])
    account.clear_log()
    for check in (True, False):
        result = refused(run("targets", check=check, workspace="Shop", diff=False, **options), refusal)
        # ansible-core shows the options of a task only at -vvv
        printed = {key: value for key, value in result.result.items() if key not in ("invocation", "api_calls")}
        assert len(json.dumps(printed)) < 20_000
        assert result["plan"]["counts"] == planned
        assert result["plan"]["left_out"] == {action: count - 10 for action, count in planned.items()}
        assert len(result["plan"]["actions"]) == 10 * len(planned)
        assert result["summary"]["refused"] == sum(planned.values())
        assert {entry["action"] for entry in result["results"]} == {"refused"}
        assert [entry for entry in result["results"] if not entry["error"]] == []
        assert "unchanged" not in str(result["results"])
        if "purge" in options:
            assert refusal in result["results"][0]["error"]
            # a plan that is not shortened has the same checksum
            full = refused(run("targets", check=check, workspace="Shop", report_full_plan=True, **options))
            assert full["plan"]["checksum"] == result["plan"]["checksum"]
            assert full["plan"]["left_out"] == {}
            assert len(full["plan"]["actions"]) == sum(planned.values())
    assert account.writes() == []


def test_a_plan_that_was_not_reviewed_is_shown_in_full(account, run):
    result = refused(run("targets", workspace="Shop", targets=MANY, expect_plan="another"), "270 create")
    assert len(result["plan"]["actions"]) == 270
    assert len(result["results"]) == 10
    assert result["results"][0]["error"] == "the estate or the declaration has changed since the plan was reviewed"


def test_a_run_that_fails_reports_each_object_and_a_short_plan(account, run):
    account.fault(method="POST", nth=3, action="status", status=422, message="bad name")
    result = refused(
        run("targets", workspace="Shop", targets=[*OLD, *MANY]), "268 of 282 objects failed or were skipped"
    )
    assert [entry["action"] for entry in result["results"]] == ["create", "create", "failed", *["refused"] * 267]
    assert result["plan"]["left_out"] == {"create": 260}


# --- progress


@pytest.mark.parametrize("module", ["targets", "estate"])
def test_a_slow_run_shows_its_progress_and_the_waits_for_the_rate_limit(account, run, module):
    account.fault(method="POST", nth=2, action="status", status=422)
    account.fault(method="POST", nth=3, action="status", status=429, headers={"Retry-After": "30"})
    declared = {
        "targets": {"workspace_id": 2, "targets": NEW},
        "estate": {"workspaces": [{"name": "Shop", "targets": NEW}]},
    }[module]
    clock = itertools.count()
    result = run(module, continue_on_error=True, clock=lambda: next(clock), **declared)
    (waiting,) = [line for line in result.shown if "waiting" in line]
    line = r"2 of 4 objects done, 1 failed, \d+ s; about (\d+) s left; waiting (2[5-9]|3\d) s for the rate limit"
    left, wait = re.fullmatch(line, waiting).groups()
    assert int(left) >= int(wait)
    assert len(result.shown) > 1


def test_a_quick_run_shows_nothing(account, run):
    assert good(run("targets", workspace_id=2, targets=NEW)).shown == []
    assert good(run("targets", check=True, workspace_id=2, targets=NEW)).shown == []


# --- a reviewed plan


def test_a_reviewed_plan_is_applied_and_nothing_else(account, run):
    options = dict(workspace="Shop", targets=[*OLD[1:], *NEW], purge=True)
    expected = good(run("targets", check=True, **options))["plan"]["checksum"]
    turned = dict(options, targets=options["targets"][::-1])
    account.add(targets=[{"name": "more.example", "workspace": "Shop"}])
    for check in (True, False):
        result = refused(
            run("targets", check=check, expect_plan=expected, **options), "has changed since the plan was reviewed"
        )
        assert "4 create, 2 delete" in result.msg
        assert not result.changed
        assert result["plan"]["checksum"] != expected
        assert "more.example" in str(result["diff"])
    assert account.writes() == []
    again = good(run("targets", check=True, **options))["plan"]["checksum"]
    assert good(run("targets", expect_plan=again, **turned)).changed
    # nothing is left to do, whatever is expected
    assert not good(run("targets", expect_plan=again, **options)).changed
    assert not good(run("targets", expect_plan="another", **options)).changed


# --- the authorised scope

THOUSAND = [f"host{number}.example.com" for number in range(1000)]
SCOPE = {"allow": ["example.com"]}


@pytest.mark.parametrize("check", [True, False])
def test_one_item_out_of_scope_among_a_thousand_sends_nothing(account, run, check):
    declared = [*THOUSAND[:500], "https://allowed.example.com@evil.example/", *THOUSAND[500:]]
    result = refused(run("targets", check=check, workspace="Shop", targets=declared, scope=SCOPE), "targets[500]")
    assert "outside the authorised scope" in result.msg
    assert [entry["path"] for entry in result["refused"]] == ["targets[500]"]
    assert not result.changed
    assert account.calls() == []


@pytest.mark.parametrize("check", [True, False])
def test_with_continue_on_error_the_others_are_done(account, run, check):
    declared = [*OLD, *NEW, "evil.example"]
    options = dict(workspace="Shop", targets=declared, scope=SCOPE, continue_on_error=True)
    result = refused(run("targets", check=check, **options), "1 of 17 objects failed or was skipped", "evil.example")
    assert actions(result)["evil.example"] == "refused"
    assert result["summary"]["create"] == len(NEW)
    assert account.writes() == [] if check else account.writes() == ["POST /targets"] * len(NEW)
    assert result.changed
    assert "evil.example" not in names(account)


def test_an_existing_target_out_of_scope_is_refused_and_not_purged(account, run):
    account.add(targets=[{"name": "evil.example", "workspace": "Shop"}])
    options = dict(
        workspace="Shop", targets=[*OLD[1:], "evil.example"], scope=SCOPE, purge=True, continue_on_error=True
    )
    check = refused(run("targets", check=True, **options))
    result = refused(run("targets", **options))
    assert check["summary"] == result["summary"]
    assert "nothing is purged while another object is refused" in result["results"][-1]["error"]
    assert names(account) == [*OLD, "evil.example"]


def test_absent_is_never_refused_by_a_scope(account, run, monkeypatch, tmp_path):
    monkeypatch.setenv("SCANNER_SCOPE_FILE", str(tmp_path / "missing.yml"))
    options = dict(workspace="Shop", targets=OLD[:1], state="absent", scope={"allow": []})
    assert good(run("targets", **options)).changed
    assert names(account) == OLD[1:]


@pytest.mark.parametrize("scope", [None, {"allow": None, "deny": ["x.example"]}])
def test_a_scope_that_is_null_refuses_no_deletion(account, run, scope):
    assert good(run("targets", workspace="Shop", targets=OLD[:1], state="absent", scope=scope)).changed


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("module", ["target", "targets", "estate"])
@pytest.mark.parametrize(
    "text, words",
    [
        (None, "does not exist: correct the path."),
        ("alow: [example.com]\n", "alow"),
    ],
    ids=["missing", "typo"],
)
def test_a_scope_file_that_is_missing_or_wrong_refuses(account, run, monkeypatch, tmp_path, text, words, module, check):
    path = tmp_path / "scope.yml"
    if text is not None:
        path.write_text(text)
    monkeypatch.setenv("SCANNER_SCOPE_FILE", str(path))
    options = {
        "target": {"workspace": "Shop", "name": NEW[0]},
        "targets": {"workspace": "Shop", "targets": NEW},
        "estate": {"workspaces": [{"name": "Shop", "targets": NEW}]},
    }[module]
    refused(run(module, check=check, **options), words)
    assert account.calls() == []


@pytest.mark.parametrize("module", ["target", "targets", "estate"])
def test_the_scope_file_overrides_the_task(account, run, monkeypatch, tmp_path, module):
    path = tmp_path / "scope.yml"
    path.write_text("allow: [example.com]\ndeny: [new1.example.com]\n")
    monkeypatch.setenv("SCANNER_SCOPE_FILE", str(path))

    def declare(name):
        options = {
            "target": {"workspace": "Shop", "name": name},
            "targets": {"workspace": "Shop", "targets": [name]},
            "estate": {"workspaces": [{"name": "Shop", "targets": [name]}]},
        }[module]
        return run(module, scope={"allow": ["*"], "private": True}, **options)

    for name in ("new1.example.com", "elsewhere.example", "10.0.0.1"):
        refused(declare(name), "outside the authorised scope")
    assert account.calls() == []
    assert good(declare(NEW[0])).changed


# --- a plan that needs longer than it may wait for the rate limit

NEEDS = "The rate limits (125 writes and 250 GET calls a minute) make this plan wait 7 minutes or more"


def writes(account):
    return [entry for entry in account.log() if entry["method"] != "GET"]


@pytest.mark.parametrize("check", [True, False])
def test_a_plan_that_cannot_end_in_time_is_refused_before_the_first_write(account, run, check):
    account.settings(rate_limits={})
    result = refused(
        run("targets", check=check, workspace_id=2, targets=THOUSAND, rate_limit_wait=60),
        f"{NEEDS}, and rate_limit_wait allows 60 s, so nothing was written. Set rate_limit_wait to 540, or more if",
    )
    assert writes(account) == []
    assert not result.changed
    assert result["plan"]["left_out"] == {"create": 990}
    assert result["summary"]["refused"] == 1000


def test_an_estate_that_cannot_end_in_time_is_refused_too(account, run):
    account.settings(rate_limits={})
    workspaces = [{"name": "Shop", "targets": THOUSAND}]
    refused(run("estate", workspaces=workspaces, rate_limit_wait=60), NEEDS, "rate_limit_wait to 540")
    assert writes(account) == []


def test_a_share_of_the_limit_needs_a_longer_wait(account, run):
    account.settings(rate_limits={})
    options = dict(workspace_id=2, targets=THOUSAND, rate_limit_wait=500)
    refused(run("targets", check=True, rate_share=50, **options), "62 writes", "wait 16 minutes", "_wait to 1080")
    assert good(run("targets", check=True, **options)).warnings == []


@pytest.mark.parametrize("rate_limits", [None, {"GET": 1000, "write": 1000}, {"headers": False}])
def test_a_plan_that_may_end_in_time_is_warned_of(account, run, rate_limits):
    """Without a limit, with a higher one, and with one that the service has not shown."""
    account.settings(rate_limits=rate_limits)
    result = good(run("targets", check=True, workspace_id=2, targets=THOUSAND, rate_limit_wait=60))
    assert result["plan"]["minutes"] == 7
    (warning,) = result.warnings
    assert "The documented rate limits" in warning
    assert "wait 7 minutes or more, and rate_limit_wait allows 60 s. Set rate_limit_wait to 540" in warning
    assert [line for line in result.shown if "documented" in line] == [warning]


def test_a_plan_without_a_wait_is_never_refused_on_a_slow_service(account, run):
    """Its calls take longer than the limit requires."""
    account.settings(rate_limits={}, delay=0.3)
    result = good(run("targets", check=True, workspace_id=2, targets=THOUSAND, rate_limit_wait=60))
    assert [NEEDS in warning for warning in result.warnings] == [True]


def test_a_limit_that_an_earlier_task_has_met_counts(account, run):
    # sliding, because a minute of a fixed window may end between the tasks
    account.settings(rate_limits={"window": "sliding", "write": 20, "headers": False})
    assert good(run("targets", workspace_id=2, targets=THOUSAND[:20])).changed
    refused(run("targets", workspace_id=2, targets=[THOUSAND[20]], rate_limit_wait=0), "429")
    account.clear_log()
    refused(run("targets", workspace_id=2, targets=THOUSAND, rate_limit_wait=60), "125 writes a minute", "to 540")
    assert writes(account) == []


def test_a_wait_counts_down_and_the_time_left_is_shown(account, run):
    limits = {"window": "sliding", "write": 20}
    account.settings(rate_limits=limits)
    passed = [0.0]

    def sleep(seconds):
        passed[0] += seconds
        # the service counts from the beginning again, as its clock does not follow
        account.settings(rate_limits=limits)

    result = good(run("targets", workspace_id=2, targets=THOUSAND[:25], sleep=sleep, clock=lambda: passed[0]))
    lines = [line for line in result.shown if "waiting" in line]
    waits = [int(re.search(r"waiting (\d+) s for the rate limit", line)[1]) for line in lines[1:]]
    assert waits == list(range(55, 0, -5))
    assert lines[0] == "20 of 25 objects done, 0 s; about 1 min left; waiting 1 min 00 s for the rate limit"


def test_a_protection_that_matches_nothing_is_a_warning(service, run):
    service.add(
        workspaces=[{"id": 77, "name": "Guarded"}],
        targets=[{"name": name, "workspace_id": 77} for name in ("a.example", "b.example")],
    )
    options = dict(workspace_id=77, targets=["a.example"], check=True)
    result = run("targets", purge=True, protect=["B.Example.", "*.prd.example"], **options)
    assert not result.failed, result.msg
    said = [each for each in result.warnings if "protect[" in each]
    assert said == [
        "protect[1] ('*.prd.example') matches no object that this task could delete: check for a typo, or remove what is"
        " no longer needed."
    ]
    # without purge, nothing needs protection
    assert not [each for each in run("targets", protect=["*.prd.example"], **options).warnings if "protect[" in each]
