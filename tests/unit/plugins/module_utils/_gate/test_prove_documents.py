# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which findings of a gate.json are proven, which scans are repeated, and prove_fix.json."""

from __future__ import annotations

import json
from datetime import date

import jsonschema
import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.must_see import controls_of
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.rows import rows_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate.gate_json import document_of as gate_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate.judge import decide
from ansible_collections.scanops.scanner.plugins.module_utils._gate.policy import mapping_of, policy_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate.prove.artefacts import (
    document_of,
    markdown_of,
    sentence_of,
)
from ansible_collections.scanops.scanner.plugins.module_utils._gate.prove.rescans import (
    planned,
    read_of,
    refuse_unused,
    started_in,
)
from ansible_collections.scanops.scanner.plugins.module_utils._gate.prove.source import selected_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate.prove.verdict import CheckRun, Fix, Found, scan_in
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption
from ansible_collections.scanops.scanner.tests.unit.conventions.collection import ROOT
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_values import NOW, finding, pair

SCHEMA = json.loads((ROOT / "docs/docsite/prove_fix.schema.json").read_text(encoding="utf-8"))
EVIDENCE = {"type": "table", "data": {"headers": ["URL"], "rows": [["https://a.example/x"], ["https://a.example/y"]]}}
FINDINGS = (
    finding(vuln_id="WEB-1", name="First `one` | @all\n", cve=["CVE-2021-44228"]),
    finding(vuln_id="WEB-2", name="Second", vuln_evidence=EVIDENCE),
    finding(vuln_id="WEB-3", name="Third", risk_level=1),
)


def gate(findings=FINDINGS, **fields):
    pairs = (pair(findings=findings, scan_id=7, **fields),)
    decision = decide(pairs, rows_of(pairs), policy=policy_of(None), mapping=mapping_of(None), now=NOW)
    return gate_of(decision, collection_version="1.0.0", now=NOW, workspace="Web shop")


SOURCE = gate()
CONTENT = json.dumps(SOURCE).encode()
FIRST, SECOND, THIRD = sorted(SOURCE["findings"], key=lambda row: row["check"])


def names(*given, source=CONTENT):
    return sorted(row["check"] for row in selected_of(source, "gate.json", *given))


# --- the selection


def test_all_failing_findings_are_selected_by_default():
    assert names(None, None) == ["WEB-1", "WEB-2"]
    failing = {**SOURCE, "findings": [FIRST, SECOND]}
    # a registered result with rows: failing counts more than it lists
    assert names(None, None, source=failing) == ["WEB-1", "WEB-2"]


def test_findings_are_selected_by_fingerprint_and_by_matchers():
    assert names([THIRD["fingerprint"]], None) == ["WEB-3"]
    assert names([SECOND["places"][1]["fingerprint"]], None) == ["WEB-2"]
    assert names(None, [{"severity": "low"}, {"cve": "CVE-2021-44228"}]) == ["WEB-1", "WEB-3"]


def test_equal_findings_are_selected_once():
    assert names(None, None, source=gate((FINDINGS[0], FINDINGS[0]))) == ["WEB-1"]


def test_a_gate_that_has_passed_leaves_nothing_to_prove():
    assert names(None, None, source=gate(())) == []


