# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The work of service_verification: query the service, and judge its answers. Only reads, unless the task sets writes."""

from __future__ import annotations

from .._errors import Incomplete, ScannerError
from .._records import Record
from .._task import Task
from .judges import CONFIRMED, NOT_TRIED, REFUTED
from .reads import Survey
from .rows import Judged, judge_all
from .writes import Trial


def verify(task: Task) -> Record:
    """The result of service_verification. Raises Incomplete if an object of the verification may remain."""
    survey = Survey(task.client)
    trial = Trial(task, survey) if task.params["writes"] else None
    if trial:
        trial.check_name()
    survey.read()
    if trial:
        trial.check_absence()
    if trial is None or task.check_mode:
        return _result(task, judge_all(survey.answers, wrote=False), [])
    trial.run()
    result = _result(task, judge_all(survey.answers, wrote=True), trial.left)
    failure = str(trial.failure) if trial.failure else task.client.transport.stop.failure or ""
    if trial.left:
        them = "it" if len(trial.left) == 1 else "them"
        remains = f"{', '.join(trial.left)} could not be deleted after the verification. Delete {them} in the web application."
        raise Incomplete(f"{failure} {remains}".lstrip(), **result)
    if failure:
        raise ScannerError(failure, **result)
    return result


def _result(task: Task, rows: list[Judged], left: list[str]) -> Record:
    summary = {verdict: sum(row.verdict == verdict for row in rows) for verdict in (CONFIRMED, REFUTED, NOT_TRIED)}
    result: Record = dict(changed=bool(left), rows=[row._asdict() for row in rows], summary=summary)
    if task.diff_mode:
        result["diff"] = dict(before={}, after=dict(left=left) if left else {})
    return result
