# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The download of a report's file, as soon as the file exists."""

from __future__ import annotations

from .._errors import ApiError, Refused, ScannerError, printable
from .._families.report import REPORT, REPORT_TYPES
from .._file.draft import Draft
from .._http.download import download
from .._records import Record
from .._task import Task
from .status import Readiness, readiness

# seconds
_FIRST_PAUSE, _LONGEST_PAUSE = 2.0, 15.0


class Gone(Refused):
    """Somebody else has deleted the report."""


class NotReady(ScannerError):
    """The file does not exist yet, and check mode does not wait for it."""


def pause_after(tries: int) -> float:
    """Seconds to wait after so many polls, counted from 1."""
    return min(_LONGEST_PAUSE, float(_FIRST_PAUSE * 1.5 ** (tries - 1)))


class Fetch:
    """The download of one report's file. record: the report, as the service returned it last."""

    def __init__(self, task: Task, record: Record) -> None:
        self._task = task
        self.record = record

    def poll(self) -> None:
        """Read the report again. Raises Gone."""
        report_id = self.record["id"]
        record = self._task.client.read(REPORT, report_id)
        if record is None:
            raise Gone(
                f"Report {report_id} no longer exists, because somebody deleted it. Run this task again to generate another"
                " one."
            )
        self.record = record

    def fill(self, draft: Draft) -> None:
        """Write the file to a draft, and wait for it if need be. Raises NotReady in check mode."""
        task, transport = self._task, self._task.client.transport
        limit = 0 if task.check_mode else task.params["wait_timeout"]
        began, waited, tries = transport.now(), 0.0, 0
        while not self._try(draft):
            tries += 1
            # the clock includes the time of the calls; the sum still ends the wait if the clock stands still
            left = limit - max(waited, transport.now() - began)
            if task.check_mode:
                raise NotReady("the report is not ready")
            if left <= 0:
                raise Refused(
                    f"report {self.record['id']} was not ready within {limit} s: run this task again, or raise"
                    " wait_timeout.",
                    report=self.record,
                )
            pause = min(left, pause_after(tries))
            transport.pause(pause)
            waited += pause
            self.poll()

    def _try(self, draft: Draft) -> bool:
        """Whether the file could be downloaded now."""
        report_id, status = self.record["id"], self.record["status"]
        ready = readiness(status)
        if ready is Readiness.NEVER:
            raise Refused(
                f"report {report_id} has the status {printable(status)!r} and will never have a file: check it in the web"
                " application, delete it with state: absent, and run this task again.",
                report=self.record,
            )
        if ready is Readiness.NOT_YET:
            return False
        kind = str(self.record["format"]).lower()
        try:
            download(self._task.client, REPORT, report_id, "/download", kind if kind in REPORT_TYPES else None, draft)
        except ApiError as error:
            # assumed: the answers to a download that is too early
            if error.status not in (404, 409):
                raise
            return False
        return True
