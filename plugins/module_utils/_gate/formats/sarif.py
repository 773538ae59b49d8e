# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Findings as SARIF 2.1.0 for GitHub, GitLab and other readers of code analyses, each at the line of an estate file. Pure.

The limits are those of GitHub ("SARIF results exceed one or more limits" in its documentation). What it reads of a file is
in "SARIF support for code scanning".

GitHub recognises an alert by its rule, its file and ``primaryLocationLineHash``, which is that of the finding's fingerprint
here. Its action upload-sarif keeps it, and warns that the text of the line has another one (src/fingerprints.ts of release
4.36.3 of github/codeql-action). Without ours, an alert would depend on the text near its line, and on other findings there. The
action computes none without a line, which GitHub requires.

GitHub closes each alert that an analysis lacks, whatever a run says of itself, so there is no file of an incomplete run.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple
from urllib.parse import quote

from ..._model.errors import WrongOption, counted, printable
from ..._model.outcomes import KNOWN, NEW, REOPENED, WAIVED, WORSE
from ..._model.records import Record
from ..._model.safe_text import block, encode, fenced, json_lines, line
from ..._model.target_names import lasting_form
from .document import (
    Choices,
    Document,
    Place,
    Row,
    address_of,
    because,
    check_of,
    cves_of,
    cwe_number,
    identity,
    place,
    ranked_severity,
    references_of,
    titled_texts,
    worst,
)

# github: without waived findings, split at GitHub's limits; gitlab: with suppressions; full: and with more facts
PROFILES = ("github", "gitlab", "full")
_CATEGORY = "scanops.scanner"

# GitHub accepts 25,000 results of a run, and keeps 5,000
MOST_RESULTS = 5000
# GitHub accepts 20 runs of an upload
MOST_RUNS = 20
# GitHub accepts 10 MB after compression
MOST_BYTES = 9_000_000
# GitHub shows 10 tags of a rule, and refuses a rule with more than 20
_MOST_TAGS = 10
# of texts that people read in a list
_LONGEST = 1000
_HOMEPAGE = "https://github.com/scanops/scanops.scanner"

_LEVELS = {"medium": "warning", "low": "note", "info": "note"}
# GitHub ranks alerts by these numbers of their rules
_SCORES = {"critical": "9.5", "high": "8.0", "medium": "5.5", "low": "2.0"}
_IN_PATH = "/%:@!$&'()*+,;=~"
_BASELINE_STATES = {NEW: "new", KNOWN: "unchanged", REOPENED: "new", WORSE: "updated"}

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+:", re.IGNORECASE)
# anything else is no address that a reader may open
_IN_LINK = "(?:[A-Za-z0-9._~/?&=+:@!,;-]|%[0-9A-Fa-f]{2})"
_LINK = re.compile(rf"https?://(?=.{{1,1000}}\Z){_IN_LINK}+(?:#{_IN_LINK}*)?")

# what only the profile full adds, beside texts
_FULL = ("cvss", "epss", "epss_percentile", "known_exploited", "verified", "scan_id", "first_seen")


class _Result(NamedTuple):
    """A finding in the file."""

    check: str
    text: str


def sarif(document: Document, choices: Choices) -> list[str]:
    """The findings as SARIF, in several runs and files if GitHub would not keep all of them in one.

    Raises WrongOption for an unknown profile, for an address in place of a file, and for findings without a file.
    """
    profile, category = choices.sarif_profile, choices.category
    if profile not in PROFILES:
        raise WrongOption(f"sarif_profile is {line(profile, 60)!r}: choose one of {', '.join(PROFILES)}.")
    rows = [row for row in document["findings"] if profile != "github" or row["state"] != WAIVED]
    anchors = _anchors(rows, choices)
    by_check: dict[str, list[Row]] = {}
    for row in rows:
        by_check.setdefault(check_of(row), []).append(row)
    # from all findings, so that a rule is the same in each run
    rules = {check: encode(_rule(check, found)) for check, found in by_check.items()}
    full = profile == "full"
    results = [_Result(check_of(row), encode(_result(row, anchors[row["target"]], full))) for row in rows]
    if category is None:
        category = _CATEGORY
        if document["workspace"]:
            category += f"/{_quoted(document['workspace'], safe='')[:200]}"
    groups = _groups(results, rules) if profile == "github" else [results]
    # those of the first run do not depend on how many there are
    names = [f"{category}/", *(f"{category}/{number}/" for number in range(2, len(groups) + 1))]
    files = _filled([_run(document, *each, rules) for each in zip(groups, names)])
    head = '{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":['
    return [f"{head}{','.join(runs)}]}}\n" for runs in files]


def _anchors(rows: list[Row], choices: Choices) -> dict[str, Record]:
    """The physical location of each target. GitHub refuses a file in which one result has none."""
    fallback = None if choices.fallback is None else _location(choices.fallback, 1)
    found, lost = {}, []
    for target in sorted({row["target"] for row in rows}):
        declared = choices.locations.get(lasting_form(target))
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
    if path.startswith("/"):
        raise WrongOption(
            f"{line(path, 200)!r} is an absolute path, which GitHub refuses in SARIF: give the path from the top of the"
            " repository."
        )
    while path.startswith("./"):
        path = path[2:]
    return {"physicalLocation": {"artifactLocation": {"uri": _quoted(path)}, "region": {"startLine": number}}}


