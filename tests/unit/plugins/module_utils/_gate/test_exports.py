# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The exports of the gate: valid files, the failing set in each, incomplete runs, hostile text."""

from __future__ import annotations

import base64
import csv
import hashlib
import html
import io
import json
import re
import zlib
from urllib.parse import quote, quote_plus, unquote, unquote_plus
from xml.etree import ElementTree

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats import csv as table
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats import junit, sarif
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.document import (
    Choices,
    published,
    read_document,
)
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.markdown import (
    MOST_LINES,
    comment,
    markdown,
)
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.registry import outdated, write
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.sarif import locations_of
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption
from ansible_collections.scanops.scanner.plugins.module_utils._model.safe_text import (
    block,
    cell,
    code,
    fenced,
    is_text,
    line,
)
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils._gate.export_readers import (
    ALL,
    CHOICES,
    CHOSEN,
    CLOSING,
    LISTING,
    DefectDojo,
    check,
    defectdojo_hash,
    events_of,
    failing_in,
    results_of,
    table_of,
    written,
)
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_documents import (
    HOSTILE,
    VALUES,
    WAIVER,
    broken,
    document,
    mixed,
    pair,
    row,
    unreachable,
    waived,
)
from hypothesis import given
from hypothesis import strategies as st


def gitlab(of, **choices):
    return json.loads(written("gitlab", of, **choices)[0])


def defectdojo(of, **choices):
    return json.loads(written("defectdojo", of, **choices)[0])


# --- valid


@pytest.mark.parametrize(("name", "choices"), CHOSEN)
@pytest.mark.parametrize("make", [mixed, broken, unreachable, lambda: document([])])
def test_exports_fit_their_schemas(make, name, choices):
    texts = written(name, make(), **choices)
    assert len(texts) == (0 if name in CLOSING and make in (broken, unreachable) else 1)
    for text in texts:
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
def test_the_failing_set_is_the_same_in_each_export(name, choices, rows):
    of = document(rows)
    (text,) = written(name, of, **choices)
    assert failing_in(name, text, of) == {
        (each["fingerprint"], each["index"]) for each in rows if each["state"] == "failing"
    }


@pytest.mark.parametrize("name", LISTING)
def test_everything_is_listed_and_what_fails_or_is_new_on_request(name):
    key = {"gitlab": "vulnerabilities", "defectdojo": "findings"}[name]
    (text,) = written(name, mixed(), every=False)
    # 5 is new but waived, 7 is new, 8 is reopened
    wanted = [1, 2, 2, 3, 7, 8]
    assert [int(number, 16) for number in re.findall(r'"(?:id|unique_id_from_tool)":"1:(\w+)#', text)] == wanted
    (text,) = written(name, mixed())
    assert len(json.loads(text)[key]) == len(mixed()["findings"])


# --- incomplete runs


@pytest.mark.parametrize(
    ("of", "why"),
    [
        (broken(), "the run is not complete"),
        (unreachable(), "the run is not complete"),
        # one of its scans failed, and a policy lets the run pass
        (
            document([row(1)], [pair(), pair("b.example", outcome="scan_failed", verdict="warn")]),
            "the run is not complete",
        ),
        (document([row(1)], coverage="unknown"), "it is unknown whether everything was scanned"),
    ],
)
@pytest.mark.parametrize(("name", "program"), [("gitlab", "GitLab"), ("defectdojo", "DefectDojo"), ("sarif", "GitHub")])
def test_no_file_closes_what_a_run_may_not_have_seen(name, program, of, why):
    exported = write(name, of, CHOICES)
    assert exported.artefacts == []
    (warning,) = exported.warnings
    assert f"was not written, because {why}, and {program} closes" in warning


@pytest.mark.parametrize("make", [broken, unreachable])
@pytest.mark.parametrize("name", [each for each in ALL if each not in CLOSING])
def test_an_incomplete_run_says_why(name, make):
    # test_gate_exports checks where each format says so
    of = make()
    sentence = of["targets"][1]["reasons"][0] if of["targets"] else of["reasons"][0]
    (text,) = written(name, of)
    # reasons may name findings, which an attestation does not
    of_attestation = f'"outcome": "{of["outcome"]}"'
    wanted = of_attestation if name == "attestation" else sentence
    assert wanted in (events_of(text)[0]["DESCRIPTION"] if name == "calendar" else text)
    if name == "junit":
        (error,) = ElementTree.fromstring(text.encode()).iter("error")
        assert sentence in error.get("message") and sentence in error.text


def test_many_problems_are_counted():
    pairs = [pair(f"host{number}.example", outcome="scan_failed", reasons=["It failed."]) for number in range(300)]
    text = markdown(document([], pairs, outcome="scan_failed", verdict="fail"))
    assert "- and 297 more problems" in text


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


def prints(*rows, **choices):
    return [each["partialFingerprints"] for each in results_of(written("sarif", document(list(rows)), **choices)[0])]


@pytest.mark.parametrize("profile", ["github", "gitlab", "full"])
def test_github_recognises_an_alert_by_its_fingerprint_alone(profile):
    def keys(*rows, **choices):
        return [each["primaryLocationLineHash"] for each in prints(*rows, sarif_profile=profile, **choices)]

    assert keys(row(1)) == [f"{1:032x}:1"]
    # whatever else has its check at its line
    assert keys(row(1), row(2, target="b.example")) == [*keys(row(1)), *keys(row(2, target="b.example"))]
    # whatever the line, and the text near it
    lines = {"https://shop.example.com": ("estate.yml", 3)}
    assert keys(row(1), locations=lines) == keys(row(1))
    assert len(set(keys(row(1), row(1, index=2), row(2, port=8443), row(3, check="X")))) == 4


def test_partial_fingerprints_depend_on_the_fingerprint_alone():
    def both(**changes):
        return prints(row(1, **changes), row(1, index=2, **changes))

    assert both() == both(name="Other", severity="low", id=99, description="", state="below", port=None)
    assert both()[0] != both()[1]


