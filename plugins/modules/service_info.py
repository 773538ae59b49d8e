#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: service_info
short_description: Check the connection to the security-scanning service before anything else
description:
  - Says whether O(base_url) is the service's API, and what answers there if it is not, whether the key is accepted and
    its plan has API access, how much of the rate limit is left, which workspaces the key sees, and how far the clocks
    differ.
  - Run it first, and when something does not work. Nothing in its result is secret but the names of the workspaces.
  - With O(schema=true) it also compares the OpenAPI file that the service publishes with all that this collection
    relies on, so that one task tells what is assumed wrongly, or what the service has changed.
  - Cost - 1 GET. Where the answer is not the service's, or with O(schema=true), 1 GET more, which carries no key and
    goes to C(/api-schema.yml) on the host of O(base_url).
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.reads
  - scanops.scanner.attributes.action_group
  - scanops.scanner.connection
options:
  required:
    description:
      - Whether the task fails where the service cannot be used with this address and this key.
      - With V(false) the task says in RV(service.problem) what is wrong and does not fail. It then asks once, without
        O(retries) and without waiting for the rate limit.
      - A wrong option, such as a O(base_url) that is no address, fails the task in any case.
    type: bool
    default: false
  schema:
    description:
      - Whether the service's OpenAPI file is read and compared.
      - Differences are returned and never fail the task, and neither does a file that cannot be read.
      - It needs the Python library PyYAML on the host on which the module runs.
    type: bool
    default: false
requirements:
  - PyYAML, for O(schema=true)
notes:
  - The OpenAPI file is read up to 4 MiB. References to other files are not followed.
  - Without PyYAML a wrong path of O(base_url) cannot be told from a wrong host.
seealso:
  - ref: What is assumed about the service <ansible_collections.scanops.scanner.docsite.guide_assumptions>
    description: Each assumption, the one place in the code that holds it, and its test.
"""

EXAMPLES = r"""
- name: See whether the service can be used
  scanops.scanner.service_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
  register: preflight

- name: Show what was found
  ansible.builtin.debug:
    var: preflight.service

- name: End the play here unless the service can be used
  scanops.scanner.service_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    required: true

- name: Compare the service with what the collection relies on
  scanops.scanner.service_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    schema: true
  register: compared

- name: Fail where they differ, or could not be compared
  ansible.builtin.assert:
    that: compared.service.schema == []
    fail_msg: "{{ compared.service.schema_problem or compared.service.schema }}"
"""

RETURN = r"""
service:
  description: What was found. What could not be told is null.
  returned: success, and on failure because of O(required)
  type: dict
  sample:
    reachable: true
    is_api: true
    found: null
    status: 200
    authenticated: true
    api_access: true
    rate_limit:
      limit: 250
      remaining: 249
      retry_after: null
    workspaces:
      - id: 12
        name: Web shop
    clock_skew: 0
    problem: null
    schema: null
    schema_version: null
    schema_problem: null
  contains:
    reachable:
      description: Whether anything answered at O(base_url).
      returned: success
      type: bool
      sample: true
    is_api:
      description: Whether the answer is that of the service's API; null where that cannot be told.
      returned: success
      type: bool
      sample: true
    found:
      description: What answers at O(base_url) where it is not the API, or may not be; else null.
      returned: success
      type: str
      sample: "an HTML page with the title 'Sign in' by the server 'nginx'"
    status:
      description: The HTTP status of the answer.
      returned: success
      type: int
      sample: 200
    authenticated:
      description: Whether the key was accepted.
      returned: success
      type: bool
      sample: true
    api_access:
      description: Whether the plan of the account, and the rights of the key, let it use the API.
      returned: success
      type: bool
      sample: true
    rate_limit:
      description: The limit for GET calls, as the answer told it.
      returned: success
      type: dict
      sample:
        limit: 250
        remaining: 249
        retry_after: null
      contains:
        limit:
          description: How many calls are allowed, in a minute as far as is known.
          returned: success
          type: int
          sample: 250
        remaining:
          description: How many of them are left.
          returned: success
          type: int
          sample: 249
        retry_after:
          description: Where the limit is used up, the seconds until the next call is allowed.
          returned: success
          type: int
          sample: 12
    workspaces:
      description: The workspaces that the key sees, in the order of their ids.
      returned: success
      type: list
      elements: dict
      sample:
        - id: 12
          name: Web shop
      contains:
        id:
          description: The id of the workspace.
          returned: success
          type: int
          sample: 12
        name:
          description: Its name.
          returned: success
          type: str
          sample: Web shop
    clock_skew:
      description:
        - Seconds by which the service's clock is ahead of the clock of the host on which the module runs, less than 0
          where it is behind. Differences that cannot be told from the time that the call took are 0.
        - More than a minute is a warning as well.
      returned: success
      type: int
      sample: 0
    problem:
      description: What stands in the way of using the service, one sentence; null where nothing does.
      returned: success
      type: str
      sample: null
    schema:
      description:
        - What the service's OpenAPI file lacks or contradicts. Empty where it agrees with all that the collection
          relies on, null where it was not compared.
      returned: success
      type: list
      elements: dict
      sample:
        - kind: missing
          part: parameter
          operation: GET /targets
          name: type
          note: the schema has no such query parameter
      contains:
        kind:
          description: V(missing), V(contradicts) or V(deprecated).
          returned: success
          type: str
          sample: missing
        part:
          description:
            - What differs - V(operation), V(parameter), V(body), V(answer), V(field) of an answer, V(authentication) or
              V(server).
          returned: success
          type: str
          sample: parameter
        operation:
          description: The call that relies on it, empty for what holds for all of them.
          returned: success
          type: str
          sample: GET /targets
        name:
          description: The parameter or the field, empty where the whole differs.
          returned: success
          type: str
          sample: type
        note:
          description: What the difference is.
          returned: success
          type: str
          sample: the schema has no such query parameter
    schema_version:
      description: The version that the OpenAPI file says that it has.
      returned: success
      type: str
      sample: 1.0.1.1
    schema_problem:
      description: Why the OpenAPI file could not be compared, one sentence, which is a warning as well.
      returned: success
      type: str
      sample: null
"""

from ansible_collections.scanops.scanner.plugins.module_utils._module import run
from ansible_collections.scanops.scanner.plugins.module_utils._service import read_service

OPTIONS = dict(
    required=dict(type="bool", default=False),
    schema=dict(type="bool", default=False),
)


def main():
    run(OPTIONS, read_service)


if __name__ == "__main__":
    main()
