# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _account(service):
    service.add(
        workspaces=[{"id": 2, "name": "Web shop"}],
        http_loggers=[
            {"id": 501, "label": "canary", "workspace_id": 2, "active_days": 7},
            {"id": 502, "label": "here"},
        ],
    )


def found(result):
    assert not result.failed, result.msg
    return [row["label"] for row in result["http_loggers"]]


def test_all_loggers_of_all_workspaces_are_returned(run):
    assert found(run("http_logger_info")) == ["canary", "here"]


def test_a_record_is_returned_with_all_fields(service, run):
    record = run("http_logger_info", label="canary")["http_loggers"][0]
    address = service.http_loggers()[0]["handler_url"]
    assert record == {
        "id": 501,
        "label": "canary",
        "handler_url": address,
        "active_days": 7,
        "num_requests": 0,
        "requests_left": 100,
    }


@pytest.mark.parametrize("reference", [{"workspace": "Web shop"}, {"workspace_id": 2}])
def test_a_workspace_returns_its_own(run, reference):
    assert found(run("http_logger_info", **reference)) == ["canary"]
    assert found(run("http_logger_info", label="canary", **reference)) == ["canary"]
    assert found(run("http_logger_info", label="here", **reference)) == []
    assert found(run("http_logger_info", id=501, **reference)) == ["canary"]
    assert found(run("http_logger_info", id=502, **reference)) == []


@pytest.mark.parametrize("options", [{"workspace": "Later"}, {"workspace_id": None}])
def test_in_check_mode_an_object_that_does_not_exist_yet_returns_an_empty_list_and_a_warning(run, options):
    result = run("http_logger_info", check=True, **options)
    assert found(result) == []
    assert len(result.warnings) == 1