def test_a_rule_has_the_worst_score_of_its_results_and_at_most_10_tags():
    many = [f"CVE-2024-{number}" for number in range(1000, 1100)]
    of = document(
        [
            row(1, severity="low", cve=["N/A", *many], cvss=None),
            row(2, severity="critical", cvss=9.1),
            row(3, severity="info", check="X", cvss=None),
            row(4, severity="high", check="Y", cvss=None),
            row(5, severity="unknown", check="Z", cvss=None),
        ]
    )
    rules = json.loads(written("sarif", of)[0])["runs"][0]["tool"]["driver"]["rules"]
    assert [(rule["id"], rule["properties"].get("security-severity")) for rule in rules] == [
        ("TLS-7", "9.1"),
        ("X", None),
        ("Y", "8.0"),
        ("Z", "9.5"),
    ]
    assert rules[0]["properties"]["tags"] == ["security", "external/cwe/cwe-326", *many[:8]]


def test_a_tag_and_an_identifier_are_listed_once():
    # upload-sarif refuses a file in which a rule has a tag twice
    of = document([row(1, cve=["CVE-2024-1000", "CVE-2024-1001", "CVE-2024-1000"])])
    (text,) = written("sarif", of)
    check("sarif", text)
    assert json.loads(text)["runs"][0]["tool"]["driver"]["rules"][0]["properties"]["tags"][2:] == [
        "CVE-2024-1000",
        "CVE-2024-1001",
    ]
    identifiers = [each["value"] for each in gitlab(of)["vulnerabilities"][0]["identifiers"]]
    assert len(set(identifiers)) == len(identifiers) == 4
    assert defectdojo(of)["findings"][0]["vulnerability_ids"] == ["CVE-2024-1000", "CVE-2024-1001"]


@pytest.mark.parametrize(
    ("reference", "link"),
    [
        ("https://example.com/a%20b?c=%2F#d", True),
        ("https://example.com/%zz", False),
        ("https://example.com/a%2", False),
        ("https://example.com/a#b#c", False),
        (f"https://example.com/{'a' * 1000}", False),
    ],
)
def test_a_help_uri_is_a_uri(reference, link):
    (rule,) = json.loads(written("sarif", document([row(1, references=[reference])]))[0])["runs"][0]["tool"]["driver"][
        "rules"
    ]
    assert rule.get("helpUri") == (reference if link else None)


# a check without an id: "nothing was found", and what the service gives several findings


@pytest.mark.cases("one, other")
def test_different_findings_without_a_check_are_not_one(one, other):
    rows = [row(1, name="Default credentials", **one), row(2, name="Directory listing", severity="low", **other)]
    (run,) = json.loads(written("sarif", document(rows))[0])["runs"]
    assert [rule["shortDescription"]["text"] for rule in run["tool"]["driver"]["rules"]] == [
        "Default credentials",
        "Directory listing",
    ]
    assert len({each["ruleId"] for each in run["results"]}) == 2
    found = gitlab(document(rows))["vulnerabilities"]
    assert len({each["identifiers"][0]["value"] for each in found}) == 2
    assert len({each["vuln_id_from_tool"] for each in defectdojo(document(rows))["findings"]}) == 2


def test_more_results_than_github_keeps_are_several_runs(monkeypatch):
    monkeypatch.setattr(sarif, "MOST_RESULTS", 3)
    of = document([row(number) for number in range(7)])
    exported = write("sarif", of, CHOICES)
    assert [artefact.name for artefact in exported.artefacts] == ["gate.sarif"] and not exported.warnings
    check("sarif", exported.artefacts[0].text)
    runs = json.loads(exported.artefacts[0].text)["runs"]
    assert [len(run["results"]) for run in runs] == [3, 3, 1]
    # that of the first run is the one of a small result
    category = "scanops.scanner/Web%20shop/"
    assert [run["automationDetails"]["id"] for run in runs] == [category, f"{category}2/", f"{category}3/"]
    assert [run for run in runs if len(run["tool"]["driver"]["rules"]) != 1] == []
    # only GitHub has this limit
    (full,) = written("sarif", of, sarif_profile="full")
    assert len(results_of(full)) == 7


def test_more_runs_than_github_accepts_are_several_files(monkeypatch):
    monkeypatch.setattr(sarif, "MOST_RESULTS", 1)
    exported = write("sarif", document([row(number) for number in range(45)]), CHOICES)
    assert [artefact.name for artefact in exported.artefacts] == ["gate.sarif", "gate-2.sarif", "gate-3.sarif"]
    runs = [json.loads(artefact.text)["runs"] for artefact in exported.artefacts]
    assert list(map(len, runs)) == [20, 20, 5]
    assert len({run["automationDetails"]["id"] for each in runs for run in each}) == 45
    (warning,) = exported.warnings
    assert (
        "has 3 files, because GitHub accepts at most 20 runs and 10 MB in one upload: upload each file in a step"
        in warning
    )


def test_5200_findings_are_one_file_for_github():
    rows = [row(number, check=f"C{number % 700}", evidence="GET /a?b=c " * 30) for number in range(5200)]
    (text,) = written("sarif", document(rows))
    assert [len(run["results"]) for run in json.loads(text)["runs"]] == [5000, 200]


def test_a_file_for_github_is_smaller_than_it_accepts(monkeypatch):
    monkeypatch.setattr(sarif, "MOST_BYTES", 100_000)
    noise = [hashlib.sha512(str(number).encode()).hexdigest() for number in range(3500)]
    rows = [
        row(number, check=f"C{number}", evidence="".join(noise[number * 7 : number * 7 + 7])) for number in range(500)
    ]
    texts = written("sarif", document(rows))
    assert len(texts) > 1
    assert [text for text in texts if len(zlib.compress(text.encode())) >= 100_000] == []
    runs = [run for text in texts for run in json.loads(text)["runs"]]
    assert sum(len(run["results"]) for run in runs) == 500
    # a rule counts with its real size, so a run is nearly full
    assert [run for run in runs[:-1] if len(json.dumps(run)) <= 80_000] == []


