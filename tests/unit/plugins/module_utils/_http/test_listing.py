# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an answer says beside the rows of a list counts: more rows are read, or an error says that some are missing."""

from __future__ import annotations

import json

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import AnswerError, ApiError
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import (
    FINDING_TEMPLATE,
    HTTP_LOGGER,
    SCAN,
    TARGET,
    VPN_PROFILE,
    WORKSPACE,
)
from ansible_collections.scanops.scanner.plugins.module_utils._model.records import Complete, InWorkspace, proven


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
    more = {"data": [{"id": 2, "label": "b"}]}
    service.fault(path="/http_loggers", query={"page": 2}, action="status", status=200, body=more)
    assert [row["id"] for row in client.all(HTTP_LOGGER, {"workspace_id": 1})] == [1, 2]
    assert [entry["query"] for entry in service.log()] == [{"workspace_id": "1"}, {"workspace_id": "1", "page": "2"}]


# page 1 has two rows and page 2 none, although the first page says this beside its rows
CUT = {
    "a total": ({"meta": {"total": 5}}, {}, "only 2 of 5 rows"),
    "a header": ({}, {"X-Total-Count": 5}, "only 2 of 5 rows"),
    "more": ({"has_more": True}, {}, "only 2 rows"),
    "more and a total": ({"has_more": True, "total_count": 5}, {}, "only 2 of 5 rows"),
    "a last page": ({"meta": {"current_page": 1, "last_page": 3}}, {}, "only 2 rows"),
    "a cursor and a total": ({"next_cursor": "x", "count": 5}, {}, "only 2 of 5 rows"),
    "a link": ({}, {"Link": '</targets?page=2>; rel="next"'}, "only 2 rows"),
    "a link and a total": ({"total": 5}, {"Link": '</targets?page=2>; rel="next"'}, "only 2 of 5 rows"),
}


@pytest.mark.parametrize("family", [TARGET, SCAN, FINDING_TEMPLATE, WORKSPACE], ids=lambda family: family.name)
@pytest.mark.parametrize("beside, headers, said", CUT.values(), ids=CUT)
@pytest.mark.parametrize("whole", [True, False])
def test_a_list_of_which_rows_are_missing_is_an_error(service, client, family, beside, headers, said, whole):
    """In an ``absent``, too, which reads only until a short page where nothing says that more follows."""
    service.allow_violations = True
    rows = [{family.key: f"a{number}", "id": number} for number in (1, 2)]
    for body in ({"data": rows, **beside}, {"data": []}):
        more = headers if body["data"] else {}
        times = 1 if body["data"] else None
        service.fault(path=family.path, action="status", status=200, body=body, headers=more, times=times)
    with pytest.raises(AnswerError, match=f"returned {said}, and the next page has no more"):
        list(client.pages(family, {}, whole))


def test_a_full_page_may_announce_an_empty_one(service, client):
    service.allow_violations = True
    rows = [{"id": number, "name": f"a{number}"} for number in range(1, 51)]
    for body in ({"data": rows, "next": "/targets?page=2"}, {"data": []}):
        times = 1 if body["data"] else None
        service.fault(path="/targets", action="status", status=200, body=body, times=times)
    assert len(client.all(TARGET)) == 50


def test_a_link_with_a_cursor_is_followed(service, client):
    service.allow_violations = True
    link = {"Link": '<https://a.example/x?cursor=abc>; rel="next"'}
    for number, query, headers in ((1, {}, link), (2, {"cursor": "abc"}, {})):
        body = {"data": [{"id": number, "name": f"a{number}"}]}
        service.fault(path="/targets", query=query, action="status", status=200, body=body, headers=headers)
    assert [row["id"] for page in client.pages(TARGET, {"workspace_id": 1}, whole=False) for row in page] == [1, 2]
    first, second = [entry["query"] for entry in service.log()]
    assert second == {**first, "cursor": "abc"}


@pytest.mark.parametrize("first_page", [0, 1])
@pytest.mark.parametrize("beside_data", ["total", "pages", "link"])
def test_a_list_in_pages_that_is_complete_is_read_as_ever(service, client, beside_data, first_page):
    service.add(targets=[{"id": number, "name": f"t{number}.example"} for number in range(1, 121)])
    service.settings(beside_data=beside_data, page_cap=50, first_page=first_page, validate=False)
    service.allow_violations = True
    assert len(client.all(TARGET, {"workspace_id": 1})) == 120


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


@pytest.mark.cases("data")
def test_what_is_no_list_of_records_is_an_error(service, client, data):
    service.fault(path="/targets", action="wrong_type", data=data, times=None)
    with pytest.raises(
        AnswerError, match=r"was answered 200 \(application/json\) with data that is not a list of targets"
    ):
        client.all(TARGET, {"workspace_id": 1})


@pytest.mark.parametrize("body", [{"rows": []}, "text", 5, True])
def test_an_answer_without_data_is_no_list(service, client, body):
    service.fault(path="/targets", action="status", status=200, body=json.dumps(body), content_type="application/json")
    with pytest.raises(AnswerError, match="with no data in it"):
        client.all(TARGET, {"workspace_id": 1})
