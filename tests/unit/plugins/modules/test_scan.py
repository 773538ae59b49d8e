# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Scans: started, found, joined, waited for, stopped, deleted."""

from __future__ import annotations

import json

import pytest
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scan_time import (
    RUNNING,
    WEB,
    S,
    T,
    bodies,
    gets,
    good,
    old,
)

ENDS = {
    "failed to start": "failed_to_start",
    "VPN connection error": "vpn_error",
    "frozen by the moon": "unknown_state",
}


@pytest.fixture
def account(scan_account):
    return scan_account


# --- starting and waiting


def test_a_scan_is_started_and_waited_for(account, scan, passing):
    result = good(scan(tool_params={"scan_type": "light"}, max_scan_time=60))
    assert (result.changed, result["started"], result["outcome"]) == (True, True, "finished")
    assert result["scan"]["status_name"] == "finished"
    assert result["scan"]["result_summary"]["critical"] == 1
    assert bodies(account) == [
        {
            "tool_id": 170,
            "target_name": "www.example.com",
            "workspace_id": 2,
            "tool_params": {"scan_type": "light"},
            "max_scan_time": 60,
        }
    ]
    (entry,) = result["scans"]
    assert entry == {
        "target": "www.example.com",
        "tool_id": 170,
        "scan": result["scan"],
        "outcome": "finished",
        "started": True,
        "error": None,
    }
    assert account.calls()[:3] == [f"GET {T}", f"GET {S}", f"POST {S}"]
    assert set(account.calls()[3:]) == {f"GET {S}/40001"}
    assert [each for each in passing.slept if each < 10] == []
    # 115 seconds: as often as the interval allows and no more
    assert len(account.calls()[3:]) <= 12


def test_without_wait_the_task_ends_after_the_start(account, scan, passing):
    result = good(scan(wait=False))
    assert (result.changed, result["outcome"], result["scan"]["status_name"]) == (True, None, "waiting")
    assert account.calls() == [f"GET {T}", f"GET {S}", f"POST {S}", f"GET {S}/40001"]
    assert passing.slept == []


@pytest.mark.parametrize("form", ["created_id", "record", "nothing"])
def test_each_answer_of_a_start_is_understood(account, scan, form):
    account.settings(create_answer=form)
    account.add(scans=[{"target_id": 1001, "tool_id": 170, "age": 99}])
    result = good(scan())
    assert (result["scan"]["id"], result["outcome"]) == (40002, "finished")
    assert result.warnings == []


@pytest.mark.parametrize("form", ["created_id", "record", "nothing"])
def test_a_start_creates_a_missing_target(account, scan, form):
    account.settings(create_answer=form)
    result = good(scan(target="new.example.com", workspace_id=3))
    assert [row["name"] for row in account.targets()][-1] == "new.example.com"
    assert result["scan"]["workspace_id"] == 3


@pytest.mark.parametrize("check", [False, True])
def test_a_target_that_the_start_creates_is_a_warning(scan, check):
    (warning,) = good(scan(check=check, target="new.example.com")).warnings
    assert warning.startswith(
        "Target 'new.example.com' does not exist yet. The service creates a missing target and scans it"
    )
    names = ["www.example.com", *(f"new{number}.example.com" for number in range(22))]
    (warning,) = good(scan(check=check, target=None, targets=names)).warnings
    assert "'new19.example.com' and 2 more do not exist yet" in warning
    assert "www" not in warning


@pytest.mark.parametrize("state", ["stopped", "absent"])
def test_a_missing_target_is_no_warning_if_nothing_is_started(scan, state):
    assert good(scan(target="new.example.com", state=state)).warnings == []


def test_the_live_spelling_of_a_target_is_scanned(account, scan):
    result = good(scan(target="WWW.Example.com."))
    assert result["scan"]["target_id"] == 1001
    assert bodies(account)[0]["target_name"] == "www.example.com"
    assert len(account.targets()) == 2


def test_the_current_workspace_is_kept_during_the_wait(account, scan):
    account.add(current_workspace=2)
    account.fault(method="POST", path=S, action="reset", when="after")
    result = good(scan(workspace_id="left out"))
    assert bodies(account)[0]["workspace_id"] == 2
    lists = [entry["query"] for entry in account.log() if (entry["method"], entry["path"]) == ("GET", S)]
    assert {query["workspace_id"] for query in lists} == {"2"}
    assert [
        warning for warning in result.warnings if "current workspace" in warning or "uses its current one" in warning
    ], result.warnings


def test_a_target_by_id(account, scan):
    result = good(scan(target=None, target_id=1002, workspace_id="left out"))
    assert result["scans"][0]["target"] == "api.example.com"
    assert bodies(account) == [{"tool_id": 170, "target_id": 1002, "workspace_id": 2}]
    assert result.warnings == []


@pytest.mark.parametrize("end", ENDS)
def test_any_other_outcome_fails_the_task_with_the_record(account, scan, end):
    account.settings(scan_scripts=[{"end": end, "message": "said\x1b so"}])
    result = scan()
    assert result.failed
    assert result.changed
    assert (result["outcome"], result["scan"]["status_name"]) == (ENDS[end], end)
    assert result["started"] is True
    assert "Scan 40001 of 'www.example.com'" in result.msg
    assert "said\\x1b so" in result.msg
    assert result.msg.endswith(".")


