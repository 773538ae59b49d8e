# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The program that compares the requests of the integration targets in process and as modules."""

from __future__ import annotations

import importlib.util
import json

import pytest
from ansible_collections.scanops.scanner.tests.unit.conventions.collection import ROOT

SPEC = importlib.util.spec_from_file_location("integration_ways", ROOT / "tests" / "integration_ways.py")
ways = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(ways)


@pytest.fixture
def write(tmp_path):
    def write(place, name, *requests):
        (tmp_path / place).mkdir(exist_ok=True)
        (tmp_path / place / name).write_text("".join(json.dumps(each) + "\n" for each in requests), encoding="utf-8")

    return write


def request(path="/targets", **more):
    return {"method": "GET", "path": path, "at": 1.5, "client_port": 50001, "n": 1, **more}


def compared(tmp_path):
    return ways.differences(tmp_path / "one", tmp_path / "two")


def test_equal_requests_may_have_other_times_ports_and_tokens(tmp_path, write):
    write("one", "target-1.jsonl", request(json={"url": "http://127.0.0.1:8001/h/0123456789abcdef"}))
    again = request(at=9, client_port=7, json={"url": "http://127.0.0.1:8002/h/fedcba9876543210"})
    write("two", "target-1.jsonl", again)
    assert compared(tmp_path) == []


@pytest.mark.parametrize(
    "text", ["Verify-{:012x}", "verify-{:012x}.example.com", "site-{:032x}"], ids=["name", "target", "secret"]
)
def test_equal_requests_may_have_other_random_names(tmp_path, write, text):
    for number, place in enumerate(("one", "two")):
        write(place, "target-1.jsonl", request(form={"name": text.format(number)}))
    assert compared(tmp_path) == []


def test_other_names_differ(tmp_path, write):
    for place in ("one", "two"):
        write(place, "target-1.jsonl", request(form={"name": f"Verify-{place}"}))
    assert len(compared(tmp_path)) == 1


def test_another_request_is_shown(tmp_path, write):
    write("one", "target-1.jsonl", request(), request("/workspaces"))
    write("two", "target-1.jsonl", request(), request("/scans"))
    (line,) = compared(tmp_path)
    assert line.startswith("target-1.jsonl:\n  one: request 2, ")
    assert "/workspaces" in line
    assert "/scans" in line


@pytest.mark.parametrize("longer", ["one", "two"])
def test_a_request_that_is_missing_is_shown(tmp_path, write, longer):
    for place in ("one", "two"):
        write(place, "target-1.jsonl", request(), *([request("/scans")] if place == longer else []))
    (line,) = compared(tmp_path)
    assert "request 2, " in line
    assert "nothing" in line


def test_in_process_a_read_may_be_missing_that_was_sent_before(tmp_path, write):
    create = request(method="POST")
    write("one", "target-1.jsonl", request(), create)
    write("two", "target-1.jsonl", request(), create, request(), request())
    assert compared(tmp_path) == []
    write("two", "target-1.jsonl", request(), request("/workspaces"), create)
    assert len(compared(tmp_path)) == 1
    # never a write, and never the other way round
    write("two", "target-1.jsonl", request(), create, create)
    assert len(compared(tmp_path)) == 1
    write("one", "target-1.jsonl", request(), request(), create)
    write("two", "target-1.jsonl", request(), create)
    assert len(compared(tmp_path)) == 1


def test_polls_of_a_report_may_be_repeated(tmp_path, write):
    create, poll = request("/reports", method="POST"), request("/reports/1")
    write("one", "report-1.jsonl", create, poll, request("/reports/1/content"))
    write("two", "report-1.jsonl", create, poll, poll, poll, request("/reports/1/content"))
    assert compared(tmp_path) == []
    write("two", "report-1.jsonl", create, create, poll, request("/reports/1/content"))
    assert len(compared(tmp_path)) == 1
    write("two", "report-1.jsonl", create, poll)
    assert len(compared(tmp_path)) == 1


def test_reads_of_scans_may_come_in_another_order(tmp_path, write):
    first, second = (request("/scans", method="POST", json={"target_id": number}) for number in (1, 2))
    read, stop = request("/scans/1"), request("/scans/1/stop", method="POST")
    write("one", "scan-1.jsonl", first, read, request("/scans/2"), second, stop)
    write("two", "scan-1.jsonl", first, second, request("/scans/2"), read, read, stop)
    assert compared(tmp_path) == []
    write("two", "scan-1.jsonl", second, read, request("/scans/2"), first, stop)
    assert len(compared(tmp_path)) == 1
    write("two", "scan-1.jsonl", first, read, second, stop)
    assert len(compared(tmp_path)) == 1


def test_an_interrupt_may_come_some_writes_later(tmp_path, write):
    read, creates = request(), [request(method="POST", form={"name": f"new{number}"}) for number in range(9)]
    write("one", "targets-1.jsonl", creates[0], read, *creates[:3])
    write("two", "targets-1.jsonl", creates[0], read, *creates)
    assert compared(tmp_path) == []
    write("two", "targets-1.jsonl", *creates[:2], read, *creates)
    assert len(compared(tmp_path)) == 1
    write("two", "targets-1.jsonl", creates[0], read, *creates[1:])
    assert len(compared(tmp_path)) == 1


def test_a_429_of_the_rate_limit_does_not_count(tmp_path, write):
    write("one", "target-1.jsonl", request())
    write("two", "target-1.jsonl", request(status=429, fault=None), request())
    assert compared(tmp_path) == []
    write("two", "target-1.jsonl", request(status=429, fault="limit"), request())
    assert len(compared(tmp_path)) == 1


def test_a_log_of_one_run_only_is_shown(tmp_path, write):
    write("one", "target-1.jsonl", request())
    write("one", "scan-1.jsonl", request())
    write("two", "target-1.jsonl", request())
    assert compared(tmp_path) == ["scan-1.jsonl: only in one"]


def test_no_log_at_all_is_an_error(tmp_path):
    assert compared(tmp_path) == ["No target kept its requests."]


def test_the_default_is_turned_off_in_a_copy(tmp_path, monkeypatch):
    copy = tmp_path / ways.OPTIONS
    copy.parent.mkdir(parents=True)
    copy.write_text((ROOT / ways.OPTIONS).read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    ways.as_modules()
    assert 'in_process=_option("bool", "SCANNER_IN_PROCESS", default=False)' in copy.read_text(encoding="utf-8")
    with pytest.raises(SystemExit):
        ways.as_modules()
