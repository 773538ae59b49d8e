# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waivers: what a file says, what is wrong with it, and which findings it waives until when."""

from __future__ import annotations

import math
import sys
from datetime import datetime, timezone

import pytest
import yaml
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.matchers import matcher_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate.waivers import (
    Rule,
    Waived,
    Waiver,
    read_waivers,
    waive,
)
from ansible_collections.scanops.scanner.plugins.module_utils._model import yaml_nodes as reader
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption
from ansible_collections.scanops.scanner.plugins.module_utils._model.times import expiry_of
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_memory_values import (
    at_places,
    finding,
    pair,
    rows_of,
)
from hypothesis import given
from hypothesis import strategies as st

TAIL = "\n    reason: Because\n    owner: Jo\n    expires: 2026-12-31\n"
GOOD = f"version: 1\nwaivers:\n  - check: a{TAIL}"
FINGERPRINT = "1:" + "a" * 32


def at(text):
    return datetime.fromisoformat(text).replace(tzinfo=timezone.utc).timestamp()


NOW = at("2026-11-22T10:00:00")


def rules_in(*texts, **options):
    return read_waivers([(f"w{number}.yml", text) for number, text in enumerate(texts)], NOW, **options)


def waivers(*matchers):
    """The text of a file with these matchers."""
    return "version: 1\nwaivers:\n" + "".join(f"  - {matcher}{TAIL}" for matcher in matchers)


def problems_in(*texts, **options):
    with pytest.raises(WrongOption) as failed:
        rules_in(*texts, **options)
    # one problem is on the same line
    head, *problems = str(failed.value).replace("; nothing is waived. ", "; nothing is waived.\n").splitlines()
    number = len(problems)
    assert head == f"The waivers have {number} problem{'s' if number != 1 else ''}; nothing is waived."
    return problems


def rows(*findings, **fields):
    return rows_of(pair(*findings, **fields))


# --- files


def test_a_file_with_all_keys():
    text = f"""# Waivers of the shop
---
version: 1
waivers:
  - name: "TLS *"
    check: WEBSCAN-00-0000012
    cve: cve-2021-44228
    target: "*.example.com"
    severity: high
    port: 443
    fingerprint: {FINGERPRINT}
    reason: >-
      The proxy in front
      refuses it.
    owner: Jo
    expires: 2026-12-31
    status: not_affected
  - {{port: "8443", reason: x, owner: y, expires: "2026-12-31T18:00:00+01:00"}}
"""
    first, second = rules_in(text)
    assert first.waiver == Waiver(
        file="w0.yml",
        line=5,
        matcher={
            "name": "TLS *",
            "check": "WEBSCAN-00-0000012",
            "cve": "cve-2021-44228",
            "target": "*.example.com",
            "severity": "high",
            "port": 443,
            "fingerprint": FINGERPRINT,
        },
        reason="The proxy in front refuses it.",
        owner="Jo",
        expires="2026-12-31",
        status="not_affected",
    )
    assert first.ends == at("2027-01-01T00:00:00")
    assert (first.matcher.cve, first.matcher.port) == ("CVE-2021-44228", 443)
    assert second.waiver == Waiver("w0.yml", 18, {"port": 8443}, "x", "y", "2026-12-31T18:00:00+01:00", "accepted")
    assert second.ends == at("2026-12-31T17:00:00")


@pytest.mark.parametrize(
    "content",
    [
        GOOD,
        GOOD.encode(),
        b"\xef\xbb\xbf" + GOOD.encode(),
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("2026-12-31", "'2026-12-31'"),
    ],
)
def test_a_file_in_each_form_of_text(content):
    (rule,) = rules_in(content)
    assert (rule.waiver.line, rule.waiver.expires, rule.ends) == (3, "2026-12-31", at("2027-01-01T00:00:00"))


@pytest.mark.parametrize("expires", ["9998-12-31", "2999-01-01T00:00:00Z", "2031-11-28"])
def test_a_waiver_of_more_than_five_years_is_permanent(expires):
    text = GOOD.replace("2026-12-31", expires)
    said = f"expires is {expires}, more than five years from now: write an earlier date, or set allow_permanent: true."
    assert problems_in(text) == [f"w0.yml:6: {said}"]
    assert len(rules_in(text, allow_permanent=True)) == 1


