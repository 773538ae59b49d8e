# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Documents of the gate for the tests of exports and filters."""

from __future__ import annotations

from typing import Any

from ansible_collections.scanops.scanner.plugins.module_utils._model.gate_words import OUTCOMES

SEVERITIES = ("critical", "high", "medium", "low", "info", "unknown")
WAIVER = {
    "file": "waivers.yml",
    "line": 7,
    "matcher": {"check": "TLS-7"},
    "reason": "Replaced in June",
    "owner": "team-web",
    "expires": "2027-06-30",
    "status": "accepted",
}
POLICY = {
    "fail_on": "high",
    "max": {},
    "only_new": False,
    "verified_only": False,
    "min_cvss": None,
    "min_epss": None,
    "known_exploited": False,
    "older_than": {},
    "include": [],
    "exclude": [],
    "missing": "fail",
}
# what must not take effect in any format
HOSTILE = {
    "script": "</script><script>alert(1)</script>",
    "cdata": "]]></failure><error>",
    "formula": "=cmd()|' /C calc'!A0",
    "formula after a space": "  +1+1",
    "full-width formula": "＝1+1",
    "ansi": "\x1b[31mred\x1b]8;;https://evil.example\x07",
    "bidi": "user\u202etxt.exe\u2066",
    "nul": "a\x00b",
    "surrogate": "a\ud800b",
    "noncharacter": "a\uffff\ufffeb",
    "line ends": "a\r\nb\rc\nd\u2028e\x85f",
    "markdown": "![x](https://evil.example/x.png) @admin `a` | <img src=x> ```\n/close\n```` [a](b)",
    "sarif link": "[click](https://evil.example) {0} \\[",
    "1 MB": "A" * 1_000_000,
    "10,000 characters": "é" * 10_000,
    "empty": "",
}


def row(number: int = 1, **changes: Any) -> dict[str, Any]:
    """A row of gate.json, failing unless the changes say otherwise."""
    return {
        "fingerprint": f"1:{number:032x}",
        "index": 1,
        "state": "failing",
        "change": "new",
        "reasons": ["severity is high, fail_on is high"],
        "severity": "high",
        "id": number,
        "name": "Weak cipher",
        "check": "TLS-7",
        "cve": ["CVE-2024-1000"],
        "cwe": "CWE-326",
        "cvss": 7.5,
        "epss": 0.02,
        "epss_percentile": 0.8,
        "known_exploited": False,
        "verified": True,
        "status": "open",
        "target": "https://shop.example.com",
        "target_id": 5,
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
        "description": "The server accepts\na weak cipher.",
        "risk": "Eavesdropping",
        "recommendation": "Disable it.",
        "evidence": "TLS_RSA_WITH_3DES",
        "references": ["https://example.com/3des"],
        "first_seen": "2026-11-20T10:00:00Z",
        "age": 172800,
        "waiver": None,
        **changes,
    }


def waived(number: int, **changes: Any) -> dict[str, Any]:
    return row(number, **{"state": "waived", "change": "known", "waiver": WAIVER, "reasons": [], **changes})


def pair(target: str = "https://shop.example.com", tool: str = "tls", **changes: Any) -> dict[str, Any]:
    """An item of the targets in gate.json, read completely unless the changes say otherwise."""
    return {
        "target": target,
        "target_id": 5,
        "workspace": "Web shop",
        "tool": tool,
        "tool_id": 3,
        "scan_id": 9,
        "status": "finished",
        "outcome": "passed",
        "verdict": "pass",
        "finished": "2026-11-22T09:00:00Z",
        "age": 3600,
        "duration": 900,
        "complete": True,
        "reasons": [],
        **changes,
    }


def document(rows: list[dict[str, Any]], pairs: list[dict[str, Any]] | None = None, **changes: Any) -> dict[str, Any]:
    """A gate.json of these rows with an outcome that fits."""
    failing = [each for each in rows if each["state"] == "failing"]
    pairs = [pair(outcome="findings" if failing else "passed")] if pairs is None else pairs
    outcome = "findings" if failing else "passed"
    states = {state: sum(each["state"] == state for each in rows) for state in ("failing", "waived", "known", "below")}
    kinds = {change: sum(each["change"] == change for each in rows) for change in ("new", "reopened", "worse")}
    return {
        "schema": "scanops.scanner/gate",
        "version": 1,
        "collection_version": "1.0.0",
        "generated": "2026-11-22T10:00:00Z",
        "run": "0" * 32,
        "outcome": outcome,
        "passed": outcome == "passed",
        "verdict": "fail" if failing else "pass",
        "reasons": [f"{len(failing)} findings fail."] if failing else [],
        "coverage": "complete",
        "workspace": "Web shop",
        "origin": {"build": None, "commit": None, "scan_url": None},
        "policy": POLICY,
        "outcomes": {each: "pass" if each == "passed" else "fail" for each in OUTCOMES},
        "baseline": {"path": None, "state": "none", "scheme": None, "accepted": 0, "reason": None},
        "sources": {"epss": None, "known_exploited": None},
        "targets": pairs,
        "summary": {severity: sum(each["severity"] == severity for each in rows) for severity in SEVERITIES},
        "counts": {"total": len(rows), "gone": 0, "unseen": 0, **states, **kinds},
        "waivers": {"expired": [], "unused": [], "doubled": []},
        "gone": [],
        "unseen": [],
        "findings": rows,
        **changes,
    }


def mixed() -> dict[str, Any]:
    """A document with each state, each severity, each change, and two findings of one fingerprint."""
    return document(
        [
            row(
                1,
                severity="unknown",
                check=None,
                cve=[],
                cwe=None,
                cvss=None,
                epss=None,
                epss_percentile=None,
                change="worse",
            ),
            row(2, severity="critical", name="SQL injection", check="SQL-1", target="api.example.com", path=None),
            row(
                2,
                severity="critical",
                name="SQL injection",
                check="SQL-1",
                target="api.example.com",
                path=None,
                index=2,
            ),
            row(3, change="known", port=None, verified=None, known_exploited=None, evidence="", references=[]),
            waived(4),
            waived(5, change="new", waiver={**WAIVER, "status": "false_positive"}),
            row(6, state="known", change="known", severity="medium", reasons=[]),
            row(7, state="below", change="new", severity="low", reasons=[], first_seen=None),
            row(8, state="below", change="reopened", severity="info", reasons=[]),
            row(9, state="below", change=None, severity="info", reasons=[]),
        ],
        [pair(outcome="findings"), pair("api.example.com", outcome="findings"), pair("www.example.com", "web")],
    )


def broken(outcome: str = "incomplete", **changes: Any) -> dict[str, Any]:
    """A document of a run that did not read one target completely."""
    reason = "The list of findings has 3 findings, and the scan counted 4."
    return document(
        [row(1)],
        [
            pair(outcome="findings"),
            pair("api.example.com", outcome=outcome, verdict="fail", complete=False, reasons=[reason]),
        ],
        **{"outcome": outcome, "reasons": [f"api.example.com: {reason}"], **changes},
    )


def unreachable() -> dict[str, Any]:
    """A document of a run that read nothing."""
    return document(
        [], [], outcome="service_error", verdict="fail", passed=False, coverage="partial",
        reasons=["No answer from the service (connection refused)."],
    )  # fmt: skip
