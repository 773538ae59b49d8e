# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from itertools import product

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.fingerprint import Place
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.rows import Trouble, rows_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate.baseline import (
    NO_MEMORY,
    Entry,
    Facts,
    Gone,
    Memory,
    Remembered,
    Was,
)
from ansible_collections.scanops.scanner.plugins.module_utils._gate.judge import decide
from ansible_collections.scanops.scanner.plugins.module_utils._gate.policy import (
    NOTHING_EXPECTED,
    Expect,
    mapping_of,
    policy_of,
)
from ansible_collections.scanops.scanner.plugins.module_utils._gate.waivers import Waived, Waiver
from ansible_collections.scanops.scanner.plugins.module_utils._model.outcomes import OUTCOMES, VERDICTS
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_values import DAY, NOW, finding, pair, row

BASELINE = Memory("b.json", "stale", None, 0, "The baseline 'b.json' is truncated. Restore it.", True)
WAIVER = Waiver("w.yml", 3, {"check": "WEB-1"}, "accepted by the owner", "alice", "2027-01-01", "accepted")
HIGH = finding(risk_level=3)
LOW = finding(risk_level=1, vuln_id="WEB-9")


def judged(*pairs, policy=None, outcomes=None, **given):
    """The decision about pairs."""
    rows = given.pop("rows", None) or rows_of(pairs)
    return decide(pairs, rows, policy=policy_of(policy), mapping=mapping_of(outcomes), now=NOW, **given)


def remembering(*changes, **fields):
    """What a baseline says of rows, in their order."""
    return Memory(
        "b.json", "read", 1, 0, rows=[Remembered(change, "2026-01-01T00:00:00Z") for change in changes], **fields
    )


# pairs that have exactly one outcome
PAIRS = {
    **{outcome: pair(outcome=outcome, complete=False) for outcome in OUTCOMES},
    "incomplete": pair(complete=False),
    "findings": pair(findings=(HIGH,)),
    "passed": pair(findings=(LOW,)),
}
# outcomes of a whole run
del PAIRS["stale_baseline"], PAIRS["misconfigured"]


def given_pair(findings=(), **fields):
    """A pair in which findings may be the words high and low."""
    words = {"high": HIGH, "low": LOW}
    return pair(
        findings=tuple(words[each] if isinstance(each, str) else finding(**each) for each in findings), **fields
    )


def facts_of(pairs=({},), changes=None, memory=None, waived=(), expect=(), troubles=(), **given):
    """What a decision says. changes: what the baseline says of each row; waived: whether each row has a waiver."""
    if changes is not None:
        memory = remembering(*changes)
    decision = judged(
        *(given_pair(**each) for each in pairs),
        memory=memory or NO_MEMORY,
        waived=Waived(tuple(WAIVER if each else None for each in waived)),
        expect=Expect(**dict(expect)),
        troubles=[Trouble(*each) for each in troubles],
        **given,
    )
    return {
        "outcome": decision.outcome,
        "verdict": decision.verdict,
        "coverage": decision.coverage,
        "reasons": [*decision.reasons],
        "warnings": [*decision.warnings],
        "targets": [each.outcome for each in decision.targets],
        "reasons of targets": [[*each.reasons] for each in decision.targets],
        "states": [each.state for each in decision.rows],
        "changes": [each.change for each in decision.rows],
        "reasons of rows": [[*each.reasons] for each in decision.rows],
        "first seen": [each.first_seen for each in decision.rows],
        "ages": [each.age for each in decision.rows],
    }


@pytest.mark.cases("given, expected")
def test_decisions(given, expected):
    """Each case names of the facts of a decision only those that it is about."""
    facts = facts_of(**given)
    assert {key: facts[key] for key in expected} == expected


# --- outcomes and their mapping


@pytest.mark.parametrize("outcome, verdict", list(product(PAIRS, VERDICTS)))
def test_each_outcome_gets_the_verdict_of_the_mapping(outcome, verdict):
    decision = judged(PAIRS[outcome], outcomes={outcome: verdict})
    assert decision.outcome == decision.targets[0].outcome == outcome
    assert decision.verdict == decision.targets[0].verdict == verdict
    assert decision.passed is (outcome == "passed")
    assert bool(decision.reasons) is (outcome != "passed")
    assert bool(decision.targets[0].reasons) is (outcome != "passed")


