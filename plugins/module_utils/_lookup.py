# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Finding objects: which workspace a task means, which live object a declaration means. Reads only."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

from ._contents import Contents, confirm_place
from ._errors import Refused, printable
from ._given import UNKNOWN_ID
from ._resources import HTTP_LOGGER, TARGET, WORKSPACE

_NAMES_LISTED = 20


class Place(NamedTuple):
    """The workspace that a task refers to. id: int or None; name: str or None; declared: bool; missing: bool, declared
    by a name that does not exist (yet)."""

    id: int | None = None
    name: str | None = None
    declared: bool = False
    missing: bool = False

    @property
    def query(self):
        return {"workspace_id": self.id} if self.id is not None else {}

    def __str__(self):
        if self.name is not None:
            return f"workspace {printable(self.name)!r}"
        return "the workspace that an earlier task would have made" if self.id is None else f"workspace {self.id}"


NOWHERE = Place()


def place_of(task):
    """The Place of the task's workspace reference; 1 GET when it is given by name.

    An unknown name is a refusal, except that in check mode, and where something is to be absent, it is ``missing``.
    """
    name, object_id = task.params.get("workspace"), task.params.get("workspace_id")
    if name is None and object_id is None:
        return NOWHERE
    if object_id is not None:
        if object_id == UNKNOWN_ID:
            task.warn_foreseen("the workspace")
            return Place(declared=True, missing=True)
        return Place(id=object_id, declared=True)
    not_empty("workspace", name)
    rows = task.client.all(WORKSPACE)
    row = match(WORKSPACE, rows, name, options=("workspace", "workspace_id"))
    if row is not None:
        return Place(row["id"], name, declared=True)
    if task.check_mode and task.params.get("state") != "absent":
        task.warn_foreseen(f"workspace {printable(name)!r}")
    elif task.params.get("state") != "absent":
        alike = look_alike([name], [row["name"] for row in rows])
        raise Refused(
            f"workspace names no workspace of this account, {printable(name)!r}: {what_there_is(rows)}; correct the name"
            f" or declare it with scanops.scanner.workspace first.{f' {alike}' if alike else ''}"
        )
    else:
        task.warn(
            f"No workspace is called {printable(name)!r}, so nothing in it can be deleted: correct the name if it is"
            " misspelt."
        )
    return Place(name=name, declared=True, missing=True)


def look_alike(declared, live=()):
    """A sentence on the first two different names that look the same, a declared one among them; "" where none do.

    An accented letter is one character (NFC) or two (NFD): as declared, these are two names.
    """
    forms = {}
    for name in (*declared, *live):
        if not name.isascii():
            forms.setdefault(unicodedata.normalize("NFC", name), {})[name] = True
    for name in declared:
        others = [other for other in forms.get(unicodedata.normalize("NFC", name), ()) if other != name]
        if others:
            return (
                f"{printable(name)!r} ({name!a}) and {others[0]!a} look the same and are two names: their accented"
                " letters are encoded in different ways (Unicode NFC and NFD)."
            )
    return ""


def what_there_is(rows):
    """The names of workspaces as a clause for a message."""
    return f"there are {listed(sorted(row['name'] for row in rows))}" if rows else "there are none"


def listed(names):
    """The first of some names, for a message, and how many more there are."""
    shown = ", ".join(repr(printable(name, 60)) for name in names[:_NAMES_LISTED])
    return shown + (f" and {len(names) - _NAMES_LISTED} more" if len(names) > _NAMES_LISTED else "")


def not_empty(option, value):
    """Refuse an empty name."""
    if not value.strip():
        raise Refused(f"{option} is empty: give the name of the object.")


