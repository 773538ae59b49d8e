# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Documents of the gate for the tests of exports and filters."""

from __future__ import annotations

import copy
from typing import Any

from ansible_collections.scanops.scanner.plugins.module_utils._model.galaxy import section_of
from ansible_collections.scanops.scanner.plugins.module_utils._model.outcomes import OUTCOMES
from ansible_collections.scanops.scanner.tests.unit.plugins.case_files import cases_of

VALUES = cases_of(__file__)
WAIVER, POLICY = VALUES["WAIVER"], VALUES["POLICY"]
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
    return {"fingerprint": f"1:{number:032x}", "id": number, **copy.deepcopy(VALUES["ROW"]), **changes}


def waived(number: int, **changes: Any) -> dict[str, Any]:
    return row(number, **{"state": "waived", "change": "known", "waiver": WAIVER, "reasons": [], **changes})


def pair(target: str = "https://shop.example.com", tool: str = "tls", **changes: Any) -> dict[str, Any]:
    """An item of the targets in gate.json, read completely unless the changes say otherwise."""
    return {**VALUES["PAIR"], "target": target, "tool": tool, "reasons": [], **changes}


def document(rows: list[dict[str, Any]], pairs: list[dict[str, Any]] | None = None, **changes: Any) -> dict[str, Any]:
    """A gate.json of these rows with an outcome that fits."""
    failing = sum(each["state"] == "failing" for each in rows)
    outcome = "findings" if failing else "passed"

    def counted(key: str, *words: str) -> dict[str, int]:
        return {word: sum(each[key] == word for each in rows) for word in words}

    of_outcome = section_of(changes.get("outcome", outcome))
    return {
        **copy.deepcopy(VALUES["DOCUMENT"]),
        "see": {"outcome": of_outcome, "reasons": [of_outcome], "policy": {"fail_on": section_of("fail_on", "policy")}},
        "outcome": outcome,
        "passed": not failing,
        "verdict": "fail" if failing else "pass",
        "reasons": [f"{failing} findings fail."] if failing else [],
        "policy": POLICY,
        "outcomes": {each: "pass" if each == "passed" else "fail" for each in OUTCOMES},
        "targets": [pair(outcome=outcome)] if pairs is None else pairs,
        "summary": counted("severity", "critical", "high", "medium", "low", "info", "unknown"),
        "counts": {
            **counted("state", "failing", "waived", "known", "below"),
            **counted("change", "new", "reopened", "worse"),
            **{"total": len(rows), "gone": 0, "unseen": 0},
        },
        "findings": rows,
        **changes,
    }


def mixed() -> dict[str, Any]:
    """A document with each state, each severity, each change, and two findings of one fingerprint."""
    return document(
        [row(**given) for given in VALUES["MIXED"]],
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
