#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: target
short_description: Declare a target of the security-scanning service
description:
  - Creates or deletes a target, a host name, an IP address or a URL that may be scanned.
  - One task declares one target. A loop costs a process and the calls below for each of its items.
  - Cost - the pages of the workspace's target list up to the hit, 1 GET for each 1,000 targets, and 1 GET more when the
    workspace is given by name. A new target costs 1 POST and 1 GET more, a deleted one 1 DELETE. In check mode and with
    O(state=absent) a target that is not found costs 1 GET more, which finds the end of the list.
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.writes
  - scanops.scanner.attributes.action_group_scoped
  - scanops.scanner.connection
  - scanops.scanner.workspace_reference
  - scanops.scanner.scope
options:
  name:
    description:
      - The target itself, a host name, an IP address or a URL. It is sent as it is declared.
      - A new target whose name is none of them, such as V(shop.example.com/admin), is refused, in check mode too.
      - It is compared letter by letter first, then by what it means, so that V(WWW.Example.com.) is V(www.example.com)
        and V(https://example.com:443/) is V(https://example.com).
      - Exactly one of O(name) and O(id) is required.
    type: str
  id:
    description:
      - The id of the target. With O(state=present) the target must be there.
    type: int
  description:
    description:
      - The description, written when the target is made. Left out, the live text stays.
      - The service has no call to change it later, see O(on_drift).
    type: str
  on_drift:
    description:
      - What to do when the live description is another than the declared one.
      - V(warn) leaves it, warns, and returns the difference in RV(drift). V(ignore) does the same without the warning.
        V(fail) fails.
      - V(recreate) deletes the target and makes it again, at 1 DELETE, 1 POST and 1 GET. Danger - deleting a target
        deletes its scans and their findings. It needs O(force=true).
    type: str
    choices: [warn, fail, ignore, recreate]
    default: warn
  state:
    description:
      - V(present) makes sure that the target is there, V(absent) that it is not.
      - Danger - deleting a target deletes its scans and their findings, and V(absent) does not need O(force).
      - A target that is deleted under another spelling than O(name) is named in a warning.
    type: str
    choices: [present, absent]
    default: present
  force:
    description:
      - Accept that O(on_drift=recreate) deletes the target's scans.
    type: bool
    default: false
notes:
  - Without O(workspace) and O(workspace_id) the service uses its current workspace, which people change in the web
    application; the task then warns.
seealso:
  - module: scanops.scanner.target_info
  - plugin: scanops.scanner.targets
    plugin_type: inventory
"""

EXAMPLES = r"""
- name: Make sure that a target is there
  scanops.scanner.target:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    name: https://shop.example.com
    description: Production

- name: Retire a target
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
    - The target as it is after the task, with every field that the service gives; null when it is absent.
    - In check mode RV(target.id) and RV(target.type) are null for a target that would be made.
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
      description: Its name as the service has it.
      returned: success
      type: str
      sample: https://shop.example.com
    type:
      description: Its type, V(hostname), V(ip_address) or V(url).
      returned: success
      type: str
      sample: url
    description:
      description: Its description, empty when there is none.
      returned: success
      type: str
      sample: Production
    workspace_id:
      description: The id of its workspace.
      returned: success
      type: int
      sample: 12
drift:
  description: What differs from the declaration and cannot be changed by the service, by field; empty when nothing
    does.
  returned: success
  type: dict
  sample:
    description:
      declared: Production
      live: Staging
lost:
  description:
    - The target that O(on_drift=recreate) deleted, null otherwise. Its scans went with it.
  returned: success
  type: dict
  sample: null
"""

from ansible_collections.scanops.scanner.plugins.module_utils._ensure import ensure
from ansible_collections.scanops.scanner.plugins.module_utils._module import run
from ansible_collections.scanops.scanner.plugins.module_utils._names import normal_form
from ansible_collections.scanops.scanner.plugins.module_utils._resources import TARGET
from ansible_collections.scanops.scanner.plugins.module_utils._scope import SCOPE_OPTION
from ansible_collections.scanops.scanner.plugins.module_utils._scope_file import scope_in_force

OPTIONS = dict(
    name=dict(type="str"),
    id=dict(type="int"),
    workspace=dict(type="str"),
    workspace_id=dict(type="int"),
    description=dict(type="str"),
    on_drift=dict(type="str", choices=["warn", "fail", "ignore", "recreate"], default="warn"),
    state=dict(type="str", choices=["present", "absent"], default="present"),
    force=dict(type="bool", default=False),
    scope=SCOPE_OPTION,
)


def main():
    run(
        OPTIONS,
        lambda task: ensure(task, TARGET, normal_form),
        scope_in_force,
        required_one_of=[("name", "id")],
        mutually_exclusive=[("name", "id"), ("workspace", "workspace_id")],
    )


if __name__ == "__main__":
    main()
