#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: scan
short_description: Run scans of the security-scanning service, wait for them, stop or delete them
description:
  - Makes sure that a recent enough scan of a target with a tool exists. A finished scan that is younger than O(max_age)
    is used, one that is in progress is joined, otherwise a scan is started. By default a scan is always started.
  - With O(wait) the task waits until the scan ends. Any outcome other than V(finished) fails the task, with the record
    of the scan in the result.
  - One task takes many targets. It starts all of their scans, then waits for them with one call per interval.
  - An action plugin waits on the controller and shows the progress on standard error.
  - Cost - 1 GET for each 1,000 targets of the workspace up to the last that is declared (1 GET by O(target_id)), and 1
    GET more when the workspace or the VPN profile is given by name; 1 GET for the scans of the target with this tool
    (with O(targets) 1 for each 1,000 of the workspace); 1 POST for each scan that is started. With O(max_age) the list
    of scans is read to its end, 1 GET more, and once more after a start; with O(max_age) and an option that describes
    the scan, such as O(tool_params), 1 GET for each scan that is compared, five for each target at most. The wait costs
    1 GET for each interval, whatever the number of scans, and where the workspace has more than 1,000 scans of this
    tool, once as many as it has pages. O(state=stopped) costs 1 POST and O(state=absent) 1 DELETE for each scan.
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.writes
  - scanops.scanner.attributes.action_group_scoped
  - scanops.scanner.connection
  - scanops.scanner.workspace_reference
  - scanops.scanner.scope
attributes:
  check_mode:
    details:
      - Sends only GET calls and does not wait. What only the service knows, such as an id, is null.
  idempotent:
    support: partial
    details:
      - A second run starts nothing if O(max_age) covers the time since the first scan has finished. With O(max_age=0),
        the default, each run starts a scan.
  async:
    description: Whether the task can run in the background with C(async).
    support: full
    details:
      - The module then waits by itself, without showing progress, and O(stop_on_interrupt) has no effect.
