# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import inspect
import re

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._contract import assumptions, judges
from ansible_collections.scanops.scanner.plugins.module_utils._contract.answers import (
    LISTS,
    Observation,
    Observations,
    describe,
    list_names,
    list_words,
)
from ansible_collections.scanops.scanner.plugins.module_utils._contract.assumptions import ROWS
from ansible_collections.scanops.scanner.plugins.module_utils._contract.judges import Verdict, both

NAMES = ["shop.example.com", "192.0.2.7", "https://a.example/", "My target", "<b>", "a|b", "x" * 41]


def answer(body, status=200, **headers):
    return Observation(status, "json", body, headers, {})


def test_field_names_that_could_be_text_of_the_account_are_only_counted():
    assert list_names({"id", "x_more", *NAMES}) == f"id, x_more, {len(NAMES)} withheld names"
    described = describe(answer({"data": dict.fromkeys(NAMES)}))
    assert described == f"status 200, data with {len(NAMES)} withheld names"
    assert describe(answer({"data": {}})) == "status 200, an empty object"


def test_words_that_could_be_text_of_the_account_are_only_counted():
    assert list_words({"timed out", "shop.example.com", "stopped by 7"}) == "timed out, 2 withheld values"


def test_a_long_list_of_names_is_cut():
    assert list_names({f"f{number:02d}" for number in range(13)}).endswith("f09, 3 more")


@pytest.mark.cases("verdicts, expected")
def test_a_refutation_outweighs_other_verdicts(verdicts, expected):
    first, second = ((lambda _answers, each=each: each and Verdict(each, "")) for each in verdicts)
    verdict = both(first, second)(Observations())
    assert (verdict and verdict.verdict) == expected


FIELDS = (
    "id", "workspace_id", "target_id", "tool_id", "task_id", "type", "status_name", "status", "format", "name", "cve",
    "risk_level", "num_words", "start_time", "end_time", "request_date", "result_summary", "description", "created_id",
    "output_type", "output_data", "message", "requests", "tool_params",
)  # fmt: skip
ROW_OF_LISTS, ROW_OF_OBJECTS = (dict.fromkeys(FIELDS, value) for value in ([1], {"a": []}))
BODIES = [
    None, [], {}, {"data": None}, {"data": [None, 1, "x", []]}, {"data": {"id": []}}, "x", 7,
    *({"data": data} for row in (ROW_OF_LISTS, ROW_OF_OBJECTS, {}) for data in (row, [row, row])),
]  # fmt: skip


# the names that judges know answers by: all that they and the table mention
NAMES_OF_ANSWERS = {
    name for module in (judges, assumptions) for name in re.findall(r'"([a-z][a-z0-9_]+)"', inspect.getsource(module))
} | {
    f"{family}{suffix}"
    for family in LISTS
    for suffix in ("", "_anywhere", "_elsewhere", "_limit", "_page_1", "_page_2")
}


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
@pytest.mark.parametrize("status", [200, 404])
def test_no_answer_breaks_a_judge(body, status):
    expected = {"id": "7", "name": "A.example.com", "created": {"both": 7}, "noun": "target", "workspace_id": 1,
                "target_id": 1, "tool_id": 1, "task_id": 7, "status": "finished"}  # fmt: skip
    answers = Observations({name: answer(body, status)._replace(expected=expected) for name in NAMES_OF_ANSWERS})
    found = [row.judged(answers) for row in ROWS]
    assert [row["name"] for row in found] == [row.name for row in ROWS]
    assert [row for row in found if not row["seen"]] == []


def test_without_answers_nothing_is_confirmed_or_refuted():
    workspaces = answer({"data": []}, Date="Sun, 22 Nov 2026 04:00:00 GMT")
    found = [row.judged(Observations(workspaces=workspaces)) for row in ROWS]
    tried = {row["name"] for row in found if row["verdict"] != "not tried"}
    assert tried <= {"lists-in-data", "whole-lists", "rate-limit-headers", "key-check", "date"}


@pytest.mark.parametrize("status, verdict", [
    ("Finished", "confirmed"), ("in_progress", "confirmed"), (" FAILED ", "confirmed"), (None, "confirmed"),
    ("on a boat", "refuted"), (7, "refuted"),
])  # fmt: skip
def test_the_status_of_a_report_is_a_known_word_or_missing(status, verdict):
    (row,) = [row for row in ROWS if row.name == "report-status"]
    answers = Observations(reports=answer({"data": [{"status": status}, {"status_name": status}]}))
    assert row.judged(answers)["verdict"] == verdict
