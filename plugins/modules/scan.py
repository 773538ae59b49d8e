#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: scan
short_description: Run, stop and delete scans
description:
  - Makes sure that a recent enough scan of a target with a tool exists, and starts one if not. A finished scan younger
    than O(max_age) is used, and a scan in progress is joined. By default, each run starts a scan.
  - The task waits for the scan, shows its progress, and fails unless the scan finishes. See O(wait).
  - A task can scan many targets. It starts all scans and waits for them together, usually with one call an interval.
  - Begin with O(workspace), O(target) or O(targets), O(tool), O(max_age) and O(missing_target), then O(authentication) and
    O(tool_params). C(ansible-doc -s scanops.scanner.scan) shows all options as a task.
  - Cost - at least 2 GET, 1 POST for each scan that it starts, and 1 GET for each interval of the wait. See
    R(Cost in API calls,ansible_collections.scanops.scanner.docsite.guide_costs).
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.writes
  - scanops.scanner.attributes.action_group_scoped
  - scanops.scanner.connection
  - scanops.scanner.workspace_reference
  - scanops.scanner.scope.short
attributes:
  check_mode:
    details:
      - Sends only GET calls and does not wait. Values that only the service knows, such as an id, are null.
  idempotent:
    support: partial
    details:
      - With O(max_age=0), the default, each run starts a scan. Otherwise, a second run starts nothing while the first
        scan is younger than O(max_age).
  async:
    description: Whether the task can run in the background with C(async).
    support: full
    details:
      - The module then shows no progress, and O(stop_on_interrupt) has no effect.
