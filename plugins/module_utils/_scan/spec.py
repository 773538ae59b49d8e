# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What a task declares about its scans: its options, the body of a start, advice for a refused start. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._http.advice import Hints
from .._model.errors import CallError, WrongOption, printable
from .._model.records import Record
from .._model.times import seconds_of
from .._model.tools import tool_id_of

# the sub-options that belong to each type
_AUTHENTICATION = {
    "cookies": ("cookie_header",),
    "headers": ("headers",),
    "login_form": ("login_page_url", "username", "password"),
}
AUTHENTICATION_OPTION = dict(
    type="dict",
    options=dict(
        type=dict(type="str", choices=["cookies", "headers", "login_form"], required=True),
        cookie_header=dict(type="str", no_log=True),
        headers=dict(type="list", elements="str", no_log=True),
        login_page_url=dict(type="str"),
        username=dict(type="str"),
        password=dict(type="str", no_log=True),
    ),
    required_if=[("type", kind, fields) for kind, fields in _AUTHENTICATION.items()],
)
# assumed: the most minutes that the service accepts
_LONGEST_SCAN = 1440
_SHORTEST_POLL = 0.1

# the fields of a start that have an option of their own, under another name or under theirs
_OPTION_OF = {"tool_id": "tool", "target_name": "target", "vpn_profile_uuid": "vpn_profile"}
_OWN_FIELDS = (
    *_OPTION_OF,
    *(
        "target_id",
        "workspace_id",
        "max_scan_time",
        "authentication",
        "tool_params",
        "redirect_level",
        "scan_original_url",
    ),
)


class ScanSpec(NamedTuple):
    """How a task wants its scans.

    vpn_uuid: "" for no VPN, None if the task does not say; further: fields of a start that are sent unchanged.
    """

    tool_id: int
    max_age: int
    vpn_uuid: str | None
    tool_params: Record | None
    max_scan_time: int | None
    authentication: Record | None
    further: Record

    def body(self, target: Record, workspace_id: int | None) -> Record:
        """The body of a start. target: the field that names it."""
        optional = dict(
            workspace_id=workspace_id,
            tool_params=self.tool_params,
            max_scan_time=self.max_scan_time,
            authentication=self.authentication,
        )
        given = {name: each for name, each in optional.items() if each is not None}
        body = dict(target, tool_id=self.tool_id, **given, **self.further)
        # null means no VPN; without the field, the service uses the VPN of the workspace
        return body if self.vpn_uuid is None else dict(body, vpn_profile_uuid=self.vpn_uuid or None)

    def why_another(self, record: Record) -> str | None:
        """Why a scan is not as declared, a clause, or None."""
        kind = self.authentication and self.authentication["type"]
        found = record.get("tool_params")
        if not isinstance(found, dict):
            if self.tool_params or kind:
                return "its record does not show its tool_params"
            found = {}
        for name, value in (self.tool_params or {}).items():
            if name not in found:
                return f"tool_params.{printable(name, 60)} is not in its record"
            if not _matches(found[name], value):
                return f"tool_params.{printable(name, 60)} differs"
        if self.vpn_uuid is not None and (record.get("vpn_profile_uuid") or "") != self.vpn_uuid:
            return "its VPN profile differs"
        theirs = found.get("authentication")
        if kind and not (isinstance(theirs, dict) and theirs.get("type") == kind):
            return "its authentication is of another type"
        other = [name for name, value in self.further.items() if name in record and not _matches(record[name], value)]
        return f"{printable(other[0], 60)} differs" if other else None


def check_options(params: Mapping[str, Any]) -> None:
    """Check the options that concern the wait. Raises WrongOption."""
    for option, least in (("queue_timeout", 0), ("run_timeout", 0), ("poll_interval", _SHORTEST_POLL)):
        if not params[option] >= least:
            raise WrongOption(f"{option} is {params[option]:g}: set it to {least} seconds or more.")
    seconds_of(params["outage_wait"], "outage_wait")
    if params["concurrency"] < 0:
        raise WrongOption(f"concurrency is {params['concurrency']}: set it to 0 for no limit, or to a positive number.")
    if params["concurrency"] and not params["wait"]:
        raise WrongOption(
            "concurrency requires wait: true, because the task starts the remaining scans while it waits: set wait to"
            " true, or remove concurrency."
        )
    if params["state"] == "present" and params["id"] is not None:
        raise WrongOption("id names an existing scan: use it with state: stopped or absent, or give target instead.")


def tools_of(params: Mapping[str, Any]) -> dict[int, Record | None]:
    """The parameters of each tool that the options name, by its id. Raises WrongOption."""
    names, given = params["tools"], params["tool_params"]
    if names is None:
        return {tool_id_of(params["tool"]): given}
    if not names:
        raise WrongOption("tools is empty: give at least one tool, or skip this task.")
    for name, each in (given or {}).items():
        if name not in names or not isinstance(each, dict):
            raise WrongOption(
                f"tool_params has the key {printable(name, 60)!r}: with tools, each key is a tool as named in tools, and its"
                " value the dictionary of its parameters."
            )
    tools = {tool_id_of(name, f"tools[{index}]"): (given or {}).get(name) for index, name in enumerate(names)}
    if len(tools) < len(names):
        raise WrongOption("tools names a tool twice: remove one of the names.")
    return tools


