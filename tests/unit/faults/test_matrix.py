# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fault matrix: its cells, its sample, and that each invariant notices a violation."""

from __future__ import annotations

import base64
from dataclasses import replace

import pytest
from ansible_collections.scanops.scanner.tests.faults.cells import all_cells, documented, number_of, sample
from ansible_collections.scanops.scanner.tests.faults.invariants import INVARIANTS, Evidence, Outcome, Usual, broken
from ansible_collections.scanops.scanner.tests.faults.state import State, undeclared

FAULTS = [f"fault-{number}" for number in range(30)]
CALLS = {f"operation-{number}": number % 6 for number in range(40)}


# --- cells


@pytest.mark.parametrize(
    "calls,numbers", [(1, (1, 1, 1)), (2, (1, 2, 2)), (3, (1, 2, 3)), (4, (1, 3, 4)), (5, (1, 3, 5)), (10, (1, 6, 10))]
)
def test_the_places_are_calls_of_the_operation(calls, numbers):
    assert tuple(number_of(place, calls) for place in ("first", "middle", "last")) == numbers


@pytest.mark.parametrize("calls,count", [(0, 0), (1, 1), (2, 2), (3, 3), (9, 3)])
def test_places_that_are_the_same_call_are_one(calls, count):
    cells = all_cells({"o": calls}, ["f"])
    assert len(cells) == len(set(cells)) == 2 * count
    assert {cell.on for cell in cells} == ({False, True} if count else set())


def test_every_operation_meets_every_fault():
    cells = all_cells(CALLS, FAULTS)
    pairs = {(cell.operation, cell.fault) for cell in cells}
    assert pairs == {(operation, fault) for operation, calls in CALLS.items() if calls for fault in FAULTS}


@pytest.mark.parametrize("count", [1, 50, 500])
def test_the_sample_is_fixed_and_has_each_operation_and_fault(count):
    cells = all_cells(CALLS, FAULTS)
    chosen = sample(cells, count)
    assert chosen == sample(list(cells), count)
    assert count <= len(chosen) <= count + len(CALLS) + len(FAULTS)
    assert {cell.operation for cell in chosen} == {cell.operation for cell in cells}
    assert {cell.fault for cell in chosen} == set(FAULTS)


@pytest.mark.parametrize(
    "text,right",
    [
        ("It has 100 operations, 50 faults and 20,000 cells.", True),
        ("It has 100 operations, 50 faults and 17,000 cells.", False),
        ("It has many.", False),
    ],
)
def test_the_figures_in_the_guide_are_about_right(text, right):
    assert (documented(text, 100, 50, 20_000) == "") is right


# --- states


def snapshot(**families):
    return {**{family: [] for family in ("workspaces", "targets", "scans", "reports")}, **families}


ONE = {"id": 1, "name": "a.example", "workspace_id": 7, "description": ""}
SHOP = {"id": 7, "name": "Shop", "description": ""}
BEFORE = State(snapshot(workspaces=[SHOP], targets=[ONE]))


def after(*targets, workspaces=(SHOP,), scans=()):
    return State(snapshot(workspaces=list(workspaces), targets=list(targets), scans=list(scans)), BEFORE)


def new(number, name="new.example"):
    return {**ONE, "id": number, "name": name}


def test_new_objects_are_compared_without_their_ids():
    assert after(ONE, new(2)) == after(ONE, new(5))
    assert after(ONE, new(2)) != after(ONE, new(2, "other.example"))
    assert after(ONE, new(2)) != after(ONE, new(2), new(3))
    assert after(ONE) == BEFORE != after()


@pytest.mark.parametrize(
    "there,declared,found",
    [
        (after(ONE), after(ONE, new(2)), []),
        (after(ONE, new(3)), after(ONE, new(2)), []),
        (after(), after(), []),
        (after({**ONE, "description": "stopped first"}), after(), []),
        (after(), after(ONE), ["targets 1 was deleted"]),
        (after({**ONE, "description": "x"}), after(ONE), ["targets 1 was changed"]),
    ],
)
def test_undeclared_changes(there, declared, found):
    assert undeclared(BEFORE, there, declared) == found


def test_undeclared_creates():
    (found,) = undeclared(BEFORE, after(ONE, new(2), new(3)), after(ONE, new(2)))
    assert found.startswith("targets: ") and found.endswith(" was created")


# --- invariants: one wrong outcome for each, on top of one that is right

KEY = "the+key/of=tests"
SCAN = {"id": 9, "target_id": 1, "workspace_id": 7}


def outcome(state=BEFORE, calls=("GET /targets",), files=None, text=None, **result):
    log = [{"method": call.split()[0], "path": call.split()[1]} for call in calls]
    return Outcome(text or repr(result), log, state, files or {}, result or None)


