# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A create that is answered with another object: no task takes it as its own, reports its id, or writes to it."""

from __future__ import annotations

import pytest

NEW = "new.example.com"
# the other object in each answer: one that the task has read before, and one that somebody creates at the same time
OLD = {"workspaces": 3, "targets": 1003, "http_loggers": 501}
OTHER = 4711
KEYS = {"workspaces": "name", "targets": "name", "http_loggers": "label"}
DECLARED = {
    "workspace": ("workspaces", {"name": NEW, "description": "Fresh"}),
    "target": ("targets", {"workspace": "Web shop", "name": NEW, "description": "Fresh"}),
    "http_logger": ("http_loggers", {"label": NEW}),
    "http_logger in a workspace": ("http_loggers", {"workspace": "Web shop", "label": NEW}),
    "targets": ("targets", {"workspace": "Web shop", "targets": [NEW]}),
    "estate of a workspace": ("workspaces", {"workspaces": [{"name": NEW, "targets": ["inside.example.com"]}]}),
    "estate of a target": ("targets", {"workspaces": [{"name": "Web shop", "targets": [NEW, "192.0.2.7"]}]}),
}
ANSWERS = ["old id", "old id in a record", "other id", "other record"]


def another(account, family, answer):
    """The ``data`` of an answer with another object."""
    key = KEYS[family]
    record = {"id": OTHER, key: "elsewhere.example.com"}
    if family != "workspaces":
        record["workspace_id"] = 2
    if answer.startswith("old"):
        record = {**next(row for row in account.state()[family] if row["id"] == OLD[family]), key: NEW}
    else:
        account.fault(method="POST", path=f"/{family}", action="do", resource=family, record=record)
    return {"handler_url": "", "description": "", **record} if "record" in answer else {"created_id": record["id"]}


@pytest.fixture
def created(account, run):
    """Run a module whose create is answered with another object."""

    def with_answer(module, answer, when):
        family, options = DECLARED[module]
        data = another(account, family, answer)
        fault = dict(action="status", status=201, when=when, body={"data": data})
        account.fault(method="POST", path=f"/{family}", **fault)
        return family, data.get("id") or data["created_id"], run(module.split()[0], **options)

    return with_answer


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("module", DECLARED)
def test_a_create_that_is_answered_with_another_object_is_found_in_the_list(account, created, module, answer):
    family, other, result = created(module, answer, "after")
    assert not result.failed and result.changed, result
    mine = next(row for row in account.state()[family] if row[KEYS[family]] == NEW)
    assert mine["id"] != other
    if module in ("workspace", "target"):
        assert result[module]["id"] == mine["id"] and result[module]["description"] == "Fresh"
    elif "http_logger" in module:
        assert result["http_logger"]["id"] == mine["id"]
    elif module == "estate of a workspace":
        inside = [row["workspace_id"] for row in account.targets() if row["name"] == "inside.example.com"]
        assert inside == [mine["id"]]
    if "results" in result.result:
        assert {row["id"] for row in result["results"] if row["name"] == NEW} == {mine["id"]}
    assert [call for call in account.writes() if not call.startswith("POST ")] == []


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("module", DECLARED)
def test_a_create_that_is_answered_with_another_object_and_not_done_has_failed(account, created, module, answer):
    family, other, result = created(module, answer, "before")
    assert result.failed and result.changed, result
    assert not [row for row in account.state()[family] if row[KEYS[family]] == NEW]
    assert account.writes() == [f"POST /{family}"]
    assert (result.result.get(module) or {}).get("id") != other
    for row in result.result.get("results", ()):
        assert row["name"] != NEW or (row["action"], row["id"]) == ("failed", None)
