# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""VPN profiles. Pure."""

from __future__ import annotations

from .family import Family, typed


class _VpnProfile(Family):
    name = "vpn_profile"
    plural = "vpn_profiles"
    noun = "VPN profile"
    path = "/vpn_profiles"
    key = "name"
    fields = ("uuid", "name")
    text = ("name",)
    identity = "uuid"
    read_only = True
    types = typed(string="uuid name")


VPN_PROFILE = _VpnProfile()
