# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What reaches the service is what the scope was asked about: names, ids and URLs of each write, in every module."""

from __future__ import annotations

import json

import pytest

S, T = "/scans", "/targets"
OUTSIDE = "outside the authorised scope"
LIVE = "https://straße.example/"
DECLARED = "https://xn--strae-oqa.example/"
ALLOW = {"allow": ["xn--strae-oqa.example", "example.com"]}
BOTH = pytest.mark.parametrize("check", [False, True], ids=["run", "check"])


@pytest.fixture
def account(service):
    state = {
        "workspaces": [{"id": 2, "name": "Web shop"}],
        "targets": [
            {"id": 1001, "name": LIVE, "workspace": "Web shop", "description": "Old"},
            {"id": 1002, "name": "www.example.com", "workspace": "Web shop", "description": "Old"},
            {"id": 1003, "name": "outside.example", "workspace": "Web shop", "description": "Old"},
        ],
    }
    service.reset(settings={"rate_limits": None, "validate": True}, state=state)
    return service


@pytest.fixture
def scan(run):
    def start(**options):
        common = {"workspace_id": 2, "tool": 170, "wait": False}
        return run("scan", **{**common, **options})

    return start


@pytest.fixture
def scope_file(tmp_path, monkeypatch):
    def of(**scope):
        path = tmp_path / "scope.json"
        path.write_text(json.dumps(scope), encoding="utf-8")
        monkeypatch.setenv("SCANNER_SCOPE_FILE", str(path))

    return of


def refused(account, result, words=OUTSIDE):
    assert result.failed
    assert words in result.msg
    assert account.writes() == []
    return result.msg


# --- the name that is sent is the name that is judged


@BOTH
@pytest.mark.parametrize("option", ["target", "targets"])
def test_a_scan_is_refused_for_the_spelling_of_the_live_target(account, scan, option, check):
    value = DECLARED if option == "target" else ["www.example.com", DECLARED]
    message = refused(account, scan(**{option: value}, scope=ALLOW, check=check))
    assert LIVE in message


@BOTH
@pytest.mark.parametrize("name", [LIVE, DECLARED])
def test_a_scan_is_refused_where_the_machine_denies_the_other_reading(account, scan, scope_file, name, check):
    scope_file(deny=["strasse.example"])
    refused(account, scan(target=name, check=check))
    refused(account, scan(targets=["www.example.com", name], check=check))


def test_a_target_whose_live_spelling_is_in_scope_is_scanned(account, scan):
    account.add(targets=[{"id": 1009, "name": "API.example.com.", "workspace": "Web shop"}])
    assert not scan(target="api.example.com", scope=ALLOW).failed
    (body,) = [entry["json"] for entry in account.log() if entry["method"] == "POST"]
    assert body["target_name"] == "API.example.com."


def test_a_target_id_is_resolved_again_where_there_is_a_scope(account, scan):
    assert not scan(target_id=1002).failed
    assert account.calls().count(f"GET {T}/1002") == 1
    account.clear_log()
    assert not scan(target_id=1002, scope=ALLOW).failed
    assert account.calls()[-4:] == [f"GET {S}", f"GET {T}/1002", f"POST {S}", f"GET {S}/40002"]


# --- targets that are created again


@BOTH
def test_a_target_given_by_id_is_not_recreated_out_of_scope(account, run, check):
    options = dict(id=1003, description="New", on_drift="recreate", force=True, scope=ALLOW)
    refused(account, run("target", check=check, **options))
    assert not run("target", check=check, **{**options, "id": 1002}).failed


@BOTH
def test_a_target_is_not_recreated_under_a_live_spelling_that_is_out_of_scope(account, run, check):
    options = dict(workspace_id=2, name=DECLARED, description="New", on_drift="recreate", force=True, scope=ALLOW)
    refused(account, run("target", check=check, **options))


@BOTH
@pytest.mark.parametrize("go_on", [False, True], ids=["stop", "continue"])
def test_targets_are_not_recreated_under_a_live_spelling_that_is_out_of_scope(account, run, check, go_on):
    entries = [{"name": DECLARED, "description": "New"}]
    options = dict(on_drift="recreate", force=True, scope=ALLOW, continue_on_error=go_on, purge_max_percent=100)
    refused(account, run("targets", check=check, workspace_id=2, targets=entries, **options))
    workspaces = [{"name": "Web shop", "targets": entries}]
    refused(account, run("estate", check=check, workspaces=workspaces, **options))


def test_targets_in_scope_are_recreated_beside_one_that_is_refused(account, run):
    entries = [{"name": name, "description": "New"} for name in (DECLARED, "www.example.com")]
    options = dict(on_drift="recreate", force=True, scope=ALLOW, continue_on_error=True, purge_max_percent=100)
    result = run("targets", workspace_id=2, targets=entries, **options)
    assert result["summary"]["refused"] == 1
    assert account.writes() == [f"DELETE {T}/1002", f"POST {T}"]


@pytest.mark.parametrize("go_on", [False, True])
def test_a_range_is_refused_and_its_reason_is_a_plain_text(account, run, go_on):
    names = ["10.0.0.1-254", "new.example.com"]
    result = run("targets", workspace_id=2, targets=names, scope=ALLOW, continue_on_error=go_on)
    assert "'1-254', which is not a top-level domain" in result.msg
    reason = result["results"][0]["error"] if go_on else result["refused"][0]["reason"]
    assert reason.startswith("'10.0.0.1-254' ends in '1-254'")
    assert account.writes() == ([f"POST {T}"] if go_on else [])


# --- URLs beside the target


def login(url):
    return {"type": "login_form", "login_page_url": url, "username": "tester", "password": "s3cret-of-nobody"}


@BOTH
@pytest.mark.parametrize(
    "options, field",
    [
        ({"authentication": login("https://sso.evil.example/login")}, "authentication.params.login_page_url"),
        (
            {"tool_params": {"deep": [{"er": [{"anything": "HTTPS://evil.example"}]}]}},
            "tool_params.deep[0].er[0].anything",
        ),
        ({"start_params": {"report_callback": {"url": "https://evil.example/hook"}}}, "report_callback.url"),
    ],
    ids=["login page", "nested", "callback"],
)
def test_a_url_beside_the_target_is_judged_before_any_call(account, scan, options, field, check):
    message = refused(account, scan(target="www.example.com", scope=ALLOW, check=check, **options))
    assert field in message
    assert account.calls() == []


def test_urls_in_scope_are_sent(account, scan):
    tool_params = {"spider": {"include_urls": ["https://www.example.com/a"], "approach": "auto"}, "scan_type": "light"}
    options = dict(authentication=login("https://sso.example.com/login"), tool_params=tool_params)
    assert not scan(target="www.example.com", scope=ALLOW, **options).failed
    assert account.writes() == [f"POST {S}"]


def test_secrets_are_neither_judged_nor_shown(account, scan):
    secrets = {"type": "headers", "headers": ["Referer: https://evil.example/s3cret-of-nobody"]}
    assert not scan(target="www.example.com", scope=ALLOW, authentication=secrets).failed
    secrets = {"type": "cookies", "cookie_header": "next=https://evil.example/s3cret-of-nobody"}
    assert not scan(target="www.example.com", scope=ALLOW, authentication=secrets).failed


def test_a_description_names_no_place(account, run):
    options = dict(workspace_id=2, name="new.example.com", description="https://wiki.elsewhere.example/new")
    assert not run("target", scope=ALLOW, **options).failed