@pytest.mark.parametrize("first, second", list(product(PAIRS, repeat=2)))
def test_the_worst_outcome_of_all_targets_counts(first, second):
    decision = judged(PAIRS[first], PAIRS[second]._replace(target="b.example"))
    assert [each.outcome for each in decision.targets] == [first, second]
    assert decision.outcome == OUTCOMES[min(OUTCOMES.index(first), OUTCOMES.index(second))]
    assert decision.verdict == ("pass" if first == second == "passed" else "fail")


@pytest.mark.parametrize("worse", PAIRS)
@pytest.mark.parametrize("verdict", ["pass", "warn"])
def test_an_outcome_that_is_mapped_to_pass_never_hides_the_findings_of_another_target(worse, verdict):
    decision = judged(
        PAIRS[worse],
        pair(target="b.example", findings=(HIGH,)),
        outcomes={worse: verdict} if worse != "findings" else {},
    )
    assert decision.verdict == "fail"
    assert decision.targets[1].verdict == "fail"
    assert not decision.passed


@pytest.mark.parametrize("outcome", [outcome for outcome in PAIRS if outcome not in ("findings", "passed")])
def test_an_outcome_that_is_mapped_to_pass_never_hides_findings_of_the_same_target(outcome):
    decision = judged(PAIRS[outcome]._replace(findings=(HIGH,)), outcomes={outcome: "pass"})
    assert (decision.outcome, decision.verdict, decision.passed) == (outcome, "fail", False)
    assert decision.targets[0].reasons[-1] == "1 finding fails the policy: 1 high."


def test_a_wrong_option_is_the_outcome_unless_the_service_failed():
    wrong = Trouble("misconfigured", "scan_gate_max_age is '1day'.", explains=True)
    passing = dict.fromkeys(PAIRS, "pass")
    for pairs in ([], [pair(outcome="not_covered", complete=False)], [pair(findings=(HIGH,))]):
        decision = judged(*pairs, troubles=[wrong], outcomes=passing)
        assert (decision.outcome, decision.verdict, decision.reasons[0]) == ("misconfigured", "fail", wrong.sentence)
    assert judged(troubles=[wrong, Trouble("service_error", "No answer.")]).outcome == "service_error"


@pytest.mark.parametrize("outcome", OUTCOMES[: OUTCOMES.index("stale_baseline")])
def test_each_bad_outcome_has_a_sentence_of_its_own(outcome):
    (sentence,) = judged(pair(outcome=outcome, complete=False)).targets[0].reasons
    assert sentence.endswith(".")
    others = [
        judged(pair(outcome=each, complete=False)).targets[0].reasons[0]
        for each in OUTCOMES[: OUTCOMES.index("stale_baseline")]
    ]
    assert others.count(sentence) == 1


def test_the_reasons_name_at_most_20_targets():
    pairs = [pair(target=f"t{number}.example", outcome="scan_failed") for number in range(22)]
    reasons = judged(*pairs).reasons
    assert len(reasons) == 21
    assert reasons[19].startswith("t19.example, website_scanner: ")
    assert reasons[20] == "2 other targets could not be judged; see targets."
    assert len(judged(*pairs[:20]).reasons) == 20
    assert judged(*pairs[:21]).reasons[20] == "1 other target could not be judged; see targets."


def test_the_reasons_count_the_failing_findings_of_all_targets():
    decision = judged(
        pair(findings=(HIGH, finding(risk_level=4), finding(risk_level=None), LOW)),
        pair(target="b.example", findings=(HIGH,) * 1200),
    )
    assert decision.reasons == ("1,203 findings fail the policy: 1 unknown, 1 critical, 1,201 high.",)
    assert decision.targets[0].reasons == ("3 findings fail the policy: 1 unknown, 1 critical, 1 high.",)


# --- nothing at all


@pytest.mark.parametrize("verdict", VERDICTS)
def test_no_pair_is_nothing_scanned(verdict):
    decision = judged(outcomes={"nothing_scanned": verdict})
    assert (decision.outcome, decision.verdict, decision.passed) == ("nothing_scanned", verdict, False)
    assert decision.reasons == ("Nothing was scanned, so nothing is known: scan the targets first.",)
    assert decision.coverage == "unknown"