def test_a_waiver_of_five_years_is_accepted():
    assert len(rules_in(GOOD.replace("2026-12-31", "2031-11-22"))) == 1


def test_a_permanent_waiver_needs_permission():
    text = GOOD.replace("2026-12-31", "never")
    assert problems_in(text) == ["w0.yml:6: expires is never: write a date, or set allow_permanent: true."]
    (rule,) = rules_in(text, allow_permanent=True)
    assert (rule.waiver.expires, rule.ends) == ("never", math.inf)


@pytest.mark.parametrize(
    "text, expected",
    [
        (
            GOOD.replace("check: a", f"fingerprint: 2:{'a' * 32}"),
            "w0.yml:3: fingerprint is not of scheme 1: copy the present one from gate.json.",
        ),
        (GOOD[:-30] + "\n  x", "w0.yml:"),
        (GOOD.encode().replace(b"Jo", b"J\xf6"), "w0.yml:5: the file is not encoded in UTF-8: save it as UTF-8."),
        (GOOD.encode("utf-16"), "w0.yml:1: the file is not encoded in UTF-8: save it as UTF-8."),
        (GOOD.replace("Jo", "J\ud800o"), "w0.yml:5: the file has the control character U+D800: remove it."),
        ("[" * 100_000, "w0.yml:1: not valid YAML (it is nested too deeply): correct it."),
        ("- " * 100_000, "w0.yml:1: not valid YAML (it is nested too deeply): correct it."),
        ("{a: " * 100_000, "w0.yml:1: not valid YAML (it is nested too deeply): correct it."),
        (b"#" * 5_000_001, "w0.yml:1: the file has more than 5,000,000 bytes: split it, or give the right file."),
    ],
    ids=lambda value: repr(value[-60:]),
)
def test_what_is_wrong_is_said_with_its_line(text, expected):
    lines = expected.splitlines()
    found = problems_in(text)
    assert len(found) == len(lines)
    for problem, line in zip(found, sorted(lines)):
        assert problem.startswith(line) and problem.endswith(".")


@pytest.mark.cases("old, new, expected")
def test_what_is_wrong_in_a_waiver_is_said_with_its_line(old, new, expected):
    text = new if old is False else GOOD + new if old is None else GOOD.replace(old, new)
    test_what_is_wrong_is_said_with_its_line(text, expected)


def test_a_tab_gets_its_own_advice():
    (problem,) = problems_in(GOOD.replace("    owner", "\towner"))
    assert problem.endswith("write spaces in place of tabs.")
    (problem,) = problems_in(GOOD.replace("check: a", "check: *a"))
    assert problem.endswith("correct it.")


@pytest.mark.parametrize(
    "text",
    [
        "2026-02-30",
        "2026-13-01",
        "26-12-31",
        "31.12.2026",
        "soon",
        "Never",
        "2026-12-31T18:00:00",
        "2026-12-31 18:00",
        "2026-12-31T25:00:00Z",
        "2026-12-31T18:00:00+99:00",
        "9999-12-31",
        "1798761600",
    ],
)
def test_an_impossible_expiry_is_refused(text):
    assert expiry_of(text) is None
    assert problems_in(GOOD.replace("2026-12-31", text)) == [
        f"w0.yml:6: expires is '{text}', which is neither an existing date nor a time with a zone: write a date, as in"
        " 2026-12-31, which ends at 24:00 UTC, or a time, as in 2026-12-31T18:00:00+01:00, or never."
    ]


def test_all_problems_of_all_files_are_reported_in_order():
    one = (
        "version: 1\nwaivers:\n  - port: 0\n    cve: x\n    name: '*'\n    reason: r\n    expires: soon\n  - check: a\n"
    )
    found = problems_in(one, "version: 3\n", GOOD)
    assert [problem.rpartition(": ")[0].split(":")[:2] for problem in found] == [
        ["w0.yml", line] for line in ("3", "3", "4", "7", "8", "8", "8")
    ] + [["w1.yml", "1"], ["w1.yml", "1"]]