def test_the_files_of_an_earlier_run_are_known_by_their_names():
    exported = write("sarif", document([row(1)]), CHOICES)
    present = [
        "gate.sarif",
        "gate-2.sarif",
        "gate-13.sarif",
        "gate-x.sarif",
        "my-gate-2.sarif",
        "gate.json",
        "gate-2.json",
    ]
    assert outdated("sarif", exported, present) == ["gate-13.sarif", "gate-2.sarif"]
    assert outdated("json", write("json", document([]), CHOICES), present) == []
    assert outdated("gitlab", write("gitlab", broken(), CHOICES), ["gl-dast-report.json"]) == ["gl-dast-report.json"]


def test_a_category_tells_analyses_apart():
    (text,) = written("sarif", document([row(1)]), category="nightly")
    assert json.loads(text)["runs"][0]["automationDetails"]["id"] == "nightly/"


# --- GitLab and DefectDojo


def test_the_identifier_of_a_finding_without_a_check_stays():
    ones = (row(1, check=None, cve=[]), row(99, check=None, cve=[], severity="low"))
    first, renumbered = (gitlab(document([one]))["vulnerabilities"][0]["identifiers"][0]["value"] for one in ones)
    assert first == renumbered


def test_gitlab_can_tell_all_findings_apart():
    # by the first identifier, path, method and parameter
    rows = [
        row(1),
        row(2, target="b.example"),
        row(3, port=8443),
        row(1, index=2),
        row(4, parameter="x"),
        row(5, target="b.example", port=53),
        row(6, target="b.example", port=53, protocol="udp"),
        row(7, target="b.example", port=None, protocol="icmp"),
        # longer than a line of the report
        row(8, path=f"/{'a' * 600}/b"),
        row(9, path=f"/{'a' * 600}/c"),
    ]
    found = gitlab(document(rows))["vulnerabilities"]
    keys = [
        [each["identifiers"][0]["value"], *map(each["location"].get, ("path", "method", "param"))] for each in found
    ]
    assert len(set(map(tuple, keys))) == len(rows)
    assert [each["location"]["param"].partition(" (")[0] for each in found[5:7]] == [
        "q at b.example:53/tcp",
        "q at b.example:53/udp",
    ]


@pytest.mark.parametrize("text", ["\x00" * 4000, "\U000e0001" * 4000, "`" * 4000, "\u202e`" * 2000, "`\x07" * 9000])
def test_a_solution_fits_whatever_is_spelt_out(text):
    of = document([row(1, recommendation=text, description=text, evidence=text, name=text)])
    (exported,) = written("gitlab", of)
    check("gitlab", exported)
    assert len(json.loads(exported)["vulnerabilities"][0]["solution"]) <= 7000


@pytest.mark.parametrize("character", ["\xa0", "\u202f", "\u3000", "\u200c", "\u200d", "\u2060"])
def test_spaces_and_joiners_are_text(character):
    text = f"10{character}000 \U0001f468{character}\U0001f4bb"
    assert line(text) == block(text) == text and text in code(text)
    assert gitlab(document([row(1, name=text)]))["vulnerabilities"][0]["name"] == text


def test_a_finding_with_several_places_is_another_one_if_it_has_others():
    ones = [
        {"fingerprint": f"1:{number:032x}", "path": f"/{number}", "method": None, "parameter": None}
        for number in range(3)
    ]
    rows = [row(1, path=None, places=ones[:2]), row(2, path=None, places=ones)]
    locations = [each["location"]["param"] for each in gitlab(document(rows))["vulnerabilities"]]
    assert len(set(locations)) == 2
    assert locations[0] == f"q at 2 places at https://shop.example.com:443/tcp (1:{1:032x}#1)"
    assert "port 443/tcp, parameter q, 3 places" in markdown(document(rows[1:]))


STATUSES = ("accepted", "false_positive", "not_affected", "fixed_elsewhere")


def waived_as(status, number=1, **changes):
    return waived(number, waiver={**WAIVER, "status": status}, **changes)


def active_after(*documents, **options):
    """The fingerprints that DefectDojo shows as active after the exports of these runs, and how many findings it has."""
    dojo = DefectDojo(**options)
    for of in documents:
        for text in written("defectdojo", of):
            dojo.reimport(text)
    return {each[-3:] for each in dojo.active}, len(dojo.findings)


def test_defectdojo_closes_what_is_fixed_and_nothing_else():
    three = [row(1), row(2, change="known", state="known"), waived(3)]
    assert active_after(document(three)) == ({"1#1", "2#1"}, 3)
    assert active_after(document(three), document(three[1:])) == ({"2#1"}, 3)
    assert active_after(document(three), document([])) == (set(), 3)
    # what was closed because a file lacked it
    assert active_after(document(three), document([]), document(three)) == ({"1#1", "2#1"}, 3)
    # an incomplete run has no file
    assert active_after(document(three), broken()) == ({"1#1", "2#1"}, 3)


@pytest.mark.parametrize("close", [True, False])
@pytest.mark.parametrize("before", [[], [row(1)], [row(1), None]], ids=["new", "known", "fixed meanwhile"])
@pytest.mark.parametrize("status", STATUSES)
def test_a_waived_finding_stays_closed_in_defectdojo_until_its_waiver_ends(status, before, close):
    dojo = DefectDojo()

    def imported(*rows):
        (text,) = written("defectdojo", document(list(rows)))
        dojo.reimport(text, close_old_findings=close)
        return bool(dojo.active)

    for each in before:
        imported(*([each] if each else []))
    assert [imported(waived_as(status)) for _each in range(6)] == [False] * 6
    assert [imported(row(1)) for _each in range(3)] == [True] * 3
    # and is waived again
    assert [imported(waived_as(status)) for _each in range(3)] == [False] * 3
    assert len(dojo.findings) == 1


@given(st.lists(st.sampled_from([None, "open", *STATUSES]), max_size=8))
def test_defectdojo_shows_what_the_last_run_says_whatever_came_before(history):
    dojo = DefectDojo()
    for said in history:
        rows = [] if said is None else [row(1) if said == "open" else waived_as(said)]
        (text,) = written("defectdojo", document(rows))
        dojo.reimport(text)
        assert bool(dojo.active) is (said == "open")
    assert len(dojo.findings) <= 1


