#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: target
short_description: Manage a target
description:
  - Creates or deletes a target. A target is a host name, an IP address or a URL that can be scanned.
  - For more than a few targets use M(scanops.scanner.targets), which reads the list once for all of them.
  - Cost - 1 GET for each 1,000 targets up to the declared one; create + 1 POST and 1 GET, delete + 1 DELETE and 1 GET.
    See
    R(Cost in API calls,ansible_collections.scanops.scanner.docsite.guide_costs).
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.writes
  - scanops.scanner.attributes.action_group_scoped
  - scanops.scanner.connection
  - scanops.scanner.drift
  - scanops.scanner.workspace_reference
  - scanops.scanner.scope.short
options:
  name:
    description:
      - The host name, IP address or URL. It is sent as declared.
      - Names are compared exactly first, then in their normalised form. V(WWW.Example.com.) equals V(www.example.com),
        and V(https://example.com:443/) equals V(https://example.com).
      - A new target with any other kind of name, such as V(shop.example.com/admin), is refused, also in check mode.
      - Exactly one of O(name) and O(id) is required.
    type: str
  id:
    description:
      - The id of the target. With O(state=present), the target must exist.
    type: int
  description:
    description:
      - The description of a new target. If not set, the live description is kept.
      - The API cannot update the description of an existing target. See O(on_drift).
    type: str
  state:
    description:
      - V(present) makes sure that the target exists, V(absent) that it does not.
      - If the deleted target has another spelling than O(name), a warning names it.
      - Danger - deleting a target deletes its scans and their findings. V(absent) does not require O(force).
    type: str
    choices: [present, absent]
    default: present
notes:
  - Without O(workspace) and O(workspace_id), the service uses its current workspace, which people can change in the web
    application. The task then warns.
seealso:
  - module: scanops.scanner.target_info
  - plugin: scanops.scanner.targets
    plugin_type: inventory
"""

EXAMPLES = r"""
- name: Create a target
  scanops.scanner.target:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    name: https://shop.example.com
    description: Production

- name: Delete a target
  scanops.scanner.target:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    name: old.example.com
    state: absent
"""

RETURN = r"""
target:
  description:
    - The target after the task, with every field that the service returns. Null if it is absent.
    - In check mode, RV(target.id) and RV(target.type) are null for a target that would be created.
  returned: success
  type: dict
  sample:
    id: 4711
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
drift:
  description: The fields that differ from the declaration and that the API cannot update. Empty if nothing differs.
  returned: success
  type: dict
  sample:
    description:
      declared: Production
      live: Staging
lost:
  description:
    - The target that O(on_drift=recreate) deleted, together with its scans. Null otherwise.
  returned: success
  type: dict
  sample: null
"""

from ..module_utils._estate.ensure import ensure, options_of, references_of
from ..module_utils._model.families import TARGET
from ..module_utils._scope.file import scope_in_force
from ..module_utils._task.module import Module, run

OPTIONS = options_of(TARGET)
MODULE = Module(OPTIONS, lambda task: ensure(task, TARGET), scope_in_force, **references_of(TARGET))


def main() -> None:
    run(MODULE)


if __name__ == "__main__":
    main()
