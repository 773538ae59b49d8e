# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plan of the modules estate and targets as files that people and later runs read. Pure."""

from __future__ import annotations

import json
import re

from ansible_collections.scanops.scanner.plugins.module_utils._bulk.plan import ACTIONS, WRITES, checksum, identity
from ansible_collections.scanops.scanner.plugins.module_utils._errors import counted, printable
from ansible_collections.scanops.scanner.plugins.module_utils._resources import RESOURCES

# what cannot be taken back first
_ORDER = ("delete", "update", "create", "failed", "refused", "drifted", "protected")
_LONGEST = 2000
# the punctuation of ASCII but comma, dash and apostrophe
_SPECIAL = re.compile(r"[!-&(-+./:-@\[-`{-~]")


def record(plan, summary):
    """The plan as its JSON file holds it. Of live records it keeps what names them, and nothing else that the service says,
    such as the address of a logger."""
    actions = [dict(action, before=_named(action["resource"], action["before"])) for action in plan["actions"]]
    return dict(plan, actions=actions, summary=summary)


def _named(resource, before):
    entry = RESOURCES[resource]
    return before and {field: before[field] for field in ("id", entry.key, *entry.declared)}


def read(text):
    """A plan file's text as (plan, None), or (None, what is wrong with it: a clause for a sentence)."""
    try:
        plan = json.loads(text)
        if plan.get("left_out"):
            return None, "is shortened, as the task that made it failed: make a new plan, or set report_full_plan there"
        own = checksum(plan["actions"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return None, "is no plan: give the JSON file that estate_apply_plan_dest names in the run that was reviewed"
    if plan.get("checksum") != own:
        return (
            None,
            "was changed after it was written, its checksum is not that of its actions: make and review a new plan",
        )
    return plan, None


def difference(reviewed, present):
    """Which writes only one of two plans holds: (new, gone), two lists of text; none where one of them is shortened."""
    if present.get("left_out"):
        return [], []
    mine, theirs = _writes(reviewed), _writes(present)
    new = [_line(action) for key, action in theirs.items() if key not in mine]
    gone = [_line(action) for key, action in mine.items() if key not in theirs]
    return new, gone


def _writes(plan):
    return {
        json.dumps(identity(action), sort_keys=True): action for action in plan["actions"] if action["action"] in WRITES
    }


def _line(action):
    entry = RESOURCES[action["resource"]]
    fields = "".join(
        f", {field}: {printable(value)!r}" for field, value in (action["after"] or {}).items() if field != entry.key
    )
    number = f" (id {action['before']['id']})" if identity(action)[-1] is not None else ""
    where = "" if entry.name == "workspace" else f" in {printable(action['workspace'])!r}"
    return f"{action['action']} {entry.noun} {printable(action['name'])!r}{number}{where}{fields}"


def markdown(plan, summary, failure=None, new=(), gone=()):
    """The plan as Markdown for people who review it. failure: str or None, why the task that made it failed; new, gone:
    what ``difference`` gave, if anything."""
    parts = ["# Plan of the estate", ""]
    if failure:
        parts += [f"The task that made this plan failed: {_code(failure)}", ""]
    if new or gone:
        parts += ["This is not what was reviewed.", ""]
        parts += [f"- now, but not in the reviewed plan: {_code(line)}" for line in new]
        parts += [f"- in the reviewed plan, but not now: {_code(line)}" for line in gone]
        parts.append("")
    parts += [_headline(plan), ""]
    parts += ["| Action | Objects |", "|---|---:|"]
    parts += [f"| {action} | {summary[action]} |" for action in ACTIONS if summary.get(action)]
    calls = ", ".join(f"{count} {method}" for method, count in plan["calls"].items() if count)
    parts += [
        "",
        f"Calls: {calls or 'none'}. The documented rate limits make them wait {counted(plan['minutes'], 'minute')} at"
        " least.",
        "",
        f"Checksum: `{plan['checksum']}`",
    ]
    if plan["actions"]:
        parts += ["", "| Action | Kind | Workspace | Name | Fields | Why |", "|---|---|---|---|---|---|"]
        parts += [_row(action) for action in sorted(plan["actions"], key=lambda action: _ORDER.index(action["action"]))]
    if plan.get("left_out"):
        more = ", ".join(f"{count} {action}" for action, count in plan["left_out"].items())
        parts += ["", f"The table is shortened, as the task failed. It leaves out: {more}."]
    return "\n".join(parts) + "\n"


def _headline(plan):
    writes = sum(1 for action in plan["actions"] if action["action"] in WRITES)
    gone = sum(1 for action in plan["actions"] if identity(action)[-1] is not None)
    for action, count in (plan.get("left_out") or {}).items():
        writes += count * (action in WRITES)
        gone += count * (action == "delete")
    if not writes:
        return "Nothing is to be written."
    are = "is a deletion" if gone == 1 else "are deletions"
    lost = f" **{gone} of them {are}: scans, findings and recorded requests go with them.**" if gone else ""
    return f"{counted(writes, 'object')} {'is' if writes == 1 else 'are'} to be written.{lost}"


def _row(action):
    noun = RESOURCES[action["resource"]].noun
    cells = [action["action"], noun, _code(action["workspace"]), _code(action["name"]), _fields(action)]
    return f"| {' | '.join([*cells, _code(action['reason'] or '')])} |"


def _fields(action):
    """The fields beside the name: what lives, what is declared, or an arrow between the two."""
    entry = RESOURCES[action["resource"]]
    before, after = action["before"] or {}, action["after"]
    cells = []
    for field in entry.declared:
        live = before.get(field) or ""
        declared = live if after is None else after.get(field, live)
        if live and live != declared:
            cells.append(f"{field}: {_code(live)} → {_code(declared) or 'empty'}")
        elif declared:
            cells.append(f"{field}: {_code(declared)}")
    return ", ".join(cells)


def _code(text):
    """Text of anybody in a cell of a table, as code: no markup, mention, link or quick action comes to life in it."""
    shown = printable(text, _LONGEST)
    if shown != shown.strip():
        shown = f'"{shown}"'
    if "`" in shown or "|" in shown:
        # no backslash or fence helps in the tables of all renderers
        return f"<code>{_SPECIAL.sub(lambda match: f'&#{ord(match.group())};', shown)}</code>"
    return f"`{shown}`" if shown else ""
