# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The creation of a report of which it is not known whether it was done: found in the list, and never sent twice unseen."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._scan.report_create import could_be

PDF = dict(source="scans", resources=[40001], format="pdf", dest="report.pdf")
NOTE = Path(".report.pdf.request.json")
START = dict(method="POST", path="/reports")
LOST = {
    "reset": {"action": "reset"},
    "502": {"action": "html", "status": 502},
    "500": {"action": "status", "status": 500, "message": "broken"},
}


@pytest.fixture
def lose(account):
    """Loses the answer to the next creation: done or not, and with these reports made by others meanwhile."""

    def once(done, others=(), how="reset"):
        if done:
            account.fault(**START, **LOST[how], when="after")
        elif others:
            # one that somebody else creates before the connection breaks
            account.fault(**START, action="do", resource="reports", record=others[0])
            account.fault(**START, **LOST[how])
        else:
            account.fault(**START, **LOST[how])

    return once


def good(result):
    assert not result.failed, result.msg
    return result


def posts(account):
    return account.calls().count("POST /reports")


def ids(account):
    return [report["id"] for report in account.reports()]


# --- in the same run


@pytest.mark.parametrize("how", LOST)
def test_the_one_new_report_of_a_lost_creation_is_the_own_one(account, run, lose, how):
    lose(done=True, how=how)
    result = good(run("report", **PDF))
    assert result["report"]["id"] == 303
    assert result.changed
    assert [warning for warning in result.warnings if "Report 303 is new since then and is counted as" in warning]
    assert account.calls() == [
        "GET /reports",
        "POST /reports",
        "GET /reports",
        "GET /reports/303",
        "GET /reports/303/download",
    ]
    account.clear_log()
    assert not good(run("report", **PDF)).changed
    assert account.calls() == []


@pytest.mark.parametrize("how", LOST)
@pytest.mark.parametrize("keep", [True, False])
def test_a_creation_that_was_lost_on_its_way_is_sent_by_the_next_run_which_says_so(account, run, lose, how, keep):
    lose(done=False, how=how)
    first = run("report", **PDF, keep=keep)
    assert first.failed
    assert "no new pdf report exists. The report may have been started" in first.msg
    assert "Run the task again; it searches for the report before it requests another one." in first.msg
    assert first.changed
    assert posts(account) == 1
    second = good(run("report", **PDF, keep=keep))
    assert [warning for warning in second.warnings if "No new pdf report exists, so it is requested again." in warning]
    assert posts(account) == 2
    assert ids(account) == [301, 302, 303][: 3 if keep else 2]
    account.clear_log()
    assert not good(run("report", **PDF, keep=keep)).changed
    assert account.calls() == []


def test_several_new_reports_are_named_and_none_is_taken(account, run):
    account.fault(**START, action="do", resource="reports", record={"id": 7, "format": "pdf", "resources": [40001]})
    account.fault(**START, action="reset", when="after", nth=1)
    account.settings(order="newest_first")
    # both faults strike the same request, the first one before it is done
    result = run("report", **PDF)
    assert result.failed
    assert "2 new pdf reports exist (7, 303)" in result.msg
    assert "set id instead of source" in result.msg
    assert result.changed
    for check in (True, False):
        again = run("report", check=check, **PDF)
        assert "2 new pdf reports exist (7, 303)" in again.msg
        assert not again.changed
    assert posts(account) == 1
    assert good(run("report", id=303, dest="report.pdf")).changed
    assert posts(account) == 1


def test_a_list_that_cannot_be_read_after_the_loss_leaves_it_to_the_next_run(account, run, lose):
    lose(done=True)
    account.fault(method="GET", path="/reports", nth=2, action="status", status=403, times=1)
    first = run("report", **PDF)
    assert "the list of reports could not be read. The report may have been started" in first.msg
    assert (first.changed, first["api_error"]["method"]) == (True, "POST")
    second = good(run("report", **PDF))
    assert second["report"]["id"] == 303
    assert [warning for warning in second.warnings if "An earlier run of this task requested this report" in warning]
    assert posts(account) == 1


def test_a_list_that_cannot_be_read_before_the_creation_ends_the_task_without_one(account, run):
    account.fault(method="GET", path="/reports", action="status", status=403)
    result = run("report", **PDF)
    assert (result.failed, result.changed) == (True, False)
    assert account.writes() == []
    assert not NOTE.exists()


def test_after_an_answer_without_an_id_the_list_decides(account, run):
    account.settings(report_answer="nothing")
    result = good(run("report", **PDF))
    assert (result["report"]["id"], result.warnings) == (303, [])
    assert posts(account) == 1


@pytest.mark.parametrize("before", [True, False])
def test_a_creation_that_was_refused_leaves_the_note_as_it_was(account, run, before):
    if before:
        good(run("report", **PDF))
    note = NOTE.read_text() if before else None
    account.fault(**START, action="status", status=403)
    assert run("report", **{**PDF, "resources": [40002]}).failed
    assert NOTE.exists() is before
    assert not before or NOTE.read_text() == note
    account.clear_log()
    assert good(run("report", **PDF)).changed is not before
    assert posts(account) == (0 if before else 1)


# --- an answer that belongs to another creation

MADE_BY_OTHERS = {"id": 7, "format": "html", "resources": [40002]}