options:
  target:
    description:
      - The name of the target, compared as by M(scanops.scanner.target). Exactly one of O(target), O(target_id),
        O(targets) and O(id) is required.
      - Danger - with O(state=present) the service creates a missing target and scans it, so a typo is scanned too, with
        a warning. Set O(missing_target=fail), or a O(scope).
    type: str
  target_id:
    description:
      - The id of the target.
    type: int
  targets:
    description:
      - The names of several targets, each as in O(target).
    type: list
    elements: str
  id:
    description:
      - The id of the scan to stop or delete, with O(state=stopped) or O(state=absent).
    type: int
  tool:
    description:
      - The id of the tool, or one of these names - V(Subdomain Finder),
        V(Whois Lookup), V(Port Scanner), V(TCP Port Scanner), V(UDP Port Scanner), V(URL Fuzzer),
        V(Virtual Hosts Finder), V(Website Scanner), V(ICMP Ping), V(SharePoint Scanner), V(WordPress Scanner),
        V(Drupal Scanner), V(Joomla Scanner), V(Website Recon), V(Subdomain Takeover), V(Network Scanner),
        V(SQLi Exploiter), V(Domain Finder), V(Password Auditor), V(SSL Scanner), V(SSL/TLS Scanner), V(Sniper),
        V(WAF Detector), V(API Scanner), V(Cloud Scanner), V(People Hunter), V(Kubernetes Scanner).
      - Case, spaces and punctuation do not matter in names. An unknown id is sent unchanged.
      - Required unless O(tools) or O(id) is given.
    type: str
  tools:
    description:
      - Several tools, each as in O(tool). Each target is scanned with all of them at the same time.
    type: list
    elements: str
  tool_params:
    description:
      - The parameters of the tool, sent unchanged. With O(tools), the parameters of each tool, by its name as in
        O(tools). With O(scope), URLs and hosts in it must be in scope.
      - An existing scan matches if its record has each of these keys with this value. Nested dictionaries match as
        subsets.
    type: dict
  vpn_profile:
    description:
      - The VPN profile through which the target is scanned, by name or UUID. An empty string means none. If not set,
        the service uses the profile of the workspace. A name requires an API key that can read the list of profiles.
    type: str
  max_scan_time:
    description:
      - The number of minutes after which the service ends the scan, at most V(1440). Some tools do not support it.
    type: int
  authentication:
    description:
      - How the scanner signs in to the target. Its secrets appear in no output. An existing scan matches if its record
        has the same type; secrets are not compared.
    type: dict
    suboptions:
      type:
        description: The kind of authentication.
        type: str
        choices: [cookies, headers, login_form]
        required: true
      cookie_header:
        description: The C(Cookie) header. Required for V(cookies).
        type: str
      headers:
        description: Request headers, each as C(Name:value). Required for V(headers).
        type: list
        elements: str
      login_page_url:
        description:
          - The URL of the page with the login form, which must be in O(scope). Required for V(login_form).
        type: str
      username:
        description: The user name. Required for V(login_form).
        type: str
      password:
        description: The password. Required for V(login_form).
        type: str
  redirect_level:
    description:
      - How far the scan follows redirects of the target, such as V(same_domain), sent unchanged. If not set, the
        service decides, and refuses some targets that redirect.
    type: str
  scan_original_url:
    description:
      - Whether to scan the URL as given, even if it redirects to another one. If not set, the service decides.
    type: bool
  start_params:
    description:
      - Additional fields for the start of a scan, such as C(report_callback), sent unchanged. With O(scope), every URL
        in it must be in scope. Fields that have their own option are refused.
      - Danger - do not put secrets here. Ansible shows this option at C(-vvv).
    type: dict
  max_age:
    description:
      - Use a finished scan that is younger than this, in seconds or as in V(90m) or V(7d), instead of a new one. With
        V(0), each run starts a scan. A scan with another O(redirect_level), O(scan_original_url) or field of
        O(start_params) in its record is not used.
      - The age counts from the end of the scan, and must be low enough by the service's clock and by that of the host
        on which the module runs. The task warns if they differ by more than five minutes. Times without a time zone
        count as UTC. If one is in the future, the task warns, and the zone that is farthest ahead of UTC counts.
      - Two tasks of one user on one machine that run at the same time start only one scan. For several machines, see
        the notes.
    type: str
    default: "0"
  missing_target:
    description:
      - What to do about a name that no target has. V(create) lets the service create the target, without a mark of an
        owner, and warns. V(fail) fails the task before anything is started. In check mode, it only warns, because an
        earlier task may create the target.
      - Danger - with V(create), a misspelt name is scanned, although it may be somebody else's.
    type: str
    choices: [create, fail]
    default: create
  state:
    description:
      - V(present) makes sure that a scan exists, V(stopped) that none is in progress, and V(absent) that none exists.
      - Danger - with a target and a tool, V(absent) deletes B(all) scans of that target with that tool and their
        findings, whoever started them. To delete one scan, use O(id).
    type: str
    choices: [present, stopped, absent]
    default: present
  force:
    description:
      - With O(state=absent), stop scans that are in progress, then delete them. By default, one in progress refuses the
        deletion.
    type: bool
    default: false
  wait:
    description:
      - Wait until the scan has ended. Any outcome other than V(finished) then fails the task. With O(state=stopped),
        wait until the stop has taken effect, for at most five minutes.
      - With V(false), the task ends once the scan is started, and RV(outcome) is null.
    type: bool
    default: true
  queue_timeout:
    description:
      - The number of seconds that a scan may wait for the service to run it, and the task for a free slot of the
        account's plan. After that, its outcome is V(queue_timeout).
    type: float
    default: 3600
  run_timeout:
    description:
      - The number of seconds that a scan may run, counted from when the task first sees it running. After that, its
        outcome is V(run_timeout).
    type: float
    default: 86400
  outage_wait:
    description:
      - How long a wait continues while the service does not answer, in seconds or as in V(90s), V(10m) or V(2h), beside
        O(retries) and O(rate_limit_wait) of each poll. The scans go on meanwhile. A key that is no longer accepted ends
        the wait at once.
    type: str
    default: 10m
  poll_interval:
    description:
      - The minimum number of seconds between two polls. While nothing changes, the interval grows up to six times.
    type: float
    default: 10
  on_timeout:
    description:
      - Whether a scan goes on at the service (V(fail)) or is stopped (V(stop)) after a timeout. The task fails in both
        cases.
    type: str
    choices: [fail, stop]
    default: fail
  stop_on_interrupt:
    description:
      - Stop the scans that this task has started if the play is interrupted while it waits. By default, they go on, and
        the task says so. See R(the guide,ansible_collections.scanops.scanner.docsite.guide_scans.interrupts) for the
        interruptions that this cannot catch.
    type: bool
    default: false
  concurrency:
    description:
      - The maximum number of scans of the task that are in progress at the same time, with O(wait=true). V(0) means no
        limit.
      - If the account's plan allows fewer, a task with several scans, or with this option, waits for a free slot. A
        task with one scan fails, unless it sets V(1).
    type: int
    default: 0
