# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fingerprints: equal for the same finding in every scan, different for different findings."""

from __future__ import annotations

import random
import re

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.fingerprint import (
    LONGEST_NAME,
    Place,
    Sighting,
    Subject,
    agreed,
    canonical,
    fingerprint_of,
    identify,
    places_in,
    places_of,
    port_of,
    severity_rank,
    worst_first,
)
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.counted_text import CountedText, comparisons
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_memory_values import at_places, finding
from hypothesis import given
from hypothesis import strategies as st

FULL = Subject("https://example.com", "WEBSCAN-00-0000012", None, 443, "tcp", "/shop", "GET", "id")


def subject_of(record, target):
    (found,) = identify([Sighting(record, target)])
    return found.subject


def place_of(record):
    return agreed(places_of(record))


def table(headers, *rows):
    return {"type": "table", "data": {"headers": headers, "rows": list(rows)}}


def with_evidence(evidence=None, **fields):
    """A finding. evidence: as the service has it, or what stands for a table, {table: [headers, row, …]}."""
    if isinstance(evidence, dict) and "table" in evidence:
        evidence = table(*evidence["table"])
    return finding(vuln_evidence=evidence, **fields)


def test_scheme_1_digests_these_bytes():
    assert canonical(FULL) == (
        b'["scanops.scanner/fingerprint",1,"https://example.com","check","WEBSCAN-00-0000012",443,"tcp","/shop","GET","id"]'
    )
    assert fingerprint_of(FULL) == "1:6a4490d110cc1cf894f9e90f24aace89"
    nameless = Subject("b\u00fccher.example", None, "caf\u00e9 \ud800")
    assert canonical(nameless) == (
        b'["scanops.scanner/fingerprint",1,"b\\u00fccher.example","name","caf\\u00e9 \\ud800",null,null,null,null,null]'
    )
    assert fingerprint_of(nameless) == "1:6b35e701d9d1ce9f55bfdb1765c41d04"


def test_each_part_changes_the_fingerprint():
    others = [
        FULL._replace(**{field: other})
        for field, other in FULL._replace(
            target="example.com", check="X", port=444, protocol="udp", path="/", method="POST", parameter="i"
        )
        ._asdict()
        .items()
        if field != "name"
    ]
    others.append(FULL._replace(check=None, name="webscan-00-0000012"))
    assert len({fingerprint_of(each) for each in [FULL, *others]}) == len(others) + 1


def test_a_fingerprint_does_not_depend_on_the_password_of_its_target():
    def of(target):
        (found,) = identify([Sighting(finding("a"), target)])
        return found

    assert of("https://scan:old@a.example/x") == of("https://scan:new@a.example/x") == of("https://scan@a.example/x")
    assert of("https://scan:old@a.example/x").subject.target == "https://scan@a.example/x"
    # another user may see something else
    others = ["https://scan:old@a.example/x", "https://admin:old@a.example/x", "https://a.example/x"]
    assert len({of(each).fingerprint for each in others}) == 3


def test_a_name_is_no_check_of_the_same_text():
    assert fingerprint_of(Subject("a", "x")) != fingerprint_of(Subject("a", None, "x"))


# --- what identifies a finding


@pytest.mark.cases("one, other")
def test_different_forms_of_one_value_have_one_fingerprint(one, other):
    assert subject_of(finding(**one), "example.com") == subject_of(finding(**other), "example.com")


@pytest.mark.cases("one, other")
def test_different_values_have_different_fingerprints(one, other):
    assert subject_of(finding(**one), "example.com") != subject_of(finding(**other), "example.com")


def test_spellings_of_one_target_have_one_fingerprint():
    subjects = {subject_of(finding(), target) for target in ("Example.COM", "example.com.", "example.com")}
    assert len(subjects) == 1
    assert subject_of(finding(), "https://example.com") not in subjects


def test_the_end_of_a_very_long_name_does_not_count():
    name = "x" * LONGEST_NAME
    assert subject_of(finding(None, name=name), "a").name == name
    assert subject_of(finding(None, name=name + "y"), "a").name == name


def test_a_finding_without_anything_has_a_fingerprint():
    assert subject_of({}, "") == Subject("", None, "")


# --- path, method and parameter


@pytest.mark.cases("fields, place")
def test_a_place_is_read_from_fields_and_from_tables(fields, place):
    assert place_of(with_evidence(**fields)) == Place(*place)


@pytest.mark.cases("evidence")
def test_free_text_and_odd_tables_give_no_place(evidence):
    assert place_of(with_evidence(evidence)) == Place(443, "tcp")


def test_a_path_that_is_too_long_gives_no_place():
    assert place_of(with_evidence({"table": [["URL"], ["/" + "x" * 2000]]})) == Place(443, "tcp")


# --- several places


@pytest.mark.cases("evidence, places")
def test_each_row_of_a_table_is_a_place(evidence, places):
    record = with_evidence(evidence)
    assert places_of(record) == tuple(Place(443, "tcp", *each) for each in places)
    (found,) = identify([Sighting(record, "example.com")])
    assert [list(spot[1:]) for spot in found.places] == places
    alone = [fingerprint_of(found.subject._replace(path=each[0], method=each[1], parameter=each[2])) for each in places]
    assert [spot.fingerprint for spot in found.places] == alone
    assert found.fingerprint not in alone and re.fullmatch("1:[0-9a-f]{32}", found.fingerprint)


