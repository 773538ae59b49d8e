#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: finding_template_info
short_description: Read finding templates
description:
  - Returns the finding templates of the service. They show what the service can find, and how it describes each
    finding.
  - Cost - 1 GET for each 1,000 templates, and 1 GET for the end of the list. See
    R(Cost in API calls,ansible_collections.scanops.scanner.docsite.guide_costs).
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.reads
  - scanops.scanner.attributes.action_group
  - scanops.scanner.connection
options:
  name:
    description:
      - Return only templates whose whole name matches this glob pattern. Case does not matter. V(*) matches any text,
        V(?) one character, and V([abc]) one of these characters.
      - The module filters, so this saves no calls.
    type: str
  vuln_id_type:
    description:
      - Return only templates of this kind, such as V(NETSCAN) or V(WEBSCAN). The service defines the kinds, and the
        value is sent unchanged.
      - The service filters, so this can save calls.
    type: str
  has_ptt_exploit:
    description:
      - With V(true), return only templates for which the service has an exploit. With V(false), return only the others.
      - The service filters, so this can save calls.
    type: bool
notes:
  - The specification describes the list as public. The key is sent anyway.
  - Templates have no id, so they cannot be read one by one.
  - If the service refuses pages of 1,000, the module tries smaller pages, down to 10.
"""

EXAMPLES = r"""
- name: Read the network templates that have an exploit
  scanops.scanner.finding_template_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    vuln_id_type: NETSCAN
    has_ptt_exploit: true
  register: exploitable

- name: Show the names
  ansible.builtin.debug:
    msg: "{{ exploitable.finding_templates | map(attribute='name') | sort }}"
"""

RETURN = r"""
finding_templates:
  description: The finding templates in the service's order, with every field that the service returns.
  returned: success
  type: list
  elements: dict
  sample:
    - name: Outdated web server
      software_type: web server
      vendor: Example
      product: Example Server
      date: "2024-01-31"
  contains:
    name:
      description: The name of the template.
      returned: success
      type: str
      sample: Outdated web server
"""

from typing import Any

from ..module_utils._evidence.findings import name_pattern
from ..module_utils._model.families import FINDING_TEMPLATE
from ..module_utils._task.lookup import not_empty
from ..module_utils._task.module import Module, run
from ..module_utils._task.task import Task

OPTIONS = dict(
    name=dict(type="str"),
    vuln_id_type=dict(type="str"),
    has_ptt_exploit=dict(type="bool"),
)


def read(task: Task) -> dict[str, Any]:
    name, kind, exploit = (task.params[option] for option in OPTIONS)
    for option, value in (("name", name), ("vuln_id_type", kind)):
        if value is not None:
            not_empty(option, value)
    query = {} if kind is None else {"vuln_id_type": kind}
    if exploit is not None:
        # requests would write True or False
        query["has_ptt_exploit"] = "true" if exploit else "false"
    fits = name_pattern("*" if name is None else name)
    return {"finding_templates": [row for row in task.client.all(FINDING_TEMPLATE, query) if fits(row["name"])]}


MODULE = Module(OPTIONS, read)


def main() -> None:
    run(MODULE)


if __name__ == "__main__":
    main()
