# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan of the modules estate and targets: as a file for a later run, and as Markdown for reviewers. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from ..module_utils._estate.outcome import checksum, deleted_id, identity
from ..module_utils._estate.plan import ACTIONS, WRITES
from ..module_utils._model.errors import counted, printable, without_logins
from ..module_utils._model.families import FAMILIES, HTTP_LOGGER, TARGET
from ..module_utils._model.records import Record
from ..module_utils._model.safe_text import code
from ..module_utils._model.times import Clock, moment_of, span, utc_text

# the ``plan`` of a module's result, or the content of a file with it
Plan = Mapping[str, Any]
# the writes that only one of two plans contains, "new" and "gone", a line of text for each
Differences = Mapping[str, list[str]]

_SIDES = {"new": "this plan", "gone": "the reviewed plan"}
# actions that cannot be undone come first
_ORDER = ("delete", "update", "create", "failed", "refused", "drifted", "foreign", "protected")
_LONGEST = 2000
_DONE = {"create": "created", "update": "updated", "delete": "deleted"}
# what people look for first
_FIRST = ("create", "update", "delete", "failed", "refused", "drifted", "protected", "ignored")


def record(plan: Plan, summary: Mapping[str, int], at: float, outcome: str | None = None) -> dict[str, Any]:
    """The content of the file, with its time and a digest of all of it. Of live records it keeps what identifies them, and
    nothing else that the service says, such as the address of a logger. outcome: of the role estate_apply."""
    actions = []
    for action in plan["actions"]:
        family, before = FAMILIES[action["resource"]], action["before"]
        kept = before and {field: before[field] for field in ("id", family.key, *family.declared)}
        actions.append(dict(action, before=kept))
    content = dict(plan, actions=actions, summary=summary, made=utc_text(at), outcome=outcome)
    return dict(content, digest=_digest(content))


