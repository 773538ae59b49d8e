# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What a task has learnt from the service, so that its errors advise only what can be the cause. Pure."""

from __future__ import annotations

from .._errors import Call
from .._resources import WORKSPACE


class Known:
    """answered: whether the service has accepted a call, so that address and key were right."""

    def __init__(self):
        self.answered = False
        # the ids of the workspaces that the service has shown, in their own records or in others
        self._workspaces = set()

    def note(self, resource, rows):
        """Note the workspaces that records of the service name."""
        field = WORKSPACE.identity if resource is WORKSPACE else "workspace_id"
        self._workspaces.update(row[field] for row in rows if isinstance(row.get(field), int))

    def call(self, action, resource, query=None):
        """A ``_errors.Call``. query: what names the workspace, and filters; a dict or None."""
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
