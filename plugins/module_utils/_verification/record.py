# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The option record of service_verification: hear every answer of the run, and write their forms to a file."""

from __future__ import annotations

import secrets
import time

from .._errors import Refused, ScannerError
from .._file.draft import Draft, sweep
from .._file.replace import check_place
from .._http.connection import COLLECTION_VERSION
from .._records import Record
from .._task import Task
from .recording import Recorder
from .task import verify

# times move into the past by 30 days to 10 years
_LEAST, _MORE = 30 * 86400, 3620 * 86400


def verify_and_record(task: Task) -> Record:
    """The result of service_verification. The recording is written even if the verification fails."""
    path = task.params["record"]
    if path is None:
        return verify(task)
    check_place(task, path, option="record")
    recorder = Recorder(_LEAST + secrets.randbelow(_MORE))
    task.client.transport.heard = recorder.hear
    try:
        result = verify(task)
    except ScannerError as error:
        if not recorder.answers:
            raise
        _write(task, path, recorder, error.result.get("rows", []))
        raise error.with_result(changed=True) from None
    _write(task, path, recorder, result["rows"])
    return {**result, "changed": True}


def _write(task: Task, path: str, recorder: Recorder, rows: list[Record]) -> None:
    """Write the recording, readable by its owner only. Check mode writes no file."""
    text = recorder.text(COLLECTION_VERSION, time.strftime("%Y-%m-%d", time.gmtime()), rows)
    if task.check_mode:
        return
    sweep(path)
    try:
        with Draft(path) as draft:
            draft.write(text.encode())
            draft.put()
    except ScannerError as error:
        raise Refused(f"The recording is missing: {error}") from None
