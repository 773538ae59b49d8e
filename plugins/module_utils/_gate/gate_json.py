# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The content of gate.json, version 1: all of a decision, with every key always present. Pure.

docs/docsite/gate.schema.json describes it. Exports are made of it, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone

from .._gate_words import SCHEMA, VERSION
from .._records import Record
from .judge import Decision
from .types import NO_EXPLOITS, Doubled, Epss, Exploits, Judged, KnownExploited, Row, Verdict, Waiver

# the fields of a row that gate.json has under the same names, in its order
_SEVERITY = Row._fields.index("severity")
_KEYS = Row._fields[_SEVERITY:]


def document_of(
    decision: Decision,
    *,
    collection_version: str,
    now: float,
    workspace: str | None,
    exploits: Exploits = NO_EXPLOITS,
) -> Record:
    """The dictionary of gate.json. now: the Unix time of the decision; workspace: None for several or none."""
    memory, waived = decision.memory, decision.waived
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "collection_version": collection_version,
        "generated": moment_text(now),
        "outcome": decision.outcome,
        "passed": decision.passed,
        "verdict": decision.verdict,
        "reasons": list(decision.reasons),
        "coverage": decision.coverage,
        "workspace": workspace,
        "policy": decision.policy.record(),
        "outcomes": dict(decision.mapping),
        "baseline": {
            "path": memory.path,
            "state": memory.state,
            "scheme": memory.scheme,
            "accepted": memory.accepted,
            "reason": memory.reason,
        },
        "sources": {
            "epss": _source(exploits.epss),
            "known_exploited": _source(exploits.known_exploited),
        },
        "targets": [_target(each) for each in decision.targets],
        "summary": dict(decision.summary),
        "counts": dict(decision.counts),
        "waivers": {
            "expired": _waivers(waived.expired),
            "unused": _waivers(waived.unused),
            "doubled": [_doubled(each) for each in waived.doubled],
        },
        "gone": [each._asdict() for each in memory.gone],
        "findings": findings_of(decision.rows),
    }


def moment_text(now: float) -> str:
    """A Unix time as gate.json writes it, such as 2026-11-22T10:00:00Z."""
    return datetime.fromtimestamp(now, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def findings_of(rows: Sequence[Judged]) -> list[Record]:
    """Rows as gate.json shows them."""
    return [_finding(each) for each in rows]


def _finding(judged: Judged) -> Record:
    row = judged.row
    return {
        "fingerprint": row.fingerprint,
        "index": row.number,
        "state": judged.state,
        "change": judged.change,
        "reasons": list(judged.reasons),
        **dict(zip(_KEYS, row[_SEVERITY:])),
        "cve": list(row.cve),
        "places": [each._asdict() for each in row.places],
        "references": list(row.references),
        "first_seen": judged.first_seen,
        "age": judged.age,
        "waiver": None if judged.waiver is None else _waiver(judged.waiver),
    }


def _target(verdict: Verdict) -> Record:
    pair = verdict.pair
    return {
        "target": pair.target,
        "target_id": pair.target_id,
        "workspace": pair.workspace,
        "tool": pair.tool,
        "tool_id": pair.tool_id,
        "scan_id": pair.scan_id,
        "status": pair.status,
        "outcome": verdict.outcome,
        "verdict": verdict.verdict,
        "complete": pair.complete,
        "finished": pair.finished,
        "age": pair.age,
        "reasons": list(verdict.reasons),
    }


def _source(given: Epss | KnownExploited | None) -> Record | None:
    return None if given is None else given.source._asdict()


def _waiver(waiver: Waiver) -> Record:
    return {**waiver._asdict(), "matcher": dict(waiver.matcher)}


def _waivers(waivers: Sequence[Waiver]) -> list[Record]:
    return [_waiver(each) for each in waivers]


def _doubled(doubled: Doubled) -> Record:
    return {"fingerprint": doubled.fingerprint, "waivers": _waivers(doubled.waivers)}
