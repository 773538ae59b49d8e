# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names that no target can have: refused by every module that creates or scans targets, in check mode too, before the first
write of a batch; what has such a name already can be read, kept and deleted."""

from __future__ import annotations

import pytest

NAMES = ["my host.example.com", "shop.example.com/admin", "10.0.0.1-254", "10.0.0.0/24", "127.1", "a.example,b.example"]
BOTH = pytest.mark.parametrize("check", [True, False])
ODD = "shop.example.com/admin"


@pytest.fixture
def odd(account):
    account.add(targets=[{"id": 1009, "name": ODD, "workspace": "Web shop", "description": "Old"}])
    return account


def refused(result, *words):
    assert result.failed, result
    for word in words:
        assert word in result.msg
    assert not result.changed


def good(result):
    assert not result.failed, result.msg
    return result


@BOTH
@pytest.mark.parametrize("name", NAMES)
def test_a_batch_is_refused_before_its_first_write(account, run, name, check):
    targets = ["new.example.com", name, {"name": "other.example.com"}]
    where = f"targets[1] {name!r}: it cannot be the name of a target: "
    result = run("targets", check=check, workspace_id=2, targets=targets)
    refused(result, where, "nothing was written")
    assert [entry["action"] for entry in result["results"]] == ["refused"] * 3
    result = run("estate", check=check, workspaces=[{"name": "New"}, {"name": "Web shop", "targets": targets}])
    refused(result, f"workspaces[1].{where}")
    assert account.writes() == []


# --- what has such a name already


@BOTH
def test_a_target_of_such_a_name_is_present(odd, run, check):
    assert not good(run("target", check=check, workspace_id=2, name=ODD)).changed
    assert not good(run("targets", check=check, workspace_id=2, targets=[ODD])).changed
    declared = [{"name": "Web shop", "targets": [{"name": ODD, "description": "Old"}]}]
    assert not good(run("estate", check=check, workspaces=declared)).changed
    assert good(run("target_info", workspace_id=2, name=ODD))["targets"][0]["id"] == 1009
    assert odd.writes() == []


def test_it_is_ignored_and_deleted(odd, run):
    targets = [{"name": ODD, "ignore": True}, {"name": "my host", "ignore": True}]
    assert not good(run("targets", workspace_id=2, targets=targets)).changed
    assert good(run("targets", workspace_id=2, targets=[ODD], state="absent")).changed
    odd.add(targets=[{"id": 1009, "name": ODD, "workspace": "Web shop"}])
    assert good(run("target", workspace_id=2, name=ODD, state="absent")).changed
    assert not good(run("target", workspace_id=2, name=ODD, state="absent")).changed
    assert good(run("scan", target=ODD, workspace_id=2, tool=170, state="stopped"))["stopped"] == []


def test_it_is_scanned(odd, run):
    good(run("scan", workspace_id=2, target=ODD, tool=170, wait=False))
    assert odd.writes() == ["POST /scans"]


@BOTH
def test_it_is_never_recreated(odd, run, check):
    common = dict(check=check, workspace_id=2, on_drift="recreate", force=True)
    refused(run("target", name=ODD, description="New", **common), "the live name", "cannot be the name of a target")
    refused(run("target", id=1009, description="New", **{**common, "workspace_id": 2}), "the live name")
    result = run("targets", targets=[{"name": ODD, "description": "New"}], **common)
    refused(result, f"targets[0] {ODD!r}: its live name cannot be created again", "write https:// in front")
    assert odd.writes() == []
