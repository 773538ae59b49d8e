# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Many objects: what would be written, in which order, and what the guards say. Pure: no network, no clock, no file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from .._model.errors import Refused, counted, first_of, first_sentences, printable
from .._model.families import TARGET, WORKSPACE
from .._model.family import Family
from .._model.records import InWorkspace, Record, difference, ids_of, may_be_stored, not_shown, proven
from .._model.target_names import normal_name
from .._model.texts import natural, same
from .._scope.valid_names import problem_of
from .._task.name_match import Names
from .declaration import Item, Wanted
from .marks import Mark, marked, split

# every action of a step or a result
ACTIONS = ("create", "update", "delete", "unchanged", "drifted", "ignored", "protected", "foreign", "refused", "failed")
WRITES = ("create", "update", "delete")

_NAMES_SHOWN = 5
# items of one name that a sentence names
_MOST_ALIKE = 20


class Managed(NamedTuple):
    """One workspace that a task manages, as it was read."""

    # as results call it
    name: str
    wanted: Wanted
    # None where the workspace does not exist
    record: Record | None = None
    # without lists that were not read
    rows: Mapping[Family, InWorkspace] = {}
    # the HTTP loggers of other workspaces, by label
    elsewhere: Mapping[str, Record] = {}


class Rules(NamedTuple):
    """What a task allows. The defaults are those of the options."""

    state: str = "present"
    on_drift: str = "warn"
    force: bool = False
    purge: Sequence[Family] = ()
    # the mark of new targets, None for none; see ``marks``
    owner: str | None = None
    # "own": purge takes only targets with the mark of the owner
    purge_only: str = "all"
    # others whose targets count as one's own
    adopt: Sequence[str] = ()
    # names of targets that may be deleted although they are protected
    unprotect: Sequence[str] = ()
    # a directory for the findings of what is deleted
    evidence: str | None = None
    purge_max: int = 50
    purge_max_percent: int = 30
    purge_floor: int = 10
    # glob patterns
    protect: Sequence[str] = ()
    # returns why the scope refuses a target's name, or None
    verdict: Callable[[str], str | None] | None = None

    def purgeable(self, family: Family, rows: Sequence[Record]) -> Sequence[Record]:
        """The rows that purge may take at all."""
        if family is not TARGET:
            return rows
        only = [self.owner, *self.adopt] if self.purge_only == "own" else None
        return [row for row in rows if not self.foreign(mark_of(row)) and (only is None or mark_of(row).owner in only)]

    def may_delete(self, family: Family, managed: Managed) -> bool:
        """Whether a task deletes any objects of a list, if nothing keeps them."""
        own = managed.wanted.workspace
        if own is not None and own.absent:
            return WORKSPACE in self.purge
        return family in self.purge or (family is TARGET and (self.state == "absent" or self.on_drift == "recreate"))

    def foreign(self, mark: Mark) -> str | None:
        """Why an object is somebody else's, a clause; None for one's own, and for one that nobody has marked."""
        if mark.broken:
            return "the mark of its owner cannot be read"
        if mark.owner in (None, self.owner, *self.adopt):
            return None
        return f"managed by {printable(mark.owner)!r}"

    def protects(self, family: Family, row: Record, item: Item | None = None) -> bool:
        """Whether its mark protects a live object from being deleted, or what declares it."""
        is_protected = family is TARGET and (mark_of(row).protected or (item is not None and item.protect))
        own = normal_name(family, row[family.key]) if is_protected else ""
        return is_protected and own not in [normal_name(family, name) for name in self.unprotect]


