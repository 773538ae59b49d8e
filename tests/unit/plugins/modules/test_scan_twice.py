# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Two tasks at once with max_age: one starts a scan, the other one joins it; and what is said where no lock can help."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._model import private_files
from ansible_collections.scanops.scanner.plugins.module_utils._scan.find import lock_parts
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scan_time import RUNNING, S, bodies, good, old

pytestmark = pytest.mark.slow

HELPER = """
import json, sys
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.run_module import run_module
print("ready", flush=True)
print(json.dumps(run_module("scan", json.loads(sys.stdin.read()), sleep=__import__("time").sleep).result))
"""


@pytest.fixture
def account(scan_account):
    return scan_account


def locks_in(directory):
    """The files of the locks, which are empty, unlike the others in this directory."""
    return [path for path in directory.iterdir() if not path.stat().st_size]


def at_once(service, *tasks):
    """Run tasks in processes of their own at the same time; returns their results."""
    connection = dict(base_url=service.base_url, api_key=service.api_key, tool="170", workspace_id=2, wait=False)
    running = [
        subprocess.Popen(
            [sys.executable, "-c", HELPER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            text=True,
        )
        for _task in tasks
    ]
    assert [process.stdout.readline() for process in running] == ["ready\n"] * len(running)
    for process, options in zip(running, tasks):
        process.stdin.write(json.dumps({**connection, **options}))
        process.stdin.close()
    results = [json.loads(process.stdout.read()) for process in running]
    for process in running:
        process.wait()
        process.stdout.close()
    return results


@pytest.mark.parametrize(
    "one, other",
    [
        ({"target": "www.example.com"}, {"target": "WWW.example.com."}),
        ({"target": "www.example.com"}, {"target_id": 1001}),
        ({"target": "new.example.com"}, {"target": "new.example.com"}),
        ({"targets": ["www.example.com", "api.example.com"]}, {"targets": ["api.example.com", "www.example.com"]}),
    ],
)
def test_two_tasks_on_one_machine_start_one_scan(account, one, other):
    # both would have read the list before either has started
    account.fault(method="GET", path=S, action="delay", when="after", seconds=1, times=2)
    results = at_once(account, {**one, "max_age": "1h"}, {**other, "max_age": "1h"})
    assert not [result["msg"] for result in results if result.get("failed")]
    number = len(one.get("targets", [1]))
    assert account.calls().count(f"POST {S}") == number == len(account.scans())
    assert sorted(result["started"] for result in results) == [False, True]
    assert {scan["id"] for scan in account.scans()} == {each["scan"]["id"] for each in results[0]["scans"]}
    assert {scan["id"] for scan in account.scans()} == {each["scan"]["id"] for each in results[1]["scans"]}


def test_the_lock_is_private_and_names_no_key(account, scan, runtime):
    good(scan(max_age="1h", wait=False))
    directory = runtime / "scanops.scanner"
    (file,) = locks_in(directory)
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_bytes() == b""
    assert account.api_key not in str(file)


@pytest.mark.parametrize("check, options", [(False, {}), (True, {"max_age": "1h"}), (False, {"state": "stopped"})])
def test_nothing_is_locked_if_no_second_scan_could_start(account, scan, runtime, check, options):
    good(scan(check=check, wait=False, **options))
    assert locks_in(runtime / "scanops.scanner") == []


def test_each_service_tool_and_target_has_its_own_lock():
    one = lock_parts("https://a.example/api/v2", 170, ["www.example.com"])
    assert one == lock_parts("https://a.example/api/v2", 170, ["WWW.example.com."])
    assert one != lock_parts("https://b.example/api/v2", 170, ["www.example.com"])
    assert one != lock_parts("https://a.example/api/v2", 350, ["www.example.com"])
    many = [f"host-{number}.example" for number in range(1000)]
    locks = lock_parts("https://a.example/api/v2", 170, many)
    assert len(locks) <= 64
    assert locks == lock_parts("https://a.example/api/v2", 170, many[::-1])


def spoil_link(runtime, elsewhere):
    (runtime / "scanops.scanner").symlink_to(elsewhere)


def spoil_mode(runtime, _elsewhere):
    (runtime / "scanops.scanner").mkdir()
    (runtime / "scanops.scanner").chmod(0o777)


def spoil_file(runtime, _elsewhere):
    (runtime / "scanops.scanner").write_text("", encoding="utf-8")


@pytest.mark.parametrize("spoil", [spoil_link, spoil_mode, spoil_file])
def test_a_lock_that_cannot_be_taken_warns_once(account, scan, runtime, tmp_path, spoil):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    spoil(runtime, elsewhere)
    result = good(scan(target=None, targets=["www.example.com", "api.example.com"], max_age="1h", wait=False))
    assert sum("A lock could not be taken" in warning for warning in result.warnings) == 1
    assert len(result.warnings) == 2, (
        "the other one is about the rate limit, which the tasks share in the same directory"
    )
    assert len(account.scans()) == 2
    assert list(elsewhere.iterdir()) == []


def test_a_platform_without_locks_warns(account, scan, monkeypatch):
    monkeypatch.setattr(private_files, "HAS_LOCKS", False)
    result = good(scan(max_age="1h", wait=False))
    assert ["this platform has no file locks" in warning for warning in result.warnings] == [True, True]


@pytest.mark.parametrize("given", ["", "relative", "/nonexistent/run"])
def test_without_a_runtime_directory_a_private_one_is_created(account, scan, monkeypatch, tmp_path, given):
    monkeypatch.setenv("XDG_RUNTIME_DIR", given)
    monkeypatch.setattr(private_files.tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(private_files, "_is_own", lambda path: str(tmp_path) in path and Path(path).is_dir())
    assert good(scan(max_age="1h", wait=False)).warnings == []
    directory = tmp_path / f"scanops.scanner-{os.geteuid()}"
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert len(locks_in(directory)) == 1


def test_the_wait_for_a_lock_has_a_limit(account, scan, passing, runtime):
    good(scan(max_age="1h", wait=False))
    (file,) = locks_in(runtime / "scanops.scanner")
    with file.open("w", encoding="utf-8") as held:
        private_files.fcntl.flock(held, private_files.fcntl.LOCK_EX)
        before = passing.now
        result = good(scan(max_age="1h", wait=False))
    assert 120 <= passing.now - before <= 121
    assert ["another task on this machine has held it for 120 s" in warning for warning in result.warnings] == [True]


# --- beyond one machine


@pytest.mark.parametrize("targets", [None, ["www.example.com", "api.example.com"]])
def test_a_scan_that_someone_else_started_is_reported(account, scan, targets):
    record = {"target_id": 1001, "tool_id": 170, "status_name": "waiting"}
    account.fault(method="POST", path=S, action="do", resource="scans", record=record)
    result = good(scan(max_age="1h", wait=False, **({"target": None, "targets": targets} if targets else {})))
    (warning,) = result.warnings
    assert warning.startswith(
        "While this task started scan 40002 of 'www.example.com', somebody else started another with the same tool: 40001."
    )
    assert not [call for call in account.calls() if call.endswith("/stop")]
    assert result["started"] is True


def test_a_failing_second_read_changes_nothing(account, scan):
    account.fault(method="GET", path=S, nth=2, action="status", status=403, times=None)
    result = good(scan(max_age="1h", wait=False))
    assert (result["started"], result.warnings) == (True, [])


@pytest.mark.parametrize("new", [False, True])
def test_a_later_start_uses_a_scan_that_someone_else_started(account, scan, new):
    second = "new.example.com" if new else "api.example.com"
    target = {"id": 1009, "name": second, "workspace": "Web shop"} if new else None
    fault = dict(method="GET", path=f"{S}/40001", nth=2, action="do")
    if new:
        account.fault(**fault, resource="targets", record=target)
    account.fault(
        **{**fault, "nth": 3},
        resource="scans",
        record={"target_id": 1009 if new else 1002, "tool_id": 170, **RUNNING},
    )
    names = ["www.example.com", second]
    result = good(scan(target=None, targets=names, concurrency=1, max_age="1h"))
    assert [body["target_name"] for body in bodies(account)] == ["www.example.com"]
    assert [each["started"] for each in result["scans"]] == [True, False]
    assert [each["outcome"] for each in result["scans"]] == ["finished", "finished"]


def test_a_later_start_counts_candidates_once(account, scan):
    account.add(scans=[old(9000, target_id=1002)])
    result = good(scan(target=None, targets=["www.example.com", "api.example.com"], concurrency=1, max_age="1h"))
    assert [each["id"] for each in result["candidates"]] == [40001]
