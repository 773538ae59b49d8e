# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operations of the matrix: every task of the scenarios, also in check mode, and some that need more."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ansible_collections.scanops.scanner.tests.unit.plugins.modules import scenarios

WEB_SHOP = {"workspace_id": 2}
RUNNING = {
    "id": 40009,
    "tool_id": 170,
    "target": "www.example.com",
    "workspace": "Web shop",
    "status_name": "running",
    "script": {"run": 10**6},
}


@dataclass(frozen=True)
class Operation:
    """One task. more: records of the account besides those of the scenarios; settings: those of the service."""

    name: str
    module: str
    options: dict[str, Any]
    check: bool = False
    more: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)


# what the scenarios do not have: scans in progress, batches that continue after an error
MORE = (
    Operation("scan-wait", "scan", dict(WEB_SHOP, target="www.example.com", tool="170", max_age="1m", poll_interval=5)),
    Operation(
        "scan-many",
        "scan",
        dict(WEB_SHOP, targets=["www.example.com", "192.0.2.7"], tool="170", max_age="1m", concurrency=1),
    ),
    Operation("scan-stop", "scan", dict(id=40009, state="stopped"), more={"scans": [RUNNING]}),
    Operation("scan-stop-forced-delete", "scan", dict(id=40009, state="absent", force=True), more={"scans": [RUNNING]}),
    Operation(
        "scan-wait-with-record",
        "scan",
        dict(WEB_SHOP, target="www.example.com", tool="170", max_age="1m", poll_interval=5),
        settings={"create_answer": "record"},
    ),
    Operation(
        "targets-create-and-continue",
        "targets",
        dict(WEB_SHOP, targets=[f"new{number}.example.com" for number in range(4)], continue_on_error=True),
    ),
    Operation(
        "targets-delete-and-continue",
        "targets",
        dict(WEB_SHOP, targets=["192.0.2.7", "https://Shop.example.com/"], state="absent", continue_on_error=True),
    ),
    Operation(
        "targets-create-answered-with-nothing",
        "targets",
        dict(WEB_SHOP, targets=["new1.example.com", "new2.example.com"]),
        settings={"create_answer": "nothing", "create_status": 200},
    ),
    Operation(
        "workspace-create-answered-with-nothing",
        "workspace",
        dict(name="New", description="Fresh"),
        settings={"create_answer": "nothing"},
    ),
)


def all_operations() -> list[Operation]:
    """Every operation in the order of the tables, each one that writes followed by its check mode."""
    found: list[Operation] = []
    for name, task in {**scenarios.WRITES, **scenarios.READS}.items():
        found.append(Operation(name, task.module, task.options))
        if task.writes:
            found.append(Operation(f"{name}-check", task.module, task.options, check=True))
    return [*found, *MORE]