class Step(NamedTuple):
    """What a plan does with one object, or what became of it."""

    # one of ACTIONS
    action: str
    family: Family
    # as results call the workspace and the object
    workspace: str
    name: str
    # the live record
    before: Record | None = None
    # the declared fields
    after: Record | None = None
    # why, a clause
    reason: str | None = None
    # None for an object that is not declared
    item: Item | None = None
    purged: bool = False
    # the fields to write
    changes: Record | None = None
    # of the object that was written
    object_id: int | None = None
    # the ids of what a workspace holds that is deleted with it, by the names of lists
    held: Mapping[str, Sequence[int]] = {}

    @property
    def writes(self) -> bool:
        return self.action in WRITES

    @property
    def recreates(self) -> bool:
        """Whether it deletes an object and creates it again, which is the only update of a recreatable family."""
        return self.action == "update" and self.family.recreatable

    @property
    def creates(self) -> bool:
        return self.action == "create" or self.recreates

    @property
    def deletes(self) -> bool:
        return self.action == "delete" or self.recreates

    @property
    def live(self) -> Record:
        """The live record of a step that has one."""
        if self.before is None:
            raise TypeError(f"{self.action} {self.family.name} has no live record")
        return self.before

    @property
    def listing(self) -> tuple[Family, str | None]:
        """The list that shows what became of it, with its workspace; None for the list of the account, which shows all keys
        that are unique in it, but not in which workspace something was created."""
        own = self.family.in_workspace and (self.creates or not self.family.key_is_account_wide)
        return self.family, self.workspace if own else None

    @property
    def place(self) -> str:
        """Where it is in the declaration, or what it is, for messages."""
        return self.item.path if self.item else self.family.noun


class PlanRefused(Refused):
    """Nothing of a plan is written. reason: a clause for each object that would have been written; in_full: whether the task
    returns all of the plan, because it is to be reviewed again."""

    def __init__(self, sentence: str, reason: str, in_full: bool = False) -> None:
        super().__init__(sentence)
        self.reason = reason
        self.in_full = in_full


class _List(NamedTuple):
    """One family in one workspace: what is declared and what exists."""

    family: Family
    managed: Managed
    items: Sequence[Item]
    rows: Sequence[Record]

    def step(self, action: str, name: str, before: Record | None, item: Item | None = None) -> Step:
        return Step(action, self.family, self.managed.name, name, before, item=item)


# what the declaration claims, live objects by (family, id) and keys that are unique in the account by (family, key), each
# with the name of its workspace
_Claims = dict[tuple[Family, object], str]


def mark_of(row: Record) -> Mark:
    """The mark of a live target. One whose description the service does not show may be anybody's."""
    return Mark(broken=True) if not_shown(row, ["description"]) else split(row["description"])[1]


def refusals(wanted: Iterable[Wanted], rules: Rules) -> dict[str, str]:
    """Why the scope refuses declared targets, by the path of the item; decided before any request."""
    if rules.verdict is None or rules.state == "absent":
        return {}
    found = {}
    # what a retired workspace holds is not scanned any more
    kept = [entry for entry in wanted if not (entry.workspace and entry.workspace.absent)]
    for items in (items for entry in kept for family, items in entry.lists.items() if family.scoped):
        for item in items:
            reason = None if item.ignore else rules.verdict(item.name)
            if reason:
                found[item.path] = reason
    return found


def plan(workspaces: Iterable[Managed], rules: Rules, refused: Mapping[str, str]) -> list[Step]:
    """The steps for a declaration: one for each declared object in the order of the declaration, then the purged and the
    protected ones. refused: what ``refusals`` returned."""
    steps: list[Step] = []
    lists: list[_List] = []
    claims: _Claims = {}
    doubles: list[str] = []
    for managed in workspaces:
        own, record = managed.wanted.workspace, managed.record
        if own is not None and own.absent:
            steps.append(_retire_step(managed, own, rules))
            continue
        if own is not None:
            after = {WORKSPACE.key: own.name, **own.fields}
            changes = None if record is None else difference(WORKSPACE, record, after)[0]
            action = "create" if record is None else "update" if changes else "unchanged"
            steps.append(Step(action, WORKSPACE, own.name, own.name, record, after, item=own, changes=changes))
        for family, items in managed.wanted.lists.items():
            rows = proven(InWorkspace, managed.rows[family]) if family in managed.rows else ()
            each = _List(family, managed, items, rows)
            lists.append(each)
            doubles += _doubles_in(each)
            live = Names(family, rows)
            for item in items:
                found = live.all(item.name)
                steps.append(_item_step(each, item, found, rules, refused))
                if len(found) == 1:
                    claims[family, found[0]["id"]] = managed.name
                if family.key_is_account_wide:
                    claims[family, item.name] = managed.name
    if doubles:
        raise Refused(first_sentences(doubles))
    last: list[Step] = []
    for each in lists if rules.state == "present" else ():
        if each.family in rules.purge:
            last += _purge_steps(each, claims, rules)
    every = steps + last
    if any(step.action == "refused" for step in steps):
        why = "nothing is purged while another object is refused"
        every = [
            step._replace(action="refused", reason=_and_why(step.reason, why)) if step.purged and step.deletes else step
            for step in every
        ]
    return every


