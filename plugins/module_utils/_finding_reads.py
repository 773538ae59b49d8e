# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Reading findings: what a task refers to, the call, what is kept of the answer."""

from __future__ import annotations

import json

from ._errors import Refused, printable
from ._files import store
from ._findings import SUMMARY, finding_of, is_cve, selection_of
from ._lookup import UNKNOWN_ID, place_of
from ._references import belongs, place_from, scan_of, target_of, warn_unplaced
from ._resources import FINDING, PAGE_SIZE
from ._rows import stream


class _Kept:
    """What a task keeps of the findings: those that it returns, at most ``limit``, and the numbers of all of them.

    selection: a Selection; draft: None, or where each finding is written as one line of JSON, a Draft; owners: the ids of
    the target and the scan that were asked for, by field.
    """

    def __init__(self, selection, limit):
        self._selection = selection
        self._limit = limit
        self.draft = None
        self.owners = {}
        self.begin()

    def begin(self):
        self.findings = []
        self.total = 0
        self.summary = dict.fromkeys(SUMMARY, 0)
        if self.draft is not None:
            self.draft.restart()

    def take(self, record):
        finding = finding_of(record)
        if not belongs(finding, self.owners) or not self._selection.takes(finding):
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
    selection = selection_of(params["min_severity"], params["status"], params["cve"], params["name"])
    kept = _Kept(selection, params["limit"])

    def fill(draft):
        kept.draft = draft
        _collect(task, kept)

    if params["dest"] is None:
        _collect(task, kept)
        file = dict(changed=False, dest=None, size=None, checksum=None)
    else:
        stored = store(task, params["dest"], fill)
        file = dict(changed=stored.changed, dest=params["dest"], **stored.after._asdict())
    if kept.total > len(kept.findings) and params["dest"] is None:
        task.warn(
            f"Only the first {len(kept.findings):,} of {kept.total:,} findings are returned; total and summary count all of"
            " them: raise limit, or set dest to have them in a file."
        )
    return dict(findings=kept.findings, total=kept.total, summary=kept.summary, **file)


def _collect(task, kept):
    """Hand the findings that the task refers to to ``kept``."""
    if task.params["id"] is not None:
        _collect_one(task, kept)
        return
    query = _query(task)
    if query is None:
        return
    # a service that ignores a filter must not hand another target's findings to this task
    kept.owners = {field: query[field] for field in ("target_id", "task_id") if field in query}
    if stream(task.client, FINDING, query, kept.begin, kept.take) == PAGE_SIZE:
        task.warn(
            f"The service gave exactly {PAGE_SIZE:,} findings. It is assumed to give all in one list; if it cuts its lists"
            " there, some are missing: compare with the web application, or ask for one target or scan at a time."
        )


def _collect_one(task, kept):
    if task.params["id"] == UNKNOWN_ID:
        task.warn_foreseen("the finding")
        return
    record = task.client.read(FINDING, task.params["id"])
    if record is not None:
        kept.take(record)


def _query(task):
    """The query that the task's references mean, or None where in check mode one of them is not there yet."""
    params = task.params
    place = place_of(task)
    if place.missing:
        return None
    query = {}
    if params["scan_id"] is not None:
        scan = scan_of(task, place)
        if scan is None:
            return None
        query["task_id"] = scan["id"]
        place = place_from(scan, place)
    elif params["target"] is not None or params["target_id"] is not None:
        target = target_of(task, place)
        if target is None:
            return None
        query["target_id"] = target["id"]
        place = place_from(target, place)
    warn_unplaced(task, place, "findings")
    if params["group_duplicates"]:
        query["group_duplicates"] = "true"
    return {**place.query, **query}


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