@pytest.mark.parametrize("on_timeout", ["fail", "stop"])
@pytest.mark.parametrize("which", ["queue", "run"])
def test_the_two_timeouts(account, scan, passing, which, on_timeout):
    account.settings(**{f"scan_{which}_time": 100000})
    result = scan(**{f"{which}_timeout": 300}, on_timeout=on_timeout)
    assert (result.failed, result["outcome"]) == (True, f"{which}_timeout")
    assert 300 <= passing.now <= 300 + 60
    live = account.scans()[0]["status_name"]
    if on_timeout == "stop":
        assert (live, result["stopped"]) == ("stopped", [40001])
        assert "it was stopped" in result.msg
    else:
        assert live == {"queue": "waiting", "run": "running"}[which]
        assert "it goes on" in result.msg
        assert account.writes() == [f"POST {S}"]


def test_the_wait_is_slower_while_nothing_moves(account, scan, passing):
    account.settings(scan_queue_time=2000, scan_run_time=10)
    good(scan())
    assert 10 <= passing.slept[0] <= 12
    assert max(passing.slept) > 50
    assert len(passing.slept) < 60


@pytest.mark.parametrize("polls", [[1, 2, 3, 4], [1, 2, 3, 4, 6, 7, 8, 9]], ids=["once", "twice"])
def test_a_few_failed_polls_do_not_end_a_wait(account, scan, polls):
    for poll in polls:
        account.fault(method="GET", path=f"{S}/40001", nth=poll, action="status", status=503)
    result = good(scan(retries=0))
    assert result["outcome"] == "finished"
    said = [line for line in result.shown if "cannot be read" in line]
    assert len(said) == len(polls)
    assert said[0].startswith("scan 40001 of 'www.example.com' cannot be read (GET ") and "answered 503" in said[0]
    assert said[0].endswith("; trying again for 10 min 00 s (outage_wait), the scans go on")


@pytest.mark.parametrize("outage_wait, seconds", [(None, 600), ("2h", 7200), ("90", 90), ("0", 0)])
def test_an_outage_ends_a_wait_after_its_time(account, scan, passing, outage_wait, seconds):
    account.settings(scan_run_time=100000)
    account.fault(method="GET", path=f"{S}/40001", action="status", status=503, times=None)
    options = {} if outage_wait is None else {"outage_wait": outage_wait}
    # a timeout of the scan that passes meanwhile makes no poll come sooner
    result = scan(retries=0, run_timeout=60, **options)
    assert result.failed and "was given up, the scans go on" in result.msg
    assert seconds <= passing.now <= seconds + 30
    # at least the declared interval between two polls
    assert len(gets(account)) - 2 <= seconds / 10 + 2


def test_a_wait_survives_an_outage_of_nine_minutes(account, scan, passing):
    account.settings(scan_run_time=60)
    failing = {"method": "GET", "path": f"{S}/40001", "action": "status", "status": 502}
    account.fault(**failing, times=45)
    assert good(scan(retries=0))["outcome"] == "finished"
    assert 300 < passing.now < 700


@pytest.mark.parametrize("value", ["", "10 minutes", "-1", "1.5m"])
@pytest.mark.parametrize("state", ["present", "stopped", "absent"])
def test_a_wrong_outage_wait_is_refused_before_any_call(account, scan, value, state):
    result = scan(outage_wait=value, state=state)
    assert result.failed and result.msg.startswith("outage_wait is ") and account.calls() == []


@pytest.mark.parametrize("status", [401, 403])
def test_a_wait_whose_polls_fail_returns_what_is_known(account, scan, status):
    polls = 1
    account.fault(method="GET", path=f"{S}/40001", action="status", status=status, times=None)
    result = scan(retries=0)
    assert (result.failed, result.changed, result["started"]) == (True, True, True)
    assert "the scans go on" in result.msg
    assert result["api_error"]["status"] == status
    assert result["scan"]["id"] == 40001
    assert len(gets(account)) - 2 == polls


# --- many targets


@pytest.mark.slow
def test_many_targets_cost_one_call_per_poll(account, scan, passing):
    names = [f"host-{number:03d}.example" for number in range(100)]
    result = good(scan(target=None, targets=names))
    assert [each["target"] for each in result["scans"]] == names
    assert {each["outcome"] for each in result["scans"]} == {"finished"}
    assert (result["scan"], result["outcome"], result["started"]) == (None, "finished", True)
    assert account.calls().count(f"POST {S}") == 100
    assert account.calls().count(f"GET {S}") <= len(passing.slept) + 1
    assert not [call for call in account.calls() if call.startswith(f"GET {S}/")]


@pytest.mark.parametrize("order", ["id", "newest_first"])
def test_scans_on_several_pages(account, scan, passing, order):
    account.settings(page_cap=5, order=order)
    account.add(scans=[{"target_id": 1002, "tool_id": 170} for _number in range(12)])
    names = [f"host-{number}.example" for number in range(7)]
    result = good(scan(target=None, targets=names))
    assert {each["outcome"] for each in result["scans"]} == {"finished"}
    # the pages up to the last scan once, then the two that show these scans
    assert account.calls().count(f"GET {S}") <= 2 * len(passing.slept) + 10


def test_a_list_that_ends_with_a_404_does_not_end_a_wait(account, scan):
    names = ["www.example.com", "api.example.com", "c.example", "d.example"]
    account.add(targets=[{"name": name, "workspace": "Web shop"} for name in names[2:]])
    account.settings(past_end=404, page_cap=2)
    account.fault(method="GET", path=S, nth=6, action="do", do="delete", resource="scans", record={"id": 40003})
    result = scan(target=None, targets=names)
    assert [each["outcome"] for each in result["scans"]] == ["finished", "finished", "deleted", "finished"]


