#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: wordlist
short_description: Delete a wordlist
description:
  - Deletes a custom wordlist. The API cannot create wordlists. They are uploaded in the web application.
  - Predefined wordlists are refused, and never deleted.
  - Cost - 1 GET; delete + 1 DELETE and 1 GET.
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
      - The name of the wordlist. If two wordlists have this name, the task fails and lists their ids.
      - Exactly one of O(name) and O(id) is required.
    type: str
  id:
    description:
      - The id of the wordlist.
    type: int
  state:
    description:
      - V(absent) makes sure that the wordlist does not exist. It is the only state.
      - Danger - a deleted wordlist cannot be restored. To keep its words, read them with
        M(scanops.scanner.wordlist_info) first.
    type: str
    choices: [absent]
    required: true
seealso:
  - module: scanops.scanner.wordlist_info
"""

EXAMPLES = r"""
- name: Delete an unused wordlist
  scanops.scanner.wordlist:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    name: Old subdomains
    state: absent
"""

RETURN = r"""
wordlist:
  description: Always null, because the wordlist is absent.
  returned: success
  type: dict
  sample: null
"""

from ..module_utils._estate.ensure import ensure, options_of, references_of
from ..module_utils._model.families import WORDLIST
from ..module_utils._task.module import Module, run

OPTIONS = options_of(WORDLIST)
MODULE = Module(OPTIONS, lambda task: ensure(task, WORDLIST), **references_of(WORDLIST))


def main() -> None:
    run(MODULE)


if __name__ == "__main__":
    main()
