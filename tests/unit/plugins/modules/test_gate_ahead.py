# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The module gate: who owns what it judged, and what will fail without a change."""

from __future__ import annotations

import csv
import json
import os
import time

import pytest
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils._gate.export_readers import events_of

WEB = 170
DAY = 86400
OWNERS = """\
version: 1
owners:
  - targets: ["*.example.com"]
    team: Web
  - targets: [SHOP.example.com, "*.typo.example"]
    team: Checkout
    contact: checkout@example.com
"""


def date(days):
    return time.strftime("%Y-%m-%d", time.gmtime(time.time() + days * DAY))


def scan(scan_id, target, **counts):
    of = {name: counts.get(name, 0) for name in ("critical", "high", "medium", "low", "info")}
    return {"id": scan_id, "target": target, "workspace_id": 2, "tool_id": WEB, "result_summary": {"text": "", **of}}


@pytest.fixture(autouse=True)
def _account(service):
    service.settings(scan_run_time=1000)
    names = ["www.example.com", "shop.example.com", "old.example.org"]
    service.add(
        workspaces=[{"id": 2, "name": "Web shop"}],
        targets=[{"id": 1001 + at, "name": name, "workspace_id": 2} for at, name in enumerate(names)],
        scans=[
            scan(40001, "www.example.com", high=1),
            scan(40002, "shop.example.com", critical=1, medium=1),
            scan(40003, "old.example.org"),
        ],
        findings=[
            {"id": number, "name": f"F{number}", "vuln_id": f"W-{number}", "risk_level": level}
            | {"task_id": task, "target_id": at}
            for number, level, task, at in ((1, 3, 40001, 1001), (2, 4, 40002, 1002), (3, 2, 40002, 1002))
        ],
    )  # fmt: skip


@pytest.fixture
def owners(tmp_path):
    def write(text=OWNERS):
        path = tmp_path / "owners.yml"
        path.write_text(text)
        return str(path)

    return write


def test_each_finding_has_its_owner_wherever_findings_are(run, owners, tmp_path):
    out = tmp_path / "out"
    path = owners()
    formats = ["json", "markdown", "html", "csv", "calendar"]
    result = run("gate", workspace_id=2, owners=path, artifacts=str(out), formats=formats)
    assert result.failed and result["outcome"] == "findings"
    teams = {each["name"]: (each["team"], each["contact"], each["channel"]) for each in result["findings"]}
    checkout = ("Checkout", "checkout@example.com", None)
    assert teams == {"F1": ("Web", None, None), "F2": checkout, "F3": checkout}
    assert result["owners"] == {"path": path, "unowned": ["old.example.org"]}
    assert {each["team"] for each in json.loads((out / "gate.json").read_text())["findings"]} == {"Web", "Checkout"}
    table = list(csv.DictReader((out / "gate.csv").open(newline="")))
    assert {row["name"]: row["contact"] for row in table}["F2"] == "checkout@example.com"
    page = (out / "gate.html").read_text()
    assert 'id="by-team"' in page and "Checkout (checkout@example.com)" in page
    summary = (out / "gate.md").read_text()
    assert "- `Checkout`, `checkout@example.com`: 1 failing finding\n" in summary and "- `Web`: 1 failing" in summary
    assert [each for each in result.warnings if "owners.yml" in each] == [
        f"1 target has no owner in {path} (old.example.org): add a pattern to the file.",
        f"The pattern at {path}:5 matches no judged target: check for a typo, or remove it.",
    ]


def test_a_pattern_for_a_target_that_could_not_be_read_is_no_typo(service, run, owners):
    service.fault(method="GET", path="/scans", action="status", status=500)
    result = run("gate", workspace_id=2, owners=owners(), retries=0)
    assert result["outcome"] == "service_error"
    assert not [each for each in result.warnings if "matches no judged target" in each]


