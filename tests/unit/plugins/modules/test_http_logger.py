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