def specs_of(params: Mapping[str, Any]) -> list[ScanSpec]:
    """What the options declare, for each tool. Raises WrongOption."""
    longest = params["max_scan_time"]
    if longest is not None and not 1 <= longest <= _LONGEST_SCAN:
        raise WrongOption(f"max_scan_time is {longest}: set it to 1 to {_LONGEST_SCAN} minutes, or remove it.")
    tools, max_age = tools_of(params), seconds_of(params["max_age"])
    given = params["authentication"]
    authentication: Record | None = None
    if given is not None:
        kind, fields = given["type"], _AUTHENTICATION[given["type"]]
        extra = [name for name, value in given.items() if value is not None and name not in ("type", *fields)]
        if extra:
            raise WrongOption(
                f"authentication.{extra[0]} does not belong to type {kind}: remove it, or choose another type."
            )
        authentication = {"type": kind, "params": {name: given[name] for name in fields}}
    free = params["start_params"] or {}
    for name in free:
        if name in _OWN_FIELDS:
            raise WrongOption(f"start_params.{name} has its own option: use {_OPTION_OF.get(name, name)} instead.")
    own = {name: params[name] for name in ("redirect_level", "scan_original_url") if params[name] is not None}
    return [
        ScanSpec(
            tool_id=tool_id,
            max_age=max_age,
            vpn_uuid=None,
            tool_params=tool_params,
            max_scan_time=longest,
            authentication=authentication,
            further={**own, **free},
        )
        for tool_id, tool_params in tools.items()
    ]


def _matches(found: object, wanted: object) -> bool:
    """Whether a value of the service is the declared one. Nested dictionaries match as subsets."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(key in found and _matches(found[key], wanted[key]) for key in wanted)
    if isinstance(wanted, list):
        return (
            isinstance(found, list) and len(found) == len(wanted) and all(_matches(f, w) for f, w in zip(found, wanted))
        )
    if found is None or wanted is None or isinstance(found, (dict, list)):
        return found is wanted
    # templates turn numbers and booleans into text; and to Python, true is 1
    return str(found).lower() == str(wanted).lower() or (found == wanted and bool not in (type(found), type(wanted)))


# --- refused starts

_SLOT_WORDS = ("parallel scan", "concurrent scan", "simultaneous scan", "scans in parallel", "scans at the same time")
_TARGET_OPTIONS = ("target", "target_id", "targets")
# the options that name objects which a start may not find
_REFERENCES = ("target_id", "workspace", "workspace_id", "vpn_profile", "tool")
_REDIRECT = (
    "set redirect_level, such as same_domain, to follow the redirect, or scan_original_url: true to scan the address as it"
    " is, or name the address that it redirects to"
)
# words in the service's message about a wrong field, and what to do next
_WRONG_FIELDS = (
    (("max_scan_time", "max scan time"), "correct the option max_scan_time; some tools do not support it"),
    (("redirect",), _REDIRECT),
    (("vpn",), "correct the option vpn_profile"),
    (("authentication", "login_page"), "correct the option authentication"),
    (("tool_params", "parameters of the tool"), "correct the option tool_params"),
    (("tool_id",), "correct the option tool"),
    (("workspace",), "correct the workspace"),
    (("report_callback",), "correct start_params.report_callback"),
)
_REFUSED_BY_PLAN = (
    (
        _SLOT_WORDS,
        "the account's plan limits how many scans run at the same time; wait until one of them has ended, or set"
        " concurrency, so that the task waits for a free slot",
    ),
    (
        ("asset",),
        "the account has used up the assets of its plan; delete targets that are no longer needed, or change the plan",
    ),
    (("blacklist", "blocklist"), "the service never scans this target; remove it from the declaration"),
    (
        ("too many", "maximum", "limit", "only allows"),
        "the account's plan sets this limit; delete what it counts, or change the plan",
    ),
    (("licen",), "the account's licence is not valid; renew it in the web application"),
)


def start_hints(params: Mapping[str, Any]) -> Hints:
    """What to do next after a refused start, by status; see ``_http/advice.next_step``."""
    option = next((name for name in _TARGET_OPTIONS if params[name] is not None), "target")
    wrong = (*_WRONG_FIELDS, (("",), f"correct the option {option}"))
    vanished = "the workspace was deleted after this task had found it; run the task again"
    missing = (
        (("vpn",), "check vpn_profile"),
        (("tool",), "check tool"),
        (("workspace",), "check workspace_id" if params["workspace_id"] is not None else vanished),
        (("target",), f"check {option}"),
        (("",), "check " + " and ".join(name for name in _REFERENCES if params[name] is not None)),
    )
    return {400: wrong, 403: _REFUSED_BY_PLAN, 404: missing, 422: wrong}


def is_slot_refusal(error: CallError) -> bool:
    """Whether a start was refused because the plan's parallel scans are used up, so that it may succeed once one has
    ended."""
    words = f"{error.message or ''} {error.details or ''}".lower()
    return error.status == 403 and any(mark in words for mark in _SLOT_WORDS)
