# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Findings as a DAST report of GitLab, version 15.1.4 of security-report-schemas. Pure.

On the default branch, GitLab marks each finding that a report lacks as no longer detected, whatever the report says of itself.
So there is no report of an incomplete run. GitLab shows descriptions and solutions as Markdown, so they are code blocks.
"""

from __future__ import annotations

import re

from ..._model.outcomes import WAIVED
from ..._model.records import Record
from ..._model.safe_text import block, encode, fenced, json_lines, line
from ..._model.times import iso_moment, utc_text
from .document import (
    Choices,
    Document,
    Row,
    address_of,
    because,
    check_of,
    cves_of,
    cwe_number,
    facts,
    identity,
    listed,
    place,
    ranked_severity,
    references_of,
    titled_texts,
)

_VERSION = "15.1.4"
_SCHEMA = (
    "https://gitlab.com/gitlab-org/security-products/security-report-schemas/-/raw/v15.1.4/dist/dast-report-format.json"
)
# of the report, in characters
_LONGEST_NAME = 255
_LONGEST_SOLUTION = 7000
# of a text in such a solution, because a code block can be three times as long
_SHORT_SOLUTION = 2000
_MOST_LINKS = 20
# of the summary of the evidence, which GitLab shows on the page of a finding
_LONGEST_SUMMARY = 20_000
_LINK = re.compile(r"https?://[!-~]{1,2000}")


def gitlab(document: Document, choices: Choices) -> str:
    """The findings that fail or are new, or all of them, as a DAST report."""
    pairs, generated = document["targets"], document["generated"]
    tool = {
        "id": "scanops-scanner",
        "name": "scanops.scanner",
        "version": document["collection_version"],
        "vendor": {"name": "scanops"},
    }
    ends = [(iso_moment(pair["finished"] or ""), pair["duration"] or 0) for pair in pairs]
    starts = [utc_text(ended - duration) for ended, duration in ends if ended is not None]
    scan = {
        "type": "dast",
        "status": "success",
        "analyzer": tool,
        "scanner": tool,
        # in UTC without their zone
        "start_time": min(starts, default=generated)[:19],
        "end_time": generated[:19],
        "scanned_resources": [
            {"method": "GET", "url": line(target, 2000), "type": "url"}
            for target in sorted({pair["target"] for pair in pairs if pair["target"]})
        ],
    }
    vulnerabilities = (encode(_vulnerability(row)) for row in listed(document, choices.every))
    head = {"version": _VERSION, "schema": _SCHEMA, "scan": scan}
    return json_lines(head, "vulnerabilities", vulnerabilities) + "\n"


def _vulnerability(row: Row) -> Record:
    facts_of_it = {
        "state": row["state"],
        "why": because(row),
        "severity": row["severity"],
        "facts": facts(row),
        "change": row["change"],
    }
    solution = fenced(block(row["recommendation"]))
    if len(solution) > _LONGEST_SOLUTION:
        solution = fenced(block(row["recommendation"], _SHORT_SOLUTION))
    links = list(filter(_LINK.fullmatch, references_of(row)))[:_MOST_LINKS]
    found = {
        "id": identity(row),
        "name": line(row["name"], _LONGEST_NAME),
        "severity": ranked_severity(row).capitalize(),
        "identifiers": _identifiers(row),
        "location": _location(row),
        "details": {
            key: {"name": key.capitalize(), "type": "text", "value": value}
            for key, value in facts_of_it.items()
            if value is not None
        },
        "description": "\n\n".join(titled_texts(row, "description", "risk") or [fenced(place(row))]),
        "solution": solution,
        "links": [{"name": line(link, _LONGEST_NAME), "url": link} for link in links],
        "evidence": {"summary": block(row["evidence"], _LONGEST_SUMMARY)} if row["evidence"] else None,
    }
    if row["state"] == WAIVED and row["waiver"] and row["waiver"]["status"] == "false_positive":
        flag = {"type": "flagged-as-likely-false-positive", "origin": "waiver", "description": because(row)}
        found["flags"] = [flag]
    return {key: value for key, value in found.items() if value or key == "name"}


def _identifiers(row: Row) -> list[dict[str, str]]:
    """The first one is the one by which GitLab recognises a finding."""
    check, cwe = check_of(row), cwe_number(row)
    found = [{"type": "scanops_scanner_check", "name": check, "value": check}]
    found += [
        {"type": "cve", "name": cve, "value": cve, "url": f"https://nvd.nist.gov/vuln/detail/{cve}"}
        for cve in cves_of(row)
    ]
    if cwe:
        url = f"https://cwe.mitre.org/data/definitions/{int(cwe)}.html"
        found.append({"type": "cwe", "name": f"CWE-{cwe}", "value": cwe, "url": url})
    return found[:20]


def _location(row: Row) -> dict[str, str]:
    """GitLab tells findings of one check apart by path, method and parameter alone, so the parameter has the fingerprint."""
    target, port = line(row["target"]), "" if row["port"] is None else f":{row['port']}"
    if row["protocol"]:
        port += f"/{line(row['protocol'], 20)}"
    parameter = f"{line(row['parameter'])} at " if row["parameter"] else ""
    places = f"{len(row['places'])} places at " if row["places"] else ""
    return {
        "hostname": address_of(row) or target,
        "method": line(row["method"], 20),
        "param": f"{parameter}{places}{target}{port} ({identity(row)})",
        "path": line(row["path"]),
    }
