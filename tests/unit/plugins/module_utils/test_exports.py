# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The exports of the gate: valid files, the failing set in each, incomplete runs, hostile text."""

from __future__ import annotations

import csv
import io
import json
import re
from xml.etree import ElementTree

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._errors import WrongOption
from ansible_collections.scanops.scanner.plugins.module_utils._exports import csv as table
from ansible_collections.scanops.scanner.plugins.module_utils._exports import junit, sarif
from ansible_collections.scanops.scanner.plugins.module_utils._exports.document import Choices, read_document
from ansible_collections.scanops.scanner.plugins.module_utils._exports.formats import write
from ansible_collections.scanops.scanner.plugins.module_utils._exports.markdown import MOST_LINES, markdown
from ansible_collections.scanops.scanner.plugins.module_utils._exports.text import block, cell, code, fenced, line
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.export_readers import (
    ALL,
    CHOICES,
    CHOSEN,
    check,
    failing_in,
    results_of,
    table_of,
    written,
)
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_documents import (
    HOSTILE,
    broken,
    document,
    mixed,
    pair,
    row,
    unreachable,
    waived,
)
from hypothesis import given, settings
from hypothesis import strategies as st


def gitlab(of, **choices):
    return json.loads(written("gitlab", of, **choices)[0])


def defectdojo(of, **choices):
    return json.loads(written("defectdojo", of, **choices)[0])


# --- valid


@pytest.mark.parametrize(("name", "choices"), CHOSEN)
@pytest.mark.parametrize("make", [mixed, broken, unreachable, lambda: document([])])
def test_exports_fit_their_schemas(make, name, choices):
    (text,) = written(name, make(), **choices)
    check(name, text)


def test_json_is_the_document_itself():
    (text,) = written("json", mixed())
    assert json.loads(text) == read_document(text) == read_document(mixed()) == mixed()
    # a line for each finding
    assert text.count("\n") == len(mixed()["findings"]) + 2


# --- the failing set


ROWS = st.builds(
    row,
    number=st.integers(1, 5),
    index=st.integers(1, 3),
    state=st.sampled_from(["failing", "waived", "known", "below"]),
    change=st.sampled_from(["new", "known", "reopened", "worse", None]),
    severity=st.sampled_from(["critical", "high", "medium", "low", "info", "unknown"]),
    check=st.sampled_from(["TLS-7", None]),
    name=st.sampled_from(list(HOSTILE.values())),
)


@pytest.mark.parametrize(("name", "choices"), CHOSEN)
@given(rows=st.lists(ROWS, max_size=6, unique_by=lambda each: (each["fingerprint"], each["index"])))
@settings(max_examples=25, deadline=None)
def test_the_failing_set_is_the_same_in_each_export(name, choices, rows):
    of = document(rows)
    (text,) = written(name, of, **choices)
    assert failing_in(name, text, of) == {
        (each["fingerprint"], each["index"]) for each in rows if each["state"] == "failing"
    }


def test_markdown_has_the_count_and_the_worst_of_each_state():
    text = markdown(mixed())
    assert "| failing | 4 | unknown |" in text
    assert "| waived | 2 | high |" in text
    assert "| known | 1 | medium |" in text
    assert "| below | 3 | low |" in text


@pytest.mark.parametrize("name", ["gitlab", "defectdojo"])
def test_what_fails_or_is_new_is_listed_and_everything_on_request(name):
    key = {"gitlab": "vulnerabilities", "defectdojo": "findings"}[name]
    (text,) = written(name, mixed())
    # 5 is new but waived, 7 is new, 8 is reopened
    wanted = [1, 2, 2, 3, 7, 8]
    assert [int(number, 16) for number in re.findall(r'"(?:id|unique_id_from_tool)":"1:(\w+)#', text)] == wanted
    (text,) = written(name, mixed(), every=True)
    assert len(json.loads(text)[key]) == len(mixed()["findings"])


# --- incomplete runs


@pytest.mark.parametrize("make", [broken, unreachable])
@pytest.mark.parametrize("name", ALL)
def test_an_incomplete_run_says_why(name, make):
    # test_gate_exports checks where each format says so
    of = make()
    sentence = of["targets"][1]["reasons"][0] if of["targets"] else of["reasons"][0]
    (text,) = written(name, of)
    assert sentence in text
    if name == "junit":
        (error,) = ElementTree.fromstring(text.encode()).iter("error")
        assert sentence in error.get("message") and sentence in error.text


