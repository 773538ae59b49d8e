# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Real decisions about hostile findings, for the tests of what shows them."""

from __future__ import annotations

from ansible_collections.scanops.scanner.plugins.module_utils._evidence.matchers import matcher_of
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.rows import rows_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate.baseline import (
    Baseline,
    Memory,
    memory_of,
    run_of,
    update,
)
from ansible_collections.scanops.scanner.plugins.module_utils._gate.gate_json import document_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate.judge import decide
from ansible_collections.scanops.scanner.plugins.module_utils._gate.policy import mapping_of, policy_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate.waivers import Rule, Waiver, waive
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_documents import HOSTILE
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_values import NOW, finding, pair

WORKSPACE = HOSTILE["markdown"]
TEXTS = tuple(HOSTILE.values())
# the port of a finding says what the gate decides about it
FAILING, TWICE, WAIVED, KNOWN, BELOW = 1, 2, 3, 4, 5
RISKS = {FAILING: 4, TWICE: 3, WAIVED: 3, KNOWN: 3, BELOW: 1}


def hostile_finding(text, port, number):
    """A finding with this text in each field that the service can fill with text."""
    return finding(
        id=number, name=text, vuln_id=text, port=port, risk_level=RISKS[port], cve=[text], cwe=text, status=text, service=text,
        protocol=text, path=text, method=text, parameter=text, vuln_description=text, risk_description=text,
        recommendation=text, vuln_evidence={"type": "text", "data": text}, references=[text],
    )  # fmt: skip


def hostile_pairs(texts=TEXTS, **fields):
    """A target for each hostile text, with findings of each kind. One is listed twice."""
    pairs = []
    for at, text in enumerate(texts):
        listed = tuple(hostile_finding(text, port, 10 * at + each) for each, port in enumerate((*RISKS, TWICE)))
        given = {"target": text or "https://empty.example", "tool": f"tool {at}", "status": text, **fields}
        pairs.append(pair(findings=listed, workspace=WORKSPACE, **given))
    return pairs


def baseline_of(pairs):
    """A baseline that has accepted the known findings."""
    known = [
        each._replace(findings=tuple(found for found in each.findings if found["port"] == KNOWN), outcome="passed",
                      complete=True)
        for each in pairs
    ]  # fmt: skip
    return update(Baseline(WORKSPACE, "1.0.0"), run_of(known, rows_of(known)), "1.0.0")


def waived_by(rows):
    """What waivers with hostile texts say of these rows."""
    texts = list(HOSTILE.values())
    rules = [
        Rule(
            Waiver(f"{text}.yml", at + 1, {"fingerprint": row.fingerprint}, text, text, "2027-01-01", "accepted"),
            matcher_of({"fingerprint": row.fingerprint}, "waivers"),
            NOW + 1,
        )
        for at, (row, text) in enumerate(zip([each for each in rows if each.port == WAIVED], texts))
    ]
    return waive(rules, rows, NOW)


def decided(pairs=None, outcomes=None, stale=None, **given):
    """The decision about hostile findings, and its document. stale: why the baseline cannot be used."""
    pairs = hostile_pairs() if pairs is None else pairs
    rows = rows_of(pairs)
    memory = Memory("baseline.json", "stale", reason=stale, blocks=True)
    if stale is None:
        memory = memory_of("baseline.json", "read", baseline_of(pairs), run_of(pairs, rows))
    decision = decide(
        pairs,
        rows,
        policy=policy_of({"fail_on": "high", "only_new": True}),
        mapping=mapping_of(outcomes),
        now=NOW,
        memory=memory,
        waived=waived_by(rows),
        **given,
    )
    return decision, document_of(decision, collection_version="1.0.0", now=NOW, workspace=WORKSPACE)
