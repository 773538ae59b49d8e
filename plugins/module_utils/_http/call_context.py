# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What a task has learnt from the service, so that its errors advise only what can help. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._advice import Call
from .._families.family import Family
from .._records import Record


class CallContext:
    """answered: whether the service has accepted a call, so that address and key were right."""

    def __init__(self) -> None:
        self.answered = False
        # ids that the service has shown, in records of workspaces or of objects in them
        self._workspaces: set[int] = set()

    def note(self, resource: Family, rows: Iterable[Record]) -> None:
        """Note the workspaces that records of the service name."""
        field = resource.workspace_field
        self._workspaces.update(row[field] for row in rows if isinstance(row.get(field), int))

    def call(self, action: str, resource: Family, query: Mapping[str, Any] | None = None) -> Call:
        """Describe a call. query: its parameters, which are the workspace and filters."""
        query = query or {}
        place = query.get("workspace_id")
        return Call(
            action,
            resource.noun,
            resource.key,
            filtered=bool(set(query) - {"workspace_id"}),
            within=place is not None,
            given="workspace_id" if place is not None and place not in self._workspaces else "",
        )
