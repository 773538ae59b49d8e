# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files with EPSS scores and known exploited vulnerabilities: read as published, or refused."""

from __future__ import annotations

import json

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.exploits import CveFile, Exploits
from ansible_collections.scanops.scanner.plugins.module_utils._gate.enrichment import (
    read_epss,
    read_known_exploited,
    stale_in,
)
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_values import DAY, NOW
from hypothesis import given
from hypothesis import strategies as st

EPSS = """#model_version:v2025.03.14,score_date:2026-01-31T12:55:00Z
cve,epss,percentile
CVE-1999-0001,0.01297,0.79000
cve-2021-44228,0.94358,0.99970
"""
KEV = {
    "title": "Catalogue",
    "catalogVersion": "2026.01.30",
    "dateReleased": "2026-01-30T15:00:00.1234Z",
    "count": 2,
    "vulnerabilities": [{"cveID": "CVE-2021-44228", "vendorProject": "A"}, {"cveID": "cve-2021-41773"}],
}
KEV_CSV = 'cveID,vendorProject,notes\nCVE-2021-44228,A,"one\ntwo, three"\nCVE-2021-41773,B,\n'
CVES = {"CVE-2021-44228": 1, "CVE-2021-41773": 1}


@pytest.mark.parametrize("content", [EPSS, EPSS.encode(), b"\xef\xbb\xbf" + EPSS.encode(), EPSS.replace("\n", "\r\n")])
def test_epss_scores_are_read_with_their_date(content):
    scores = {"CVE-1999-0001": 0.01297, "CVE-2021-44228": 0.94358}
    percentiles = {"CVE-1999-0001": 0.79, "CVE-2021-44228": 0.9997}
    assert read_epss(content, "epss.csv") == (scores, "epss.csv", "2026-01-31", percentiles)


def test_epss_scores_without_a_date_have_none():
    assert read_epss("CVE,EPSS\nCVE-1999-0001,1\n", "x").date is None
    assert read_epss("# made by hand\n\nepss,cve\n0,CVE-1999-0001\n\n", "x") == ({"CVE-1999-0001": 0}, "x", None, {})
    assert read_epss("cve,epss,percentile\nCVE-1999-0001,1,\n", "x").percentiles == {}


@pytest.mark.parametrize(
    "content", [json.dumps(KEV), json.dumps(KEV).encode("utf-8-sig"), KEV_CSV, "\n" + json.dumps(KEV)]
)
def test_a_catalogue_is_read(content):
    assert read_known_exploited(content, "kev") == (CVES, "kev", None if content == KEV_CSV else "2026-01-30", {})


def test_a_catalogue_of_other_sources_may_have_no_date_and_no_count():
    text = json.dumps({"vulnerabilities": KEV["vulnerabilities"]})
    assert read_known_exploited(text, "kev") == (CVES, "kev", None, {})


@pytest.mark.parametrize(
    "content, expected",
    [
        ("", "is empty"),
        (b" \n", "is empty"),
        (b"\x1f\x8b\x08\x00", "is not text in UTF-8"),
        (EPSS.encode("utf-16"), "is not text in UTF-8"),
        ("#only a comment\n", "has no column cve, or several, in the header in line 2"),
        ("cve,epss\n", "has no scores"),
        ("cve,percentile\nCVE-1999-0001,1\n", "has no column epss, or several, in the header in line 1"),
        ("cve,epss,epss\nCVE-1999-0001,1,1\n", "has no column epss, or several, in the header in line 1"),
        ("CVE-1999-0001,1\n", "has no column cve, or several, in the header in line 1"),
        ("<html></html>", "has no column cve, or several, in the header in line 1"),
        (EPSS + "CVE-2021-0001,0.5", "has 2 values in line 5, not 3: it may be truncated"),
        (EPSS + "CVE-2021-0001,0.5,1,1", "has 4 values in line 5, not 3: it may be truncated"),
        (EPSS + "CVE-2021,0.5,1", "has no CVE id in line 5, but 'CVE-2021'"),
        (EPSS + "CVE-2021-0001,1.1,1", "has no score from 0 to 1 in line 5, but '1.1'"),
        (EPSS + "CVE-2021-0001,-0.1,1", "has no score from 0 to 1 in line 5, but '-0.1'"),
        (EPSS + "CVE-2021-0001,nan,1", "has no score from 0 to 1 in line 5, but 'nan'"),
        (EPSS + "CVE-2021-0001,,1", "has no score from 0 to 1 in line 5, but ''"),
        (EPSS + "CVE-1999-0001,0.5,1", "has two scores for CVE-1999-0001, the second one in line 5"),
        (EPSS + '"CVE-2021-0001,0.5,1', "is not valid CSV in line 5 ("),
        (EPSS.replace("2026-01-31", "2026-02-31"), "has a date that does not exist, '2026-02-31T12:55:00Z'"),
    ],
)
def test_a_wrong_epss_file_is_refused(content, expected):
    with pytest.raises(WrongOption) as failed:
        read_epss(content, "a\x1b.csv")
    assert str(failed.value).startswith(f"The EPSS file 'a\\x1b.csv' {expected}")
    assert str(failed.value).endswith(". Give the unchanged CSV file of a day, with the columns cve and epss.")


