# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Targets: list, create, get, delete; and which names are valid."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

from .answers import Answer, Call, Refused
from .records import Record
from .store import Account, Family, StateError

TYPES = ("hostname", "ip_address", "url")
LABEL = re.compile(r"(?!-)[\w-]{1,63}(?<!-)")
SPACE_OR_CONTROL = re.compile(r"[\s\x00-\x1f\x7f]")


def is_hostname(text: str) -> bool:
    """Labels of letters (of any script), digits, hyphens and underscores, with or without a trailing dot."""
    text = text[:-1] if text.endswith(".") else text
    labels = text.split(".")
    if not 1 <= len(text) <= 253 or labels[-1].isdigit():
        return False
    return all(LABEL.fullmatch(label) for label in labels)


def is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def type_of(name: str) -> str | None:
    """The type of a target with this name, or None if the name is not valid."""
    if SPACE_OR_CONTROL.search(name) or len(name) > 2048:
        return None
    if is_address(name):
        return "ip_address"
    if "://" not in name:
        return "hostname" if is_hostname(name) else None
    try:
        parts = urlsplit(name)
        host, _port = parts.hostname or "", parts.port
    except ValueError:
        return None
    return "url" if parts.scheme in ("http", "https") and (is_hostname(host) or is_address(host)) else None


def complete(account: Account, record: Record) -> Record:
    if not isinstance(record.get("name"), str):
        raise StateError("a target needs a name")
    record["workspace_id"] = account.workspace_of(record)
    record.setdefault("description", "")
    record.setdefault("type", type_of(record["name"]) or "hostname")
    return record


FAMILY = Family(
    name="targets",
    first_id=1001,
    fields=("id", "name", "type", "description", "workspace_id"),
    unique=lambda record: (record["workspace_id"], record["name"]),
    groups=lambda record: (
        None,
        (None, record["type"]),
        (record["workspace_id"], None),
        (record["workspace_id"], record["type"]),
    ),
    complete=complete,
    needs=("workspaces",),
    paged=True,
)


def list_page(call: Call) -> Answer:
    table = call.account["targets"]
    kind = call.query.get("type")
    if kind is not None and kind not in TYPES:
        raise Refused(400, "invalid parameter type", f"type must be one of {', '.join(TYPES)}")
    workspace_id = call.listed_workspace()
    group = None if workspace_id is None and kind is None else (workspace_id, kind)
    part = call.page_of(len(table.shelf(group).records), 1000, 1000)
    records = table.page(group, part.start, part.limit, call.settings.order == "newest_first")
    return call.part(table, records, part)


def create(call: Call) -> Answer:
    form, account = call.form_fields(or_json=True), call.account
    name = form.get("name", "")
    workspace_id = call.workspace_id(form)
    if workspace_id is None:
        workspace_id = account.current_workspace
    fields = checked(call, name, workspace_id)
    table = account["targets"]
    if table.same(workspace_id, fields["name"]):
        raise Refused(409, "target already exists", f"{name} is a target of workspace {workspace_id}")
    return call.created(
        table, account.add("targets", {**fields, "description": call.settings.stored(form.get("description", ""))})
    )


def checked(call: Call, name: object, workspace_id: int | None) -> Record:
    """The fields of a new target. Refused if the name is not valid or the account does not allow the target."""
    settings = call.settings
    if not isinstance(name, str) or not name.strip():
        raise Refused(400, "invalid parameter name", "name must be a non-empty string")
    kind = type_of(name)
    if kind is None:
        raise Refused(422, "target in wrong format", "the name must be a host name, an IP address or a URL")
    if settings.normalise_targets:
        name = name.lower()
    if not settings.licence_valid:
        raise Refused(403, "the license is not valid")
    if name.lower() in (entry.lower() for entry in settings.blacklist):
        raise Refused(403, "the target is blacklisted", f"{name} may not be scanned")
    if settings.max_targets is not None and len(call.account["targets"]) >= settings.max_targets:
        raise Refused(403, "too many targets", f"the plan allows {settings.max_targets} targets")
    most = settings.max_assets
    if most is not None:
        assets = {asset_of(target["name"]) for target in call.account["targets"]}
        if asset_of(name) not in assets and len(assets) >= most:
            raise Refused(403, f"Your current plan only allows {most} assets")
    return {"name": name, "type": kind, "workspace_id": workspace_id}


def asset_of(name: str) -> str:
    """The host name or address of a target, which plans count."""
    return (urlsplit(name).hostname or name).lower() if "://" in name else name.lower()


def get(call: Call) -> Answer:
    return call.one(call.account["targets"], call.found("targets"))


def delete(call: Call) -> Answer:
    record = call.found("targets")
    if not call.settings.target_deletion:
        raise Refused(403, "the plan does not allow the deletion of targets")

    def remove() -> None:
        call.account["targets"].remove(record["id"])
        call.account["scans"].remove_group(("target", record["id"]))
        call.account["findings"].remove_group(("target", record["id"]))

    return call.deleted(remove)


OPERATIONS = (
    ("GET", "/targets", list_page),
    ("POST", "/targets", create),
    ("GET", "/targets/{id}", get),
    ("DELETE", "/targets/{id}", delete),
)
