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


def request(path="/targets", **more):
    return {"method": "GET", "path": path, "at": 1.5, "client_port": 50001, "n": 1, **more}


READ, CREATE, POLL = request(), request(method="POST"), request("/reports/1")
CREATES = [request(method="POST", form={"name": f"new{number}"}) for number in range(9)]
REPORT, CONTENT = request("/reports", method="POST"), request("/reports/1/content")
START, START_2 = (request("/scans", method="POST", json={"target_id": number}) for number in (1, 2))
SCAN, STOP = request("/scans/1"), request("/scans/1/stop", method="POST")


def named(text):
    return [request(json={"url": "http://127.0.0.1:8001/h/0123456789abcdef"}, form={"name": text})]


# the target, its requests in process and as modules, and whether they count as equal
CASES = [
    ("target", [READ], [request(at=9, client_port=7)], True),
    ("target", named("Verify-00000000000a"), named("Verify-00000000000b"), True),
    ("target", named("canary-qlgrrngsz3tid7an"), named("canary-didw8i6p97nm4g6t"), True),
    # in process, a read may be missing that was sent before; never a write, and never the other way round
    ("target", [READ, CREATE], [READ, CREATE, READ, READ], True),
    ("target", [READ, CREATE], [READ, request("/workspaces"), CREATE], False),
    ("target", [READ, CREATE], [READ, CREATE, CREATE], False),
    # polls of a report may be repeated
    ("report", [REPORT, POLL, CONTENT], [REPORT, POLL, POLL, POLL, CONTENT], True),
    # how often the role asks until a request arrives
    ("role_logger_canary", [CREATE, READ, POLL, READ, POLL], [CREATE, READ, POLL], True),
    ("role_logger_canary", [CREATE, READ, POLL], [READ, POLL], False),
    # reads of scans may come in another order
    ("scan", [START, SCAN, START_2, STOP], [START, START_2, SCAN, SCAN, STOP], True),
    ("scan", [START, SCAN, START_2, STOP], [START_2, SCAN, START, STOP], False),
    # an interrupt may come some writes later
    ("targets", [CREATES[0], READ, *CREATES[:3]], [CREATES[0], READ, *CREATES], True),
    ("targets", [CREATES[0], READ, *CREATES[:3]], [*CREATES[:2], READ, *CREATES], False),
    # a 429 of the rate limit does not count, that of a fault does
    ("target", [READ], [request(status=429, fault=None), READ], True),
    ("target", [READ], [request(status=429, fault="limit"), READ], False),
    ("target", [READ], None, False),
    ("target", None, None, False),
]


@pytest.mark.parametrize("target, one, two, equal", CASES)
def test_requests_are_compared(tmp_path, target, one, two, equal):
    for place, requests in (("one", one), ("two", two)):
        (tmp_path / place).mkdir()
        if requests is not None:
            lines = "".join(json.dumps(each) + "\n" for each in requests)
            (tmp_path / place / f"{target}-1.jsonl").write_text(lines, encoding="utf-8")
    assert (ways.differences(tmp_path / "one", tmp_path / "two") == []) is equal


def test_the_default_is_turned_off_in_a_copy(tmp_path, monkeypatch):
    copy = tmp_path / ways.OPTIONS
    copy.parent.mkdir(parents=True)
    copy.write_text((ROOT / ways.OPTIONS).read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    ways.as_modules()
    assert 'in_process=dict(type="bool", default=False)' in copy.read_text(encoding="utf-8")
    with pytest.raises(SystemExit):
        ways.as_modules()
