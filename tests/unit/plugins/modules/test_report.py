# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
import time
from pathlib import Path

import pytest
from ansible.module_utils.basic import AnsibleModule
from ansible_collections.scanops.scanner.plugins.module_utils._http.transport import Transport
from ansible_collections.scanops.scanner.plugins.module_utils._task import atomic_files as _files

PDF = dict(source="scans", resources=[40001], format="pdf", dest="report.pdf")
NOTE = Path(".report.pdf.request.json")
FORMATS = ("pdf", "html", "json", "csv", "xlsx", "docx")


def good(result):
    assert not result.failed, result.msg
    return result


def refused(result, *words):
    assert result.failed, result
    assert result.msg.endswith(".")
    assert "\n" not in result.msg
    assert "exception" not in result.result
    for word in words:
        assert word in result.msg
    return result


def names():
    return sorted(path.name for path in Path().iterdir() if path.name != "kept.txt")


@pytest.fixture
def passing(account):
    """Lets the clock of the service pass as a task waits."""
    passed = [0.0]

    def sleep(seconds):
        passed[0] += seconds
        account.settings(clock_offset=int(passed[0]) + 1)

    sleep.passed = passed
    return sleep


# --- what is created, and when nothing is


@pytest.mark.parametrize("form", FORMATS)
def test_a_report_of_each_format_is_kept_with_its_size_and_checksum(account, run, form):
    result = good(run("report", **{**PDF, "format": form, "dest": f"report.{form}"}))
    content = Path(f"report.{form}").read_bytes()
    assert (result["size"], result["checksum"]) == (len(content), hashlib.sha1(content).hexdigest())
    assert result["report"] == {"id": 303, "format": form, "status": "finished"}


def test_the_same_task_needs_no_call(account, run):
    first = good(run("report", **PDF, group_by="target"))
    account.clear_log()
    directory = os.stat(".").st_mtime_ns
    for check in (False, True):
        again = good(run("report", check=check, **{**PDF, "resources": [40001, 40001]}, group_by="target"))
        assert not again.changed
        assert {key: again[key] for key in ("report", "dest", "size", "checksum")} == {
            key: first[key] for key in ("report", "dest", "size", "checksum")
        }
        assert again.diff["before"] == again.diff["after"]
    assert account.calls() == []
    assert os.stat(".").st_mtime_ns == directory


@pytest.mark.parametrize(
    "other",
    [
        {"resources": [40002]},
        {"resources": [40001, 40002]},
        {"source": "findings", "resources": [70001]},
        {"format": "html"},
        {"group_by": "vulnerability"},
    ],
    ids=str,
)
def test_another_request_makes_another_report(account, run, other):
    good(run("report", **PDF, mode="0644"))
    account.clear_log()
    other = {**PDF, "mode": "0600", **other}
    check = good(run("report", check=True, **other))
    assert account.calls() == []
    result = good(run("report", **other))
    assert check.changed and result.changed
    assert check.diff == result.diff
    before = {"source": "scans", "resources": [40001], "format": "pdf", "group_by": "target", "mode": "0644"}
    assert (result.diff["before"], result.diff["after"]["mode"]) == (before, "0600")
    assert account.writes() == ["POST /reports"]
    assert json.loads(NOTE.read_text())["request"]["resources"] == other["resources"]


def test_another_service_makes_another_report(account, run):
    good(run("report", **PDF))
    elsewhere = account.base_url.replace("127.0.0.1", "localhost")
    assert good(run("report", **PDF, base_url=elsewhere)).changed


@pytest.mark.parametrize("what", ["no file", "another file", "no note", "broken note", "note of others"])
def test_without_the_file_or_its_note_another_report_is_created(account, run, what):
    first = good(run("report", **PDF))
    if what == "no file":
        Path("report.pdf").unlink()
    elif what == "another file":
        with open("report.pdf", "ab") as stream:
            stream.write(b"more")
    elif what == "no note":
        NOTE.unlink()
    elif what == "broken note":
        NOTE.write_text("{")
    else:
        NOTE.chmod(0o666)
    again = good(run("report", **PDF))
    assert again.changed
    assert again["report"]["id"] == 304
    assert ("it is ignored" in str(again.warnings)) is (what == "note of others")
    assert not good(run("report", **PDF)).changed
    assert first["report"]["id"] == 303


