#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: http_logger_data_info
short_description: Read the recorded requests of an HTTP logger
description:
  - Returns the recorded requests of one HTTP logger. Bodies that are text are decoded. A request must pass all filters.
  - If the logger does not exist, the task fails, so that a typo does not look like "no requests". In check mode, it
    only warns and returns an empty list, because an earlier task may create the logger.
  - A list that is shorter than the service or the count of the logger says is an error.
  - Cost - 2 GET. Filters save no calls.
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.reads
  - scanops.scanner.attributes.action_group
  - scanops.scanner.connection
options:
  label:
    description:
      - The label of the logger.
      - Exactly one of O(label) and O(id) is required.
    type: str
  id:
    description:
      - The id of the logger.
    type: int
  method:
    description:
      - Return only requests with this HTTP method. Case does not matter.
    type: str
  path:
    description:
      - Return only requests whose query string matches this glob pattern, such as V(id=17&*). Case matters.
      - The service records no other part of the path.
    type: str
  header:
    description:
      - Return only requests with this header, as a name or as a name and a glob pattern for the value, such as
        V(X-Canary) or V(X-Canary:shop-*). The case of the name does not matter.
    type: str
  after:
    description:
      - Return only requests with a higher id than this one, which are those that the logger recorded later.
      - A request without a valid id fails the task.
    type: int
  source:
    description:
      - Return only requests from this IP address or network, such as V(192.0.2.7) or V(192.0.2.0/24).
    type: str
  since:
    description:
      - Return only requests recorded at or after this time, such as V(2026-01-31) or V(2026-01-31 12:00:00).
      - A time zone is refused, because the service returns times without one and they are compared unchanged. A
        recorded time that has an offset is converted to UTC first.
      - A request whose time is missing or cannot be read is returned, with a warning.
    type: str
notes:
  - Recorded requests contain untrusted text. Treat it as data, never as a template or a command.
seealso:
  - module: scanops.scanner.http_logger_data
"""

EXAMPLES = r"""
- name: Read the requests from one network since noon
  scanops.scanner.http_logger_data_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    label: canary-shop
    source: 192.0.2.0/24
    since: "2026-01-31 12:00:00"
  register: canary

- name: Fail if the canary received a request
  ansible.builtin.assert:
    that: canary.requests | length == 0
"""

RETURN = r"""
undecided:
  description:
    - The number of requests that are not returned because they lack a field that O(method), O(path), O(header) or
      O(source) compares. They may be requests that you search for.
  returned: success
  type: int
  sample: 0
total:
  description: The number of recorded requests before the filters; with O(after), of those after it.
  returned: success
  type: int
  sample: 3
records:
  description:
    - Whether the logger can still record requests. If not, because its C(active_days) are over, the task warns, as a
      request that is missing then proves nothing.
  returned: success
  type: bool
  sample: true
requests:
  description: The recorded requests in the service's order, with every field that the service returns.
  returned: success
  type: list
  elements: dict
  sample:
    - id: 1
      ip_address: 192.0.2.7
      request_method: POST
      url_params: a=1
      user_agent: curl/8.0
      os: Linux
      http_headers:
        - "Host: handler.example.com"
      request_body_type: text
      request_body_base64: aGVsbG8=
      request_date: "2026-01-31 12:34:56"
      body: hello
  contains:
    ip_address:
      description: The IP address of the client.
      returned: success
      type: str
      sample: 192.0.2.7
    request_method:
      description: The HTTP method of the request.
      returned: success
      type: str
      sample: POST
    url_params:
      description: Its query string, as sent.
      returned: success
      type: str
      sample: a=1
    http_headers:
      description: Its headers, one string for each.
      returned: success
      type: list
      elements: str
      sample: ["Host: handler.example.com"]
    request_body_base64:
      description: Its body in Base64.
      returned: success
      type: str
      sample: aGVsbG8=
    request_date:
      description: When it was recorded, in the service's format, without a time zone.
      returned: success
      type: str
      sample: "2026-01-31 12:34:56"
    body:
      description: Its decoded body if it is UTF-8 text. Null otherwise.
      returned: success
      type: str
      sample: hello
"""

from ..module_utils._estate.logger_data import read
from ..module_utils._task.module import Module, run

OPTIONS = dict(
    label=dict(type="str"),
    id=dict(type="int"),
    method=dict(type="str"),
    path=dict(type="str"),
    header=dict(type="str"),
    after=dict(type="int"),
    source=dict(type="str"),
    since=dict(type="str"),
)
MODULE = Module(OPTIONS, read, required_one_of=[("label", "id")], mutually_exclusive=[("label", "id")])


def main() -> None:
    run(MODULE)


if __name__ == "__main__":
    main()
