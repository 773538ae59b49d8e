# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.findings import (
    SUMMARY,
    UNKNOWN,
    at_least,
    cves_of,
    finding_of,
    is_cve,
    name_pattern,
    selector,
    severity_of,
)
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import FINDING, SEVERITIES
from ansible_collections.scanops.scanner.plugins.module_utils._model.records import record_of
from hypothesis import given
from hypothesis import strategies as st

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=20)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=5,
)


def finding(**fields):
    return finding_of(record_of(FINDING, {"id": 7, **fields}))


# --- severity


@pytest.mark.parametrize("level, name", list(enumerate(["info", "low", "medium", "high", "critical"])))
def test_the_five_risk_levels_have_names(level, name):
    assert severity_of(level) == name


@pytest.mark.parametrize("level", [None, -1, 5, 2.0, "2", "high", True, False, [], {}])
def test_every_other_risk_level_is_unknown(level):
    assert severity_of(level) == UNKNOWN


@pytest.mark.parametrize("minimum", SEVERITIES)
def test_a_severity_is_at_least_itself_and_what_is_less_bad(minimum):
    assert [each for each in SEVERITIES if at_least(each, minimum)] == list(SEVERITIES[SEVERITIES.index(minimum) :])


@pytest.mark.parametrize("minimum", SEVERITIES)
def test_an_unknown_severity_passes_every_minimum(minimum):
    assert at_least(UNKNOWN, minimum)


def test_a_summary_has_every_severity_the_worst_first_and_the_unknown():
    assert SUMMARY == ("critical", "high", "medium", "low", "info", "unknown")


# --- the record


def test_a_finding_without_anything_has_all_fields():
    assert finding() == {
        "id": 7,
        "name": "",
        "risk_level": None,
        "severity": "unknown",
        "status": None,
        "verified": None,
        "cve": [],
        "target_id": None,
        "task_id": None,
        "target_name": None,
    }


def test_what_nobody_has_described_is_passed_through_and_does_not_replace_the_severity():
    record = finding(risk_level=4, severity="harmless", x_unknown={"a": [1]})
    assert (record["severity"], record["x_unknown"]) == ("critical", {"a": [1]})


@pytest.mark.cases("value, cves")
def test_cves_are_read_from_lists_and_texts_and_no_cve_is_none(value, cves):
    assert cves_of(value) == cves
    assert finding(cve=value)["cve"] == cves


@given(st.dictionaries(st.sampled_from(["risk_level", "status", "cve", "task_id", "other"]), JSON))
def test_nothing_in_a_finding_makes_reading_and_selecting_it_fail(fields):
    record = finding(**fields)
    assert record["severity"] in SUMMARY
    assert [cve for cve in record["cve"] if not isinstance(cve, str)] == []
    assert selector()(record)
    assert selector("critical", ["open"], ["CVE-2021-44228"], "*")(record) in (True, False)


# --- the selection


def taken(findings, **options):
    return [number for number, each in enumerate(findings) if selector(**options)(each)]


def test_no_finding_of_an_unknown_severity_is_dropped_by_a_minimum():
    findings = [finding(risk_level=level) for level in (0, 1, 2, 3, 4, 5, None, "4")]
    assert taken(findings, min_severity="critical") == [4, 5, 6, 7]
    assert taken(findings, min_severity="info") == list(range(8))


def test_a_status_is_compared_without_regard_to_case_and_a_missing_one_always_passes():
    findings = [finding(status=status) for status in ("open", "OPEN", "False Positive", "", None, 0)]
    assert taken(findings, status=["Open"]) == [0, 1, 3, 4, 5]
    assert taken(findings, status=["false positive", " open "]) == [0, 1, 2, 3, 4, 5]
    assert taken(findings, status=["none", "null"]) == [3, 4, 5]


def test_a_cve_is_compared_without_regard_to_case():
    findings = [finding(cve=cve) for cve in (["CVE-2021-44228"], "cve-2021-44228", "N/A", None, ["CVE-2021-4422"])]
    assert taken(findings, cve=["cve-2021-44228"]) == [0, 1]
    assert taken(findings, cve=["CVE-2021-4422", "CVE-2021-44228"]) == [0, 1, 4]


@pytest.mark.cases("pattern, names")
def test_a_pattern_fits_whole_names_without_regard_to_case(pattern, names):
    fits = name_pattern(pattern)
    all_names = ["SQL injection", "Command Injection", "Port 22", "Port 443", "[old] x", "abc", "STRASSE", "", "a\nb"]
    assert [name for name in all_names if fits(name)] == names


def test_all_filters_have_to_pass():
    options = dict(min_severity="high", status=["open"], cve=["CVE-2021-44228"], name="log4*")
    whole = dict(name="Log4Shell", risk_level=4, status="open", cve=["CVE-2021-44228"])
    assert taken([finding(**whole)], **options) == [0]
    for field, other in dict(name="Shell", risk_level=2, status="fixed", cve=[]).items():
        assert taken([finding(**{**whole, field: other})], **options) == []


@pytest.mark.parametrize("pattern", ["[z-a]", "x[9-0]*", "[!z-a]"])
def test_a_range_in_the_wrong_order_is_no_error_on_any_python(pattern):
    assert not name_pattern(pattern)("a name")


@pytest.mark.parametrize("text", ["CVE-2021-44228", "cve-1999-0001", "CVE-2024-1234567"])
@pytest.mark.parametrize("added, valid", [("", True), (" ", False), ("-*", False), ("x", False)])
def test_what_is_a_cve(text, added, valid):
    assert is_cve(text + added) is valid
    assert not is_cve(text[:8])
