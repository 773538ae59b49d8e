#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: http_logger_data
short_description: Clear the requests that an HTTP logger recorded
description:
  - Deletes the recorded requests of one HTTP logger; the logger and its address stay.
  - Unchanged when there are none. A logger that is not there is unchanged as well, with a warning.
  - Cost - 1 GET, and 1 more when the logger is given by O(label); clearing costs 1 DELETE more.
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
      - V(absent), the only state, makes sure that no recorded request is there.
      - Danger - recorded requests cannot be brought back; those that arrive while the task runs are deleted unseen.
    type: str
    choices: [absent]
    required: true
seealso:
  - module: scanops.scanner.http_logger_data_info
"""

EXAMPLES = r"""
- name: Start with an empty logger
  scanops.scanner.http_logger_data:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    label: canary-shop
    state: absent
"""

RETURN = r"""
cleared:
  description: How many recorded requests were there and are now deleted, or would be in check mode.
  returned: success
  type: int
  sample: 3
"""

from ansible_collections.scanops.scanner.plugins.module_utils._captures import clear
from ansible_collections.scanops.scanner.plugins.module_utils._module import run

OPTIONS = dict(
    label=dict(type="str"),
    id=dict(type="int"),
    state=dict(type="str", choices=["absent"], required=True),
)


def main():
    run(OPTIONS, clear, required_one_of=[("label", "id")], mutually_exclusive=[("label", "id")])


if __name__ == "__main__":
    main()
