# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Many objects: the objects of the account that a declaration manages, read for the plan."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from .._errors import Refused, printable
from .._families.family import Family
from .._families.http_logger import HTTP_LOGGER
from .._families.table import FAMILIES
from .._families.target import TARGET
from .._families.workspace import WORKSPACE
from .._http.client import Client
from .._lookup import Contents, Place
from .._records import Record, not_compared, not_shown, revealed
from .._task import Task
from .model import Item, Live, Managed, Wanted, normal_name


class Account(NamedTuple):
    """What a task manages of an account. contents: the lists that ``workspaces`` are taken from."""

    workspaces: Sequence[Managed]
    contents: Contents


def live_targets(client: Client, place: Place, wanted: Wanted) -> Account:
    """Read the targets of one workspace."""
    # a workspace that check mode has not created has neither name nor id
    name = place.name or str(place.id or "")
    if place.id is None:
        return Account([Managed(name, wanted, Live(None, {}, {}))], Contents(client, []))
    contents = Contents(client, [(place.id, TARGET)])
    record = dict(id=place.id, name=place.name)
    live = Live(record, {TARGET.name: contents[TARGET, place.id]}, {})
    return Account([Managed(name, wanted, live)], contents)


def live_estate(client: Client, wanted: Sequence[Wanted]) -> Account:
    """Read what the declaration manages, each list to its end."""
    workspaces = client.all(WORKSPACE)
    by_name: dict[str, list[Record]] = {}
    for row in workspaces:
        by_name.setdefault(row["name"], []).append(row)
    loggers: Sequence[Record] = ()
    if any(HTTP_LOGGER.name in entry.lists for entry in wanted):
        loggers = client.all(HTTP_LOGGER)
    records = [_the_one(entry.own, by_name.get(entry.own.name, [])) for entry in wanted]
    lists = [
        (record["id"], FAMILIES[name])
        for entry, record in zip(wanted, records)
        for name in WORKSPACE.holds
        if record and name in entry.lists
    ]
    contents = Contents(client, lists, workspaces, {HTTP_LOGGER.name: loggers})
    managed = [
        Managed(entry.own.name, entry, _live(entry, record, contents, loggers))
        for entry, record in zip(wanted, records)
    ]
    return Account(managed, contents)


def _the_one(item: Item, found: Sequence[Record]) -> Record | None:
    """The live workspace of a declared one."""
    if len(found) > 1:
        ids = ", ".join(str(row["id"]) for row in found)
        raise Refused(
            f"{item.path}.name {printable(item.name)!r} names {len(found)} workspaces, with the ids {ids}: rename one of"
            " them."
        )
    return found[0] if found else None


def _live(entry: Wanted, record: Record | None, contents: Contents, loggers: Iterable[Record]) -> Live:
    rows = {name: contents[FAMILIES[name], record["id"]] for name in entry.lists} if record else {}
    elsewhere = {}
    if HTTP_LOGGER.name in entry.lists:
        inside = {row["id"] for row in rows.get(HTTP_LOGGER.name, ())}
        elsewhere = {row[HTTP_LOGGER.key]: row for row in loggers if row["id"] not in inside}
    return Live(record, rows, elsewhere)


class _Comparison(NamedTuple):
    """A live record and its fields that the plan compares with the declaration."""

    resource: Family
    record: Record
    fields: Collection[str]


def reveal(task: Task, workspaces: Iterable[Managed], marked: bool = False) -> None:
    """Read by id the live objects whose list leaves out a declared field, and warn of fields that are shown nowhere.

    marked: the descriptions of all targets are needed. A family whose first record shows no more by id is not read on.
    """
    dark: dict[str, list[str]] = {}
    for resource, record, fields in _comparisons(workspaces, marked):
        if not_shown(record, fields) and resource.name not in dark:
            record.update(revealed(record, task.client.read(resource, record["id"])))
            unknown = not_shown(record, fields)
            if unknown:
                dark[resource.name] = unknown
    for name, missing in dark.items():
        task.warn(not_compared(FAMILIES[name].plural.replace("_", " "), missing))


def _comparisons(workspaces: Iterable[Managed], marked: bool) -> Iterator[_Comparison]:
    for _name, wanted, live in workspaces:
        if wanted.workspace is not None and live.record:
            yield _Comparison(WORKSPACE, live.record, wanted.workspace.fields)
        for resource in (FAMILIES[name] for name in wanted.lists if FAMILIES[name].declared):
            fields = {
                normal_name(resource, item.name): item.fields for item in wanted.lists[resource.name] if not item.ignore
            }
            for row in live.rows.get(resource.name, ()):
                normal = normal_name(resource, row[resource.key])
                yield _Comparison(resource, row, resource.declared if marked else fields.get(normal, {}))
