#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: finding
short_description: Change the status of a finding
description:
  - Sets what people decide about a finding - its status, its severity, and whether it is verified.
  - The service applies a change to all duplicates of the finding, also to those of other scans.
  - Relies on a call that only newer public documentation of the service has. Its body is not described. If your service
    refuses it, the task fails and nothing is changed. See C(finding-update) in
    R(the guide on assumptions,ansible_collections.scanops.scanner.docsite.guide_assumptions_table.finding_update).
  - Cost - 2 GET; changed by O(id) + 1 PATCH and 1 GET. See
    R(Cost in API calls,ansible_collections.scanops.scanner.docsite.guide_costs).
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.writes
  - scanops.scanner.attributes.action_group
  - scanops.scanner.connection
  - scanops.scanner.workspace_reference
options:
  id:
    description:
      - The id of the finding. Exactly one of O(id) and O(fingerprint) is required.
      - Mutually exclusive with O(workspace) and O(workspace_id).
    type: int
  fingerprint:
    description:
      - The fingerprint of the finding, as C(gate.json) and the result of M(scanops.scanner.gate) have
        it. All findings of the workspace with this fingerprint are changed, of whatever scan.
      - Requires O(workspace) or O(workspace_id).
      - If none is found, the task fails.
    type: str
  status:
    description:
      - The status, such as V(open), V(accepted), V(false_positive), V(ignored) or V(fixed). The service defines the
        values. It must match exactly.
      - If not set, the live status is kept. This applies to O(verified) and O(risk_level), too. At least one of the
        three is required.
    type: str
  verified:
    description:
      - Whether the finding is verified.
    type: bool
  risk_level:
    description:
      - The severity as the service counts it, from V(0), informational, to V(4), critical.
      - Danger - scans keep the numbers that they have counted. After a change, M(scanops.scanner.finding_info) and
        M(scanops.scanner.gate) may report the findings of the scan as incomplete.
    type: int
    choices: [0, 1, 2, 3, 4]
  reason:
    description:
      - A note on the change for the history of the finding. It is sent only together with a change.
    type: str
seealso:
  - module: scanops.scanner.finding_info
  - module: scanops.scanner.gate
  - ref: ansible_collections.scanops.scanner.docsite.guide_gate.statuses
    description: Keep the statuses of the web application and the waivers in agreement.
"""

EXAMPLES = r"""
- name: Accept a finding
  scanops.scanner.finding:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    id: 70001
    status: accepted
    reason: Blocked by the web application firewall

- name: Mark a finding of the gate as a false positive, in every scan
  scanops.scanner.finding:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    fingerprint: 1:4f0d3c2b1a09f8e7d6c5b4a392817060
    status: false_positive
"""

RETURN = r"""
finding:
  description:
    - The finding after the task, with every field that the service returns, as M(scanops.scanner.finding_info) returns
      it. If several have the fingerprint, the newest one.
    - In check mode, null for a finding that an earlier task would find.
  returned: success, and on failure because of RV(unexpected)
  type: dict
  sample:
    id: 70001
    name: SQL injection
    risk_level: 3
    severity: high
    status: accepted
    verified: true
    cve: []
    target_id: 4711
    target_name: shop.example.com
    task_id: 1202
  contains:
    id:
      description: The id of the finding.
      returned: success
      type: int
      sample: 70001
    name:
      description: Its name. Empty if it has none.
      returned: success
      type: str
      sample: SQL injection
    risk_level:
      description: The severity as the service returns it, 0 to 4. Any other value is returned unchanged.
      returned: success
      type: raw
      sample: 3
    severity:
      description: The name of RV(finding.risk_level), as M(scanops.scanner.finding_info) returns it.
      returned: success
      type: str
      sample: high
    status:
      description: Its status, as the service names it. Null if it has none.
      returned: success
      type: str
      sample: accepted
    verified:
      description: Whether it is verified. Null if the service does not say.
      returned: success
      type: bool
      sample: true
    cve:
      description: Its CVE ids. C(N/A) and null of the service become an empty list.
      returned: success
      type: list
      elements: str
      sample: []
    target_id:
      description: The id of the target.
      returned: success
      type: int
      sample: 4711
    target_name:
      description: The name of the target. Null if the target no longer exists.
      returned: success
      type: str
      sample: shop.example.com
    task_id:
      description: The id of the scan that found it.
      returned: success
      type: int
      sample: 1202
changed_ids:
  description:
    - The ids of the findings named by O(id) or O(fingerprint) that had other values before. The service may have
      changed further duplicates.
  returned: success, and on failure after another finding was changed
  type: list
  elements: int
  sample: [70001]
unexpected:
  description:
    - The fields that did not take their value, or that changed although the task does not declare them. For each field,
      C(expected) is the value that it should have, and C(live) the one that was read after the update.
    - The task has failed, and RV(ignore:changed) is true.
  returned: failure, if an update did something else than declared
  type: dict
  sample:
    status:
      expected: accepted
      live: open
"""

from ..module_utils._evidence.finding_status import change
from ..module_utils._task.module import Module, run

OPTIONS = dict(
    id=dict(type="int"),
    fingerprint=dict(type="str"),
    workspace=dict(type="str"),
    workspace_id=dict(type="int"),
    status=dict(type="str"),
    verified=dict(type="bool"),
    risk_level=dict(type="int", choices=list(range(5))),
    reason=dict(type="str"),
)
MODULE = Module(
    OPTIONS,
    change,
    required_one_of=[("id", "fingerprint"), ("id", "workspace", "workspace_id")],
    mutually_exclusive=[
        ("id", "fingerprint"),
        ("id", "workspace"),
        ("id", "workspace_id"),
        ("workspace", "workspace_id"),
    ],
)


def main() -> None:
    run(MODULE)


if __name__ == "__main__":
    main()
