# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Commands of pipelines in what the service says: broken in messages, warnings and failed results, exact in others."""

from __future__ import annotations

import json

import pytest
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.pipeline_commands import commands

EVIL = "##vso[task.setvariable variable=X]y\n::stop-commands::z ##[error]a ##teamcity[b] section_start:1:c"
LONG = ("vuln_description", "risk_description", "recommendation", "test_description")


def printed(result) -> list[str]:
    """The lines that Ansible prints of a failed task, as JSON and as YAML."""
    shown = {key: value for key, value in result.result.items() if key != "invocation"}
    return [line for text in _texts(shown) for line in commands(text)] + commands(json.dumps(shown, indent=4))


def _texts(value) -> list[str]:
    if isinstance(value, dict):
        return [text for each in value.items() for part in each for text in _texts(part)]
    if isinstance(value, list):
        return [text for part in value for text in _texts(part)]
    return [value] if isinstance(value, str) else []


@pytest.fixture
def evil(service):
    scan = {
        "id": 5,
        "target_id": 7,
        "tool_id": 170,
        "status_name": "finished",
        "age": 60,
        "status_message": EVIL,
        "result_summary": {"text": EVIL, "critical": 0, "high": 1, "medium": 0, "low": 0, "info": 0},
    }
    finding = {
        "id": 9,
        "task_id": 5,
        "name": EVIL,
        "risk_level": 3,
        "vuln_id": EVIL,
        "cve": [EVIL],
        "references": [EVIL],
    }
    service.reset(
        settings={"rate_limits": None},
        state={
            "workspaces": [{"id": 3, "name": "A", "description": EVIL}],
            "targets": [{"id": 7, "name": "a.example", "workspace_id": 3, "description": EVIL}],
            "scans": [scan],
            "findings": [{**finding, **dict.fromkeys(LONG, EVIL), "vuln_evidence": {"type": "text", "data": EVIL}}],
        },
    )
    return service


def test_a_failed_gate_says_what_identifies_a_finding_and_no_command(evil, run, tmp_path):
    directory = tmp_path / "out"
    result = run("gate", workspace="A", artifacts=str(directory), formats=["json"])
    assert result.failed and result["outcome"] == "findings", result["reasons"]
    assert printed(result) == []
    (row,) = result["findings"]
    assert result["failing"] == [row]
    assert row["name"].startswith("# #vso[task.setvariable") and row["fingerprint"]
    assert {row[key] for key in ("description", "risk", "recommendation", "evidence")} == {""}
    assert row["references"] == []
    # the file is exact and complete
    (saved,) = json.loads((directory / "gate.json").read_text())["findings"]
    assert saved["name"] == EVIL and saved["description"] == EVIL


def test_the_warning_of_a_gate_has_no_command_and_its_result_is_exact(evil, run):
    result = run("gate", workspace="A", outcomes={"findings": "warn"})
    assert not result.failed and result.warnings
    assert [line for each in result.warnings for line in commands(each)] == []
    assert result["findings"][0]["name"] == EVIL and result["findings"][0]["evidence"]


def test_registered_data_of_successful_tasks_are_exact(evil, run):
    (finding,) = run("finding_info", workspace="A")["findings"]
    assert finding["name"] == EVIL and finding["vuln_description"] == EVIL
    (target,) = run("target_info", workspace="A")["targets"]
    assert target["description"] == EVIL


def test_a_diff_which_ansible_prints_has_no_command(evil, run):
    result = run("workspace", name="A", description="new")
    assert result.changed and commands(json.dumps(result.diff)) == []
    assert "# #vso[" in result.diff["before"]["description"]
    assert result["workspace"]["description"] == "new"


@pytest.mark.parametrize("status", [400, 403, 404, 409, 422, 500, 503])
def test_an_error_of_the_service_is_no_command(evil, run, status):
    evil.fault(method="GET", path="/workspaces", action="status", status=status, message=EVIL, details=EVIL, times=9)
    result = run("workspace_info", retries=0)
    assert result.failed and printed(result) == []


@pytest.mark.parametrize(
    "module,options",
    [
        ("target", {"name": "a.example", "workspace": "A", "description": "other"}),
        ("target", {"name": "a.example", "workspace": "A", "description": "other", "on_drift": "fail"}),
        ("target", {"name": EVIL, "workspace": "A"}),
        ("targets", {"workspace": "A", "targets": [EVIL]}),
        ("targets", {"workspace": "A", "targets": [{"name": "a.example", EVIL: 1}]}),
        ("workspace", {"name": "A", "state": EVIL}),
        ("workspace", {"name": "A", EVIL: 1}),
        ("workspace", {"name": "A", "id": EVIL}),
        ("estate", {"workspaces": [{"name": EVIL, "targets": [EVIL]}]}),
        ("gate", {"workspace": EVIL}),
        ("gate", {"workspace": "A", "policy": {"fail_on": EVIL}}),
        ("scan", {"workspace": "A", "target": EVIL, "tool": "Website Scanner"}),
        ("scan", {"workspace": "A", "target": "a.example", "tool": EVIL}),
        ("scan_info", {"workspace": EVIL}),
        ("finding", {"id": 9, "status": EVIL}),
        ("finding_info", {"workspace": "A", "severity": EVIL}),
    ],
)
def test_no_message_and_no_warning_has_a_command(evil, run, module, options):
    result = run(module, **options)
    assert result.failed or result.warnings
    assert [line for each in result.warnings for line in commands(each)] == []
    if result.failed:
        assert printed(result) == []
