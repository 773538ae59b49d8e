# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The baseline: what a run changes against it, and how an update writes that down."""

from __future__ import annotations

import json
import os
import random
from collections import Counter

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._gate.baseline import (
    GONE,
    OPEN,
    Baseline,
    CompleteRun,
    Facts,
    Remembered,
    Was,
    memory_of,
    run_of,
    update,
)
from ansible_collections.scanops.scanner.plugins.module_utils._gate.baseline_file import parse, render
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_memory_values import (
    DEEP,
    FIRST,
    LIGHT,
    SECOND,
    THIRD,
    at_places,
    finding,
    pair,
    rows_of,
    run,
)
from hypothesis import given
from hypothesis import strategies as st

EXHAUSTIVE = os.environ.get("SCANNER_TEST_EXHAUSTIVE") == "1"
EMPTY = Baseline("Web shop", "1.0.0")


def accepted(*findings, **fields):
    """A baseline that has accepted these findings."""
    return update(EMPTY, run(pair(*findings, **fields)), "1.0.0")


def compared(baseline, now):
    return memory_of("baseline.json", "read", baseline, now)


def changes(baseline, now):
    return [row.change for row in compared(baseline, now).rows]


def said(baseline, now):
    """The change and the first time of each row."""
    return tuple(each[:2] for each in compared(baseline, now).rows)


def gone(baseline, now):
    return [(each.check, each.severity) for each in compared(baseline, now).gone]


# --- a finding with several places


@pytest.mark.cases("before, now, change")
def test_a_finding_is_known_only_if_all_of_its_places_are(before, now, change):
    baseline = parse(render(accepted(at_places(*before))), "Web shop")
    assert changes(baseline, run(pair(at_places(*now)))) == [change]


def test_a_place_can_be_worse_and_reopened():
    both = accepted(at_places("/a", "/b", risk_level=2))
    assert changes(both, run(pair(at_places("/a", "/b", risk_level=3)))) == ["worse"]
    assert changes(both, run(pair(at_places("/a", "/c", risk_level=3)))) == ["new"]
    one = update(both, run(pair(at_places("/a", risk_level=2), finished=SECOND)), "1.0.0")
    # the age is that of the oldest place
    both = run(pair(at_places("/a", "/b", risk_level=2), finished=THIRD))
    assert said(one, both) == (("reopened", FIRST),)


def test_a_place_that_is_no_longer_listed_is_gone():
    baseline = accepted(at_places("/a", "/b"))
    assert baseline.accepted == 2
    assert gone(baseline, run(pair(at_places("/a"), finished=SECOND))) == [("WEBSCAN-00-0000012", "high")]
    after = update(baseline, run(pair(at_places("/a"), finished=SECOND)), "1.0.0")
    assert {entry.place.path: entry.state for entry in after.entries} == {"/a": OPEN, "/b": GONE}
    assert parse(render(after), "Web shop") == after


def states(baseline):
    return [(entry.check, entry.state, entry.severities) for entry in baseline.entries]


def given_run(pairs):
    """A run of pairs, in which a finding is the text of its check and its risk level, which is 3 where it is missing."""
    made = []
    for each in pairs:
        found = [each.partition(" ") for each in each.get("findings", ())]
        records = [finding(check, int(risk or 3)) for check, dummy, risk in found]
        made.append(pair(*records, **{key: value for key, value in each.items() if key != "findings"}))
    return run(*made)


@pytest.mark.cases("case")
def test_histories(case):
    """Each of the runs updates the baseline, and the one of now is compared. A case names the facts that it is about."""
    baseline, now = EMPTY, given_run(case["now"])
    for each in case["runs"]:
        baseline = update(baseline, given_run(each), "1.0.0")
    facts = {
        "changes": changes(baseline, now),
        "since": [since for _change, since in said(baseline, now)],
        "gone": gone(baseline, now),
        "states": states(baseline),
        "times": [(each.first_seen, each.last_seen, each.gone_since) for each in baseline.entries],
        "scans": [each[:2] for each in baseline.scans.values()],
    }
    assert json.loads(json.dumps({**case, **{key: facts[key] for key in case if key in facts}})) == case


