# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Many objects: what would be written, in which order, and what the guards say. Pure: no network, no clock, no file."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from .._errors import Refused, counted, printable
from .._families.family import Family
from .._families.table import FAMILIES
from .._families.workspace import WORKSPACE
from .._records import InWorkspace, Record, difference, proven
from .._scope.valid_names import problem_of
from .cost import calls_of, minutes_of
from .model import ACTIONS, WRITES, Item, Live, Managed, Rules, Step, Wanted, normal_name, recreates

_NAMES_SHOWN = 5


class PlanRefused(Refused):
    """Nothing of a plan is written. reason: a clause for each object that would have been written."""

    def __init__(self, sentence: str, reason: str) -> None:
        super().__init__(sentence)
        self.reason = reason


class _List(NamedTuple):
    """One family in one workspace: what is declared and what exists."""

    resource: Family
    workspace: str
    items: Sequence[Item]
    rows: Sequence[Record]


class _Match(NamedTuple):
    """What exists of a declared object. problem: why nobody can tell, a clause."""

    record: Record | None = None
    problem: str | None = None


_NO_MATCH = _Match()

# what the declaration claims, live objects by (family, id) and keys that are unique in the account by (family, key), each
# with the name of its workspace
_Claims = dict[tuple[str, object], str]


def refusals(wanted: Iterable[Wanted], rules: Rules) -> dict[str, str]:
    """Why the scope refuses declared targets, by the path of the item; decided before any request."""
    if rules.verdict is None or rules.state == "absent":
        return {}
    found = {}
    for entry in wanted:
        for resource, items in entry.lists.items():
            for item in items if FAMILIES[resource].scoped else ():
                reason = None if item.ignore else rules.verdict(item.name)
                if reason:
                    found[item.path] = reason
    return found


def plan(workspaces: Iterable[Managed], rules: Rules, refused: Mapping[str, str]) -> list[Step]:
    """The steps for a declaration: one for each declared object in the order of the declaration, then the purged and the
    protected ones. refused: what ``refusals`` returned."""
    steps: list[Step] = []
    last: list[Step] = []
    lists: list[_List] = []
    claims: _Claims = {}
    for name, wanted, live in workspaces:
        if wanted.workspace is not None:
            steps.append(_workspace_step(wanted.workspace, live.record))
        for resource, items in wanted.lists.items():
            rows = proven(InWorkspace, live.rows[resource]) if resource in live.rows else ()
            each = _List(FAMILIES[resource], name, items, rows)
            matches = _matches(each)
            for item in items:
                steps.append(_item_step(each, item, matches.get(item.path, _NO_MATCH), live, rules, refused))
            lists.append(each)
            claims.update(_claims(each, matches.values()))
    if rules.state == "present":
        for each in lists:
            if each.resource.name in rules.purge:
                last += _purge_steps(each, claims, rules)
    if any(step.action == "refused" for step in steps):
        reason = "not declared, but nothing is purged while another object is refused"
        last = [step._replace(action="refused", reason=reason) if step.action == "delete" else step for step in last]
    return steps + last


def _claims(each: _List, matches: Iterable[_Match]) -> _Claims:
    resource = each.resource
    claims: _Claims = {(resource.name, match.record["id"]): each.workspace for match in matches if match.record}
    if resource.key_is_account_wide:
        claims.update({(resource.name, item.name): each.workspace for item in each.items})
    return claims


def _workspace_step(item: Item, record: Record | None) -> Step:
    after = {WORKSPACE.key: item.name, **item.fields}
    if record is None:
        return Step("create", WORKSPACE.name, item.name, item.name, after=after, item=item)
    changes = difference(WORKSPACE, record, item.fields)[0]
    action = "update" if changes else "unchanged"
    return Step(action, WORKSPACE.name, item.name, item.name, record, after, item=item, changes=changes)


def _matches(each: _List) -> dict[str, _Match]:
    """What exists of each item, by its path: exact names first, then normal forms."""
    key = each.resource.key
    exact: dict[str, list[Record]] = {}
    for row in each.rows:
        exact.setdefault(row[key], []).append(row)
    same: dict[str, list[Item]] = {}
    for item in each.items:
        same.setdefault(normal_name(each.resource, item.name), []).append(item)
    matches = {}
    unclaimed: dict[str, list[Record]] | None = None
    for normal, group in same.items():
        if len(group) > 1:
            _refuse_doubles(group, exact)
        for item in group:
            found = exact.get(item.name)
            if not found:
                if unclaimed is None:
                    unclaimed = _by_normal_name(each)
                found = unclaimed.get(normal, [])
            if len(found) > 1:
                ids = ", ".join(str(row["id"]) for row in sorted(found, key=lambda row: row["id"]))
                matches[item.path] = _Match(
                    problem=f"it matches {len(found)} existing objects, with the ids {ids}; declare the exact name of one"
                )
            elif found:
                matches[item.path] = _Match(found[0])
    return matches


