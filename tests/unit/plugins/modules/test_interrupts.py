# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An interrupted task ends between two calls, and reports what it has written. tests/plays has the signals and time limits."""

from __future__ import annotations

import itertools
import subprocess
import sys

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._http.transport import Transport
from ansible_collections.scanops.scanner.plugins.module_utils._model import interrupts
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scenarios import ACCOUNT, PROBES, READS, WRITES
from ansible_collections.scanops.scanner.tests.unit.sampling import one_of_each

pytestmark = pytest.mark.slow

TASKS = {name: task for name, task in {**WRITES, **READS, **PROBES}.items() if len(task.calls) > 1}
SAMPLE = one_of_each(list(TASKS), lambda name: [TASKS[name].module, *TASKS[name].calls])


@pytest.fixture
def interrupt(monkeypatch):
    """interrupt(number): interrupt the next task after this call."""
    real = Transport._try_once

    def after(number):
        calls = itertools.count(1)

        def once(transport, request, sink):
            answer = real(transport, request, sink)
            if next(calls) == number:
                transport.stop.begin("it was interrupted (SIGINT)")
            return answer

        monkeypatch.setattr(Transport, "_try_once", once)

    return after


@pytest.mark.parametrize("name", SAMPLE)
def test_a_task_ends_after_any_call_and_says_what_it_has_written(account, run, interrupt, workplace, name):
    task = TASKS[name]
    for number in range(1, len(task.calls)):
        account.reset(state=ACCOUNT)
        before, files = account.state(), sorted(workplace.iterdir())
        interrupt(number)
        result = run(task.module, diff=False, **task.options)
        written = account.state() != before or sorted(workplace.iterdir()) != files
        assert result.changed == (written and task.module != "gate")
        # what was written is read back, so all of the work may be done
        assert result.failed == (account.calls() != list(task.calls))
        assert list(task.calls[:number]) == account.calls()[:number]
        if result.failed:
            assert "recreate" in name or not [call for call in account.calls()[number:] if not call.startswith("GET ")]
            # a gate names other reasons first
            assert task.module == "gate" or "because it was interrupted (SIGINT)" in result.msg
        for path in set(workplace.iterdir()) - set(files):
            path.unlink()


@pytest.mark.parametrize("answer", ["created_id", "record", "nothing"])
def test_a_bulk_task_reports_exactly_what_the_service_has(account, run, interrupt, answer):
    names = [f"new-{number}.example.com" for number in range(5)]
    account.settings(create_answer=answer)
    interrupt(4)
    result = run("targets", workspace_id=3, targets=names, continue_on_error=True)
    rows = {row["name"]: (row["action"], row["id"]) for row in result["results"]}
    live = {target["name"]: ("create", target["id"]) for target in account.targets() if target["workspace_id"] == 3}
    assert len(live) == 3
    assert {name: row for name, row in rows.items() if row[0] == "create"} == live
    assert result["summary"]["create"] == 3
    assert (result.failed, result.changed) == (True, True)
    assert "Run the task again; it changes only what is still missing." in result.msg


def objects_of(service):
    """The ids of all objects that a verification creates."""
    return [[each["id"] for each in rows] for rows in (service.workspaces(), service.targets(), service.http_loggers())]


@pytest.mark.parametrize("answer, first", [("created_id", 0), ("record", 1), ("nothing", 2)])
def test_a_verification_deletes_what_it_created_after_any_write(account, run, interrupt, answer, first):
    before = objects_of(account)
    calls = len(run("service_verification", writes=True).calls)
    reads = len(run("service_verification").calls)
    # each answer with a third of the calls
    for number in range(reads + first, calls, 3):
        account.reset(state=ACCOUNT, settings={"create_answer": answer})
        interrupt(number)
        result = run("service_verification", writes=True)
        assert objects_of(account) == before
        assert not result.changed


def test_a_verification_without_time_names_what_is_left(service, run, interrupt, monkeypatch):
    reads = len(run("service_verification").calls)
    monkeypatch.setattr(interrupts, "LONGEST", 0.001)
    # both workspaces and the target are created
    interrupt(reads + 3)
    result = run("service_verification", writes=True)
    assert (result.failed, result.changed) == (True, True)
    left = [workspace for workspace in service.workspaces() if workspace["name"].lower().startswith("verify-")]
    assert left
    for workspace in left:
        assert f"workspace {workspace['name']!r} (id {workspace['id']})" in result.msg


ABANDONED = """
import sys
from ansible_collections.scanops.scanner.plugins.module_utils._task.module import _is_abandoned
print(_is_abandoned(), file=sys.stderr, flush=True)
sys.stdin.readline()
print(_is_abandoned(), file=sys.stderr, flush=True)
"""


def test_a_module_notices_that_nobody_takes_its_result():
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{ABANDONED}"]
    with subprocess.Popen(command, text=True, **pipes) as module:
        assert module.stderr.readline() == "False\n"
        module.stdout.close()
        module.stdin.write("\n")
        module.stdin.flush()
        assert module.stderr.readline() == "True\n"
