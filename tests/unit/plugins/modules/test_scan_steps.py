# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A wait in short runs of the module: what each start sends, and what the module takes back from outside."""

from __future__ import annotations

import copy
import json

import pytest
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scan_time import RUNNING, S, bodies, good, old

SECRET = "top-secret-4711"
UUID = "0b9f1c9e-6a3f-4f1e-8f0e-4d6f5a7b8c9d"
LOGIN = {"type": "login_form", "login_page_url": "https://x.example", "username": "me", "password": "example"}
# each option that a start sends, with the field of the body
SENT = {
    "tool_params": ({"scan_type": "light"}, {"tool_params": {"scan_type": "light"}}),
    "vpn_profile": ("Office", {"vpn_profile_uuid": UUID}),
    "no_vpn": ("", {"vpn_profile_uuid": None}),
    "max_scan_time": (60, {"max_scan_time": 60}),
    "authentication": (
        {"type": "cookies", "cookie_header": SECRET},
        {"authentication": {"type": "cookies", "params": {"cookie_header": SECRET}}},
    ),
    "redirect_level": ("same_domain", {"redirect_level": "same_domain"}),
    "scan_original_url": (False, {"scan_original_url": False}),
    "start_params": (
        {"report_callback": {"url": "https://ci.example/hook"}},
        {"report_callback": {"url": "https://ci.example/hook"}},
    ),
}


@pytest.fixture
def account(scan_account):
    scan_account.add(vpn_profiles=[{"uuid": UUID, "name": "Office"}])
    return scan_account


def step_of(passing, result=None, stop=False):
    """What the action plugin hands over, with what the run before gave."""
    given = json.loads(json.dumps(result.result)) if result else {}
    return {"now": passing.now, "watch": given.get("watch"), "stop": stop, "seal": given.get("seal")}


@pytest.fixture
def in_steps(scan, passing):
    """Wait as the action plugin does, by short runs; returns all of their results."""

    def wait(**options):
        results = [scan(_step=step_of(passing), **options)]
        while "watch" in results[-1].result:
            passing.sleep(results[-1]["pause"])
            results.append(scan(_step=step_of(passing, results[-1]), **options))
        return results

    return wait


# --- what each start sends


@pytest.mark.parametrize("way", ["one run", "short runs"])
@pytest.mark.parametrize("option", SENT)
def test_each_start_sends_the_same(account, scan, in_steps, option, way):
    given, sent = SENT[option]
    names = ["a.example", "b.example", "c.example"]
    options = {"target": None, "targets": names, "concurrency": 1, option.replace("no_vpn", "vpn_profile"): given}
    good(scan(**options) if way == "one run" else in_steps(**options)[-1])
    assert bodies(account) == [{"tool_id": 170, "workspace_id": 2, "target_name": name, **sent} for name in names]


@pytest.mark.parametrize("option", ["tool_id", "target_name", "workspace_id", "vpn_profile_uuid", "tool_params"])
def test_start_params_do_not_replace_other_options(account, scan, option):
    result = scan(start_params={option: 5})
    assert result.failed
    assert f"start_params.{option} has its own option" in result.msg
    assert account.calls() == []


def test_a_wait_in_short_runs_has_the_same_result(account, in_steps):
    results = in_steps(target=None, targets=["a.example", "b.example", "c.example"], concurrency=2)
    assert len(results) > 5
    assert [each.changed for each in results] == [False] * (len(results) - 1) + [True]
    assert {each["outcome"] for each in results[-1]["scans"]} == {"finished"}
    assert [each["started"] for each in results[-1]["scans"]] == [True, True, True]
    assert account.calls().count(f"POST {S}") == 3


def test_a_wait_that_a_password_would_garble_stays_in_one_run(account, scan, passing):
    options = dict(target=None, targets=["a.example", "b.example"], authentication=LOGIN)
    result = good(scan(**options, _step={**step_of(passing), "now": 5.0}))
    assert (result["outcome"], "watch" in result.result) == ("finished", False)
    assert [body["target_name"] for body in bodies(account)] == ["a.example", "b.example"]
    assert 115 <= passing.now <= 150


