# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._http.transport import Answer
from ansible_collections.scanops.scanner.plugins.module_utils._scan.output import _raw


@pytest.fixture(autouse=True)
def _account(service):
    service.add(
        targets=[{"id": 1001, "name": "www.example.com"}],
        scans=[
            {"id": 40001, "tool_id": 170, "target_id": 1001},
            {"id": 40002, "tool_id": 30, "target_id": 1001},
            {"id": 40003, "tool_id": 170, "target_id": 1001, "status_name": "running", "script": {"run": 1000}},
            {"id": 40004, "tool_id": 30, "target_id": 1001, "status_name": "waiting", "script": {"queue": 1000}},
            {"id": 40005, "tool_id": 70, "target_id": 1001},
            {"id": 40006, "tool_id": 170, "target_id": 1001, "status_name": "failed to start"},
        ],
        findings=[{"name": "Found", "risk_level": 3, "task_id": 40001}],
    )


def test_parsed_output_is_given_as_the_service_has_it(service, run):
    result = run("scan_output_info", id=40001)
    assert result["output"]["output_type"] == "finding_list"
    # and an entry for each test that found nothing
    found, *quiet = [row["name"] for row in result["output"]["output_data"]["findings"]]
    assert found == "Found" and quiet and all(each.startswith("Nothing was found: ") for each in quiet)
    assert result["text"] is None
    assert result.warnings == []
    assert service.calls() == ["GET /scans/40001", "GET /scans/40001/output"]


def test_a_tool_with_only_raw_output_returns_text(service, run):
    result = run("scan_output_info", id=40002)
    assert result["output"] is None
    assert result["text"].startswith("Scan 40002 of www.example.com: finished\n")
    assert service.calls() == ["GET /scans/40002", "GET /scans/40002/output", "GET /scans/40002/raw"]
    assert service.log()[-1]["accept"] == "text/plain"


def test_raw_output_may_be_wrapped_in_json(service, run):
    service.fault(path="/scans/40002/raw", action="wrong_type", data="raw\ntext")
    assert run("scan_output_info", id=40002)["text"] == "raw\ntext"


def test_raw_output_that_is_not_utf_8_is_given_with_a_warning():
    warnings = []
    answer = Answer("GET", "/scans/40002/raw", 200, {"Content-Type": "text/plain"}, b"caf\xe9")
    assert _raw(answer, warnings.append) == "caf\ufffd"
    assert ["invalid bytes are replaced by U+FFFD" in warning for warning in warnings] == [True]


@pytest.mark.parametrize(
    "path, data, words",
    [("40002/raw", ["raw"], "data that is no text"), ("40001/output", [], "data that is no output of a scan")],
)
def test_an_output_of_another_form_is_an_error(service, run, path, data, words):
    service.fault(path=f"/scans/{path}", action="wrong_type", data=data)
    result = run("scan_output_info", id=int(path[:5]))
    assert result.failed
    assert words in result.msg


@pytest.mark.parametrize("status", [404, 409])
@pytest.mark.parametrize("number, word", [(40003, "running"), (40004, "waiting")])
def test_the_output_of_a_scan_in_progress_is_refused_with_its_status(service, run, status, number, word):
    service.settings(running_output=status)
    result = run("scan_output_info", id=number)
    assert result.failed
    assert result["api_error"]["status"] == status
    assert f"still in progress, its status is '{word}'; run the task again when it has finished" in result.msg
    assert service.calls() == [f"GET /scans/{number}", f"GET /scans/{number}/output"]


@pytest.mark.parametrize("number, key", [(40003, "output"), (40004, "text")])
def test_incomplete_output_is_returned_with_a_warning(service, run, number, key):
    service.settings(running_output="partial")
    result = run("scan_output_info", id=number)
    assert result[key]
    assert ["its output may be incomplete" in warning for warning in result.warnings] == [True]


def test_in_check_mode_a_null_id_gives_nothing_and_a_warning(run):
    result = run("scan_output_info", check=True, id=None)
    assert (result["output"], result["text"]) == (None, None)
    assert ["does not exist yet" in warning for warning in result.warnings] == [True]


ROWS = [{"name": f"F{number}", "vuln_id": "A"} for number in range(2)]


@pytest.mark.parametrize(
    "kind, name", [("finding_list", "findings"), ("subdomain_list", "subdomains"), ("port_scanner", "ports")]
)
@pytest.mark.parametrize("where", ["output_data", "data", "body"])
@pytest.mark.parametrize("module", ["scan_output_info", "scan_output"])
def test_an_output_that_announces_more_rows_is_an_error(service, run, tmp_path, kind, name, where, module):
    service.allow_violations = True
    announced = {place: {"total": 12} if place == where else {} for place in ("output_data", "data", "body")}
    data = {"output_type": kind, "output_data": {name: ROWS, **announced["output_data"]}, **announced["data"]}
    body = {"data": data, **announced["body"]}
    service.fault(path="/scans/40001/output", action="status", status=200, body=body, times=None)
    options = {} if module == "scan_output_info" else {"dest": str(tmp_path / "output.json"), "format": "json"}
    result = run(module, id=40001, **options)
    assert result.failed
    assert "GET /scans/40001/output returned only 2 of 12 rows" in result.msg
    assert list(tmp_path.iterdir()) == []
