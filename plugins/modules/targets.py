#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: targets
short_description: Declare many targets of a workspace in one task
description:
  - Creates or deletes a list of targets in one workspace. The list is read once, and only the differences are written.
  - With O(purge), deletes the targets that are not declared, within limits.
  - A task that runs in process shows its progress on standard error every 5 seconds.
  - Begin with O(workspace) and O(targets), and O(scope). For a purge, add O(purge), O(owner), O(protect) and
    O(evidence). C(ansible-doc -s scanops.scanner.targets) shows all options as a task.
  - Cost - 1 GET for each 1,000 targets of the workspace, 1 GET for the end of the list, and 1 POST or DELETE for each
    difference, after which the list is read again; with O(workspace) + 1 GET. See
    R(Cost in API calls,ansible_collections.scanops.scanner.docsite.guide_costs).
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.writes
  - scanops.scanner.attributes.action_group_scoped
  - scanops.scanner.connection
  - scanops.scanner.workspace_reference
  - scanops.scanner.many
  - scanops.scanner.scope
options:
  targets:
    description:
      - The targets. Each is a name, or a dictionary with the key C(name) and the optional keys C(description), C(ignore)
        and C(protect).
      - With C(protect) set to V(true), a new target gets a mark that keeps it from being deleted, see O(unprotect).
      - A target with C(ignore) set to V(true) is neither changed nor purged.
      - A new target whose name is not a host name, IP address or URL is refused before the first write, also in check
        mode.
      - Names are compared as by M(scanops.scanner.target). Two items with the same normalised name are an error, unless
        the workspace has both exactly as declared.
    type: list
    elements: raw
    required: true
  state:
    description:
      - V(present) makes sure that the targets exist, V(absent) that they do not.
      - Danger - deleting a target deletes its scans and their findings. V(absent) deletes the listed targets without
        the limits of O(purge).
    type: str
    choices: [present, absent]
    default: present
  purge:
    description:
      - Delete the targets of the workspace that are not declared. O(protect) and C(ignore) keep targets.
      - The task refuses to purge if no target is declared, if the list could not be read completely, if the workspace
        does not exist, or if more would be deleted than O(purge_max) and O(purge_max_percent) allow.
      - Deletes come last, and are skipped after a failure.
      - Danger - deleting a target deletes its scans and their findings.
    type: bool
    default: false
seealso:
  - module: scanops.scanner.estate
  - module: scanops.scanner.target
"""

EXAMPLES = r"""
- name: Declare the targets of a workspace
  scanops.scanner.targets:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    targets:
      - https://shop.example.com
      - name: api.example.com
        description: Production
      - name: lab.example.com
        ignore: true

- name: Declare the targets and delete up to five that are not declared
  scanops.scanner.targets:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    targets: "{{ shop_targets }}"
    purge: true
    purge_max: 5
    protect:
      - "*.partner.example"
    scope:
      allow:
        - example.com
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
        - The SHA-256 of the base URL and the planned writes, including the live fields of objects to update or delete.
          O(expect_plan) compares it.
      returned: success
      type: str
      sample: 5c2ab3a7b01f1f1f9b8a0b9a6fb6a1c9b8a97b4f3f9f5c0c1a4e3d2b1a0f9e8d
    actions:
      description:
        - All objects but V(unchanged) and V(ignored) ones, each with the record before, the declared fields after, and
          the reason.
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

from ..module_utils._estate.many import MANY_OPTIONS, reconcile_targets
from ..module_utils._evidence.saved import Saver
from ..module_utils._scope.file import scope_in_force
from ..module_utils._scope.option import SCOPE_OPTION
from ..module_utils._task.module import Module, run

OPTIONS = dict(
    MANY_OPTIONS,
    workspace=dict(type="str"),
    workspace_id=dict(type="int"),
    targets=dict(type="list", elements="raw", required=True),
    state=dict(type="str", choices=["present", "absent"], default="present"),
    purge=dict(type="bool", default=False),
    scope=SCOPE_OPTION,
)
MODULE = Module(
    OPTIONS,
    partial(reconcile_targets, saving=Saver),
    scope_in_force,
    required_one_of=[("workspace", "workspace_id")],
    mutually_exclusive=[("workspace", "workspace_id")],
)


def main() -> None:
    run(MODULE)


if __name__ == "__main__":
    main()
