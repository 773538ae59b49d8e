# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The recordings of this directory that are made of the local service, one of them with other forms of answers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
GUIDE = HERE.parents[1] / "docs/docsite/rst/guide_assumptions.rst"
# two workspaces with targets and scans, and one object of each other kind
ACCOUNT: dict[str, list[dict[str, Any]]] = {
    "workspaces": [{"id": 2, "name": "Web shop", "description": "All that customers reach"}],
    "targets": [
        {"id": 1001, "name": "www.example.com", "workspace": "Web shop", "description": "Front"},
        {"id": 1002, "name": "192.0.2.7", "workspace": "Web shop"},
        {"id": 1003, "name": "here.example.com"},
    ],
    "http_loggers": [
        {"id": 501, "label": "canary", "workspace": "Web shop", "requests": [{"ip_address": "198.51.100.9"}]}
    ],
    "scans": [
        {
            "id": 40001,
            "tool_id": 170,
            "target": "here.example.com",
            "age": 3600,
            "result_summary": {"text": "", "critical": 0, "high": 1, "medium": 0, "low": 0, "info": 0},
        },
        {"id": 40002, "tool_id": 70, "target": "www.example.com", "workspace": "Web shop", "age": 7200},
    ],
    "findings": [{"id": 70001, "name": "SQL injection", "risk_level": 3, "task_id": 40001}],
    "vpn_profiles": [{"name": "Office", "uuid": "6f9619ff-8b86-5011-b42d-00cf4fc964ff"}],
    "reports": [{"id": 301, "resources": [40001]}],
}
SETTINGS: dict[str, dict[str, Any]] = {
    "local-service": {},
    "deviating": {
        "lists": "bare",
        "id_form": "text",
        "time_form": "utc",
        "create_answer": "record",
        "create_status": 200,
        "delete_status": 200,
        "contents": "text",
        "logger_data": "array",
        "null_description": True,
    },
}
# the tests that `make replay` finds to fail on these forms, by the beginning of their names: they need other calls
EXPECTED = {
    "deviating": (
        "test_a_task_sends_these_calls_as_the_contract_has_them",
        "target http_logger",
        "target targets",
        "target workspace",
    )
}


def path_of(name: str) -> Path:
    return HERE / f"{name}.json"


def comparable(text: str) -> str:
    """A recording without what differs in each: the times of records, whose ages are not those of the last one."""
    text = re.sub(r"\d{4}-\d\d-\d\d[T ][\d:]{8}", "TIME", text)
    return json.dumps(json.loads(text), sort_keys=True, indent=1)
