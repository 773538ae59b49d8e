# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every documented status on every call."""

from __future__ import annotations

import re

import pytest
import yaml
from ansible_collections.scanops.scanner.tests.service.answers import FORM
from ansible_collections.scanops.scanner.tests.service.families import FAMILIES
from ansible_collections.scanops.scanner.tests.service.families import OPERATIONS as SERVED
from ansible_collections.scanops.scanner.tests.service.schema import CONTRACT

# the examples of a family that has no record here
STATE = {
    **{family.name: list(family.examples) for family in FAMILIES},
    "workspaces": [{"id": 2, "name": "second", "description": "the other"}],
    "targets": [{"id": 1001, "name": "www.example", "workspace": "second"}],
    "http_loggers": [{"id": 501, "label": "pixel", "workspace": "second", "requests": [{"url_params": "a=1"}]}],
    "wordlists": [{"id": 1701, "name": "words"}],
    "scans": [
        {"id": 40001, "target": "www.example", "workspace": "second"},
        {"target": "www.example", "workspace": "second", "status_name": "waiting", "script": {"queue": 3600}},
    ],
    "findings": [{"id": 70001, "name": "weakness", "workspace": "second"}],
    "reports": [{"id": 301, "resources": [40001]}],
}


# what the vendor's client calls and no documentation has
UNDOCUMENTED = {("POST", "/findings/import")}


def operations():
    """Each operation of the service, on a record of STATE and with the body of the contract's example."""
    paths = yaml.safe_load(CONTRACT)["paths"]
    for template, methods in SERVED.items():
        path = template
        if "{id}" in path:
            path = path.replace("{id}", str(STATE[path.split("/")[1]][0]["id"]))
        if path.endswith("/stop"):
            path = "/scans/40002/stop"
        for method in methods:
            if (method, template) in UNDOCUMENTED:
                continue
            bodies = paths[template][method.lower()].get("requestBody", {}).get("content", {})
            for kind, body in bodies.items():
                yield method, path, {"form" if kind == FORM else "body": body["example"]}
            if not bodies:
                yield method, path, {}


OPERATIONS = list(operations())
each_operation = pytest.mark.parametrize("method,path,content", OPERATIONS, ids=lambda value: str(value)[:30])


@pytest.fixture
def account(service):
    service.add(**STATE)
    return service


def assert_error(answer, status, words=""):
    assert answer.status == status
    assert answer.type == "application/json"
    assert set(answer.json) <= {"status", "message", "details"}
    assert answer.json["status"] == status
    assert words in answer.json["message"]


@each_operation
def test_success(account, send, method, path, content):
    answer = send(method, path, **content)
    wanted = {"GET": 200, "POST": 201, "PUT": 204, "PATCH": 204, "DELETE": 204}[method]
    assert answer.status == (200 if path.endswith("/stop") else wanted)
    if answer.status == 204:
        assert answer.raw == b""


@pytest.mark.parametrize(
    "settings, key, status, words",
    [
        ({}, None, 401, "no API key"),
        ({}, "", 401, "no API key"),
        ({}, "another", 401, "not valid"),
        ({"api_access": False}, "right", 403, "plan"),
    ],
)
@each_operation
def test_a_caller_without_rights(account, send, method, path, content, settings, key, status, words):
    account.allow_violations = True
    account.settings(**settings)
    before = account.state()
    assert_error(send(method, path, key=account.api_key if key == "right" else key, **content), status, words)
    assert account.state() == before


@each_operation
def test_rate_limit(account, send, method, path, content):
    account.settings(rate_limits={"GET": 1, "write": 1, "output": 1, "seconds": 3600})
    send(method, path, **content)
    before = account.state()
    answer = send(method, path, **content)
    assert_error(answer, 429)
    assert int(answer.headers["Retry-After"]) >= 1
    assert int(answer.headers["X-RateLimit-Reset"]) > 1_700_000_000
    assert account.state() == before


@pytest.mark.parametrize("method,path,content", [each for each in OPERATIONS if re.search(r"/\d", each[1])])
def test_unknown_id(account, send, method, path, content):
    parts = path.split("/")
    parts[2] = "999999"
    assert_error(send(method, "/".join(parts), **content), 404, "999999")