def flagged(**flags):
    given = {"title": "T", "severity": "High", "description": "D", "unique_id_from_tool": "1"}
    return json.dumps({"description": "", "findings": [{**given, **flags}]})


@pytest.mark.parametrize("flag", DefectDojo.FLAGS)
def test_a_status_of_defectdojo_itself_flaps_or_never_ends(flag):
    # why the file has none of them
    given, without = flagged(active=False, **{flag: True}), flagged(active=True)

    def active(*texts):
        dojo = DefectDojo()
        found = []
        for text in texts:
            dojo.reimport(text)
            found.append(bool(dojo.active))
        return found

    flapping = [False, True] * 3 if flag == "risk_accepted" else [False] * 6
    assert active(without, *[given] * 6) == [True, *flapping]
    assert active(given, without, without) == [False] * 3


def test_nothing_that_changes_is_where_defectdojo_never_changes_it():
    (before,), (after,) = (
        defectdojo(document([each]))["findings"] for each in (row(1), waived_as("accepted", change="worse"))
    )
    assert before["tags"] == after["tags"] == ["service:https"]
    differ = {key for key in before if before[key] != after.get(key)}
    assert differ == {"active", "is_mitigated", "severity_justification"}
    # a text of that day
    assert before["severity_justification"].startswith("```\nOn 2026-11-22: high, failing: severity is high")
    assert "On 2026-11-22: high, waived: accepted: Replaced" in after["severity_justification"]


def test_a_title_that_changes_is_the_same_finding_if_defectdojo_compares_ids():
    renamed = [row(1), row(1, name="Weak cipher (TLS 1.0)", cwe="CWE-327")]
    assert active_after(*(document([each]) for each in renamed)) == ({"1#1"}, 2)
    by_id = active_after(*(document([each]) for each in renamed), recognise=lambda found: found["unique_id_from_tool"])
    assert by_id == ({"1#1"}, 1)


def test_a_test_of_defectdojo_says_what_was_judged():
    pairs = [pair(), pair("b.example", "web"), pair("b.example")]
    said = defectdojo(document([row(1)], pairs))["description"]
    assert "All findings of 2 targets in the workspace Web shop with tls, web: b.example, https://shop" in said
    assert "that fail or are new, of 2 " in defectdojo(document([row(1)], pairs), every=False)["description"]
    many = defectdojo(document([], [pair(f"h{number}.example") for number in range(50)]))["description"]
    assert "of 50 targets" in many and "and 30 more." in many


def test_defectdojo_recognises_a_finding_whatever_changed_since():
    later = {
        "epss": 0.9, "epss_percentile": 0.99,
        "cvss": 9.8, "known_exploited": True, "verified": False, "severity": "critical", "evidence": "Other",
        "description": "Other", "risk": "Other", "recommendation": "Other", "references": [], "reasons": [], "state": "known",
        "change": "known", "id": 99, "scan_id": 99, "cve": [], "service": "http", "tool": "other", "age": 9, "status": "fixed",
    }  # fmt: skip
    (before,), (after,) = (defectdojo(document([row(1, **changes)]))["findings"] for changes in ({}, later))
    assert defectdojo_hash(before) == defectdojo_hash(after)
    assert "service" not in before
    scores = [before[key] for key in ("epss_score", "epss_percentile", "cvssv3_score", "known_exploited")]
    assert scores == [0.02, 0.8, 7.5, False]
    assert "service:https" in before["tags"]
    # all of what a fingerprint stands for
    others = [
        row(1),
        row(1, index=2),
        row(2, port=8443),
        row(3, path="/"),
        row(4, target="b.example"),
        row(5, check="X"),
    ]
    assert len({defectdojo_hash(each) for each in defectdojo(document(others))["findings"]}) == len(others)


@pytest.mark.cases("changes, hostname")
def test_only_what_speaks_http_has_an_address_of_http(changes, hostname):
    of = document([row(1, path=None, **changes)])
    assert gitlab(of)["vulnerabilities"][0]["location"]["hostname"] == hostname
    assert defectdojo(of)["findings"][0]["endpoints"] == [hostname]
    assert ("webRequest" in results_of(written("sarif", of)[0])[0]) is hostname.startswith("https:")


@pytest.mark.cases("target, port, hostname")
def test_a_host_name_for_gitlab_has_one_port(target, port, hostname):
    (found,) = gitlab(document([row(1, target=target, port=port)]))["vulnerabilities"]
    assert found["location"]["hostname"] == hostname


@pytest.mark.cases("changes, endpoint")
def test_an_endpoint_is_one_that_defectdojo_can_read(changes, endpoint):
    (finding,) = defectdojo(document([row(1, **changes)]))["findings"]
    assert finding.get("endpoints") == endpoint


@pytest.mark.parametrize("change", [None, "known", "new"])
@pytest.mark.parametrize("reason", ["severity is high, fail_on is high", "13 high findings, max is 5"])
def test_the_comment_has_the_rule_that_decides_a_failing_finding(change, reason):
    said = comment(document([row(1, change=change, reasons=[reason])]))
    assert f"(fails: `{reason}`)" in said


# --- passwords of targets


@pytest.mark.parametrize("login", ["scan:correct-horse", "scan:correct%2Dhorse", "a:pw", ":correct-horse", "x:a@b:c"])
@pytest.mark.parametrize("name", [*ALL, "comment"])
def test_the_password_of_a_target_is_in_no_file(name, login):
    target = f"https://{login}@b.example/x"
    sent = base64.b64encode(unquote(login).encode()).decode()
    told = f"GET {target} Authorization: Basic {sent}"
    rows = [
        row(
            1,
            target=target,
            **dict.fromkeys(("evidence", "description", "risk", "recommendation"), told),
            reasons=[told],
            references=[told],
        ),
        waived(2, target=target, waiver={**WAIVER, "reason": told}),
    ]
    of = document(
        rows, [pair(target, outcome="findings", reasons=[told])], reasons=[told], gone=[gone(1, target=target)]
    )
    texts = [comment(of)] if name == "comment" else written(name, of, sarif_profile="full")
    assert texts
    for text in texts:
        assert f"{login}@" not in text and sent not in text and unquote(login) not in unquote(text)
        assert "b.example/x" in text
        if len(login) > 10:
            assert "horse" not in text