def _retire_step(managed: Managed, item: Item, rules: Rules) -> Step:
    """The step for a workspace that is to be deleted with all that it holds."""
    step = Step("unchanged", WORKSPACE, item.name, item.name, managed.record, item=item)
    if managed.record is None:
        return step
    live = managed.record[WORKSPACE.key]
    if not same(live, item.name):
        # ids differ between accounts, and a deletion cannot be undone
        reason = f"its id is that of {printable(live)!r} now. To delete that one, write its name, else remove the entry"
        return step._replace(action="refused", reason=reason)
    held = ", ".join(counted(len(rows), family.noun) for family, rows in managed.rows.items() if rows)
    with_it = f"retired, with {held}" if held else "retired"
    if WORKSPACE not in rules.purge:
        reason = f"{with_it}; add workspaces to purge to allow that"
        return step._replace(action="refused", reason=reason)
    for family, rows in managed.rows.items():
        declared = sorted(managed.wanted.lists.get(family, ()), key=lambda each: (each.ignore, each.protect))
        lines = {normal_name(family, each.name): each for each in declared}
        mine = {row["id"] for row in rules.purgeable(family, rows)}
        for row in rows:
            name = row[family.key]
            kept = _spared(
                Step("", family, managed.name, name, row, item=lines.get(normal_name(family, name))), row, rules
            )
            if not kept and row["id"] not in mine:
                kept = step._replace(action="foreign", reason="without the mark that purge_only: own asks for")
            if kept:
                why = f"{with_it}, but its {family.noun} {printable(name)!r} is {kept.reason}"
                return step._replace(action=kept.action, reason=why)
    if managed.rows[TARGET] and not (rules.evidence or rules.force):
        reason = f"{with_it}; set evidence, which keeps their findings, or force: true"
        return step._replace(action="refused", reason=reason)
    ids = {family.plural: sorted(row["id"] for row in rows) for family, rows in managed.rows.items()}
    return step._replace(action="delete", reason=with_it, purged=True, held=ids)


def _spared(step: Step, row: Record, rules: Rules) -> Step | None:
    """The step for a live object that would be deleted, if anything keeps it, else None."""
    pattern = next((pattern for pattern in rules.protect if fits(pattern, step.name, step.family)), None)
    if pattern is not None:
        return step._replace(action="protected", reason=_and_why(step.reason, f"protected by {pattern!r}"))
    if step.item and step.item.ignore:
        return step._replace(action="protected", reason="declared with ignore")
    if step.family is not TARGET:
        return None
    if rules.protects(step.family, row, step.item):
        why = "protected by its mark" if mark_of(row).protected else "declared with protect"
        return step._replace(action="protected", reason=_and_why(step.reason, why))
    foreign = rules.foreign(mark_of(row))
    return step._replace(action="foreign", reason=_and_why(step.reason, foreign)) if foreign else None


