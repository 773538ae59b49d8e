# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What a task over many objects says of its plan and of what became of it. Pure."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from .._errors import counted, printable
from .._resources import RESOURCES, WORKSPACE
from .plan import ACTIONS, WRITES

# so many of each action are shown where a task fails
MOST_SHOWN = 10


class Done(NamedTuple):
    """What became of a step. step: with the action that was really taken; object_id: int or None; error: str or None;
    planned: the action that was planned, where it was another one."""

    step: object
    object_id: int | None = None
    error: str | None = None
    planned: str | None = None


def refused_as_a_whole(steps, reason):
    """The Done of each step of a plan of which nothing is written. reason: why, a clause."""
    return [
        Done(step._replace(action="refused"), None, step.reason if step.action == "refused" else reason, step.action)
        if step.action in WRITES
        else Done(step)
        for step in steps
    ]


def summary_of(done):
    """{action: count}, for every action."""
    counts = Counter(entry.step.action for entry in done)
    return {action: counts[action] for action in ACTIONS}


def rows_of(done, silent=()):
    """The ``results`` of a module. silent: actions without rows."""
    return [_row(entry) for entry in done if entry.step.action not in silent]


def first_of_each(done):
    """The first entries of each action that was planned or taken, in their order; ``summary_of`` counts the others."""
    counts = Counter()
    shown = []
    for entry in done:
        kind = (entry.step.action, entry.planned)
        counts[kind] += 1
        if counts[kind] <= MOST_SHOWN:
            shown.append(entry)
    return shown


def _row(entry):
    step = entry.step
    object_id = entry.object_id
    if object_id is None and step.before is not None:
        object_id = step.before["id"]
    return dict(
        index=step.item.index if step.item else None,
        resource=step.resource,
        workspace=step.workspace,
        name=step.name,
        action=step.action,
        id=object_id,
        error=entry.error or (step.reason if step.action in ("refused", "failed") else None),
    )


def shortened(plan):
    """A ``plan`` with the first actions of each kind; ``left_out`` counts the others."""
    counts = Counter()
    shown = []
    for action in plan["actions"]:
        counts[action["action"]] += 1
        if counts[action["action"]] <= MOST_SHOWN:
            shown.append(action)
    left_out = {action: count - MOST_SHOWN for action, count in counts.items() if count > MOST_SHOWN}
    return dict(plan, actions=shown, left_out=left_out)


def as_diff(steps):
    """The plan as a diff of two texts, one line an object that is written."""
    before, after = [], []
    for step in steps:
        if step.action not in WRITES:
            continue
        where = (
            f"{step.workspace}: {RESOURCES[step.resource].noun} " if step.resource != WORKSPACE.name else "workspace "
        )
        entry = RESOURCES[step.resource]
        if step.before is not None:
            before.append(where + _line(entry, step.before, step.after))
        if step.action != "delete":
            after.append(where + _line(entry, dict(step.before or {}, **(step.after or {})), step.after))
    return dict(
        before="".join(line + "\n" for line in sorted(before)), after="".join(line + "\n" for line in sorted(after))
    )


def _line(entry, record, declared):
    fields = [field for field in entry.declared if record.get(field) and (declared is None or field in declared)]
    return printable(record[entry.key], 1000) + "".join(f", {field}: {printable(record[field])!r}" for field in fields)


def failure(done, passing):
    """The message of a task that has not done everything.

    passing: whether what stopped the task was temporary.
    """
    # what failed first: an earlier row may only be refused because of it
    problems = [entry for action in ("failed", "refused") for entry in done if entry.step.action == action]
    written = sum(entry.step.action in WRITES for entry in done)
    were = "was" if len(problems) == 1 else "were"
    text = f"{len(problems)} of {counted(len(done), 'object')} failed or {were} skipped, {written} "
    text += f"{'was' if written == 1 else 'were'} written. {_named(problems[0])}"
    if len(problems) > 1:
        text += f" See results for the other {counted(len(problems) - 1, 'object')}."
    if "run the task again" in text.lower():
        return text
    return f"{text} {'Run' if passing else 'Correct this, and run'} the task again; it does the rest."


def _named(entry):
    step = entry.step
    where = step.item.path if step.item else RESOURCES[step.resource].noun
    why = (entry.error or step.reason).rstrip(".")
    return f"{where} {printable(step.name)!r}: {why}."
