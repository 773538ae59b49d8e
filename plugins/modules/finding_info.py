#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: finding_info
short_description: Read findings
description:
  - Returns the findings of a workspace, a target or a scan, or one finding by id. Each finding has the name of its
    severity beside the service's number, and a summary counts the findings of each severity.
  - The service filters by workspace, target and scan only. The module applies the other filters while the list arrives,
    so a long list needs little memory, but these filters save no calls.
  - If findings are missing, the task fails unless O(allow_mismatch=true). The module compares the list with the length
    that the service reports, and with the number of findings that each scan has counted. RV(complete) tells whether the
    list is known to be complete.
  - If the workspace, target or scan does not exist, the task fails, so that a typo does not look like a clean result.
    In check mode, a missing name only causes a warning and an empty list, because an earlier task may create it.
  - Begin with O(workspace), O(target) or O(scan_id), then O(min_severity) and O(dest).
    C(ansible-doc -s scanops.scanner.finding_info) shows all options as a task.
  - Cost - 1 GET for all findings, and at least 4 GET for the scans that counted them and the names of the targets; by
    O(scan_id) 3 GET. See
    R(Cost in API calls,ansible_collections.scanops.scanner.docsite.guide_costs).
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
attributes:
  check_mode:
    details:
      - Always sends only GET calls. With O(dest), no file is written.
  idempotent:
    details:
      - The module changes nothing but the file O(dest).
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.reads
  - scanops.scanner.attributes.action_group
  - scanops.scanner.connection
  - scanops.scanner.workspace_reference
  - scanops.scanner.files
options:
  id:
    description:
      - Return only the finding with this id. An unknown id returns an empty list.
      - Mutually exclusive with O(name), O(since), and every option that selects a workspace, target or scan.
    type: int
  target:
    description:
      - Return only findings of the target with this name. It is compared as by M(scanops.scanner.target).
      - At most one of O(target), O(target_id) and O(scan_id) is allowed.
    type: str
  target_id:
    description:
      - Return only findings of the target with this id.
    type: int
  scan_id:
    description:
      - Return only findings of the scan with this id. If the scan is not finished, the task warns, because more
        findings may follow.
    type: int
  group_duplicates:
    description:
      - Return only the latest of several equal findings. The service decides which findings are equal.
      - See the notes for what this means for RV(complete).
    type: bool
    default: false
  min_severity:
    description:
      - Return only findings of this severity or higher.
      - Findings of severity V(unknown) are always returned, because they may be serious.
    type: str
    choices: [info, low, medium, high, critical]
  status:
    description:
      - Return only findings with one of these statuses, such as V(open). Case does not matter. The service defines the
        statuses.
      - Findings without a status are always returned, because they may have any.
    type: list
    elements: str
  cve:
    description:
      - Return only findings with one of these CVE ids, such as V(CVE-2021-44228). Case does not matter.
      - A value that is not a CVE id is refused, because a typo would match nothing.
    type: list
    elements: str
  name:
    description:
      - Return only findings whose whole name matches this glob pattern, such as V(*sql injection*). Case does not
        matter. V(*) matches any text, V(?) one character, and V([abc]) one of these characters.
      - Findings without a name match only the pattern V(*).
    type: str
  since:
    description:
      - Return only findings of scans that have ended since this time. Findings have no time of their own.
      - Give a duration before now, such as V(90m), V(7d) or a number of seconds, or an ISO 8601 time, such as
        V(2026-01-31) or V(2026-01-31T12:00:00+01:00). A time without an offset is UTC. A time in the future is refused.
      - Findings whose scan is unknown or has not ended are also returned, because they may be the newest.
    type: str
  allow_mismatch:
    description:
      - Return the findings that could be read, even if others are known to be missing. The task then warns, and
        RV(complete) is V(false).
      - By default, the task fails, because the missing findings may be the worst, and an empty list would look clean.
      - Findings that somebody has deleted, or whose severity somebody has changed, also count as missing.
    type: bool
    default: false
  limit:
    description:
      - The maximum number of findings in the result. RV(total) and RV(summary) count all findings, and O(dest) receives
        all. The task warns if findings are omitted and O(dest) is not set.
      - Long results slow Ansible down.
    type: int
    default: 1000
  dest:
    description:
      - Write all findings that pass the filters to this file, including those beyond O(limit). The file is on the host
        on which the module runs. Its directory must exist.
      - The format is JSON lines - one object in ASCII for each line, with the fields of RV(findings).
      - The file is replaced in one step, and is never incomplete. It is written only if its content differs, which
        counts as a change. In check mode, the change is predicted.
      - A file that another user could have prepared is refused. See
        R(the guide,ansible_collections.scanops.scanner.docsite.guide_gate.trust).
      - Danger - findings describe weaknesses. Set O(mode), otherwise the umask decides who can read a new file.
    type: path
notes:
  - Screenshots cannot be read. The specification of the service names the operation but no path for it. The field
    C(screenshots) of a finding counts them. The web application shows them.
  - Findings contain untrusted text that was sent through the scanned target. Treat it as data, never as a template or a
    command.
  - Without O(workspace), O(workspace_id), O(target_id), O(scan_id) and O(id), the service may use its current
    workspace, which people can change in the web application. The task then warns.
  - With O(group_duplicates), the number of findings cannot be compared with the numbers of the scans, and RV(complete)
    is V(false). The task then fails if a severity is missing that the newest scan of a target with a tool has counted.
seealso:
  - module: scanops.scanner.scan
  - module: scanops.scanner.target_info
  - ref: ansible_collections.scanops.scanner.docsite.guide_gate.findings
    description: Reading findings in a pipeline.
