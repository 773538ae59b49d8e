# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Writes the output of a scan to a file."""

from __future__ import annotations

import json
from typing import Any

from .._errors import Refused, printable
from .._families.scan import SCAN
from .._file.draft import Content, Draft
from .._file.replace import check_place, store
from .._http.client import Client
from .._http.download import download
from .._raw_options import UNKNOWN_ID
from .._records import Record
from .._task import Task
from .output import output_scan, parsed_output, refusal_hints
from .record import is_in_progress, status_of

FORMATS = ("json", "pdf", "raw")
_BELOW = {"json": "/output", "pdf": "/output", "raw": "/raw"}


def write_output(task: Task) -> Record:
    """The work of the module scan_output."""
    dest, scan_id, kind = task.params["dest"], task.params["id"], task.params["format"]
    if scan_id == UNKNOWN_ID:
        check_place(task, dest)
        task.warn_foreseen("the scan")
        return _result(task, True, None, None)
    stored = store(task, dest, lambda draft: _fill(task.client, scan_id, kind, draft))
    return _result(task, stored.changed, stored.before, stored.after, stored.attributes)


def _fill(client: Client, scan_id: int, kind: str, draft: Draft) -> None:
    scan = output_scan(client, scan_id)
    if is_in_progress(scan):
        share = f" ({scan['progress']} %)" if isinstance(scan["progress"], int) else ""
        raise Refused(
            f"Scan {scan_id} is {printable(status_of(scan))}{share}, so its output may be incomplete: wait for it with"
            " scanops.scanner.scan, or run the task again later."
        )
    hints = refusal_hints(scan, f"the tool has no output as {kind}; set format to another one")
    if kind != "json":
        download(client, SCAN, scan_id, _BELOW[kind], kind, draft, hints)
        return
    data = parsed_output(client.data(SCAN, scan_id, _BELOW[kind], hints=hints))
    # sorted, so that the same output gives the same file; ASCII, so that control characters are escaped
    draft.write(json.dumps(data, indent=2, sort_keys=True).encode("ascii") + b"\n")


def _result(
    task: Task, changed: bool, before: Content | None, after: Content | None, attributes: dict[str, Any] | None = None
) -> Record:
    result: Record = dict(
        changed=changed,
        dest=task.params["dest"],
        size=after.size if after else None,
        checksum=after.checksum if after else None,
    )
    if task.diff_mode:
        attributes = attributes or dict(before={}, after={})
        result["diff"] = dict(
            before=dict(before._asdict() if before else {}, **attributes["before"]),
            after=dict(after._asdict() if after else dict(checksum=None), **attributes["after"]),
            before_header=task.params["dest"],
            after_header=task.params["dest"],
        )
    return result
