# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The environment variables of the inventory: an empty one is not set, and a wrong one is named."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._task.connection_options import (
    INVENTORY_OPTIONS,
    VARIABLES,
)

WRONG = {
    "timeout": ["abc", "-1", "nan", "0"],
    "retries": ["1.5", "-1", "many"],
    "rate_share": ["0", "101", "half"],
    "max_answer": ["0", "ten"],
    "validate_certs": ["maybe"],
    "allow_http": ["2"],
    "ca_path": ["/nonexistent/ca.pem"],
    "client_cert": ["/nonexistent/cert.pem"],
    "proxy": ["proxy.example"],
}
CASES = [(option, value) for option, values in WRONG.items() for value in values]


@pytest.mark.parametrize("option", sorted(set(INVENTORY_OPTIONS) - {"base_url", "api_key"}))
def test_an_empty_variable_is_not_set(parse, monkeypatch, option):
    monkeypatch.setenv(VARIABLES[option], "")
    assert parse().error is None


@pytest.mark.parametrize("option", ["base_url", "api_key"])
def test_an_empty_variable_is_missing_where_the_option_is_needed(parse, monkeypatch, option):
    monkeypatch.setenv(VARIABLES[option], "")
    error = parse(**{option: ...}).error
    assert f"{option} is not set" in error and VARIABLES[option] in error


@pytest.mark.parametrize("option,value", CASES)
def test_a_wrong_variable_is_named(parse, monkeypatch, option, value):
    monkeypatch.setenv(VARIABLES[option], value)
    error = parse().error
    assert VARIABLES[option] in error


@pytest.mark.parametrize("option,value", CASES)
def test_a_wrong_variable_is_not_blamed_for_the_option(parse, monkeypatch, option, value):
    monkeypatch.setenv(VARIABLES[option], value)
    other = {"timeout": -7, "retries": -7, "rate_share": 700, "max_answer": -7}.get(option)
    if other is not None:
        error = parse(**{option: other}).error
        assert str(other) in error and VARIABLES[option] not in error
