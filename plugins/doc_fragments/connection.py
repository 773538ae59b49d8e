# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    # the options of plugins/module_utils/_options.py
    DOCUMENTATION = r"""
---
options:
  base_url:
    description:
      - The address of the service's API, with its version, as in V(https://HOST/api/v2). A trailing slash does not
        matter.
      - There is no default, so that the key goes nowhere by accident.
      - User info (V(user:password@)) and addresses without a path are refused.
      - If not set, the environment variable E(SCANNER_BASE_URL) of the host on which the module runs is used.
    type: str
    required: true
  api_key:
    description:
      - The API key, generated in the web application in the account area under API.
      - It is sent to O(base_url) only, in a header, over https, or over http to a loopback address or with
        O(allow_http=true).
      - Keep it in a vault; O(ignore:module_defaults) with the action group V(scanops.scanner.all) sets it once for a
        play.
      - If not set, the environment variable E(SCANNER_API_KEY) of the host on which the module runs is used.
        Ansible prints a play's C(environment) at C(-vvv), so the option is the safer way.
    type: str
    required: true
  timeout:
    description:
      - How long a call waits for the connection, and for each part of the answer, in seconds. More than 0, at most
        86400.
      - If not set, the environment variable E(SCANNER_TIMEOUT) of the host on which the module runs is used.
    type: float
    default: 30.0
  retries:
    description:
      - How often a call is repeated after a gateway error (502, 503, 504), a lost connection or a timeout.
      - A call that creates something is repeated only if its connection was never made; a lost answer to it is settled
        by reading again.
      - If not set, the environment variable E(SCANNER_RETRIES) of the host on which the module runs is used.
    type: int
    default: 3
  rate_limit_wait:
    description:
      - How long a task may wait for the rate limit in all, in seconds. A longer wait fails at once; V(0) fails at the
        first answer 429.
      - The service allows 250 GET calls and 125 POST and DELETE calls a minute for each user.
      - If not set, the environment variable E(SCANNER_RATE_LIMIT_WAIT) of the host on which the module runs is used.
    type: int
    default: 300
  call_timeout:
    description:
      - How long a whole call may take, in seconds, with all of its tries, but without the waits between them. A
        call that takes longer fails. More than 0, at most 86400.
      - If not set, four times O(timeout).
      - A file or a list of findings that is being received may take longer, as long as at least 1 KiB a second arrives.
      - If not set, the environment variable E(SCANNER_CALL_TIMEOUT) of the host on which the module runs is used.
    type: float
  max_answer:
    description:
      - The largest answer to read, in bytes after decompression. A larger one fails the task; nothing is cut.
      - An error answer is read for its reason only, up to 1 MiB.
      - If not set, the environment variable E(SCANNER_MAX_ANSWER) of the host on which the module runs is used.
    type: int
    default: 268435456
  validate_certs:
    description:
      - Whether the service's certificate is checked. Danger - with V(false) anybody on the way can read the key.
      - If not set, the environment variable E(SCANNER_VALIDATE_CERTS) of the host on which the module runs is used.
    type: bool
    default: true
  ca_path:
    description:
      - A file or folder of certificates of the authorities to trust. Without it the variables E(REQUESTS_CA_BUNDLE) and
        E(CURL_CA_BUNDLE) count, then the list that comes with the Python library requests.
      - If not set, the environment variable E(SCANNER_CA_PATH) of the host on which the module runs is used.
    type: path
  client_cert:
    description:
      - A client certificate in PEM format, where something before the service asks for one. It may hold its key.
      - If not set, the environment variable E(SCANNER_CLIENT_CERT) of the host on which the module runs is used.
    type: path
  client_key:
    description:
      - The key of O(client_cert), where it is a file of its own.
      - If not set, the environment variable E(SCANNER_CLIENT_KEY) of the host on which the module runs is used.
    type: path
  proxy:
    description:
      - The proxy for all calls, as in V(http://HOST:PORT). Without it the usual variables E(HTTPS_PROXY),
        E(HTTP_PROXY) and E(NO_PROXY) count.
      - Plain http to a loopback address goes past the variables, and a proxy on another host is refused for it, as the
        key would leave the machine unencrypted; O(allow_http=true) permits both.
      - If not set, the environment variable E(SCANNER_PROXY) of the host on which the module runs is used.
    type: str
  allow_http:
    description:
      - Whether O(base_url) may be plain http to a host that is not a loopback address. Danger - the key is then sent
        unencrypted.
      - If not set, the environment variable E(SCANNER_ALLOW_HTTP) of the host on which the module runs is used.
    type: bool
    default: false
requirements:
  - Python 3.9 or later
  - requests 2.31 or later
notes:
  - Where a call failed, the result has RV(ignore:api_error), a dictionary with the keys C(status), C(message),
    C(details), C(method) and C(path); the status is null where no answer came.
  - At C(-vv) and above results have RV(ignore:api_calls), the calls that were sent.
  - Talk to the service from one host, in a play on C(localhost), or with C(delegate_to=localhost) and C(run_once=true)
    in a play of many hosts.
"""
