# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _account(service):
    service.add(
        workspaces=[{"id": 2, "name": "Web shop"}],
        targets=[
            {"id": 1001, "name": "www.example.com", "workspace_id": 2},
            {"id": 1002, "name": "https://shop.example.com", "workspace_id": 2},
            {"id": 1003, "name": "192.0.2.7", "workspace_id": 2},
            {"id": 1004, "name": "www.example.com"},
        ],
    )


def found(result):
    assert not result.failed, result.msg
    return [row["id"] for row in result["targets"]]


@pytest.mark.parametrize("kind, ids", [("hostname", [1001]), ("url", [1002]), ("ip_address", [1003])])
def test_the_service_filters_by_type(service, run, kind, ids):
    assert found(run("target_info", workspace_id=2, type=kind)) == ids
    assert {entry["query"]["type"] for entry in service.log()} == {kind}


def test_a_name_beyond_a_capped_page_is_found(service, run):
    service.settings(page_cap=100)
    service.fill("Web shop", 250)
    assert len(found(run("target_info", workspace_id=2, name="host-000222.example"))) == 1
    assert len(found(run("target_info", workspace_id=2, name="HOST-000222.example"))) == 1
