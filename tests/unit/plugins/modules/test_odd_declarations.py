# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Declarations that can be meant and mostly are not: the task does what they say, and warns."""

from __future__ import annotations

import pytest

BOTH = pytest.mark.parametrize("check", [True, False])
NFC, NFD = "Caf\u00e9", "Cafe\u0301"


def warned(result, *words):
    assert not result.failed, result.msg
    assert any(all(word in warning for word in words) for warning in result.warnings), result.warnings


@BOTH
@pytest.mark.parametrize(
    "module, options",
    [
        ("target", {"name": "www.example.com"}),
        ("targets", {"targets": ["www.example.com"]}),
        ("http_logger", {"label": "never"}),
        ("scan", {"target": "www.example.com", "tool": 170}),
    ],
)
def test_nothing_is_deleted_in_a_workspace_that_does_not_exist(account, run, module, options, check):
    result = run(module, check=check, workspace="Web shpo", state="absent", **options)
    assert not result.changed
    warned(result, "workspace 'Web shpo' does not exist", "Correct the name")
    assert account.writes() == []


@BOTH
def test_an_empty_list_declares_nothing(account, run, check):
    warned(run("targets", check=check, workspace_id=2, targets=[]), "targets is an empty list")
    warned(run("targets", check=check, workspace_id=2, targets=[], state="absent"), "targets is an empty list")
    warned(run("estate", check=check, workspaces=[]), "workspaces is an empty list")
    warned(run("estate_info", check=check, workspaces=[]), "workspaces is an empty list")
    assert account.writes() == []


@BOTH
@pytest.mark.parametrize("live, declared", [(NFC, NFD), (NFD, NFC)])
def test_a_name_that_only_looks_like_a_live_one_is_pointed_out(account, run, live, declared, check):
    account.add(workspaces=[{"name": live}], http_loggers=[{"label": live}])
    words = (ascii(declared), ascii(live), "look the same but are different names", "NFC and NFD")
    warned(run("workspace", check=check, name=declared), *words)
    warned(run("http_logger", check=check, label=declared), *words)


@BOTH
def test_two_declared_names_that_look_the_same_are_pointed_out(account, run, check):
    workspaces = [{"name": NFC}, {"name": NFD, "http_loggers": [{"label": NFC}, {"label": NFD}]}]
    result = run("estate", check=check, workspaces=workspaces)
    warned(result, "look the same but are different names")
    assert result["summary"]["create"] == 4
    targets = [f"https://a.example/{name}" for name in (NFC, NFD)]
    warned(run("targets", check=check, workspace_id=2, targets=targets), "look the same")


def test_an_unknown_workspace_that_looks_like_a_live_one_is_explained(account, run):
    account.add(workspaces=[{"name": NFC}])
    result = run("target", workspace=NFD, name="a.example")
    assert result.failed
    assert "look the same but are different names" in result.msg


def test_names_in_other_letters_are_no_cause_for_a_warning(account, run):
    account.add(workspaces=[{"name": "Caf\u00e8"}])
    assert run("workspace", name=NFC).warnings == []
