# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.exploits import CveFile, Exploits
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.fingerprint import identify
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.rows import enriched, rows_of, text_of
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_values import finding, pair


def exploits_in(scores=None, cves=None, percentiles=None):
    return Exploits(
        None if scores is None else CveFile(scores, "file", percentiles=percentiles or {}),
        None if cves is None else CveFile(dict.fromkeys(cves, 1), "file"),
    )


def only(exploits=None, pair_fields=None, **fields):
    """The row of one finding."""
    pairs = [pair(findings=(finding(**fields),), **(pair_fields or {}))]
    (row,) = rows_of(pairs) if exploits is None else enriched(rows_of(pairs), exploits)
    return row


def test_a_row_has_all_that_the_service_says():
    row = only(
        id=70001,
        name="Remote code execution",
        risk_level=4,
        status="open",
        cve=["cve-2021-45046", "CVE-2021-44228"],
        vuln_id="WEB-7",
        cwe="CWE-94",
        cvss=9.1,
        cvssv3=10,
        epss_score=0.97,
        epss_percentile=0.99,
        in_cisa_catalog=True,
        verified=True,
        port=8443,
        protocol="TCP",
        service="https",
        path="/login",
        method="post",
        parameter="user",
        vuln_description="d",
        risk_description="r",
        recommendation="u",
        vuln_evidence={"type": "text", "data": "e"},
        references=["https://a.example/1", "https://a.example/2"],
        target_id=9,
        task_id=8,
    )
    assert row._asdict() == {
        "pair": 0,
        "fingerprint": row.fingerprint,
        "number": 1,
        "severity": "critical",
        "id": 70001,
        "name": "Remote code execution",
        "check": "WEB-7",
        "cve": ("CVE-2021-44228", "CVE-2021-45046"),
        "cwe": "CWE-94",
        "cvss": 10.0,
        "epss": 0.97,
        "epss_percentile": 0.99,
        "known_exploited": True,
        "verified": True,
        "status": "open",
        "target": "a.example",
        "target_id": 1,
        "workspace": "Web shop",
        "tool": "website_scanner",
        "scan_id": 5,
        "port": 8443,
        "protocol": "tcp",
        "service": "https",
        "path": "/login",
        "method": "POST",
        "parameter": "user",
        "description": "d",
        "risk": "r",
        "recommendation": "u",
        "evidence": "e",
        "references": ("https://a.example/1", "https://a.example/2"),
        "first_seen": None,
        "places": (),
    }


def test_what_the_service_does_not_say_is_null_or_empty():
    row = only(risk_level=None, status=None, vuln_id=None)
    for field in ("id", "check", "cwe", "cvss", "epss", "known_exploited", "verified", "status", "port", "protocol"):
        assert getattr(row, field) is None
    for field in ("service", "path", "method", "parameter", "first_seen"):
        assert getattr(row, field) is None
    assert row.severity == "unknown"
    assert row.cve == row.references == ()
    assert row.description == row.risk == row.recommendation == row.evidence == ""


def test_values_of_other_types_are_unknown_and_not_a_failure():
    row = only(
        cvss="high", cvssv3=True, epss_score=float("nan"), verified="yes", in_cisa_catalog=1, status=["x"], service=" ",
        id="70001",
    )  # fmt: skip
    assert (row.cvss, row.epss, row.verified, row.known_exploited, row.status, row.service, row.id) == (None,) * 7


@pytest.mark.parametrize("field, row_field, highest", [("cvss", "cvss", 10), ("epss_score", "epss", 1)])
def test_a_number_out_of_range_is_unknown(field, row_field, highest):
    assert getattr(only(**{field: highest}), row_field) == highest
    assert getattr(only(**{field: 0}), row_field) == 0
    for wrong in (highest + 0.1, -0.1, float("inf"), 10**400, [1], "", "a"):
        assert getattr(only(**{field: wrong}), row_field) is None


def test_numbers_in_texts_are_numbers():
    assert only(cvss="7.5").cvss == 7.5
    assert only(vuln_id=10234).check == "10234"
    assert only(cwe=79).cwe == "79"


def test_the_higher_of_two_scores_counts():
    assert only(cvss=9.8, cvssv3=7.5).cvss == 9.8
    assert only(cvss=7.5, cvssv3=9.8).cvss == 9.8
    assert only(cvss=None, cvssv3=0.0).cvss == 0


# --- files of the user

CVES = {"cve": ["CVE-2021-0001", "CVE-2021-0002"]}


def test_the_highest_probability_of_all_cves_and_of_the_service_counts():
    exploits = exploits_in({"CVE-2021-0001": 0.2, "CVE-2021-0002": 0.6, "CVE-2021-0003": 0.9})
    assert only(exploits, **CVES).epss == 0.6
    assert only(exploits, **CVES, epss_score=0.7).epss == 0.7
    assert only(exploits, **CVES, epss_score=0.1).epss == 0.6
    assert only(exploits, cve=["CVE-2021-0009"]).epss is None
    assert only(exploits).epss is None


def test_the_percentile_is_that_of_the_score_that_counts():
    exploits = exploits_in({"CVE-2021-0001": 0.2, "CVE-2021-0002": 0.6}, percentiles={"CVE-2021-0001": 0.9})
    assert only(exploits, **CVES, epss_score=0.7, epss_percentile=0.5).epss_percentile == 0.5
    # the file does not say the percentile of the higher score
    assert only(exploits, **CVES, epss_score=0.1, epss_percentile=0.5).epss_percentile is None
    assert only(exploits, cve=["CVE-2021-0001"]).epss_percentile == 0.9
    assert only(exploits, cve=["CVE-2021-0001"], epss_score=0.2).epss_percentile == 0.9
    assert only(epss_percentile=0.5).epss_percentile is None


