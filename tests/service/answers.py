# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a handler gets and what it gives: one call in, one answer out, no web framework in between."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html import escape
from urllib.parse import urlencode

JSON = "application/json"
ENDLESS = 10_000_000
"""The ids of the rows of a list without end begin here."""
FORM = "application/x-www-form-urlencoded"


def dumps(value) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


@dataclass(frozen=True)
class Drip:
    """How an answer is sent slowly: a pause of `seconds` after each byte of its `part`, the head or the body."""

    seconds: float
    part: str


@dataclass
class Answer:
    """One answer. `announce` is a Content-Length that is not the body's; `ending` cuts the connection instead."""

    status: int
    body: bytes = b""
    content_type: str | None = JSON
    headers: dict = field(default_factory=dict)
    announce: int | None = None
    ending: str | None = None
    drip: Drip | None = None


class Refused(Exception):
    """The service's own error: status, message and sometimes details, as JSON."""

    def __init__(self, status: int, message: str, details: str | None = None):
        super().__init__(message)
        self.status = status
        self.message = message
        self.details = details


def error(status: int, message: str, details: str | None = None) -> Answer:
    body = {"status": status, "message": message}
    if details is not None:
        body["details"] = details
    return Answer(status, dumps(body))


def page(status: int, title: str, text: str) -> Answer:
    """An HTML page, as a web server or a gateway in front of the service sends it."""
    title, text = escape(title), escape(text)
    html = (
        f"<!DOCTYPE html>\n<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p></body></html>\n"
    )
    return Answer(status, html.encode(), "text/html; charset=utf-8")


@dataclass(frozen=True)
class Part:
    """Which rows of a list an answer holds: page `number` of pages of `limit` rows, of `total` rows in all."""

    number: int
    limit: int
    total: int

    @property
    def start(self) -> int:
        return (self.number - 1) * self.limit