def test_scheme_1_digests_these_places():
    (found,) = identify([Sighting(at_places("/b", "/a"), "example.com")])
    assert found.fingerprint == "1:3a379566c17910e44c3aa202cfef8549"


def test_places_are_different_and_in_order():
    listed = [{"path": "/b"}, {"path": "/a"}, {"path": "/b"}]
    assert [each.path for each in places_in(443, "TCP", listed)] == ["/a", "/b"]
    assert [each.path for each in places_in(443, "TCP", listed[:2])] == ["/a", "/b"]


def test_the_first_and_the_last_port():
    assert [port_of(each) for each in (0, 1, "1", 65535, 65536)] == [None, 1, 1, 65535, None]


def test_the_own_fields_of_a_finding_are_those_of_all_rows():
    evidence = table(["URL", "Method", "Parameter"], ["/a", "GET", "q"], ["/b", "PUT", "r"])
    record = finding(method="post", parameter="id", vuln_evidence=evidence)
    assert places_of(record) == tuple(Place(443, "tcp", each, "POST", "id") for each in ("/a", "/b"))


def test_the_own_field_of_a_finding_is_the_path_of_all_rows():
    record = finding(path="/own", vuln_evidence=table(["URL", "Method"], ["/a", "GET"], ["/b", "GET"]))
    assert places_of(record) == (Place(443, "tcp", "/own", "GET"),)


def test_other_places_have_other_fingerprints():
    lists = [("/a", "/b"), ("/a", "/c"), ("/a", "/b", "/c"), ("/a",), ()]
    found = identify(sightings(*(at_places(*paths) for paths in lists)))
    assert len({each.fingerprint for each in found}) == len(lists)
    assert [each.number for each in found] == [1] * len(lists)
    one, other = identify(sightings(at_places("/a", "/b"), at_places("/b", "/a", "/b")))
    assert one.fingerprint == other.fingerprint


# --- the numbers of equal findings


def sightings(*findings, target="example.com"):
    return [Sighting(each, target) for each in findings]


def test_equal_findings_are_numbered_by_what_they_say():
    low, high, unknown = finding(risk_level=1), finding(risk_level=3), finding(risk_level=9)
    other = finding(check="another")
    found = identify(sightings(low, other, high, unknown))
    assert [each.number for each in found] == [3, 1, 2, 1]
    assert len({each.fingerprint for each in found}) == 2


@pytest.mark.cases("first, second")
def test_ids_and_order_do_not_change_the_numbers(first, second):
    for one, other in ((1, 2), (2, 1)):
        each, after = finding(id=one, task_id=one, **first), finding(id=other, task_id=other, **second)
        assert [identity.number for identity in identify(sightings(each, after))] == [1, 2]
        assert [identity.number for identity in identify(sightings(after, each))] == [2, 1]
        # another order of the fields, as a proxy or a file may write them
        turned = dict(reversed(list(each.items())))
        assert [identity.number for identity in identify(sightings(after, turned))] == [2, 1]
        turned = dict(reversed(list(after.items())))
        assert [identity.number for identity in identify(sightings(turned, each))] == [2, 1]


WORDS = st.text(max_size=20)
CHANGES = st.fixed_dictionaries(
    {
        "id": st.integers(1, 10**6),
        "task_id": st.integers(1, 10**6),
        "target_id": st.integers(1, 10**6),
        "risk_level": st.integers(-1, 5),
        "name": WORDS,
        "test_description": WORDS,
        "vuln_description": WORDS,
        "recommendation": WORDS,
        "cve": st.lists(st.just("CVE-2021-44228"), max_size=1),
        "created_at": WORDS,
        "status": WORDS,
        "vuln_evidence": st.fixed_dictionaries({"type": st.just("text"), "data": WORDS}),
    }
)


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), st.sampled_from([80, 443])), max_size=8), st.data())
def test_order_ids_texts_times_and_severity_change_no_fingerprint(checks, data):
    before = identify(sightings(*(finding(check, port=port) for check, port in checks)))
    changed = [finding(check, port=str(port), **data.draw(CHANGES)) for check, port in checks]
    order = data.draw(st.permutations(range(len(changed))))
    after = identify(sightings(*(changed[place] for place in order), target="EXAMPLE.com."))
    assert [each.fingerprint for each in after] == [before[place].fingerprint for place in order]
    assert sorted(each[:2] for each in after) == sorted(each[:2] for each in before)


def test_the_words_of_a_name_are_compared_with_single_spaces():
    assert subject_of(finding(None, name=" Weak  TLS\tcipher "), "a").name == "weak tls cipher"


def test_equal_findings_have_an_order_whatever_they_hold():
    numbers = {identify(sightings(finding(extra={each}), finding(extra={"m"})))[0].number for each in ("a", "z")}
    assert numbers == {1, 2}


def test_a_word_that_is_no_severity_may_be_the_worst():
    assert severity_rank("catastrophic") == severity_rank("unknown") == 0


def test_severities_are_ordered_worst_first():
    severities = ["unknown", "critical", "high", "medium", "low", "info"]
    shuffled = random.Random(1).sample(severities, 6)
    assert worst_first(shuffled) == severities


def test_reading_a_table_costs_no_more_than_its_size():
    headers = [CountedText(f"header {number}") for number in range(1000)]
    finding = {"vuln_evidence": {"type": "table", "data": {"headers": headers, "rows": [[]]}}}
    assert comparisons(place_of, finding) < 10_000
