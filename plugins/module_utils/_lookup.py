# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Finds the workspace that a task refers to, and the live object that a declaration means. Only reads."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Optional

from ._contents import Contents, confirm_place
from ._errors import Refused, WrongOption, printable
from ._families.family import Family
from ._families.workspace import WORKSPACE
from ._http.client import Client
from ._http.list_cache import CachedList
from ._raw_options import UNKNOWN_ID
from ._records import Record
from ._task import Task

_NAMES_LISTED = 20

# maps all names of one object to the same text; None where names are compared as they are
NormalForm = Optional[Callable[[str], str]]
# parameters of a list
Query = dict[str, Any]


class Place(NamedTuple):
    """The workspace that a task refers to. missing: the declared workspace does not exist (yet)."""

    id: int | None = None
    name: str | None = None
    declared: bool = False
    missing: bool = False

    @property
    def query(self) -> Query:
        return {"workspace_id": self.id} if self.id is not None else {}

    def __str__(self) -> str:
        if self.name is not None:
            return f"workspace {printable(self.name)!r}"
        return "the workspace that an earlier task would have created" if self.id is None else f"workspace {self.id}"


NOWHERE = Place()


def place_of(task: Task) -> Place:
    """The Place that the task's options name; costs 1 GET for a name.

    Refuses an unknown name, except in check mode and for ``state: absent``, where the Place is ``missing``.
    """
    name, object_id = task.params.get("workspace"), task.params.get("workspace_id")
    if object_id is not None:
        if object_id == UNKNOWN_ID:
            task.warn_foreseen("the workspace")
            return Place(declared=True, missing=True)
        return Place(id=object_id, declared=True)
    if name is None:
        return NOWHERE
    not_empty("workspace", name)
    rows = task.client.listed(WORKSPACE)
    row = match(WORKSPACE, rows, name, options=("workspace", "workspace_id"))
    if row is not None:
        return Place(row["id"], name, declared=True)
    if task.check_mode and task.params.get("state") != "absent":
        task.warn_foreseen(f"workspace {printable(name)!r}")
    elif task.params.get("state") != "absent":
        alike = look_alike([name], [row["name"] for row in rows])
        raise Refused(
            f"workspace {printable(name)!r} does not exist: {existing_workspaces(rows)}. Correct the name, or declare the"
            f" workspace with scanops.scanner.workspace first.{f' {alike}' if alike else ''}"
        )
    else:
        task.warn(
            f"workspace {printable(name)!r} does not exist, so nothing is deleted. Correct the name if it is misspelt."
        )
    return Place(name=name, declared=True, missing=True)


def look_alike(declared: Sequence[str], live: Iterable[str] = ()) -> str:
    """A sentence on the first declared name that looks the same as another name, or "".

    An accented letter is one character (NFC) or two (NFD), so one visible name can be two names.
    """
    forms: dict[str, dict[str, bool]] = {}
    for name in (*declared, *live):
        if not name.isascii():
            forms.setdefault(unicodedata.normalize("NFC", name), {})[name] = True
    for name in declared:
        others = [other for other in forms.get(unicodedata.normalize("NFC", name), ()) if other != name]
        if others:
            return (
                f"{printable(name)!r} ({name!a}) and {others[0]!a} look the same but are different names: their accented"
                " letters are encoded in different ways (Unicode NFC and NFD)."
            )
    return ""


def existing_workspaces(rows: Sequence[Record]) -> str:
    """The names of the account's workspaces, a clause for a message."""
    return f"the account has {listed(sorted(row['name'] for row in rows))}" if rows else "the account has none"


def listed(names: Sequence[str]) -> str:
    """The first names, for a message, and the number of the others."""
    shown = ", ".join(repr(printable(name, 60)) for name in names[:_NAMES_LISTED])
    return shown + (f" and {len(names) - _NAMES_LISTED} more" if len(names) > _NAMES_LISTED else "")


def not_empty(option: str, value: str) -> None:
    """Refuse an empty name. Raises WrongOption."""
    if not value.strip():
        raise WrongOption(f"{option} is empty: give the name of the object.")


def match(
    resource: Family,
    rows: Iterable[Record],
    wanted: str,
    normal_form: NormalForm = None,
    options: tuple[str, str] | None = None,
) -> Record | None:
    """The only row that ``wanted`` names exactly, else in normal form; None if no row has this name.

    Refuses several rows and lists their ids. options: the names of the options for the name and for the id. Pure.
    """
    found = [row for row in rows if row[resource.key] == wanted]
    if not found and normal_form:
        normal = normal_form(wanted)
        found = [row for row in rows if normal_form(row[resource.key]) == normal]
    if len(found) > 1:
        ids = ", ".join(str(row["id"]) for row in sorted(found, key=lambda row: row["id"]))
        by_name, by_id = options or (resource.key, "id")
        raise Refused(
            f"{by_name} {printable(wanted)!r} names {len(found)} {resource.noun}s, with the ids {ids}: give {by_id}"
            " instead."
        )
    return found[0] if found else None


def find_by_key(
    client: Client,
    resource: Family,
    wanted: str,
    query: Query | None = None,
    normal_form: NormalForm = None,
    whole: bool = False,
) -> Record | None:
    """The live record that ``wanted`` names, or None; stops reading at an exact match.

    whole: whether to read until an empty page before returning None, because a server may cap its pages. Costs 2 more GET
    calls if the query has a workspace and the record does not name its own.
    """
    return _search(client, resource, wanted, query, normal_form, whole).record


class _Found(NamedTuple):
    """What a search by name led to. names: those that were read before an exact match, as ``look_alike`` needs them."""

    record: Record | None
    names: list[str]


