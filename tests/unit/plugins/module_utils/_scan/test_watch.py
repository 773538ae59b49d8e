# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import CallError, WrongOption
from ansible_collections.scanops.scanner.plugins.module_utils._scan.spec import ScanSpec
from ansible_collections.scanops.scanner.plugins.module_utils._scan.watch import (
    Entry,
    Outage,
    Timeouts,
    Watch,
)

LIMITS = Timeouts(queue=100, run=1000)


def record(number=1, status="running", **more):
    return {"id": number, "status_name": status, "progress": 0, "num_finished_tests": 0, **more}


def watching(count, status="waiting", now=0):
    watch = Watch([Entry(f"host-{number}") for number in range(1, count + 1)], {"tool_id": 170}, LIMITS)
    for number, entry in enumerate(watch.entries, 1):
        entry.take(record(number, status), now, started=True)
    return watch


@pytest.mark.cases("seen, outcome")
def test_two_timeouts(seen, outcome):
    entry = watching(1).entries[0]
    for now, status in seen:
        entry.observe(record(1, status), now, LIMITS)
    assert entry.outcome == outcome


def test_a_scan_that_no_longer_exists_was_deleted_and_its_last_record_is_kept():
    entry = watching(1).entries[0]
    assert entry.observe(None, 1, LIMITS)
    assert (entry.outcome, entry.record["id"]) == ("deleted", 1)


def test_a_scan_tells_the_id_of_its_target():
    entry = Entry("a.example")
    entry.take(record(1, target_id=7), 0)
    assert (entry.target_id, entry.scan_id, entry.started) == (7, 1, False)
    for seen, expected in ((record(1, target_id=8), 8), (record(1), 8), (record(1, target_id=None), 8)):
        entry.observe(seen, 1, LIMITS)
        assert entry.target_id == expected


def test_which_fields_show_that_a_scan_moves():
    entry = watching(1).entries[0]
    assert entry.observe(record(1), 1, LIMITS)
    assert not entry.observe(record(1, duration=7), 2, LIMITS)
    assert entry.observe(record(1, progress=1), 3, LIMITS)
    assert entry.observe(record(1, progress=1, num_finished_tests=1), 4, LIMITS)


def test_the_interval_is_never_shorter_and_grows_while_nothing_moves():
    watch = watching(1)
    watch.timeouts = Timeouts(1e9, 1e9)
    assert watch.pause(0, 10, 0) == 10
    assert watch.pause(0, 10, 1) == 12
    waits = []
    for _poll in range(12):
        watch.quiet_polls += 1
        waits.append(watch.pause(0, 10, 0))
    assert waits == sorted(waits)
    assert waits[0] == 15 and waits[-1] == 60
    watch.quiet_polls = 0
    assert watch.pause(0, 10, 0) == 10


def test_only_a_refused_start_limits_the_pause_without_a_scan():
    watch = Watch([Entry("host-1")], {}, LIMITS)
    assert watch.pause(0, 10, 0) == 10
    watch.slot_refused(0)
    assert watch.pause(0, 10, 0) == 10
    assert watch.pause(95, 10, 0) == 5
    assert 0 < watch.pause(100, 10, 0) < 0.1
    assert 0 < watch.pause(200, 10, 0) < 0.1
    # a scan in progress will free its slot
    watch.entries.append(Entry("host-2"))
    watch.entries[1].take(record(1), 190)
    assert watch.pause(200, 10, 0) == 10


def test_no_pause_goes_beyond_a_timeout():
    watch = watching(1)
    assert watch.pause(95, 10, 0) == 5
    assert 0 < watch.pause(100, 10, 0) < 0.1
    watch.entries[0].observe(record(1), 95, LIMITS)
    assert watch.pause(95, 10, 0) == 10
    assert watch.pause(1090, 10, 0) == 5


def test_how_many_scans_can_be_started():
    watch = Watch([Entry(f"host-{number}") for number in range(5)], {}, LIMITS)
    assert len(watch.startable()) == 5
    assert [each.target for each in watch.startable(2)] == ["host-0", "host-1"]
    watch.entries[0].take(record(1), 0)
    watch.entries[1].take(record(2), 0)
    assert watch.startable(2) == []
    watch.entries[0].observe(record(1, "finished"), 1, LIMITS)
    assert [each.target for each in watch.startable(2)] == ["host-2"]
    for entry in watch.entries[2:]:
        entry.error, entry.outcome = "no", "failed_to_start"
    assert watch.startable() == []
    assert not watch.is_over()
    watch.entries[1].observe(record(2, "aborted"), 1, LIMITS)
    assert watch.is_over()


