# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a handler takes and returns: a call and an answer, independent of the web framework."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, overload
from urllib.parse import urlencode

from .records import Record
from .settings import Settings

if TYPE_CHECKING:
    from .store import Account, Table

BASE = "/api/v2"
JSON = "application/json"
AFTER = "after-"
"""A cursor is this and the number of the page that it follows."""
CURSOR = re.compile(f"{AFTER}\\d{{1,9}}")
ENDLESS = 10_000_000
"""The first id of the rows that fill an endless list."""
FORM = "application/x-www-form-urlencoded"


def dumps(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


@dataclass(frozen=True)
class Drip:
    """Send an answer slowly: a pause of `seconds` after each byte of its `part`, the head or the body."""

    seconds: float
    part: str


@dataclass
class Answer:
    """One answer. `announce` replaces the Content-Length of the body; `ending` cuts the connection instead of answering."""

    status: int
    body: bytes = b""
    content_type: str | None = JSON
    headers: dict[str, str] = field(default_factory=dict)
    announce: int | None = None
    ending: str | None = None
    drip: Drip | None = None


class Refused(Exception):
    """An error answer of the service: status, message and sometimes details, as JSON. The status "null" is an answer
    without data."""

    def __init__(self, status: int | str, message: str, details: str | None = None):
        super().__init__(message)
        self.status = status
        self.message = message
        self.details = details


def error(status: int, message: str, details: str | None = None) -> Answer:
    body: Record = {"status": status, "message": message}
    if details is not None:
        body["details"] = details
    return Answer(status, dumps(body))


def page(status: int, title: str, text: str) -> Answer:
    """An HTML page, as a web server or a gateway in front of the service sends one."""
    title, text = escape(title), escape(text)
    html = (
        f"<!DOCTYPE html>\n<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p></body></html>\n"
    )
    return Answer(status, html.encode(), "text/html; charset=utf-8")


@dataclass(frozen=True)
class Part:
    """The rows of a list that an answer contains: page `number`, with `limit` rows a page and `total` rows in the list."""

    number: int
    limit: int
    total: int
    by_offset: bool = False
    """Whether the next page is requested by `offset` in place of `page`."""

    @property
    def start(self) -> int:
        return (self.number - 1) * self.limit


@dataclass
class Call:
    """A parsed and authorised request, with the account that it works on."""

    account: Account
    settings: Settings
    method: str
    path: str
    template: str
    normal: str = ""
    """The path without a slash at its end and without repeated slashes."""
    ids: tuple[int, ...] = ()
    query: dict[str, str] = field(default_factory=dict)
    accept: str = ""
    content_type: str | None = None
    raw: bytes = b""
    form: dict[str, str] | None = None
    json: object = None
    json_error: str | None = None

    # ---- reading

    @overload
    def integer(
        self, source: Mapping[str, str], name: str, default: int, least: int | None = ..., most: int | None = ...
    ) -> int:
        """Return a number."""

    @overload
    def integer(
        self, source: Mapping[str, str], name: str, default: None = ..., least: int | None = ..., most: int | None = ...
    ) -> int | None:
        """Return a number."""

    def integer(
        self,
        source: Mapping[str, str],
        name: str,
        default: int | None = None,
        least: int | None = None,
        most: int | None = None,
    ) -> int | None:
        """An integer parameter of the query or the form. Refused with 400 if it is not an integer or out of range."""
        if name not in source:
            return default
        text = source[name]
        digits = text.removeprefix("-")
        if not digits.isascii() or not digits.isdigit() or len(digits) > 18:
            raise Refused(400, f"invalid parameter {name}", f"{name} must be an integer")
        value = int(text)
        if (least is not None and value < least) or (most is not None and value > most):
            raise Refused(
                400,
                f"invalid parameter {name}",
                f"{name} must be {least} or more" + (f", at most {most}" if most else ""),
            )
        return value

    def form_fields(self, or_json: bool = False) -> dict[str, str]:
        """The form of a POST, or its JSON object. Other encodings are refused."""
        if or_json and self.content_type == JSON:
            return {name: str(value) for name, value in self.json_object().items() if value is not None}
        if self.raw and self.content_type != FORM:
            raise Refused(400, "invalid parameters", f"send the parameters as {FORM}")
        return self.form or {}

    def json_object(self) -> Record:
        """The JSON object in the body. Other encodings are refused."""
        if self.raw and self.content_type != JSON:
            raise Refused(400, "invalid parameters", f"send the parameters as {JSON}")
        if self.json_error or (self.raw and not isinstance(self.json, dict)):
            raise Refused(400, "invalid parameters", "the body is not a JSON object")
        return self.json if isinstance(self.json, dict) else {}

    def fits(self, value: object) -> bool:
        """Whether a value is a string that is no longer than names may be."""
        most = self.settings.max_name
        return isinstance(value, str) and (most is None or len(value) <= most)

    def text(self, source: Mapping[str, str], name: str) -> str:
        """A required string that is neither blank nor longer than names may be."""
        value = source.get(name, "")
        if not value.strip():
            raise Refused(400, f"invalid parameter {name}", f"{name} must be a non-empty string")
        if not self.fits(value):
            raise Refused(
                400, f"invalid parameter {name}", f"{name} is longer than {self.settings.max_name} characters"
            )
        return value

    def workspace_id(self, source: Mapping[str, str], unknown: int | str = 404) -> int | None:
        """The workspace that the parameters name, None without one. If it does not exist, the call is refused with the
        status `unknown`, or with "empty" the result is -1."""
        workspace_id = self.integer(source, "workspace_id")
        if workspace_id is not None and self.account["workspaces"].get(workspace_id) is None:
            if isinstance(unknown, str):
                return -1
            raise Refused(unknown, "invalid workspace_id", f"workspace {workspace_id} does not exist")
        return workspace_id

    def listed_workspace(self, default: bool = True, unknown: int | str = 400) -> int | None:
        """The workspace that a list is limited to: None for all, -1 for one that does not exist. With `default`, a list
        without the parameter may mean the current workspace. unknown: what the documentation says of a workspace that
        does not exist."""
        if "workspace_id" in self.settings.ignored_filters:
            return None
        setting = self.settings.unknown_workspace
        workspace_id = self.workspace_id(self.query, unknown if setting == "documented" else setting)
        if workspace_id is None and default and self.settings.omitted_workspace == "current":
            return self.account.current_workspace
        return workspace_id

    def flag(self, name: str) -> bool | None:
        """A boolean parameter of the query, None if it is missing."""
        text = self.query.get(name)
        if text is None:
            return None
        # the vendor's client sends True
        text = text.lower()
        if text not in ("true", "false"):
            raise Refused(400, f"invalid parameter {name}", f"{name} must be true or false")
        return text == "true"

    def filter_id(self, name: str) -> int | None:
        """The id that a list is filtered by, None without one or if the service ignores this filter."""
        return None if name in self.settings.ignored_filters else self.integer(self.query, name)

    def page_of(self, total: int, default: int | None, most: int | None = None) -> Part:
        """The page of a list of `total` records that `limit` and `page` request."""
        settings = self.settings
        limit = self.integer(self.query, "limit", default or total or 1, 1, settings.max_limit or most)
        number = self.page_number()
        if settings.page_cap:
            limit = min(limit, settings.page_cap)
        if number > 1 and settings.past_end == 404 and (number - 1) * limit >= total:
            raise Refused(404, "no such page", f"page {number} is past the end")
        return Part(number, limit, total)

    def page_number(self) -> int:
        """Which page `cursor` or `page` requests, counted from 1."""
        if self.settings.beside_data == "cursor" and "cursor" in self.query:
            if not CURSOR.fullmatch(self.query["cursor"]):
                raise Refused(400, "invalid parameter cursor")
            return int(self.query["cursor"].removeprefix(AFTER)) + 1
        if self.settings.ignore_page:
            return 1
        first = self.settings.first_page
        return self.integer(self.query, "page", first, first) - first + 1

    def found(self, family: str) -> Record:
        """The record that the path names. Refused with the status of the setting if it does not exist."""
        record = self.account[family].get(self.ids[0])
        if record is None:
            status = self.settings.unknown_id
            # a change of what does not exist is refused in any case
            raise Refused(404 if status == "null" and self.method != "GET" else status, f"no data for id {self.ids[0]}")
        return record

    def asks_for(self, content_type: str) -> bool:
        """Whether the Accept header names this content type."""
        return content_type in {part.partition(";")[0].strip().lower() for part in self.accept.split(",")}

    # ---- answering

    def one(self, table: Table, record: Record) -> Answer:
        return self.record(table.row(record, self.settings))

    def record(self, text: bytes) -> Answer:
        """The answer with one record, of which `text` is the JSON."""
        before, after = {"bare": (b"", b""), "list": (b'{"data":[', b"]}")}.get(
            self.settings.records, (b'{"data":', b"}")
        )
        return Answer(200, before + text + after)

    def many(self, table: Table, group: Hashable) -> Answer:
        """A list that the service documents without pages."""
        return self.rows(table, table.page(group, 0, None, self.settings.order == "newest_first"))

    def rows(self, table: Table, records: list[Record]) -> Answer:
        """A list of these records in their order. Settings can cap a list, and can split a capped list into pages."""
        name, settings, total = table.family.name, self.settings, len(records)
        part = Part(1, settings.capped_lists.get(name) or total or 1, total)
        if name in settings.paged_lists:
            number = self.page_number()
            part = Part(number, min(part.limit, self.integer(self.query, "limit", part.limit, 1)), total)
        return self.part(table, records[part.start : part.start + part.limit], part)

    def part(self, table: Table, records: list[Record], part: Part) -> Answer:
        """These records as the given part of a list."""
        cap = self.settings.capped_lists.get(table.family.name)
        if table.family.paged and cap is not None:
            # the pages of the list end at the cap
            records = records[: max(0, cap - part.start)]
        shown = [table.row(record, self.settings, True) for record in records]
        if self.settings.endless_lists:
            shown += self._more_rows(table, part, len(shown))
        if self.settings.duplicate_rows:
            shown = [row for row in shown for _time in range(2)]
        if not shown and self.settings.empty_list != "list":
            return self._no_rows()
        rows = b"[" + b",".join(shown) + b"]"
        # a capped list announces its further pages all the same
        told = part if cap is None else replace(part, limit=min(part.limit, cap))
        pages, kind = self._pages(told), self.settings.beside_data
        following = pages["links"]["next"]
        headers = {"Link": f'<{BASE}{following}>; rel="next"'} if following and kind == "link" else {}
        if self.settings.lists == "bare":
            return Answer(200, rows, headers=headers)
        beside: dict[str, Record] = {
            "total": {"meta": {"total": part.total}},
            "pages": pages,
            "cursor": {"meta": {"next_cursor": f"{AFTER}{part.number}" if following else None}},
        }
        more = b"".join(b"," + dumps(name) + b":" + dumps(value) for name, value in beside.get(kind, {}).items())
        before, after = {"items": (b'"data":{"items":', b"}"), "results": (b'"results":', b"")}.get(
            self.settings.lists, (b'"data":', b"")
        )
        return Answer(200, b"{" + before + rows + after + more + b"}", headers=headers)

    def _no_rows(self) -> Answer:
        """The answer to a request for a list without rows, in another form than an empty list."""
        form = self.settings.empty_list
        if form == 404:
            raise Refused(404, "no data found")
        return Answer(204, b"", None) if form == 204 else Answer(200, b'{"data":null}' if form == "null" else b"{}")

    def _more_rows(self, table: Table, part: Part, count: int) -> list[bytes]:
        """Rows that fill a page after `count` real ones, with ids that no other page has, so that the list never ends."""
        last = next(iter(reversed(table.shelf(None).records)), None)
        if last is None:
            return []
        rows = []
        for number in range(part.start + count, part.start + part.limit):
            record: Record = {**last, "id": ENDLESS + number}
            if "id" not in table.family.fields:
                record["name"] = f"{last['name']} {number}"
            rows.append(dumps(table.public(record, self.settings, True)))
        return rows

    def _pages(self, part: Part) -> Record:
        last, before = max(1, -(-part.total // part.limit)), self.settings.first_page - 1
        following = {"page": part.number + 1 + before}
        if part.by_offset:
            following = {"limit": part.limit, "offset": part.start + part.limit}
        query = urlencode({**self.query, **following})
        place = {"current_page": part.number + before, "last_page": last + before}
        meta = {"total": part.total, "per_page": part.limit, **place}
        return {"meta": meta, "links": {"next": f"{self.path}?{query}" if part.number < last else None}}

    def created(self, table: Table, record: Record) -> Answer:
        form = self.settings.create_answer
        if form == "nothing" or self.settings.create_status == 204:
            return Answer(self.settings.create_status, b"", None)
        if form == "record":
            body = b'{"data":' + table.row(record, self.settings) + b"}"
        else:
            body = dumps({"data": {form: record["id"]}})
        return Answer(self.settings.create_status, body)

    def done(self) -> Answer:
        return Answer(204, b"", None)

    def deleted(self, delete: Callable[[], None]) -> Answer:
        """Delete something, unless the service only says so."""
        if self.settings.deletes_done:
            delete()
        status = self.settings.delete_status
        if status == 404:
            raise Refused(404, f"no data for id {self.ids[0]}")
        if status == "empty":
            return Answer(200, b"", None)
        return self.done() if status == 204 else Answer(int(status), dumps({"data": {}}))
