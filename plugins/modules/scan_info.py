#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: scan_info
short_description: Read the scans of the security-scanning service
description:
  - Returns the scans of a workspace or a target, by tool and status, or the one with an id.
  - A workspace or target that is not there fails the task, so that a typo is not read as "nothing was scanned"; in
    check mode one that is given by name counts as made by an earlier task, with a warning and an empty list.
  - Cost - 1 GET for each 1,000 scans and 1 GET that finds the end of the list; by O(id) 1 GET. By O(target_id) 1 GET
    more, which tells that it is there and its workspace; by O(target) 1 GET more for each 1,000 targets up to the
    hit. 1 GET more when the workspace is given by name.
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
  id:
    description:
      - Only the scan with this id. An id that is not there gives an empty list.
      - Mutually exclusive with O(target), O(target_id), O(tool), O(status) and O(since).
    type: int
  target:
    description:
      - Only scans of the target of this name, compared as by M(scanops.scanner.target).
      - Mutually exclusive with O(target_id).
    type: str
  target_id:
    description:
      - Only scans of the target with this id.
    type: int
  tool:
    description:
      - Only scans with this tool, by its id or its name, as V(170) or V(Website Scanner), whatever the case. A name
        that no tool has is refused, with the nearest one.
    type: str
  status:
    description:
      - Only scans in one of these states, whatever the case. Known are V(waiting), V(running), V(finished),
        V(failed to start), V(stopped), V(timed out), V(aborted), V(VPN connection error), V(auth failed) and
        V(connection error); the task warns of any other, and looks for it all the same.
      - One known state is a filter of the service and can save calls.
    type: list
    elements: str
  since:
    description:
      - Only scans that ended at this time or later, and those in progress. Give a duration before now, as V(90m) or
        V(7d), or an ISO 8601 time, as V(2026-01-31) or V(2026-01-31T12:00:00+01:00). A time without an offset is UTC.
      - It is compared by the service's clock, and filtered here, so it saves no calls. A scan whose record does not
        tell when it ended is returned, with a warning.
    type: str
notes:
  - Times are returned as the service writes them. They usually name no zone, and come from the service's clock, not
    from that of this host. Compare them with each other, or with the C(clock_skew) of M(scanops.scanner.service_info)
    in mind.
  - Only by O(id) the service shows C(tool_params). Of an authentication in it only the type, the login page and the
    user are returned.
  - Without O(workspace), O(workspace_id), O(target_id) and O(id) the service may use its current workspace, which
    people change in the web application; the task then warns.
seealso:
  - module: scanops.scanner.scan
  - module: scanops.scanner.scan_output_info
  - module: scanops.scanner.finding_info
"""

EXAMPLES = r"""
- name: Read the scans of a target with one tool
  scanops.scanner.scan_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    target: https://shop.example.com
    tool: Website Scanner
    status: finished
  register: shop

- name: Show when the latest one ended
  ansible.builtin.debug:
    msg: "{{ (shop.scans | sort(attribute='id') | last).end_time }}"
  when: shop.scans

- name: Read what ended in the last week
  scanops.scanner.scan_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    since: 7d

- name: Read what is in progress in a workspace
  scanops.scanner.scan_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    status:
      - waiting
      - running
"""

RETURN = r"""
scans:
  description: The scans, in the service's order, with every field that the service gives.
  returned: success
  type: list
  elements: dict
  sample:
    - id: 1202
      tool_id: 170
      target_id: 4711
      workspace_id: 12
      status_name: finished
      status_message: ""
      progress: 100
      result_summary: {text: "", critical: 0, high: 1, medium: 2, low: 0, info: 7}
      start_time: "2026-01-31 12:00:00"
      end_time: "2026-01-31 12:20:00"
      duration: 1200
      num_tests: 20
      num_finished_tests: 20
  contains:
    id:
      description: The id of the scan.
      returned: success
      type: int
      sample: 1202
    tool_id:
      description: The id of the tool.
      returned: success
      type: int
      sample: 170
    target_id:
      description: The id of the target.
      returned: success
      type: int
      sample: 4711
    workspace_id:
      description: The id of its workspace; null where the service does not tell.
      returned: success
      type: int
      sample: 12
    status_name:
      description: Its state as the service spells it.
      returned: success
      type: str
      sample: finished
    status_message:
      description: What the service says about it.
      returned: success
      type: str
      sample: ""
    progress:
      description: How far it is, in percent.
      returned: success
      type: int
      sample: 100
    result_summary:
      description: How many findings there are of each severity, null while it is in progress and for some tools.
      returned: success
      type: dict
      sample: {text: "", critical: 0, high: 1, medium: 2, low: 0, info: 7}
    start_time:
      description: When it began by the service's clock, without a zone; null before.
      returned: success
      type: str
      sample: "2026-01-31 12:00:00"
    end_time:
      description: When it ended, in the same way; null before.
      returned: success
      type: str
      sample: "2026-01-31 12:20:00"
    duration:
      description: How long it ran, in seconds.
      returned: success
      type: int
      sample: 1200
    num_tests:
      description: How many tests it has.
      returned: success
      type: int
      sample: 20
    num_finished_tests:
      description: How many of them are done.
      returned: success
      type: int
      sample: 20
"""

from ansible_collections.scanops.scanner.plugins.module_utils._module import run
from ansible_collections.scanops.scanner.plugins.module_utils._scan_reads import read

OPTIONS = dict(
    id=dict(type="int"),
    workspace=dict(type="str"),
    workspace_id=dict(type="int"),
    target=dict(type="str"),
    target_id=dict(type="int"),
    tool=dict(type="str"),
    status=dict(type="list", elements="str"),
    since=dict(type="str"),
)


def main():
    alone = [(option, "id") for option in ("target", "target_id", "tool", "status", "since")]
    run(OPTIONS, read, mutually_exclusive=[*alone, ("target", "target_id"), ("workspace", "workspace_id")])


if __name__ == "__main__":
    main()
