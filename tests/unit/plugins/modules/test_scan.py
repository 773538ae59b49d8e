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


def test_a_missing_target_can_fail_the_task_before_anything_is_started(account, scan):
    names = ["www.example.com", "wwww.example.com"]
    result = scan(target=None, targets=names, missing_target="fail")
    assert result.failed and "Target 'wwww.example.com' does not exist" in result.msg
    assert account.writes() == []
    # an earlier task may create it
    assert len(good(scan(check=True, target=None, targets=names, missing_target="fail")).warnings) == 1
    assert good(scan(missing_target="fail")).warnings == []


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


@pytest.mark.parametrize(
    "outage_wait, seconds", [(None, 600), pytest.param("2h", 7200, marks=pytest.mark.slow), ("90", 90), ("0", 0)]
)
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


# what fails when the first of two scans has ended: the list that shows whether somebody has started the second, or its start
LATE = {
    "list": ("api.example.com", dict(method="GET", path=S, nth=4, status=503)),
    "targets": ("new.example", dict(method="GET", path=T, nth=3, status=503)),
    "start": ("new.example", dict(method="POST", path=S, nth=2, status=429)),
}


@pytest.mark.parametrize("call", LATE)
def test_an_outage_at_a_later_start_does_not_end_a_wait(account, scan, call):
    # of three tries: all of a poll, and the first of the next one
    second, fault = LATE[call]
    account.fault(**fault, action="status", times=4)
    names = ["www.example.com", second]
    result = good(scan(target=None, targets=names, concurrency=1, max_age="1h", retries=1, rate_limit_wait=1))
    assert {each["outcome"] for each in result["scans"]} == {"finished"}
    # each is started once
    assert [each["target_name"] for each in bodies(account)][-1:] == [second]
    assert len(account.scans()) == 2
    said = [line for line in result.shown if "(outage_wait)" in line]
    assert said and said[0].startswith("the next scan cannot be started (") and "; trying again for " in said[0]


@pytest.mark.parametrize("call", LATE)
def test_an_outage_at_a_later_start_ends_a_wait_after_its_time(account, scan, passing, call):
    second, fault = LATE[call]
    account.fault(**fault, action="status", times=None)
    names = ["www.example.com", second]
    options = dict(concurrency=1, max_age="1h", retries=0, rate_limit_wait=0, outage_wait="20m")
    result = scan(target=None, targets=names, **options)
    assert result.failed and str(fault["status"]) in result.msg
    assert 1200 <= passing.now - 115 <= 1300
    not_started = "failed_to_start" if call == "start" else None
    assert [each["outcome"] for each in result["scans"]] == ["finished", not_started]
    assert len(account.scans()) == 1


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


def test_a_refused_start_of_one_tool_does_not_hide_the_other(account, scan):
    account.fault(method="POST", path=S, nth=1, action="status", status=422)
    result = scan(**TWO)
    assert result.failed
    rows = [(each["tool_id"], each["outcome"], each["scan"] is None) for each in result["scans"]]
    assert rows == [(170, "failed_to_start", True), (350, "finished", False)]


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


# --- a start whose answer is lost


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


# --- options


def test_an_async_job_says_that_it_has_finished(account, scan, monkeypatch):
    monkeypatch.setenv("ANSIBLE_ASYNC_DIR", "/nowhere")
    assert good(scan())["finished"] == 1
    account.settings(scan_end="aborted")
    result = scan()
    assert (result.failed, result["finished"]) == (True, 1)