# --- what a run changes


def test_without_a_baseline_all_findings_are_new():
    memory = compared(EMPTY, run(pair(finding("a"), finding("b"))))
    assert (memory.rows, memory.gone) == ((Remembered("new"), Remembered("new")), ())


@pytest.mark.parametrize(
    "first, second, now, change",
    [
        ([finding("a", 3)], [finding("b", 2)], [finding("a", 3)], ["known"]),
        # both tools have found one and the same
        ([finding("a", 3)], [finding("a", 2)], [finding("a", 3), finding("a", 3)], ["known", "new"]),
        ([finding("a", 2), finding("a", 2)], [finding("a", 3)], [finding("a", 3), finding("a", 2)], ["known", "known"]),
        ([finding("a", 2)], [finding("a", 2)], [finding("a", 3)], ["worse"]),
        ([finding("a", 2)], [], [finding("b", 2)], ["new"]),
    ],
)
def test_a_finding_of_an_unknown_tool_is_compared_with_those_of_all_tools(first, second, now, change):
    both = update(EMPTY, run(pair(*first, tool="one"), pair(*second, tool="two", finished=SECOND)), "1.0.0")
    saved = run(pair(*now, tool="", finished=None, saved=True)._replace(workspace=None))
    assert (changes(both, saved), gone(both, saved)) == (change, [])
    assert not isinstance(saved, CompleteRun)


def test_what_a_complete_scan_no_longer_has_is_gone():
    baseline = accepted(finding("a"), finding("b", 4))
    (found,) = compared(baseline, run(pair(finding("a"), finished=SECOND))).gone
    (entry,) = [each for each in baseline.entries if each.check == "b"]
    assert found == (
        entry.fingerprint,
        "Cookie without Secure flag",
        "b",
        "critical",
        "example.com",
        "website_scanner",
        FIRST,
        FIRST,
    )


# --- what a scan could have seen


def unseen(baseline, now):
    return [(each.gone.check, each.reason) for each in compared(baseline, now).unseen]


CUSTOM = LIGHT._replace(level="custom", checks={"attack_active": ("sqli", "xss")})


@pytest.mark.parametrize(
    "before, after, reason",
    [
        (LIGHT, LIGHT, None),
        (DEEP, DEEP, None),
        (LIGHT, DEEP, None),
        (DEEP, LIGHT, "not seen by this scan (light): it is light, and the other one is deep"),
        (DEEP, CUSTOM, "not seen by this scan (custom): it is custom, and the other one is deep"),
        (CUSTOM, DEEP, "not seen by this scan (deep): it is deep, and the other one is custom"),
        (CUSTOM, CUSTOM, None),
        (CUSTOM, CUSTOM._replace(checks={}), None),
        (CUSTOM, CUSTOM._replace(checks={"attack_active": ("sqli", "ssrf", "xss")}), None),
        (CUSTOM, CUSTOM._replace(checks={"attack_active": ("xss",)}), "its attack_active tests less"),
        (CUSTOM, CUSTOM._replace(checks={**CUSTOM.checks, "discovery": ()}), "its discovery tests less"),
        (LIGHT, LIGHT._replace(digest="1" * 16), "its parameters are others"),
        (LIGHT, LIGHT._replace(tests=19), "it has 19 tests, and the other one had 20"),
        (LIGHT, None, "the parameters of one of the scans are unknown"),
        (None, DEEP, "the parameters of one of the scans are unknown"),
    ],
)
def test_only_a_scan_that_is_not_narrower_shows_something_as_gone(before, after, reason):
    baseline = parse(render(accepted(finding("a"), finding("b"), reach=before)), "Web shop")
    now = run(pair(finding("a"), finished=SECOND, scan_id=2, reach=after))
    assert gone(baseline, now) == ([] if reason else [("b", "high")])
    assert [check for check, _reason in unseen(baseline, now)] == (["b"] if reason else [])
    assert [each for _check, each in unseen(baseline, now) if reason not in each] == []
    # an update decides the same, and keeps that for later runs
    later = update(baseline, now, "1.0.0")
    assert states(later) == [("a", OPEN, ("high",)), ("b", OPEN if reason else GONE, ("high",))]
    assert parse(render(later), "Web shop") == later
    again = run(pair(finding("a"), finished=THIRD, scan_id=3, reach=after))
    assert gone(later, again) == []
    assert len(unseen(later, again)) == (1 if reason else 0)


