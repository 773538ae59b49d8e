# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Many objects: what would be written, in which order, and what the guards say. Pure: no network, no clock, no file."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from fnmatch import fnmatchcase
from typing import NamedTuple

from .._errors import Refused, counted, printable
from .._http.earned import InWorkspace, earned
from .._records import difference
from .._resources import HTTP_LOGGER, RESOURCES, TARGET, WORKSPACE
from .._valid_names import problem_of
from .cost import calls_of, minutes_of

# the action of a step or a result, a closed list
ACTIONS = ("create", "update", "delete", "unchanged", "drifted", "ignored", "protected", "refused", "failed")
WRITES = ("create", "update", "delete")

_NAMES_SHOWN = 5


class Step(NamedTuple):
    """What is to happen to one object. action: one of ACTIONS; resource: name of its family; workspace: str, name of its
    workspace; name: str; before: live record or None; after: declared fields or None; reason: str or None;
    item: the declared Item or None; purged: bool; changes: dict, the fields to write."""

    action: str
    resource: str
    workspace: str
    name: str
    before: dict | None = None
    after: dict | None = None
    reason: str | None = None
    item: object = None
    purged: bool = False
    changes: dict | None = None

    @property
    def recreates(self):
        return self.action == "update" and self.resource == TARGET.name


class Live(NamedTuple):
    """One live workspace as it was read. record: dict, or None where it does not exist; rows: {resource name: InWorkspace},
    without lists that were not read; elsewhere: {label: record}, loggers of other workspaces."""

    record: dict | None
    rows: dict
    elsewhere: dict


class Rules(NamedTuple):
    """What a task allows. purge: names of families; purge_marker: str, purge takes only what has it in its description,
    or None; protect: glob patterns; verdict: a function from a target's name to the reason why it may not be a target, or
    None."""

    state: str = "present"
    on_drift: str = "warn"
    force: bool = False
    purge: tuple = ()
    purge_marker: str | None = None
    purge_max: int = 50
    purge_max_percent: int = 30
    purge_floor: int = 10
    protect: tuple = ()
    verdict: object = None
    normal_forms: dict | None = None  # {resource name: function}; families without one are compared letter by letter

    def normal(self, resource, name):
        form = (self.normal_forms or {}).get(resource)
        return form(name) if form else name

    def purgeable(self, rows):
        """The rows that purge may take at all."""
        return rows if self.purge_marker is None else [row for row in rows if self.purge_marker in row["description"]]


class PlanRefused(Refused):
    """Nothing of a plan is written. reason: why, a clause for each object that would have been written."""

    def __init__(self, sentence, reason):
        super().__init__(sentence)
        self.reason = reason


def refusals(wanted, rules):
    """{item path: reason} of the declared targets that the scope refuses; decided before any request."""
    if rules.verdict is None or rules.state == "absent":
        return {}
    found = {}
    for entry in wanted:
        for item in entry.lists.get(TARGET.name, ()):
            reason = None if item.ignore else rules.verdict(item.name)
            if reason:
                found[item.path] = reason
    return found


def plan(wanted, lives, names, rules, refused):
    """The steps for a declaration: a list of Step, one for each declared object in the order of the declaration, then the
    purged and the protected ones.

    wanted: list of Wanted; lives: list of Live, one for each; names: the names of their workspaces;
    refused: what ``refusals`` gave.
    """
    steps, last, lists, claims = [], [], [], {}
    for entry, live, name in zip(wanted, lives, names):
        if entry.workspace is not None:
            steps.append(_workspace_step(entry.workspace, live.record))
        for resource, items in entry.lists.items():
            rows = earned(InWorkspace, live.rows[resource]) if resource in live.rows else ()
            taken = _matches(resource, items, rows, rules)
            for item in items:
                steps.append(_item_step(resource, name, item, taken.get(item.path), live, rules, refused))
            lists.append((resource, name, items, rows))
            claims.update(_claims(resource, name, items, taken))
    for resource, name, items, rows in lists:
        if resource in rules.purge and rules.state == "present":
            last += _purge_steps(resource, name, items, rows, claims, rules)
    if any(step.action == "refused" for step in steps):
        reason = "not declared, but nothing is purged while another object is refused"
        last = [step._replace(action="refused", reason=reason) if step.action == "delete" else step for step in last]
    return steps + last


def _claims(resource, workspace, items, taken):
    """{what the declaration claims: name of the workspace}: live objects by their id, and labels of loggers, which are
    unique in the account."""
    claims = {(resource, match["id"]): workspace for match in taken.values() if isinstance(match, dict)}
    if resource == HTTP_LOGGER.name:
        claims.update({(resource, item.name): workspace for item in items})
    return claims


