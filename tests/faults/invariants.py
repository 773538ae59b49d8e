# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The invariants of every cell, judged by the log and the state of the service, not by the module's own result. Pure.

Each function takes the Evidence of a cell and the Usual of its operation, and yields what is wrong.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from ansible_collections.scanops.scanner.tests.faults.state import State, differences, undeclared

# keys that depend on how a task gets its result
# what grows while a task runs
AGES = ("age", "generated")
UNCOMPARED = {".api_calls", ".invocation", ".warnings", ".deprecations", ".diff", ".elapsed", ".plan.calls"}
# where modules report failures besides api_error, which is that of one call
REPORTS = {"targets": ("results",), "estate": ("results",), "service_info": ("service",), "scan": ("outcome", "scans")}
# what a result says of what could not be read; a plan is not refused for it
NOT_KNOWN = "is not known, because they could not be read"
UNCERTAIN = re.compile(r"\bmay (still )?(have|be|exist)\b")
MOST_TRIES = 4


@dataclass
class Outcome:
    """One run of a module. text: its output; log: the requests; state, files: what exists afterwards; result: the output
    read as JSON, None if that failed."""

    text: str
    log: list[dict[str, Any]]
    state: State
    files: dict[str, bytes]
    result: dict[str, Any] | None = None

    @property
    def failed(self) -> bool:
        return self.result is None or bool(self.result.get("failed"))

    @property
    def changed(self) -> bool:
        return self.result is not None and bool(self.result.get("changed"))

    @property
    def calls(self) -> list[str]:
        return [f"{entry['method']} {entry['path']}" for entry in self.log]

    @property
    def writes(self) -> list[str]:
        return [call for call in self.calls if not call.startswith("GET ")]


@dataclass
class Usual:
    """An operation without a fault: the state before, two first runs at different times, and a second run."""

    before: State
    files: dict[str, bytes]
    run: Outcome
    twin: Outcome
    again: Outcome
    module: str
    check: bool
    tells_all: bool = False
    """Whether the operation reports faults in its result, as `service_info` does."""


@dataclass
class Evidence:
    """A cell: the run with the fault, a second run without it, and whether the faulty answer could be correct."""

    run: Outcome
    again: Outcome
    believable: bool
    key: str
    notes: list[str] = field(default_factory=list)


def no_traceback(seen: Evidence, usual: Usual) -> Iterator[str]:
    """A result is JSON; a failure has a message of one line and no traceback."""
    for run in (seen.run, seen.again):
        if run.result is None:
            yield f"no result: {run.text[-500:]!r}"
            continue
        if "exception" in run.result or "Traceback" in run.text:
            yield f"a traceback: {run.text[-500:]!r}"
        message = run.result.get("msg")
        if run.failed and (not isinstance(message, str) or not message.strip() or not message.isprintable()):
            yield f"not one line of text: {message!r}"


def an_error_for_machines(seen: Evidence, usual: Usual) -> Iterator[str]:
    """A failed call is in api_error, or where the module reports the failures of several objects or steps."""
    if seen.run.result is not None and seen.run.failed and not seen.believable:
        errors = list(_found(seen.run.result, "api_error"))
        if not errors and not any(seen.run.result.get(name) for name in REPORTS.get(usual.module, ())):
            yield f"failed without api_error: {seen.run.result.get('msg')}"
        for error in errors:
            if error is not None and set(error) != {"status", "message", "details", "method", "path"}:
                yield f"api_error has other keys: {sorted(error)}"


def no_key(seen: Evidence, usual: Usual) -> Iterator[str]:
    """Neither the output nor a file contains the key in any known form."""
    forms = {seen.key, quote(seen.key, safe=""), base64.b64encode(seen.key.encode()).decode().rstrip("=")}
    for form in forms:
        if any(form in run.text for run in (seen.run, seen.again)):
            yield "the key is in the output"
        if any(form.encode() in content for content in seen.run.files.values()):
            yield "the key is in a file"


def success_is_true(seen: Evidence, usual: Usual) -> Iterator[str]:
    """A task that succeeds has done what it declares, and returns the correct result."""
    if seen.run.failed or seen.believable:
        return
    if seen.run.state != usual.run.state:
        yield f"success, but the service has: {differences(seen.run.state, usual.run.state)}"
    elif not usual.tells_all and usual.run.state == usual.before:
        different = [what for _path, what in differing(seen.run.result, usual.run.result, usual.twin.result)]
        if different:
            yield f"success with another result: {'; '.join(different)[:400]}"
    if sorted(seen.run.files) != sorted(usual.run.files):
        yield f"success, with the files {sorted(seen.run.files)}"
    for name, content in seen.run.files.items():
        if usual.run.files.get(name) == usual.twin.files.get(name) != content:
            yield f"success, but {name} has another content"