PASSWORDS = {"p@ss/w\u00f6rd & 9!": ("p%40ss%2Fw%C3%B6rd%20%26%209!", "p%40ss%2fw\u00f6rd%20&%209%21")}
ENCODED = {
    "plain": str,
    "percent": quote,
    "all in percent": lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    "percent twice": lambda text: quote(quote(text, safe=""), safe=""),
    "form": quote_plus,
    "HTML": html.escape,
    "JSON": lambda text: json.dumps(text)[1:-1].replace("/", "\\/"),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
}


@pytest.mark.parametrize("form", ENCODED)
@pytest.mark.parametrize("name", [*ALL, "comment"])
def test_no_form_of_the_password_of_a_target_is_in_a_file(name, form):
    for password, spellings in PASSWORDS.items():
        encode = ENCODED[form]
        told = f"[{encode(password)}] sent to {encode(f'scan:{password}@b.example')}"
        for spelling in spellings:
            target = f"https://scan:{spelling}@b.example/x"
            of = document([row(1, target=target, evidence=told, description=told, risk=told)], [pair(target)])
            texts = [comment(of)] if name == "comment" else written(name, of, sarif_profile="full")
            for text in texts:
                assert encode(password) not in text
                # as the reader of the file sees it
                read = html.unescape(text.replace("\\\\", "\\").replace("\\/", "/"))
                assert "w\u00f6rd" not in unquote(unquote(unquote_plus(read)))


@pytest.mark.parametrize("name", [*ALL, "comment"])
def test_the_password_of_a_target_that_is_gone_is_in_no_file(name):
    target = "https://scan:correct-horse@b.example"
    of = document(
        [row(1)],
        gone=[gone(1, target=target, name="correct-horse was refused")],
        baseline={**document([])["baseline"], "state": "read"},
    )
    assert "horse" not in (comment(of) if name == "comment" else written(name, of)[0])


# words of gate.json, and what may be in a fingerprint or a time
@pytest.mark.parametrize(
    "password",
    ["critical", "findings", "complete", "reopened", "accepted", "00000000", "2026-11-", "false_positive", "scanops.scanner"],
)  # fmt: skip
@pytest.mark.parametrize("name", [*ALL, "comment"])
def test_a_password_that_is_a_word_of_the_gate_changes_no_file(name, password):
    def exported(login):
        target = f"https://scan:{login}@b.example"
        rows = [
            row(1, target=target, severity="critical", change="reopened"),
            waived(2, target=target, waiver={**WAIVER, "status": "false_positive"}),
        ]
        # a sentence is text, in which it is masked
        of = document(rows, [pair(target, outcome="findings")], reasons=["1 row fails."])
        return [comment(of)] if name == "comment" else written(name, of)

    texts = exported(password)
    assert texts == exported("correct-horse")
    for text in texts:
        check(name, text)
        assert name != "json" or read_document(text)


@pytest.mark.parametrize("name", [each for each in ALL if each != "json"])
def test_the_user_of_a_reference_is_in_no_file_for_others(name):
    # as another program may have written it into a gate.json
    (text,) = written(name, document([row(1, references=["https://user:hunter2@example.com/3des"])]))
    assert "hunter2" not in text and "user:" not in text


@pytest.mark.parametrize("key", ["gone", "unseen"])
@pytest.mark.parametrize("name", ["comment", "markdown", "html"])
def test_the_password_of_a_target_that_was_not_scanned_is_in_no_file(name, key):
    reason = {"reason": "not seen by this scan (light): fewer tests"} if key == "unseen" else {}
    missing = {**gone(1, target="https://scan:correct-horse@b.example/x"), **reason}
    of = document([], **{key: [missing]})
    (text,) = [comment(of)] if name == "comment" else written(name, of)
    assert "b.example/x" in text and "horse" not in text