@pytest.mark.parametrize("verdict", VERDICTS)
@pytest.mark.parametrize("expect", [NOTHING_EXPECTED, Expect(targets=("a.example", "c.example"), max_age=DAY)])
def test_nothing_scanned_is_the_outcome_that_is_mapped(verdict, expect):
    never = pair(outcome="not_covered", scan_id=None, complete=False, finished=None)
    decision = judged(never, never._replace(target="b.example"), outcomes={"nothing_scanned": verdict}, expect=expect)
    assert (decision.outcome, decision.verdict) == ("nothing_scanned", verdict)
    assert {(each.outcome, each.verdict) for each in decision.targets} == {("nothing_scanned", verdict)}
    # the outcome of the targets is not the one that is shown
    assert judged(never, outcomes={"not_covered": verdict}).verdict == "fail"


@pytest.mark.parametrize("first, second", list(product(PAIRS, repeat=2)))
@pytest.mark.parametrize("verdict", VERDICTS)
def test_the_verdict_is_that_of_the_outcome_or_a_reason_names_the_other_one(first, second, verdict):
    decision = judged(PAIRS[first], PAIRS[second]._replace(target="b.example"), outcomes={first: verdict})
    for each in (decision, *decision.targets):
        assert (each.verdict == decision.mapping[each.outcome]) or each is decision
    if decision.verdict != decision.mapping[decision.outcome]:
        assert decision.reasons[0] == (
            f"The option outcomes maps {first} to {verdict}, but {second} is an outcome of this run too, and is mapped to"
            f" {decision.verdict}."
        )


@pytest.mark.parametrize("outcome", OUTCOMES[: OUTCOMES.index("findings")])
def test_a_trouble_without_pairs_is_the_outcome_or_nothing_was_scanned(outcome):
    decision = judged(troubles=[Trouble(outcome, "The list of scans could not be read.")])
    assert decision.outcome == (
        outcome if OUTCOMES.index(outcome) < OUTCOMES.index("nothing_scanned") else "nothing_scanned"
    )
    assert "The list of scans could not be read." in decision.reasons
    assert decision.verdict == "fail"
    assert decision.coverage == "unknown"


@pytest.mark.parametrize("outcome", OUTCOMES[OUTCOMES.index("scan_failed") : OUTCOMES.index("findings")])
def test_what_explains_that_nothing_was_scanned_is_the_outcome_unless_it_may_pass(outcome):
    """A run whose only reason is mapped to pass would be green without a scan."""
    troubles = [Trouble(outcome, "The targets are unknown.", explains=True)]
    assert judged(troubles=troubles).outcome == outcome
    for verdict in ("warn", "pass"):
        decision = judged(troubles=troubles, outcomes={outcome: verdict})
        assert (decision.outcome, decision.verdict) == ("nothing_scanned", "fail")


# --- coverage


@pytest.mark.parametrize("outcome", PAIRS)
def test_coverage_is_complete_only_if_all_was_scanned_and_read(outcome):
    covered = outcome in ("findings", "passed")
    assert judged(PAIRS[outcome]).coverage == ("complete" if covered else "partial")
    assert judged(pair(), PAIRS[outcome]).coverage == ("complete" if covered else "partial")


# --- the baseline


@pytest.mark.parametrize("verdict", VERDICTS)
def test_a_baseline_that_cannot_be_used_is_the_outcome_of_every_target(verdict):
    decision = judged(pair(), pair(target="b.example"), memory=BASELINE, outcomes={"stale_baseline": verdict})
    assert decision.outcome == "stale_baseline"
    assert decision.verdict == verdict
    assert [each.outcome for each in decision.targets] == ["stale_baseline"] * 2
    assert [each.verdict for each in decision.targets] == [verdict] * 2
    assert decision.reasons == (BASELINE.reason,)


def test_a_baseline_that_cannot_be_used_hides_no_findings():
    decision = judged(pair(findings=(HIGH,)), memory=BASELINE, outcomes={"stale_baseline": "pass"})
    assert (decision.outcome, decision.verdict) == ("stale_baseline", "fail")
    assert decision.counts["failing"] == 1


