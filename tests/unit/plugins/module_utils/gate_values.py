# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows, findings and pairs for the tests of the gate, of which a test names only what it is about."""

from __future__ import annotations

from ansible_collections.scanops.scanner.plugins.module_utils._evidence.findings import finding_of
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.rows import Pair, Row
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.sight import Reach

NOW = 1795341600  # 2026-11-22T10:00:00Z
DAY = 86400

_ROW = dict(
    pair=0,
    fingerprint="1:" + "0" * 32,
    number=1,
    severity="high",
    id=None,
    name="TLS 1.0 is accepted",
    check="WEB-1",
    cve=(),
    cwe=None,
    cvss=None,
    epss=None,
    epss_percentile=None,
    known_exploited=None,
    verified=None,
    status=None,
    target="a.example",
    target_id=1,
    workspace="Web shop",
    tool="website_scanner",
    scan_id=5,
    port=443,
    protocol="tcp",
    service=None,
    path=None,
    method=None,
    parameter=None,
    description="",
    risk="",
    recommendation="",
    evidence="",
    references=(),
    first_seen=None,
    places=(),
)

_PAIR = dict(
    target="a.example",
    target_id=1,
    workspace="Web shop",
    tool="website_scanner",
    tool_id=170,
    scan_id=5,
    status="finished",
    outcome="passed",
    finished="2026-11-22T09:00:00Z",
    age=3600,
    duration=900,
    complete=True,
    problems=(),
    findings=(),
    reach=Reach("light", {}, 20, "0" * 16),
)


def row(**fields) -> Row:
    return Row(**{**_ROW, **fields})


def pair(**fields) -> Pair:
    return Pair(**{**_PAIR, **fields})


def finding(**fields):
    """A record of the service as results have it."""
    record = dict(
        id=None,
        name="TLS 1.0 is accepted",
        risk_level=3,
        status="open",
        cve=[],
        target_id=1,
        task_id=5,
        vuln_id="WEB-1",
    )
    record.update(fields)
    return {**finding_of(record), "target_name": record.get("target_name")}