@dataclass
class Call:
    """One request as the handlers see it: parsed, authorised, with the account it works on."""

    account: object
    settings: object
    method: str
    path: str
    template: str
    normal: str = ""
    """The path without the slashes that a tolerant service passes over."""
    ids: tuple = ()
    query: dict = field(default_factory=dict)
    accept: str = ""
    content_type: str | None = None
    raw: bytes = b""
    form: dict | None = None
    json: object = None
    json_error: str | None = None

    # ---- reading

    def integer(self, source: dict, name: str, default=None, least: int | None = None, most: int | None = None):
        """An integer parameter of the query or the form; 400 when it is none or out of range."""
        if name not in source:
            return default
        text = source[name]
        digits = text[1:] if isinstance(text, str) and text[:1] == "-" else text
        if not isinstance(digits, str) or not digits.isascii() or not digits.isdigit() or len(digits) > 18:
            raise Refused(400, f"invalid parameter {name}", f"{name} must be an integer")
        value = int(text)
        if (least is not None and value < least) or (most is not None and value > most):
            raise Refused(
                400,
                f"invalid parameter {name}",
                f"{name} must be {least} or more" + (f", at most {most}" if most else ""),
            )
        return value

    def form_fields(self) -> dict:
        """The form of a POST; another encoding is refused, unless the service is tolerant."""
        if self.settings.tolerant and self.content_type == JSON:
            return {name: str(value) for name, value in self.json_object().items() if value is not None}
        if self.raw and self.content_type != FORM:
            raise Refused(415, "unsupported content type", f"send the parameters as {FORM}")
        return self.form or {}

    def json_object(self) -> dict:
        """The JSON object of a body; another encoding is refused."""
        if self.raw and self.content_type != JSON:
            raise Refused(415, "unsupported content type", f"send the parameters as {JSON}")
        if self.json_error or (self.raw and not isinstance(self.json, dict)):
            raise Refused(400, "invalid parameters", "the body is not a JSON object")
        return self.json or {}

    def text(self, source: dict, name: str, status: int = 400) -> str:
        """A required text: there, a string, not blank, not longer than names may be."""
        value = source.get(name)
        if not isinstance(value, str) or not value.strip():
            raise Refused(status, f"invalid parameter {name}", f"{name} must be a string that is not empty")
        if self.settings.max_name is not None and len(value) > self.settings.max_name:
            raise Refused(
                status, f"invalid parameter {name}", f"{name} is longer than {self.settings.max_name} characters"
            )
        return value

    def workspace_id(self, source: dict):
        """The workspace that a parameter names, None if it names none; 404 for one that does not exist."""
        workspace_id = self.integer(source, "workspace_id")
        if workspace_id is not None and self.account["workspaces"].get(workspace_id) is None:
            raise Refused(404, "invalid workspace_id", f"there is no workspace {workspace_id}")
        return workspace_id

    def listed_workspace(self, default: bool = True):
        """The workspace that a list is asked for; None for all of them, -1 for one that does not exist. `default` is
        whether a list without the parameter may be that of the current workspace."""
        if "workspace_id" in self.settings.ignored_filters:
            return None
        try:
            workspace_id = self.workspace_id(self.query)
        except Refused as refused:
            if refused.status != 404 or self.settings.unknown_workspace == 404:
                raise
            return -1
        if workspace_id is None and default and self.settings.omitted_workspace == "current":
            return self.account.current_workspace
        return workspace_id

    def flag(self, name: str) -> bool | None:
        """A parameter of the query that is true or false; None where it is missing."""
        text = self.query.get(name)
        if text is None:
            return None
        text = text.lower() if self.settings.tolerant else text
        if text not in ("true", "false"):
            raise Refused(400, f"invalid parameter {name}", f"{name} must be true or false")
        return text == "true"

    def filter_id(self, name: str):
        """The id by which a list is filtered; None for none, and for one that the service passes over."""
        return None if name in self.settings.ignored_filters else self.integer(self.query, name)

    def page_of(self, total: int, default: int | None, most: int | None = None) -> Part:
        """The part of a list of `total` records that `limit` and `page` ask for."""
        settings = self.settings
        limit = self.integer(self.query, "limit", default or total or 1, 1, settings.max_limit or most)
        number = 1 if settings.ignore_page else self.integer(self.query, "page", 1, 1)
        if settings.page_cap:
            limit = min(limit, settings.page_cap)
        if number > 1 and settings.past_end == 404 and (number - 1) * limit >= total:
            raise Refused(404, "no such page", f"page {number} is past the end")
        return Part(number, limit, total)

    def found(self, family: str) -> dict:
        """The record that the path names; 404 when there is none."""
        record = self.account[family].get(self.ids[0])
        if record is None:
            raise Refused(404, f"no data for id {self.ids[0]}")
        return record

    def asks_for(self, content_type: str) -> bool:
        """Whether the Accept header names this form of answer."""
        return content_type in {part.partition(";")[0].strip().lower() for part in self.accept.split(",")}

    # ---- answering

    def one(self, table, record) -> Answer:
        return Answer(200, b'{"data":' + table.row(record, self.settings) + b"}")

    def many(self, table, group) -> Answer:
        """A list that the service documents without pages."""
        return self.rows(table, table.page(group, 0, None, self.settings.order == "newest_first"))

    def rows(self, table, records: list) -> Answer:
        """A list of these records, as they are ordered; some lists are cut, and of some of these more can be asked for."""
        name, settings, total = table.family.name, self.settings, len(records)
        part = Part(1, settings.capped_lists.get(name) or total or 1, total)
        if name in settings.paged_lists:
            number = self.integer(self.query, "page", 1, 1)
            part = Part(number, min(part.limit, self.integer(self.query, "limit", part.limit, 1)), total)
        return self.part(table, records[part.start : part.start + part.limit], part)

    def part(self, table, records: list, part: Part) -> Answer:
        """These records, which are a part of a list."""
        shown = [table.row(record, self.settings, True) for record in records]
        if self.settings.endless_lists:
            shown += self._more_rows(table, part, len(shown))
        rows = b"[" + b",".join(shown) + b"]"
        if self.settings.lists == "bare":
            return Answer(200, rows)
        beside = {"nothing": {}, "total": {"meta": {"total": part.total}}, "pages": self._pages(part)}
        more = b"".join(
            b"," + dumps(name) + b":" + dumps(value) for name, value in beside[self.settings.beside_data].items()
        )
        return Answer(200, b'{"data":' + rows + more + b"}")

    def _more_rows(self, table, part: Part, there: int) -> list[bytes]:
        """Rows that fill the page, with ids that no other page has: a list that never ends."""
        last = next(iter(reversed(table.shelf(None).records)), None)
        if last is None:
            return []
        rows = []
        for number in range(part.start + there, part.start + part.limit):
            record = {**last, "id": ENDLESS + number}
            if "id" not in table.family.fields:
                record["name"] = f"{last['name']} {number}"
            rows.append(dumps(table.public(record, self.settings, True)))
        return rows

    def _pages(self, part: Part) -> dict:
        last = max(1, -(-part.total // part.limit))
        query = urlencode({**self.query, "page": part.number + 1})
        meta = {"total": part.total, "per_page": part.limit, "current_page": part.number, "last_page": last}
        return {"meta": meta, "links": {"next": f"{self.path}?{query}" if part.number < last else None}}

    def created(self, table, record) -> Answer:
        form = self.settings.create_answer
        if form == "nothing":
            return Answer(self.settings.create_status, b"", None)
        if form == "record":
            body = b'{"data":' + table.row(record, self.settings) + b"}"
        else:
            body = dumps({"data": {"created_id": record["id"]}})
        return Answer(self.settings.create_status, body)

    def done(self) -> Answer:
        return Answer(204, b"", None)

    def deleted(self) -> Answer:
        if self.settings.delete_status == 200:
            return Answer(200, dumps({"data": {}}))
        return self.done()