def test_a_deleted_and_a_failed_scan_do_not_hide_the_others(account, scan):
    account.settings(scan_scripts=[{"target": "b.example", "end": "aborted"}])
    account.fault(method="GET", path=S, nth=3, action="do", do="delete", resource="scans", record={"id": 40003})
    result = scan(target=None, targets=["a.example", "b.example", "c.example", "d.example"])
    assert result.failed
    assert [each["outcome"] for each in result["scans"]] == ["finished", "aborted", "deleted", "finished"]
    assert result["outcome"] == "aborted"
    assert "2 of 4 scans did not finish, 'b.example' (aborted), 'c.example' (deleted)" in result.msg


def test_a_start_that_is_refused_does_not_hide_the_others(account, scan):
    account.settings(blacklist=["b.example"])
    result = scan(target=None, targets=["a.example", "b.example", "c.example"])
    assert result.failed
    assert [each["outcome"] for each in result["scans"]] == ["finished", "failed_to_start", "finished"]
    assert "blacklisted" in result["scans"][1]["error"]
    assert [each["started"] for each in result["scans"]] == [True, False, True]


def test_a_failed_start_makes_room_for_the_next(account, scan):
    account.settings(blacklist=["a.example", "b.example"])
    result = scan(target=None, targets=["a.example", "b.example", "c.example"], concurrency=1)
    assert [each["outcome"] for each in result["scans"]] == ["failed_to_start", "failed_to_start", "finished"]
    account.settings(blacklist=["a.example", "b.example", "c.example"])
    result = scan(target=None, targets=["a.example", "b.example"], concurrency=1)
    assert (result.failed, result.changed, result["outcome"]) == (True, False, "failed_to_start")


def test_a_rejected_key_ends_the_starts(account, scan):
    account.fault(method="POST", path=S, nth=2, action="status", status=401, times=None)
    result = scan(target=None, targets=["a.example", "b.example", "c.example"])
    assert (result.failed, result.changed) == (True, True)
    assert [each["outcome"] for each in result["scans"]] == ["finished", "failed_to_start", "failed_to_start"]
    assert account.calls().count(f"POST {S}") == 2


def test_concurrency_limits_the_scans_in_progress(account, scan):
    result = good(scan(target=None, targets=[f"host-{number}.example" for number in range(5)], concurrency=2))
    assert {each["outcome"] for each in result["scans"]} == {"finished"}
    scans = sorted(account.scans(), key=lambda each: each["created"])
    for each in scans:
        at_once = [other for other in scans if other["created"] <= each["created"] < other["created"] + 115]
        assert len(at_once) <= 2


# --- several tools

TWO = {"tool": None, "tools": ["Website Scanner", "350"]}


def test_several_tools_scan_at_the_same_time(account, scan, passing):
    params = {"350": {"preset": "quick"}}
    result = good(scan(target=None, targets=["www.example.com", "new.example"], tool_params=params, **TWO))
    rows = [(each["target"], each["tool_id"], each["outcome"], each["started"]) for each in result["scans"]]
    assert rows == [
        (target, tool, "finished", True) for tool in (170, 350) for target in ("www.example.com", "new.example")
    ]
    assert [row["scan"]["tool_id"] for row in result["scans"]] == [170, 170, 350, 350]
    assert (result["scan"], result["outcome"]) == (None, "finished")
    sent = [(body["target_name"], body["tool_id"], body.get("tool_params")) for body in bodies(account)]
    assert sent == [(target, tool, params.get(str(tool))) for target, tool, *dummy in rows]
    # in 115 seconds, and not one tool after the other
    assert passing.now < 130
    assert account.calls().count(f"GET {S}") <= len(passing.slept) + 1


def test_each_tool_uses_its_own_existing_scan(account, scan):
    account.add(scans=[old(3000), old(9000, tool_id=350), old(10, tool_id=350, target_id=1002)])
    result = good(scan(max_age="1h", **TWO))
    assert [(each["tool_id"], each["started"]) for each in result["scans"]] == [(170, False), (350, True)]
    assert [body["tool_id"] for body in bodies(account)] == [350]


def test_concurrency_counts_the_scans_of_all_tools(account, scan, passing):
    good(scan(concurrency=1, **TWO))
    assert 230 <= passing.now < 270


def test_a_refused_start_of_one_tool_does_not_hide_the_other(account, scan):
    account.fault(method="POST", path=S, nth=1, action="status", status=422)
    result = scan(**TWO)
    assert result.failed
    rows = [(each["tool_id"], each["outcome"], each["scan"] is None) for each in result["scans"]]
    assert rows == [(170, "failed_to_start", True), (350, "finished", False)]


def test_stop_the_scans_of_several_tools(account, scan):
    account.add(scans=[old(5, **{**RUNNING, "tool_id": tool}) for tool in (170, 350, 70)])
    assert good(scan(state="stopped", **TWO))["stopped"] == [40001, 40002]


# --- an existing scan


def test_a_fresh_scan_is_used(account, scan, passing):
    account.add(scans=[old(9000), old(3000), old(10, tool_id=350), old(10, target_id=1002)])
    result = good(scan(max_age="1h"))
    assert (result.changed, result["started"], result["outcome"]) == (False, False, "finished")
    assert result["scan"]["id"] == 40002
    assert account.writes() == []
    assert passing.slept == []