def test_the_contract_has_every_documented_operation_and_no_other():
    paths = yaml.safe_load(CONTRACT)["paths"]
    declared = {(method.upper(), path) for path in paths for method in paths[path] if method != "parameters"}
    assert declared == {(method, path) for path in SERVED for method in SERVED[path]} - UNDOCUMENTED


@pytest.mark.parametrize("path", ["/nothing", "/targets/abc", "/wordlists/1700/words", "!/", "!/api/v1"])
def test_unknown_path_is_html(service, send, path):
    service.allow_violations = True
    answer = send("GET", path)
    assert answer.status == 404
    assert answer.type.startswith("text/html")


# ---- what a call refuses

LONG = "x" * 256
WRONG_FORMS = {
    "/workspaces": [{}, {"name": ""}, {"name": "  "}, {"name": LONG}],
    "/targets": [{}, {"name": ""}, {"name": "a.example", "workspace_id": "x"}],
    "/http_loggers": [{}, {"label": ""}, {"label": LONG}],
}
PAGES = ("limit=0", "limit=1001", "limit=-1", "limit=x", "limit=", "limit=1.5", "page=0", "page=x")
WRONG_QUERIES = {
    "/targets": [*PAGES, "type=domain", "type=", "workspace_id=x"],
    "/scans": [*PAGES, "tool_id=x", "target_id=", "workspace_id=x"],
    "/findings": ["workspace_id=x", "target_id=x", "task_id=", "group_duplicates=yes"],
    "/public/finding_templates": ["limit=0", "limit=x", "limit=1&offset=-1", "has_ptt_exploit=1"],
}
NAME = {"name": "x"}
PUT = "PUT /workspaces/1"
PATCH = "PATCH /findings/70001"
WRONG_CHANGES = (
    {"status": "accepted"}, {"status": {"value": "unheard of"}}, {"status": {"reason": "none"}}, {"name": {"value": "x"}},
    {"verified": {"value": 1}}, {"risk_level": {"value": True}}, {"risk_level": {"value": 5}},
    {"status": {"value": "accepted", "reason": 5}}, {"status": {"value": "accepted"}, "verified": {"value": None}},
)  # fmt: skip
# the call, how its body is sent, and the status
REFUSED = [
    *((f"POST {path}", {"form": form}, 400) for path, forms in WRONG_FORMS.items() for form in forms),
    *((f"GET {path}?{query}", {}, 400) for path, queries in WRONG_QUERIES.items() for query in queries),
    *(
        (PUT, {"raw": raw, "content_type": "application/json"}, 400)
        for raw in (b"", b"{}", b"[]", b"{", b'"name"', b'{"other": 1}', b'{"name": " "}')
    ),
    *((PUT, {"body": body}, 422) for body in ({"name": 5}, {"name": LONG}, {"name": "x", "description": 5})),
    (PUT, {"form": NAME}, 400),
    ("POST /workspaces", {"body": NAME}, 400),
    ("POST /scans", {"form": {"tool_id": 170, "target_name": "a.example"}}, 400),
    ("PATCH /targets/1001", {"body": {}}, 405),
    (PATCH, {"body": {}}, 400),
    *((PATCH, {"body": body}, 422) for body in WRONG_CHANGES),
    ("DELETE /workspaces/1", {}, 409),
    ("POST /workspaces", {"form": {"name": "My Workspace"}}, 409),
    ("PUT /workspaces/2", {"body": {"name": "My Workspace"}}, 409),
    ("POST /targets", {"form": {"name": "www.example", "workspace_id": 2}}, 409),
    ("POST /targets", {"form": {"name": "a.example", "workspace_id": 99}}, 404),
    ("POST /http_loggers?workspace_id=1", {"form": {"label": "pixel"}}, 409),
    ("POST /http_loggers?workspace_id=99", {"form": {"label": "new"}}, 400),
    *((f"GET {path}?workspace_id=99", {}, 400) for path in ("/targets", "/scans", "/findings")),
]


