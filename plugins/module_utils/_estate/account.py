# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Reads the account: what a declaration manages, for the plan, and all of it as it would be declared."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .._http.client import Client
from .._model.errors import ApiError, Refused, counted, first_sentences, printable
from .._model.families import HTTP_LOGGER, SCAN, TARGET, WORKSPACE
from .._model.family import Family
from .._model.records import Complete, InWorkspace, Record, ids_of, not_compared, not_shown, proven, revealed, rows_in
from .._model.target_names import normal_name
from .._model.texts import natural, same
from .._task.host import Warn
from .._task.lookup import Contents, Place
from .._task.name_match import named
from .._task.task import Task
from .declaration import IN_WORKSPACE, Wanted
from .marks import split
from .plan import Managed, Step


def live_targets(client: Client, place: Place, wanted: Wanted, recheck: bool) -> tuple[list[Managed], Contents]:
    """What a task manages in one workspace, and the lists that it is taken from. recheck: see ``listing.pages``."""
    # a workspace that check mode has not created has neither name nor id
    name = place.name or str(place.id or "")
    if place.id is None:
        return [Managed(name, wanted)], Contents(client, [])
    contents = Contents(client, [(place.id, TARGET)], recheck=recheck)
    rows: dict[Family, InWorkspace] = {TARGET: contents[TARGET, place.id]}
    return [Managed(name, wanted, dict(id=place.id, name=place.name), rows)], contents


class Undeclared(NamedTuple):
    """A workspace that a declaration does not name."""

    record: Record
    # what was read of it, without the lists that were not
    rows: Mapping[Family, Sequence[Record]] = {}

    def __str__(self) -> str:
        """As in "Office (19 targets, 1 HTTP logger)"."""
        counts = [counted(len(rows), family.noun) for family, rows in self.rows.items() if rows]
        return f"{printable(self.record['name'])} ({', '.join(counts) or 'empty'})"


def live_estate(
    client: Client, wanted: Sequence[Wanted], recheck: bool, look: bool
) -> tuple[list[Managed], Contents, list[Undeclared]]:
    """What a declaration manages, each list read to its end, the lists that it is taken from, and the workspaces that are not
    declared. recheck: see ``listing.pages``; look: whether to read what is in these, which is also read where one of them may
    be a declared workspace under another name."""
    workspaces = client.all(WORKSPACE)
    records = live_workspaces(wanted, workspaces)
    others = [row for row in workspaces if row not in records]
    creates = any(
        record is None and not (entry.own.new or entry.own.absent) and any(entry.lists.values())
        for entry, record in zip(wanted, records)
    )
    look = look or creates
    lists = [
        (record["id"], family)
        for entry, record in zip(wanted, records)
        for family in IN_WORKSPACE
        if record and (family in entry.lists or entry.own.absent)
    ]
    if look:
        lists += [(row["id"], family) for row in others for family in IN_WORKSPACE]
    loggers = client.all(HTTP_LOGGER) if any(family is HTTP_LOGGER for _id, family in lists) else ()
    contents = Contents(client, lists, workspaces, {HTTP_LOGGER.name: loggers}, recheck=recheck)
    managed = []
    for entry, record in zip(wanted, records):
        families = IN_WORKSPACE if entry.own.absent else tuple(entry.lists)
        rows = {family: contents[family, record["id"]] for family in families} if record else {}
        inside = {row["id"] for row in rows.get(HTTP_LOGGER, ())}
        elsewhere = {row[HTTP_LOGGER.key]: row for row in loggers if row["id"] not in inside}
        managed.append(Managed(entry.own.name, entry, record, rows, elsewhere))
    undeclared = [
        Undeclared(row, {family: contents[family, row["id"]] for family in IN_WORKSPACE} if look else {})
        for row in others
    ]
    return managed, contents, undeclared