def test_a_catalogue_says_whether_a_cve_is_known_to_be_exploited():
    exploits = exploits_in(cves={"CVE-2021-0002"})
    assert only(exploits, **CVES).known_exploited is True
    assert only(exploits, cve=["CVE-2021-0001"]).known_exploited is False
    assert only(exploits, cve=["CVE-2021-0001"], in_cisa_catalog=True).known_exploited is True
    assert only(exploits, **CVES, in_cisa_catalog=False).known_exploited is True


def test_a_catalogue_says_nothing_about_a_finding_without_a_cve():
    exploits = exploits_in(cves={"CVE-2021-0002"})
    assert only(exploits).known_exploited is None
    assert only(exploits, in_cisa_catalog=False).known_exploited is False


def test_an_empty_catalogue_is_a_catalogue():
    assert only(exploits_in(cves=()), **CVES).known_exploited is False
    assert only(exploits_in({}), **CVES).epss is None


# --- texts


@pytest.mark.parametrize("length", [4001, 5000, 13_975, 1_000_000, 1_003_975])
def test_a_long_text_is_cut_once_and_says_how_much_is_missing(length):
    text = text_of("x" * length)
    assert 3990 <= len(text) <= 4000
    assert text_of(text) == text
    kept, _mark, note = text.partition(" … (")
    assert note.endswith(" more characters)")
    assert len(kept) + int(note.split()[0].replace(",", "")) == length


def test_a_text_of_4000_characters_is_not_cut():
    assert text_of("x" * 4000) == "x" * 4000


def test_each_text_of_a_row_is_cut_and_its_name_is_not():
    long = "x" * 9000
    row = only(
        name=long,
        vuln_description=long,
        risk_description=long,
        recommendation=long,
        vuln_evidence=long,
        references=[long],
    )
    assert row.name == long
    for text in (row.description, row.risk, row.recommendation, row.evidence, row.references[0]):
        assert 3990 <= len(text) <= 4000


def test_the_description_is_that_of_the_vulnerability_or_else_of_the_test():
    assert only(vuln_description="v", test_description="t").description == "v"
    assert only(vuln_description=None, test_description="t").description == "t"


def test_a_table_of_evidence_has_a_line_for_each_row():
    table = {
        "headers": ["URL", "Method"],
        "rows": [["https://a.example/x", "GET"], ["https://a.example/y", None, "more"], "z"],
    }
    assert only(vuln_evidence={"type": "table", "data": table}).evidence == (
        "URL: https://a.example/x, Method: GET\nURL: https://a.example/y, Method: , more\nURL: z"
    )


def test_evidence_of_another_form_is_shown_as_json():
    assert only(vuln_evidence={"a": [1, "ü"]}).evidence == '{"a": [1, "ü"]}'
    assert only(vuln_evidence="text").evidence == "text"
    assert only(vuln_evidence={"type": "table", "data": {"headers": 1, "rows": []}}).evidence.startswith("{")
    assert only(vuln_evidence={"type": "table", "data": {"headers": [], "rows": 1}}).evidence.startswith("{")


def test_a_reference_has_no_user_and_no_password():
    assert only(references=["https://jo:pa55@a.example/@1"]).references == ("https://a.example/@1",)


def test_references_that_are_no_texts_are_left_out():
    assert only(references=["a", None, 3, " ", "b"]).references == ("a", "b")
    assert only(references="a").references == ("a",)
    assert len(only(references=["a"] * 1000).references) == 100


# --- pairs


def test_rows_are_in_the_order_of_the_pairs_and_name_theirs():
    pairs = [
        pair(target="a.example", findings=(finding(name="A"), finding(name="B"))),
        pair(
            target="b.example",
            target_id=None,
            scan_id=None,
            tool="",
            findings=(finding(name="C", target_id=3, task_id=4),),
        ),
    ]
    rows = rows_of(pairs)
    assert [(row.pair, row.name, row.target) for row in rows] == [
        (0, "A", "a.example"),
        (0, "B", "a.example"),
        (1, "C", "b.example"),
    ]
    assert (rows[2].target_id, rows[2].scan_id, rows[2].tool) == (3, 4, "")


def test_a_pair_without_a_target_takes_the_name_in_the_finding():
    row = only(pair_fields={"target": ""}, target_name="https://shop.example")
    assert row.target == "https://shop.example"
    assert row.fingerprint == only(pair_fields={"target": "https://shop.example"}).fingerprint
    assert only(pair_fields={"target": ""}).target == ""


def test_the_service_does_not_say_when_a_finding_was_first_seen():
    assert only(first_seen="2026-01-01T00:00:00Z").first_seen is None


def test_no_findings_are_no_rows():
    assert rows_of([]) == rows_of([pair()]) == ()
    assert identify([]) == []


def test_a_finding_without_a_severity_is_unknown():
    record = finding()
    del record["severity"]
    (row,) = rows_of([pair(findings=(record,))])
    assert row.severity == "unknown"


def test_what_json_does_not_know_is_text():
    assert text_of({"at": {1}}) == '{"at": "{1}"}'
