# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A mistake in the collection becomes one sentence, in process and as a module."""

from __future__ import annotations

import json

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._task.task import UNEXPECTED
from ansible_collections.scanops.scanner.plugins.modules import workspace_info
from ansible_collections.scanops.scanner.plugins.plugin_utils import _core
from ansible_collections.scanops.scanner.plugins.plugin_utils._in_process import _Run
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.run_module import run_module

OPTIONS = {"base_url": "http://127.0.0.1:9/api/v2", "api_key": "a-secret-key-of-a-test"}


def broken(task):
    raise ZeroDivisionError(f"a mistake with {task.params['api_key']}")


@pytest.fixture
def mistaken(monkeypatch):
    declared = workspace_info.MODULE._replace(work=broken)
    monkeypatch.setattr(workspace_info, "MODULE", declared)
    return declared


def run(declared, verbosity):
    arguments = _core.as_module_reads({**OPTIONS, "_ansible_verbosity": verbosity})
    return json.loads(_Run(declared, arguments, None).printed())


def test_it_is_one_sentence_in_process(mistaken):
    result = run(mistaken, 0)
    assert result["failed"]
    assert result["msg"].startswith(f"{UNEXPECTED} (ZeroDivisionError: a mistake with")
    assert "in test_in_process_mistakes.py, line" in result["msg"]
    assert "Traceback" not in json.dumps(result)


def test_its_traceback_is_shown_where_ansible_core_shows_those_of_modules(mistaken):
    assert ("Traceback" in json.dumps(run(mistaken, 3))) is not _core.SHOWS_TRACES


def test_as_a_module_the_sentence_is_the_same(mistaken):
    with pytest.raises(AssertionError) as caught:
        run_module("workspace_info", OPTIONS, verbosity=0)
    assert json.loads(str(caught.value).strip().splitlines()[0])["msg"].startswith(f"{UNEXPECTED} (ZeroDivisionError")
