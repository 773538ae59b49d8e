#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: scan_info
short_description: Read scans
description:
  - Returns the scans of a workspace or a target, optionally filtered by tool, status and time, or one scan by id.
  - If the workspace or target does not exist, the task fails, so that a typo does not look like "nothing was scanned".
    In check mode, a missing name only causes a warning and an empty list, because an earlier task may create it.
  - Cost - 1 GET for each 1,000 scans, and 1 GET for the end of the list; by O(id) 1 GET. See
    R(Cost in API calls,ansible_collections.scanops.scanner.docsite.guide_costs).
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
      - Return only the scan with this id. An unknown id returns an empty list.
      - Mutually exclusive with O(target), O(target_id), O(tool), O(status) and O(since).
    type: int
  target:
    description:
      - Return only scans of the target with this name. It is compared as by M(scanops.scanner.target).
      - Mutually exclusive with O(target_id).
    type: str
  target_id:
    description:
      - Return only scans of the target with this id.
    type: int
  tool:
    description:
      - Return only scans with this tool. Give its id or its name, such as V(170) or V(Website Scanner), as in
        O(scanops.scanner.scan#module:tool).
      - An unknown name fails the task. The message suggests the closest match.
    type: str
  status:
    description:
      - Return only scans with one of these statuses. Case does not matter. Known statuses are V(waiting), V(running),
        V(finished), V(failed to start), V(stopped), V(timed out), V(aborted), V(VPN connection error), V(auth failed)
        and V(connection error). The task warns about any other status, because it may match nothing.
      - With exactly one known status, the service filters, which can save calls.
      - Scans whose records have no status are always returned, because they may have any.
    type: list
    elements: str
  since:
    description:
      - Return only scans that ended at or after this time, and scans in progress. Give a duration before now, such as
        V(90m) or V(7d), or an ISO 8601 time, such as V(2026-01-31) or V(2026-01-31T12:00:00+01:00). A time without an
        offset is UTC.
      - Times are compared by the service's clock. The module filters, so this saves no calls.
      - A scan whose record does not say when it ended is returned, with a warning.
    type: str
notes:
  - Times are returned as the service sends them. They usually have no time zone, and come from the service's clock, not
    from the clock of this host. Compare them with each other, or take the C(clock_skew) of
    M(scanops.scanner.service_info) into account.
  - The service returns C(tool_params) only by O(id). Of an authentication in it, only the type, the login page and the
    user are returned.
  - Without O(workspace), O(workspace_id), O(target_id) and O(id), the service may use its current workspace, which
    people can change in the web application. The task then warns.
seealso:
  - module: scanops.scanner.scan
  - module: scanops.scanner.scan_output_info
  - module: scanops.scanner.finding_info
"""

EXAMPLES = r"""
- name: Read the finished scans of a target with one tool
  scanops.scanner.scan_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    target: https://shop.example.com
    tool: Website Scanner
    status: finished
  register: shop

- name: Show when the latest scan ended
  ansible.builtin.debug:
    msg: "{{ (shop.scans | sort(attribute='id') | last).end_time }}"
  when: shop.scans

- name: Read the scans that ended in the last week, and those in progress
  scanops.scanner.scan_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    since: 7d

- name: Read the scans that are in progress
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
  description: The scans in the service's order, with every field that the service returns.
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
      description: The id of its workspace. Null if the service does not return it.
      returned: success
      type: int
      sample: 12
    status_name:
      description: Its status, as the service names it.
      returned: success
      type: str
      sample: finished
    status_message:
      description: What the service says about the status.
      returned: success
      type: str
      sample: ""
    progress:
      description: Its progress in percent.
      returned: success
      type: int
      sample: 100
    result_summary:
      description: The number of findings by severity. Null while the scan is in progress, and for some tools.
      returned: success
      type: dict
      sample: {text: "", critical: 0, high: 1, medium: 2, low: 0, info: 7}
    start_time:
      description: When it started to run, by the service's clock, without a time zone. Null before that.
      returned: success
      type: str
      sample: "2026-01-31 12:00:00"
    end_time:
      description: When it ended, by the service's clock, without a time zone. Null before that.
      returned: success
      type: str
      sample: "2026-01-31 12:20:00"
    duration:
      description: How long it ran, in seconds.
      returned: success
      type: int
      sample: 1200
    num_tests:
      description: The number of its tests.
      returned: success
      type: int
      sample: 20
    num_finished_tests:
      description: The number of tests that are done.
      returned: success
      type: int
      sample: 20
"""

from ..module_utils._scan.info import read
from ..module_utils._task.module import Module, run

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
ALONE = [(option, "id") for option in ("target", "target_id", "tool", "status", "since")]
MODULE = Module(OPTIONS, read, mutually_exclusive=[*ALONE, ("target", "target_id"), ("workspace", "workspace_id")])


def main() -> None:
    run(MODULE)


if __name__ == "__main__":
    main()