def test_a_target_with_a_password_is_at_its_line_of_an_estate_file():
    target = "https://scan:correct-horse@b.example/x"
    places = locations_of([("estate.yml", f"targets:\n  - {target}\n")])
    (text,) = written("sarif", document([row(1, target=target)]), locations=places, fallback=None)
    assert results_of(text)[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "estate.yml"


def test_a_document_without_a_password_is_not_copied():
    of = document([row(1, target="https://user@b.example"), row(2, target="shop@example.com")])
    assert published(of) is of


# --- Markdown


def huge():
    rows = [row(number, name="n" * 400, check=str(number)) for number in range(100)]
    rows += [row(number, state="below", change="new", check=str(number)) for number in range(100, 200)]
    rows += [waived(number, waiver={**WAIVER, "line": number}) for number in range(200, 230)]
    pairs = [pair(f"h{number}.example", outcome="incomplete", reasons=["a", "b"]) for number in range(50)]
    expired = [{**WAIVER, "reason": "r\n" * 100}] * 40
    return document(
        rows, pairs, outcome="incomplete", verdict="fail", reasons=["x\ny" * 300] * 30,
        waivers={"expired": expired, "unused": [], "doubled": [], "ending": []},
    )  # fmt: skip


def test_markdown_has_at_most_70_lines():
    text = markdown(huge())
    assert MOST_LINES == 70
    assert text.count("\n") <= MOST_LINES
    # all sections are in it
    assert len(re.findall(r"^###? ", text, re.MULTILINE)) == 7 and "And 27 more waived findings." in text
    green = {**huge(), "findings": [each for each in huge()["findings"] if each["state"] != "failing"]}
    assert markdown(green).count("\n") <= MOST_LINES and "### Waived" in markdown(green)
    assert re.search(r"^And \d+ more findings\.$", text, re.MULTILINE) and "And 37 more expired waivers." in text


def test_markdown_counts_each_finding_once():
    rows = [
        row(1, change="known"),
        row(2, change="known"),
        row(3, state="known", change="known"),
        row(4, state="below"),
    ]
    of = document(rows)
    # as the gate counts: known is a change
    of["counts"]["known"] = 3
    numbers = re.findall(r"^\| (\w+) \| (\d+) \|", markdown(of), re.MULTILINE)
    assert numbers == [("failing", "2"), ("waived", "0"), ("known", "1"), ("below", "1")]


def test_markdown_shows_kinds_of_findings_and_counts_them():
    targets = [f"h{number}.example" for number in range(50)]
    rows = [row(number, target=target) for number, target in enumerate(targets)]
    rows += [row(100 + number, target=target, name="Old shell", check="X") for number, target in enumerate(targets)]
    pairs = [pair(target, tool) for target in targets for tool in ("tls", "web")]
    text = markdown(document(rows, pairs, outcome="findings"))
    where = "`h0.example, port 443/tcp, GET /login, parameter q`"
    for name in ("Weak cipher", "Old shell"):
        assert f"| high | `{name}` | {where} and 49 more, 50 targets | new | failing |" in text
        assert f"- high: `{name}` (`CVE-2024-1000`), 50 findings on 50 targets, first {where}: `Disable it.`" in text
    assert "more finding" not in text
    assert "50 targets judged with 2 tools" in text


@pytest.mark.parametrize("write_text", [markdown, comment])
@pytest.mark.parametrize("others", [[], [row(9, name="Other")]], ids=["green", "red"])
def test_what_is_waived_is_named_with_the_rule_and_the_waiver_that_decides(write_text, others):
    rule = ["severity is critical, fail_on is high"]
    rows = [
        waived(1, reasons=rule, change="known", severity="critical"),
        waived(2, target="b.example", reasons=rule, change="known", severity="critical"),
        waived(3, name="SQL injection", change="new", reasons=rule, severity="critical"),
    ]
    of = since_baseline([*others, *rows])
    text = write_text(of)
    assert text.startswith("## Gate failed: 1 failing finding\n" if others else "## Gate passed: 3 waived findings\n")
    first, second = text.split("### Waived\n\n")[1].splitlines()[2:4]
    waiver = "`accepted: Replaced in June (team-web, until 2027-06-30; waivers.yml:7)`"
    where = "`https://shop.example.com, port 443/tcp, GET /login, parameter q`"
    assert first == f"| critical | `SQL injection` | {where} | new | `{rule[0]}` | {waiver} |"
    assert second == f"| critical | `Weak cipher` | {where} and 1 more, 2 targets | known | `{rule[0]}` | {waiver} |"
    # nowhere as if nothing had decided about it
    assert "SQL injection" not in text.replace(first, "")
    assert "waived | 3 |" in text or "3 waived" in text


def test_a_long_reason_hides_neither_the_owner_nor_the_end_of_a_waiver():
    waiver = {**WAIVER, "reason": "r" * 4000, "owner": "o" * 4000, "file": "f" * 4000}
    for text in (markdown(document([waived(1, waiver=waiver)])), comment(document([waived(1, waiver=waiver)]))):
        assert "ooo" in text and "until 2027-06-30" in text and ":7)" in text


@pytest.mark.parametrize("write_text", [markdown, comment])
def test_a_new_finding_says_its_state_and_the_rule_that_decides(write_text):
    known = ["severity is high, fail_on is high", "it is in the baseline, only_new is true"]
    rows = [
        row(1, name="Below", state="below", reasons=[], severity="low"),
        row(2, name="Excluded", state="below", reasons=["policy.exclude[0] matches"]),
        row(3, name="Known", state="known", change="worse", reasons=known),
    ]
    text = write_text(since_baseline(rows))
    assert "| new | below | `no rule of the policy counts it` |" in text
    assert "| new | below | `policy.exclude[0] matches` |" in text
    assert f"| worse | known | `{'; '.join(known)}` |" in text


BELOW_MEANS = "**below** means that the policy does not count the finding, mostly because its severity is lower."


@pytest.mark.parametrize("write_text", [markdown, comment, lambda of: written("html", of)[0]], ids=range(3))
def test_below_is_explained_where_it_is_printed(write_text):
    of = since_baseline([row(1, name="Below", state="below", reasons=[], severity="low")])
    shown = write_text(of).replace("<strong>below</strong>", "**below**")
    assert shown.count(BELOW_MEANS) == 1


@pytest.mark.parametrize("write_text", [markdown, comment])
def test_without_a_finding_below_nothing_explains_it(write_text):
    assert "below**" not in write_text(since_baseline([row(1, name="Failing")]))


@pytest.mark.parametrize("text", ["a|b user@example.com", "a`b www.example.com", "``", "`|`", "|"])
def test_text_with_a_pipe_or_a_backtick_is_code_too(text):
    shown = code(text)
    fence = re.match("`+", shown)[0]
    inner = shown[len(fence) : -len(fence)]
    assert shown.endswith(fence) and "|" not in shown
    assert fence not in inner.strip() and inner.strip().replace("\u00a6", "|") == text


# --- the comment on a change


def gone(number, **changes):
    return {**VALUES["GONE"], "fingerprint": f"1:{number:032x}", **changes}


def since_baseline(rows, **changes):
    of = document(rows, baseline={**document([])["baseline"], "state": "read"}, **changes)
    of["counts"]["gone"] = len(of["gone"])
    return of


def test_a_comment_has_at_most_55_lines():
    of = since_baseline(huge()["findings"], gone=[gone(number) for number in range(40)])
    of["findings"] = [{**each, "change": ("new", "worse")[number % 2]} for number, each in enumerate(of["findings"])]
    of.update({key: huge()[key] for key in ("outcome", "verdict", "reasons", "waivers", "targets")})
    text = comment(of)
    assert len(re.findall(r"^### (?:Fix first|New|Worse|Waived|Gone)$", text, re.MULTILINE)) == 5
    assert text.count("\n") <= 55 and "And 37 more findings." in text
    # GitHub accepts 65,536 characters
    assert len(text) < 60_000


def test_a_short_comment_has_no_empty_section():
    assert comment(document([])).count("\n") == 5
    assert "###" not in comment(document([]))


# what people, GitLab and robots obey: at the begin of a line, or anywhere
COMMANDS = re.compile(r"^\s*(/|@|<|>>>|```)", re.MULTILINE)


@given(st.lists(st.sampled_from([*HOSTILE.values(), "/close", "\n/close\n", "fixes #1", "@admin", "bors r+",
                                 "<!-- scanops.scanner.gate_comment gate -->", "\u2028/close", "$`x`$", "`"]),
                min_size=1, max_size=3).map("".join))  # fmt: skip
def test_text_in_a_comment_mentions_closes_and_starts_nothing(text):
    of = hostile(text, True)
    of["gone"] = [gone(1, name=text, target=text)]
    of["baseline"] = {**of["baseline"], "state": "read"}
    written_as = comment(of)
    assert not COMMANDS.search(written_as) and "@" not in written_as
    # outside of code, only words and one address of this collection
    written_as = written_as.replace(f" [What to do]({of['see']['outcome']})", "")
    plain = re.sub(r"(?<!`)(`+)(?!`)(?:.|\n)*?(?<!`)\1(?!`)", "", written_as)
    assert not re.search(
        r"close|fixes|bors|admin|evil|scanops|[`#<>\[\]]", re.sub(r"^###? ", "", plain, flags=re.MULTILINE)
    )


def test_two_tests_of_junit_never_have_one_name():
    rows = [row(1), row(1, index=2), row(2, check="X"), row(3, target="b.example")]
    cases = list(ElementTree.fromstring(junit.junit(document(rows)).encode()).iter("testcase"))
    assert len({(each.get("classname"), each.get("name")) for each in cases}) == len(cases)


def test_the_name_of_a_junit_test_depends_on_its_finding_alone():
    def names(*rows):
        cases = ElementTree.fromstring(junit.junit(document(list(rows))).encode()).iter("testcase")
        return [each.get("name") for each in cases if each.get("name") != "scan"]

    rows = [row(1), row(1, index=2), row(2), row(3, check="X"), row(4, name="Other")]
    assert names(*rows) == [name for each in rows for name in names(each)]
    assert names(row(1, severity="low", state="below", id=9, change="known", reasons=[])) == names(row(1))


def test_junit_has_the_time_of_scans_or_none():
    pairs = [pair(), pair("b.example", duration=60), pair("c.example", duration=None)]
    for of, whole in ((pairs, None), (pairs[:2], "960")):
        suites = ElementTree.fromstring(junit.junit(document([row(1), row(2, target="e.example")], of)).encode())
        assert suites.get("time") == whole
        times = {suite.get("name"): [each.get("time") for each in (suite, *suite)] for suite in suites}
        assert times["https://shop.example.com / tls"] == ["900", "900", "0"]
        assert times["b.example / tls"] == ["60", "60"]
        assert times["e.example / tls"] == [None, "0"]
        assert whole or times["c.example / tls"] == [None, None]


def test_gitlab_has_the_start_of_the_first_scan():
    pairs = [pair(), pair("b.example", duration=None), pair("c.example", finished=None, duration=None)]
    for of, start in ((pairs, "2026-11-22T08:45:00"), (pairs[1:], "2026-11-22T09:00:00"), ([], "2026-11-22T10:00:00")):
        assert gitlab(document([], of))["scan"]["start_time"] == start


def state_table(of):
    """The table of states, a dictionary for each line."""
    lines = [each.strip("| ").split(" | ") for each in markdown(of).split("\n") if each.startswith("| ")]
    start = next(number for number, cells in enumerate(lines) if cells[0] == "State")
    return [dict(zip(lines[start], cells)) for cells in lines[start + 1 : start + 5]]


@pytest.mark.parametrize("number", [2, 4, 5, 9])
def test_markdown_has_a_column_for_each_tool_and_their_sum(number):
    tools = [f"Tool | {each}" for each in range(number)]
    states = ["failing", "below", "known", "failing", "waived"]
    rows = [
        (waived if state == "waived" else row)(each, tool=tools[each % number], state=state)
        for each, state in enumerate(states * 4)
    ]
    table = state_table(document(rows, [pair(tool=tool) for tool in tools]))
    assert [each["Findings"] for each in table] == ["8", "4", "4", "4"]
    columns = [head for head in table[0] if "Tool" in head or "other" in head]
    assert len(columns) == min(number, 5)
    for each in table:
        assert sum(int(each[column]) for column in columns) == int(each["Findings"])
        assert each["`Tool \u00a6 0`"] == str(
            sum(one["tool"] == tools[0] and one["state"] == each["State"] for one in rows)
        )


def test_markdown_counts_two_tools_on_one_target_as_one_target():
    pairs = [pair(), pair(tool="web"), pair("b.example", "any tool", scan_id=None, outcome="not_covered")]
    assert "2 targets judged with 2 tools" in markdown(document([row(1)], pairs))
    assert list(state_table(document([row(1)], [pair(), pair("b.example")]))[0]) == ["State", "Findings", "Worst"]
    # the other findings are not in the document
    failing_only = document([row(1)], pairs, counts={**document([row(1)])["counts"], "total": 2, "below": 1})
    assert list(state_table(failing_only)[0]) == ["State", "Findings", "Worst"]


def test_markdown_says_first_what_the_gate_decided():
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
    where = "`https://shop.example.com, port 443/tcp, GET /login, parameter q`"
    assert section[0] == f"- critical: `Open database` (`CVE-2024-1000`), {where}: no advice"
    assert f"- high: `Old shell` (`CVE-2014-6271`), {where}: `Update ¦ bash.`" in section
    assert "### Fix first" not in markdown(document([row(3, state="below")]))


# --- hostile text

FIELDS = (
    "name", "check", "cwe", "status", "target", "workspace", "tool", "protocol", "service", "path", "method", "parameter",
    "description", "risk", "recommendation", "evidence", "team", "contact", "channel",
)  # fmt: skip


def hostile(text, whole):
    """A document with this text wherever the service or the user writes one. whole: of a complete run."""
    wrong = dict.fromkeys(FIELDS, text)
    waiver = {**WAIVER, "reason": text, "owner": text, "file": text}
    rows = [
        row(1, **wrong, cve=[text], references=[text], reasons=[text]),
        waived(2, **wrong, cve=[text], waiver=waiver),
        row(3, state="below", **wrong, reasons=[], due="2027-01-01"),
    ]
    waivers = {"expired": [waiver], "unused": [], "doubled": [], "ending": [{**waiver, "days": 3}]}
    changes = {"workspace": text, "waivers": waivers, "owners": {"path": text, "unowned": [text]}}
    if whole:
        return document(rows, [pair(text, text, outcome="findings")], **changes)
    broken_pair = pair(text, text, outcome="incomplete", verdict="fail", reasons=[text], status=text)
    return document(rows, [pair(text), broken_pair], outcome="incomplete", verdict="fail", reasons=[text], **changes)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("name", ALL)
def test_hostile_text_stays_text(name, text):
    (exported,) = written(name, hostile(text, name in CLOSING), sarif_profile="full")
    exported.encode("utf-8")
    if name != "json":
        # texts of findings are cut before they get into gate.json
        check(name, exported)
    # nothing that a terminal or an editor obeys
    assert not [one for one in exported.removeprefix("\ufeff") if not (one.isprintable() or one in "\n\t\r")]
    # gate.json alone has everything
    assert name == "json" or len(exported) < 500_000
    if name == "junit":
        top = ElementTree.fromstring(exported.encode())
        assert len(list(top.iter("failure"))) == len(list(top.iter("error"))) == len(list(top.iter("skipped"))) == 1
    elif name == "csv":
        assert len(cells_of(exported, ",")) == 5 * len(table.COLUMNS)
        for separator in ",;\t":
            assert not [each for each in cells_of(exported, separator) if FORMULA.match(each)]
    elif name == "markdown":
        assert exported.count("\n") <= MOST_LINES
    elif name == "html":
        assert len(table_of(exported)) == 3
    elif name == "calendar":
        # an incomplete run, two waivers that are one, and a finding
        assert len(events_of(exported)) == 3
    else:
        assert exported.startswith("{"), f"say here what a text must not do in a file of the format {name}"
        parsed = json.loads(exported)
        if name != "json":
            refused = set("\x00\x07\x1b\x85\u2028\u202e\u2066\ud800\ufffe\uffff\r")
            assert not [each for each in strings(parsed) if refused & set(each)]
        if name == "sarif":
            assert not re.search(r"(?<!\\)\]\(", str([each["message"] for each in results_of(exported)]))


# what spreadsheets run, also after spaces and quotes
FORMULA = re.compile('[ "]*[=+\\-@|%\\t\\r\\n＝＋－＠]')


def cells_of(text, separator):
    """The cells that a spreadsheet sees with this separator."""
    records = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=separator)
    return [each for record in records for each in record]