def test_a_finding_that_a_deep_scan_found_stays_open_until_a_deep_scan_does_not_find_it():
    night = accepted(finding("a"), finding("b"), reach=DEEP)
    merge = update(night, run(pair(finding("a"), finished=SECOND, reach=LIGHT)), "1.0.0")
    entry = merge.entries[1]
    assert (entry.state, entry.last_seen, entry.reach) == (OPEN, FIRST, DEEP)
    assert merge.scans[entry.key].reach == LIGHT
    assert gone(merge, run(pair(finding("a"), finished=THIRD, reach=DEEP))) == [("b", "high")]
    # and what the light scan has found, too, a later light scan could see
    assert gone(merge, run(pair(finding("c"), finished=THIRD, reach=LIGHT))) == [("a", "high")]


def test_equal_findings_of_which_a_light_scan_shows_some_stay_together():
    night = accepted(finding("a", 3, id=1), finding("a", 4, id=2), reach=DEEP)
    merge = update(night, run(pair(finding("a", 3, id=3), finished=SECOND, reach=LIGHT)), "1.0.0")
    assert states(merge) == [("a", OPEN, ("critical", "high"))]
    assert merge.entries[0].reach == DEEP


def test_a_baseline_of_an_earlier_release_is_read_and_shows_nothing_as_gone():
    old = json.loads(render(accepted(finding("a"), finding("b", 4))))
    for each in (*old["pairs"], *old["findings"]):
        for key in ("reach", "cvss", "epss", "known_exploited", "verified"):
            each.pop(key, None)
    baseline = parse(json.dumps(old), "Web shop")
    now = run(pair(finding("a"), finished=SECOND))
    assert (changes(baseline, now), gone(baseline, now), len(unseen(baseline, now))) == (["known"], [], 1)
    later = parse(render(update(baseline, now, "1.0.0")), "Web shop")
    assert [each.reach for each in later.entries] == [LIGHT, None]
    # once it was seen by a scan with known parameters, it can be gone
    seen = update(later, run(pair(finding("a"), finding("b", 4), finished=THIRD)), "1.0.0")
    assert [each.reach for each in seen.entries] == [LIGHT, LIGHT]


def test_of_two_scans_that_found_it_the_less_thorough_one_shows_what_it_takes():
    for one, other in ((LIGHT, DEEP), (DEEP, LIGHT)):
        both = update(accepted(finding("a"), reach=one), run(pair(finding("a"), finished=SECOND, reach=other)), "1.0.0")
        assert [each.reach for each in both.entries] == [LIGHT]


# --- what a baseline has accepted of a finding


def with_facts(cvss, epss, known_exploited, verified, check="a", **fields):
    return finding(
        check, cvss=cvss, epss_score=epss, in_cisa_catalog=known_exploited, verified=verified, cve=["CVE-2021-0001"],
        **fields,
    )  # fmt: skip