notes:
  - Without O(workspace) and O(workspace_id), the service uses its current workspace, which people can change in the web
    application. The task then warns.
  - A task that runs in process shows its progress on standard error. One that runs as a module shows nothing until it
    ends.
  - If the answer to the start of a scan is lost, the start is never sent again. If the list of scans then shows exactly
    one new scan of the target with this tool, the task counts it as started. Otherwise, the task fails, reports a
    change, and says that a scan may have been started.
  - With O(max_age), tasks of one user on one machine take a lock in the user's runtime directory (E(XDG_RUNTIME_DIR),
    otherwise a private directory in the temporary directory). If it cannot be taken, the task warns and continues.
  - The lock does not reach other machines or users. The task therefore reads the list again after a start, and warns
    with the ids if somebody else has started a scan in the meantime. It never stops one of them.
  - O(stop_on_interrupt) handles SIGINT, SIGTERM and SIGHUP, the C(timeout) of a task, and the death of ansible-playbook,
    in at most 10 seconds. It has no effect where the task does not run in process, or if its worker process is killed
    with SIGKILL, for example when a container is removed.
seealso:
  - ref: ansible_collections.scanops.scanner.docsite.guide_scans
    description: Scans from start to result.
  - module: scanops.scanner.target
"""

EXAMPLES = r"""
- name: Scan a website unless a scan finished in the last day
  scanops.scanner.scan:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    target: https://shop.example.com
    tool: Website Scanner
    tool_params:
      scan_type: light
    max_age: 1d

- name: Scan three hosts, two at a time, and stop scans that run for more than two hours
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

- name: Start a scan behind a login without waiting for it
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
    - The record of the scan, with every field that the service returns. Null with O(targets) or O(tools), and if no
      scan or more than one scan is concerned.
    - In check mode, all fields but RV(scan.tool_id), RV(scan.target_id) and RV(scan.workspace_id) are null for a scan
      that would be started. If the record of a new scan could not be read, only these and the id are set.
    - It has C(tool_params) if the scan was read by its id. Secrets in it are masked.
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
      description: The number of findings by severity. It may be null while the scan runs. Some tools return no numbers.
      returned: success
      type: dict
      sample: {text: "", critical: 0, high: 1, medium: 2, low: 0, info: 7}
    start_time:
      description: When it started to run, by the service's clock.
      returned: success
      type: str
      sample: "2024-05-17 08:30:00"
    end_time:
      description: When it ended, by the service's clock. Null while it is in progress.
      returned: success
      type: str
      sample: "2024-05-17 08:41:12"
    duration:
      description: How long it ran, in seconds.
      returned: success
      type: int
      sample: 672
    num_tests:
      description: The number of its tests.
      returned: success
      type: int
      sample: 38
    num_finished_tests:
      description: The number of tests that are done.
      returned: success
      type: int
      sample: 38
outcome:
  description:
    - How the scan ended. With several scans, V(finished) if all of them have finished, otherwise the outcome of the
      first one that has not. Null while a scan is in progress.
    - One of V(finished), V(failed_to_start), V(stopped), V(timed_out) (by O(max_scan_time)), V(aborted), V(vpn_error),
      V(auth_failed), V(connection_error), V(unknown_state) (a status that this collection does not know),
      V(queue_timeout), V(run_timeout) and V(deleted) (by somebody else, while the task waited).
    - With several scans, one that the service refused to start is V(failed_to_start), and one that may have been
      started is V(unknown_state).
  returned: success, and failure once the scan is known
  type: str
  sample: finished
