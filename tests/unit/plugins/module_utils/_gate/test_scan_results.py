# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The results of scan tasks: each is tied to a pair, or is a trouble of its own."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._gate.scan_results import with_results
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption
from ansible_collections.scanops.scanner.plugins.module_utils._model.outcomes import INCOMPLETE, NOT_COVERED, OUTCOMES
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_values import pair

ITEM = {"ansible_loop_var": "item"}


def scan(number=5, target="a.example", target_id=1, tool_id=170, outcome="finished", **more):
    record = {"id": number, "target_id": target_id, "tool_id": tool_id}
    return {"target": target, "scan": record, "outcome": outcome, "started": True, "error": None, **more}


def result(*scans, **more):
    return {"changed": True, "scans": list(scans), **more}


def outcomes(*results, pairs=None):
    """The outcomes of the pairs and of the troubles."""
    judged, troubles = with_results([pair()] if pairs is None else pairs, results)
    for each in judged:
        assert each.outcome == "passed" or (each.problems and not each.complete)
    assert [each for each in troubles if not each.sentence] == []
    return [each.outcome for each in judged], [each.outcome for each in troubles]


GREEN = (["passed"], [])


def test_a_scan_without_a_record_concerns_its_tool_only():
    told = {"target": "a.example", "tool_id": 350, "scan": None, "outcome": "failed_to_start", "error": "No licence."}
    pairs = [pair(), pair(tool_id=350, scan_id=6)]
    assert outcomes(result(told), pairs=pairs) == (["passed", "scan_failed"], [])


@pytest.mark.parametrize(
    "told",
    [
        scan(),
        # a newer scan is judged
        scan(4),
        scan(4, outcome=None),
        # it has finished since
        scan(outcome=None),
        # by its id alone
        scan(target=None, target_id=None, tool_id=None),
        {"target": "a.example", "scan": {"id": "5"}, "outcome": "finished"},
    ],
    ids=str,
)
def test_a_scan_that_is_judged_changes_nothing(told):
    assert outcomes(result(told)) == GREEN
    assert outcomes({"results": [result(told, **ITEM, item="Website Scanner")]}) == GREEN


@pytest.mark.parametrize(
    "told",
    [
        # of a target or tool in no list
        scan(9, target="b.example", target_id=2),
        scan(9, tool_id=70),
        scan(9, target="b.example", target_id=None, tool_id=None),
        scan(9, target="", target_id=None),
        # an older one as well: nothing of its target and tool is judged
        scan(3, target="b.example", target_id=2),
        # of another target with this name
        scan(9, target_id=2),
        {"target": "b.example", "scan": None, "outcome": None},
        {"target": "b.example", "scan": None, "outcome": "finished"},
        # not from the module scan
        {"id": 5, "status_name": "finished", "target_id": 1, "tool_id": 170},
        {},
        "finished",
        None,
        5,
    ],
    ids=str,
)
def test_a_scan_that_nothing_judges_is_incomplete(told):
    assert outcomes(result(told)) == (["passed"], [INCOMPLETE])
    assert outcomes({"results": [result(told, **ITEM)]}) == (["passed"], [INCOMPLETE])
    assert outcomes(result(scan(), told, scan())) == (["passed"], [INCOMPLETE])


@pytest.mark.parametrize(
    "told",
    [
        scan(6),
        # without a wait
        scan(6, outcome=None),
        scan(6, target_id=None),
        scan(6, tool_id=None),
        scan(6, target=None, tool_id=None),
        # an older one of an unknown tool may be of any
        scan(4, tool_id=None),
        # without an id nobody knows which scan it is
        scan(None),
        scan("x"),
        scan(None, outcome=None),
        {"target": "a.example", "scan": None, "outcome": None},
        {"target": "A.EXAMPLE", "scan": [], "outcome": "finished"},
    ],
    ids=str,
)
def test_no_older_scan_is_judged_in_place_of_one_that_the_list_lacks(told):
    assert outcomes(result(told)) == ([INCOMPLETE], [])
    never = pair(scan_id=None, outcome=NOT_COVERED, complete=False, problems=("x",))
    assert outcomes(result(told), pairs=[never]) == ([INCOMPLETE], [])
    assert outcomes(result(told), pairs=[never._replace(tool="any tool", tool_id=None)]) == ([INCOMPLETE], [])


def test_only_the_pairs_of_a_scan_are_incomplete():
    pairs = [pair(), pair(tool_id=70, scan_id=6), pair(target="b.example", target_id=2, scan_id=7)]
    assert outcomes(result(scan(9)), pairs=pairs) == ([INCOMPLETE, "passed", "passed"], [])
    assert outcomes(result(scan(9, tool_id=None)), pairs=pairs) == ([INCOMPLETE, INCOMPLETE, "passed"], [])
    # of an unknown tool, but known by its id
    assert outcomes(result(scan(6, tool_id=None)), pairs=pairs) == (["passed"] * 3, [])


