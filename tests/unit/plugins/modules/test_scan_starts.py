# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Starts that the service refuses, and what is known of a start when something fails after it."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scan_time import (
    RUNNING,
    S,
    bodies,
    good,
    old,
)

FAILURES = {
    "html": {"action": "html", "status": 200},
    "401": {"action": "status", "status": 401},
    "404": {"action": "status", "status": 404},
    "500": {"action": "status", "status": 500},
    "cut JSON": {"action": "truncated_json"},
    "short body": {"action": "short"},
    "redirect": {"action": "redirect", "location": "https://elsewhere.example/"},
    "row without id": {"action": "wrong_type", "data": {"status_name": "running"}},
    "reset": {"action": "reset"},
}


@pytest.fixture
def account(scan_account):
    return scan_account


# --- a scan that was started is never lost


@pytest.mark.parametrize("targets", [None, ["www.example.com", "api.example.com"]])
@pytest.mark.parametrize("failure", FAILURES)
def test_a_start_is_reported_even_if_reading_it_fails(account, scan, failure, targets):
    account.fault(method="GET", path=f"{S}/4.*", times=None, **FAILURES[failure])
    result = good(scan(wait=False, **({"target": None, "targets": targets} if targets else {})))
    assert (result.changed, result["started"], result["outcome"]) == (True, True, None)
    ids = [40001, 40002] if targets else [40001]
    assert [each["scan"]["id"] for each in result["scans"]] == ids
    assert [each["scan"]["tool_id"] for each in result["scans"]] == [170] * len(ids)
    assert [each["started"] for each in result["scans"]] == [True] * len(ids)
    warnings = [warning for warning in result.warnings if "was started, but its record could not be read" in warning]
    assert len(warnings) == len(ids)
    assert f"Scan 40001 of {'www.example.com'!r}" in warnings[0]
    assert account.calls().count(f"POST {S}") == len(ids)


@pytest.mark.parametrize("failure", FAILURES)
def test_a_wait_that_fails_knows_what_was_started(account, scan, failure):
    account.fault(method="GET", path=f"{S}/4.*", times=None, **FAILURES[failure])
    result = scan()
    if failure == "404":
        assert result["outcome"] == "deleted"
    assert (result.failed, result.changed, result["started"]) == (True, True, True)
    assert result["scan"]["id"] == 40001
    assert "40001" in result.msg


# --- an answer that belongs to another start

# by the answer: that of a scan that existed before, and those that somebody else starts at the same time
OTHERS = {
    "old": None,
    "other target": {"target_id": 1002, "tool_id": 170},
    "other tool": {"target_id": 1001, "tool_id": 350},
}


def answer_with_another(account, which, when="after", complete=False):
    """Let the next start be answered with the id of a scan that is not the one that was asked for; returns the id."""
    account.add(scans=[old(5, id=39001, **RUNNING, **({"target_id": 1002} if which == "old" else {}))])
    if OTHERS[which]:
        record = {"id": 39002, **RUNNING, **OTHERS[which]}
        account.fault(method="POST", path=S, action="do", resource="scans", record=record)
    scan_id = 39002 if OTHERS[which] else 39001
    data = {"id": scan_id, "status_name": "running", **OTHERS[which]} if complete else {"created_id": scan_id}
    account.fault(method="POST", path=S, action="status", status=201, when=when, body={"data": data})
    return scan_id


@pytest.mark.parametrize("wait", [True, False])
@pytest.mark.parametrize("targets", [1, 2])
@pytest.mark.parametrize("which, complete", [*((each, False) for each in OTHERS), ("other target", True)])
def test_a_start_that_is_answered_with_another_scan_is_found_in_the_list(account, scan, which, complete, targets, wait):
    other = answer_with_another(account, which, complete=complete)
    many = {"target": None, "targets": ["www.example.com", "new.example.com"]} if targets == 2 else {}
    result = good(scan(wait=wait, **many))
    mine = result["scans"][0]["scan"]
    assert mine["id"] not in (other, 39001) and (mine["target_id"], mine["tool_id"]) == (1001, 170)
    assert [warning for warning in result.warnings if "is counted as started by this task" in warning]
    assert account.writes() == [f"POST {S}"] * targets


