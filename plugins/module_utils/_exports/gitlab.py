# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Findings as a DAST report of GitLab, version 15.0.0, the oldest one that GitLab 16 and later accept. Pure.

GitLab shows descriptions and solutions as Markdown, so they are code blocks.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from .._gate_words import WAIVED
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
    place,
    problems,
    titled_texts,
)
from .text import block, encode, fenced, json_lines, line

REPORT_VERSION = "15.0.0"
# of the report, in characters
LONGEST_NAME = 255
LONGEST_SOLUTION = 7000

_SCHEMA = (
    "https://gitlab.com/gitlab-org/security-products/security-report-schemas/-/raw/v15.0.0/dist/dast-report-format.json"
)
_MOST_LINKS = 20
_LINK = re.compile(r"https?://[!-~]{1,2000}")


def gitlab(document: Document, choices: Choices) -> str:
    """The findings that fail or are new, or all of them, as a DAST report."""
    started = min((pair["finished"] for pair in document["targets"] if pair["finished"]), default=document["generated"])
    tool = {
        "id": "scanops-scanner",
        "name": "scanops.scanner",
        "version": document["collection_version"],
        "vendor": {"name": "scanops"},
    }
    head = {
        "version": REPORT_VERSION,
        "schema": _SCHEMA,
        "scan": {
            "type": "dast",
            "status": "success" if is_whole(document) else "failure",
            "messages": [{"level": "fatal", "value": problem} for problem in problems(document)],
            "analyzer": tool,
            "scanner": tool,
            "start_time": _time(started),
            "end_time": _time(document["generated"]),
            "scanned_resources": [
                {"method": "GET", "url": line(target, 2000), "type": "url"}
                for target in sorted({pair["target"] for pair in document["targets"] if pair["target"]})
            ],
        },
    }
    vulnerabilities = (encode(_vulnerability(row)) for row in listed(document, choices.every))
    return json_lines(head, "vulnerabilities", vulnerabilities) + "\n"


def _time(text: str) -> str:
    """A time in UTC without its zone, as the report wants it."""
    return text[:19]


def _vulnerability(row: Row) -> dict[str, Any]:
    found: dict[str, Any] = {
        "id": identity(row),
        "name": line(row["name"], LONGEST_NAME),
        "severity": row["severity"].capitalize(),
        "identifiers": _identifiers(row),
        "location": _location(row),
        "details": _details(row),
    }
    found["description"] = "\n\n".join(titled_texts(row, "description", "risk", "evidence") or [fenced(place(row))])
    if row["recommendation"]:
        found["solution"] = fenced(block(row["recommendation"]))
    links = [reference for reference in row["references"] if _LINK.fullmatch(reference)]
    if links:
        found["links"] = [{"url": link} for link in links[:_MOST_LINKS]]
    if row["state"] == WAIVED and row["waiver"] and row["waiver"]["status"] == "false_positive":
        found["flags"] = [
            {"type": "flagged-as-likely-false-positive", "origin": "waiver", "description": because(row)},
        ]
    return found


def _identifiers(row: Row) -> list[dict[str, str]]:
    """The first one is the one by which GitLab recognises a finding."""
    check = check_of(row)
    found = [{"type": "scanops_scanner_check", "name": check, "value": check}]
    for cve in filter(None, row["cve"]):
        shown = line(cve, 60)
        found.append({"type": "cve", "name": shown, "value": shown})
    cwe = cwe_number(row)
    if cwe:
        found.append({"type": "cwe", "name": f"CWE-{cwe}", "value": cwe})
    return found[:20]


def _location(row: Row) -> dict[str, str]:
    """GitLab tells the findings of one check apart by path, method and parameter alone, so the parameter has the target."""
    number = f" ({row['index']})" if row["index"] > 1 else ""
    parameter = f"{line(row['parameter'])} at " if row["parameter"] else ""
    if row["places"]:
        # other places are another finding
        parameter += f"{len(row['places'])} places ({line(row['fingerprint'])}) at "
    port = f":{row['port']}" if row["port"] is not None else ""
    target = line(row["target"])
    return {
        "hostname": _host(target, row["port"]),
        "method": line(row["method"], 20),
        "param": f"{parameter}{target}{port}{number}",
        "path": line(row["path"]),
    }


def _host(target: str, port: int | None) -> str:
    """Protocol, host and port of a target."""
    try:
        parts = urlsplit(target)
    except ValueError:
        return target
    base = f"{parts.scheme}://{parts.netloc}" if parts.scheme and parts.netloc else target
    return base if port is None or base.endswith(f":{port}") else f"{base}:{port}"


def _details(row: Row) -> dict[str, dict[str, str]]:
    found = {"state": row["state"], "why": because(row), "facts": facts(row), "change": row["change"]}
    return {
        key: {"name": key.capitalize(), "type": "text", "value": value}
        for key, value in found.items()
        if value or key != "change"
    }
