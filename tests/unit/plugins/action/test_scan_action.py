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
from ansible_collections.scanops.scanner.plugins.module_utils._scan.watch import Entry, Watch
from ansible_collections.scanops.scanner.plugins.plugin_utils import _live_line

LONG = 3600


class Ended(BaseException):
    """In the place of the end of the worker process."""


def watch(**record):
    one = Watch([Entry("www.example.com")], {}, None)
    one.entries[0].take({"id": 7, "status_name": "running", "progress": 5, **record}, 0, started=True)
    one.entries[0].phase = "running"
    return one.to_json()


def goes_on(seconds=0, **record):
    handed = {"watch": watch(**record), "seal": "sealed"}
    return {"changed": False, "pause": seconds, "warnings": [], "api_calls": ["GET x"], **handed}


def stopped(fate="stopped", why=None):
    return {"changed": True, "stopped": [7], "fates": [{"id": 7, "fate": fate, "why": why}]}


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
        one.runs, one.shown, one.last, one.forgotten = [], [], [], []
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
        monkeypatch.setattr(_live_line.display, "display", lambda text, stderr=False: one.shown.append((text, stderr)))
        monkeypatch.setattr(_live_line.LiveLine, "show_last", lambda _self, text: one.last.append(text))
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
    assert [step["watch"] for step in steps(one)] == [None, watch(), watch(progress=50)]
    assert [step["seal"] for step in steps(one)] == [None, "sealed", "sealed"]
    assert not any(step["stop"] for step in steps(one))
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
def test_a_task_that_does_not_wait_is_one_plain_run(action, args, more):
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


def test_a_failed_run_ends_the_wait_and_returns_what_was_started(action):
    one = action({}, [goes_on(), {"failed": True, "msg": "no python"}])
    result = one.run()
    assert (result["failed"], result["changed"], result["started"]) == (True, True, True)
    assert (result["scan"]["id"], result["outcome"], result["msg"]) == (7, None, "no python")


@pytest.mark.parametrize("args", [{"_step": {"stop": [900]}}, {"_step": None, "wait": False}])
@pytest.mark.parametrize("more", [{}, {"check": True}, {"async_val": 60}])
def test_the_step_is_not_an_option_of_a_task(action, args, more):
    one = action(args, [], **more)
    result = one.run()
    assert (result["failed"], result["changed"]) == (True, False)
    assert result["msg"].startswith("Unsupported parameters for (scanops.scanner.scan) module: _step")
    assert one.runs == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_stops_what_this_task_started(action, number):
    one = action({"stop_on_interrupt": True}, [lambda: os.kill(os.getpid(), number) or goes_on(LONG), stopped()])
    before = signal.getsignal(number)
    with pytest.raises(Ended) as caught:
        one.run()
    assert caught.value.args == (128 + number,)
    assert (steps(one)[1]["stop"], steps(one)[1]["watch"], steps(one)[1]["seal"]) == (True, watch(), "sealed")
    assert one.runs[1][0]["timeout"] <= 10
    assert one.last == ["interrupted: scan 7 of www.example.com: stopped"]
    assert signal.getsignal(number) == before


