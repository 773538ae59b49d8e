#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: http_logger
short_description: Manage an HTTP logger
description:
  - Creates or deletes an HTTP logger. An HTTP logger has a URL and records the requests sent to it.
  - Cost - 1 GET, or 2 in a declared workspace; create + 1 POST and 1 GET, delete + 1 DELETE and 1 GET. See
    R(Cost in API calls,ansible_collections.scanops.scanner.docsite.guide_costs).
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
      - The label of the logger. It must match exactly. Labels are unique among all loggers of the account, not only in
        their workspace.
      - The API cannot rename a logger.
      - Exactly one of O(label) and O(id) is required.
    type: str
  id:
    description:
      - The id of the logger. With O(state=present), the logger must exist.
    type: int
  state:
    description:
      - V(present) makes sure that the logger exists, V(absent) that it does not.
      - Danger - deleting a logger deletes its recorded requests, and its URL cannot be restored. V(absent) has no
        further safeguard.
    type: str
    choices: [present, absent]
    default: present
notes:
  - If the label belongs to another workspace than the declared one, the task fails. With O(state=absent), the logger is
    kept and the task warns.
seealso:
  - module: scanops.scanner.http_logger_info
  - module: scanops.scanner.http_logger_data
  - module: scanops.scanner.http_logger_data_info
"""

EXAMPLES = r"""
- name: Create an HTTP logger
  scanops.scanner.http_logger:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    label: canary-shop
  register: canary

- name: Show the URL of the logger
  ansible.builtin.debug:
    msg: "{{ canary.http_logger.handler_url }}"
"""

RETURN = r"""
http_logger:
  description:
    - The logger after the task, with every field that the service returns. Null if it is absent.
    - In check mode, all fields but RV(http_logger.label) are null for a logger that would be created.
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
      description: The URL that records the requests sent to it.
      returned: success
      type: str
      sample: https://handler.example.com/7f3a
    active_days:
      description: The number of days until the logger becomes read-only.
      returned: success
      type: int
      sample: 90
    num_requests:
      description: The number of requests that it has recorded.
      returned: success
      type: int
      sample: 0
"""

from ..module_utils._estate.ensure import ensure, options_of, references_of
from ..module_utils._model.families import HTTP_LOGGER
from ..module_utils._task.module import Module, run

OPTIONS = options_of(HTTP_LOGGER)
MODULE = Module(OPTIONS, lambda task: ensure(task, HTTP_LOGGER), **references_of(HTTP_LOGGER))


def main() -> None:
    run(MODULE)


if __name__ == "__main__":
    main()
