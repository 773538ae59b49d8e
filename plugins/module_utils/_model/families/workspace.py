# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Workspaces. Pure."""

from __future__ import annotations

from .family import FORM, Body, Family, typed


class _Workspace(Family):
    name = "workspace"
    plural = "workspaces"
    noun = "workspace"
    path = "/workspaces"
    key = "name"
    fields = ("id", "name", "description")
    text = ("name", "description")
    declared = ("description",)
    updatable = ("name", "description")
    workspace_field = "id"
    holds = ("target", "http_logger")
    scoped = False
    delete_hints = {
        409: "the account's current workspace cannot be deleted; select another one in the web application, and run the"
        " task again"
    }
    creates = Body(FORM, ("name",), ("description",))
    types = typed(integer="id", string="name description")


WORKSPACE = _Workspace()
