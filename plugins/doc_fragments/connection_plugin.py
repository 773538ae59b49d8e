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
      - The base URL of the service's API with its version, such as V(https://HOST/api/v2). Required, unless the
        environment variable is set.
    type: str
    env:
      - name: SCANNER_BASE_URL
  api_key:
    description:
      - The API key, encrypted with C(ansible-vault encrypt_string) or read by a template such as
        V({{ lookup('ansible.builtin.file', '~/.scanner_key'\) }}). Required, unless the environment variable is set.
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
      - The number of R(retries,ansible_collections.scanops.scanner.docsite.guide_behaviour) of a call after a gateway
        error, a lost connection or a timeout.
    type: int
    default: 3
    env:
      - name: SCANNER_RETRIES
  rate_limit_wait:
    description:
      - The maximum number of seconds that the plugin waits for the
        R(rate limit,ansible_collections.scanops.scanner.docsite.guide_costs.rate_budget) in total, or V(0) to fail at
        the first answer with status 429.
    type: int
    default: 300
    env:
      - name: SCANNER_RATE_LIMIT_WAIT
  rate_share:
    description:
      - The percentage of each R(rate limit,ansible_collections.scanops.scanner.docsite.guide_costs.rate_budget) that all
        tasks of this machine with this key use together, from 1 to 100.
      - Danger - machines that use more than 100 percent together get answers with status 429, and wait longer.
    type: int
    default: 100
    env:
      - name: SCANNER_RATE_SHARE
  call_timeout:
    description:
      - The maximum number of seconds for a call with its retries, by default four times O(timeout). A longer call fails
        the inventory.
    type: float
    env:
      - name: SCANNER_CALL_TIMEOUT
  max_answer:
    description:
      - The maximum size of an answer in bytes, after decompression. A larger one fails the inventory.
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
      - A file or directory with the certificates of trusted certificate authorities, which starts at the working
        directory if it is relative. If not set, E(REQUESTS_CA_BUNDLE) or E(CURL_CA_BUNDLE) is used, or the certificates
        of the Python library requests.
    type: path
    env:
      - name: SCANNER_CA_PATH
  client_cert:
    description:
      - A client certificate in PEM format, which may contain its key, if a reverse proxy requires one.
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
      - The R(proxy,ansible_collections.scanops.scanner.docsite.guide_security) for all calls, such as
        V(http://HOST:PORT). If not set, E(HTTPS_PROXY), E(HTTP_PROXY) and E(NO_PROXY) apply.
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
