# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Findings as SARIF 2.1.0 for GitHub, GitLab and other readers of code analyses. Pure.

The limits are those of GitHub ("SARIF results exceed one or more limits" in its documentation). What it reads of a file is
in "SARIF support for code scanning".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from .._errors import WrongOption, counted
from .._gate_words import KNOWN, NEW, REOPENED, WAIVED, WORSE
from .._names import normal_form
from .document import (
    Choices,
    Document,
    Row,
    because,
    check_of,
    cwe_number,
    identity,
    is_whole,
    place,
    problems,
)
from .text import block, encode, json_lines, line

# github: without waived findings, split at GitHub's limits; gitlab: with suppressions; full: and with more facts
PROFILES = ("github", "gitlab", "full")
_CATEGORY = "scanops.scanner"

# GitHub accepts 25,000 results of a run, and keeps 5,000
MOST_RESULTS = 5000
# GitHub accepts 10 MB after compression, and no text grows by compression
MOST_BYTES = 9_000_000
# GitHub refuses a rule with more
MOST_TAGS = 20
# of texts that people read in a list
_LONGEST = 1000

_LEVELS = {"medium": "warning", "low": "note", "info": "note"}
# GitHub ranks alerts by these numbers of their rules
_SCORES = {"critical": "9.5", "high": "8.0", "medium": "5.5", "low": "2.0"}
_RANKS = ("info", "low", "medium", "high", "critical", "unknown")
_BASELINE_STATES = {NEW: "new", KNOWN: "unchanged", REOPENED: "new", WORSE: "updated"}

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+:", re.IGNORECASE)


def sarif(document: Document, choices: Choices) -> list[str]:
    """The findings as SARIF, in several files if GitHub would not keep all of them in one.

    Raises WrongOption for an unknown profile, for an address in place of a file, and for findings without a file.
    """
    profile, category = choices.sarif_profile, choices.category
    if profile not in PROFILES:
        raise WrongOption(f"sarif_profile is {line(profile, 60)!r}: choose one of {', '.join(PROFILES)}.")
    rows = [row for row in document["findings"] if profile != "github" or row["state"] != WAIVED]
    anchors = _Anchors(choices.locations, choices.fallback)
    anchors.refuse_without(rows)
    groups = list(_groups(rows, anchors, profile == "full", bounded=profile == "github"))
    if category is None:
        category = _CATEGORY
        if document["workspace"]:
            category += f"/{quote(document['workspace'].encode('utf-8', 'replace'), safe='')[:200]}"
    if len(groups) == 1:
        return [_file(document, groups[0], f"{category}/")]
    return [_file(document, group, f"{category}/{number}/") for number, group in enumerate(groups, start=1)]


class _Anchors:
    """The physical locations of findings. GitHub refuses a file in which one result has none."""

    def __init__(self, locations: Mapping[str, tuple[str, int]], fallback: str | None) -> None:
        self._locations = locations
        self._fallback = None if fallback is None else _location(fallback, 1)
        self._cache: dict[str, dict[str, Any] | None] = {}

    def of(self, target: str) -> dict[str, Any] | None:
        """The location for findings of a target, or None."""
        if target not in self._cache:
            declared = self._locations.get(normal_form(target))
            self._cache[target] = _location(*declared) if declared else self._fallback
        return self._cache[target]

    def refuse_without(self, rows: list[Row]) -> None:
        """Raise WrongOption if a finding has no location."""
        lost = sorted({row["target"] for row in rows if self.of(row["target"]) is None})
        if lost:
            more = f" and {counted(len(lost) - 1, 'other target')}" if len(lost) > 1 else ""
            raise WrongOption(
                f"No file declares the target {line(lost[0], 100)!r}{more}, and each result of a SARIF file needs one: add the"
                " files with these targets to estate_files, or name a file for all other targets."
            )


def _location(path: str, number: int) -> dict[str, Any]:
    if _ADDRESS.match(path):
        raise WrongOption(
            f"{line(path, 200)!r} is an address, and the results of a SARIF file need a file of the repository: give the path"
            " of a file."
        )
    path = path.replace("\\", "/")
    while path.startswith("./"):
        path = path[2:]
    uri = quote(path.encode("utf-8", "replace"))
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": f"file://{uri}" if uri.startswith("/") else uri},
            "region": {"startLine": number},
        }
    }


class _Group(NamedTuple):
    """The content of one file: the encoded results, and the first and the worst row of each rule."""

    results: list[str]
    rules: dict[str, _Rule]


class _Rule(NamedTuple):
    row: Row
    severity: str


