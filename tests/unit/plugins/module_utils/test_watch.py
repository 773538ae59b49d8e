# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._scan.watch import (
    Entry,
    Watch,
    found_on,
    is_over,
    next_reading,
    observe,
    out_of_patience,
    pause,
    pending,
    refused_slot,
    settle,
    startable,
    take,
)

LIMITS = {"queue_timeout": 100, "run_timeout": 1000}


def record(number=1, status="running", **more):
    return {"id": number, "status_name": status, "progress": 0, "num_finished_tests": 0, **more}


def watching(count, status="waiting", now=0):
    watch = Watch([Entry(f"host-{number}") for number in range(1, count + 1)], {"tool_id": 170}, None)
    for number, entry in enumerate(watch.entries, 1):
        take(entry, record(number, status), now, started=True)
    return watch


def test_a_watch_can_be_sent_as_json():
    watch = watching(3)
    observe(watch.entries[0], record(1), 5, **LIMITS)
    watch.no_slot_since = 5.5
    text = json.dumps(watch.to_json())
    assert Watch.from_json(json.loads(text)) == watch


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"entries": []},
        {**watching(1).to_json(), "more": 1},
        {**watching(1).to_json(), "entries": {}},
        {**watching(1).to_json(), "entries": [{"target": "a"}]},
        {**watching(1).to_json(), "entries": [None]},
    ],
)
def test_what_is_no_watch_is_refused(value):
    with pytest.raises(ValueError):
        Watch.from_json(value)


@pytest.mark.parametrize(
    "seen, outcome",
    [
        ([(0, "waiting"), (99, "waiting")], None),
        ([(0, "waiting"), (100, "waiting")], "queue_timeout"),
        ([(100, "waiting")], "queue_timeout"),
        ([(0, "waiting"), (99, "running"), (1098, "running")], None),
        ([(0, "waiting"), (99, "running"), (1099, "running")], "run_timeout"),
        # the queue does not count for the run
        ([(50, "running"), (1049, "running")], None),
        ([(50, "running"), (1050, "running")], "run_timeout"),
        # one that goes back to the queue waits anew
        ([(50, "running"), (60, "waiting"), (159, "waiting")], None),
        ([(50, "running"), (60, "waiting"), (160, "waiting")], "queue_timeout"),
        ([(5000, "finished")], "finished"),
        ([(5000, "aborted")], "aborted"),
        ([(5000, "resting")], "unknown_state"),
    ],
)
def test_two_timeouts(seen, outcome):
    entry = watching(1).entries[0]
    for now, status in seen:
        observe(entry, record(1, status), now, **LIMITS)
    assert entry.outcome == outcome


def test_a_scan_that_is_gone_was_deleted_and_its_last_record_is_kept():
    entry = watching(1).entries[0]
    assert observe(entry, None, 1, **LIMITS)
    assert (entry.outcome, entry.record["id"]) == ("deleted", 1)


def test_what_counts_as_moving():
    entry = watching(1).entries[0]
    assert observe(entry, record(1), 1, **LIMITS)
    assert not observe(entry, record(1, duration=7), 2, **LIMITS)
    assert observe(entry, record(1, progress=1), 3, **LIMITS)
    assert observe(entry, record(1, progress=1, num_finished_tests=1), 4, **LIMITS)


def test_the_interval_is_never_shorter_and_grows_while_nothing_moves():
    watch = watching(1)
    far = {"queue_timeout": 1e9, "run_timeout": 1e9}
    assert pause(watch, 0, 10, 0, **far) == 10
    assert pause(watch, 0, 10, 1, **far) == 12
    waits = []
    for _poll in range(12):
        settle(watch, False)
        waits.append(pause(watch, 0, 10, 0, **far))
    assert waits == sorted(waits)
    assert waits[0] == 15 and waits[-1] == 60
    settle(watch, True)
    assert pause(watch, 0, 10, 0, **far) == 10


def test_no_pause_goes_beyond_a_timeout():
    watch = watching(1)
    assert pause(watch, 95, 10, 0, **LIMITS) == 5
    assert 0 < pause(watch, 100, 10, 0, **LIMITS) < 0.1
    observe(watch.entries[0], record(1), 95, **LIMITS)
    assert pause(watch, 95, 10, 0, **LIMITS) == 10
    assert pause(watch, 1090, 10, 0, **LIMITS) == 5


def test_how_many_may_be_started():
    watch = Watch([Entry(f"host-{number}") for number in range(5)], {}, None)
    assert len(startable(watch, 0)) == 5
    assert [each.target for each in startable(watch, 2)] == ["host-0", "host-1"]
    take(watch.entries[0], record(1), 0)
    take(watch.entries[1], record(2), 0)
    assert startable(watch, 2) == []
    observe(watch.entries[0], record(1, "finished"), 1, **LIMITS)
    assert [each.target for each in startable(watch, 2)] == ["host-2"]
    for entry in watch.entries[2:]:
        entry.error, entry.outcome = "no", "failed_to_start"
    assert startable(watch, 0) == []
    assert not is_over(watch)
    observe(watch.entries[1], record(2, "aborted"), 1, **LIMITS)
    assert is_over(watch)


def test_one_scan_is_read_by_its_id_and_several_by_their_pages():
    assert next_reading(watching(1)) == ("scan", 1)
    watch = watching(3)
    assert next_reading(watch) == ("walk", None)
    found_on(watch, 4, [record(1), record(2), record(9)])
    assert next_reading(watch) == ("walk", None)
    found_on(watch, 5, [record(3)])
    assert next_reading(watch) == ("page", 4)
    watch.turn += 1
    assert next_reading(watch) == ("page", 5)
    watch.turn += 1
    assert next_reading(watch) == ("page", 4)


def test_one_that_has_left_its_page_is_looked_for():
    watch = watching(3)
    found_on(watch, 1, [record(1), record(2), record(3)])
    found_on(watch, 1, [record(1), record(3)])
    assert [entry.page for entry in watch.entries] == [1, None, 1]
    assert next_reading(watch) == ("walk", None)


def test_one_that_no_page_shows_has_its_turn():
    watch = watching(3)
    found_on(watch, 1, [record(1), record(2)])
    watch.entries[2].unlisted = True
    turns = []
    for _poll in range(4):
        turns.append(next_reading(watch))
        watch.turn += 1
    assert turns == [("page", 1), ("scan", 3)] * 2
    observe(watch.entries[0], None, 1, **LIMITS)
    observe(watch.entries[1], None, 1, **LIMITS)
    assert next_reading(watch) == ("scan", 3)
    assert len(pending(watch)) == 1


def test_a_wait_for_a_slot_ends_only_where_no_scan_of_the_task_holds_one():
    watch = watching(2)
    watch.entries.append(Entry("host-3"))
    assert not out_of_patience(watch, 0, 100)
    refused_slot(watch, 10)
    refused_slot(watch, 50)
    assert watch.no_slot_since == 10
    assert not out_of_patience(watch, 500, 100)
    for entry in watch.entries[:2]:
        observe(entry, record(entry.scan_id, "finished"), 500, **LIMITS)
    assert not out_of_patience(watch, 599, 100)
    assert pause(watch, 595, 10, 0, **LIMITS) == 5
    assert out_of_patience(watch, 600, 100)
    assert next_reading(watch) == ("nothing", None)
    assert not is_over(watch)
