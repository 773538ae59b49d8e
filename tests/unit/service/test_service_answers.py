# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The answer forms that the public facts leave open, and paging."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.tests.service.families import LISTS


@pytest.mark.parametrize("status", [201, 200])
@pytest.mark.parametrize("form", ["created_id", "record", "nothing"])
@pytest.mark.parametrize(
    "path,fields",
    [("/workspaces", {"name": "n"}), ("/targets", {"name": "n.example"}), ("/http_loggers", {"label": "n"})],
)
def test_create_answers(service, send, path, fields, form, status):
    service.settings(create_answer=form, create_status=status)
    answer = send("POST", path, form=fields)
    assert answer.status == status
    if form == "nothing":
        assert answer.raw == b"" and answer.type is None
        return
    record = send("GET", path).data[-1]
    assert answer.json == {"data": {"created_id": record["id"]} if form == "created_id" else record}


@pytest.mark.parametrize("path", LISTS.values())
def test_lists(service, send, path):
    wrapped = send("GET", path).json
    assert set(wrapped) == {"data"}
    service.settings(lists="bare")
    assert send("GET", path).json == wrapped["data"]


@pytest.mark.parametrize("path", ["/workspaces/1", "/targets/1001", "/http_loggers/501", "/wordlists/1700"])
def test_extra_fields_and_null_descriptions(service, send, path):
    service.add(targets=[{"name": "t.example"}], http_loggers=[{"label": "l"}])
    plain = send("GET", path).data
    service.settings(extra_fields=True, null_description=True)
    shown = send("GET", path).data
    assert set(shown) - set(plain) == {"created_at", "x_unknown"}
    for name, value in plain.items():
        assert shown[name] == (None if name == "description" and value == "" else value)
    service.settings(extra_fields=False, null_description=False)
    assert send("GET", path).data == plain


def test_omitted_workspace(service, send):
    service.add(workspaces=[{"name": "w"}], targets=[{"name": "a.example"}, {"name": "b.example", "workspace": "w"}])
    assert names(send("GET", "/targets")) == ["a.example"]
    service.settings(omitted_workspace="all")
    assert names(send("GET", "/targets")) == ["a.example", "b.example"]
    assert names(send("GET", "/targets?type=hostname")) == ["a.example", "b.example"]
    service.add(current_workspace=2)
    service.settings(omitted_workspace="current")
    assert names(send("GET", "/targets")) == ["b.example"]


def names(answer):
    return [each["name"] for each in answer.data]


def flat(pages):
    return [name for page in pages for name in page]


def walk(send, workspace_id, limit, most=40):
    pages = []
    while len(pages) < most:
        pages.append(names(send("GET", f"/targets?workspace_id={workspace_id}&limit={limit}&page={len(pages) + 1}")))
        if not pages[-1]:
            break
    return pages


def test_an_unknown_workspace_may_have_an_empty_list(service, send):
    # the documentation has no error for this list
    assert send("GET", "/http_loggers?workspace_id=99").data == []
    service.settings(unknown_workspace="empty")
    assert send("GET", "/scans?workspace_id=99").data == []


@pytest.mark.parametrize("call", ["GET /targets", "GET /scans", "GET /http_loggers", "POST /http_loggers"])
def test_an_unknown_workspace_may_be_not_found(service, send, call):
    service.settings(unknown_workspace=404)
    method, path = call.split()
    form = {"label": "l"} if method == "POST" else None
    assert send(method, f"{path}?workspace_id=99", form=form).status == 404


def test_past_the_end(service, send):
    service.settings(past_end=404)
    assert send("GET", "/targets").data == []
    workspace_id = service.fill("bulk", 2)
    assert len(send("GET", f"/targets?workspace_id={workspace_id}&limit=2&page=1").data) == 2
    assert send("GET", f"/targets?workspace_id={workspace_id}&limit=2&page=2").json["status"] == 404


@pytest.mark.parametrize("order", ["id", "newest_first"])
@pytest.mark.parametrize("position", ["first", "last"])
def test_an_object_appears_between_two_pages(service, send, order, position):
    service.settings(order=order)
    workspace_id = service.fill("bulk", 4)
    record = {"name": "new.example", "workspace_id": workspace_id}
    service.fault(path="/targets", nth=2, action="do", resource="targets", record=record, position=position)
    pages = walk(send, workspace_id, 2)
    seen = flat(pages)
    if position == "first":
        # what was the end of page 1 is now the start of page 2
        assert pages[1][0] == pages[0][1] and "new.example" not in seen
    else:
        assert seen[-1] == "new.example" and len(seen) == len(set(seen)) == 5


def test_ids_are_never_given_twice(service, send):
    first = send("POST", "/targets", form={"name": "a.example"}).data["created_id"]
    send("DELETE", f"/targets/{first}")
    assert send("POST", "/targets", form={"name": "a.example"}).data["created_id"] == first + 1


def test_many_targets(service, send):
    workspace_id = service.fill("bulk", 100_000)
    assert names(send("GET", f"/targets?workspace_id={workspace_id}&limit=1&page=100000")) == ["host-100000.example"]
    assert send("POST", "/targets", form={"name": "host-050000.example", "workspace_id": workspace_id}).status == 409
    assert send("DELETE", f"/targets/{1000 + 50_000}").status == 204
    assert send("POST", "/targets", form={"name": "host-050000.example", "workspace_id": workspace_id}).status == 201
    assert names(send("GET", f"/targets?workspace_id={workspace_id}&limit=1&page=50000")) == ["host-050001.example"]
    assert send("DELETE", f"/workspaces/{workspace_id}").status == 204
    assert service.targets() == []
