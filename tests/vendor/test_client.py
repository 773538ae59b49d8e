# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The vendor's published client against the local service: its command line and its Python API.

Its MCP server calls this API, too. Shows that the local service is close enough to the real one for a client that was
written against the real one. The client is installed from the package index into an environment of its own. Each test
compares what arrived at the service.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pentesttools.api import API, Tool

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "unit"))

from local_service import LocalService

SETTINGS = {"validate": True, "scan_run_time": 1, "report_time": 0}
CLIENT = Path(sys.executable).with_name("ptt")
# what the client does that the contract does not have; anything else is new and fails a test
KNOWN_VIOLATIONS = re.compile(
    r"the Accept header '\*/\*' names no form that the answer has"
    r"|slashes in the path that are not in the contract"
    r"|POST /findings/import is not in the contract"
    # max_scan_time
    r"|Request body validation error: '\d+' is not of type 'integer'"
    r"|neither true nor false: has_ptt_exploit"
)


@pytest.fixture(scope="module")
def running():
    with LocalService.start(settings=SETTINGS) as running:
        yield running


@pytest.fixture
def service(running):
    running.reset()
    yield running
    seen = running.log()
    assert [entry for entry in seen if entry["authorization"] != "right"] == []
    violations = {violation for entry in seen for violation in entry["violations"]}
    assert [each for each in violations if not KNOWN_VIOLATIONS.fullmatch(each)] == []


