# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether a list of findings is complete, by the service's totals and by what each scan counted."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.findings import SUMMARY
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.proof import (
    Proof,
    Tally,
    may_be_cut,
    proof_of,
    surplus_warning,
)
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import SEVERITIES
from ansible_collections.scanops.scanner.plugins.module_utils._model.family import PAGE_SIZE
from ansible_collections.scanops.scanner.plugins.module_utils._model.records import Streamed

NOTHING_READ = Streamed(0, None, False)


def scan(number=1, target=11, tool=170, status="finished", **counts):
    summary = {"text": "", **dict.fromkeys(SEVERITIES, 0), **counts}
    return {"id": number, "target_id": target, "tool_id": tool, "status_name": status, "result_summary": summary}


def tally(*rows):
    """Each row: severity, scan, target, and how many of them."""
    counted = Tally()
    for severity, task_id, target_id, *number in rows:
        for _each in range(*number or [1]):
            counted.take({"severity": severity, "task_id": task_id, "target_id": target_id})
    return counted


def judged(scans, *rows, grouped=False, read=NOTHING_READ):
    return proof_of(read, scans, tally(*rows), grouped)


# --- the tally


def test_findings_are_counted_by_scan_and_by_target():
    counted = tally(("high", 1, 11, 2), ("low", 2, 11), ("unknown", None, "11"))
    assert counted.of("task_id", 1) == {**dict.fromkeys(SUMMARY, 0), "high": 2}
    assert counted.of("task_id", 2) == {**dict.fromkeys(SUMMARY, 0), "low": 1}
    assert counted.of("target_id", 11) == {**dict.fromkeys(SUMMARY, 0), "high": 2, "low": 1}
    assert counted.of("task_id", 3) == dict.fromkeys(SUMMARY, 0)
    # an owner that is missing, or that is no id
    assert counted.of("task_id", None)["unknown"] == counted.of("target_id", None)["unknown"] == 1


# --- what the service says about its list


@pytest.mark.parametrize(
    "read, problems",
    [
        (Streamed(1500, None, False), []),
        (Streamed(1500, 1500, False), []),
        # rows that were added while the list was read
        (Streamed(1501, 1500, False), []),
        (Streamed(1500, 2500, False), ["the service reports 2,500 findings, and 1,500 could be read"]),
        (Streamed(1500, 2500, True), ["the service reports 2,500 findings, and 1,500 could be read"]),
        (Streamed(1500, None, True), ["the service reports more findings after the 1,500 that could be read"]),
    ],
)
def test_a_list_that_is_shorter_than_the_service_says_is_incomplete(read, problems):
    assert judged([], read=read) == (problems, [], [])


@pytest.mark.parametrize(
    "read, cut",
    [
        (Streamed(PAGE_SIZE, None, False), True),
        (Streamed(PAGE_SIZE, PAGE_SIZE, False), False),
        (Streamed(PAGE_SIZE - 1, None, False), False),
        (Streamed(PAGE_SIZE + 1, None, False), False),
    ],
)
def test_a_list_of_exactly_one_page_may_be_cut(read, cut):
    assert may_be_cut(read) is cut
    doubt = f"the service returned exactly {PAGE_SIZE:,} findings, and may limit its lists to this number"
    assert judged([], read=read) == ([], [doubt] if cut else [], [])


def test_a_list_that_no_reader_has_counted_is_a_bug():
    with pytest.raises(TypeError, match="expected Streamed, got tuple"):
        judged([], read=(0, None, False))


# --- what the scans counted


@pytest.mark.cases("counts, rows, problem")
def test_a_finding_that_a_scan_counted_must_be_read(counts, rows, problem):
    assert judged([scan(**counts)], *rows).problems == ([problem] if problem else [])


@pytest.mark.parametrize(
    "scans, rows, notes",
    [
        ([scan(1, high=2)], [("high", 1, 11, 2)], []),
        ([scan(1)], [("high", 1, 11)], ["scan 1 counted 0 findings, and 1 were read"]),
        # of a severity that no summary has
        ([scan(1, high=1)], [("high", 1, 11), ("unknown", 1, 11)], ["scan 1 counted 1 finding, and 2 were read"]),
        (
            [scan(2, high=1), scan(1, high=2)],
            [("high", 1, 11, 3), ("high", 2, 11)],
            ["scan 1 counted 2 findings, and 3 were read"],
        ),
        # one that did not finish goes on to count, and one without counts is doubted already
        ([scan(1, status="stopped"), scan(2)], [("high", 1, 11)], []),
        # findings of no scan, of a deleted one, and one that may be the missing one of a scan
        ([scan(1)], [("high", None, 11)], []),
        ([scan(1, high=1)], [("high", None, 11), ("low", 9, 11)], []),
    ],
)
def test_more_than_a_scan_counted_is_a_note_and_no_doubt(scans, rows, notes):
    assert judged(scans, *rows) == ([], [], notes)


def test_more_of_one_scan_does_not_hide_that_another_one_lacks_some():
    proof = judged([scan(1), scan(2, 12, high=1)], ("high", 1, 11))
    assert proof.problems == ["scan 2 counted 1 high finding, and 0 of them could be read"]
    assert proof.notes == ["scan 1 counted 0 findings, and 1 were read"]
    # nor does another severity of the same scan
    assert judged([scan(1, high=1)], ("low", 1, 11, 5)).problems != []


def test_the_notes_of_a_task_are_one_warning():
    assert surplus_warning([]) == ""
    assert surplus_warning(["a", "b", "c"]) == (
        "The service lists more findings than its scans counted, and all of them are used: a and 2 more."
    )


