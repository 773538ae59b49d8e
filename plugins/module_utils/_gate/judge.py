# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The decision of a gate: the state of each finding, the outcome of each target and tool, and the worst of them. Pure.

Several outcomes can apply to a pair. Its outcome is the worst of them, and its verdict is the worst verdict of all of them, so
that an outcome that is mapped to pass hides nothing, not even findings of the same pair.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from .._evidence.findings import SUMMARY
from .._evidence.fingerprint import severity_rank
from .._evidence.must_see import Seen
from .._evidence.rows import Pair, Row, Trouble
from .._model.errors import counted, first_of, printable, without_secrets
from .._model.outcomes import (
    BELOW,
    BLIND,
    CHANGES,
    COVERED,
    FAIL,
    FAILING,
    FINDINGS,
    INCOMPLETE,
    KNOWN,
    MISCONFIGURED,
    MOVED,
    NOT_COVERED,
    NOTHING_SCANNED,
    OUTCOMES,
    PARTIAL,
    PASSED,
    QUEUE_TIMEOUT,
    RUN_TIMEOUT,
    SCAN_FAILED,
    SERVICE_ERROR,
    STALE_BASELINE,
    STATES,
    UNKNOWN_STATE,
    UNPROVEN,
    WAIVED,
    WORSE,
    worst_outcome,
    worst_verdict,
)
from .._model.times import iso_moment
from .baseline import NO_MEMORY, Memory, Remembered
from .policy import NOTHING_EXPECTED, Expect, Policy, gaps_in
from .waivers import NO_WAIVERS, Waived, Waiver

# pairs that the reasons of a decision name
_MOST_NAMED = 20
# after any date
_NEVER = "~"

# what happened, where a pair does not say it itself
_SENTENCES = {
    SERVICE_ERROR: "The service did not answer as expected, so nothing is known: run the task again.",
    MISCONFIGURED: "An option or a file is wrong, so nothing was judged: correct it.",
    BLIND: "The scan did not see a control: check its login and its parameters.",
    MOVED: "Another build may have been scanned: run the task again.",
    UNKNOWN_STATE: "The scan has a status that this collection does not know: check it in the web application.",
    NOTHING_SCANNED: "Nothing was scanned, so nothing is known: scan the targets first.",
    SCAN_FAILED: "The scan did not finish: scan the target again.",
    QUEUE_TIMEOUT: "The scan waited too long to start: raise queue_timeout, or run fewer scans at a time.",
    RUN_TIMEOUT: "The scan ran too long and did not finish: raise max_scan_time or run_timeout.",
    NOT_COVERED: "No scan of the target was found: scan it.",
    INCOMPLETE: "Some findings of the scan may be missing: wait for its end, and run the task again.",
    STALE_BASELINE: "The baseline cannot be used.",
}


class Judged(NamedTuple):
    """A row with what was decided."""

    row: Row
    # one of STATES
    state: str
    # one of CHANGES, or None
    change: str | None
    # clauses
    reasons: tuple[str, ...]
    first_seen: str | None
    # in seconds
    age: int | None
    waiver: Waiver | None
    # the date on which older_than begins to fail a finding that neither fails nor is waived, or None
    due: str | None = None
    # the keys of the policy that fail it
    keys: tuple[str, ...] = ()


class Verdict(NamedTuple):
    """What was decided about a pair."""

    pair: Pair
    # one of OUTCOMES
    outcome: str
    # one of VERDICTS
    verdict: str
    # sentences
    reasons: tuple[str, ...]
    # the outcome whose verdict counts, if several apply
    decisive: str


