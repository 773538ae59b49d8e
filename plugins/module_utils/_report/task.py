# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Reports: generate one, wait for its file and download it; or delete one."""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import urlsplit

from .._errors import Incomplete, Refused, ScannerError, WrongOption
from .._families.report import REPORT
from .._file import attributes
from .._file.draft import Content, sweep
from .._file.replace import Stored, check_place, content_of, predict_attributes, store, try_place
from .._raw_options import UNKNOWN_ID
from .._records import Record, new_record
from .._task import Task
from .fetch import Fetch, Gone, NotReady
from .note import LONGEST_NAME, Note, Request, note_path, read_note, write_note
from .start import RESUMED_FOR, create, from_earlier_run


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
    if task.params["state"] == "absent":
        return _absent(task)
    params = task.params
    if params["wait_timeout"] < 0:
        raise WrongOption(f"wait_timeout is {params['wait_timeout']}: set it to 0 or more.")
    request = canonical(params, task.client.transport.connection.base_url)
    _check_webhook(params["webhook_url"])
    if not request.get("resources", True):
        raise WrongOption("resources is empty: give the ids of scans or findings, or skip this task if there are none.")
    return _Present(task, request).result()


def _check_webhook(url: str | None) -> None:
    """Refuse what is not a webhook's URL, without showing it, because it may hold a secret."""
    if url is None:
        return
    try:
        parts = urlsplit(url)
        good = parts.scheme.lower() in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        good = False
    if not good or not url.isprintable() or " " in url:
        raise WrongOption("webhook_url is not a URL: write it as https://hooks.example.com/reports.")


class _Present:
    """One task that declares a report's file."""

    def __init__(self, task: Task, request: Request) -> None:
        self._task = task
        self._dest: str = task.params["dest"]
        self._request = request
        self._note: Note | None = None
        # every report of the account, where the task has read the list
        self._rows: tuple[Record, ...] | None = None
        self._asked_at = time.time()
        self._created = self._deleted = False

    def result(self) -> dict[str, Any]:
        task, dest = self._task, self._dest
        check_place(task, dest, LONGEST_NAME)
        for path in () if task.check_mode else (dest, note_path(dest)):
            sweep(path)
        live = content_of(dest)
        note = self._note = read_note(task, dest)
        before: Record = dict(checksum=live.checksum) if live else {}
        if live and note and note.content == live and not attributes.stays_planted(task, dest):
            before = _shown(note.request)
            if note.request == self._request:
                return self._unchanged(note, live, before)
        # before any call, because a report that cannot be written to dest would be generated in vain
        try_place(task, dest)
        if UNKNOWN_ID in (self._request.get("id"), *self._request.get("resources", ())):
            task.warn_foreseen("a report" if "id" in self._request else "an object among resources")
            return self._predicted(before, live, None)
        record = self._find()
        if task.check_mode and (record is None or live is None):
            return self._predicted(before, live, record)
        fetch = Fetch(task, self._create() if record is None else record)
        stored = None
        try:
            stored = self._store(fetch)
            self._clean_up(fetch.record)
        except ScannerError as error:
            raise self._failure(error, fetch.record, stored) from None
        if stored is None:
            return self._predicted(before, live, fetch.record)
        changed = self._created or self._deleted or stored.changed
        return self._answer(changed, before, fetch.record, stored.after, stored.attributes)

    def _predicted(self, before: Record, live: Content | None, record: Record | None) -> dict[str, Any]:
        """The result of check mode for a file whose content it cannot know."""
        record = record or new_record(REPORT, _shown(self._request))
        return self._answer(True, before, record, None, predict_attributes(self._task, self._dest, live))

    def _unchanged(self, note: Note, live: Content, before: Record) -> dict[str, Any]:
        """The file is up to date: this costs no call, unless the report must still be deleted."""
        adjusted, difference = attributes.give(self._task, self._dest)
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
            record = client.read(REPORT, self._request["id"])
            if record is None:
                raise Refused(
                    f"No report with id {self._request['id']} is visible to this API key: correct the id, or set source,"
                    " resources and format to generate a report."
                )
            return record
        if note is None:
            return None
        record, asked_at = None, note.asked_at
        waits = note.content is None and note.request == self._request
        if note.sent and note.sent.request == self._request:
            self._rows = client.all(REPORT)
            record, asked_at = from_earlier_run(self._task, self._rows, note.sent), note.sent.asked_at
        elif note.report and waits and 0 <= time.time() - note.asked_at < RESUMED_FOR:
            record = client.read(REPORT, note.report["id"])
        if record is not None:
            self._asked_at = asked_at
        return record

    def _create(self) -> Record:
        if self._rows is None:
            # so that a new report can be told from the existing ones
            self._rows = self._task.client.all(REPORT)
        report_id = create(self._task, self._dest, self._note, self._request, self._rows)
        self._created = True
        record = dict(new_record(REPORT, _shown(self._request)), id=report_id)
        self._write_note(record, None)
        return record

    def _failure(self, error: ScannerError, record: Record, stored: Stored | None) -> ScannerError:
        """The error of a task that failed after it had found or created the report."""
        if isinstance(error, Gone) and self._created:
            return Incomplete(str(error), report=None)
        if self._deleted:
            return Incomplete(
                f"Report {record['id']} was downloaded and deleted at the service, but the task failed after that: {error}",
                **{**error.result, "report": None},
            )
        if self._created:
            return Incomplete(
                f"Report {record['id']} was created, but the task failed after that: {error} Run the task again; it"
                " continues with this report.",
                **{"report": record, **error.result},
            )
        if stored is not None and stored.changed:
            return Incomplete(str(error), **error.result)
        return error

    def _store(self, fetch: Fetch) -> Stored | None:
        """Download the file; None where check mode cannot tell what it would be."""
        try:
            if self._created:
                fetch.poll()
            return store(self._task, self._dest, fetch.fill, lambda content: self._write_note(fetch.record, content))
        except NotReady:
            return None

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
        difference: attributes.Difference,
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


def _absent(task: Task) -> dict[str, Any]:
    report_id = task.params["id"]
    if task.params["dest"] is not None:
        raise WrongOption(
            "state: absent deletes a report at the service, not a file: remove dest, and delete the file with"
            " ansible.builtin.file."
        )
    if report_id == UNKNOWN_ID:
        task.warn_foreseen("the report")
        existed = True
    else:
        existed = task.client.read(REPORT, report_id) is not None
        if existed and not task.check_mode:
            existed = task.client.delete(REPORT, report_id)
    result: dict[str, Any] = dict(changed=existed, report=None, dest=None, size=None, checksum=None)
    if task.diff_mode:
        result["diff"] = dict(
            before=dict(id=report_id) if existed else {}, after={}, before_header="report", after_header="report"
        )
    return result
