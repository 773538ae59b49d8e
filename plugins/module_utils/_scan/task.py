# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The work of the module scan, from its beginning: find or start scans, wait for them, and return how they ended."""

from __future__ import annotations

import os

from .._errors import ScannerError
from .._records import Record
from .._task import Task
from .result import failed, result_of, unfinished, verdict
from .spec import check_options
from .start import find_or_start, read_started, reported
from .stop import stop_or_delete
from .wait import wait_for


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
    if task.params["state"] != "present":
        return stop_or_delete(task)
    watch = find_or_start(task)
    with reported(task, watch):
        if task.check_mode or not task.params["wait"]:
            read_started(task, watch)
        else:
            wait_for(task, watch)
        if unfinished(watch):
            raise ScannerError(verdict(watch, task.params))
        return result_of(watch, task.params["targets"] is None, task.diff_mode)
