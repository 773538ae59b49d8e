# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Targets. Pure."""

from __future__ import annotations

from .family import FORM, Body, Family, typed

# values of the filter ``type`` of the list (public documentation of the service)
TARGET_TYPES = ("hostname", "ip_address", "url")


class _Target(Family):
    name = "target"
    plural = "targets"
    noun = "target"
    path = "/targets"
    key = "name"
    fields = ("id", "name", "type", "description", "workspace_id")
    text = ("name", "description")
    declared = ("description",)
    # most estates list names only
    key_suffices = True
    in_workspace = ("form",)
    uses_current_workspace = True
    paged = "page"
    lost_with = "its scans"
    delete_hints = {403: "the account's plan may not include deleting targets; delete it in the web application"}
    target_names = ("name",)
    unscoped_fields = ("description",)
    creates = Body(FORM, ("name",), ("description", "workspace_id"))
    filters = ("type",)
    types = typed(integer="id workspace_id limit page", string="name description type")
    values = {("GET", "type"): TARGET_TYPES}


TARGET = _Target()