def test_the_worst_of_each_fact_is_accepted():
    one, other = with_facts(5.0, 0.9, False, None, id=1), with_facts(7.0, 0.1, None, True, id=2)
    baseline = accepted(one, other)
    worst = Facts(7.0, 0.9, False, True)
    assert [each.facts for each in baseline.entries] == [worst]
    assert parse(render(baseline), "Web shop") == baseline
    (row,) = compared(baseline, run(pair(one, finished=SECOND))).rows
    assert row == Remembered("known", FIRST, Was("high", worst, ("CVE-2021-0001",)))
    (row,) = compared(accepted(one), run(pair(one, finished=SECOND))).rows
    assert row == Remembered("known", FIRST, Was("high", Facts(5.0, 0.9, False, None), ("CVE-2021-0001",)))
    # a later scan makes it no better
    later = update(baseline, run(pair(with_facts(1.0, 0.0, True, False), finished=SECOND)), "1.0.0")
    assert [each.facts for each in later.entries] == [worst, Facts(7.0, 0.9, True, True)]


def test_what_is_accepted_at_all_places_is_accepted_of_a_finding():
    path = with_facts(5.0, 0.9, True, None, risk_level=4, path="/a"), with_facts(7.0, 0.1, False, True, path="/b")
    baseline = accepted(path[0], {**path[1], "cve": ["CVE-2021-0001", "CVE-2021-0002"]})
    (row,) = compared(baseline, run(pair(at_places("/a", "/b", vuln_id="a", risk_level=4), finished=SECOND))).rows
    assert (row.change, row.first_seen) == ("worse", FIRST)
    assert row.was == Was("high", Facts(5.0, 0.1, False, None), ("CVE-2021-0001",))
    (row,) = compared(baseline, run(pair(at_places("/a", "/c", vuln_id="a"), finished=SECOND))).rows
    assert (row.change, row.was.severity) == ("new", "critical")


# --- controls


def test_what_a_baseline_has_of_a_control_stays():
    control, baseline = finding("b"), accepted(finding("a"), finding("b"))
    seen = pair(finding("a"), finished=SECOND, scan_id=2, target="EXAMPLE.com")
    now = run_of([seen], rows_of(seen), rows_of(pair(control, target="Example.COM", scan_id=2)))
    assert isinstance(now, CompleteRun)
    assert gone(baseline, now) == []
    assert states(update(baseline, now, "1.0.0")) == states(baseline)
    assert gone(baseline, run(seen)) == [("b", "high")]


def test_of_two_scans_of_one_time_that_with_an_id_counts():
    for ids in ((1, None), (None, 1), (None, 2), (2, 1)):
        now = run(*(pair(finding("a"), scan_id=each) for each in ids))
        assert [each.scan_id for each in now.scans.values()] == [max(each or 0 for each in ids)]


# --- equal findings


def test_of_several_that_are_gone_one_is_reopened():
    two = accepted(finding("a", 3, id=1), finding("a", 3, id=2))
    none = update(two, run(pair(finding("b"), finished=SECOND)), "1.0.0")
    assert states(none)[0] == ("a", GONE, ("high", "high"))
    one = update(none, run(pair(finding("a", 3), finding("b"), finished=THIRD)), "1.0.0")
    assert states(one)[:2] == [("a", GONE, ("high",)), ("a", OPEN, ("high",))]


@pytest.mark.cases("before, after, expected, left")
def test_equal_findings_are_matched_one_by_one(before, after, expected, left):
    baseline = accepted(*(finding("a", level, id=number) for number, level in enumerate(before, 1)))
    now = run(pair(*(finding("a", level, id=number) for number, level in enumerate(after, 1)), finished=SECOND))
    assert changes(baseline, now) == expected
    assert [severity for _check, severity in gone(baseline, now)] == left


def test_one_of_several_equal_findings_is_gone_and_reopened():
    two, one = [finding("a", 3, id=1), finding("a", 1, id=2)], [finding("a", 3, id=3)]
    fewer = update(accepted(*two), run(pair(*one, finished=SECOND)), "1.0.0")
    assert states(fewer) == [("a", GONE, ("low",)), ("a", OPEN, ("high",))]
    more = run(pair(*one, finding("a", 2, id=4), finding("a", 4, id=5), finished=THIRD))
    assert changes(fewer, more) == ["known", "new", "reopened"]
    again = update(fewer, more, "1.0.0")
    assert states(again) == [("a", OPEN, ("critical", "high", "medium"))]
    assert [entry.first_seen for entry in again.entries] == [FIRST]


