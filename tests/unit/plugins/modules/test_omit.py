# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The placeholder of ``omit`` inside an option is refused before any call."""

from __future__ import annotations

import pytest

OMIT = "__omit_place_holder__405b3fc7e81a84375376bb70f118c5149d23a1c2"
CASES = {
    "the name of a target": ("target", {"name": OMIT, "workspace": "A"}, "name"),
    "a part of a name": ("target", {"name": f"{OMIT}.example", "workspace": "A"}, "name"),
    "the end of a text": (
        "target",
        {"name": "a.example", "workspace": "A", "description": f"of {OMIT}"},
        "description",
    ),
    "a text from 2.19 on": (
        "target",
        {"name": "a.example", "workspace": "A", "description": "of <<Omit>>"},
        "description",
    ),
    "an entry": ("targets", {"workspace": "A", "targets": ["a.example", OMIT]}, "targets[1]"),
    "a name in an entry": ("targets", {"workspace": "A", "targets": [{"name": OMIT}]}, "targets[0].name"),
    "a description in an entry": (
        "targets",
        {"workspace": "A", "targets": [{"name": "a.example", "description": OMIT}]},
        "targets[0].description",
    ),
    "a key": ("targets", {"workspace": "A", "targets": [{"name": "a.example", OMIT: "x"}]}, "a key of targets[0]"),
    "an estate": (
        "estate",
        {"workspaces": [{"name": "A", "targets": [{"name": "a.example"}, {"name": OMIT}]}]},
        "workspaces[0].targets[1].name",
    ),
    "a list of strings": ("targets", {"workspace": "A", "targets": [], "protect": ["*.example", OMIT]}, "protect[1]"),
    "a scope": ("target", {"name": "a.example", "workspace": "A", "scope": {"deny": [OMIT]}}, "scope.deny[0]"),
    "a whole scope": ("target", {"name": "a.example", "workspace": "A", "scope": OMIT}, "scope"),
    "parameters of a tool": (
        "scan",
        {"target": "a.example", "workspace": "A", "tool": "Website Scanner", "tool_params": {"a": [{"b": OMIT}]}},
        "tool_params.a[0].b",
    ),
    "a number": (
        "scan",
        {"target": "a.example", "workspace": "A", "tool": 170, "max_scan_time": OMIT},
        "max_scan_time",
    ),
    "a policy": ("gate", {"workspace": "A", "policy": {"exclude": [{"name": OMIT}]}}, "policy.exclude[0].name"),
    "a path": ("gate", {"workspace": "A", "waivers": [f"/tmp/{OMIT}"]}, "waivers[0]"),
    "words": ("wordlist", {"name": OMIT, "state": "absent"}, "name"),
    "the address": ("workspace_info", {"base_url": f"https://{OMIT}/api/v2"}, "base_url"),
}


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("module,options,path", CASES.values(), ids=CASES)
def test_the_placeholder_is_refused_before_any_call(run, service, module, options, path, check):
    result = run(module, check=check, **options)
    assert result.failed and result.msg.startswith(f"{path} holds the placeholder of omit"), result.msg
    assert not result.changed
    assert service.calls() == []


def test_a_placeholder_in_a_secret_is_not_shown(run, service):
    options = {"target": "a.example", "workspace": "A", "tool": "Website Scanner"}
    result = run("scan", authentication={"basic": {"password": f"hidden{OMIT}"}}, **options)
    assert result.failed and "hidden" not in str(result.result)
    assert service.calls() == []


@pytest.mark.parametrize("name", ["SCANNER_API_KEY", "SCANNER_BASE_URL", "SCANNER_TIMEOUT", "SCANNER_SCOPE_FILE"])
@pytest.mark.parametrize("value", [OMIT, "<<Omit>>", f"Bearer {OMIT}"])
def test_the_placeholder_in_the_environment_is_refused_before_any_call(run, service, monkeypatch, name, value):
    """``environment`` of a task leaves it in, as in https://github.com/ansible/ansible/issues/25678."""
    monkeypatch.setenv(name, value)
    result = run("workspace_info")
    assert result.failed and f"{name} holds the placeholder of omit" in result.msg
    assert service.log() == []
