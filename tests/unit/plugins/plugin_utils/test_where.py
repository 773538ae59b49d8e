# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.plugin_utils._where import Facts, why_as_module


@pytest.mark.parametrize(
    "facts",
    [
        Facts(),
        Facts(interpreter="auto"),
        Facts(interpreter="auto_silent"),
        Facts(interpreter="auto_legacy_silent"),
        Facts(interpreter="/opt/venv/bin/python", own_interpreter=True),
        Facts(variables=["HTTPS_PROXY", "no_proxy", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NETRC", "HOME"]),
        Facts(variables=["SCANNER_API_KEY", "SCANNER_SCOPE_FILE"]),
    ],
    ids=str,
)
def test_a_task_runs_in_process(facts):
    assert why_as_module(facts) is None


@pytest.mark.parametrize(
    "facts, why",
    [
        (Facts(wanted=False), "in_process is false"),
        (Facts(wanted=None), "in_process is not a boolean"),
        (Facts(transport="ssh"), "the connection is ssh, not local"),
        (Facts(become=True), "become is set"),
        (Facts(in_background=True), "async is set"),
        (
            Facts(interpreter="/usr/bin/python3"),
            "ansible_python_interpreter is /usr/bin/python3, not the interpreter of ansible-core",
        ),
        (Facts(variables=["LANG", "HTTP_PROXY", "FTP_PROXY"]), "environment sets FTP_PROXY, LANG"),
        (Facts(missing="requests >= 2.31"), "the Python of ansible-core lacks requests >= 2.31"),
        (Facts(writes_file=True), "the task writes a file"),
        (Facts(relative="ca_path"), "ca_path is a relative path"),
        (Facts(examined="ANSIBLE_KEEP_REMOTE_FILES"), "ANSIBLE_KEEP_REMOTE_FILES is set"),
        (Facts(unknown="_update_module_args"), "this ansible-core has no _update_module_args"),
    ],
    ids=str,
)
def test_a_task_runs_as_a_module_and_the_reason_is_named(facts, why):
    assert why_as_module(facts) == why
