# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the role scan_gate does before the first scan, and if its gate crashes. The integration target runs the rest."""

from __future__ import annotations

import json
import re
import shutil

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._gate.baseline import Baseline
from ansible_collections.scanops.scanner.plugins.module_utils._gate.baseline_file import render
from ansible_collections.scanops.scanner.tests.plays.playbook import LOCAL, ROOT, play
from ansible_collections.scanops.scanner.tests.unit.sampling import one_of_each

SETTINGS = {"scan_gate_workspace": "Web shop", "scan_gate_targets": ["www.example.com"], "scan_gate_poll_interval": 1}
COLLECTION = "ansible_collections/scanops/scanner"
JUDGE = "Scan and judge, once for the whole play"


def gate(directory, hosts="localhost", how="include_role", keywords=None, **settings):
    """The play with the role."""
    role = {
        "name": "Scan and judge",
        f"ansible.builtin.{how}": {"name": "scanops.scanner.scan_gate"},
        **(keywords or {}),
        "vars": {**SETTINGS, "scan_gate_artifacts": str(directory / "artifacts"), **settings},
    }
    return [{"name": "Gate", "hosts": hosts, "gather_facts": False, "tasks": [role]}]


def gated(directory, service, environment=None, arguments=(), faults=None, **settings):
    """One play with the role, which begins with an empty account in each task."""
    plays = gate(directory, **settings)
    return play(directory, service, plays, environment=environment, arguments=arguments, faults=faults)


# each with the outcome that it gives, and words of its reason
ALL_MISTAKES = [
    ({"scan_gate_policy": {"fail_on": "hihg"}}, "misconfigured", "found in scan_gate_policy"),
    (
        {"scan_gate_policy": {"older_than": {"low": "soon"}}},
        "misconfigured",
        "scan_gate_policy.older_than.low is 'soon'",
    ),
    (
        {"scan_gate_waivers": ["/missing/waivers.yml"]},
        "misconfigured",
        "scan_gate_waivers[0] '/missing/waivers.yml' does not exist",
    ),
    (
        {"scan_gate_estate_files": ["/missing/estate.yml"]},
        "misconfigured",
        "scan_gate_estate_files[0] '/missing/estate.yml' does not exist",
    ),
    (
        {"scan_gate_epss_file": "/missing/epss.csv"},
        "misconfigured",
        "scan_gate_epss_file '/missing/epss.csv' does not exist",
    ),
    (
        {"scan_gate_outcomes": {"incomplet": "warn"}},
        "misconfigured",
        "scan_gate_outcomes has the unknown key 'incomplet'",
    ),
    (
        {"scan_gate_outcomes": {"misconfigured": "pass"}},
        "misconfigured",
        "scan_gate_outcomes.misconfigured must be fail",
    ),
    ({"scan_gate_tools": ["Website Scanner", "Wbsite Scanner"]}, "misconfigured", "scan_gate_tools[1]"),
    ({"scan_gate_tools": "Wbsite Scanner"}, "misconfigured", "scan_gate_tools[0]"),
    (
        {"scan_gate_tool_params": {"Website Scaner": {}}},
        "misconfigured",
        "scan_gate_tool_params has the key 'Website Scaner'",
    ),
    ({"scan_gate_targets": []}, "misconfigured", "scan_gate_targets is empty"),
    (
        {"scan_gate_targets": "a.example.com,b.example.com"},
        "misconfigured",
        "scan_gate_targets is a string with a comma",
    ),
    ({"scan_gate_max_age": "1day"}, "misconfigured", "scan_gate_max_age is '1day'"),
    (
        {"scan_gate_formats": ["sariff", "json", "junit"]},
        "misconfigured",
        "value of scan_gate_formats must be one or more of",
    ),
    ({"scan_gate_polcy": {"fail_on": "medium"}}, "misconfigured", "scan_gate_polcy (did you mean scan_gate_policy?)"),
    (
        {"scan_gate__targets": ["a.example.com"]},
        "misconfigured",
        "scan_gate__targets (did you mean scan_gate_targets?)",
    ),
    (
        {"scan_gate_must_see": [{"name": "Directory listing"}]},
        "misconfigured",
        "scan_gate_must_see[0].reason is missing",
    ),
    ({"scan_gate_baseline": "/"}, "misconfigured", "scan_gate_baseline '/' is a directory"),
    (
        {"scan_gate_baseline": "/missing/baseline.json", "scan_gate_baseline_missing": "fail"},
        "stale_baseline",
        "does not exist",
    ),
    (
        {"scan_gate_baseline": "FOREIGN"},
        "stale_baseline",
        "is for the workspace 'Other', not for the workspace 'Web shop'",
    ),
    ({"scan_gate_baseline": "SPOILT"}, "stale_baseline", "is truncated or not valid JSON"),
]
MISTAKES = one_of_each(ALL_MISTAKES, lambda mistake: [(*mistake[0], mistake[1])])


