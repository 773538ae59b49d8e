# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Updates and deletes whose answers do not confirm them: resolved by another read, else reported."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.test_statuses import (
    CHANGING,
    assert_error,
    assert_succeeded,
    fault_cases,
    run_task,
    sampled,
)

PAGE = {"action": "html", "status": 200}
# answers with a status of success that do not say that anything was done
NOT_THE_SERVICE = {
    "html": PAGE,
    "text": {"action": "status", "status": 200, "body": "<p>done</p>"},
    "list": {"action": "status", "status": 200, "body": []},
    "no-data": {"action": "status", "status": 202, "body": {"status": "queued"}},
    "cut": {"action": "status", "status": 200, "body": '{"data": {"id"'},
}
THE_SERVICE = {
    "204": {"action": "status", "status": 204, "body": ""},
    "empty": {"action": "status", "status": 200, "body": ""},
    "object": {"action": "status", "status": 200, "body": {}},
    "data": {"action": "status", "status": 200, "body": {"data": {}}},
    "null": {"action": "status", "status": 200, "body": {"data": None}},
}
LOST = {
    "reset": {"action": "reset"},
    "504": {"action": "html", "status": 504},
    "html": PAGE,
}


@sampled("fault", fault_cases(NOT_THE_SERVICE), CHANGING)
def test_a_change_that_was_not_done_is_not_done_because_of_its_status(account, run, call, fault):
    state = account.state()
    call.fault(account, times=None, **fault)
    result = run_task(run, call)
    assert_error(result, call, fault["status"])
    assert "may have been" in result.msg
    assert "run the task again" in result.msg.lower()
    assert "base_url" not in result.msg
    assert result.changed
    assert account.state() == state


@sampled("fault", fault_cases(NOT_THE_SERVICE), CHANGING)
def test_a_change_that_reading_again_shows_is_done_and_warned_of(account, run, call, fault):
    call.fault(account, when="after", **fault)
    result = run_task(run, call)
    assert_succeeded(result, call)
    assert [warning for warning in result.warnings if f"{call.method} {call.path} was answered" in warning]
    assert account.writes().count(f"{call.method} {call.path}") == 1


@sampled("fault", fault_cases(THE_SERVICE), CHANGING)
def test_an_empty_answer_and_an_object_say_that_a_change_was_done(account, run, call, fault):
    account.allow_violations = True
    call.fault(account, when="after", **fault)
    result = run_task(run, call)
    assert_succeeded(result, call)
    assert account.calls() == list(call.task.calls)


@sampled("fault", fault_cases(LOST), CHANGING)
def test_a_change_with_an_unknown_outcome_says_so_and_counts_as_changed(account, run, call, fault):
    """The work was done, and neither its answer nor the read after it arrives."""
    call.fault(account, when="after", times=None, **fault)
    path = call.path.split("/")[1]
    for nth in (1, 2, 3):
        before = call.task.calls[: call.task.calls.index(f"{call.method} {call.path}")]
        reads = sum(each.startswith(f"GET /{path}") for each in before)
        account.fault(method="GET", path=f"/{path}.*", nth=reads + nth, action="status", status=503, times=None)
    result = run_task(run, call)
    assert_error(result, call, fault.get("status"))
    assert "may have been" in result.msg
    assert "run the task again; it changes only what is still missing" in result.msg.lower()
    assert result.changed


def test_recorded_requests_that_are_gone_after_a_lost_delete_were_cleared(account, run):
    account.fault(method="DELETE", when="after", action="html", status=504, times=None)
    result = run("http_logger_data", label="canary", state="absent")
    assert not result.failed, result.msg
    assert (result.changed, result["cleared"]) == (True, 2)
    assert account.calls()[-1] == "GET /http_loggers/501/data"


def test_a_stop_is_not_done_because_of_its_status(account, run):
    account.add(
        scans=[
            {
                "id": 5,
                "tool_id": 170,
                "target": "www.example.com",
                "workspace": "Web shop",
                "status_name": "running",
                "script": {"run": 9000},
            }
        ]
    )
    account.fault(method="POST", path="/scans/5/stop", **PAGE)
    result = run("scan", id=5, state="stopped")
    assert result.failed
    assert "POST /scans/5/stop" in result.msg
    assert "may have been stopped" in result.msg
    assert result.slept == []


# --- what a message may advise

VANISHED = {
    "targets": {"workspace": "Web shop", "targets": ["new.example.com"]},
    "target": {"workspace": "Web shop", "name": "new.example.com"},
    "target_info": {"workspace": "Web shop"},
    "http_logger_info": {"workspace": "Web shop"},
    "finding_info": {"workspace": "Web shop"},
    "estate": {"workspaces": [{"name": "Web shop", "targets": ["new.example.com"]}]},
}


@pytest.mark.parametrize("module", VANISHED)
@pytest.mark.parametrize(
    "unknown, status, words",
    [
        ("documented", 400, "Check that the workspace still exists, and run the task again"),
        (404, 404, "The workspace was deleted after this task had found it; run the task again"),
    ],
)
def test_a_named_workspace_that_vanishes_is_not_a_wrong_id(account, run, module, unknown, status, words):
    if (module, unknown) == ("http_logger_info", "documented"):
        pytest.skip("the list of its loggers is empty")
    account.settings(unknown_workspace=unknown)
    account.fault(
        path="/(targets|http_loggers|findings)", action="do", do="delete", resource="workspaces", record={"id": 2}
    )
    result = run(module, **VANISHED[module])
    assert result.failed
    assert result["api_error"]["status"] == status
    assert "check workspace_id" not in result.msg
    assert words in result.msg