started:
  description: Whether this task started a scan. It is returned even if everything after the start fails.
  returned: success, and failure once the scan is known
  type: bool
  sample: true
scans:
  description: The scans, in the order of O(targets); with O(tools), for one tool after the other.
  returned: success, and failure once the scan is known
  type: list
  elements: dict
  sample:
    - target: https://shop.example.com
      tool_id: 170
      scan: {id: 40001, tool_id: 170, status_name: finished}
      outcome: finished
      started: true
      error: null
  contains:
    target:
      description: The name of the target. Null if only O(id) is given.
      returned: success
      type: str
      sample: https://shop.example.com
    tool_id:
      description: The id of the tool.
      returned: success
      type: int
      sample: 170
    scan:
      description: The record, as RV(scan).
      returned: success
      type: dict
      sample: {id: 40001, tool_id: 170, status_name: finished}
    outcome:
      description: Its outcome, as RV(outcome).
      returned: success
      type: str
      sample: finished
    started:
      description: Whether this task started it.
      returned: success
      type: bool
      sample: true
    error:
      description: Why it could not be started, or why that is unknown. Null otherwise.
      returned: success
      type: str
      sample: null
candidates:
  description: With O(max_age), the existing scans that were not used and why, at most five for each target.
  returned: success, and failure once the scan is known
  type: list
  elements: dict
  sample:
    - id: 39998
      target: https://shop.example.com
      reason: it ended 3 days ago, and max_age is 24 hours
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
      sample: it ended 3 days ago, and max_age is 24 hours
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

from ..module_utils._scan.scan import ensure_scan
from ..module_utils._scan.spec import AUTHENTICATION_OPTION
from ..module_utils._scan.watch import OUTAGE_OPTION
from ..module_utils._scope.file import scope_in_force
from ..module_utils._scope.option import SCOPE_OPTION
from ..module_utils._task.module import Module, run

OPTIONS = dict(
    target=dict(type="str"),
    target_id=dict(type="int"),
    targets=dict(type="list", elements="str"),
    id=dict(type="int"),
    workspace=dict(type="str"),
    workspace_id=dict(type="int"),
    tool=dict(type="str"),
    tools=dict(type="list", elements="str"),
    tool_params=dict(type="dict"),
    vpn_profile=dict(type="str"),
    max_scan_time=dict(type="int"),
    authentication=AUTHENTICATION_OPTION,
    redirect_level=dict(type="str"),
    scan_original_url=dict(type="bool"),
    start_params=dict(type="dict"),
    max_age=dict(type="str", default="0"),
    missing_target=dict(type="str", choices=["create", "fail"], default="create"),
    state=dict(type="str", choices=["present", "stopped", "absent"], default="present"),
    force=dict(type="bool", default=False),
    wait=dict(type="bool", default=True),
    queue_timeout=dict(type="float", default=3600.0),
    run_timeout=dict(type="float", default=86400.0),
    outage_wait=OUTAGE_OPTION,
    poll_interval=dict(type="float", default=10.0),
    on_timeout=dict(type="str", choices=["fail", "stop"], default="fail"),
    stop_on_interrupt=dict(type="bool", default=False),
    concurrency=dict(type="int", default=0),
    scope=SCOPE_OPTION,
)
MODULE = Module(
    OPTIONS,
    ensure_scan,
    scope_in_force,
    required_one_of=[("target", "target_id", "targets", "id"), ("tool", "tools", "id")],
    mutually_exclusive=[("target", "target_id", "targets", "id"), ("tool", "tools"), ("workspace", "workspace_id")],
)


def main() -> None:
    run(MODULE)


if __name__ == "__main__":
    main()