def test_a_long_list_of_problems_is_cut():
    text = "version: 1\nwaivers:\n" + "  - soon\n" * 52
    with pytest.raises(WrongOption) as failed:
        rules_in(text)
    lines = str(failed.value).splitlines()
    assert lines[0] == "The waivers have 52 problems; nothing is waived."
    assert len(lines) == 52 and lines[-1] == "And 2 more."
    assert len(problems_in(text.replace("  - soon\n" * 52, "  - soon\n" * 50))) == 50


def test_a_path_is_shown_on_one_line():
    with pytest.raises(WrongOption, match=r" a\\x1bb\.yml:1: the file is empty"):
        read_waivers([("a\x1bb.yml", "")], NOW)


def test_without_pyyaml_a_waiver_file_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    assert problems_in(GOOD) == ["w0.yml:1: waivers need the Python library PyYAML: install it where the module runs."]


def test_the_loader_in_python_gives_the_same(monkeypatch):
    broken = [GOOD.replace("    owner", "\towner"), GOOD.replace("check: a", "check: 'a"), GOOD + "    check: b\n"]
    before = rules_in(GOOD)[0].waiver, [problem.split(": ")[0] for text in broken for problem in problems_in(text)]
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    after = rules_in(GOOD)[0].waiver, [problem.split(": ")[0] for text in broken for problem in problems_in(text)]
    assert before == after


def test_long_texts_are_cut():
    (rule,) = rules_in(GOOD.replace("Because", "x" * 5000))
    assert len(rule.waiver.reason) == 4000


def test_a_file_at_the_bound_is_read(monkeypatch):
    monkeypatch.setattr(reader, "LARGEST", len(GOOD))
    assert rules_in(GOOD)
    assert problems_in(GOOD + "\n")


# --- when a waiver ends


@pytest.mark.parametrize(
    "expires, last, first",
    [
        ("2026-12-31", "2026-12-31T23:59:59", "2027-01-01T00:00:00"),
        ("2026-12-31T18:00:00Z", "2026-12-31T17:59:59", "2026-12-31T18:00:00"),
        ("2026-12-31 18:00:00-02:00", "2026-12-31T19:59:59", "2026-12-31T20:00:00"),
    ],
)
def test_a_waiver_is_in_force_until_it_ends(expires, last, first):
    rules = rules_in(GOOD.replace("2026-12-31", expires))
    (row,) = rows(finding("a"))
    waiver = rules[0].waiver
    assert waive(rules, [row], at(last)) == Waived((waiver,), (), (), ())
    assert waive(rules, [row], at(first)) == Waived((None,), (waiver,), lapsed=(waiver,))


# --- which findings are waived


def test_without_waivers_nothing_is_waived():
    assert waive([], rows(finding("a")), NOW) == Waived()


def test_the_first_waiver_counts_and_all_are_reported():
    rules = rules_in(waivers("check: b", "name: cookie*"), waivers("check: a", "check: c"))
    b, cookie, a, c = (rule.waiver for rule in rules)
    first, second, third = found = rows(finding("a"), finding("b"), finding("d", name="Other"))
    waived = waive(rules, found, NOW)
    assert waived.rows == (cookie, b, None)
    assert waived.unused == (c,)
    assert waived.doubled == ((first.fingerprint, (cookie, a)), (second.fingerprint, (b, cookie)))


def test_a_finding_is_tied_to_the_first_expired_waiver_of_each_place():
    rules = rules_in(waivers("check: z", "check: a", "name: cookie*").replace("2026", "2025"))
    unmatched, check, name = (rule.waiver for rule in rules)
    waived = waive(rules, rows(finding("a"), finding("b"), finding("d", name="Other")), NOW)
    assert waived.lapsed == (check, name, None)
    assert waived.expired == (unmatched, check, name)


def test_an_expired_waiver_hides_no_other():
    rules = rules_in(waivers("check: a").replace("2026", "2025") + waivers("check: a").partition("waivers:\n")[2])
    expired, active = (rule.waiver for rule in rules)
    assert waive(rules, rows(finding("a")), NOW) == Waived((active,), (expired,), lapsed=(expired,))


