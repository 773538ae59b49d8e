# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The live account in the shape in which an estate is declared. ``estate_of`` and ``alike_in`` are pure; the rest reads."""

from __future__ import annotations

from .._contents import Contents
from .._errors import Refused, printable
from .._http.earned import Complete, InWorkspace, earned
from .._names import normal_form
from .._resources import HTTP_LOGGER, TARGET, WORKSPACE


def read_account(task):
    """The work of the module estate_info: the result, a dict."""
    client, names = task.client, task.params["workspaces"]
    workspaces = client.all(WORKSPACE)
    rows = [row for row in workspaces if names is None or row["name"] in names]
    if names == []:
        task.warn("workspaces is an empty list, so nothing is read: leave the option out to read the whole account.")
    _refuse_same(WORKSPACE, rows, "the account", "rename one of them")
    loggers = client.all(HTTP_LOGGER)
    rows.sort(key=lambda row: row["name"])
    wanted = [(row["id"], resource) for row in rows for resource in (TARGET, HTTP_LOGGER)]
    read = Contents(client, wanted, workspaces, {HTTP_LOGGER.name: loggers})
    contents = [(row, read[TARGET, row["id"]], read[HTTP_LOGGER, row["id"]]) for row in rows]
    missing = sorted(set(names or ()) - {row["name"] for row in rows})
    return dict(estate_of(contents, loggers), missing=missing)


def estate_of(contents, loggers):
    """The estate and what it cannot show, a dict.

    contents: a (workspace record, its targets, its loggers) for each workspace, both InWorkspace; loggers: every logger
    record, a Complete. Raises Refused where the estate module could not tell two live objects apart.
    """
    workspaces, alike, placed = [], [], set()
    for row, targets, inside in contents:
        _refuse_same(
            TARGET, earned(InWorkspace, targets), f"workspace {printable(row['name'])!r}", "delete one of them"
        )
        placed.update(logger["id"] for logger in earned(InWorkspace, inside))
        workspaces.append(
            dict(
                _declared(WORKSPACE, row),
                targets=_sorted_declared(TARGET, targets),
                http_loggers=_sorted_declared(HTTP_LOGGER, inside),
            )
        )
        alike += [dict(workspace=row["name"], names=names) for names in alike_in(row["name"] for row in targets)]
    elsewhere = sorted(logger["label"] for logger in earned(Complete, loggers) if logger["id"] not in placed)
    return dict(workspaces=workspaces, alike=alike, loggers_elsewhere=elsewhere)


def alike_in(names):
    """The lists of target names that differ in their letters only and mean the same, each sorted."""
    groups = {}
    for name in sorted(names):
        groups.setdefault(normal_form(name), []).append(name)
    return sorted(group for group in groups.values() if len(group) > 1)


def _sorted_declared(resource, rows):
    return [_declared(resource, row) for row in sorted(rows, key=lambda row: row[resource.key])]


def _declared(resource, row):
    """A record as it would be declared: its natural key, and the fields beside it that hold something."""
    fields = {field: row[field] for field in resource.declared if row[field]}
    return {resource.key: row[resource.key], **fields}


def _refuse_same(resource, rows, where, advice):
    ids = {}
    for row in rows:
        ids.setdefault(row[resource.key], []).append(row["id"])
    for name, same in ids.items():
        if len(same) > 1:
            listed = ", ".join(str(object_id) for object_id in sorted(same))
            raise Refused(
                f"{where} holds {len(same)} {resource.noun}s of the name {printable(name)!r}, with the ids {listed}, which an"
                f" estate cannot tell apart: {advice}."
            )
