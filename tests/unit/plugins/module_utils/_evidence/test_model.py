# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.rows import Pair, outcome_of_scan
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import OUTCOMES as SCAN_OUTCOMES
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import outcome_of_status
from ansible_collections.scanops.scanner.plugins.module_utils._model.outcomes import (
    OUTCOMES,
    worst_outcome,
    worst_verdict,
)


@pytest.mark.cases("status, outcome")
def test_each_status_of_a_scan_has_an_outcome(status, outcome):
    assert outcome_of_scan(outcome_of_status(status)) == outcome


@pytest.mark.parametrize(
    "ending, outcome",
    [
        ("queue_timeout", "queue_timeout"),
        ("run_timeout", "run_timeout"),
        ("deleted", "scan_failed"),
        ("?", "unknown_state"),
    ],
)
def test_each_end_of_a_wait_has_an_outcome(ending, outcome):
    assert outcome_of_scan(ending) == outcome


def test_only_a_finished_scan_passes():
    assert [each for each in SCAN_OUTCOMES if outcome_of_scan(each) == "passed"] == ["finished"]


def test_the_worst_outcome_is_the_first_of_the_list():
    assert worst_outcome(["passed", "findings", "service_error", "incomplete"]) == "service_error"
    assert OUTCOMES[:2] == ("service_error", "misconfigured")
    assert worst_outcome(OUTCOMES[3:]) == OUTCOMES[3]
    assert worst_outcome([]) == "passed"


def test_the_worst_verdict_is_fail_then_warn():
    assert worst_verdict(["pass", "warn", "fail"]) == "fail"
    assert worst_verdict(["pass", "warn"]) == "warn"
    assert worst_verdict([]) == "pass"


PAIR = Pair("a.example", 1, None, "website", 10, 5, "finished", "passed", "2026-11-22T10:00:00Z", 60, complete=True)


@pytest.mark.parametrize(
    "change",
    [{"outcome": "scan_failed"}, {"complete": False}, {"finished": None}, {"saved": True}, {"outcome": "findings"}],
)
def test_only_a_finished_and_completely_read_scan_of_the_service_is_proof(change):
    assert PAIR.is_proof
    assert not PAIR._replace(**change).is_proof