@pytest.mark.parametrize(
    "outcome, expected",
    [
        ("queue_timeout", "queue_timeout"),
        ("run_timeout", "run_timeout"),
        ("failed_to_start", "scan_failed"),
        ("hibernating", "unknown_state"),
        ([], "unknown_state"),
        ({}, "unknown_state"),
    ],
)
def test_a_scan_that_did_not_finish_replaces_older_ones(outcome, expected):
    assert outcomes(result(scan(6, outcome=outcome))) == ([expected], [])
    assert outcomes(result(scan(6, outcome=outcome, target="b.example", target_id=2))) == (["passed"], [expected])
    # a result that is better than what the pair says hides nothing
    worse = pair(outcome="service_error", complete=False, problems=("No answer.",))
    assert outcomes(result(scan(6, outcome=outcome)), pairs=[worse]) == (["service_error"], [])


@pytest.mark.parametrize(
    "told, expected",
    [
        ({"skipped": True, "skip_reason": "Conditional result was False"}, NOT_COVERED),
        ({"skipped": True, "results": [], "skipped_reason": "No items in the list"}, NOT_COVERED),
        ({"results": [{"skipped": True, "item": "Port Scanner", **ITEM}], "skipped": True}, NOT_COVERED),
        ({"ansible_job_id": "j1.1", "started": 1, "finished": 0, "results_file": "/x", "changed": True}, INCOMPLETE),
        ({"ansible_job_id": "j1.1", "started": 1, "finished": 1}, INCOMPLETE),
        ({"results": [{"ansible_job_id": "j1.1", "started": 1, "finished": 0, "item": "x", **ITEM}]}, INCOMPLETE),
        ({}, INCOMPLETE),
        ({"censored": "the output has been hidden", "changed": True}, INCOMPLETE),
        ({"scans": []}, INCOMPLETE),
        ({"scans": {"target": "a.example"}}, INCOMPLETE),
        ({"deleted": [4], "scans": [], "stopped": []}, INCOMPLETE),
        ({"unreachable": True}, "service_error"),
        ({"failed": True}, "service_error"),
        ({"failed": True, **result(scan())}, "service_error"),
        ({"msg": "No answer", "failed": False}, "service_error"),
    ],
    ids=str,
)
def test_a_result_without_a_judged_scan_is_a_trouble(told, expected):
    assert outcomes(told) == (["passed"], [expected])
    assert outcomes(result(scan()), told) == (["passed"], [expected])


def test_a_finished_job_is_its_result():
    job = {"ansible_job_id": "j1.1", "started": 1, "finished": 1, **result(scan())}
    assert outcomes(job) == GREEN
    # async_status replaces started
    assert outcomes({**job, "finished": 0}) == (["passed"], [INCOMPLETE])


def test_what_declares_targets_scans_nothing():
    assert outcomes({"results": [], "summary": {}, "plan": {"actions": []}, "changed": False}) == GREEN


def test_a_failed_call_counts_beside_the_scans_of_its_task():
    failed = {"failed": True, "msg": "No answer", "api_error": {"status": None}}
    told = {**result(scan(6, outcome="queue_timeout"), scan(outcome=None)), **failed}
    assert outcomes(told) == (["queue_timeout"], ["service_error"])
    # otherwise the message is about the scans
    del told["api_error"]
    assert outcomes(told) == (["queue_timeout"], [])


def test_the_worst_trouble_is_first():
    told = [{"skipped": True}, {}, {"failed": True, "msg": "No answer"}]
    found = outcomes(*told)[1]
    assert found == ["service_error", NOT_COVERED, INCOMPLETE] == sorted(found, key=OUTCOMES.index)


def test_sentences_name_the_result_and_the_scans():
    told = [result(scan(9)), {"results": [{"skipped": True, **ITEM}]}, result(scan(8, target="b.example", target_id=2))]
    (judged,), troubles = with_results([pair()], told)
    assert judged.problems == (
        "Scan 9 has finished, but scan 5 is the newest one that could be read: run the gate again.",
    )
    assert troubles[0].sentence.startswith("The task of scan_results[1].results[0] was skipped")
    assert troubles[1].sentence == (
        "b.example: Scan 8 has finished, but its target and tool are not judged: name them in targets and tools, or remove"
        " the result."
    )


@pytest.mark.parametrize("told", ["x", None, 5, [result(scan())]], ids=str)
def test_what_is_no_result_is_refused(told):
    with pytest.raises(WrongOption, match=r"scan_results\[0\] is not the result of a task"):
        with_results([pair()], [told])
    with pytest.raises(WrongOption, match=r"scan_results\[0\].results\[1\] is not the result of a task"):
        with_results([pair()], [{"results": [result(scan()), told]}])


def test_without_results_nothing_changes():
    assert outcomes() == GREEN
    assert with_results([pair()], None) == ((pair(),), ())
