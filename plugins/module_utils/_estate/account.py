# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Reads the account: what a declaration manages, for the plan, and all of it as it would be declared."""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from .._http.client import Client
from .._model.errors import CallError, Refused, counted, printable
from .._model.families import HTTP_LOGGER, TARGET, WORKSPACE
from .._model.family import Family
from .._model.names import normal_name
from .._model.records import Complete, InWorkspace, Record, ids_of, not_compared, not_shown, proven, revealed
from .._task.finder import named
from .._task.host import Warn
from .._task.lookup import Contents, Place
from .._task.task import Task
from .declaration import IN_WORKSPACE, Wanted
from .plan import Managed

# the most undeclared workspaces that are compared with a new one
_MOST_COMPARED = 10


def live_targets(client: Client, place: Place, wanted: Wanted, recheck: bool) -> tuple[list[Managed], Contents]:
    """What a task manages in one workspace, and the lists that it is taken from. recheck: see ``listing.pages``."""
    # a workspace that check mode has not created has neither name nor id
    name = place.name or str(place.id or "")
    if place.id is None:
        return [Managed(name, wanted)], Contents(client, [])
    contents = Contents(client, [(place.id, TARGET)], recheck=recheck)
    rows: dict[Family, InWorkspace] = {TARGET: contents[TARGET, place.id]}
    return [Managed(name, wanted, dict(id=place.id, name=place.name), rows)], contents


def live_estate(
    client: Client, wanted: Sequence[Wanted], recheck: bool
) -> tuple[list[Managed], Contents, list[Record]]:
    """What a declaration manages, each list read to its end, the lists that it is taken from, and the workspaces that are not
    declared. recheck: see ``listing.pages``."""
    workspaces = client.all(WORKSPACE)
    loggers = client.all(HTTP_LOGGER) if any(HTTP_LOGGER in entry.lists for entry in wanted) else ()
    records = [named(WORKSPACE, workspaces, entry.own.name, f"{entry.own.path}.name") for entry in wanted]
    lists = [
        (record["id"], family)
        for entry, record in zip(wanted, records)
        for family in IN_WORKSPACE
        if record and family in entry.lists
    ]
    contents = Contents(client, lists, workspaces, {HTTP_LOGGER.name: loggers}, recheck=recheck)
    managed = []
    for entry, record in zip(wanted, records):
        rows = {family: contents[family, record["id"]] for family in entry.lists} if record else {}
        inside = {row["id"] for row in rows.get(HTTP_LOGGER, ())}
        elsewhere = {row[HTTP_LOGGER.key]: row for row in loggers if row["id"] not in inside}
        managed.append(Managed(entry.own.name, entry, record, rows, elsewhere))
    return managed, contents, [row for row in workspaces if row not in records]


def renamed(client: Client, managed: Iterable[Managed], undeclared: Iterable[Record]) -> Iterator[str]:
    """A warning for each workspace that does not exist and whose targets an undeclared one has: it may be the same with
    another name, and the plan creates its targets a second time. 1 GET for each undeclared workspace that is compared."""
    live = {row[WORKSPACE.key]: row["id"] for row in undeclared}
    for each in managed:
        wanted = {normal_name(TARGET, item.name) for item in each.wanted.lists.get(TARGET, ()) if not item.ignore}
        if each.record or len(wanted) < 2:
            continue
        for name in difflib.get_close_matches(each.name, live, _MOST_COMPARED, 0):
            rows: list[Record] = []
            with contextlib.suppress(CallError):
                rows = client.page(TARGET, 1, {"workspace_id": live[name]})
            same = wanted & {normal_name(TARGET, row[TARGET.key]) for row in rows}
            if 2 * len(same) >= len(wanted):
                yield (
                    f"Workspace {printable(each.name)!r} does not exist, and workspace {printable(name)!r}, which is not"
                    f" declared, has {len(same)} of its {counted(len(wanted), 'target')}. If it has another name now, rename"
                    " it at the service before you apply this declaration, which otherwise creates these targets a second"
                    f" time: scanops.scanner.workspace with id {live[name]} and new_name."
                )
                break


def reveal(client: Client, workspaces: Iterable[Managed], marked: bool, warn: Warn) -> None:
    """Read by id the live objects whose list leaves out a declared field, and warn of fields that are shown nowhere.

    marked: the descriptions of all targets are needed. A family whose first record shows no more by id is not read on.
    """
    dark: dict[Family, list[str]] = {}
    for family, record, fields in _compared(workspaces, marked):
        if not_shown(record, fields) and family not in dark:
            record.update(revealed(record, client.read(family, record["id"])))
            unknown = not_shown(record, fields)
            if unknown:
                dark[family] = unknown
    for family, missing in dark.items():
        warn(not_compared(family.plural.replace("_", " "), missing))


def _compared(workspaces: Iterable[Managed], marked: bool) -> Iterator[tuple[Family, Record, Collection[str]]]:
    """The live records and their fields that the plan compares with the declaration."""
    for managed in workspaces:
        own = managed.wanted.workspace
        if own is not None and managed.record:
            yield WORKSPACE, managed.record, own.fields
        for family, items in managed.wanted.lists.items():
            fields = {normal_name(family, item.name): item.fields for item in items if not item.ignore}
            for row in managed.rows.get(family, ()) if family.declared else ():
                yield family, row, family.declared if marked else fields.get(normal_name(family, row[family.key]), {})


# --- the live account in the format in which an estate is declared


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
    wanted = [(row["id"], family) for row in rows for family in (TARGET, HTTP_LOGGER)]
    contents = Contents(client, wanted, workspaces, {HTTP_LOGGER.name: loggers}, recheck=True)
    live = [(row, contents[TARGET, row["id"]], contents[HTTP_LOGGER, row["id"]]) for row in rows]
    missing = sorted(set(names or ()) - {row["name"] for row in rows})
    return dict(estate_of(live, loggers), missing=missing)


def estate_of(live: Iterable[tuple[Record, InWorkspace, InWorkspace]], loggers: Complete) -> dict[str, Any]:
    """The estate and what it cannot show: the result without ``missing``.

    live: workspaces with their targets and HTTP loggers; loggers: every logger of the account. Raises Refused where the
    estate module could not distinguish two live objects.
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


def _sorted_declared(family: Family, rows: Iterable[Record]) -> list[Record]:
    return [_declared(family, row) for row in sorted(rows, key=lambda row: row[family.key])]


def _declared(family: Family, row: Record) -> Record:
    """A record as it would be declared: its natural key, and the fields beside it that are not empty."""
    return {family.key: row[family.key], **{field: row[field] for field in family.declared if row[field]}}


def _refuse_same(family: Family, rows: Iterable[Record], where: str, advice: str) -> None:
    named: dict[str, list[Record]] = {}
    for row in rows:
        named.setdefault(row[family.key], []).append(row)
    for name, same in named.items():
        if len(same) > 1:
            raise Refused(
                f"{where} has {len(same)} {family.noun}s named {printable(name)!r}, with the ids {ids_of(same)}, and an"
                f" estate cannot distinguish them: {advice}."
            )
