# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import copy
import json
from typing import NamedTuple

import jsonschema
import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.exploits import CveFile, Exploits
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.owners import read_owners
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.rows import Trouble, rows_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate.baseline import Gone, Memory, Remembered
from ansible_collections.scanops.scanner.plugins.module_utils._gate.gate_json import (
    document_of,
    is_unjudged,
    of_workspace,
    saved_in,
    saved_of,
    unjudged,
)
from ansible_collections.scanops.scanner.plugins.module_utils._gate.json_file import Fields, Wrong, demand, types_in
from ansible_collections.scanops.scanner.plugins.module_utils._gate.judge import decide
from ansible_collections.scanops.scanner.plugins.module_utils._gate.policy import expect_of, mapping_of, policy_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate.waivers import Doubled, Ending, Waived, Waiver
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption
from ansible_collections.scanops.scanner.plugins.module_utils._model.galaxy import section_of
from ansible_collections.scanops.scanner.plugins.module_utils._model.outcomes import OUTCOMES
from ansible_collections.scanops.scanner.tests.unit.conventions.collection import ROOT
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils._gate.export_readers import check_golden
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_values import NOW, finding, pair

VALIDATOR = jsonschema.Draft202012Validator(
    json.loads((ROOT / "docs/docsite/gate.schema.json").read_text(encoding="utf-8")),
    format_checker=jsonschema.FormatChecker(),
)
WAIVER = Waiver("w.yml", 3, {"check": "WEB-1"}, "accepted by the owner", "alice", "2027-01-01", "accepted")
FULL = finding(
    id=70001,
    name="Remote code execution",
    risk_level=4,
    cve=["CVE-2021-44228"],
    cwe="CWE-94",
    cvss=9.5,
    epss_score=0.97,
    epss_percentile=0.99,
    in_cisa_catalog=True,
    verified=False,
    port=8443,
    protocol="tcp",
    service="https",
    path="/login",
    method="POST",
    parameter="user",
    vuln_description="d" * 9000,
    risk_description="r",
    recommendation="u",
    vuln_evidence={"type": "text", "data": "e"},
    references=["https://a.example/1"],
)
PAIRS = (
    pair(findings=(FULL, finding(id=1), finding(id=2), finding(id=3, risk_level=None, vuln_id=None, status=None))),
    pair(
        target="b.example",
        outcome="scan_failed",
        status="stopped",
        finished=None,
        age=None,
        duration=None,
        complete=False,
    ),
    pair(target="c.example", complete=False, problems=("The service reports 9 findings, and 0 could be read.",)),
)
MEMORY = Memory(
    "b.json",
    "read",
    1,
    7,
    None,
    False,
    [Remembered("new"), Remembered("known", "2026-01-01T00:00:00Z"), Remembered("worse"), Remembered("reopened")],
    (Gone("1:" + "a" * 32, "Old", "WEB-3", "low", "a.example", "website_scanner", "2026-01-01T00:00:00Z", None),),
)
WAIVED = Waived(
    (WAIVER, None, None, None), (WAIVER,), (WAIVER,), (Doubled("1:" + "a" * 32, (WAIVER, WAIVER)),)
)._replace(ending=(Ending(WAIVER, 9),))
OWNERS = read_owners(
    'version: 1\nowners:\n- {targets: ["*"], team: All}\n'
    '- {targets: ["*.example*"], team: Web, contact: web@example.com, channel: "#web"}\n', "owners.yml"
)  # fmt: skip
EXPLOITS = Exploits(CveFile({}, "epss.csv", "2026-11-22"), CveFile({}, "kev.json"))


def decided(pairs=PAIRS, policy=None, rows=None, **given):
    rows = rows_of(pairs) if rows is None else rows
    return decide(pairs, rows, policy=policy_of(policy), mapping=mapping_of(None), now=NOW, **given)


def document(decision, workspace="Web shop", exploits=EXPLOITS, owners=None):
    return document_of(
        decision, collection_version="1.0.0", now=NOW, workspace=workspace, exploits=exploits, owners=owners
    )


