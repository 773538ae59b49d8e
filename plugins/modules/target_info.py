#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: target_info
short_description: Read targets
description:
  - Returns the targets of a workspace, or the one with a name or id.
  - Cost - 1 GET for each 1,000 targets, and 1 GET for the end of the list; by O(id) 1 GET. See
    R(Cost in API calls,ansible_collections.scanops.scanner.docsite.guide_costs).
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.reads
  - scanops.scanner.attributes.action_group
  - scanops.scanner.connection
  - scanops.scanner.workspace_reference
options:
  name:
    description:
      - Return only the target with this name. It is compared as by M(scanops.scanner.target). An unknown name returns
        an empty list.
    type: str
  id:
    description:
      - Return only the target with this id. An unknown id returns an empty list.
    type: int
  type:
    description:
      - Return only targets of this type. The service filters, so this can save calls.
      - Mutually exclusive with O(id).
    type: str
    choices: [hostname, ip_address, url]
notes:
  - Without O(workspace), O(workspace_id) and O(id), the service uses its current workspace, which people can change in
    the web application. The task then warns.
seealso:
  - module: scanops.scanner.target
  - plugin: scanops.scanner.targets
    plugin_type: inventory
"""

EXAMPLES = r"""
- name: Read the URLs of a workspace
  scanops.scanner.target_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    type: url
  register: shop

- name: Show their names
  ansible.builtin.debug:
    msg: "{{ shop.targets | map(attribute='name') | sort }}"
"""

RETURN = r"""
targets:
  description: The targets in the service's order, with every field that the service returns.
  returned: success
  type: list
  elements: dict
  sample:
    - id: 4711
      name: https://shop.example.com
      type: url
      description: Production
      workspace_id: 12
  contains:
    id:
      description: The id of the target.
      returned: success
      type: int
      sample: 4711
    name:
      description: Its name, as the service returns it.
      returned: success
      type: str
      sample: https://shop.example.com
    type:
      description: Its type, V(hostname), V(ip_address) or V(url).
      returned: success
      type: str
      sample: url
    description:
      description: Its description. Empty if it has none.
      returned: success
      type: str
      sample: Production
    workspace_id:
      description: The id of its workspace.
      returned: success
      type: int
      sample: 12
"""

from typing import Any

from ..module_utils._model.families import TARGET, TARGET_TYPES
from ..module_utils._task.module import Module, run
from ..module_utils._task.references import information
from ..module_utils._task.task import Task

OPTIONS = dict(
    name=dict(type="str"),
    id=dict(type="int"),
    workspace=dict(type="str"),
    workspace_id=dict(type="int"),
    type=dict(type="str", choices=list(TARGET_TYPES)),
)


def read(task: Task) -> dict[str, Any]:
    filters = {"type": task.params["type"]} if task.params["type"] else None
    return {"targets": information(task, TARGET, filters)}


MODULE = Module(OPTIONS, read, mutually_exclusive=[("name", "id"), ("type", "id"), ("workspace", "workspace_id")])


def main() -> None:
    run(MODULE)


if __name__ == "__main__":
    main()
