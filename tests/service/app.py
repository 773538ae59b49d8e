# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The web application: the path of a request through log, faults, key, limits, validation and operation."""

from __future__ import annotations

import asyncio
import hmac
import json
import re
import time
from email.utils import formatdate
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

from aiohttp import web

from . import control, schema, wire
from .answers import BASE, FORM, JSON, Answer, Call, Refused, error, page
from .families import FAMILIES, OPERATIONS
from .faults import Fault
from .http_loggers import capture, captured_fields
from .limits import Limiter
from .records import Record
from .request_log import MASK, RequestLog
from .settings import Settings
from .shapes import reshape
from .store import Account, StateError

if TYPE_CHECKING:
    from .contract import Contract

SLASHES = re.compile("/{2,}")
NUMBER = re.compile(r"(?<=/)\d{1,18}(?=/|$)")
RECORD_SETTINGS = (
    "null_description",
    "extra_fields",
    "running_summary",
    "report_status",
    "missing_fields",
    "null_fields",
    "time_form",
    "record_zone",
)


class Outdated(Exception):
    """The account was reset during a pause of a request."""


class Service:
    """The complete state of a running service."""

    def __init__(
        self,
        key: str,
        origin: str,
        first_settings: Record | None = None,
        client_ca: bool = False,
        log: Path | None = None,
    ) -> None:
        self.key = key
        self.client_ca = client_ca
        self.first_settings = first_settings or {}
        self.settings = Settings()
        self.account = Account(FAMILIES, origin)
        self.log = RequestLog(key, log)
        self.faults: list[Fault] = []
        self.contract: Contract | None = None
        self.generation = 0
        self.reset({}, {})

    def reset(self, settings: Record, state: Record) -> int | None:
        """Restore the state of the start, then apply these settings and this state. Returns the result of `apply`."""
        fresh = Settings()
        fresh.update(self.first_settings)
        fresh.update(settings)
        self.settings = self.account.settings = fresh
        self.account.fresh()
        filled = self.account.apply(state)
        self.generation += 1
        self.log.clear()
        self.faults.clear()
        self.limiter = Limiter(self.settings.rate_limits)
        self._load_contract()
        return filled

    def change(self, changes: Record) -> None:
        """Change some settings. A change of the rate limits resets the counters."""
        self.settings.update(changes)
        if "rate_limits" in changes:
            self.limiter = Limiter(self.settings.rate_limits)
        if any(name in changes for name in RECORD_SETTINGS):
            for table in self.account.tables.values():
                table.forget_rows()
        self._load_contract()

    def _load_contract(self) -> None:
        if self.settings.validate and self.contract is None:
            # the import is slow, and only validation needs it
            from .contract import Contract

            self.contract = Contract()

    # ---- one request of the API

    async def serve(self, request: web.Request) -> web.StreamResponse:
        if request.path.startswith("/h/"):
            return await self.capture(request)
        if request.path.startswith("/_control"):
            return web.json_response({"error": f"unknown call {request.method} {request.path}"}, status=404)
        raw = await request.read()
        inside = request.path.startswith(BASE + "/")
        call = self.call_of(request, raw, request.path[len(BASE) :] if inside else request.path)
        authorization = self.judge(request.headers.get("Authorization"))
        due = [fault for fault in self.faults if fault.due(call.method, call.path, call.query)]
        entry = self.log.add(entry_of(request, call, authorization, due), request.headers)
        contract = self.contract if inside and self.settings.validate else None
        if contract is not None:
            differences = contract.request(call, request.headers)
            self.log.violate(entry, differences.violations, "violations")
            self.log.violate(entry, differences.allowed, "deviations")
        generation = self.generation
        try:
            await self.pause(self.settings.delay, generation)
            answer = await self.disturbed(due, "before", None, generation)
            if answer is None:
                real = self.work(call, authorization, inside, self.has_certificate(request))
                answer = await self.disturbed(due, "after", real, generation) or real
        except Outdated:
            answer = Answer(0, ending="close")

        if self.settings.clock_offset or self.settings.clock is not None:
            answer.headers["Date"] = formatdate(self.account.now(), usegmt=True)
        entry["status"] = answer.status or None
        if contract is not None and self.settings.validate and not due:
            broken = contract.answer(call, answer)
            self.log.violate(
                entry, broken, "deviations" if self.settings.deviates() or self.account.incomplete else "violations"
            )
        return await wire.send(request, answer)

    async def pause(self, seconds: float, generation: int) -> None:
        """Wait. Raises Outdated if the account was reset meanwhile: a request must not change the state of the next test."""
        if seconds:
            await asyncio.sleep(seconds)
            if generation != self.generation:
                raise Outdated

    async def disturbed(self, due: list[Fault], when: str, real: Answer | None, generation: int) -> Answer | None:
        """Apply the faults before or after the work. Returns the answer that replaces the real one, or None."""
        for fault in due:
            if fault.when != when:
                continue
            if fault.action == "delay":
                await self.pause(fault.seconds, generation)
            elif fault.action == "do":
                try:
                    self.change_state(fault)
                except StateError as exc:
                    return error(500, f"the fault failed: {exc}")
            else:
                answer = fault.answer(real)
                # a body of a fault can contain the key, as that of a service that repeats it
                answer.body = answer.body.replace(MASK.encode(), self.key.encode())
                return answer
        return None

    def change_state(self, fault: Fault) -> None:
        """Create or delete a record, as another client of the account does."""
        resource = fault.resource or ""
        if fault.do == "delete":
            self.account.delete(resource, fault.record)
            return
        # a list in the order "newest_first" starts with a new record anyway
        in_front = (fault.position == "first") != (self.settings.order == "newest_first")
        self.account.add(resource, fault.record, in_front)

    def work(self, call: Call, authorization: str, inside: bool, certified: bool) -> Answer:
        """The answer without any fault."""
        if not certified:
            return page(400, "400 No required SSL certificate was sent", "A client certificate is required.")
        if not inside and (call.method, call.path) == ("GET", schema.PATH):
            return schema.published(self.settings)
        operations = OPERATIONS.get(call.template) if inside else None
        if operations is None:
            return page(404, "404 Not Found", "This page does not exist.")
        if authorization == "missing":
            return error(401, "no API key specified")
        if authorization == "wrong":
            return error(401, "the API key is not valid")
        if self.settings.redirects != "none" and call.method == "GET" and not call.path.endswith("/"):
            return self.redirect(call)
        now = time.time()
        verdict = self.limiter.take(call.method, call.template, now)
        if verdict is not None and not verdict.allowed:
            answer = error(429, "rate limit exceeded", f"the limit is {verdict.limit} requests")
        elif not self.settings.api_access:
            answer = error(403, "the plan does not include API access")
        elif call.method not in operations:
            answer = error(405, "method not allowed")
        else:
            self.account.advance()
            try:
                answer = operations[call.method](call)
            except Refused as refused:
                answer = (
                    Answer(200, b'{"data":null}')
                    if isinstance(refused.status, str)
                    else error(refused.status, refused.message, refused.details)
                )
        answer.headers.update(self.limiter.headers(verdict, now))
        answer = reshape(answer, self.settings)
        return answer

    def redirect(self, call: Call) -> Answer:
        """A redirect to the path with a slash at its end, as a web framework sends one. One that drops the query is wrong."""
        kept = self.settings.redirects == "slash" and call.query
        location = f"{BASE}{call.path}/{'?' + urlencode(call.query) if kept else ''}"
        return Answer(308 if self.settings.redirects == "slash" else 301, b"", None, {"Location": location})

    def call_of(self, request: web.Request, raw: bytes, path: str) -> Call:
        content_type = request.headers.get("Content-Type", "").partition(";")[0].strip().lower() or None
        # the vendor's client sends scans/ and //scans/1, and the real service accepts both
        known = SLASHES.sub("/", path).rstrip("/")
        call = Call(
            account=self.account,
            settings=self.settings,
            method=request.method,
            path=path,
            template=NUMBER.sub("{id}", known),
            normal=known,
            ids=tuple(int(number) for number in NUMBER.findall(known)),
            query=dict(request.query),
            accept=request.headers.get("Accept", ""),
            content_type=content_type,
            raw=raw,
        )
        if content_type == FORM:
            call.form = dict(parse_qsl(raw.decode("utf-8", "replace"), keep_blank_values=True))
        elif content_type == JSON:
            try:
                call.json = json.loads(raw) if raw else None
            except (ValueError, RecursionError) as exc:
                call.json_error = str(exc)
        return call

    def judge(self, header: str | None) -> str:
        """Whether the Authorization header is missing, right or wrong."""
        if header is None or header.strip().lower() in ("", "bearer"):
            return "missing"
        return (
            "right"
            if hmac.compare_digest(header.encode("utf-8", "surrogateescape"), f"Bearer {self.key}".encode())
            else "wrong"
        )

    def has_certificate(self, request: web.Request) -> bool:
        return not self.client_ca or bool(request.transport and request.transport.get_extra_info("peercert"))

    # ---- captured requests

    async def capture(self, request: web.Request) -> web.Response:
        """Record a request to the handler address of an HTTP logger."""
        logger = self.account.tokens.get(request.path.split("/")[2])
        if logger is None or self.account["http_loggers"].get(logger["id"]) is not logger:
            return await wire.send(request, page(404, "404 Not Found", "This page does not exist."))
        body = await request.read()
        if logger["active_days"] > 0:
            headers = list(request.headers.items())
            query = request.rel_url.raw_query_string
            capture(logger, captured_fields(request.remote, request.method, query, headers, body, time.time()))
            self.account["http_loggers"].touch(logger)
        return web.Response()


def entry_of(request: web.Request, call: Call, authorization: str, due: list[Fault]) -> Record:
    """The log entry of a request when it arrives."""
    return {
        "at": time.time(),
        "method": call.method,
        "path": call.path,
        "query": call.query,
        "form": call.form,
        "json": call.json,
        "content_type": call.content_type,
        "authorized": authorization == "right",
        "authorization": authorization,
        "user_agent": request.headers.get("User-Agent"),
        "accept": request.headers.get("Accept"),
        "client_port": (request.transport.get_extra_info("peername") or (None, None))[1] if request.transport else None,
        "proxied": "://" in request.message.path.partition("?")[0],
        "proxy_authorization": "Proxy-Authorization" in request.headers,
        "status": None,
        "fault": "+".join(fault.name for fault in due) or None,
        "violations": [],
        "deviations": [],
    }


def build(service: Service) -> web.Application:
    """The application: the control API, and `serve` for all other paths."""
    app = web.Application(client_max_size=256 * 1024 * 1024)
    control.add_routes(app, service)
    app.router.add_route("*", "/{path:.*}", service.serve)
    return app
