# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._http.client import Client
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import (
    AnswerError,
    ApiError,
    CallError,
    NetworkError,
    Refused,
)
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import SCAN, TARGET, WORKSPACE
from ansible_collections.scanops.scanner.plugins.module_utils._model.family import PAGE_SIZE
from ansible_collections.scanops.scanner.plugins.module_utils._task.lookup import find_by_key
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.conftest import open_permits

# numbers of targets, and the pages that are asked for: page 1 only where the first page may be full
COUNTS = {
    0: [None],
    1: [None, 2],
    999: [None, 2],
    1000: [None, 1, 2],
    1001: [None, 1, 2, 3],
    2500: [None, 1, 2, 3, 4],
}
BULK = {"workspace_id": 2}


def fill(service, count):
    service.add(workspaces=[{"id": 2, "name": "Bulk"}])
    service.fill("Bulk", count)
    service.clear_log()


def name(number):
    return f"host-{number:06d}.example"


def pages_of(service):
    """The numbers of the pages that were asked for; None for the first one, which is asked for without its number."""
    return [int(number) if number else None for number in (entry["query"].get("page") for entry in service.log())]


# --- whole lists


@pytest.mark.parametrize("count", COUNTS)
def test_a_whole_list_is_read_to_an_empty_page(service, client, count):
    fill(service, count)
    rows = client.all(TARGET, BULK)
    assert [row["name"] for row in rows] == [name(number) for number in range(1, count + 1)]
    assert pages_of(service) == COUNTS[count]
    assert {entry["query"]["limit"] for entry in service.log()} == {str(PAGE_SIZE)}
    assert {entry["query"]["workspace_id"] for entry in service.log()} == {"2"}


@pytest.mark.parametrize("order", ["id", "newest_first"])
@pytest.mark.cases("cap, count")
def test_pages_that_count_from_0_lose_nothing(service, client, count, cap, order):
    service.settings(first_page=0, page_cap=cap, order=order)
    fill(service, count)
    rows = client.all(TARGET, BULK)
    assert len(rows) == len({row["id"] for row in rows}) == count


@pytest.mark.parametrize("count", [1, 999, 1000, 1001, 2500])
def test_a_service_that_ignores_the_page_is_an_error_not_a_cut(service, client, count):
    service.settings(ignore_page=True)
    fill(service, count)
    with pytest.raises(AnswerError, match="returned nothing new on page 2"):
        client.all(TARGET, BULK)
    assert pages_of(service) == ([None, 1, 2] if count >= 1000 else [None, 2])


@pytest.mark.parametrize("order", ["id", "newest_first"])
@pytest.mark.parametrize("position", ["first", "last"])
@pytest.mark.parametrize("nth", [2, 3])
def test_an_object_that_appears_between_pages_makes_no_row_twice(service, client, order, position, nth):
    service.settings(order=order)
    fill(service, 2500)
    service.fault(
        path="/targets",
        nth=nth,
        action="do",
        resource="targets",
        record={"name": "new.example", "workspace_id": 2},
        position=position,
    )
    rows = client.all(TARGET, BULK)
    names = [row["name"] for row in rows if row["name"] != "new.example"]
    assert len({row["id"] for row in rows}) == len(rows)
    assert sorted(names) == [name(number) for number in range(1, 2501)]


@pytest.mark.parametrize("nth", [2, 3])
def test_a_404_on_a_later_page_is_no_end_of_a_list(service, client, nth):
    fill(service, 2500)
    service.fault(path="/targets", nth=nth, action="status", status=404, message="invalid workspace_id")
    with pytest.raises(ApiError, match=f"could not be read to its end: page {nth - 1} was answered 404") as error:
        client.all(TARGET, BULK)
    assert "'invalid workspace_id'" in str(error.value)
    assert "may have been deleted" in str(error.value)
    assert error.value.result["api_error"]["status"] == 404


@pytest.mark.parametrize("whole", [False, True])
def test_a_lookup_does_not_take_a_404_on_a_later_page_for_an_absence(service, client, whole):
    fill(service, 1000)
    service.fault(path="/targets", nth=2, action="status", status=404)
    with pytest.raises(ApiError, match="could not be read to its end"):
        find_by_key(client, TARGET, "never.example", BULK, whole)


def test_a_404_on_a_later_page_of_scans_is_an_error(service, client):
    service.fault(path="/scans", action="status", status=404)
    with pytest.raises(ApiError, match="could not be read to its end: page 7"):
        client.page(SCAN, 7)


@pytest.mark.parametrize(
    "fault", [{"action": "status", "status": 500}, {"action": "reset"}, {"action": "status", "status": 403}]
)
def test_a_list_that_breaks_on_a_later_page_is_an_error_not_a_cut(service, client, fault):
    fill(service, 2500)
    service.fault(path="/targets", nth=3, times=None, **fault)
    with pytest.raises(CallError):
        client.all(TARGET, BULK)


# --- lookups


@pytest.mark.cases("count, wanted, calls")
def test_a_lookup_stops_at_the_hit_and_at_a_short_page(service, client, count, wanted, calls):
    fill(service, count)
    found = find_by_key(client, TARGET, name(wanted), BULK)
    assert (found and found["name"]) == (name(wanted) if wanted <= count else None)
    assert len(service.calls()) == calls


