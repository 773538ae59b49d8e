# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import time

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.clock import difference, service_now
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.scans import (
    candidates,
    duration_of,
    findings_of,
    outcome_of,
    uncounted,
    without_secrets,
)
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import NEXT_STEP, OUTCOMES
from ansible_collections.scanops.scanner.plugins.module_utils._model.times import Clock
from ansible_collections.scanops.scanner.plugins.module_utils._scan.result import bad_end
from ansible_collections.scanops.scanner.plugins.module_utils._scan.spec import ScanSpec
from ansible_collections.scanops.scanner.plugins.module_utils._scan.watch import Entry, Timeouts

# 2024-05-17 08:30:00 UTC
NOW = 1715934600
DATE = "Fri, 17 May 2024 08:30:00 GMT"


@pytest.mark.cases("status, outcome")
def test_every_status_has_its_outcome(status, outcome):
    assert outcome_of({"id": 1, "status_name": status}) == outcome
    assert outcome is None or outcome in OUTCOMES


def test_every_bad_outcome_says_what_to_do_next():
    assert set(NEXT_STEP) == set(OUTCOMES) - {"finished"}
    for outcome in NEXT_STEP:
        for record in ({"status_name": "x", "status_message": "no\x1b"}, {}, None):
            entry = Entry("a.example", scan_id=7, outcome=outcome, record=record)
            sentence = bad_end(entry, Timeouts(60, 60))
            assert sentence.startswith("Scan 7 of 'a.example' ")
            assert sentence.endswith(".")
            assert "\x1b" not in sentence


# it ran all of its tests
RAN = {"num_tests": 20, "num_finished_tests": 20}


def row(number, age=None, status="finished", **more):
    ended = None if age is None else at(NOW - age)
    return {"id": number, "status_name": status, "start_time": None, "end_time": ended, **RAN, **more}


def at(moment):
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(moment))


@pytest.mark.cases("date, ages, expected")
def test_the_present_is_by_the_service_clock(date, ages, expected):
    clock = service_now(date, [row(1, age) for age in ages], NOW + 5000)
    assert clock.now + clock.ahead == expected


@pytest.mark.parametrize("away, said", [(60 * 86400, "60 days"), (3600, "60 minutes"), (36 * 3600, "36 hours")])
@pytest.mark.parametrize("side, where", [(1, "ahead of"), (-1, "behind")])
@pytest.mark.parametrize("lost", [-1, 0, 0.999, 1.001, 20])
def test_a_cut_date_and_a_slow_answer_do_not_change_the_difference_of_clocks(away, said, side, where, lost):
    assert f" {said} {where} the clock of this host" in difference(side * away - lost)


def test_a_time_with_an_offset_says_nothing_about_the_zone_of_the_others():
    rows = [row(1, 100), {"id": 2, "end_time": "2024-05-17T12:30:00+02:00"}]
    assert service_now(DATE, rows, NOW).ahead == 0


@pytest.mark.parametrize("ahead", [0, 7200])
@pytest.mark.parametrize(
    "end_time", ["2024-05-17T10:20:00+02:00", "2024-05-17T08:20:00Z", 1715934000, 1715934000000, "1715934000"]
)
def test_the_zone_of_the_records_is_not_added_to_a_time_that_has_its_own(end_time, ahead):
    rows = [{"id": 1, "status_name": "finished", "end_time": end_time, **RAN}]
    assert candidates(rows, Clock(NOW, ahead), 600)[0][1] is None
    assert candidates(rows, Clock(NOW, ahead), 599)[0][1] is not None


def test_an_end_that_cannot_be_read_is_never_fresh():
    future = {"id": 2, "status_name": "finished", "end_time": "2024-05-18T08:30:00Z", **RAN}
    assert candidates([future], Clock(NOW), 10**9)[0][1] == "its record says that it ends in the future"
    named = {"id": 3, "status_name": "finished", "end_time": "2024-05-17 08:30:00 CEST", **RAN}
    assert candidates([named], Clock(NOW), 10**9)[0][1] == "its record does not say when it ended"