def test_an_old_scan_is_not_used_and_the_reason_is_returned(account, scan):
    account.add(scans=[old(9000), old(10, status_name="aborted"), old(5, end_time=None, start_time=None)])
    result = good(scan(max_age="90m"))
    assert result.changed
    assert {each["id"]: each["reason"] for each in result["candidates"]} == {
        40001: "it ended 2 hours ago, and max_age is 90 minutes",
        40002: "it did not finish, its status is 'aborted'",
        40003: "its record does not say when it ended",
    }


@pytest.mark.parametrize(
    "fields, why",
    [
        ({"num_tests": 10, "num_finished_tests": 3}, "finished only 3 of its 10 tests"),
        ({"num_tests": 0, "num_finished_tests": 0}, "has no tests"),
        ({"progress": 40}, "finished 40 % of its work only"),
    ],
)
def test_a_finished_scan_that_ran_in_part_is_not_used(account, scan, fields, why):
    account.add(scans=[old(10, **fields)])
    result = good(scan(max_age="1h"))
    assert result["started"]
    assert f"it may not have seen everything: Scan 40001 {why}" in result["candidates"][0]["reason"]


def test_a_scan_in_progress_is_joined(account, scan, passing):
    account.add(scans=[old(9000), old(5, **RUNNING)])
    result = good(scan(max_age="1h"))
    assert (result.changed, result["started"], result["outcome"]) == (False, False, "finished")
    assert result["scan"]["id"] == 40002
    assert passing.now > 60


def test_parameters_are_compared_where_they_are_declared(account, scan):
    account.add(
        scans=[
            old(50, tool_params={"scan_type": "deep", "spider": {"depth": 5, "approach": "spa"}}),
            old(40, tool_params={"scan_type": "light"}),
            old(30),
        ]
    )
    result = good(scan(max_age="1h", tool_params={"spider": {"depth": "5"}}))
    assert (result.changed, result["scan"]["id"]) == (False, 40001)
    assert [(each["id"], each["reason"]) for each in result["candidates"]] == [
        (40003, "tool_params.spider is not in its record"),
        (40002, "tool_params.spider is not in its record"),
    ]
    assert gets(account)[-3:] == [f"GET {S}/40003", f"GET {S}/40002", f"GET {S}/40001"]


def test_at_most_five_scans_are_considered(account, scan):
    account.add(scans=[old(50 - number) for number in range(8)])
    result = good(scan(max_age="1h", tool_params={"a": 1}, wait=False))
    assert result.changed
    assert len(result["candidates"]) == 5
    assert sum(call.startswith(f"GET {S}/") for call in account.calls()) == 5 + 1


@pytest.mark.parametrize(
    "offset, age, used",
    [
        (3600, 3000, True),
        (3600, 4200, False),
        (200, 3000, True),
        (-200, 3000, True),
        # it ended more than an hour ago by the clock of this host
        (-3600, 3000, False),
        (-60 * 86400, 60, False),
    ],
)
@pytest.mark.parametrize("form", ["plain", "utc", "unix"])
def test_a_scan_is_recent_only_by_both_clocks(account, run, offset, age, used, form):
    account.settings(clock_offset=offset, time_form=form, scan_queue_time=0, scan_run_time=0)
    account.add(scans=[old(age)])
    result = good(run("scan", **WEB, max_age="1h", wait=False))
    assert result["started"] is not used
    said = [warning for warning in result.warnings if "the clock of this host" in warning]
    assert len(said) == (abs(offset) > 300)
    if abs(offset) == 3600:
        assert f"60 minutes {'ahead of' if offset > 0 else 'behind'}" in said[0]


@pytest.mark.parametrize("form", ["offset", "utc", "unix", "unix_ms"])
@pytest.mark.parametrize("zone", [7200, -18000])
def test_a_time_of_another_form_is_understood(account, run, form, zone):
    account.settings(time_form=form, record_zone=zone, scan_queue_time=0, scan_run_time=0)
    account.add(scans=[old(3000)])
    assert not good(run("scan", **WEB, max_age="1h", wait=False))["started"]
    assert good(run("scan", **WEB, max_age="40m", wait=False))["started"]


@pytest.mark.parametrize("max_age, used", [("10m", False), ("12h", False), ("13h", True)])
def test_where_times_are_ahead_of_utc_a_scan_is_recent_only_in_the_farthest_zone(account, run, max_age, used):
    """It ended 50 minutes ago, and seems to end in 70 minutes."""
    account.settings(record_zone=7200, scan_queue_time=0, scan_run_time=0)
    account.add(scans=[old(3000)])
    result = good(run("scan", **WEB, max_age=max_age, wait=False))
    assert result["started"] is not used
    assert ["of an unknown zone ahead" in warning for warning in result.warnings] == [True]


def test_a_page_that_the_server_cuts_short_does_not_hide_the_newest(account, scan):
    account.settings(page_cap=3)
    account.add(scans=[old(100 - number) for number in range(8)])
    assert good(scan(max_age="1h"))["scan"]["id"] == 40008


def test_a_second_run_starts_nothing(account, scan):
    options = dict(target=None, targets=["www.example.com", "api.example.com", "new.example.com"], max_age="1h")
    assert good(scan(**options)).changed
    account.clear_log()
    second = good(scan(**options))
    assert (second.changed, second["outcome"]) == (False, "finished")
    assert account.writes() == []
    assert len(second["scans"]) == 3


# --- a start whose answer is lost


