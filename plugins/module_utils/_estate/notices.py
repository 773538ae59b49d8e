# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What a person should know of many objects before they are written. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from .._model.errors import first_of, printable
from .._model.families import TARGET
from .._model.records import Record, not_shown
from .._model.target_names import normal_name
from .._task.name_match import Names, look_alike
from .plan import Managed, Rules, Step, fits, mark_of

MOST_NAMED = 5


def warnings_of(workspaces: Sequence[Managed], rules: Rules) -> Iterator[str]:
    """What a person should know of the declaration and of what exists."""
    for managed in workspaces:
        own = managed.wanted.workspace
        if own is not None and own.absent and managed.record is None:
            yield (
                f"{own.path} is absent as declared, workspace {printable(own.name)!r} does not exist: remove the entry if it"
                " was retired, or correct the name."
            )
        for family, items in managed.wanted.lists.items():
            live = [row[family.key] for row in managed.rows.get(family, ())]
            alike = look_alike([item.name for item in items], live)
            if alike:
                yield alike
    idle = _idle_entries(workspaces, rules)
    if idle:
        names = "matches" if len(idle) == 1 else "match"
        yield (
            f"{first_of(idle, MOST_NAMED)} {names} no object that this task could delete: check for a typo, or remove what is"
            " no longer needed."
        )
    late = [
        f"{item.path} ({printable(item.name, 60)!r})"
        for managed in workspaces
        for live in [Names(TARGET, managed.rows.get(TARGET, ()))]
        for item in managed.wanted.lists.get(TARGET, ())
        for row in (live.all(item.name) if item.protect else ())
        if not mark_of(row).protected
    ]
    if late:
        exists, they_are = ("exists", "It is") if len(late) == 1 else ("exist", "They are")
        yield (
            f"{first_of(late, MOST_NAMED)} {exists} without the mark that protects, which the API cannot add. {they_are}"
            " protected only as long as this is declared."
        )


def _idle_entries(workspaces: Iterable[Managed], rules: Rules) -> list[str]:
    """The places of the entries of ``protect``, ``adopt`` and ``unprotect`` that match nothing that may be deleted."""
    rows = [
        (family, row)
        for managed in workspaces
        for family, rows in managed.rows.items()
        if rules.may_delete(family, managed)
        for row in rows
    ]
    targets = [row for family, row in rows if family is TARGET]
    names = {normal_name(TARGET, row[TARGET.key]) for row in targets} if rules.unprotect else ()
    owners = {mark_of(row).owner for row in targets} if rules.adopt else ()
    # an owner that is not seen may be one whose mark is not shown
    adopt = () if any(not_shown(row, ["description"]) for row in targets) else rules.adopt
    found: dict[str, tuple[Sequence[Record], Sequence[str], Callable[[str], bool]]] = {
        "protect": (
            [row for _family, row in rows],
            rules.protect,
            lambda text: any(fits(text, row[family.key], family) for family, row in rows),
        ),
        "adopt": (targets, adopt, lambda text: text in owners),
        "unprotect": (targets, rules.unprotect, lambda text: normal_name(TARGET, text) in names),
    }
    return [
        f"{option}[{number}] ({printable(text, 60)!r})"
        for option, (seen, texts, matches) in found.items()
        for number, text in enumerate(texts if seen else ())
        if not matches(text)
    ]


def deletions_not_made(steps: Iterable[Step]) -> str:
    """What is declared to be deleted, or recreated, and is not, and why, a warning; or ""."""
    kept = [step for step in steps if step.item and step.action in ("protected", "foreign")]
    if not kept:
        return ""
    first, more = kept[0], f" The plan has {len(kept) - 1} more." if kept[1:] else ""
    return (
        f"{first.place} ({printable(first.name, 60)!r}) is not {'recreated' if first.after else 'deleted'}: {first.reason}."
        f"{more} To allow that, see adopt, unprotect and protect."
    )


def unmarked(steps: Iterable[Step], rules: Rules) -> list[str]:
    """The names of declared targets that exist without the mark of the owner, which the API cannot add."""
    return [
        step.name
        for step in steps
        if rules.owner and step.family is TARGET and step.item and step.before
        if mark_of(step.before).owner != rules.owner
    ]
