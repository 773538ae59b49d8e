# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which hosts share what a role has done, and what a later run of a role in the same play leaves of an earlier one."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.tests.unit.plugins.plugin_utils.role_steps import Role

GATE = {"scan_gate_workspace": "Web shop", "scan_gate_targets": "a.example.com"}
STEPS = ("enter", "judge", "end")


def together(role, steps, *hosts):
    """The result of each step on the first of the hosts, each of which runs a step before any runs the next one."""
    return [[role.run(step, host=host) for host in hosts][0] for step in steps]


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