PARTS = {
    "check": ["a", "b"],
    "name": ["Open*", "open port", "*port", "?losed*", "ope[nm] *", "\u1e9eharp*", "[p*"],
    "cve": ["CVE-2021-0001", "CVE-2021-0002"],
    "target": ["a.example", "*.example", "https://A.example/", "[2001:db8::1]", "b?example"],
    "severity": ["low", "unknown"],
    "port": ["80", "443"],
}
FINDINGS = st.builds(
    finding,
    st.sampled_from(["a", "b", None]),
    st.sampled_from([1, 3, 9]),
    name=st.sampled_from(["Open port", "CLOSED PORT", "open", "", "\u00dfharp", "ssharp", "[p*"]),
    cve=st.lists(st.sampled_from(PARTS["cve"]), max_size=2),
    port=st.sampled_from([80, 443, None]),
)
TARGETS = st.sampled_from(["a.example", "A.EXAMPLE", "https://a.example", "2001:db8::1", "b.example", ""])
MATCHER = st.fixed_dictionaries({}, optional={key: st.sampled_from(values) for key, values in PARTS.items()}).filter(
    bool
)


@given(st.lists(MATCHER, max_size=8), st.lists(st.tuples(TARGETS, FINDINGS), max_size=8))
def test_no_waiver_is_left_out(matchers, findings):
    rules = [
        Rule(Waiver("w.yml", line, given, "r", "o", "never", "accepted"), matcher_of(given, "w"), math.inf)
        for line, given in enumerate(matchers)
    ]
    found = rows_of(*(pair(each, target=target) for target, each in findings))
    matching = [[rule for rule in rules if rule.matcher.matches(row)] for row in found]
    waived = waive(rules, found, NOW)
    expected = [_first_that_covers(row, each) for row, each in zip(found, matching)]
    assert list(waived.rows) == (expected if rules else [])
    used = {rule.waiver.line for each in matching for rule in each}
    assert [waiver.line for waiver in waived.unused] == [line for line in range(len(rules)) if line not in used]
    doubled = [(each.fingerprint, list(each.waivers)) for each in waived.doubled]
    several = [
        (row.fingerprint, [rule.waiver for rule in each])
        for row, each in zip(found, matching)
        if any(_first_that_covers(row, each[:number] + each[number + 1 :]) for number in range(len(each)))
    ]
    assert all(each in several for each in doubled) and all(each in doubled for each in several)
    assert len(doubled) == len([each for number, each in enumerate(several) if each not in several[:number]])


def _first_that_covers(row, rules):
    """The waiver of a row, by hand: the first that is enough, else the first of those that are enough together."""
    ids = set(row.cve)
    alone = [rule.waiver for rule in rules if rule.matcher.cve is None or ids == {rule.matcher.cve}]
    together = ids and ids == {rule.matcher.cve for rule in rules}
    return alone[0] if alone else rules[0].waiver if together else None


# --- a finding with several CVE ids


LOG4J, TEXT4SHELL = "CVE-2021-44228", "CVE-2022-42889"


@pytest.mark.cases("matchers, waived_by")
def test_a_waiver_of_one_cve_does_not_cover_another_one(matchers, waived_by):
    found = finding("a", cve=[LOG4J, TEXT4SHELL])
    (row,) = rows(found)
    given = [{"fingerprint": row.fingerprint} if each == {"fingerprint": "own"} else each for each in matchers]
    said = waived(given, found)
    assert said.rows == (None if waived_by is None else waiver_of(waived_by),)
    # the waiver is no typo
    assert waiver_of(0) not in said.unused
    if waived_by is None:
        assert said.partial == (f"its waiver in w.yml:0 is for {LOG4J}, and it also has {TEXT4SHELL}",)
    else:
        assert said.partial == ()


@pytest.mark.parametrize("found", [finding("a", cve=[LOG4J, TEXT4SHELL]), finding("a", cve=[TEXT4SHELL, LOG4J])])
@pytest.mark.parametrize("ends, first", [((NOW + 9, NOW + 5), 1), ((NOW + 5, NOW + 9), 0), ((NOW + 5, NOW + 5), 0)])
def test_of_waivers_that_are_needed_together_the_one_that_ends_first_is_named(found, ends, first):
    """After that day the finding counts again, so it is what people must be told."""
    rules = [
        Rule(waiver_of(number), matcher_of({"cve": cve}, "waivers"), end)
        for number, (cve, end) in enumerate(zip((LOG4J, TEXT4SHELL), ends))
    ]
    assert waive(rules, rows(found), NOW).rows == (waiver_of(first),)