def _search(
    client: Client,
    resource: Family,
    wanted: str,
    query: Query | None = None,
    normal_form: NormalForm = None,
    whole: bool = False,
) -> _Found:
    place_id = (query or {}).get("workspace_id")
    found = _search_pages(client, resource, wanted, query or {}, normal_form, whole)
    if found.record and place_id is not None:
        confirm_place(client, resource, found.record, place_id)
    return found


def _search_pages(
    client: Client, resource: Family, wanted: str, query: Query, normal_form: NormalForm, whole: bool
) -> _Found:
    near: list[Record] = []
    names: list[str] = []
    place_id = query.get("workspace_id")
    cached = client.cached(resource, query, whole)
    if cached is not None:
        return _search_cached(cached, resource, wanted, normal_form)
    for page in client.pages(resource, query, whole):
        # the object of another workspace must not be taken, even if the service ignores the filter
        rows = [row for row in page if place_id is None or row.get("workspace_id") in (None, place_id)]
        exact = [row for row in rows if row[resource.key] == wanted]
        if exact:
            return _Found(match(resource, exact, wanted), names)
        names += [row[resource.key] for row in rows]
        if normal_form:
            normal = normal_form(wanted)
            near += [row for row in rows if normal_form(row[resource.key]) == normal]
    return _Found(match(resource, near, wanted, normal_form) if near else None, names)


def _search_cached(cached: CachedList, resource: Family, wanted: str, normal_form: NormalForm) -> _Found:
    exact = cached.exact(wanted)
    if exact:
        return _Found(match(resource, exact, wanted), [])
    near = cached.near(wanted, normal_form) if normal_form else []
    return _Found(match(resource, near, wanted, normal_form) if near else None, cached.beyond_ascii)


def find(
    task: Task, resource: Family, place: Place = NOWHERE, normal_form: NormalForm = None, whole: bool = False
) -> Record | None:
    """The live record that the task's id or natural key means, or None; refuses a record of another workspace."""
    params = task.params
    if params.get("id") is not None:
        record = task.client.read(resource, params["id"])
        return record and _in_place(task, resource, record, place)
    wanted = params[resource.key]
    not_empty(resource.key, wanted)
    if resource.key_is_account_wide:
        # the key may be taken in another workspace
        found = _search(task.client, resource, wanted, whole=whole)
        _warn_alike(task, wanted, found)
        return found.record and _in_place(task, resource, found.record, place)
    if place.missing:
        return None
    found = _search(task.client, resource, wanted, place.query, normal_form, whole)
    _warn_alike(task, wanted, found)
    return found.record


def _warn_alike(task: Task, wanted: str, found: _Found) -> None:
    alike = look_alike([wanted], found.names) if found.record is None else ""
    if alike:
        task.warn(alike)


def _in_place(task: Task, resource: Family, record: Record, place: Place) -> Record | None:
    if not place.declared:
        return record
    if in_place(task.client, resource, record, place):
        # checked before each deletion; otherwise an account-wide key names the right object in any case
        if place.id is not None and (not resource.key_is_account_wide or task.params.get("state") == "absent"):
            confirm_place(task.client, resource, record, place.id)
        return record
    if task.params.get("state") == "absent":
        task.warn(
            f"{resource.noun} {printable(record[resource.key])!r} (id {record['id']}) is not in {place}, but in another"
            " workspace; it is not changed."
        )
        return None
    raise Refused(
        f"{resource.noun} {printable(record[resource.key])!r} (id {record['id']}) is not in {place}, but in another"
        " workspace: correct the workspace or leave it out."
    )


def in_place(client: Client, resource: Family, record: Record, place: Place) -> bool:
    """Whether a record is in a workspace; reads the list of the workspace if the record does not name one (loggers)."""
    if place.missing:
        return False
    if record.get("workspace_id") is not None:
        return bool(record["workspace_id"] == place.id)
    cached = client.cached(resource, place.query)
    pages = client.pages(resource, place.query) if cached is None else [cached.rows()]
    return any(row["id"] == record["id"] for page in pages for row in page)


def information(
    task: Task, resource: Family, normal_form: NormalForm = None, query: Query | None = None
) -> list[Record]:
    """The records that an _info task asks for. query: filters that the service applies."""
    params = task.params
    place = place_of(task)
    if params.get("id") == UNKNOWN_ID:
        task.warn_foreseen(f"the {resource.noun}")
        return []
    if place.missing:
        return []
    if resource.uses_current_workspace:
        warn_current_workspace(task, place)
    filters = dict(place.query, **(query or {}))
    if params.get("id") is not None:
        record = task.client.read(resource, params["id"])
        if record is None or (place.declared and not in_place(task.client, resource, record, place)):
            return []
        return [record]
    wanted = params.get(resource.key)
    if wanted is None and resource.uses_current_workspace and place.id is not None:
        return list(Contents(task.client, [(place.id, resource)], filters=query)[resource, place.id])
    if wanted is None:
        return list(task.client.all(resource, filters))
    not_empty(resource.key, wanted)
    if resource.paged:
        record = find_by_key(task.client, resource, wanted, filters, normal_form, whole=True)
        return [record] if record else []
    return [row for row in task.client.all(resource, filters) if row[resource.key] == wanted]


def warn_current_workspace(task: Task, place: Place) -> None:
    """Warn if a target is named without a workspace: the service then uses its current one."""
    if not place.declared and task.params.get("id") is None:
        task.warn(
            "No workspace is given, so the service uses its current one, which people change in the web application. Set"
            " workspace or workspace_id."
        )