def test_the_note_says_what_was_asked_for_and_is_for_nobody_else(account, run):
    result = good(run("report", **PDF, mode="0644"))
    note = json.loads(NOTE.read_text())
    assert note["request"] == {
        "base_url": account.base_url,
        "source": "scans",
        "resources": [40001],
        "format": "pdf",
        "group_by": "target",
    }
    assert note["report"] == result["report"]
    assert note["content"] == {"size": result["size"], "checksum": result["checksum"]}
    assert stat.S_IMODE(NOTE.stat().st_mode) == 0o600
    assert account.api_key not in NOTE.read_text()
    assert names() == [".report.pdf.request.json", "report.pdf"]


def test_a_note_with_something_else_is_not_used(account, run):
    good(run("report", **PDF))
    note = json.loads(NOTE.read_text())
    for odd in (
        [],
        {},
        {**note, "version": 2},
        {**note, "request": 7},
        {**note, "asked_at": "now"},
        {**note, "report": {"id": "1/../../workspaces/1"}},
        {**note, "content": 7},
        {**note, "sent": {"known": [7]}},
    ):
        NOTE.write_text(json.dumps(odd))
        assert good(run("report", check=True, **PDF)).changed


# --- by id


def test_a_report_by_id_is_fetched_once(account, run):
    first = good(run("report", id=302, dest="x.json"))
    assert first.changed
    assert json.loads(Path("x.json").read_text())
    account.clear_log()
    assert not good(run("report", id=302, dest="x.json")).changed
    assert account.calls() == []
    assert account.writes() == []


def test_if_the_file_has_the_content_already_only_the_note_is_written(account, run):
    good(run("report", id=302, dest="x.json"))
    Path(".x.json.request.json").unlink()
    inode = os.stat("x.json").st_ino
    check = good(run("report", check=True, id=302, dest="x.json"))
    assert not Path(".x.json.request.json").exists()
    real = good(run("report", id=302, dest="x.json"))
    assert (check.changed, real.changed) == (False, False)
    assert check.diff == real.diff
    assert os.stat("x.json").st_ino == inode
    assert Path(".x.json.request.json").exists()


def test_in_check_mode_a_report_that_is_not_ready_is_not_waited_for(account, run):
    account.add(reports=[{"id": 7, "resources": [40001], "takes": 3600}])
    Path("x.pdf").write_text("other")
    result = good(run("report", check=True, id=7, dest="x.pdf"))
    assert (result.changed, result["size"], result.slept) == (True, None, [])
    assert Path("x.pdf").read_text() == "other"


@pytest.mark.parametrize("check", [False, True])
def test_a_missing_report_is_named(account, run, check):
    refused(run("report", check=check, id=99, dest="x.pdf"), "No report with id 99 is visible to this API key")
    assert names() == []


def test_a_format_that_nobody_knows_is_fetched_and_a_page_is_refused(account, run):
    account.allow_violations = True
    account.fault(
        path="/reports/301", action="status", status=200, body={"data": {"id": 301, "format": "odt"}}, times=None
    )
    assert good(run("report", id=301, dest="x.odt"))["report"]["format"] == "odt"
    account.fault(path="/reports/301/download", action="html", status=200)
    refused(run("report", id=301, dest="y.odt"), "with an HTML page where a file was asked for")


# --- waiting


@pytest.mark.parametrize("status_field", ["status", "status_name", "none"])
@pytest.mark.parametrize("not_ready", [404, 409])
def test_a_report_is_waited_for(account, run, passing, status_field, not_ready):
    account.settings(report_time=60, report_status=status_field, report_not_ready=not_ready)
    result = good(run("report", **PDF, sleep=passing))
    assert 60 <= passing.passed[0] <= 80
    assert result["report"]["status"] == ("finished" if status_field != "none" else None)
    downloads = account.calls().count("GET /reports/303/download")
    # a status that says that it is not ready saves the download
    assert downloads == (1 if status_field != "none" else account.calls().count("GET /reports/303"))