def full_document():
    policy = {
        "max": {"medium": 3},
        "older_than": {"high": "30d", "unknown": "3d"},
        "exclude": [{"name": "TLS*", "port": 1}],
        "min_cvss": 1,
    }
    decision = decided(policy=policy, memory=MEMORY, waived=WAIVED, expect=expect_of({"targets": ["d.example"]}))
    return document(decision, owners=OWNERS)


class Made(dict):
    """Creates a value at each read, so that `make mutants` changes the code that creates it."""

    def __getitem__(self, name):
        return super().__getitem__(name)()

    def values(self):
        return [self[name] for name in self]


DOCUMENTS = Made(
    full=full_document,
    empty=lambda: document(decided(()), None, Exploits()),
    passed=lambda: document(decided((pair(),))),
    trouble=lambda: document(decided((), troubles=[Trouble("service_error", "No answer.")])),
    stale=lambda: document(decided((pair(),), memory=Memory("b.json", "stale", None, 0, "It is truncated.", True))),
)


# --- its form


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_document_follows_its_schema(name):
    # as a reader of the file has it
    VALIDATOR.validate(json.loads(json.dumps(DOCUMENTS[name])))


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(VALIDATOR.schema)


def objects(value, where="it"):
    """All objects in a value, with their place."""
    if isinstance(value, dict):
        yield where, value
        for key, each in value.items():
            yield from objects(each, f"{where}.{key}")
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from objects(each, f"{where}[{index}]")


# objects in which a key may be missing, because they are as users wrote them, or name only some keys of the policy
FREE = ("matcher", "exclude[0]", "max", "older_than", "see.policy")


def test_the_schema_wants_every_key_and_knows_no_other():
    whole = json.loads(json.dumps(DOCUMENTS["full"]))
    for where, each in list(objects(whole)):
        if where.endswith(FREE):
            continue
        for key in list(each):
            value = each.pop(key)
            assert not VALIDATOR.is_valid(whole), f"{where} without {key}"
            each[key] = value
        each["surplus"] = 1
        assert not VALIDATOR.is_valid(whole), f"{where} with a surplus key"
        del each["surplus"]
    assert VALIDATOR.is_valid(whole)


def test_the_schema_names_the_words_of_the_gate():
    words = VALIDATOR.schema["$defs"]
    assert words["outcome"]["enum"] == list(OUTCOMES)
    assert words["verdict"]["enum"] == ["fail", "warn", "pass"]


def test_a_document_is_the_golden_file():
    whole = DOCUMENTS["full"]
    # only the description is long
    row = next(row for row in whole["findings"] if row["id"] == 70001)
    assert row["description"].endswith(" more characters)") and len(row["description"]) <= 4000
    row["description"] = "d"
    check_golden("gate.json", json.dumps(whole, indent=1) + "\n")
    assert DOCUMENTS["empty"]["sources"] == {"epss": None, "known_exploited": None}
    assert DOCUMENTS["empty"]["waivers"] == {"expired": [], "unused": [], "doubled": [], "ending": []}
    assert DOCUMENTS["empty"]["owners"] is None


@pytest.mark.parametrize(
    "policy, keys",
    [
        ({"fail_on": "high"}, ["fail_on"]),
        ({"min_cvss": 7}, ["fail_on", "min_cvss", "missing"]),
        ({"min_cvss": 7, "verified_only": True, "missing": "ignore", "max": {"high": 0}}, ["max"]),
        ({"fail_on": "none", "older_than": {"high": 60}, "only_new": True}, ["older_than"]),
        ({"fail_on": "none", "older_than": {"high": "9d"}}, []),
    ],
)
def test_the_keys_of_the_policy_that_fail_are_no_words_of_reasons(policy, keys):
    expired = WAIVER._replace(file="max, older_than is only_new.yml")
    decision = decided((pair(findings=(finding(),)),), policy=policy, waived=Waived(lapsed=(expired,)))
    assert list(document(decision)["see"]["policy"]) == keys


