# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A task ends between two calls with Ctrl-C, SIGTERM and its time limit, and reports what it has written."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from ansible_collections.scanops.scanner.tests.plays.playbook import LOCAL, play, prepare

pytestmark = pytest.mark.slow

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


NAMES = [f"host-{number:02}.example.com" for number in range(60)]
WRITING = {"scanops.scanner.targets": {"workspace_id": 1, "targets": NAMES}}
VERIFYING = {"scanops.scanner.service_verification": {"writes": True}}
# calls that take so long that an interrupt comes in the middle
SLOW = [{"method": "POST", "action": "delay", "seconds": 0.4, "times": None}]


def noticed(number):
    """The signals that a task may name. After Ctrl-C, ansible-core before 2.19 ends its workers by SIGTERM, and a busy worker
    may notice both at the same time."""
    return f"({number.name}|SIGTERM)"


def created_in(log):
    """The names of the targets that the service created."""
    return [entry["form"]["name"] for entry in log if entry["method"] == "POST" and entry["status"] in (200, 201)]


def live(service):
    return [target["name"] for target in service.targets()]


def sends_no_more(service):
    """Whether no request arrives any more."""
    before = service.calls()
    time.sleep(2)
    return service.calls() == before


def interrupted(directory, service, number, task, enough, send=os.killpg):
    """The output of ansible-playbook, which gets this signal when enough writes were sent. send: to its process group, as a
    terminal does."""
    plays = [{"hosts": "localhost", "gather_facts": False, "tasks": [{"name": "write", **task}]}]
    faults = {"write": SLOW}
    command, environment = prepare(directory, service, plays, faults=faults, inventory=f"localhost {LOCAL}\n")
    output = directory / "output"
    with output.open("wb") as file:
        run = subprocess.Popen(
            command, cwd=directory, env=environment, start_new_session=True, stdout=file, stderr=subprocess.STDOUT
        )
    try:
        wait_until(lambda: len(service.writes()) >= enough, "nothing was written")
        send(run.pid, number)
        assert run.wait(PATIENCE) != 0
        wait_until(lambda: not processes_with(str(directory)), "a process is left")
    finally:
        run.kill()
    return output.read_text(encoding="utf-8")


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


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_a_signal_ends_a_bulk_task_which_names_what_it_wrote(tmp_path, service, number):
    output = interrupted(tmp_path, service, number, WRITING, enough=3)
    held = live(service)
    assert 0 < len(held) < len(NAMES)
    named = ", ".join(f"target {name!r}" for name in held)
    assert f"interrupted: targets: {len(held)} object{'s'[: len(held) - 1]} created: {named}\n" in output
    assert re.search(rf"it was interrupted \({noticed(number)}\)", output)
    assert sends_no_more(service)
    assert live(service) == held


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks for processes in /proc")
def test_the_death_of_ansible_playbook_ends_a_bulk_task_which_names_what_it_wrote(tmp_path, service):
    output = interrupted(tmp_path, service, signal.SIGKILL, WRITING, 3, send=os.kill)
    held = live(service)
    assert 0 < len(held) < len(NAMES)
    assert f"{len(held)} objects created: {', '.join(f'target {name!r}' for name in held)}\n" in output
    assert "nobody takes its result any more" in output


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
@pytest.mark.parametrize("enough", [1, 3], ids=["workspace", "target"])
def test_a_signal_ends_a_verification_which_deletes_what_it_created(tmp_path, service, number, enough):
    before = service.workspaces()
    output = interrupted(tmp_path, service, number, VERIFYING, enough)
    assert service.workspaces() == before
    assert service.http_loggers() == service.targets() == []
    assert re.search(
        rf"interrupted: service_verification: .*because it was interrupted \({noticed(number)}\)[.] Run the task again[.]",
        output,
    )


def test_a_time_limit_ends_a_task_which_reports_what_it_wrote(tmp_path, service):
    plays = [
        {
            "hosts": "localhost",
            "gather_facts": False,
            "tasks": [
                {"name": "bulk", **WRITING, "timeout": 3, "ignore_errors": True},
                {"name": "verification", **VERIFYING, "timeout": 1, "ignore_errors": True},
                {"name": "module", **WRITING, "timeout": 6},
            ],
        }
    ]
    plays[0]["tasks"][2]["scanops.scanner.targets"] = {**WRITING["scanops.scanner.targets"], "in_process": False}
    faults = dict.fromkeys(("bulk", "verification", "module"), SLOW)
    played = play(tmp_path, service, plays, faults=faults)
    (bulk,) = played.events["bulk"]
    assert (bulk.kind, bulk.result["changed"], bulk.result["timedout"]) == ("failed", True, {"period": 3})
    rows = {row["name"]: row["action"] for row in bulk.result["results"]}
    held = created_in(bulk.log)
    assert [name for name in NAMES if rows[name] == "create"] == held
    assert 0 < len(held) < len(NAMES)
    assert bulk.result["summary"]["create"] == len(held)
    (verification,) = played.events["verification"]
    assert (verification.kind, verification.result["changed"]) == ("failed", False)
    assert len([entry for entry in verification.log if entry["status"] == 201]) == len(
        [entry for entry in verification.log if entry["method"] == "DELETE"]
    )
    # as a module it notices soon that nobody takes its result
    wait_until(lambda: sends_no_more(service), "the module goes on")
    assert 0 < len(live(service)) < len(NAMES)


def test_a_time_limit_ends_the_task_and_the_next_one_runs(tmp_path, service):
    some = plays(timeout=3, ignore_errors=True, environment={"SCANNER_RETRIES": "1"})
    some[0]["tasks"].append({"name": "next", "scanops.scanner.workspace_info": {}})
    played = play(tmp_path, service, some, arguments=("-vvv",), faults=FAULTS)
    assert played.output.count("runs in process") == 2
    assert [event.kind for event in played.events["read"]] == ["failed"]
    said = str(played.events["read"]).lower()
    assert [words for words in ("timed out", "timeout", "expected time frame") if words in said], said
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
