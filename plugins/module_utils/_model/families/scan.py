# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Scans, their statuses and outcomes, and the tools that run them. Pure."""

from __future__ import annotations

import difflib
import re
from typing import NamedTuple

from ..errors import WrongOption, printable
from .family import JSON, Body, Family, Operation, typed

# assumed: the statuses in which a scan has not ended yet
IN_PROGRESS = ("waiting", "running")

FINISHED = "finished"
FAILED_TO_START = "failed_to_start"
TIMED_OUT = "timed_out"
UNKNOWN_STATE = "unknown_state"
QUEUE_TIMEOUT = "queue_timeout"
RUN_TIMEOUT = "run_timeout"
DELETED = "deleted"


class _Ending(NamedTuple):
    """How a scan, or the wait for it, can end.

    outcome: the word in results; status: the service's word, "" if the task itself decides; next_step: what to do after a
    failed task, a clause.
    """

    outcome: str
    status: str
    next_step: str


# assumed: the final statuses. The service may add new ones, whose outcome is UNKNOWN_STATE
_ENDINGS = (
    _Ending(FINISHED, "finished", ""),
    _Ending(
        FAILED_TO_START,
        "failed to start",
        "check that the target can be reached and that the plan includes this tool",
    ),
    _Ending("stopped", "stopped", "somebody or something stopped it; run the task again"),
    _Ending(TIMED_OUT, "timed out", "raise max_scan_time, or make the scan smaller with tool_params"),
    _Ending("aborted", "aborted", "check it in the web application, and run the task again"),
    _Ending("vpn_error", "VPN connection error", "check the VPN profile"),
    _Ending("auth_failed", "auth failed", "check authentication"),
    _Ending("connection_error", "connection error", "check that the service can reach the target"),
    _Ending(
        UNKNOWN_STATE, "", "check it in the web application; this version of the collection does not know the status"
    ),
    _Ending(QUEUE_TIMEOUT, "", "it goes on; raise queue_timeout, or set on_timeout to stop"),
    _Ending(RUN_TIMEOUT, "", "it goes on; raise run_timeout, or set on_timeout to stop"),
    _Ending(DELETED, "", "somebody deleted it during the wait; run the task again"),
)

# the statuses as the service spells them (its public documentation)
SCAN_STATUSES = (*IN_PROGRESS, *(ending.status for ending in _ENDINGS if ending.status))
OUTCOMES = tuple(ending.outcome for ending in _ENDINGS)
# for every outcome but FINISHED
NEXT_STEP = {ending.outcome: ending.next_step for ending in _ENDINGS if ending.next_step}

_OUTCOME_OF = {ending.status.lower(): ending.outcome for ending in _ENDINGS if ending.status}

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


class _Scan(Family):
    name = "scan"
    plural = "scans"
    noun = "scan"
    path = "/scans"
    key = "id"
    fields = (
        "id", "tool_id", "target_id", "workspace_id", "status_name", "status_message", "progress", "result_summary",
        "start_time", "end_time", "duration", "num_tests", "num_finished_tests",
    )  # fmt: skip
    in_workspace = ("json",)
    paged = "page"
    # the contract's illustration of a record calls it status; the public documentation of scans status_name
    also = {"status_name": "status"}
    delete_hints = {409: "a running scan cannot be deleted; stop it first, or set force"}
    target_names = ("target_name",)
    unscoped_fields = tuple(
        f"authentication.params.{name}" for name in ("cookie_header", "headers", "username", "password")
    )
    harmless_actions = ("stop",)
    creates = Body(
        JSON,
        ("tool_id",),
        (
            "target_name", "target_id", "workspace_id", "vpn_profile_uuid", "max_scan_time", "authentication",
            "tool_params", "redirect_level", "scan_original_url", "report_callback",
        ),
    )  # fmt: skip
    filters = ("tool_id", "target_id", "status")
    alone = ("tool_params", "vpn_profile_uuid")
    further = (
        Operation("POST", "/scans/{id}/stop"),
        Operation("GET", "/scans/{id}/output", fields=("output_type", "output_data"), accepts=("application/pdf",)),
        Operation("GET", "/scans/{id}/raw", accepts=("text/plain",)),
    )
    types = typed(
        integer="id tool_id target_id workspace_id limit page max_scan_time progress duration num_tests num_finished_tests",
        string="status status_name status_message start_time end_time target_name vpn_profile_uuid redirect_level"
        " output_type",
        boolean="scan_original_url",
        object="authentication tool_params result_summary report_callback",
    )
    values = {("GET", "status"): SCAN_STATUSES}


SCAN = _Scan()


def outcome_of_status(status: str) -> str | None:
    """The outcome of a scan with this status in lower case, None while it is in progress."""
    return None if status in IN_PROGRESS else _OUTCOME_OF.get(status, UNKNOWN_STATE)


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
