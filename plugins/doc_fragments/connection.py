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
      - The base URL of the service's API, including its version, such as V(https://HOST/api/v2). A trailing slash does
        not matter.
      - It has no default, so that the key is never sent to another service by accident.
      - A URL with user information (V(user:password@)) or without a path is refused.
      - Required, unless the environment variable E(SCANNER_BASE_URL) of the host on which the module runs is set.
    type: str
  api_key:
    description:
      - The API key. Generate it in the account area of the web application, under API.
      - It is sent in a header to O(base_url) only, over HTTPS, or over HTTP to a loopback address or with
        O(allow_http=true).
      - Keep it in a vault. O(ignore:module_defaults) with the action group V(scanops.scanner.all) sets it once for a
        play.
      - Required, unless the environment variable E(SCANNER_API_KEY) of the host on which the module runs is set.
      - Danger - Ansible shows the C(environment) of a play at C(-vvv). Prefer this option to C(environment).
    type: str
  timeout:
    description:
      - The maximum number of seconds to wait for the connection, and for each chunk of the answer. It must be more than
        0 and at most 86400.
      - If not set, the environment variable E(SCANNER_TIMEOUT) of the host on which the module runs is used.
    type: float
    default: 30.0
  retries:
    description:
      - The number of times that a call is retried after a gateway error (502, 503, 504), a lost connection or a
        timeout.
      - A call that creates something is retried only if the connection could not be established. If its answer is lost,
        the module reads whether the object exists.
      - If not set, the environment variable E(SCANNER_RETRIES) of the host on which the module runs is used.
    type: int
    default: 3
  rate_limit_wait:
    description:
      - The maximum number of seconds that a task waits for the rate limit, in total. A longer wait fails at once, and
        V(0) fails at the first answer with status 429.
      - The service allows each user 250 GET calls, and 125 POST and DELETE calls, a minute.
      - M(scanops.scanner.estate) and M(scanops.scanner.targets) fail before their first write, and name the value to
        set, if the rate limits of the service make a plan wait longer than this in any case.
      - If not set, the environment variable E(SCANNER_RATE_LIMIT_WAIT) of the host on which the module runs is used.
    type: int
    default: 300
  rate_share:
    description:
      - The percentage of each rate limit that the task uses, from 1 to 100. V(100) uses the complete limit.
      - All tasks of one user on this machine that use the same O(base_url) and O(api_key) share the limit. Lower this
        value to leave calls to people, or where several machines use the API at the same time, for example V(50) on
        each of two machines.
      - Danger - machines that use more than 100 percent together get answers with status 429, and wait longer.
      - If not set, the environment variable E(SCANNER_RATE_SHARE) of the host on which the module runs is used.
    type: int
    default: 100
  call_timeout:
    description:
      - The maximum number of seconds for a call, including its retries but not the waits between them. A longer call
        fails. It must be more than 0 and at most 86400.
      - Downloads of files and findings may take longer, as long as at least 1 KiB a second arrives.
      - If not set, the environment variable E(SCANNER_CALL_TIMEOUT) of the host on which the module runs is used.
        Otherwise, the limit is four times O(timeout).
    type: float
  max_answer:
    description:
      - The maximum size of an answer in bytes, after decompression. A larger answer fails the task and is never
        truncated.
      - Error answers are read up to 1 MiB.
      - If not set, the environment variable E(SCANNER_MAX_ANSWER) of the host on which the module runs is used.
    type: int
    default: 268435456
  validate_certs:
    description:
      - Whether to verify the TLS certificate of the service.
      - If not set, the environment variable E(SCANNER_VALIDATE_CERTS) of the host on which the module runs is used.
      - Danger - with V(false), anybody between this host and the service can read the key.
    type: bool
    default: true
  ca_path:
    description:
      - A file or directory with the certificates of trusted certificate authorities.
      - If not set, the environment variable E(SCANNER_CA_PATH) of the host on which the module runs is used. Otherwise,
        E(REQUESTS_CA_BUNDLE) or E(CURL_CA_BUNDLE) is used, or the certificates of the Python library requests.
    type: path
  client_cert:
    description:
      - A client certificate in PEM format, if a reverse proxy requires it. The file may contain its key.
      - If not set, the environment variable E(SCANNER_CLIENT_CERT) of the host on which the module runs is used.
    type: path
  client_key:
    description:
      - The key of O(client_cert), if it is in a separate file.
      - If not set, the environment variable E(SCANNER_CLIENT_KEY) of the host on which the module runs is used.
    type: path
  proxy:
    description:
      - The proxy for all calls, such as V(http://HOST:PORT).
      - If not set, the environment variable E(SCANNER_PROXY) of the host on which the module runs is used. Otherwise,
        E(HTTPS_PROXY), E(HTTP_PROXY) and E(NO_PROXY) apply.
      - Plain HTTP to a loopback address ignores these three variables, and a proxy on another host is refused for it,
        because the key would leave the machine unencrypted. O(allow_http=true) permits both.
    type: str
  allow_http:
    description:
      - Whether O(base_url) may use plain HTTP to a host that is not a loopback address.
      - If not set, the environment variable E(SCANNER_ALLOW_HTTP) of the host on which the module runs is used.
      - Danger - with V(true), the key is sent unencrypted.
    type: bool
    default: false
  in_process:
    description:
      - Whether a task that runs on the controller may run in the process of Ansible, without a module of its own. This
        takes a fraction of the time, and the result is the same.
      - A task still runs as a module if its connection is not C(local), with C(become) or C(async), if
        C(ansible_python_interpreter) is not the interpreter of Ansible, if C(environment) sets a variable that the
        collection does not read, or if the Python that runs Ansible lacks requests. A task that writes a file always
        does.
      - At C(-vvv), Ansible shows how a task runs, and why.
      - If not set, the environment variable E(SCANNER_IN_PROCESS) of the host on which the module runs is used.
    type: bool
    default: true
requirements:
  - Python 3.9 or later
  - requests 2.31 or later
notes:
  - If a call fails, the result has RV(ignore:api_error), a dictionary with the keys C(status), C(message), C(details),
    C(method) and C(path). The status is null if no answer arrived.
  - At C(-vv) and above, results have RV(ignore:api_calls), the calls that were sent.
  - Call the service from one host. Use a play on C(localhost), or C(delegate_to=localhost) and C(run_once=true) in a
    play with many hosts.
"""
