# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Histories of a gate: findings appear, rise and disappear, scans fail, lists are short, clocks differ, baselines are edited.

Each history has up to 6 steps. SCANNER_TEST_HISTORIES is their number: 10,000 in one session of `make test`, 100,000 with
SCANNER_TEST_EXHAUSTIVE=1, otherwise 200.
"""

from __future__ import annotations

import os

from ansible_collections.scanops.scanner.plugins.module_utils._evidence.rows import rows_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate.baseline import (
    Baseline,
    CompleteRun,
    Memory,
    memory_of,
    run_of,
    update,
)
from ansible_collections.scanops.scanner.plugins.module_utils._gate.baseline_file import StaleBaseline, parse, render
from ansible_collections.scanops.scanner.plugins.module_utils._gate.judge import decide
from ansible_collections.scanops.scanner.plugins.module_utils._gate.policy import Expect, Policy, mapping_of
from ansible_collections.scanops.scanner.plugins.module_utils._model.times import utc_text
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_values import DAY, NOW, finding, pair
from ansible_collections.scanops.scanner.tests.unit.sampling import EXHAUSTIVE
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

HISTORIES = 100_000 if EXHAUSTIVE else int(os.environ.get("SCANNER_TEST_HISTORIES", "200"))

PAIRS = [("a.example", 170), ("b.example", 170), ("b.example", 350)]
CHECKS = ["WEB-1", "WEB-2"]
RISKS = [1, 3, 4]
FAIL_ON = 3

# what can go wrong with a pair, and its outcome
FAULTS = {
    "stopped": "scan_failed",
    "timed out": "run_timeout",
    "running": "incomplete",
    "strange": "unknown_state",
    "refused": "service_error",
    "lost page": "incomplete",
    "capped": "incomplete",
    "absent": "not_covered",
    "old": "not_covered",
}
# one in three pairs has a fault
CONDITIONS = st.sampled_from([*["fine"] * 2 * len(FAULTS), *FAULTS])
RECORDS = {
    (check, risk, scan): finding(vuln_id=check, name=check, risk_level=risk, task_id=scan)
    for check in CHECKS
    for risk in RISKS
    for scan in range(len(PAIRS))
}
EDITS = {
    "none": lambda text: text,
    "truncated": lambda text: text[: len(text) // 2],
    "emptied": lambda text: "{}",
    "foreign": lambda text: text.replace('"Web shop"', '"Other"'),
    "scheme": lambda text: text.replace('"scheme": 1', '"scheme": 9'),
}


class Histories(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        # what is really on the targets: the risk of each check, by pair
        self.present = {number: {} for number in range(len(PAIRS))}
        # what the baseline has accepted, in the same form, and what it has seen disappear
        self.accepted = {number: {} for number in range(len(PAIRS))}
        self.seen_gone = {number: {} for number in range(len(PAIRS))}
        self.scanned = {}
        self.text = render(Baseline("Web shop", "1.0.0"))
        self.now = NOW
        self.decision = None

    @rule(
        number=st.sampled_from(range(len(PAIRS))), check=st.sampled_from(CHECKS), risk=st.sampled_from([None, *RISKS])
    )
    def something_changes(self, number, check, risk):
        if risk is None:
            self.present[number].pop(check, None)
        else:
            self.present[number][check] = risk

    @rule(
        conditions=st.tuples(*[CONDITIONS] * len(PAIRS)),
        clock=st.sampled_from([0, 3600, -3600]),
        only_new=st.booleans(),
        updates=st.booleans(),
        lenient=st.booleans(),
        edit=st.sampled_from([*["none"] * 8, *EDITS]),
    )
    def the_gate_runs(self, conditions, clock, only_new, updates, lenient, edit):
        self.now += DAY
        # an absent pair is one that nobody lists
        pairs = [self.pair(number, each) for number, each in enumerate(conditions) if each != "absent"]
        numbers = [number for number, each in enumerate(conditions) if each != "absent"]
        rows = rows_of(pairs)
        run = run_of(pairs, rows)
        text = EDITS[edit](self.text)
        baseline = parse(text, "Web shop")
        stale = isinstance(baseline, StaleBaseline)
        assert stale is (edit != "none")
        if stale:
            memory = Memory("b.json", "stale", None, 0, baseline.sentence("b.json"), True)
        else:
            memory = memory_of("b.json", "read", baseline, run)
        decision = decide(
            pairs,
            rows,
            policy=Policy(only_new=only_new),
            mapping=mapping_of(dict.fromkeys(FAULTS.values(), "pass") if lenient else None),
            now=self.now + clock,
            expect=Expect(("a.example", "b.example"), (), 5 * DAY),
            memory=memory,
        )
        self.check_outcome(decision, pairs, numbers, conditions, stale, only_new, lenient)
        if not stale:
            self.check_changes(decision, pairs, numbers, conditions)
        complete = isinstance(run, CompleteRun)
        if any(each not in ("fine", "old", "absent") for each in conditions):
            assert not complete
        if updates and complete and not stale:
            self.text = render(update(baseline, run, "1.0.0"))
            self.accept(numbers, conditions)

    def pair(self, number, condition):
        target, tool = PAIRS[number]
        records = [RECORDS[check, risk, number] for check, risk in sorted(self.present[number].items())]
        finished = self.now - (9 * DAY if condition == "old" else 2 * 3600)
        whole = pair(
            target=target, tool=f"tool {tool}", tool_id=tool, scan_id=number + 1, findings=tuple(records),
            finished=utc_text(finished), age=self.now - finished,
        )  # fmt: skip
        if condition in ("fine", "old"):
            return whole
        if condition == "lost page":
            return whole._replace(findings=tuple(records[:-1]), complete=False)
        if condition == "capped":
            return whole._replace(complete=False)
        outcome = FAULTS[condition]
        return whole._replace(outcome=outcome, findings=(), complete=condition == "running", finished=None, age=None)

    # --- what must hold

    def check_outcome(self, decision, pairs, numbers, conditions, stale, only_new, lenient):
        listed = [conditions[number] for number in numbers]
        missing = {target for target, _tool in PAIRS} - {each.target for each in pairs}
        # another recent scan of the target covers it
        late = [
            number
            for number in numbers
            if conditions[number] == "old"
            and not any(
                conditions[each] in ("fine", "lost page", "capped") and PAIRS[each][0] == PAIRS[number][0]
                for each in numbers
            )
        ]
        failing = self.expected_failing(pairs, numbers, only_new and not stale)
        assert {(each.row.target, each.row.tool, each.row.check) for each in decision.failing} == failing
        wrong = bool(missing or late or stale or [each for each in listed if each not in ("fine", "old")])
        assert decision.passed is (not wrong and not failing)
        assert (decision.outcome == "passed") is decision.passed
        assert (decision.coverage == "complete") is (
            not missing and not late and all(each in ("fine", "old") for each in listed)
        )
        if failing or stale or (wrong and not lenient):
            assert decision.verdict == "fail"

    def expected_failing(self, pairs, numbers, only_new):
        found = set()
        for each, number in zip(pairs, numbers):
            for record in each.findings:
                check, risk = record["vuln_id"], record["risk_level"]
                known = only_new and self.accepted[number].get(check, -1) >= risk
                if risk >= FAIL_ON and not known:
                    found.add((each.target, each.tool, check))
        return found

    def check_changes(self, decision, pairs, numbers, conditions):
        gone = {(each.target, each.tool, each.check) for each in decision.memory.gone}
        expected = set()
        for each, number in zip(pairs, numbers):
            newest = self.scanned.get(number, "") <= (each.finished or "")
            if conditions[number] in ("fine", "old") and newest:
                lost = set(self.accepted[number]) - set(self.present[number])
                expected |= {(each.target, each.tool, check) for check in lost}
        assert gone == expected
        for each in decision.rows:
            number = numbers[each.row.pair]
            was = self.accepted[number].get(each.row.check)
            risk = self.present[number][each.row.check]
            change = "known" if was is not None and was >= risk else "worse" if was is not None else None
            if change is None:
                change = "reopened" if each.row.check in self.seen_gone[number] else "new"
            assert each.change == change

    def accept(self, numbers, conditions):
        """The baseline accepts what complete scans, newer than its own, have found."""
        if not any(self.present[number] for number in numbers) and any(
            self.accepted[number] or self.seen_gone[number] for number in self.accepted
        ):
            return
        for number in numbers:
            finished = utc_text(self.now - (9 * DAY if conditions[number] == "old" else 2 * 3600))
            if self.scanned.get(number, "") > finished:
                continue
            self.scanned[number] = finished
            lost = set(self.accepted[number]) - set(self.present[number])
            self.seen_gone[number].update(dict.fromkeys(lost))
            self.accepted[number] = dict(self.present[number])
            for check in self.present[number]:
                self.seen_gone[number].pop(check, None)


Histories.TestCase.settings = settings(
    max_examples=HISTORIES,
    stateful_step_count=6,
    suppress_health_check=list(HealthCheck),
)
TestHistories = Histories.TestCase