@pytest.fixture(scope="module")
def mistaken(service_process, tmp_path_factory):
    """The directory and the run of one ansible-playbook with a play for each mistake, on a host of its own.

    The plays ignore the failure: ansible-playbook would end with the first one.
    """
    directory = tmp_path_factory.mktemp("mistakes")
    text = render(Baseline("Other", "1.0.0"))
    for name, content in {"FOREIGN": text, "SPOILT": text[:-9]}.items():
        (directory / name).write_text(content)
    plays, hosts = [], ["localhost"]
    for number, (settings, *dummy) in enumerate(MISTAKES):
        given = {
            name: str(directory / value) if value in ("FOREIGN", "SPOILT") else value
            for name, value in settings.items()
        }
        hosts.append(f"mistake{number}")
        (directory / hosts[-1]).mkdir()
        plays += gate(directory / hosts[-1], hosts[-1], "import_role", {"ignore_errors": True}, **given)
    inventory = "".join(f"{host} {LOCAL}\n" for host in hosts)
    return directory, play(directory, service_process, plays, inventory=inventory)


@pytest.mark.parametrize(
    "number, outcome, said",
    [(number, outcome, said) for number, (dummy, outcome, said) in enumerate(MISTAKES)],
    ids=[next(iter(settings)) for settings, *dummy in MISTAKES],
)
@pytest.mark.slow
def test_a_mistake_fails_before_any_call(mistaken, number, outcome, said):
    directory, played = mistaken
    host = f"mistake{number}"
    assert re.search(rf"^{host} .* ignored=1 ", played.output, re.MULTILINE), played.output
    events = {name: [event for event in some if event.host == host] for name, some in played.events.items()}
    (judged,) = events[JUDGE]
    assert judged.log == []
    (event,) = events["End with the outcome"]
    assert event.kind == "failed"
    assert event.result["msg"].startswith(f"The gate ended with {outcome}.") and said in event.result["msg"]
    written = json.loads((directory / host / "artifacts" / "gate.json").read_text())
    assert (written["outcome"], written["passed"], len(written["reasons"])) == (outcome, False, 1)
    assert said in written["reasons"][0]
    (stats,) = events["Pass the outcome on"]
    # of the worst gate of the run
    assert stats.result["ansible_stats"]["data"]["scan_gate_outcome"] in (outcome, "misconfigured")


@pytest.mark.parametrize(
    "variable, value, said",
    [
        ("SCANNER_API_KEY", "", "api_key"),
        ("SCANNER_BASE_URL", "http://scanner.example.com/api/v2", "would send api_key unencrypted over http"),
        ("SCANNER_BASE_URL", "scanner.example.com", "base_url"),
    ],
)
def test_a_connection_that_cannot_be_made_is_an_outcome_with_artefacts(service, tmp_path, variable, value, said):
    (tmp_path / "artifacts").mkdir()
    (tmp_path / "artifacts" / "gate.md").write_text("## Gate passed\n")
    played = gated(tmp_path, service, environment={variable: value})
    assert played.status == 2, played.output
    (event,) = played.events["End with the outcome"]
    assert event.result["msg"].startswith("The gate ended with misconfigured.") and said in event.result["msg"]
    assert json.loads((tmp_path / "artifacts" / "gate.json").read_text())["outcome"] == "misconfigured"
    assert (tmp_path / "artifacts" / "gate.md").read_text().startswith("## Gate failed: misconfigured.")
    assert service.calls() == []


def test_the_check_before_a_scan_warns_of_nothing(service, tmp_path):
    settings = {
        "baseline": str(tmp_path / "baseline.json"),
        "baseline_missing": "create",
        "formats": ["json", "gitlab"],
    }
    given = {f"scan_gate_{name}": value for name, value in settings.items()}
    # in check mode, nothing else judges
    played = gated(tmp_path, service, arguments=("--check",), **given)
    (event,) = played.events[JUDGE]
    # of the workspace that check mode does not create
    others = [each for each in event.result.get("warnings", []) if "check mode assumes" not in each]
    assert event.kind == "ok" and others == []
    assert played.events["End with the outcome"][0].result["msg"].startswith("Would scan www.example.com")