def test_the_document_says_where_its_words_are_explained():
    decision = decided(
        (pair(findings=(finding(),)),), policy={"max": {"high": 0}}, troubles=[Trouble("moved", "Another build.")]
    )
    found = document(decision)
    assert found["reasons"] == ["Another build.", "1 finding fails the policy: 1 high."]
    assert found["see"] == {
        "outcome": section_of("moved"),
        "reasons": [section_of("moved"), section_of("findings")],
        "policy": {key: section_of(key, "policy") for key in ("fail_on", "max")},
    }
    assert DOCUMENTS["passed"]["see"] == {"outcome": section_of("passed"), "reasons": [], "policy": {}}
    for name in DOCUMENTS:
        assert len(DOCUMENTS[name]["see"]["reasons"]) == len(DOCUMENTS[name]["reasons"])


# --- judging it again


def again(content, **given):
    saved = saved_of(content if isinstance(content, bytes) else json.dumps(content).encode(), "f.json", NOW)
    return document(decided(saved.pairs, rows=saved.rows, troubles=saved.troubles, **given), saved.workspace)


@pytest.mark.parametrize("indent", [None, 2])
def test_a_document_that_is_judged_again_has_the_same_findings(indent):
    first = document(decided())
    second = again(json.dumps(first, indent=indent).encode())
    assert second["findings"] == first["findings"]
    assert second["outcome"] == first["outcome"] == "scan_failed"
    assert second["coverage"] == "unknown"
    assert second["workspace"] == "Web shop"
    assert second["summary"] == first["summary"]
    assert [(each["target"], each["outcome"]) for each in second["targets"]] == [
        (each["target"], each["outcome"]) for each in first["targets"]
    ]


def test_a_document_is_read_into_the_rows_that_it_was_made_of():
    several = {"type": "table", "data": {"headers": ["URL"], "rows": [["/b"], ["/a"]]}}
    found = (
        finding(id=1),
        finding(id=2, risk_level=4),
        FULL,
        finding(vuln_evidence=several),
        finding(cve=["cve-2021-1"]),
    )
    pairs = (pair(findings=found), pair(target="b.example", target_id=2, findings=(finding(target_id=2),)))
    saved = saved_of(json.dumps(document(decided(pairs))).encode(), "f.json", NOW)
    assert {row._replace(first_seen=None) for row in saved.rows} == {*rows_of(pairs)}
    assert {row.first_seen for row in saved.rows} == {"2026-11-22T09:00:00Z"}


def test_a_document_is_judged_by_the_present_policy():
    first = document(decided((pair(findings=(finding(risk_level=2),)),)))
    assert first["outcome"] == "passed"
    assert again(first, policy={"fail_on": "medium"})["outcome"] == "findings"
    failed = document(decided((pair(findings=(finding(),)),)))
    assert again(failed, policy={"fail_on": "critical"})["outcome"] == "passed"
    assert again(failed)["targets"][0]["reasons"] == ["1 finding fails the policy: 1 high."]


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_what_was_wrong_stays_wrong(outcome):
    first = document(decided((pair(outcome=outcome, scan_id=None, complete=False, problems=("Said once.",)),)))
    second = again(first)
    expected = "incomplete" if outcome in ("findings", "stale_baseline", "passed") else first["targets"][0]["outcome"]
    assert second["targets"][0]["outcome"] == expected
    assert second["targets"][0]["reasons"][0] == "Said once."
    assert not second["passed"]


def test_an_incomplete_scan_that_was_too_old_stays_incomplete():
    old = pair(complete=False, age=99999, problems=("Some are missing.",))
    first = document(decided((old,), expect=expect_of({"max_age": 10})))
    assert first["targets"][0]["outcome"] == "not_covered"
    assert again(first)["targets"][0]["outcome"] == "incomplete"


