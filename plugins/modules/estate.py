#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: estate
short_description: Declare workspaces with their targets and HTTP loggers in one task
description:
  - Creates and updates workspaces, their targets and their HTTP loggers as declared. The account is read once, and only
    the differences are written - parents first, deletes last.
  - With O(purge), deletes targets and HTTP loggers that are not declared, within limits, and workspaces that are declared
    as V(absent).
  - A task that runs in process shows its progress on standard error every 5 seconds.
  - Begin with O(workspaces), O(scope) and O(expect_plan). For a purge, add O(purge), O(owner), O(protect) and
    O(evidence). C(ansible-doc -s scanops.scanner.estate) shows all options as a task.
  - Cost - 1 GET, the reads of each declared list, those of the undeclared workspaces if one is to be created, and 1 POST,
    PUT or DELETE for each difference, which is read back. See
    R(Cost in API calls,ansible_collections.scanops.scanner.docsite.guide_costs).
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.writes
  - scanops.scanner.attributes.action_group_scoped
  - scanops.scanner.connection
  - scanops.scanner.many
  - scanops.scanner.scope.short
options:
  workspaces:
    description:
      - The workspaces. Each is a dictionary with the key C(name) and the optional keys C(id), C(new), C(description),
        C(state), C(targets) and C(http_loggers).
      - C(state) set to V(absent) retires the workspace. It is deleted with all that it holds, if O(purge) has V(workspaces).
        If it has targets, this needs O(evidence) or O(force=true). With C(id), the entry must have the live C(name).
      - With C(id), which P(scanops.scanner.estate_export#role) writes, the workspace is the one with this id, and a
        different C(name) renames it. An id that no workspace has is an error, and so is a name that another workspace has.
        A workspace with another name and none of the declared objects is refused, because ids differ between accounts.
      - Without C(id), a workspace that does not exist is created. The task fails if an undeclared workspace has at least
        half of its targets or loggers, because it may be the same under another name. C(new) set to V(true) allows this.
      - C(targets) is a list as in M(scanops.scanner.targets). C(http_loggers) is a list of dictionaries with the key
        C(label) and the optional key C(ignore). A list that is not set is not managed, and never purged.
      - Nothing can be purged in a workspace that does not exist yet.
    type: list
    elements: raw
    required: true
  declared_at:
    description:
      - The names that messages use for O(workspaces), one for each in the same order. A name can, for example, be the
        file that declares the workspace and its position there. If not set, messages use the position in
        O(workspaces), such as V(workspaces[0]).
    type: list
    elements: str
  purge:
    description:
      - Delete the objects of these kinds that are not declared. This applies to declared workspaces that declare the
        kind. O(protect) and C(ignore) keep objects.
      - V(workspaces) deletes only workspaces that are declared with C(state) set to V(absent). What they hold counts towards
        O(purge_max). Wordlists are never purged.
      - The task refuses to purge if nothing is declared, if a list could not be read completely, or if more would be
        deleted than O(purge_max) and O(purge_max_percent) allow.
      - Deletes come last, and are skipped after a failure.
      - Danger - deleting a target deletes its scans and their findings, and deleting a logger deletes its recorded
        requests.
    type: list
    elements: str
    choices: [workspaces, targets, http_loggers]
    default: []
  unmanaged:
    description:
      - What to do about workspaces that the declaration does not name, such as one whose file was removed. V(report) lists
        them in RV(plan.unmanaged), which reads their lists. V(fail) also fails the task before anything is written.
    type: str
    choices: [report, fail, ignore]
    default: report
seealso:
  - module: scanops.scanner.targets
  - module: scanops.scanner.workspace
"""

EXAMPLES = r"""
- name: Plan the estate in check mode
  scanops.scanner.estate:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspaces:
      - name: Web shop
        id: 12
        description: Everything that customers reach
        targets:
          - https://shop.example.com
          - name: api.example.com
            description: Production
        http_loggers:
          - label: canary-shop
  check_mode: true
  register: reviewed

- name: Apply the reviewed plan and nothing else
  scanops.scanner.estate:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspaces: "{{ estate }}"
    purge: [targets]
    expect_plan: "{{ reviewed_checksum }}"
"""

RETURN = r"""
results:
  description:
    - What happened to each object, in the order of the declaration. Purged and protected objects come last.
    - Unchanged objects are omitted with O(report_unchanged=false), and if the task fails. If it fails before the first
      write, this is the first ten rows of each planned action.
  returned: success, and failure once the account was read
  type: list
  elements: dict
  sample:
    - index: 0
      resource: target
      workspace: Web shop
      name: https://shop.example.com
      action: create
      id: 4711
      error: null
  contains:
    index:
      description: The position in its declared list, starting at 0. Null for objects that are not declared.
      returned: success
      type: int
      sample: 0
    resource:
      description: The kind of object, V(workspace), V(target) or V(http_logger).
      returned: success
      type: str
      sample: target
    workspace:
      description: The name of its workspace, or the id if the task uses the id.
      returned: success
      type: str
      sample: Web shop
    name:
      description: Its name or label.
      returned: success
      type: str
      sample: https://shop.example.com
    action:
      description:
        - V(create), V(update) and V(delete) are writes. In check mode they are predicted.
        - V(unchanged) objects match the declaration. V(drifted) targets have a different description, which the API
          cannot update. V(ignored) objects are declared with C(ignore).
        - V(protected) objects are kept by O(protect) or by their mark, and V(foreign) targets because they
          have another owner.
        - V(refused) objects were skipped on purpose, and V(failed) objects could not be written. Both have
          RV(results[].error).
      returned: success
      type: str
      sample: create
    id:
      description: Its id. Null if it is not known, as for an object that would be created.
      returned: success
      type: int
      sample: 4711
    error:
      description: Why it was refused or failed. Null otherwise.
      returned: success
      type: str
      sample: null
summary:
  description: The number of objects for each action.
  returned: success, and failure once the account was read
  type: dict
  sample:
    create: 1
    update: 0
    delete: 0
    unchanged: 2499
    drifted: 0
    ignored: 0
    protected: 0
    foreign: 0
    refused: 0
    failed: 0
plan:
  description: The planned writes. They are the same in check mode and in the real run.
  returned: success, and failure once the account was read
  type: dict
  sample:
    checksum: 5c2ab3a7b01f1f1f9b8a0b9a6fb6a1c9b8a97b4f3f9f5c0c1a4e3d2b1a0f9e8d
    actions:
      - action: create
        resource: target
        workspace: Web shop
        name: https://shop.example.com
        before: null
        after:
          name: https://shop.example.com
        reason: null
    base_url: https://scanner.example.com/api/v2
    warnings: []
    unmanaged: []
    counts: {create: 1}
    left_out: {}
    unmarked: []
    calls: {GET: 4, POST: 1, PUT: 0, DELETE: 0}
    minutes: 0
  contains:
    checksum:
      description:
        - The SHA-256 of the base URL and the planned writes, including the live fields of objects to update or delete,
          and the ids of workspaces. O(expect_plan) compares it.
      returned: success
      type: str
      sample: 5c2ab3a7b01f1f1f9b8a0b9a6fb6a1c9b8a97b4f3f9f5c0c1a4e3d2b1a0f9e8d
    actions:
      description:
        - All objects but V(unchanged) and V(ignored) ones, each with the record before, the declared fields after, and
          the reason.
        - Each also has C(workspace_id), if its workspace exists.
        - A workspace that is deleted also has C(held), the ids of its targets and HTTP loggers.
        - If the task fails, the first ten of each action, unless O(report_full_plan=true). The list is complete if the
          task fails because the plan differs from O(expect_plan).
      returned: success
      type: list
      elements: dict
      sample: []
    counts:
      description: The number of objects in the plan for each action but V(unchanged) and V(ignored).
      returned: success
      type: dict
      sample: {create: 1}
    left_out:
      description: The number of objects for each action that RV(plan.actions) omits.
      returned: success
      type: dict
      sample: {}
    base_url:
      description: The address of the service that the plan is for.
      returned: success
      type: str
      sample: https://scanner.example.com/api/v2
    warnings:
      description: The warnings of the task before the first write.
      returned: success
      type: list
      elements: str
      sample: []
    unmanaged:
      description:
        - The workspaces that the declaration does not name, each with its name, its id, and the numbers of its C(targets) and
          C(http_loggers). Always empty for M(scanops.scanner.targets).
      returned: success
      type: list
      elements: dict
      sample: []
    unmarked:
      description:
        - The names of declared targets that exist without the mark of O(owner), which the API cannot add. With
          O(purge_only=own) they are never purged. Empty if O(owner) is not set.
      returned: success
      type: list
      elements: str
      sample: []
    calls:
      description: The estimated number of calls of the whole task, by method.
      returned: success
      type: dict
      sample: {GET: 4, POST: 1, PUT: 0, DELETE: 0}
    minutes:
      description:
        - The minimum number of minutes that the task waits because of the documented rate limits. 0 if it fits into
          them.
      returned: success
      type: int
      sample: 0
"""

from functools import partial

from ..module_utils._estate.many import MANY_OPTIONS, reconcile_estate
from ..module_utils._evidence.saved import Saver
from ..module_utils._scope.file import scope_in_force
from ..module_utils._scope.option import SCOPE_OPTION
from ..module_utils._task.module import Module, run

OPTIONS = dict(
    MANY_OPTIONS,
    workspaces=dict(type="list", elements="raw", required=True),
    declared_at=dict(type="list", elements="str"),
    purge=dict(type="list", elements="str", choices=["workspaces", "targets", "http_loggers"], default=[]),
    unmanaged=dict(type="str", choices=["report", "fail", "ignore"], default="report"),
    scope=SCOPE_OPTION,
)
MODULE = Module(OPTIONS, partial(reconcile_estate, saving=Saver), scope_in_force)


def main() -> None:
    run(MODULE)


if __name__ == "__main__":
    main()