def test_what_is_gone_in_two_steps_is_one_entry():
    three = accepted(finding("a", 3, id=1), finding("a", 1, id=2, cve=["CVE-2021-0001"]), finding("a", 4, id=3))
    two = update(three, run(pair(finding("a", 3), finding("a", 4, id=3), finished=SECOND)), "1.0.0")
    none = update(two, run(pair(finding("b"), finished=THIRD)), "1.0.0")
    (entry, _b) = none.entries
    assert entry[3:5] == (GONE, ("critical", "high", "low"))
    assert (entry.first_seen, entry.last_seen, entry.gone_since) == (FIRST, SECOND, THIRD)
    assert entry.cve == ("CVE-2021-0001",)


def test_a_finding_that_a_list_has_twice_is_one():
    row = finding("a", id=7)
    assert changes(accepted(row), run(pair(row, row))) == ["known", "known"]
    assert states(accepted(row, row)) == [("a", OPEN, ("high",))]
    # without an id, each is its own
    assert changes(accepted(finding("a")), run(pair(finding("a"), finding("a")))) == ["known", "new"]


def test_a_finding_that_two_scans_report_is_one():
    def scans(finished):
        return [
            pair(finding("a", id=1), finding("a", id=2), finished=finished, scan_id=1),
            pair(finding("a", id=3), finding("a", 4, id=4), finished=finished, scan_id=2),
        ]

    baseline = update(EMPTY, run(*scans(FIRST)), "1.0.0")
    assert states(baseline) == [("a", OPEN, ("critical", "high"))]
    assert set(changes(baseline, run(*scans(SECOND)))) == {"known"}
    assert changes(accepted(finding("a"), finding("a")), run(*scans(SECOND))) == ["worse", "known", "known", "worse"]
    # scans without an id are told apart by their pairs
    unnamed = [each._replace(scan_id=None) for each in scans(SECOND)]
    assert set(changes(baseline, run(*unnamed))) == {"known"}


# --- updates


def test_an_update_has_the_version_that_wrote_it():
    before, now = accepted(finding("a")), run(pair(finding("b"), finished=SECOND))
    assert update(before, now, "1.1.0").collection_version == "1.1.0"
    # what changes nothing is not written again
    assert update(before, run(pair(finished=SECOND)), "1.1.0") is before
    assert update(before, run(pair(finding("b"), finished="2026-11-19T10:00:00Z")), "1.1.0") is before


def test_a_new_scan_of_an_unchanged_state_changes_the_lines_of_its_pair_only():
    before = render(accepted(finding("a"), finding("b"), finding("c"), scan_id=1)).splitlines()
    again = pair(finding("c", id=9), finding("b"), finding("a"), finished=SECOND, scan_id=2)
    after = render(update(parse("\n".join(before), "Web shop"), run(again), "1.0.0")).splitlines()
    differing = [line.strip() for one, line in zip(before, after) if one != line]
    assert len(before) == len(after)
    assert differing == ['"finished": "2026-11-21T10:00:00Z",', '"scan_id": 2,']


@pytest.mark.parametrize(
    "pairs",
    [
        [],
        [pair(finding("a"), complete=False)],
        [pair(finding("a"), outcome="scan_failed")],
        [pair(finding("a"), saved=True)],
        [pair(finding("a"), finished=None)],
        [pair(finding("a")), pair(outcome="incomplete", target="b.example")],
    ],
)
def test_only_a_complete_run_updates(pairs):
    now = run(*pairs)
    assert not isinstance(now, CompleteRun)
    with pytest.raises(TypeError, match="expected CompleteRun"):
        update(EMPTY, now, "1.0.0")


