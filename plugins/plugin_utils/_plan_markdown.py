# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan of the modules estate and targets as Markdown for reviewers. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from ansible_collections.scanops.scanner.plugins.module_utils._bulk.plan import ACTIONS, WRITES
from ansible_collections.scanops.scanner.plugins.module_utils._bulk.report import deleted_id
from ansible_collections.scanops.scanner.plugins.module_utils._errors import counted
from ansible_collections.scanops.scanner.plugins.module_utils._exports.text import code
from ansible_collections.scanops.scanner.plugins.module_utils._families.table import FAMILIES
from ansible_collections.scanops.scanner.plugins.module_utils._records import Record
from ansible_collections.scanops.scanner.plugins.plugin_utils._plan_file import Differences, Plan

# actions that cannot be undone come first
_ORDER = ("delete", "update", "create", "failed", "refused", "drifted", "protected")
_LONGEST = 2000


def markdown(
    plan: Plan, summary: Mapping[str, int], failure: str | None = None, differences: Differences | None = None
) -> str:
    """failure: why the task that made the plan failed; differences: from the reviewed plan."""
    lines = ["# Plan of the estate", ""]
    if failure:
        lines += [f"The task that made this plan failed: {_code(failure)}", ""]
    if differences and (differences.new or differences.gone):
        lines += ["This plan differs from the reviewed one.", ""]
        lines += [f"- only in this plan: {_code(line)}" for line in differences.new]
        lines += [f"- only in the reviewed plan: {_code(line)}" for line in differences.gone]
        lines.append("")
    lines += [_headline(plan), ""]
    lines += ["| Action | Objects |", "|---|---:|"]
    lines += [f"| {action} | {summary[action]} |" for action in ACTIONS if summary.get(action)]
    calls = ", ".join(f"{count} {method}" for method, count in plan["calls"].items() if count)
    lines += [
        "",
        f"Calls: {calls or 'none'}. The documented rate limits make them wait at least"
        f" {counted(plan['minutes'], 'minute')}.",
        "",
        f"Checksum: `{plan['checksum']}`",
    ]
    if plan["actions"]:
        lines += ["", "| Action | Kind | Workspace | Name | Fields | Why |", "|---|---|---|---|---|---|"]
        lines += [_row(action) for action in sorted(plan["actions"], key=lambda action: _ORDER.index(action["action"]))]
    if plan.get("left_out"):
        more = ", ".join(f"{count} {action}" for action, count in plan["left_out"].items())
        lines += ["", f"The table is shortened because the task failed. It omits: {more}."]
    return "\n".join(lines) + "\n"


def _headline(plan: Plan) -> str:
    writes = sum(1 for action in plan["actions"] if action["action"] in WRITES)
    deletes = sum(1 for action in plan["actions"] if deleted_id(action) is not None)
    for action, count in (plan.get("left_out") or {}).items():
        writes += count * (action in WRITES)
        deletes += count * (action == "delete")
    if not writes:
        return "The plan writes nothing."
    are = "is" if deletes == 1 else "are"
    lost = f" **{deletes} of them {are} deleted, with scans, findings and recorded requests.**" if deletes else ""
    return f"The plan writes {counted(writes, 'object')}.{lost}"


def _row(action: Record) -> str:
    noun = FAMILIES[action["resource"]].noun
    cells = [action["action"], noun, _code(action["workspace"]), _code(action["name"]), _fields(action)]
    return f"| {' | '.join([*cells, _code(action['reason'] or '')])} |"


def _fields(action: Record) -> str:
    """The fields beside the name: the live value, the declared one, or an arrow between the two."""
    before, after = action["before"] or {}, action["after"]
    cells = []
    for field in FAMILIES[action["resource"]].declared:
        live = before.get(field) or ""
        declared = live if after is None else after.get(field, live)
        if live and live != declared:
            cells.append(f"{field}: {_code(live)} → {_code(declared) or 'empty'}")
        elif declared:
            cells.append(f"{field}: {_code(declared)}")
    return ", ".join(cells)


def _code(text: object) -> str:
    return code(text, _LONGEST)
