# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a control names and matches, what a scan saw of it, and what it takes from the findings."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.must_see import controls_of, look
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.rows import rows_of
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_values import finding, pair

LISTING = {"name": "Directory listing", "path": "/account/canary/", "reason": "Only users get there"}
CANARY, IMAGES, ADMIN = "/account/canary/", "/images/", "/admin/"


def listing(*paths, **fields):
    """A finding at these paths."""
    table = {"type": "table", "data": {"headers": ["URL"], "rows": [[f"https://a.example{each}"] for each in paths]}}
    return finding(**{"name": "Directory listing", "vuln_id": "WEB-9", "vuln_evidence": table, **fields})


def seen(controls, pairs, **more):
    return look(controls_of(controls), pairs, rows_of(pairs), **more)


def facts(sight):
    return [(each.target, each.tool, each.seen) for each in sight.controls]


@pytest.mark.cases("given, message")
def test_a_wrong_control_is_refused_with_what_to_write(given, message):
    with pytest.raises(WrongOption) as refused:
        controls_of([LISTING, given])
    assert str(refused.value).startswith(message)
    assert str(refused.value).endswith(("?", "."))


@pytest.mark.cases("given, name")
def test_a_control_has_a_name_for_people(given, name):
    (control,) = controls_of([{**given, "reason": "x"}])
    assert control.name == name


def test_a_control_that_is_found_is_seen_and_no_finding():
    whole = pair(findings=(listing(CANARY), finding()))
    sight = seen([LISTING], [whole])
    assert facts(sight) == [("a.example", "website_scanner", True)]
    assert [each.check for each in sight.rows] == ["WEB-1"]
    assert [each.path for each in sight.taken] == [CANARY]
    assert (sight.pairs, sight.wrong) == ((whole,), ())


def test_a_control_that_is_missing_makes_the_scan_blind():
    sight = seen([LISTING], [pair(findings=(finding(),))])
    assert facts(sight) == [("a.example", "website_scanner", False)]
    assert sight.pairs[0].blind == (
        "Scan 5 did not see Directory listing at /account/canary/ (Only users get there): the login may have failed, or the"
        " scan did not get there. Check its login and its parameters, and that the control still exists.",
    )
    assert not sight.pairs[0].is_proof
    assert len(sight.rows) == 1


@pytest.mark.parametrize(
    "state",
    [
        {"outcome": "scan_failed"},
        {"outcome": "incomplete", "complete": False},
        {"complete": False},
        {"outcome": "not_covered", "scan_id": None},
    ],
    ids=str,
)
@pytest.mark.parametrize("found", [(), (listing(CANARY),)], ids=len)
def test_a_scan_that_was_not_read_completely_leaves_a_control_unknown(state, found):
    sight = seen([LISTING], [pair(findings=found, **state)])
    assert facts(sight) == [("a.example", "website_scanner", None)]
    # it is no finding nevertheless
    assert (sight.rows, sight.pairs[0].blind, sight.wrong) == ((), (), ())


def test_places_that_are_not_of_the_control_stay_findings():
    (row,) = rows_of([pair(findings=(listing(CANARY, IMAGES, ADMIN),))])
    (rest,) = rows_of([pair(findings=(listing(IMAGES, ADMIN),))])
    (one,) = rows_of([pair(findings=(listing(IMAGES),))])
    sight = seen([LISTING], [pair(findings=(listing(CANARY, IMAGES, ADMIN),))])
    assert facts(sight) == [("a.example", "website_scanner", True)]
    assert [each._replace(evidence="") for each in sight.rows] == [rest._replace(evidence="")]
    assert sight.rows[0].fingerprint != row.fingerprint
    left = seen([LISTING], [pair(findings=(listing(CANARY, IMAGES),))]).rows
    assert [(each.fingerprint, each.path, each.places) for each in left] == [(one.fingerprint, IMAGES, ())]


def test_findings_that_become_equal_are_numbered():
    pairs = [pair(findings=(listing(CANARY, IMAGES, id=1), listing(IMAGES, id=2)))]
    left = seen([LISTING], pairs).rows
    assert len({each.fingerprint for each in left}) == 1
    assert sorted(each.number for each in left) == [1, 2]


@pytest.mark.parametrize(
    "findings",
    [
        (listing(CANARY), listing(IMAGES, id=2)),
        (listing(CANARY, IMAGES),),
        (listing(CANARY), listing(CANARY, vuln_id="WEB-10", id=2)),
        (listing(CANARY), listing(CANARY, port=8443, id=2)),
    ],
    ids=["two findings", "two places", "two checks", "two ports"],
)
def test_a_control_that_matches_findings_at_several_places_hides_none_of_them(findings):
    pairs = [pair(findings=findings)]
    sight = seen([{"name": "Directory*", "reason": "x"}], pairs)
    assert sight.rows == rows_of(pairs)
    assert facts(sight) == [("a.example", "website_scanner", None)]
    assert sight.pairs[0].blind == ()
    assert sight.wrong[0].startswith(
        "must_see[0] matches 2 findings of a.example (Directory listing at /account/canary/, "
    )
    assert sight.wrong[0].endswith(": name its path, port, check or fingerprint.")


