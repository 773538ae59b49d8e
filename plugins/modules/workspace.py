#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: workspace
short_description: Manage a workspace
description:
  - Creates, updates, renames or deletes a workspace.
  - Cost - 1 GET; update + 1 PUT and 1 GET, create + 1 POST and 1 GET, delete + 1 DELETE and 1 GET, and without
    O(force=true) 2 GET more. To delete with C(--diff) reads 3 lists more, with O(evidence) 2 lists, and 1 GET a target.
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
      - The name of the workspace. It must match exactly.
      - If two workspaces have this name, the task fails and lists their ids.
      - Exactly one of O(name) and O(id) is required.
    type: str
  id:
    description:
      - The id of the workspace. With O(state=present), the workspace must exist.
    type: int
  new_name:
    description:
      - Rename the workspace to this name. If no workspace has O(name) and one has the new name, it counts as renamed.
      - If neither name exists, the task fails, so that a typo does not create a workspace.
    type: str
  description:
    description:
      - The description. If not set, the live description is kept. An empty string clears it.
    type: str
  state:
    description:
      - V(present) makes sure that the workspace exists, V(absent) that it does not.
    type: str
    choices: [present, absent]
    default: present
  force:
    description:
      - Delete the workspace even if it has targets or HTTP loggers.
      - By default, such a workspace is not deleted and the task fails, also in check mode. The service always refuses
        to delete the current workspace of the account.
      - Danger - the service also deletes everything in the workspace, including the scans of its targets. This cannot
        be undone. With C(--diff), the task shows the numbers of targets, HTTP loggers and scans.
    type: bool
    default: false
  evidence:
    description:
      - A directory on the host on which the module runs. Before the workspace is deleted, the findings of each of its
        targets are written to a new file there, as for O(scanops.scanner.targets#module:evidence). If those of one target
        cannot be saved completely, the workspace is not deleted.
      - Allows to delete a workspace that has targets without O(force). One that has HTTP loggers still needs it, because
        their recorded requests are not saved.
      - If not set, nothing is saved. Only used with O(state=absent).
    type: path
seealso:
  - module: scanops.scanner.workspace_info
"""

EXAMPLES = r"""
- name: Create a workspace
  scanops.scanner.workspace:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    name: Web shop
    description: Everything that customers reach
  register: shop

- name: Rename the workspace
  scanops.scanner.workspace:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    id: "{{ shop.workspace.id }}"
    new_name: Shop

- name: Delete a workspace and everything in it, but keep the findings
  scanops.scanner.workspace:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    name: Old project
    state: absent
    evidence: /srv/evidence
    force: true
"""

RETURN = r"""
workspace:
  description:
    - The workspace after the task, with every field that the service returns. Null if it is absent.
    - After an update it is read again.
    - In check mode, RV(workspace.id) is null for a workspace that would be created.
  returned: success, and on failure because of RV(unexpected)
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
      description: Its description. Empty if it has none.
      returned: success
      type: str
      sample: Everything that customers reach
unexpected:
  description:
    - The fields that an update changed although the task does not declare them, or that did not take their value. For
      each field, C(expected) is the value that it should have, and C(live) the one that was read after the update.
    - The task has failed, and RV(ignore:changed) is true. To write a lost value back, declare it.
  returned: failure, if an update did something else than declared
  type: dict
  sample:
    description:
      expected: Everything that customers reach
      live: ""
"""

from ..module_utils._estate.ensure import ensure, options_of, references_of
from ..module_utils._evidence.saved import Saver
from ..module_utils._model.families import WORKSPACE
from ..module_utils._task.module import Module, run

OPTIONS = options_of(WORKSPACE)
MODULE = Module(OPTIONS, lambda task: ensure(task, WORKSPACE, Saver), **references_of(WORKSPACE))


def main() -> None:
    run(MODULE)


if __name__ == "__main__":
    main()
