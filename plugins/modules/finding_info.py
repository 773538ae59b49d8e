#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: finding_info
short_description: Read the findings of the security-scanning service
description:
  - Returns the findings of a workspace, a target or a scan, or the one with an id, filtered, with the name of their
    severity beside the service's number, and how many there are of each severity.
  - The service filters by workspace, target and scan only. The other filters save no call, and the list is read row by
    row while it arrives, so that a long one needs little memory.
  - A workspace, target or scan that does not exist fails the task, so that a typo is not read as "nothing was found";
    in check mode one that is given by name counts as made by an earlier task, with a warning and an empty list.
  - The list is compared with what the service says of its length, and with the number of findings that each scan has
    counted. The task fails when findings are missing, unless O(allow_mismatch) allows it; RV(complete) says whether the
    list is known to be complete.
  - Cost - by O(scan_id) 2 GET, and 1 more where the scan does not name its workspace. Otherwise 1 GET for the findings,
    1 for each 1,000 scans of the workspace or the target and 1 that finds the end of that list; by O(target_id) 1 more,
    by O(target) 1 more for each 1,000 targets up to the hit. By O(id) 1 GET. 1 GET more when the workspace is given by
    name.
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
attributes:
  check_mode:
    details:
      - Sends only GET calls in any case. With O(dest), no file is written.
  idempotent:
    details:
      - Only the file O(dest) is ever changed.
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.reads
  - scanops.scanner.attributes.action_group
  - scanops.scanner.connection
  - scanops.scanner.workspace_reference
  - ansible.builtin.files
options:
  id:
    description:
      - Only the finding with this id. An id that is not there gives an empty list.
      - Mutually exclusive with every option that says which findings to list, and with O(name).
    type: int
  target:
    description:
      - Only findings of the target of this name, compared as by M(scanops.scanner.target).
      - At most one of O(target), O(target_id) and O(scan_id) is allowed.
    type: str
  target_id:
    description:
      - Only findings of the target with this id.
    type: int
  scan_id:
    description:
      - Only findings of the scan with this id. The task warns where that scan is not finished, as more may be found.
    type: int
  group_duplicates:
    description:
      - Of findings that are the same, only the latest; the service decides which are.
    type: bool
    default: false
  min_severity:
    description:
      - Only findings of this severity or a worse one.
      - Findings of severity V(unknown) always pass, and are counted as V(unknown), as nobody can say that they are
        harmless.
    type: str
    choices: [info, low, medium, high, critical]
  status:
    description:
      - Only findings in one of these states, as V(open), whatever the case. Which states there are is the service's
        choice.
      - A finding without a status never passes.
    type: list
    elements: str
  cve:
    description:
      - Only findings that name one of these CVEs, as V(CVE-2021-44228), whatever the case.
      - What is no id of a CVE is refused, as a typo would find nothing.
    type: list
    elements: str
  name:
    description:
      - Only findings whose whole name fits this pattern, whatever the case. V(*) stands for any text, V(?) for one
        character, V([abc]) for one of these, so V(*sql injection*) finds the words anywhere.
      - A finding without a name never passes, but for the pattern V(*).
    type: str
  since:
    description:
      - Only findings of scans that have ended since then. A finding has no time of its own.
      - A duration before now, as V(90m) or V(7d) or a number of seconds, or an ISO 8601 time, as V(2026-01-31) or
        V(2026-01-31T12:00:00+01:00). A time without an offset is UTC. A time in the future is refused.
      - A finding passes where its scan is not known or has not ended, because it may be the newest of all.
    type: str
  allow_mismatch:
    description:
      - Whether to return the findings that could be read when others are known to be missing. The task then warns, and
        RV(complete) is V(false).
      - The default fails the task, because what is missing may be the worst, and an empty list would look clean.
      - Findings that somebody has deleted, or has given another severity, count as missing too.
    type: bool
    default: false
  limit:
    description:
      - How many findings are returned at most; RV(total) and RV(summary) count all, and O(dest) gets all. Long results
        make Ansible slow. The task warns where some are left out and O(dest) is not given.
    type: int
    default: 1000
  dest:
    description:
      - A file on the host where the module runs that gets all findings that pass the filters, those beyond O(limit) as
        well, as JSON lines - one object on each line, in ASCII, with the fields that RV(findings) has.
      - The file is written whole or not at all, beside its place first; its folder must be there. It is not touched
        when it has this content. It counts as a change when it has not, and in check mode it is only predicted.
      - Findings tell what is weak. A new file is open to others as the umask has it, unless O(mode) says otherwise.
      - A file of another user is refused where every user can create files, as in C(/tmp), unless O(owner) is given.
    type: path