@pytest.mark.cases("counts, rows, complete")
def test_a_row_that_does_not_say_what_it_is_may_be_one_of_the_missing(counts, rows, complete):
    assert (judged([scan(**counts)], *rows).problems == []) is complete


def test_one_row_does_not_stand_for_the_missing_findings_of_two_scans():
    scans = [scan(1, 11, high=1), scan(2, 12, high=1)]
    assert judged(scans, ("high", None, None, 2)).problems == []
    assert judged(scans, ("unknown", None, None, 2)).problems == []
    assert len(judged(scans, ("high", None, None)).problems) == 2
    assert len(judged(scans, ("unknown", None, None)).problems) == 2
    # the unknown row of the one scan is none of the other
    assert len(judged([scan(1, 11, high=2), scan(2, 12, high=1)], ("unknown", 1, 11)).problems) == 2


def test_the_worst_problem_is_named_first():
    scans = [scan(1, 11, info=1), scan(2, 12, low=1, critical=1), scan(3, 13, medium=1)]
    proof = judged(scans)
    assert [problem.partition(" counted ")[0] for problem in proof.problems] == ["scan 2", "scan 3", "scan 1"]
    assert proof.sentence == (
        "The findings are incomplete: scan 2 counted 1 critical and 1 low findings, and 0 and 0 of them could be read"
        " (and 2 more)."
    )


def test_every_scan_must_be_complete_not_only_the_newest():
    scans = [scan(1, high=1), scan(2, high=1)]
    assert judged(scans, ("high", 2, 11)).problems == ["scan 1 counted 1 high finding, and 0 of them could be read"]


# --- without duplicates


GROUPED = "with group_duplicates only the severities could be compared with the scans, not the numbers"


@pytest.mark.cases("rows, complete")
def test_without_duplicates_each_severity_of_a_target_must_be_read(rows, complete):
    problem = "scan 1 counted 1,500 high findings, and none of this severity could be read"
    assert judged([scan(high=1500)], *rows, grouped=True) == ([] if complete else [problem], [GROUPED], [])


def test_without_duplicates_one_missing_finding_is_one():
    assert judged([scan(low=1, info=2)], grouped=True).problems == [
        "scan 1 counted 1 low finding, and none of this severity could be read",
        "scan 1 counted 2 info findings, and none of this severity could be read",
    ]


def test_without_duplicates_only_the_newest_scan_of_a_target_and_tool_counts():
    old, new = scan(1, high=1), scan(2)
    assert judged([new, old], grouped=True) == ([], [], [])
    assert len(judged([scan(1, high=1), scan(2, tool=20)], grouped=True).problems) == 1
    assert len(judged([scan(1, high=1), scan(2, target=12)], grouped=True).problems) == 1
    # in the order of their ids
    problems = judged([scan(3, 13, high=1), scan(1, 11, high=1)], grouped=True).problems
    assert [problem[:6] for problem in problems] == ["scan 1", "scan 3"]


# --- doubts


def test_a_scan_that_has_not_finished_or_has_not_counted_is_a_doubt():
    uncounted = {**scan(3, 13), "result_summary": {"text": ""}}
    scans = [uncounted, scan(1, 11, status="running"), scan(2, 12, status="stopped\n" + "x" * 90)]
    proof = judged(scans)
    assert proof.problems == []
    assert proof.doubts[0] == "scan 1 has not finished, its status is 'running'"
    assert proof.doubts[1].startswith("scan 2 has not finished, its status is 'stopped")
    assert len(proof.doubts[1]) < 110
    assert proof.doubts[2] == (
        "scan 3 does not say how many findings it has: its result_summary has no valid number for critical, high, medium,"
        " low and info"
    )
    # an older scan says less
    assert judged([scan(1, status="running"), scan(2)]).doubts == []


def test_the_doubt_names_the_count_that_is_missing():
    assert judged([scan(1, critical=None)], ("high", 1, 11)).doubts == [
        "scan 1 does not say how many findings it has: its result_summary has no valid number for critical"
    ]
    bare = {**scan(1), "result_summary": None}
    assert judged([bare]).doubts == ["scan 1 does not say how many findings it has: its record has no result_summary"]


def test_what_was_counted_must_be_read_even_if_another_count_is_missing():
    proof = judged([scan(1, critical=None, high=2)], ("high", 1, 11))
    assert proof.problems == ["scan 1 counted 2 high findings, and 1 of them could be read"]
    assert len(proof.doubts) == 1


def test_every_finished_scan_of_a_list_must_count_its_findings():
    older = scan(1, critical=None)
    assert judged([older, scan(2)]).doubts[0].startswith("scan 1 does not say")
    assert judged([older, scan(2)], grouped=True).doubts == []
    # one that did not finish may have counted nothing
    assert judged([{**older, "status_name": "stopped"}, scan(2)]).doubts == []


@pytest.mark.parametrize("problems, doubts, more", [(1, 19, 0), (20, 0, 0), (1, 20, 1), (25, 5, 10)])
def test_a_person_reads_twenty_doubts(problems, doubts, more):
    both = [f"p{number}" for number in range(problems)], [f"d{number}" for number in range(doubts)]
    shown = [*both[0], *both[1]][:20]
    assert Proof(*both).all == [*shown, f"and {more} more"] if more else shown


def test_a_single_problem_is_the_sentence():
    assert Proof(["one is missing"], ["d"]).sentence == "The findings are incomplete: one is missing."
    assert Proof(["a", "b"], []).sentence == "The findings are incomplete: a (and 1 more)."
