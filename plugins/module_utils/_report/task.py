# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Reports: have one made, wait until its file can be had, keep the file; or delete one."""

from __future__ import annotations

import time
from urllib.parse import urlsplit

from .._errors import ApiError, Refused, ScannerError, printable
from .._file import attributes
from .._file.draft import sweep
from .._file.replace import check_place, content_of, predict_attributes, store, try_place
from .._http.download import CONTENT_TYPES, download
from .._lookup import UNKNOWN_ID
from .._records import new_record
from .._resources import REPORT
from .note import LONGEST_NAME, Note, note_path, read_note, write_note
from .start import RESUMED_FOR, create, from_earlier_run
from .status import readiness

# "raw" is a format of scan outputs only
FORMATS = tuple(name for name in CONTENT_TYPES if name != "raw")
SOURCES = ("scans", "findings")
GROUPINGS = ("target", "vulnerability")

# seconds
_FIRST_PAUSE, _LONGEST_PAUSE = 2.0, 15.0


def pause_after(tries):
    """Seconds to wait after so many looks, counted from 1."""
    return min(_LONGEST_PAUSE, _FIRST_PAUSE * 1.5 ** (tries - 1))


def canonical(params, base_url):
    """What a task asks for, in a form in which two tasks that mean the same are the same."""
    if params["id"] is not None:
        return dict(base_url=base_url, id=params["id"])
    return dict(
        base_url=base_url,
        source=params["source"],
        resources=sorted(set(params["resources"])),
        format=params["format"],
        group_by=params["group_by"],
    )


def ensure_report(task):
    """The work of the module report."""
    if task.params["state"] == "absent":
        return _absent(task)
    params = task.params
    if params["wait_timeout"] < 0:
        raise Refused(f"wait_timeout is {params['wait_timeout']}: set it to 0 or more.")
    request = canonical(params, task.client.transport.connection.base_url)
    _check_webhook(params["webhook_url"])
    if not request.get("resources", True):
        raise Refused("resources is empty: give the ids of scans or findings, or skip this task where there are none.")
    return _Present(task, request).result()


def _check_webhook(address):
    """Refuse what is no address of a webhook, without showing it: it may hold a secret."""
    if address is None:
        return
    try:
        parts = urlsplit(address)
        good = parts.scheme.lower() in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        good = False
    if not good or not address.isprintable() or " " in address:
        raise Refused("webhook_url is not an address: write it as https://hooks.example.com/reports.")


