# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role scan_gate with scan_gate_build: a play against the local service, and an application that says its build."""

from __future__ import annotations

import json

import pytest
from ansible_collections.scanops.scanner.tests.plays.playbook import play
from ansible_collections.scanops.scanner.tests.unit.plugins.preview_server import preview_server

pytestmark = pytest.mark.slow

SETTINGS = {
    "scan_gate_workspace": "Web shop",
    "scan_gate_targets": ["www.example.com"],
    "scan_gate_poll_interval": 1,
    "scan_gate_policy": {"fail_on": "none"},
}
JUDGE, END = "Scan and judge, once for the whole play", "End with the outcome"


@pytest.fixture
def preview():
    with preview_server() as server:
        yield server


def gated(directory, service, build, arguments=(), environment=None, **settings):
    artifacts = {"scan_gate_artifacts": str(directory / "artifacts"), "scan_gate_build": build}
    role = {"role": "scanops.scanner.scan_gate", "vars": {**SETTINGS, **artifacts, **settings}}
    plays = [{"name": "Gate", "hosts": "localhost", "gather_facts": False, "roles": [role]}]
    return play(directory, service, plays, environment=environment, arguments=arguments)


def writes(played):
    """The calls of the service that scan or change something."""
    return [each["path"] for each in played.events[JUDGE][0].log if each["method"] != "GET"]


def written(directory):
    return json.loads((directory / "artifacts" / "gate.json").read_text())


@pytest.mark.parametrize("in_process", ["1", "0"])
def test_the_same_build_passes_and_another_one_is_moved(service, preview, tmp_path, in_process):
    preview.answers = ['{"commit": "4f2a"}']
    build = {"url": f"{preview.url}?token=s3cret", "json": "commit", "expect": "4f2a", "wait": "1m"}
    played = gated(tmp_path, service, build, environment={"SCANNER_IN_PROCESS": in_process})
    assert played.status == 0, played.output
    shown = {"url": preview.url, "expected": "4f2a", "before": "4f2a", "after": "4f2a"}
    assert (written(tmp_path)["outcome"], written(tmp_path)["build"]) == ("passed", shown)
    assert "s3cret" not in played.output + json.dumps(written(tmp_path))
    assert writes(played)[-1].endswith("/scans") and len(preview.requests) == 4
    assert service.api_key not in str(preview.requests)
    preview.answers = [*['{"commit": "4f2a"}'] * 2, '{"commit": "91bc"}']
    played = gated(tmp_path, service, build)
    assert played.status == 2, played.output
    (event,) = played.events[END]
    assert "moved. Another build was deployed while it was scanned: 4f2a → 91bc" in event.result["msg"]
    assert written(tmp_path)["build"]["after"] == "91bc"


def test_nothing_is_scanned_without_the_expected_build(service, preview, tmp_path):
    preview.answers = ["<h1>\nIt works</h1>"]
    played = gated(tmp_path, service, {"url": preview.url, "expect": "4f2a"})
    assert played.status == 2 and played.events[JUDGE][0].log == [], played.output
    (event,) = played.events[END]
    assert event.result["msg"].startswith(
        "The gate ended with moved. The build could not be read before the scans: its answer is a page or JSON"
    )
    assert "Nothing was scanned." in event.result["msg"]
    assert written(tmp_path)["build"] == {"url": preview.url, "expected": "4f2a", "before": None, "after": None}


def test_check_mode_reads_once_and_does_not_wait(service, preview, tmp_path):
    build = {"url": preview.url, "expect": "91bc", "wait": "10m"}
    played = gated(tmp_path, service, build, arguments=("--check",))
    assert played.status == 2 and len(preview.requests) == 1, played.output
    (event,) = played.events[END]
    assert "This is not the expected build: http://127.0.0.1" in event.result["msg"]
    preview.answers = ["91bc"]
    played = gated(tmp_path, service, build, arguments=("--check",))
    assert played.status == 0 and len(preview.requests) == 3, played.output
    (event,) = played.events[END]
    assert event.result["msg"].startswith("Would scan www.example.com with Website Scanner") and writes(played) == []


def test_a_build_is_text_in_the_variable_of_the_role_and_in_the_log(service, preview, tmp_path):
    value = "v{{ 6 * 7 }} ##vso[x]"
    preview.answers = [value]
    assert gated(tmp_path, service, {"url": preview.url}).status == 2
    preview.answers = ["v{{ 6 * 7 }}"]
    played = gated(tmp_path, service, {"url": preview.url}, arguments=("-v",))
    assert played.status == 0, played.output
    assert written(tmp_path)["build"]["before"] == "v{{ 6 * 7 }}"
