# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The work of service_verification: query the service, judge its answers, and record their forms. Only reads, unless the
task sets writes.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from ansible.module_utils.ansible_release import __version__ as ANSIBLE_CORE_VERSION

from .._http.client import Client
from .._model.errors import Incomplete, Refused, ScannerError, WrongOption, printable
from .._model.families import TARGET, WORKSPACE
from .._model.names import UnreadableName, read_name
from .._model.records import Record
from .._model.times import utc_text
from .._model.version import COLLECTION_VERSION
from .._task.files import Draft, check_place
from .._task.task import Task
from .assumptions import NEEDS_WRITES, ROWS
from .judges import CONFIRMED, NOT_TRIED, REFUTED
from .reads import Survey
from .recording import Recorder
from .trial import Trial, is_same

_NO_LIST = "nothing was created, because the list of workspaces cannot be read"


def verify_and_record(task: Task) -> Record:
    """The result of service_verification. The recording is written even if the verification fails."""
    path = task.params["record"]
    if path is None:
        return verify(task)
    check_place(task.host, path, option="record")
    recorder = Recorder(time.time())
    task.client.transport.heard = recorder.hear
    try:
        result = verify(task)
    except ScannerError as error:
        if not recorder.answers:
            raise
        _write(path, recorder, error.result.get("rows", []), task.check_mode)
        raise error.with_result(changed=True) from None
    _write(path, recorder, result["rows"], task.check_mode)
    return {**result, "changed": True}


def _write(path: str, recorder: Recorder, rows: list[Record], check_mode: bool) -> None:
    """Write the recording, readable by its owner only. Check mode writes no file."""
    text = recorder.text(COLLECTION_VERSION, rows)
    if check_mode:
        return
    try:
        with Draft(path) as draft:
            draft.write(text.encode())
            draft.put()
    except ScannerError as error:
        raise Refused(f"The recording is missing: {error}") from None


def verify(task: Task) -> Record:
    """The result of service_verification, which an error has, too. Raises Incomplete if an object of the verification may
    remain."""
    survey = Survey(task.client)
    trial = Trial(task.client, survey, task.params["target"]) if task.params["writes"] else None
    if trial:
        _check_name(trial.target, task.permits.verdict)
    survey.read()
    unwritten = _NO_LIST if trial else NEEDS_WRITES
    if survey.failure:
        raise survey.failure.with_result(**_result(survey, [], unwritten, task.diff_mode))
    if trial is None or not isinstance(survey.answers["workspaces"].data, list):
        return _result(survey, [], unwritten, task.diff_mode)
    try:
        if task.params["target"] is not None:
            _check_absence(task.client, task.params["target"])
    except ScannerError as error:
        raise error.with_result(**_result(survey, [], "nothing was created", task.diff_mode)) from None
    if task.check_mode:
        return _result(survey, [], NEEDS_WRITES, task.diff_mode)
    trial.run()
    result = _result(survey, trial.left, "", task.diff_mode)
    failure = str(trial.failure) if trial.failure else task.client.transport.stop.failure or ""
    if trial.left:
        them = "it" if len(trial.left) == 1 else "them"
        remains = f"{', '.join(trial.left)} could not be deleted after the verification. Delete {them} in the web application."
        raise Incomplete(f"{failure} {remains}".lstrip(), **result)
    if isinstance(trial.failure, Incomplete):
        raise trial.failure.with_result(**{**result, "changed": True})
    if failure:
        raise ScannerError(failure, **result)
    return result


def _check_name(target: str, verdict: Callable[[str], str | None]) -> None:
    """Raise unless the target may be created. Makes no call."""
    try:
        read_name(target)
    except UnreadableName as error:
        raise WrongOption(f"target {error}: give the name of a target that does not exist yet.") from None
    reason = verdict(target)
    if reason:
        raise Refused(
            f"target {printable(target)!r} is outside the authorised scope: {reason}. Nothing was sent. Set target"
            " to a name that the scope permits and that does not exist yet, or leave out writes."
        )


def _check_absence(client: Client, declared: str) -> None:
    """Raise Refused if a target with the declared name exists, so that it is never taken for the one of the trial."""
    for workspace in client.all(WORKSPACE):
        for row in client.all(TARGET, dict(workspace_id=workspace["id"])):
            if is_same(row["name"], declared):
                raise Refused(
                    f"target {printable(declared)!r} already exists in workspace {workspace['id']}. Nothing was"
                    " created. Set target to a name that does not exist yet."
                )


def _result(survey: Survey, left: list[str], unwritten: str, diff_mode: bool) -> Record:
    """unwritten: why creates and deletes were not tried, "" if they were."""
    rows = [row.judged(survey.answers, unwritten) for row in ROWS]
    summary = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in (CONFIRMED, REFUTED, NOT_TRIED)}
    verified_with = dict(
        collection=COLLECTION_VERSION,
        ansible_core=ANSIBLE_CORE_VERSION,
        date=utc_text(time.time()),
        writes=not unwritten,
    )
    result: Record = dict(changed=bool(left), rows=rows, summary=summary, verified_with=verified_with)
    if diff_mode:
        result["diff"] = dict(before={}, after=dict(left=left) if left else {})
    return result