@pytest.mark.parametrize(
    ("source", "given", "message"),
    [
        (CONTENT, (["1:x"], None), "prove_fix_fingerprints names 1:x, which prove_fix_source does not have"),
        (CONTENT, (None, [{"check": "WEB-9"}]), "has no finding that prove_fix_select matches"),
        (CONTENT, ([], None), "has no finding that prove_fix_fingerprints names"),
        (CONTENT, (None, [{"checks": "WEB-9"}]), "prove_fix_select[0]"),
        (CONTENT, ([], []), "mutually exclusive"),
        (gate((), outcome="scan_failed"), (None, None), "no finding that fails, and its outcome is scan_failed"),
        (b"{}", (None, None), "is neither a gate.json nor the result of the module gate"),
        ([], (None, None), "is neither a gate.json nor the result of the module gate"),
        (b'{"schema"', (None, None), "is truncated or not valid JSON"),
        (
            {**SOURCE, "version": 9},
            (None, None),
            "prove_fix_source 'gate.json' has the version 9, and this release reads 1. Give the gate.json",
        ),
        (
            json.dumps({**SOURCE, "findings": [], "outcome": "passed"}).encode(),
            (None, None),
            "is not complete: it counts",
        ),
        # YAML reads a time without quotes as one
        ({**SOURCE, "generated": date(2026, 1, 31)}, (None, None), "generated is '2026-01-31'"),
        ({**SOURCE, "findings": [{}]}, (None, None), "is missing"),
        ({**SOURCE, "findings": "none"}, (None, None), "findings is None"),
        (
            {**SOURCE, "findings": [{key: value for key, value in FIRST.items() if key != "fingerprint"}]},
            (None, None),
            "findings[0]: fingerprint is missing",
        ),
        (
            {**SOURCE, "findings": [{**SECOND, "places": [{"path": None, "method": None, "parameter": None}]}]},
            (None, None),
            "findings[0].places[0]: fingerprint is missing",
        ),
    ],
)
def test_a_wrong_source_or_selection_is_refused(source, given, message):
    with pytest.raises(WrongOption) as refused:
        selected_of(source, "gate.json", *given)
    assert message in str(refused.value)


# --- what tasks have read

RECORD = {
    "id": 7,
    "target_id": 1,
    "tool_id": 170,
    "workspace_id": 3,
    "status_name": "finished",
    "num_tests": 20,
    "num_finished_tests": 20,
    "tool_params": {"scan_type": "light"},
    "start_time": "2026-11-22 09:00:00",
    "end_time": "2026-11-22 09:30:00",
}
ENTRY = {"vuln_id": "WEB-1", "name": "First", "test_description": "Looks", "test_finished": True}
OUTPUT = {"output": {"output_type": "finding_list", "output_data": {"findings": [ENTRY, None]}}}
BEFORE = read_of(7, {"scans": [RECORD]}, SOURCE, OUTPUT)


def before(**fields):
    return {**BEFORE, "record": {**RECORD, **fields}}


def test_a_scan_is_read_from_three_results():
    scan = scan_in(json.loads(json.dumps(BEFORE)))
    assert scan.record == RECORD
    assert Found([FIRST["fingerprint"]], "check WEB-1", ["CVE-2021-44228"]) in scan.found
    assert scan.runs == [CheckRun("check WEB-1", "Looks", True)]
    assert (scan.gaps, BEFORE["problem"]) == ([], "")
    assert (BEFORE["target"], BEFORE["workspace"], BEFORE["tool"]) == ("a.example", "Web shop", "website_scanner")


@pytest.mark.parametrize(
    ("record", "result", "output", "problem", "gap"),
    [
        ({"scans": []}, SOURCE, OUTPUT, "Scan 7 does not exist any more.", None),
        ({"msg": "No answer.\n"}, SOURCE, OUTPUT, "No answer.", None),
        ({"scans": [RECORD]}, {"msg": "Refused."}, OUTPUT, "Refused.", None),
        ({"scans": [RECORD]}, {}, OUTPUT, "Scan 7 could not be read.", None),
        ({"scans": [{**RECORD, "id": 8}]}, SOURCE, OUTPUT, "Scan 7 could not be read.", None),
        (
            {"scans": [RECORD]},
            SOURCE,
            {"msg": "Not found."},
            "",
            "The output of scan 7 could not be read: Not found.",
        ),
        ({"scans": [RECORD]}, gate(complete=False, problems=("One is missing.",)), OUTPUT, "", "One is missing."),
    ],
)
def test_what_could_not_be_read_is_no_scan(record, result, output, problem, gap):
    read = read_of(7, record, result, output)
    assert read["problem"].strip() == problem or problem in read["problem"]
    assert gap is None or gap in read["gaps"]


CONTROL = {"check": "WEB-1", "reason": "planted"}


def with_controls(*given, **pair):
    controls = controls_of([{**CONTROL, **each} for each in given], "prove_fix_must_see")
    return read_of(7, {"scans": [RECORD]}, gate(**pair), OUTPUT, controls)


