# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The live account in the shape in which an estate is declared. ``estate_of`` and ``alike_in`` are pure; the rest reads."""

from __future__ import annotations

from ._errors import Refused, printable
from ._names import normal_form
from ._resources import HTTP_LOGGER, TARGET, WORKSPACE


def targets_in(client, query):
    """Every target of a workspace, the whole list or an error. query: {"workspace_id": int}."""
    rows = client.all(TARGET, query)
    # a service that ignores the filter must not make a task take, or purge, another workspace's targets; a list that does
    # not say the workspace is believed
    return [row for row in rows if row["workspace_id"] in (None, query["workspace_id"])]


def read_account(task):
    """The work of the module estate_info: the result, a dict."""
    client, names = task.client, task.params["workspaces"]
    rows = client.all(WORKSPACE)
    if names is not None:
        rows = [row for row in rows if row["name"] in names]
    _refuse_same(WORKSPACE, rows, "the account", "rename one of them")
    loggers = client.all(HTTP_LOGGER)
    contents = []
    for row in sorted(rows, key=lambda row: row["name"]):
        query = {"workspace_id": row["id"]}
        contents.append((row, targets_in(client, query), client.all(HTTP_LOGGER, query)))
    missing = sorted(set(names or ()) - {row["name"] for row in rows})
    return dict(estate_of(contents, loggers), missing=missing)


def estate_of(contents, loggers):
    """The estate and what it cannot show, a dict.

    contents: a (workspace record, target records, logger records) for each workspace; loggers: every logger record.
    Raises Refused where the estate module could not tell two live objects apart.
    """
    workspaces, alike, places = [], [], {}
    for row, targets, inside in contents:
        where = f"workspace {printable(row['name'])!r}"
        _refuse_same(TARGET, targets, where, "delete one of them")
        for logger in inside:
            place = places.setdefault(logger["id"], where)
            if place != where:
                raise Refused(
                    f"the service lists HTTP logger {printable(logger['label'])!r} (id {logger['id']}) in {place} and in"
                    f" {where}, so nobody can tell where it lives: tell the service's support."
                )
        workspaces.append(
            dict(
                _declared(WORKSPACE, row),
                targets=_sorted_declared(TARGET, targets),
                http_loggers=_sorted_declared(HTTP_LOGGER, inside),
            )
        )
        alike += [dict(workspace=row["name"], names=names) for names in alike_in(row["name"] for row in targets)]
    elsewhere = sorted(logger["label"] for logger in loggers if logger["id"] not in places)
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