def test_junit_counts_what_it_has():
    top = ElementTree.fromstring(junit.junit(mixed()).encode())
    assert (top.get("failures"), top.get("errors")) == ("4", "0")
    assert len(list(top.iter("skipped"))) == 2
    # a target without findings
    assert next(suite.get("tests") for suite in top if suite.get("name") == "www.example.com / web") == "1"
    for suite in top:
        for element, count in (("testcase", "tests"), ("failure", "failures"), ("skipped", "skipped")):
            assert len(list(suite.iter(element))) == int(suite.get(count))


def test_many_problems_are_cut():
    pairs = [pair(f"host{number}.example", outcome="scan_failed", reasons=["It failed."]) for number in range(300)]
    of = document([], pairs, outcome="scan_failed", verdict="fail")
    messages = gitlab(of)["scan"]["messages"]
    assert len(messages) == 101
    assert messages[-1]["value"] == "200 more problems are in gate.json."


# --- SARIF


def test_each_result_is_at_the_line_that_declares_its_target():
    places = {"https://shop.example.com": ("estate/web shop.yml", 12)}
    of = document([row(1, target="https://shop.example.com:443/"), row(2, target="other.example")])
    (text,) = written("sarif", of, locations=places)
    located = [each["locations"][0]["physicalLocation"] for each in results_of(text)]
    assert [(each["artifactLocation"]["uri"], each["region"]["startLine"]) for each in located] == [
        ("estate/web%20shop.yml", 12),
        ("estate.yml", 1),
    ]


def test_findings_without_a_file_are_refused():
    of = document([row(1), row(2, target="b.example"), waived(3, target="c.example")])
    with pytest.raises(WrongOption, match=r"target 'b.example' and 1 other target, .*estate_files"):
        sarif.sarif(of, Choices())
    # a waived finding is not in the profile github
    assert sarif.sarif(document([waived(3)]), Choices())
    with pytest.raises(WrongOption, match=r"c\.example"):
        sarif.sarif(document([waived(3, target="c.example")]), Choices("full"))


@pytest.mark.parametrize("path", ["https://shop.example.com/", "http:x", "file:///etc/passwd"])
def test_an_address_is_no_file(path):
    for choices in (Choices(fallback=path), Choices(locations={"https://shop.example.com": (path, 1)})):
        with pytest.raises(WrongOption, match="is an address"):
            sarif.sarif(document([row(1)]), choices)


def test_an_unknown_profile_is_refused():
    with pytest.raises(WrongOption, match="sarif_profile is 'hub': choose one of github, gitlab, full"):
        sarif.sarif(document([]), Choices("hub"))


@pytest.mark.parametrize(("profile", "number"), [("github", 8), ("gitlab", 10), ("full", 10)])
def test_waived_results_are_left_out_or_suppressed(profile, number):
    (text,) = written("sarif", mixed(), sarif_profile=profile)
    results = results_of(text)
    suppressed = [each for each in results if "suppressions" in each]
    assert len(results) == number
    assert [each["properties"]["state"] for each in suppressed] == ["waived"] * (number - 8)
    for each in suppressed:
        (suppression,) = each["suppressions"]
        assert suppression["status"] == "accepted"
        assert "Replaced in June (team-web, until 2027-06-30; waivers.yml:7)" in suppression["justification"]


def test_partial_fingerprints_depend_on_the_fingerprint_alone():
    def prints(**changes):
        of = document([row(1, **changes), row(1, index=2, **changes)], generated="2027-01-01T00:00:00Z")
        return [each["partialFingerprints"] for each in results_of(written("sarif", of)[0])]

    assert prints() == prints(name="Other", severity="low", id=99, description="", state="below", port=None)
    assert prints()[0] != prints()[1]
    assert prints()[0]["primaryLocationLineHash"] == f"{1:032x}:1"


def test_a_rule_has_the_worst_severity_of_its_results_and_at_most_20_tags():
    many = [f"CVE-2024-{number}" for number in range(1000, 1100)]
    of = document([row(1, severity="low", cve=many), row(2, severity="critical"), row(3, severity="info", check="X")])
    rules = json.loads(written("sarif", of)[0])["runs"][0]["tool"]["driver"]["rules"]
    assert [(rule["id"], rule["properties"].get("security-severity")) for rule in rules] == [
        ("TLS-7", "9.5"),
        ("X", None),
    ]
    assert len(rules[0]["properties"]["tags"]) == 20
    assert rules[0]["properties"]["tags"][:2] == ["security", "external/cwe/cwe-326"]


