# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    # the options of plugins/module_utils/_task/connection_options.py
    DOCUMENTATION = r"""
---
options:
  base_url:
    description:
      - The base URL of the service's API with its version, such as V(https://HOST/api/v2). Required, unless the
        environment variable E(SCANNER_BASE_URL) is set.
    type: str
  api_key:
    description:
      - The API key, which belongs in R(a vault,ansible_collections.scanops.scanner.docsite.guide_security). Required,
        unless the environment variable E(SCANNER_API_KEY) is set.
      - Danger - Ansible shows the C(environment) of a play at C(-vvv). Prefer this option, or C(module_defaults).
    type: str
  timeout:
    description:
      - The maximum number of seconds to wait for the connection, and for each chunk of the answer, more than 0 and at
        most 86400. If not set, E(SCANNER_TIMEOUT) is used.
    type: float
    default: 30.0
  retries:
    description:
      - The number of R(retries,ansible_collections.scanops.scanner.docsite.guide_behaviour) of a call after a gateway
        error, a lost connection or a timeout. If not set, E(SCANNER_RETRIES) is used.
    type: int
    default: 3
  rate_limit_wait:
    description:
      - The maximum number of seconds that a task waits for the
        R(rate limit,ansible_collections.scanops.scanner.docsite.guide_costs.rate_budget) in total, or V(0) to fail at
        the first answer with status 429. If not set, E(SCANNER_RATE_LIMIT_WAIT) is used.
    type: int
    default: 300
  rate_share:
    description:
      - The percentage of each R(rate limit,ansible_collections.scanops.scanner.docsite.guide_costs.rate_budget) that all
        tasks of this machine with this key use together, from 1 to 100. If not set, E(SCANNER_RATE_SHARE) is used.
      - Danger - machines that use more than 100 percent together get answers with status 429, and wait longer.
    type: int
    default: 100
  call_timeout:
    description:
      - The maximum number of seconds for a call with its retries, at most 86400 and by default four times O(timeout);
        downloads may take longer while 1 KiB a second arrives. If not set, E(SCANNER_CALL_TIMEOUT) is used.
    type: float
  max_answer:
    description:
      - The maximum size of an answer in bytes, after decompression; a larger one fails the task, and of an error at most
        1 MiB is read. If not set, E(SCANNER_MAX_ANSWER) is used.
    type: int
    default: 268435456
  validate_certs:
    description:
      - Whether to verify the TLS certificate of the service. If not set, E(SCANNER_VALIDATE_CERTS) is used.
      - Danger - with V(false), anybody between this host and the service can read the key.
    type: bool
    default: true
  ca_path:
    description:
      - A file or directory with the certificates of trusted certificate authorities. If not set, E(SCANNER_CA_PATH),
        E(REQUESTS_CA_BUNDLE) or E(CURL_CA_BUNDLE) is used, or the certificates of the Python library requests.
    type: path
  client_cert:
    description:
      - A client certificate in PEM format, which may contain its key, if a reverse proxy requires one. If not set,
        E(SCANNER_CLIENT_CERT) is used.
    type: path
  client_key:
    description:
      - The key of O(client_cert), if it is in a separate file. If not set, E(SCANNER_CLIENT_KEY) is used.
    type: path
  proxy:
    description:
      - The R(proxy,ansible_collections.scanops.scanner.docsite.guide_security) for all calls, such as
        V(http://HOST:PORT). If not set, E(SCANNER_PROXY) is used, otherwise E(HTTPS_PROXY), E(HTTP_PROXY) and
        E(NO_PROXY).
    type: str
  allow_http:
    description:
      - Whether O(base_url) may use plain HTTP to a host that is not a loopback address. If not set,
        E(SCANNER_ALLOW_HTTP) is used.
      - Danger - with V(true), the key is sent unencrypted.
    type: bool
    default: false
  in_process:
    description:
      - Whether a task on the controller may run
        R(in process,ansible_collections.scanops.scanner.docsite.guide_behaviour.in_process), with the same result in a
        fraction of the time. If not set, E(SCANNER_IN_PROCESS) is used.
    type: bool
    default: true
requirements:
  - Python 3.9 or later
  - requests 2.31 or later
notes:
  - Environment variables are those of the host on which the module runs. C(module_defaults) with the action group
    V(scanops.scanner.all) sets the connection once for a play.
  - If a call fails, the result has RV(ignore:api_error), with the keys C(status) (null without an answer), C(message),
    C(details), C(method) and C(path). At C(-vv) and above, results have RV(ignore:api_calls), the calls that were sent.
  - Call the service from one host. Use a play on C(localhost), or C(delegate_to=localhost) and C(run_once=true) in a
    play with many hosts.
"""
