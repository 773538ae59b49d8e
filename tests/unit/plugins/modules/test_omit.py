# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The placeholder of ``omit`` inside an option is refused before any call."""

from __future__ import annotations

import pytest

OMIT = "__omit_place_holder__405b3fc7e81a84375376bb70f118c5149d23a1c2"


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
