# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The option ``record`` of service_verification."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scenarios import ACCOUNT

pytestmark = pytest.mark.slow

LIMITS = {"GET": 100000, "write": 100000, "output": 100000}
FILE = "recording.json"


@pytest.fixture
def full(account):
    account.reset(settings={"rate_limits": LIMITS}, state=ACCOUNT)
    return account


def read():
    return json.loads(Path(FILE).read_text(encoding="utf-8"))


def statuses(path):
    return [answer["status"] for answer in read()["answers"] if answer["path"] == path]


def test_a_recording_has_every_answer_and_the_verdicts(full, run):
    result = run("service_verification", writes=True, record=FILE)
    assert not result.failed, result.msg
    assert result.changed
    assert os.stat(FILE).st_mode & 0o777 == 0o600
    recorded = read()
    assert {entry["status"] for entry in full.log()} == {answer["status"] for answer in recorded["answers"]}
    assert {"GET", "POST", "PUT", "PATCH", "DELETE"} == {answer["method"] for answer in recorded["answers"]}
    verdicts = {name: verdict for verdict, names in recorded["verdicts"].items() for name in names}
    assert verdicts == {row["name"]: row["verdict"] for row in result["rows"]}


def test_a_recording_shows_no_value_of_the_account(full, run):
    run("service_verification", writes=True, record=FILE)
    text = Path(FILE).read_text(encoding="utf-8").lower()
    assert full.api_key.lower() not in text
    assert full.base_url.partition("://")[2].partition("/")[0] not in text
    state = {family: rows for family, rows in full.state().items() if isinstance(rows, list)}
    fields = ("id", "name", "label", "description", "handler_url", "uuid", "start_time", "end_time", "ip_address")
    values = {str(row[field]).lower() for rows in state.values() for row in rows for field in fields if row.get(field)}
    # numbers and words that any recording has
    values -= {"1", "2", "3", "empty", "current"}
    assert len(values) > 40
    assert [value for value in values if f'"{value}"' in text or (len(value) > 4 and value in text)] == []


def test_check_mode_predicts_a_recording_and_writes_none(full, run):
    result = run("service_verification", check=True, record=FILE)
    assert result.changed and not result.failed
    assert not Path(FILE).exists()


def test_without_the_option_no_file_is_written(full, run):
    assert not run("service_verification").changed
    assert not Path(FILE).exists()


@pytest.mark.parametrize("status", [500, 404])
def test_a_refusal_is_recorded(full, run, status):
    full.fault(method="GET", path="/scans", action="status", status=status, times=None)
    run("service_verification", record=FILE)
    assert set(statuses("/scans")) == {status}


def test_a_redirect_is_recorded(full, run):
    full.fault(
        method="GET", path="/scans", action="redirect", status=301, location="/api/v2/elsewhere/?id=4711", times=None
    )
    run("service_verification", record=FILE)
    assert set(statuses("/scans")) == {301}
    assert "/?" in json.dumps(read()["headers"]) and "4711" not in json.dumps(read()["headers"])


def test_a_recording_is_written_even_if_a_workspace_remains(full, run):
    full.fault(method="DELETE", action="status", status=409, times=None)
    result = run("service_verification", writes=True, record=FILE)
    assert result.failed and result.changed
    assert set(statuses("/workspaces/{id}")) >= {409}
