# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Notice of waivers, the day on which findings begin to fail, and the calendar of both."""

from __future__ import annotations

import copy
import random

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.matchers import matcher_of
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.rows import rows_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.calendar import calendar
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.document import coming
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.html import html
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.markdown import comment, markdown
from ansible_collections.scanops.scanner.plugins.module_utils._gate.gate import passed_sentence_of, sentence_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate.judge import decide
from ansible_collections.scanops.scanner.plugins.module_utils._gate.policy import mapping_of, policy_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate.waivers import Ending, Rule, Waiver, waive
from ansible_collections.scanops.scanner.plugins.module_utils._model.times import expiry_of, utc_text
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils._gate.export_readers import events_of
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_documents import (
    WAIVER,
    broken,
    document,
    mixed,
    row,
    waived,
)
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_values import NOW, finding, pair

DAY = 86400


def rule(ends, line=1, check="WEB-1"):
    """A waiver that ends so many seconds from now."""
    expires = utc_text(NOW + ends)
    waiver = Waiver("w.yml", line, {"check": check}, "r", "o", expires, "accepted")
    return Rule(waiver, matcher_of({"check": check}, "w"), expiry_of(expires))


def decided(rules=(), notice=0, policy=None, pairs=None, now=NOW):
    pairs = (pair(findings=(finding(id=1),)),) if pairs is None else pairs
    rows = rows_of(pairs)
    return decide(
        pairs,
        rows,
        policy=policy_of(policy),
        mapping=mapping_of(None),
        now=now,
        waived=waive(rules, rows, now, notice),
    )


# --- notice


@pytest.mark.parametrize(
    ("seconds", "days"),
    [(1, 0), (DAY - 1, 0), (DAY, 1), (14 * DAY - 1, 13), (14 * DAY, 14), (14 * DAY + 1, None), (0, None), (-1, None)],
)
def test_a_waiver_in_force_that_ends_within_notice_is_named_with_its_days(seconds, days):
    each = rule(seconds)
    assert waive([each], (), NOW, 14 * DAY).ending == (() if days is None else (Ending(each.waiver, days),))


def test_the_first_to_end_comes_first_and_notice_of_0_names_none():
    rules = [rule(3 * DAY, 1), rule(DAY, 2), rule(20 * DAY, 3)]
    assert [each.waiver.line for each in waive(rules, (), NOW, 14 * DAY).ending] == [2, 1]
    assert waive(rules, (), NOW, 0).ending == ()
    never = rules[0]._replace(ends=float("inf"))
    assert waive([never], (), NOW, 10**12).ending == ()


def test_the_line_of_a_gate_that_passed_names_waivers_that_end_soon():
    line = passed_sentence_of(decided([rule(3 * DAY)], 14 * DAY))
    assert line.startswith("The gate passed: ") and line.endswith(" 1 waiver ends soon: w.yml:1 in 3 days.")
    line = passed_sentence_of(decided([rule(each * DAY + 1, each) for each in range(5)], 14 * DAY))
    assert line.endswith(
        " 5 waivers end soon: w.yml:0 in less than a day, w.yml:1 in 1 day, w.yml:2 in 2 days and 2 more."
    )
    assert "soon" not in passed_sentence_of(decided([rule(3 * DAY)]))


def test_the_line_of_a_gate_that_failed_names_them_too():
    assert "1 waiver ends soon: w.yml:1 in 3 days." in sentence_of(decided([rule(3 * DAY, check="x")], 14 * DAY), None)


# --- due


@pytest.mark.parametrize(
    ("older_than", "age", "due"),
    [
        # 2026-11-22T10:00:00Z is the present of these tests
        ({"high": "30d"}, 0, "2026-12-22"),
        ({"high": "30d"}, 10 * 3600, "2026-12-22"),
        ({"high": "30d"}, 10 * 3600 + 1, "2026-12-22"),
        ({"high": "30d"}, 10 * 3600 + 2, "2026-12-21"),
        ({"high": "30d"}, 30 * DAY, "2026-11-22"),
        # it fails already
        ({"high": "30d"}, 30 * DAY + 1, None),
        ({"low": "30d"}, 0, None),
        ({}, 0, None),
        # after the year 9999
        ({"high": "999999999w"}, 0, None),
    ],
)
def test_due_is_the_day_on_which_the_age_begins_to_fail(older_than, age, due):
    pairs = (pair(findings=(finding(id=1, risk_level=3),), finished=utc_text(NOW - age)),)
    (judged,) = decided(policy={"fail_on": "critical", "older_than": older_than}, pairs=pairs).rows
    assert judged.due == due
    if due is None:
        return
    # the last second before that day, and its last one
    begins = expiry_of(due) - DAY
    for now, fails in ((begins - 1, False), (begins + DAY - 1, True)):
        policy = {"fail_on": "critical", "older_than": older_than}
        (later,) = decided(policy=policy, pairs=pairs, now=now).rows
        assert (later.state == "failing") is fails


