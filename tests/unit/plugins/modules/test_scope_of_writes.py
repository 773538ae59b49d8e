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


# --- targets that are created again


@pytest.mark.parametrize("go_on", [False, True])
def test_a_range_is_refused_and_its_reason_is_a_plain_text(account, run, go_on):
    names = ["10.0.0.1-254", "new.example.com"]
    result = run("targets", workspace_id=2, targets=names, scope=ALLOW, continue_on_error=go_on)
    assert "'1-254', which is not a top-level domain" in result.msg
    reason = result["results"][0]["error"] if go_on else result["refused"][0]["reason"]
    assert reason.startswith("'10.0.0.1-254' ends in '1-254'")
    assert account.writes() == ([f"POST {T}"] if go_on else [])


# --- URLs beside the target
