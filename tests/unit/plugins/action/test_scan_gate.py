# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the role scan_gate does before the first scan, and if its gate crashes. The integration target runs the rest."""

from __future__ import annotations

import json
import shutil

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._gate.baseline import empty_baseline
from ansible_collections.scanops.scanner.plugins.module_utils._gate.baseline_file import render
from ansible_collections.scanops.scanner.tests.unit.plugins.action.playbook import ROOT, play

SETTINGS = {"scan_gate_workspace": "Web shop", "scan_gate_targets": ["www.example.com"], "scan_gate_poll_interval": 1}
COLLECTION = "ansible_collections/scanops/scanner"


def gated(directory, service, environment=None, arguments=(), faults=None, **settings):
    """One play with the role, which begins with an empty account in each task."""
    role = {
        "name": "Scan and judge",
        "ansible.builtin.include_role": {"name": "scanops.scanner.scan_gate"},
        "vars": {**SETTINGS, "scan_gate_artifacts": str(directory / "artifacts"), **settings},
    }
    plays = [{"name": "Gate", "hosts": "localhost", "gather_facts": False, "tasks": [role]}]
    return play(directory, service, plays, environment=environment, arguments=arguments, faults=faults)


@pytest.mark.parametrize(
    "settings, said",
    [
        ({"scan_gate_policy": {"fail_on": "hihg"}}, "hihg"),
        ({"scan_gate_policy": {"older_than": {"low": "soon"}}}, "older_than"),
        ({"scan_gate_waivers": ["/missing/waivers.yml"]}, "waivers[0] '/missing/waivers.yml' does not exist"),
        ({"scan_gate_estate_files": ["/missing/estate.yml"]}, "estate_files[0] '/missing/estate.yml' does not exist"),
        ({"scan_gate_outcomes": {"incomplet": "warn"}}, "incomplet"),
        ({"scan_gate_tools": ["Website Scanner", "Wbsite Scanner"]}, "Wbsite Scanner"),
        ({"scan_gate_baseline": "/"}, "is a directory"),
        ({"scan_gate_baseline": "/missing/baseline.json", "scan_gate_baseline_missing": "fail"}, "does not exist"),
        ({"scan_gate_baseline": "FOREIGN"}, "is for the workspace 'Other', not for the workspace 'Web shop'"),
        ({"scan_gate_baseline": "SPOILT"}, "is truncated or not valid JSON"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_mistake_fails_before_any_call(service, tmp_path, settings, said):
    text = render(empty_baseline("Other", "1.0.0"))
    for name, content in {"FOREIGN": text, "SPOILT": text[:-9]}.items():
        (tmp_path / name).write_text(content)
        settings = {key: str(tmp_path / name) if value == name else value for key, value in settings.items()}
    played = gated(tmp_path, service, **settings)
    assert played.status == 2, played.output
    for name in ("Declare the workspace and its targets", "Scan the targets"):
        assert {event.kind for event in played.events[name]} == {"skipped"}
    (judged,) = played.events["Judge the findings"]
    assert judged.log == []
    outcome = "stale_baseline" if "does not exist" in said and "fail" in settings.values() else "nothing_scanned"
    outcome = "stale_baseline" if "not for" in said or "JSON" in said else outcome
    (event,) = played.events["End with the outcome"]
    assert event.result["msg"].startswith(f"The gate ended with {outcome}.") and said in event.result["msg"]
    written = json.loads((tmp_path / "artifacts" / "gate.json").read_text())
    assert (written["outcome"], written["passed"], len(written["reasons"])) == (outcome, False, 1)
    assert said in written["reasons"][0]
    (stats,) = played.events["Pass the outcome on"]
    assert stats.result["ansible_stats"]["data"]["scan_gate_outcome"] == outcome


def test_a_baseline_that_may_be_stale_stops_no_scan(service, tmp_path):
    settings = {"scan_gate_baseline_missing": "fail", "scan_gate_outcomes": {"stale_baseline": "warn"}}
    played = gated(tmp_path, service, arguments=("--check",), scan_gate_baseline="/missing/baseline.json", **settings)
    assert played.status == 0, played.output
    assert "Show what would be scanned" in played.events


def test_a_gate_that_crashes_fails_and_shows_no_secret(service, tmp_path):
    copy = tmp_path / "collections" / COLLECTION
    for name in ("plugins", "roles", "meta"):
        shutil.copytree(ROOT / COLLECTION / name, copy / name)
    shutil.copy(ROOT / COLLECTION / "galaxy.yml", copy)
    broken = copy / "plugins" / "module_utils" / "_judging" / "read.py"
    # what a program that is killed prints last can be anything, such as its environment
    end = 'import os, sys\n    sys.stderr.write(f"out of memory {os.environ}\\n")\n    os._exit(137)\n'
    text = broken.read_text()
    start = "def read(task: Task) -> Reading:\n"
    assert start in text
    broken.write_text(text.replace(start, f"{start}    {end}"))
    secrets = {"OTHER_KEY": "another-secret-of-the-play"}
    played = gated(tmp_path, service, {**secrets, "ANSIBLE_COLLECTIONS_PATH": str(tmp_path / "collections")})
    assert played.status == 2, played.output
    (judged,) = played.events["Judge the findings"]
    assert secrets["OTHER_KEY"] in str(judged.result)
    (event,) = played.events["End with the outcome"]
    assert event.result["msg"].startswith("The gate did not return an outcome, so it fails.")
    for secret in (service.api_key, secrets["OTHER_KEY"]):
        assert secret not in str(event.result)
        assert secret not in played.output
    (stats,) = played.events["Pass the outcome on"]
    assert stats.result["ansible_stats"]["data"]["scan_gate_passed"] is False


def test_a_service_that_fails_is_not_green_in_check_mode(service, tmp_path):
    check = ("--check",)
    assert gated(tmp_path / "would", service, arguments=check).status == 0
    refused = {"method": "GET", "path": "/workspaces", "action": "status", "status": 401, "times": None}
    played = gated(tmp_path / "refused", service, arguments=check, faults={"Scan the targets": [refused]})
    assert played.status == 2, played.output
    assert played.events["End with the outcome"][0].result["msg"].startswith("The gate ended with service_error.")