@pytest.mark.parametrize("wait", [True, False])
@pytest.mark.parametrize("which", OTHERS)
def test_a_start_that_is_answered_with_another_scan_and_not_done_has_failed(account, scan, which, wait):
    other = answer_with_another(account, which, "before")
    result = scan(wait=wait, on_timeout="stop", run_timeout=5, stop_on_interrupt=True)
    assert result.failed and result.changed, result
    assert f"the id {other} of another scan" in result.msg
    assert "A scan of 'www.example.com' may have been started: POST /scans was answered" in result.msg
    assert "and the list shows no new scan of it" in result.msg
    assert "Read the list with scanops.scanner.scan_info, or run the task again with max_age" in result.msg
    assert not (result["scan"] or {}).get("id")
    assert account.writes() == [f"POST {S}"]


def test_a_new_target_is_that_of_the_answer_only_if_it_has_the_name(account, scan):
    record = {"id": 39002, "target_id": 1002, "tool_id": 170, **RUNNING}
    account.fault(method="POST", path=S, action="do", resource="scans", record=record)
    body = {"data": {"created_id": 39002, "target_id": 1002}}
    account.fault(method="POST", path=S, action="status", status=201, when="after", body=body)
    result = good(scan(target="new.example.com"))
    assert result["scan"]["id"] != 39002
    assert result["scan"]["target_id"] == next(
        row["id"] for row in account.targets() if row["name"] == "new.example.com"
    )


# --- limits of the plan


def test_a_limit_of_parallel_scans_is_named(account, scan):
    account.settings(max_parallel_scans=0)
    result = scan()
    assert (result.failed, result.changed) == (True, False)
    assert "'Your current plan only allows 0 parallel scans'" in result.msg
    assert "set concurrency" in result.msg
    assert "API access" not in result.msg


@pytest.mark.parametrize("options", [{}, {"concurrency": 3}])
def test_targets_wait_for_a_free_slot(account, scan, options):
    account.settings(max_parallel_scans=2)
    names = [f"host-{number}.example" for number in range(5)]
    result = good(scan(target=None, targets=names, **options))
    assert {each["outcome"] for each in result["scans"]} == {"finished"}
    assert [body["target_name"] for body in bodies(account) if body][-1] == names[-1]
    started = {scan["id"] for scan in account.scans()}
    assert len(started) == 5
    # one start an interval is tried
    posts = account.calls().count(f"POST {S}")
    polls = len(account.calls()) - posts
    assert 5 < posts <= 5 + polls


def test_the_wait_for_a_slot_has_a_limit(account, scan, passing):
    account.settings(max_parallel_scans=1)
    account.add(scans=[old(5, **{**RUNNING, "script": {"queue": 90000}, "target_id": 1002})])
    result = scan(target=None, targets=["www.example.com", "new.example.com"], queue_timeout=300)
    assert (result.failed, result.changed, result["started"]) == (True, False, False)
    assert [each["outcome"] for each in result["scans"]] == ["queue_timeout", "queue_timeout"]
    assert "had no free slot for 300 s ('Your current plan only allows 1 parallel scans')" in result.msg
    assert "raise queue_timeout" in result.msg
    assert 300 <= passing.now <= 301
    # a missing scan cannot be stopped
    assert not [call for call in account.calls() if call.endswith("/stop")]


# --- the option that is wrong


# --- many starts


def test_many_starts_are_shown_while_they_run(account, run, passing):
    # each call takes four seconds
    clock = iter(range(0, 100000, 4))
    names = [f"host-{number:02d}.example" for number in range(12)]
    options = dict(target=None, targets=names, workspace_id=2, tool="170")
    result = good(run("scan", clock=lambda: next(clock), sleep=passing.sleep, **options))
    starting = [line for line in result.shown if "to be started" in line]
    assert len(starting) > 2
    assert starting[0].startswith("0 of 12 scans done after ")
    assert result.shown[-1].startswith("12 of 12 scans done after ")


# --- a VPN profile whose list cannot be read

UUID = "0b9f1c9e-6a3f-4f1e-8f0e-4d6f5a7b8c9d"


@pytest.mark.parametrize("status", [403, 404])
def test_a_uuid_of_a_vpn_profile_needs_no_list(account, scan, status):
    account.add(vpn_profiles=[{"uuid": UUID, "name": "Office"}])
    account.fault(method="GET", path="/vpn_profiles", action="status", status=status, times=None)
    result = good(scan(vpn_profile=UUID, wait=False))
    assert bodies(account)[0]["vpn_profile_uuid"] == UUID
    assert [warning for warning in result.warnings if f"vpn_profile '{UUID}' was not checked" in warning], (
        result.warnings
    )
    named = scan(vpn_profile="Office", wait=False)
    assert named.failed
    assert named["api_error"]["status"] == status
    assert account.calls().count(f"POST {S}") == 1
