#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: http_logger_data
short_description: Clear the recorded requests of an HTTP logger
description:
  - Deletes the recorded requests of one HTTP logger. The logger and its URL are kept.
  - If the logger has no recorded requests, nothing changes. If it does not exist, nothing changes and the task warns.
  - Cost - 1 GET by O(id), 2 GET by O(label); clear + 1 DELETE and 1 GET.
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.writes
  - scanops.scanner.attributes.action_group
  - scanops.scanner.connection
options:
  label:
    description:
      - The label of the logger.
      - Exactly one of O(label) and O(id) is required.
    type: str
  id:
    description:
      - The id of the logger.
    type: int
  state:
    description:
      - V(absent) makes sure that no recorded requests exist. It is the only state.
      - Danger - recorded requests cannot be restored. Requests that arrive while the task runs are deleted, too.
    type: str
    choices: [absent]
    required: true
seealso:
  - module: scanops.scanner.http_logger_data_info
"""

EXAMPLES = r"""
- name: Clear a logger before a test
  scanops.scanner.http_logger_data:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    label: canary-shop
    state: absent
"""

RETURN = r"""
cleared:
  description: The number of recorded requests that were deleted, or would be deleted in check mode.
  returned: success
  type: int
  sample: 3
"""

from ..module_utils._estate.logger_data import clear
from ..module_utils._task.module import Module, run

OPTIONS = dict(
    label=dict(type="str"),
    id=dict(type="int"),
    state=dict(type="str", choices=["absent"], required=True),
)
MODULE = Module(OPTIONS, clear, required_one_of=[("label", "id")], mutually_exclusive=[("label", "id")])


def main() -> None:
    run(MODULE)


if __name__ == "__main__":
    main()
