# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Resolves the targets that a task of the module scan names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._errors import WrongOption, printable
from .._families.target import TARGET
from .._lookup import Place, confirm_place, find_by_key, listed, match, not_empty
from .._names import normal_form
from .._raw_options import UNKNOWN_ID
from .._records import Record
from .._references import place_of, warn_current_workspace
from .._scope.valid_names import refuse_name
from .._task import Task
from .watch import Entry


class Targets(NamedTuple):
    """The workspace and the targets of a task, an Entry for each, with its id if the target exists."""

    place: Place
    entries: list[Entry]


def declared_names(params: Mapping[str, Any]) -> list[str]:
    """The names in target or targets, [] if the task gives target_id. Raises WrongOption."""
    if params["target_id"] is not None:
        return []
    names: list[str] = [params["target"]] if params["targets"] is None else params["targets"]
    if not names:
        raise WrongOption("targets is empty: give at least one target, or skip this task.")
    _refuse_bad_names(names, "target" if params["targets"] is None else "targets")
    return names


def resolve(task: Task) -> Targets:
    names = declared_names(task.params)
    if not names:
        return _resolve_id(task)
    task.permits.refuse(names)
    place = place_of(task)
    warn_current_workspace(task, place)
    live: list[Record | None] = [None] * len(names) if place.missing else _live_targets(task, place, names)
    if task.params["state"] == "present":
        _refuse_wrong_names(task, names, live)
    if place.missing:
        return Targets(place, [Entry(name) for name in names])
    if place.id is None:
        # the current workspace may change during the task
        place = place._replace(id=next((record["workspace_id"] for record in live if record), None))
    _warn_of_new_targets(task, [name for name, record in zip(names, live) if record is None])
    entries = [
        Entry(name) if record is None else Entry(record["name"], record["id"]) for name, record in zip(names, live)
    ]
    return Targets(place, entries)


def _refuse_wrong_names(task: Task, names: Sequence[str], live: Sequence[Record | None]) -> None:
    """Refuse the first name that no new target can have, before anything is started."""
    for index, (name, record) in enumerate(zip(names, live)):
        if record is None:
            refuse_name("target" if task.params["targets"] is None else f"targets[{index}]", name)


def _warn_of_new_targets(task: Task, names: Sequence[str]) -> None:
    if names and task.params["state"] == "present":
        task.warn(
            f"{'Target' if len(names) == 1 else 'Targets'} {listed(names)} {'does' if len(names) == 1 else 'do'} not exist"
            " yet. The service creates a missing target and scans it: declare targets first, and set scope, so that a typo"
            " is not scanned."
        )


def _resolve_id(task: Task) -> Targets:
    target_id = task.params["target_id"]
    place = place_of(task)
    if target_id == UNKNOWN_ID:
        task.warn_foreseen("the target")
        return Targets(place, [Entry("the target that an earlier task would have made", by_id=True)])
    if place.missing and task.params["state"] != "present":
        # a workspace that does not exist contains no target
        return Targets(place, [])
    record = task.client.read(TARGET, target_id)
    if record is None:
        if task.params["state"] == "absent":
            return Targets(place, [])
        raise WrongOption(
            f"No target with id {target_id} is visible to this API key: correct target_id, or give target."
        )
    if place.declared and not place.missing and record["workspace_id"] not in (None, place.id):
        raise WrongOption(
            f"target {printable(record['name'])!r} (id {target_id}) is not in {place}, but in another workspace: correct"
            " the workspace, or leave it out."
        )
    task.permits.refuse([record["name"]])
    place = place if place.id is not None else place._replace(id=record["workspace_id"])
    return Targets(place, [Entry(record["name"], target_id, by_id=True)])


def _refuse_bad_names(names: Sequence[str], option: str) -> None:
    seen: dict[str, str] = {}
    for index, name in enumerate(names):
        where = option if option == "target" else f"targets[{index}]"
        not_empty(where, name)
        first = seen.setdefault(normal_form(name), where)
        if first != where:
            raise WrongOption(f"{first} and {where} are the same target, {printable(name)!r}: remove one of them.")


def _live_targets(task: Task, place: Place, names: Sequence[str]) -> list[Record | None]:
    """The live record of each name, None if it is missing: by the exact name, else by its normal form."""
    if len(names) == 1:
        return [find_by_key(task.client, TARGET, names[0], place.query, whole=True).record]
    rows: list[Record] = []
    missing = set(names)
    for page in task.client.pages(TARGET, place.query):
        rows += [row for row in page if place.id is None or row["workspace_id"] in (None, place.id)]
        missing -= {row["name"] for row in page}
        if not missing:
            break
    by_form: dict[str, list[Record]] = {}
    for row in rows:
        by_form.setdefault(normal_form(row["name"]), []).append(row)
    records = [match(TARGET, by_form.get(normal_form(name), []), name) for name in names]
    unnamed = next((each for each in records if each and each["workspace_id"] is None), None)
    if unnamed and place.id is not None:
        # one target is enough to see whether the service filters its lists
        confirm_place(task.client, TARGET, unnamed, place.id)
    return records


def find_missing(task: Task, entries: Sequence[Entry], query: dict[str, int]) -> None:
    """Note the ids of targets that have been created since."""
    missing = [entry for entry in entries if entry.target_id is None]
    if missing:
        place = Place(query.get("workspace_id"))
        for entry, record in zip(missing, _live_targets(task, place, [entry.target for entry in missing])):
            entry.target_id = record["id"] if record else None