def _doubles_in(each: _List) -> Iterator[str]:
    """The sentences on items of one normal form, unless each of them names another live object exactly."""
    exact = {row[each.family.key] for row in each.rows}
    groups: dict[str, list[Item]] = {}
    for item in each.items:
        groups.setdefault(normal_name(each.family, item.name), []).append(item)
    for group in groups.values():
        names = {item.name for item in group}
        if len(group) == 1 or (len(names) == len(group) and names <= exact):
            continue
        shown = group[:_MOST_ALIKE]
        paths, spelt = [item.path for item in shown], [repr(printable(item.name)) for item in shown]
        keep = "remove one of them" if len(group) == 2 else "keep one of them"
        yield f"{_and(paths)} are the same, {_and(spelt)}: {keep}."


def _and(texts: Sequence[str]) -> str:
    return f"{', '.join(texts[:-1])} and {texts[-1]}"


def _item_step(each: _List, item: Item, found: Sequence[Record], rules: Rules, refused: Mapping[str, str]) -> Step:
    family, record = each.family, found[0] if len(found) == 1 else None
    step = each.step("unchanged", item.name, record, item)
    if item.ignore:
        return step._replace(action="ignored")
    if len(found) > 1:
        reason = (
            f"it matches {len(found)} existing objects, with the ids {ids_of(found)}; declare the exact name of one"
        )
        return step._replace(action="refused", reason=reason)
    if rules.state == "absent":
        if record is None:
            return step
        kept = _spared(step, record, rules)
        if kept:
            return kept
        live = record[family.key]
        return step._replace(action="delete", reason=None if live == item.name else f"it exists as {printable(live)!r}")
    if item.path in refused:
        return step._replace(action="refused", reason=str(refused[item.path]))
    if record is None and family.key_is_account_wide and item.name in each.managed.elsewhere:
        reason = (
            f"its {family.key} is taken in another workspace (id {each.managed.elsewhere[item.name]['id']}), and the API"
            f" cannot move it: delete it there first, or choose another {family.key}"
        )
        return step._replace(action="refused", reason=reason)
    problem = problem_of(item.name) if record is None and family.key_is_place else None
    if problem:
        return step._replace(action="refused", reason=f"it cannot be the name of a target: {problem}")
    step = step._replace(after={family.key: item.name, **item.fields})
    if record is None:
        mark = Mark(rules.owner, item.protect)
        if family is TARGET and str(mark):
            text = marked(item.fields.get("description", ""), mark)
            step = step._replace(after={family.key: item.name, "description": text})
        return step._replace(action="create")
    live = record
    if family is TARGET and not mark_of(record).broken:
        live = {**record, "description": split(record["description"])[0]}
    drift = item.fields and difference(family, live, item.fields)[1]
    return _drift_step(step, record, drift, rules) if drift else step


def _and_why(reason: str | None, why: str) -> str:
    return f"{reason}, but {why}" if reason else why


def _drift_step(step: Step, record: Record, drift: Record, rules: Rules) -> Step:
    names = " and ".join(sorted(drift))
    reason = f"its {names} differs, and the API cannot update it"
    if rules.on_drift != "recreate":
        return step._replace(action="refused" if rules.on_drift == "fail" else "drifted", reason=reason)
    if not rules.force:
        return step._replace(action="refused", reason=f"{reason}; on_drift: recreate needs force: true")
    kept = _spared(step._replace(reason=reason), record, rules)
    if kept:
        return kept
    stored = may_be_stored(drift)
    if stored:
        return step._replace(action="refused", reason=f"{reason}, and it is not recreated: {stored}")
    # a recreated target keeps its live spelling
    name = record[step.family.key]
    problem = None
    if step.family.key_is_place:
        outside = rules.verdict and rules.verdict(name)
        problem = problem_of(name) or (outside and f"it is outside the authorised scope: {outside}")
    if problem:
        return step._replace(action="refused", reason=f"its live name cannot be created again: {problem}")
    reason = f"recreated because its {names} differs, which deletes {step.family.lost_with}"
    mark = mark_of(record)
    mark = Mark(mark.owner or rules.owner, mark.protected or bool(step.item and step.item.protect))
    changes = {field: values["declared"] for field, values in drift.items()}
    if "description" in changes:
        changes["description"] = marked(changes["description"], mark)
    # reviewers approve the mark, too
    return step._replace(action="update", reason=reason, changes=changes, after={**(step.after or {}), **changes})


