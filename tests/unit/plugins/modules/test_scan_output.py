# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest


@pytest.fixture
def running(account):
    account.add(scans=[{"id": 7, "target_id": 1001, "status_name": "running", "script": {"run": 3600}, "age": 1800}])
    return account


def test_json_is_the_output_without_its_envelope_in_one_order(account, run):
    assert run("scan_output", id=40001, dest="out.json").changed
    text = Path("out.json").read_text(encoding="ascii")
    data = json.loads(text)
    assert data["output_type"] == "finding_list"
    names = [finding["name"] for finding in data["output_data"]["findings"]]
    assert names[:2] == ["SQL injection"] * 2
    # the tests that found nothing
    assert names[2:] and all(each.startswith("Nothing was found: ") for each in names[2:])
    assert text == json.dumps(data, indent=2, sort_keys=True) + "\n"


def test_json_holds_no_control_character(account, run):
    account.settings(quiet_tests=False)
    account.add(findings=[{"name": "a\x1b[31mred\u202e\x9b", "task_id": 40001}])
    run("scan_output", id=40001, dest="out.json")
    text = Path("out.json").read_text(encoding="ascii")
    assert [c for c in text if not (c.isprintable() or c == "\n")] == []
    assert json.loads(text)["output_data"]["findings"][-1]["name"] == "a\x1b[31mred\u202e\x9b"


def test_another_output_is_another_file(account, run):
    first = run("scan_output", id=40001, dest="out.json")
    account.add(findings=[{"name": "new", "task_id": 40001}])
    second = run("scan_output", id=40001, dest="out.json")
    assert second.changed
    assert second.diff["before"] == {"size": first["size"], "checksum": first["checksum"]}
    assert second.diff["after"] == {"size": second["size"], "checksum": second["checksum"]}
    assert first["checksum"] != second["checksum"]


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("form", ["json", "pdf", "raw"])
def test_a_running_scan_is_refused_as_its_output_could_be_a_part(running, run, form, check):
    running.settings(running_output="partial")
    result = run("scan_output", check=check, id=7, format=form, dest="out")
    assert re.search(r"Scan 7 is running \(5\d %\), so its output may be incomplete: wait for it", result.msg)
    assert not Path("out").exists()
    assert running.calls() == ["GET /scans/7"]


def test_a_format_that_the_tool_has_not_is_explained(account, run):
    account.add(scans=[{"id": 7, "target_id": 1001, "tool_id": 30}])
    result = run("scan_output", id=7, dest="out")
    assert "was answered 406" in result.msg
    assert "The tool has no output as json; set format to another one" in result.msg
    assert not run("scan_output", id=7, format="raw", dest="out").failed


def test_the_output_is_asked_for_in_its_format(account, run):
    for form, accept in (("json", "application/json"), ("pdf", "application/pdf"), ("raw", "text/plain")):
        account.clear_log()
        run("scan_output", id=40001, format=form, dest="out")
        assert account.log()[1]["accept"].partition(",")[0] == accept


@pytest.mark.parametrize("action", ["truncate", "short", "long", "html"])
@pytest.mark.parametrize("form", ["json", "pdf", "raw"])
def test_an_output_that_never_comes_whole_leaves_the_file_as_it_was(account, run, form, action):
    Path("out").write_text("before")
    account.fault(path="/scans/[0-9]+/.*", action=action, status=200, times=None)
    result = run("scan_output", id=40001, format=form, dest="out")
    assert result.failed
    assert result["api_error"]["path"].startswith("/scans/40001/")
    assert Path("out").read_text() == "before"
    assert sorted(path.name for path in Path().iterdir()) == ["kept.txt", "out"]


NO_OUTPUT = [
    {"data": {}},
    {"data": {"output_type": "finding_list", "output_data": {"findings": []}}},
    {},
    {"output_type": "finding_list"},
    {"output_data": {"findings": []}},
    {"output_type": None, "output_data": {"findings": []}},
    {"output_type": "", "output_data": {"findings": []}},
    {"output_type": "finding_list", "output_data": None},
    {"output_type": "port_scanner", "output_data": "ports"},
]


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("data", NO_OUTPUT, ids=str)
def test_an_answer_without_the_envelope_of_an_output_is_never_a_file(account, run, data, check):
    account.allow_violations = True
    account.fault(path="/scans/40001/output", action="wrong_type", data=data, times=None)
    result = run("scan_output", check=check, id=40001, dest="out.json")
    assert result.failed
    assert "data that is no output of a scan" in result.msg
    assert result["api_error"]["path"] == "/scans/40001/output"
    assert sorted(path.name for path in Path().iterdir()) == ["kept.txt"]


@pytest.mark.parametrize("data", [None, [], {}, 7, "text", {"data": {}}], ids=str)
def test_the_output_of_an_unknown_tool_may_be_any_json(account, run, data):
    account.allow_violations = True
    output = {"output_type": "of_a_new_tool", "output_data": data}
    account.fault(path="/scans/40001/output", action="wrong_type", data=output)
    assert not run("scan_output", id=40001, dest="out.json").failed
    assert json.loads(Path("out.json").read_text(encoding="ascii")) == output