def test_the_names_of_equal_findings_do_not_depend_on_their_order():
    one, other = finding("a", 4, name="One", cve=["cve-2021-0002"]), finding("a", name="Another", cve=["CVE-2021-0001"])
    (entry,) = accepted(one, other).entries
    assert accepted(other, one).entries == (entry,)
    assert (entry.name, entry.cve) == ("Another", ("CVE-2021-0001", "CVE-2021-0002"))


def test_long_texts_are_cut():
    (entry,) = accepted(finding("a", name="n" * 10_000, cve=[f"CVE-2021-{number:05}" for number in range(200)])).entries
    assert (len(entry.name), len(entry.cve)) == (500, 100)


def test_the_memory_of_a_run():
    baseline = accepted(finding("a"), finding("b"), finding("b"))
    memory = compared(baseline, run(pair(finding("a"), finished=SECOND)))
    assert memory[:6] == ("baseline.json", "read", 1, 3, None, False)
    assert [each[:2] for each in memory.rows] == [("known", FIRST)]
    assert [each.check for each in memory.gone] == ["b", "b"]


# --- properties

FINDINGS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 5)), max_size=6)
HISTORIES = st.lists(
    st.tuples(st.sampled_from(["a.example", "b.example"]), FINDINGS, st.booleans(), st.integers(1, 28))
)


def numbers_in(entries):
    return Counter((each.fingerprint, each.key) for each in entries for _one in each.severities)


@given(HISTORIES)
def test_no_history_loses_an_entry_or_shows_something_as_gone_without_proof(history):
    baseline = EMPTY
    for target, findings, complete, day in history:
        records = [finding(check, level, id=number) for number, (check, level) in enumerate(findings, 1)]
        now = run(pair(*records, target=target, finished=f"2026-11-{day:02}T10:00:00Z", complete=complete))
        comparison = compared(baseline, now)
        assert len(comparison.rows) == len(findings)
        assert complete or not comparison.gone
        assert [each for each in comparison.gone if each.target != target] == []
        if not complete:
            continue
        after = update(baseline, now, "1.0.0")
        assert not numbers_in(baseline.entries) - numbers_in(after.entries)
        if after != baseline:
            assert {row.change for row in compared(after, now).rows} <= {"known"}
            assert compared(after, now).gone == ()
        assert parse(render(after), "Web shop") == after
        assert render(update(after, now, "2.0.0")) == render(after)
        baseline = after


def test_many_findings_in_other_words_are_the_same():
    """Shuffled, with new words, ids and severities that are no higher, listed twice and reported by two scans: all known."""
    number = 100_000 if EXHAUSTIVE else 1_000
    dice = random.Random(11)

    def records(words, first_id):
        return [
            finding(
                f"WEBSCAN-00-{each % 97:07}",
                3 if words == "before" else dice.choice([0, 1, 2, 3]),
                id=first_id + each,
                port=str(each % 1000 + 1) if words == "before" else each % 1000 + 1,
                name=f"{words} {each}",
                vuln_description=words,
                test_finished=words,
            )
            for each in range(number)
        ]

    def pairs(findings, finished, scan_id):
        parts = [findings[part::10] for part in range(10)]
        return [
            pair(*part, target=f"{place}.EXAMPLE.com", finished=finished, scan_id=scan_id + place)
            for place, part in enumerate(parts)
        ]

    baseline = update(EMPTY, run(*pairs(records("before", 1), FIRST, 1)), "1.0.0")
    assert baseline.accepted == number
    listed, other_scan = pairs(records("after", 10**6), SECOND, 100), pairs(records("again", 10**7), SECOND, 200)
    now = []
    for each in [*listed, *other_scan]:
        # each finding is in its list twice
        doubled = [*each.findings, *each.findings]
        dice.shuffle(doubled)
        now.append(each._replace(findings=tuple(doubled)))
    dice.shuffle(now)
    comparison = compared(parse(render(baseline), "Web shop"), run(*now))
    assert Counter(row.change for row in comparison.rows) == {"known": 4 * number}
    assert comparison.gone == ()
