# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.scanops.scanner.plugins.module_utils._scan.result import lines, named_scans, verdict
from ansible_collections.scanops.scanner.plugins.module_utils._scan.watch import (
    Entry,
    Timeouts,
    Watch,
)

LIMITS = Timeouts(1000, 1000)
NOTHING = dict.fromkeys(("critical", "high", "medium", "low", "info"), 0)


def record(number=1, status="running", **more):
    return {"id": number, "status_name": status, "progress": 0, "num_finished_tests": 0, **more}


def watching(count, status="waiting", started=True):
    watch = Watch([Entry(f"host-{number}") for number in range(1, count + 1)], {"tool_id": 170}, LIMITS)
    for number, entry in enumerate(watch.entries, 1):
        entry.take(record(number, status), 0, started=started)
    return watch


def test_a_line_shows_what_has_moved_and_nothing_twice():
    watch = watching(2)
    shown, told = lines(watch, None, 0)
    assert shown == ["scan 1 of host-1: waiting", "scan 2 of host-2: waiting"]
    assert lines(watch, told, 10) == ([], told)
    summary = {"critical": 0, "high": 1, "medium": 0, "low": 0, "info": 2}
    running = record(1, progress=45, num_tests=38, num_finished_tests=17, result_summary=summary)
    watch.entries[0].observe(running, 1, LIMITS)
    shown, told = lines(watch, told, 10)
    assert shown == ["scan 1 of host-1: running, 45 %, 17 of 38 tests, 3 findings (1 high, 2 info)"]
    watch.entries[1].observe(record(2, progress=9, result_summary={**NOTHING, "low": 1}), 1, LIMITS)
    shown, told = lines(watch, told, 10)
    assert shown == ["scan 2 of host-2: running, 9 %, 1 finding (1 low)"]
    # without all counts, the number is unknown
    watch.entries[1].observe(record(2, progress=10, result_summary={"low": 1}), 1, LIMITS)
    shown, told = lines(watch, told, 10)
    assert shown == ["scan 2 of host-2: running, 10 %"]
    watch.entries[1].observe(None, 1, LIMITS)
    assert [line.partition(",")[0] for line in lines(watch, told, 10)[0]] == ["scan 2 of host-2: deleted"]


def test_a_password_in_the_name_of_a_target_is_in_no_line_and_no_message():
    watch = watching(1)
    watch.entries[0].target = "https://me:hunter2@a.example/?token=s3cret"
    shown, _told = lines(watch, None, 0)
    assert shown == ["scan 1 of https://***@a.example/?***: waiting"]
    watch.entries[0].outcome = "aborted"
    said = f"{verdict(watch)} {named_scans(watch.entries)}"
    assert "a.example" in said and "hunter2" not in said and "s3cret" not in said


def test_each_scan_names_its_tool_where_there_are_several():
    watch = watching(2)
    watch.entries[0].spec = watch.entries[0].spec._replace(tool_id=170)
    watch.entries[1].spec = watch.entries[1].spec._replace(tool_id=70)
    shown, _told = lines(watch, None, 0)
    assert shown == ["scan 1 of host-1 with Website Scanner: waiting", "scan 2 of host-2 with Port Scanner: waiting"]
    assert named_scans(watch.entries) == "1 of 'host-1' with Website Scanner, 2 of 'host-2' with Port Scanner"
    for number, entry in enumerate(watch.entries, 1):
        entry.observe(record(number, "stopped"), 1, LIMITS)
    assert "'host-1' with Website Scanner (stopped), 'host-2' with Port Scanner (stopped)" in verdict(watch)
    watch.entries[1].spec = watch.entries[0].spec
    assert "Scanner" not in verdict(watch)


def test_many_scans_share_one_line_per_poll():
    watch = watching(50)
    for number, entry in enumerate(watch.entries[:20], 1):
        entry.observe(record(number, "finished", result_summary={**NOTHING, "high": 1}), 1, LIMITS)
    watch.entries[30].scan_id = 0
    failed = watch.entries[31]
    failed.scan_id, failed.error, failed.outcome = 0, "no", "failed_to_start"
    shown, told = lines(watch, None, 200)
    counts = "1 failed_to_start, 20 finished, 1 to be started, 28 waiting"
    left = "42 % in all, about 4 min 36 s left"
    assert shown == [f"21 of 50 scans done after 3 min 20 s: {counts}; {left}; 20 findings (20 high)"]
    # time is seen to pass where nothing moves
    left = "42 % in all, about 4 min 50 s left"
    assert lines(watch, told, 210)[0] == [
        f"21 of 50 scans done after 3 min 30 s: {counts}; {left}; 20 findings (20 high)"
    ]


def test_the_progress_of_many_running_scans_is_shown_and_the_rest_predicted_once_there_is_enough():
    watch = watching(10)
    for progress, said in (
        (None, "10 running"),
        (0, "10 running"),
        (8, "10 running; 8 % in all"),
        (25, "10 running; 25 % in all, about 5 min 00 s left"),
    ):
        for number, entry in enumerate(watch.entries, 1):
            entry.observe(record(number, progress=progress), 1, LIMITS)
        assert lines(watch, None, 100)[0] == [f"0 of 10 scans done after 1 min 40 s: {said}"]
    for number, entry in enumerate(watch.entries, 1):
        entry.observe(record(number, "finished", progress=100), 1, LIMITS)
    assert lines(watch, None, 400)[0] == ["10 of 10 scans done after 6 min 40 s: 10 finished"]


def test_a_wait_for_a_free_slot_is_shown_once():
    watch = watching(1)
    watch.entries += [Entry("host-2"), Entry("host-3")]
    told = lines(watch, None, 0)[1]
    watch.slot_refused(1)
    shown, told = lines(watch, told, 1)
    assert shown == ["2 scans wait for a free slot of the account's plan"]
    assert lines(watch, told, 10)[0] == []
    many = watching(9)
    many.entries[8].scan_id, many.no_slot_since = 0, 5
    assert lines(many, None, 5)[0] == ["0 of 9 scans done after 5 s: 8 waiting, 1 waiting for a free slot"]


def test_control_characters_of_the_service_do_not_reach_the_terminal():
    watch = watching(1)
    watch.entries[0].target = "a\x1b[2J.example"
    watch.entries[0].observe(record(1, "run\x1b[31m\nning\u202e"), 1, LIMITS)
    (line,) = lines(watch, None, 0)[0]
    assert line.isprintable()
    many = watching(9)
    many.entries[0].record["status_name"] = "x\x1b"
    assert lines(many, None, 0)[0][0].isprintable()
