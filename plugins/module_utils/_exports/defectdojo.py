# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Findings for the Generic Findings Import of DefectDojo. Pure.

Its parser refuses a whole file for one field that it does not know, so only fields are used that its releases have known for
years. It shows texts as Markdown, so they are code blocks.
"""

from __future__ import annotations

import re
from typing import Optional

from .._gate_words import WAIVED
from .._names import UnreadableName, read_name
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
    place,
    problems,
    titled_texts,
)
from .text import block, encode, fenced, json_lines, line

# of its database, in characters
_LONGEST_TITLE = 500
_LONGEST_SERVICE = 200

# it refuses a severity that it does not know, and unknown is as bad as the worst
_SEVERITIES = {"unknown": "Critical"}
_PATH = re.compile(r"/[A-Za-z0-9._~/%-]{0,500}")

# the first half of an address, and the port of the target's name
_Base = Optional[tuple[str, Optional[int]]]


def defectdojo(document: Document, choices: Choices) -> str:
    """The findings that fail or are new, or all of them."""
    state, sentences = "complete", ["All findings." if choices.every else "Findings that fail or are new."]
    if not is_whole(document):
        state = f"incomplete: {document['outcome']}"
        sentences[0] += " The run is not complete, so do not close findings that are not in this list."
    head = {
        "name": f"scanops.scanner gate ({state})",
        "version": document["collection_version"],
        "description": "\n".join(sentences + problems(document)),
    }
    bases = {target: _base(target) for target in {row["target"] for row in document["findings"]}}
    day = document["generated"][:10]
    findings = (encode(_finding(row, day, bases[row["target"]])) for row in listed(document, choices.every))
    return json_lines(head, "findings", findings) + "\n"


def _finding(row: Row, day: str, base: _Base) -> Record:
    state, cwe = row["state"], cwe_number(row)
    waiver = row["waiver"] if state == WAIVED and row["waiver"] else {"status": ""}
    found = {
        "title": line(row["name"], _LONGEST_TITLE) or check_of(row),
        "severity": _SEVERITIES.get(row["severity"], row["severity"].capitalize()),
        "description": "\n\n".join(
            [fenced(f"{place(row)}\n{facts(row)}"), *titled_texts(row, "description", "evidence")]
        ),
        "severity_justification": fenced(f"{row['severity']}, {state}: {because(row)}"),
        "date": row["first_seen"][:10] if row["first_seen"] else day,
        "active": state != WAIVED,
        "verified": bool(row["verified"]),
        "false_p": waiver["status"] == "false_positive",
        "risk_accepted": waiver["status"] == "accepted",
        "dynamic_finding": True,
        "static_finding": False,
        "unique_id_from_tool": identity(row),
        "vuln_id_from_tool": check_of(row),
        "tags": [f"state:{state}", *([f"change:{row['change']}"] if row["change"] else [])],
        "mitigation": fenced(block(row["recommendation"])),
        "impact": fenced(block(row["risk"])),
        "references": fenced("\n".join(line(reference, 2000) for reference in row["references"][:50])),
        "param": line(row["parameter"]),
        "service": line(row["service"], _LONGEST_SERVICE),
        "vulnerability_ids": [line(cve, 50) for cve in row["cve"] if cve],
        "cwe": int(cwe) if cwe else None,
        "endpoints": _endpoints(row, *base) if base else None,
    }
    return {key: value for key, value in found.items() if value not in ("", [], None)}


def _base(target: str) -> _Base:
    """The start of the addresses at a target, or None: its parser fails the whole import for one that it cannot read."""
    try:
        name = read_name(target)
    except UnreadableName:
        return None
    return (f"{name.scheme}://" if name.scheme else "") + name.host, name.port


def _endpoints(row: Row, start: str, named_port: int | None) -> list[str]:
    port = row["port"] or named_port
    path = row["path"] if row["path"] and _PATH.fullmatch(row["path"]) else ""
    return [f"{start}:{port}{path}" if port else start + path]
