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
      - What to do if the live description of a target differs from the declared one, which the API cannot update.
        V(warn) keeps it, reports the action V(drifted), and warns once. V(ignore) does the same without the warning.
        V(fail) refuses the task before anything is written, or with O(continue_on_error=true) only this item.
      - V(recreate), with O(force=true), deletes such targets and creates them again. Its deletes count towards
        O(purge_max) and O(purge_max_percent). It refuses a target whose live description may be the form in which the
        service stores the declared one, such as its beginning or an empty text.
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
        RV(results). By default, nothing is written if any item is refused, and the first failure ends all writes.
      - An invalid key, an exhausted rate limit and an unreachable service always end all writes. After a failure,
        nothing is purged or recreated.
    type: bool
    default: false
  purge_max:
    description:
      - The maximum number of undeclared objects that may be deleted. If more would be, nothing is changed.
    type: int
    default: 50
  purge_max_percent:
    description:
      - The maximum percentage of a list of at least O(purge_floor) objects that may be deleted because it is not
        declared. If more would be, nothing is changed.
    type: int
    default: 30
  purge_floor:
    description:
      - The minimum length of a list to which O(purge_max_percent) applies.
    type: int
    default: 10
  protect:
    description:
      - Names of objects that this task never deletes, as glob patterns such as V(*.example.com). They are neither purged
        nor recreated, V(absent) keeps them, and a workspace with one is not retired. Target names are compared in their
        normalised form. Null, such as from an undefined variable, is refused. It does not mean that nothing is
        protected.
    type: list
    elements: str
    default: []
  owner:
    description:
      - Who declares these targets, 1 to 60 letters, digits, spaces and C(_.:-). A new target gets the mark V([managed
        by OWNER]) at the end of its description, which the API cannot change later. A target that exists keeps its
        description.
      - Purge, V(recreate) and V(absent) never delete a target with the mark of another owner, or with one that cannot
        be read. The plan lists it as V(foreign). They delete targets without a mark. If this option is not set, new
        targets get no mark, and every owner is another one.
    type: str
  purge_only:
    description:
      - V(own) purges only targets with the mark of O(owner), so that several sources can share a workspace. The limits
        of purge then count only these. A retired workspace with others stays.
    type: str
    choices: [all, own]
    default: all
  adopt:
    description:
      - Other owners, whose targets count as those of O(owner), such as its former name.
      - Danger - what another playbook still manages under this owner can then be deleted by this task.
    type: list
    elements: str
    default: []
  unprotect:
    description:
      - The names of targets that this task may delete although they are declared with C(protect) set to V(true), or have
        the mark of it. The plan lists others that would be deleted as V(protected), also those that O(protect) names.
    type: list
    elements: str
    default: []
  evidence:
    description:
      - A directory on the host on which the module runs, in an existing one. Before a target is deleted or recreated,
        its findings are written to a new file there, one JSON object for each line. If they cannot be saved completely,
        such as during a scan, the target is refused, the others are deleted, and the task fails at its end.
      - Danger - findings describe weaknesses. Only the user who runs the module can read the files.
    type: path
  expect_plan:
    description:
      - The checksum of a reviewed plan, RV(plan.checksum) of an earlier run. If anything else would be written now,
        nothing is changed. A plan with nothing left to do is accepted.
      - An empty string and null, such as from an undefined pipeline variable, are refused. They do not mean that
        nothing was reviewed.
    type: str
  report_unchanged:
    description:
      - Whether RV(results) includes unchanged objects. RV(summary) always counts them. V(false) saves time and memory
        with thousands of objects.
    type: bool
    default: true
  report_full_plan:
    description:
      - Whether RV(plan.actions) is complete if the task fails. By default, it then has the first ten of each action,
        and RV(plan.left_out) counts the others.
    type: bool
    default: false
"""
