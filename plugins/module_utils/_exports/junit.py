# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Findings as a JUnit report: a suite for each target and tool, a test for each finding. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._gate_words import FAILING, WAIVED
from .document import Document, Row, because, facts, identity, is_whole, pair_problems, place, problems
from .text import attribute, block, line, xml

# the texts of a finding that a failed test shows
_TEXTS = ("description", "risk", "evidence", "recommendation")


def junit(document: Document) -> str:
    """The findings as JUnit XML.

    A failing finding is a failed test, a waived one a skipped test, any other a passed test. A target that was not scanned or
    read completely has a test with an error.
    """
    suites: dict[tuple[str, str], list[str]] = {}
    for pair in document["targets"]:
        suites.setdefault((pair["target"], pair["tool"]), []).extend(_scan_cases(pair))
    for row in document["findings"]:
        suites.setdefault((row["target"], row["tool"]), []).append(_case(row))
    if not is_whole(document) and not any(pair_problems(pair) for pair in document["targets"]):
        # what failed for no single target
        suites["gate", ""] = [_error("run", "gate", document["outcome"], problems(document))]
    cases = [case for each in suites.values() for case in each]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="scanops.scanner gate" {_counts(cases)}>',
    ]
    for (target, tool), each in suites.items():
        name = " / ".join(filter(None, (line(target) or "unknown target", line(tool))))
        lines.append(f'<testsuite name={attribute(name)} {_counts(each)} skipped="{_number(each, "skipped")}">')
        lines += each
        lines.append("</testsuite>")
    return "\n".join([*lines, "</testsuites>", ""])


def _counts(cases: list[str]) -> str:
    return f'tests="{len(cases)}" failures="{_number(cases, "failure")}" errors="{_number(cases, "error")}"'


def _number(cases: list[str], element: str) -> int:
    # texts have no < of their own, and each test has at most one element
    return sum(f"<{element} " in case for case in cases)


def _scan_cases(pair: Mapping[str, Any]) -> list[str]:
    """A test for the scan itself, so that a target without findings is in the report."""
    where = _class(pair["target"], pair["tool"])
    sentences = pair_problems(pair)
    if sentences:
        return [_error("scan", where, pair["outcome"], sentences)]
    return [f'<testcase name="scan" classname={attribute(where)}/>']


def _error(name: str, where: str, outcome: str, sentences: list[str]) -> str:
    return (
        f"<testcase name={attribute(name)} classname={attribute(where)}>\n"
        f"<error type={attribute(line(outcome))} message={attribute(sentences[0])}>{xml(chr(10).join(sentences))}</error>\n"
        "</testcase>"
    )


def _class(target: str, tool: str) -> str:
    return ".".join(filter(None, (line(target) or "unknown target", line(tool))))


def _case(row: Row) -> str:
    number = f" ({row['index']})" if row["index"] > 1 else ""
    name = attribute(f"{line(row['name'], 255)} at {place(row)}{number}")
    head = f"<testcase name={name} classname={attribute(_class(row['target'], row['tool']))}"
    if row["state"] == WAIVED:
        return (
            f'{head}>\n<skipped type="waived" message={attribute(because(row))}>{identity(row)}</skipped>\n</testcase>'
        )
    if row["state"] != FAILING:
        return f"{head}/>"
    texts = "".join([f"\n\n{key.capitalize()}: {block(row[key])}" for key in _TEXTS if row[key]])
    return (
        f"{head}>\n<failure type={attribute(row['severity'])} message={attribute(because(row))}>"
        f"{xml(f'Fingerprint: {identity(row)}{chr(10)}{facts(row)}{texts}')}</failure>\n</testcase>"
    )
