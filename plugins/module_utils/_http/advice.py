# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What the reader of an error does next: a table by status and call. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Union

# what to do next after some statuses: a clause without a full stop, or clauses by words of the service's message
_Words = tuple[tuple[tuple[str, ...], str], ...]
Hints = Mapping[int, Union[str, _Words]]


class Call(NamedTuple):
    """What is known about a call when its failure is explained.

    action: one of ACTIONS; noun: the kind of object; key: the option that names such an object; filtered: the task filters
    the list; within: the call names a workspace; given: the option that gave the id in the call, "" where the service has
    shown this id to the task; answered: the service has accepted a call of this task before, so that address and key were
    right then.
    """

    action: str = "read"
    noun: str = "object"
    key: str = "name"
    filtered: bool = False
    within: bool = False
    given: str = ""
    answered: bool = False

    @property
    def facts(self) -> set[str]:
        """The words that the table of next steps asks for."""
        kind = "reading" if self.action in READS else "starting" if self.action == "start" else "writing"
        others = (name for name in ("filtered", "within", "given", "answered") if getattr(self, name))
        return {self.action, kind, *others}


# nothing is known about the call
ANY_CALL = Call("list")
# what a call does
READS = ("list", "read", "download")
ACTIONS = (*READS, "create", "start", "update", "delete", "stop")
_AGAIN = "run the task again later"
_COMPLETE = "run the task again; it changes only what is still missing"
_CHECK_FIRST = "check the {noun}s in the web application before you run the task again"
_SUPPORT = "contact the service's support if this persists"
_ADDRESS = "check that base_url is the address of the service's API"
# What to do next: statuses, facts of the call, clause. The first row counts whose facts are all true.
_NEXT_STEPS: tuple[tuple[tuple[int, ...], str, str], ...] = (
    ((400, 422), "list filtered", "correct the filters of this task"),
    ((400, 422), "list within given", "check {given}; a workspace with this id may not exist"),
    ((400, 422), "list within", "check that the workspace still exists, and run the task again"),
    ((400, 422), "create", "correct the option {key}, or the one that the service names"),
    ((400, 422), "start", "correct the options of this task"),
    ((400, 422), "update", "correct the declared values"),
    ((400, 422), "", "this task sends no value that could be corrected; contact the service's support"),
    ((401,), "answered", "the key was accepted earlier in this task; create a new one if it was revoked since"),
    ((401,), "", "check api_key, or create a new key in the account's API section"),
    ((403,), "answered", "check what this key may do, and what the account's plan and licence include"),
    ((403,), "", "check that the account's plan includes API access and that this key may do this"),
    ((404,), "within given", "no workspace has this id; check {given}"),
    ((404,), "within", "the workspace was deleted after this task had found it; run the task again"),
    ((404,), "given", "check {given}, and that this key may see the {noun}"),
    ((404,), "list answered", "the service lists no {noun}s for this account; contact its support"),
    ((404,), "create answered", "the service creates no {noun}s for this account; contact its support"),
    ((404,), "start answered", "the service starts no {noun}s for this account; contact its support"),
    ((404,), "list", _ADDRESS),
    ((404,), "create", _ADDRESS),
    ((404,), "start", _ADDRESS),
    ((404,), "", "the {noun} was deleted after this task had found it; run the task again"),
    ((406,), "download", "ask for another format"),
    ((409,), "create", "another {noun} has this {key}, and this task cannot see it; choose another {key}"),
    ((409,), "start", "wait until the {noun} in progress has ended, and run the task again"),
    ((409,), "update", "somebody else may be changing the {noun}; run the task again"),
    ((409,), "delete", "the {noun} is in use; stop what uses it, and run the task again"),
    ((409,), "stop", "the {noun} may have ended; run the task again"),
    ((409,), "", f"the service cannot return this now; {_AGAIN}"),
    ((429,), "", f"{_AGAIN}, or raise rate_limit_wait"),
    ((500, 502, 503, 504), "starting", _CHECK_FIRST),
    ((500,), "writing", f"{_COMPLETE}. {_SUPPORT.capitalize()}"),
    ((500,), "", f"{_AGAIN}, and {_SUPPORT}"),
    ((502, 504), "writing", f"a gateway answered instead of the service; {_COMPLETE}"),
    ((503,), "writing", f"the service is not available now; {_COMPLETE}"),
    ((502,), "", f"a gateway answered instead of the service; {_AGAIN}"),
    ((503,), "", f"the service is not available now; {_AGAIN}"),
    ((504,), "", f"a gateway got no answer from the service; {_AGAIN}"),
)
_NO_ROW = f"{_AGAIN} if the cause is temporary, and {_SUPPORT}"
# the reasons of a 403 on a create, told apart by words of the service's message
_CREATE_REFUSALS: _Words = (
    (("api access",), "check that the account's plan includes API access"),
    (("blacklist", "blocklist"), "the service never scans this target; remove it from the declaration"),
    (
        ("too many", "maximum", "limit"),
        "the account is full; delete targets that are no longer needed or change the plan",
    ),
    (("licen",), "the account's licence is not valid; renew it in the web application"),
)
CREATE_HINTS: Hints = {403: _CREATE_REFUSALS}


def next_step(
    status: int,
    message: str | None = None,
    hints: Hints | None = None,
    call: Call = ANY_CALL,
    details: str | None = None,
) -> str:
    """What the reader of an error with this status does next: a clause without a full stop.

    hints: those of this call; the table has the others.
    """
    hint = (hints or {}).get(status)
    if isinstance(hint, tuple):
        words = f"{message or ''} {details or ''}".lower()
        hint = next((step for marks, step in hint if any(mark in words for mark in marks)), None)
    if hint:
        return hint
    facts = call.facts
    rows = (
        clause for statuses, wanted, clause in _NEXT_STEPS if status in statuses and facts.issuperset(wanted.split())
    )
    return next(rows, _NO_ROW).format(noun=call.noun, key=call.key, given=call.given)


def after_no_answer(call: Call, otherwise: str) -> str:
    """What to do next where the answer never came, or broke off. otherwise: what may help."""
    if call.action == "start":
        return _CHECK_FIRST.format(noun=call.noun)
    if call.action in READS:
        return f"{_AGAIN}, and {otherwise}"
    return f"{_COMPLETE}. {otherwise[0].upper()}{otherwise[1:]}"


def after_interrupt(call: Call, maybe_done: bool) -> str:
    """What to do next where an interrupt kept a call from being sent or answered."""
    if call.action == "start" and maybe_done:
        return _CHECK_FIRST.format(noun=call.noun)
    return "run the task again" if call.action in (*READS, "start") else _COMPLETE


def unreachable(call: Call) -> str:
    """What to do next where no connection can be made."""
    if call.answered:
        return "it answered earlier in this task, so run the task again later"
    return "check base_url and that the service can be reached from this host"


def after_another_answer(call: Call) -> str:
    """What to do next where the answer is not the service's: HTML, broken JSON, another shape."""
    if not call.answered:
        return _ADDRESS
    if call.action == "start":
        return _CHECK_FIRST.format(noun=call.noun)
    return f"a proxy may have answered instead of the service; {_AGAIN if call.action in READS else _COMPLETE}"