def test_a_scan_that_was_too_old_is_judged_by_the_present_expectation():
    first = document(decided((pair(),), expect=expect_of({"max_age": 10})))
    assert again(first)["outcome"] == "passed"
    assert again(first, expect=expect_of({"max_age": 10}))["outcome"] == "not_covered"


def test_a_failure_that_concerned_no_target_stays():
    for name in ("trouble", "empty"):
        second = again(DOCUMENTS[name])
        assert second["outcome"] == DOCUMENTS[name]["outcome"]
        assert not second["passed"]
    assert again(DOCUMENTS["trouble"])["reasons"][0] == "The saved file says service_error: No answer."
    silent = {**DOCUMENTS["trouble"], "reasons": []}
    assert again(silent)["reasons"][0] == "The saved file says service_error: no reason is given."


def test_a_baseline_that_could_not_be_used_is_not_remembered():
    assert again(DOCUMENTS["stale"])["outcome"] == "passed"


def test_the_age_of_a_scan_is_that_of_today():
    first = document(decided((pair(findings=(finding(),)),)))
    saved = saved_of(json.dumps(first).encode(), "f.json", NOW + 1000)
    assert saved.pairs[0].age == 4600
    assert saved_of(json.dumps(first).encode(), "f.json", NOW - 99999).pairs[0].age == 0


def test_findings_of_an_unlisted_target_are_judged():
    first = document(decided((pair(findings=(finding(), finding(vuln_id="WEB-2"))),)))
    second = again({**first, "targets": []})
    assert [each["target"] for each in second["targets"]] == ["a.example"]
    assert second["counts"]["failing"] == 2


def test_a_finding_of_an_unlisted_target_keeps_its_scan():
    first = document(decided((pair(tool="tls", scan_id=7, findings=(finding(),)),)))
    (saved,) = saved_of(json.dumps({**first, "targets": []}).encode(), "f.json", NOW).pairs
    assert (saved.tool, saved.scan_id, saved.workspace, saved.problems) == ("tls", 7, "Web shop", ())


def test_a_file_that_lists_less_than_it_counts_is_refused():
    first = document(decided((pair(findings=(finding(), finding(vuln_id="WEB-2"))),)))
    with pytest.raises(WrongOption, match="is not complete: it counts 2 high findings, and lists 1"):
        saved_of(json.dumps({**first, "findings": first["findings"][:1]}).encode(), "f.json", NOW)


def test_a_file_is_of_the_workspace_that_it_names():
    named = saved_of(json.dumps(DOCUMENTS["passed"]).encode(), "f.json", NOW)
    assert of_workspace(named, None) is named
    assert of_workspace(named, "Web shop") == named
    with pytest.raises(WrongOption, match="findings_file is of the workspace 'Web shop', and workspace is 'Other'"):
        of_workspace(named, "Other")
    assert of_workspace(saved_of(lines(finding(id=1)), "f", NOW), "Other").workspace == "Other"


def test_what_a_file_says_of_its_build_and_its_controls_is_kept():
    saved = json.loads(json.dumps(DOCUMENTS["passed"]))
    del saved["build"], saved["controls"]
    without = saved_in(copy.deepcopy(saved), NOW)
    assert (without.build, without.controls) == (None, ())
    build, controls = {"commit": "a" * 40}, [{"name": "Canary"}]
    whole = saved_in({**saved, "build": build, "controls": controls}, NOW)
    assert (whole.build, whole.controls) == (build, controls)


# --- the result of finding_info


def result(*findings, **fields):
    listed = [{**each, "target_name": "a.example"} for each in findings]
    return {"findings": listed, "total": len(listed), "complete": True, "doubts": [], **fields}


def test_the_result_of_finding_info_is_told_from_that_of_a_gate():
    whole = result()
    assert is_unjudged(whole)
    assert not is_unjudged({**whole, "outcome": "passed"})
    for key in whole:
        assert not is_unjudged({name: each for name, each in whole.items() if name != key})
    for other in (None, [], [*whole], "findings total complete doubts"):
        assert not is_unjudged(other)


