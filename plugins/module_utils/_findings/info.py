# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Reading findings: the call, what is kept of the answer, and whether it holds all of them."""

from __future__ import annotations

import json
import time

from .._errors import Refused, printable
from .._file.replace import store
from .._http.row_stream import stream
from .._lookup import UNKNOWN_ID
from .._references import belongs
from .._resources import FINDING
from .._scan.record import is_in_progress, last_moment_of, service_now
from .._since import since_of
from .model import SUMMARY, finding_of, is_cve, selection_of
from .proof import Proof, Tally, may_be_cut, proof_of
from .query import asked_of


class _Kept:
    """What a task keeps of the findings: those that it returns, at most ``limit``, and the numbers of all of them.

    selection: a Selection; old: the ids of the scans that ended too long ago; draft: None, or where each finding is written
    as one line of JSON, a Draft; owners: the ids of the target and the scan that were asked for, by field; tally: what was
    read, before any filter.
    """

    def __init__(self, selection, limit):
        self._selection = selection
        self._limit = limit
        self.old = frozenset()
        self.draft = None
        self.owners = {}
        self.tally = Tally()
        self.begin()

    def begin(self):
        self.findings = []
        self.total = 0
        self.summary = dict.fromkeys(SUMMARY, 0)
        self.tally.begin()
        if self.draft is not None:
            self.draft.restart()

    def take(self, record):
        finding = finding_of(record)
        if not belongs(finding, self.owners):
            return
        self.tally.take(finding)
        # one whose scan has no end, or is not known, may be the newest of all
        is_old = isinstance(finding["task_id"], int) and finding["task_id"] in self.old
        if is_old or not self._selection.takes(finding):
            return
        self.total += 1
        self.summary[finding["severity"]] += 1
        if len(self.findings) < self._limit:
            self.findings.append(finding)
        if self.draft is not None:
            # in ASCII, so that no character of the service's text does anything to a terminal
            self.draft.write(json.dumps(finding).encode("ascii") + b"\n")


def read(task):
    """The work of finding_info."""
    params = task.params
    _refuse_bad_filters(params)
    since = since_of(params["since"])
    selection = selection_of(params["min_severity"], params["status"], params["cve"], params["name"])
    kept = _Kept(selection, params["limit"])
    proofs = []

    def fill(draft=None):
        kept.draft = draft
        proofs.append(_collect(task, kept, since))

    if params["dest"] is None:
        fill()
        file = dict(changed=False, dest=None, size=None, checksum=None)
    else:
        stored = store(task, params["dest"], fill)
        file = dict(changed=stored.changed, dest=params["dest"], **stored.after._asdict())
    if kept.total > len(kept.findings) and params["dest"] is None:
        task.warn(
            f"Only the first {len(kept.findings):,} of {kept.total:,} findings are returned; total and summary count all of"
            " them: raise limit, or set dest to have them in a file."
        )
    doubts = proofs[-1].all
    return dict(
        findings=kept.findings, total=kept.total, summary=kept.summary, complete=not doubts, doubts=doubts, **file
    )


def _collect(task, kept, since):
    """Hand the findings that the task refers to to ``kept``; returns the Proof that these are all of them."""
    if task.params["id"] is not None:
        return _collect_one(task, kept)
    asked = asked_of(task)
    if asked is None:
        return Proof([], ["what this task refers to does not exist yet"])
    # a service that ignores a filter must not hand another target's findings to this task
    kept.owners = asked.owners
    if since is not None:
        kept.old = _old(task, since, asked.scans)
    answer = stream(task.client, FINDING, asked.query, kept.begin, kept.take)
    if may_be_cut(answer):
        task.warn(
            f"The service gave exactly {answer.rows:,} findings. It is assumed to give all in one list; if it cuts its lists"
            " there, some are missing: compare with the web application, or ask for one target or scan at a time."
        )
    found = proof_of(answer, asked.scans, kept.tally, task.params["group_duplicates"])
    return _judge(task, found._replace(problems=[*asked.problems, *found.problems]))


def _old(task, since, scans):
    """The ids of the scans that ended before ``since``."""
    last = task.client.transport.last
    clock = service_now(last and last.headers.get("Date"), scans, time.time())
    longest = clock.now - since.at(clock.now)
    ends = {scan["id"]: None if is_in_progress(scan) else last_moment_of(scan) for scan in scans}
    return frozenset(scan_id for scan_id, end in ends.items() if end is not None and clock.age_of(end) > longest)


def _judge(task, proof):
    """Refuse a list that lacks findings, unless the task allows it."""
    if proof.problems and not task.params["allow_mismatch"]:
        raise Refused(
            f"{proof.sentence} What is missing may be the worst, so nothing is returned. Run the task again, or read one"
            " scan at a time; allow_mismatch: true returns what could be read, with a warning."
        )
    if proof.problems:
        task.warn(f"{proof.sentence} allow_mismatch returns what could be read; see doubts.")
    return proof


def _collect_one(task, kept):
    if task.params["id"] == UNKNOWN_ID:
        task.warn_foreseen("the finding")
        return Proof([], ["what this task refers to does not exist yet"])
    record = task.client.read(FINDING, task.params["id"])
    if record is not None:
        kept.take(record)
    return Proof([], [])


def _refuse_bad_filters(params):
    if params["limit"] < 0:
        raise Refused(f"limit is {params['limit']}: set it to 0 or more.")
    for option in ("status", "cve"):
        values = params[option]
        if values is not None and (not values or not all(each.strip() for each in values)):
            raise Refused(f"{option} is empty, or has an empty item: name at least one value, or leave the option out.")
    for cve in params["cve"] or ():
        if not is_cve(cve.strip()):
            raise Refused(f"cve {printable(cve)!r} is no id of a CVE: write it as CVE-2021-44228.")
    if params["name"] is not None and not params["name"].strip():
        raise Refused("name is empty: give the name of the object, or a pattern for it.")