@pytest.mark.parametrize(
    "more", [{"risk_level": 4}, {"protocol": "udp"}, {"name": "Directory listing of backups"}], ids=str
)
def test_a_finding_at_the_place_of_a_control_is_not_hidden_by_it(more):
    pairs = [pair(findings=(finding(name="Directory listing", vuln_id="WEB-9"), finding(**{
        "name": "Directory listing", "vuln_id": "WEB-9", "id": 2, **more,
    })))]  # fmt: skip
    sight = seen([{"check": "WEB-9", "reason": "x"}], pairs)
    assert sight.rows == rows_of(pairs)
    assert sight.wrong[0].startswith("must_see[0] matches 2 findings of a.example (Directory listing")


def test_one_weakness_with_several_parameters_is_one_control():
    rows = [[f"https://a.example{CANARY}", parameter] for parameter in ("C", "O")]
    evidence = {"type": "table", "data": {"headers": ["URL", "Parameter"], "rows": rows}}
    sight = seen([{"name": "Directory*", "reason": "x"}], [pair(findings=(listing(vuln_evidence=evidence),))])
    assert (facts(sight)[0][2], sight.rows, sight.wrong) == (True, (), ())


def test_an_entry_that_says_that_nothing_was_found_is_no_control():
    nothing = finding(name="Directory listing", vuln_id="NONVULN-00-0000000", risk_level=0)
    sight = seen([{"name": "Directory listing", "reason": "x"}], [pair(findings=(nothing,))])
    assert facts(sight) == [("a.example", "website_scanner", False)]
    assert len(sight.rows) == 1


def test_a_finding_with_other_cve_ids_still_counts():
    both = finding(cve=["CVE-2021-0001", "CVE-2021-0002"])
    control = {"cve": "CVE-2021-0001", "reason": "x"}
    sight = seen([control], [pair(findings=(both,))])
    assert (facts(sight)[0][2], len(sight.rows)) == (True, 1)
    sight = seen([control, {**control, "cve": "CVE-2021-0002"}], [pair(findings=(both,))])
    assert ([each.seen for each in sight.controls], sight.rows) == ([True, True], ())


@pytest.mark.parametrize("status", ["open", "false_positive", "ignored", "accepted", "fixed"])
def test_the_status_of_a_control_does_not_matter(status):
    assert facts(seen([LISTING], [pair(findings=(listing(CANARY, status=status),))]))[0][2] is True


def test_each_scan_must_see_the_controls_that_are_for_it():
    a, b = pair(findings=(listing(CANARY),)), pair(target="b.example", target_id=2, scan_id=6)
    ports = pair(tool="port_scanner", tool_id=70, scan_id=7)
    assert [each[2] for each in facts(seen([LISTING], [a, b, ports]))] == [True, False, False]
    one = {**LISTING, "target": "a.*", "tool": "Website Scanner"}
    sight = seen([one], [a, b, ports])
    assert facts(sight) == [("a.example", "website_scanner", True)]
    assert [each.blind for each in sight.pairs] == [(), (), ()]


@pytest.mark.parametrize("more", [{"target": "typo.example"}, {"tool": "70"}, {"tool": 70}], ids=str)
def test_a_control_that_is_for_nothing_that_is_judged_is_wrong(more):
    whole = pair(findings=(listing(CANARY),))
    sight = seen([LISTING, {**LISTING, **more}], [whole])
    assert facts(sight) == [("a.example", "website_scanner", True), ("", "", None)]
    assert [each.startswith("must_see[1] is for a target or tool that is not judged") for each in sight.wrong] == [True]
    # unless some of what is judged could not be read
    assert seen([{**LISTING, **more}], [whole], others=True).wrong == ()
    assert seen([{**LISTING, **more}], []).wrong == ()


def test_a_control_of_a_scan_that_is_expected_is_unknown():
    missing = pair(
        target="b.example", tool="any tool", tool_id=None, scan_id=None, outcome="not_covered", complete=False
    )
    sight = seen([{**LISTING, "target": "b.example", "tool": "70"}], [pair()], expected=[missing])
    assert (facts(sight), sight.wrong) == ([("b.example", "any tool", None)], ())
    assert len(sight.pairs) == 1


def test_without_controls_nothing_changes():
    pairs = (pair(findings=(listing(CANARY),)),)
    rows = rows_of(pairs)
    assert look((), pairs, rows) == (pairs, rows, (), (), ())
