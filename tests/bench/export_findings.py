# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Print how long an export takes, and how long json takes to parse the same gate.json: a line of processor seconds for each
pair. `python export_findings.py DIRECTORY FORMAT FINDINGS SIZE PAIRS`, with the collection in DIRECTORY."""

from __future__ import annotations

import functools
import json
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

TARGETS = 100
CHECKS = 300
# of ten findings; most of a first run are below the threshold or known
STATES = ("failing", "failing", "waived", "known", "known", *("below",) * 5)
WAIVER = {
    "file": "waivers.yml",
    "line": 7,
    "matcher": {"check": "CHECK-7"},
    "reason": "Replaced in June",
    "owner": "team-web",
    "expires": "2027-06-30",
    "status": "accepted",
}
LINE = 'The server accepts a cipher that "nobody" should use any more.\n'


def row(number: int, size: int) -> dict[str, Any]:
    """A row of gate.json that takes about this many bytes."""
    state = STATES[number % len(STATES)]
    text = (LINE * (size // len(LINE)))[: max(0, size - 1000) // 4]
    return {
        "fingerprint": f"1:{number:032x}",
        "index": 1,
        "state": state,
        "change": "known" if state == "known" else "new" if number % 20 < 10 else "known",
        "reasons": ["severity is high, fail_on is high"] if state == "failing" else [],
        "severity": ("critical", "high", "medium", "low", "info")[number % 5],
        "id": number,
        "name": f"Weak cipher {number % CHECKS}",
        "check": f"CHECK-{number % CHECKS}",
        "cve": [f"CVE-2024-{1000 + number % CHECKS}"],
        "cwe": "CWE-326",
        "cvss": 7.5,
        "epss": 0.02,
        "epss_percentile": 0.8,
        "known_exploited": False,
        "verified": True,
        "status": "open",
        "target": f"https://host{number % TARGETS}.example.com",
        "target_id": number % TARGETS,
        "workspace": "Web shop",
        "tool": "tls",
        "scan_id": 9,
        "port": 443,
        "protocol": "tcp",
        "service": "https",
        "path": "/login",
        "method": "GET",
        "parameter": "q",
        "places": [],
        "description": text,
        "risk": text,
        "recommendation": text,
        "evidence": text,
        "references": ["https://example.com/cipher"],
        "first_seen": "2026-11-20T10:00:00Z",
        "age": 172800,
        "waiver": WAIVER if state == "waived" else None,
    }


def document(findings: int, size: int) -> dict[str, Any]:
    rows = [row(number, size) for number in range(findings)]
    states = {state: sum(each["state"] == state for each in rows) for state in set(STATES)}
    changes = {change: sum(each["change"] == change for each in rows) for change in ("new", "reopened", "worse")}
    pairs = [
        {
            "target": f"https://host{number}.example.com",
            "tool": "tls",
            "scan_id": 9,
            "status": "finished",
            "outcome": "findings",
            "verdict": "fail",
            "finished": "2026-11-22T09:00:00Z",
            "age": 3600,
            "duration": 900,
            "reasons": [],
        }
        for number in range(TARGETS)
    ]
    return {
        "schema": "scanops.scanner/gate",
        "version": 1,
        "collection_version": "1.0.0",
        "generated": "2026-11-22T10:00:00Z",
        "outcome": "findings",
        "verdict": "fail",
        "reasons": ["Findings fail."],
        "coverage": "complete",
        "workspace": "Web shop",
        "baseline": {},
        "targets": pairs,
        "summary": {"high": findings},
        "counts": {"total": findings, "gone": 0, **states, **changes},
        "waivers": {"expired": [], "unused": [], "doubled": [], "ending": []},
        "gone": [],
        "findings": rows,
    }


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    directory, name, findings, size, pairs = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
    sys.path.insert(0, directory)
    package = "ansible_collections.scanops.scanner.plugins.module_utils._gate.formats"
    formats, reader = import_module(f"{package}.registry"), import_module(f"{package}.document")
    name, dummy, profile = name.partition("_")
    choices = reader.Choices(
        profile or "github", fallback="estate.yml", subjects=[{"name": "shop", "sha256": "0" * 64}]
    )
    text = formats.as_json(document(findings, size))
    for _pair in range(pairs):
        parsed = seconds(lambda: json.loads(text))
        content = reader.read_document(json.loads(text))
        exported = seconds(functools.partial(formats.write, name, content, choices))
        print(exported, parsed)


if __name__ == "__main__":
    main()
