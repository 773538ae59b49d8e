# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Purge that takes only what carries a marker, and purge where nothing is declared and nothing lives."""

from __future__ import annotations

import pytest

MARKER = "[made by us]"


@pytest.fixture
def account(service):
    ours = [{"name": f"ours{n}.example", "description": f"Host {n} {MARKER}"} for n in range(10)]
    others = [{"name": f"other{n}.example", "description": "[made by us too]"} for n in range(30)]
    rows = [dict(row, workspace="Shop") for row in [*ours, *others, {"name": "bare.example"}]]
    service.reset(
        settings={"rate_limits": None, "validate": True}, state={"workspaces": [{"name": "Shop"}], "targets": rows}
    )
    return service


def names_of(count):
    return [{"name": f"ours{n}.example", "description": f"Host {n} {MARKER}"} for n in range(count)]


def test_only_what_carries_the_marker_is_purged(account, run):
    declared = [*names_of(8), {"name": "bare.example", "description": MARKER}]
    options = dict(workspace="Shop", targets=declared, purge=True, purge_marker=MARKER, on_drift="ignore")
    check = run("targets", check=True, **options)
    real = run("targets", **options)
    assert not real.failed, real.msg
    assert real["summary"] == check["summary"]
    gone = [entry["name"] for entry in real["results"] if entry["action"] == "delete"]
    assert gone == ["ours8.example", "ours9.example"]
    assert len(account.targets()) == 39
    assert [call for call in account.writes() if not call.startswith("DELETE")] == []


def test_the_percentage_counts_what_carries_the_marker(account, run):
    # 4 of 41 targets, but 4 of the 10 that could go at all
    stopped = run("targets", workspace="Shop", targets=names_of(6), purge=True, purge_marker=MARKER)
    assert stopped.failed
    assert "4 of the 10 targets of workspace 'Shop' that carry purge_marker would be deleted" in stopped.msg
    assert account.writes() == []


def test_nothing_declared_and_nothing_there_is_no_danger(account, run):
    account.add(workspaces=[{"name": "Empty"}])
    empty = {"name": "Empty", "targets": [], "http_loggers": []}
    applied = run("estate", workspaces=[empty], purge=["targets", "http_loggers"])
    assert not applied.failed, applied.msg
    assert not applied.changed
