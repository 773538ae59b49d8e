# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The live account in the format in which an estate is declared. ``estate_of`` and ``alike_in`` are pure; the rest reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from .._errors import Refused, printable
from .._families.family import Family
from .._families.http_logger import HTTP_LOGGER
from .._families.target import TARGET
from .._families.workspace import WORKSPACE
from .._lookup import Contents
from .._records import Complete, InWorkspace, Record, proven
from .._task import Task
from .model import normal_name


class LiveWorkspace(NamedTuple):
    """A workspace and everything in it."""

    record: Record
    targets: InWorkspace
    loggers: InWorkspace


def read_account(task: Task) -> dict[str, Any]:
    """The work of the module estate_info."""
    client, names = task.client, task.params["workspaces"]
    workspaces = client.all(WORKSPACE)
    rows = [row for row in workspaces if names is None or row["name"] in names]
    if names == []:
        task.warn("workspaces is an empty list, so nothing is read: leave the option out to read the whole account.")
    _refuse_same(WORKSPACE, rows, "The account", "rename one of them")
    loggers = client.all(HTTP_LOGGER)
    rows.sort(key=lambda row: row["name"])
    wanted = [(row["id"], resource) for row in rows for resource in (TARGET, HTTP_LOGGER)]
    contents = Contents(client, wanted, workspaces, {HTTP_LOGGER.name: loggers})
    live = [LiveWorkspace(row, contents[TARGET, row["id"]], contents[HTTP_LOGGER, row["id"]]) for row in rows]
    missing = sorted(set(names or ()) - {row["name"] for row in rows})
    return dict(estate_of(live, loggers), missing=missing)


def estate_of(live: Iterable[LiveWorkspace], loggers: Complete) -> dict[str, Any]:
    """The estate and what it cannot show: the result without ``missing``.

    loggers: every logger of the account. Raises Refused where the estate module could not distinguish two live objects.
    """
    workspaces, alike = [], []
    placed: set[int] = set()
    for record, targets, inside in live:
        where = f"Workspace {printable(record['name'])!r}"
        _refuse_same(TARGET, proven(InWorkspace, targets), where, "delete one of them")
        placed.update(logger["id"] for logger in proven(InWorkspace, inside))
        workspaces.append(
            dict(
                _declared(WORKSPACE, record),
                targets=_sorted_declared(TARGET, targets),
                http_loggers=_sorted_declared(HTTP_LOGGER, inside),
            )
        )
        alike += [dict(workspace=record["name"], names=names) for names in alike_in(row["name"] for row in targets)]
    elsewhere = sorted(logger["label"] for logger in proven(Complete, loggers) if logger["id"] not in placed)
    return dict(workspaces=workspaces, alike=alike, loggers_elsewhere=elsewhere)


def alike_in(names: Iterable[str]) -> list[list[str]]:
    """The lists of target names that differ in their spelling only, each sorted."""
    groups: dict[str, list[str]] = {}
    for name in sorted(names):
        groups.setdefault(normal_name(TARGET, name), []).append(name)
    return sorted(group for group in groups.values() if len(group) > 1)


def _sorted_declared(resource: Family, rows: Iterable[Record]) -> list[Record]:
    return [_declared(resource, row) for row in sorted(rows, key=lambda row: row[resource.key])]


def _declared(resource: Family, row: Record) -> Record:
    """A record as it would be declared: its natural key, and the fields beside it that are not empty."""
    fields = {field: row[field] for field in resource.declared if row[field]}
    return {resource.key: row[resource.key], **fields}


def _refuse_same(resource: Family, rows: Iterable[Record], where: str, advice: str) -> None:
    ids: dict[str, list[int]] = {}
    for row in rows:
        ids.setdefault(row[resource.key], []).append(row["id"])
    for name, same in ids.items():
        if len(same) > 1:
            listed = ", ".join(str(object_id) for object_id in sorted(same))
            raise Refused(
                f"{where} has {len(same)} {resource.noun}s named {printable(name)!r}, with the ids {listed}, and an estate"
                f" cannot distinguish them: {advice}."
            )
