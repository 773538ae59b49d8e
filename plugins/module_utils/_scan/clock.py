# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The clocks by which tasks count the ages of scans. A difference that could make an old scan seem recent is a warning."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable

from .._moments import Clock, span
from .._records import Record
from .._task import Task
from .record import service_now

# the most seconds by which two clocks that are right differ
_MOST = 300


def service_clock(task: Task, scans: Iterable[Record]) -> Clock:
    """The clock of the service, by the last answer; that of this host if the answer has no date. Warns if they differ."""
    date, local = _last(task)
    clock = service_now(date, scans, local)
    if abs(clock.now - local) > _MOST:
        task.warn(_difference(clock.now - local))
    return clock


def latest_clock(task: Task, scans: Iterable[Record]) -> Clock:
    """The later of both clocks, by which no scan is more recent than it is by either of them."""
    return service_clock(task, scans).not_before(_last(task)[1])


def _last(task: Task) -> tuple[str | None, float]:
    """The date of the last answer, and the time of this host when it came."""
    last = task.client.transport.last
    return (last.headers.get("Date"), last.moments[1] or time.time()) if last else (None, time.time())


def _difference(seconds: float) -> str:
    # a date is cut to its second
    return (
        f"The date of the service's answer is {span(math.ceil(abs(seconds)))}"
        f" {'ahead of' if seconds > 0 else 'behind'} the clock of this host. A scan counts as recent only if it is so by both:"
        " set the clock of this host, or find out whether a proxy repeats old answers."
    )
