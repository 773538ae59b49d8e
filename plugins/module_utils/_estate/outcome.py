# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""A plan as results and reviewers see it: its cost, its checksum, its diff, and what became of its steps. Pure."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from .._http.pace import DOCUMENTED
from .._model.errors import counted, printable
from .._model.families import FAMILIES
from .._model.family import Family, may_be_full
from .._model.records import Record
from .._model.texts import natural
from .plan import ACTIONS, WRITES, Step

# the number of objects of each action that a failing task shows
MOST_SHOWN = 10

_Value = TypeVar("_Value")


# --- the plan of a result, and of a file that reviewers read


def as_result(
    steps: Sequence[Step],
    reads: int,
    sizes: Mapping[str, int] | None = None,
    base_url: str = "",
    ids: Mapping[str, int] | None = None,
    **more: list[Any],
) -> dict[str, Any]:
    """The ``plan`` of a module's result, without unchanged and ignored objects. reads, sizes: as in ``calls_of``; ids: those of
    workspaces that the plan is bound to, by name; more: lists that the steps do not show."""
    ids = ids or {}
    calls = calls_of(steps, reads, sizes or {})
    shown = [
        dict(
            action=step.action,
            resource=step.family.name,
            workspace=step.workspace,
            name=step.name,
            before=step.before,
            after=None if step.action == "delete" else step.after,
            reason=step.reason,
            **({"workspace_id": ids[step.workspace]} if step.workspace in ids else {}),
            **({"held": step.held} if step.held else {}),
        )
        for step in steps
        if step.action not in ("unchanged", "ignored")
    ]
    counts = Counter(action["action"] for action in shown)
    return dict(
        checksum=checksum(shown, base_url),
        base_url=base_url,
        actions=shown,
        counts={action: counts[action] for action in ACTIONS if counts[action]},
        left_out={},
        **{"unmarked": [], "unmanaged": [], "warnings": [], **more},
        calls=calls,
        # the minimum wait under the documented rate limits; 0 for a run that fits
        minutes=round(usual_wait(calls, Pacing(DOCUMENTED)) / 60),
    )


def shortened(plan: dict[str, Any]) -> dict[str, Any]:
    """A ``plan`` with the first actions of each kind; ``left_out`` counts the others."""
    left_out = {action: count - MOST_SHOWN for action, count in plan["counts"].items() if count > MOST_SHOWN}
    return dict(plan, actions=first_of_each(plan["actions"], lambda action: action["action"]), left_out=left_out)


def checksum(actions: Iterable[Record], base_url: str) -> str:
    """SHA-256 of the address and the writes: names and fields of created and updated objects, the live ones of updated and
    deleted objects, and the ids of workspaces and of what goes with them. It does not depend on the order of the declaration.

    actions: the ``actions`` of a module's plan."""
    written = sorted(identity(action) for action in actions if action["action"] in WRITES)
    return hashlib.sha256(f"{json.dumps(base_url)} [{', '.join(written)}]".encode("ascii")).hexdigest()


def identity(action: Record) -> str:
    """A text that two actions of plans share if they are the same write."""
    fields = [action[field] for field in ("action", "resource", "workspace", "name", "after")]
    family = FAMILIES[action["resource"]]
    # the declaration may name another object than the reviewed one, and that may be another one by now
    known = ("id", family.key, *family.declared) if action["action"] in ("update", "delete") else ()
    # accounts at one address may have workspaces of the same names
    more = [action.get(field) for field in ("workspace_id", "held")]
    return json.dumps([*fields, [action["before"][field] for field in known], *more], sort_keys=True)


def deleted_id(action: Record) -> int | None:
    """The id of the object that an action deletes, or None."""
    recreates = action["action"] == "update" and FAMILIES[action["resource"]].recreatable
    return action["before"]["id"] if recreates or action["action"] == "delete" else None


# --- what a plan costs