def _quoted(text: str, safe: str = "/") -> str:
    return quote(text.encode("utf-8", "replace"), safe=safe)


def _groups(results: list[_Result], rules: Mapping[str, str]) -> list[list[_Result]]:
    """The findings of each run that GitHub accepts and keeps."""
    groups: list[list[_Result]] = [[]]
    size = 0
    checks: set[str] = set()
    for result in results:
        rule = 0 if result.check in checks else len(rules[result.check])
        size += len(result.text) + rule + 2
        if groups[-1] and (len(groups[-1]) == MOST_RESULTS or size > MOST_BYTES):
            groups.append([])
            checks.clear()
            size = len(result.text) + len(rules[result.check]) + 2
        checks.add(result.check)
        groups[-1].append(result)
    return groups


def _filled(runs: list[str]) -> list[list[str]]:
    """The runs of each file that GitHub accepts."""
    files: list[list[str]] = [[]]
    size = 0
    for run in runs:
        length = len(zlib.compress(run.encode("ascii"), 1)) if len(runs) > 1 else 0
        size += length
        if files[-1] and (len(files[-1]) == MOST_RUNS or size > MOST_BYTES):
            files.append([])
            size = length
        files[-1].append(run)
    return files


def _result(row: Row, anchor: Record, full: bool) -> Record:
    """The result of a finding. anchor: the line that declares its target."""
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
    # the second one is all that GitHub reads
    digest = f"{row['fingerprint'].rpartition(':')[2]}:{row['index']}"
    prints = {"scanopsScanner/v1": identity(row), "primaryLocationLineHash": digest}
    address, path = address_of(row), row["path"] or "/"
    url = f"{address}{_quoted(path, _IN_PATH)}" if address and "://" in address else None
    result: Record = {
        "ruleId": check_of(row),
        "level": _LEVELS.get(severity, "error"),
        "message": _message(text),
        "locations": [
            {**anchor, "logicalLocations": [{"fullyQualifiedName": url or place(row), "kind": "resource"}]},
        ],
        "partialFingerprints": prints,
        "properties": properties,
    }
    if url:
        result["webRequest"] = {"target": url, **({"method": line(row["method"], 20)} if row["method"] else {})}
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
    row, severity = rows[0], worst(map(ranked_severity, rows))
    name = line(row["name"], 255) or check
    advice = block(row["recommendation"], _LONGEST) or block(row["risk"], _LONGEST) or name
    cwe = cwe_number(row)
    tags = ["security", *([f"external/cwe/cwe-{cwe}"] if cwe else []), *cves_of(row)]
    properties = {"tags": tags[:_MOST_TAGS], "precision": "high" if row["verified"] else "medium"}
    scores = [each["cvss"] for each in rows if each["cvss"]]
    if scores:
        properties["security-severity"] = f"{max(scores):.1f}"
    elif severity in _SCORES:
        properties["security-severity"] = _SCORES[severity]
    texts = titled_texts(row, "description", "risk", "recommendation")
    found = {
        "id": check,
        "name": name,
        "shortDescription": _message(name),
        "fullDescription": _message(block(row["description"], _LONGEST) or name),
        "help": {**_message(advice), "markdown": "\n\n".join(texts) or fenced(name)},
        "defaultConfiguration": {"level": _LEVELS.get(severity, "error")},
        "properties": properties,
    }
    link = next(filter(_LINK.fullmatch, references_of(row)), None)
    return {**found, "helpUri": link} if link else found


def _run(document: Document, results: list[_Result], identifier: str, rules: Mapping[str, str]) -> str:
    """A run with these results and their rules."""
    invocation = {
        "executionSuccessful": True,
        "properties": {key: document[key] for key in ("outcome", "verdict")},
    }
    if document["generated"]:
        invocation["endTimeUtc"] = document["generated"]
    driver = json_lines(
        {
            "name": "scanops.scanner",
            "semanticVersion": document["collection_version"],
            "informationUri": _HOMEPAGE,
        },
        "rules",
        (rules[check] for check in dict.fromkeys(result.check for result in results)),
    )
    head = {"automationDetails": {"id": identifier}, "invocations": [invocation]}
    run = json_lines(head, "results", (result.text for result in results))
    return f'{{"tool":{{"driver":{driver}}},{run[1:]}'


# --- the lines that declare targets


def locations_of(files: Iterable[tuple[str, str]]) -> dict[str, Place]:
    """The places that declare targets, by the lasting form of the target's name. files: paths and texts.

    A target is an item of a list below a key that is ``targets`` or ends in ``_targets``: a name, or a mapping with a name.
    The first place counts if several declare a target. Raises WrongOption for a file that is not YAML.
    """
    found: dict[str, Place] = {}
    for path, text in files:
        yaml = _pyyaml()
        try:
            for document in yaml.compose_all(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
                for node in _targets(yaml, document):
                    found.setdefault(lasting_form(node.value), (path, node.start_mark.line + 1))
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