@pytest.mark.parametrize(
    "answer, why",
    [
        (stopped("goes on", "not yours"), "goes on (not yours)"),
        ({"failed": True, "msg": "no python"}, "may go on (no python)"),
        (RuntimeError("unreachable"), "may go on (unreachable)"),
    ],
)
def test_an_interrupt_says_what_goes_on_and_why(action, answer, why):
    one = action({"stop_on_interrupt": True}, [lambda: os.kill(os.getpid(), signal.SIGTERM) or goes_on(LONG), answer])
    with pytest.raises(Ended):
        one.run()
    assert one.last == [f"interrupted: scan 7 of www.example.com: {why}"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_without_a_stop_an_interrupt_says_that_the_scan_goes_on(action, number):
    class Died(BaseException):
        pass

    def die(*_arguments):
        raise Died

    one = action({}, [goes_on(), lambda: os.kill(os.getpid(), number)])
    before = signal.signal(number, die)
    try:
        with pytest.raises(Died):
            one.run()
        # and the signal has its effect of before
        assert signal.getsignal(number) is die
    finally:
        signal.signal(number, before)
    assert one.last == ["interrupted: scan 7 of www.example.com: goes on (stop_on_interrupt is not set)"]
    assert len(one.runs) == 2


def test_a_stop_that_takes_too_long_says_that_scans_may_go_on(action, monkeypatch):
    class Timer:
        def __init__(self, seconds, function, args):
            self.fire = lambda: function(*args)

        def start(self):
            timers.append(self)

        def cancel(self):
            pass

    timers = []

    def run_out_of_time():
        return timers[0].fire()

    monkeypatch.setattr(plugin.threading, "Timer", Timer)
    one = action(
        {"stop_on_interrupt": True},
        [lambda: os.kill(os.getpid(), signal.SIGTERM) or goes_on(LONG), run_out_of_time],
    )
    with pytest.raises(Ended):
        one.run()
    assert one.last == ["interrupted: scan 7 of www.example.com: may go on (the stop took more than 60 s)"]


def test_a_ctrl_c_does_not_interrupt_a_run_of_the_module(action):
    seen = []

    def run():
        seen.append(signal.getsignal(signal.SIGINT))
        return END

    one = action({"stop_on_interrupt": "yes"}, [run])
    before = signal.getsignal(signal.SIGINT)
    one.run()
    assert seen == [signal.SIG_IGN]
    assert signal.getsignal(signal.SIGINT) == before


def test_a_joined_scan_is_not_stopped(action):
    joined = goes_on(LONG)
    joined["watch"]["entries"][0]["started"] = False
    one = action({"stop_on_interrupt": True}, [lambda: os.kill(os.getpid(), signal.SIGTERM) or joined])
    with pytest.raises(Ended):
        one.run()
    assert len(one.runs) == 1
    assert one.last == ["interrupted: scan 7 of www.example.com: goes on (this task did not start it)"]


@pytest.mark.parametrize(
    "stop, runs, fate", [(True, 2, "stopped"), (False, 1, "goes on (stop_on_interrupt is not set)")]
)
def test_a_worker_whose_parent_has_died_ends(action, monkeypatch, stop, runs, fate):
    one = action({"stop_on_interrupt": stop}, [goes_on(LONG), stopped()])
    parents = iter([100, 1, 1, 1])
    monkeypatch.setattr(plugin.os, "getppid", lambda: next(parents))
    with pytest.raises(Ended):
        one.run()
    assert len(one.runs) == runs
    assert one.last == [f"interrupted: scan 7 of www.example.com: {fate}"]


def test_the_timeout_of_a_task_stops_as_well(action):
    class TaskTimeoutError(BaseException):
        pass

    one = action({"stop_on_interrupt": True}, [goes_on(), TaskTimeoutError(), stopped()])
    with pytest.raises(TaskTimeoutError):
        one.run()
    assert steps(one)[2]["stop"] is True
    # ansible-playbook goes on and shows lines
    assert one.shown[-1] == ("interrupted: scan 7 of www.example.com: stopped", True)


def test_the_timeout_of_a_task_that_has_just_begun_says_that_scans_may_go_on(action):
    one = action({"stop_on_interrupt": True}, [KeyboardInterrupt()])
    with pytest.raises(KeyboardInterrupt):
        one.run()
    assert "scans may have been started" in one.shown[-1][0]


def test_a_stop_that_fails_says_so(action):
    one = action({"stop_on_interrupt": True}, [goes_on(), KeyboardInterrupt(), RuntimeError("unreachable")])
    with pytest.raises(plugin.AnsibleActionFail, match="could not be stopped after an interrupt: unreachable"):
        one.run()
    assert one.shown[-1] == ("interrupted: scan 7 of www.example.com: may go on (unreachable)", True)
