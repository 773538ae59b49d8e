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


def test_all_workspaces_are_given_in_the_order_of_the_service(run):
    assert [row["id"] for row in run("workspace_info")["workspaces"]] == [1, 2, 3, 4]


def test_a_record_is_given_whole(run):
    assert run("workspace_info", name="Web shop")["workspaces"] == [{"id": 2, "name": "Web shop", "description": "x"}]


def test_all_of_one_name_are_given(run):
    assert [row["id"] for row in run("workspace_info", name="Twin")["workspaces"]] == [3, 4]


def test_an_id_gives_one(run):
    assert [row["id"] for row in run("workspace_info", id=4)["workspaces"]] == [4]


@pytest.mark.parametrize("options", [{"name": "Never"}, {"id": 99}])
def test_what_is_not_there_is_an_empty_list(run, options):
    result = run("workspace_info", **options)
    assert not result.failed
    assert result["workspaces"] == []


def test_in_check_mode_the_id_of_what_is_not_made_yet_gives_an_empty_list_and_a_warning(service, run):
    result = run("workspace_info", check=True, id=None)
    assert result["workspaces"] == []
    assert len(result.warnings) == 1
    assert service.calls() == []