class Decision(NamedTuple):
    """What a gate decided. The fields are those of gate.json."""

    outcome: str
    verdict: str
    reasons: tuple[str, ...]
    coverage: str
    # as in the pairs, then those that are missing
    targets: tuple[Verdict, ...]
    # in the order of gate.json
    rows: tuple[Judged, ...]
    summary: Mapping[str, int]
    counts: Mapping[str, int]
    memory: Memory
    waived: Waived
    policy: Policy
    mapping: Mapping[str, str]
    # sentences about matchers and waivers that match nothing
    warnings: tuple[str, ...] = ()
    controls: tuple[Seen, ...] = ()
    # the outcome whose verdict counts, and those that the reasons are for
    decisive: str = PASSED
    reason_outcomes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether nothing at all was wrong, whatever the mapping says."""
        return self.outcome == PASSED

    @property
    def failing(self) -> tuple[Judged, ...]:
        return tuple(judged for judged in self.rows if judged.state == FAILING)


def decide(
    pairs: Sequence[Pair],
    rows: Sequence[Row],
    *,
    policy: Policy,
    mapping: Mapping[str, str],
    now: float,
    expect: Expect = NOTHING_EXPECTED,
    memory: Memory = NO_MEMORY,
    waived: Waived = NO_WAIVERS,
    troubles: Sequence[Trouble] = (),
    controls: Sequence[Seen] = (),
) -> Decision:
    """The Decision about some pairs.

    rows: made of these pairs by ``rows_of``; mapping: a verdict for each outcome; now: Unix time; memory, waived: made of these
    rows; troubles: what failed beside the pairs; controls: what the scans saw of them.
    """
    judged = _judged(rows, pairs, policy, memory, waived, now)
    failing: dict[int, Counter[str]] = defaultdict(Counter)
    for each in judged:
        if each.state == FAILING:
            failing[each.row.pair][each.row.severity] += 1
    missing, late = gaps_in(expect, pairs)
    every, common = _if_nothing_is_scanned([*pairs, *missing], troubles, mapping)
    if memory.blocks and memory.reason not in {trouble.sentence for trouble in troubles}:
        common.append(Trouble(STALE_BASELINE, memory.reason or _SENTENCES[STALE_BASELINE]))
    verdicts = tuple(
        _verdict(pair, late.get(number), failing[number], memory.blocks, mapping) for number, pair in enumerate(every)
    )
    is_judged = all(map(_was_judged, verdicts)) and all(each.outcome == STALE_BASELINE for each in troubles)
    # a finding that nobody could see may be the one
    unmatched = policy.unmatched(rows, memory.entries) if verdicts and is_judged else []
    lost = _lost_include(policy, unmatched)
    if lost and (rows or memory.entries):
        common.append(Trouble(MISCONFIGURED, lost))
    outcome = worst_outcome([*(each.outcome for each in verdicts), *(each.outcome for each in common)])
    decisive = _decisive([*(each.decisive for each in verdicts), *(each.outcome for each in common)], mapping)
    reasons = _reasons(common, verdicts, failing)
    if mapping[outcome] != mapping[decisive]:
        reasons = {_overruled(outcome, decisive, mapping): decisive, **reasons}
    unused = waived.unused if verdicts and is_judged else ()
    return Decision(
        outcome=outcome,
        verdict=mapping[decisive],
        # some messages of ansible-core have no full stop
        reasons=tuple(each if each.endswith((".", "!", "?")) else f"{each}." for each in reasons),
        coverage=_coverage(verdicts, troubles),
        targets=verdicts,
        rows=tuple(sorted(judged, key=_order)),
        summary=_summary(judged),
        counts=_counts(judged, memory),
        memory=memory,
        waived=waived._replace(unused=unused),
        policy=policy,
        mapping=mapping,
        warnings=tuple(_warnings(lost, unmatched, unused, verdicts)),
        controls=tuple(controls),
        decisive=decisive,
        reason_outcomes=tuple(reasons.values()),
    )


def _lost_include(policy: Policy, unmatched: Sequence[str]) -> str:
    """The sentence for an include of which no matcher has ever matched a finding, ""."""
    lost = [each for each in unmatched if each.startswith("policy.include")]
    if not policy.include or len(lost) < len(policy.include):
        return ""
    return (
        "policy.include matches no finding of this run or of the baseline, so nothing can fail: check it for a typo, or remove"
        " it."
    )


def _warnings(
    lost: str, unmatched: Sequence[str], unused: Sequence[Waiver], verdicts: Sequence[Verdict]
) -> Iterator[str]:
    """What matches no finding, and what scans that passed say about themselves, sentences."""
    places = [each for each in unmatched if not (lost and each.startswith("policy.include"))]
    if lost:
        yield lost
    if places:
        names = "matches" if len(places) == 1 else "match"
        yield f"{first_of(places, _MOST_NAMED)} {names} no finding: check for a typo, or remove what is no longer needed."
    if unused:
        lines = first_of([f"{printable(each.file, 200)}:{each.line}" for each in unused], _MOST_NAMED)
        names = "The waiver at {} matches" if len(unused) == 1 else "The waivers at {} match"
        yield f"{names.format(lines)} no finding: check for a typo, or remove what is no longer needed."
    # such as that no host was alive, which only a person can judge
    said = [
        f"{printable(without_secrets(each.pair.target))}, {each.pair.tool}: {' '.join(each.reasons)}"
        for each in verdicts
        if each.outcome == PASSED and each.reasons
    ]
    if said:
        more = f" {len(said) - _MOST_NAMED} others say more; see targets." if len(said) > _MOST_NAMED else ""
        yield f"{' '.join(said[:_MOST_NAMED])}{more} Check that the target was reached."


# --- findings


def _judged(
    rows: Sequence[Row], pairs: Sequence[Pair], policy: Policy, memory: Memory, waived: Waived, now: float
) -> list[Judged]:
    remembered = memory.rows or [Remembered()] * len(rows)
    waivers = waived.rows or [None] * len(rows)
    lapsed = waived.lapsed or [None] * len(rows)
    partial = waived.partial or [""] * len(rows)
    if not len(rows) == len(remembered) == len(waivers) == len(lapsed) == len(partial):
        raise ValueError("the baseline and the waivers were compared with other rows")
    outside = [policy.out_of_scope(row) for row in rows]
    exceeded = policy.exceeded(
        row for row, reason, waiver in zip(rows, outside, waivers) if reason is None and waiver is None
    )
    judged = []
    for row, was, waiver, ended, part, reason in zip(rows, remembered, waivers, lapsed, partial, outside):
        worse = policy.worse_in(row, was.was) if was.was and was.change in (KNOWN, WORSE) else ()
        if worse:
            was = was._replace(change=WORSE)
        first_seen = was.first_seen or row.first_seen or pairs[row.pair].finished
        age = _age(first_seen, int(now))
        lapse = f"its waiver in {printable(ended.file, 200)}:{ended.line} expired ({ended.expires})" if ended else ""
        notes = tuple(filter(None, (part, lapse)))
        state, reasons, keys = (
            _state(policy, row, was, age, exceeded if waiver is None else {}, notes)
            if reason is None
            else (BELOW, (reason,), ())
        )
        if worse:
            reasons = (*reasons, f"it is worse than in the baseline, where {' and '.join(worse)}")
        state = state if waiver is None else WAIVED
        due = policy.due(row, first_seen) if reason is None and state in (KNOWN, BELOW) else None
        judged.append(Judged(row, state, was.change, reasons, first_seen, age, waiver, due, keys))
    return judged


def _state(
    policy: Policy, row: Row, was: Remembered, age: int | None, exceeded: Mapping[str, str], notes: Sequence[str]
) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """The state of a finding in scope, without waivers, why, as clauses, and the keys of the policy that fail it.

    notes: clauses about waivers that do not waive it.
    """
    counts, reasons, keys = policy.counts(row)
    accepted = counts and policy.only_new and was.change == KNOWN
    fails = reasons if counts and not accepted else ()
    others = {"older_than": policy.too_old(row, age), "max": exceeded.get(row.severity)}
    others = {key: reason for key, reason in others.items() if reason is not None}
    if fails or others:
        unknown = ("missing",) if "older_than" in others and age is None else ()
        why = (*fails, *filter(None, others.values()), *notes)
        return FAILING, why, (*(keys if fails else ()), *others, *unknown)
    if accepted:
        return KNOWN, (*reasons, "it is in the baseline, only_new is true"), ()
    return BELOW, reasons, ()


@lru_cache(maxsize=4096)
def _age(moment: str | None, now: int) -> int | None:
    """The seconds since a moment."""
    began = None if moment is None else iso_moment(moment)
    return None if began is None else max(0, now - began)


def _order(judged: Judged) -> tuple[object, ...]:
    row = judged.row
    # what begins to fail comes after what fails
    place = (judged.state != FAILING, judged.due or _NEVER)
    return (*place, severity_rank(row.severity), row.target, row.name, row.fingerprint, row.number)


def _summary(judged: Sequence[Judged]) -> dict[str, int]:
    numbers = Counter(each.row.severity for each in judged)
    return {severity: numbers[severity] for severity in SUMMARY}


def _counts(judged: Sequence[Judged], memory: Memory) -> dict[str, int]:
    """The numbers of gate.json. ``known`` counts the findings that the baseline knows, whatever their state."""
    states = Counter(each.state for each in judged)
    changes = Counter(each.change for each in judged)
    return {
        "total": len(judged),
        **{state: states[state] for state in STATES},
        **{change: changes[change] for change in CHANGES},
        "gone": len(memory.gone),
        "unseen": len(memory.unseen),
    }


# --- targets and tools


def _verdict(pair: Pair, late: str | None, failing: Counter[str], blocked: bool, mapping: Mapping[str, str]) -> Verdict:
    reasons = [*pair.blind, *pair.problems]
    outcomes = {pair.outcome, *([BLIND] if pair.blind else [])} - {PASSED}
    if not outcomes and not pair.complete:
        outcomes.add(INCOMPLETE)
    if late is not None:
        outcomes.add(NOT_COVERED)
        reasons.append(late)
    if outcomes and not reasons:
        reasons.append(_SENTENCES[worst_outcome(outcomes)])
    if blocked:
        outcomes.add(STALE_BASELINE)
        reasons.append(_SENTENCES[STALE_BASELINE])
    if failing:
        outcomes.add(FINDINGS)
        reasons.append(_failing_sentence(failing))
    decisive = _decisive(outcomes, mapping)
    return Verdict(pair, worst_outcome(outcomes), mapping[decisive], tuple(reasons), decisive)


def _decisive(outcomes: Iterable[str], mapping: Mapping[str, str]) -> str:
    """The outcome whose verdict counts: the worst of those that have the worst verdict."""
    verdicts = {outcome: mapping[outcome] for outcome in outcomes} or {PASSED: mapping[PASSED]}
    worst = worst_verdict(verdicts.values())
    return worst_outcome(outcome for outcome, verdict in verdicts.items() if verdict == worst)


def _overruled(outcome: str, decisive: str, mapping: Mapping[str, str]) -> str:
    """Why the verdict is not the one that the mapping has for the outcome."""
    return (
        f"The option outcomes maps {outcome} to {mapping[outcome]}, but {decisive} is an outcome of this run too, and is"
        f" mapped to {mapping[decisive]}."
    )


def _failing_sentence(failing: Mapping[str, int]) -> str:
    numbers = [f"{failing[severity]:,} {severity}" for severity in sorted(failing, key=severity_rank)]
    total = sum(failing.values())
    return f"{total:,} {'finding fails' if total == 1 else 'findings fail'} the policy: {', '.join(numbers)}."


def _if_nothing_is_scanned(
    pairs: Sequence[Pair], troubles: Sequence[Trouble], mapping: Mapping[str, str]
) -> tuple[Sequence[Pair], list[Trouble]]:
    """The pairs and the troubles, which say so if no pair has a scan, and nothing else is the reason."""
    # something worse may be the reason why there are no scans, and something that fails anyway is said to be
    worse = OUTCOMES[: OUTCOMES.index(NOTHING_SCANNED)]
    known = any(each.outcome in worse or (each.explains and mapping[each.outcome] == FAIL) for each in troubles)
    without = (NOT_COVERED, NOTHING_SCANNED)
    if known or not all(pair.outcome in without and pair.scan_id is None for pair in pairs):
        return pairs, [*troubles]
    # the mapping speaks of the outcome that is shown
    shown = [
        pair._replace(outcome=NOTHING_SCANNED, problems=pair.problems or (_SENTENCES[NOT_COVERED],)) for pair in pairs
    ]
    return shown, [*troubles, Trouble(NOTHING_SCANNED, _SENTENCES[NOTHING_SCANNED])]


def _coverage(verdicts: Sequence[Verdict], troubles: Sequence[Trouble]) -> str:
    if not verdicts or any(each.pair.saved for each in verdicts):
        return UNPROVEN
    complete = all(each.pair.is_proof and each.outcome != NOT_COVERED for each in verdicts)
    return COVERED if complete and not troubles else PARTIAL


def _was_judged(verdict: Verdict) -> bool:
    """Whether all findings of a pair were seen and compared with the policy and the waivers."""
    return verdict.outcome in (PASSED, FINDINGS, STALE_BASELINE)


def _reasons(
    common: Sequence[Trouble], verdicts: Sequence[Verdict], failing: Mapping[int, Counter[str]]
) -> dict[str, str]:
    """Why the outcome is not passed: what concerns all, the pairs that could not be judged, and the failing findings. Each
    sentence has the outcome that it is for."""
    # tasks that failed for one reason say the same, and so does what they left unread
    sentences = {each.sentence: each.outcome for each in common}
    bad = [each for each in verdicts if not _was_judged(each) and each.reasons[0] not in sentences]
    for each in bad[:_MOST_NAMED]:
        where = f"{printable(without_secrets(each.pair.target))}, {printable(each.pair.tool)}"
        sentences[f"{where}: {each.reasons[0]}"] = each.outcome
    if len(bad) > _MOST_NAMED:
        others = counted(len(bad) - _MOST_NAMED, "other target")
        sentences[f"{others} could not be judged; see targets."] = bad[_MOST_NAMED].outcome
    total: Counter[str] = Counter()
    for numbers in failing.values():
        total.update(numbers)
    if total:
        sentences[_failing_sentence(total)] = FINDINGS
    return sentences
