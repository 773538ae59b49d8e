# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The work of service_verification: ask the service, and judge its answers. Reads only, unless the task allows writes."""

from __future__ import annotations

from .._errors import Refused
from .judges import CONFIRMED, NOT_TRIED, REFUTED
from .reads import Visit
from .rows import judged
from .writes import Trial


def verify(task):
    """The result of service_verification."""
    visit = Visit(task.client)
    trial = Trial(task, visit) if task.params["writes"] else None
    if trial:
        trial.refuse()
    visit.read()
    wrote = trial is not None and not task.check_mode
    if trial:
        trial.refuse_target_that_exists()
    if wrote:
        trial.run()
    left = trial.left if wrote else []
    result = _result(task, judged(visit.answers, wrote), left)
    failures = [str(trial.failure)] if wrote and trial.failure else []
    if left:
        failures.append(
            f"{', '.join(left)} could not be deleted after the verification: delete it in the web application."
        )
    if failures:
        raise Refused(" ".join(failures), **result)
    return result


def _result(task, rows, left):
    summary = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in (CONFIRMED, REFUTED, NOT_TRIED)}
    result = dict(changed=bool(left), rows=rows, summary=summary)
    if task.diff_mode:
        result["diff"] = dict(before={}, after=dict(left=left) if left else {})
    return result