def test_a_wait_uses_the_time_in_the_step(account, scan, passing):
    account.settings(scan_queue_time=100000)
    begun = scan(_step={**step_of(passing), "now": 1000000.0}, queue_timeout=100)
    result = scan(_step={**step_of(passing, begun), "now": 1000050.0}, queue_timeout=100)
    assert "watch" in result.result
    result = scan(_step={**step_of(passing, result), "now": 1000100.0}, queue_timeout=100)
    assert result["outcome"] == "queue_timeout"


def test_a_wait_that_continues_in_one_run_keeps_its_time(account, scan, passing):
    account.settings(scan_run_time=100000)
    login = {**LOGIN, "password": "running"}
    options = dict(run_timeout=100, authentication=login)
    begun = good(scan(**options, _step={**step_of(passing), "now": 1000000.0}))
    passing.sleep(20)
    # from here on the record of the scan has a word of the password
    result = scan(**options, _step={**step_of(passing, begun), "now": 1000020.0})
    assert result["outcome"] == "run_timeout"
    assert 119 <= passing.now <= 130


def test_a_handover_contains_no_secret_of_others(account, scan, passing):
    login = {"type": "headers", "params": {"headers": [SECRET]}}
    account.add(scans=[old(5, **RUNNING, tool_params={"authentication": login})])
    begun = good(scan(max_age="1h", _step=step_of(passing)))
    result = good(scan(max_age="1h", _step=step_of(passing, begun)))
    assert result["watch"]["entries"][0]["record"]["tool_params"]["authentication"]["type"] == "headers"
    assert SECRET not in json.dumps(result.result)


def test_an_interrupt_stops_only_what_this_task_started(account, scan, passing):
    account.add(scans=[old(5, **RUNNING)])
    options = dict(target=None, targets=["www.example.com", "api.example.com"], max_age="1h")
    begun = good(scan(**options, _step=step_of(passing)))
    result = good(scan(**options, timeout=10, retries=1, _step=step_of(passing, begun, stop=True)))
    assert (result.changed, result["stopped"]) == (True, [40002])
    assert result["fates"] == [{"id": 40002, "fate": "stopped", "why": None}]
    assert [each["status_name"] for each in account.scans()] == ["waiting", "stopped"]


def test_a_failed_stop_does_not_prevent_the_others(account, scan, passing):
    names = ["a.example", "b.example", "c.example", "d.example"]
    begun = good(scan(target=None, targets=names, _step=step_of(passing)))
    account.fault(method="POST", path=f"{S}/40001/stop", action="status", status=403, message="not yours")
    account.fault(method="POST", path=f"{S}/40002/stop", action="reset")
    account.fault(method="POST", path=f"{S}/40003/stop", action="status", status=409, message="it has ended")
    account.fault(method="GET", path=f"{S}/40003", action="status", status=404, message="no such scan")
    result = good(scan(target=None, targets=names, _step=step_of(passing, begun, stop=True)))
    assert [(each["id"], each["fate"]) for each in result["fates"]] == [
        (40001, "goes on"),
        (40002, "may go on"),
        (40003, "has ended"),
        (40004, "stopped"),
    ]
    assert "not yours" in result["fates"][0]["why"]
    assert f"POST {S}/40002/stop" in result["fates"][1]["why"]


# --- what the module does not take


def forgeries(begun):
    """Steps that nobody has handed over, by name; begun: the result of a first run."""
    watch, seal = begun["watch"], begun["seal"]
    step = {"now": 1.0, "watch": watch, "stop": False, "seal": seal}
    other = copy.deepcopy(watch)
    other["entries"][1]["target"] = "evil.example"
    foreign = copy.deepcopy(watch)
    foreign["entries"][0].update(scan_id=900, started=True)
    return {
        "a bare list of scans": {"stop": [900]},
        "a watch of old": {"now": 1.0, "watch": watch},
        "no seal": {**step, "seal": None},
        "a stop without a seal": {**step, "seal": None, "stop": True},
        "a stop of nothing": {"now": 1.0, "watch": None, "stop": True, "seal": seal},
        "an empty seal": {**step, "seal": ""},
        "another seal": {**step, "seal": "0" * len(seal)},
        "a seal that is no text": {**step, "seal": 5},
        "another target": {**step, "watch": other},
        "another scan": {**step, "watch": foreign, "stop": True},
        "a watch that is none": {**step, "watch": "x"},
        "no watch": {**step, "watch": {}},
        "more than a step": {**step, "more": 1},
        "a time before the beginning": {**step, "now": -1},
        "a time that is none": {**step, "now": "soon"},
        "a text": "stop",
        "a list": [900],
    }


