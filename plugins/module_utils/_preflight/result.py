# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What service_info returns, as values. Pure."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from .._records import Record


@dataclass(frozen=True)
class RateLimit:
    """The limit for GET calls. retry_after: seconds."""

    limit: int | None = None
    remaining: int | None = None
    retry_after: int | None = None


@dataclass(frozen=True)
class Workspace:
    """A workspace that the key can see."""

    id: int
    name: str


@dataclass(frozen=True)
class Difference:
    """One difference between an OpenAPI document and what the collection relies on.

    kind: missing, contradicts or deprecated; part: operation, parameter, body, answer, field, authentication or server;
    operation, name: "" where it applies to all calls, or to no single parameter or field; note: a clause.
    """

    kind: str
    part: str
    operation: str
    name: str
    note: str


@dataclass(frozen=True)
class Preflight:
    """What is known about the service, the key and the clock; None where it is unknown.

    The fields are documented as return values of service_info.
    """

    reachable: bool = False
    is_api: bool | None = None
    found: str | None = None
    status: int | None = None
    authenticated: bool | None = None
    api_access: bool | None = None
    rate_limit: RateLimit = RateLimit()
    workspaces: list[Workspace] | None = None
    clock_skew: int | None = None
    problem: str | None = None
    schema: list[Difference] | None = None
    schema_version: str | None = None
    schema_problem: str | None = None

    def to_result(self) -> Record:
        return asdict(self)
