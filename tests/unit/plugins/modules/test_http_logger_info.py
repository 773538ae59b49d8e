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


@pytest.mark.parametrize(
    "wanted, calls",
    [({}, 3), ({"label": "canary"}, 3), ({"id": 501}, 4), ({"label": "here"}, 1), ({"id": 502}, 2)],
    ids=str,
)
def test_another_list_confirms_the_workspace_of_a_logger(service, run, wanted, calls):
    found(run("http_logger_info", workspace_id=2, **wanted))
    assert len(service.calls()) == calls
