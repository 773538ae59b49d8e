# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The forms that the vendor's client sends: taken by a tolerant service alone, and deviations in the log."""

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
# method, path, arguments of the request, what is said to a client when the service is not tolerant
FORMS = [
    ("GET", "/findings/", {}, 404),
    ("POST", "/scans/", {"body": {"tool_id": 170, "target_name": "t.example"}}, 404),
    ("DELETE", "//scans/40001", {}, 404),
    ("POST", "/targets", {"body": {"name": "new.example", "workspace_id": 2, "description": None}}, 415),
    ("POST", "/scans", {"body": {"tool_id": 170, "target_name": "t.example", "max_scan_time": "10"}}, 422),
    ("GET", "/public/finding_templates?has_ptt_exploit=True", {}, 400),
    ("POST", "/findings/import", {"body": {"findings": [IMPORTED]}}, 404),
]


@pytest.fixture(autouse=True)
def state(service):
    service.reset(
        state={"workspaces": [{"name": "w"}], "targets": [{"name": "t.example"}], "scans": [{"target_id": 1001}]}
    )


@pytest.mark.parametrize("method,path,arguments,strict", FORMS, ids=[f"{form[0]} {form[1]}" for form in FORMS])
def test_a_form_of_the_vendors_client(service, send, method, path, arguments, strict):
    service.allow_violations = True
    assert send(method, path, **arguments).status == strict
    assert service.log()[-1]["violations"]
    service.clear_log()
    service.settings(tolerant=True)
    assert send(method, path, **arguments).status in (200, 201, 204)
    entry = service.log()[-1]
    assert entry["violations"] == [] and entry["deviations"]
    assert entry["path"] == path.partition("?")[0]


def test_any_form_of_answer_may_be_asked_for(service, send):
    service.settings(tolerant=True)
    assert send("GET", "/workspaces", headers=ANY).status == 200
    assert service.log()[-1]["deviations"] == ["the Accept header '*/*' names no form that the answer has"]


def test_a_target_as_json_has_the_fields_of_a_form(service, send):
    service.settings(tolerant=True)
    send("POST", "/targets", body={"name": "new.example", "description": "d", "workspace_id": 2})
    target = service.targets()[-1]
    assert (target["name"], target["description"], target["workspace_id"]) == ("new.example", "d", 2)


def test_findings_are_imported(service, send):
    service.settings(tolerant=True)
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
    service.settings(tolerant=True)
    assert send("POST", "/findings/import", body=body).status == status
    assert service.findings() == []


def test_a_request_that_even_a_tolerant_service_refuses(service, send):
    service.settings(tolerant=True)
    assert send("POST", "/targets", raw=b"x", content_type="text/plain").status == 415
    assert send("POST", "/findings/import/x").status == 404
    assert send("POST", "/scans/", body={"tool_id": 170, "target_id": 1001, "max_scan_time": "ten"}).status == 422