FORGERIES = tuple(forgeries({"watch": {"entries": [{}, {}]}, "seal": ""}))


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_step_does_nothing(account, scan, passing, name, check):
    account.add(
        targets=[{"id": 1009, "name": "evil.example", "workspace": "Web shop"}],
        scans=[{"id": 900, "target_id": 1009, "tool_id": 170, **RUNNING, "age": 1}],
    )
    options = dict(target=None, targets=["a.example", "b.example"], concurrency=1)
    forged = forgeries(good(scan(**options, _step=step_of(passing))))[name]
    account.clear_log()
    result = scan(**options, check=check, _step=forged)
    assert account.writes() == []
    if not check:
        assert account.calls() == []
        assert result.failed
        assert "_step is not an option: remove it from the task. Nothing was done." in result.msg


@pytest.mark.parametrize("change", [{"tool": "350"}, {"workspace_id": 3}, {"targets": ["a.example", "b.example"]}])
def test_a_handover_of_another_task_is_refused(account, scan, passing, change):
    options = dict(target=None, targets=["www.example.com", "api.example.com"], concurrency=1)
    begun = good(scan(**options, _step=step_of(passing)))
    account.clear_log()
    assert scan(**{**options, **change}, _step=step_of(passing, begun)).failed
    assert account.calls() == []


@pytest.mark.parametrize("stop", [False, True])
def test_check_mode_ignores_every_step(account, scan, passing, stop):
    options = dict(target=None, targets=["a.example", "b.example"], concurrency=1)
    begun = good(scan(**options, _step=step_of(passing)))
    account.clear_log()
    scan(**options, check=True, _step=step_of(passing, begun, stop=stop))
    assert account.writes() == []


def test_each_start_is_judged_by_the_current_scope(account, scan, passing, monkeypatch, tmp_path):
    file = tmp_path / "scope.json"
    monkeypatch.setenv("SCANNER_SCOPE_FILE", str(file))
    file.write_text('{"allow": ["a.example", "b.example"]}', encoding="utf-8")
    options = dict(target=None, targets=["a.example", "b.example"], concurrency=1)
    result = good(scan(**options, _step=step_of(passing)))
    file.write_text('{"allow": ["a.example"]}', encoding="utf-8")
    while "watch" in result.result:
        passing.sleep(result["pause"])
        result = scan(**options, _step=step_of(passing, result))
    assert [body["target_name"] for body in bodies(account)] == ["a.example"]
    assert "'b.example' is outside the authorised scope" in result.msg
    assert (result.failed, result.changed, result["started"]) == (True, True, True)
    assert [each["outcome"] for each in result["scans"]] == ["finished", None]


@pytest.mark.parametrize("module", ["workspace", "scan_info"])
def test_no_other_module_knows_the_argument(run, account, module):
    result = run(module, **({"name": "Web shop"} if module == "workspace" else {}), _step={"now": 1.0})
    assert result.failed
    assert "Unsupported parameters" in result.msg
    assert account.calls() == []


@pytest.mark.parametrize("fault", [{"action": "html", "status": 200}, {"action": "html", "status": 404}], ids=str)
def test_the_address_is_not_doubted_after_a_scan_has_started(account, scan, passing, fault):
    account.settings(scan_run_time=100)
    first = scan(_step=step_of(passing))
    account.fault(method="GET", times=None, **fault)
    second = scan(_step=step_of(passing, first))
    assert second.failed
    assert "base_url" not in second.msg
    assert "A proxy may have answered" in second.msg
