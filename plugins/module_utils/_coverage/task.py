# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Reads targets and scans, and returns which targets are covered."""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Sequence

from .._errors import WrongOption
from .._exports.text import cell, line
from .._families.scan import SCAN, tool_id_of
from .._families.target import TARGET
from .._families.workspace import WORKSPACE
from .._file.draft import shown
from .._file.replace import store
from .._lookup import Contents, Place, not_empty
from .._moments import seconds_of, utc_text
from .._records import Record
from .._references import belongs, place_of
from .._scan.clock import latest_clock
from .._task import Task
from .model import Account, coverage_of, exclusions_of

_FORMATS = (".csv", ".json")
_COLUMNS = ("workspace", "target", "tool", "covered", "excluded", "scan_id", "finished", "age", "reason")


def coverage(task: Task) -> Record:
    """The work of coverage_info."""
    params = task.params
    tools = [tool_id_of(tool, f"tools[{index}]") for index, tool in enumerate(params["tools"] or ())]
    max_age = None if params["max_age"] is None else seconds_of(params["max_age"])
    exclusions = exclusions_of(params["exclusions"], time.time())
    for index, name in enumerate(params["targets"] or ()):
        not_empty(f"targets[{index}]", name)
    dest = params["dest"]
    if dest is not None and not dest.lower().endswith(_FORMATS):
        raise WrongOption(f"dest {shown(dest)} ends neither in .csv nor in .json: choose one of them.")
    place = place_of(task)
    if params["targets"] is not None and not place.declared:
        raise WrongOption("targets are names in one workspace: set workspace or workspace_id as well.")
    accounts = _read(task, place)
    clock = latest_clock(task, [scan for account in accounts for scan in account.scans])
    result = coverage_of(accounts, params["targets"], tools, max_age, exclusions, clock)
    expired = result["exclusions"]["expired"]
    if expired:
        task.warn(f"{len(expired)} of exclusions expired and no longer count: see exclusions in the result.")
    file: Record = dict(changed=False, dest=None, size=None, checksum=None)
    if dest is not None:
        text = (_as_csv if dest.lower().endswith(".csv") else _as_json)(result, utc_text(clock.now))
        stored = store(task, dest, lambda draft: draft.write(text.encode("utf-8")))
        file = dict(changed=stored.changed, dest=dest, **stored.after._asdict())
    return {**result, **file}


def _as_json(result: Record, now: str) -> str:
    return json.dumps({"generated": now, **result}, indent=2, sort_keys=True) + "\n"


def _as_csv(result: Record, now: str) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["generated", *_COLUMNS])
    for row in result["rows"]:
        writer.writerow([now, *(_cell(row[column]) for column in _COLUMNS)])
    return stream.getvalue()


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else cell(line(str(value)))


def _read(task: Task, place: Place) -> list[Account]:
    """The declared workspace, or all of them; none where check mode assumes that an earlier task creates it."""
    if place.missing:
        return []
    workspaces: Sequence[Record]
    if place.id is not None:
        record = None if place.name is not None else task.client.read(WORKSPACE, place.id)
        name = place.name if place.name is not None else record["name"] if record else f"workspace {place.id}"
        workspaces = [dict(id=place.id, name=name)]
    else:
        workspaces = task.client.all(WORKSPACE)
    contents = Contents(task.client, [(workspace["id"], TARGET) for workspace in workspaces])
    accounts = []
    for workspace in workspaces:
        query = {"workspace_id": workspace["id"]}
        scans = [row for row in task.client.all(SCAN, query) if belongs(row, query)]
        accounts.append(Account(workspace["name"], list(contents[TARGET, workspace["id"]]), scans))
    return accounts
