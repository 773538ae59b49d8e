# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Workspaces: list, create, get, update, delete."""

from __future__ import annotations

from .answers import Answer, Call, Refused
from .records import Record
from .store import Account, Family, StateError


def complete(account: Account, record: Record) -> Record:
    if not isinstance(record.get("name"), str):
        raise StateError("a workspace needs a name")
    record.setdefault("description", "")
    return record


FAMILY = Family(
    name="workspaces",
    first_id=1,
    fields=("id", "name", "description"),
    unique=lambda record: (record["name"],),
    complete=complete,
)


def list_all(call: Call) -> Answer:
    return call.many(call.account["workspaces"], None)


def create(call: Call) -> Answer:
    form = call.form_fields()
    name = call.settings.stored(call.text(form, "name"))
    table = call.account["workspaces"]
    if table.same(name):
        raise Refused(409, "workspace already exists", f"a workspace named {name!r} exists")
    return call.created(
        table,
        call.account.add(
            "workspaces", {"name": name, "description": call.settings.stored(form.get("description", ""))}
        ),
    )


def get(call: Call) -> Answer:
    return call.one(call.account["workspaces"], call.found("workspaces"))


def update(call: Call) -> Answer:
    record = call.found("workspaces")
    body = call.json_object()
    changes: Record = {name: body[name] for name in ("name", "description") if name in body}
    for name, value in changes.items():
        if not (call.fits(value) if name == "name" else isinstance(value, str)):
            raise Refused(422, f"invalid parameter {name}", f"{name} is not a string, or too long")
    # at least one must be valid; the other one is ignored
    empty_is_valid = call.settings.empty_description == "valid"
    if not changes.get("name", "").strip():
        changes.pop("name", None)
    if not (changes.get("description") or empty_is_valid):
        changes.pop("description", None)
    if not changes:
        raise Refused(400, "invalid parameters", "a valid name or description is required")
    changes = {name: call.settings.stored(value) for name, value in changes.items()}
    table = call.account["workspaces"]
    other = table.same(changes["name"]) if "name" in changes else None
    if other and other is not record:
        raise Refused(409, "workspace already exists", f"another workspace is named {changes['name']!r}")
    cleared = {"name": "", "description": ""} if call.settings.put_replaces else {}
    table.change(record, {**cleared, **changes})
    form = call.settings.update_answer
    return call.one(table, record) if form == "record" else Answer(200, b"", None) if form == "empty" else call.done()


def delete(call: Call) -> Answer:
    record = call.found("workspaces")
    if record["id"] == call.account.current_workspace:
        raise Refused(409, "the current workspace cannot be deleted")

    def remove() -> None:
        call.account["targets"].remove_group((record["id"], None))
        call.account["http_loggers"].remove_group(record["id"])
        call.account["scans"].remove_group(("workspace", record["id"]))
        call.account["findings"].remove_group(("workspace", record["id"]))
        call.account["workspaces"].remove(record["id"])

    return call.deleted(remove)


OPERATIONS = (
    ("GET", "/workspaces", list_all),
    ("POST", "/workspaces", create),
    ("GET", "/workspaces/{id}", get),
    ("PUT", "/workspaces/{id}", update),
    ("DELETE", "/workspaces/{id}", delete),
)
