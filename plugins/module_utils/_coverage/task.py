# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Reads targets and scans, and returns which targets are covered."""

from __future__ import annotations

from collections.abc import Sequence

from .._contents import Contents
from .._errors import WrongOption
from .._families.scan import SCAN
from .._families.target import TARGET
from .._families.workspace import WORKSPACE
from .._file.draft import Draft, shown
from .._file.replace import store
from .._lookup import Place, not_empty, place_of
from .._records import Record
from .._references import belongs
from .._scan.clock import latest_clock
from .._scan.tools import tool_id_of
from .._task import Task
from .attestation import attestation, result_of
from .model import Account, coverage_of, exclusions_of, max_age_of

FORMATS = (".csv", ".json")


def coverage(task: Task) -> Record:
    """The work of coverage_info."""
    params = task.params
    tools = [tool_id_of(tool, f"tools[{index}]") for index, tool in enumerate(params["tools"] or ())]
    max_age, exclusions = max_age_of(params["max_age"]), exclusions_of(params["exclusions"])
    for index, name in enumerate(params["targets"] or ()):
        not_empty(f"targets[{index}]", name)
    dest = params["dest"]
    if dest is not None and not dest.lower().endswith(FORMATS):
        raise WrongOption(f"dest {shown(dest)} ends neither in .csv nor in .json: choose one of them.")
    place = place_of(task)
    if params["targets"] is not None and not place.declared:
        raise WrongOption("targets are names in one workspace: set workspace or workspace_id as well.")
    accounts = _read(task, place)
    scans = [scan for account in accounts for scan in account.scans]
    clock = latest_clock(task, scans)
    found = coverage_of(accounts, params["targets"], tools, max_age, exclusions, clock)
    result = result_of(found)
    if found.expired:
        task.warn(f"{len(found.expired)} of exclusions expired and no longer count: see exclusions in the result.")
    file: Record = dict(changed=False, dest=None, size=None, checksum=None)
    if dest is not None:
        text = attestation(result, result["rows"], clock.now, dest.lower().endswith(".csv"))

        def fill(draft: Draft) -> None:
            draft.write(text.encode("utf-8"))

        stored = store(task, dest, fill)
        file = dict(changed=stored.changed, dest=dest, **stored.after._asdict())
    return {**result, **file}


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