def test_a_scan_that_saw_its_controls_shows_that_the_target_answered():
    read = with_controls({}, {"target": "b.example"}, {"tool": 70})
    assert [(each["name"], each["target"], each["seen"]) for each in read["controls"]] == [("WEB-1", "a.example", True)]
    # what is planted could be what is to be proven fixed
    assert read["found"] == BEFORE["found"]
    assert (read["gaps"], scan_in(read).saw_control, scan_in(BEFORE).saw_control) == ([], True, False)


def test_a_scan_that_did_not_see_a_control_proves_nothing():
    read = with_controls({}, {"check": "GONE"})
    assert [each["seen"] for each in read["controls"]] == [True, False]
    assert read["gaps"][0].startswith("Scan 7 did not see GONE (planted): the login may have failed")


def test_controls_of_a_scan_that_was_not_read_completely_are_unknown():
    read = with_controls({}, complete=False, problems=("One is missing.",))
    assert [each["seen"] for each in read["controls"]] == [None]
    assert (read["gaps"][0], scan_in(read).saw_control) == ("One is missing.", False)


@pytest.mark.parametrize("given", [{"target": "b.example"}, {"tool": 70}], ids=str)
def test_a_control_that_no_scan_can_see_is_refused(given):
    (control,) = controls_of([{**CONTROL, **given}], "prove_fix_must_see")
    with pytest.raises(WrongOption) as refused:
        refuse_unused([control], [BEFORE])
    assert str(refused.value).startswith("prove_fix_must_see[0] is for a target or tool that is not scanned again")
    # what could not be read may be what it is for
    refuse_unused([control], [BEFORE, {**BEFORE, "problem": "No answer."}])
    refuse_unused([control], [])


@pytest.mark.parametrize("output", [{"output": None}, {"output": {"output_data": []}}, {"output": {"output_data": {}}}])
def test_an_output_of_another_kind_has_no_runs(output):
    assert read_of(7, {"scans": [RECORD]}, SOURCE, output)["runs"] == []


# --- which scans are repeated


def test_scans_with_the_same_parameters_are_started_together():
    other = {**before(id=8, target_id=2), "id": 8, "target": "b.example"}
    deep = {**before(id=9, target_id=3, tool_params={"scan_type": "deep"}), "id": 9, "target": "c.example"}
    plan = planned([BEFORE, other, deep], {}, None)
    options = {"tool": "170", "tool_params": {"scan_type": "light"}, "workspace_id": 3, "authenticated": False}
    assert plan["left_out"] == []
    assert plan["groups"] == [
        {"options": {**options, "tool_params": {"scan_type": "deep"}}, "targets": ["c.example"], "before": [9]},
        {"options": options, "targets": ["b.example", "a.example"], "before": [8, 7]},
    ]
    assert plan["sentence"] == (
        "Would scan c.example with website_scanner, b.example with website_scanner, a.example with website_scanner again."
        " Nothing was proven."
    )


def test_a_scan_is_repeated_with_all_that_its_record_shows():
    login = {"type": "cookies", "params": {"cookie_header": "***"}}
    read = before(
        tool_params={"authentication": login},
        vpn_profile_uuid=None,
        redirect_level="same_domain",
        scan_original_url=False,
        workspace_id=None,
    )
    (group,) = planned([read], {}, "cookies")["groups"]
    assert group["options"] == {
        "tool": "170",
        "tool_params": {},
        "workspace": "Web shop",
        "vpn_profile": "",
        "redirect_level": "same_domain",
        "scan_original_url": False,
        "authenticated": True,
    }


@pytest.mark.parametrize(
    ("read", "given", "reason"),
    [
        ({**BEFORE, "problem": "Gone."}, {}, "Gone."),
        (BEFORE, {"reasons": {7: "No host."}}, "No host."),
        (before(tool_params=None), {}, "The parameters of scan 7 are unknown: its record has no tool_params."),
        (before(target_id=None), {}, "The record of scan 7 has no target_id."),
        (
            before(tool_params={"authentication": {"type": "cookies"}}),
            {"authentication": "headers"},
            "Scan 7 logged in with cookies: set prove_fix_authentication to a login of this type.",
        ),
        (
            before(tool_params={"authentication": "***"}),
            {},
            "Scan 7 logged in with an unknown type: set prove_fix_authentication to a login of this type.",
        ),
    ],
)
def test_a_scan_that_could_prove_nothing_is_not_repeated(read, given, reason):
    plan = planned([read], **{"reasons": {}, "authentication": None, **given})
    assert plan["groups"] == []
    assert plan["left_out"] == [{"id": 7, "reason": reason}]
    assert plan["sentence"] == f"Would scan nothing again. Nothing was proven. {reason}"