def test_a_stale_baseline_without_a_reason_still_has_a_sentence():
    decision = judged(pair(), memory=BASELINE._replace(reason=None))
    assert decision.reasons == ("The baseline cannot be used.",)
    assert decision.targets[0].reasons == ("The baseline cannot be used.",)


def test_without_pairs_a_stale_baseline_is_a_reason():
    assert judged(memory=BASELINE).reasons[-1] == BASELINE.reason
    assert judged(memory=BASELINE).outcome == "nothing_scanned"


@pytest.mark.parametrize("wrong", [{"memory": remembering("known", "known")}, {"waived": Waived((None, None))}])
def test_a_baseline_or_waivers_of_other_rows_are_never_used(wrong):
    with pytest.raises(ValueError, match="other rows"):
        judged(pair(findings=(HIGH,)), **wrong)


# --- age


def test_a_saved_finding_keeps_the_day_it_was_first_seen():
    rows = [row(first_seen="2026-11-22T08:00:00Z")]
    assert judged(pair(saved=True), rows=rows).rows[0].age == 7200
    both = judged(pair(saved=True), rows=rows, memory=remembering("known")).rows[0]
    assert both.first_seen == "2026-01-01T00:00:00Z"


# --- scope and waivers


def test_a_waived_finding_has_its_waiver():
    assert judged(pair(findings=(HIGH,)), waived=Waived((WAIVER,))).rows[0].waiver == WAIVER


# --- numbers and order


def test_the_counts_are_those_of_the_rows():
    severities = (4, 3, 3, 2, None, 0)
    findings = tuple(finding(risk_level=level, vuln_id=f"WEB-{number}") for number, level in enumerate(severities))
    gone = Gone("1:" + "a" * 32, "n", None, "low", "a.example", "x", None, None)
    decision = judged(
        pair(findings=findings),
        policy={"only_new": True},
        memory=remembering("new", "known", "reopened", "worse", "new", "known", gone=(gone, gone)),
        waived=Waived((WAIVER, None, None, None, None, None)),
    )
    assert decision.summary == {"critical": 1, "high": 2, "medium": 1, "low": 0, "info": 1, "unknown": 1}
    assert list(decision.summary) == ["critical", "high", "medium", "low", "info", "unknown"]
    assert decision.counts == {
        "total": 6, "failing": 2, "waived": 1, "known": 2, "below": 2, "new": 2, "gone": 2, "reopened": 1, "worse": 1,
        "unseen": 0,
    }  # fmt: skip


def test_failing_rows_come_first_then_the_worst():
    names = [
        ("m.example", "B", 3), ("a.example", "Z", 4), ("a.example", "A", 2), ("a.example", "U", None), ("a.example", "C", 3),
        ("a.example", "B", 3), ("a.example", "D", 1),
    ]  # fmt: skip
    pairs = [
        pair(target=target, findings=(finding(name=name, risk_level=level, vuln_id=name),))
        for target, name, level in names
    ]
    decision = judged(*pairs, waived=Waived(tuple(WAIVER if each[1] == "Z" else None for each in names)))
    assert [(each.row.name, each.row.target[0], each.state) for each in decision.rows] == [
        ("U", "a", "failing"),
        ("B", "a", "failing"),
        ("C", "a", "failing"),
        ("B", "m", "failing"),
        ("Z", "a", "waived"),
        ("A", "a", "below"),
        ("D", "a", "below"),
    ]
    assert [each.row.name for each in decision.failing] == ["U", "B", "C", "B"]


def test_equal_rows_are_ordered_by_number():
    first, second = finding(id=9), finding(id=8, verified=True)
    decision = judged(pair(findings=(first, second)), pair(scan_id=4, findings=(second, first)))
    assert [each.row.number for each in decision.rows] == [1, 2, 3, 4]


def test_the_order_does_not_depend_on_that_of_the_service():
    findings = [finding(id=number, vuln_id=f"WEB-{number % 3}") for number in range(6)]
    forward = judged(pair(findings=tuple(findings)))
    backward = judged(pair(findings=tuple(reversed(findings))))
    assert [each.row.fingerprint for each in forward.rows] == [each.row.fingerprint for each in backward.rows]