@pytest.mark.parametrize(
    "content, expected",
    [
        ("", "is empty"),
        (b"\xff\xfe", "is not text in UTF-8"),
        ("{}", "has no list named vulnerabilities"),
        ("[]", "has no list named vulnerabilities"),
        ('{"vulnerabilities": {}}', "has no list named vulnerabilities"),
        ('{"vulnerabilities": []}', "has no CVE ids"),
        ('{"vulnerabilities": [{}]}', "has no CVE id in vulnerabilities[0], but None"),
        ('{"vulnerabilities": [{"cveID": 7}]}', "has no CVE id in vulnerabilities[0], but 7"),
        ('{"vulnerabilities": [{"cveID": "CVE-2021-0001"}, null]}', "has no CVE id in vulnerabilities[1], but None"),
        ('{"vulnerabilities": [', "is truncated or not valid JSON (line 1: "),
        ("[" * 100_000, "is not valid JSON"),
        (json.dumps({**KEV, "count": 3}), "announces 3 vulnerabilities and has 2"),
        (json.dumps({**KEV, "dateReleased": "soon"}), "has a date that does not exist, 'soon'"),
        (json.dumps({**KEV, "dateReleased": 20260130}), "has a date that does not exist, 20260130"),
        ("vendor,notes\nA,b\n", "has no column cveid, or several, in the header in line 1"),
        ("cveID\n", "has no CVE ids"),
        ("cveID,notes\nCVE-2021-0001\n", "has 1 values in line 2, not 2: it may be truncated"),
        (KEV_CSV + "soon,A,b\n", "has no CVE id in line 5, but 'soon'"),
    ],
)
def test_a_wrong_catalogue_is_refused(content, expected):
    with pytest.raises(WrongOption) as failed:
        read_known_exploited(content, "kev")
    assert str(failed.value).startswith(f"The file of known exploited vulnerabilities 'kev' {expected}")
    assert str(failed.value).endswith(". Give the unchanged JSON or CSV file of the catalogue.")


@given(st.binary(max_size=40) | st.integers(0, len(EPSS)).map(lambda end: EPSS[:end].encode()))
def test_no_file_gives_nothing_or_a_traceback(content):
    for read in (read_epss, read_known_exploited):
        try:
            assert read(content, "x")[0]
        except WrongOption:
            pass


# --- how old they are

LIMITS = {"epss": 7 * DAY, "known_exploited": 7 * DAY}


def stale(date, field="known_exploited", limits=None):
    # the present is 2026-11-22T10:00:00Z
    return stale_in(
        Exploits()._replace(**{field: CveFile({}, "a\x1b", date)}), LIMITS if limits is None else limits, NOW
    )


@pytest.mark.parametrize("field", ["epss", "known_exploited"])
@pytest.mark.cases("date, said")
def test_a_file_that_is_old_or_without_a_date_is_stale(field, date, said):
    assert stale(date, field) == ([f"{field}_file 'a\\x1b'{said.format(field)}"] if said else [])


def test_each_file_has_its_limit():
    old = CveFile({}, "x", "2026-11-20")
    limits = {"epss": 7 * DAY, "known_exploited": DAY}
    assert [each[:15] for each in stale_in(Exploits(old, old), limits, NOW)] == ["known_exploited"]
    assert stale_in(Exploits(), limits, NOW) == []


def test_the_date_of_a_table_is_that_of_its_newest_entry():
    table = "cveID,dateAdded\nCVE-2021-44228,2026-01-30\nCVE-2021-41773,2026-02-01\nCVE-2021-0001,soon\n"
    assert read_known_exploited(table, "kev").date == "2026-02-01"
    assert read_known_exploited("cveID,dateAdded\nCVE-2021-44228,\n", "kev").date is None