CREATED = outcome(after(ONE, new(2)), ("GET /targets", "POST /targets"), changed=True, target={"id": 2, "name": "n"})
AGAIN = outcome(after(ONE, new(2)), changed=False, target={"id": 2, "name": "n"})
ERROR = {"status": 500, "message": "m", "details": None, "method": "POST", "path": "/targets"}
REFUSED = outcome(failed=True, changed=False, msg="It failed: run it again.", api_error=ERROR)
CREATES = Usual(BEFORE, {}, CREATED, CREATED, AGAIN, "target", False)
READ = outcome(changed=False, targets=[{"id": 1, "age": 5}])
READS = Usual(BEFORE, {}, READ, outcome(changed=False, targets=[{"id": 1, "age": 6}]), READ, "target_info", False)
STARTED = outcome(after(ONE, scans=[SCAN]), ("POST /scans",), changed=True, scan={"id": 9})
STARTS = Usual(BEFORE, {}, STARTED, STARTED, outcome(STARTED.state, changed=False, scan={"id": 9}), "scan", False)


def found(usual, run, again=None, believable=False):
    names = [each.partition(":")[0] for each in broken(Evidence(run, again or usual.again, believable, KEY), usual)]
    return set(names)


@pytest.mark.parametrize(
    "usual,run",
    [(CREATES, CREATED), (CREATES, AGAIN), (CREATES, REFUSED), (READS, READ), (READS, REFUSED), (STARTS, STARTED)],
)
def test_what_is_right_breaks_nothing(usual, run):
    assert found(usual, run) - {"unchanged_is_true"} == set()


WRONG = [
    ("no_traceback", CREATES, outcome(text="Traceback (most recent call last)")),
    ("no_traceback", CREATES, outcome(failed=True, msg="one\ntwo", api_error=ERROR)),
    ("no_traceback", CREATES, outcome(failed=True, msg="x", api_error=ERROR, exception="y")),
    ("an_error_for_machines", CREATES, outcome(failed=True, msg="It failed.")),
    ("no_key", CREATES, outcome(failed=True, msg=f"wrong key {KEY}", api_error=ERROR)),
    ("no_key", CREATES, outcome(failed=True, msg="the%2Bkey%2Fof%3Dtests", api_error=ERROR)),
    ("no_key", READS, outcome(changed=False, targets=[base64.b64encode(KEY.encode()).decode()])),
    ("no_key", READS, outcome(files={"report.txt": KEY.encode()}, **READ.result)),
    ("success_is_true", CREATES, outcome(changed=True)),
    ("success_is_true", CREATES, outcome(after(ONE, new(2, "other.example")), changed=True)),
    ("success_is_true", READS, outcome(changed=False, targets=[])),
    ("success_is_true", READS, outcome(changed=False, targets=[{"id": 2, "age": 5}])),
    ("unchanged_is_true", CREATES, outcome(CREATED.state, failed=True, changed=False, msg="x", api_error=ERROR)),
    ("unchanged_is_true", READS, outcome(files={"x": b"y"}, **READ.result)),
    ("nothing_undeclared", CREATES, outcome(after(new(2)), changed=True)),
    ("nothing_undeclared", CREATES, outcome(after(ONE, new(2), new(3)), changed=True)),
    ("nothing_undeclared", READS, outcome(files={".draft": b""}, failed=True, changed=True, msg="x", api_error=ERROR)),
    ("starts_are_reported", STARTS, outcome(STARTED.state, failed=True, changed=True, msg="Lost.", api_error=ERROR)),
    ("starts_are_reported", STARTS, outcome(after(ONE, scans=[SCAN, {**SCAN, "id": 10}]), changed=True, ids=[9, 10])),
    ("calls_are_bounded", READS, outcome(calls=("GET /targets",) * 60, **READ.result)),
    ("check_mode_writes_nothing", replace(CREATES, check=True), CREATED),
]


@pytest.mark.parametrize("name,usual,run", WRONG, ids=[f"{number}-{each[0]}" for number, each in enumerate(WRONG)])
def test_an_invariant_notices_its_own_violation(name, usual, run):
    assert name in found(usual, run)


@pytest.mark.parametrize(
    "again", [REFUSED, outcome(BEFORE, changed=True), outcome(after(ONE, new(2), new(3)), changed=True)]
)
def test_a_second_run_that_does_not_converge_is_noticed(again):
    assert "a_second_run_converges" in found(CREATES, REFUSED, again)


def test_a_start_that_may_have_been_made_is_reported():
    lost = outcome(STARTED.state, failed=True, changed=True, msg="The scan may have been started.", api_error=ERROR)
    assert "starts_are_reported" not in found(STARTS, lost)


def test_a_fault_that_may_be_the_truth_excuses_a_result_but_no_damage():
    assert found(READS, outcome(changed=False, targets=[]), believable=True) == set()
    damage = outcome(after(), changed=True, targets=[])
    assert found(READS, damage, believable=True) == {"nothing_undeclared"}


def test_every_invariant_has_a_case():
    assert {each[0] for each in WRONG} | {"a_second_run_converges"} == {check.__name__ for check in INVARIANTS}
