# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""One call to the service, and its tries."""

from __future__ import annotations

from typing import Any, NamedTuple

from .budget import Turn


class Request(NamedTuple):
    """One call. ``at_host``: its path starts at the host of the base URL, and the key is not sent."""

    method: str
    path: str
    query: dict[str, Any] | None
    form: dict[str, Any] | None
    json: Any
    headers: dict[str, str]
    at_host: bool

    def shown(self) -> str:
        """The call, as the log shows it."""
        query = "&".join(f"{name}={value}" for name, value in (self.query or {}).items())
        return f"{self.method} {self.path}{'?' if query else ''}{query}"


class Tries:
    """The tries of one call.

    in_flight: whether one is being sent; lost: as after_loss of CallError; repeated, limited: how many followed an error and
    a 429.
    """

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.in_flight = False
        self.lost = False
        self.repeated = 0
        self.limited = 0