@pytest.mark.parametrize(
    "fields, outcome, reasons",
    [
        ({}, "findings", []),
        ({"total": 1}, "findings", []),
        ({"doubts": ["One is missing."]}, "incomplete", ["One is missing."]),
        ({"doubts": ["One is missing."], "complete": False}, "incomplete", ["One is missing."]),
        ({"complete": False}, "incomplete", ["The list of findings may be incomplete."]),
        (
            {"total": 3000},
            "incomplete",
            ["2 of 3,000 findings are listed: raise limit of finding_info."],
        ),
        (
            {"total": 3, "complete": False},
            "incomplete",
            ["The list of findings may be incomplete.", "2 of 3 findings are listed: raise limit of finding_info."],
        ),
    ],
)
def test_what_finding_info_does_not_list_is_said(fields, outcome, reasons):
    given = result(finding(id=1), finding(id=2, vuln_id="WEB-2"), **fields)
    found = unjudged(given)
    assert (found["outcome"], found["reasons"], found["targets"]) == (outcome, reasons, [])
    judged = document(decided((pair(target="a.example", findings=(finding(id=1), finding(id=2, vuln_id="WEB-2"))),)))
    shown = [
        [(each["fingerprint"], each["severity"], each["target"]) for each in one["findings"]] for one in (found, judged)
    ]
    assert sorted(shown[0]) == sorted(shown[1])
    for row in found["findings"]:
        assert (row["change"], row["state"], row["waiver"], row["team"]) == (None, "", None, None)
    assert given == result(finding(id=1), finding(id=2, vuln_id="WEB-2"), **fields)


@pytest.mark.parametrize(
    "fields, message",
    [
        ({"total": "2"}, "total or doubts is not as finding_info returns it: give its unchanged result."),
        ({"total": None}, "total or doubts is not as finding_info returns it: give its unchanged result."),
        ({"doubts": "none"}, "total or doubts is not as finding_info returns it: give its unchanged result."),
        ({"doubts": [1]}, "total or doubts is not as finding_info returns it: give its unchanged result."),
        ({"findings": [{}]}, "An item of findings is not a finding, which has a name and a risk_level: give the"),
        ({"findings": 5}, "An item of findings 'int' object is not iterable: give the unchanged result of"),
    ],
)
def test_a_changed_result_of_finding_info_is_refused(fields, message):
    with pytest.raises(WrongOption) as refused:
        unjudged(result(**fields))
    assert str(refused.value).startswith(message)


# --- lines of finding_info


def lines(*findings):
    return b"".join(json.dumps(each).encode() + b"\n" for each in findings)


def test_lines_of_findings_are_judged_without_coverage():
    content = lines(
        finding(id=1, target_name="a.example"), finding(id=2, target_name="b.example", task_id=9, risk_level=0)
    )
    decision = again(content)
    assert [(each["target"], each["scan_id"], each["outcome"]) for each in decision["targets"]] == [
        ("a.example", 5, "findings"),
        ("b.example", 9, "passed"),
    ]
    assert decision["coverage"] == "unknown"
    assert decision["workspace"] is None
    assert decision["counts"]["total"] == 2
    assert again(content, policy={"fail_on": "critical"})["outcome"] == "passed"


def test_lines_have_the_fingerprints_of_the_service():
    rows = rows_of((pair(findings=(FULL,)),))
    saved = saved_of(lines({**FULL, "target_name": "a.example"}), "f", NOW)
    assert saved.rows[0].fingerprint == rows[0].fingerprint


@pytest.mark.parametrize("content", [b"", b"\n", b" \r\n\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"])
def test_an_empty_file_is_nothing_scanned(content):
    assert again(content)["outcome"] == "nothing_scanned"


def test_empty_lines_and_a_byte_order_mark_are_skipped():
    content = (
        b"\xef\xbb\xbf\n"
        + lines(finding(id=1, target_name="a"))
        + b"\r\n"
        + lines(finding(id=2, target_name="a")).rstrip()
    )
    assert again(content)["counts"]["total"] == 2