def test_a_target_is_scanned_once_with_each_tool():
    older = {**before(id=6), "id": 6}
    plan = planned([older, BEFORE], {}, None)
    assert [group["before"] for group in plan["groups"]] == [[7]]
    assert plan["left_out"] == [
        {"id": 6, "reason": "Scan 6 is not the newest selected one of its target and tool."},
    ]


@pytest.mark.parametrize(
    ("scan", "id_", "problem"),
    [
        ({"scan": {"id": 8}, "outcome": "finished", "started": True}, 8, ""),
        ({"scan": {"id": 8}, "outcome": "stopped", "started": True}, 8, "Scan 8 ended as stopped."),
        ({"scan": None, "outcome": "failed_to_start", "error": "No slot."}, None, "No slot."),
        ({"scan": {"id": 8}, "outcome": None}, 8, "The wait failed."),
        ({"scan": None, "outcome": "finished"}, None, "The wait failed."),
    ],
)
def test_each_scan_that_was_to_start_is_accounted_for(scan, id_, problem):
    result = {"item": {"before": [7]}, "scans": [scan], "msg": "The wait failed."}
    (start,) = started_in([result])
    assert start == {"before": 7, "id": id_, "started": scan.get("started", False), "problem": problem}


def test_a_task_that_failed_before_it_started_a_scan():
    (start,) = started_in([{"item": {"before": [7]}, "msg": "Out of scope."}])
    assert (start["id"], start["problem"]) == (None, "Out of scope.")
    assert started_in([{"item": {"before": [7]}}])[0]["problem"] == "No scan was started."


# --- the document

LATER = {**RECORD, "id": 8, "start_time": "2026-11-22 10:00:00", "end_time": "2026-11-22 10:30:00"}
START = {"before": 7, "id": 8, "started": True, "problem": ""}


def proven(findings=(FIRST, SECOND), left_out=(), starts=(START,), later=(FINDINGS[1], FINDINGS[2]), controls=()):
    after = {**read_of(8, {"scans": [LATER]}, _as_scan(gate(later), 8), OUTPUT, controls_of(controls))}
    return document_of(
        [{**row, "hosts": ["web1"]} for row in findings], [BEFORE], left_out, list(starts), [after],
        {7: Fix(NOW, [RECORD])}, source="gate.json", now=NOW, collection_version="1.0.0",
    )  # fmt: skip


def _as_scan(document, scan_id):
    return {**document, "targets": [{**target, "scan_id": scan_id} for target in document["targets"]]}


def test_the_document_has_a_verdict_for_each_finding_what_is_left_first():
    document = proven()
    jsonschema.validate(document, SCHEMA, jsonschema.Draft202012Validator)
    assert (document["fixed"], document["counts"]) == (False, {"fixed": 1, "present": 1, "unproven": 0})
    present, fixed = document["findings"]
    assert (present["check"], present["verdict"]) == ("WEB-2", "present")
    assert present["reason"] == "Scan 8 still has it at 2 of its 2 places."
    assert (fixed["check"], fixed["verdict"], fixed["hosts"]) == ("WEB-1", "fixed", ["web1"])
    assert (fixed["before"]["id"], fixed["after"]["id"]) == (7, 8)
    assert fixed["after"]["start_time"] == "2026-11-22 10:00:00"
    assert fixed["before"]["tool_params"] == {"scan_type": "light"}


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"left_out": [{"id": 7, "reason": "No host."}], "starts": []}, "No host."),
        ({"starts": [{**START, "problem": "It timed out."}]}, "It timed out."),
        ({"starts": [{**START, "id": None}]}, "No scan was started."),
        ({"starts": []}, "No scan was started."),
        ({"findings": [{**FIRST, "scan_id": None}]}, "The source does not say which scan found it."),
    ],
)
def test_a_finding_without_a_scan_after_the_fix_is_unproven(given, reason):
    document = proven(**{"findings": [FIRST], **given})
    jsonschema.validate(document, SCHEMA, jsonschema.Draft202012Validator)
    assert [(row["verdict"], row["reason"]) for row in document["findings"]] == [("unproven", reason)]
    assert document["fixed"] is False


