# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Scans: how they start, go on and end, on the service's own clock, and what can be read of them."""

from __future__ import annotations

import calendar
import re
import time

import pytest

ENDS = [
    "finished",
    "failed to start",
    "stopped",
    "timed out",
    "aborted",
    "VPN connection error",
    "auth failed",
    "connection error",
    "paused by the moon",
]
BODY = {"tool_id": 170, "target_name": "www.example"}


@pytest.fixture
def started(service, send):
    """Start a scan under these settings; returns its id. It waits 100 s and runs 200 s."""

    def run(body=None, **settings):
        service.settings(**{"scan_queue_time": 100, "scan_run_time": 200, **settings})
        return send("POST", "/scans", body={**BODY, **(body or {})}).data["created_id"]

    return run


@pytest.fixture
def after(service, send):
    """The record of a scan when so many seconds have passed since the test began."""

    def read(scan_id, seconds):
        service.settings(clock_offset=seconds)
        return send("GET", f"/scans/{scan_id}").data

    return read


def test_a_clock_that_has_stopped_moves_only_by_its_offset(service, send, started):
    midnight = 1_800_000_000 // 86400 * 86400
    service.settings(clock=midnight)
    scan_id = started(scan_queue_time=0.001)
    for offset, moment, status in (
        (0, "00:00:00", "waiting"),
        (60, "00:01:00", "running"),
        (201, "00:03:21", "finished"),
    ):
        service.settings(clock_offset=offset)
        answer = send("GET", f"/scans/{scan_id}")
        assert answer.headers["Date"] == f"Fri, 15 Jan 2027 {moment} GMT"
        assert answer.data["status_name"] == status


def test_a_scan_waits_runs_and_finishes(service, send, started, after):
    scan_id = started()
    waiting = after(scan_id, 50)
    assert (waiting["status_name"], waiting["progress"], waiting["start_time"]) == ("waiting", 0, None)
    running = after(scan_id, 205)
    assert running["status_name"] == "running"
    assert 50 <= running["progress"] < 60 and 10 <= running["num_finished_tests"] < 20
    assert (running["num_tests"], running["end_time"]) == (20, None)
    assert running["result_summary"] == {"text": "", **dict.fromkeys(["info", "low", "medium", "high", "critical"])}
    assert [each["risk_level"] for each in send("GET", f"/findings?task_id={scan_id}").data] == [0, 1]
    ended = after(scan_id, 310)
    assert (ended["status_name"], ended["progress"], ended["num_finished_tests"]) == ("finished", 100, 20)
    assert ended["duration"] == 200
    begin, end = (
        calendar.timegm(time.strptime(ended[f"{name}_time"], "%Y-%m-%d %H:%M:%S")) for name in ("start", "end")
    )
    assert end - begin == 200 and abs(begin - 100 - time.time()) < 60
    assert {ended["result_summary"][name] for name in ("info", "low", "medium", "high", "critical")} == {1}
    assert [each["risk_level"] for each in send("GET", f"/findings?task_id={scan_id}").data] == [0, 1, 2, 3, 4]
    assert service.scans()[0]["status_name"] == "finished"


@pytest.mark.parametrize("end", ENDS)
def test_every_end(service, started, after, end):
    scan_id = started(scan_scripts=[{"target": "www.example", "end": end, "message": "why"}, {"end": "wrong"}])
    early = after(scan_id, 105)
    assert early["status_name"] == (end if end == "failed to start" else "running")
    ended = after(scan_id, 400)
    assert (ended["status_name"], ended["status_message"]) == (end, "why")
    assert ended["end_time"] is not None
    assert ended["progress"] == {"finished": 100, "failed to start": 0}.get(end, 50)
    assert (ended["start_time"] is None) == (end == "failed to start")


def test_a_name_makes_the_target_once(service, send):
    service.add(workspaces=[{"name": "second"}])
    for _time in range(2):
        send("POST", "/scans", body={**BODY, "workspace_id": 2})
    assert [(each["name"], each["workspace_id"]) for each in service.targets()] == [("www.example", 2)]
    assert [each["workspace_id"] for each in service.scans()] == [2, 2]
    target_id = service.targets()[0]["id"]
    assert send("POST", "/scans", body={"tool_id": 1, "target_id": target_id}).status == 201