options:
  target:
    description:
      - The target, as M(scanops.scanner.target) knows it.
      - Danger - with O(state=present) the service creates a missing target and scans it, so a typo is scanned too. The
        task warns, and O(scope) refuses what you are not authorised to scan. A missing target whose name is no host
        name, IP address or URL is refused before any scan is started.
      - It is compared exactly first, then in its normalised form.
      - Exactly one of O(target), O(target_id), O(targets) and O(id) is required.
    type: str
  target_id:
    description:
      - The id of the target.
    type: int
  targets:
    description:
      - Several targets, each as O(target).
    type: list
    elements: str
  id:
    description:
      - The id of the scan to stop or delete. It is for these two states only.
    type: int
  tool:
    description:
      - The tool by id, or by one of these names, without regard to case, spaces and punctuation - V(Subdomain Finder),
        V(Whois Lookup), V(Port Scanner), V(TCP Port Scanner), V(UDP Port Scanner), V(URL Fuzzer),
        V(Virtual Hosts Finder), V(Website Scanner), V(ICMP Ping), V(SharePoint Scanner), V(WordPress Scanner),
        V(Drupal Scanner), V(Joomla Scanner), V(Website Recon), V(Subdomain Takeover), V(Network Scanner),
        V(SQLi Exploiter), V(Domain Finder), V(Password Auditor), V(SSL Scanner), V(SSL/TLS Scanner), V(Sniper),
        V(WAF Detector), V(API Scanner), V(Cloud Scanner), V(People Hunter), V(Kubernetes Scanner).
      - Any other id is sent as it is. Required unless O(id) is given.
    type: str
  tool_params:
    description:
      - The parameters of the tool, sent as they are.
      - An existing scan matches if its record has each of these keys with this value. Nested dictionaries match as
        subsets.
      - With O(scope), every URL in it must be in the scope, and so must bare hosts in fields for hosts.
    type: dict
  vpn_profile:
    description:
      - The VPN profile through which the target is scanned, by name or uuid. An empty string means none. Left out, the
        service uses the one of the workspace.
      - Where this key may not read the list of profiles, a uuid is sent as it is, with a warning. A name needs the
        list.
    type: str
  max_scan_time:
    description:
      - Minutes after which the service ends the scan, at most V(1440). Some tools do not accept it.
    type: int
  authentication:
    description:
      - How the scanner signs in to the target. Its secrets appear in no output, even if the service repeats them in the
        record of a scan.
      - An existing scan matches if its record has the same type; secrets are not compared.
    type: dict
    suboptions:
      type:
        description: The kind of authentication.
        type: str
        choices: [cookies, headers, login_form]
        required: true
      cookie_header:
        description: The Cookie header. Required for V(cookies).
        type: str
      headers:
        description: Request headers, each as C(Name:value). Required for V(headers).
        type: list
        elements: str
      login_page_url:
        description:
          - The address of the page with the form. Required for V(login_form).
          - With O(scope), it must be in the scope, because the scanner sends the credentials there.
        type: str
      username:
        description: The user. Required for V(login_form).
        type: str
      password:
        description: The password. Required for V(login_form).
        type: str
  redirect_level:
    description:
      - How far a redirect of the target may lead, such as V(same_domain). It is sent as it is. Left out, the service
        decides, and refuses some targets that redirect.
      - An existing scan is compared with it only if its record has the field.
    type: str
  scan_original_url:
    description:
      - Scan the address as it is written, although it redirects to another one. Left out, the service decides.
      - An existing scan is compared with it only if its record has the field.
    type: bool
  start_params:
    description:
      - Other fields for the start of a scan, such as C(report_callback), sent as they are. What has an option of its
        own is refused here.
      - With O(scope), every URL in it must be in the scope, that of a callback as well.
      - Danger - it is no place for secrets, as B(ansible) shows it with C(-vvv).
      - An existing scan is compared with the fields that its record has.
    type: dict
  max_age:
    description:
      - The greatest age of a finished scan that is used, in seconds, or as a number with V(s), V(m), V(h), V(d) or
        V(w), such as V(90m) or V(7d). With V(0) a scan is always started.
      - The age counts from the end of the scan, by the service's clock.
      - Two tasks of one user on one machine that run at the same time start one scan. See the notes for tasks on
        several machines.
    type: str
    default: "0"
  state:
    description:
      - V(present) makes sure that a scan exists, V(stopped) that none is in progress, V(absent) that none exists.
      - Danger - with a target and a tool, V(absent) deletes B(all) scans of that target with that tool, with their
        findings, however old they are and whoever started them. Give O(id) to delete one.
    type: str
    choices: [present, stopped, absent]
    default: present
  force:
    description:
      - With O(state=absent), stop scans that are in progress, then delete them. Without it, nothing is deleted while
        any of them is in progress.
    type: bool
    default: false
  wait:
    description:
      - Wait until the scan has ended. Without it, the task is done when the scan is started, and RV(outcome) is null.
        The task then succeeds even if the record of the new scan cannot be read, with a warning.
      - With O(state=stopped), wait until the stop has taken effect, five minutes at most.
    type: bool
    default: true
  queue_timeout:
    description:
      - Seconds that a scan may wait for the service to run it. Then its outcome is V(queue_timeout).
      - It also limits how long the task waits for a free slot of the account's plan while it has no scan in progress.
    type: float
    default: 3600
  run_timeout:
    description:
      - Seconds that a scan may run. Then its outcome is V(run_timeout). It counts from when the task first sees the
        scan run.
    type: float
    default: 86400
  poll_interval:
    description:
      - The least number of seconds between two polls. A random part of up to a fifth is added, and while nothing moves
        the interval grows up to six times.
    type: float
    default: 10
  on_timeout:
    description:
      - What happens to a scan after a timeout. V(fail) leaves it running at the service, V(stop) stops it. The task
        fails in both cases.
    type: str
    choices: [fail, stop]
    default: fail
  stop_on_interrupt:
    description:
      - When the play is interrupted while the task waits, stop the scans that this task has started, and show for each
        scan whether it was stopped or goes on. Without it, the task shows that the scans go on. See the notes for what
        this cannot catch.
    type: bool
    default: false
  concurrency:
    description:
      - How many of O(targets) are scanned at a time; V(0) means all at once. It needs O(wait=true).
      - If the account's plan allows fewer parallel scans, a task with several targets, or with O(concurrency), waits
        for a free slot. A task with one target fails, unless it sets O(concurrency=1).
    type: int
    default: 0