def live_workspaces(wanted: Sequence[Wanted], workspaces: Sequence[Record]) -> list[Record | None]:
    """The live workspace of each declared one: that with its id, else that with its name, None for one that does not exist.
    Pure.

    Raises Refused for an id that no workspace has or that another entry means, and for a name that another workspace has.
    """
    by_id = {row["id"]: row for row in workspaces}
    records = []
    for entry in wanted:
        own = entry.own
        if own.id and own.id not in by_id:
            same = named(WORKSPACE, workspaces, own.name, f"{own.path}.name")
            gone = f"{own.path}.id is {own.id}, and no workspace has this id"
            if same:
                raise Refused(f"{gone}, but {printable(own.name)!r} has the id {same['id']}: correct it.")
            if not own.absent:
                raise Refused(
                    f"{gone}: correct it, or remove the line to find the workspace by its name, as in another account. If"
                    " the workspace was deleted, remove its entry, or the line to create it again."
                )
        records.append(by_id.get(own.id) if own.id else named(WORKSPACE, workspaces, own.name, f"{own.path}.name"))
    places: dict[int, str] = {}
    for entry, record in zip(wanted, records):
        if record is None:
            continue
        own = entry.own
        if record["id"] in places:
            raise Refused(
                f"{places[record['id']]} and {own.path} are the same workspace, id {record['id']}, by its id and by its name:"
                " merge the two."
            )
        places[record["id"]] = f"{own.path}.id" if own.id else own.path
        holder = next((row for row in workspaces if row["name"] == own.name and row["id"] != record["id"]), None)
        if holder and record["name"] != own.name:
            raise Refused(
                f"{own.path}.name is {printable(own.name)!r}, which workspace id {holder['id']} has now: rename that one first,"
                " in a run of its own."
            )
    return records


def refuse_renamed(managed: Iterable[Managed], undeclared: Sequence[Undeclared]) -> None:
    """Raise Refused for a workspace to create that another one seems to be under its earlier name: an undeclared workspace has
    at least half of its targets, or of its loggers. Creating it would scan all of them twice. Pure."""
    found = []
    for each in managed:
        own = each.wanted.own
        if each.record or own.new or own.absent:
            continue
        same = [
            (family, count, len(names), other.record)
            for family, items in each.wanted.lists.items()
            if (names := {normal_name(family, item.name) for item in items if not item.ignore})
            for other in undeclared
            if (count := len(names & {normal_name(family, row[family.key]) for row in other.rows.get(family, ())}))
            if 2 * count >= len(names)
        ]
        if same:
            family, count, of_all, record = same[0]
            found.append(
                f"{own.path}: workspace {printable(own.name)!r} does not exist, and {printable(record['name'])!r}, which is"
                f" not declared, has {count} of its {counted(of_all, family.noun)}. If it is the same, add id: {record['id']},"
                " which renames it; if it is another one, add new: true."
            )
    if found:
        raise Refused(first_sentences(found))


def renamed(managed: Iterable[Managed]) -> list[str]:
    """The ids that rename a workspace, each with its live name. Pure.

    Raises Refused for one that has none of the declared objects: it is that of another account, and would be emptied.
    """
    found = []
    for each in managed:
        own = each.wanted.own
        if not (own.id and each.record) or same(each.record["name"], own.name):
            continue
        which = f"{own.path}.id is {own.id}, which is {printable(each.record['name'])!r} and"
        found += [] if own.absent else [f"{which} not {printable(own.name)!r}"]
        both = [
            (family, {normal_name(family, item.name) for item in items if not item.ignore}, rows)
            for family, items in each.wanted.lists.items()
            if (rows := {normal_name(family, row[family.key]) for row in each.rows[family]})
        ]
        none = [family for family, names, rows in both if names and not names & rows]
        if none and not any(names & rows for _family, names, rows in both):
            raise Refused(
                f"{which} has none of the declared {none[0].noun}s: remove the id, as in another account, or rename the"
                " workspace in a run of its own, with the objects that it has."
            )
    return found


def with_lost_scans(client: Client, steps: Iterable[Step], ids: Mapping[str, int | None]) -> list[Step]:
    """The steps, where each that deletes a target or a workspace says how many scans go with it, and the day of the newest.

    ids: of the workspaces, by name. 1 GET or more for each workspace in which something is deleted.
    """
    scans: dict[str, Sequence[Record] | None] = {}
    found = []
    for step in steps:
        if step.deletes and step.family in (TARGET, WORKSPACE):
            if step.workspace not in scans:
                scans[step.workspace] = None
                query = {"workspace_id": ids[step.workspace]}
                try:
                    scans[step.workspace] = rows_in(client.all(SCAN, query), ids[step.workspace])
                except ApiError as error:
                    # a key that may not read scans can still delete targets
                    if error.status != 403:
                        raise
            lost = _lost(scans[step.workspace], step.live["id"] if step.family is TARGET else None)
            step = step._replace(reason="; ".join(filter(None, [step.reason, lost])))
        found.append(step)
    return found