def _purge_steps(each: _List, claims: _Claims, rules: Rules) -> Iterator[Step]:
    family, workspace = each.family, each.managed.name
    mine = {row["id"] for row in rules.purgeable(family, each.rows)}
    if mine and not each.items:
        raise Refused(
            f"nothing is declared for the {family.noun}s of workspace {printable(workspace)!r}, so purge would delete all"
            " of them: declare what is to stay, or leave the list out, or purge without this kind."
        )
    kept = {normal_name(family, item.name) for item in each.items if item.ignore}
    for row in sorted(each.rows, key=lambda row: natural(row[family.key])):
        name = row[family.key]
        claimed = claims.get((family, row["id"]), claims.get((family, name)))
        if claimed == workspace or normal_name(family, name) in kept:
            continue
        step = each.step("protected", name, row)._replace(purged=True)
        if claimed is not None:
            yield step._replace(reason=f"not declared here, but in workspace {printable(claimed)!r}")
        else:
            step = step._replace(reason="not declared")
            spared = _spared(step, row, rules)
            if spared:
                yield spared
            elif row["id"] in mine:
                adopted = family is TARGET and mark_of(row).owner in rules.adopt and mark_of(row).owner != rules.owner
                reason = f"not declared, adopted from {mark_of(row).owner!r}" if adopted else "not declared"
                yield step._replace(action="delete", reason=reason)


def fits(pattern: str, name: str, family: Family) -> bool:
    """Whether a pattern of ``protect`` matches a name."""
    # a pattern in any spelling protects: what is kept by mistake can still be deleted
    spellings = {pattern, normal_name(family, pattern)} | ({pattern.lower()} if family.key_is_place else set())
    names = (name, normal_name(family, name))
    return name == pattern or any(fnmatchcase(text, spelling) for spelling in spellings for text in names)


def guard(steps: Sequence[Step], workspaces: Sequence[Managed], rules: Rules) -> None:
    """Raise PlanRefused for a plan that would delete more than the task allows."""
    gone = [step for step in steps if step.deletes and (step.purged or step.recreates)]
    held = {managed.name: sum(map(len, managed.rows.values())) for managed in workspaces}
    number = len(gone) + sum(held[step.workspace] for step in gone if step.family is WORKSPACE)
    if number > rules.purge_max:
        reason = f"{counted(number, 'object')} would be deleted, more than purge_max allows ({rules.purge_max})"
        raise _too_many(reason, gone, "purge_max")
    theirs = " that it may purge" if rules.purge_only == "own" else ""
    for managed in workspaces:
        for family, rows in managed.rows.items():
            total = len(rules.purgeable(family, rows))
            mine = [step for step in gone if (step.workspace, step.family) == (managed.name, family)]
            if total >= rules.purge_floor and len(mine) * 100 > rules.purge_max_percent * total:
                reason = (
                    f"{len(mine)} of the {counted(total, family.noun)} of workspace {printable(managed.name)!r}{theirs}"
                    f" would be deleted, more than purge_max_percent allows ({rules.purge_max_percent} %)"
                )
                raise _too_many(reason, mine, "purge_max_percent")


def _too_many(reason: str, gone: Sequence[Step], option: str) -> PlanRefused:
    names = first_of([printable(step.name, 60) for step in gone], _NAMES_SHOWN)
    return PlanRefused(
        f"{reason}: {names}. Correct the declaration, or raise {option} if all of them are to be deleted.", reason
    )


def writing_order(steps: Sequence[Step]) -> list[int]:
    """The positions of the steps that write, in the order of writing: workspaces, then the objects in them, then the
    targets that are recreated, deletes last."""

    def rank(position: int) -> int:
        step = steps[position]
        if step.deletes:
            return 2 if step.recreates else 3
        return 1 if step.family.in_workspace else 0

    return sorted((position for position, step in enumerate(steps) if step.writes), key=rank)