def _refuse_doubles(group: Sequence[Item], exact: Mapping[str, object]) -> None:
    names = {item.name for item in group}
    if len(names) == len(group) and all(name in exact for name in names):
        return
    one, other = group[0], group[1]
    raise Refused(
        f"{one.path} and {other.path} are the same, {printable(one.name)!r} and {printable(other.name)!r}: remove one of"
        " them."
    )


def _by_normal_name(each: _List) -> dict[str, list[Record]]:
    """The rows that no item names exactly."""
    key = each.resource.key
    declared = {item.name for item in each.items}
    found: dict[str, list[Record]] = {}
    for row in each.rows:
        if row[key] not in declared:
            found.setdefault(normal_name(each.resource, row[key]), []).append(row)
    return found


def _item_step(each: _List, item: Item, match: _Match, live: Live, rules: Rules, refused: Mapping[str, str]) -> Step:
    resource, record = each.resource, match.record
    step = Step("unchanged", resource.name, each.workspace, item.name, item=item)
    if item.ignore:
        return step._replace(action="ignored", before=record)
    if match.problem:
        return step._replace(action="refused", reason=match.problem)
    if rules.state == "absent":
        if record is None:
            return step
        return step._replace(action="delete", before=record, reason=_other_spelling(resource, item, record))
    if item.path in refused:
        return step._replace(action="refused", before=record, reason=str(refused[item.path]))
    step = step._replace(before=record, after={resource.key: item.name, **item.fields})
    if record is None:
        problem = _why_not_created(resource, item, live)
        if problem:
            return step._replace(action="refused", after=None, reason=problem)
        return step._replace(action="create")
    drift = item.fields and difference(resource, record, item.fields)[1]
    return _drift_step(step, record, drift, rules) if drift else step


def _why_not_created(resource: Family, item: Item, live: Live) -> str | None:
    if resource.key_is_account_wide and item.name in live.elsewhere:
        return (
            f"its {resource.key} is taken in another workspace (id {live.elsewhere[item.name]['id']}), and the API cannot"
            f" move it: delete it there first, or choose another {resource.key}"
        )
    problem = problem_of(item.name) if resource.key_is_place else None
    return f"it cannot be the name of a target: {problem}" if problem else None


def _drift_step(step: Step, record: Record, drift: Record, rules: Rules) -> Step:
    names = " and ".join(sorted(drift))
    if rules.on_drift == "recreate" and rules.force:
        # a recreated target keeps its live spelling
        name = record[step.family.key]
        outside = rules.verdict and rules.verdict(name)
        problem = problem_of(name) or (outside and f"it is outside the authorised scope: {outside}")
        if problem:
            return step._replace(action="refused", reason=f"its live name cannot be created again: {problem}")
        reason = f"recreated because its {names} differs; its scans are deleted with it"
        changes = {field: values["declared"] for field, values in drift.items()}
        return step._replace(action="update", reason=reason, changes=changes)
    reason = f"its {names} differs, and the API cannot update it"
    if rules.on_drift == "recreate":
        return step._replace(action="refused", reason=f"{reason}; on_drift: recreate needs force: true")
    return step._replace(action="refused" if rules.on_drift == "fail" else "drifted", reason=reason)


def _other_spelling(resource: Family, item: Item, record: Record) -> str | None:
    live = record[resource.key]
    return None if live == item.name else f"it exists as {printable(live)!r}"


def _purge_steps(each: _List, claims: _Claims, rules: Rules) -> list[Step]:
    resource, workspace = each.resource, each.workspace
    rows = rules.purgeable(each.rows)
    if rows and not each.items:
        raise Refused(
            f"nothing is declared for the {resource.noun}s of workspace {printable(workspace)!r}, so purge would delete all"
            " of them: declare what is to stay, or leave the list out, or purge without this kind."
        )
    kept = {normal_name(resource, item.name) for item in each.items if item.ignore}
    steps = []
    for row in sorted(rows, key=lambda row: row["id"]):
        name = row[resource.key]
        normal = normal_name(resource, name)
        claimed = claims.get((resource.name, row["id"]), claims.get((resource.name, name)))
        if claimed == workspace or normal in kept:
            continue
        step = Step("delete", resource.name, workspace, name, before=row, reason="not declared", purged=True)
        if claimed is not None:
            reason = f"not declared here, but in workspace {printable(claimed)!r}"
            steps.append(step._replace(action="protected", reason=reason))
            continue
        pattern = next((pattern for pattern in rules.protect if _protects(pattern, name, normal, resource)), None)
        if pattern is not None:
            step = step._replace(action="protected", reason=f"not declared, but protected by {pattern!r}")
        steps.append(step)
    return steps