@pytest.mark.parametrize("fault", [{"action": "reset"}, {"action": "status", "status": 500}, {"action": "html"}])
def test_a_start_whose_answer_is_lost_is_found_in_the_list(account, scan, fault):
    account.add(scans=[old(5, **RUNNING)])
    account.fault(method="POST", path=S, when="after", **fault)
    result = good(scan())
    assert (result["scan"]["id"], result["started"]) == (40002, True)
    assert ["The answer to POST /scans" in warning for warning in result.warnings] == [True]
    assert account.calls().count(f"POST {S}") == 1


@pytest.mark.parametrize("fault", [{"action": "reset"}, {"action": "status", "status": 500}, {"action": "html"}])
def test_a_start_that_the_list_does_not_show_is_not_repeated(account, scan, fault):
    account.add(scans=[old(5, **RUNNING)])
    account.fault(method="POST", path=S, **fault)
    result = scan()
    assert result.failed
    assert "It may have been started" in result.msg
    assert account.calls().count(f"POST {S}") == 1


def test_two_new_scans_after_a_lost_answer_are_ambiguous(account, scan):
    account.fault(method="POST", path=S, action="reset", when="after")
    record = {"target_id": 1001, "tool_id": 170, "status_name": "waiting"}
    account.fault(method="POST", path=S, action="do", resource="scans", record=record)
    result = scan()
    assert "It may have been started, although the list shows 2 new scans of it" in result.msg


def test_a_lost_start_of_a_new_target(account, scan):
    account.fault(method="POST", path=S, action="reset", when="after")
    assert good(scan(target="new.example.com"))["scan"]["id"] == 40001


@pytest.mark.parametrize(
    "status, message, words",
    [
        (403, "Target is blacklisted", "never scans this target"),
        (403, "the plan does not include it", "what the account's plan and licence include"),
        (404, "not found", "Check workspace_id and tool"),
        (400, "target is not reachable", "target is not reachable"),
    ],
)
def test_a_refused_start_says_why_and_what_to_do(account, scan, status, message, words):
    account.fault(method="POST", path=S, action="status", status=status, message=message)
    result = scan()
    assert (result.failed, result.changed) == (True, False)
    assert message in result.msg
    assert words in result.msg
    assert account.calls().count(f"POST {S}") == 1


def test_the_scope_is_checked_before_a_start(account, scan):
    scope = {"allow": ["example.com"]}
    for check in (False, True):
        result = scan(target="evil.example", scope=scope, check=check)
        assert "outside the authorised scope" in result.msg
        assert account.calls() == []
    assert good(scan(scope=scope, wait=False)).changed
    account.clear_log()
    account.add(targets=[{"id": 1009, "name": "evil.example", "workspace": "Web shop"}])
    assert "outside the authorised scope" in scan(target=None, target_id=1009, scope=scope).msg
    assert account.calls() == [f"GET {T}/1009"]
    assert good(scan(target="evil.example", state="absent", scope=scope)).changed is False


# --- VPN and authentication


def test_a_vpn_profile_by_name_by_uuid_and_none(account, scan):
    account.add(vpn_profiles=[{"name": "Office", "uuid": "u-1"}, {"name": "Lab", "uuid": "u-2"}])
    for given in ("Office", "u-1", ""):
        good(scan(vpn_profile=given, wait=False))
    assert [body["vpn_profile_uuid"] for body in bodies(account)] == ["u-1", "u-1", None]
    assert not good(scan(vpn_profile="u-1", max_age="1h")).changed
    assert good(scan(vpn_profile="Lab", max_age="1h", wait=False)).changed
    account.add(vpn_profiles=[{"name": "Lab", "uuid": "u-3"}])
    assert "use one of the UUIDs u-2, u-3" in scan(vpn_profile="Lab").msg
    assert (
        "is not a VPN profile of this account: correct it. Existing profiles: 'Office', 'Lab', 'Lab'."
        in scan(vpn_profile="Home").msg
    )


SECRET = "s3cret-of-nobody"
LOGINS = {
    "cookies": {"cookie_header": f"session={SECRET}"},
    "headers": {"headers": [f"Authorization: Bearer {SECRET}", "X-Plain: yes"]},
    "login_form": {"login_page_url": "https://www.example.com/login", "username": "me", "password": SECRET},
}


@pytest.mark.parametrize("kind", LOGINS)
def test_secrets_of_an_authentication_are_in_no_output(account, scan, kind):
    result = good(scan(authentication={"type": kind, **LOGINS[kind]}))
    assert bodies(account)[0]["authentication"] == {"type": kind, "params": LOGINS[kind]}
    assert SECRET not in json.dumps(result.result)
    found = result["scan"]["tool_params"]["authentication"]
    assert found["type"] == kind
    # the same scan, found by somebody who does not know the secret
    account.clear_log()
    stranger = good(scan(max_age="1h", tool_params={"authentication": {"type": kind}}))
    assert stranger["scan"]["tool_params"]["authentication"]["type"] == kind
    assert SECRET not in json.dumps(stranger.result)
    other = {"type": "cookies" if kind != "cookies" else "headers"}
    other.update(LOGINS[other["type"]])
    assert good(scan(max_age="1h", authentication=other, wait=False)).changed


# --- stopped and absent


def test_stop_by_target_and_tool(account, scan):
    account.add(scans=[old(100), old(5, **RUNNING), old(5, **{**RUNNING, "tool_id": 350})])
    check = good(scan(state="stopped", check=True))
    assert account.writes() == []
    result = good(scan(state="stopped"))
    assert (result.changed, result["stopped"], result["outcome"]) == (True, [40002], "stopped")
    assert (check.changed, check["stopped"], check.diff) == (True, [40002], result.diff)
    assert account.writes() == [f"POST {S}/40002/stop"]
    second = good(scan(state="stopped"))
    assert (second.changed, second["scan"]) == (False, None)
    assert second.diff["before"] == second.diff["after"]