def test_without_owners_nobody_is_named(run, tmp_path):
    result = run("gate", workspace_id=2, artifacts=str(tmp_path), formats=["html"])
    assert result["owners"] is None and {each["team"] for each in result["findings"]} == {None}
    assert 'id="by-team"' not in (tmp_path / "gate.html").read_text()
    assert not [each for each in result.warnings if "owner" in each]


@pytest.mark.parametrize(
    "text, said",
    [
        (OWNERS.replace("team: Web", "teem: Web"), "owners.yml:4: teem is an unknown key: the closest one is team."),
        ("x" * 5_000_001, "the file has more than 5,000,000 bytes"),
    ],
)
def test_a_wrong_file_is_refused_before_any_call(service, run, owners, text, said):
    result = run("gate", workspace_id=2, owners=owners(text))
    assert result.failed and said in result.msg
    assert service.calls() == []


def test_a_file_that_anybody_could_have_written_is_refused(service, run, owners):
    path = owners()
    os.chmod(path, 0o666)
    result = run("gate", workspace_id=2, owners=path)
    assert result.failed and "owners" in result.msg and "chmod o-w" in result.msg
    assert service.calls() == []


def test_a_saved_file_is_judged_with_the_owners_of_the_present_task(run, owners, tmp_path):
    run("gate", workspace_id=2, artifacts=str(tmp_path), formats=["json"])
    saved = str(tmp_path / "gate.json")
    again = run("gate", findings_file=saved, owners=owners(), artifacts=str(tmp_path), formats=["json"])
    assert {each["team"] for each in again["findings"]} == {"Web", "Checkout"}
    assert {each["team"] for each in run("gate", findings_file=saved)["findings"]} == {None}


def test_a_gate_says_what_will_fail_and_when(run, tmp_path):
    waivers = tmp_path / "waivers.yml"
    waivers.write_text(
        "version: 1\nwaivers:\n"
        f"  - {{check: W-1, reason: r, owner: Jo, expires: '{date(3)}'}}\n"
        f"  - {{check: W-2, reason: r, owner: Jo, expires: '{date(200)}'}}\n"
    )
    policy = {"older_than": {"medium": "30d"}}
    options = dict(workspace_id=2, waivers=[str(waivers)], policy=policy, artifacts=str(tmp_path / "out"))
    result = run("gate", formats=["json", "markdown", "calendar"], **options)
    assert not result.failed, result.msg
    assert result.msg.endswith(f" 1 waiver ends soon: {waivers}:3 in 3 days.")
    assert [each["line"] for each in result["waivers"]["ending"]] == [3]
    dues = {each["name"]: each["due"] for each in result["findings"]}
    assert dues.pop("F3") > date(0) and set(dues.values()) == {None}
    assert result["findings"][0]["name"] == "F3"
    assert "### Begins to fail" in (tmp_path / "out" / "gate.md").read_text()
    text = (tmp_path / "out" / "gate.ics").read_bytes().decode()
    assert [each["SUMMARY"] for each in events_of(text)] == [
        "Waiver ends: check: W-1",
        "Waiver ends: check: W-2",
        "Begins to fail: medium F3",
    ]
    assert "soon" not in run("gate", notice="0", formats=["json"], **options).msg


@pytest.mark.parametrize("notice", ["soon", "-1", "14 days", ""])
def test_a_wrong_notice_is_refused(service, run, notice):
    result = run("gate", workspace_id=2, notice=notice)
    assert result.failed and "notice is " in result.msg and service.calls() == []


@pytest.mark.parametrize("option", ["owners", "epss_file", "known_exploited_file"])
def test_an_empty_path_is_a_mistake_and_not_the_lack_of_a_file(service, run, option):
    result = run("gate", workspace_id=2, **{option: ""})
    assert result.failed and f"{option} '' does not exist: correct the path" in result.msg and service.calls() == []


def test_the_owners_of_a_coverage_are_no_empty_path_either(service, run):
    result = run("coverage_info", workspace_id=2, owners="")
    assert result.failed and "owners '' does not exist: correct the path" in result.msg and service.calls() == []
