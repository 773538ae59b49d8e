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
  - Returns the parsed output of a scan, or its raw text if the tool has no parsed output.
  - If the scan does not exist or has no output, the task fails. While the scan is in progress, the service may refuse
    its output, which fails the task, or return incomplete output, which causes a warning.
  - Cost - 2 GET, or 3 GET for a tool that has only raw output.
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
  - The output contains untrusted text that was sent through the scanned target. Treat it as data, never as a template
    or a command.
  - The service allows 60 outputs a minute. The task waits for this limit, for at most O(rate_limit_wait) seconds.
seealso:
  - module: scanops.scanner.scan_info
  - module: scanops.scanner.finding_info
  - module: scanops.scanner.scan_output
"""

EXAMPLES = r"""
- name: Read the output of a port scan
  scanops.scanner.scan_output_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    id: 1202
  register: scanned

- name: Show the open ports
  ansible.builtin.debug:
    msg: "{{ scanned.output.output_data.ports | selectattr('state', '==', 'open') | map(attribute='number') }}"
  when: scanned.output is not none and scanned.output.output_type == 'port_scanner'
"""

RETURN = r"""
output:
  description:
    - The parsed output as the service returns it. Null for a tool that has only raw output.
    - It always has the string C(output_type), and C(output_data), whose format depends on the type. An answer without
      them fails the task, so that it does not look like output without findings.
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
  description: The raw output as text, for a tool that has no parsed output. Null otherwise.
  returned: success
  type: str
  sample: "Domain name: example.com"
"""

from ..module_utils._scan.output import read_output
from ..module_utils._task.module import Module, run

OPTIONS = dict(
    id=dict(type="int", required=True),
)
MODULE = Module(OPTIONS, read_output)


def main() -> None:
    run(MODULE)


if __name__ == "__main__":
    main()