def test_the_polls_become_slower(account, run):
    account.settings(report_time=10**6)
    slept = run("report", **PDF).slept
    assert slept[:3] == [2.0, 3.0, 4.5]
    assert max(slept) == 15.0
    assert sum(slept) == 600
    assert slept[3:-1] == sorted(slept[3:-1])


@pytest.mark.parametrize("path", ["/reports/303", "/reports/303/download"])
@pytest.mark.parametrize("outage_wait, ready", [("10m", True), ("0", False)])
def test_a_wait_survives_an_outage_of_some_minutes(account, run, path, outage_wait, ready):
    # the report is ready, but the service does not say so
    account.fault(method="GET", path="/reports/303", action="status", status=503, times=12)
    account.fault(method="GET", path=path, action="status", status=503, times=12)
    account.fault(method="GET", path="/reports/303/download", action="status", status=503, times=12)
    result = run("report", **PDF, retries=0, outage_wait=outage_wait)
    assert result.failed is not ready, result.msg
    assert result.changed and result["report"]["id"] == 303 and account.writes() == ["POST /reports"]
    assert ready or result["api_error"]["status"] == 503


def test_a_download_that_fails_until_the_end_of_the_wait_is_the_error(account, run):
    """And not a report that is not ready."""
    account.fault(method="GET", path="/reports/303/download", action="status", status=502, times=None)
    result = run("report", **PDF, retries=0, wait_timeout=30)
    assert result.failed and result["api_error"]["status"] == 502 and result["report"]["id"] == 303
    assert "not ready" not in result.msg and "it continues with this report" in result.msg


@pytest.mark.parametrize("wait_timeout", [0, 1, 100])
def test_the_wait_has_an_end_and_the_next_run_continues_with_the_report(account, run, wait_timeout):
    account.settings(report_time=10**6)
    result = refused(
        run("report", **PDF, wait_timeout=wait_timeout),
        "Report 303 was created, but the task failed after that",
        f"report 303 was not ready within {wait_timeout} s",
        "it continues with this report",
    )
    assert (result.changed, sum(result.slept)) == (True, wait_timeout)
    assert result["report"]["id"] == 303
    assert names() == [".report.pdf.request.json"]
    account.settings(clock_offset=10**6)
    check = good(run("report", check=True, **PDF))
    again = good(run("report", **PDF))
    assert check.changed and again.changed
    assert check["report"]["id"] == again["report"]["id"] == 303
    assert account.writes() == ["POST /reports"]
    assert not good(run("report", **PDF)).changed


def test_a_clock_bounds_the_waiting_where_the_calls_take_long(account, run, monkeypatch):
    account.settings(report_time=10**6)
    moments = iter(range(0, 10**6, 50))
    monkeypatch.setattr(Transport, "now", lambda self: float(next(moments)))
    assert sum(run("report", **PDF, wait_timeout=300).slept) < 50


@pytest.mark.parametrize(
    "change",
    [{"asked_at": 0}, {"asked_at": time.time() + 10**6}, {"report": None}, {"request": {"id": 7}}],
    ids=["old", "of the future", "without a report", "another request"],
)
def test_a_run_continues_only_with_a_recent_report_of_the_same_request(account, run, change):
    account.settings(report_time=10**6)
    run("report", **PDF, wait_timeout=0)
    NOTE.write_text(json.dumps({**json.loads(NOTE.read_text()), **change}))
    account.settings(report_time=0)
    assert good(run("report", **PDF))["report"]["id"] == 304


