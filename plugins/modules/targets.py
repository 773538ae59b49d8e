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
  - Makes sure that a list of targets is there, or not there, in one workspace. The list is read once, and only what
    differs is written.
  - On request it deletes the targets that are not declared, under guards.
  - While it writes on the controller, an action plugin shows its progress on standard error every 5 seconds.
  - Cost - 1 GET for each 1,000 targets of the workspace and 1 GET that finds the end of the list; 1 GET more when the
    workspace is given by name; 1 POST for each new target, 1 DELETE for each deleted one. Where targets were created,
    the list is read once more at the end, to see that they exist. Unchanged targets cost nothing more.
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
      - The targets, each a text, its name, or a dictionary with the key C(name), and C(description) and C(ignore) if
        wanted.
      - A new target whose name is no host name, IP address or URL is refused before the first write, in check mode too.
      - A target with C(ignore) set to V(true) is neither touched nor purged.
      - Names are compared letter by letter first, then by what they mean, as by M(scanops.scanner.target). Two items
        that mean the same are an error, unless the workspace holds both exactly as declared.
    type: list
    elements: raw
    required: true
  state:
    description:
      - V(present) makes sure that the targets are there, V(absent) that they are not.
      - Danger - deleting a target deletes its scans and their findings. V(absent) deletes what is listed, without the
        guards of O(purge).
    type: str
    choices: [present, absent]
    default: present
  purge:
    description:
      - Delete the targets of the workspace that are not declared. Danger - their scans and findings go with them.
      - It is refused when nothing is declared, when the list could not be read whole, when the workspace is not there,
        and when more would go than O(purge_max) and O(purge_max_percent) allow. O(protect) and C(ignore) keep targets.
      - Deletes come last, and not at all after a failure.
    type: bool
    default: false
  purge_marker:
    description:
      - Purge only targets whose live description holds this text, letter by letter, such as V([made by the CMDB]). All
        others are left alone, and O(purge_max_percent) and O(purge_floor) count those that carry it.
      - It lets several sources share a workspace. Put the text into the description of each target that is declared,
        and set O(on_drift=ignore) where some of them were there before. The role
        P(scanops.scanner.estate_register#role) does so.
    type: str
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

- name: The same, and delete what is not declared, at most five
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
    - What happened to each object, in the order of the declaration; what was purged or protected comes last. With
      O(report_unchanged=false) the unchanged ones are left out.
    - If the task fails, the unchanged ones are left out in any case. If it fails before the first write, it holds the
      first ten rows of each planned action.
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
      description: The position in its list of the declaration, from 0; null for what is not declared.
      returned: success
      type: int
      sample: 0
    resource:
      description: V(workspace), V(target) or V(http_logger).
      returned: success
      type: str
      sample: target
    workspace:
      description: The name of its workspace, or the id where that was given.
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
        - V(create), V(update) and V(delete) are writes; in check mode they are what would be written.
        - V(unchanged); V(drifted), another description lives; V(ignored), declared with C(ignore); V(protected), kept
          from purge by O(protect).
        - V(refused), not done on purpose, and V(failed), not done, both with RV(results[].error).
      returned: success
      type: str
      sample: create
    id:
      description: Its id; null where it is not known, as for what would be made.
      returned: success
      type: int
      sample: 4711
    error:
      description: Why it was refused or failed, null otherwise.
      returned: success
      type: str
      sample: null
summary:
  description: How many objects had each action.
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
    refused: 0
    failed: 0
plan:
  description: What would be written, the same in check mode and in the real run.
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
    counts: {create: 1}
    left_out: {}
    calls: {GET: 4, POST: 1, PUT: 0, DELETE: 0}
    minutes: 0
  contains:
    checksum:
      description:
        - SHA-256 of what would be written, with the ids of what would be deleted. It is what O(expect_plan) compares.
      returned: success
      type: str
      sample: 5c2ab3a7b01f1f1f9b8a0b9a6fb6a1c9b8a97b4f3f9f5c0c1a4e3d2b1a0f9e8d
    actions:
      description:
        - All that is not V(unchanged) or V(ignored), with the record before, the declared fields after, and the
          reason.
        - If the task fails, the first ten of each action, unless O(report_full_plan=true). They are complete if the
          plan is not the one of O(expect_plan).
      returned: success
      type: list
      elements: dict
      sample: []
    counts:
      description: How many objects the plan has of each action, without V(unchanged) and V(ignored).
      returned: success
      type: dict
      sample: {create: 1}
    left_out:
      description: How many more objects of each action the plan has than RV(plan.actions) shows.
      returned: success
      type: dict
      sample: {}
    calls:
      description: The calls that the whole task costs, by method.
      returned: success
      type: dict
      sample: {GET: 4, POST: 1, PUT: 0, DELETE: 0}
    minutes:
      description:
        - How many minutes the documented rate limits make the task wait at least; 0 for one that fits into them.
      returned: success
      type: int
      sample: 0
"""

from ansible_collections.scanops.scanner.plugins.module_utils._module import run
from ansible_collections.scanops.scanner.plugins.module_utils._reconcile import MANY_OPTIONS, reconcile_targets
from ansible_collections.scanops.scanner.plugins.module_utils._scope import SCOPE_OPTION
from ansible_collections.scanops.scanner.plugins.module_utils._scope_file import scope_in_force

OPTIONS = dict(
    MANY_OPTIONS,
    workspace=dict(type="str"),
    workspace_id=dict(type="int"),
    targets=dict(type="list", elements="raw", required=True),
    state=dict(type="str", choices=["present", "absent"], default="present"),
    purge=dict(type="bool", default=False),
    purge_marker=dict(type="str"),
    scope=SCOPE_OPTION,
)


def main():
    run(
        OPTIONS,
        reconcile_targets,
        scope_in_force,
        required_one_of=[("workspace", "workspace_id")],
        mutually_exclusive=[("workspace", "workspace_id")],
    )


if __name__ == "__main__":
    main()