def test_a_finding_of_unknown_severity_has_the_shortest_limit():
    pairs = (pair(findings=(finding(id=1, risk_level=None),), finished=utc_text(NOW)),)
    (judged,) = decided(policy={"fail_on": "none", "older_than": {"high": "30d", "low": "2d"}}, pairs=pairs).rows
    assert judged.due == "2026-11-24"


@pytest.mark.parametrize(
    "changes",
    [
        {"rules": [rule(DAY)]},
        {"policy": {"exclude": [{"check": "WEB-1"}]}},
        {"policy": {"fail_on": "info"}},
    ],
    ids=["waived", "out of scope", "failing"],
)
def test_what_is_waived_or_excluded_or_fails_has_no_due(changes):
    policy = {"fail_on": "none", "older_than": {"high": "30d"}, **changes.pop("policy", {})}
    pairs = (pair(findings=(finding(id=1, risk_level=3, vuln_id="WEB-1"),)),)
    assert [each.due for each in decided(policy=policy, pairs=pairs, **changes).rows] == [None]


def test_what_begins_to_fail_comes_first_among_what_does_not_fail():
    risks = {1: 4, 2: 3, 3: 2, 4: 1}
    pairs = (pair(findings=tuple(finding(id=each, risk_level=risk, port=each) for each, risk in risks.items())),)
    rows = decided(policy={"fail_on": "critical", "older_than": {"medium": "9d", "low": "5d"}}, pairs=pairs).rows
    assert [(each.row.severity, bool(each.due)) for each in rows] == [
        ("critical", False),
        ("low", True),
        ("medium", True),
        ("high", False),
    ]


# --- the calendar


def ahead():
    """A document with a waived finding, one that begins to fail, and a waiver that ends soon."""
    below = row(2, state="below", due="2026-12-24", name="Old; weak, \\ cipher\nx", team="Web, shop")
    of = document([waived(1), below, row(3)])
    soon = {**WAIVER, "line": 9, "matcher": {"cve": "CVE-2024-1"}, "expires": "2026-11-25T12:00:00+02:00", "days": 3}
    of["waivers"]["ending"] = [soon]
    return of


def test_the_calendar_has_the_ends_of_waivers_and_the_dues():
    events = events_of(calendar(ahead()))
    found = [(each.get("DTSTART;VALUE=DATE", each.get("DTSTART")), each["SUMMARY"]) for each in events]
    assert found == [
        ("20270630", "Waiver ends: check: TLS-7"),
        ("20261125T100000Z", "Waiver ends: cve: CVE-2024-1"),
        ("20261224", "Begins to fail: high Old; weak, \\ cipher\\nx"),
    ]
    assert {each["DTSTAMP"] for each in events} == {"20261122T100000Z"}
    assert events[-1]["DESCRIPTION"].endswith(" Team: Web, shop.")


def test_a_waiver_in_several_lists_is_one_event_and_one_that_never_ends_is_none():
    of = document([waived(1), waived(2)])
    of["waivers"].update(unused=[WAIVER], ending=[{**WAIVER, "days": 1}])
    of["waivers"]["doubled"] = [
        {"fingerprint": "1:" + "a" * 32, "waivers": [WAIVER, {**WAIVER, "expires": "never", "line": 8}]}
    ]
    assert len(events_of(calendar(of))) == 1


def test_an_event_keeps_its_identity():
    before = events_of(calendar(ahead()))
    of = copy.deepcopy(ahead())
    of["generated"] = "2026-12-01T00:00:00Z"
    of["findings"][0]["waiver"].update(line=70, expires="2028-01-01", reason="Renewed")
    of["findings"][1].update(due="2027-02-01", name="Renamed", state="known")
    of["findings"].reverse()
    assert {each["UID"] for each in events_of(calendar(of))} == {each["UID"] for each in before}
    other = {**ahead(), "workspace": "Other"}
    assert {each["UID"] for each in events_of(calendar(other))}.isdisjoint(each["UID"] for each in before)