def _groups(rows: list[Row], anchors: _Anchors, full: bool, bounded: bool) -> Iterator[_Group]:
    """The groups of results that fit into a file each; one group, if they need not fit."""
    group, size = _Group([], {}), 0
    for row in rows:
        check = check_of(row)
        result = encode(_result(row, check, anchors, full))
        size += len(result) + 1
        rule = group.rules.get(check)
        if rule is None:
            # more than the texts of a rule can take
            size += 6 * 4 * _LONGEST
        if bounded and group.results and (len(group.results) == MOST_RESULTS or size > MOST_BYTES):
            yield group
            group, size, rule = _Group([], {}), len(result) + 1 + 6 * 4 * _LONGEST, None
        severity = row["severity"]
        if rule is None:
            group.rules[check] = _Rule(row, severity)
        elif _RANKS.index(severity) > _RANKS.index(rule.severity):
            group.rules[check] = rule._replace(severity=severity)
        group.results.append(result)
    yield group


def _result(row: Row, check: str, anchors: _Anchors, full: bool) -> dict[str, Any]:
    state, severity = row["state"], row["severity"]
    reasons = because(row)
    text = f"{line(row['name'], 255)} at {place(row)}"
    text += f". {severity}, {state}: {reasons}." if reasons else f". {severity}, {state}."
    properties: dict[str, Any] = {
        "state": state,
        "change": row["change"],
        "severity": severity,
        "target": line(row["target"]),
        "tool": line(row["tool"]),
        "fingerprint": row["fingerprint"],
        "index": row["index"],
    }
    if full:
        properties.update(
            reasons=[line(reason) for reason in row["reasons"]],
            cvss=row["cvss"],
            epss=row["epss"],
            known_exploited=row["known_exploited"],
            verified=row["verified"],
            scan_id=row["scan_id"],
            first_seen=row["first_seen"],
            description=block(row["description"]),
            evidence=block(row["evidence"]),
        )
    elif row["evidence"]:
        text += f"\n\n{block(row['evidence'], _LONGEST)}"
    result: dict[str, Any] = {
        "ruleId": check,
        "level": _LEVELS.get(severity, "error"),
        "message": {"text": _plain(text)},
        "locations": [anchors.of(row["target"])],
        "partialFingerprints": {
            # the only one that GitHub reads
            "primaryLocationLineHash": f"{row['fingerprint'].rpartition(':')[2]}:{row['index']}",
            "scanopsScanner/v1": identity(row),
        },
        "properties": properties,
    }
    if row["change"] is not None:
        result["baselineState"] = _BASELINE_STATES[row["change"]]
    if state == WAIVED:
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": reasons}]
    return result


def _plain(text: str) -> str:
    """A text in which no square brackets begin a link (SARIF 2.1.0, section 3.11.6)."""
    if "](" in text:
        return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    return text


def _rule(check: str, rule: _Rule) -> dict[str, Any]:
    row, severity = rule
    name = line(row["name"], 255) or check
    advice = block(row["recommendation"], _LONGEST) or block(row["risk"], _LONGEST) or name
    properties: dict[str, Any] = {"tags": _tags(row), "precision": "high" if row["verified"] else "medium"}
    if severity in _SCORES:
        properties["security-severity"] = _SCORES[severity]
    found: dict[str, Any] = {
        "id": check,
        "shortDescription": {"text": _plain(name)},
        "fullDescription": {"text": _plain(block(row["description"], _LONGEST) or name)},
        "help": {"text": _plain(advice)},
        "defaultConfiguration": {"level": _LEVELS.get(severity, "error")},
        "properties": properties,
    }
    for reference in row["references"]:
        # more than that is no address that a reader may open
        if re.fullmatch(r"https?://[A-Za-z0-9._~/?&=%+#:@!,;-]{1,1000}", reference):
            found["helpUri"] = reference
            break
    return found


def _tags(row: Row) -> list[str]:
    tags = ["security"]
    cwe = cwe_number(row)
    if cwe:
        tags.append(f"external/cwe/cwe-{cwe}")
    return [*tags, *(line(cve, 60) for cve in row["cve"])][:MOST_TAGS]


def _file(document: Document, group: _Group, identifier: str) -> str:
    notifications = [{"level": "error", "message": {"text": _plain(problem)}} for problem in problems(document)]
    invocation: dict[str, Any] = {
        "executionSuccessful": is_whole(document),
        "toolExecutionNotifications": notifications,
        "properties": {"outcome": document["outcome"], "verdict": document["verdict"]},
    }
    if document["generated"]:
        invocation["endTimeUtc"] = document["generated"]
    driver = {
        "name": "scanops.scanner",
        "semanticVersion": document["collection_version"],
        "rules": [_rule(check, rule) for check, rule in group.rules.items()],
    }
    head = {"tool": {"driver": driver}, "automationDetails": {"id": identifier}, "invocations": [invocation]}
    run = json_lines(head, "results", group.results)
    return f'{{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{run}]}}\n'
