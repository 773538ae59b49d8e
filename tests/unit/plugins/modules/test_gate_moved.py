# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The gate with the option build, which the role scan_gate passes, against the local service."""

from __future__ import annotations

import json

import pytest

URL = "https://shop.example.com/version"
SAME = {"url": URL, "before": "4f2a", "after": "4f2a"}
SHOWN = {"url": URL, "expected": None, "before": "4f2a", "after": "4f2a"}
OTHER = {**SAME, "after": "91bc"}
MOVED = f"Another build was deployed while it was scanned: 4f2a → 91bc ({URL}). Run the gate again."


@pytest.fixture(autouse=True)
def _account(service):
    """A finished scan with one finding of medium severity."""
    counts = {"critical": 0, "high": 0, "medium": 1, "low": 0, "info": 0}
    service.add(
        workspaces=[{"id": 2, "name": "Web shop"}],
        targets=[{"id": 1001, "name": "www.example.com", "workspace_id": 2}],
        scans=[
            {"id": 40001, "target": "www.example.com", "workspace_id": 2, "tool_id": 170}
            | {"result_summary": {"text": "", **counts}}
        ],
        findings=[
            {"id": 1, "name": "Finding", "vuln_id": "WEB-1", "risk_level": 2, "task_id": 40001, "target_id": 1001}
        ],
    )


@pytest.fixture
def gate(run, tmp_path):
    """A run of the gate that writes its files, unless the options say otherwise."""

    def judge(**options):
        what = {} if "findings_file" in options else {"workspace": "Web shop"}
        given = {"artifacts": str(tmp_path / "artifacts"), "formats": ["json", "markdown", "sarif"], **what, **options}
        return run("gate", **given)

    return judge


def test_a_build_that_did_not_change_is_shown_and_passes(gate, tmp_path):
    result = gate(build={**SAME, "url": f"{URL}?token=s3cret", "expected": "4f2a"})
    assert (result["outcome"], result["build"]) == ("passed", {**SHOWN, "expected": "4f2a"})
    written = {path.name: path.read_text() for path in (tmp_path / "artifacts").iterdir()}
    assert json.loads(written["gate.json"])["build"] == result["build"]
    assert "Build: `4f2a`." in written["gate.md"]
    assert "s3cret" not in str(written)
    assert gate()["build"] is None


def test_another_build_fails_and_closes_no_finding(gate, tmp_path):
    result = gate(build=OTHER)
    assert result.failed and (result["outcome"], result["coverage"]) == ("moved", "partial")
    assert result["reasons"] == [MOVED] and result.msg.startswith(f"The gate ended with moved. {MOVED}")
    # a program that reads SARIF would close what it lacks
    assert not list((tmp_path / "artifacts").glob("*.sarif"))
    assert "moved" in (tmp_path / "artifacts" / "gate.md").read_text().splitlines()[0]


@pytest.mark.parametrize("user", ["", "ci:hunter22@"])
@pytest.mark.parametrize("builds", [{"before": "4f2a", "after": "91bc"}, {"before": "4f2a", "expected": "91bc"}, {}])
def test_no_reason_has_a_user_or_the_query_of_the_address(gate, tmp_path, builds, user):
    url = URL.replace("https://", f"https://{user}")
    result = gate(build={"url": f"{url}?token=s3cret", **builds})
    assert result["outcome"] == "moved" and URL in result.msg
    said = [result.msg, result["reasons"], *(path.read_text() for path in (tmp_path / "artifacts").iterdir())]
    assert not [secret for secret in ("s3cret", "hunter22", "ci:") if secret in str(said)]


def test_the_mapping_decides_as_for_all_outcomes(gate):
    result = gate(build=OTHER, outcomes={"moved": "warn"})
    assert not result.failed and (result["outcome"], result["verdict"], result["passed"]) == ("moved", "warn", False)


def test_an_outcome_that_passes_does_not_hide_that_nothing_was_scanned(gate, tmp_path):
    (tmp_path / "nothing.jsonl").touch()
    nothing = [{"failed": True, "outcome": "nothing_scanned", "msg": "Nothing was scanned."}]
    options = {"findings_file": str(tmp_path / "nothing.jsonl"), "scan_results": nothing}
    build = {"url": URL, "before": "4f2a", "expected": "91bc"}
    result = gate(build=build, outcomes={"moved": "pass"}, **options)
    assert result.failed and (result["outcome"], result["verdict"]) == ("moved", "fail")
    assert [each.split(":")[0] for each in result["reasons"][1:]] == [
        "This is not the expected build",
        "Nothing was scanned.",
    ]


@pytest.mark.parametrize("update", [True, False])
def test_no_baseline_accepts_the_findings_of_another_build(gate, tmp_path, update):
    baseline = tmp_path / "baseline.json"
    options = {"baseline": str(baseline), "baseline_missing": "create", "baseline_update": update}
    assert gate(build=OTHER, **options)["baseline"]["state"] == "missing" and not baseline.exists()
    assert gate(build=SAME, **options)["baseline"]["state"] == "created" and baseline.exists()


def test_a_saved_file_keeps_its_build_and_stays_moved(gate, service, tmp_path):
    gate(build=OTHER)
    saved = tmp_path / "saved.json"
    saved.write_text((tmp_path / "artifacts" / "gate.json").read_text())
    result = gate(findings_file=str(saved))
    assert (result["outcome"], result["build"]) == ("moved", {**SHOWN, "after": "91bc"})
    assert result["reasons"] == [f"The saved file says moved: {MOVED}"]
    # a worse outcome that is gone must not hide it
    document = {**json.loads(saved.read_text()), "outcome": "findings"}
    saved.write_text(json.dumps(document))
    assert gate(findings_file=str(saved))["reasons"] == [MOVED]
    gate(build=SAME)
    saved.write_text((tmp_path / "artifacts" / "gate.json").read_text())
    result = gate(findings_file=str(saved))
    assert (result["outcome"], result["build"]) == ("passed", SHOWN)
    assert gate(findings_file=str(saved), build=OTHER)["build"] == SHOWN
    saved.write_text(json.dumps({**json.loads(saved.read_text()), "build": {"url": URL}}))
    assert "build: expected is missing" in gate(findings_file=str(saved)).msg


def test_a_template_in_a_build_is_text(gate):
    value = "{{ lookup('env', 'HOME') }}"
    assert gate(build={**SAME, "before": value, "after": value})["build"]["before"] == value
