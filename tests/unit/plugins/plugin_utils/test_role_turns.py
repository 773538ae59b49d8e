# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which hosts share what a role has done, and what a later run of a role in the same play leaves of an earlier one."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption
from ansible_collections.scanops.scanner.plugins.plugin_utils._gate_runs import ended, refuse_other_run
from ansible_collections.scanops.scanner.tests.unit.plugins.plugin_utils import role_steps
from ansible_collections.scanops.scanner.tests.unit.plugins.plugin_utils.role_steps import Role

GATE = {"scan_gate_workspace": "Web shop", "scan_gate_targets": "a.example.com"}
STEPS = ("enter", "judge", "end")


def together(role, steps, *hosts):
    """The result of each step on the first of the hosts, each of which runs a step before any runs the next one."""
    results = [[role.run(step, host=host) for host in hosts] for step in steps]
    return [of_step[0] for of_step in results]


def scans(role):
    return [name for name, _arguments in role.calls].count("scan")


# --- hosts that run a role at different times


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_a_host_that_runs_a_gate_later_is_judged_again(tmp_path, order):
    gate = Role("scan_gate", tmp_path, GATE, hosts=("a", "b"))
    for number, host in enumerate(order, 1):
        assert "failed" not in together(gate, STEPS, host)[-1]
        assert scans(gate) == number


def test_hosts_that_run_a_gate_together_are_judged_once(tmp_path):
    gate = Role("scan_gate", tmp_path, GATE, hosts=("a", "b"))
    for number in (1, 2):
        assert "failed" not in together(gate, STEPS, "b", "a")[-1]
        assert scans(gate) == number


def test_a_host_that_runs_a_gate_once_more_is_judged_without_the_others(tmp_path):
    gate = Role("scan_gate", tmp_path, GATE, hosts=("a", "b"))
    together(gate, STEPS, "a", "b")
    assert "failed" not in together(gate, STEPS, "b")[-1]
    assert scans(gate) == 2


def test_a_host_that_runs_a_gate_for_the_first_time_joins_those_that_run_it_again(tmp_path):
    gate = Role("scan_gate", tmp_path, GATE, hosts=("a", "b"))
    together(gate, STEPS, "a")
    assert "failed" not in together(gate, STEPS, "a", "b")[-1]
    assert scans(gate) == 2


def test_a_host_that_proves_later_reads_again(tmp_path):
    """Its findings and scans may be others than those of a host that ran the role before."""
    role = Role("prove_fix", tmp_path, {"prove_fix_source": "gate.json"}, hosts=("a", "b"))
    for host in ("a", "b"):
        assert "prove_fix_source" in together(role, ["before"], host)[0]["msg"]
        together(role, ["end"], host)


@pytest.mark.parametrize("strategy, times", [("linear", 2), ("free", 1)])
def test_an_estate_is_applied_again_for_a_later_host_where_hosts_wait_for_each_other(tmp_path, strategy, times):
    given = {"estate_apply_workspaces": [{"name": "Web shop"}]}
    role = Role("estate_apply", tmp_path, given, hosts=("a", "b"), strategy=strategy)
    for host in ("a", "b"):
        together(role, ("enter", "apply", "report"), host)
    assert [name for name, _arguments in role.calls] == ["estate"] * times


# --- conditions of a role, which hold for each of its tasks, and may change while it runs

CONDITIONS = ["scan_gate_result is not defined", "not (scan_gate_result.outcome | default(''))", "first", "is_missing"]
RED = {
    "changed": False,
    "verdict": "fail",
    "outcome": "findings",
    "passed": False,
    "msg": "The gate ended with findings.",
}


@pytest.fixture
def red(monkeypatch):
    monkeypatch.setitem(role_steps.ANSWERS, "gate", {**role_steps.ANSWERS["gate"], **RED})


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_condition_that_the_gate_itself_changes_does_not_skip_its_failure(tmp_path, red, condition):
    file = tmp_path / "gate.json"
    given = {"first": "{{ scan_gate_result is not defined }}", "is_missing": f"{{{{ not ('{file}' is exists) }}}}"}
    gate = Role("scan_gate", tmp_path, {**GATE, **given}, hosts=("a", "b"), when=condition)
    assert "failed" not in together(gate, ["enter"], "a", "b")[0]
    file.write_text("{}")
    steps = [step for step in ("judge", "pass_on") if gate.run(step, host="a").get("failed")]
    assert steps == (["judge", "pass_on"] if condition == "is_missing" else ["pass_on"])
    assert gate.run("pass_on", host="a")["msg"] == "The gate ended with findings."


