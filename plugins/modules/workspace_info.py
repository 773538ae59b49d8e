#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: workspace_info
short_description: Read workspaces
description:
  - Returns all workspaces of the account, or those with a name or id.
  - Cost - 1 GET.
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.reads
  - scanops.scanner.attributes.action_group
  - scanops.scanner.connection
options:
  name:
    description:
      - Return only workspaces with this name. An unknown name returns an empty list.
    type: str
  id:
    description:
      - Return only the workspace with this id. An unknown id returns an empty list.
    type: int
seealso:
  - module: scanops.scanner.workspace
"""

EXAMPLES = r"""
- name: Read all workspaces
  scanops.scanner.workspace_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
  register: account

- name: Show their names
  ansible.builtin.debug:
    msg: "{{ account.workspaces | map(attribute='name') | sort }}"
"""

RETURN = r"""
workspaces:
  description: The workspaces in the service's order, with every field that the service returns.
  returned: success
  type: list
  elements: dict
  sample:
    - id: 12
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
      description: Its description. Empty if it has none.
      returned: success
      type: str
      sample: Everything that customers reach
"""

from ..module_utils._model.families import WORKSPACE
from ..module_utils._task.module import Module, run
from ..module_utils._task.references import information

OPTIONS = dict(
    name=dict(type="str"),
    id=dict(type="int"),
)
MODULE = Module(OPTIONS, lambda task: {"workspaces": information(task, WORKSPACE)}, mutually_exclusive=[("name", "id")])


def main() -> None:
    run(MODULE)


if __name__ == "__main__":
    main()
