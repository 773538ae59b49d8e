# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Reports: generate one, wait for its file and download it; or delete one."""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import urlsplit

from .._http.client import Client
from .._model.errors import (
    ApiError,
    CallError,
    Incomplete,
    Interrupted,
    Refused,
    ScannerError,
    WrongOption,
    elapsed,
    printable,
)
from .._model.families import FAILED, NOT_READY, REPORT, REPORT_TYPES, status_word
from .._model.records import Record, new_record
from .._task.atomic_files import (
    Content,
    Difference,
    Draft,
    Stored,
    check_place,
    content_of,
    give,
    predict_attributes,
    store,
    try_place,
)
from .._task.raw_options import UNKNOWN_ID
from .._task.references import existing
from .._task.task import Task
from .download import download
from .report_create import (
    LONGEST_NAME,
    RESUMED_FOR,
    SEARCHES,
    Note,
    Request,
    could_be,
    create,
    from_earlier_run,
    read_note,
    write_note,
)
from .watch import Outage

# seconds
_FIRST_PAUSE, _LONGEST_PAUSE = 2.0, 15.0


class _NotReady(ScannerError):
    """The file does not exist yet, and check mode does not wait for it."""


def canonical(params: dict[str, Any], base_url: str) -> Request:
    """What a task requests, in a form that is equal for two tasks that mean the same."""
    if params["id"] is not None:
        return dict(base_url=base_url, id=params["id"])
    return dict(
        base_url=base_url,
        source=params["source"],
        resources=sorted(set(params["resources"])),
        format=params["format"],
        group_by=params["group_by"],
    )


def ensure_report(task: Task) -> dict[str, Any]:
    """The work of the module report."""
    params = task.params
    if params["state"] == "absent":
        if params["dest"] is not None:
            raise WrongOption(
                "state: absent deletes a report at the service, not a file: remove dest, and delete the file with"
                " ansible.builtin.file."
            )
        if params["id"] == UNKNOWN_ID:
            task.warn_assumed("the report")
        return _absent(task.client, params["id"], task.check_mode, task.diff_mode)
    if params["wait_timeout"] < 0:
        raise WrongOption(f"wait_timeout is {params['wait_timeout']}: set it to 0 or more.")
    request = canonical(params, task.client.transport.connection.base_url)
    url = params["webhook_url"]
    if url is not None:
        try:
            parts = urlsplit(url)
            good = (
                parts.scheme.lower() in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
            )
        except ValueError:
            good = False
        if not good or not url.isprintable() or " " in url:
            # without the URL, because it may hold a secret
            raise WrongOption("webhook_url is not a URL: write it as https://hooks.example.com/reports.")
    if not request.get("resources", True):
        raise WrongOption("resources is empty: give the ids of scans or findings, or skip this task if there are none.")
    return _Present(task, request).result()