def test_a_wait_for_a_slot_ends_only_if_no_scan_of_the_task_holds_one():
    watch = watching(2)
    watch.entries.append(Entry("host-3"))
    assert not watch.slot_refused(10)
    assert not watch.slot_refused(500)
    assert watch.no_slot_since == 500
    for entry in watch.entries[:2]:
        entry.observe(record(entry.scan_id, "finished"), 500, LIMITS)
    assert not watch.slot_refused(599)
    assert watch.no_slot_since == 500
    assert watch.pause(595, 10, 0) == 5
    assert watch.slot_refused(600)
    assert not watch.is_over()


def test_what_a_task_has_started_is_not_started_again():
    watch = Watch([Entry("host-1"), Entry("host-2", started=True)], {}, LIMITS)
    assert [each.target for each in watch.startable()] == ["host-1"]


def failed(status=None, final=False):
    return CallError("GET /scans failed", "GET", "/scans", status, final=final)


def test_an_outage_is_counted_from_the_first_read_that_failed():
    outage = Outage("10s")
    assert (outage.failing, outage.left(50)) == (False, 10)
    assert outage.survives(failed(), 100, 103)
    assert outage.survives(failed(503), 105, 109.5)
    assert (outage.failing, outage.left(104)) == (True, 6)
    assert not outage.survives(failed(), 109, 110)
    outage.end()
    assert (outage.failing, outage.left(110)) == (False, 10)
    assert outage.survives(failed(), 111, 112)


@pytest.mark.parametrize(
    "status, final, is_survived",
    [
        (None, False, True),
        (None, True, False),
        (429, False, True),
        (500, False, True),
        (503, True, False),
        (499, False, False),
        (428, False, False),
        (430, False, False),
        (404, False, False),
    ],
)
def test_which_failures_a_wait_survives(status, final, is_survived):
    assert Outage("10s").survives(failed(status, final), 0, 1) is is_survived


def test_the_option_of_an_outage_is_named_where_it_is_wrong():
    with pytest.raises(WrongOption, match=r"^outage_wait "):
        Outage("soon")


def test_a_pause_ends_with_the_outage_and_passes_over_timeouts():
    watch = watching(1)
    assert watch.outage.longest == 600
    watch.outage.survives(failed(), 90, 91)
    # the timeout of the queue would be sooner
    assert watch.pause(95, 10, 0) == 10
    assert watch.pause(685, 10, 0) == 5
    assert watch.pause(690, 10, 0) == 0.01


def test_the_interval_grows_for_few_polls_only():
    watch = watching(1)
    watch.timeouts = Timeouts(1e9, 1e9)
    watch.quiet_polls = 4
    assert watch.pause(0, 10, 0) == 10 * 1.5**4
    watch.quiet_polls = 10_000
    assert watch.pause(0, 10, 0) == 60


def test_the_shortest_pause():
    watch = watching(1)
    assert watch.pause(100, 10, 0) == watch.pause(500, 10, 0) == 0.01
    watch = Watch([Entry("host-1")], {}, LIMITS)
    watch.slot_refused(0)
    assert watch.pause(100, 10, 0) == watch.pause(500, 10, 0) == 0.01


SPEC = ScanSpec(170, 0, None, None, None, None, {})


def test_a_start_names_its_target_as_the_task_does():
    by_name, by_id = Entry("a.example", 7, spec=SPEC), Entry("a.example", 7, by_id=True, spec=SPEC)
    assert by_name.body(3) == {"target_name": "a.example", "tool_id": 170, "workspace_id": 3}
    assert by_id.body(None) == {"target_id": 7, "tool_id": 170}


@pytest.mark.parametrize(
    "target_id, seen, is_of",
    [
        (7, {"tool_id": 170, "target_id": 7}, True),
        (7, {"tool_id": 170, "target_id": 8}, False),
        (7, {"tool_id": 171, "target_id": 7}, False),
        (7, {"tool_id": None, "target_id": 7}, True),
        (7, {"tool_id": 170, "target_id": None}, True),
        (7, {"tool_id": None, "target_id": 8}, False),
        (None, {"tool_id": 170, "target_id": 8}, True),
        (None, {"tool_id": 171, "target_id": 8}, False),
    ],
)
def test_whose_scan_a_record_is(target_id, seen, is_of):
    assert Entry("a.example", target_id, spec=SPEC).is_of(seen) is is_of
