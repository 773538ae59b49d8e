# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The request log, what it never holds, and validation against the contract."""

from __future__ import annotations

import asyncio
import http.client
import json
import urllib.request
from types import SimpleNamespace
from urllib.parse import quote, urlsplit

import pytest
from ansible_collections.scanops.scanner.tests.unit.local_service import ControlError, LocalService

FORM = "application/x-www-form-urlencoded"


def test_entry(service, send):
    headers = {"User-Agent": "test/1"}
    send("POST", "/http_loggers?workspace_id=1", form={"label": "ä b"}, headers=headers)
    entry = service.log()[0]
    assert entry.pop("at") > 1_700_000_000
    assert entry.pop("client_port") > 0
    assert entry == {
        "n": 1,
        "method": "POST",
        "path": "/http_loggers",
        "query": {"workspace_id": "1"},
        "form": {"label": "ä b"},
        "json": None,
        "content_type": "application/x-www-form-urlencoded",
        "authorized": True,
        "authorization": "right",
        "user_agent": "test/1",
        "accept": "application/json",
        "proxied": False,
        "proxy_authorization": False,
        "status": 201,
        "fault": None,
        "violations": [],
        "deviations": [],
    }


def test_json_body_and_the_two_wrong_keys(service, send):
    service.allow_violations = True
    send("PUT", "/workspaces/1", body={"name": "n"})
    send("GET", "/workspaces", key="wrong")
    send("GET", "/workspaces", key=None)
    entries = service.log()
    assert entries[0]["json"] == {"name": "n"} and entries[0]["form"] is None
    assert [entry["authorization"] for entry in entries] == ["right", "wrong", "missing"]
    assert [entry["authorized"] for entry in entries] == [True, False, False]
    assert [entry["status"] for entry in entries] == [204, 401, 401]


@pytest.mark.parametrize("address,status", [("127.0.0.1", 200), ("::1", 200), ("192.0.2.1", 403), (None, 403)])
def test_the_control_api_serves_loopback_only(address, status):
    from ansible_collections.scanops.scanner.tests.service.control import guarded

    async def handler(body):
        return {}

    async def read():
        return b""

    request = SimpleNamespace(remote=address, read=read, match_info={})
    assert asyncio.run(guarded(handler)(request)).status == status


def test_a_request_to_a_proxy(service, send):
    connection = http.client.HTTPConnection(urlsplit(service.base_url).netloc, timeout=30)
    headers = {
        "Authorization": f"Bearer {service.api_key}",
        "Accept": "application/json",
        "Proxy-Authorization": "Basic eDp5",
    }
    connection.request("GET", "http://elsewhere.example/api/v2/workspaces", headers=headers)
    assert connection.getresponse().status == 200
    connection.close()
    entry = service.log()[0]
    assert (entry["path"], entry["proxied"], entry["proxy_authorization"]) == ("/workspaces", True, True)
    assert "eDp5" not in json.dumps(entry)


@pytest.mark.parametrize("place", ["path", "query", "query name", "form", "json", "user_agent", "header", "nothing"])
def test_the_key_is_never_in_the_log(service, send, place):
    service.allow_violations = True
    key = service.api_key
    requests = {
        "path": ("GET", f"/targets/{key}", {}),
        "query": ("GET", f"/targets?x={quote(key)}", {}),
        "query name": ("GET", f"/targets?{quote(key)}=1", {}),
        "form": ("POST", "/targets", {"form": {"name": f"{key}.example"}}),
        "json": ("PUT", "/workspaces/1", {"body": {"description": ["deep", {"er": f"<{key}>"}]}}),
        "user_agent": ("GET", "/targets", {"headers": {"User-Agent": f"x {key}"}}),
        "header": ("GET", "/targets", {"headers": {"X-Key": key}}),
        "nothing": ("GET", "/targets", {}),
    }
    method, path, content = requests[place]
    send(method, path, **content)
    log, summary = service.log(), service.summary()
    assert key not in json.dumps([log, summary])
    told = [violation for violation in log[0]["violations"] if "outside of the Authorization header" in violation]
    assert len(told) == (place != "nothing")


# ---- validation


@pytest.mark.parametrize(
    "method,path,content,words",
    [
        ("GET", "/targets?limit=1001", {}, "limit"),
        ("GET", "/targets?workspace=1", {}, "unknown in the query: workspace"),
        ("GET", "/nothing", {}, "not in the contract"),
        ("GET", "/workspaces", {"headers": {"Accept": "*/*"}}, "Accept"),
        ("GET", "/workspaces", {"key": None}, "Security"),
        ("POST", "/workspaces", {"body": {"name": "n"}}, "mimetype"),
        ("POST", "/workspaces", {"form": {"description": "n"}}, "'name' is a required property"),
        ("POST", "/http_loggers", {"form": {"label": "l", "workspace": 1}}, "unknown in the form: workspace"),
        (
            "POST",
            "/targets",
            {"raw": b"name=a.example&name=b.example", "content_type": FORM},
            "twice",
        ),
        ("PUT", "/workspaces/1", {"body": {}}, "non-empty"),
        ("PUT", "/workspaces/1", {"body": {"name": 5}}, "not of type 'string'"),
    ],
)
def test_a_wrong_request_is_noticed(service, send, method, path, content, words):
    send(method, path, **content)
    violations = service.violations()
    service.allow_violations = True
    assert any(words in violation for violation in violations), violations