def _workspace_step(item, record):
    if record is None:
        return Step(
            "create", WORKSPACE.name, item.name, item.name, after={WORKSPACE.key: item.name, **item.fields}, item=item
        )
    changes, _drift = difference(WORKSPACE, record, item.fields)
    after = {WORKSPACE.key: item.name, **item.fields}
    action = "update" if changes else "unchanged"
    return Step(action, WORKSPACE.name, item.name, item.name, record, after, item=item, changes=changes)


def _matches(resource, items, rows, rules):
    """{item path: live record, or a reason (str) why it cannot be told}: exact names first, then normal forms."""
    key = RESOURCES[resource].key
    exact = {}
    for row in rows:
        exact.setdefault(row[key], []).append(row)
    taken = {}
    same = {}
    for item in items:
        same.setdefault(rules.normal(resource, item.name), []).append(item)
    unclaimed = None
    for normal, group in same.items():
        if len(group) > 1:
            _refuse_doubles(group, exact)
        for item in group:
            found = exact.get(item.name)
            if not found:
                if unclaimed is None:
                    unclaimed = _by_normal_form(resource, key, rows, {item.name for item in items}, rules)
                found = unclaimed.get(normal, [])
            if len(found) > 1:
                ids = ", ".join(str(row["id"]) for row in sorted(found, key=lambda row: row["id"]))
                taken[item.path] = (
                    f"it names {len(found)} live objects, with the ids {ids}; declare one of them by its letters"
                )
            elif found:
                taken[item.path] = found[0]
    return taken


def _refuse_doubles(group, exact):
    names = {item.name for item in group}
    if len(names) == len(group) and all(name in exact for name in names):
        return
    one, other = group[0], group[1]
    raise Refused(
        f"{one.path} and {other.path} are the same, {printable(one.name)!r} and {printable(other.name)!r}: remove one of"
        " them."
    )


def _by_normal_form(resource, key, rows, declared, rules):
    found = {}
    for row in rows:
        if row[key] not in declared:
            found.setdefault(rules.normal(resource, row[key]), []).append(row)
    return found


def _item_step(resource, workspace, item, match, live, rules, refused):
    entry = RESOURCES[resource]
    ours = (resource, workspace, item.name)
    if item.ignore:
        return Step("ignored", *ours, before=match if isinstance(match, dict) else None, item=item)
    if isinstance(match, str):
        return Step("refused", *ours, reason=match, item=item)
    if rules.state == "absent":
        if match is None:
            return Step("unchanged", *ours, item=item)
        return Step("delete", *ours, before=match, reason=_other_spelling(entry, item, match), item=item)
    if item.path in refused:
        return Step("refused", *ours, before=match, reason=str(refused[item.path]), item=item)
    after = {entry.key: item.name, **item.fields}
    if match is None:
        if item.name in live.elsewhere:
            reason = (
                f"its {entry.key} lives in another workspace (id {live.elsewhere[item.name]['id']}), and no call moves it:"
                " delete it there first, or choose another one"
            )
            return Step("refused", *ours, reason=reason, item=item)
        problem = problem_of(item.name) if resource == TARGET.name else None
        if problem:
            return Step("refused", *ours, reason=f"it cannot be the name of a target: {problem}", item=item)
        return Step("create", *ours, after=after, item=item)
    step = Step("unchanged", *ours, before=match, after=after, item=item)
    drift = item.fields and difference(entry, match, item.fields)[1]
    return _drift_step(step, drift, rules) if drift else step


def _drift_step(step, drift, rules):
    names = " and ".join(sorted(drift))
    if rules.on_drift == "recreate" and rules.force:
        # a recreated target keeps its live spelling
        live = step.before[RESOURCES[step.resource].key]
        outside = rules.verdict and rules.verdict(live)
        problem = problem_of(live) or (outside and f"it is outside the authorised scope: {outside}")
        if problem:
            return step._replace(action="refused", reason=f"its live name cannot be created again: {problem}")
        reason = f"recreated for another {names}; its scans are deleted with it"
        return step._replace(action="update", reason=reason, changes={f: s["declared"] for f, s in drift.items()})
    reason = f"another {names} lives, and the service has no call to change it"
    if rules.on_drift == "recreate":
        return step._replace(action="refused", reason=f"{reason}; on_drift: recreate needs force: true")
    return step._replace(action="refused" if rules.on_drift == "fail" else "drifted", reason=reason)


def _other_spelling(entry, item, match):
    live = match[entry.key]
    return None if live == item.name else f"it is there as {printable(live)!r}"


