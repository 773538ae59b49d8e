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


@pytest.mark.parametrize("reference", [{"workspace": "Web shop"}, {"workspace_id": 2}])
def test_a_workspace_returns_its_own(run, reference):
    assert found(run("target_info", **reference)) == [1001, 1002, 1003]


def test_without_a_workspace_the_current_one_is_read_with_a_warning(run):
    result = run("target_info")
    assert found(result) == [1004]
    assert "current one" in result.warnings[0]


@pytest.mark.parametrize("kind, ids", [("hostname", [1001]), ("url", [1002]), ("ip_address", [1003])])
def test_the_service_filters_by_type(service, run, kind, ids):
    assert found(run("target_info", workspace_id=2, type=kind)) == ids
    assert {entry["query"]["type"] for entry in service.log()} == {kind}


def test_a_name_and_a_type_must_both_match(run):
    assert found(run("target_info", workspace_id=2, name="www.example.com", type="hostname")) == [1001]
    assert found(run("target_info", workspace_id=2, name="www.example.com", type="url")) == []


def test_a_name_is_compared_as_by_target(service, run):
    assert found(run("target_info", workspace_id=2, name="WWW.Example.com.")) == [1001]
    service.add(targets=[{"id": 1009, "name": "WWW.example.com", "workspace_id": 2}])
    assert found(run("target_info", workspace_id=2, name="WWW.example.com")) == [1009]
    result = run("target_info", workspace_id=2, name="WWW.Example.com.")
    assert result.failed
    assert "with the ids 1001, 1009" in result.msg


@pytest.mark.parametrize("options", [{"name": "never.example.com", "workspace_id": 2}, {"id": 99}])
def test_a_search_without_a_match_returns_an_empty_list(run, options):
    assert found(run("target_info", **options)) == []


def test_an_id_in_another_workspace_is_an_empty_list(run):
    assert found(run("target_info", id=1001, workspace_id=2)) == [1001]
    assert found(run("target_info", id=1001, workspace_id=1)) == []


def test_a_name_beyond_a_capped_page_is_found(service, run):
    service.settings(page_cap=100)
    service.fill("Web shop", 250)
    assert len(found(run("target_info", workspace_id=2, name="host-000222.example"))) == 1
    assert len(found(run("target_info", workspace_id=2, name="HOST-000222.example"))) == 1


@pytest.mark.parametrize("options", [{"workspace": "Later"}, {"workspace_id": None}, {"id": None}])
def test_in_check_mode_an_object_that_does_not_exist_yet_returns_an_empty_list_and_a_warning(run, options):
    result = run("target_info", check=True, **options)
    assert found(result) == []
    assert len(result.warnings) == 1


@pytest.mark.parametrize("options", [{}, {"name": "never.example.com"}], ids=str)
def test_a_workspace_that_is_deleted_while_it_is_read_is_an_error(service, run, options):
    service.settings(page_cap=1, unknown_workspace=404)
    service.fault(path="/targets", nth=2, action="do", do="delete", resource="workspaces", record={"id": 2})
    result = run("target_info", workspace_id=2, **options)
    assert result.failed
    assert "GET /targets could not be read to its end: page 2 was answered 404" in result.msg
    assert "targets" not in result.result