def test_a_finding_that_a_file_has_twice_counts_once():
    one = finding(id=1, target_name="a")
    assert again(lines(one, one))["counts"]["total"] == 1
    assert again(lines(one, one, {**one, "id": 2}))["counts"]["total"] == 2
    assert again(lines(one, {**one, "risk_level": 4}))["counts"]["total"] == 2
    without_id = {**one, "id": None}
    assert again(lines(without_id, without_id))["counts"]["total"] == 2


def test_the_severity_of_a_line_is_that_of_its_risk_level():
    line = {**finding(id=1, target_name="a", risk_level=4), "severity": "info", "first_seen": "2020-01-01T00:00:00Z"}
    row = again(lines(line))["findings"][0]
    assert (row["severity"], row["first_seen"]) == ("critical", None)


def test_a_line_needs_neither_ids_nor_cves():
    row = again(lines({"name": "x", "risk_level": 3}))["findings"][0]
    assert (row["target"], row["target_id"], row["scan_id"], row["cve"]) == ("", None, None, [])


def test_a_target_without_a_name_is_named_by_its_id():
    for name in (None, "", 5):
        assert again(lines(finding(target_id=4711, target_name=name)))["targets"][0]["target"] == "target 4711"


# --- the types of values


class Kind(NamedTuple):
    text: str
    score: float | None = None
    flag: bool = False
    count: int = 0
    parts: tuple[str, ...] = ()


def test_the_annotations_of_a_row_are_the_types_in_json():
    assert types_in(Kind, ("parts", "score", "text", "flag", "count")) == {
        "parts": {list},
        "score": {float, int, type(None)},
        "text": {str},
        "flag": {bool},
        "count": {int},
    }


@pytest.mark.parametrize(
    "value, others, problem",
    [
        ({"text": "a", "count": 1}, False, None),
        ({"text": "a", "count": 1, "more": 2}, True, None),
        ({"text": "a", "count": 1, "more": 2}, False, "is wrong in x: 'more' is an unknown key"),
        ({"text": "a"}, False, "is wrong in x: count is missing"),
        ({"text": "a", "count": True}, True, "is wrong in x: count is True"),
        ({"text": "a", "count": "n" * 90}, True, f"is wrong in x: count is '{'n' * 59}..."),
        ([], True, "is wrong in x: not an object"),
    ],
)
def test_the_fields_of_an_object_have_their_types(value, others, problem):
    fields = Fields(types_in(Kind, ("count", "text")), others)
    if problem is None:
        assert fields.of(value, "x") == (1, "a")
        return
    with pytest.raises(Wrong) as refused:
        fields.of(value, "x")
    assert str(refused.value) == problem


def test_a_wrong_value_is_shown_in_short():
    demand(True, "x", "count", "n" * 90)
    with pytest.raises(Wrong) as refused:
        demand(False, "x", "count", "n" * 90)
    assert str(refused.value) == f"is wrong in x: count is '{'n' * 59}..."


# --- spoilt files


def spoilt(path, value):
    changed = copy.deepcopy(json.loads(json.dumps(DOCUMENTS["full"])))
    at = changed
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return json.dumps(changed).encode()


