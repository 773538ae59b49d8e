# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""estate_info: the account in the shape that the module estate takes."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._estate.account import estate_of
from ansible_collections.scanops.scanner.plugins.module_utils._model.records import Complete, InWorkspace

STATE = {
    "workspaces": [
        {"id": 2, "name": "Web shop", "description": "All that customers reach"},
        {"id": 3, "name": "Ärzte"},
        {"id": 4, "name": "empty"},
    ],
    "targets": [
        {"name": "www.example.com", "workspace": "Web shop", "description": "Front"},
        {"name": "WWW.example.com.", "workspace": "Web shop", "description": "{{ no }}"},
        {"name": "10.0.0.1", "workspace": "Web shop"},
        {"name": "a.example.com", "workspace": "Ärzte"},
        {"name": "www.example.com", "workspace": "Ärzte"},
    ],
    "http_loggers": [
        {"label": "z", "workspace": "Web shop"},
        {"label": "a", "workspace": "Web shop"},
        {"label": "m", "workspace": "Ärzte"},
    ],
}
SHOP = {
    "name": "Web shop",
    "id": 2,
    "description": "All that customers reach",
    "targets": [
        {"name": "10.0.0.1"},
        {"name": "WWW.example.com.", "description": "{{ no }}"},
        {"name": "www.example.com", "description": "Front"},
    ],
    "http_loggers": [{"label": "a"}, {"label": "z"}],
}
AERZTE = {
    "name": "Ärzte",
    "id": 3,
    "targets": [{"name": "a.example.com"}, {"name": "www.example.com"}],
    "http_loggers": [{"label": "m"}],
}
EMPTY = {"name": "empty", "id": 4, "targets": [], "http_loggers": []}
ALIKE = [{"workspace": "Web shop", "names": ["WWW.example.com.", "www.example.com"]}]


@pytest.fixture
def account(service):
    service.reset(settings={"rate_limits": None, "validate": True}, state={**STATE, "fresh": False})
    return service


@pytest.mark.parametrize("check", [False, True])
def test_the_whole_account(account, run, check):
    read = run("estate_info", check=check)
    assert not read.changed
    assert read["workspaces"] == [SHOP, EMPTY, AERZTE]
    assert read["alike"] == ALIKE
    assert read["loggers_elsewhere"] == []
    assert read["missing"] == []
    targets = ["GET /targets", "GET /targets", "GET /http_loggers"]
    assert account.calls() == ["GET /workspaces", "GET /http_loggers", *targets, *targets[1:], *targets]
    assert [entry["query"].get("workspace_id") for entry in account.log()][2:] == ["2"] * 3 + ["4"] * 2 + ["3"] * 3


def test_some_workspaces(account, run):
    read = run("estate_info", workspaces=["Ärzte", "web shop", "Nowhere"])
    assert read["workspaces"] == [AERZTE]
    assert read["alike"] == []
    assert read["loggers_elsewhere"] == ["a", "z"]
    assert read["missing"] == ["Nowhere", "web shop"]
    assert len(account.calls()) == 5


def test_what_was_read_is_what_estate_takes(account, run):
    read = run("estate_info")["workspaces"]
    account.clear_log()
    applied = run("estate", workspaces=read)
    assert not applied.changed
    assert set(applied["summary"]) - {action for action, count in applied["summary"].items() if not count} == {
        "unchanged"
    }
    assert account.writes() == []


def test_a_list_that_nobody_has_proven_is_not_exported():
    row = {"id": 1, "name": "A", "description": ""}
    for targets, inside, loggers in (
        ([], InWorkspace(), Complete()),
        (InWorkspace(), Complete(), Complete()),
        (InWorkspace(), InWorkspace(), []),
    ):
        with pytest.raises(TypeError):
            estate_of([(row, targets, inside)], loggers)


def test_names_are_alike_if_they_mean_the_same():
    names = ["b.example", "https://a.example:443/", "a.example", "https://A.example", "B.example."]
    targets = InWorkspace({"id": number, "name": name, "description": ""} for number, name in enumerate(names, 1))
    row = {"id": 1, "name": "A", "description": ""}
    alike = estate_of([(row, targets, InWorkspace())], Complete())["alike"]
    assert [group["names"] for group in alike] == [
        ["B.example.", "b.example"],
        ["https://A.example", "https://a.example:443/"],
    ]
