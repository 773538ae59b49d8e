#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: scan_output
short_description: Keep the output of a scan in a file
description:
  - Writes what a scan found to O(dest), as JSON, as the PDF of the service, or as the raw output of the tool.
  - Unchanged when the file has this content already. The output is read each time, also in check mode, and the file is
    written beside O(dest) first and put in its place in one step.
  - Fails while the scan is in progress, as its output could be only a part, where the tool has no output in this
    format, and where the scan is not there, and says which of them it is. Wait for the scan first.
  - Cost - 2 GET, the scan and its output. For JSON and PDF the service allows 60 calls a minute.
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.writes
  - scanops.scanner.attributes.action_group
  - scanops.scanner.connection
  - ansible.builtin.files
options:
  id:
    description:
      - The id of the scan.
    type: int
    required: true
  format:
    description:
      - V(json) is the parsed output, a dictionary with C(output_type) and C(output_data), with sorted keys, and with
        everything escaped that is not printable ASCII. An answer that does not name its C(output_type), or has no
        C(output_data), is an error and never becomes a file. What C(output_data) holds depends on the tool.
      - V(pdf) and V(raw) are the bytes that the service sends. Raw output may hold control characters that a terminal
        obeys.
    type: str
    choices: [json, pdf, raw]
    default: json
  dest:
    description:
      - The path of the file, in a folder that is there. A folder is refused; a link is replaced and not followed.
      - A file of another user is refused where every user can create files, as in C(/tmp), unless O(owner) is given.
    type: path
    required: true
notes:
  - What is in an output comes from the systems that were scanned. Treat it as data, never as a template or a command.
seealso:
  - module: scanops.scanner.report
"""

EXAMPLES = r"""
- name: Keep what a scan found as JSON
  scanops.scanner.scan_output:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    id: 40001
    dest: /srv/scans/40001.json

- name: Keep it as PDF, for one group to read
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
  description: The size of the file in bytes; null in check mode for a scan that is not yet started.
  returned: success
  type: int
  sample: 18273
checksum:
  description: The SHA-1 checksum of the file, as C(ansible.builtin.stat) gives it; null where RV(size) is.
  returned: success
  type: str
  sample: 6e642bb8dd5c2e027bf21dd923337cbb4214f827
"""

from ansible_collections.scanops.scanner.plugins.module_utils._module import run
from ansible_collections.scanops.scanner.plugins.module_utils._outputs import FORMATS, write_output

OPTIONS = dict(
    id=dict(type="int", required=True),
    format=dict(type="str", choices=list(FORMATS), default="json"),
    dest=dict(type="path", required=True),
)


def main():
    run(OPTIONS, write_output, add_file_common_args=True)


if __name__ == "__main__":
    main()
