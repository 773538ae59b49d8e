# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What each start of a scan sends, and what an interrupted task reports."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scan_time import RUNNING, S, bodies, good, old

pytestmark = pytest.mark.slow

SECRET = "top-secret-4711"
UUID = "0b9f1c9e-6a3f-4f1e-8f0e-4d6f5a7b8c9d"
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


# --- what each start sends


@pytest.mark.parametrize("option", SENT)
def test_each_start_sends_the_same(account, scan, option):
    given, sent = SENT[option]
    names = ["a.example", "b.example", "c.example"]
    options = {"target": None, "targets": names, "concurrency": 1, option.replace("no_vpn", "vpn_profile"): given}
    good(scan(**options))
    assert bodies(account) == [{"tool_id": 170, "workspace_id": 2, "target_name": name, **sent} for name in names]


@pytest.mark.parametrize("option", ["tool_id", "target_name", "workspace_id", "vpn_profile_uuid", "tool_params"])
def test_start_params_do_not_replace_other_options(account, scan, option):
    result = scan(start_params={option: 5})
    assert result.failed
    assert f"start_params.{option} has its own option" in result.msg
    assert account.calls() == []


# --- interrupts


@pytest.fixture
def interrupted(scan, passing):
    """Run a task that gets a signal in one of its pauses."""

    def run(pause=1, **options):
        def sleep(seconds):
            passing.sleep(seconds)
            if len(passing.slept) == pause:
                os.kill(os.getpid(), signal.SIGTERM)

        return scan(sleep=sleep, **options)

    return run


def test_an_interrupt_names_the_scans_that_go_on(account, interrupted):
    result = interrupted(pause=2)
    assert (result.failed, result.changed, result["started"], result["stopped"]) == (True, True, True, [])
    assert "interrupted (SIGTERM)" in result.msg
    assert result.msg.endswith("Scan 40001 of 'www.example.com' goes on.")
    assert account.writes() == [f"POST {S}"]
    assert [each["status_name"] for each in account.scans()] == ["running"]


def test_an_interrupt_stops_only_what_this_task_started(account, interrupted):
    account.add(scans=[old(5, **RUNNING)])
    result = interrupted(
        target=None, targets=["www.example.com", "api.example.com"], max_age="1h", stop_on_interrupt=True
    )
    assert (result.failed, result.changed, result["stopped"]) == (True, True, [40002])
    assert "Scan 40002 of 'api.example.com' was stopped." in result.msg
    assert "Scan 40001 of 'www.example.com' goes on (this task did not start it)." in result.msg
    assert [each["status_name"] for each in account.scans()] == ["waiting", "stopped"]


def test_a_failed_stop_does_not_prevent_the_others(account, interrupted):
    names = ["a.example", "b.example", "c.example", "d.example"]
    account.fault(method="POST", path=f"{S}/40001/stop", action="status", status=403, message="not yours")
    account.fault(method="POST", path=f"{S}/40002/stop", action="reset")
    account.fault(method="POST", path=f"{S}/40003/stop", action="status", status=409, message="it has ended")
    account.fault(method="GET", path=f"{S}/40003", action="status", status=404, message="no such scan")
    result = interrupted(target=None, targets=names, stop_on_interrupt=True)
    assert result["stopped"] == [40004]
    for words in ("Scan 40001 of 'a.example' goes on (", "not yours", "Scan 40002 of 'b.example' may go on ("):
        assert words in result.msg
    assert "Scan 40003 of 'c.example' has ended." in result.msg


@pytest.mark.parametrize("target_id, tool_id", [(1002, 170), (1001, 350)])
def test_an_interrupt_stops_no_scan_of_somebody_else(account, interrupted, target_id, tool_id):
    """The start was answered with it, and no poll has shown it yet."""
    record = {"id": 39002, "target_id": target_id, "tool_id": tool_id, **RUNNING}
    account.fault(method="POST", path=S, action="do", resource="scans", record=record)
    account.fault(
        method="POST", path=S, action="status", status=201, when="after", body={"data": {"created_id": 39002}}
    )
    result = interrupted(stop_on_interrupt=True)
    assert (result.failed, result["stopped"]) == (True, [])
    assert "Scan 39002 of 'www.example.com' goes on (it is a scan of another target or tool" in result.msg
    assert account.writes() == [f"POST {S}"]


def test_an_interrupt_starts_nothing_more(account, interrupted):
    result = interrupted(target=None, targets=["a.example", "b.example", "c.example"], concurrency=1)
    assert [body["target_name"] for body in bodies(account)] == ["a.example"]
    assert result.msg.endswith("2 scans were not started.")
    assert [each["started"] for each in result["scans"]] == [True, False, False]


def test_a_start_whose_answer_an_interrupt_delays_is_reported(account, scan):
    account.fault(method="POST", path=S, action="delay", seconds=1)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGTERM))
    timer.start()
    result = scan(sleep=time.sleep)
    timer.join()
    assert (result.failed, result.changed, result["started"]) == (True, True, True)
    assert "Scan 40001 of 'www.example.com' goes on." in result.msg


def test_each_start_is_judged_by_the_scope(account, scan):
    options = dict(target=None, targets=["a.example", "b.example"], concurrency=1)
    result = scan(**options, scope={"allow": ["a.example"]})
    assert "'b.example' is outside the authorised scope" in result.msg
    assert (result.failed, result.changed) == (True, False)
    assert bodies(account) == []


@pytest.mark.parametrize("fault", [{"action": "html", "status": 200}, {"action": "html", "status": 404}], ids=str)
def test_the_address_is_not_doubted_after_a_scan_has_started(account, scan, passing, fault):
    account.settings(scan_run_time=100)

    def sleep(seconds):
        passing.sleep(seconds)
        if len(passing.slept) == 1:
            account.fault(method="GET", times=None, **fault)

    result = scan(sleep=sleep)
    assert result.failed
    assert "base_url" not in result.msg
    assert "A proxy may have answered" in result.msg
