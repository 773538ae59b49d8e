# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Findings as a JUnit report: a suite for each target and tool, a test for each finding. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..._model.outcomes import FAILING, WAIVED
from ..._model.safe_text import attribute, block, line, xml
from .document import Document, Row, because, facts, identity, is_whole, pair_problems, place, problems

# the texts of a finding that a failed test shows
_TEXTS = ("description", "risk", "evidence", "recommendation")


def junit(document: Document) -> str:
    """The findings as JUnit XML.

    A failing finding is a failed test, a waived one a skipped test, any other a passed test. A target that was not scanned or
    read completely has a test with an error.
    """
    suites: dict[tuple[str, ...], list[str]] = {}
    times: dict[tuple[str, ...], list[int | None]] = {}
    for pair in document["targets"]:
        # so that a target without findings is in the report
        where = _where(pair)
        time = times.setdefault(where, [])
        time.append(pair["duration"])
        test = _scan("scan", where, pair["outcome"], pair_problems(pair), _time(time[-1:]))
        suites.setdefault(where, []).append(test)
    for row in document["findings"]:
        where = _where(row)
        suites.setdefault(where, []).append(_case(row, where))
    if not is_whole(document) and not any(map(pair_problems, document["targets"])):
        # what failed for no single target
        where = ("gate",)
        suites.setdefault(where, []).append(_scan("run", where, document["outcome"], problems(document)))
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    everything = [case for cases in suites.values() for case in cases]
    total = _time([seconds for time in times.values() for seconds in time])
    lines.append(f'<testsuites name="scanops.scanner gate" {_counts(everything)}{total}>')
    for where, cases in suites.items():
        counts = f'{_counts(cases)} skipped="{_number(cases, "skipped")}"{_time(times.get(where, []))}'
        lines += [f"<testsuite name={attribute(' / '.join(where))} {counts}>", *cases, "</testsuite>"]
    return "\n".join([*lines, "</testsuites>", ""])


def _where(record: Mapping[str, Any]) -> tuple[str, ...]:
    """The target and tool of a finding or a scan."""
    tool = line(record["tool"])
    return (line(record["target"]) or "unknown target", *([tool] if tool else []))


def _counts(cases: list[str]) -> str:
    return f'tests="{len(cases)}" failures="{_number(cases, "failure")}" errors="{_number(cases, "error")}"'


def _number(cases: list[str], element: str) -> int:
    # texts have no < of their own, and each test has at most one element
    return sum(f"<{element} " in case for case in cases)


def _time(durations: Sequence[int | None]) -> str:
    """The attribute for the time of some scans, none if the duration of one of them is unknown."""
    known = [seconds for seconds in durations if seconds is not None]
    return f' time="{sum(known)}"' if known and len(known) == len(durations) else ""


def _test(name: str, where: tuple[str, ...], element: str = "", time: str = ' time="0"') -> str:
    # that of a finding is in the time of its scan
    head = f"<testcase name={attribute(name)} classname={attribute('.'.join(where))}{time}"
    return f"{head}>\n{element}\n</testcase>" if element else f"{head}/>"


def _scan(name: str, where: tuple[str, ...], outcome: str, sentences: list[str], time: str = "") -> str:
    """The test of a scan, with an error if there are sentences."""
    if not sentences:
        return _test(name, where, "", time)
    texts = xml("\n".join(sentences))
    error = f"<error type={attribute(line(outcome))} message={attribute(sentences[0])}>{texts}</error>"
    return _test(name, where, error, time)


def _case(row: Row, where: tuple[str, ...]) -> str:
    """The test of a finding."""
    element, message = "", attribute(because(row))
    if row["state"] == WAIVED:
        element = f'<skipped type="waived" message={message}>{identity(row)}</skipped>'
    elif row["state"] == FAILING:
        texts = [f"\n\n{key.capitalize()}: {block(row[key])}" for key in _TEXTS if row[key]]
        content = xml("".join([f"Fingerprint: {identity(row)}\n{facts(row)}", *texts]))
        element = f"<failure type={attribute(row['severity'])} message={message}>{content}</failure>"
    # readers compare runs by this name, so nothing but the finding is in it
    return _test(f"{line(row['name'], 255)} at {place(row)}, {identity(row)}", where, element)
