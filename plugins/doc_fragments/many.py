# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    # the options of plugins/module_utils/_estate/many.py
    DOCUMENTATION = r"""
---
options:
  on_drift:
    description:
      - What to do if the live description of a target differs from the declared one. The API cannot update it.
      - V(warn) keeps the live description, reports the action V(drifted), and warns once. V(ignore) does the same
        without the warning. V(fail) refuses the whole task before anything is written, or only this item with
        O(continue_on_error=true).
      - V(recreate) deletes such targets and creates them again. It requires O(force=true), and its deletes count
        towards O(purge_max) and O(purge_max_percent). It refuses a target whose live description may be the form in
        which the service stores the declared one, such as its beginning or an empty text.
      - Danger - deleting a target deletes its scans and their findings.
    type: str
    choices: [warn, fail, ignore, recreate]
    default: warn
  force:
    description:
      - Allow O(on_drift=recreate) to delete the scans of the targets that it creates again.
    type: bool
    default: false
  continue_on_error:
    description:
      - Continue with the other items after one fails or is refused. The task still fails at the end, with every item in
        RV(results).
      - By default, nothing is written if any item is refused, and the first failure ends all writes.
      - An invalid key, an exhausted rate limit and an unreachable service always end all writes. After a failure,
        nothing is purged or recreated.
    type: bool
    default: false
  purge_max:
    description:
      - The maximum number of undeclared objects that may be deleted. If more would be deleted, the task refuses to
        change anything.
    type: int
    default: 50
  purge_max_percent:
    description:
      - The maximum percentage of a list that may be deleted because it is not declared. If more would be deleted, the
        task refuses to change anything. The limit applies to lists of at least O(purge_floor) objects.
    type: int
    default: 30
  purge_floor:
    description:
      - The minimum length of a list to which O(purge_max_percent) applies.
    type: int
    default: 10
  protect:
    description:
      - Names that are never purged, as glob patterns such as V(*.example.com). Target names are compared in their
        normalised form (lower case, no trailing dot, IDNA, no default port).
      - Null, such as from an undefined variable, is refused. It does not mean that nothing is protected.
    type: list
    elements: str
    default: []
  owner:
    description:
      - Who declares these targets. A new target gets the mark V([managed by OWNER]) at the end of its description, which
        the API cannot change later. A target that exists keeps its description.
      - Purge, V(recreate) and V(absent) never delete a target with the mark of another owner, or with one that cannot be
        read. The plan lists it as V(foreign). They delete targets without a mark.
      - 1 to 60 letters, digits, spaces and C(_.:-). If not set, new targets get no mark, and every owner is another one.
    type: str
  purge_only:
    description:
      - V(own) purges only targets with the mark of O(owner), so that several sources can share a workspace.
        O(purge_max_percent) and O(purge_floor) then count only these.
    type: str
    choices: [all, own]
    default: all
  adopt:
    description:
      - Other owners, whose targets count as those of O(owner). Use it after an owner was renamed, because the marks of
        its targets stay.
      - Danger - what another playbook still manages under this owner can then be deleted by this task.
    type: list
    elements: str
    default: []
  unprotect:
    description:
      - The names of targets that this task may delete although they are protected, by their mark or by C(protect).
      - A target is protected by its mark if it was created with C(protect) set to V(true). The plan lists one that would
        be deleted as V(protected), and the task goes on with the others.
    type: list
    elements: str
    default: []
  evidence:
    description:
      - A directory on the host on which the module runs, which is created in an existing one. Before a target is deleted or
        recreated, also with its workspace, its findings are written to a new file there, one JSON object for each line.
      - A target whose findings cannot be saved completely, such as during a scan, is refused. The others are deleted, and the
        task fails at its end.
      - Danger - findings describe weaknesses. Only the user who runs the module can read the files.
    type: path
  expect_plan:
    description:
      - The checksum of a reviewed plan. Use RV(plan.checksum) of an earlier run, usually in check mode.
      - If anything else would be written now, the task refuses to change anything. A plan with nothing left to do is
        accepted.
      - An empty string and null, such as from an undefined pipeline variable, are refused. They do not mean that
        nothing was reviewed.
    type: str
  report_unchanged:
    description:
      - Whether RV(results) includes unchanged objects. RV(summary) always counts them.
      - With V(false), a task over thousands of objects takes less time and memory, and prints less at C(-v). Most of
        the cost of such a task is the handling of its results by ansible-core.
    type: bool
    default: true
  report_full_plan:
    description:
      - Whether RV(plan.actions) is complete if the task fails. By default, a failing task returns the first ten of each
        action, and RV(plan.left_out) counts the others, so that a message about thousands of objects stays readable.
      - A task that succeeds always returns the complete plan, also in check mode.
    type: bool
    default: false
"""