@pytest.mark.parametrize("answer", [200, 204])
def test_stop_by_id(account, run, answer):
    account.settings(stop_answer=answer)
    account.add(scans=[old(5, **RUNNING), old(5)])
    result = good(run("scan", id=40001, state="stopped"))
    assert (result.changed, result["scan"]["status_name"]) == (True, "stopped")
    again = good(run("scan", id=40001, state="stopped"))
    assert (again.changed, again["outcome"]) == (False, "stopped")
    assert good(run("scan", id=40002, state="stopped"))["outcome"] == "finished"
    assert "No scan with id 99 is visible" in run("scan", id=99, state="stopped").msg


def test_a_scan_that_ends_before_the_stop_arrives_was_not_stopped(account, scan):
    account.add(scans=[old(5, **RUNNING)])
    account.fault(
        method="POST", path=f"{S}/40001/stop", action="do", do="delete", resource="scans", record={"id": 40001}
    )
    account.fault(method="POST", path=f"{S}/40001/stop", action="status", status=409)
    result = good(scan(state="stopped"))
    assert (result.changed, result["stopped"]) == (False, [])


def test_a_stop_that_is_refused_is_an_error(account, scan):
    account.add(scans=[old(5, **RUNNING)])
    account.fault(method="POST", path=f"{S}/40001/stop", action="status", status=409, message="not now")
    assert "not now" in scan(state="stopped").msg


@pytest.mark.parametrize("fault", [{"action": "reset"}, {"action": "status", "status": 500}])
@pytest.mark.parametrize("done", [True, False])
def test_a_stop_whose_answer_is_lost_is_verified(account, scan, fault, done):
    account.add(scans=[old(5, **RUNNING), old(5, **RUNNING)])
    account.fault(method="POST", path=f"{S}/40002/stop", when="after" if done else "before", **fault)
    result = scan(state="stopped")
    assert result.failed is not done
    assert result.changed
    assert result["stopped"] == ([40001, 40002] if done else [40001])
    assert account.calls().count(f"POST {S}/40002/stop") == 1


@pytest.mark.parametrize("fault", [{"action": "reset"}, {"action": "status", "status": 500}])
@pytest.mark.parametrize("read", [{"action": "reset"}, {"action": "status", "status": 403}, {"action": "html"}])
@pytest.mark.parametrize("by_id", [False, True])
def test_a_stop_whose_answer_and_reads_are_lost_may_have_been_done(account, run, scan, fault, read, by_id):
    account.add(scans=[old(5, **RUNNING)])
    account.fault(method="POST", path=f"{S}/40001/stop", when="after", **fault)
    account.fault(method="GET", path=f"{S}/40001", nth=2 if by_id else 1, times=None, **read)
    result = run("scan", id=40001, state="stopped") if by_id else scan(state="stopped")
    assert (result.failed, result.changed, result["stopped"]) == (True, True, [])
    assert f"POST {S}/40001/stop. Scan 40001 may have been stopped" in result.msg
    assert "Run the task again" in result.msg
    assert (result["api_error"]["method"], result["api_error"]["path"]) == ("POST", f"{S}/40001/stop")
    assert account.calls().count(f"POST {S}/40001/stop") == 1


def test_a_late_stop_whose_answer_and_reads_are_lost_may_have_been_done(account, scan):
    account.settings(scan_run_time=9000)
    account.fault(method="POST", path=f"{S}/40001/stop", action="reset")
    result = scan(run_timeout=60, on_timeout="stop")
    assert [warning for warning in result.warnings if "40001 took too long and may have been stopped" in warning], (
        result.warnings
    )


def test_a_stop_without_wait(account, scan, passing):
    account.settings(scan_stop_time=30)
    account.add(scans=[old(5, status_name="waiting", script={"queue": 9000})])
    result = good(scan(state="stopped", wait=False))
    assert (result["stopped"], result["scan"]["status_name"], passing.now) == ([40001], "waiting", 0)
    assert account.calls()[-1] == f"POST {S}/40001/stop"


def test_a_scan_that_took_too_long_is_stopped_once_and_the_others_go_on(account, scan):
    account.settings(scan_scripts=[{"target": "a.example", "run": 9000}])
    result = scan(target=None, targets=["a.example", "b.example"], run_timeout=60, on_timeout="stop", queue_timeout=60)
    assert [each["outcome"] for each in result["scans"]] == ["run_timeout", "run_timeout"]
    account.clear_log()
    account.settings(scan_scripts=[{"target": "a.example", "queue": 9000}])
    result = scan(target=None, targets=["a.example", "b.example"], queue_timeout=60, on_timeout="stop")
    assert [each["outcome"] for each in result["scans"]] == ["queue_timeout", "finished"]
    assert [call for call in account.calls() if call.endswith("/stop")] == [f"POST {S}/40003/stop"]


def test_scans_that_the_list_does_not_show_are_read_by_their_ids(account, scan, passing):
    account.fault(method="GET", path=S, action="wrong_type", data=[], times=None)
    result = good(scan(target=None, targets=["a.example", "b.example"]))
    assert [each["outcome"] for each in result["scans"]] == ["finished", "finished"]
    assert account.calls().count(f"GET {S}") <= len(passing.slept) + 1
    assert len(account.calls()) <= 2 * len(passing.slept) + 8


