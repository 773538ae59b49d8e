# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The report on a plan and on the outcome of its steps. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from .._errors import counted, printable
from .._families.family import Family
from .._records import Record
from .model import ACTIONS, Done, Step

# the number of objects of each action that a failing task shows
MOST_SHOWN = 10


def refused_as_a_whole(steps: Iterable[Step], reason: str) -> list[Done]:
    """The outcome of a plan of which nothing is written. reason: a clause."""
    return [
        Done(step._replace(action="refused"), None, reason, planned=step.action) if step.writes else Done(step)
        for step in steps
    ]


def summary_of(done: Iterable[Done]) -> dict[str, int]:
    """The number of objects for every action."""
    counts = Counter(entry.step.action for entry in done)
    return {action: counts[action] for action in ACTIONS}


def rows_of(done: Iterable[Done], silent: Collection[str] = ()) -> list[Record]:
    """The ``results`` of a module. silent: actions without rows."""
    return [_row(entry) for entry in done if entry.step.action not in silent]


def first_of_each(done: Iterable[Done]) -> list[Done]:
    """The first entries of each action that was planned or taken, in their order; ``summary_of`` counts the others."""
    counts: Counter[tuple[str, str | None]] = Counter()
    shown = []
    for entry in done:
        kind = (entry.step.action, entry.planned)
        counts[kind] += 1
        if counts[kind] <= MOST_SHOWN:
            shown.append(entry)
    return shown


def _row(entry: Done) -> Record:
    step = entry.step
    object_id = entry.object_id
    if object_id is None and step.before is not None:
        object_id = step.before["id"]
    return dict(
        index=step.item.position if step.item else None,
        resource=step.resource,
        workspace=step.workspace,
        name=step.name,
        action=step.action,
        id=object_id,
        error=entry.error or (step.reason if step.action in ("refused", "failed") else None),
    )


def shortened(plan: dict[str, Any]) -> dict[str, Any]:
    """A ``plan`` with the first actions of each kind; ``left_out`` counts the others."""
    counts: Counter[str] = Counter()
    shown = []
    for action in plan["actions"]:
        counts[action["action"]] += 1
        if counts[action["action"]] <= MOST_SHOWN:
            shown.append(action)
    left_out = {action: count - MOST_SHOWN for action, count in counts.items() if count > MOST_SHOWN}
    return dict(plan, actions=shown, left_out=left_out)


def as_diff(steps: Iterable[Step]) -> dict[str, str]:
    """The plan as a diff of two texts, one line for each object that is written."""
    before, after = [], []
    for step in steps:
        if not step.writes:
            continue
        family = step.family
        where = f"{step.workspace}: {family.noun} " if family.in_workspace else f"{family.noun} "
        if step.before is not None:
            before.append(where + _line(family, step.before, step.after))
        if step.action != "delete":
            after.append(where + _line(family, {**(step.before or {}), **(step.after or {})}, step.after))
    return dict(
        before="".join(line + "\n" for line in sorted(before)), after="".join(line + "\n" for line in sorted(after))
    )


def _line(family: Family, record: Record, declared: Record | None) -> str:
    fields = [field for field in family.declared if record.get(field) and (declared is None or field in declared)]
    return printable(record[family.key], 1000) + "".join(f", {field}: {printable(record[field])!r}" for field in fields)


def failure(done: Sequence[Done], temporary: bool) -> str:
    """The message of a task that has not done everything. temporary: whether the cause is known to pass."""
    # what failed first: an earlier row may only be refused because of it
    problems = [entry for action in ("failed", "refused") for entry in done if entry.step.action == action]
    written = sum(entry.step.writes for entry in done)
    were = "was" if len(problems) == 1 else "were"
    text = f"{len(problems)} of {counted(len(done), 'object')} failed or {were} skipped, {written} "
    text += f"{'was' if written == 1 else 'were'} written. {_named(problems[0])}"
    if len(problems) > 1:
        text += f" See results for the other {counted(len(problems) - 1, 'object')}."
    if "run the task again" in text.lower():
        return text
    return f"{text} {'Run' if temporary else 'Correct this, and run'} the task again; it does the rest."


def _named(entry: Done) -> str:
    step = entry.step
    where = step.item.path if step.item else step.family.noun
    why = (entry.error or step.reason or "").rstrip(".")
    return f"{where} {printable(step.name)!r}: {why}."
