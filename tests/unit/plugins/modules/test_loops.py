# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Items of one loop share their connection and what they read; the service's log shows what they asked for."""

from __future__ import annotations

import contextlib
import itertools
from pathlib import Path
from unittest import mock

import pytest
import yaml
from ansible_collections.scanops.scanner.plugins.module_utils._http.connection import Session
from ansible_collections.scanops.scanner.plugins.module_utils._http.list_cache import LONGEST
from ansible_collections.scanops.scanner.plugins.module_utils._http.transport import Transport
from ansible_collections.scanops.scanner.plugins.plugin_utils._loop import Loop

PLACES = "GET /workspaces"
LIST = "GET /targets"
CREATE = "POST /targets"


@pytest.fixture(autouse=True)
def _account(service):
    service.add(
        workspaces=[{"id": 2, "name": "Web shop"}, {"id": 3, "name": "Other"}],
        targets=[
            {"id": 1001, "name": "a.example.com", "workspace_id": 2, "description": "First"},
            {"id": 1002, "name": "b.example.com", "workspace_id": 2},
            {"id": 1003, "name": "c.example.com", "workspace_id": 3},
        ],
    )


@pytest.fixture
def item(run):
    """Run an item of a loop: item(loop, module, **options)."""

    def run_item(loop, module, **options):
        return run(module, shared=loop, **options)

    return run_item


@pytest.fixture
def loop(item):
    """Run the items of one loop, each a dictionary of options: loop(module, items, **options for all)."""
    with_one = Loop()

    def run_items(module, items, **common):
        return [item(with_one, module, **{**common, **each}) for each in items]

    yield run_items
    with_one.close()


@pytest.fixture
def somebody_deletes(service, run):
    """Delete an object as another person: somebody_deletes(module, id); it is not in the log."""

    def delete(module, object_id):
        options = {"force": True} if module == "workspace" else {}
        assert run(module, id=object_id, state="absent", **options).changed
        service.clear_log()

    return delete


def names(*labels):
    return [{"name": f"{label}.example.com"} for label in labels]


def in_shop(loop, *labels, **more):
    return loop("target", names(*labels), workspace="Web shop", **more)


# --- reads and writes

APART = [{"timeout": 20}, {"timeout": 30}]