def test_an_unknown_severity_is_as_bad_as_the_worst():
    of = document([row(1, severity=severity, check=severity) for severity in ("unknown", "medium", "info")])
    assert [each["level"] for each in results_of(written("sarif", of)[0])] == ["error", "warning", "note"]
    assert [each["severity"] for each in defectdojo(of)["findings"]] == ["Critical", "Medium", "Info"]


def test_more_results_than_github_keeps_are_split_loudly(monkeypatch):
    monkeypatch.setattr(sarif, "MOST_RESULTS", 3)
    exported = write("sarif", document([row(number) for number in range(7)]), CHOICES)
    assert [artefact.name for artefact in exported.artefacts] == ["gate-1.sarif", "gate-2.sarif", "gate-3.sarif"]
    runs = [json.loads(artefact.text)["runs"][0] for artefact in exported.artefacts]
    assert [len(run["results"]) for run in runs] == [3, 3, 1]
    assert [run["automationDetails"]["id"] for run in runs] == [
        f"scanops.scanner/Web%20shop/{number}/" for number in (1, 2, 3)
    ]
    assert all(len(run["tool"]["driver"]["rules"]) == 1 for run in runs)
    (warning,) = exported.warnings
    assert "3 files" in warning and "upload all of them" in warning
    # only GitHub has this limit
    assert len(written("sarif", document([row(number) for number in range(7)]), sarif_profile="full")) == 1


def test_a_file_for_github_is_smaller_than_it_accepts(monkeypatch):
    # no text grows by compression, so the plain size is enough
    monkeypatch.setattr(sarif, "MOST_BYTES", 300_000)
    assert sarif.MOST_RESULTS == 5000
    rows = [row(number, check=f"C{number}", evidence="é" * 3000, description="é" * 3000) for number in range(60)]
    texts = written("sarif", document(rows))
    assert len(texts) > 2
    assert all(len(text.encode()) < 300_000 for text in texts)
    assert sum(len(results_of(text)) for text in texts) == 60


def test_a_category_tells_analyses_apart():
    (text,) = written("sarif", document([row(1)]), category="nightly")
    assert json.loads(text)["runs"][0]["automationDetails"]["id"] == "nightly/"


# --- GitLab and DefectDojo


def test_the_first_identifier_is_the_check_of_the_service():
    found = [each["identifiers"][0]["value"] for each in gitlab(mixed())["vulnerabilities"]]
    assert found[1:4] == ["SQL-1", "SQL-1", "TLS-7"]
    # without a check and a CVE
    assert re.fullmatch(r"name-\w{16}", found[0])
    renumbered = document([row(99, check=None, cve=[], severity="low")])
    assert gitlab(renumbered)["vulnerabilities"][0]["identifiers"][0]["value"] == found[0]


def test_gitlab_can_tell_all_findings_apart():
    # by the first identifier, path, method and parameter
    of = document([row(1), row(2, target="b.example"), row(3, port=8443), row(1, index=2), row(4, parameter="x")])
    found = gitlab(of)["vulnerabilities"]
    assert len({json.dumps([each["identifiers"][0], each["location"]]) for each in found}) == 5


def test_a_finding_with_several_places_is_another_one_if_it_has_others():
    ones = [
        {"fingerprint": f"1:{number:032x}", "path": f"/{number}", "method": None, "parameter": None}
        for number in range(3)
    ]
    rows = [row(1, path=None, places=ones[:2]), row(2, path=None, places=ones)]
    locations = [each["location"]["param"] for each in gitlab(document(rows))["vulnerabilities"]]
    assert len(set(locations)) == 2
    assert locations[0].startswith("q at 2 places (1:00000000000000000000000000000001) at https://shop.example.com")
    assert "port 443/tcp, parameter q, 3 places" in markdown(document(rows))


def test_a_false_positive_is_flagged_for_gitlab_and_defectdojo():
    flagged = [each["id"] for each in gitlab(mixed(), every=True)["vulnerabilities"] if "flags" in each]
    assert flagged == [f"1:{5:032x}#1"]
    findings = {each["unique_id_from_tool"]: each for each in defectdojo(mixed(), every=True)["findings"]}
    assert len(findings) == 10
    four, five, six = (findings[f"1:{number:032x}#1"] for number in (4, 5, 6))
    assert [(each["active"], each["risk_accepted"], each["false_p"]) for each in (four, five, six)] == [
        (False, True, False),
        (False, False, True),
        (True, False, False),
    ]