def test_an_exact_name_on_a_later_page_beats_a_similar_one_on_an_earlier_page(service, client):
    service.add(workspaces=[{"id": 2, "name": "Bulk"}], targets=[{"name": "X.example", "workspace_id": 2}])
    service.fill("Bulk", 1500)
    service.add(targets=[{"id": 9000, "name": "x.example", "workspace_id": 2}])
    assert find_by_key(client, TARGET, "x.example", BULK)["id"] == 9000


def test_similar_names_on_two_pages_are_two(service, client):
    service.add(workspaces=[{"id": 2, "name": "Bulk"}], targets=[{"name": "X.example", "workspace_id": 2}])
    service.fill("Bulk", 1500)
    service.add(targets=[{"id": 9000, "name": "x.example.", "workspace_id": 2}])
    with pytest.raises(Refused, match="names 2 targets"):
        find_by_key(client, TARGET, "x.example", BULK)


def test_rows_of_other_workspaces_are_passed_over(service, client):
    service.settings(omitted_workspace="all")
    service.add(workspaces=[{"id": 2, "name": "Bulk"}], targets=[{"id": 5, "name": "x.example", "workspace_id": 1}])
    service.fault(
        path="/targets", action="status", status=200, body={"data": [{"id": 5, "name": "x.example", "workspace_id": 1}]}
    )
    assert find_by_key(client, TARGET, "x.example", BULK) is None


# --- creates: what the second read decides


class Look:
    """A second read that returns these answers in turn; an exception is raised."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.count = 0
        self.statuses = []

    def __call__(self, status):
        self.count += 1
        self.statuses.append(status)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


FOUND = {"id": 7, "name": "new.example"}
VALUES = {"name": "new.example", "workspace_id": 1}


def test_an_answered_create_needs_no_second_read(service, client):
    look = Look()
    created = client.create(TARGET, VALUES, look)
    assert (created.made, created.note, created.record["name"]) == (True, None, "new.example")
    assert look.count == 0


def test_a_create_sends_booleans_as_the_words_of_json(service, client):
    service.allow_violations = True
    with contextlib.suppress(ApiError):
        client.create(TARGET, {**VALUES, "active": True, "shared": False}, Look())
    form = service.log()[0]["form"]
    assert (form["active"], form["shared"]) == ("true", "false")


@pytest.mark.parametrize("status", [409, 403])
def test_an_object_found_after_a_refusal_existed_before(service, client, status):
    service.fault(method="POST", action="status", status=status)
    look = Look(FOUND)
    created = client.create(TARGET, VALUES, look)
    assert created == (FOUND, False, None, True)
    assert look.statuses == [status]


def test_a_lost_request_that_arrives_late_is_ours(service, client):
    service.fault(method="POST", action="reset")
    service.fault(method="POST", nth=2, action="status", status=409)
    created = client.create(TARGET, VALUES, Look(None, FOUND))
    assert created.made
    assert created.note


def test_a_failing_second_read_shows_the_first_error(service, client):
    service.fault(method="POST", action="status", status=409, message="first")
    with pytest.raises(ApiError, match="first"):
        client.create(TARGET, VALUES, Look(NetworkError("second.", "GET", "/targets")))


def test_a_post_that_never_left_is_sent_again(transport, clock):
    client = Client(transport(base_url="http://127.0.0.1:1/api/v2"), open_permits().permit)
    with pytest.raises(NetworkError, match="was not sent"):
        client.create(TARGET, VALUES, Look())
    assert client.transport.calls == ["POST /targets -> no answer"] * 4


# --- deletes


def test_a_delete_that_was_refused_for_the_rate_limit_and_meets_404_is_not_ours(service, client):
    service.fault(method="DELETE", action="status", status=429, headers={"Retry-After": 1})
    assert client.delete(TARGET, 7) is False


def test_a_404_of_a_wrong_address_is_no_absence(service, client):
    service.fault(method="DELETE", action="html", status=404)
    with pytest.raises(AnswerError):
        client.delete(TARGET, 7)
    service.fault(method="GET", action="html", status=404)
    with pytest.raises(AnswerError):
        client.read(TARGET, 7)


def test_an_update_that_was_lost_is_not_forgotten_when_its_retry_meets_the_rate_limit(service, client):
    service.add(workspaces=[{"id": 7, "name": "Shop"}])
    service.fault(method="PUT", action="reset", when="after", times=1)
    service.fault(method="PUT", nth=2, action="status", status=429, headers={"Retry-After": 10**6}, times=1)
    live = {"id": 7, "name": "Shop", "description": ""}
    assert client.update(WORKSPACE, live, {"description": "New"}) == {**live, "description": "New"}
    assert [entry["method"] for entry in service.log()] == ["PUT", "PUT", "GET"]


@pytest.mark.parametrize("written", [True, False])
def test_a_task_that_has_written_does_not_start_over(service, client, written):
    service.add(workspaces=[{"id": 2, "name": "A"}])
    client.relies = True
    with pytest.raises(ApiError) if not written else contextlib.nullcontext():
        client.update(WORKSPACE, {"id": 2 if written else 999, "name": "A"}, {"description": "New"})
    assert client.start_over() is not written