def calls_of(steps: Iterable[Step], reads: int, sizes: Mapping[str, int]) -> dict[str, int]:
    """The number of calls of the whole task, by method. reads: the GET calls that made the plan; sizes: the number of
    targets in each workspace now, by its name."""
    calls = dict(GET=reads, POST=0, PUT=0, DELETE=0)
    # how many rows the plan adds to each list
    more: Counter[tuple[Family, str | None]] = Counter()
    read_again = set()
    for step in steps:
        calls["POST"] += step.creates
        calls["PUT"] += step.action == "update" and not step.recreates
        calls["DELETE"] += step.deletes
        more[step.listing] += step.creates - step.deletes
        # a workspace and what it holds are read again before it is deleted, and the id of a new one before it is used
        used = bool(step.creates and step.family.holds)
        calls["GET"] += step.action == "update" or used or bool(step.held) + len(step.held)
        if step.deletes or (step.creates and not used):
            read_again.add(step.listing)
    for family, workspace in read_again:
        calls["GET"] += 1
        if family.paged:
            # a list that is cut into pages ends with an empty one; page 1 shows what the pages of a longer list count from
            rows, size = sizes.get(workspace or "", 0) + more[family, workspace], max(family.page_sizes)
            calls["GET"] += -(-rows // size) + (rows >= size or bool(rows and may_be_full(rows)))
    return calls


class Pacing(NamedTuple):
    """What decides how long calls wait."""

    # the calls that the service permits in a window, by the name of the limit; 0 for an unknown limit
    limits: Mapping[str, int]
    # the percentage of the limits that is used
    share: int = 100
    # seconds
    window: float = 60.0

    def used(self, name: str) -> int:
        """The calls that a task sends in a window."""
        return max(1, self.limits[name] * self.share // 100)


def limits_in_force(shown: Mapping[str, int]) -> dict[str, int]:
    """The limits that a plan must fit, by name; 0 for an unknown one. shown: those that the service has shown.

    The first write is what shows the limit of writes. Before it, the documented one counts if the service limits GET calls
    as documented, or more strictly. A service that shows no limit, or a higher one, may permit any number of writes.
    """
    as_documented = 0 < shown["GET"] <= DOCUMENTED["GET"]
    return dict(GET=shown["GET"], write=shown["write"] or (DOCUMENTED["write"] if as_documented else 0))


def _by_limit(calls: Mapping[str, int]) -> dict[str, int]:
    # the limit of PUT is not documented, and assumed to be that of POST
    return dict(GET=calls["GET"], write=calls["POST"] + calls["PUT"] + calls["DELETE"])


def _windows(calls: Mapping[str, int], pacing: Pacing) -> list[int]:
    """The number of windows that the calls of each limit need."""
    numbers = _by_limit(calls)
    return [-(-number // pacing.used(name)) for name, number in numbers.items() if number and pacing.limits[name]]


def usual_wait(calls: Mapping[str, int], pacing: Pacing) -> float:
    """The seconds that these calls wait if each of them takes no time."""
    return max(0, max(_windows(calls, pacing), default=0) - 1) * pacing.window


def shortest_wait(calls: Mapping[str, int], pacing: Pacing, seconds_a_call: float) -> float:
    """The seconds below which no run of these calls can succeed, whatever window the service uses.

    The time of the calls passes too and is not waited. After the permitted wait, calls are sent without pacing, so a fixed
    window that has just begun may take one full limit more.
    """
    in_calls = sum(calls.values()) * seconds_a_call
    waits = [
        (-(-(number - pacing.limits[name]) // pacing.used(name)) - 1) * pacing.window - in_calls
        for name, number in _by_limit(calls).items()
        if pacing.limits[name]
    ]
    return max(0.0, *waits) if waits else 0.0


def sufficient_wait(calls: Mapping[str, int], pacing: Pacing) -> int:
    """A value of rate_limit_wait with which these calls succeed, if no other task uses the limits meanwhile."""
    # one window more, as earlier calls may have used the limit up, and one as a reserve
    windows = 2 + sum(number - 1 for number in _windows(calls, pacing))
    return math.ceil(windows * pacing.window)


def time_left(done: int, total: int, seconds: float, pacing: Pacing) -> float | None:
    """The estimated seconds until a run ends: at its speed so far, or at the limit if that is slower. None if unknown.

    done, total: writes; seconds: since the run began.
    """
    left = total - done
    estimates = [left * seconds / done] if done else []
    if pacing.limits["write"]:
        estimates.append(left / pacing.used("write") * pacing.window)
    return max(estimates, default=None)


# --- what became of the steps


def refused_as_a_whole(steps: Iterable[Step], reason: str) -> list[Step]:
    """The outcome of a plan of which nothing is written. reason: a clause."""
    return [step._replace(action="refused", reason=reason) if step.writes else step for step in steps]


def summary_of(steps: Iterable[Step]) -> dict[str, int]:
    """The number of objects for every action."""
    counts = Counter(step.action for step in steps)
    return {action: counts[action] for action in ACTIONS}


def first_of_each(values: Iterable[_Value], kind: Callable[[_Value], str]) -> list[_Value]:
    """The first values of each kind, in their order."""
    counts: Counter[str] = Counter()
    shown = []
    for value in values:
        counts[kind(value)] += 1
        if counts[kind(value)] <= MOST_SHOWN:
            shown.append(value)
    return shown


def rows_of(steps: Iterable[Step], silent: Collection[str] = ()) -> list[Record]:
    """The ``results`` of a module. silent: actions without rows."""
    return [
        dict(
            index=step.item.position if step.item else None,
            resource=step.family.name,
            workspace=step.workspace,
            name=step.name,
            action=step.action,
            id=step.before["id"] if step.object_id is None and step.before else step.object_id,
            error=step.reason if step.action in ("refused", "failed") else None,
        )
        for step in steps
        if step.action not in silent
    ]


def as_diff(steps: Iterable[Step]) -> dict[str, str]:
    """The plan as a diff of two texts, one line for each object that is written."""
    before, after = [], []
    for step in steps:
        if step.writes and step.before is not None:
            before.append(_line(step, step.before))
        if step.writes and step.action != "delete":
            after.append(_line(step, {**(step.before or {}), **(step.after or {})}))
    return dict(before="".join(sorted(before, key=natural)), after="".join(sorted(after, key=natural)))


def _line(step: Step, record: Record) -> str:
    family, declared = step.family, step.after
    where = f"{step.workspace}: {family.noun}" if family.in_workspace else family.noun
    fields = [field for field in family.declared if record.get(field) and (declared is None or field in declared)]
    shown = "".join(f", {field}: {printable(record[field])!r}" for field in fields)
    return f"{where} {printable(record[family.key], 1000)}{shown}\n"


def drift_warning(drifted: Sequence[Step]) -> str:
    """The warning of targets that differ from the declaration."""
    one = len(drifted) == 1
    return (
        f"{counted(len(drifted), 'target')} {'has' if one else 'have'} another description than declared,"
        f" {printable(drifted[0].name)!r}{'' if one else ' first'}. The API cannot update it, so"
        f" {'it is left as it is' if one else 'they are left as they are'}; see plan and on_drift."
    )


def failure(steps: Sequence[Step], temporary: bool) -> str:
    """The message of a task that has not done everything. temporary: whether the cause is known to pass."""
    # what failed first: an earlier row may only be refused because of it
    problems = [step for action in ("failed", "refused") for step in steps if step.action == action]
    written = sum(step.writes for step in steps)
    were = "was" if len(problems) == 1 else "were"
    first = problems[0]
    text = f"{len(problems)} of {counted(len(steps), 'object')} failed or {were} skipped, {written} "
    text += f"{'was' if written == 1 else 'were'} written. {first.place} {printable(first.name)!r}: "
    text += f"{(first.reason or '').rstrip('.')}."
    if len(problems) > 1:
        text += f" See results for the other {counted(len(problems) - 1, 'object')}."
    if "run the task again" in text.lower():
        return text
    return f"{text} {'Run' if temporary else 'Correct this, and run'} the task again; it does the rest."
