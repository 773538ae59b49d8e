# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Descriptions that a list of the service leaves out are read by id; one that no answer shows is written on create only."""

from __future__ import annotations

import pytest

IN_LISTS = {"missing_in_lists": {"workspaces": ["description"], "targets": ["description"]}}
NOWHERE = {"missing_fields": {"workspaces": ["description"], "targets": ["description"]}}
BOTH = pytest.mark.parametrize("check", [True, False])
LIVE = "All that customers reach"


def good(result):
    assert not result.failed, result.msg
    return result


def warned(result):
    return [warning for warning in result.warnings if "cannot be compared with the declaration" in warning]


@BOTH
@pytest.mark.parametrize("settings", [IN_LISTS, NOWHERE], ids=["in-lists", "nowhere"])
def test_an_equal_description_is_no_change(account, run, settings, check):
    account.settings(**settings)
    results = [
        run("workspace", check=check, name="Web shop", description=LIVE),
        run("workspace", check=check, id=2, description=LIVE),
        run("target", check=check, workspace_id=2, name="www.example.com", description="Front"),
        run("targets", check=check, workspace_id=2, targets=[{"name": "www.example.com", "description": "Front"}]),
        run("estate", check=check, workspaces=[{"name": "Web shop", "description": LIVE, "targets": ["192.0.2.7"]}]),
    ]
    for result in results:
        assert not good(result).changed
        assert len(warned(result)) == (settings is NOWHERE)
    assert account.writes() == []


def test_only_what_is_compared_is_read_by_id(account, run):
    account.settings(**IN_LISTS)
    good(run("targets", workspace_id=2, targets=["www.example.com", "192.0.2.7"]))
    good(run("target", workspace_id=2, name="www.example.com"))
    good(run("workspace", name="Web shop"))
    assert [call for call in account.calls() if call.count("/") > 1] == []


@BOTH
def test_a_description_that_is_shown_nowhere_is_written_on_create(account, run, check):
    account.settings(**NOWHERE)
    result = good(run("workspace", check=check, name="New", description="Fresh"))
    assert (result.changed, result["workspace"]["description"]) == (True, "Fresh")
    target = good(run("target", check=check, workspace_id=2, name="new.example.com", description="Fresh"))
    assert target["target"]["description"] == "Fresh"
    if not check:
        assert [entry["form"]["description"] for entry in account.log() if entry["method"] == "POST"] == ["Fresh"] * 2
        assert not good(run("workspace", name="New", description="Fresh")).changed
        assert not good(run("target", workspace_id=2, name="new.example.com", description="Other")).changed


def test_one_read_tells_that_a_family_shows_no_description(account, run):
    account.settings(**NOWHERE)
    names = ["www.example.com", "https://shop.example.com", "192.0.2.7"]
    result = good(run("targets", workspace_id=2, targets=[{"name": name, "description": "x"} for name in names]))
    assert len(warned(result)) == 1
    assert [call for call in account.calls() if call.startswith("GET /targets/")] == ["GET /targets/1001"]


def test_a_mark_that_cannot_be_seen_may_be_anybodys(account, run):
    rows = [{"id": 1009, "name": "old.example.com", "workspace": "Web shop", "description": "[managed by us]"}]
    account.add(targets=rows)
    own = dict(owner="us", purge_only="own")
    options = dict(workspace_id=2, targets=["www.example.com"], purge=True, check=True, **own)
    account.settings(**IN_LISTS)
    assert good(run("targets", **options))["summary"]["delete"] == 1
    account.settings(missing_in_lists={}, **NOWHERE)
    result = good(run("targets", **options))
    assert result["summary"]["delete"] == 0
    assert warned(result)


# --- which scans a task stops or deletes
