# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    # the options of plugins/module_utils/_reconcile.py
    DOCUMENTATION = r"""
---
options:
  on_drift:
    description:
      - What to do with a target whose live description is another than the declared one; the service has no call to
        change it.
      - V(warn) leaves it, reports the action V(drifted), and warns once. V(ignore) does the same without the warning.
        V(fail) refuses the whole task before anything is written, or only this item with O(continue_on_error=true).
      - V(recreate) deletes such targets and makes them again, at 1 DELETE and 1 POST each. Danger - deleting a target
        deletes its scans and their findings. It needs O(force=true), and counts under O(purge_max) and
        O(purge_max_percent).
    type: str
    choices: [warn, fail, ignore, recreate]
    default: warn
  force:
    description:
      - Accept that O(on_drift=recreate) deletes the scans of the targets that it makes again.
    type: bool
    default: false
  continue_on_error:
    description:
      - Go on with the other items after one that fails or is refused. The task fails at the end all the same, with
        every item in RV(results).
      - Without it nothing is written when any item is refused, and the first failure ends the writing.
      - A refused key, a rate limit that is used up and a service that cannot be reached end the writing in any case.
        After a failure nothing is purged and nothing is recreated.
    type: bool
    default: false
  purge_max:
    description:
      - The most objects that may be deleted because they are not declared. If more would go, the task refuses to do
        anything.
    type: int
    default: 50
  purge_max_percent:
    description:
      - The largest part of a list, in percent, that may be deleted because it is not declared. If more would go, the
        task refuses to do anything. It counts for lists of at least O(purge_floor) objects.
    type: int
    default: 30
  purge_floor:
    description:
      - The length from which on O(purge_max_percent) counts for a list, in objects.
    type: int
    default: 10
  protect:
    description:
      - Names that are never purged, as glob patterns, such as V(*.example.com). For targets they are compared with the
        normal form of the name (lower case, no trailing dot, IDNA, no default port).
      - Null, as an unset variable gives it, is refused; it does not mean that nothing is protected.
    type: list
    elements: str
    default: []
  expect_plan:
    description:
      - The checksum of a reviewed plan, RV(plan.checksum) of an earlier run, mostly one in check mode.
      - If anything else would be written now, the task refuses to do anything. A plan with nothing left to do is
        accepted.
      - An empty text and null, as an unset variable of a pipeline gives them, are refused; they do not mean that
        nothing was reviewed.
    type: str
  report_unchanged:
    description:
      - Whether RV(results) has the objects that are unchanged. RV(summary) counts them in any case.
      - With V(false) a task over thousands of objects takes less time and memory, since most of what such a task takes
        is what ansible-core does with its results, and prints less at C(-v).
    type: bool
    default: true
  report_full_plan:
    description:
      - Whether RV(plan.actions) is complete if the task fails. By default a failing task returns the first ten of each
        action, and RV(plan.left_out) counts the others, so that a message about thousands of objects stays readable.
      - A task that succeeds, in check mode too, returns the complete plan.
    type: bool
    default: false
"""