def test_a_report_that_is_deleted_during_the_wait_ends_it(account, run):
    account.settings(report_time=10**6)
    account.fault(
        method="GET", path="/reports/303", nth=3, action="do", do="delete", resource="reports", record={"id": 303}
    )
    result = refused(
        run("report", **PDF), "Report 303 no longer exists, because somebody deleted it. Run this task again"
    )
    assert (result.changed, len(result.slept)) == (True, 2)
    # it does not claim to continue with the report
    assert "continues" not in result.msg


@pytest.mark.parametrize("field", ["status", "status_name"])
def test_a_report_that_failed_ends_the_wait(account, run, field):
    account.settings(report_status=field)
    account.add(reports=[{"id": 7, "resources": [40001], "fails": True}])
    result = refused(run("report", id=7, dest="x.pdf"), "report 7 has the status 'failed' and will never have a file")
    assert (result["report"]["id"], result.slept) == (7, [])


# --- creates that go wrong


@pytest.mark.parametrize("form", ["report_id", "created_id", "id", "record"])
def test_the_new_id_is_read_in_each_form(account, run, form):
    account.settings(report_answer=form)
    assert good(run("report", **PDF))["report"]["id"] == 303


def test_missing_resources_are_explained(account, run):
    result = refused(
        run("report", **{**PDF, "resources": [40001, 9]}), "One of resources does not exist", "not found: 9"
    )
    assert not result.changed
    assert names() == []


# --- the file


def test_a_full_disk_leaves_no_incomplete_file_and_the_next_run_continues(account, run, monkeypatch):
    Path("report.pdf").write_text("before")
    account.settings(report_size=10**6)
    fsync = os.fsync

    def full(handle):
        if os.fstat(handle).st_size > 10**5:
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(handle)

    with monkeypatch.context() as patch:
        patch.setattr(_files.os, "fsync", full)
        result = refused(
            run("report", **PDF), "No space left on device), and no incomplete file is left: free disk space there"
        )
    assert result.changed
    assert Path("report.pdf").read_text() == "before"
    assert names() == [".report.pdf.request.json", "report.pdf"]
    assert good(run("report", **PDF))["report"]["id"] == 303
    assert account.writes() == ["POST /reports"]


@pytest.mark.parametrize("check", [True, False])
def test_another_mode_of_an_existing_file_is_a_change_without_a_call(account, run, check):
    good(run("report", **PDF, mode="0644"))
    account.clear_log()
    result = good(run("report", check=check, **PDF, mode="0600"))
    assert result.changed
    assert (result.diff["before"]["mode"], result.diff["after"]["mode"]) == ("0644", "0600")
    assert stat.S_IMODE(os.stat("report.pdf").st_mode) == (0o644 if check else 0o600)
    assert account.calls() == []