@pytest.mark.parametrize("in_process", ["1", "0"])
def test_relative_paths_start_at_the_directory_of_the_playbook(service, tmp_path, in_process):
    place = tmp_path / "plays"
    (place / "security").mkdir(parents=True)
    (place / "security" / "waivers.yml").write_text("version: 1\nwaivers: []\n")
    (place / "security" / "baseline.json").write_text("{")
    paths = {"waivers": ["security/waivers.yml"], "baseline": "security/baseline.json", "estate_files": ["play.yml"]}
    role = {f"scan_gate_{name}": path for name, path in paths.items()}
    plays = gate(place, how="import_role", keywords={"ignore_errors": True}, **role, scan_gate_artifacts="of_role")
    judge = {**paths, "findings_file": "of_role/gate.json", "artifacts": "of_module"}
    plays[0]["tasks"].append({"name": "Judge again", "scanops.scanner.gate": judge, "ignore_errors": True})
    played = play(place, service, plays, {"SCANNER_IN_PROCESS": in_process}, start=tmp_path)
    for task in ("End with the outcome", "Judge again"):
        (event,) = played.events[task]
        assert "is truncated or not valid JSON" in str(event.result["reasons" if task == "Judge again" else "msg"])
    assert [name for name in ("of_role", "of_module") if not (place / name / "gate.json").is_file()] == []
    assert [path.name for path in tmp_path.iterdir()] == ["plays"]


def test_the_options_of_scan_and_gate_reach_them(service, tmp_path):
    (tmp_path / "epss.csv").write_text("#score_date:2026-01-31\ncve,epss,percentile\nCVE-2021-44228,0.9,0.9\n")
    (tmp_path / "kev.csv").write_text("cveID\nCVE-2021-44228\n")
    for_gate = {"epss_file": "epss.csv", "known_exploited_file": "kev.csv", "export_all": False}
    for_gate["origin"] = {"build": "7", "commit": "9fceb02", "scan_url": "https://app.example.com/scans/{id}"}
    for_scan = {"concurrency": 1, "max_scan_time": 9}
    given = {f"scan_gate_{name}": value for name, value in {**for_gate, **for_scan}.items()}
    targets = {"scan_gate_targets": ["a.example.com", "b.example.com"], "scan_gate_policy": {"fail_on": "none"}}
    played = gated(tmp_path, service, **given, **targets)
    assert played.status == 0, played.output
    (event,) = played.events["Pass the outcome on"]
    assert [event.result["sources"][name]["path"] for name in ("epss", "known_exploited")] == ["epss.csv", "kev.csv"]
    assert event.result["origin"] == for_gate["origin"]
    scans = [each for each in played.events[JUDGE][0].log if "/scans" in each["path"]]
    starts = [number for number, each in enumerate(scans) if each["method"] == "POST"]
    # one after the other
    assert len(starts) == 2 and starts[1] > starts[0] + 1
    assert [scans[number]["json"]["max_scan_time"] for number in starts] == [9, 9]


def test_a_control_of_another_target_starts_no_scan(service, tmp_path):
    control = {"name": "Directory listing", "target": "shop.*", "reason": "Behind the login"}
    played = gated(tmp_path, service, scan_gate_must_see=[control])
    assert played.status == 2, played.output
    assert (
        played.events["End with the outcome"][0]
        .result["msg"]
        .startswith(
            "The gate ended with misconfigured. scan_gate_must_see[0] is for a target or tool that is not judged"
        )
    )
    assert played.events[JUDGE][0].log == []


def test_a_baseline_that_may_be_stale_stops_no_scan(service, tmp_path):
    settings = {"scan_gate_baseline_missing": "fail", "scan_gate_outcomes": {"stale_baseline": "warn"}}
    played = gated(tmp_path, service, arguments=("--check",), scan_gate_baseline="/missing/baseline.json", **settings)
    assert played.status == 0, played.output
    assert played.events["End with the outcome"][0].result["msg"].startswith("Would scan www.example.com")


def test_a_gate_that_crashes_fails_and_shows_no_secret(service, tmp_path):
    copy = tmp_path / "collections" / COLLECTION
    for name in ("plugins", "roles", "meta"):
        shutil.copytree(ROOT / COLLECTION / name, copy / name)
    shutil.copy(ROOT / COLLECTION / "galaxy.yml", copy)
    broken = copy / "plugins" / "module_utils" / "_evidence" / "read.py"
    # what a program that is killed prints last can be anything, such as its environment
    end = 'import os, sys\n    sys.stderr.write(f"out of memory {os.environ}\\n")\n    os._exit(137)\n'
    text = broken.read_text()
    start = "def read(task: Task) -> Reading:\n"
    assert start in text
    broken.write_text(text.replace(start, f"{start}    {end}"))
    secrets = {"OTHER_KEY": "another-secret-of-the-play"}
    played = gated(tmp_path, service, {**secrets, "ANSIBLE_COLLECTIONS_PATH": str(tmp_path / "collections")})
    assert played.status == 2, played.output
    (judged,) = played.events["Pass the outcome on"]
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
    played = gated(tmp_path / "refused", service, arguments=check, faults={JUDGE: [refused]})
    assert played.status == 2, played.output
    assert played.events["End with the outcome"][0].result["msg"].startswith("The gate ended with service_error.")
