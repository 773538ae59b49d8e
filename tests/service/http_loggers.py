# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""HTTP loggers: list, create, get, delete; read, delete and record requests."""

from __future__ import annotations

import base64
import time

from .answers import Answer, Call, Refused, dumps
from .records import Record
from .shapes import shaped
from .store import Account, Family, StateError

REQUEST_FIELDS: Record = {
    "ip_address": "192.0.2.1",
    "request_method": "GET",
    "url_params": "",
    "user_agent": "",
    "os": "Unknown",
    "http_headers": [],
    "request_body_type": "text",
    "request_body_base64": "",
    "request_date": "2024-05-17 08:30:00",
}


def complete(account: Account, record: Record) -> Record:
    if not isinstance(record.get("label"), str):
        raise StateError("an HTTP logger needs a label")
    record["workspace_id"] = account.workspace_of(record)
    record.setdefault("active_days", 30)
    record.setdefault("requests_left", 100)
    captured = record.pop("requests", [])
    record["requests"] = []
    token = account.token_for(record)
    record.setdefault("handler_url", f"{account.origin}/h/{token}")
    for request in captured:
        capture(record, request)
    return record


FAMILY = Family(
    name="http_loggers",
    first_id=501,
    fields=("id", "label", "handler_url", "active_days", "num_requests", "requests_left"),
    unique=lambda record: (record["label"],),
    groups=lambda record: (None, record["workspace_id"]),
    complete=complete,
    derived=lambda record: {"num_requests": len(record["requests"])},
    needs=("workspaces",),
)


def capture(logger: Record, request: object) -> None:
    """Add a captured request, and the fields that it leaves out. Raises StateError."""
    if not isinstance(request, dict) or set(request) - {*REQUEST_FIELDS, "id"}:
        raise StateError(f"a captured request is an object with some of {', '.join(['id', *REQUEST_FIELDS])}")
    last = logger["requests"][-1]["id"] if logger["requests"] else logger.get("last_request_id", 0)
    captured = {"id": last + 1, **REQUEST_FIELDS, **request}
    logger["last_request_id"] = captured["id"]
    logger["requests"].append(captured)


def system_of(user_agent: str) -> str:
    for mark, name in (
        ("Windows", "Windows"),
        ("Android", "Android"),
        ("iPhone", "iOS"),
        ("Mac OS", "macOS"),
        ("Linux", "Linux"),
    ):
        if mark in user_agent:
            return name
    return "Unknown"


def captured_fields(
    address: str | None, method: str, query: str, headers: list[tuple[str, str]], body: bytes, now: float
) -> Record:
    """The documented fields of a request that arrived at a handler address."""
    agent = next((value for name, value in headers if name.lower() == "user-agent"), "")
    try:
        body.decode()
        kind = "text"
    except UnicodeDecodeError:
        kind = "binary"
    return {
        "ip_address": address,
        "request_method": method,
        "url_params": query,
        "user_agent": agent,
        "os": system_of(agent),
        "http_headers": [f"{name}: {value}" for name, value in headers],
        "request_body_type": kind,
        "request_body_base64": base64.b64encode(body).decode(),
        "request_date": time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(now)),
    }


def list_all(call: Call) -> Answer:
    # without the parameter, the service lists the loggers of all workspaces
    return call.many(call.account["http_loggers"], call.listed_workspace(default=False, unknown="empty"))


def create(call: Call) -> Answer:
    form = call.form_fields()
    label = call.settings.stored(call.text(form, "label"))
    sources = {"either": {**form, **call.query}, "query": call.query, "form": form}
    settings = call.settings
    # "empty" is the answer to a list
    unknown = 404 if settings.unknown_workspace == 404 else 400
    workspace_id = call.workspace_id(sources[settings.logger_workspace], unknown)
    if workspace_id is None:
        workspace_id = call.account.current_workspace
    table = call.account["http_loggers"]
    if table.same(label):
        raise Refused(409, "HTTP logger already exists", f"a logger with the label {label!r} exists")
    return call.created(table, call.account.add("http_loggers", {"label": label, "workspace_id": workspace_id}))


def get(call: Call) -> Answer:
    return call.one(call.account["http_loggers"], call.found("http_loggers"))


def delete(call: Call) -> Answer:
    record = call.found("http_loggers")
    return call.deleted(lambda: call.account["http_loggers"].remove(record["id"]))


def get_data(call: Call) -> Answer:
    requests = [shaped("", dict(each), call.settings) for each in call.found("http_loggers")["requests"]]
    return Answer(200, dumps({"data": requests if call.settings.logger_data == "array" else {"requests": requests}}))


def clear_data(call: Call) -> Answer:
    record = call.found("http_loggers")

    def clear() -> None:
        record["requests"].clear()
        call.account["http_loggers"].touch(record)

    return call.deleted(clear)


OPERATIONS = (
    ("GET", "/http_loggers", list_all),
    ("POST", "/http_loggers", create),
    ("GET", "/http_loggers/{id}", get),
    ("DELETE", "/http_loggers/{id}", delete),
    ("GET", "/http_loggers/{id}/data", get_data),
    ("DELETE", "/http_loggers/{id}/data", clear_data),
)
