#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: service_verification
short_description: Verify the assumptions about the service
description:
  - Tests each assumption in
    R(the guide on assumptions,ansible_collections.scanops.scanner.docsite.guide_assumptions) against the service.
    Returns whether the answers confirm or refute it, or why it was not tested, and what breaks if it is wrong.
  - An assumption is confirmed only if the opposite would have shown. A filter, for example, is confirmed only if the
    list without it has objects that the filter leaves out.
  - The result always has a row for each assumption, also if the task fails.
  - The module only reads, unless O(writes=true). It never starts a scan and never creates a report.
  - The result contains field names, types, statuses and numbers of the service. It contains no key, and no name,
    address or text of your account.
  - With O(record), the forms of all answers are written to a file. The developers can repeat with it what your service
    does.
  - The playbook C(scanops.scanner.verify_service) runs this module, shows the result as a table and writes it to a
    file.
  - Cost - about 30 to 180 GET; with O(writes=true) + 10 POST, 2 PUT, 1 PATCH, 6 DELETE and 32 GET. See
    R(Cost in API calls,ansible_collections.scanops.scanner.docsite.guide_costs).
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.writes
  - scanops.scanner.attributes.action_group_scoped
  - scanops.scanner.connection
  - scanops.scanner.scope.short
attributes:
  check_mode:
    details:
      - Sends only GET calls, as with O(writes=false). With O(record), no file is written.
  diff_mode:
    details:
      - The diff is empty, unless an object of the verification could not be deleted. It never shows O(record).
options:
  writes:
    description:
      - Create two workspaces, the target O(target) in each of them, and four HTTP loggers, change one of the
        workspaces, and delete them all. Their names begin with C(verify-) and end in random characters. Nothing is
        scanned.
      - Also send one finding the status that it has, which the public documentation calls no change. If it changes the
        finding all the same, the task fails and says so.
      - By default, the assumptions about creates and deletes are not tested.
      - Danger - if an object of the verification cannot be deleted, it remains. The task then fails and names it. An
        interrupted task deletes them, too.
    type: bool
    default: false
  target:
    description:
      - The name of the target that O(writes=true) creates and deletes. Set it if the account or O(scope) does not
        permit C(example.com).
      - If not set, a random name below C(example.com) is used. It has capital letters, so that the spelling of names is
        verified, too.
      - If a target with this name exists, the task fails before anything is created, and the target is not changed.
      - Danger - name only what you are authorised to scan. Nothing scans the target, but the service learns its name
        and may resolve it.
    type: str
  record:
    description:
      - Write a recording to this file, a JSON document with the form of each answer - method, path without ids, names
        of query parameters, status, the headers that matter, and the fields of the body with their types. The file is
        on the host on which the module runs. Its directory must exist.
      - The recording contains no key, and no text, id, host, address or time of your account. Equal ids and names are
        replaced by equal numbers. Times become offsets from the first answer, rounded to the hour, in their order and
        their form, and in UTC. Large numbers are rounded.
        Only words, fields and headers that the collection knows are written. The
        R(guide on assumptions,ansible_collections.scanops.scanner.docsite.guide_assumptions) links to one.
      - It is written even if the verification fails, and always counts as a change. Only its owner can read it.
      - In check mode, the change is predicted.
    type: path
seealso:
  - module: scanops.scanner.service_info
"""

EXAMPLES = r"""
- name: Verify the assumptions that need only reads
  scanops.scanner.service_verification:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
  register: verified

- name: Show the refuted assumptions
  ansible.builtin.debug:
    msg: "{{ verified.rows | selectattr('verdict', 'equalto', 'refuted') }}"

- name: Also verify creates and deletes
  scanops.scanner.service_verification:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    writes: true

- name: Record the forms of all answers
  scanops.scanner.service_verification:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    writes: true
    record: /home/you/recording.json
"""

RETURN = r"""
rows:
  description:
    - One row for each assumption, in the order of
      R(the list of assumptions,ansible_collections.scanops.scanner.docsite.guide_assumptions_table).
  returned: success, and failure after the first call
  type: list
  elements: dict
  sample:
    - name: past-end
      assumption: The page after the last is an empty list.
      verdict: refuted
      seen: status 404, an object with message, status
      source: nobody has checked
      modules: [target, target_info, targets, scan, scan_info, estate, estate_info, coverage_info]
      consequence: A complete list cannot be read, and the task fails.
      safe: true
  contains:
    name:
      description: The name of the assumption, the anchor of its section in that list.
      returned: success
      type: str
      sample: past-end
    assumption:
      description: The assumption.
      returned: success
      type: str
      sample: The page after the last is an empty list.
    verdict:
      description: V(confirmed), V(refuted) or V(not tried).
      returned: success
      type: str
      sample: refuted
    seen:
      description: What was observed, or why it was not tested.
      returned: success
      type: str
      sample: status 404, an object with message, status
    source:
      description:
        - Where the assumption comes from - V(specification), V(public documentation), V(published client) of the
          service's vendor, or V(nobody has checked).
      returned: success
      type: str
      sample: nobody has checked
    modules:
      description: The modules that depend on it. V(all) stands for every module that makes calls.
      returned: success
      type: list
      elements: str
      sample: [wordlist_info]
    consequence:
      description: What happens if the assumption is wrong.
      returned: success
      type: str
      sample: A complete list cannot be read, and the task fails.
    safe:
      description:
        - Whether that is safe, because the task fails or another form is read as well. If not, a result may be wrong
          without an error.
      returned: success
      type: bool
      sample: true
summary:
  description: The number of rows for each verdict.
  returned: success, and failure after the first call
  type: dict
  sample: {confirmed: 55, refuted: 2, not tried: 21}
verified_with:
  description: The versions of the collection and of ansible-core, the time, and whether objects were created.
  returned: success, and failure after the first call
  type: dict
  sample: {collection: 1.0.0, ansible_core: 2.20.0, date: "2026-11-25T04:00:00Z", writes: false}
"""

from ..module_utils._contract.verification import verify_and_record
from ..module_utils._scope.file import scope_in_force
from ..module_utils._scope.option import SCOPE_OPTION
from ..module_utils._task.module import Module, run

OPTIONS = dict(
    writes=dict(type="bool", default=False),
    target=dict(type="str"),
    record=dict(type="path"),
    scope=SCOPE_OPTION,
)
MODULE = Module(OPTIONS, verify_and_record, scope_in_force)


def main() -> None:
    run(MODULE)


if __name__ == "__main__":
    main()
