# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Answers that no other code should see as they came: ids as texts, ambiguous JSON, the key in a record."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scenarios import ACCOUNT, READS, WRITES


@pytest.mark.slow
@pytest.mark.parametrize("setting", [{"id_form": "text"}, {"half_characters": True}], ids=str)
@pytest.mark.parametrize("name", {**WRITES, **READS})
def test_ids_that_are_texts_of_digits_and_halves_of_characters_are_replaced(service, run, name, setting):
    """ansible-core 2.19 and later refuse a result with half of a character."""
    task = {**WRITES, **READS}[name]
    service.reset(settings={"rate_limits": None, **setting}, state=ACCOUNT)
    result = run(task.module, diff=False, **task.options)
    assert not result.failed, result.msg
    assert result.changed is task.changed
    json.dumps(result.result, ensure_ascii=False).encode()
    # ids that were not understood would have cost reads
    if task.module != "scan" and "id_form" in setting:
        assert service.calls() == list(task.calls)


@pytest.mark.parametrize(
    "row, why",
    [
        ('{"id": NaN, "name": "A"}', "a body that is not JSON (NaN is not a JSON number)"),
        ('{"id": 1, "name": "A", "x": Infinity}', "a body that is not JSON (Infinity is not a JSON number)"),
        ('{"id": 1, "name": "A", "x": 1e999}', "a body that is not JSON (a number is too large)"),
        ('{"id": 1, "id": 2, "name": "A"}', "a body that is not JSON (the key 'id' occurs twice in one object)"),
        ('{"id": 0, "name": "A"}', "data that is not a list of workspaces"),
        ('{"id": -5, "name": "A"}', "data that is not a list of workspaces"),
        ('{"id": "007", "name": "A"}', "data that is not a list of workspaces"),
        ('{"id": 1e2, "name": "A"}', "data that is not a list of workspaces"),
        ('{"id": 99999999999999999999, "name": "A"}', "data that is not a list of workspaces"),
        ('{"id": 1, "name": "A", "workspace_id": 0}', "data that is not a list of workspaces"),
    ],
)
def test_an_ambiguous_answer_is_refused_with_its_reason(service, run, row, why):
    service.fault(action="status", status=200, body=f'{{"data": [{row}]}}', times=None)
    result = run("workspace_info")
    assert result.failed
    assert f"with {why}" in result.msg


FORMS = {
    "plain": str,
    "base64": lambda key: base64.b64encode(key.encode()).decode(),
    "base64 of the header": lambda key: base64.urlsafe_b64encode(f"Bearer {key}".encode()).decode(),
    "percent": lambda key: quote(key.replace("-", "+"), safe="").replace("%2B", "%2D"),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_record_that_repeats_the_key_is_returned_without_it(service, run, form):
    shown = FORMS[form](service.api_key)
    service.allow_violations = True
    service.add(workspaces=[{"id": 5, "name": "A", "description": f"see {shown} there"}])
    result = run("workspace_info", id=5)
    assert not result.failed, result.msg
    assert shown not in json.dumps(result.result)
    assert "***" in result["workspaces"][0]["description"]
    service.fault(action="status", status=403, message=shown, details=shown, times=None)
    result = run("workspace_info", id=5)
    assert "***" in result["api_error"]["message"] and "***" in result["api_error"]["details"]
    assert shown not in json.dumps(result.result)


def test_half_of_a_character_is_replaced_in_errors(service, run):
    service.settings(half_characters=True)
    result = run("target", name="a.example.com", workspace_id=99, state="present")
    assert result.failed
    assert "\ufffd" in result["api_error"]["message"]
    json.dumps(result.result, ensure_ascii=False).encode()