def unchanged_is_true(seen: Evidence, usual: Usual) -> Iterator[str]:
    """`changed` is false only if nothing has changed, also in a failure."""
    if seen.run.result is not None and not seen.run.changed:
        if seen.run.state != usual.before:
            yield f"changed is false, but: {differences(seen.run.state, usual.before)}"
        if seen.run.files != usual.files:
            yield f"changed is false, but the files are {sorted(seen.run.files)}"


def nothing_undeclared(seen: Evidence, usual: Usual) -> Iterator[str]:
    """Neither the run nor a second run creates, changes or deletes anything that the task does not declare."""
    for which, run in (("", seen.run), ("the second run: ", seen.again)):
        for each in undeclared(usual.before, run.state, usual.run.state):
            # a task may create what the service reported as missing
            if not (seen.believable and each.endswith("was created")):
                yield which + each
        unexpected = set(run.files) - set(usual.run.files)
        if unexpected:
            yield f"{which}left the files {sorted(unexpected)}"


def starts_are_reported(seen: Evidence, usual: Usual) -> Iterator[str]:
    """Scans and reports are started once. Their ids are reported, or the message says that they may exist."""
    for family in ("scans", "reports"):
        created = len(seen.run.state.created(family))
        most = max(1, len(usual.run.state.created(family)))
        if created > most:
            yield f"{created} {family} were started"
        ids = set(seen.run.state.names[family]) - set(usual.before.names[family])
        unnamed = [each for each in ids if str(each) not in seen.run.text]
        if unnamed and seen.run.result is not None and not UNCERTAIN.search(_words(seen.run.result)):
            yield f"{family} {unnamed} were started and are not reported: {seen.run.result.get('msg')}"


def calls_are_bounded(seen: Evidence, usual: Usual) -> Iterator[str]:
    """A fault costs some retries and reads, not some for every item."""
    most = MOST_TRIES * (len(usual.run.calls) + 6)
    if len(seen.run.calls) > most:
        yield f"{len(seen.run.calls)} calls, where {len(usual.run.calls)} are usual"


def check_mode_writes_nothing(seen: Evidence, usual: Usual) -> Iterator[str]:
    if usual.check and seen.run.writes:
        yield f"check mode sent {seen.run.writes}"


def a_second_run_converges(seen: Evidence, usual: Usual) -> Iterator[str]:
    """A second run, without the fault, leads to the declared state."""
    if seen.believable or seen.again.result is None:
        return
    if seen.again.failed and not usual.again.failed:
        yield f"the second run failed: {seen.again.result.get('msg')}"
    elif seen.again.state != usual.run.state and not (usual.again.failed and seen.again.failed):
        yield f"after the second run the service has: {differences(seen.again.state, usual.run.state)}"


INVARIANTS = (
    no_traceback,
    an_error_for_machines,
    no_key,
    success_is_true,
    unchanged_is_true,
    nothing_undeclared,
    starts_are_reported,
    calls_are_bounded,
    check_mode_writes_nothing,
    a_second_run_converges,
)


def broken(seen: Evidence, usual: Usual) -> list[str]:
    """The broken invariants, each as "name: what was seen"."""
    return [f"{check.__name__}: {what}" for check in INVARIANTS for what in check(seen, usual)]


def _words(result: dict[str, Any]) -> str:
    return json.dumps([result.get("msg"), result.get("warnings"), list(_found(result, "error"))])


def _found(value: object, name: str) -> Iterator[Any]:
    """All values of this key in a result, at any depth."""
    if isinstance(value, dict):
        if name in value:
            yield value[name]
        for each in value.values():
            yield from _found(each, name)
    elif isinstance(value, list):
        for each in value:
            yield from _found(each, name)


def differing(value: object, usual: object, twin: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Where and how a result differs from the usual one. Differences between the usual one and its twin are ignored."""
    if isinstance(usual, dict) and isinstance(value, dict) and isinstance(twin, dict):
        compared = (name for name in {*value, *usual} if f"{path}.{name}" not in UNCOMPARED and name not in AGES)
        for name in sorted(compared):
            if name not in value or name not in usual:
                yield f"{path}.{name}", f"{path}.{name} is {'missing' if name not in value else 'new'}"
            else:
                yield from differing(value[name], usual[name], twin.get(name), f"{path}.{name}")
    elif isinstance(usual, list) and isinstance(value, list) and isinstance(twin, list) and len(usual) == len(twin):
        if len(value) != len(usual):
            yield path, f"{path} has {len(value)} items, not {len(usual)}"
        for number, each in enumerate(zip(value, usual, twin)):
            yield from differing(*each, f"{path}[{number}]")
    elif usual == twin and value != usual and NOT_KNOWN not in str(value):
        yield path, f"{path} is {value!r}, not {usual!r}"[:200]
