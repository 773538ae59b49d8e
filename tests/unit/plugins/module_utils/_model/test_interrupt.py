# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a signal does to the calls of a task: a read is broken off, a write is awaited, and nothing more is sent."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._http.connection import Connection
from ansible_collections.scanops.scanner.plugins.module_utils._http.transport import Transport
from ansible_collections.scanops.scanner.plugins.module_utils._model import interrupts
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import Interrupted
from ansible_collections.scanops.scanner.plugins.module_utils._model.interrupts import SIGNALS, Stop, Stopped
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.conftest import permitted

CREATE = permitted("POST", "/http_loggers", query={"workspace_id": 1}, form={"label": "new"})
RENAME = permitted("PUT", "/workspaces/1", json={"name": "new"})
# far more than a test may take
LONG = 300


@pytest.fixture(autouse=True)
def default_signals():
    # a process that nohup or a background job starts ignores some of them
    before = {number: signal.signal(number, signal.SIG_DFL) for number in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def sending(service):
    """A transport that really waits, and listens to signals."""
    one = Transport(Connection(service.base_url, service.api_key, timeout=LONG, retries=3))
    with one.stop.listening():
        yield one
    one.close()


@pytest.fixture
def after():
    """after(condition, number): send this signal to this process when the condition holds."""
    threads = []

    def start(condition, number=signal.SIGTERM):
        def wait():
            until = time.monotonic() + 60
            while not condition() and time.monotonic() < until:
                time.sleep(0.02)
            os.kill(os.getpid(), number)

        threads.append(threading.Thread(target=wait))
        threads[-1].start()

    yield start
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("number", [*SIGNALS, signal.SIGALRM], ids=lambda number: number.name)
def test_a_read_is_broken_off_at_once(service, sending, after, number):
    service.fault(action="delay", seconds=LONG)
    after(service.calls, number)
    with pytest.raises(Interrupted) as caught:
        sending.send("GET", "/workspaces")
    why = "its time limit has passed (the keyword timeout)"
    why = why if number == signal.SIGALRM else f"it was interrupted ({number.name})"
    said = f"GET /workspaces was broken off: the task ends, because {why}. Run the task again."
    assert (str(caught.value), caught.value.may_have_worked) == (said, False)
    assert sending.stop.failure == f"The task is incomplete, because {why}. Run the task again."
    with pytest.raises(Interrupted, match="GET /targets was not sent"):
        sending.send("GET", "/targets")
    assert service.calls() == ["GET /workspaces"]


def test_a_write_is_awaited_and_nothing_more_is_sent(service, sending, after):
    service.fault(action="delay", seconds=0.5)
    after(service.calls)
    assert sending.send(**CREATE).status == 201
    assert sending.stop.failure is None
    with pytest.raises(Interrupted) as caught:
        sending.send(**RENAME)
    assert not caught.value.may_have_worked
    assert str(caught.value).startswith("PUT /workspaces/1 was not sent: ")
    assert service.calls() == ["POST /http_loggers"]


def test_a_write_that_is_not_answered_in_time_may_have_been_done(service, sending, after, monkeypatch):
    monkeypatch.setattr(interrupts, "LONGEST", 0.5)
    service.fault(action="delay", seconds=LONG, when="after")
    after(service.calls)
    with pytest.raises(Interrupted) as caught:
        sending.send(**CREATE)
    assert caught.value.may_have_worked
    assert str(caught.value).startswith("POST /http_loggers was broken off: ")
    assert sending.calls == ["POST /http_loggers?workspace_id=1 -> no answer"]


def test_a_write_that_was_sent_before_may_have_been_done(service, sending, after, monkeypatch):
    monkeypatch.setattr(sending, "jitter", lambda: 1)
    service.fault(action="reset", times=3)
    after(service.calls)
    with pytest.raises(Interrupted) as caught:
        sending.send(**RENAME)
    assert caught.value.may_have_worked
    assert str(caught.value).startswith("PUT /workspaces/1 was not sent again: ")


def test_a_wait_for_the_rate_limit_ends_at_once(service, sending, after):
    service.fault(action="status", status=429, headers={"Retry-After": "200"})
    after(service.calls)
    with pytest.raises(Interrupted) as caught:
        sending.send(**CREATE)
    assert not caught.value.may_have_worked
    assert service.calls() == ["POST /http_loggers"]


def test_a_pause_ends_at_once_and_the_next_call_says_why(sending, after):
    after(lambda: True)
    sending.pause(LONG)
    with pytest.raises(Interrupted):
        sending.send("GET", "/workspaces")


def test_last_calls_are_permitted_until_their_time_is_over(service, sending, after, monkeypatch):
    monkeypatch.setattr(interrupts, "LONGEST", 1)
    sending.stop.begin("it was interrupted (SIGTERM)")
    with sending.stop.last_calls():
        assert sending.send("GET", "/workspaces").status == 200
        service.fault(action="delay", seconds=LONG)
        with pytest.raises(Interrupted):
            sending.send("GET", "/targets")
    assert service.calls() == ["GET /workspaces", "GET /targets"]


def test_the_signals_have_their_handlers_again_afterwards():
    numbers = (*SIGNALS, signal.SIGALRM)
    before = [signal.getsignal(number) for number in numbers]
    with Stop().listening() as stop:
        assert before != [signal.getsignal(number) for number in numbers]
        stop.begin("it was interrupted (SIGINT)")
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
    assert before == [signal.getsignal(number) for number in numbers]
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_the_time_limit_of_a_task_goes_on_behind_its_work():
    caught = []
    before = signal.signal(signal.SIGALRM, lambda *_arguments: caught.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with Stop().listening():
            pass
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
        time.sleep(0.5)
        assert caught
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_signal_that_is_ignored_stays_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Stop().listening() as stop:
            os.kill(os.getpid(), signal.SIGINT)
            assert stop.reason is None
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_task_whose_result_nobody_takes_ends_before_its_next_call():
    stop = Stop(abandoned=lambda: True)
    with pytest.raises(Stopped):
        stop.check()
    assert stop.failure == "The task is incomplete, because nobody takes its result any more. Run the task again."


def test_the_first_reason_counts():
    with Stop().listening() as stop:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGTERM)
        assert (stop.number, stop.reason) == (signal.SIGINT, "it was interrupted (SIGINT)")