@pytest.fixture
def environment(service, tmp_path):
    """Nothing but the local service can be reached, and no key of the user is read."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    nowhere = {"HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1"}
    home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    return {**kept, **nowhere, **home, "PTT_API_URL": f"{service.base_url}/", "PTT_API_KEY": service.api_key}


def calls(service) -> list[str]:
    """The calls in their order; of equal ones in a row, as in a poll, one is left."""
    return [call for call, _same in itertools.groupby(service.calls())]


# --- the command line


@pytest.fixture
def ptt(environment, tmp_path):
    def run(*arguments):
        return subprocess.run(
            [CLIENT, "--nocolor", *arguments],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            check=False,
            text=True,
            timeout=120,
        )

    return run


def test_the_command_line_starts_a_scan_waits_for_it_and_writes_its_findings(service, ptt, tmp_path):
    done = ptt("run", "website_scanner", "http://shop.example.com/", "--format", "json", "-o", "out.json")
    assert done.returncode == 0, done.stderr
    output = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["data"]
    assert output["output_type"] == "finding_list"
    assert [finding["risk_level"] for finding in output["output_data"]["findings"]] == [0, 1, 2, 3, 4]

    seen = service.calls()
    assert seen[:2] == ["GET /scans/0", "POST /scans/"]
    assert set(seen[2:-2]) <= {"GET /scans/40001", "GET /scans/40001/output"}
    # while the scan runs the client polls it
    assert seen.count("GET /scans/40001") >= 2
    assert seen[-2:] == ["GET /scans/40001/output", "GET /targets/1001"]
    started = service.log()[1]["json"]
    assert (started["target_name"], started["tool_id"], started["max_scan_time"]) == (
        "http://shop.example.com/",
        170,
        10,
    )
    assert [target["name"] for target in service.targets()] == ["http://shop.example.com/"]


def test_the_command_line_prints_a_report_and_fails_on_what_was_found(service, ptt):
    done = ptt("--fail", "high", "run", "website_scanner", "http://shop.example.com/")
    assert done.returncode == 1
    for line in ("Critical Risk Findings: 1", "High Risk Findings: 1", "Remote code execution"):
        assert line in done.stdout
    service.settings(scan_findings=[0, 1])
    assert ptt("--fail", "high", "run", "website_scanner", "http://shop.example.com/").returncode == 0


@pytest.mark.parametrize(
    "settings,message",
    [
        ({"max_parallel_scans": 0}, "Your current plan only allows 0 parallel scans"),
        (
            {"redirecting_targets": {"http://a.example/": "https://b.example/"}},
            "Target URL redirects to https://b.example/",
        ),
        ({"unreachable_targets": ["http://a.example/"]}, "Target URL is not accessible (DNS error)"),
    ],
)
def test_the_command_line_knows_why_a_start_is_refused(service, ptt, settings, message):
    service.settings(**settings)
    done = ptt("run", "website_scanner", "http://a.example/")
    assert (done.returncode, message in done.stderr) == (1, True)
    assert "Traceback" not in done.stderr
    assert calls(service) == ["GET /scans/0", "POST /scans/"]


# --- the Python API


@pytest.fixture
def api(service):
    return API(api_url=f"{service.base_url}/", api_key=service.api_key)


def finished(api: API, scan: int) -> dict:
    """The record of a scan that has finished."""
    ends = time.monotonic() + 60
    while time.monotonic() < ends:
        record = api.get_scan_status(scan).json()["data"]
        if record["status_name"] == "finished":
            return record
        time.sleep(0.2)
    raise AssertionError(f"scan {scan} is {record['status_name']}")


def test_list_start_wait_findings_report(service, api):
    workspace = api.create_workspace("Shop", "by the client").json()["data"]["created_id"]
    target = api.add_target("www.example.com", "front", workspace).json()["data"]["created_id"]
    (listed,) = api.get_targets(workspace_id=workspace).json()["data"]
    assert (listed["id"], listed["name"], listed["description"]) == (target, "www.example.com", "front")

    started = api.start_scan(
        "www.example.com",
        Tool.WEBSITE_SCANNER,
        {"scan_type": "light"},
        {"workspace_id": workspace, "max_scan_time": "10"},
    )
    scan = started.json()["data"]["created_id"]
    assert started.json()["data"]["target_id"] == target
    assert finished(api, scan)["result_summary"]["critical"] == 1
    assert [each["id"] for each in api.get_scans(workspace_id=workspace).json()["data"]] == [scan]
    assert api.get_output(scan).json()["data"]["output_type"] == "finding_list"
    assert "www.example.com" in api.get_raw_output(scan).text

    found = api.get_findings(task_id=scan, workspace_id=workspace).json()["data"]
    assert [finding["risk_level"] for finding in found] == [0, 1, 2, 3, 4]
    assert api.get_finding_information_by_id(found[4]["id"]).json()["data"]["name"] == "Remote code execution"

    report = api.create_report("json", "target", "scans", [scan]).json()["data"]["report_id"]
    assert api.get_report_information_by_id(report).json()["data"]["format"] == "json"
    assert [each["id"] for each in api.get_all_reports().json()["data"]] == [report]
    (group,) = api.download_report(report).json()
    assert [finding["id"] for finding in group["findings"]] == [finding["id"] for finding in found]

    for answer in (
        api.delete_report(report),
        api.delete_scan(scan),
        api.delete_target(target),
        api.edit_workspace(workspace, description="empty"),
        api.delete_workspace(workspace),
    ):
        assert (answer.status_code, answer.content) == (204, b"")
    assert calls(service) == [
        "POST /workspaces",
        "POST /targets",
        "GET /targets",
        "POST /scans/",
        f"GET /scans/{scan}",
        "GET /scans",
        f"GET /scans/{scan}/output",
        f"GET /scans/{scan}/raw",
        "GET /findings/",
        f"GET /findings/{found[4]['id']}",
        "POST /reports",
        f"GET /reports/{report}",
        "GET /reports",
        f"GET /reports/{report}/download",
        f"DELETE /reports/{report}",
        f"DELETE //scans/{scan}",
        f"DELETE /targets/{target}",
        f"PUT /workspaces/{workspace}",
        f"DELETE /workspaces/{workspace}",
    ]


def test_what_else_the_client_can_call(service, api):
    service.add(
        workspaces=[{"id": 2, "name": "w"}],
        targets=[{"name": "t.example", "workspace": "w"}],
        vpn_profiles=[{"name": "Office"}],
    )
    logger = api.create_http_logger("canary", 2).json()["data"]["created_id"]
    assert service.http_loggers()[0]["workspace_id"] == 2
    service.capture(logger, {})
    assert len(api.get_data_for_logger(logger).json()["data"]["requests"]) == 1
    assert api.clear_data_for_logger(logger).status_code == 204
    assert api.get_logger_information_by_id(logger).json()["data"]["num_requests"] == 0
    assert [each["id"] for each in api.get_http_loggers(2).json()["data"]] == [logger]
    assert api.delete_logger(logger).status_code == 204

    assert api.get_wordlist_information_by_id(1700).json()["data"]["num_words"] == 4
    assert api.get_wordlists_content_by_id(1700).json().splitlines()[0] == "alpha"
    assert api.delete_wordlist(1700).status_code == 204
    assert [each["id"] for each in api.get_wordlists().json()["data"]] == [1600, 1601, 1602]
    assert [each["name"] for each in api.get_vpn_profiles().json()["data"]] == ["Office"]
    assert len(api.get_finding_templates("NETSCAN", True, 10, 0).json()["data"]) == 1
    assert api.get_workspace_by_id(2).json()["data"]["name"] == "w"

    service.settings(scan_run_time=600)
    scan = api.start_scan_by_targetid(1001, Tool.SSL_SCANNER, {}).json()["data"]["created_id"]
    assert api.stop_scan(scan).status_code == 200
    assert api.get_scan_status(scan).json()["data"]["status_name"] == "stopped"

    finding = {
        "name": "By hand",
        "source": 1,
        "target_name": "t.example",
        "test_description": "t",
        "vuln_description": "v",
        "vuln_risk_level": 3,
        "vuln_recommendation": "r",
        "cvss_v3": 7.5,
        "vuln_evidence": "e",
    }
    (added,) = api.import_findings([finding], 2).json()["data"]["results"]
    assert api.get_finding_information_by_id(added["id"]).json()["data"]["risk_level"] == 3
    assert service.summary()["by_call"]["POST /findings/import"] == 1


def test_errors_have_the_form_that_the_client_reads(service, api):
    answer = api.get_scan_status(0)
    assert answer.headers["content-type"] == "application/json"
    assert (answer.status_code, answer.json()["status"]) == (404, 404)
    refused = api.create_workspace("My Workspace")
    assert (refused.status_code, refused.json()["status"], bool(refused.json()["message"])) == (409, 409, True)
