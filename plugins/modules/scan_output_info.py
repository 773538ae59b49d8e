#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: scan_output_info
short_description: Read the output of a scan
description:
  - Returns what a scan put out, parsed where its tool has parsed output, and else as raw text.
  - A scan that is not there, or that has no output, fails the task. While it is in progress the service may refuse its
    output, which fails the task as well, or give a part of it, of which the task warns.
  - Cost - 2 GET, and 1 GET more for a tool that has raw output only. One of them counts for the service's own limit
    of 60 outputs a minute; a task waits for it, for O(rate_limit_wait) seconds at most.
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.reads
  - scanops.scanner.attributes.action_group
  - scanops.scanner.connection
options:
  id:
    description:
      - The id of the scan.
    type: int
    required: true
notes:
  - What is in an output was sent by strangers, through the target that was scanned. Treat it as data, never as a
    template or a command.
seealso:
  - module: scanops.scanner.scan_info
  - module: scanops.scanner.finding_info
  - module: scanops.scanner.scan_output
"""

EXAMPLES = r"""
- name: Read which ports a scan found
  scanops.scanner.scan_output_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    id: 1202
  register: scanned

- name: Show the open ones
  ansible.builtin.debug:
    msg: "{{ scanned.output.output_data.ports | selectattr('state', '==', 'open') | map(attribute='number') }}"
  when: scanned.output is not none and scanned.output.output_type == 'port_scanner'
"""

RETURN = r"""
output:
  description:
    - The parsed output as the service gives it; null for a tool that has raw output only.
    - It always has C(output_type), a text, and C(output_data), whose form depends on it. An answer without them fails
      the task, so that it is not mistaken for an output in which nothing was found.
  returned: success
  type: dict
  sample:
    output_type: port_scanner
    output_data:
      ip_address: 192.0.2.10
      hostnames: [shop.example.com]
      ports:
        - {number: 443, state: open}
text:
  description: The raw output as text, for a tool that has nothing else; null where RV(output) is there.
  returned: success
  type: str
  sample: "Domain name: example.com"
"""

from ansible_collections.scanops.scanner.plugins.module_utils._module import run
from ansible_collections.scanops.scanner.plugins.module_utils._scan_reads import read_output

OPTIONS = dict(
    id=dict(type="int", required=True),
)


def main():
    run(OPTIONS, read_output)


if __name__ == "__main__":
    main()
