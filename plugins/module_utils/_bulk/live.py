# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Many objects: the part of the account that a declaration manages, read for the plan."""

from __future__ import annotations

from .._contents import Contents
from .._errors import Refused, printable
from .._names import normal_form
from .._records import not_compared, not_shown, revealed
from .._resources import HTTP_LOGGER, RESOURCES, TARGET, WORKSPACE
from .plan import Live


def live_targets(client, place):
    """Read the targets of a workspace: its Live, and the Contents that it is taken from."""
    if place.missing:
        return Live(None, {}, {}), Contents(client, [])
    contents = Contents(client, [(place.id, TARGET)])
    return Live(dict(id=place.id, name=place.name), {TARGET.name: contents[TARGET, place.id]}, {}), contents


def live_estate(client, wanted):
    """Read what the declaration manages, each list to its end: a list of Live, and the Contents that it is taken from."""
    workspaces = client.all(WORKSPACE)
    by_name = {}
    for row in workspaces:
        by_name.setdefault(row["name"], []).append(row)
    loggers = ()
    if any(HTTP_LOGGER.name in entry.lists for entry in wanted):
        loggers = client.all(HTTP_LOGGER)
    records = [_the_one(entry, by_name.get(entry.workspace.name, [])) for entry in wanted]
    lists = [
        (record["id"], RESOURCES[name])
        for entry, record in zip(wanted, records)
        for name in (TARGET.name, HTTP_LOGGER.name)
        if record and name in entry.lists
    ]
    contents = Contents(client, lists, workspaces, {HTTP_LOGGER.name: loggers})
    return [_live(entry, record, contents, loggers) for entry, record in zip(wanted, records)], contents


def _the_one(entry, found):
    """The live workspace of a declared one, or None."""
    if len(found) > 1:
        ids = ", ".join(str(row["id"]) for row in found)
        raise Refused(
            f"{entry.workspace.path}.name {printable(entry.workspace.name)!r} names {len(found)} workspaces, with the ids"
            f" {ids}: rename one of them."
        )
    return found[0] if found else None


def _live(entry, record, contents, loggers):
    rows = {name: contents[RESOURCES[name], record["id"]] for name in entry.lists} if record else {}
    elsewhere = {}
    if HTTP_LOGGER.name in entry.lists:
        inside = {row["id"] for row in rows.get(HTTP_LOGGER.name, ())}
        elsewhere = {row[HTTP_LOGGER.key]: row for row in loggers if row["id"] not in inside}
    return Live(record, rows, elsewhere)


def reveal(task, wanted, lives, marked=False):
    """Read by id the live objects whose list leaves out a declared field, and warn of fields that are shown nowhere.

    marked: the descriptions of all targets are needed. A family whose first record shows no more by id is not read on.
    """
    dark = {}
    for resource, row, fields in _compared(wanted, lives, marked):
        if not_shown(row, fields) and resource.name not in dark:
            row.update(revealed(row, task.client.read(resource, row["id"])))
            unknown = not_shown(row, fields)
            if unknown:
                dark[resource.name] = unknown
    for name, fields in dark.items():
        task.warn(not_compared(RESOURCES[name].plural.replace("_", " "), fields))


def _compared(wanted, lives, marked):
    """Yield (resource, live record, fields) for what is compared with a declaration."""
    for entry, live in zip(wanted, lives):
        if entry.workspace is not None and live.record:
            yield WORKSPACE, live.record, entry.workspace.fields
        rows = live.rows.get(TARGET.name, ())
        fields = {normal_form(item.name): item.fields for item in entry.lists.get(TARGET.name, ()) if not item.ignore}
        for row in rows:
            yield TARGET, row, TARGET.declared if marked else fields.get(normal_form(row[TARGET.key]), ())