class _Present:
    """One task that declares a report's file."""

    def __init__(self, task: Task, request: Request) -> None:
        self._task = task
        self._dest: str = task.params["dest"]
        self._request = request
        self._note: Note | None = None
        # the report, as the service returned it last; None where it does not exist
        self._record: Record | None = None
        # every report of the account, where the task has read the list
        self._rows: tuple[Record, ...] | None = None
        self._asked_at = time.time()
        self._created = self._deleted = False
        # no read has shown yet that the created report is the requested one; until then the note says what was sent
        self._unproven = False
        self._outage = Outage(task.params["outage_wait"])
        # of the last download, unless it was too early
        self._error: CallError | None = None

    def result(self) -> dict[str, Any]:
        task, dest = self._task, self._dest
        check_place(task.host, dest, LONGEST_NAME)
        live = content_of(dest)
        note = self._note = read_note(dest, task.warn)
        before: Record = dict(checksum=live.checksum) if live else {}
        if live and note and note.content == live:
            before = _shown(note.request)
            if note.request == self._request:
                return self._unchanged(note, live, before)
        # before any call, because a report that cannot be written to dest would be generated in vain
        try_place(task.host, dest)
        if UNKNOWN_ID in (self._request.get("id"), *self._request.get("resources", ())):
            task.warn_assumed("a report" if "id" in self._request else "an object among resources")
            return self._predicted(before, live, None)
        self._record = self._find()
        if task.check_mode and (self._record is None or live is None):
            return self._predicted(before, live, self._record)
        record = self._record = self._record or self._create()
        stored = None
        try:
            if self._created:
                self._poll(record)
            stored = store(task.host, dest, self._fill, lambda content: self._write_note(self._record, content))
            self._clean_up(record)
        except _NotReady:
            return self._predicted(before, live, self._record)
        except ScannerError as error:
            raise self._failure(error, record["id"], stored) from None
        changed = self._created or self._deleted or stored.changed
        return self._answer(changed, before, self._record, stored.after, stored.attributes)

    def _predicted(self, before: Record, live: Content | None, record: Record | None) -> dict[str, Any]:
        """The result of check mode for a file whose content it cannot know."""
        record = record or new_record(REPORT, _shown(self._request))
        return self._answer(True, before, record, None, predict_attributes(self._task.host, self._dest, live))

    def _unchanged(self, note: Note, live: Content, before: Record) -> dict[str, Any]:
        """The file is up to date: this costs no call, unless the report must still be deleted."""
        adjusted, difference = give(self._task.host, self._dest)
        if note.report is not None and not self._task.params["keep"]:
            self._asked_at = note.asked_at
            self._clean_up(note.report, live)
        if self._deleted:
            difference = {side: dict(difference[side], kept=side == "before") for side in ("before", "after")}
        return self._answer(adjusted or self._deleted, before, note.report, live, difference)

    def _find(self) -> Record | None:
        """The report that exists already: the one with the id, or one that an earlier run of this task requested."""
        client, note = self._task.client, self._note
        if "id" in self._request:
            instead = "the id, or set source, resources and format to generate a report"
            return existing(self._task.client, REPORT, self._request["id"], instead)
        if note is None:
            return None
        record, asked_at = None, note.asked_at
        waits = note.content is None and note.request == self._request
        if note.sent and note.sent.request == self._request:
            self._rows = client.all(REPORT)
            record, asked_at = from_earlier_run(self._rows, note.sent, self._task.warn), note.sent.asked_at
        elif note.report and waits and 0 <= time.time() - note.asked_at < RESUMED_FOR:
            record = client.read(REPORT, note.report["id"])
        if record is not None:
            self._asked_at = asked_at
        return record

    def _create(self) -> Record:
        client, webhook_url = self._task.client, self._task.params["webhook_url"]
        if self._rows is None:
            # so that a new report can be told from the existing ones
            self._rows = client.all(REPORT)
        report_id = create(client, self._dest, self._note, self._request, webhook_url, self._rows)
        self._created = self._unproven = True
        return dict(new_record(REPORT, _shown(self._request)), id=report_id)

    def _poll(self, record: Record) -> Record:
        """Read the report again; the same record while the service does not answer."""
        client, report_id = self._task.client, record["id"]
        asked = client.transport.now()
        try:
            live = self._record = client.read(REPORT, report_id)
        except CallError as error:
            if not self._goes_on(error, record, asked):
                raise
            return record
        if live is None:
            raise Refused(
                f"Report {report_id} no longer exists, because somebody deleted it. Run this task again to generate another"
                " one."
            )
        if self._unproven:
            if not could_be(live, self._request):
                self._record = None
                raise Refused(
                    f"POST {REPORT.path} was answered with the id {report_id}, but report {report_id} is another one."
                    f" {SEARCHES}"
                )
            self._unproven = False
            self._write_note(live, None)
        self._outage.end()
        return live

    def _goes_on(self, error: CallError, record: Record, asked: float) -> bool:
        """Whether the wait survives a failed call."""
        transport = self._task.client.transport
        if isinstance(error, Interrupted) or not self._outage.survives(error, asked, transport.now()):
            return False
        left = elapsed(self._outage.left(transport.now()))
        what = printable(error.what, 200)
        self._task.host.show(f"report {record['id']} cannot be read ({what}); trying again for {left} (outage_wait)")
        return True

    def _fill(self, draft: Draft) -> None:
        """Write the file to a draft, and wait for it if need be. Raises _NotReady in check mode."""
        task, transport, record = self._task, self._task.client.transport, self._record or {}
        limit = task.params["wait_timeout"]
        began, waited, pause = transport.now(), 0.0, _FIRST_PAUSE
        while not self._try(record, draft):
            # the clock includes the time of the calls; the sum still ends the wait if the clock stands still
            left = limit - max(waited, transport.now() - began)
            if task.check_mode:
                raise _NotReady("the report is not ready")
            if left <= 0 and self._error:
                raise self._error
            if left <= 0:
                raise Refused(
                    f"report {record['id']} was not ready within {limit} s: run this task again, or raise wait_timeout.",
                    report=record,
                )
            transport.pause(min(left, pause))
            waited += min(left, pause)
            pause = min(_LONGEST_PAUSE, pause * 1.5)
            record = self._poll(record)

    def _try(self, record: Record, draft: Draft) -> bool:
        """Whether the file could be downloaded now."""
        self._error = None
        if self._unproven:
            return False
        status = status_word(record["status"])
        if status in FAILED:
            raise Refused(
                f"report {record['id']} has the status {printable(record['status'])!r} and will never have a file: check it"
                " in the web application, delete it with state: absent, and run this task again.",
                report=record,
            )
        if status in NOT_READY:
            return False
        kind, asked = str(record["format"]).lower(), self._task.client.transport.now()
        try:
            download(
                self._task.client, REPORT, record["id"], "/download", kind if kind in REPORT_TYPES else None, draft
            )
        except CallError as error:
            # assumed: the answers to a download that is too early
            early = isinstance(error, ApiError) and error.status in (404, 409)
            if not early and not self._goes_on(error, record, asked):
                raise
            self._error = None if early else error
            draft.restart()
            return False
        return True

    def _failure(self, error: ScannerError, report_id: int, stored: Stored | None) -> ScannerError:
        """The error of a task that failed after it had found or created the report."""
        if self._deleted:
            return Incomplete(
                f"Report {report_id} was downloaded and deleted at the service, but the task failed after that: {error}",
                **{**error.result, "report": None},
            )
        if self._created and self._record is None:
            return Incomplete(str(error), report=None)
        if self._created:
            return Incomplete(
                f"Report {report_id} was created, but the task failed after that: {error} Run the task again; it continues"
                " with this report.",
                **{"report": self._record, **error.result},
            )
        return Incomplete(str(error), **error.result) if stored is not None and stored.changed else error

    def _clean_up(self, record: Record, content: Content | None = None) -> None:
        """Delete the report at the service unless it is to be kept. content: of an unchanged file."""
        task = self._task
        if task.params["keep"]:
            return
        if task.check_mode:
            self._deleted = content is None or task.client.read(REPORT, record["id"]) is not None
            return
        self._deleted = task.client.delete(REPORT, record["id"])
        self._write_note(None, content or content_of(self._dest))

    def _write_note(self, record: Record | None, content: Content | None) -> None:
        write_note(self._dest, Note(self._request, record, content, self._asked_at))

    def _answer(
        self,
        changed: bool,
        before: Record,
        record: Record | None,
        content: Content | None,
        difference: Difference,
    ) -> dict[str, Any]:
        """The result of the module. content: of the file after the task, None where check mode cannot know it."""
        task = self._task
        result: dict[str, Any] = dict(
            changed=changed,
            report=record if task.params["keep"] else None,
            dest=self._dest,
            size=content.size if content else None,
            checksum=content.checksum if content else None,
        )
        if task.diff_mode:
            after = _shown(self._request)
            result["diff"] = dict(
                before=dict(before if changed else after, **difference["before"]),
                after=dict(after, **difference["after"]),
                before_header=self._dest,
                after_header=self._dest,
            )
        return result


def _shown(request: Request) -> Record:
    """A request as calls and diffs show it: without the URL of the service."""
    return {name: value for name, value in request.items() if name != "base_url"}


def _absent(client: Client, report_id: int, check_mode: bool, diff_mode: bool) -> dict[str, Any]:
    """Delete a report at the service. report_id: UNKNOWN_ID for one that check mode assumes."""
    existed = report_id == UNKNOWN_ID or client.read(REPORT, report_id) is not None
    if existed and not check_mode:
        existed = client.delete(REPORT, report_id)
    result: dict[str, Any] = dict(changed=existed, report=None, dest=None, size=None, checksum=None)
    if diff_mode:
        result["diff"] = dict(
            before=dict(id=report_id) if existed else {}, after={}, before_header="report", after_header="report"
        )
    return result