def test_a_calendar_without_events_is_one_that_readers_accept():
    text = calendar(document([row(1)]))
    assert events_of(text) == [] and "BEGIN:VTIMEZONE\r\n" in text


@pytest.mark.parametrize("when", ["2026-99-99", "soon", "2026-12-31T10:00:00", ""])
def test_a_time_that_does_not_exist_is_no_event(when):
    of = document([waived(1, waiver={**WAIVER, "expires": when})])
    assert events_of(calendar(of)) == []


def test_lines_are_folded_between_characters():
    dice = random.Random(35)
    for _round in range(200):
        letters = dice.choice(("aé€😀;,\\ ", "ab;"))
        name = "".join(dice.choice(letters) for _each in range(dice.randrange(300)))[:198]
        of = document([row(1, state="below", due="2026-12-24", name=f"x{name}x")])
        (event,) = events_of(calendar(of))
        assert event["SUMMARY"] == f"Begins to fail: high x{name}x"


# --- lists for people


@pytest.mark.parametrize(
    "expires, day",
    [
        ("2026-11-25", "2026-11-25"),
        ("2026-11-25T00:30:00+14:00", "2026-11-24"),
        ("2026-11-25T23:30:00-05:00", "2026-11-26"),
        ("never", "never"),
    ],
)
def test_people_see_the_day_in_utc_on_which_a_waiver_ends(expires, day):
    of = ahead()
    of["waivers"]["ending"][0]["expires"] = expires
    assert day in [when for when, _text in coming(of)]


def test_people_see_what_begins_to_fail_the_next_first():
    of = ahead()
    assert [day for day, _text in coming(of)] == ["2026-11-25", "2026-12-24"]
    for text in (markdown(of), comment(of), html(of)):
        assert text.index("Begins to fail") < text.index("2026-11-25") < text.index("2026-12-24")
        assert "ends in 3 days" in text
    assert "Begins to fail" not in markdown(mixed()) + comment(mixed())
    assert 'id="coming"' not in html(mixed())


def test_findings_of_several_teams_are_grouped():
    rows = [
        row(1, team="A", contact="a@x", check="1", name="One"),
        row(2, team="A", check="2", name="Two"),
        row(3, name="Three"),
    ]
    for write in (markdown, comment):
        lines = write(document(rows)).splitlines()
        at = lines.index("### Fix first")
        assert lines[at + 2].replace("\uff20", "@") == "- `A`, `a@x`: 2 failing findings"
        assert lines[at + 3].startswith("  - high: `One`") and lines[at + 4] == "- Nobody: 1 failing finding"
        assert lines[at + 5].startswith("  - high: `Three`")
        # one team needs no groups
        lines = write(document(rows[:2])).splitlines()
        assert lines[lines.index("### Fix first") + 2].startswith("- high: `One`")


def test_each_contact_of_a_team_is_named():
    rows = [
        row(1, team="A", contact="a@x", channel="#a", check="1", name="One"),
        row(2, team="A", contact="b@x", channel="#a", check="1", name="One", target="b.example.com"),
        row(3, team="B", contact="c@x", check="1", name="One", target="c.example.com"),
    ]
    for write in (markdown, comment):
        lines = write(document(rows)).replace("\uff20", "@").splitlines()
        assert "- `A`, `a@x`, `#a`, `b@x`: 2 failing findings" in lines
    assert " · A (a@x), A (b@x), B (c@x)</p>" in html(document(rows))
    rows += [row(4, team="C", check="1", name="One", target="d.example.com"), row(5, check="1", name="One")]
    assert " · A (a@x), A (b@x), B (c@x) and 1 more</p>" in html(document(rows))


def test_more_teams_than_are_shown_are_counted():
    text = markdown(document([row(number, team=f"T{number}", check=str(number)) for number in range(1, 8)]))
    assert "And 3 more teams." in text and "`T4`" in text and "`T5`" not in text


def test_the_calendar_of_an_incomplete_run_says_so():
    first, *_others = events_of(calendar(broken()))
    assert first["SUMMARY"] == "Incomplete: 1 problem of the gate" and first["DTSTART;VALUE=DATE"] == "20261122"
    assert first["DESCRIPTION"].endswith("What begins to fail may be missing from this calendar.")
