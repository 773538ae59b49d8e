# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    # the options of plugins/module_utils/_task/connection_options.py, for plugins on the controller
    DOCUMENTATION = r"""
---
options:
  base_url:
    description:
      - The base URL of the service's API, including its version, such as V(https://HOST/api/v2). A trailing slash does
        not matter.
      - It has no default, so that the key is never sent to another service by accident.
      - A URL with user information (V(user:password@)) or without a path is refused.
      - Required, unless the environment variable is set.
    type: str
    env:
      - name: SCANNER_BASE_URL
  api_key:
    description:
      - The API key. Generate it in the account area of the web application, under API.
      - It is sent in a header to O(base_url) only, over HTTPS, or over HTTP to a loopback address or with
        O(allow_http=true). It appears in no output and no cache.
      - Encrypt it with C(ansible-vault encrypt_string), use a template such as
        V({{ lookup('ansible.builtin.file', '~/.scanner_key'\) }}), or set the environment variable.
      - Required, unless the environment variable is set.
      - Danger - a key in plain text here ends up in version control.
    type: str
    env:
      - name: SCANNER_API_KEY
  timeout:
    description:
      - The maximum number of seconds to wait for the connection, and for each chunk of the answer.
    type: float
    default: 30.0
    env:
      - name: SCANNER_TIMEOUT
  retries:
    description:
      - The number of times that a call is retried after a gateway error (502, 503, 504), a lost connection or a
        timeout.
    type: int
    default: 3
    env:
      - name: SCANNER_RETRIES
  rate_limit_wait:
    description:
      - The maximum number of seconds that the plugin waits for the rate limit, in total. V(0) fails at the first answer
        with status 429.
      - The service allows each user 250 GET calls a minute.
    type: int
    default: 300
    env:
      - name: SCANNER_RATE_LIMIT_WAIT
  rate_share:
    description:
      - The percentage of each rate limit that the plugin uses, from 1 to 100. V(100) uses the complete limit.
      - All tasks of one user on this machine that use the same O(base_url) and O(api_key) share the limit. Lower this
        value to leave calls to people, or where several machines use the API at the same time, for example V(50) on
        each of two machines.
      - Danger - machines that use more than 100 percent together get answers with status 429, and wait longer.
    type: int
    default: 100
    env:
      - name: SCANNER_RATE_SHARE
  call_timeout:
    description:
      - The maximum number of seconds for a call, including its retries but not the waits between them. A longer call
        fails the inventory.
      - If not set, the limit is four times O(timeout).
    type: float
    env:
      - name: SCANNER_CALL_TIMEOUT
  max_answer:
    description:
      - The maximum size of an answer in bytes, after decompression. A larger answer fails the inventory and is never
        truncated.
    type: int
    default: 268435456
    env:
      - name: SCANNER_MAX_ANSWER
  validate_certs:
    description:
      - Whether to verify the TLS certificate of the service.
      - Danger - with V(false), anybody between this host and the service can read the key.
    type: bool
    default: true
    env:
      - name: SCANNER_VALIDATE_CERTS
  ca_path:
    description:
      - A file or directory with the certificates of trusted certificate authorities. If not set, E(REQUESTS_CA_BUNDLE)
        or E(CURL_CA_BUNDLE) is used, or the certificates of the Python library requests.
      - A relative path is relative to the directory in which Ansible was started.
    type: path
    env:
      - name: SCANNER_CA_PATH
  client_cert:
    description:
      - A client certificate in PEM format, if a reverse proxy requires it. The file may contain its key.
    type: path
    env:
      - name: SCANNER_CLIENT_CERT
  client_key:
    description:
      - The key of O(client_cert), if it is in a separate file.
    type: path
    env:
      - name: SCANNER_CLIENT_KEY
  proxy:
    description:
      - The proxy for all calls, such as V(http://HOST:PORT). If not set, E(HTTPS_PROXY), E(HTTP_PROXY) and E(NO_PROXY)
        apply.
      - Plain HTTP to a loopback address ignores these variables, and a proxy on another host is refused for it, because
        the key would leave the machine unencrypted. O(allow_http=true) permits both.
    type: str
    env:
      - name: SCANNER_PROXY
  allow_http:
    description:
      - Whether O(base_url) may use plain HTTP to a host that is not a loopback address.
      - Danger - with V(true), the key is sent unencrypted.
    type: bool
    default: false
    env:
      - name: SCANNER_ALLOW_HTTP
requirements:
  - requests 2.31 or later, in the Python that runs Ansible
"""