@pytest.mark.parametrize(
    "text",
    [
        "a;=1+1",
        'a; "=1+1"',
        "a\n=1+1;b",
        "a\r\n;=1",
        "a\t=1+1",
        '";=1+1',
        'x,"\n=1',
        "a;;=1",
        'a";"=1',
        "a\n\n-1",
        ";\n=1",
    ],
)
def test_no_cell_is_a_formula_with_any_separator(text):
    of = document([row(1, name=text, evidence=text, description=text, references=[text], reasons=["a", text])])
    exported = table.table(of)
    assert len(cells_of(exported, ",")) == 2 * len(table.COLUMNS)
    for separator in ",;\t":
        assert not [each for each in cells_of(exported, separator) if FORMULA.match(each)], separator
    # a record is a line
    assert exported.count("\n") == 2


@pytest.mark.parametrize(
    "text",
    ["0012", "1/2", "1E5", "1e5", "1-2", "2026-11", "10:30", "1.10", "1,5", "12345678901234567", "5%", "$5", "MAR1", "Sept2",
     "1-Mar", "3 p", "(5)", "1 1/2"],
)  # fmt: skip
def test_an_id_is_no_number_and_no_date_in_a_spreadsheet(text):
    (header, cells) = csv.reader(io.StringIO(table.table(document([row(1, check=text, parameter=text, name=text)]))))
    found = dict(zip(header, cells))
    assert [found[column] for column in ("check", "parameter", "name")] == [f"'{text}"] * 3