def _digest(content: Plan) -> str:
    text = json.dumps({key: each for key, each in content.items() if key != "digest"}, sort_keys=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def read(text: str, now: float, max_age: float) -> tuple[Plan | None, str | None]:
    """The plan in the content of a file that nobody has changed, or None and why there is none, the end of a sentence.

    now, max_age: in seconds.
    """
    try:
        plan = json.loads(text)
        if plan.get("left_out"):
            return None, (
                "is incomplete because the task that made it failed: create a new plan, or set report_full_plan"
                " for that task"
            )
        is_own = (plan["checksum"], plan["digest"]) == (checksum(plan["actions"], plan["base_url"]), _digest(plan))
        made = moment_of(plan["made"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None, "is not a plan: give the JSON file that estate_apply_plan_dest names in the run that was reviewed"
    if not is_own or made is None:
        return None, "was changed after it was written: it does not match its checksums. Create and review a new plan"
    if not Clock(now).is_past(made):
        return None, (
            f"is of {printable(plan['made'], 60)}, which is in the future: check the clock of the machine that made it,"
            " and create a new plan"
        )
    if now - made.at > max_age:
        return None, (
            f"is {span(now - made.at)} old, and estate_apply_plan_max_age allows {span(max_age)}: create a new"
            " plan in check mode, and review it"
        )
    return plan, None


def difference(reviewed: Plan | None, present: Plan | None) -> Differences:
    """Compare two plans; there are no differences where one is missing, or the present one is shortened."""
    if not reviewed or not present or present.get("left_out"):
        return {"new": [], "gone": []}
    mine, theirs = (
        {identity(action): action for action in plan["actions"] if action["action"] in WRITES}
        for plan in (reviewed, present)
    )
    sides = {
        "new": [action for key, action in theirs.items() if key not in mine],
        "gone": [action for key, action in mine.items() if key not in theirs],
    }
    lines = {side: [_line(action) for action in actions] for side, actions in sides.items()}
    if {*lines["new"]} & {*lines["gone"]}:
        # the same in another workspace of this name
        for side, actions in sides.items():
            ids = [f" (workspace {action['workspace_id']})" if "workspace_id" in action else "" for action in actions]
            lines[side] = [*map("".join, zip(lines[side], ids))]
    return lines


def _line(action: Record) -> str:
    family = FAMILIES[action["resource"]]
    fields = "".join(
        f", {field}: {printable(value)!r}" for field, value in (action["after"] or {}).items() if field != family.key
    )
    before = action["before"] or {}
    number = f" (id {before['id']})" if action["action"] in ("update", "delete") else ""
    renamed = f" from {printable(before[family.key])!r}" if _renames(action) else ""
    where = f" in {printable(action['workspace'])!r}" if family.in_workspace else ""
    return f"{action['action']} {family.noun} {printable(action['name'])!r}{number}{renamed}{where}{fields}"


def _renames(action: Record) -> bool:
    family = FAMILIES[action["resource"]]
    if action["action"] != "update" or family.key not in family.updatable:
        return False
    return bool(action["before"][family.key] != action["after"].get(family.key))


def line_of(summary: Mapping[str, int], check_mode: bool) -> str:
    """What was done, as in "2 created, 1 updated, 4 deleted, 41 unchanged"."""
    actions = [*_FIRST, *(each for each in ACTIONS if each not in (*_FIRST, "unchanged")), "unchanged"]
    counts = [f"{summary[each]:,} {_DONE.get(each, each)}" for each in actions if summary.get(each)]
    return f"{'Would be: ' if check_mode else ''}{', '.join(counts) or 'nothing is declared'}"


# --- Markdown


def markdown(
    plan: Plan, summary: Mapping[str, int], failure: str | None = None, differences: Differences | None = None
) -> str:
    """failure: why the task that made the plan failed; differences: from the reviewed plan."""
    lines = ["# Plan of the estate", ""]
    if failure:
        lines += [f"The task that made this plan failed: {_code(failure)}", ""]
    differing = [
        f"- only in {plan_of}: {_code(line)}"
        for side, plan_of in _SIDES.items()
        for line in (differences or {}).get(side, ())
    ]
    if differing:
        lines += ["This plan differs from the reviewed one.", "", *differing, ""]
    # a task that refuses a plan as a whole has written none of it
    is_refused = bool(failure and summary.get("refused") and not any(summary.get(action) for action in WRITES))
    lines += [_headline(plan, is_refused), ""]
    lines += [f"Service: {_code(plan['base_url'])}", ""]
    if plan["warnings"]:
        lines += ["Warnings:", "", *(f"- {_code(each)}" for each in plan["warnings"]), ""]
    lines += ["| Action | Objects |", "|---|---:|"]
    # all that it would write is refused; the rows below say what that is
    counts = {**summary, **dict.fromkeys((*WRITES, "refused"), 0), **plan["counts"]} if is_refused else summary
    lines += [f"| {action} | {counts[action]} |" for action in ACTIONS if counts.get(action)]
    calls = ", ".join(f"{count} {method}" for method, count in plan["calls"].items() if count)
    wait = counted(plan["minutes"], "minute")
    slow = f" The documented rate limits make them wait at least {wait}." if plan["minutes"] else ""
    lines += ["", f"Calls: {calls or 'none'}.{slow}", "", f"Checksum: `{plan['checksum']}`"]
    if plan["actions"]:
        lines += ["", "| Action | Kind | Workspace | Name | Fields | Why |", "|---|---|---|---|---|---|"]
        lines += [_row(action) for action in sorted(plan["actions"], key=lambda action: _ORDER.index(action["action"]))]
    if plan.get("unmanaged"):
        unmanaged = []
        for row in plan["unmanaged"]:
            numbers = [counted(row[each.plural], each.noun) for each in (TARGET, HTTP_LOGGER) if row.get(each.plural)]
            unmanaged.append(f"{_code(row['workspace'])} ({', '.join(numbers) or 'empty'})")
        lines += ["", f"Not managed: {', '.join(unmanaged)}."]
    if plan.get("left_out"):
        more = ", ".join(f"{count} {action}" for action, count in plan["left_out"].items())
        lines += ["", f"The table is shortened because the task failed. It omits: {more}."]
    return "\n".join(lines) + "\n"


def _headline(plan: Plan, is_refused: bool) -> str:
    writes = sum(1 for action in plan["actions"] if action["action"] in WRITES)
    deletes = sum(1 for action in plan["actions"] if deleted_id(action) is not None)
    for action, count in (plan.get("left_out") or {}).items():
        writes += count * (action in WRITES)
        deletes += count * (action == "delete")
    if not writes:
        return "The plan writes nothing."
    are = "would be" if is_refused else "is" if deletes == 1 else "are"
    lost = f" **{deletes} of them {are} deleted, with scans, findings and recorded requests.**" if deletes else ""
    if is_refused:
        return f"The plan was refused, so nothing was written. It would write {counted(writes, 'object')}.{lost}"
    return f"The plan writes {counted(writes, 'object')}.{lost}"


def _row(action: Record) -> str:
    noun = FAMILIES[action["resource"]].noun
    cells = [action["action"], noun, _code(action["workspace"]), _code(action["name"]), _fields(action)]
    return f"| {' | '.join([*cells, _code(action['reason'] or '')])} |"


def _fields(action: Record) -> str:
    """The fields beside the name: the live value, the declared one, or an arrow between the two. The name if it changes."""
    before, after = action["before"] or {}, action["after"]
    cells = []
    family = FAMILIES[action["resource"]]
    for field in (*([family.key] if _renames(action) else ()), *family.declared):
        live = before.get(field) or ""
        declared = live if after is None else after.get(field, live)
        if live and live != declared:
            cells.append(f"{field}: {_code(live)} → {_code(declared) or 'empty'}")
        elif declared:
            cells.append(f"{field}: {_code(declared)}")
    return ", ".join(cells)


def _code(text: object) -> str:
    # a comment on a pull request has it
    return code(without_logins(str(text)), _LONGEST)