class _Present:
    """One task that declares a report's file."""

    def __init__(self, task, request):
        self.task = task
        self.dest = task.params["dest"]
        self.request = request
        self.made = self.deleted = False
        self.note = self.record = self.rows = None
        self.asked_at = time.time()

    def result(self):
        task = self.task
        check_place(task, self.dest, LONGEST_NAME)
        for path in () if task.check_mode else (self.dest, note_path(self.dest)):
            sweep(path)
        live = content_of(self.dest)
        note = self.note = read_note(task, self.dest)
        known = note is not None and note.content is not None and note.content == live
        known = known and not attributes.stays_planted(task, self.dest)
        before = _shown(note.request) if known else dict(checksum=live.checksum) if live else {}
        if known and note.request == self.request:
            return self._there(note, live, before)
        # before any call, as a report that cannot be kept is made in vain
        try_place(task, self.dest)
        if UNKNOWN_ID in (self.request.get("id"), *self.request.get("resources", ())):
            task.warn_foreseen("a report" if "id" in self.request else "an object among resources")
            return self._foretold(before, live)
        self._find()
        if task.check_mode and (self.record is None or live is None):
            return self._foretold(before, live)
        if self.record is None:
            self._create()
        stored = None
        try:
            stored = self._fetch()
            self._clean_up()
        except ScannerError as error:
            if stored is not None and stored.changed:
                # the file is in place, whatever happened after it
                error.result["changed"] = True
            raise self._after_create(error) from None
        if stored is None:
            return self._foretold(before, live)
        changed = self.made or self.deleted or stored.changed
        return self._answer(changed, before, stored.after, stored.attributes)

    def _foretold(self, before, live):
        """What check mode says of a file whose content it cannot know."""
        return self._answer(True, before, None, predict_attributes(self.task, self.dest, live))

    def _there(self, note, live, before):
        """The file is there and is what is asked for: no call, unless the report is still to be deleted."""
        self.record = note.report
        adjusted, difference = attributes.give(self.task, self.dest)
        if self.record is not None and not self.task.params["keep"]:
            self.asked_at = note.asked_at
            self._clean_up(live)
        if self.deleted:
            difference = {side: dict(difference[side], kept=side == "before") for side in ("before", "after")}
        return self._answer(adjusted or self.deleted, before, live, difference)

    def _find(self):
        """The report that is there already: the one of the id, or one that an earlier run of this task asked for."""
        client, note = self.task.client, self.note
        if "id" in self.request:
            self.record = client.read(REPORT, self.request["id"])
            if self.record is None:
                raise Refused(
                    f"there is no report {self.request['id']} that this key can see: correct the id, or give source,"
                    " resources and format to have one made."
                )
            return
        if note is None:
            return
        asked = note.content is None and note.report and note.request == self.request
        if note.sent and note.sent.request == self.request:
            self.rows = client.all(REPORT)
            self.record = from_earlier_run(self.task, self.rows, note.sent)
            asked_at = note.sent.asked_at
        elif asked and 0 <= time.time() - note.asked_at < RESUMED_FOR:
            self.record = client.read(REPORT, note.report["id"])
            asked_at = note.asked_at
        if self.record is not None:
            self.asked_at = asked_at

    def _create(self):
        if self.rows is None:
            # so that a new one can be told from those that exist
            self.rows = self.task.client.all(REPORT)
        report_id = create(self.task, self.dest, self.note, self.request, self.rows)
        self.made = True
        self.record = dict(new_record(REPORT, _shown(self.request)), id=report_id)
        self._note(None)

    def _after_create(self, error):
        if not self.made:
            return error
        if isinstance(error, _Gone):
            return Refused(str(error), report=None, changed=True)
        return Refused(
            f"report {self.record['id']} was made, and reading it back failed: {error} Run this task again: it goes on with"
            " that report and makes no other one.",
            **{"report": self.record, **error.result, "changed": True},
        )

    def _fetch(self):
        """The Stored of the file, None where check mode cannot tell as there is none yet."""
        if self.made:
            self._look()
        try:
            return store(self.task, self.dest, self._fill, self._note)
        except _NotReady:
            return None

    def _look(self):
        report_id = self.record["id"]
        record = self.task.client.read(REPORT, report_id)
        if record is None:
            raise _Gone(
                f"report {report_id} is not there any more, somebody deleted it: run this task again to have another one"
                " made."
            )
        self.record = record

    def _fill(self, draft):
        task, transport = self.task, self.task.client.transport
        limit = 0 if task.check_mode else task.params["wait_timeout"]
        began, waited, tries = transport.now(), 0.0, 0
        while True:
            if self._try(draft):
                return
            tries += 1
            # the clock counts what the calls take, the sum what was waited
            left = limit - max(waited, transport.now() - began)
            if task.check_mode:
                raise _NotReady("the report is not ready")
            if left <= 0:
                raise Refused(
                    f"report {self.record['id']} was not ready within {limit} s: run this task again, or raise"
                    " wait_timeout.",
                    report=self.record,
                )
            pause = min(left, pause_after(tries))
            transport.pause(pause)
            waited += pause
            self._look()

    def _try(self, draft):
        """Whether the file could be had now."""
        report_id, status = self.record["id"], self.record["status"]
        ready = readiness(status)
        if ready == "failed":
            raise Refused(
                f"report {report_id} has the status {printable(status)!r} and will have no file: look at it in the web"
                " application, delete it with state: absent, and run this task again.",
                report=self.record,
            )
        if ready is False:
            return False
        kind = str(self.record["format"]).lower()
        try:
            download(self.task.client, REPORT, report_id, "/download", kind if kind in CONTENT_TYPES else None, draft)
        except ApiError as error:
            # assumed: what a download that is too early is answered with
            if error.status not in (404, 409):
                raise
            return False
        return True

    def _clean_up(self, content=None):
        """Delete the report where it is not to be kept."""
        task = self.task
        if task.params["keep"] or self.record is None:
            return
        if task.check_mode:
            self.deleted = content is None or task.client.read(REPORT, self.record["id"]) is not None
            return
        self.deleted = task.client.delete(REPORT, self.record["id"])
        self.record = None
        self._note(content or content_of(self.dest))

    def _note(self, content):
        write_note(self.dest, Note(self.request, self.record, content, self.asked_at))

    def _answer(self, changed, before, content, difference=None):
        task = self.task
        record = self.record
        if record is None:
            record = new_record(REPORT, _shown(self.request)) if content is None else None
        result = dict(
            changed=changed,
            report=record if task.params["keep"] else None,
            dest=self.dest,
            size=content.size if content else None,
            checksum=content.checksum if content else None,
        )
        if task.diff_mode:
            after = _shown(self.request)
            difference = difference or dict(before={}, after={})
            result["diff"] = dict(
                before=dict(before if changed else after, **difference["before"]),
                after=dict(after, **difference["after"]),
                before_header=self.dest,
                after_header=self.dest,
            )
        return result


class _Gone(Refused):
    """The report was deleted by somebody else."""


class _NotReady(ScannerError):
    """The file does not exist yet, which check mode does not wait for."""


def _shown(request):
    """A request as calls and diffs have it: without the address."""
    return {name: value for name, value in request.items() if name != "base_url"}


def _absent(task):
    report_id = task.params["id"]
    if task.params["dest"] is not None:
        raise Refused(
            "state: absent deletes a report at the service and no file: leave dest out, and delete the file with"
            " ansible.builtin.file."
        )
    if report_id == UNKNOWN_ID:
        task.warn_foreseen("the report")
        there = True
    else:
        there = task.client.read(REPORT, report_id) is not None
        if there and not task.check_mode:
            there = task.client.delete(REPORT, report_id)
    result = dict(changed=there, report=None, dest=None, size=None, checksum=None)
    if task.diff_mode:
        result["diff"] = dict(
            before=dict(id=report_id) if there else {}, after={}, before_header="report", after_header="report"
        )
    return result