@pytest.mark.parametrize(
    "text", ["10017", "0", "192.0.2.5", "192.0.2.5:443", "WEBSCAN-00-0000013", "CVE-2024-1000", "May"]
)
def test_an_id_that_survives_is_written_as_it_is(text):
    (header, cells) = csv.reader(io.StringIO(table.table(document([row(1, check=text, target=text)]))))
    found = dict(zip(header, cells))
    assert found["check"] == found["target"] == text
    assert (found["port"], found["cvss"], found["age"]) == ("443", "7.5", "172800")
    assert found["fingerprint"] == f"1:{1:032x}" and found["first_seen"] == "2026-11-20T10:00:00Z"


def test_a_table_says_that_it_is_unicode_where_excel_would_not_know():
    assert table.table(document([row(1)])).startswith('"state"')
    assert table.table(document([row(1, name="Überlauf")])).startswith('\ufeff"state"')


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
    assert f"`````\n{text}\n`````" in finding["impact"]
    (finding,) = gitlab(document([row(1, description=text, recommendation=text)]))["vulnerabilities"]
    assert finding["solution"] == f"`````\n{text}\n`````"


@given(st.text())
def test_text_is_safe_and_nothing_visible_is_lost(text):
    for shown in (line(text), block(text)):
        assert [one for one in shown if not (is_text(one) or one in "\n\t")] == []
        shown.encode("utf-8")
    assert "\n" not in line(text)
    if text.isprintable() and len(text) <= 500:
        assert line(text) == block(text) == text
    assert "\n" not in code(text)
    assert not cell(block(text)).lstrip(" ").startswith(("=", "+", "-", "@", "|", "%", "\t", "\n"))
    inner = fenced(block(text))
    if inner:
        fence, _newline, _rest = inner.partition("\n")
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
        ("# Gate", "is truncated or not valid JSON (line 1: Expecting value)"),
        ("[1]", "is not a dictionary but list"),
        ("[" * 100_000, "is not valid JSON (it is nested too deeply)"),
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
