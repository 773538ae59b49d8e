#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: http_logger
short_description: Declare an HTTP logger of the security-scanning service
description:
  - Creates or deletes an HTTP logger, an address that records the requests sent to it.
  - Cost - 1 GET where nothing changes; in a declared workspace 2, and 1 more when the workspace is given by name. To
    make a logger costs 1 GET, 1 POST and 1 GET, and 1 GET more by name of the workspace. A delete costs 1 DELETE more,
    and in a declared workspace 2 GET.
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
  label:
    description:
      - The label of the logger, compared letter by letter. It is unique among all loggers of the account, whatever the
        workspace; the service has no call to rename a logger.
      - Exactly one of O(label) and O(id) is required.
    type: str
  id:
    description:
      - The id of the logger. With O(state=present) the logger must be there.
    type: int
  state:
    description:
      - V(present) makes sure that the logger is there, V(absent) that it is not.
      - Danger - deleting a logger deletes the requests that it recorded, and its address never comes back. There is no
        other guard.
    type: str
    choices: [present, absent]
    default: present
notes:
  - A label that lives in another workspace than the declared one fails the task; with O(state=absent) it is left
    alone, with a warning.
seealso:
  - module: scanops.scanner.http_logger_info
  - module: scanops.scanner.http_logger_data
  - module: scanops.scanner.http_logger_data_info
"""

EXAMPLES = r"""
- name: Make sure that a logger is there
  scanops.scanner.http_logger:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    label: canary-shop
  register: canary

- name: Show the address to plant
  ansible.builtin.debug:
    msg: "{{ canary.http_logger.handler_url }}"
"""

RETURN = r"""
http_logger:
  description:
    - The logger as it is after the task, with every field that the service gives; null when it is absent.
    - In check mode all but RV(http_logger.label) is null for a logger that would be made.
  returned: success
  type: dict
  sample:
    id: 7
    label: canary-shop
    handler_url: https://handler.example.com/7f3a
    active_days: 90
    num_requests: 0
  contains:
    id:
      description: The id of the logger.
      returned: success
      type: int
      sample: 7
    label:
      description: Its label.
      returned: success
      type: str
      sample: canary-shop
    handler_url:
      description: The address that records the requests sent to it.
      returned: success
      type: str
      sample: https://handler.example.com/7f3a
    active_days:
      description: How many days are left before the logger only can be read.
      returned: success
      type: int
      sample: 90
    num_requests:
      description: How many requests it has recorded.
      returned: success
      type: int
      sample: 0
"""

from ansible_collections.scanops.scanner.plugins.module_utils._ensure import ensure
from ansible_collections.scanops.scanner.plugins.module_utils._module import run
from ansible_collections.scanops.scanner.plugins.module_utils._resources import HTTP_LOGGER

OPTIONS = dict(
    label=dict(type="str"),
    id=dict(type="int"),
    workspace=dict(type="str"),
    workspace_id=dict(type="int"),
    state=dict(type="str", choices=["present", "absent"], default="present"),
)


def main():
    run(
        OPTIONS,
        lambda task: ensure(task, HTTP_LOGGER),
        required_one_of=[("label", "id")],
        mutually_exclusive=[("label", "id"), ("workspace", "workspace_id")],
    )


if __name__ == "__main__":
    main()