def match(resource, rows, wanted, normal_form=None, options=None):
    """The one row that ``wanted`` names: exactly, else by its normal form; None where there is none.

    Two rows are a refusal that lists their ids. options: the names of the options for the name and for the id. Pure.
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


def find_by_key(client, resource, wanted, query=None, normal_form=None, whole=False, seen=None):
    """The live record that ``wanted`` names, or None; stops reading at an exact match.

    whole: read until an empty page before saying that there is none, as a server may cap its pages. Costs 2 GET more where
    a workspace is asked for and the record does not name its own. seen: a list that gets the names that were read, or None.
    """
    record = _find_by_key(client, resource, wanted, query or {}, normal_form, whole, [] if seen is None else seen)
    if record and query and "workspace_id" in query:
        confirm_place(client, resource, record, query["workspace_id"])
    return record


def _find_by_key(client, resource, wanted, query, normal_form, whole, seen):
    near = []
    place_id = query.get("workspace_id")
    for page in client.pages(resource, query, whole):
        # a service that ignores the filter must not make a task take another workspace's object
        page = [row for row in page if place_id is None or row.get("workspace_id") in (None, place_id)]
        exact = [row for row in page if row[resource.key] == wanted]
        if exact:
            return match(resource, exact, wanted)
        seen += [row[resource.key] for row in page]
        if normal_form:
            normal = normal_form(wanted)
            near += [row for row in page if normal_form(row[resource.key]) == normal]
    return match(resource, near, wanted, normal_form) if near else None


def find(task, resource, place=NOWHERE, normal_form=None, whole=False):
    """The live record that the task's id or natural key means, or None; refuses one that lives in another workspace."""
    params = task.params
    if params.get("id") is not None:
        record = task.client.read(resource, params["id"])
        return record and _in_place(task, resource, record, place)
    wanted = params[resource.key]
    not_empty(resource.key, wanted)
    seen = []
    if resource is HTTP_LOGGER:
        # labels are unique among all loggers, so a label of another workspace must be seen as well
        record = find_by_key(task.client, resource, wanted, seen=seen)
        _warn_alike(task, record, wanted, seen)
        return record and _in_place(task, resource, record, place)
    if place.missing:
        return None
    record = find_by_key(task.client, resource, wanted, place.query, normal_form, whole, seen)
    _warn_alike(task, record, wanted, seen)
    return record


def _warn_alike(task, record, wanted, seen):
    alike = record is None and look_alike([wanted], seen)
    if alike:
        task.warn(alike)


def _in_place(task, resource, record, place):
    if not place.declared:
        return record
    if in_place(task.client, resource, record, place):
        # nothing is deleted in the wrong workspace; a logger that stays is not worth the calls
        if resource is not HTTP_LOGGER or task.params.get("state") == "absent":
            confirm_place(task.client, resource, record, place.id)
        return record
    if task.params.get("state") == "absent":
        task.warn(
            f"{resource.noun} {printable(record[resource.key])!r} (id {record['id']}) is not in {place}, but in another"
            " workspace; it is left alone."
        )
        return None
    raise Refused(
        f"{resource.noun} {printable(record[resource.key])!r} (id {record['id']}) is not in {place}, but in another"
        " workspace: correct the workspace or leave it out."
    )


def in_place(client, resource, record, place):
    """Whether a record lives in a workspace; where the record does not say (loggers) at the cost of the workspace's
    list."""
    if place.missing:
        return False
    if record.get("workspace_id") is not None:
        return record["workspace_id"] == place.id
    return any(row["id"] == record["id"] for page in client.pages(resource, place.query) for row in page)


def information(task, resource, normal_form=None, query=None):
    """The records that an _info task asks for, a list; empty where there is none.

    query: filters that the service applies, a dict.
    """
    params = task.params
    place = place_of(task)
    if params.get("id") == UNKNOWN_ID:
        task.warn_foreseen(f"the {resource.noun}")
        return []
    if place.missing:
        return []
    if resource is TARGET:
        warn_current_workspace(task, place)
    filters = dict(place.query, **(query or {}))
    if params.get("id") is not None:
        record = task.client.read(resource, params["id"])
        if record is None or (place.declared and not in_place(task.client, resource, record, place)):
            return []
        return [record]
    wanted = params.get(resource.key)
    if wanted is None and resource is TARGET and place.declared:
        return list(Contents(task.client, [(place.id, resource)], filters=query)[resource, place.id])
    if wanted is None:
        return list(task.client.all(resource, filters))
    not_empty(resource.key, wanted)
    if resource.paged:
        record = find_by_key(task.client, resource, wanted, filters, normal_form, whole=True)
        return [record] if record else []
    return [row for row in task.client.all(resource, filters) if row[resource.key] == wanted]


def warn_current_workspace(task, place):
    """Warn where a target is named without a workspace: the service then takes its current one."""
    if not place.declared and task.params.get("id") is None:
        task.warn(
            "no workspace is given, so the service uses its current one, which people change in the web application; set"
            " workspace or workspace_id."
        )
