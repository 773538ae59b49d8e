# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A task that runs in process and waits for an answer ends with Ctrl-C and with its time limit."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from ansible_collections.scanops.scanner.tests.plays.playbook import play, prepare

# seconds that the service does not answer, far more than a test may take
LONG = 3600
PATIENCE = 120
FAULTS = {"read": [{"path": "/workspaces", "action": "delay", "seconds": LONG}]}


@pytest.fixture(autouse=True)
def default_interrupt():
    # a process that nohup or a background job starts ignores SIGINT, and so would what it starts
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def plays(**keywords):
    options = {"timeout": LONG, "retries": 0}
    task = {"name": "read", "scanops.scanner.workspace_info": options, **keywords}
    return [{"hosts": "localhost", "gather_facts": False, "tasks": [task]}]


def wait_until(true, what):
    until = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < until, what
        time.sleep(0.05)


def processes_with(text):
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if text in path.read_text(encoding="utf-8", errors="replace"):
                found.append(path.parent.name)
        except OSError:
            # it has ended
            continue
    return found


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_a_signal_ends_the_task_and_its_process(tmp_path, service, number):
    command, environment = prepare(tmp_path, service, plays(), faults=FAULTS)
    run = subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: service.calls() == ["GET /workspaces"], "nothing was sent")
        os.killpg(run.pid, number)
        assert run.wait(PATIENCE) != 0
        wait_until(lambda: not processes_with(str(tmp_path)), "a process is left")
    finally:
        run.kill()


def test_a_time_limit_ends_the_task_and_the_next_one_runs(tmp_path, service):
    some = plays(timeout=3, ignore_errors=True, environment={"SCANNER_RETRIES": "1"})
    some[0]["tasks"].append({"name": "next", "scanops.scanner.workspace_info": {}})
    played = play(tmp_path, service, some, arguments=("-vvv",), faults=FAULTS)
    assert played.output.count("runs in process") == 2
    assert [event.kind for event in played.events["read"]] == ["failed"]
    said = str(played.events["read"]).lower()
    assert any(words in said for words in ("timed out", "timeout", "expected time frame"))
    assert [event.kind for event in played.events["next"]] == ["ok"]


def test_a_time_limit_of_an_item_leaves_the_next_item_its_environment(tmp_path, service):
    task = plays(timeout=3, ignore_errors=True, loop=["slow", "quick"])[0]["tasks"][0]
    task["environment"] = {"SCANNER_RATE_LIMIT_WAIT": "{{ 7 if item == 'slow' else omit_this }}", "NETRC": "{{ item }}"}
    task["vars"] = {"omit_this": 9}
    played = play(
        tmp_path,
        service,
        [{"hosts": "localhost", "gather_facts": False, "tasks": [task]}],
        arguments=("-vvv",),
        faults={"read": [{"path": "/workspaces", "action": "delay", "seconds": LONG, "times": 1}]},
    )
    items = [event for event in played.events["read"] if event.kind.startswith("item")]
    assert [event.kind for event in items] == ["item failed", "item ok"]
    assert items[1].result["invocation"]["module_args"]["rate_limit_wait"] == 9
