# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The verdicts on all findings, as prove_fix.json, as Markdown and as a sentence. docs/docsite/prove_fix.schema.json describes
the first. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..._model.errors import counted, printable
from ..._model.passwords import without_passwords
from ..._model.records import Record
from ..._model.safe_text import code, encode
from ..._model.times import utc_text
from ..formats.document import controls, place
from .verdict import FIXED, PRESENT, UNPROVEN, VERDICTS, Fix, Verdict, found_of, scan_in, verdict

SCHEMA = "scanops.scanner/prove_fix"
VERSION = 1

_ORDER = (PRESENT, UNPROVEN, FIXED)
_OF_FINDING = ("fingerprint", "severity", "name", "check", "cve", "target", "workspace", "tool", "hosts")
_OF_PLACE = ("port", "protocol", "path", "method", "parameter", "places")
# rows of a table
_MOST_ROWS = 20
_LONGEST = 120
_LONGEST_PARAMETERS = 300
_MOST_NAMED = 5


def document_of(
    findings: Iterable[Record],
    before: Iterable[Record],
    left_out: Iterable[Record],
    starts: Iterable[Record],
    after: Iterable[Record],
    fixes: Mapping[int, Fix],
    *,
    source: str | None,
    now: float,
    collection_version: str,
    run: str = "",
) -> Record:
    """The content of prove_fix.json.

    findings: of gate.json, each with its hosts; before and after: made by ``read_of``; left_out, starts: as ``planned`` and
    ``started_in`` return them; fixes: by the id of the scan before; run: the
    random id of this run.
    """
    reads = {read["id"]: read for read in before}
    reasons = {each["id"]: each["reason"] for each in left_out}
    begun = {each["before"]: each for each in starts}
    later = {read["id"]: read for read in after}
    rows = [_row(each, reads, reasons, begun, later, fixes) for each in findings]
    # what is left to do comes first
    rows.sort(key=lambda row: _ORDER.index(row["verdict"]))
    counts = {each: sum(row["verdict"] == each for row in rows) for each in VERDICTS}
    document: Record = {
        "schema": SCHEMA,
        "version": VERSION,
        "collection_version": collection_version,
        "generated": utc_text(now),
        "run": run,
        "source": source,
        "fixed": counts[FIXED] == len(rows),
        "counts": counts,
        "controls": [each for read in later.values() for each in read["controls"]],
        "findings": rows,
    }
    return without_passwords(document, (row["target"] for row in rows), (SCHEMA, *VERDICTS))


def _row(
    finding: Record,
    reads: Mapping[int, Record],
    reasons: Mapping[int, str],
    begun: Mapping[int, Record],
    later: Mapping[int | None, Record],
    fixes: Mapping[int, Fix],
) -> Record:
    """A finding with its verdict. begun: by the id of the scan before; the other mappings: by the id of the scan."""
    scan_id = finding["scan_id"]
    start = begun.get(scan_id, {})
    again = later.get(start.get("id"), {})
    reason = reasons.get(scan_id) or start.get("problem") or again.get("problem")
    if scan_id is None:
        said = Verdict(UNPROVEN, "The source does not say which scan found it.")
    elif reason or not again:
        said = Verdict(UNPROVEN, reason or "No scan was started.")
    else:
        scans = scan_in(reads[scan_id]), scan_in(again)
        said = verdict(found_of(finding), *scans, start["started"], fixes[scan_id])
    return {
        "verdict": said.verdict,
        "reason": said.reason,
        **{key: finding[key] for key in (*_OF_FINDING, *_OF_PLACE)},
        "before": _scan(scan_id, reads.get(scan_id, {})),
        "after": _scan(start.get("id"), again),
    }


def _scan(scan_id: int | None, read: Record) -> Record | None:
    """What is reported of a scan, None without one; null for what is unknown. Times are as the service writes them."""
    if scan_id is None:
        return None
    record = read.get("record") or {}
    shown = {key: record.get(key) for key in ("status_name", "start_time", "end_time")}
    return {
        "id": scan_id,
        **{key: None if value is None else str(value) for key, value in shown.items()},
        "tool_params": record.get("tool_params"),
        "vpn_profile_uuid": record.get("vpn_profile_uuid"),
    }


def sentence_of(document: Record) -> str:
    """How it ended, with the first findings that are not proven fixed, or else the first ones."""
    rows = document["findings"]
    left = [row for row in rows if row["verdict"] != FIXED]
    if not rows:
        return "Nothing had to be proven, because the gate has passed."
    if not left:
        more = [f"and {len(rows) - _MOST_NAMED:,} more"] if len(rows) > _MOST_NAMED else []
        named = "; ".join([*map(_named, rows[:_MOST_NAMED]), *more])
        return f"The fix of {counted(len(rows), 'finding')} is proven: {named}."
    reasons = [f"{_named(row)} is {row['verdict']}: {row['reason']}" for row in left[:_MOST_NAMED]]
    more = [f"And {len(left) - _MOST_NAMED:,} more."] if len(left) > _MOST_NAMED else []
    return " ".join([f"Not every fix is proven ({_counts(document)}).", *reasons, *more])


def _named(row: Record) -> str:
    return f"{row['severity']} {printable(row['name'], _LONGEST)} on {place(row)}"


def _counts(document: Record) -> str:
    return ", ".join(f"{number:,} {each}" for each, number in document["counts"].items())


def markdown_of(document: Record) -> str:
    """The summary of a pipeline: the verdicts, and the scans before and after."""
    rows = document["findings"]
    head = ("Fix proven" if rows else "Nothing to prove") if document["fixed"] else "Fix not proven"
    verdicts = [
        f"| {row['verdict']} | {row['severity']} | {code(row['name'], _LONGEST)} | {code(place(row), _LONGEST)} |"
        f" {code(row['reason'], _LONGEST_PARAMETERS)} |"
        for row in rows
    ]
    pairs = {
        (row["target"], row["tool"], key, scan["id"]): scan
        for row in rows
        for key in ("before", "after")
        for scan in [row[key]]
        if scan
    }
    scans = [
        f"| {code(target, _LONGEST)} | {code(tool, _LONGEST)} | {when} | {scan_id} |"
        f" {code(scan['status_name'] or 'unknown', 60)} | {_times(scan)} | {_parameters(scan)} |"
        for (target, tool, when, scan_id), scan in pairs.items()
    ]
    sections = [
        [f"## {head}: {_counts(document)}"],
        [f"- {code(each, _LONGEST_PARAMETERS)}" for each in controls(document)],
        _table("| Verdict | Severity | Finding | Where | Why |", verdicts),
        _table("| Target | Tool | When | Scan | Status | Time | Parameters |", scans),
        [f"{document['generated']}."],
    ]
    return "\n\n".join("\n".join(section) for section in sections if section) + "\n"


def _table(head: str, rows: Sequence[str]) -> list[str]:
    left = len(rows) - _MOST_ROWS
    more = ["", f"And {left:,} more."] if left > 0 else []
    return [head, "|" + "---|" * (head.count("|") - 1), *rows[:_MOST_ROWS], *more] if rows else []


def _times(scan: Mapping[str, Any]) -> str:
    return code(f"{scan['start_time'] or 'unknown'} to {scan['end_time'] or 'unknown'}", _LONGEST)


def _parameters(scan: Mapping[str, Any]) -> str:
    if scan["tool_params"] is None:
        return "unknown"
    shown = encode(scan["tool_params"])
    vpn = f", VPN {scan['vpn_profile_uuid']}" if scan["vpn_profile_uuid"] else ""
    return code(f"{shown}{vpn}", _LONGEST_PARAMETERS)