def test_the_newest_finished_one_comes_first_then_those_in_progress():
    rows = [
        row(1, 100),
        row(2, 50),
        row(3, None, "running"),
        row(4, 9000),
        row(5, 10, "aborted"),
        row(6, None, "waiting"),
        row(7, None),
    ]
    judged = candidates(rows, Clock(NOW), 3600)
    assert [(each["id"], reason is None) for each, reason in judged] == [
        (2, True),
        (1, True),
        (6, True),
        (3, True),
        (7, False),
        (5, False),
        (4, False),
    ]
    assert {each["id"]: reason for each, reason in judged}[4] == "it ended 2 hours ago, and max_age is 60 minutes"


def test_an_age_is_never_less_than_nothing():
    assert candidates([row(1, -200)], Clock(NOW), 0)[0][1] is None
    assert candidates([row(1, 1)], Clock(NOW), 0)[0][1] is not None


def why_other_params(record, tool_params, vpn_uuid, kind):
    authentication = {"type": kind} if kind else None
    return ScanSpec(170, 0, vpn_uuid, tool_params, None, authentication, {}).why_another(record)


RECORD = {"tool_params": {"scan_type": "light", "depth": 5, "deep": {"a": 1, "b": [1, 2]}, "on": True, "none": None}}


@pytest.mark.cases("declared")
def test_parameters_that_match(declared):
    assert why_other_params(RECORD, declared, None, None) is None


@pytest.mark.cases("declared")
def test_parameters_that_do_not_match(declared):
    assert "tool_params." in why_other_params(RECORD, declared, None, None)


def test_records_without_the_compared_fields():
    assert why_other_params({}, {"a": 1}, None, None) == "its record does not show its tool_params"
    assert why_other_params({}, None, "u-1", None) == "its VPN profile differs"
    assert why_other_params({"vpn_profile_uuid": None}, None, "", None) is None
    assert why_other_params({"vpn_profile_uuid": "u-1"}, None, "", None) is not None
    assert why_other_params({"tool_params": {}}, None, None, "cookies") == "its authentication is of another type"
    assert why_other_params({"tool_params": {"authentication": "x"}}, None, None, "cookies") is not None
    assert why_other_params({"tool_params": {"authentication": {"type": "cookies"}}}, None, None, "cookies") is None


@pytest.mark.cases("given, shown")
def test_secrets_of_an_authentication_are_masked(given, shown):
    record = {"id": 1, "tool_params": {"scan_type": "light", "authentication": given}}
    before = {"id": 1, "tool_params": {"scan_type": "light", "authentication": given}}
    assert without_secrets(record)["tool_params"] == {"scan_type": "light", "authentication": shown}
    # what came is not touched
    assert record == before


@pytest.mark.parametrize("record", [{}, {"tool_params": None}, {"tool_params": {"a": 1}}, {"tool_params": "x"}])
def test_a_record_without_secrets_stays_as_it_is(record):
    assert without_secrets(record) is record


def test_findings_are_counted_if_the_record_has_numbers():
    assert findings_of({}) == findings_of({"result_summary": None}) == findings_of({"result_summary": "x"}) == {}
    counts = {"critical": 1, "high": None, "low": True, "info": 3, "text": "x"}
    assert findings_of({"result_summary": counts}) == {"critical": 1, "info": 3}
    assert uncounted({"result_summary": counts}) == ["high", "medium", "low"]


WORST_FIRST = ["critical", "high", "medium", "low", "info"]


@pytest.mark.parametrize("level", WORST_FIRST)
@pytest.mark.parametrize(
    "value", ["missing", None, "2", "0", "", 2.0, 0.0, -1, True, False, [], {}, float("nan")], ids=repr
)
def test_what_is_no_integer_from_0_is_no_count(level, value):
    counts = {"text": "", "total": 0, level.upper(): 0, **dict.fromkeys(WORST_FIRST, 0)}
    assert uncounted({"result_summary": counts}) == []
    counts[level] = value
    if value == "missing":
        del counts[level]
    assert uncounted({"result_summary": counts}) == [level]
    assert level not in findings_of({"result_summary": counts})


def test_times_of_different_zones_have_no_duration():
    local, zoned = "2026-01-31 12:00:00", "2026-01-31T12:00:00+02:00"
    assert duration_of({"start_time": local, "end_time": local}) == 0
    assert duration_of({"start_time": zoned, "end_time": "2026-01-31T12:00:00Z"}) == 7200
    assert duration_of({"start_time": local, "end_time": zoned}) is None
