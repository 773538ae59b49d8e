# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What a task of the module scan does: find or start scans, wait for them, and return their result."""

from __future__ import annotations

import os

from .._errors import ScannerError
from .._records import Record
from .._task import Task
from .handover import Handover, Step
from .poll import poll, seconds_to_next_poll
from .result import failed, result_of, unfinished, verdict
from .spec import check_options
from .start import find_or_start, read_started, reported
from .stop import stop_each, stop_or_delete
from .watch import Watch

# after this many seconds of starts a short run hands over, so that its progress is shown
_LONGEST_START = 10


def ensure_scan(task: Task) -> Record:
    """The work of the module."""
    # to async_status a result with ``started`` and without ``finished`` is that of a job in progress
    finished = {"finished": True} if "ANSIBLE_ASYNC_DIR" in os.environ else {}
    try:
        return {**_ensure(task), **finished}
    except ScannerError as error:
        if finished:
            raise failed(error, finished) from None
        raise


def _ensure(task: Task) -> Record:
    check_options(task.params)
    step = _step_of(task)
    if step and step.stop and step.watch:
        return stop_each(task, step.watch.started())
    if task.params["state"] != "present":
        return stop_or_delete(task)
    transport = task.client.transport
    # the time of a wait continues from one run of the module to the next
    ahead = step.now - transport.now() if step else 0.0
    until = transport.now() + _LONGEST_START if step else None
    now = transport.now() + ahead
    watch = (step and step.watch) or find_or_start(task, now, until)
    with reported(task, watch):
        if task.check_mode or not task.params["wait"]:
            read_started(task, watch)
            return _result(task, watch)
        if step and step.watch:
            poll(task, watch, now, until)
        while not watch.is_over():
            seconds = seconds_to_next_poll(task, watch, now)
            if step:
                handover = Handover.sealed(watch, seconds, transport.connection.api_key, task.params).to_result()
                # if a target's name contains a password, only this run knows the name, so the wait stays in it
                if task.survives_masking(handover):
                    return handover
            transport.pause(seconds)
            now = transport.now() + ahead
            poll(task, watch, now)
        return _result(task, watch)


def _step_of(task: Task) -> Step | None:
    """The step that the action plugin asks for, None if the task runs in one piece, as in check mode: there a forged step
    must not start or stop anything."""
    if task.step is None or task.check_mode:
        return None
    transport = task.client.transport
    step = Step.from_json(task.step, transport.connection.api_key, task.params)
    # the run before this one got answers, so address and key are right
    transport.known.answered |= step.watch is not None
    return step


def _result(task: Task, watch: Watch) -> Record:
    if unfinished(watch):
        raise ScannerError(verdict(watch, task.params))
    return result_of(watch, task.params["targets"] is None, task.diff_mode)
