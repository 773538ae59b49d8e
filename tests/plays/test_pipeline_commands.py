# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""No line that ansible-playbook prints is a command of a pipeline, whatever the service says."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.tests.plays.playbook import play
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.pipeline_commands import lines_with_commands

EVIL = "##vso[task.setvariable variable=X]y\n::stop-commands::z ##[error]a ##teamcity[b] section_start:1:c"
COUNTS = {"text": "", "critical": 0, "high": 1, "medium": 0, "low": 0, "info": 0}
STATE = {
    "workspaces": [{"id": 3, "name": "A", "description": EVIL}],
    "targets": [{"id": 7, "name": "a.example", "workspace_id": 3, "description": EVIL}],
    "scans": [
        {
            "id": 5, "target_id": 7, "tool_id": 170, "status_name": "finished", "age": 60, "status_message": EVIL,
            "result_summary": COUNTS,
        }
    ],
    "findings": [
        {
            "id": 9, "task_id": 5, "name": EVIL, "risk_level": 3, "vuln_id": EVIL, "vuln_description": EVIL,
            "recommendation": EVIL, "vuln_evidence": {"type": "text", "data": EVIL},
        }
    ],
}  # fmt: skip
TASKS = [
    {"scanops.scanner.gate": {"workspace": "A"}, "ignore_errors": True},
    {"scanops.scanner.gate": {"workspace": "A", "outcomes": {"findings": "warn"}}},
    {"scanops.scanner.workspace": {"name": "A", "description": "new"}},
    {"scanops.scanner.target": {"name": "a.example", "workspace": "A", "description": "new"}},
    {
        "scanops.scanner.targets": {"workspace": "A", "targets": [{"name": "a.example", "description": "new"}]},
    },
]


@pytest.mark.parametrize("in_process, form", [("true", "yaml"), ("false", "json")])
def test_no_line_is_a_command(service_process, tmp_path, in_process, form):
    role = {
        "ansible.builtin.include_role": {"name": "scanops.scanner.scan_gate"},
        "vars": {
            "scan_gate_workspace": "A",
            "scan_gate_targets": ["a.example"],
            "scan_gate_tools": ["Website Scanner"],
            "scan_gate_max_age": "1d",
        },
    }
    plays = [{"hosts": "localhost", "gather_facts": False, "tasks": [*TASKS, role]}]
    environment = {"SCANNER_IN_PROCESS": in_process, "ANSIBLE_CALLBACK_RESULT_FORMAT": form}
    played = play(tmp_path, service_process, plays, environment, ("--diff",), state=STATE)
    assert played.status == 2 and "# #vso[" in played.output
    assert lines_with_commands(played.output.splitlines()) == []