@pytest.mark.parametrize(
    "body, status",
    [
        ({"target_name": "a.example"}, 400),
        ({"tool_id": "170", "target_name": "a.example"}, 422),
        ({"tool_id": 170}, 400),
        ({"tool_id": 170, "target_name": "a.example", "target_id": 1001}, 400),
        ({"tool_id": 170, "target_id": 9}, 404),
        ({"tool_id": 170, "target_id": 1001, "workspace_id": 1}, 400),
        ({"tool_id": 170, "target_name": "a.example", "workspace_id": 9}, 404),
        ({"tool_id": 170, "target_name": "a b"}, 422),
        ({"tool_id": 170, "target_name": "bad.example"}, 403),
        ({"tool_id": 170, "target_name": "a.example", "max_scan_time": 1441}, 400),
        ({"tool_id": 170, "target_name": "a.example", "vpn_profile_uuid": "none"}, 400),
        ({"tool_id": 170, "target_name": "a.example", "authentication": {"type": "magic", "params": {}}}, 422),
        ({"tool_id": 170, "target_name": "a.example", "tool_params": [1]}, 422),
    ],
)
def test_refused_starts(service, send, body, status):
    service.allow_violations = True
    service.settings(blacklist=["bad.example"])
    service.add(workspaces=[{"name": "second"}], targets=[{"name": "t.example", "workspace": "second"}])
    answer = send("POST", "/scans", body=body)
    assert (answer.status, answer.json["status"]) == (status, status)
    assert service.scans() == []
    assert len(service.targets()) == 1


def test_the_parameters_are_shown_where_a_scan_is_read(service, send):
    service.add(vpn_profiles=[{"name": "Office", "uuid": "u-1"}])
    login = {"type": "headers", "params": {"headers": ["X-A: b"]}}
    body = {**BODY, "tool_params": {"scan_type": "light"}, "authentication": login, "vpn_profile_uuid": "u-1"}
    send("POST", "/scans", body=body)
    record = send("GET", "/scans/40001").data
    assert record["tool_params"] == {"scan_type": "light", "authentication": login}
    assert (record["vpn_profile_uuid"], record["vpn_scan"]) == ("u-1", True)
    (row,) = send("GET", "/scans").data
    assert "tool_params" not in row and "script" not in record
    assert {**row, "tool_params": record["tool_params"]} == record


@pytest.mark.parametrize(
    "query, ids",
    [
        ("", [1, 2, 3]),
        ("workspace_id=2", [4]),
        ("tool_id=30", [2]),
        ("target_id=1001", [1, 2]),
        ("target_id=1003", []),
        ("workspace_id=2&target_id=1003", [4]),
        ("status=waiting", [3]),
        ("status=VPN%20connection%20error", [2]),
        ("limit=2", [1, 2]),
        ("limit=2&page=2", [3]),
        ("limit=2&page=3", []),
        ("status=finished&limit=1&page=1", [1]),
    ],
)
def test_filters_and_pages(service, send, query, ids):
    service.add(
        workspaces=[{"name": "second"}],
        targets=[{"name": "a.example"}, {"name": "b.example"}, {"name": "c.example", "workspace": "second"}],
        scans=[
            {"id": 1, "target_id": 1001},
            {"id": 2, "target": "a.example", "tool_id": 30, "status_name": "VPN connection error"},
            {"id": 3, "target_id": 1002, "status_name": "waiting", "script": {"queue": 900}},
            {"id": 4, "target": "c.example", "workspace": "second"},
        ],
    )
    assert [each["id"] for each in send("GET", f"/scans?{query}").data] == ids
    if "limit" not in query:
        service.settings(order="newest_first")
        assert [each["id"] for each in send("GET", f"/scans?{query}").data] == ids[::-1]


@pytest.mark.parametrize(
    "tool, kind, holds",
    [
        (170, "finding_list", "findings"),
        (20, "subdomain_list", "subdomains"),
        (390, "domain_list", "domains"),
        (70, "port_scanner", "ports"),
        (500, "waf_results", "wafs"),
    ],
)
def test_output(service, send, tool, kind, holds):
    send("POST", "/scans", body={**BODY, "tool_id": tool})
    data = send("GET", "/scans/40001/output").data
    assert data["output_type"] == kind
    assert data["output_data"][holds]
    if tool == 170:
        assert [each["risk_level"] for each in data["output_data"]["findings"]] == [0, 1, 2, 3, 4]
        assert "task_id" not in data["output_data"]["findings"][0]


def test_output_in_other_forms(service, send):
    send("POST", "/scans", body=BODY)
    answer = send("GET", "/scans/40001/output", headers={"Accept": "application/pdf"})
    assert (answer.status, answer.type) == (200, "application/pdf")
    assert re.match(rb"%PDF-1\.4\n(?s:.)*%%EOF\n\Z", answer.raw)
    text = send("GET", "/scans/40001/raw").data
    assert text.startswith("Scan 40001 of www.example: finished\n")
    answer = send("GET", "/scans/40001/raw", headers={"Accept": "text/plain"})
    assert (answer.type, answer.raw.decode()) == ("text/plain; charset=utf-8", text)


def test_a_state_is_kept(service, send, started, after):
    started()
    after(40001, 250)
    service.add(scans=[{"target": "www.example", "age": 3600, "tool_params": {"a": 1}}])
    state = service.state()
    service.reset(settings={"clock_offset": 250}, state=state)
    assert service.state() == state
    old = send("GET", "/scans/40002").data
    assert abs(calendar.timegm(time.strptime(old["end_time"], "%Y-%m-%d %H:%M:%S")) - time.time() + 3600 - 250) < 60