def test_a_scan_that_took_too_long_and_cannot_be_stopped_is_a_warning(account, scan):
    account.settings(scan_run_time=9000)
    account.fault(method="POST", path=f"{S}/40001/stop", action="status", status=403, message="not yours")
    result = scan(run_timeout=60, on_timeout="stop")
    assert (result["outcome"], result["stopped"]) == ("run_timeout", [])
    assert ["not yours" in warning for warning in result.warnings] == [True]
    assert "it goes on" in result.msg


def test_a_stop_may_take_a_while(account, scan, passing):
    account.settings(scan_stop_time=30)
    account.add(scans=[old(5, status_name="waiting", script={"queue": 9000})])
    assert good(scan(state="stopped"))["outcome"] == "stopped"
    assert passing.now >= 30


@pytest.mark.parametrize("state", ["stopped", "absent"])
def test_the_wait_for_a_stop_survives_an_outage(account, scan, passing, state):
    account.settings(scan_stop_time=30)
    account.add(scans=[old(5, status_name="waiting", script={"queue": 9000})])
    # longer than a stop may take to be seen
    account.fault(method="GET", path=f"{S}/40001", action="status", status=502, times=45)
    result = good(scan(state=state, force=True, retries=0))
    assert result["stopped"] == [40001] and 400 < passing.now < 600
    assert account.calls().count(f"POST {S}/40001/stop") == 1
    said = [line for line in result.shown if "cannot be read" in line]
    assert len(said) == 45 and "trying again for 10 min 00 s (outage_wait), it was asked to stop" in said[0]


def test_a_stop_has_its_whole_time_after_an_outage(account, scan, passing):
    account.settings(scan_stop_time=500)
    account.add(scans=[old(5, status_name="waiting", script={"queue": 9000})])
    account.fault(method="GET", path=f"{S}/40001", action="status", status=502, times=35)
    assert good(scan(state="stopped", retries=0))["outcome"] == "stopped"
    assert 500 <= passing.now < 550


@pytest.mark.parametrize("state", ["stopped", "absent"])
@pytest.mark.parametrize("outage_wait, seconds", [(None, 600), ("0", 0), ("20m", 1200)])
def test_an_outage_ends_the_wait_for_a_stop_after_its_time(account, scan, passing, state, outage_wait, seconds):
    account.settings(scan_stop_time=30)
    account.add(scans=[old(5, status_name="waiting", script={"queue": 9000})])
    account.fault(method="GET", path=f"{S}/40001", action="status", status=503, times=None)
    options = {} if outage_wait is None else {"outage_wait": outage_wait}
    result = scan(state=state, force=True, retries=0, **options)
    assert (result.failed, result.changed, result["stopped"], result["deleted"]) == (True, True, [40001], [])
    assert result.msg.startswith(
        "Scan 40001 of 'www.example.com' was asked to stop, and whether it has ended is unknown: "
    )
    assert seconds <= passing.now <= seconds + 20
    assert [call for call in account.calls() if call.startswith("DELETE")] == []


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_read_ends_the_wait_for_a_stop_at_once(account, scan, passing, status):
    account.settings(scan_stop_time=30)
    account.add(scans=[old(5, status_name="waiting", script={"queue": 9000})])
    account.fault(method="GET", path=f"{S}/40001", action="status", status=status, times=None)
    result = scan(state="stopped", retries=0)
    assert (result.failed, result["stopped"], passing.now) == (True, [40001], 0)
    assert result["api_error"]["status"] == status


def test_delete_all_of_a_target_and_tool(account, scan):
    account.add(scans=[old(9000), old(100), old(5, tool_id=350), old(5, target_id=1002)])
    check = good(scan(state="absent", check=True))
    result = good(scan(state="absent"))
    assert (result.changed, result["deleted"], result["scan"]) == (True, [40001, 40002], None)
    assert (check["deleted"], check.diff) == ([40001, 40002], result.diff)
    assert [each["id"] for each in account.scans()] == [40003, 40004]
    assert not good(scan(state="absent")).changed
    assert not good(scan(state="absent", target="never.example")).changed


def test_a_service_that_ignores_the_filters_loses_no_other_scan(account, scan):
    account.add(scans=[old(100), old(100, target_id=1002), old(100, tool_id=350)])
    rows = [{name: each[name] for name in ("id", "target_id", "tool_id", "status_name")} for each in account.scans()]
    for state in ("stopped", "absent"):
        account.fault(
            method="GET", path=S, action="wrong_type", data=[dict(row, status_name="running") for row in rows]
        )
        check = good(scan(state=state, force=True, check=True))
        assert (check["stopped"], check["deleted"]) == ([40001], [40001] if state == "absent" else [])
        account.clear_log()
    account.fault(method="GET", path=S, action="wrong_type", data=rows)
    used = good(scan(max_age="1h", target="api.example.com", check=True))
    assert used["started"] is True


def test_nothing_is_deleted_in_a_workspace_that_does_not_exist(account, scan):
    account.add(scans=[old(100)])
    for named in ({"target": "www.example.com"}, {"target": None, "target_id": 1001}):
        result = good(scan(state="absent", workspace_id=None, workspace="Never", **named))
        assert (result.changed, result["deleted"]) == (False, [])
    assert "is not in workspace 3" in scan(state="absent", target=None, target_id=1001, workspace_id=3).msg
    assert len(account.scans()) == 1


