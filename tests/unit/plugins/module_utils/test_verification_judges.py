# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._verification.answers import (
    Observation,
    Observations,
    describe,
    list_names,
    list_words,
)
from ansible_collections.scanops.scanner.plugins.module_utils._verification.assumptions import ROWS
from ansible_collections.scanops.scanner.plugins.module_utils._verification.judges import Verdict, both

NAMES = ["shop.example.com", "192.0.2.7", "https://a.example/", "My target", "<b>", "a|b", "x" * 41]


def answer(body, status=200, **headers):
    return Observation(status, "json", body, headers, {})


def test_field_names_that_could_be_text_of_the_account_are_only_counted():
    assert list_names({"id", "x_more", *NAMES}) == f"id, x_more, {len(NAMES)} withheld names"
    described = describe(answer({"data": dict.fromkeys(NAMES)}))
    assert described == f"status 200, data with {len(NAMES)} withheld names"


def test_words_that_could_be_text_of_the_account_are_only_counted():
    assert list_words({"timed out", "shop.example.com", "stopped by 7"}) == "timed out, 2 withheld values"


def test_a_long_list_of_names_is_cut():
    assert list_names({f"f{number:02d}" for number in range(13)}).endswith("f09, 3 more")


@pytest.mark.parametrize("verdicts, expected", [
    (("confirmed", "refuted"), "refuted"), (("refuted", "not tried"), "refuted"), (("not tried", "confirmed"), "confirmed"),
    ((None, "confirmed"), "confirmed"), ((None, None), None),
])  # fmt: skip
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


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
@pytest.mark.parametrize("status", [200, 404])
def test_no_answer_breaks_a_judge(body, status):
    names = (
        "workspaces", "targets", "http_loggers", "wordlists", "scans", "findings", "reports", "vpn_profiles",
        "finding_templates", "templates_2", "unknown", "schema", "page_1", "page_2", "past_end", "targets_of_type",
        "targets_anywhere", "targets_elsewhere", "scans_anywhere", "scans_filtered", "scans_finished", "scan",
        "scan_target", "output", "raw", "running_output", "finding", "logger_data", "requests", "wordlist", "contents",
        "create", "create_in_lower_case", "create_target", "create_http_logger", "delete_target", "delete_workspace",
        "deleted_target",
    )  # fmt: skip
    answers = Observations({name: answer(body, status) for name in names})
    answers["stored_target"] = answer(body, status)._replace(expected={"name": "A.example.com"})
    found = [row.judged(answers, wrote=True) for row in ROWS]
    assert [row["name"] for row in found] == [row.name for row in ROWS]
    assert all(row["seen"] for row in found)


def test_without_answers_nothing_is_confirmed_or_refuted():
    workspaces = answer({"data": []}, Date="Sun, 22 Nov 2026 04:00:00 GMT")
    found = [row.judged(Observations(workspaces=workspaces), wrote=False) for row in ROWS]
    tried = {row["name"] for row in found if row["verdict"] != "not tried"}
    assert tried <= {"lists-in-data", "whole-lists", "rate-limit-headers", "key-check", "date"}


@pytest.mark.parametrize("status, verdict", [
    ("Finished", "confirmed"), ("in_progress", "confirmed"), (" FAILED ", "confirmed"), (None, "confirmed"),
    ("on a boat", "refuted"), (7, "refuted"),
])  # fmt: skip
def test_the_status_of_a_report_is_a_known_word_or_missing(status, verdict):
    (row,) = [row for row in ROWS if row.name == "report-status"]
    answers = Observations(reports=answer({"data": [{"status": status}, {"status_name": status}]}))
    assert row.judged(answers, wrote=False)["verdict"] == verdict