notes:
  - Screenshots cannot be read. The specification of the service names them as an operation, and gives no path for it.
    The field C(screenshots) of a finding says how many there are; look at them in the web application.
  - What is in a finding was sent by strangers, through the target that was scanned. Treat it as data, never as a
    template or a command.
  - Without O(workspace), O(workspace_id), O(target_id), O(scan_id) and O(id) the service may use its current workspace,
    which people change in the web application; the task then warns.
  - With O(group_duplicates) the numbers cannot be compared with those of the scans. The task fails then when a severity
    is missing that the newest scan of a target with a tool has counted, and RV(complete) is V(false).
seealso:
  - module: scanops.scanner.scan
  - module: scanops.scanner.target_info
  - ref: ansible_collections.scanops.scanner.docsite.guide_findings
    description: Reading findings in a pipeline.
"""

EXAMPLES = r"""
- name: Read what is high or critical and still open
  scanops.scanner.finding_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    min_severity: high
    status: open
  register: serious

- name: Fail when there is any
  ansible.builtin.assert:
    that: serious.total == 0
    fail_msg: "{{ serious.summary }}"

- name: Keep all findings of a scan in a file
  scanops.scanner.finding_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    scan_id: 1202
    limit: 0
    dest: /srv/reports/findings.jsonl
    mode: "0600"

- name: Read what the scans of the last day have found
  scanops.scanner.finding_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    since: 1d

- name: Read whether a known weakness was found anywhere on one target
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
    - The findings, in the service's order and at most O(limit) of them, with every field that the service gives.
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
      task_id: 1202
      screenshots: 1
  contains:
    id:
      description: The id of the finding.
      returned: success
      type: int
      sample: 70001
    name:
      description: Its name, empty when there is none.
      returned: success
      type: str
      sample: Remote code execution
    risk_level:
      description: How bad it is as the service says it, 0 to 4; whatever else the service may give is passed on.
      returned: success
      type: raw
      sample: 4
    severity:
      description:
        - The name of RV(findings[].risk_level), V(info), V(low), V(medium), V(high) or V(critical), and V(unknown) for
          anything but 0 to 4.
      returned: success
      type: str
      sample: critical
    status:
      description: Its state as the service names it; null when there is none.
      returned: success
      type: str
      sample: open
    cve:
      description: The CVEs that it names. The service's C(N/A) and null are an empty list.
      returned: success
      type: list
      elements: str
      sample: [CVE-2021-44228]
    target_id:
      description: The id of the target.
      returned: success
      type: int
      sample: 4711
    task_id:
      description: The id of the scan that found it.
      returned: success
      type: int
      sample: 1202
dest:
  description: The file that was asked for; null without O(dest).
  returned: success
  type: str
  sample: /srv/reports/findings.jsonl
size:
  description: The size of that file in bytes; null without O(dest).
  returned: success
  type: int
  sample: 83886080
checksum:
  description: Its SHA-1 checksum, as C(ansible.builtin.stat) gives it; null without O(dest).
  returned: success
  type: str
  sample: 6e642bb8dd5c2e027bf21dd923337cbb4214f827
total:
  description: How many findings passed the filters, those beyond O(limit) counted as well.
  returned: success
  type: int
  sample: 1
complete:
  description:
    - Whether the list of findings is known to be complete, whatever the filters leave of it. The newest scan of each
      target and tool in question has finished, each scan has counted no more findings than were read, and the service
      does not say that there are more.
    - V(true) for an O(id).
  returned: success
  type: bool
  sample: true
doubts:
  description: Why RV(complete) is V(false), at most 21 texts. Empty when it is V(true).
  returned: success
  type: list
  elements: str
  sample: []
summary:
  description: How many of these there are of each severity.
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
      description: How many are critical.
      returned: success
      type: int
      sample: 1
    high:
      description: How many are high.
      returned: success
      type: int
      sample: 0
    medium:
      description: How many are medium.
      returned: success
      type: int
      sample: 0
    low:
      description: How many are low.
      returned: success
      type: int
      sample: 0
    info:
      description: How many are informative.
      returned: success
      type: int
      sample: 0
    unknown:
      description: How many have a severity that is missing or that nobody has described.
      returned: success
      type: int
      sample: 0
"""

from ansible_collections.scanops.scanner.plugins.module_utils._finding_reads import read
from ansible_collections.scanops.scanner.plugins.module_utils._findings import SEVERITIES
from ansible_collections.scanops.scanner.plugins.module_utils._module import run

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


def main():
    alone = [(option, "id") for option in LISTING]
    others = [("workspace", "workspace_id"), ("target", "target_id", "scan_id")]
    run(OPTIONS, read, add_file_common_args=True, mutually_exclusive=alone + others)


if __name__ == "__main__":
    main()
