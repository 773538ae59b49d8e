# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Reads the output of a scan, and writes it to a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from .._evidence.scans import is_in_progress, status_of
from .._http.answer import Answer
from .._http.client import Client
from .._model.errors import ApiError, Refused, printable
from .._model.families import SCAN
from .._model.records import Record
from .._task.atomic_files import Draft, Stored, check_place, store
from .._task.raw_options import UNKNOWN_ID
from .._task.references import existing
from .._task.task import Task
from .download import download

FORMATS = ("json", "pdf", "raw")
_BELOW = {"json": "/output", "pdf": "/output", "raw": "/raw"}
# the kinds of output that the public documentation and clients describe; their data is an object
_KNOWN_KINDS = ("finding_list", "subdomain_list", "domain_list", "port_scanner", "waf_results")
# the lists in their data
_LISTS = {"finding_list": "findings", "subdomain_list": "subdomains", "domain_list": "domains", "port_scanner": "ports"}


def read_output(task: Task) -> Record:
    """The work of scan_output_info."""
    scan_id = task.params["id"]
    if scan_id == UNKNOWN_ID:
        task.warn_assumed("the scan")
        return dict(output=None, text=None)
    scan = existing(task.client, SCAN, scan_id)
    hints = refusal_hints(
        scan,
        "the output of this tool cannot be returned; write it to a file with scanops.scanner.scan_output",
    )
    try:
        result: Record = dict(output=_complete(task.client, scan_id, hints), text=None)
    except ApiError as error:
        if error.status != 406:
            raise
        # the tool has no parsed output
        answer = task.client.data(SCAN, scan_id, "/raw", accept="text/plain", hints=hints, is_text=True)
        result = dict(output=None, text=_raw(answer, task.warn))
    if is_in_progress(scan):
        task.warn(f"Scan {scan_id} is still {printable(status_of(scan))}, so its output may be incomplete.")
    return result


def _raw(answer: Answer, warn: Callable[[str], None]) -> str:
    # assumed: plain text, as requested; a string in data is accepted as well
    if answer.content_type.startswith("text/plain"):
        try:
            return str(answer.body, "utf-8")
        except ValueError:
            warn(
                "The raw output is not valid UTF-8; invalid bytes are replaced by U+FFFD. To keep it unchanged, write it to a"
                " file with scanops.scanner.scan_output and format: raw."
            )
            return str(answer.body, "utf-8", "replace")
    body = answer.json()
    text = body.get("data") if isinstance(body, dict) else body
    if not isinstance(text, str):
        raise answer.unexpected("data that is no text")
    return text


def refusal_hints(scan: Record, other_form: str) -> dict[int, str]:
    """What to do next if the service refuses the output of this scan, by status.

    other_form: what to do if the tool has no output in the requested format, a clause.
    """
    status = repr(printable(scan["status_name"], 60))
    if is_in_progress(scan):
        wait = f"the scan is still in progress, its status is {status}; run the task again when it has finished"
        return {404: wait, 406: wait, 409: wait}
    return {
        404: f"the scan has no output, its status is {status}; scan again",
        406: other_form,
        409: f"the output cannot be read now, the scan's status is {status}; run the task again later",
    }


def parsed_output(answer: Answer) -> Record:
    """The output in an answer, with ``output_type`` and ``output_data``."""
    body = answer.json()
    data = body.get("data") if isinstance(body, dict) else None
    missing = what_is_missing(data)
    if missing or not isinstance(data, dict):
        raise answer.unexpected(f"data that is no output of a scan ({missing})")
    return data


def _complete(client: Client, scan_id: int, hints: dict[int, str]) -> Record:
    """The output of a scan, with the rows of its list that further pages have."""
    outputs: list[Record] = []

    def rows_in(answer: Answer) -> tuple[list[Any], Record]:
        output = parsed_output(answer)
        outputs.append(output)
        name, data = _LISTS.get(output["output_type"]), output["output_data"]
        rows = data.get(name) if isinstance(data, dict) and name else data
        if name is None or not isinstance(rows, list):
            return [], {}
        body = answer.json()
        return rows, {**body, **output, **(data if isinstance(data, dict) else {})}

    rows = client.nested(SCAN, scan_id, "/output", rows_in, hints)
    output = outputs[0]
    if len(outputs) > 1:
        data, name = output["output_data"], _LISTS[output["output_type"]]
        output["output_data"] = {**data, name: rows} if isinstance(data, dict) else rows
    return output


def what_is_missing(data: object) -> str | None:
    """Why a value cannot be the output of a scan, a phrase, or None if it can.

    Assumed: every output names its kind and has data. The data of an unknown kind may be any JSON, also null.
    """
    if not isinstance(data, dict):
        return "it is not an object"
    kind = data.get("output_type")
    if not isinstance(kind, str) or not kind.strip():
        return "output_type is missing" if kind is None else "output_type is not a name"
    if "output_data" not in data:
        return "output_data is missing"
    # an empty list may be how the service writes an object without entries
    if kind in _KNOWN_KINDS and not isinstance(data["output_data"], (dict, list)):
        return f"the output_data of a {kind} is neither an object nor a list"
    return None


# --- to a file


def write_output(task: Task) -> Record:
    """The work of the module scan_output."""
    dest, scan_id, kind = task.params["dest"], task.params["id"], task.params["format"]

    def fill(draft: Draft) -> None:
        scan = existing(task.client, SCAN, scan_id)
        if is_in_progress(scan):
            share = f" ({scan['progress']} %)" if isinstance(scan["progress"], int) else ""
            raise Refused(
                f"Scan {scan_id} is {printable(status_of(scan))}{share}, so its output may be incomplete: wait for it with"
                " scanops.scanner.scan, or run the task again later."
            )
        hints = refusal_hints(scan, f"the tool has no output as {kind}; set format to another one")
        if kind != "json":
            download(task.client, SCAN, scan_id, _BELOW[kind], kind, draft, hints)
            return
        data = _complete(task.client, scan_id, hints)
        # sorted, so that the same output gives the same file; ASCII, so that control characters are escaped
        draft.write(json.dumps(data, indent=2, sort_keys=True).encode("ascii") + b"\n")

    stored = None
    if scan_id == UNKNOWN_ID:
        check_place(task.host, dest)
        task.warn_assumed("the scan")
    else:
        stored = store(task.host, dest, fill)
    return _result(dest, stored, task.diff_mode)


def _result(dest: str, stored: Stored | None, diff_mode: bool) -> Record:
    """The result of the module. stored: None where check mode cannot know the output."""
    after = stored and stored.after
    result: Record = dict(
        changed=stored is None or stored.changed,
        dest=dest,
        size=after.size if after else None,
        checksum=after.checksum if after else None,
    )
    if diff_mode:
        before = stored.before._asdict() if stored and stored.before else {}
        attributes = stored.attributes if stored else dict(before={}, after={})
        result["diff"] = dict(
            before=dict(before, **attributes["before"]),
            after=dict(after._asdict() if after else dict(checksum=None), **attributes["after"]),
            before_header=dest,
            after_header=dest,
        )
    return result
