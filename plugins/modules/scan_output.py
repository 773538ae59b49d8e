#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: scan_output
short_description: Download the output of a scan
description:
  - Writes the output of a scan to O(dest), as JSON, as the service's PDF, or as the raw output of the tool.
  - The output is read in each run, also in check mode. If the file already has this content, nothing changes.
  - If the scan does not exist, is still in progress, or has no output in this format, the task fails and names the
    reason. Wait for the scan first, because its output may be incomplete until then.
  - Cost - 2 GET. For JSON and PDF, the service allows 60 calls a minute.
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.writes
  - scanops.scanner.attributes.action_group
  - scanops.scanner.connection
  - scanops.scanner.files
options:
  id:
    description:
      - The id of the scan.
    type: int
    required: true
  format:
    description:
      - The format of the file.
      - V(json) is the parsed output, a dictionary with C(output_type) and C(output_data). The content of
        C(output_data) depends on the tool. Keys are sorted, and everything but printable ASCII is escaped. An answer
        without C(output_type) or C(output_data) is an error and is never written.
      - V(pdf) and V(raw) are the bytes that the service sends.
      - Danger - raw output can contain control characters that a terminal interprets.
    type: str
    choices: [json, pdf, raw]
    default: json
  dest:
    description:
      - The path of the file. Its directory must exist. A directory is refused as O(dest), and a symbolic link is
        replaced, not followed.
      - The file is replaced in one step, and is never incomplete.
      - A file that another user could have prepared is refused. See
        R(the guide,ansible_collections.scanops.scanner.docsite.guide_gate.trust).
    type: path
    required: true
notes:
  - The output contains untrusted text from the scanned systems. Treat it as data, never as a template or a command.
seealso:
  - module: scanops.scanner.report
"""

EXAMPLES = r"""
- name: Download the output of a scan as JSON
  scanops.scanner.scan_output:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    id: 40001
    dest: /srv/scans/40001.json

- name: Download the output as PDF, readable by one group
  scanops.scanner.scan_output:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    id: 40001
    format: pdf
    dest: /srv/scans/40001.pdf
    mode: "0640"
    group: security
"""

RETURN = r"""
dest:
  description: The path of the file.
  returned: success
  type: str
  sample: /srv/scans/40001.json
size:
  description: The size of the file in bytes. Null in check mode for a scan that would be started.
  returned: success
  type: int
  sample: 18273
checksum:
  description: The SHA-1 checksum of the file, as returned by C(ansible.builtin.stat). Null if RV(size) is null.
  returned: success
  type: str
  sample: 6e642bb8dd5c2e027bf21dd923337cbb4214f827
"""

from ..module_utils._scan.output import FORMATS, write_output
from ..module_utils._task.module import Module, run

OPTIONS = dict(
    id=dict(type="int", required=True),
    format=dict(type="str", choices=list(FORMATS), default="json"),
    dest=dict(type="path", required=True),
)
MODULE = Module(OPTIONS, write_output, add_file_common_args=True)


def main() -> None:
    run(MODULE)


if __name__ == "__main__":
    main()
