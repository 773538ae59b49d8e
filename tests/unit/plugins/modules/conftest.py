# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os
import time

import pytest
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.relied_on import not_in_the_table
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.run_module import run_module
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scan_time import STATE, WEB, Time
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scenarios import ACCOUNT


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch, workplace):
    """Nothing of the machine's environment reaches the modules: no options, no proxies, no certificates, no ~/.netrc; and
    files are created in a directory of the test."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NETRC"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def service(service_process, service):
    """The local service; what the modules send to it is what ``service_info`` compares with the service's own schema."""
    # service_process is named for older releases of pytest, which do not see what the fixture of the same name needs
    yield service
    if not service.allow_violations:
        assert not_in_the_table(service.log()) == [], (
            "add it to the table in plugins/module_utils/_contract/relied_on.py"
        )


@pytest.fixture
def account(service):
    """The local service with the account of the scenarios."""
    service.reset(settings={"rate_limits": None, "validate": True}, state=ACCOUNT)
    return service


@pytest.fixture
def run(service):
    """Run a module against the local service: run(name, check=..., diff=..., verbosity=..., **options)."""

    def with_connection(
        module, check=False, diff=True, verbosity=2, sleep=None, clock=time.monotonic, shared=None, **options
    ):
        connection = dict(base_url=service.base_url, api_key=service.api_key)
        return run_module(module, {**connection, **options}, check, diff, verbosity, sleep, clock, shared)

    return with_connection


@pytest.fixture
def scan_account(service):
    """The local service with two targets, and scans that take 15 seconds to begin and 100 to end. Its clock has stopped, so
    that scans do not progress while a busy machine makes the task slow."""
    service.reset(settings={"clock": time.time(), "scan_queue_time": 15, "scan_run_time": 100}, state=STATE)
    return service


@pytest.fixture
def passing(scan_account):
    return Time(scan_account)


@pytest.fixture
def scan(run, passing):
    """Run the module scan; each wait lets the service's clock go on."""

    def with_time(**options):
        given = {name: value for name, value in {**WEB, **options}.items() if value != "left out"}
        return run("scan", **{"sleep": passing.sleep, "clock": passing, **given})

    return with_time


@pytest.fixture
def many_findings(service):
    """Shop (2) with two targets; 150 findings that are low, and behind them 100 critical ones, of the scans 40001 of the
    one target and 40002 of the other one."""
    nothing = {"text": "", **dict.fromkeys(("info", "low", "medium", "high", "critical"), 0)}
    service.reset(
        settings={"rate_limits": None, "validate": True},
        state={
            "workspaces": [{"id": 2, "name": "Shop"}],
            "targets": [
                {"id": 1001, "name": "a.example.com", "workspace": "Shop"},
                {"id": 1002, "name": "b.example.com", "workspace": "Shop"},
            ],
            "scans": [
                {"id": 40001, "target_id": 1001, "age": 7200, "result_summary": {**nothing, "low": 150}},
                {"id": 40002, "target_id": 1002, "age": 3600, "result_summary": {**nothing, "critical": 100}},
            ],
            "findings": [
                *(
                    {"id": 70001 + place, "name": f"F{70001 + place}", "risk_level": 1, "task_id": 40001}
                    for place in range(150)
                ),
                *(
                    {"id": 70201 + place, "name": f"F{70201 + place}", "risk_level": 4, "task_id": 40002}
                    for place in range(100)
                ),
            ],
        },
    )
    return service


@pytest.fixture
def foreign(monkeypatch):
    """Gives a file to another user, whose id it returns. Who may not do that sees its owner changed, and gets None. Root may
    not where no other user exists, as in a container without root."""

    def give(path):
        other = 12345
        try:
            os.lchown(path, other, other)
        except OSError:
            lstat, inode = os.lstat, os.lstat(path).st_ino
        else:
            return other

        def changed(each, **named):
            found = lstat(each, **named)
            return os.stat_result((*found[:4], other, other, *found[6:])) if found.st_ino == inode else found

        monkeypatch.setattr(os, "lstat", changed)
        return None

    return give