def test_nothing_is_fixed_without_sight_of_the_controls():
    seen = proven(findings=[FIRST], controls=[{"check": "WEB-2", "path": "/x", "reason": "planted"}])
    assert (seen["fixed"], [each["seen"] for each in seen["controls"]]) == (True, [True])
    assert "- `Controls: 1 seen.`" in markdown_of(seen)
    # without anything else that both scans found, it shows that the target answered
    later = (finding(vuln_id="CANARY", name="New"),)
    assert proven(findings=[FIRST], later=later)["counts"]["unproven"] == 1
    assert proven(findings=[FIRST], later=later, controls=[{"check": "CANARY", "reason": "planted"}])["fixed"] is True
    blind = proven(findings=[FIRST], controls=[{"check": "GONE", "reason": "planted"}])
    jsonschema.validate(blind, SCHEMA, jsonschema.Draft202012Validator)
    assert blind["counts"] == {"fixed": 0, "present": 0, "unproven": 1}
    assert blind["findings"][0]["reason"].startswith("Scan 8 did not see GONE (planted): ")
    assert "- `not seen: GONE on a.example, website_scanner (planted)`" in markdown_of(blind)


def test_the_document_has_no_password_of_a_target():
    finding = {**FIRST, "target": "https://scan:correct-horse@a.example/x"}
    told = "correct-horse was refused."
    document = proven(findings=[finding], starts=[{**START, "problem": told}])
    for text in (str(document), markdown_of(document), sentence_of(document)):
        assert "horse" not in text and "https://scan@a.example/x" in text


@pytest.mark.parametrize("password", ["unproven", "critical", "00000000"])
def test_a_password_that_is_a_word_of_the_document_changes_no_verdict(password):
    finding = {**FIRST, "target": f"https://scan:{password}@a.example/x", "severity": "critical"}
    document = proven(findings=[finding], starts=[])
    jsonschema.validate(document, SCHEMA, jsonschema.Draft202012Validator)
    (found,) = document["findings"]
    assert (found["verdict"], found["severity"]) == ("unproven", "critical")
    assert found["fingerprint"] == FIRST["fingerprint"] and password not in found["target"]


def test_nothing_to_prove_is_proven():
    document = proven(findings=())
    assert document["fixed"] is True
    assert sentence_of(document) == "Nothing had to be proven, because the gate has passed."


def test_the_sentence_names_what_is_left():
    assert sentence_of(proven(findings=[FIRST])) == (
        "The fix of 1 finding is proven: high First `one` | @all\\n on a.example."
    )
    assert sentence_of(proven()) == (
        "Not every fix is proven (1 fixed, 1 present, 0 unproven). high Second on a.example, 2 places is present: Scan 8"
        " still has it at 2 of its 2 places."
    )
    assert sentence_of(proven(findings=[SECOND] * 7)).endswith("And 2 more.")


def test_the_summary_names_scans_times_and_parameters_and_no_markup_works():
    text = markdown_of(proven())
    assert text.startswith("## Fix not proven: 1 fixed, 1 present, 0 unproven\n")
    assert "| fixed | high | `` First `one` \u00a6 @all" in text
    for scan, when, times in (
        (7, "before", "09:00:00 to 2026-11-22 09:30:00"),
        (8, "after", "10:00:00 to 2026-11-22 10:3"),
    ):
        (line,) = [line for line in text.splitlines() if f"| {when} | {scan} |" in line]
        assert times in line
        assert '`{"scan_type":"light"}`' in line
    assert markdown_of(proven(findings=[FIRST])).startswith("## Fix proven: 1 fixed")
    assert "And 5 more." in markdown_of(proven(findings=[FIRST] * 25))
