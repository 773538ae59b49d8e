# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Settings under which the service takes another meaning from a request, or does less than it answers."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def state(service):
    service.reset(
        state={
            "workspaces": [{"id": 2, "name": "w", "description": "d"}, {"id": 3, "name": "x"}],
            "targets": [{"id": 1001, "name": "t.example"}],
            "http_loggers": [{"id": 501, "label": "l", "requests": [{}]}],
            "scans": [{"id": 40001, "target": "t.example"}],
            "reports": [{"id": 301, "resources": [40001]}],
        }
    )


@pytest.mark.parametrize(
    "where,query,form,expected",
    [
        ("either", "2", None, 2),
        ("either", None, "2", 2),
        ("either", "2", "3", 2),
        ("either", None, None, 1),
        ("query", "2", "3", 2),
        ("query", None, "3", 1),
        ("form", "2", "3", 3),
        ("form", "2", None, 1),
    ],
)
def test_the_workspace_of_a_logger_is_read_from_the_query_or_the_form(service, send, where, query, form, expected):
    service.settings(logger_workspace=where)
    path = f"/http_loggers?workspace_id={query}" if query else "/http_loggers"
    send("POST", path, form={"label": "new", **({"workspace_id": form} if form else {})})
    assert service.http_loggers()[-1]["workspace_id"] == expected


def test_a_put_can_replace_the_record(service, send):
    assert send("PUT", "/workspaces/2", body={"name": "new"}).status == 204
    assert send("GET", "/workspaces/2").data == {"id": 2, "name": "new", "description": "d"}
    service.settings(put_replaces=True)
    assert send("PUT", "/workspaces/2", body={"name": "newer"}).status == 204
    assert send("GET", "/workspaces/2").data == {"id": 2, "name": "newer", "description": ""}
    assert send("PUT", "/workspaces/2", body={"description": "e"}).status == 204
    assert send("GET", "/workspaces/2").data == {"id": 2, "name": "", "description": "e"}


@pytest.mark.parametrize(
    "sent,kept", [({"name": "", "description": "e"}, ("w", "e")), ({"name": "new", "description": ""}, ("new", ""))]
)
def test_a_put_takes_what_is_valid(service, send, sent, kept):
    service.allow_violations = True
    assert send("PUT", "/workspaces/2", body=sent).status == 204
    assert send("GET", "/workspaces/2").data == {"id": 2, "name": kept[0], "description": kept[1]}


def test_an_empty_description_can_be_invalid(service, send):
    service.settings(empty_description="invalid")
    assert send("PUT", "/workspaces/2", body={"description": ""}).status == 400
    assert send("PUT", "/workspaces/2", body={"name": "new", "description": ""}).status == 204
    assert send("GET", "/workspaces/2").data == {"id": 2, "name": "new", "description": "d"}


DELETES = (
    "/workspaces/3",
    "/reports/301",
    "/http_loggers/501/data",
    "/http_loggers/501",
    "/scans/40001",
    "/targets/1001",
    "/wordlists/1700",
)


@pytest.mark.parametrize("path", DELETES)
def test_a_delete_can_be_answered_and_not_done(service, send, path):
    before = service.state()
    service.settings(deletes_done=False)
    assert send("DELETE", path).status == 204
    assert service.state() == before
    service.settings(deletes_done=True)
    assert send("DELETE", path).status == 204
    assert service.state() != before


def test_a_read_can_be_redirected_to_the_path_with_a_slash(service, send):
    service.settings(redirects="slash")
    answer = send("GET", "/targets?workspace_id=1&type=url")
    assert (answer.status, answer.raw) == (308, b"")
    location = answer.headers["Location"]
    assert location == "/api/v2/targets/?workspace_id=1&type=url"
    assert send("GET", f"!{location}").data == []
    assert send("GET", "/targets/1001").headers["Location"] == "/api/v2/targets/1001/"
    assert send("POST", "/targets", form={"name": "a.example"}).status == 201


def test_a_redirect_can_lose_the_query(service, send):
    service.settings(redirects="without_query")
    answer = send("GET", "/targets?type=url")
    assert (answer.status, answer.headers["Location"]) == (301, "/api/v2/targets/")
    assert [each["name"] for each in send("GET", "/targets/").data] == ["t.example"]
