# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Histories of a gate with controls: logins fail, controls vanish, move or are written wrong, scans fail, lists are cut, and
options try to hide them. No decision is ``passed`` with a control that its scan did not see.

Each history has its number as the seed: 10,000 of them with SCANNER_TEST_EXHAUSTIVE=1, otherwise a few hundred.
"""

from __future__ import annotations

import random
from collections import Counter

from ansible_collections.scanops.scanner.plugins.module_utils._evidence.must_see import controls_of, look
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.rows import Trouble, rows_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate.baseline import (
    Baseline,
    CompleteRun,
    memory_of,
    run_of,
    update,
)
from ansible_collections.scanops.scanner.plugins.module_utils._gate.judge import decide
from ansible_collections.scanops.scanner.plugins.module_utils._gate.policy import Expect, mapping_of, policy_of
from ansible_collections.scanops.scanner.plugins.module_utils._model.outcomes import OUTCOMES
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_values import DAY, NOW, finding, pair
from ansible_collections.scanops.scanner.tests.unit.sampling import EXHAUSTIVE

HISTORIES = 10_000 if EXHAUSTIVE else 300
PAIRS = [("a.example", 170), ("b.example", 170), ("b.example", 70)]
CANARY = "/account/canary/"
# what can go wrong with a scan, beside a login that fails
FAULTS = ["scan_failed", "run_timeout", "incomplete", "unknown_state", "service_error", "not_covered", "cut"]
# what options can do to a finding
HIDING = [{"name": "*canary*"}, {"check": "CANARY"}, {"target": "b.example"}, {"severity": "high"}]
CONTROLS = [
    {"check": "CANARY", "path": CANARY},
    {"name": "canary*", "path": "*/canary/", "target": "a.example"},
    {"check": "CANARY", "tool": 70},
    {"name": "Canary", "target": "*.example", "tool": "170"},
    # for nothing that is judged
    {"check": "CANARY", "target": "typo.example"},
]


def places(*paths):
    return {"type": "table", "data": {"headers": ["URL"], "rows": [[f"https://x.example{each}"] for each in paths]}}


class World:
    """What is on the targets, and what a scan of them reports."""

    def __init__(self, rng):
        self.rng = rng
        self.weak = {number: set() for number in range(len(PAIRS))}
        # the paths of the same weakness that nobody has planted
        self.real = {number: set() for number in range(len(PAIRS))}

    def scan(self, number, now, scan_id):
        """A pair, and whether its scan reported the control."""
        rng, (target, tool) = self.rng, PAIRS[number]
        sees = rng.random() < 0.7
        paths = [*([CANARY] if sees else []), *sorted(self.real[number])]
        records = [finding(vuln_id=each, name=each, risk_level=3) for each in sorted(self.weak[number])]
        if paths and rng.random() < 0.5:
            records.append(finding(vuln_id="CANARY", name="Canary", risk_level=3, vuln_evidence=places(*paths)))
        else:
            records += [finding(vuln_id="CANARY", name="Canary", risk_level=3, path=each) for each in paths]
        for each in records:
            each["status"] = rng.choice(["open", "false_positive", "ignored", "fixed"])
        if rng.random() < 0.2:
            records.append(finding(vuln_id="NONVULN-01-0000000", name="Canary", risk_level=0))
        whole = pair(target=target, tool=f"tool {tool}", tool_id=tool, scan_id=scan_id, findings=tuple(records))
        fault = rng.choice(FAULTS) if rng.random() < 0.2 else None
        if fault == "cut":
            return whole._replace(findings=tuple(records[:-1]), complete=False), sees
        if fault:
            without = {"finished": None, "age": None, "complete": False}
            found = () if rng.random() < 0.5 else whole.findings
            return whole._replace(outcome=fault, findings=found, **without), sees
        return whole, sees


def history(seed):
    """Each decision of a history, with its pairs, its controls, and whether each scan reported them."""
    rng = random.Random(seed)
    world = World(rng)
    baseline = Baseline("Web shop", "1.0.0")
    for step in range(rng.randint(1, 4)):
        now = NOW + step * DAY
        number = rng.randrange(len(PAIRS))
        world.weak[number] ^= {rng.choice(["WEB-1", "WEB-2"])}
        if rng.random() < 0.2:
            world.real[number] ^= {rng.choice(["/backup/", "/images/"])}
        numbers = sorted(rng.sample(range(len(PAIRS)), rng.randint(1, len(PAIRS))))
        scanned = [world.scan(each, now, 10 * step + each + 1) for each in numbers]
        pairs = [each for each, _sees in scanned]
        chosen = rng.sample(CONTROLS, rng.randint(1, 3)) if rng.random() < 0.8 else [CONTROLS[0]]
        controls = controls_of([{**each, "reason": "planted"} for each in chosen])
        others = rng.random() < 0.1
        sight = look(controls, pairs, rows_of(pairs), others=others)
        run = run_of(sight.pairs, sight.rows, sight.taken)
        memory = memory_of("b.json", "read", baseline, run)
        hidden = {key: rng.sample(HIDING, rng.randint(0, 2)) for key in ("include", "exclude")}
        mapping = dict.fromkeys((each for each in OUTCOMES if each != "misconfigured"), "pass")
        troubles = [Trouble("misconfigured", each) for each in sight.wrong]
        decision = decide(
            sight.pairs,
            sight.rows,
            policy=policy_of({"fail_on": rng.choice(["high", "none"]), "only_new": rng.random() < 0.5, **hidden}),
            mapping=mapping_of(mapping if rng.random() < 0.5 else None),
            now=now,
            expect=Expect(max_age=rng.choice([None, 5 * DAY])),
            memory=memory,
            troubles=[*troubles, *([Trouble("incomplete", "A scan may be hidden.")] if others else [])],
            controls=sight.controls,
        )
        yield decision, sight, controls, scanned, memory
        if isinstance(run, CompleteRun) and rng.random() < 0.7:
            baseline = update(baseline, run, "1.0.0")


def test_no_history_passes_with_a_control_that_was_not_seen():
    ends = Counter()
    for seed in range(HISTORIES):
        for decision, sight, controls, scanned, memory in history(seed):
            ends[decision.outcome] += 1
            real = {each.scan_id: sees for each, sees in scanned}
            judged = {each.scan_id: each for each in sight.pairs}
            due = [
                (control.name, each.scan_id)
                for control in controls
                for each in sight.pairs
                if control.names(each.target, each.tool_id)
            ]
            found = {(each.name, each.scan_id): each.seen for each in sight.controls}
            assert set(due) <= set(found), seed
            if decision.passed:
                assert set(found.values()) == {True}, seed
                # without a path, any place of the weakness is the control
                exact = {each.name for each in controls if each.path}
                assert [scan_id for name, scan_id in due if name in exact and not real[scan_id]] == [], seed
            for (_name, scan_id), seen in found.items():
                if seen is False:
                    assert not real[scan_id], seed
                    assert judged[scan_id].complete and judged[scan_id].outcome == "passed", seed
                    verdict = next(each for each in decision.targets if each.pair.scan_id == scan_id)
                    assert verdict.outcome == "blind", seed
            if not sight.wrong:
                # what a control took is one place, and nowhere among the findings
                named = {scan_id for _name, scan_id in due}
                left = [each.row for each in decision.rows if each.row.check == "CANARY" and each.row.scan_id in named]
                paths = [spot.path for row in left for spot in row.at_each_place()]
                assert CANARY not in paths, seed
            # two tools can find one weakness
            taken = {(each.fingerprint, each.tool) for each in sight.taken}
            assert not taken & {(each.fingerprint, each.tool) for each in memory.gone}, seed
            assert not taken & {(each.row.fingerprint, each.row.tool) for each in decision.rows}, seed
    # a rule that doubts everything would hold as well
    assert ends["passed"] > 0.02 * sum(ends.values()), ends
    assert ends["blind"] > 0.1 * sum(ends.values()), ends