def test_a_waiver_covers_the_only_cve_of_a_finding():
    assert waived([{"cve": LOG4J.lower()}], finding("a", cve=[LOG4J])).rows == (waiver_of(0),)
    assert waived([{"cve": LOG4J}], finding("a", cve=[])).rows == (None,)


# --- a finding with several places


def waived(matchers, *findings):
    found = rows(*findings)
    matchers = [{"fingerprint": each} if isinstance(each, str) else each for each in matchers]
    rules = [Rule(waiver_of(number), matcher_of(each, "waivers"), math.inf) for number, each in enumerate(matchers)]
    return waive(rules, found, NOW)


def waiver_of(number):
    return Waiver("w.yml", number, {}, "Because", "Jo", "never", "accepted")


def places(*paths):
    """The fingerprints of a finding at each of these paths."""
    return [rows(at_places(path))[0].fingerprint for path in paths]


def test_fingerprints_waive_a_finding_only_if_all_of_its_places_are_waived():
    found = at_places("/a", "/b")
    (row,) = rows(found)
    assert [spot.fingerprint for spot in row.places] == places("/a", "/b")
    assert waived(places("/b", "/a"), found).rows == (waiver_of(0),)
    # a place that is no longer listed
    assert waived(places("/c", "/a", "/b"), found).rows == (waiver_of(1),)
    for some in (places("/a"), places("/b"), places("/a", "/c"), [row.fingerprint], []):
        assert waived(some, found).rows in ((None,), ())


def test_other_keys_waive_all_places_of_a_finding():
    assert waived([{"check": "WEBSCAN-00-0000012"}], at_places("/a", "/b")).rows == (waiver_of(0),)


def test_a_place_that_two_waivers_match_is_doubled():
    one, other = places("/a", "/b")
    assert waived([one, other], at_places("/a", "/b")).doubled == ()
    (doubled,) = waived([one, other, one], at_places("/a", "/b")).doubled
    assert (doubled.fingerprint, [each.line for each in doubled.waivers]) == (one, [0, 2])
    assert waived([one], at_places("/a", "/b")).unused == ()


# --- which ends soon, and which is named


def test_the_waivers_that_end_soon_are_listed_by_their_end():
    text = "version: 1\nwaivers:\n" + "".join(
        f"  - check: {check}{TAIL.replace('2026-12-31', ends)}"
        for check, ends in (("WEB-1", "2026-12-01"), ("WEB-2", "2026-12-31"), ("WEB-3", "2026-11-30"))
    )
    rules = rules_in(text)
    for days, number in ((0, 0), (8, 0), (9, 1), (30, 2)):
        assert len(waive(rules, (), NOW, days * 86400).ending) == number
    ending = waive(rules, (), NOW, 60 * 86400).ending
    assert [(each.waiver.matcher["check"], each.days) for each in ending] == [("WEB-3", 8), ("WEB-1", 9), ("WEB-2", 39)]


def test_of_waivers_for_different_places_the_one_that_ends_first_is_named():
    both = rows(at_places("/a", "/b"))
    spots = [each.fingerprint for each in both[0].places]
    for ends, named in ((("2027-03-31", "2027-01-31"), 1), (("2027-01-31", "2027-03-31"), 0)):
        text = waivers(*(f'fingerprint: "{each}"' for each in spots))
        for end in ends:
            text = text.replace("2026-12-31", end, 1)
        (waiver,) = waive(rules_in(text), both, NOW).rows
        assert waiver.matcher == {"fingerprint": spots[named]}


def test_a_place_that_is_not_waived_is_noted_for_its_own_row_only():
    first, second = rows(finding("a", cve=["CVE-2021-0001", "CVE-2021-0002"]), finding("b"))
    waived = waive(rules_in(waivers("cve: CVE-2021-0001")), (second, first), NOW)
    assert [bool(each) for each in waived.partial] == [False, True]