notes:
  - Without O(workspace) and O(workspace_id) the service uses its current workspace, which people change in the web
    application; the task then warns.
  - A start whose answer was lost is never sent again. If the list then has exactly one new scan of the target with this
    tool, the task counts it as started; otherwise the task fails, is changed, and says that a scan may have been
    started.
  - With O(max_age), tasks of one user on one machine take a lock, so that two at the same time start one scan. The lock
    is a file of mode 0600 in the user's runtime directory (E(XDG_RUNTIME_DIR), otherwise a private directory in the
    temporary one), named by a digest of service, tool and target. If it cannot be taken, the task warns and goes on. No
    lock reaches several machines or users, so the task reads the list again after a start, and warns with the ids if
    somebody else has started a scan meanwhile. It never stops one of them.
  - O(stop_on_interrupt) works for SIGINT, SIGTERM and SIGHUP, for the C(timeout) of a task, and when ansible-playbook
    is killed while its worker process survives. It takes at most a minute. It cannot work if the worker process itself
    is killed with SIGKILL, as when a container is removed, and with C(async). On ansible-core 2.18 and older, a signal
    to the whole process group also breaks off a start that is on its way.
seealso:
  - ref: ansible_collections.scanops.scanner.docsite.guide_scans
    description: Scans from start to result.
  - module: scanops.scanner.target
"""

EXAMPLES = r"""
- name: Scan a web site unless it was scanned in the last day
  scanops.scanner.scan:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    target: https://shop.example.com
    tool: Website Scanner
    tool_params:
      scan_type: light
    max_age: 1d

- name: Scan three hosts, two at a time, and stop what takes more than two hours
  scanops.scanner.scan:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    targets:
      - www.example.com
      - api.example.com
      - mail.example.com
    tool: Network Scanner
    concurrency: 2
    run_timeout: 7200
    on_timeout: stop
    stop_on_interrupt: true

- name: Start a scan behind a login, and do not wait
  scanops.scanner.scan:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    target: https://shop.example.com
    tool: "170"
    redirect_level: same_domain
    authentication:
      type: login_form
      login_page_url: https://shop.example.com/login
      username: scanner
      password: "{{ vault_shop_password }}"
    wait: false
  register: started

- name: Delete one scan
  scanops.scanner.scan:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    id: "{{ started.scan.id }}"
    state: absent
    force: true
"""

RETURN = r"""
scan:
  description:
    - The record of the scan, with every field that the service gives; null with O(targets), and if there is none or
      more than one.
    - In check mode, all but RV(scan.tool_id), RV(scan.target_id) and RV(scan.workspace_id) are null for a scan that
      would be started. If the record of a new scan could not be read, only these and the id are set.
    - It has C(tool_params) if the scan was read by its id. Its secrets are masked.
  returned: success, and failure once the scan is known
  type: dict
  sample:
    id: 40001
    tool_id: 170
    target_id: 4711
    workspace_id: 12
    status_name: finished
    status_message: ""
    progress: 100
    result_summary: {text: "", critical: 0, high: 1, medium: 2, low: 0, info: 7}
    start_time: "2024-05-17 08:30:00"
    end_time: "2024-05-17 08:41:12"
    duration: 672
    num_tests: 38
    num_finished_tests: 38
  contains:
    id:
      description: The id of the scan.
      returned: success
      type: int
      sample: 40001
    tool_id:
      description: The id of its tool.
      returned: success
      type: int
      sample: 170
    target_id:
      description: The id of its target.
      returned: success
      type: int
      sample: 4711
    workspace_id:
      description: The id of its workspace.
      returned: success
      type: int
      sample: 12
    status_name:
      description: Its status in the words of the service.
      returned: success
      type: str
      sample: finished
    status_message:
      description: What the service says about the status.
      returned: success
      type: str
      sample: ""
    progress:
      description: Percent done.
      returned: success
      type: int
      sample: 100
    result_summary:
      description: How many findings it has by severity. The numbers may be null while it runs; some tools have none.
      returned: success
      type: dict
      sample: {text: "", critical: 0, high: 1, medium: 2, low: 0, info: 7}
    start_time:
      description: When it began to run, by the service's clock.
      returned: success
      type: str
      sample: "2024-05-17 08:30:00"
    end_time:
      description: When it ended, by the service's clock; null while it is in progress.
      returned: success
      type: str
      sample: "2024-05-17 08:41:12"
    duration:
      description: How long it ran, in seconds.
      returned: success
      type: int
      sample: 672
    num_tests:
      description: How many tests it consists of.
      returned: success
      type: int
      sample: 38
    num_finished_tests:
      description: How many of them are done.
      returned: success
      type: int
      sample: 38
