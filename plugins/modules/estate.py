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
  - Makes sure that workspaces, their targets and their HTTP loggers are there as declared. The account is read once, a
    plan is made, and only what differs is written, parents first, deletes last.
  - On request it deletes targets and HTTP loggers that are not declared, under guards. Workspaces are never deleted.
  - While it writes on the controller, an action plugin shows its progress on standard error every 5 seconds.
  - Cost - 1 GET for the workspaces; for each workspace whose targets are declared 1 GET for each 1,000 of them and 1
    GET that finds the end of the list; where loggers are declared 1 GET for all of them and 1 GET for each such
    workspace. 1 POST, PUT or DELETE for each difference. Each list in which something was created is read once more at
    the end, to see that it exists. Before HTTP loggers are deleted, 1 GET for each workspace
    whose loggers are not declared.
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.writes
  - scanops.scanner.attributes.action_group_scoped
  - scanops.scanner.connection
  - scanops.scanner.many
  - scanops.scanner.scope
options:
  workspaces:
    description:
      - The workspaces, each a dictionary with the key C(name), and C(description), C(targets) and C(http_loggers) if
        wanted.
      - C(targets) is a list as in M(scanops.scanner.targets). C(http_loggers) is a list of dictionaries with
        the key C(label), and C(ignore) if wanted. A list that is left out is not managed, and never purged.
      - A workspace that is not there is made. Nothing can be purged in it.
    type: list
    elements: raw
    required: true
  declared_at:
    description:
      - How messages call each of O(workspaces), one text for each in the same order, such as the file that declares it
        and its position there. Left out, messages give the position in O(workspaces), as in V(workspaces[0]).
    type: list
    elements: str
  purge:
    description:
      - Delete the objects of these kinds that are not declared, in the declared workspaces that declare this kind.
        Danger - the scans and findings of a target, the recorded requests of a logger go with it.
      - It is refused when nothing is declared, when a list could not be read whole, and when more would go than
        O(purge_max) and O(purge_max_percent) allow. O(protect) and C(ignore) keep objects. Workspaces and wordlists
        are never purged.
      - Deletes come last, and not at all after a failure.
    type: list
    elements: str
    choices: [targets, http_loggers]
    default: []
seealso:
  - module: scanops.scanner.targets
  - module: scanops.scanner.workspace
"""

EXAMPLES = r"""
- name: Declare the estate
  scanops.scanner.estate:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspaces:
      - name: Web shop
        description: Everything that customers reach
        targets:
          - https://shop.example.com
          - name: api.example.com
            description: Production
        http_loggers:
          - label: canary-shop
  check_mode: true
  register: reviewed

- name: Do exactly what was planned, or nothing
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
from ansible_collections.scanops.scanner.plugins.module_utils._reconcile import MANY_OPTIONS, reconcile_estate
from ansible_collections.scanops.scanner.plugins.module_utils._scope import SCOPE_OPTION
from ansible_collections.scanops.scanner.plugins.module_utils._scope_file import scope_in_force

OPTIONS = dict(
    MANY_OPTIONS,
    workspaces=dict(type="list", elements="raw", required=True),
    declared_at=dict(type="list", elements="str"),
    purge=dict(type="list", elements="str", choices=["targets", "http_loggers"], default=[]),
    scope=SCOPE_OPTION,
)


def main():
    run(OPTIONS, reconcile_estate, scope_in_force)


if __name__ == "__main__":
    main()