@pytest.mark.parametrize(
    ("changes", "endpoint"),
    [
        ({}, ["https://shop.example.com:443/login"]),
        ({"target": "b.example", "port": None, "path": None}, ["b.example"]),
        ({"target": "b.example", "port": 22, "path": "/a b"}, ["b.example:22"]),
        ({"target": "not a host"}, None),
        ({"target": "https://a@b@c"}, None),
    ],
)
def test_an_endpoint_is_one_that_defectdojo_can_read(changes, endpoint):
    (finding,) = defectdojo(document([row(1, **changes)]))["findings"]
    assert finding.get("endpoints") == endpoint


# --- Markdown


def huge():
    rows = [row(number, name="n" * 400) for number in range(100)]
    rows += [row(number, state="below", change="new") for number in range(100, 200)]
    pairs = [pair(f"h{number}.example", outcome="incomplete", reasons=["a", "b"]) for number in range(50)]
    expired = [{**waived(1)["waiver"], "reason": "r\n" * 100}] * 40
    return document(
        rows, pairs, outcome="incomplete", verdict="fail", reasons=["x\ny" * 300] * 30,
        waivers={"expired": expired, "unused": [], "doubled": []},
    )  # fmt: skip


def test_markdown_has_at_most_60_lines():
    text = markdown(huge())
    assert MOST_LINES == 60
    assert text.count("\n") <= MOST_LINES
    # all sections are in it
    assert len(re.findall(r"^###? ", text, re.MULTILINE)) == 6
    assert re.search(r"^And \d+ more findings\.$", text, re.MULTILINE) and "And 36 more expired waivers." in text


def test_markdown_says_first_why_a_run_is_red():
    lines = markdown(mixed()).split("\n")
    assert lines[0] == "## Gate failed: 4 failing findings"
    assert lines[2] == "- `4 findings fail.`"
    assert markdown(document([])).partition("\n")[0] == "## Gate passed"
    assert markdown(document([row(1)], verdict="warn")).startswith("## Gate passed with a warning: 1 failing finding")


def test_markdown_says_what_to_fix_first_and_how():
    rows = [
        row(
            1,
            name="Old shell",
            severity="high",
            known_exploited=True,
            recommendation="Update | bash.",
            cve=["CVE-2014-6271"],
        ),
        row(2, name="Open database", severity="critical", check="DB", recommendation=""),
        row(3, name="Banner", severity="low", state="below", check="B"),
        *(row(number, name=f"Other {number}", severity="high", check=str(number)) for number in range(4, 9)),
    ]
    text = markdown(document(rows))
    section = text.split("### Fix first\n\n")[1].split("\n\n")[0].splitlines()
    assert len(section) == 3
    assert section[0] == "- critical: `Open database` (`CVE-2024-1000`): no advice"
    assert "- high: `Old shell` (`CVE-2014-6271`): <code>Update &#124; bash&#46;</code>" in section
    assert "### Fix first" not in markdown(document([row(3, state="below")]))


def test_markdown_names_new_findings_and_expired_waivers():
    of = document(
        [row(1), row(2, state="below", name="Fresh")],
        waivers={"expired": [waived(1)["waiver"]], "unused": [], "doubled": []},
    )
    text = markdown(of)
    assert "### New, but not failing" in text and "`Fresh`" in text
    assert "| `2027-06-30` | `team-web` | `Replaced in June` | `waivers.yml:7` |" in text


# --- hostile text

FIELDS = (
    "name", "check", "cwe", "status", "target", "workspace", "tool", "protocol", "service", "path", "method", "parameter",
    "description", "risk", "recommendation", "evidence",
)  # fmt: skip


def hostile(text):
    """A document with this text wherever the service or the user writes one."""
    wrong = dict.fromkeys(FIELDS, text)
    waiver = {**waived(1)["waiver"], "reason": text, "owner": text, "file": text}
    rows = [
        row(1, **wrong, cve=[text], references=[text], reasons=[text]),
        waived(2, **wrong, cve=[text], waiver=waiver),
        row(3, state="below", **wrong, reasons=[]),
    ]
    broken_pair = pair(text, text, outcome="incomplete", verdict="fail", reasons=[text], status=text)
    return document(
        rows, [pair(text), broken_pair], outcome="incomplete", verdict="fail", reasons=[text], workspace=text,
        waivers={"expired": [waiver], "unused": [], "doubled": []},
    )  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("name", ALL)
