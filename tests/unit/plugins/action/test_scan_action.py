# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action plugin of scan, with a module that is told what to say. tests/integration/targets/scan runs the real one."""

from __future__ import annotations

import os
import signal
from types import SimpleNamespace

import pytest
from ansible_collections.scanops.scanner.plugins.action import scan as plugin
from ansible_collections.scanops.scanner.plugins.module_utils._watch import new_entry, new_watch, take

LONG = 3600


class Ended(BaseException):
    """In the place of the end of the worker process."""


def watch(**record):
    one = new_watch([new_entry("www.example.com")], {})
    take(one["entries"][0], {"id": 7, "status_name": "running", "progress": 5, **record}, 0, started=True)
    one["entries"][0]["phase"] = "running"
    return one


def goes_on(seconds=0, **record):
    return {"changed": False, "watch": watch(**record), "pause": seconds, "warnings": [], "api_calls": ["GET x"]}


END = {
    "changed": True,
    "started": True,
    "scans": [{"target": "www.example.com", "scan": {"id": 7, "status_name": "finished"}, "outcome": "finished"}],
    "api_calls": ["GET y"],
}


@pytest.fixture
def action(monkeypatch):
    """action(args, answers, ...): the plugin, with what its module answers; it notes its runs and the lines it shows."""

    def make(args=None, answers=(), check=False, async_val=0, no_log=False):
        task = SimpleNamespace(args=args or {}, check_mode=check, async_val=async_val, no_log=no_log)
        shell = SimpleNamespace(tmpdir=None)
        one = plugin.ActionModule(task, SimpleNamespace(_shell=shell), None, None, None, None)
        one.runs, one.shown, one.forgotten = [], [], []
        answers = iter(answers)

        def execute(module_args=None, task_vars=None, wrap_async=None):
            one.runs.append((module_args, wrap_async))
            answer = next(answers)
            if isinstance(answer, BaseException):
                raise answer
            return answer() if callable(answer) else answer

        monkeypatch.setattr(one, "_execute_module", execute)
        monkeypatch.setattr(one, "_remove_tmp_path", one.forgotten.append)
        monkeypatch.setattr(plugin.ActionBase, "run", lambda *_arguments: {})
        monkeypatch.setattr(plugin.display, "display", lambda text, stderr=False: one.shown.append((text, stderr)))
        return one

    def ended(status):
        raise Ended(status)

    monkeypatch.setattr(plugin.os, "_exit", ended)
    return make


def steps(one):
    return [module_args.get("_step") for module_args, _async in one.runs]


def test_it_polls_until_the_module_has_a_result(action):
    one = action({"tool": "170"}, [goes_on(), goes_on(progress=50), END])
    result = one.run(task_vars={"inventory_hostname": "here"})
    assert result["changed"] is True
    assert result["api_calls"] == ["GET x", "GET x", "GET y"]
    assert "watch" not in result
    assert ["watch" in step for step in steps(one)] == [False, True, True]
    assert all(module_args["tool"] == "170" for module_args, _async in one.runs)
    assert one.shown == [
        ("here: scan 7 of www.example.com: running, 5 %", True),
        ("here: scan 7 of www.example.com: running, 50 %", True),
        ("here: scan 7 of www.example.com: finished", True),
    ]
    assert len(one.forgotten) == 1


@pytest.mark.parametrize(
    "args, more",
    [
        ({"state": "absent"}, {}),
        ({"state": "stopped"}, {}),
        ({"wait": False}, {}),
        ({"wait": "no"}, {}),
        ({}, {"check": True}),
    ],
)
def test_what_does_not_wait_is_one_plain_run(action, args, more):
    one = action(args, [{"changed": True}], **more)
    assert one.run() == {"changed": True}
    assert one.runs == [(None, False)]
    assert one.shown == []


def test_in_the_background_the_module_waits_by_itself(action):
    one = action({}, [{"started": 1}], async_val=60)
    assert one.run() == {"started": 1}
    assert one.runs == [(None, True)]
    # async_wrapper needs them
    assert one.forgotten == []


def test_a_task_that_logs_nothing_shows_nothing(action):
    one = action({}, [goes_on(), END], no_log=True)
    one.run()
    assert one.shown == []


def test_a_run_that_fails_ends_the_wait_and_knows_what_was_started(action):
    one = action({}, [goes_on(), {"failed": True, "msg": "no python"}])
    result = one.run()
    assert (result["failed"], result["changed"]) == (True, True)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_stops_what_this_task_started(action, number):
    stopped = {"changed": False, "stopped": [7]}
    one = action({"stop_on_interrupt": True}, [lambda: os.kill(os.getpid(), number) or goes_on(LONG), stopped])
    before = signal.getsignal(number)
    with pytest.raises(Ended) as caught:
        one.run()
    assert caught.value.args == (128 + number,)
    assert steps(one)[1] == {"stop": [7]}
    assert one.runs[1][0]["timeout"] <= 10
    assert one.shown[-1] == ("interrupted: stopped scan 7", True)
    assert signal.getsignal(number) == before


def test_a_ctrl_c_does_not_break_a_run_of_the_module(action):
    seen = []

    def run():
        seen.append(signal.getsignal(signal.SIGINT))
        return END

    one = action({"stop_on_interrupt": "yes"}, [run])
    before = signal.getsignal(signal.SIGINT)
    one.run()
    assert seen == [signal.SIG_IGN]
    assert signal.getsignal(signal.SIGINT) == before


def test_what_was_joined_is_not_stopped(action):
    joined = goes_on(LONG)
    joined["watch"]["entries"][0]["started"] = False
    one = action({"stop_on_interrupt": True}, [lambda: os.kill(os.getpid(), signal.SIGTERM) or joined])
    with pytest.raises(Ended):
        one.run()
    assert len(one.runs) == 1


@pytest.mark.parametrize("stop, runs", [(True, 2), (False, 1)])
def test_a_worker_that_is_left_alone_ends(action, monkeypatch, stop, runs):
    one = action({"stop_on_interrupt": stop}, [goes_on(LONG), {"stopped": [7]}])
    parents = iter([100, 1, 1, 1])
    monkeypatch.setattr(plugin.os, "getppid", lambda: next(parents))
    with pytest.raises(Ended):
        one.run()
    assert len(one.runs) == runs


def test_the_timeout_of_a_task_stops_as_well(action):
    class TaskTimeoutError(BaseException):
        pass

    one = action({"stop_on_interrupt": True}, [goes_on(), TaskTimeoutError(), {"stopped": [7]}])
    with pytest.raises(TaskTimeoutError):
        one.run()
    assert steps(one)[2] == {"stop": [7]}


def test_a_stop_that_fails_says_so(action):
    one = action({"stop_on_interrupt": True}, [goes_on(), KeyboardInterrupt(), RuntimeError("unreachable")])
    with pytest.raises(plugin.AnsibleActionFail, match="could not be stopped after an interrupt: unreachable"):
        one.run()


def test_no_signal_arrives_while_a_line_is_on_its_way(action, monkeypatch):
    blocked = []
    one = action({}, [goes_on(), END])
    monkeypatch.setattr(
        plugin.display, "display", lambda text, stderr: blocked.append(signal.pthread_sigmask(signal.SIG_BLOCK, []))
    )
    one.run()
    assert all({signal.SIGINT, signal.SIGTERM, signal.SIGHUP} <= each for each in blocked)
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])
