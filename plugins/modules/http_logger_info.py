#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: http_logger_info
short_description: Read HTTP loggers
description:
  - Returns all HTTP loggers, those of a workspace, or the one with a label or id.
  - Cost - 1 GET; with O(workspace) + 1 GET, with O(id) in a workspace + 1 GET, for loggers in a workspace + 2 GET.
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
  label:
    description:
      - Return only the logger with this label. An unknown label returns an empty list.
    type: str
  id:
    description:
      - Return only the logger with this id. An unknown id returns an empty list.
    type: int
seealso:
  - module: scanops.scanner.http_logger
  - module: scanops.scanner.http_logger_data_info
"""

EXAMPLES = r"""
- name: Read the loggers of a workspace
  scanops.scanner.http_logger_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
  register: shop

- name: Show the loggers that recorded requests
  ansible.builtin.debug:
    msg: "{{ shop.http_loggers | selectattr('num_requests', 'gt', 0) | map(attribute='label') }}"
"""

RETURN = r"""
http_loggers:
  description: The loggers in the service's order, with every field that the service returns.
  returned: success
  type: list
  elements: dict
  sample:
    - id: 7
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

from ..module_utils._model.families import HTTP_LOGGER
from ..module_utils._task.module import Module, run
from ..module_utils._task.references import information

OPTIONS = dict(
    label=dict(type="str"),
    id=dict(type="int"),
    workspace=dict(type="str"),
    workspace_id=dict(type="int"),
)
MODULE = Module(
    OPTIONS,
    lambda task: {"http_loggers": information(task, HTTP_LOGGER)},
    mutually_exclusive=[("label", "id"), ("workspace", "workspace_id")],
)


def main() -> None:
    run(MODULE)


if __name__ == "__main__":
    main()
