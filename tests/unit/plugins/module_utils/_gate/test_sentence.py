# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The line of a red gate: what fails by name, which waivers expired, and where the page is."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.rows import Trouble, rows_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate.baseline import Memory
from ansible_collections.scanops.scanner.plugins.module_utils._gate.gate import passed_sentence_of, sentence_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate.judge import decide
from ansible_collections.scanops.scanner.plugins.module_utils._gate.policy import mapping_of, policy_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate.waivers import Waived, Waiver
from ansible_collections.scanops.scanner.plugins.module_utils._model.galaxy import section_of
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_values import NOW, finding, pair

# how the line of a gate with failing findings ends
SEE = f" See {section_of('findings')}"


def line(*findings, page=None, outcomes=None, **given):
    pairs = [pair(findings=findings)]
    decision = decide(pairs, rows_of(pairs), policy=policy_of(None), mapping=mapping_of(outcomes), now=NOW, **given)
    return sentence_of(decision, page)


def expired(*waivers):
    return Waived((), [Waiver("w.yml", 1, {}, "Because", "Jo", expires, status) for expires, status in waivers])


@pytest.mark.parametrize(
    "number, more", [(1, ""), (5, ""), (6, "; and 1 more"), (12, "; and 7 more"), (1205, "; and 1,200 more")]
)
def test_up_to_five_findings_are_named(number, more):
    said = line(*(finding(name=f"Finding {each:04d}", vuln_id=f"WEB-{each}") for each in range(number)))
    named = "; ".join(f"high Finding {each:04d} on a.example (check WEB-{each})" for each in range(min(5, number)))
    assert said.endswith(f" Failing: {named}{more}.{SEE}")


def test_the_worst_findings_come_first_and_what_is_unknown_is_said():
    said = line(
        finding(risk_level=3), finding(risk_level=4, name="Shell", vuln_id=None), finding(risk_level=None, name="")
    )
    assert said.endswith(
        "Failing: unknown finding without a name on a.example (check WEB-1); critical Shell on a.example;"
        f" high TLS 1.0 is accepted on a.example (check WEB-1).{SEE}"
    )


def test_the_tool_is_named_where_there_are_several():
    pairs = [
        pair(findings=[finding()]),
        pair(findings=[finding(name="Port 23", vuln_id="N-1")], tool="Port Scanner", tool_id=70, scan_id=9),
    ]
    decision = decide(pairs, rows_of(pairs), policy=policy_of(None), mapping=mapping_of(None), now=NOW)
    assert sentence_of(decision, None).endswith(
        "high Port 23 on a.example, Port Scanner (check N-1); high TLS 1.0 is accepted on a.example, website_scanner"
        f" (check WEB-1).{SEE}"
    )


def test_each_reason_ends_with_a_full_stop():
    trouble = Trouble("misconfigured", "got: hihg found in scan_gate_policy", True)
    said = line(finding(risk_level=0), troubles=[trouble], page="/tmp/gate.html")
    assert "found in scan_gate_policy. See /tmp/gate.html and https://" in said


def test_nothing_is_named_where_nothing_fails():
    assert "Failing" not in line(finding(risk_level=0))


def test_the_text_of_the_service_stays_on_the_line():
    said = line(finding(name="a\n::error::" + "x" * 500, vuln_id="\x1b[2J\u202e"))
    assert said.isprintable() and "a\\n::error::xxx" in said and len(said) < 400


@pytest.mark.parametrize(
    "waivers, said",
    [
        ([("2026-11-20", "accepted")], "1 waiver has expired (1 accepted), the last one on 2026-11-20 at 24:00 UTC."),
        (
            [("2026-11-20T18:00:00Z", "accepted"), ("2026-11-19", "not_affected"), ("2026-01-01", "accepted")],
            "3 waivers have expired (2 accepted, 1 not_affected), the last one on 2026-11-20T18:00:00Z.",
        ),
    ],
)
def test_expired_waivers_are_counted_by_their_state(waivers, said):
    assert line(finding(), waived=expired(*waivers), page="out/gate.html").endswith(
        f" {said} See out/gate.html and {section_of('findings')}"
    )


@pytest.mark.parametrize(
    "number, said",
    [
        (1, "1 waiver matches no finding (w.yml:2): check it for a typo."),
        (3, "3 waivers match no finding (the first is w.yml:2): check them for typos."),
    ],
)
def test_waivers_that_match_nothing_are_named_where_something_fails(number, said):
    unused = [Waiver("w.yml", each + 2, {"cve": "CVE-2024-1"}, "", "", "never", "accepted") for each in range(number)]
    waived = Waived(unused=unused)
    assert line(finding(), waived=waived).endswith(f" {said}{SEE}")
    assert "waiver" not in line(finding(risk_level=0), waived=waived)


def test_a_missing_baseline_comes_before_the_reasons():
    memory = Memory("nope.json", "missing", reason="The baseline 'nope.json' does not exist.")
    assert line(finding(), memory=memory).startswith(
        "The gate ended with findings. The baseline 'nope.json' does not exist. 1 finding fails the policy: 1 high. Failing:"
    )


@pytest.mark.parametrize(
    "names, more",
    [("ab", ""), ("abcd", " 1 more is in reasons of the result."), ("abcde", " 2 more are in reasons of the result.")],
)
def test_three_reasons_are_said_and_the_others_are_counted(names, more):
    pairs = [pair(target=f"{name}.example", outcome="scan_failed") for name in names]
    decision = decide(pairs, [], policy=policy_of(None), mapping=mapping_of(None), now=NOW)
    said = f"The gate ended with scan_failed. {' '.join(decision.reasons[:3])}{more}"
    assert sentence_of(decision, None) == f"{said} See {section_of('scan_failed')}"


@pytest.mark.parametrize(
    "outcomes, decides",
    [
        ({}, "scan_failed"),
        ({"scan_failed": "warn"}, "findings"),
        ({"scan_failed": "warn", "findings": "warn"}, "scan_failed"),
    ],
)
def test_the_line_ends_with_the_address_of_the_outcome_that_decides(outcomes, decides):
    said = line(finding(), outcomes=outcomes, troubles=[Trouble("scan_failed", "It was stopped.")])
    assert said.startswith("The gate ended with scan_failed. ") and said.endswith(f" See {section_of(decides)}")


def test_a_line_has_no_link_that_a_text_of_the_service_changes():
    said = line(finding(name="x](https://evil.example)"), page="a b.html")
    assert said.rpartition(" ")[2] == section_of("findings")


# --- the line of a gate that passed


@pytest.mark.parametrize(
    "counts, said",
    [
        ({}, "0 of 1 finding fails (a.example, website_scanner)"),
        (
            {"new": 1, "reopened": 2, "worse": 3, "known": 4, "gone": 5, "unseen": 6},
            "0 of 1 finding fails, 1 new, 2 reopened, 3 worse, 4 known, 5 gone, 6 not seen (a.example, website_scanner)",
        ),
    ],
)
def test_a_gate_that_passed_says_what_it_judged(counts, said):
    pairs = [pair(findings=[finding(risk_level=0)])]
    decision = decide(pairs, rows_of(pairs), policy=policy_of(None), mapping=mapping_of(None), now=NOW)
    numbers = {**decision.counts, **dict.fromkeys(("new", "known", "gone"), 0), **counts}
    assert passed_sentence_of(decision._replace(counts=numbers)) == f"The gate passed: {said}."
