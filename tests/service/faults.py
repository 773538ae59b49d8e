# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Faults on demand: which requests a fault selects, and the answer that it sends."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace

from .answers import Answer, Drip, dumps, error, page
from .records import Record

ON_ANSWER = ("truncate", "truncated_json", "short", "long", "drip", "large")
PARTS = ("head", "body")
PIECE = 1024 * 1024
ACTIONS = ("status", "html", "reset", "close", "delay", "wrong_type", "redirect", "do", *ON_ANSWER)


class FaultError(ValueError):
    """A fault that makes no sense."""


@dataclass
class Fault:
    """One fault. `method`, `path` (a regular expression) and `query` select requests. Of the matching requests, it
    disturbs `times` (None: all), beginning with the `nth`."""

    action: str
    method: str | None = None
    path: str = ".*"
    query: Record = field(default_factory=dict)
    nth: int = 1
    times: int | None = 1
    when: str = "before"
    name: str = ""
    status: int | None = None
    message: str = "fault on demand"
    details: str | None = None
    body: object = None
    content_type: str | None = None
    headers: Record = field(default_factory=dict)
    seconds: float = 0
    data: object = None
    location: str | None = None
    missing: int = 10
    do: str = "create"
    resource: str | None = None
    record: Record = field(default_factory=dict)
    position: str = "last"
    part: str = "body"
    size: int = 0
    gzip: bool = False
    seen: int = 0

    def due(self, method: str, path: str, query: Mapping[str, object]) -> bool:
        """Count the request if it matches, and return whether the fault disturbs it."""
        if self.method not in (None, method) or not re.fullmatch(self.path, path):
            return False
        if any(str(query.get(name)) != str(value) for name, value in self.query.items()):
            return False
        self.seen += 1
        return self.seen >= self.nth and (self.times is None or self.seen < self.nth + self.times)

    def answer(self, real: Answer | None) -> Answer:
        """The disturbed answer. `real` is the answer of the service, None if the work is not done."""
        headers = {name: str(value) for name, value in self.headers.items()}
        if self.action in ("reset", "close"):
            return Answer(0, ending=self.action)
        if self.action == "html":
            status = self.status or 502
            return self._with_own_fields(page(status, f"{status} Gateway", self.message), headers)
        if self.action == "status":
            status = self.status or 500
            if status in (204, 304):
                # these statuses have no body
                return Answer(status, b"", None, headers)
            return self._with_own_fields(error(status, self.message, self.details), headers)
        if self.action == "redirect":
            return Answer(self.status or 302, b"", None, {**headers, "Location": self.location or ""})
        if self.action == "wrong_type":
            return Answer(self.status or (real.status if real and real.body else 200), dumps({"data": self.data}))
        if real is None:
            raise FaultError(f"{self.action} changes an answer, and the work is not done")
        return self._changed(real)

    def _changed(self, real: Answer) -> Answer:
        """The answer of the service, sent wrongly."""
        body = real.body
        if self.action == "drip":
            return self._slow(real)
        if self.action == "large":
            return self._large(real)
        if self.action in ("short", "long"):
            missing = self.missing if self.action == "short" else -self.missing
            return replace(real, announce=len(body) + missing)
        return replace(real, body=body[: len(body) // 2], announce=len(body) if self.action == "truncate" else None)

    def _slow(self, real: Answer) -> Answer:
        """The answer sent byte by byte, with `size` more bytes in the slow part, which every reader ignores."""
        headers, body = dict(real.headers), real.body
        if self.part == "head" and self.size:
            headers["X-Filler"] = "x" * self.size
        elif self.part == "body":
            body = b" " * self.size + body
        drip = Drip(self.seconds, self.part)
        return replace(real, body=body, headers=headers, announce=len(body), drip=drip)

    def _large(self, real: Answer) -> Answer:
        """The answer after `size` blanks, which compress well."""
        status = self.status or real.status
        if not self.gzip:
            return replace(real, status=status, body=b" " * self.size + real.body)
        pieces, rest = divmod(self.size, PIECE)
        # a gzip stream can consist of several members
        body = gzip.compress(b" " * PIECE) * pieces + gzip.compress(b" " * rest + real.body)
        return replace(real, status=status, body=body, headers={**real.headers, "Content-Encoding": "gzip"})

    def _with_own_fields(self, answer: Answer, headers: dict[str, str]) -> Answer:
        """The answer with the body, content type and headers of the fault, where it has any."""
        if self.body is not None:
            is_text = isinstance(self.body, str)
            answer.body = str(self.body).encode("utf-8", "surrogateescape") if is_text else dumps(self.body)
        answer.content_type = self.content_type or answer.content_type
        answer.headers = headers
        return answer


def parse(given: object) -> Fault:
    """Read a fault from JSON. Raises FaultError."""
    if not isinstance(given, dict):
        raise FaultError("a fault must be an object")
    known = {each.name for each in fields(Fault)} - {"seen"}
    if set(given) - known:
        raise FaultError(
            f"unknown in a fault: {', '.join(sorted(set(given) - known))}; known are {', '.join(sorted(known))}"
        )
    if given.get("action") not in ACTIONS:
        raise FaultError(f"action must be one of {', '.join(ACTIONS)}")
    fault = Fault(**given)
    try:
        re.compile(fault.path)
    except (re.error, TypeError) as exc:
        raise FaultError(f"path {fault.path!r} is not a regular expression: {exc}") from exc
    if fault.action in ON_ANSWER:
        fault.when = "after"
    wrong = {
        "when must be before or after": fault.when not in ("before", "after"),
        "nth must be a number from 1 on": not isinstance(fault.nth, int) or fault.nth < 1,
        "times must be a number from 1 on, or null": fault.times is not None
        and (not isinstance(fault.times, int) or fault.times < 1),
        "action status needs a status": fault.action == "status" and not isinstance(fault.status, int),
        "action redirect needs a location": fault.action == "redirect" and fault.location is None,
        "action wrong_type needs data": fault.action == "wrong_type" and "data" not in given,
        "action drip needs seconds": fault.action == "drip" and not fault.seconds > 0,
        f"part must be one of {', '.join(PARTS)}": fault.part not in PARTS,
        "size must be a number from 0 on": not isinstance(fault.size, int) or fault.size < 0,
        "action do needs a resource": fault.action == "do" and not fault.resource,
        "do must be create or delete": fault.do not in ("create", "delete"),
        "position must be first or last": fault.position not in ("first", "last"),
    }
    for message, is_wrong in wrong.items():
        if is_wrong:
            raise FaultError(message)
    fault.method = fault.method.upper() if fault.method else None
    fault.name = fault.name or fault.action
    return fault
