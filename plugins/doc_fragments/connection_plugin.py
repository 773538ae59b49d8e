# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    # the options of plugins/module_utils/_options.py, for plugins on the controller
    DOCUMENTATION = r"""
---
options:
  base_url:
    description:
      - The address of the service's API, with its version, as in V(https://HOST/api/v2). A trailing slash does not
        matter.
      - There is no default, so that the key goes nowhere by accident.
      - User info (V(user:password@)) and addresses without a path are refused.
    type: str
    required: true
    env:
      - name: SCANNER_BASE_URL
  api_key:
    description:
      - The API key, generated in the web application in the account area under API.
      - It is sent to O(base_url) only, in a header, over https, or over http to a loopback address or with
        O(allow_http=true). It is in no output and in no cache.
      - Give it encrypted with C(ansible-vault encrypt_string), as a template such as
        V({{ lookup('ansible.builtin.file', '~/.scanner_key'\) }}), or in the environment. Danger - a key in plain text
        here is in your version control.
    type: str
    required: true
    env:
      - name: SCANNER_API_KEY
  timeout:
    description:
      - How long a call waits for the connection, and for each part of the answer, in seconds.
    type: float
    default: 30.0
    env:
      - name: SCANNER_TIMEOUT
  retries:
    description:
      - How often a call is repeated after a gateway error (502, 503, 504), a lost connection or a timeout.
    type: int
    default: 3
    env:
      - name: SCANNER_RETRIES
  rate_limit_wait:
    description:
      - How long the plugin may wait for the rate limit in all, in seconds. V(0) fails at the first answer 429.
      - The service allows 250 GET calls a minute for each user.
    type: int
    default: 300
    env:
      - name: SCANNER_RATE_LIMIT_WAIT
  call_timeout:
    description:
      - How long a whole call may take, in seconds, with all of its tries, but without the waits between them. A
        call that takes longer fails the inventory.
      - If not set, four times O(timeout).
    type: float
    env:
      - name: SCANNER_CALL_TIMEOUT
  max_answer:
    description:
      - The largest answer to read, in bytes after decompression. A larger one fails the inventory; nothing is cut.
    type: int
    default: 268435456
    env:
      - name: SCANNER_MAX_ANSWER
  validate_certs:
    description:
      - Whether the service's certificate is checked. Danger - with V(false) anybody on the way can read the key.
    type: bool
    default: true
    env:
      - name: SCANNER_VALIDATE_CERTS
  ca_path:
    description:
      - A file or folder of certificates of the authorities to trust. Without it the variables E(REQUESTS_CA_BUNDLE) and
        E(CURL_CA_BUNDLE) count, then the list that comes with the Python library requests.
      - A relative path starts in the folder in which Ansible was started.
    type: path
    env:
      - name: SCANNER_CA_PATH
  client_cert:
    description:
      - A client certificate in PEM format, where something before the service asks for one. It may hold its key.
    type: path
    env:
      - name: SCANNER_CLIENT_CERT
  client_key:
    description:
      - The key of O(client_cert), where it is a file of its own.
    type: path
    env:
      - name: SCANNER_CLIENT_KEY
  proxy:
    description:
      - The proxy for all calls, as in V(http://HOST:PORT). Without it the usual variables E(HTTPS_PROXY),
        E(HTTP_PROXY) and E(NO_PROXY) count.
      - Plain http to a loopback address goes past the variables, and a proxy on another host is refused for it, as the
        key would leave the machine unencrypted; O(allow_http=true) permits both.
    type: str
    env:
      - name: SCANNER_PROXY
  allow_http:
    description:
      - Whether O(base_url) may be plain http to a host that is not a loopback address. Danger - the key is then sent
        unencrypted.
    type: bool
    default: false
    env:
      - name: SCANNER_ALLOW_HTTP
requirements:
  - requests 2.31 or later, in the Python that runs Ansible
"""
