#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: gate
short_description: Pass or fail a pipeline on findings
description:
  - Judges the newest scan of each target and tool, and ends with one named outcome. The task fails unless the outcome
    is C(passed), or O(outcomes) says otherwise.
  - Missing data never counts as clean. A scan that did not finish or ran only some of its tests, a list that may be
    incomplete, and a service that does not answer have outcomes of their own.
  - Begin with O(workspace) and O(policy.fail_on), then O(baseline) with O(policy.only_new), O(waivers), O(must_see) and
    O(artifacts). C(ansible-doc -s scanops.scanner.gate) shows all options as a task.
  - The role P(scanops.scanner.scan_gate#role) also starts the scans.
  - Cost - 2 GET for each scan, and the lists of targets and scans of the workspace. See
    R(Cost in API calls,ansible_collections.scanops.scanner.docsite.guide_costs).
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
attributes:
  check_mode:
    details:
      - Sends only GET calls and decides the same. No file is written.
  diff_mode:
    support: partial
    details:
      - Shows how the O(baseline) changes, also in check mode. RV(files) says which other files were written.
  idempotent:
    support: partial
    details:
      - Most O(formats) hold the time of the run or the age of findings, so their files change in each run. The
        O(baseline) changes only if a newer scan was read.
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.writes
  - scanops.scanner.attributes.action_group
  - scanops.scanner.connection
  - scanops.scanner.workspace_reference
  - scanops.scanner.files
options:
  targets:
    description:
      - Judge only these targets of the workspace, by default all. A name that does not exist, or a target that was
        never scanned, has the outcome C(not_covered).
    type: list
    elements: str
  tools:
    description:
      - Judge only scans of these tools, by name or id, by default of each tool that has scanned the target. A target
        without a scan of each of them is C(not_covered).
    type: list
    elements: str
  scan_ids:
    description:
      - Judge these scans. Of several scans of one target and tool, only the newest counts.
    type: list
    elements: int
  findings_file:
    description:
      - Judge a file that M(scanops.scanner.finding_info) wrote with O(scanops.scanner.finding_info#module:dest), or a
        C(gate.json) of this module. No call is sent, so no connection is needed.
      - A file of M(scanops.scanner.finding_info) names neither a workspace nor tools. To compare it with a O(baseline),
        set O(workspace). Its findings are then compared with those of all tools.
      - A file alone does not prove that everything was scanned, so RV(coverage) is V(unknown). An empty file has the
        outcome C(nothing_scanned).
    type: path
  scan_results:
    description:
      - The registered results of M(scanops.scanner.scan) tasks. A scan that they could not start, or that did not
        finish in time, is judged as such, and no older scan replaces it. If somebody else has started a newer scan since,
        and its parameters are narrower, the outcome is C(incomplete).
      - No result is ignored. One without a scan that can be judged is C(incomplete), a skipped task C(not_covered), and
        any other failed task C(service_error), unless its result has an C(outcome) of this module.
    type: list
    elements: dict
  policy:
    description:
      - What makes the gate fail. O(policy.fail_on) counts only findings that O(policy.verified_only),
        O(policy.min_cvss), O(policy.min_epss) and O(policy.known_exploited) accept.
    type: dict
    suboptions:
      fail_on:
        description:
          - The lowest severity that fails, or V(none). A finding of unknown severity fails with every value but
            V(none).
        type: str
        choices: [info, low, medium, high, critical, none]
        default: high
      max:
        description:
          - The maximum number of findings for each severity, as a dictionary. More of them fail, regardless of
            O(policy.fail_on), its filters and O(policy.only_new). Findings of unknown severity count towards every
            maximum.
        type: dict
      only_new:
        description:
          - Fail only on findings that are new, reopened or worse than in the O(baseline). A finding is worse if its
            severity rose, or what another option of the policy looks at.
        type: bool
        default: false
      verified_only:
        description:
          - Count only findings that the service has verified.
        type: bool
        default: false
      min_cvss:
        description:
          - Count only findings with this CVSS score or a higher one.
        type: float
      min_epss:
        description:
          - Count only findings with this EPSS probability or a higher one, 0 to 1. See O(epss_file).
        type: float
      known_exploited:
        description:
          - Count only findings that are known to be exploited. See O(known_exploited_file).
        type: bool
        default: false
      older_than:
        description:
          - The maximum age of findings for each severity, as a dictionary of durations such as V(90d). Older findings
            fail. For unknown severity, the shortest duration counts. The age counts from when the O(baseline) first saw
            the finding, otherwise from the end of its scan, so without a baseline each scan moves it.
        type: dict
      include:
        description:
          - Count only findings that one of these matchers accepts. See the notes.
          - If no matcher matches any finding of this run or of the O(baseline), the outcome is C(misconfigured),
            because a typo would let everything pass. A matcher that has only a C(severity) is always right. Without any
            finding to compare with, the task warns.
        type: list
        elements: dict
      exclude:
        description:
          - Do not count findings that one of these matchers accepts, see the notes, and with a C(cve) only if all CVE
            ids of the finding are excluded. The task warns of a matcher that matches nothing.
          - Danger - an excluded finding never fails the gate. Prefer a waiver, which has a reason and an expiry date.
        type: list
        elements: dict
      missing:
        description:
          - Whether a finding that lacks the field of a filter, such as a CVSS score, counts (V(fail)) or not
            (V(ignore)).
        type: str
        choices: [fail, ignore]
        default: fail
  expect:
    description:
      - The scans that must exist. A missing one has the outcome C(not_covered).
    type: dict
    suboptions:
      targets:
        description:
          - Names of targets.
        type: list
        elements: str
      tools:
        description:
          - Names or ids of tools with which each of the targets must have been scanned.
        type: list
        elements: str
      max_age:
        description:
          - The maximum age of each of these scans, in seconds or as in V(12h) or V(7d), by the service's clock and by
            that of the host on which the module runs. If not set, any age counts.
        type: str
  must_see:
    description:
      - R(Controls,ansible_collections.scanops.scanner.docsite.guide_gate.controls), known and harmless weaknesses that
        you have planted where only a scan that works gets to. A finished scan that does not have one of its controls
        has the outcome C(blind).
      - A control is a matcher, see the notes, with C(reason), and optionally with C(path) (a pattern) and C(tool) (a
        name or id). It requires C(name), C(check), C(cve) or C(fingerprint). Without C(target) and C(tool), every scan
        must see it.
      - A control that is for no judged target or tool, or that matches findings at several places of one target, has
        the outcome C(misconfigured). Refused with findings in O(findings_file), which does not show what the scans saw.
      - Danger - what matches a control does not count, even if it is a real finding. Name the C(path) or C(fingerprint)
        of what you planted. A finding with more CVE ids than the control names still counts.
    type: list
    elements: dict
  baseline:
    description:
      - The path of the baseline, a file that remembers accepted findings. Keep it in version control. One that is
        damaged, or belongs to another workspace, has the outcome C(stale_baseline) and is not changed.
    type: path
  baseline_missing:
    description:
      - What to do if the file O(baseline) does not exist. V(all_new) treats all findings as new and warns, V(fail) has
        the outcome C(stale_baseline), and V(create) creates it from the present findings, if the run could read
        everything. V(create) is refused with O(findings_file).
      - Danger - V(create) accepts whatever exists now. The task warns with the number of findings.
    type: str
    choices: [create, fail, all_new]
    default: all_new
  baseline_update:
    description:
      - Add the findings of this run to the O(baseline), and record when they were seen. Only a run that could read
        everything updates it.
      - Danger - the next run no longer treats them as new.
    type: bool
    default: false
  waivers:
    description:
      - The paths of YAML files with waivers. See R(the guide,ansible_collections.scanops.scanner.docsite.guide_gate).
        An expired waiver no longer counts. The task warns of waivers that match nothing.
      - A waiver with a C(cve) waives a finding only if all CVE ids of the finding are waived. One that names a
        C(severity) and nothing else is refused, because it would also waive every later finding.
    type: list
    elements: path
    default: []
  allow_permanent:
    description:
      - Allow waivers that never expire, or expire in more than five years.
    type: bool
    default: false
  notice:
    description:
      - Name the waivers that end within this duration, in seconds or as in V(12h) or V(14d), in RV(msg), in
        O(artifacts) and in RV(waivers). V(0) names none.
    type: str
    default: 14d
  owners:
    description:
      - The path of a YAML file that says which team owns which targets. Each finding names its team. See R(the
        guide,ansible_collections.scanops.scanner.docsite.guide_gate.owners). The task warns of targets without an
        owner, and of patterns that match no judged target.
      - Danger - everything in the file is published with the findings. Do not write the address of a webhook as a
        channel.
    type: path
  epss_file:
    description:
      - The path of a CSV file with EPSS scores, as published by FIRST. The higher one of its score and the service's
        counts.
    type: path
  epss_max_age:
    description:
      - The maximum age of O(epss_file) by the date in it, in seconds or as in V(12h) or V(7d). See O(stale_catalogues).
    type: str
    default: 7d
  known_exploited_file:
    description:
      - The path of a catalogue of known exploited vulnerabilities, in JSON or CSV, as published by CISA. A finding is
        known to be exploited if the file or the service says so.
    type: path
  known_exploited_max_age:
    description:
      - As O(epss_max_age), for O(known_exploited_file). The date of a CSV file is that of its newest entry.
    type: str
    default: 7d
  stale_catalogues:
    description:
      - What to do if O(epss_file) or O(known_exploited_file) is older than its maximum age, or does not say its date.
        V(warn) makes the task warn, V(fail) has the outcome C(misconfigured).
    type: str
    choices: [warn, fail]
    default: warn
  outcomes:
    description:
      - What each outcome does to the task, V(fail), V(warn) or V(pass), by outcome. By default, every outcome but
        C(passed) fails it. C(misconfigured) always does. RV(passed) stays false.
      - Danger - an outcome that passes hides what could not be read.
    type: dict
  artifacts:
    description:
      - A directory for the files of O(formats), in an existing one. They are also written if the gate fails. Files of
        the same formats that an earlier run left there are replaced or removed.
    type: path
  formats:
    description:
      - The files to write.
      - V(sarif), V(gitlab) and V(defectdojo) are written only if everything was scanned and read, because the programs
        that read them close the findings that a file lacks.
      - V(html) requires the Python library Jinja2 on the host on which the module runs. V(calendar) has the ends of
        waivers, and the days on which findings begin to fail, as C(gate.ics).
      - V(attestation) is an unsigned in-toto
        R(Statement,ansible_collections.scanops.scanner.docsite.guide_gate.attestation) over O(subjects), also if the
        gate fails. If it is not in the list, or if the task fails without an outcome, the file of an earlier run is removed,
        because a later step would sign it.
    type: list
    elements: str
    choices: [json, markdown, html, sarif, junit, gitlab, defectdojo, csv, calendar, attestation]
    default: [json, markdown]
  subjects:
    description:
      - The images or files that an attestation is about. Required for V(attestation) in O(formats), and refused without it.
      - Danger - the gate cannot see what the targets run. It attests that the subjects were judged because you say so,
        also by a scan that is older than they are, unless O(expect.max_age) refuses it.
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description:
          - The name of the image or file, which only this subject has.
        type: str
        required: true
      sha256:
        description:
          - Its SHA-256 digest, 64 lower-case hexadecimal digits, without C(sha256:). For an image, that of its
            manifest.
        type: str
        required: true
  sarif_profile:
    description:
      - The consumer of C(sarif). V(github) leaves waived findings out, because GitHub shows them as open. V(gitlab) and
        V(full) list them as suppressed.
    type: str
    choices: [github, gitlab, full]
    default: github
  sarif_category:
    description:
      - A name that distinguishes the analyses of one repository in C(sarif), by default the collection and the
        workspace.
    type: str
  estate_files:
    description:
      - YAML files that declare targets. In C(sarif), a finding points to the line that declares its target, by its path
        from the top of the git repository, or from the working directory if there is none.
    type: list
    elements: path
    default: []
  sarif_location:
    description:
      - The file to which other findings point in C(sarif), by default the first of O(estate_files), or V(README.md).
    type: str
  export_all:
    description:
      - List all findings in C(gitlab) and C(defectdojo), each with its state. V(false) lists only those that fail or
        are new.
      - Danger - both programs close the findings that a file lacks. With V(false), that is also what is known and still
        exists, and with O(targets) or O(tools) what is not judged, so give each gate a test of its own in DefectDojo.
    type: bool
    default: true
  origin:
    description:
      - What O(artifacts) name and link for the people who read them.
    type: dict
    suboptions:
      build:
        description:
          - The build that runs the gate, its URL or another name.
        type: str
      commit:
        description:
          - The commit that the gate judges.
        type: str
      scan_url:
        description:
          - The URL of a scan in the web application, with C({id}) for its id. Without it, scans have no links.
        type: str
  build:
    description:
      - The build that was scanned, as an address said it before and after the scans. The role
        P(scanops.scanner.scan_gate#role) reads the address and passes this.
      - The outcome is C(moved) if O(build.before) or O(build.after) is missing, if they differ, or if they are not
        O(build.expected). No O(baseline) is changed then. The build of a C(gate.json) in O(findings_file) takes
        precedence.
    type: dict
    suboptions:
      url:
        description:
          - The address, without user info. Its query is not written.
        type: str
        required: true
      expected:
        description:
          - The build to judge. If not set, any build counts that did not change.
        type: str
      before:
        description:
          - The build before the first scan.
        type: str
      after:
        description:
          - The build after the last scan.
        type: str
      wait:
        description:
          - How long the role has waited for the build, for the message.
        type: str
      problem:
        description:
          - Why O(build.before) or O(build.after) is missing, for the message.
        type: str
  rows:
    description:
      - Which findings to return in RV(findings). V(failing) keeps a large result small; the filters of this collection
        need V(all).
    type: str
    choices: [all, failing]
    default: all
requirements:
  - PyYAML, for O(waivers), O(owners) and O(estate_files)
  - Jinja2, for V(html) in O(formats)
notes:
  - Relative paths start at the directory of the playbook, on a remote host in the home directory of the user. See
    R(the guide,ansible_collections.scanops.scanner.docsite.guide_gate.paths).
  - A matcher is a dictionary of C(name) (a pattern), C(check) (the service's id of the check), C(cve), C(target) (a
    pattern), C(severity), C(port) and C(fingerprint). All that are given must match. A matcher that consists of
    patterns without a letter or a digit, such as V(?*), matches every finding and is refused. Write numbers in quotes,
    as in C('010017'), which YAML reads as 4111 otherwise. Only C(port) may be a number.
  - Files and a directory of O(artifacts) that every user of the machine can write, or could have put there, are
    refused. See R(the guide,ansible_collections.scanops.scanner.docsite.guide_gate).
seealso:
  - module: scanops.scanner.coverage_info
  - module: scanops.scanner.finding_info
  - module: scanops.scanner.scan
"""

EXAMPLES = r"""
- name: Fail on high and critical findings of a workspace
  scanops.scanner.gate:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    artifacts: "{{ playbook_dir }}/artifacts"
    formats: [json, markdown, html]

- name: Fail only on what is new, and accept what the waivers name
  scanops.scanner.gate:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    targets: [shop.example.com]
    tools: [Website Scanner]
    policy:
      fail_on: medium
      only_new: true
    baseline: security/baseline.json
    waivers: [security/waivers.yml]

- name: Pass only if the scan got behind the login
  scanops.scanner.gate:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    must_see:
      - name: Directory listing
        path: /account/canary/
        target: https://shop.example.com
        tool: Website Scanner
        reason: Only users get to this page

- name: Judge a saved file again, without the service
  scanops.scanner.gate:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    findings_file: artifacts/gate.json
    policy:
      fail_on: critical
"""

RETURN = r"""
outcome:
  description:
    - How the gate ended - C(service_error), C(misconfigured), C(blind), C(moved), C(unknown_state),
      C(nothing_scanned),
      C(scan_failed), C(queue_timeout), C(run_timeout), C(not_covered), C(incomplete), C(stale_baseline), C(findings) or
      C(passed), the worst first. It is the worst one of all targets. A task that refuses its options has the outcome
      C(misconfigured).
  returned: always, once the gate has judged, and if an option is wrong
  type: str
  sample: findings
passed:
  description: Whether the outcome is C(passed).
  returned: always, once the gate has judged, and if an option is wrong
  type: bool
  sample: false
verdict:
  description: What RV(outcome) does to the task, V(fail), V(warn) or V(pass). See O(outcomes).
  returned: always, once the gate has judged
  type: str
  sample: fail
reasons:
  description: Why the outcome is not C(passed), one sentence each, the worst first.
  returned: always, once the gate has judged
  type: list
  elements: str
  sample:
    - 1 finding of shop.example.com fails the policy, the worst is critical.
see:
  description:
    - Addresses of what to do - C(outcome) for the outcome that decides, C(reasons) for each of RV(reasons) in their
      order, and C(policy) for the keys of O(policy) for which findings fail.
  returned: always, once the gate has judged
  type: dict
  sample:
    outcome: https://github.com/scanops/scanops.scanner/blob/main/docs/docsite/rst/outcomes.rst#outcome-findings
    reasons: [https://github.com/scanops/scanops.scanner/blob/main/docs/docsite/rst/outcomes.rst#outcome-findings]
    policy: {fail_on: https://github.com/scanops/scanops.scanner/blob/main/docs/docsite/rst/outcomes.rst#policy-fail-on}
coverage:
  description: Whether everything that was to be judged was scanned - V(complete), V(partial), or V(unknown) for a file.
  returned: always, once the gate has judged
  type: str
  sample: complete
targets:
  description: What was judged, one row for each target and tool.
  returned: always, once the gate has judged
  type: list
  elements: dict
  sample:
    - target: shop.example.com
      target_id: 4711
      workspace: Web shop
      tool: Website Scanner
      tool_id: 170
      scan_id: 1202
      status: finished
      outcome: findings
      verdict: fail
      finished: "2026-01-31T12:00:00Z"
      age: 5400
      duration: 900
      reasons:
        - 1 finding fails the policy, the worst is critical.
controls:
  description:
    - The controls of O(must_see), one row for each target and tool that they are for. RV(controls[].seen) is null if the
      scan did not finish or was not read completely.
    - With O(findings_file), those of the file.
  returned: always, once the gate has judged
  type: list
  elements: dict
  sample:
    - name: Directory listing at /account/canary/
      target: shop.example.com
      tool: Website Scanner
      scan_id: 1202
      seen: true
      reason: Only users get to this page
  contains:
    seen:
      description: Whether the scan saw the control.
      returned: success
      type: bool
      sample: true
findings:
  description:
    - The findings, failing ones first. Each has its RV(findings[].state), the RV(findings[].reasons) for it, and
      RV(findings[].change) against the baseline. The guide lists all fields.
    - If the task fails, C(description), C(risk), C(recommendation), C(evidence) and C(references) are empty here and in
      RV(failing), because Ansible prints the result. C(gate.json) has them.
  returned: always, once the gate has judged
  type: list
  elements: dict
  sample:
    - fingerprint: 1:0f1e2d3c4b5a69788796a5b4c3d2e1f0
      index: 1
      state: failing
      change: new
      severity: critical
      name: Remote code execution
      target: shop.example.com
      reasons: [severity is critical and fail_on is high]
      due: null
      team: Checkout
      contact: checkout@example.com
      channel: null
  contains:
    state:
      description: V(failing), V(waived), V(known), or V(below) if the policy does not count the finding.
      returned: success
      type: str
      sample: failing
    change:
      description: V(new), V(known), V(reopened) or V(worse). Null without a baseline.
      returned: success
      type: str
      sample: new
    reasons:
      description: Why the finding has this state.
      returned: success
      type: list
      elements: str
      sample: [severity is critical and fail_on is high]
    due:
      description:
        - The date in UTC on which O(policy.older_than) begins to fail the finding. Null if it fails already, if it is
          waived, or if no maximum age applies.
      returned: success
      type: str
      sample: "2026-12-31"
    team:
      description: The team that owns the target, by O(owners). Null if nobody does.
      returned: success
      type: str
      sample: Checkout
    contact:
      description: Who to ask in the team, by O(owners).
      returned: success
      type: str
      sample: checkout@example.com
    channel:
      description: Where the team talks, by O(owners).
      returned: success
      type: str
      sample: "#checkout"
failing:
  description: The findings whose state is V(failing).
  returned: always, once the gate has judged
  type: list
  elements: dict
  sample: []
summary:
  description: The number of findings of each severity.
  returned: always, once the gate has judged
  type: dict
  sample: {critical: 1, high: 0, medium: 2, low: 1, info: 4, unknown: 0}
counts:
  description: The number of findings by state, and by change against the baseline.
  returned: always, once the gate has judged
  type: dict
  sample: {total: 8, failing: 1, waived: 0, known: 0, below: 7, new: 8, gone: 0, unseen: 0, reopened: 0, worse: 0}
waivers:
  description:
    - Expired and unused waivers, and in C(doubled) the findings that several waivers match. C(unused) is empty unless
      everything was judged. C(ending) has those that end within O(notice), each with the C(days) that are left.
  returned: always, once the gate has judged
  type: dict
  sample: {expired: [], unused: [], doubled: [], ending: []}
baseline:
  description: What was done with the baseline, and why.
  returned: always, once the gate has judged
  type: dict
  sample: {path: security/baseline.json, state: read, scheme: 1, accepted: 12, reason: null}
workspace:
  description: The name of the workspace that was judged. Null for several.
  returned: always, once the gate has judged
  type: str
  sample: Web shop
origin:
  description: The option O(origin). Null for what is not set.
  returned: always, once the gate has judged
  type: dict
  sample: {build: https://ci.example.com/builds/4711, commit: 9fceb02d0ae598e9, scan_url: null}
build:
  description: The option O(build), or that of the C(gate.json) in O(findings_file). Null if there is none.
  returned: always, once the gate has judged
  type: dict
  sample: {url: "https://shop.example.com/version", expected: 4f2a91bc, before: 4f2a91bc, after: 4f2a91bc}
policy:
  description: The policy that was applied, with its defaults.
  returned: always, once the gate has judged
  type: dict
  sample: {fail_on: high, only_new: false}
outcomes:
  description: What each outcome does, with the defaults of O(outcomes).
  returned: always, once the gate has judged
  type: dict
  sample: {findings: fail, passed: pass}
sources:
  description: The dates of O(epss_file) and O(known_exploited_file). Null for a file that is not set.
  returned: always, once the gate has judged
  type: dict
  sample: {epss: null, known_exploited: null}
owners:
  description: The path of O(owners), and the judged targets that nobody owns. Null if it is not set.
  returned: always, once the gate has judged
  type: dict
  sample: {path: security/owners.yml, unowned: [old.example.com]}
generated:
  description: When the gate judged, in UTC.
  returned: always, once the gate has judged
  type: str
  sample: "2026-01-31T12:00:00Z"
schema:
  description: The name of the format of this result and of C(gate.json).
  returned: always, once the gate has judged
  type: str
  sample: scanops.scanner/gate
version:
  description: The version of that format.
  returned: always, once the gate has judged
  type: int
  sample: 1
run:
  description: A random id of this run, which C(gate.json) has, too. The roles that follow a gate know it by this id.
  returned: always, once the gate has judged
  type: str
  sample: 3f1d5c0e9a7b48d2a1c6e5f40b7d9823
msg:
  description: One sentence that says how the gate ended, also if it passed.
  returned: always
  type: str
  sample: "The gate passed: 0 of 8 findings fail, 2 known (shop.example.com, Website Scanner)."
problems:
  description: What is wrong with the waivers, each problem with its file and line.
  returned: failure, if the waivers have more than one problem
  type: list
  elements: str
  sample:
    - "waivers.yml:3: owner is missing: name who answers for it."
    - "waivers.yml:9: status is 'fixed': write one of accepted, false_positive, fixed_elsewhere, not_affected."
collection_version:
  description: The version of the collection that judged.
  returned: always, once the gate has judged
  type: str
  sample: 1.0.0
gone:
  description:
    - Findings of the baseline that a finished scan of the same target and tool no longer has. Its parameters are not
      narrower than those of the scan that found them.
  returned: always, once the gate has judged
  type: list
  elements: dict
  sample: []
unseen:
  description:
    - Findings of the baseline that the scan of the same target and tool does not have, but could not have seen, such as
      a light scan after a deep one. Each has its C(reason). They stay in the baseline as they are.
  returned: always, once the gate has judged
  type: list
  elements: dict
  sample: []
files:
  description: The files of O(artifacts) and the O(baseline), if it was written.
  returned: always, once the gate has judged
  type: list
  elements: dict
  sample:
    - path: artifacts/gate.json
      format: json
      changed: true
"""

from ..module_utils._evidence.read import read
from ..module_utils._gate.build import BUILD_OPTIONS
from ..module_utils._gate.formats.attestation import SUBJECT_OPTIONS
from ..module_utils._gate.formats.registry import FORMATS
from ..module_utils._gate.gate import run_gate, withdraw
from ..module_utils._gate.policy import EXPECT_OPTIONS, ORIGIN_OPTIONS, POLICY_OPTIONS
from ..module_utils._task.module import Module, run

OPTIONS = dict(
    workspace=dict(type="str"),
    workspace_id=dict(type="int"),
    targets=dict(type="list", elements="str"),
    tools=dict(type="list", elements="str"),
    scan_ids=dict(type="list", elements="int"),
    findings_file=dict(type="path"),
    scan_results=dict(type="list", elements="dict"),
    policy=dict(type="dict", apply_defaults=True, options=POLICY_OPTIONS),
    expect=dict(type="dict", options=EXPECT_OPTIONS),
    must_see=dict(type="list", elements="dict"),
    baseline=dict(type="path"),
    baseline_missing=dict(type="str", choices=["create", "fail", "all_new"], default="all_new"),
    baseline_update=dict(type="bool", default=False),
    waivers=dict(type="list", elements="path", default=[]),
    allow_permanent=dict(type="bool", default=False),
    notice=dict(type="str", default="14d"),
    owners=dict(type="path"),
    epss_file=dict(type="path"),
    epss_max_age=dict(type="str", default="7d"),
    known_exploited_file=dict(type="path"),
    known_exploited_max_age=dict(type="str", default="7d"),
    stale_catalogues=dict(type="str", choices=["warn", "fail"], default="warn"),
    outcomes=dict(type="dict"),
    artifacts=dict(type="path"),
    formats=dict(type="list", elements="str", choices=list(FORMATS), default=["json", "markdown"]),
    subjects=dict(type="list", elements="dict", default=[], options=SUBJECT_OPTIONS),
    sarif_profile=dict(type="str", choices=["github", "gitlab", "full"], default="github"),
    sarif_category=dict(type="str"),
    estate_files=dict(type="list", elements="path", default=[]),
    sarif_location=dict(type="str"),
    export_all=dict(type="bool", default=True),
    origin=dict(type="dict", options=ORIGIN_OPTIONS),
    build=dict(type="dict", options=BUILD_OPTIONS),
    rows=dict(type="str", choices=["all", "failing"], default="all"),
)
WHAT_TO_JUDGE = ("workspace", "workspace_id", "scan_ids", "findings_file")


MODULE = Module(
    OPTIONS,
    lambda task: run_gate(task.host, task.warn, lambda: read(task)),
    withdraw=withdraw,
    add_file_common_args=True,
    writes=("artifacts", "baseline"),
    offline=("findings_file",),
    required_one_of=[WHAT_TO_JUDGE],
    mutually_exclusive=[
        ("workspace", "workspace_id"),
        *[("findings_file", other) for other in ("workspace_id", "scan_ids", "targets", "tools")],
        *[("scan_ids", other) for other in ("targets", "tools")],
    ],
)


def main() -> None:
    run(MODULE)


if __name__ == "__main__":
    main()