def test_a_running_scan_is_deleted_only_with_force(account, scan):
    account.settings(scan_stop_time=25)
    account.add(scans=[old(100), old(5, status_name="waiting", script={"queue": 9000})])
    for check in (True, False):
        refused = scan(state="absent", check=check)
        assert "1 of the 2 scans to be deleted is in progress (40002), and nothing was deleted" in refused.msg
        assert account.writes() == []
    result = good(scan(state="absent", force=True))
    assert (result["stopped"], result["deleted"]) == ([40002], [40001, 40002])
    assert account.scans() == []
    assert account.writes() == [f"POST {S}/40002/stop", f"DELETE {S}/40001", f"DELETE {S}/40002"]


def test_delete_by_id(account, run):
    account.add(scans=[old(100), old(50)])
    assert good(run("scan", id=40001, state="absent"))["deleted"] == [40001]
    assert not good(run("scan", id=40001, state="absent")).changed
    assert [each["id"] for each in account.scans()] == [40002]


def test_what_was_deleted_before_a_failure_is_returned(account, scan):
    account.add(scans=[old(100), old(50)])
    account.fault(method="DELETE", path=f"{S}/40002", action="status", status=403, times=None)
    result = scan(state="absent")
    assert (result.failed, result.changed, result["deleted"]) == (True, True, [40001])


# --- check mode


def test_check_mode_starts_nothing_and_waits_for_nothing(account, scan, passing):
    result = good(scan(check=True))
    assert (result.changed, result["started"], result["outcome"]) == (True, True, None)
    assert {name: value for name, value in result["scan"].items() if value is not None} == {
        "tool_id": 170,
        "target_id": 1001,
        "workspace_id": 2,
    }
    account.add(scans=[old(5, **RUNNING)])
    joined = good(scan(check=True, max_age="1h"))
    assert (joined.changed, joined["scan"]["id"], joined["outcome"]) == (False, 40001, None)
    assert (account.writes(), passing.slept) == ([], [])


def test_check_mode_assumes_what_earlier_tasks_create(account, scan):
    result = good(scan(check=True, workspace_id=None, workspace="New", target="new.example"))
    assert (result.changed, result["scan"]["target_id"]) == (True, None)
    by_id = good(scan(check=True, workspace_id=None, target=None, target_id=None))
    assert (by_id.changed, by_id["scans"][0]["target"]) == (True, "the target that an earlier task would have made")
    gone = good(scan(check=True, target=None, tool=None, id=None, state="absent"))
    assert (gone.changed, gone["scans"]) == (False, [])


# --- options


@pytest.mark.parametrize(
    "options, words",
    [
        (
            {"tool": "Website Scaner"},
            "tool 'Website Scaner' is not the name of a known tool: did you mean 'Website Scanner'?",
        ),
        ({"tool": None}, "tool"),
        ({"tools": ["Website Scanner"]}, "mutually exclusive: tool|tools"),
        ({"tool": None, "tools": []}, "tools is empty: give at least one tool"),
        ({"tool": None, "tools": ["170", "Network"]}, "tools[1] 'Network' is not the name of a known tool"),
        ({"tool": None, "tools": ["170", "Website Scanner"]}, "tools names a tool twice"),
        ({"tool": None, "tools": ["170"], "tool_params": {"350": {}}}, "tool_params has the key '350'"),
        ({"tool": None, "tools": ["170"], "tool_params": {"170": "light"}}, "tool_params has the key '170'"),
        ({"max_age": "soon"}, "max_age is 'soon': give seconds"),
        ({"queue_timeout": -1}, "queue_timeout is -1"),
        ({"run_timeout": "nan"}, "run_timeout is nan"),
        ({"poll_interval": 0}, "poll_interval is 0"),
        ({"concurrency": -1}, "concurrency is -1"),
        ({"concurrency": 2, "wait": False}, "concurrency requires wait: true"),
        ({"max_scan_time": 1441}, "max_scan_time is 1441"),
        ({"target": " "}, "target is empty"),
        ({"target": None, "targets": []}, "targets is empty"),
        ({"target": None, "targets": ["a.example", ""]}, "targets[1] is empty"),
        (
            {"target": None, "targets": ["a.example", "b.example", "A.example."]},
            "targets[0] and targets[2] are the same",
        ),
        (
            {"authentication": {"type": "cookies", "cookie_header": "a=b", "password": SECRET}},
            "authentication.password does not belong to type cookies",
        ),
        ({"authentication": {"type": "cookies"}}, "cookie_header"),
        ({"target": None, "id": 5}, "id names an existing scan"),
        ({"target": None, "target_id": 99}, "No target with id 99 is visible"),
        ({"target": None, "target_id": 0}, "target_id is 0"),
        ({"target": None, "target_id": 1001, "workspace_id": 3}, "is not in workspace 3"),
        ({"target_id": 1001}, "mutually exclusive"),
    ],
)
def test_bad_options_are_refused_before_anything_is_started(account, scan, options, words):
    result = scan(**options)
    assert result.failed
    assert words in result.msg
    assert account.writes() == []
    # only an object that is named by its id can be missing
    assert account.calls() == [] or options["target_id"]
    assert not result.changed


def test_an_async_job_says_that_it_has_finished(account, scan, monkeypatch):
    monkeypatch.setenv("ANSIBLE_ASYNC_DIR", "/nowhere")
    assert good(scan())["finished"] == 1
    account.settings(scan_end="aborted")
    result = scan()
    assert (result.failed, result["finished"]) == (True, 1)
