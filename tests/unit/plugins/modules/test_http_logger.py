# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _account(service):
    service.add(
        workspaces=[{"id": 2, "name": "Web shop"}, {"id": 3, "name": "Other"}],
        http_loggers=[{"id": 501, "label": "canary", "workspace_id": 2}, {"id": 502, "label": "here"}],
    )


def labels(service):
    return [logger["label"] for logger in service.http_loggers()]


def test_a_new_logger_is_created_in_the_workspace_that_the_query_and_the_form_name(service, run):
    result = run("http_logger", workspace="Web shop", label="new")
    post = next(entry for entry in service.log() if entry["method"] == "POST")
    assert (post["query"], post["form"]) == ({"workspace_id": "2"}, {"label": "new", "workspace_id": "2"})
    assert service.http_loggers()[-1]["workspace_id"] == 2
    record = result["http_logger"]
    assert set(record) == {"id", "label", "handler_url", "active_days", "num_requests", "requests_left"}
    assert (record["id"], record["label"], record["num_requests"]) == (503, "new", 0)
    assert record["handler_url"].startswith("http")
    assert result.diff["after"] == {"label": "new"}


def test_without_a_workspace_the_query_has_none_and_no_warning_follows(service, run):
    result = run("http_logger", label="new")
    post = next(entry for entry in service.log() if entry["method"] == "POST")
    assert post["query"] == {}
    assert result.warnings == []


def test_in_check_mode_only_the_label_is_known(run):
    assert run("http_logger", check=True, workspace="Web shop", label="new")["http_logger"] == {
        "id": None,
        "label": "new",
        "handler_url": None,
        "active_days": None,
        "num_requests": None,
    }


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("workspace", [{"workspace": "Other"}, {"workspace_id": 3}])
def test_a_label_that_is_in_another_workspace_is_refused(service, run, workspace, check):
    result = run("http_logger", check=check, label="canary", **workspace)
    assert result.failed
    assert "HTTP logger 'canary' (id 501) is not in workspace" in result.msg
    assert "but in another workspace" in result.msg
    assert service.writes() == []


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("reference", [{"label": "canary"}, {"id": 501}])
def test_a_logger_of_another_workspace_is_not_deleted(service, run, reference, check):
    result = run("http_logger", check=check, workspace="Other", state="absent", **reference)
    assert (result.failed, result.changed) == (False, False)
    assert "it is not changed" in result.warnings[0]
    assert service.writes() == []


def test_in_a_workspace_that_check_mode_has_not_created_a_known_label_is_refused(run):
    result = run("http_logger", check=True, workspace="Later", label="canary")
    assert result.failed
    assert "is not in workspace 'Later'" in result.msg


def test_in_a_workspace_that_check_mode_has_not_created_a_new_label_is_predicted(service, run):
    for reference in ({"workspace": "Later"}, {"workspace_id": None}):
        result = run("http_logger", check=True, label="new", **reference)
        assert result.changed
        assert result["http_logger"]["id"] is None
        assert len(result.warnings) == 1
    assert service.writes() == []


def test_a_label_that_appears_in_another_workspace_meanwhile_is_refused(service, run):
    service.fault(method="POST", action="do", resource="http_loggers", record={"label": "new", "workspace_id": 3})
    result = run("http_logger", workspace="Web shop", label="new")
    assert result.failed
    assert "is not in workspace 'Web shop', but in another workspace" in result.msg


def test_a_label_that_appears_meanwhile_is_present(service, run):
    service.fault(method="POST", action="do", resource="http_loggers", record={"label": "new", "workspace_id": 2})
    result = run("http_logger", workspace="Web shop", label="new")
    assert (result.failed, result.changed) == (False, False)


def test_a_workspace_id_that_does_not_exist_is_named(service, run):
    result = run("http_logger", workspace_id=99, label="new")
    assert result.failed
    assert "workspace 99 does not exist" in result.msg
    service.settings(unknown_workspace=404)
    result = run("http_logger", workspace_id=99, label="new")
    assert result.failed
    assert "No workspace has this id; check workspace_id" in result.msg
    result = run("http_logger", workspace_id=99, label="canary")
    assert result.failed
    assert "No workspace has this id; check workspace_id" in result.msg