outcome:
  description:
    - What became of the scan; with O(targets), V(finished) if all have finished, else the outcome of the first that has
      not. Null while one is in progress.
    - It is one of V(finished), V(failed_to_start), V(stopped), V(timed_out) (by O(max_scan_time)), V(aborted),
      V(vpn_error), V(auth_failed), V(connection_error), V(unknown_state) (a status that this collection does not know),
      V(queue_timeout), V(run_timeout) and V(deleted) (by somebody, while the task waited). With O(targets), a scan that
      the service refused to start is V(failed_to_start), and one that may have been started V(unknown_state).
  returned: success, and failure once the scan is known
  type: str
  sample: finished
started:
  description: Whether this task started a scan. It is known even if everything after the start fails.
  returned: success, and failure once the scan is known
  type: bool
  sample: true
scans:
  description: The scan of each target, in the order of O(targets).
  returned: success, and failure once the scan is known
  type: list
  elements: dict
  sample:
    - target: https://shop.example.com
      scan: {id: 40001, tool_id: 170, status_name: finished}
      outcome: finished
      started: true
      error: null
  contains:
    target:
      description: The name of the target; null where only O(id) is given.
      returned: success
      type: str
      sample: https://shop.example.com
    scan:
      description: The record, as RV(scan).
      returned: success
      type: dict
      sample: {id: 40001, tool_id: 170, status_name: finished}
    outcome:
      description: What became of it, as RV(outcome).
      returned: success
      type: str
      sample: finished
    started:
      description: Whether this task started it.
      returned: success
      type: bool
      sample: true
    error:
      description: Why it could not be started, or may have been; null otherwise.
      returned: success
      type: str
      sample: null
candidates:
  description: With O(max_age), the existing scans that were not used, at most five for each target, and why.
  returned: success, and failure once the scan is known
  type: list
  elements: dict
  sample:
    - id: 39998
      target: https://shop.example.com
      reason: it ended 3 d ago, and max_age is 24 h
  contains:
    id:
      description: The id of the scan.
      returned: success
      type: int
      sample: 39998
    target:
      description: The name of its target.
      returned: success
      type: str
      sample: https://shop.example.com
    reason:
      description: Why it was not used.
      returned: success
      type: str
      sample: it ended 3 d ago, and max_age is 24 h
stopped:
  description: The ids of the scans that this task stopped.
  returned: success, and failure once the scan is known
  type: list
  elements: int
  sample: []
deleted:
  description: The ids of the scans that this task deleted.
  returned: success, and failure once the scan is known
  type: list
  elements: int
  sample: []
"""

from ansible_collections.scanops.scanner.plugins.module_utils._handover import ARGUMENT
from ansible_collections.scanops.scanner.plugins.module_utils._module import run
from ansible_collections.scanops.scanner.plugins.module_utils._scan_wish import AUTHENTICATION_OPTION
from ansible_collections.scanops.scanner.plugins.module_utils._scans import ensure_scan
from ansible_collections.scanops.scanner.plugins.module_utils._scope import SCOPE_OPTION
from ansible_collections.scanops.scanner.plugins.module_utils._scope_file import scope_in_force

OPTIONS = dict(
    target=dict(type="str"),
    target_id=dict(type="int"),
    targets=dict(type="list", elements="str"),
    id=dict(type="int"),
    workspace=dict(type="str"),
    workspace_id=dict(type="int"),
    tool=dict(type="str"),
    tool_params=dict(type="dict"),
    vpn_profile=dict(type="str"),
    max_scan_time=dict(type="int"),
    authentication=AUTHENTICATION_OPTION,
    redirect_level=dict(type="str"),
    scan_original_url=dict(type="bool"),
    start_params=dict(type="dict"),
    max_age=dict(type="str", default="0"),
    state=dict(type="str", choices=["present", "stopped", "absent"], default="present"),
    force=dict(type="bool", default=False),
    wait=dict(type="bool", default=True),
    queue_timeout=dict(type="float", default=3600.0),
    run_timeout=dict(type="float", default=86400.0),
    poll_interval=dict(type="float", default=10.0),
    on_timeout=dict(type="str", choices=["fail", "stop"], default="fail"),
    stop_on_interrupt=dict(type="bool", default=False),
    concurrency=dict(type="int", default=0),
    scope=SCOPE_OPTION,
)


def main():
    run(
        OPTIONS,
        ensure_scan,
        scope_in_force,
        hidden=ARGUMENT,
        required_one_of=[("target", "target_id", "targets", "id"), ("tool", "id")],
        mutually_exclusive=[("target", "target_id", "targets", "id"), ("workspace", "workspace_id")],
    )


if __name__ == "__main__":
    main()
