#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: estate_info
short_description: Read workspaces with their targets and HTTP loggers as an estate
description:
  - Returns the account, or some of its workspaces, in the format of O(scanops.scanner.estate#module:workspaces). The
    result has the ids of workspaces only, in a stable order, so two reads of the same account are equal.
  - To write the result to files and verify them, use the role P(scanops.scanner.estate_export#role).
  - Cost - 2 GET, and for each workspace 2 GET and 1 GET for each 1,000 targets, or 2 GET from 1,000 targets on. See
    R(Cost in API calls,ansible_collections.scanops.scanner.docsite.guide_costs).
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.reads
  - scanops.scanner.attributes.action_group
  - scanops.scanner.connection
options:
  workspaces:
    description:
      - The names of the workspaces to read. They must match exactly. If not set, all workspaces that the key can see
        are read.
      - A name that no workspace has is returned in RV(missing).
      - Workspaces that are not read cost no calls.
    type: list
    elements: str
notes:
  - An estate contains only what can be declared. It does not contain wordlists, scans and their findings, or the
    recorded requests of HTTP loggers.
  - If two workspaces, or two targets of one workspace, have exactly the same name, the task fails and lists their ids.
    An estate cannot distinguish them.
seealso:
  - module: scanops.scanner.estate
  - plugin: scanops.scanner.estate_yaml
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Read the account
  scanops.scanner.estate_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
  register: account

- name: Show the number of targets of each workspace
  ansible.builtin.debug:
    msg: "{{ item.name }}: {{ item.targets | length }}"
  loop: "{{ account.workspaces }}"
  loop_control:
    label: "{{ item.name }}"

- name: Read two workspaces
  scanops.scanner.estate_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspaces:
      - Web shop
      - Lab
  register: two
  failed_when: two is failed or two.missing
"""

RETURN = r"""
workspaces:
  description: The workspaces in the format of M(scanops.scanner.estate), sorted by name, with numbers by their value.
  returned: success
  type: list
  elements: dict
  sample:
    - name: Web shop
      id: 12
      description: Everything that customers reach
      targets:
        - name: api.example.com
          description: Production
        - name: https://shop.example.com
      http_loggers:
        - label: canary-shop
  contains:
    name:
      description: The name of the workspace.
      returned: success
      type: str
      sample: Web shop
    id:
      description: Its id. With it, M(scanops.scanner.estate) finds the workspace also under another name.
      returned: success
      type: int
      sample: 12
    description:
      description: Its description.
      returned: if the workspace has one
      type: str
      sample: Everything that customers reach
    targets:
      description: Its targets, sorted by name, each with its description if it has one.
      returned: success
      type: list
      elements: dict
      sample:
        - name: https://shop.example.com
    http_loggers:
      description: Its HTTP loggers, sorted by label.
      returned: success
      type: list
      elements: dict
      sample:
        - label: canary-shop
alike:
  description:
    - Targets of one workspace whose names differ only in their spelling. They can be declared together as long as they
      exist.
  returned: success
  type: list
  elements: dict
  sample:
    - workspace: Web shop
      names:
        - API.example.com
        - api.example.com
  contains:
    workspace:
      description: The name of the workspace.
      returned: success
      type: str
      sample: Web shop
    names:
      description: The names of the targets, sorted.
      returned: success
      type: list
      elements: str
      sample: [API.example.com, api.example.com]
loggers_elsewhere:
  description: The labels of the HTTP loggers that belong to no workspace in RV(workspaces), sorted.
  returned: success
  type: list
  elements: str
  sample: [canary-lab]
missing:
  description: The names in O(workspaces) that no workspace has, sorted.
  returned: success
  type: list
  elements: str
  sample: []
"""

from ..module_utils._estate.account import read_account
from ..module_utils._task.module import Module, run

OPTIONS = dict(workspaces=dict(type="list", elements="str"))
MODULE = Module(OPTIONS, read_account)


def main() -> None:
    run(MODULE)


if __name__ == "__main__":
    main()