# the module, its items, options of all items, which of them change something, the calls
SHARED = yaml.safe_load(Path(__file__).with_name("loops.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", SHARED)
def test_items_share_what_they_read(service, loop, case):
    told = SHARED[case]
    changed = told["changed"]
    service.add(http_loggers=[{"label": f"hook {number}", "workspace_id": 2} for number in range(3)])
    results = loop(told["module"], told["items"], **told.get("common", {}))
    assert [result for result in results if result.failed] == []
    assert "".join("-+"[result.changed] for result in results) == changed
    assert len(service.writes()) == changed.count("+")
    assert service.calls() == told.get("calls", service.calls())


def test_items_share_one_connection(loop):
    opened = []
    with mock.patch.object(Session, "_open", autospec=True, side_effect=Session._open) as opening:
        in_shop(loop, "a", "b")
        opened.append(opening.call_count)
    assert opened == [1]


def test_each_item_returns_its_own_calls(loop):
    first, second = in_shop(loop, "a", "b")
    assert [call.partition("?")[0] for call in first.calls] == [
        "GET /workspaces -> 200",
        "GET /targets",
    ]
    assert second.calls == []


def test_an_item_costs_no_more_than_alone(service, loop, run):
    service.add(targets=[{"name": f"{number}.example.net", "workspace_id": 2} for number in range(2500)])
    for label in ("a", "missing"):
        service.clear_log()
        run("target", workspace="Web shop", name=f"{label}.example.com", state="present")
        alone = service.calls()
        service.clear_log()
        in_shop(loop, label if label == "a" else "absent")
        assert len(service.calls()) <= len(alone)


def test_pages_are_read_when_an_item_needs_them(service, loop):
    service.add(targets=[{"name": f"{number}.example.net", "workspace_id": 2} for number in range(1500)])
    service.clear_log()
    in_shop(loop, "a")
    assert service.calls() == [PLACES, LIST]
    assert [result["target"]["name"] for result in loop("target", [{"name": "1400.example.net"}], workspace_id=2)] == [
        "1400.example.net"
    ]
    # page 1 is the first page once more
    assert service.calls() == [PLACES, LIST, LIST, LIST]


def test_names_of_other_workspaces_are_not_taken(service, loop):
    first, second = loop("target", names("c", "c"), workspace_id=2)
    assert (first.changed, second.changed) == (True, False)
    assert first["target"]["id"] == second["target"]["id"] != 1003


def test_another_proxy_shares_nothing(service, loop, monkeypatch):
    in_shop(loop, "a")
    monkeypatch.setenv("https_proxy", "http://proxy.example.com:3128")
    in_shop(loop, "a")
    assert service.calls() == [PLACES, LIST] * 2


def test_a_list_is_at_most_a_minute_old(service, item):
    loop = Loop()
    now = [1000.0]
    for later, calls in ((0, 1), (LONGEST, 1), (1, 2)):
        now[0] += later
        item(loop, "target", workspace_id=2, name="a.example.com", clock=lambda: now[0])
        # the clock of the connection that the first item opened counts
        assert len(service.calls()) == calls


# --- the writes of the loop


def test_what_an_item_creates_the_next_one_finds(service, loop):
    results = in_shop(loop, "1", "2", "1")
    assert [result.changed for result in results] == [True, True, False]
    assert results[0]["target"] == results[2]["target"]
    assert service.writes() == [CREATE] * 2
    assert service.calls().count(LIST) == 1


def test_six_hosts_with_duplicates_create_each_target_once(service, item):
    hosts = [Loop() for _number in range(6)]
    changed = []
    # each host does its item before any host does the next one
    for label, host in itertools.product(("1", "2", "1"), hosts):
        result = item(host, "target", workspace="Web shop", name=f"{label}.example.com")
        assert not result.failed
        changed.append(result.changed)
    assert sum(changed) == 2
    assert [target["name"] for target in service.targets() if target["name"][0] in "12"] == [
        "1.example.com",
        "2.example.com",
    ]


@pytest.mark.parametrize("turn", range(1, 6))
def test_six_hosts_one_behind_the_other_agree_too(service, item, turn):
    hosts = [Loop() for _number in range(6)]
    left = [["1", "2", "1"] for _host in hosts]
    order = 0
    while any(left):
        order = (order + turn) % len(hosts)
        while not left[order]:
            order = (order + 1) % len(hosts)
        result = item(hosts[order], "target", workspace_id=2, name=f"{left[order].pop(0)}.example.com")
        assert not result.failed
    assert len(service.targets()) == 5


def test_after_a_409_the_list_is_read_again(service, loop):
    in_shop(loop, "a")
    service.add(
        targets=[{"name": "theirs.example.com", "workspace_id": 2}, {"name": "more.example.com", "workspace_id": 2}]
    )
    service.clear_log()
    first, second = in_shop(loop, "theirs", "more")
    assert (first.failed, first.changed, second.changed) == (False, False, False)
    # the second item finds in the new list what somebody else created, too; the workspaces were dropped with the list
    assert service.calls() == [CREATE, LIST, PLACES]


def test_a_failed_create_drops_the_list(service, loop):
    in_shop(loop, "a")
    service.fault(method="POST", path="/targets", action="status", status=400, times=1)
    service.clear_log()
    failed, second = in_shop(loop, "new", "b")
    assert failed.failed
    assert not second.changed
    assert service.calls() == [CREATE, PLACES, LIST]


@pytest.mark.parametrize("done", [True, False])
def test_after_a_lost_create_the_list_is_read_again(service, loop, done):
    in_shop(loop, "a")
    when = "after" if done else "before"
    service.fault(method="POST", path="/targets", action="reset", when=when, times=1)
    first, second = in_shop(loop, "new", "new")
    assert (first.failed, first.changed, second.changed) == (False, True, False)
    assert service.writes() == [CREATE] * (1 if done else 2)


def test_a_target_of_a_named_workspace_is_not_in_the_current_one(service, loop):
    items = [{}, {"name": "x.example.com", "workspace_id": 3}, {"name": "x.example.com"}, {"name": "x.example.com"}]
    results = loop("target", [{"name": "a.example.com", **each} for each in items])
    assert [result.changed for result in results] == [True, True, True, False]
    assert results[2]["target"] == results[3]["target"] != results[1]["target"]


# --- items with connections of their own


def test_a_deletion_drops_the_lists_of_other_connections(service, loop):
    here, there = APART
    items = [here, {**there, "state": "absent"}, here]
    results = loop("target", items, workspace_id=2, name="a.example.com")
    assert [result.changed for result in results] == [False, True, True]
    assert "a.example.com" in [target["name"] for target in service.targets()]


def test_after_renames_an_update_is_of_the_workspace_of_that_name(service, loop):
    here, there = APART
    items = [
        {**here, "name": "Web shop"},
        {**there, "name": "Web shop", "new_name": "Old"},
        {**there, "name": "Other", "new_name": "Web shop"},
        {**here, "name": "Web shop", "description": "New"},
    ]
    results = loop("workspace", items)
    assert [result.changed for result in results] == [False, True, True, True]
    assert {place["id"]: place["description"] for place in service.workspaces() if place["id"] in (2, 3)} == {
        2: "",
        3: "New",
    }


def test_a_create_whose_answer_is_lost_drops_the_lists_of_other_connections(service, loop):
    here, there = APART
    loop("target", [here], workspace_id=2, name="a.example.com")
    service.fault(method="POST", path="/targets", action="status", status=500, when="after", times=1)
    first, second = loop("target", [{**there, "retries": 0}, here], workspace_id=2, name="new.example.com")
    assert (first.changed, second.changed) == (True, False)


# --- deletions


def test_a_deletion_reads_afresh_and_drops_the_list(service, loop):
    states = [("a", "present"), ("a", "absent"), ("a", "present"), ("b", "absent")]
    items = [{"name": f"{label}.example.com", "state": state} for label, state in states]
    results = loop("target", items, workspace_id=2)
    assert [result.changed for result in results] == [False, True, True, True]
    # a deletion reads on until an empty page or an exact match
    assert service.calls()[:3] == [LIST, LIST, "DELETE /targets/1001"]
    assert [target["id"] for target in service.targets()] == [1003, results[2]["target"]["id"]]


def test_a_deletion_does_not_believe_an_earlier_item(service, loop, somebody_deletes):
    in_shop(loop, "a")
    somebody_deletes("target", 1001)
    (result,) = in_shop(loop, "a", state="absent")
    assert not result.changed
    assert service.writes() == []


def test_recreating_reads_afresh_before_it_deletes(service, loop):
    in_shop(loop, "a")
    service.clear_log()
    (result,) = in_shop(loop, "a", description="New", on_drift="recreate", force=True)
    assert result["lost"]["id"] == 1001
    assert service.calls()[:3] == [PLACES, LIST, "DELETE /targets/1001"]


def test_recreating_spares_what_somebody_changed_in_the_meantime(service, loop, somebody_deletes):
    in_shop(loop, "a")
    somebody_deletes("target", 1001)
    service.add(targets=[{"id": 1050, "name": "a.example.com", "workspace_id": 2, "description": "New"}])
    (result,) = in_shop(loop, "a", description="New", on_drift="recreate", force=True)
    assert (result.changed, result["target"]["id"]) == (False, 1050)
    assert service.writes() == []


# --- other people


def test_a_loop_sees_one_snapshot(service, loop, somebody_deletes):
    in_shop(loop, "a")
    somebody_deletes("target", 1002)
    (result,) = in_shop(loop, "b")
    assert (result.changed, result["target"]["id"]) == (False, 1002)


def test_a_workspace_that_somebody_created_in_the_meantime_is_found(service, loop):
    in_shop(loop, "a")
    service.add(workspaces=[{"id": 4, "name": "Later"}])
    (result,) = loop("target", names("x"), workspace="Later")
    assert result["target"]["workspace_id"] == 4


def test_a_missing_workspace_fails_as_alone(service, loop, run):
    in_shop(loop, "a")
    (result,) = loop("target", names("x"), workspace="Nowhere")
    assert result.msg == run("target", workspace="Nowhere", name="x.example.com").msg


def test_a_workspace_that_was_deleted_in_the_meantime_fails_as_alone(service, loop, run, somebody_deletes):
    in_shop(loop, "a")
    somebody_deletes("workspace", 2)
    (result,) = in_shop(loop, "new")
    assert result.msg == run("target", workspace="Web shop", name="new.example.com").msg


def test_an_object_that_was_deleted_in_the_meantime_is_created_instead_of_updated(service, loop, somebody_deletes):
    loop("workspace", [{"name": "Other"}])
    somebody_deletes("workspace", 3)
    (result,) = loop("workspace", [{"name": "Other", "description": "New"}])
    assert (result.failed, result.changed) == (False, True)
    assert result["workspace"]["id"] != 3


def test_a_refusal_is_judged_by_a_fresh_list(service, loop, somebody_deletes):
    in_shop(loop, "a", description="First", on_drift="fail")
    somebody_deletes("target", 1001)
    service.add(targets=[{"id": 1050, "name": "a.example.com", "workspace_id": 2, "description": "New"}])
    (result,) = in_shop(loop, "a", description="New", on_drift="fail")
    assert not result.failed
    (result,) = in_shop(loop, "a", description="Other", on_drift="fail")
    assert result.failed
    assert result["drift"]["description"]["live"] == "New"


def test_a_warning_is_shown_once_where_an_item_starts_over(service, loop):
    loop("target", names("c"))
    (result,) = loop("target", [{"name": "c.example.com"}], description="Other", on_drift="fail")
    assert len([warning for warning in result.warnings if "No workspace" in warning]) == 1


# --- nothing is shared


@pytest.mark.parametrize("interruption", [TimeoutError, KeyboardInterrupt])
def test_the_connection_of_an_interrupted_item_is_not_used_again(service, item, interruption):
    loop = Loop()
    item(loop, "target", workspace_id=2, name="a.example.com")
    # an error that nobody expected is a failure of any other test
    ends = contextlib.suppress(KeyboardInterrupt, AssertionError)
    with mock.patch.object(Transport, "send", side_effect=interruption), ends:
        item(loop, "target", workspace_id=2, id=1001)
    item(loop, "target", workspace_id=2, name="a.example.com")
    assert service.calls() == [LIST, LIST]


def test_a_broken_page_is_no_end_of_the_list(service, loop):
    service.add(targets=[{"name": f"{number}.example.net", "workspace_id": 2} for number in range(1500)])
    service.clear_log()
    service.fault(method="GET", path="/targets", query={"page": 2}, action="status", status=500, times=1)
    items = [{"name": "a.example.com"}, {"name": "1400.example.net"}, {"name": "1400.example.net"}]
    found, failed, after = loop("target", items, workspace_id=2, retries=0)
    assert (found.failed, failed.failed, after.failed) == (False, True, False)
    assert service.writes() == []


def test_each_item_has_all_of_its_time_for_rate_limits(service, loop):
    service.fault(method="POST", path="/targets", action="status", status=429, headers={"Retry-After": "50"}, times=1)
    (first,) = in_shop(loop, "1", rate_limit_wait=60)
    service.fault(method="POST", path="/targets", action="status", status=429, headers={"Retry-After": "50"}, times=1)
    (second,) = in_shop(loop, "2", rate_limit_wait=60)
    assert (first.failed, second.failed) == (False, False)