@pytest.mark.parametrize("call, content, status", REFUSED)
def test_a_refused_call_changes_nothing(account, send, call, content, status):
    account.allow_violations = True
    before = account.state()
    assert_error(send(*call.split(), **content), status)
    assert account.state() == before


def test_only_equal_names_are_taken(account, send):
    assert send("POST", "/workspaces", form={"name": "my workspace"}).status == 201
    for name, workspace in (("www.example", 1), ("WWW.example", 2)):
        assert send("POST", "/targets", form={"name": name, "workspace_id": workspace}).status == 201
    assert send("PUT", "/workspaces/2", body={"name": "second"}).status == 204


@pytest.mark.parametrize("setting, changed", [("duplicates", [70101, 70102]), ("one", [70101])])
def test_a_change_of_a_finding_applies_to_its_duplicates(account, send, setting, changed):
    account.settings(finding_changes=setting)
    same = {"name": "Twice", "target_id": 1001}
    account.add(findings=[{"id": 70101, **same}, {"id": 70102, **same}, {"id": 70103, **same, "port": 80}])
    assert send("PATCH", "/findings/70101", body={"status": {"value": "accepted", "reason": "known"}}).status == 204
    assert [row["id"] for row in account.findings() if row["status"] == "accepted"] == changed


# ---- what a deletion takes with it


@pytest.mark.parametrize("path, left", [("/targets/1001", [2, 1, 1]), ("/workspaces/2", [1, 1, 1])])
def test_what_is_in_a_target_or_workspace_goes_with_it(account, send, path, left):
    account.reset(state={name: STATE[name] for name in ("workspaces", "targets", "http_loggers")})
    account.add(
        targets=[{"name": "stays.example"}],
        http_loggers=[{"label": "stays"}],
        scans=[{"target_id": 1001}, {"target": "stays.example"}],
        findings=[{"name": "a", "target_id": 1001}, {"name": "c"}],
    )
    assert send("DELETE", path).status == 204
    state = account.state()
    assert [len(state[name]) for name in ("http_loggers", "scans", "findings")] == left


# ---- targets


@pytest.mark.parametrize(
    "name",
    [
        "two words",
        "a..b",
        "-a.example",
        "http://",
        "ftp://a.example",
        "a.example/x",
        "1.2.3",
        "a" * 64,
        "a\tb",
        "😀",
        "[::1",
    ],
)
def test_target_create_422(service, send, name):
    assert_error(send("POST", "/targets", form={"name": name}), 422)
    assert service.targets() == []


@pytest.mark.parametrize(
    "name,kind",
    [
        ("a.example", "hostname"),
        ("localhost", "hostname"),
        ("bücher.example", "hostname"),
        ("例え.テスト", "hostname"),
        ("_dmarc.a.example.", "hostname"),
        ("192.0.2.7", "ip_address"),
        ("2001:db8::1", "ip_address"),
        ("https://a.example:8443/x?y=1#z", "url"),
        ("http://[2001:db8::1]/", "url"),
        ("HTTPS://Bücher.example", "url"),
    ],
)
def test_target_types(service, send, name, kind):
    service.settings(create_answer="record")
    assert send("POST", "/targets", form={"name": name}).data["type"] == kind
    assert [each["name"] for each in send("GET", f"/targets?type={kind}").data] == [name]
    other = "url" if kind != "url" else "hostname"
    assert send("GET", f"/targets?type={other}").data == []


# ---- HTTP loggers


def test_capture(account, send):
    handler = "!/h/" + send("GET", "/http_loggers/501").data["handler_url"].rpartition("/")[2]
    headers = {"User-Agent": "Mozilla (Windows NT)", "X-A": "b"}
    assert send("POST", f"{handler}/deeper?q=%20x", raw=b"\xff", headers=headers).status == 200
    assert send("GET", "/http_loggers/501").data["num_requests"] == 2
    captured = send("GET", "/http_loggers/501/data").data["requests"][1]
    assert captured["id"] == 2
    assert captured["ip_address"] == "127.0.0.1"
    assert captured["request_method"] == "POST"
    assert captured["url_params"] == "q=%20x"
    assert captured["user_agent"] == "Mozilla (Windows NT)"
    assert captured["os"] == "Windows"
    assert "X-A: b" in captured["http_headers"]
    assert (captured["request_body_type"], captured["request_body_base64"]) == ("binary", "/w==")
    assert send("DELETE", "/http_loggers/501/data").status == 204
    assert send("GET", "/http_loggers/501/data").data == {"requests": []}
    assert send("GET", "/http_loggers/501").data["num_requests"] == 0
    account.capture(501, {"user_agent": "x"})
    # the ids of captured requests go on after a clearing
    assert [each["id"] for each in send("GET", "/http_loggers/501/data").data["requests"]] == [3]