def test_an_attribute_that_cannot_be_set_on_the_new_file_is_set_by_the_next_run(account, run, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(AnsibleModule, "get_bin_path", lambda self, name, *more, **named: f"/bin/{name}")
        patch.setattr(AnsibleModule, "run_command", lambda self, command, **named: (1, "", "Operation not supported"))
        refused(run("report", **PDF, attributes="a"), "cannot be set", "chattr failed")
    assert Path("report.pdf").exists()
    account.clear_log()
    assert not good(run("report", **PDF)).changed
    assert account.calls() == []


# --- what is not kept at the service


def test_what_is_not_kept_is_deleted_after_the_file_is_safe(account, run):
    check = good(run("report", check=True, **PDF, keep=False))
    result = good(run("report", **PDF, keep=False))
    assert (check["report"], result["report"]) == (None, None)
    assert account.calls()[-3:] == ["GET /reports/303/download", "DELETE /reports/303", "GET /reports/303"]
    assert [report["id"] for report in account.reports()] == [301, 302]
    account.clear_log()
    for keep in (False, True):
        again = good(run("report", **PDF, keep=keep))
        assert (again.changed, again["report"], again["size"]) == (False, None, result["size"])
    assert account.calls() == []


@pytest.mark.parametrize("gone", [False, True])
def test_what_was_kept_before_is_deleted_when_it_is_no_longer_to_be(account, run, gone):
    good(run("report", **PDF))
    if gone:
        good(run("report", id=303, state="absent"))
    account.clear_log()
    check = good(run("report", check=True, **PDF, keep=False))
    assert account.writes() == []
    real = good(run("report", **PDF, keep=False))
    assert (check.changed, real.changed) == (not gone, not gone)
    assert check.diff == real.diff
    assert real.diff["before"].get("kept") is (None if gone else True)
    assert [report["id"] for report in account.reports()] == [301, 302]
    account.clear_log()
    assert not good(run("report", **PDF, keep=False)).changed
    assert account.calls() == []


# --- absent


def test_absent_deletes_the_report_and_leaves_files_alone(account, run):
    good(run("report", id=301, dest="x.pdf"))
    result = good(run("report", id=301, state="absent"))
    assert result.changed
    assert [result[key] for key in ("report", "dest", "size", "checksum")] == [None] * 4
    assert names() == [".x.pdf.request.json", "x.pdf"]


# --- options that do not go together


# --- check mode over what earlier tasks would have made


@pytest.mark.parametrize("value", [None, ""])
def test_check_mode_accepts_null_ids_of_earlier_tasks(account, run, value):
    made = good(run("report", check=True, **{**PDF, "resources": [40001, value]}))
    by_id = good(run("report", check=True, id=value, dest="x.pdf"))
    absent = good(run("report", check=True, id=value, state="absent"))
    for result, words in ((made, "an object among resources"), (by_id, "a report"), (absent, "the report")):
        assert result.changed
        assert result.warnings == [f"{words} does not exist yet; check mode assumes that an earlier task creates it."]
    assert made["report"] == {"id": None, "format": "pdf", "status": None}
    assert account.calls() == []
    assert run("report", **{**PDF, "resources": [40001, value]}).failed


# --- grouping and webhook

HOOK = "https://hooks.example.com/services/T0/B0/token-of-a-webhook"


def test_without_group_by_a_report_is_ordered_by_target(account, run):
    good(run("report", **PDF))
    assert [entry["json"]["group_by"] for entry in account.log() if entry["method"] == "POST"] == ["target"]
    assert not good(run("report", **PDF, group_by="target")).changed
    assert good(run("report", **PDF, group_by="vulnerability")).changed


def test_a_webhook_is_sent_with_the_creation_only_and_makes_no_other_report(account, run):
    result = good(run("report", **PDF, webhook_url=HOOK))
    assert [entry["json"]["webhook_url"] for entry in account.log() if entry["method"] == "POST"] == [HOOK]
    assert "token-of-a-webhook" not in NOTE.read_text()
    assert "token-of-a-webhook" not in str(result.result)
    account.clear_log()
    for other in ({}, {"webhook_url": "https://other.example.com/"}):
        assert not good(run("report", **PDF, **other)).changed
    assert account.calls() == []


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize(
    "address",
    ["", "hooks.example.com/token", "ftp://example.com/token", "https:///token", "https://a.example/ token",
     "https://a.example:x/token", "https://a.example/token\n", "https://[::1/token", "javascript:token"],
)  # fmt: skip
def test_a_webhook_that_is_no_address_is_refused_without_showing_it(account, run, address, check):
    result = refused(run("report", check=check, **PDF, webhook_url=address), "webhook_url is not a URL: write it as")
    assert "token" not in result.msg
    assert account.calls() == []


def test_a_report_that_was_deleted_is_not_promised_to_the_next_run(account, run, monkeypatch):
    replace = os.replace

    def full_after_the_delete(source, dest, **more):
        if "DELETE" in [call.split()[0] for call in account.calls()]:
            raise OSError(errno.ENOSPC, "No space left on device")
        replace(source, dest, **more)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full_after_the_delete)
        result = refused(run("report", **PDF, keep=False), "Report 303 was downloaded and deleted at the service")
    assert result.changed and result["report"] is None
    assert "continues with this report" not in result.msg
    assert Path("report.pdf").is_file()
