# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Findings as SARIF 2.1.0 for GitHub, GitLab and other readers of code analyses, each at the line of an estate file. Pure.

The limits are those of GitHub ("SARIF results exceed one or more limits" in its documentation). What it reads of a file is
in "SARIF support for code scanning".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from types import ModuleType
from typing import Any
from urllib.parse import quote

from .._errors import WrongOption, counted, printable
from .._gate_words import KNOWN, NEW, REOPENED, WAIVED, WORSE
from .._names import normal_form
from .._records import Record
from .document import (
    Choices,
    Document,
    Place,
    Row,
    because,
    check_of,
    cwe_number,
    identity,
    is_whole,
    place,
    problems,
    worst,
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
_MOST_TAGS = 20
# of texts that people read in a list
_LONGEST = 1000
# more than a rule can take, with four texts in which a character may need an escape sequence of 6
_RULE_BYTES = 6 * 4 * _LONGEST

_LEVELS = {"medium": "warning", "low": "note", "info": "note"}
# GitHub ranks alerts by these numbers of their rules
_SCORES = {"critical": "9.5", "high": "8.0", "medium": "5.5", "low": "2.0"}
_BASELINE_STATES = {NEW: "new", KNOWN: "unchanged", REOPENED: "new", WORSE: "updated"}

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+:", re.IGNORECASE)
# anything else is no address that a reader may open
_LINK = re.compile(r"https?://[A-Za-z0-9._~/?&=%+#:@!,;-]{1,1000}")

# what only the profile full adds, beside texts
_FULL = ("cvss", "epss", "known_exploited", "verified", "scan_id", "first_seen")
# a finding, and its encoded result
_Encoded = tuple[Row, str]


def sarif(document: Document, choices: Choices) -> list[str]:
    """The findings as SARIF, in several files if GitHub would not keep all of them in one.

    Raises WrongOption for an unknown profile, for an address in place of a file, and for findings without a file.
    """
    profile, category = choices.sarif_profile, choices.category
    if profile not in PROFILES:
        raise WrongOption(f"sarif_profile is {line(profile, 60)!r}: choose one of {', '.join(PROFILES)}.")
    rows = [row for row in document["findings"] if profile != "github" or row["state"] != WAIVED]
    anchors = _anchors(rows, choices)
    encoded = [(row, encode(_result(row, anchors[row["target"]], profile == "full"))) for row in rows]
    groups = _groups(encoded) if profile == "github" else [encoded]
    if category is None:
        category = _CATEGORY
        if document["workspace"]:
            category += f"/{_quoted(document['workspace'], safe='')[:200]}"
    if len(groups) == 1:
        return [_file(document, groups[0], f"{category}/")]
    return [_file(document, group, f"{category}/{number}/") for number, group in enumerate(groups, start=1)]


def _anchors(rows: list[Row], choices: Choices) -> dict[str, Record]:
    """The physical location of each target. GitHub refuses a file in which one result has none."""
    fallback = None if choices.fallback is None else _location(choices.fallback, 1)
    found, lost = {}, []
    for target in sorted({row["target"] for row in rows}):
        declared = choices.locations.get(normal_form(target))
        anchor = _location(*declared) if declared else fallback
        if anchor is None:
            lost.append(target)
        else:
            found[target] = anchor
    if lost:
        more = f" and {counted(len(lost) - 1, 'other target')}" if len(lost) > 1 else ""
        raise WrongOption(
            f"No file declares the target {line(lost[0], 100)!r}{more}, and each result of a SARIF file needs one: add the"
            " files with these targets to estate_files, or name a file for all other targets."
        )
    return found


def _location(path: str, number: int) -> Record:
    if _ADDRESS.match(path):
        raise WrongOption(
            f"{line(path, 200)!r} is an address, and the results of a SARIF file need a file of the repository: give the path"
            " of a file."
        )
    path = path.replace("\\", "/")
    while path.startswith("./"):
        path = path[2:]
    uri = _quoted(path)
    artifact = {"uri": f"file://{uri}" if uri.startswith("/") else uri}
    return {"physicalLocation": {"artifactLocation": artifact, "region": {"startLine": number}}}


def _quoted(text: str, safe: str = "/") -> str:
    return quote(text.encode("utf-8", "replace"), safe=safe)


def _groups(encoded: list[_Encoded]) -> list[list[_Encoded]]:
    """The findings of each file that GitHub accepts and keeps."""
    groups: list[list[_Encoded]] = [[]]
    size = 0
    checks: set[str] = set()
    for row, text in encoded:
        check, length = check_of(row), len(text) + 1
        size += length if check in checks else length + _RULE_BYTES
        if groups[-1] and (len(groups[-1]) == MOST_RESULTS or size > MOST_BYTES):
            groups.append([])
            checks.clear()
            size = length + _RULE_BYTES
        checks.add(check)
        groups[-1].append((row, text))
    return groups


def _result(row: Row, anchor: Record, full: bool) -> Record:
    state, severity, reasons = row["state"], row["severity"], because(row)
    text = f"{line(row['name'], 255)} at {place(row)}. {severity}, {state}: {reasons}."
    properties = {key: row[key] for key in ("state", "change", "severity", "fingerprint", "index")}
    properties.update(target=line(row["target"]), tool=line(row["tool"]))
    if full:
        properties.update({key: row[key] for key in _FULL})
        properties["reasons"] = [line(reason) for reason in row["reasons"]]
        properties.update({key: block(row[key]) for key in ("description", "evidence")})
    elif row["evidence"]:
        text += f"\n\n{block(row['evidence'], _LONGEST)}"
    result: Record = {
        "ruleId": check_of(row),
        "level": _LEVELS.get(severity, "error"),
        "message": _message(text),
        "locations": [anchor],
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


def _message(text: str) -> Record:
    """A text in which no square brackets begin a link (SARIF 2.1.0, section 3.11.6)."""
    if "](" in text:
        text = text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    return {"text": text}


def _rule(check: str, rows: list[Row]) -> Record:
    """The rule of the findings with a check: the texts of the first, and the worst severity."""
    row, severity = rows[0], worst(each["severity"] for each in rows)
    name = line(row["name"], 255) or check
    advice = block(row["recommendation"], _LONGEST) or block(row["risk"], _LONGEST) or name
    properties = {"tags": _tags(row), "precision": "high" if row["verified"] else "medium"}
    if severity in _SCORES:
        properties["security-severity"] = _SCORES[severity]
    found = {
        "id": check,
        "shortDescription": _message(name),
        "fullDescription": _message(block(row["description"], _LONGEST) or name),
        "help": _message(advice),
        "defaultConfiguration": {"level": _LEVELS.get(severity, "error")},
        "properties": properties,
    }
    link = next(filter(_LINK.fullmatch, row["references"]), None)
    return {**found, "helpUri": link} if link else found


def _tags(row: Row) -> list[str]:
    cwe = cwe_number(row)
    tags = ["security", *([f"external/cwe/cwe-{cwe}"] if cwe else []), *(line(cve, 60) for cve in row["cve"])]
    return tags[:_MOST_TAGS]


def _file(document: Document, group: list[_Encoded], identifier: str) -> str:
    rules: dict[str, list[Row]] = {}
    for row, _text in group:
        rules.setdefault(check_of(row), []).append(row)
    invocation = {
        "executionSuccessful": is_whole(document),
        "toolExecutionNotifications": [
            {"level": "error", "message": _message(problem)} for problem in problems(document)
        ],
        "properties": {key: document[key] for key in ("outcome", "verdict")},
    }
    if document["generated"]:
        invocation["endTimeUtc"] = document["generated"]
    driver = {
        "name": "scanops.scanner",
        "semanticVersion": document["collection_version"],
        "rules": list(map(_rule, rules, rules.values())),
    }
    head = {"tool": {"driver": driver}, "automationDetails": {"id": identifier}, "invocations": [invocation]}
    run = json_lines(head, "results", (text for _row, text in group))
    return f'{{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{run}]}}\n'


# --- the lines that declare targets


def locations_of(files: Iterable[tuple[str, str]]) -> dict[str, Place]:
    """The places that declare targets, by the normal form of the target's name. files: paths and texts.

    A target is an item of a list below a key that is ``targets`` or ends in ``_targets``: a name, or a mapping with a name.
    The first place counts if several declare a target. Raises WrongOption for a file that is not YAML.
    """
    found: dict[str, Place] = {}
    for path, text in files:
        yaml = _pyyaml()
        try:
            for document in yaml.compose_all(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
                for node in _targets(yaml, document):
                    found.setdefault(normal_form(node.value), (path, node.start_mark.line + 1))
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            mark = getattr(error, "problem_mark", None)
            where = f"line {mark.line + 1}: " if mark else ""
            raise WrongOption(
                f"The estate file {printable(path)!r} is not valid YAML ({where}"
                f"{printable(getattr(error, 'problem', None) or error)}): correct it, or remove it from estate_files."
            ) from None
    return found


def _pyyaml() -> ModuleType:
    try:
        return import_module("yaml")
    except ImportError:
        raise WrongOption(
            "estate_files needs the Python library PyYAML on the host where the task runs: install it, or name a file for all"
            " findings instead."
        ) from None


def _targets(yaml: ModuleType, top: Any) -> Iterator[Any]:
    """The scalar nodes with the names of targets. An anchor is read once, however often it is used."""
    waiting, seen = [top], set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting += reversed(node.value)
        elif isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if f"_{key.value}".endswith("_targets") and isinstance(value, yaml.SequenceNode):
                    yield from _names(yaml, value.value)
            waiting += [value for _key, value in reversed(node.value)]


def _names(yaml: ModuleType, items: list[Any]) -> Iterator[Any]:
    for item in items:
        is_record = isinstance(item, yaml.MappingNode)
        named = [value for key, value in item.value if key.value == "name"] if is_record else [item]
        yield from (node for node in named if isinstance(node, yaml.ScalarNode))