# ansible-core adds variables of the connection before it tries a condition
@pytest.mark.parametrize("condition", ["first", "inventory_hostname == 'a'", True, "ansible_timeout == 10"])
def test_a_condition_that_still_holds_leaves_the_failure_to_the_end(tmp_path, red, condition):
    gate = Role("scan_gate", tmp_path, {**GATE, "first": True}, hosts=("a",), when=condition)
    results = together(gate, ("enter", "judge", "pass_on", "end"), "a")
    assert ["failed" in each and each["failed"] for each in results] == [False, False, False, True]
    assert results[2]["outcome"] == "findings"


def test_a_condition_that_the_estate_itself_changes_does_not_skip_its_failure(tmp_path, monkeypatch):
    monkeypatch.setitem(role_steps.ANSWERS, "estate", {"failed": True, "changed": False, "msg": "No answer."})
    given = {"estate_apply_workspaces": [{"name": "Web shop"}]}
    role = Role("estate_apply", tmp_path, given, when="estate_apply_result is not defined")
    assert role.run("enter", "apply")["msg"].startswith("No answer. See ")


def test_a_condition_that_prove_fix_itself_changes_proves_nothing(tmp_path):
    (tmp_path / "gate.json").write_text("{}")
    role = Role("prove_fix", tmp_path, {"prove_fix_source": "gate.json"}, when="prove_fix__own is not defined")
    assert role.run("own")["msg"] == "Nothing was compared, so no fix is proven: run the whole role again."


# --- batches


@pytest.mark.parametrize("strategy", ["linear", "free"])
def test_each_batch_gets_its_comment(tmp_path, strategy):
    given = {"gate_comment_provider": "github", "gate_comment_repository": "a/b", "gate_comment_source": {}}
    role = Role(
        "gate_comment", tmp_path, given, hosts=("a", "b") if strategy == "linear" else ("a",), strategy=strategy
    )
    for host in role.batch[:]:
        role.batch = [host]
        assert role.run("enter", "write", "report", host=host)["action"] == "skipped"


# --- what an earlier gate has written


def written(directory, *place):
    """The result of a gate of this run that has written into a directory."""
    return ended({"run": str(directory), "files": [{"path": str(directory / "gate.json")}]}, *place)


def is_believed(result, *place):
    try:
        refuse_other_run(result, "gate_comment_source", "this", "1h", *place)
    except WrongOption as error:
        assert "is the result of an earlier gate, and a later one could not replace it" in str(error)
        return False
    return True


@pytest.mark.parametrize(
    "variable, default, directory",
    [(None, None, "scan_gate"), ("own", "other", "own"), (None, "own", "own"), ("{{ no }}", None, "scan_gate")],
)
def test_a_gate_that_begins_withdraws_what_an_earlier_one_wrote(tmp_path, variable, default, directory):
    mine, other = written(tmp_path / directory), written(tmp_path / "another")
    assert is_believed(mine) and is_believed(other)
    given = {"scan_gate_artifacts": variable} if variable else {}
    defaults = {"scanops.scanner.gate": {"artifacts": default}} if default else {}
    # it fails before it judges
    gate = Role("scan_gate", tmp_path, {**GATE, **given}, defaults, hosts=("a", "b"), strategy="free")
    assert gate.run("enter")["failed"]
    assert not is_believed(mine) and is_believed(other)


@pytest.mark.parametrize(
    "place, believed", [(["play", ["a"]], True), (["play", ["b"]], False), (["other", ["b"]], True)]
)
def test_a_result_is_not_that_of_another_batch_of_the_play(tmp_path, place, believed):
    assert is_believed(written(tmp_path, ["play", ["a"]]), place) is believed


def test_a_batch_withdraws_what_the_one_before_wrote_unless_that_failed(tmp_path, red):
    gate = Role("scan_gate", tmp_path, GATE, hosts=("a", "b"))
    gate.batch, before = ["a"], written(tmp_path / "scan_gate")
    gate.run("enter", host="a")
    assert not is_believed(before)
    mine = written(tmp_path / "scan_gate")
    gate.run("judge", host="a")
    gate.batch = ["b"]
    gate.run("enter", host="b")
    assert is_believed(mine) and gate.run("judge", "end", host="b")["failed"]
