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

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.registry import as_json
from ansible_collections.scanops.scanner.plugins.module_utils._gate.gate_json import saved_of
from ansible_collections.scanops.scanner.plugins.module_utils._model.strict_json import without_halves
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils._gate.export_readers import (
    CHOSEN,
    check,
    failing_in,
    results_of,
    table_of,
    written,
)
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils._gate.gate_decisions import (
    BELOW,
    FAILING,
    KNOWN,
    TWICE,
    WAIVED,
    decided,
    hostile_pairs,
)
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_documents import HOSTILE
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_values import NOW

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
        return [each["state"] for each in csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""))]
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
    again = Counter((row.fingerprint, row.number) for row in saved.rows)
    assert again == Counter((each.row.fingerprint, each.row.number) for each in decision.rows)
