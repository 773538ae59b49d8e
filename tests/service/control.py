# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The control API under /_control: reset, state, settings, faults and log. It needs no key and serves loopback only."""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from aiohttp import web

from .answers import dumps
from .faults import FaultError, parse
from .http_loggers import capture
from .records import Record
from .settings import SettingsError
from .store import StateError

if TYPE_CHECKING:
    from .app import Service


class Control:
    """The calls of the control API. Each takes the parsed body and returns a value for the answer, None for no body."""

    def __init__(self, service: Service) -> None:
        self.service = service

    async def reset(self, body: Any) -> Record:
        body = body or {}
        unknown = set(body) - {"settings", "state"}
        if unknown:
            raise StateError(f"reset takes settings and state, not {', '.join(sorted(unknown))}")
        filled = self.service.reset(body.get("settings") or {}, body.get("state") or {})
        return {"current_workspace": self.service.account.current_workspace, "filled_workspace": filled}

    async def get_state(self, body: Any) -> Record:
        return self.service.account.snapshot()

    async def add_state(self, body: Any) -> Record:
        filled = self.service.account.apply(body or {})
        return {"current_workspace": self.service.account.current_workspace, "filled_workspace": filled}

    async def get_settings(self, body: Any) -> Record:
        return self.service.settings.as_dict()

    async def change_settings(self, body: Any) -> Record:
        self.service.change(body)
        return self.service.settings.as_dict()

    async def get_log(self, body: Any) -> list[Record]:
        return self.service.log.entries

    async def get_summary(self, body: Any) -> Record:
        return self.service.log.summary()

    async def clear_log(self, body: Any) -> None:
        self.service.log.clear()

    async def get_faults(self, body: Any) -> list[Record]:
        return [dict(vars(fault)) for fault in self.service.faults]

    async def add_faults(self, body: Any) -> Record:
        faults = [parse(fault) for fault in (body if isinstance(body, list) else [body])]
        for fault in faults:
            if fault.resource is not None and fault.resource not in self.service.account.tables:
                raise FaultError(f"unknown resource {fault.resource!r}")
        self.service.faults += faults
        return {"faults": len(self.service.faults)}

    async def clear_faults(self, body: Any) -> None:
        self.service.faults.clear()

    async def add_requests(self, body: Any, logger_id: str) -> Record:
        table = self.service.account["http_loggers"]
        logger = table.get(int(logger_id))
        if logger is None:
            raise StateError(f"HTTP logger {logger_id} does not exist")
        for request in body if isinstance(body, list) else (body or {}).get("requests", []):
            capture(logger, request)
        table.touch(logger)
        return {"num_requests": len(logger["requests"])}


def is_loopback(address: str | None) -> bool:
    try:
        return ipaddress.ip_address((address or "").partition("%")[0]).is_loopback
    except ValueError:
        return False


def guarded(handler: Callable[..., Awaitable[object]]) -> Callable[[web.Request], Awaitable[web.Response]]:
    """Add to a handler: only loopback addresses, JSON in both directions, and 400 with the reason for wrong input."""

    async def run(request: web.Request) -> web.Response:
        if not is_loopback(request.remote):
            return web.json_response({"error": "the control API serves loopback addresses only"}, status=403)
        raw = await request.read()
        try:
            body = json.loads(raw) if raw else None
            result = await handler(body, **request.match_info)
        except (SettingsError, StateError, FaultError, ValueError, TypeError) as exc:
            return web.json_response({"error": f"{type(exc).__name__}: {exc}"}, status=400)
        if result is None:
            return web.Response(status=204)
        return web.Response(body=dumps(result), content_type="application/json")

    return run


def add_routes(app: web.Application, service: Service) -> None:
    control = Control(service)
    routes: tuple[tuple[str, str, Callable[..., Awaitable[object]]], ...] = (
        ("POST", "/reset", control.reset),
        ("GET", "/state", control.get_state),
        ("POST", "/state", control.add_state),
        ("GET", "/settings", control.get_settings),
        ("PATCH", "/settings", control.change_settings),
        ("GET", "/log", control.get_log),
        ("DELETE", "/log", control.clear_log),
        ("GET", "/log/summary", control.get_summary),
        ("GET", "/faults", control.get_faults),
        ("POST", "/faults", control.add_faults),
        ("DELETE", "/faults", control.clear_faults),
        ("POST", "/http_loggers/{logger_id:[0-9]+}/requests", control.add_requests),
    )
    for method, path, handler in routes:
        app.router.add_route(method, f"/_control{path}", guarded(handler))
