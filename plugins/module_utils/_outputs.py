# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The output of a scan as a file."""

from __future__ import annotations

import json

from ._downloads import download
from ._errors import ApiError, CallError, Refused, printable
from ._files import check_place, store
from ._lookup import UNKNOWN_ID
from ._resources import SCAN

FORMATS = ("json", "pdf", "raw")
_BELOW = {"json": "/output", "pdf": "/output", "raw": "/raw"}
_IN_PROGRESS = ("waiting", "running")


def write_output(task):
    """The work of the module scan_output."""
    dest, scan_id, kind = task.params["dest"], task.params["id"], task.params["format"]
    if scan_id == UNKNOWN_ID:
        check_place(task, dest)
        task.warn_foreseen("the scan")
        return _result(task, True, None, None)
    try:
        stored = store(task, dest, lambda draft: _fill(task.client, scan_id, kind, draft))
    except ApiError as error:
        raise _explained(task.client, scan_id, kind, error) from None
    return _result(task, stored.changed, stored.before, stored.after, stored.attributes)


def _fill(client, scan_id, kind, draft):
    if kind != "json":
        download(client, SCAN, scan_id, _BELOW[kind], kind, draft)
        return
    answer = client.data(SCAN, scan_id, _BELOW[kind])
    body = answer.json()
    data = body.get("data") if isinstance(body, dict) else None
    # assumed: an output is an object
    if not isinstance(data, dict):
        raise answer.unexpected("data that is no output of a scan")
    # in one order, so that the same output is the same file; what is not ASCII is escaped, control characters too
    draft.write(json.dumps(data, indent=2, sort_keys=True).encode("ascii") + b"\n")


def _explained(client, scan_id, kind, error):
    """The error for an output that cannot be had: why, as far as the scan itself tells."""
    if error.status == 406:
        return Refused(
            f"{error} The tool of scan {scan_id} has no output as {kind}: set format to another one.", **error.result
        )
    if error.status not in (404, 409):
        return error
    try:
        scan = client.read(SCAN, scan_id)
    except CallError:
        return error
    if scan is None:
        return Refused(f"there is no scan {scan_id} that this key can see: correct the id.", **error.result)
    status = str(scan["status_name"])
    if status.lower() in _IN_PROGRESS:
        share = f" ({scan['progress']} %)" if isinstance(scan["progress"], int) else ""
        return Refused(
            f"scan {scan_id} is {status.lower()}{share}, and its output cannot be had yet: wait for it with"
            " scanops.scanner.scan, or run this task again later.",
            **error.result,
        )
    return Refused(
        f"scan {scan_id} has no output, its status is {printable(status)!r}: set format to another one, or run the scan"
        " again.",
        **error.result,
    )


def _result(task, changed, before, after, attributes=None):
    result = dict(
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