def test_nothing_is_captured_for_a_logger_that_is_gone_or_read_only(account, send):
    path = "!/h/" + send("GET", "/http_loggers/501").data["handler_url"].rpartition("/")[2]
    assert send("DELETE", "/http_loggers/501").status == 204
    assert send("GET", path).status == 404
    account.add(http_loggers=[{"label": "old", "active_days": 0}])
    old = account.http_loggers()[0]
    assert send("GET", "!/h/" + old["handler_url"].rpartition("/")[2]).status == 200
    assert account.http_loggers()[0]["requests"] == []


# ---- wordlists


# ---- findings


@pytest.fixture
def without_findings(service):
    service.add(**{family: records for family, records in STATE.items() if family != "findings"})
    return service


def test_finding_record(without_findings, send):
    without_findings.add(findings=[{"id": 7, "name": "f", "target_id": 1001, "task_id": 5, "risk_level": 3}])
    record = send("GET", "/findings/7").data
    assert (record["name"], record["risk_level"], record["target_id"], record["task_id"]) == ("f", 3, 1001, 5)
    # all public fields and no internal ones
    assert len(record) == 28 and "workspace_id" not in record and "missing" not in record
    assert send("GET", "/findings?workspace_id=2").data == [record]


@pytest.mark.parametrize(
    "query, ids",
    [
        ("workspace_id=2", [1, 2, 3]),
        ("workspace_id=1", [4]),
        ("", [4]),
        ("workspace_id=2&target_id=1001", [1, 2]),
        ("workspace_id=2&task_id=6", [2, 3]),
        ("workspace_id=2&target_id=1001&task_id=6", [2]),
        ("workspace_id=1&target_id=1001", []),
        ("workspace_id=2&group_duplicates=true", [2, 3]),
        ("workspace_id=2&group_duplicates=false", [1, 2, 3]),
        ("workspace_id=2&task_id=99", []),
    ],
)
def test_finding_filters(without_findings, send, query, ids):
    without_findings.add(
        targets=[{"id": 1002, "name": "b.example", "workspace": "second"}],
        findings=[
            {"id": 1, "name": "f", "target_id": 1001, "task_id": 5},
            {"id": 2, "name": "f", "target": "www.example", "workspace": "second", "task_id": 6},
            {"id": 3, "name": "f", "target_id": 1002, "task_id": 6},
            {"id": 4, "name": "f"},
        ],
    )
    assert [each["id"] for each in send("GET", f"/findings?{query}").data] == ids
    without_findings.settings(order="newest_first")
    assert [each["id"] for each in send("GET", f"/findings?{query}").data] == ids[::-1]


# ---- VPN profiles and finding templates


@pytest.mark.parametrize(
    "query, numbers",
    [
        ("", [1, 2, 3]),
        ("vuln_id_type=NETSCAN", [1, 2]),
        ("vuln_id_type=OTHER", []),
        ("has_ptt_exploit=true", [1]),
        ("has_ptt_exploit=false", [2, 3]),
        ("limit=2", [1, 2]),
        ("limit=2&offset=2", [3]),
        ("limit=2&offset=3", []),
        ("offset=2", [1, 2, 3]),
        ("vuln_id_type=NETSCAN&limit=1&offset=1", [2]),
    ],
)
def test_finding_template_filters(service, send, query, numbers):
    names = ["Outdated web server", "Weak cipher", "Cross-site scripting"]
    found = send("GET", f"/public/finding_templates?{query}").data
    assert [each["name"] for each in found] == [names[number - 1] for number in numbers]
