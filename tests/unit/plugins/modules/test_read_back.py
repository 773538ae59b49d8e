# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a service accepts and does not do, or does elsewhere, or does beyond it: no task reports it as done."""

from __future__ import annotations

import pytest

SHOP = {"id": 2, "name": "Web shop", "description": "All that customers reach"}


def good(result):
    assert not result.failed, result.msg
    return result


def refused(result, *words):
    """A failure after which something may have changed."""
    assert result.failed, result
    assert result.changed
    for word in words:
        assert word in result.msg, result.msg
    return result


# --- the workspace of a new logger


def creates(service):
    return [(entry["query"], entry["form"]) for entry in service.log() if entry["method"] == "POST"]


NEW_LOGGER = {
    "http_logger": {"workspace_id": 2, "label": "new"},
    "estate": {"workspaces": [{"name": "Web shop", "http_loggers": [{"label": "canary"}, {"label": "new"}]}]},
}
on_each = pytest.mark.parametrize("module", NEW_LOGGER)


@on_each
@pytest.mark.parametrize("read", ["query", "form", "either"])
def test_a_new_logger_is_in_its_workspace_wherever_the_service_reads_that(account, run, module, read):
    account.settings(logger_workspace=read)
    assert good(run(module, **NEW_LOGGER[module])).changed
    assert creates(account) == [({"workspace_id": "2"}, {"label": "new", "workspace_id": "2"})]
    assert [row["workspace_id"] for row in account.http_loggers() if row["label"] == "new"] == [2]
    last = account.log()[-1]
    assert (last["method"], last["path"], last["query"]) == ("GET", "/http_loggers", {"workspace_id": "2"})


def misplace(service, workspace_id):
    """Let the service create the logger in another workspace, and answer as ever."""
    record = {"label": "new", "workspace_id": workspace_id}
    service.fault(method="POST", path="/http_loggers", action="do", resource="http_loggers", record=record)
    body = {"data": {"created_id": 503}}
    service.fault(method="POST", path="/http_loggers", action="status", status=201, body=body)


@on_each
def test_a_logger_that_was_created_elsewhere_is_an_error_that_says_where(account, run, module):
    misplace(account, 1)
    result = refused(
        run(module, **NEW_LOGGER[module]),
        "it is in workspace 1 ('My Workspace') instead of workspace",
        "delete it there unless it existed before, make workspace",
        "the current workspace in the web application, and run the task again",
    )
    if module == "estate":
        assert [row["action"] for row in result["results"] if row["name"] == "new"] == ["failed"]
    else:
        assert "HTTP logger 'new' was created, but" in result.msg


@on_each
def test_a_logger_whose_create_was_lost_and_that_is_elsewhere_may_have_been_created(account, run, module):
    misplace(account, 1)
    account.clear_faults()
    record = {"label": "new", "workspace_id": 1}
    account.fault(method="POST", path="/http_loggers", action="do", resource="http_loggers", record=record)
    account.fault(method="POST", path="/http_loggers", action="reset", times=None)
    refused(run(module, **NEW_LOGGER[module]), "may have been created")


# --- updates

RENAME = {
    "workspace": {"name": "Web shop", "new_name": "Shop"},
    "by id": {"id": 2, "new_name": "Shop"},
}


@pytest.mark.parametrize("options", RENAME.values(), ids=RENAME)
def test_a_field_that_an_update_clears_is_an_error_with_both_values(account, run, options):
    account.settings(put_replaces=True)
    result = refused(
        run("workspace", **options),
        "the description of workspace 'Web shop' (id 2) is '' instead of 'All that customers reach'",
        "does not declare the description; the service seems to replace the complete record",
    )
    assert result["unexpected"] == {"description": {"expected": SHOP["description"], "live": ""}}
    assert result["workspace"] == {"id": 2, "name": "Shop", "description": ""}
    # what the message advises
    account.settings(put_replaces=False)
    assert good(run("workspace", name="Shop", description=SHOP["description"])).changed


def edit(service, **fields):
    """Let the service show another record after an update."""
    body = {"data": {**SHOP, **fields}}
    service.fault(method="GET", path="/workspaces/2", action="status", status=200, body=body)


@pytest.mark.parametrize("module", ["workspace", "estate"])
def test_a_declared_value_that_an_update_does_not_take_is_an_error(account, run, module):
    edit(account, description="new")
    declared = {"name": "Web shop", "description": "New"}
    result = refused(
        run(module, **(declared if module == "workspace" else {"workspaces": [declared]})),
        "the description of workspace 'Web shop' (id 2) is 'new' instead of 'New'",
        "Declare the value as the service stores it",
    )
    if module == "estate":
        assert result["summary"]["failed"] == 1


def test_an_estate_stops_at_the_first_workspace_whose_record_was_replaced(account, run):
    account.add(workspaces=[{"id": 4, "name": "Other", "description": "Old"}])
    edit(account, name="Else", description="New")
    declared = [{"name": "Web shop", "description": "New"}, {"name": "Other", "description": "New"}]
    result = refused(run("estate", workspaces=declared), "the name of workspace 'Web shop' (id 2) is 'Else'")
    assert [row["action"] for row in result["results"]] == ["failed", "refused"]
    assert account.writes() == ["PUT /workspaces/2"]


# --- deletes

DELETES = {
    "workspace": ({"name": "Empty"}, "the workspace still exists"),
    "target": ({"workspace_id": 2, "name": "192.0.2.7"}, "the target still exists"),
    "http_logger": ({"label": "quiet"}, "the HTTP logger still exists"),
    "http_logger_data": ({"label": "canary"}, "the data of the HTTP logger still exists"),
    "wordlist": ({"name": "Our hosts"}, "the wordlist still exists"),
    "scan": ({"id": 40001}, "the scan still exists"),
    "report": ({"id": 301}, "the report still exists"),
    "targets": ({"workspace_id": 2, "targets": ["192.0.2.7"]}, "accepted its deletion, but still lists it"),
}


@pytest.mark.parametrize("status", [204, 200])
@pytest.mark.parametrize("module", DELETES)
def test_a_delete_that_is_answered_and_not_done_is_an_error(account, run, module, status):
    account.settings(deletes_done=False, delete_status=status)
    options, said = DELETES[module]
    refused(
        run(module, state="absent", **options), said, "run the task again" if module == "targets" else "Run the task"
    )
    assert len(account.writes()) == 1


def test_what_a_purge_has_not_deleted_has_failed(account, run):
    account.fault(method="DELETE", path="/targets/1002", action="status", status=204)
    result = refused(
        run("targets", workspace_id=2, targets=["www.example.com"], purge=True, purge_max_percent=100),
        "the service accepted its deletion, but still lists it",
    )
    assert {row["name"]: row["action"] for row in result["results"]} == {
        "https://shop.example.com": "failed",
        "192.0.2.7": "delete",
    }
    assert account.calls()[-4:] == ["DELETE /targets/1003", "DELETE /targets/1002", "GET /targets", "GET /targets"]


@pytest.mark.parametrize("module", ["target", "targets"])
def test_a_recreate_that_has_not_deleted_is_an_error(account, run, module):
    account.settings(deletes_done=False)
    declared = {"name": "www.example.com", "description": "Other"}
    declared = declared if module == "target" else {"targets": [declared]}
    refused(run(module, workspace_id=2, on_drift="recreate", force=True, **declared), "accepted")
    assert [row["description"] for row in account.targets() if row["id"] == 1001] == ["Front"]


# --- what else an answer says
