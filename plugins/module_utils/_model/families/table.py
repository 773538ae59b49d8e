# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The table of API families, written by tests/generate.py. Pure."""

from __future__ import annotations

from .family import Family
from .finding import FINDING
from .finding_template import FINDING_TEMPLATE
from .http_logger import HTTP_LOGGER
from .report import REPORT
from .scan import SCAN
from .target import TARGET
from .vpn_profile import VPN_PROFILE
from .wordlist import WORDLIST
from .workspace import WORKSPACE

FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        FINDING,
        FINDING_TEMPLATE,
        HTTP_LOGGER,
        REPORT,
        SCAN,
        TARGET,
        VPN_PROFILE,
        WORDLIST,
        WORKSPACE,
    )
}
