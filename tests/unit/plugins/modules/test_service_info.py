# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._contract import service_info as _service
from ansible_collections.scanops.scanner.tests.unit import certificates
from ansible_collections.scanops.scanner.tests.unit.local_service import LocalService

NOTHING = {
    "authenticated": None,
    "api_access": None,
    "workspaces": None,
    "schema": None,
    "schema_version": None,
    "schema_problem": None,
}


@contextmanager
def other_service(status, content_type, body, **headers):
    """Something else on loopback: (its base URL, the paths that it was asked for, with whether a key came along)."""
    seen = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            seen.append((self.path, "Authorization" in self.headers))
            self.send_response(status)
            for name, value in {"Content-Type": content_type, "Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format, *args):
            """Not on the terminal of the tests."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/api/v2", seen
    finally:
        server.shutdown()
        server.server_close()


def found(run, **options):
    result = run("service_info", required=False, **options)
    assert not result.failed, result.msg
    assert result.slept == []
    return result["service"]


# --- a service that works


def test_a_working_service_costs_one_call(account, run):
    account.settings(rate_limits={"GET": 250})
    assert found(run) == {
        "reachable": True,
        "is_api": True,
        "found": None,
        "status": 200,
        "authenticated": True,
        "api_access": True,
        "rate_limit": {"limit": 250, "remaining": 249, "retry_after": None},
        "workspaces": [{"id": 1, "name": "My Workspace"}, {"id": 2, "name": "Web shop"}, {"id": 3, "name": "Empty"}],
        "clock_skew": 0,
        "problem": None,
        "schema": None,
        "schema_version": None,
        "schema_problem": None,
    }
    assert account.calls() == ["GET /workspaces"]


@pytest.mark.parametrize("offset", [3600, -3600])
def test_a_clock_that_is_an_hour_off_is_told(account, run, offset):
    account.settings(clock_offset=offset)
    result = run("service_info")
    assert not result.failed
    assert abs(result["service"]["clock_skew"] - offset) <= 30
    side = "ahead of" if offset > 0 else "behind"
    assert len(result.warnings) == 1
    assert f" s {side} the clock of this host" in result.warnings[0]


# --- problems: reported, and a failure only if the service is required

PROBLEMS = {
    "wrong key": (
        {},
        {"api_key": "another-key"},
        {"authenticated": False, "status": 401, "is_api": True},
        "Check api_key",
    ),
    "plan without API access": (
        {"api_access": False},
        {},
        {"authenticated": True, "api_access": False, "status": 403, "is_api": True},
        "plan includes API access",
    ),
    "closed port": (
        {},
        {"base_url": "http://127.0.0.1:9/api/v2"},
        {"reachable": False, "status": None, "is_api": None, "clock_skew": None},
        "nothing accepts connections at 127.0.0.1:9",
    ),
}


@pytest.mark.parametrize("settings, options, expected, words", PROBLEMS.values(), ids=list(PROBLEMS))
def test_a_problem_fails_the_task_only_where_the_service_is_required(account, run, settings, options, expected, words):
    account.settings(**settings)
    known = found(run, **options)
    assert {**NOTHING, **expected}.items() <= known.items()
    assert words in known["problem"]
    assert known["problem"].endswith(".")

    failed = run("service_info", retries=0, **options)
    assert failed.failed
    assert failed.msg == known["problem"]
    assert {**failed["service"], "clock_skew": 0} == {**known, "clock_skew": 0}
    assert failed["api_error"]["status"] == expected["status"]


def test_a_used_up_rate_limit_is_told_at_once_and_waited_for_where_the_service_is_required(account, run):
    headers = {"Retry-After": "37", "X-RateLimit-Limit": "250", "X-RateLimit-Remaining": "0"}
    limited = dict(action="status", status=429, message="rate limit exceeded", headers=headers)
    account.fault(**limited)
    known = found(run)
    assert {**NOTHING, "reachable": True, "is_api": True, "status": 429}.items() <= known.items()
    assert known["rate_limit"] == {"limit": 250, "remaining": 0, "retry_after": 37}
    assert "the next call is allowed in 37 s" in known["problem"]
    assert len(account.calls()) == 1

    account.fault(**limited)
    waited = run("service_info")
    assert not waited.failed
    assert waited["service"]["workspaces"] is not None
    # the first task was told to wait, and the second one waits for the rest of that time
    assert 30 < waited.slept[0] < 38


def test_a_gateway_error_is_asked_about_once_and_again_where_the_service_is_required(account, run):
    account.fault(action="html", status=503, times=2)
    known = found(run)
    assert {**NOTHING, "reachable": True, "is_api": None, "status": 503}.items() <= known.items()
    assert "HTML page" in known["found"]
    assert "The service is not available now" in known["problem"]
    assert len(account.calls()) == 1
    assert run("service_info")["service"]["problem"] is None


def test_an_answer_before_a_lost_connection_is_not_taken_for_the_last_one(account, run):
    account.fault(action="html", status=503)
    account.fault(action="reset", nth=2)
    failed = run("service_info", retries=1)
    assert failed.failed
    assert {"reachable": False, "status": None, "found": None}.items() <= failed["service"].items()
    assert "the connection broke" in failed.msg


def test_an_untrusted_certificate_is_reported(run, tmp_path):
    files = certificates.make(tmp_path)
    with LocalService.start(tls_cert=files["server"], tls_key=files["server_key"]) as secure:
        known = found(run, base_url=secure.base_url, schema=True)
        assert known["reachable"] is False
        assert "certificate verify failed" in known["problem"]
        assert "ca_path" in known["problem"]
        assert "certificate verify failed" in known["schema_problem"]
        assert found(run, base_url=secure.base_url, ca_path=files["ca"])["api_access"] is True


# --- another address


def test_what_answers_instead_of_the_service_is_described(run):
    words = "an HTML page with the title 'Sign in here'"
    with other_service(200, "text/html", b"<html><title>Sign in\n here</title>") as (base_url, seen):
        known = found(run, base_url=base_url)
        assert {**NOTHING, "reachable": True, "is_api": False, "status": 200}.items() <= known.items()
        assert known["found"].startswith(words)
        assert "from the server 'BaseHTTP" in known["found"]
        assert known["problem"].startswith(f"GET /workspaces was answered 200 (text/html) with {words}")
        assert known["problem"].endswith(". Check that base_url is the address of the service's API.")
        # the second call, for the OpenAPI file, carries no key
        assert seen == [("/api/v2/workspaces", True), ("/api-schema.yml", False)]
        assert run("service_info", base_url=base_url).msg == known["problem"]


def test_no_part_of_the_key_remains_where_untrusted_text_is_cut(run):
    key = LocalService.KEY
    page = f"<html><title>{'x' * 74}{key}</title>".encode()
    with other_service(200, "text/html", page, Server="y" * 54 + key) as (base_url, _seen):
        for required in (False, True):
            result = run("service_info", base_url=base_url, required=required)
            assert "xxxx***" in str(result.result)
            assert key[:5] not in str(result.result)


def test_a_wrong_path_is_distinguished_from_a_wrong_host(account, run):
    account.allow_violations = True
    known = found(run, base_url=account.base_url + "/more")
    assert "This host publishes the service's OpenAPI file, so check the path of base_url" in known["problem"]
    assert account.calls() == ["GET /more/workspaces", "GET /api-schema.yml"]


def test_the_target_of_a_redirect_is_named(run):
    with other_service(302, "text/html", b"", Location="https://login.example.com/?next=1") as (base_url, seen):
        known = found(run, base_url=base_url)
    assert {"is_api": False, "found": "a redirect", "status": 302, "reachable": True}.items() <= known.items()
    assert "was redirected to https://login.example.com/" in known["problem"]
    assert len(seen) == 1


# --- the OpenAPI file


def test_the_local_service_has_all_that_the_collection_relies_on(account, run):
    known = found(run, schema=True)
    assert known["schema"] == []
    assert (known["schema_version"], known["schema_problem"]) == ("2", None)
    assert account.calls() == ["GET /workspaces", "GET /api-schema.yml"]
    assert [entry["authorization"] for entry in account.log()] == ["right", "missing"]


def test_a_netrc_file_gives_no_key_to_the_openapi_file_either(account, run, monkeypatch, tmp_path):
    file = tmp_path / "netrc"
    file.write_text("machine 127.0.0.1 login someone password else\n", encoding="utf-8")
    file.chmod(0o600)
    monkeypatch.setenv("NETRC", str(file))
    assert found(run, schema=True)["schema_problem"] is None
    assert [entry["authorization"] for entry in account.log()] == ["right", "missing"]


def test_differences_are_returned_and_do_not_fail_the_task(account, run):
    account.settings(schema_text='{"openapi": "3.0.3", "info": {"version": "9\\u001b"}, "paths": {}}')
    result = run("service_info", schema=True)
    assert not result.failed
    assert result.warnings == []
    known = result["service"]
    assert known["schema_version"] == r"9\x1b"
    assert {"missing"} == {each["kind"] for each in known["schema"]}
    assert "GET /workspaces" in [each["operation"] for each in known["schema"]]


UNREADABLE = {
    "missing": ({"schema": "missing"}, "GET /api-schema.yml was answered 404"),
    "a page": ({"schema": "html"}, "it is not an OpenAPI 3 document"),
}


@pytest.mark.parametrize("settings, words", UNREADABLE.values(), ids=list(UNREADABLE))
def test_a_file_that_cannot_be_compared_is_a_warning(account, run, settings, words):
    account.settings(**settings)
    result = run("service_info", schema=True)
    assert not result.failed
    known = result["service"]
    assert (known["schema"], known["problem"]) == (None, None)
    assert words in known["schema_problem"]
    assert result.warnings == [known["schema_problem"]]


def test_the_openapi_file_is_not_read_elsewhere(account, run):
    account.fault(path="/api-schema.yml", action="redirect", location="http://127.0.0.2:9/api-schema.yml", times=None)
    assert "was redirected to http://127.0.0.2:9/api-schema.yml" in found(run, schema=True)["schema_problem"]


def test_without_pyyaml_the_comparison_is_refused_before_any_call(account, run, monkeypatch):
    monkeypatch.setattr(_service, "HAS_YAML", False)
    result = run("service_info", schema=True)
    assert result.failed
    assert "PyYAML" in result.msg
    assert account.calls() == []
    assert found(run)["api_access"] is True
    account.allow_violations = True
    known = found(run, base_url=account.base_url + "/more")
    assert known["problem"].endswith(". Check that base_url is the address of the service's API.")