FULL_TEXT = json.dumps(DOCUMENTS["full"], indent=1).encode()
WRONG = [
    (FULL_TEXT[:-100], "is truncated or not valid JSON (line "),
    (FULL_TEXT[:2000], "is truncated or not valid JSON (line "),
    (lines(finding(id=1)) + lines(finding(id=2))[:-20], "line 2 is truncated or not valid JSON (line 1: "),
    (b"\xff\xfe{}", "line 1 is not text in UTF-8"),
    (FULL_TEXT[:-3] + b"\xff", "is not text in UTF-8"),
    (b"[1, 2]", "line 1 is not a finding, which has a name and a risk_level"),
    (b"hello", "line 1 is truncated or not valid JSON"),
    (b'{"name": "x"}', "line 1 is not a finding"),
    (b'{"name": 5, "risk_level": 3}', "line 1 is not a finding"),
    (b'{"name": "x", "risk_level": 3, "id": "5"}', "line 1 has the id '5', which is not a number"),
    (b'{"name": "x", "risk_level": 3, "task_id": true}', "line 1 has the task_id 'True'"),
    (b'{"name": "x", "risk_level": 3, "target_id": 1.5}', "line 1 has the target_id '1.5'"),
    (
        b'{"name": "x", "name": "y", "risk_level": 3}',
        "line 1 is not valid JSON (the key 'name' occurs twice in one object)",
    ),
    (b'{"name": "x", "risk_level": NaN}', "line 1 is not valid JSON (NaN is not a JSON number)"),
    (b'{"name": "x", "risk_level": ' + b"[" * 100_000, "line 1 is not valid JSON"),
    (b'{"schema": "x"}', "is neither a gate.json nor a list of findings"),
    (b'{\n"findings": []}', "is neither a gate.json nor a list of findings"),
    (spoilt(["version"], 2), "has the version 2, and this release reads 1"),
    (spoilt(["outcome"], "green"), "is wrong in the top level: outcome is 'green'"),
    (spoilt(["summary"], []), "is wrong in the top level: summary is []"),
    (spoilt(["summary"], {"high": 1}), "is wrong in the top level: summary is {'high': 1}"),
    (spoilt(["findings"], {}), "is wrong in the top level: findings is {}"),
    (spoilt(["targets"], [1]), "is wrong in targets[0]: not an object"),
    (spoilt(["targets", 1, "complete"], "yes"), "is wrong in targets[1]: complete is 'yes'"),
    (
        spoilt(["targets", 1, "finished"], "2026-13-41T00:00:00Z"),
        "is wrong in targets[1]: finished is",
    ),
    (spoilt(["findings", 0, "severity"], "none"), "is wrong in findings[0]: severity is 'none'"),
    (spoilt(["findings", 0, "cve"], [1]), "is wrong in findings[0]: cve is [1]"),
    (spoilt(["surplus"], 1), "is wrong in the top level: 'surplus' is an unknown key"),
]


@pytest.mark.parametrize("content, message", WRONG, ids=[message for _content, message in WRONG])
def test_a_spoilt_file_is_refused_and_never_read_in_part(content, message):
    with pytest.raises(WrongOption) as refused:
        saved_of(content, "f.json", NOW)
    assert str(refused.value).startswith(f"findings_file 'f.json' {message}")
    assert str(refused.value).endswith(
        ". Write the file again, with formats: [json] of gate or with dest of finding_info."
    )


@pytest.mark.cases("key, value")
def test_a_wrong_row_after_a_right_one_is_found(key, value):
    document = json.loads(json.dumps(DOCUMENTS["full"]))
    right = document["findings"][0]
    document["findings"] = [right, {**right, "id": 8}, {**right, "id": 9, key: value}]
    with pytest.raises(WrongOption) as refused:
        saved_of(json.dumps(document).encode(), "f.json", NOW)
    assert f"is wrong in findings[2]: {key} is " in str(refused.value)


@pytest.mark.parametrize("part", ["targets", "findings"])
def test_every_value_is_checked(part):
    first = DOCUMENTS["full"]
    for key in first[part][0]:
        missing = copy.deepcopy(json.loads(json.dumps(first)))
        del missing[part][0][key]
        content = json.dumps(missing).encode()
        with pytest.raises(WrongOption, match=rf"{part}\[0\]: {key} is missing"):
            saved_of(content, "f.json", NOW)
        with pytest.raises(
            WrongOption, match=rf"{part}\[0\][:.] ?{key}(?: is |: 'a' is an unknown key|: file is missing)"
        ):
            saved_of(spoilt([part, 0, key], {"a": 1}), "f.json", NOW)
