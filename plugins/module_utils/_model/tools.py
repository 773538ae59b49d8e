# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The tools that run scans, by id and by name. Pure."""

from __future__ import annotations

import difflib
import re

from .errors import WrongOption, printable

# assumed: the public list of tools. It only translates names; an unknown id is sent unchanged
TOOLS: dict[str, int] = {
    "Subdomain Finder": 20,
    "Whois Lookup": 30,
    "Port Scanner": 70,
    "TCP Port Scanner": 70,
    "UDP Port Scanner": 80,
    "URL Fuzzer": 90,
    "Virtual Hosts Finder": 160,
    "Website Scanner": 170,
    "ICMP Ping": 240,
    "SharePoint Scanner": 260,
    "WordPress Scanner": 270,
    "Drupal Scanner": 280,
    "Joomla Scanner": 290,
    "Website Recon": 310,
    "Subdomain Takeover": 320,
    "Network Scanner": 350,
    "SQLi Exploiter": 380,
    "Domain Finder": 390,
    "Password Auditor": 400,
    "SSL/TLS Scanner": 450,
    "SSL Scanner": 450,
    "Sniper": 490,
    "WAF Detector": 500,
    "API Scanner": 510,
    "Cloud Scanner": 520,
    "People Hunter": 530,
    "Kubernetes Scanner": 540,
}


def tool_id_of(text: str, option: str = "tool") -> int:
    """The id of the tool that an option names, by id or by name, without regard to case, spaces and punctuation.

    Raises WrongOption, whose message suggests the closest match.
    """
    digits = text.strip()
    if re.fullmatch(r"[0-9]{1,18}", digits) and int(digits) > 0:
        return int(digits)
    known = {_plain(name): name for name in TOOLS}
    wanted = _plain(text)
    if wanted in known:
        return TOOLS[known[wanted]]
    near = difflib.get_close_matches(wanted, list(known), 1)
    hint = f"did you mean {known[near[0]]!r}?" if near else "give its id, or one of the names in the documentation."
    raise WrongOption(f"{option} {printable(text, 100)!r} is not the name of a known tool: {hint}")


def tool_name_of(tool_id: object) -> str:
    """The first public name of a tool; the number of one that is not known."""
    return next((name for name, number in TOOLS.items() if number == tool_id), f"tool {tool_id}")


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())
