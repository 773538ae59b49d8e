# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os
import sys
from types import SimpleNamespace

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._task import connection_options
from ansible_collections.scanops.scanner.plugins.modules import report
from ansible_collections.scanops.scanner.plugins.plugin_utils import _core, _run_as

OTHER = "/usr/bin/another-python"


def why(
    args=None,
    environment=(),
    interpreter="auto",
    transport="local",
    become=None,
    delegate_to=None,
    async_val=0,
):
    """Why a task of the module report runs as a module."""
    action = SimpleNamespace(
        declared=report.MODULE,
        _connection=SimpleNamespace(transport=transport, become=become),
        _task=SimpleNamespace(args=args or {}, delegate_to=delegate_to, async_val=async_val),
        _templar=SimpleNamespace(template=lambda text: text),
    )
    host = {"ansible_python_interpreter": interpreter}
    variables = {"ansible_delegated_vars": {"there": host}} if delegate_to else host
    return _run_as.why_as_module(action, variables, dict.fromkeys(environment, "1"))


@pytest.mark.parametrize(
    "facts",
    [
        {},
        {"interpreter": "auto_legacy_silent"},
        {"interpreter": sys.executable},
        {"environment": ["HTTPS_PROXY", "no_proxy", "NETRC", "HOME", "SCANNER_API_KEY", "SCANNER_SCOPE_FILE"]},
        {"environment": ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"]},
        {"args": {"ca_path": "ca.pem"}},
    ],
    ids=str,
)
def test_a_task_runs_in_process(facts):
    assert why(**facts) is None


@pytest.mark.parametrize(
    "facts, reason",
    [
        ({"args": {"in_process": "no"}}, "in_process is not true"),
        ({"args": {"in_process": "maybe"}}, "in_process is not true"),
        ({"transport": "ssh"}, "the connection is ssh, not local"),
        ({"become": "sudo"}, "become is set"),
        ({"async_val": 5}, "async is set"),
        ({"interpreter": OTHER}, f"ansible_python_interpreter is {OTHER}, not the interpreter of ansible-core"),
        (
            {"interpreter": OTHER, "delegate_to": "there"},
            f"ansible_python_interpreter is {OTHER}, not the interpreter of ansible-core",
        ),
        ({"environment": ["LANG", "HTTP_PROXY", "FTP_PROXY"]}, "environment sets FTP_PROXY, LANG"),
        ({"args": {"dest": "x"}}, "the task writes a file"),
    ],
    ids=str,
)
def test_a_task_runs_as_a_module_and_the_reason_is_named(facts, reason):
    assert why(**facts) == reason


@pytest.mark.parametrize(
    "place, name, value, reason",
    [
        (_run_as, "missing_requests", "requests >= 2.31", "the Python of ansible-core lacks requests >= 2.31"),
        (_core, "unknown", "_update_module_args", "this ansible-core has no _update_module_args"),
    ],
)
def test_what_this_ansible_core_lacks_or_shows_is_a_reason(monkeypatch, place, name, value, reason):
    monkeypatch.setattr(place, name, lambda: value)
    assert why() == reason


@pytest.mark.parametrize(
    "name, value, reason",
    [
        ("DEFAULT_KEEP_REMOTE_FILES", True, "ANSIBLE_KEEP_REMOTE_FILES is set"),
        ("DISPLAY_TRACEBACK", ["error"], "ANSIBLE_DISPLAY_TRACEBACK is set"),
        ("DISPLAY_TRACEBACK", ["never"], None),
    ],
)
def test_a_setting_that_shows_how_a_module_runs_is_a_reason(monkeypatch, name, value, reason):
    monkeypatch.setattr(_run_as.constants, name, value, raising=False)
    assert why() == reason


def test_an_environment_variable_replaces_an_option(monkeypatch):
    monkeypatch.setenv("SCANNER_IN_PROCESS", "false")
    assert os.environ["SCANNER_IN_PROCESS"] and why() == "in_process is not true"
    assert why({"in_process": True}) is None


def test_the_default_of_the_option_decides_where_nothing_is_given(monkeypatch):
    monkeypatch.delenv("SCANNER_IN_PROCESS", raising=False)
    monkeypatch.setitem(connection_options.CONNECTION_OPTIONS["in_process"], "default", False)
    assert why() == "in_process is not true"
    assert why({"in_process": True}) is None
