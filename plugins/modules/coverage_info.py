#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: coverage_info
short_description: Find out which targets were scanned
description:
  - Returns for each target whether a recent enough finished scan of it exists, and lists the gaps.
  - Also returns targets that nobody declared, targets that exist twice, and workspaces without targets.
  - Begin with O(workspace), O(tools) and O(max_age), then O(exclusions) and O(dest).
    C(ansible-doc -s scanops.scanner.coverage_info) shows all options as a task.
  - A gap does not fail the task. M(scanops.scanner.gate) with O(scanops.scanner.gate#module:expect) does.
  - Cost - the lists of targets and scans of each workspace. See
    R(Cost in API calls,ansible_collections.scanops.scanner.docsite.guide_costs).
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
attributes:
  check_mode:
    details:
      - Always sends only GET calls. With O(dest), no file is written.
  idempotent:
    details:
      - The module changes nothing but the file O(dest), which holds the time of the run.
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.reads
  - scanops.scanner.attributes.action_group
  - scanops.scanner.connection
  - scanops.scanner.workspace_reference
  - scanops.scanner.files
options:
  targets:
    description:
      - The declared targets of the workspace. Other targets are returned in RV(undeclared).
      - If not set, all targets are judged. Requires O(workspace) or O(workspace_id).
    type: list
    elements: str
  tools:
    description:
      - Require a scan with each of these tools, by name or id. If not set, a scan with any tool counts.
    type: list
    elements: str
  max_age:
    description:
      - The maximum age of a scan, in seconds or as in V(12h) or V(7d). If not set, any age counts.
      - It must be recent enough by the service's clock and by that of the host on which the module runs. The task warns
        if they differ by more than five minutes.
    type: str
  must_see:
    description:
      - Controls, known and harmless weaknesses that a scan must see. A target is covered only if its scan has seen the
        controls that are for it. Otherwise, its C(reason) begins with C(blind), or says what could not be read.
      - Each is a matcher with C(reason), and optionally with C(path) and C(tool). See
        O(scanops.scanner.gate#module:must_see). A C(tool) must be one of O(tools).
      - A control that is for no target or tool of the account, or that matches findings at several places of one target,
        fails the task.
      - Cost - the findings of each scan that a control is for.
    type: list
    elements: dict
  exclusions:
    description:
      - Targets that need not be scanned. An exclusion applies until the end of its date in UTC.
      - In a pattern, V(*) matches any text. An exclusion that matches every target is refused.
      - An expired exclusion no longer counts, and is returned in RV(exclusions).
    type: list
    elements: dict
    suboptions:
      workspace:
        description: A pattern for names of workspaces. At least one of it and C(target) is required.
        type: str
      target:
        description: A pattern for names of targets.
        type: str
      tool:
        description: A pattern for names of tools.
        type: str
      reason:
        description: Why these targets need not be scanned.
        type: str
        required: true
      expires:
        description:
          - The date on which the exclusion ends, at most five years from now, or a time in ISO 8601 with its zone.
        type: str
        required: true
  owners:
    description:
      - The path of a YAML file that says which team owns which targets. Each row has the team of its target. See
        R(the guide,ansible_collections.scanops.scanner.docsite.guide_gate.owners).
      - The task warns of targets without an owner, and of patterns that match no target in RV(rows).
    type: path
  dest:
    description:
      - Write the rows to this file. Its name must end in C(.csv) or C(.json), which determines the format. Its
        directory must exist.
      - A file that another user could have prepared is refused. See
        R(the guide,ansible_collections.scanops.scanner.docsite.guide_gate.trust).
    type: path
requirements:
  - PyYAML, for O(owners)
seealso:
  - module: scanops.scanner.gate
  - module: scanops.scanner.scan_info
"""

EXAMPLES = r"""
- name: Find targets without a recent scan
  scanops.scanner.coverage_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    tools: [Website Scanner]
    max_age: 7d
    exclusions:
      - target: "*.test.example.com"
        reason: Test systems are not public
        expires: "2027-06-30"
  register: coverage

- name: Write an attestation for all workspaces
  scanops.scanner.coverage_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    max_age: 30d
    dest: /srv/audit/coverage.csv
"""

RETURN = r"""
rows:
  description: One row for each target and tool.
  returned: success
  type: list
  elements: dict
  sample:
    - workspace: Web shop
      target: shop.example.com
      tool: Website Scanner
      covered: true
      excluded: false
      scan_id: 1202
      finished: "2026-01-31T12:00:00Z"
      age: 5400
      reason: ""
      team: Checkout
      contact: checkout@example.com
      channel: null
gaps:
  description: The rows that are neither covered nor excluded. Each has its reason.
  returned: success
  type: list
  elements: dict
  sample: []
total:
  description: The number of rows.
  returned: success
  type: int
  sample: 12
covered:
  description: The number of rows that are covered.
  returned: success
  type: int
  sample: 12
excluded:
  description: The number of uncovered rows that are excluded.
  returned: success
  type: int
  sample: 0
summary:
  description: The number of rows by what they are. Each row counts once, so the numbers add up to RV(total).
  returned: success
  type: dict
  sample: {covered: 12, excluded: 0, gaps: 0}
  contains:
    covered:
      description: As RV(covered).
      returned: success
      type: int
      sample: 12
    excluded:
      description: As RV(excluded).
      returned: success
      type: int
      sample: 0
    gaps:
      description: The number of RV(gaps).
      returned: success
      type: int
      sample: 0
controls:
  description:
    - The controls of O(must_see), one row for each target and tool that they are for. C(seen) is null if no scan covers the
      target, or if it could not be read completely.
  returned: success
  type: list
  elements: dict
  sample:
    - name: Directory listing at /account/canary/
      target: shop.example.com
      tool: Website Scanner
      scan_id: 1202
      seen: true
      reason: Only users get to this page
undeclared:
  description: Existing targets that are not in O(targets). Empty if O(targets) is not set.
  returned: success
  type: list
  elements: dict
  sample: []
duplicates:
  description: Targets of one workspace whose names are equivalent.
  returned: success
  type: list
  elements: dict
  sample: []
empty_workspaces:
  description: The names of workspaces without targets.
  returned: success
  type: list
  elements: str
  sample: []
exclusions:
  description: The exclusions that have expired, and those that matched nothing.
  returned: success
  type: dict
  sample: {expired: [], unused: []}
dest:
  description: The path of the file. Null without O(dest).
  returned: success
  type: str
  sample: /srv/audit/coverage.csv
size:
  description: The size of the file in bytes. Null without O(dest).
  returned: success
  type: int
  sample: 2048
checksum:
  description: The SHA-1 checksum of the file. Null without O(dest).
  returned: success
  type: str
  sample: 88b2b6ac1d45fa4f7a0d1e0d2b6f5b5b4c4e7a51
"""

from ..module_utils._evidence.coverage import coverage
from ..module_utils._task.module import Module, run

OPTIONS = dict(
    workspace=dict(type="str"),
    workspace_id=dict(type="int"),
    targets=dict(type="list", elements="str"),
    tools=dict(type="list", elements="str"),
    max_age=dict(type="str"),
    must_see=dict(type="list", elements="dict"),
    exclusions=dict(
        type="list",
        elements="dict",
        options=dict(
            workspace=dict(type="str"),
            target=dict(type="str"),
            tool=dict(type="str"),
            reason=dict(type="str", required=True),
            expires=dict(type="str", required=True),
        ),
        required_one_of=[("workspace", "target")],
    ),
    owners=dict(type="path"),
    dest=dict(type="path"),
)
MODULE = Module(OPTIONS, coverage, add_file_common_args=True, mutually_exclusive=[("workspace", "workspace_id")])


def main() -> None:
    run(MODULE)


if __name__ == "__main__":
    main()
