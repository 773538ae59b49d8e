# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Findings for the Generic Findings Import of DefectDojo 2.51 and later. Pure.

What DefectDojo does with such a file, in the source of its release 3.2.0:

* dojo/tools/generic/json_parser.py refuses a whole file for one field that it does not know. The newest one here is
  ``known_exploited``, of release 2.51.
* dojo/finding/models.py (compute_hash_code_legacy) recognises a finding by its title, CWE, line, path and description. So no
  description has anything that changes between two scans. Only its administrator can let it recognise findings by
  ``unique_id_from_tool`` instead, whatever their titles.
* dojo/importers/default_reimporter.py closes each finding of the test that a file lacks, whatever the file says of itself, so
  there is no file of an incomplete run. It neither closes nor keeps a finding with a ``service``, unless the import names the
  same one.
* For a finding that DefectDojo has, the reimporter takes little but the status from a file: no tags, texts or severity. So
  these say nothing that changes, or when they said it.
* ``is_mitigated`` alone closes an active finding, keeps it closed in each later import, and opens it again when a file says
  otherwise. ``risk_accepted`` closes and opens a finding at each second import, and a finding that was new with one of
  ``risk_accepted``, ``false_p`` and ``out_of_scope`` never opens again. So a waived finding is mitigated, whatever its waiver.

It shows texts as Markdown, so they are code blocks.
"""

from __future__ import annotations

import re

from ..._model.errors import counted, first_of
from ..._model.outcomes import WAIVED
from ..._model.records import Record
from ..._model.safe_text import block, encode, fenced, json_lines, line
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
    tools_of,
)

# of its database, in characters
_LONGEST_TITLE = 500

# targets and tools that the description of the test names
_MOST_NAMED = 20
_ADVICE = "Use this test for this gate only: DefectDojo closes each finding of a test that a file lacks."
_PATH = re.compile(r"/[A-Za-z0-9._~/%-]{0,500}")


def defectdojo(document: Document, choices: Choices) -> str:
    """All findings of a complete run, or those that fail or are new."""
    which = "All findings" if choices.every else "Findings that fail or are new,"
    head = {
        "name": "scanops.scanner gate",
        "version": document["collection_version"],
        "description": fenced(f"{which} {_scope(document)}. {_ADVICE}"),
    }
    day = document["generated"][:10]
    findings = (encode(_finding(row, day)) for row in listed(document, choices.every))
    return json_lines(head, "findings", findings) + "\n"


def _scope(document: Document) -> str:
    """What the gate judged, in words."""
    names = sorted({line(pair["target"]) for pair in document["targets"] if pair["target"]})
    tools = list(map(line, filter(None, tools_of(document))))
    where = f" in the workspace {line(document['workspace'])}" if document["workspace"] else ""
    with_tools = f" with {first_of(tools, _MOST_NAMED)}" if tools else ""
    return f"of {counted(len(names), 'target')}{where}{with_tools}: {first_of(names, _MOST_NAMED)}"


def _finding(row: Row, day: str) -> Record:
    state, cwe, service = row["state"], cwe_number(row), line(row["service"], 100)
    # none for a target that the importer may not be able to read, because then it fails as a whole
    address, path = address_of(row), row["path"] or ""
    found = {
        "title": line(row["name"], _LONGEST_TITLE) or check_of(row),
        "severity": ranked_severity(row).capitalize(),
        "description": fenced(f"{place(row)}\nCheck: {check_of(row)}\nFingerprint: {identity(row)}"),
        "severity_justification": fenced(f"On {day}: {row['severity']}, {state}: {because(row)}"),
        "date": row["first_seen"][:10] if row["first_seen"] else day,
        "active": state != WAIVED,
        "verified": bool(row["verified"]),
        "is_mitigated": state == WAIVED,
        "known_exploited": bool(row["known_exploited"]),
        "epss_score": row["epss"],
        "epss_percentile": row["epss_percentile"],
        "cvssv3_score": row["cvss"],
        "dynamic_finding": True,
        "static_finding": False,
        "unique_id_from_tool": identity(row),
        "vuln_id_from_tool": check_of(row),
        "tags": [f"service:{service}"] if service else [],
        "steps_to_reproduce": "\n\n".join([fenced(facts(row)), *titled_texts(row, "evidence")]),
        "mitigation": fenced(block(row["recommendation"])),
        "impact": "\n\n".join(titled_texts(row, "description", "risk")),
        "references": fenced("\n".join(line(reference, 2000) for reference in references_of(row)[:50])),
        "param": line(row["parameter"]),
        "vulnerability_ids": cves_of(row),
        "cwe": int(cwe) if cwe else None,
        "endpoints": [address + (path if _PATH.fullmatch(path) else "")] if address else [],
    }
    return {key: value for key, value in found.items() if value not in ("", [], None)}
