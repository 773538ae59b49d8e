#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: estate_info
short_description: Read workspaces with their targets and HTTP loggers as they would be declared
description:
  - Returns the live account, or some workspaces of it, in the shape that O(scanops.scanner.estate#module:workspaces)
    takes, without ids and in a stable order, so that two readings of the same account are equal.
  - The role P(scanops.scanner.estate_export#role) writes it to files and proves them.
  - Cost - 1 GET for the workspaces and 1 for all HTTP loggers; for each workspace 1 GET for each 1,000 targets, 1 GET
    that finds the end of the list, and 1 GET for its HTTP loggers.
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
      - The names of the workspaces to read; letters count as written. Default - all that the key may see.
      - A name that no workspace has is returned in RV(missing).
      - It saves calls - a workspace that is left out costs none.
    type: list
    elements: str
notes:
  - An estate holds what can be declared. Wordlists, scans and their findings, and the requests that HTTP loggers
    captured, are not in it.
  - Two workspaces of one name, and two targets of exactly one name in one workspace, fail the task, since an estate
    could not tell them apart; the message names their ids.
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

- name: Count the targets of each workspace
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
  description: The workspaces as the estate module takes them, sorted by name; names are compared by code points.
  returned: success
  type: list
  elements: dict
  sample:
    - name: Web shop
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
    description:
      description: Its description.
      returned: where there is one
      type: str
      sample: Everything that customers reach
    targets:
      description: Its targets, sorted by name, each with its description where there is one.
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
    - Targets of one workspace whose names mean the same and differ only in how they are written. They may be declared
      side by side as long as both are there.
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
      description: The name of their workspace.
      returned: success
      type: str
      sample: Web shop
    names:
      description: Their names, sorted.
      returned: success
      type: list
      elements: str
      sample: [API.example.com, api.example.com]
loggers_elsewhere:
  description: The labels of the HTTP loggers that live in no workspace of RV(workspaces), sorted.
  returned: success
  type: list
  elements: str
  sample: [canary-lab]
missing:
  description: The names of O(workspaces) that no workspace has, sorted.
  returned: success
  type: list
  elements: str
  sample: []
"""

from ansible_collections.scanops.scanner.plugins.module_utils._estate import read_account
from ansible_collections.scanops.scanner.plugins.module_utils._module import run

OPTIONS = dict(workspaces=dict(type="list", elements="str"))


def main():
    run(OPTIONS, read_account)


if __name__ == "__main__":
    main()