def test_a_decision_keeps_what_it_was_made_of():
    policy, mapping, waived = policy_of({"fail_on": "low"}), mapping_of({"incomplete": "warn"}), Waived((), (WAIVER,))
    decision = decide([pair()], [], policy=policy, mapping=mapping, now=NOW, memory=BASELINE, waived=waived)
    assert (decision.policy, decision.mapping, decision.memory, decision.waived) == (policy, mapping, BASELINE, waived)
    assert decision.targets[0].pair == pair()


@pytest.mark.parametrize(
    "pairs, troubles, unused",
    [
        ([pair()], (), (WAIVER,)),
        ([pair(findings=(HIGH,))], (), (WAIVER,)),
        ([pair()], (Trouble("stale_baseline", "The baseline is damaged."),), (WAIVER,)),
        ([pair()], (Trouble("service_error", "No connection."),), ()),
        ([pair(), pair(target="b.example", complete=False)], (), ()),
        ([pair(outcome="scan_failed", complete=False)], (), ()),
        ([], (Trouble("service_error", "No connection."),), ()),
        ([], (), ()),
    ],
)
def test_a_waiver_is_unused_only_if_everything_was_judged(pairs, troubles, unused):
    assert judged(*pairs, troubles=troubles, waived=Waived((), (), (WAIVER,))).waived.unused == unused


def test_a_failing_finding_names_its_expired_waiver():
    waived = Waived((None, None), (WAIVER,), lapsed=(WAIVER, None))
    failing, below = judged(pair(findings=(HIGH, LOW)), waived=waived).rows
    assert failing.reasons[-1] == "its waiver in w.yml:3 expired (2027-01-01)"
    assert "expired" not in " ".join(below.reasons)
    assert "expired" not in str(
        judged(pair(findings=(LOW,)), waived=Waived((None,), (WAIVER,), lapsed=(WAIVER,))).rows[0].reasons
    )


# --- a guard that matches nothing


ENTRY = Entry(
    "1:" + "c" * 32, "a.example", "x", "gone", ("high",), "SQL injection", "WEB-7", ("CVE-2021-44228",), Place(8443),
    "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z",
)  # fmt: skip
PAST = Memory("b.json", "read", 1, 0, entries=(ENTRY,))
# what is misspelt, and what is right
LOST = "policy.include matches no finding of this run or of the baseline, so nothing can fail"


@pytest.mark.cases("wrong, right")
def test_an_include_that_never_matched_is_misconfigured(wrong, right):
    for outcomes in (None, {"findings": "pass"}):
        decision = judged(pair(findings=(LOW,)), policy={"include": [wrong]}, memory=PAST, outcomes=outcomes)
        assert (decision.outcome, decision.verdict) == ("misconfigured", "fail")
        assert LOST in decision.reasons[0]
    # what the baseline remembers is spelt right, even if it is gone
    decision = judged(pair(findings=(LOW,)), policy={"include": [right]}, memory=PAST)
    assert (decision.outcome, decision.warnings) == ("passed", ())
    # one that matches is enough, and the other one is a warning
    both = judged(pair(findings=(LOW,)), policy={"include": [right, wrong]}, memory=PAST)
    assert both.outcome == "passed"
    assert both.warnings == (
        "policy.include[1] matches no finding: check for a typo, or remove what is no longer needed.",
    )


def test_a_finding_of_one_place_is_enough_for_a_matcher():
    table = {"type": "table", "data": {"headers": ["URL"], "rows": [["/a"], ["/b"]]}}
    several = finding(risk_level=1, vuln_evidence=table)
    place = rows_of([pair(findings=(several,))])[0].places[1].fingerprint
    assert judged(pair(findings=(several,)), policy={"include": [{"fingerprint": place}]}).outcome == "passed"


def test_an_exclude_and_a_waiver_that_match_nothing_are_warnings_with_their_places():
    other = WAIVER._replace(line=9)
    decision = judged(
        pair(findings=(LOW,)),
        policy={"exclude": [{"check": "WEB-9"}, {"check": "WEB-99"}]},
        waived=Waived((None,), unused=(WAIVER, other)),
    )
    assert decision.outcome == "passed"
    assert decision.warnings == (
        "policy.exclude[1] matches no finding: check for a typo, or remove what is no longer needed.",
        "The waivers at w.yml:3, w.yml:9 match no finding: check for a typo, or remove what is no longer needed.",
    )


# --- a known finding that has become worse