def test_violations_of_requests_with_a_fault_are_not_held_against_the_test(service, send):
    service.fault(action="html")
    send("GET", "/targets?limit=1001")
    assert service.log()[0]["violations"] and service.violations() == []


@pytest.mark.parametrize(
    "family,record,path",
    [
        ("workspaces", {"name": ""}, "/workspaces"),
        ("targets", {"name": "x.example", "type": "cat"}, "/targets"),
        ("http_loggers", {"label": "l", "active_days": -1}, "/http_loggers"),
        ("wordlists", {"name": "w", "num_words": "3"}, "/wordlists"),
    ],
)
def test_a_wrong_answer_is_noticed(service, send, family, record, path):
    service.add(**{family: [record]})
    send("GET", path)
    assert service.violations()
    service.allow_violations = True


def test_a_long_list_is_checked_at_both_ends(service, send):
    workspace_id = service.fill("bulk", 500)
    assert send("GET", f"/targets?workspace_id={workspace_id}").status == 200
    assert service.violations() == []
    service.add(targets=[{"name": "last.example", "type": "cat", "workspace_id": workspace_id}])
    send("GET", f"/targets?workspace_id={workspace_id}")
    assert len(service.violations()) == 1
    service.allow_violations = True


# ---- state and settings


def test_state_round_trip(service):
    service.add(
        workspaces=[{"name": "twice"}, {"name": "twice", "description": "again"}],
        targets=[{"name": "a.example", "workspace": "twice"}, {"name": "https://b.example", "description": "ü"}],
        http_loggers=[{"label": "l", "requests": [{"url_params": "x"}]}],
        wordlists=[{"name": "w", "words": ["1", "2"]}],
        current_workspace=3,
    )
    before = service.state()
    assert [each["id"] for each in before["workspaces"]] == [1, 2, 3]
    assert before["wordlists"][-1]["num_words"] == 2
    service.reset(state=before)
    assert service.state() == before


def test_reset_to_an_empty_account(service):
    fill = {"workspace": "only", "targets": 2}
    answer = service.reset(state={"fresh": False, "workspaces": [{"name": "only"}], "fill": fill})
    assert answer == {"current_workspace": 1, "filled_workspace": 1}
    assert [each["name"] for each in service.targets()] == ["host-000001.example", "host-000002.example"]
    assert service.wordlists() == []


@pytest.mark.parametrize(
    "state,words",
    [
        ({"cats": []}, "cats"),
        ({"workspaces": [{}]}, "name"),
        ({"workspaces": ["x"]}, "object"),
        ({"targets": [{"name": "a.example", "workspace": "none"}]}, "none"),
        ({"targets": [{"name": "a.example", "workspace_id": 99}]}, "99"),
        ({"http_loggers": [{"label": "l", "requests": [{"colour": 1}]}]}, "request_method"),
        ({"current_workspace": 99}, "99"),
        ({"fill": {"cats": 3}}, "fill"),
    ],
)
def test_a_state_that_makes_no_sense(service, state, words):
    with pytest.raises(ControlError, match=words):
        service.add(**state)


@pytest.mark.parametrize(
    "settings,words",
    [
        ({"list": "bare"}, "unknown setting 'list'"),
        ({"lists": "wraped"}, "'wrapped', 'bare'"),
        ({"validate": 1}, "true or false"),
        ({"page_cap": -1}, "null"),
        ({"rate_limits": {"GTE": 5}}, "rate_limits"),
        ({"rate_limits": {"seconds": 0}}, "rate_limits"),
        ({"delete_status": True}, "204"),
        ({"scan_scripts": [{"ends": "x"}]}, "a list of"),
    ],
)
def test_a_setting_that_makes_no_sense(service, settings, words):
    before = service.settings()
    with pytest.raises(ControlError, match=words):
        service.settings(order="newest_first", **settings)
    assert service.settings() == before


def test_a_file_keeps_what_the_log_forgets(tmp_path):
    path = tmp_path / "requests.jsonl"
    with LocalService.start(log=path) as service:
        for _round in range(2):
            urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
                urllib.request.Request(
                    f"{service.base_url}/targets", headers={"Authorization": f"Bearer {service.api_key}"}
                )
            ).close()
            service.reset()
        assert service.log() == []
        service.control("GET", "/state")
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["path"] for line in lines] == ["/targets", "/targets"]
    assert LocalService.KEY not in "".join(lines)
