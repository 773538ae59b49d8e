#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: service_info
short_description: Check the connection to the service
description:
  - Checks whether O(base_url) is the service's API, whether the key is accepted, and whether its plan has API access.
    It also returns the rate limit, the workspaces that the key can see, and the clock difference. Run it first, and for
    troubleshooting.
  - With O(schema=true), also compares the OpenAPI file of the service with everything that this collection relies on.
    The result shows wrong assumptions and changes in the service.
  - The result contains nothing confidential except the names of the workspaces.
  - Cost - 1 GET, or 2 GET with O(schema=true) or if something other than the API answers.
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
      - Fail the task if the service cannot be used with this URL and this key. The result contains RV(service) all the
        same.
      - With V(false), the task does not fail. It reports the problem in RV(service.problem), and sends its call only
        once, without O(retries) and without waiting for the rate limit.
      - An invalid option, such as a O(base_url) that is not a URL, always fails the task.
    type: bool
    default: true
  schema:
    description:
      - Read the OpenAPI file of the service and compare it.
      - Differences are returned, and never fail the task. A file that cannot be read does not fail it either.
      - This requires the Python library PyYAML on the host on which the module runs.
    type: bool
    default: false
requirements:
  - PyYAML, for O(schema=true)
notes:
  - The OpenAPI file is read from C(/api-schema.yml) on the host of O(base_url), without the key and up to 4 MiB.
    References to other files are not followed.
  - Without PyYAML, the module cannot distinguish a wrong path in O(base_url) from a wrong host.
seealso:
  - ref: What is known about the service, and how <ansible_collections.scanops.scanner.docsite.guide_assumptions>
    description: What breaks first if an assumption is wrong, and how to check a live service.
"""

EXAMPLES = r"""
- name: Check the connection
  scanops.scanner.service_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"

- name: Look at the service, whether or not it can be used
  scanops.scanner.service_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    required: false
  register: preflight

- name: Show the result
  ansible.builtin.debug:
    var: preflight.service

- name: Compare the OpenAPI file of the service with what the collection relies on
  scanops.scanner.service_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    schema: true
  register: compared

- name: Fail if they differ, or could not be compared
  ansible.builtin.assert:
    that: compared.service.schema == []
    fail_msg: "{{ compared.service.schema_problem or compared.service.schema }}"
"""

RETURN = r"""
service:
  description: The result of the check. Unknown values are null.
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
      description: Whether the answer is from the service's API. Null if that is unknown.
      returned: success
      type: bool
      sample: true
    found:
      description: What answers at O(base_url) if it is not, or may not be, the API. Null otherwise.
      returned: success
      type: str
      sample: "an HTML page with the title 'Sign in' from the server 'nginx'"
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
      description: Whether the plan of the account and the rights of the key permit API access.
      returned: success
      type: bool
      sample: true
    rate_limit:
      description: The limit for GET calls, as the answer reports it.
      returned: success
      type: dict
      sample:
        limit: 250
        remaining: 249
        retry_after: null
      contains:
        limit:
          description: The number of allowed calls, as far as is known for each minute.
          returned: success
          type: int
          sample: 250
        remaining:
          description: The number of remaining calls.
          returned: success
          type: int
          sample: 249
        retry_after:
          description: The number of seconds until the next call is allowed, if the limit is exhausted.
          returned: success
          type: int
          sample: 12
    workspaces:
      description: The workspaces that the key can see, in the order of their ids.
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
        - The number of seconds by which the service's clock is ahead of the host on which the module runs. Negative if
          it is behind. A difference within the duration of the call is 0.
        - The task warns if it is more than a minute.
      returned: success
      type: int
      sample: 0
    problem:
      description: Why the service cannot be used, in one sentence. Null if it can.
      returned: success
      type: str
      sample: null
    schema:
      description:
        - The differences between the OpenAPI file and what the collection relies on. Empty if nothing differs, null if
          it was not compared.
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
            - What differs. One of V(operation), V(parameter), V(body), V(answer), V(field) (of an answer),
              V(authentication) and V(server).
          returned: success
          type: str
          sample: parameter
        operation:
          description: The call that relies on it. Empty if it applies to all calls.
          returned: success
          type: str
          sample: GET /targets
        name:
          description: The parameter or field. Empty if the difference is not in a single one.
          returned: success
          type: str
          sample: type
        note:
          description: The difference in words.
          returned: success
          type: str
          sample: the schema has no such query parameter
    schema_version:
      description: The version that the OpenAPI file declares.
      returned: success
      type: str
      sample: 1.0.1.1
    schema_problem:
      description: Why the OpenAPI file could not be compared, in one sentence. It is also a warning.
      returned: success
      type: str
      sample: null
"""

from ..module_utils._contract.service_info import read_service
from ..module_utils._task.module import Module, run

OPTIONS = dict(
    required=dict(type="bool", default=True),
    schema=dict(type="bool", default=False),
)
MODULE = Module(OPTIONS, read_service)


def main() -> None:
    run(MODULE)


if __name__ == "__main__":
    main()
