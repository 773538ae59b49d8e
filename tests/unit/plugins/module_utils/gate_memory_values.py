# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Findings, pairs and rows for the tests of the gate's memory."""

from __future__ import annotations

from ansible_collections.scanops.scanner.plugins.module_utils._evidence import rows
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.findings import finding_of
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.rows import Pair
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.sight import Reach
from ansible_collections.scanops.scanner.plugins.module_utils._gate.baseline import run_of

FIRST = "2026-11-20T10:00:00Z"
SECOND = "2026-11-21T10:00:00Z"
THIRD = "2026-11-22T10:00:00Z"
TARGET, TOOL = "example.com", "website_scanner"
LIGHT = Reach("light", {}, 20, "0" * 16)
DEEP = LIGHT._replace(level="deep", tests=80)


def finding(check="WEBSCAN-00-0000012", risk_level=3, **fields):
    """A record of the service, as finding_info returns it."""
    record = dict.fromkeys(("id", "name", "risk_level", "status", "cve", "target_id", "task_id"))
    record.update(
        name="Cookie without Secure flag", risk_level=risk_level, vuln_id=check, port=443, protocol="TCP", status="open"
    )
    return finding_of({**record, **fields})


def at_places(*paths, **fields):
    """A finding whose evidence lists these paths."""
    return finding(
        vuln_evidence={"type": "table", "data": {"headers": ["URL"], "rows": [[each] for each in paths]}}, **fields
    )


def pair(
    *findings,
    finished=FIRST,
    scan_id=1,
    target=TARGET,
    tool=TOOL,
    complete=True,
    outcome="passed",
    reach=LIGHT,
    **fields,
):
    return Pair(
        target,
        1,
        "Web shop",
        tool,
        170,
        scan_id,
        "finished",
        outcome,
        finished,
        0,
        complete=complete,
        findings=tuple(findings),
        reach=reach,
        **fields,
    )


def rows_of(*pairs):
    """A Row for each finding of the pairs."""
    return rows.rows_of(pairs)


def run(*pairs):
    return run_of(pairs, rows_of(*pairs))