def _purge_steps(resource, workspace, items, rows, claims, rules):
    entry = RESOURCES[resource]
    rows = rules.purgeable(rows)
    if rows and not items:
        raise Refused(
            f"nothing is declared for the {entry.noun}s of workspace {printable(workspace)!r}, so purge would delete all of"
            " them: declare what is to stay, or leave the list out, or purge without this kind."
        )
    kept = {rules.normal(resource, item.name) for item in items if item.ignore}
    steps = []
    for row in sorted(rows, key=lambda row: row["id"]):
        name = row[entry.key]
        normal = rules.normal(resource, name)
        claimed = claims.get((resource, row["id"]), claims.get((resource, name)))
        if claimed == workspace or normal in kept:
            continue
        step = Step("delete", resource, workspace, name, before=row, reason="not declared", purged=True)
        if claimed is not None:
            reason = f"not declared here, but in workspace {printable(claimed)!r}"
            steps.append(step._replace(action="protected", reason=reason))
            continue
        pattern = next(
            (pattern for pattern in rules.protect if _protects(pattern, name, normal, resource, rules)), None
        )
        if pattern is not None:
            step = step._replace(action="protected", reason=f"not declared, but protected by {pattern!r}")
        steps.append(step)
    return steps


def _protects(pattern, name, normal, resource, rules):
    # a pattern in any spelling protects: what is kept by mistake can still be deleted
    spellings = {pattern, rules.normal(resource, pattern)}
    if resource == TARGET.name:
        spellings.add(pattern.lower())
    return name == pattern or any(fnmatchcase(text, spelling) for spelling in spellings for text in (name, normal))


def guard(steps, lives, names, rules):
    """Refuse a plan that would delete more than the task allows; returns the plan."""
    gone = [step for step in steps if step.action == "delete" and step.purged]
    gone += [step for step in steps if step.recreates]
    if len(gone) > rules.purge_max:
        reason = f"{counted(len(gone), 'object')} would be deleted, more than purge_max allows ({rules.purge_max})"
        advice = "Correct the declaration, or raise purge_max if all of them are to be deleted."
        raise PlanRefused(f"{reason}: {_some(gone)}. {advice}", reason)
    marked = "" if rules.purge_marker is None else " that carry purge_marker"
    for name, live in zip(names, lives):
        for resource, rows in live.rows.items():
            rows = rules.purgeable(rows)
            mine = [step for step in gone if step.workspace == name and step.resource == resource]
            if len(rows) >= rules.purge_floor and len(mine) * 100 > rules.purge_max_percent * len(rows):
                reason = (
                    f"{len(mine)} of the {counted(len(rows), RESOURCES[resource].noun)} of workspace {printable(name)!r}"
                    f"{marked} would be deleted, more than purge_max_percent allows ({rules.purge_max_percent} %)"
                )
                advice = "Correct the declaration, or raise purge_max_percent if all of them are to be deleted."
                raise PlanRefused(f"{reason}: {_some(mine)}. {advice}", reason)
    return steps


def _some(steps):
    shown = ", ".join(printable(step.name, 60) for step in steps[:_NAMES_SHOWN])
    return shown + (f" and {len(steps) - _NAMES_SHOWN} more" if len(steps) > _NAMES_SHOWN else "")


def in_order(steps):
    """The steps that write, in the order of writing: workspaces, then what is in them, then what deletes: targets that are
    made again, and deletes last."""
    writes = [step for step in steps if step.action in WRITES]

    def rank(step):
        if step.action == "delete":
            return 3
        if step.recreates:
            return 2
        return 0 if step.resource == WORKSPACE.name else 1

    return sorted(writes, key=rank)


def checksum(actions):
    """SHA-256 of what would be written: names and fields of what is created or updated, ids of what is deleted. It does
    not depend on the order of the declaration. actions: the ``actions`` of a module's plan."""
    written = sorted(json.dumps(identity(action), sort_keys=True) for action in actions if action["action"] in WRITES)
    return hashlib.sha256(f"[{', '.join(written)}]".encode("ascii")).hexdigest()


def identity(action):
    """What makes two actions of plans the same write, a list."""
    recreates = action["action"] == "update" and action["resource"] == TARGET.name
    deleted = action["before"]["id"] if action["action"] == "delete" or recreates else None
    return [*(action[field] for field in ("action", "resource", "workspace", "name", "after")), deleted]


def as_result(steps, reads, sizes=None):
    """The ``plan`` of a module's result: all steps but the unchanged and ignored ones. reads, sizes: as in ``calls_of``."""
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
