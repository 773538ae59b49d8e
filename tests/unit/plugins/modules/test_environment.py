# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The environment variables of the modules: an empty one is not set, and a wrong one is named."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._task.connection_options import VARIABLES
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.run_module import run_module

WRONG = [
    ("timeout", "abc"),
    ("timeout", "-1"),
    ("timeout", "nan"),
    ("retries", "1.5"),
    ("retries", "-1"),
    ("rate_share", "0"),
    ("call_timeout", "soon"),
    ("call_timeout", "inf"),
    ("max_answer", "0"),
    ("max_answer", "10 MB"),
    ("validate_certs", "maybe"),
    ("allow_http", "2"),
    ("in_process", "perhaps"),
    ("ca_path", "/nonexistent/ca.pem"),
    ("client_key", "/nonexistent/key.pem"),
    ("proxy", "proxy.example"),
    ("rate_limit_wait", " "),
]


@pytest.mark.parametrize("option", sorted(set(VARIABLES) - {"base_url", "api_key"}))
def test_an_empty_variable_is_not_set(run, service, monkeypatch, option):
    monkeypatch.setenv(VARIABLES[option], "")
    result = run("workspace_info")
    assert not result.failed, result
    assert service.calls() == ["GET /workspaces"]


@pytest.mark.parametrize("option", ["base_url", "api_key"])
def test_an_empty_variable_is_missing_where_the_option_is_needed(run, service, monkeypatch, option):
    monkeypatch.setenv(VARIABLES[option], "")
    options = {"base_url": service.base_url, "api_key": service.api_key}
    del options[option]
    result = run_module("workspace_info", options)
    assert result.msg.startswith(f"missing required arguments: {option}.")
    assert VARIABLES[option] in result.msg
    assert service.calls() == []


@pytest.mark.parametrize("option,value", WRONG)
def test_a_wrong_variable_is_named(run, service, monkeypatch, option, value):
    monkeypatch.setenv(VARIABLES[option], value)
    result = run("workspace_info")
    assert result.failed and VARIABLES[option] in result.msg
    assert service.calls() == []


@pytest.mark.parametrize("option,value", WRONG)
def test_a_wrong_variable_is_not_blamed_for_the_option_of_the_task(run, service, monkeypatch, option, value):
    monkeypatch.setenv(VARIABLES[option], value)
    result = run("workspace_info", **{option: {"timeout": -7, "retries": -7, "rate_share": 700}.get(option, True)})
    assert VARIABLES[option] not in result.msg


def test_the_value_of_a_wrong_address_is_not_shown(service, monkeypatch):
    monkeypatch.setenv("SCANNER_BASE_URL", "key-in-the-wrong-variable")
    result = run_module("workspace_info", {"api_key": service.api_key})
    assert result.failed and "SCANNER_BASE_URL" in result.msg
    assert "key-in-the-wrong-variable" not in str(result.result)