def _protects(pattern: str, name: str, normal: str, resource: Family) -> bool:
    # a pattern in any spelling protects: what is kept by mistake can still be deleted
    spellings = {pattern, normal_name(resource, pattern)}
    if resource.key_is_place:
        spellings.add(pattern.lower())
    return name == pattern or any(fnmatchcase(text, spelling) for spelling in spellings for text in (name, normal))


def guard(steps: Sequence[Step], workspaces: Iterable[Managed], rules: Rules) -> None:
    """Raise PlanRefused for a plan that would delete more than the task allows."""
    gone = [step for step in steps if step.action == "delete" and step.purged]
    gone += [step for step in steps if step.recreates]
    if len(gone) > rules.purge_max:
        reason = f"{counted(len(gone), 'object')} would be deleted, more than purge_max allows ({rules.purge_max})"
        advice = "Correct the declaration, or raise purge_max if all of them are to be deleted."
        raise PlanRefused(f"{reason}: {_some(gone)}. {advice}", reason)
    marked = "" if rules.purge_marker is None else " that carry purge_marker"
    for name, _wanted, live in workspaces:
        for resource, rows in live.rows.items():
            total = len(rules.purgeable(rows))
            mine = [step for step in gone if step.workspace == name and step.resource == resource]
            if total >= rules.purge_floor and len(mine) * 100 > rules.purge_max_percent * total:
                reason = (
                    f"{len(mine)} of the {counted(total, FAMILIES[resource].noun)} of workspace {printable(name)!r}"
                    f"{marked} would be deleted, more than purge_max_percent allows ({rules.purge_max_percent} %)"
                )
                advice = "Correct the declaration, or raise purge_max_percent if all of them are to be deleted."
                raise PlanRefused(f"{reason}: {_some(mine)}. {advice}", reason)


def _some(steps: Sequence[Step]) -> str:
    shown = ", ".join(printable(step.name, 60) for step in steps[:_NAMES_SHOWN])
    return shown + (f" and {len(steps) - _NAMES_SHOWN} more" if len(steps) > _NAMES_SHOWN else "")


def writing_order(steps: Sequence[Step]) -> list[int]:
    """The positions of the steps that write, in the order of writing: workspaces, then the objects in them, then the
    targets that are recreated, deletes last."""

    def rank(position: int) -> int:
        step = steps[position]
        if step.action == "delete":
            return 3
        if step.recreates:
            return 2
        return 1 if step.family.in_workspace else 0

    return sorted((position for position, step in enumerate(steps) if step.writes), key=rank)


# --- the plan of a result, and of a file that reviewers read


def checksum(actions: Iterable[Record]) -> str:
    """SHA-256 of the writes: names and fields of created and updated objects, ids of deleted ones. It does not depend on
    the order of the declaration. actions: the ``actions`` of a module's plan."""
    written = sorted(json.dumps(identity(action), sort_keys=True) for action in actions if action["action"] in WRITES)
    return hashlib.sha256(f"[{', '.join(written)}]".encode("ascii")).hexdigest()


def identity(action: Record) -> list[Any]:
    """The values that make two actions of plans the same write."""
    return [*(action[field] for field in ("action", "resource", "workspace", "name", "after")), deleted_id(action)]


def deleted_id(action: Record) -> int | None:
    """The id of the object that an action deletes, or None."""
    deletes = action["action"] == "delete" or recreates(action["action"], action["resource"])
    return action["before"]["id"] if deletes else None


def as_result(steps: Sequence[Step], reads: int, sizes: Mapping[str, int] | None = None) -> dict[str, Any]:
    """The ``plan`` of a module's result, without unchanged and ignored objects. reads, sizes: as in ``calls_of``."""
    calls = calls_of(steps, reads, sizes)
    shown = [
        dict(
            action=step.action,
            resource=step.resource,
            workspace=step.workspace,
            name=step.name,
            before=step.before,
            after=None if step.action == "delete" else step.after,
            reason=step.reason,
        )
        for step in steps
        if step.action not in ("unchanged", "ignored")
    ]
    counts = Counter(action["action"] for action in shown)
    return dict(
        checksum=checksum(shown),
        actions=shown,
        counts={action: counts[action] for action in ACTIONS if counts[action]},
        left_out={},
        calls=calls,
        minutes=minutes_of(calls),
    )