def test_hostile_text_stays_text(name, text):
    (exported,) = written(name, hostile(text), every=True, sarif_profile="full")
    exported.encode("utf-8")
    if name != "json":
        # texts of findings are cut before they get into gate.json
        check(name, exported)
    # nothing that a terminal or an editor obeys
    assert all(character.isprintable() or character in "\n\t\r" for character in exported)
    # gate.json alone has everything
    assert name == "json" or len(exported) < 500_000
    if name == "junit":
        top = ElementTree.fromstring(exported.encode())
        assert len(list(top.iter("failure"))) == len(list(top.iter("error"))) == len(list(top.iter("skipped"))) == 1
    elif name == "csv":
        cells = [each for record in csv.reader(io.StringIO(exported, newline="")) for each in record]
        assert len(cells) == 5 * len(table.COLUMNS)
        assert not [each for each in cells if each.lstrip(" ").startswith(tuple("=+-@|%\t\r\n＝＋－＠"))]
    elif name == "markdown":
        assert exported.count("\n") <= MOST_LINES
    elif name == "html":
        assert len(table_of(exported)) == 3
    else:
        parsed = json.loads(exported)
        if name != "json":
            refused = set("\x00\x07\x1b\x85\u2028\u202e\u2066\ud800\ufffe\uffff\r")
            assert not [each for each in strings(parsed) if refused & set(each)]
        if name == "sarif":
            assert not re.search(r"(?<!\\)\]\(", str([each["message"] for each in results_of(exported)]))


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from strings(key)
            yield from strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from strings(each)


def test_no_cell_is_a_formula_whatever_its_column():
    of = document([row(1, state="=1", change="=1", severity="=1", fingerprint="=1", first_seen="=1")])
    assert table.table(of).count('"\'=1"') == 5


def test_markdown_in_descriptions_is_code():
    text = HOSTILE["markdown"]
    (finding,) = defectdojo(document([row(1, description=text)]))["findings"]
    assert f"`````\n{text}\n`````" in finding["description"]
    (finding,) = gitlab(document([row(1, description=text, recommendation=text)]))["vulnerabilities"]
    assert finding["solution"] == f"`````\n{text}\n`````"


@given(st.text())
@settings(max_examples=200)
def test_text_is_safe_and_nothing_visible_is_lost(text):
    for shown in (line(text), block(text)):
        assert all(character.isprintable() or character in "\n\t" for character in shown)
        shown.encode("utf-8")
    assert "\n" not in line(text)
    if text.isprintable() and len(text) <= 500:
        assert line(text) == block(text) == text
    assert "\n" not in code(text)
    assert not cell(block(text)).lstrip(" ").startswith(("=", "+", "-", "@", "|", "%", "\t", "\n"))
    inner = fenced(block(text))
    if inner:
        fence = inner.split("\n")[0]
        assert fence not in inner[len(fence) : -len(fence)]


def test_long_text_says_how_much_is_missing():
    assert block("a" * 4210) == "a" * 4200 + " … (10 more characters)"
    assert line("a" * 501) == "a" * 497 + "..."
    assert len(line("\x1b" * 501)) == 500


# --- the input

# of findings, which formats write as they are
WORDS = ("severity", "state", "change")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "is not a dictionary but NoneType"),
        ([], "is not a dictionary but list"),
        ("# Gate", "a text that is not JSON"),
        ("[1]", "is not a dictionary but list"),
        ("[" * 100_000, "a text that is not JSON"),
        ({"schema": "other"}, "has the schema 'other'"),
        ({"schema": "scanops.scanner/gate", "version": 2}, "version 2 of gate.json"),
        ({"changed": False}, "no valid key outcome"),
        ({**document([]), "findings": None}, "no valid key findings"),
        ({**document([row(1), row(2, state="below")]), "findings": [row(1)]}, "has 1 of 2 findings"),
        *((document([row(1, **{key: HOSTILE["markdown"]})]), "a finding without a known severity") for key in WORDS),
        ({**document([]), "findings": [7]}, "a finding without a known severity"),
    ],
)
def test_anything_else_is_refused_with_a_sentence(value, message):
    with pytest.raises(WrongOption, match=re.escape(message)) as raised:
        read_document(value)
    assert re.search(r": (give|use|remove) [^.]+gate\.json\.$|: use the collection that wrote it\.$", str(raised.value))
