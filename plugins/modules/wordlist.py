#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: wordlist
short_description: Delete a wordlist of the security-scanning service
description:
  - Makes sure that a custom wordlist is not there. The service has no call to upload one; that is done in the web
    application.
  - Predefined lists are refused, and no delete is sent for them.
  - Cost - 1 GET where nothing changes; deleting costs 1 DELETE more.
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
      - The name of the wordlist. Two wordlists of this name fail the task, and their ids are listed.
      - Exactly one of O(name) and O(id) is required.
    type: str
  id:
    description:
      - The id of the wordlist.
    type: int
  state:
    description:
      - V(absent), the only state, makes sure that the wordlist is not there.
      - Danger - the words cannot be brought back; M(scanops.scanner.wordlist_info) reads them.
    type: str
    choices: [absent]
    required: true
seealso:
  - module: scanops.scanner.wordlist_info
"""

EXAMPLES = r"""
- name: Delete a wordlist that is no longer used
  scanops.scanner.wordlist:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    name: Old subdomains
    state: absent
"""

RETURN = r"""
wordlist:
  description: Always null, as the wordlist is absent.
  returned: success
  type: dict
  sample: null
"""

from ansible_collections.scanops.scanner.plugins.module_utils._ensure import ensure
from ansible_collections.scanops.scanner.plugins.module_utils._module import run
from ansible_collections.scanops.scanner.plugins.module_utils._resources import WORDLIST

OPTIONS = dict(
    name=dict(type="str"),
    id=dict(type="int"),
    state=dict(type="str", choices=["absent"], required=True),
)


def main():
    run(
        OPTIONS,
        lambda task: ensure(task, WORDLIST),
        required_one_of=[("name", "id")],
        mutually_exclusive=[("name", "id")],
    )


if __name__ == "__main__":
    main()
