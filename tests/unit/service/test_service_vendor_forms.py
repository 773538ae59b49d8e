# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The requests of the vendor's client, which the real service accepts. Those that the specification lacks are violations."""

from __future__ import annotations

import pytest

ANY = {"Accept": "*/*"}
IMPORTED = {
    "name": "Imported",
    "source": 1,
    "target_name": "t.example",
    "test_description": "t",
    "vuln_description": "v",
    "vuln_risk_level": 4,
    "vuln_recommendation": "r",
    "cvss_v3": 9.8,
    "vuln_evidence": "e",
}
# method, path, arguments of the request
FORMS = [
    ("GET", "/findings/", {}),
    ("POST", "/scans/", {"body": {"tool_id": 170, "target_name": "t.example"}}),
    ("DELETE", "//scans/40001", {}),
    ("POST", "/scans", {"body": {"tool_id": 170, "target_name": "t.example", "max_scan_time": "10"}}),
    ("GET", "/public/finding_templates?has_ptt_exploit=True", {}),
    ("GET", "/workspaces", {"headers": ANY}),
]


@pytest.fixture(autouse=True)
def state(service):
    service.reset(
        state={"workspaces": [{"name": "w"}], "targets": [{"name": "t.example"}], "scans": [{"target_id": 1001}]}
    )


@pytest.mark.parametrize("method,path,arguments", FORMS, ids=[f"{form[0]} {form[1]}" for form in FORMS])
def test_a_form_of_the_vendors_client(service, send, method, path, arguments):
    service.allow_violations = True
    assert send(method, path, **arguments).status in (200, 201, 204)
    entry = service.log()[-1]
    assert entry["violations"] and entry["path"] == path.partition("?")[0]


@pytest.mark.parametrize("path", ["/workspaces", "/http_loggers"])
def test_only_a_target_can_be_created_from_json(service, send, path):
    service.allow_violations = True
    assert send("POST", path, body={"name": "n", "label": "n"}).status == 400


def test_a_target_as_json_has_the_fields_of_a_form(service, send):
    send("POST", "/targets", body={"name": "new.example", "description": "d", "workspace_id": 2})
    send("POST", "/targets", body={"name": "bare.example", "description": None, "workspace_id": None})
    assert [(each["name"], each["description"], each["workspace_id"]) for each in service.targets()[1:]] == [
        ("new.example", "d", 2),
        ("bare.example", "", 1),
    ]


def test_findings_are_imported(service, send):
    service.allow_violations = True
    findings = [IMPORTED, {"name": "Bare", "target_name": "new.example"}]
    answer = send("POST", "/findings/import", body={"workspace_id": 1, "findings": findings})
    assert answer.json == {"data": {"results": [{"id": 70001}, {"id": 70002}]}}
    record = send("GET", "/findings/70001").data
    assert (record["name"], record["risk_level"], record["cvssv3"], record["target_id"]) == ("Imported", 4, 9.8, 1001)
    assert record["vuln_evidence"] == {"type": "text", "data": "e"} and record["recommendation"] == "r"
    assert [target["name"] for target in service.targets()] == ["t.example", "new.example"]


@pytest.mark.parametrize(
    "body,status",
    [
        ({}, 422),
        ({"findings": []}, 422),
        ({"findings": ["x"]}, 422),
        ({"findings": [{"name": "n"}]}, 422),
        ({"findings": [IMPORTED], "workspace_id": 9}, 404),
        ({"findings": [IMPORTED, {"name": "n"}]}, 422),
    ],
)
def test_an_import_is_refused_whole(service, send, body, status):
    service.allow_violations = True
    assert send("POST", "/findings/import", body=body).status == status
    assert service.findings() == []


def test_a_request_that_no_service_accepts(service, send):
    service.allow_violations = True
    assert send("POST", "/targets", raw=b"x", content_type="text/plain").status == 400
    assert send("POST", "/findings/import/x").status == 404
    assert send("POST", "/scans/", body={"tool_id": 170, "target_id": 1001, "max_scan_time": "ten"}).status == 422