def _lost(scans: Sequence[Record] | None, target_id: int | None) -> str:
    """What of the scans of a workspace is lost, a clause: those of a target, or all. None: the scans could not be read."""
    unknown = "how many scans go with it is not known, because"
    if scans is None:
        return f"{unknown} they could not be read"
    at_least = ""
    if target_id is not None:
        unplaced = [scan for scan in scans if scan["target_id"] is None]
        scans = [scan for scan in scans if scan["target_id"] == target_id]
        if unplaced and not scans:
            return f"{unknown} the target of {counted(len(unplaced), 'scan')} of the workspace is not shown"
        at_least = "at least " if unplaced else ""
    days = sorted(str(scan.get("end_time") or scan.get("start_time") or "")[:10] for scan in scans)
    newest = f", the newest of {printable(days[-1])}" if days and days[-1] else ""
    goes = "goes" if len(scans) == 1 else "go"
    return f"{at_least}{counted(len(scans), 'scan')} {goes} with it{newest}" if scans else ""


def reveal(client: Client, workspaces: Iterable[Managed], marks_of: str, warn: Warn) -> None:
    """Read by id the live objects whose list leaves out a declared field, and warn of fields that are shown nowhere.

    marks_of: whose descriptions are needed although none is declared, "none", "declared" objects, or "all". A family whose
    first record shows no more by id is not read on.
    """
    # the live records and their fields that the plan compares with the declaration
    compared: list[tuple[Family, Record, Collection[str]]] = []
    for managed in workspaces:
        own = managed.wanted.workspace
        if own is not None and managed.record:
            compared.append((WORKSPACE, managed.record, own.fields))
        for family, rows in managed.rows.items():
            declared: dict[str, Collection[str]] = {
                normal_name(family, item.name): family.declared if marks_of == "declared" else item.fields
                for item in managed.wanted.lists.get(family, ())
                if not item.ignore
            }
            others = family.declared if marks_of == "all" else ()
            for row in rows if family.declared else ():
                compared.append((family, row, others or declared.get(normal_name(family, row[family.key]), ())))
    dark: dict[Family, list[str]] = {}
    for family, record, fields in compared:
        if not_shown(record, fields) and family not in dark:
            record.update(revealed(record, client.read(family, record["id"])))
            unknown = not_shown(record, fields)
            if unknown:
                dark[family] = unknown
    for family, missing in dark.items():
        warn(not_compared(family.plural.replace("_", " "), missing))


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
    rows.sort(key=lambda row: natural(row["name"]))
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
        lists = {
            family.plural: [_declared(family, row) for row in sorted(rows, key=lambda row: natural(row[family.key]))]
            for family, rows in ((TARGET, targets), (HTTP_LOGGER, inside))
        }
        workspaces.append({**_declared(WORKSPACE, record), **lists})
        # the targets whose names differ in their spelling only
        groups: dict[str, list[str]] = {}
        for name in sorted((row["name"] for row in targets), key=natural):
            groups.setdefault(normal_name(TARGET, name), []).append(name)
        alike += [dict(workspace=record["name"], names=names) for names in sorted(groups.values()) if len(names) > 1]
    elsewhere = sorted(
        (logger["label"] for logger in proven(Complete, loggers) if logger["id"] not in placed), key=natural
    )
    return dict(workspaces=workspaces, alike=alike, loggers_elsewhere=elsewhere)


def _declared(family: Family, row: Record) -> Record:
    """A record as it would be declared: its natural key, the id of a workspace, and the fields beside it that are not empty.
    The mark of an owner is not declared, but that it protects."""
    fields = {field: row[field] for field in family.declared if row[field]}
    if family is WORKSPACE:
        return {family.key: row[family.key], "id": row["id"], **fields}
    if family is TARGET and fields:
        text, mark = split(row["description"])
        # one that cannot be read may not be declared
        fields = {"description": text} if text and not mark.broken else {}
        fields.update({"protect": True} if mark.protected else {})
    return {family.key: row[family.key], **fields}


def _refuse_same(family: Family, rows: Iterable[Record], where: str, advice: str) -> None:
    named: dict[str, list[Record]] = {}
    for row in rows:
        named.setdefault(row[family.key], []).append(row)
    for name, doubles in named.items():
        if len(doubles) > 1:
            raise Refused(
                f"{where} has {len(doubles)} {family.noun}s named {printable(name)!r}, with the ids {ids_of(doubles)}, and an"
                f" estate cannot distinguish them: {advice}."
            )
