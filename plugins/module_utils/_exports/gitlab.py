# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Findings as a DAST report of GitLab, version 15.0.0, the oldest one that GitLab 16 and later accept. Pure.

GitLab shows descriptions and solutions as Markdown, so they are code blocks.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from .._gate_words import WAIVED
from .._records import Record
from .document import (
    Choices,
    Document,
    Row,
    because,
    check_of,
    cwe_number,
    facts,
    identity,
    is_whole,
    listed,
    number_of,
    place,
    problems,
    titled_texts,
)
from .text import block, encode, fenced, json_lines, line

_VERSION = "15.0.0"
_SCHEMA = (
    "https://gitlab.com/gitlab-org/security-products/security-report-schemas/-/raw/v15.0.0/dist/dast-report-format.json"
)
# of the report, in characters
_LONGEST_NAME = 255
_MOST_LINKS = 20
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
    scan = {
        "type": "dast",
        "status": "success" if is_whole(document) else "failure",
        "messages": [{"level": "fatal", "value": problem} for problem in problems(document)],
        "analyzer": tool,
        "scanner": tool,
        # in UTC without their zone
        "start_time": min((pair["finished"] for pair in pairs if pair["finished"]), default=generated)[:19],
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
    facts_of_it = {"state": row["state"], "why": because(row), "facts": facts(row), "change": row["change"]}
    links = filter(_LINK.fullmatch, row["references"])
    found = {
        "id": identity(row),
        "name": line(row["name"], _LONGEST_NAME),
        "severity": row["severity"].capitalize(),
        "identifiers": _identifiers(row),
        "location": _location(row),
        "details": {
            key: {"name": key.capitalize(), "type": "text", "value": value}
            for key, value in facts_of_it.items()
            if value is not None
        },
        "description": "\n\n".join(titled_texts(row, "description", "risk", "evidence") or [fenced(place(row))]),
        "solution": fenced(block(row["recommendation"])),
        "links": [{"url": link} for link in links][:_MOST_LINKS],
    }
    if row["state"] == WAIVED and row["waiver"] and row["waiver"]["status"] == "false_positive":
        flag = {"type": "flagged-as-likely-false-positive", "origin": "waiver", "description": because(row)}
        found["flags"] = [flag]
    return {key: value for key, value in found.items() if value or key == "name"}


def _identifiers(row: Row) -> list[dict[str, str]]:
    """The first one is the one by which GitLab recognises a finding."""
    check, cwe = check_of(row), cwe_number(row)
    found = [("scanops_scanner_check", check, check)]
    found += [("cve", cve, cve) for cve in (line(each, 60) for each in row["cve"] if each)]
    found += [("cwe", f"CWE-{cwe}", cwe)] if cwe else []
    return [{"type": kind, "name": name, "value": value} for kind, name, value in found[:20]]


def _location(row: Row) -> dict[str, str]:
    """GitLab tells the findings of one check apart by path, method and parameter alone, so the parameter has the target."""
    target, port = line(row["target"]), "" if row["port"] is None else f":{row['port']}"
    parameter = f"{line(row['parameter'])} at " if row["parameter"] else ""
    if row["places"]:
        # other places are another finding
        parameter += f"{len(row['places'])} places ({line(row['fingerprint'])}) at "
    base = _base(target)
    return {
        "hostname": base if base.endswith(port) else base + port,
        "method": line(row["method"], 20),
        "param": f"{parameter}{target}{port}{number_of(row)}",
        "path": line(row["path"]),
    }


def _base(target: str) -> str:
    """Protocol, host and port of a target's name."""
    try:
        parts = urlsplit(target)
    except ValueError:
        return target
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme and parts.netloc else target
