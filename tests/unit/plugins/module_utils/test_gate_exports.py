# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Real decisions about hostile findings in each export: the same failing findings, each outcome with each verdict."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from functools import cache
from itertools import product

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._exports.formats import as_json
from ansible_collections.scanops.scanner.plugins.module_utils._gate.gate_json import saved_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate.rows import Trouble, rows_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate_words import OUTCOMES, VERDICTS
from ansible_collections.scanops.scanner.plugins.module_utils._http.redact import without_halves
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.export_readers import (
    CHOSEN,
    check,
    failing_in,
    results_of,
    table_of,
    written,
)
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_decisions import (
    BELOW,
    FAILING,
    KNOWN,
    TWICE,
    WAIVED,
    decided,
    hostile_pairs,
)
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_documents import HOSTILE
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_values import NOW, pair

STATE_OF = {FAILING: "failing", TWICE: "failing", WAIVED: "waived", KNOWN: "known", BELOW: "below"}


def failing_of(decision):
    return {(each.row.fingerprint, each.row.number) for each in decision.rows if each.state == "failing"}


@cache
def hostile():
    return decided()


@pytest.mark.parametrize(("name", "choices"), CHOSEN)
def test_exports_of_a_decision_fit_their_schemas_and_have_its_failing_set(name, choices):
    decision, document = hostile()
    (text,) = written(name, document, **choices)
    check(name, text)
    assert failing_in(name, text, document) == failing_of(decision)


def states_in(name, text):
    """The state of each finding that an export shows."""
    if name == "json":
        return [each["state"] for each in json.loads(text)["findings"]]
    if name == "csv":
        return [each["state"] for each in csv.DictReader(io.StringIO(text, newline=""))]
    if name == "html":
        return [each["state"] for each in table_of(text)]
    return [each["properties"]["state"] for each in results_of(text)]


@pytest.mark.parametrize("name", ["json", "csv", "html", "sarif"])
def test_each_finding_of_a_decision_has_its_state_in_the_full_exports(name):
    (text,) = written(name, hostile()[1], sarif_profile="full")
    assert states_in(name, text) == [each["state"] for each in hostile()[1]["findings"]]


def test_a_saved_decision_has_the_same_fingerprints():
    # as every answer of the service is read
    decision, document = decided(hostile_pairs(without_halves(list(HOSTILE.values()))))
    saved = saved_of(as_json(document).encode(), "gate.json", NOW)
    again = Counter((row.fingerprint, row.number) for row in rows_of(saved.pairs))
    assert again == Counter((each.row.fingerprint, each.row.number) for each in decision.rows)


# --- each outcome with each verdict

# the long ones are in the tests above
TEXTS = tuple(text for text in HOSTILE.values() if len(text) < 1000)


def decided_as(outcome, verdict):
    """A decision with this outcome, which the mapping gives this verdict. All but a passed one have failing findings."""
    mapping = {outcome: verdict}
    pairs = hostile_pairs(TEXTS)
    if outcome == "passed":
        return decided([pair()], mapping)
    if outcome == "stale_baseline":
        return decided(pairs, mapping, stale="The baseline 'baseline.json' is truncated. Restore it.")
    if outcome == "service_error":
        return decided(pairs, mapping, troubles=[Trouble(outcome, "No answer from the service.")])
    if outcome == "findings":
        return decided(pairs, mapping)
    return decided(hostile_pairs(TEXTS, outcome=outcome, complete=False), mapping)


@pytest.mark.parametrize(
    ("outcome", "verdict"),
    [*product([each for each in OUTCOMES if each != "misconfigured"], VERDICTS), ("misconfigured", "fail")],
)
def test_each_export_says_each_outcome_with_each_verdict(outcome, verdict):
    decision, document = decided_as(outcome, verdict)
    whole = outcome in ("findings", "passed")
    texts = {name: written(name, document)[0] for name, choices in CHOSEN if not choices}
    texts["sarif"] = written("sarif", document, sarif_profile="full")[0]
    assert decision.outcome == outcome
    # no mapping makes findings of another outcome pass
    assert decision.verdict == (verdict if whole else "fail")
    kept = json.loads(texts["json"])
    assert (kept["outcome"], kept["verdict"], kept["passed"]) == (outcome, decision.verdict, outcome == "passed")
    assert ("<error" in texts["junit"]) is not whole
    (invocation,) = json.loads(texts["sarif"])["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is whole
    assert json.loads(texts["gitlab"])["scan"]["status"] == ("success" if whole else "failure")
    assert ("do not close findings" in json.loads(texts["defectdojo"])["description"]) is not whole
    assert (next(csv.DictReader(io.StringIO(texts["csv"], newline="")), {}).get("state") == outcome) is not whole
    first = texts["markdown"].split("\n")[0]
    assert outcome in first or outcome == "passed"
    assert ("failed" in first) is (decision.verdict == "fail")
    assert ("not complete" in first) is not whole
    assert ("This run is not complete." in texts["html"]) is not whole
    for name, text in texts.items():
        assert failing_in(name, text, document) == failing_of(decision)
    assert bool(failing_of(decision)) is (outcome != "passed")