"""

EXAMPLES = r"""
- name: Read open findings of high or critical severity
  scanops.scanner.finding_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    min_severity: high
    status: open
  register: serious

- name: Fail if any finding remains
  ansible.builtin.assert:
    that: serious.total == 0
    fail_msg: "{{ serious.summary }}"

- name: Write all findings of a scan to a file
  scanops.scanner.finding_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    scan_id: 1202
    limit: 0
    dest: /srv/reports/findings.jsonl
    mode: "0600"

- name: Read the findings of the last day's scans
  scanops.scanner.finding_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    since: 1d

- name: Search a target for known vulnerabilities
  scanops.scanner.finding_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    target: https://shop.example.com
    cve:
      - CVE-2021-44228
      - CVE-2021-45046
"""

RETURN = r"""
findings:
  description:
    - The findings in the service's order, at most O(limit) of them, with every field that the service returns.
  returned: success
  type: list
  elements: dict
  sample:
    - id: 70001
      name: Remote code execution
      risk_level: 4
      severity: critical
      status: open
      cve: [CVE-2021-44228]
      target_id: 4711
      target_name: shop.example.com
      task_id: 1202
      screenshots: 1
  contains:
    id:
      description: The id of the finding.
      returned: success
      type: int
      sample: 70001
    name:
      description: Its name. Empty if it has none.
      returned: success
      type: str
      sample: Remote code execution
    risk_level:
      description: The severity as the service returns it, 0 to 4. Any other value is returned unchanged.
      returned: success
      type: raw
      sample: 4
    severity:
      description:
        - The name of RV(findings[].risk_level), one of V(info), V(low), V(medium), V(high) and V(critical), or
          V(unknown) for anything but 0 to 4.
      returned: success
      type: str
      sample: critical
    status:
      description: Its status, as the service names it. Null if it has none.
      returned: success
      type: str
      sample: open
    cve:
      description: Its CVE ids. C(N/A) and null of the service become an empty list.
      returned: success
      type: list
      elements: str
      sample: [CVE-2021-44228]
    target_id:
      description: The id of the target.
      returned: success
      type: int
      sample: 4711
    target_name:
      description: The name of the target. Null if the target no longer exists.
      returned: success
      type: str
      sample: shop.example.com
    task_id:
      description: The id of the scan that found it.
      returned: success
      type: int
      sample: 1202
dest:
  description: The path of the file. Null without O(dest).
  returned: success
  type: str
  sample: /srv/reports/findings.jsonl
size:
  description: The size of the file in bytes. Null without O(dest).
  returned: success
  type: int
  sample: 83886080
checksum:
  description: The SHA-1 checksum of the file, as returned by C(ansible.builtin.stat). Null without O(dest).
  returned: success
  type: str
  sample: 6e642bb8dd5c2e027bf21dd923337cbb4214f827
total:
  description: The number of findings that pass the filters, including those beyond O(limit).
  returned: success
  type: int
  sample: 1
complete:
  description:
    - Whether the list of findings, before the filters, is known to be complete. It is V(true) if the newest scan of
      each target and tool concerned has finished all of its tests, all findings that the finished scans have counted
      were read, and the service does not report more. More findings than a scan has counted are no doubt, and the task
      warns.
    - Always V(true) with O(id).
  returned: success
  type: bool
  sample: true
doubts:
  description: The reasons why RV(complete) is V(false), at most 21. Empty if it is V(true).
  returned: success
  type: list
  elements: str
  sample: []
summary:
  description: The number of findings that pass the filters, for each severity.
  returned: success
  type: dict
  sample:
    critical: 1
    high: 0
    medium: 0
    low: 0
    info: 0
    unknown: 0
  contains:
    critical:
      description: The number of critical findings.
      returned: success
      type: int
      sample: 1
    high:
      description: The number of findings of high severity.
      returned: success
      type: int
      sample: 0
    medium:
      description: The number of findings of medium severity.
      returned: success
      type: int
      sample: 0
    low:
      description: The number of findings of low severity.
      returned: success
      type: int
      sample: 0
    info:
      description: The number of informational findings.
      returned: success
      type: int
      sample: 0
    unknown:
      description: The number of findings whose severity is missing or not specified by the service.
      returned: success
      type: int
      sample: 0
"""

from ..module_utils._evidence.finding_info import read
from ..module_utils._model.families import SEVERITIES
from ..module_utils._task.module import Module, run

OPTIONS = dict(
    id=dict(type="int"),
    workspace=dict(type="str"),
    workspace_id=dict(type="int"),
    target=dict(type="str"),
    target_id=dict(type="int"),
    scan_id=dict(type="int"),
    group_duplicates=dict(type="bool", default=False),
    min_severity=dict(type="str", choices=list(SEVERITIES)),
    status=dict(type="list", elements="str"),
    cve=dict(type="list", elements="str"),
    name=dict(type="str"),
    since=dict(type="str"),
    allow_mismatch=dict(type="bool", default=False),
    limit=dict(type="int", default=1000),
    dest=dict(type="path"),
)
# what an id leaves no room for
LISTING = ("name", "since", "workspace", "workspace_id", "target", "target_id", "scan_id")
ALONE = [(option, "id") for option in LISTING]
OTHERS = [("workspace", "workspace_id"), ("target", "target_id", "scan_id")]
MODULE = Module(OPTIONS, read, add_file_common_args=True, mutually_exclusive=[*ALONE, *OTHERS])


def main() -> None:
    run(MODULE)


if __name__ == "__main__":
    main()
