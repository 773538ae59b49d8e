# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lists that are documented to come whole, where the answer shows that they do not."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._errors import AnswerError, ApiError
from ansible_collections.scanops.scanner.plugins.module_utils._families.http_logger import HTTP_LOGGER
from ansible_collections.scanops.scanner.plugins.module_utils._families.target import TARGET
from ansible_collections.scanops.scanner.plugins.module_utils._families.vpn_profile import VPN_PROFILE
from ansible_collections.scanops.scanner.plugins.module_utils._families.workspace import WORKSPACE
from ansible_collections.scanops.scanner.plugins.module_utils._http.complete import Complete, InWorkspace, proven


@pytest.fixture
def workspaces(service):
    """25 workspaces, in lists of 10."""
    service.add(workspaces=[{"id": number, "name": f"W{number}"} for number in range(2, 26)])
    service.settings(capped_lists={"workspaces": 10})
    return service


@pytest.mark.parametrize("beside_data", ["total", "pages"])
def test_a_list_that_is_cut_is_an_error_or_is_read_to_its_end(workspaces, client, beside_data):
    workspaces.allow_violations = True
    workspaces.settings(beside_data=beside_data)
    with pytest.raises(AnswerError, match="returned only 10 of 25 rows, and the next page has no more"):
        client.all(WORKSPACE)
    workspaces.settings(paged_lists=["workspaces"])
    workspaces.clear_log()
    assert [row["id"] for row in client.all(WORKSPACE)] == list(range(1, 26))
    # a total alone does not say whether page 1 is the first page
    assert len(workspaces.calls()) == (4 if beside_data == "total" else 3)


@pytest.mark.parametrize("beside_data", ["total", "pages"])
def test_a_list_in_pages_that_count_from_0_is_read_to_its_end(workspaces, client, beside_data):
    workspaces.allow_violations = True
    workspaces.settings(beside_data=beside_data, paged_lists=["workspaces"], first_page=0)
    assert [row["id"] for row in client.all(WORKSPACE)] == list(range(1, 26))
    assert len(workspaces.calls()) == 3


def test_a_list_that_only_says_that_it_goes_on_is_read_to_its_end(service, client):
    body = [{"data": [{"id": 1, "name": "a"}], "has_more": True}, {"data": [{"id": 2, "name": "b"}], "has_more": False}]
    service.fault(path="/workspaces", query={"page": 1}, action="status", status=200, body=body[1])
    service.fault(path="/workspaces", action="status", status=200, body=body[0])
    assert [row["id"] for row in client.all(WORKSPACE)] == [1, 2]
    assert [entry["query"] for entry in service.log()] == [{}, {"page": "1"}]


def test_a_list_that_fits_costs_one_call_whatever_its_envelope(service, client):
    for beside_data in ("nothing", "total", "pages"):
        service.settings(beside_data=beside_data)
        service.clear_log()
        assert len(client.all(WORKSPACE)) == 1
        assert service.calls() == ["GET /workspaces"]


@pytest.mark.parametrize("status", [400, 404, 422])
def test_a_service_that_refuses_a_further_page_has_cut_its_list(workspaces, client, status):
    workspaces.settings(beside_data="total")
    workspaces.fault(path="/workspaces", nth=2, action="status", status=status)
    with pytest.raises(AnswerError, match="returned only 10 of 25 rows"):
        client.all(WORKSPACE)


def test_another_failure_of_a_further_page_is_itself(workspaces, client):
    workspaces.settings(beside_data="total")
    workspaces.fault(path="/workspaces", nth=2, action="status", status=403)
    with pytest.raises(ApiError, match="answered 403"):
        client.all(WORKSPACE)


def test_a_link_to_the_next_page_does_not_change_what_was_asked_for(service, client):
    body = {"data": [{"id": 1, "label": "a"}], "links": {"next": "/http_loggers?workspace_id=9&page=2"}}
    service.fault(path="/http_loggers", action="status", status=200, body=body)
    service.fault(path="/http_loggers", query={"page": 2}, action="status", status=200, body={"data": []})
    assert [row["id"] for row in client.all(HTTP_LOGGER, {"workspace_id": 1})] == [1]
    assert [entry["query"] for entry in service.log()] == [{"workspace_id": "1"}, {"workspace_id": "1", "page": "2"}]


def test_rows_that_come_twice_count_once(service, client):
    row = {"uuid": "a", "name": "Office"}
    service.fault(path="/vpn_profiles", action="status", status=200, body={"data": [row, row]})
    assert len(client.all(VPN_PROFILE)) == 1


# --- the types


def test_what_is_taken_out_of_a_complete_list_is_none(service, client):
    rows = client.all(TARGET, {"workspace_id": 1})
    assert proven(Complete, rows) is rows
    for other in (list(rows), rows[:], [row for row in rows if row], rows + rows):
        with pytest.raises(TypeError):
            proven(Complete, other)
    with pytest.raises(TypeError, match="expected InWorkspace, got Complete"):
        proven(InWorkspace, rows)
