#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: workspace
short_description: Declare a workspace of the security-scanning service
description:
  - Creates, renames, describes or deletes a workspace.
  - Cost - 1 GET where nothing changes; 1 PUT more for a change; 1 POST and 1 GET more for a new workspace.
    Deleting costs 1 DELETE, and 2 GET before it without O(force=true).
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.writes
  - scanops.scanner.attributes.action_group
  - scanops.scanner.connection
options:
  name:
    description:
      - The name of the workspace, compared letter by letter.
      - Two workspaces of this name fail the task, and their ids are listed.
      - Exactly one of O(name) and O(id) is required.
    type: str
  id:
    description:
      - The id of the workspace. With O(state=present) the workspace must be there.
    type: int
  new_name:
    description:
      - Rename the workspace to this. A workspace that already has the new name, where none has O(name), counts as
        renamed.
      - If neither name is there the task fails, so that a typo does not make a new workspace.
    type: str
  description:
    description:
      - The description. Left out, the live text stays; an empty text clears it.
    type: str
  state:
    description:
      - V(present) makes sure that the workspace is there, V(absent) that it is not.
    type: str
    choices: [present, absent]
    default: present
  force:
    description:
      - Delete the workspace even if it holds targets or HTTP loggers.
      - Danger - the service deletes what is in the workspace with it, the targets' scans included, and nothing brings
        it back.
      - Without it such a workspace is refused, also in check mode. The account's current workspace is refused by the
        service.
    type: bool
    default: false
seealso:
  - module: scanops.scanner.workspace_info
"""

EXAMPLES = r"""
- name: Make sure that a workspace is there
  scanops.scanner.workspace:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    name: Web shop
    description: Everything that customers reach
  register: shop

- name: Rename it
  scanops.scanner.workspace:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    id: "{{ shop.workspace.id }}"
    new_name: Shop

- name: Delete a workspace with all that is in it
  scanops.scanner.workspace:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    name: Old project
    state: absent
    force: true
"""

RETURN = r"""
workspace:
  description:
    - The workspace as it is after the task, with every field that the service gives; null when it is absent.
    - In check mode RV(workspace.id) is null for a workspace that would be made.
  returned: success
  type: dict
  sample:
    id: 12
    name: Web shop
    description: Everything that customers reach
  contains:
    id:
      description: The id of the workspace.
      returned: success
      type: int
      sample: 12
    name:
      description: Its name.
      returned: success
      type: str
      sample: Web shop
    description:
      description: Its description, empty when there is none.
      returned: success
      type: str
      sample: Everything that customers reach
"""

from ansible_collections.scanops.scanner.plugins.module_utils._ensure import ensure
from ansible_collections.scanops.scanner.plugins.module_utils._module import run
from ansible_collections.scanops.scanner.plugins.module_utils._resources import WORKSPACE

OPTIONS = dict(
    name=dict(type="str"),
    id=dict(type="int"),
    new_name=dict(type="str"),
    description=dict(type="str"),
    state=dict(type="str", choices=["present", "absent"], default="present"),
    force=dict(type="bool", default=False),
)


def main():
    run(
        OPTIONS,
        lambda task: ensure(task, WORKSPACE),
        required_one_of=[("name", "id")],
        mutually_exclusive=[("name", "id")],
    )


if __name__ == "__main__":
    main()
