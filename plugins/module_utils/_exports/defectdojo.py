# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Findings for the Generic Findings Import of DefectDojo. Pure.

Its parser refuses a whole file for one field that it does not know, so only fields are used that its releases have known for
years. It shows texts as Markdown, so they are code blocks.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from .._gate_words import WAIVED
from .._names import UnreadableName, read_name
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
LONGEST_TITLE = 500
LONGEST_SERVICE = 200

# it refuses a severity that it does not know, and unknown is as bad as the worst
_SEVERITIES = {"unknown": "Critical"}
_PATH = re.compile(r"/[A-Za-z0-9._~/%-]{0,500}")


def defectdojo(document: Document, choices: Choices) -> str:
    """The findings that fail or are new, or all of them."""
    bases = {target: _base(target) for target in {row["target"] for row in document["findings"]}}
    day = document["generated"][:10]
    state = "complete" if is_whole(document) else f"incomplete: {document['outcome']}"
    description = "All findings." if choices.every else "Findings that fail or are new."
    if not is_whole(document):
        description += " The run is not complete, so do not close findings that are not in this list."
    head = {
        "name": f"scanops.scanner gate ({state})",
        "version": document["collection_version"],
        "description": "\n".join([description, *problems(document)]),
    }
    findings = (encode(_finding(row, day, bases[row["target"]])) for row in listed(document, choices.every))
    return json_lines(head, "findings", findings) + "\n"


def _finding(row: Row, day: str, base: _Base | None) -> dict[str, Any]:
    waived = row["state"] == WAIVED
    status = row["waiver"]["status"] if waived and row["waiver"] else ""
    found: dict[str, Any] = {
        "title": line(row["name"], LONGEST_TITLE) or check_of(row),
        "severity": _SEVERITIES.get(row["severity"], row["severity"].capitalize()),
        "description": "\n\n".join(
            [fenced(f"{place(row)}\n{facts(row)}"), *titled_texts(row, "description", "evidence")]
        ),
        "severity_justification": fenced(f"{row['severity']}, {row['state']}: {because(row)}"),
        "date": row["first_seen"][:10] if row["first_seen"] else day,
        "active": not waived,
        "verified": bool(row["verified"]),
        "false_p": status == "false_positive",
        "risk_accepted": status == "accepted",
        "dynamic_finding": True,
        "static_finding": False,
        "unique_id_from_tool": identity(row),
        "vuln_id_from_tool": check_of(row),
        "tags": [f"state:{row['state']}", *([f"change:{row['change']}"] if row["change"] else [])],
    }
    if row["recommendation"]:
        found["mitigation"] = fenced(block(row["recommendation"]))
    if row["risk"]:
        found["impact"] = fenced(block(row["risk"]))
    if row["references"]:
        found["references"] = fenced("\n".join(line(reference, 2000) for reference in row["references"][:50]))
    if row["parameter"]:
        found["param"] = line(row["parameter"])
    if row["service"]:
        found["service"] = line(row["service"], LONGEST_SERVICE)
    if row["cve"]:
        found["vulnerability_ids"] = [line(cve, 50) for cve in row["cve"] if cve]
    cwe = cwe_number(row)
    if cwe:
        found["cwe"] = int(cwe)
    if base is not None:
        found["endpoints"] = [_endpoint(row, base)]
    return found


class _Base(NamedTuple):
    """The first half of an address, and the port of the target's name."""

    text: str
    port: int | None


def _base(target: str) -> _Base | None:
    """The address of a target, or None: an address that its parser cannot read fails the whole import."""
    try:
        name = read_name(target)
    except UnreadableName:
        return None
    return _Base((f"{name.scheme}://" if name.scheme else "") + name.host, name.port)


def _endpoint(row: Row, base: _Base) -> str:
    port = row["port"] or base.port
    path = row["path"] if row["path"] and _PATH.fullmatch(row["path"]) else ""
    return f"{base.text}:{port}{path}" if port else base.text + path
