# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

STATE = {
    "workspaces": [
        {"id": 2, "name": "Web shop", "description": "x"},
        {"id": 3, "name": "Twin"},
        {"id": 4, "name": "Twin"},
    ]
}


@pytest.fixture(autouse=True)
def _account(service):
    service.add(**STATE)


def test_all_workspaces_are_returned_in_the_order_of_the_service(run):
    assert [row["id"] for row in run("workspace_info")["workspaces"]] == [1, 2, 3, 4]


def test_a_record_is_returned_with_all_fields(run):
    assert run("workspace_info", name="Web shop")["workspaces"] == [{"id": 2, "name": "Web shop", "description": "x"}]


def test_all_with_one_name_are_returned(run):
    assert [row["id"] for row in run("workspace_info", name="Twin")["workspaces"]] == [3, 4]


def test_an_id_returns_one(run):
    assert [row["id"] for row in run("workspace_info", id=4)["workspaces"]] == [4]


@pytest.mark.parametrize("options", [{"name": "Never"}, {"id": 99}])
def test_a_search_without_a_match_returns_an_empty_list(run, options):
    result = run("workspace_info", **options)
    assert not result.failed
    assert result["workspaces"] == []


def test_in_check_mode_the_id_of_an_object_that_does_not_exist_yet_returns_an_empty_list_and_a_warning(service, run):
    result = run("workspace_info", check=True, id=None)
    assert result["workspaces"] == []
    assert len(result.warnings) == 1
    assert service.calls() == []