def worse(policy, was, **now):
    """The change and the reasons of a finding that the baseline knows. was: its facts then; now: its fields."""
    known = {"cve": ["CVE-2021-44228"], "cvss": 5.0, "epss_score": 0.1, "in_cisa_catalog": False, "verified": False}
    facts = Facts(5.0, 0.1, False, False)._replace(**was)
    remembered = Remembered("known", "2026-01-01T00:00:00Z", Was("high", facts, ("CVE-2021-44228",)))
    memory = Memory("b.json", "read", 1, 1, rows=[remembered])
    decision = judged(
        pair(findings=(finding(risk_level=3, **{**known, **now}),)), policy={"only_new": True, **policy}, memory=memory
    )
    (row,) = decision.rows
    return row.change, row.state, row.reasons[-1].partition("where ")[2]


@pytest.mark.cases("policy, was, now, said")
def test_a_known_finding_that_is_worse_in_what_the_policy_looks_at_fails(policy, was, now, said):
    assert worse(policy, was, **now) == ("worse", "failing", said)


@pytest.mark.cases("policy, was, now")
def test_what_is_not_worse_stays_known(policy, was, now):
    assert worse(policy, was, **now)[0] == "known"


def test_a_rise_of_severity_is_named():
    remembered = Remembered("worse", "2026-01-01T00:00:00Z", Was("medium", Facts(), ()))
    decision = judged(
        pair(findings=(HIGH,)), policy={"only_new": True}, memory=Memory("b.json", "read", 1, 1, rows=[remembered])
    )
    assert decision.rows[0].reasons[-1] == "it is worse than in the baseline, where its severity was medium"


# --- what a decision says beside the outcome


def test_a_sentence_ends_as_it_was_written():
    said = [Trouble("moved", each) for each in ("Stop!", "Why?", "No end", "An end.")]
    assert judged(troubles=said).reasons[:4] == ("Stop!", "Why?", "No end.", "An end.")


def test_each_reason_has_the_outcome_that_it_is_for():
    decision = judged(PAIRS["findings"], PAIRS["incomplete"]._replace(target="b.example"))
    assert decision.reason_outcomes == ("incomplete", "findings")


def test_one_unused_waiver_is_named_alone():
    other = WAIVER._replace(line=9)
    (one,) = judged(pair(), waived=Waived(unused=(WAIVER,))).warnings
    assert one == "The waiver at w.yml:3 matches no finding: check for a typo, or remove what is no longer needed."
    (two,) = judged(pair(), waived=Waived(unused=(WAIVER, other))).warnings
    assert two.startswith("The waivers at w.yml:3, w.yml:9 match no finding: ")


def test_what_scans_that_passed_say_of_themselves_is_a_warning():
    several = [pair(target=f"{number}.example", problems=("No host answered.", "One port.")) for number in range(22)]
    (warning,) = judged(*several[:2]).warnings
    said = ", website_scanner: No host answered. One port."
    assert warning == f"0.example{said} 1.example{said} Check that the target was reached."
    (warning,) = judged(*several).warnings
    assert warning.endswith(f"19.example{said} 2 others say more; see targets. Check that the target was reached.")


def test_only_what_may_fail_later_is_due():
    policy = {"fail_on": "critical", "older_than": {"high": "30d"}, "exclude": [{"name": "Old*"}]}
    found = (finding(), finding(name="Old server", vuln_id="WEB-2"), finding(vuln_id="WEB-3", risk_level=4))
    decision = judged(pair(findings=found), policy=policy)
    due = {each.row.check: (each.state, each.due) for each in decision.rows}
    assert due == {"WEB-1": ("below", "2026-12-22"), "WEB-2": ("below", None), "WEB-3": ("failing", None)}
    waived = judged(pair(findings=(finding(),)), policy=policy, waived=Waived((WAIVER,)))
    assert [(each.state, each.due) for each in waived.rows] == [("waived", None)]


def test_an_unknown_age_fails_by_the_key_missing():
    policy = {"fail_on": "none", "older_than": {"high": "30d"}}
    for finished, keys in ((None, ("older_than", "missing")), ("2026-01-01T00:00:00Z", ("older_than",))):
        (row,) = judged(pair(findings=(HIGH,), finished=finished), policy=policy).rows
        assert (row.state, row.keys) == ("failing", keys)