@pytest.mark.parametrize("report_id", [301, 7])
def test_another_report_in_the_answer_is_not_taken(account, run, report_id):
    """301 existed before, 7 is one that somebody else requests at the same time."""
    if report_id == 7:
        account.fault(**START, action="do", resource="reports", record=MADE_BY_OTHERS)
    body = {"data": {"created_id": report_id}}
    account.fault(**START, action="status", status=201, when="after", body=body)
    first = run("report", **PDF, keep=False)
    assert first.changed and first.failed is (report_id == 7), first
    if first.failed:
        assert "report 7 is another one" in first.msg
        assert "Run the task again; it searches for the report before it requests another one." in first.msg
        assert not Path("report.pdf").exists()
        first = good(run("report", **PDF, keep=False))
    assert posts(account) == 1
    assert [call for call in account.writes() if call.startswith("DELETE")] == ["DELETE /reports/303"]
    account.clear_log()
    assert not good(run("report", **PDF, keep=False)).changed
    assert account.calls() == []


def test_another_report_in_the_answer_is_not_downloaded_while_it_cannot_be_read(account, run):
    account.fault(**START, action="do", resource="reports", record=MADE_BY_OTHERS)
    account.fault(**START, action="status", status=201, body={"data": {"created_id": 7}})
    account.fault(method="GET", path="/reports/7", action="status", status=503, times=4)
    result = run("report", **PDF, keep=False)
    assert result.failed and result.changed and "report 7 is another one" in result.msg
    assert "GET /reports/7/download" not in account.calls()
    assert account.writes() == ["POST /reports"]


# --- after a run that was killed or could not find out


class Killed(BaseException):
    """As SIGKILL: nothing is done after it."""


@pytest.mark.parametrize("done", [True, False])
def test_a_run_that_was_killed_during_the_creation_makes_no_second_report(account, run, monkeypatch, done):
    from ansible_collections.scanops.scanner.plugins.module_utils._http.client import Client

    start = Client.start

    def killed(self, *arguments):
        if done:
            start(self, *arguments)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Client, "start", killed)
        with pytest.raises(Killed):
            run("report", **PDF)
    check = good(run("report", check=True, **PDF))
    assert posts(account) == (1 if done else 0)
    real = good(run("report", **PDF))
    assert check.changed and real.changed
    assert check["report"]["id"] == (303 if done else None)
    assert real["report"]["id"] == 303
    assert posts(account) == 1
    assert "An earlier run of this task requested this report" in str(check.warnings)
    assert "An earlier run of this task requested this report" in str(real.warnings)


def test_the_note_says_what_was_sent_and_nothing_of_it_once_it_is_known(account, run, lose):
    lose(done=False)
    before = time.time()
    assert run("report", **PDF).failed
    sent = json.loads(NOTE.read_text())["sent"]
    assert sent["request"]["resources"] == [40001]
    assert sent["known"] == [301, 302]
    assert before <= sent["asked_at"] <= time.time()
    good(run("report", **PDF))
    assert json.loads(NOTE.read_text())["sent"] is None


def test_an_existing_file_keeps_its_note_until_another_replaces_it(account, run, lose):
    good(run("report", **PDF))
    lose(done=False)
    assert run("report", **{**PDF, "resources": [40002]}).failed
    account.clear_log()
    assert not good(run("report", **PDF)).changed
    assert account.calls() == []


def test_another_request_is_sent_without_a_search_for_the_lost_one(account, run, lose):
    lose(done=True)
    account.fault(method="GET", path="/reports", nth=2, action="status", status=403)
    assert run("report", **PDF).failed
    result = good(run("report", **{**PDF, "resources": [40002]}))
    assert (result["report"]["id"], result.warnings) == (304, [])


def test_a_lost_report_that_is_old_is_named_and_not_used(account, run, lose):
    lose(done=True)
    account.fault(method="GET", path="/reports", nth=2, action="status", status=403)
    assert run("report", **PDF).failed
    note = json.loads(NOTE.read_text())
    note["sent"]["asked_at"] -= 2 * 86400
    NOTE.write_text(json.dumps(note))
    result = good(run("report", **PDF))
    assert result["report"]["id"] == 304
    assert [warning for warning in result.warnings if "report 303" in warning and "more than a day" in warning]


# --- decisions

REQUEST = dict(base_url="x", source="scans", resources=[1, 2], format="pdf", group_by="target")


@pytest.mark.parametrize(
    "row, expected",
    [
        ({"format": "pdf"}, True),
        ({"format": "PDF"}, True),
        ({"format": None}, True),
        ({"format": "html"}, False),
        ({"format": "pdf", "source": "scans", "group_by": "target", "resources": [2, 1]}, True),
        ({"format": "pdf", "source": "findings"}, False),
        ({"format": "pdf", "group_by": "vulnerability"}, False),
        ({"format": "pdf", "resources": [1, 3]}, False),
        # a form that nobody has described tells nothing
        ({"format": "pdf", "resources": "1,3", "source": 7}, True),
        ({"format": "pdf", "resources": [{"id": 1}]}, True),
        ({"format": "pdf", "resources": []}, True),
    ],
    ids=str,
)
def test_a_report_is_not_the_own_one_where_the_service_shows_something_else(row, expected):
    assert could_be(row, REQUEST) is expected
