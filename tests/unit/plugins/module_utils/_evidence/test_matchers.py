# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.matchers import (
    accepts,
    matcher_of,
    matchers_of,
    shown,
)
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_values import row

FINGERPRINT = "1:" + "0" * 31 + "a"
ROW = row(
    name="TLS 1.0 is accepted",
    check="WEB-1",
    cve=("CVE-2021-44228", "CVE-2021-45046"),
    target="https://shop.example",
    severity="high",
    port=443,
    fingerprint=FINGERPRINT,
)

MATCHING = [
    {"name": "TLS 1.0 is accepted"},
    {"name": "tls *"},
    {"name": "TLS [12].? *"},
    {"check": "WEB-1"},
    {"check": " WEB-1 "},
    {"cve": "CVE-2021-44228"},
    {"cve": "cve-2021-45046"},
    {"target": "https://shop.example"},
    {"target": "https://SHOP.example:443/"},
    {"target": "https://*.EXAMPLE"},
    {"target": "*shop*"},
    {"severity": "high"},
    {"severity": "HIGH"},
    {"port": 443},
    {"port": "443"},
    {"fingerprint": FINGERPRINT},
    {"fingerprint": FINGERPRINT.upper()},
    {"name": "*", "severity": "high"},
    {"name": "?*", "severity": "high"},
    {"name": "*E*"},
    {"name": "T[!x]*"},
    {"name": "*TLS*", "check": "WEB-1", "cve": "CVE-2021-44228", "target": "*", "severity": "high", "port": 443},
]
OTHER = [
    {"name": "TLS"},
    {"name": "TLS 1.0 is accepted."},
    {"check": "WEB-2"},
    {"check": "WEB"},
    {"cve": "CVE-2021-44229"},
    {"target": "shop.example"},
    {"target": "https://shop.example/admin"},
    {"target": "http://shop.example"},
    {"severity": "critical"},
    {"severity": "medium"},
    {"severity": "unknown"},
    {"port": 80},
    {"fingerprint": "1:" + "0" * 31 + "b"},
    {"fingerprint": "2:" + "0" * 31 + "a"},
]


@pytest.mark.parametrize("given", MATCHING, ids=str)
def test_a_matcher_matches(given):
    assert matcher_of(given, "m").matches(ROW) is True


@pytest.mark.parametrize("given", OTHER, ids=str)
def test_a_matcher_does_not_match(given):
    assert matcher_of(given, "m").matches(ROW) is False


@pytest.mark.parametrize("given", OTHER, ids=str)
@pytest.mark.parametrize("also", [{"name": "TLS*"}, {"severity": "high"}, {"target": "*"}], ids=str)
def test_all_keys_must_match(given, also):
    assert matcher_of({**also, **given}, "m").matches(ROW) is False


@pytest.mark.parametrize(
    "target, pattern",
    [
        ("[2001:db8::1]", "[2001:db8::1]"),
        ("https://[2001:db8::1]/a", "https://[2001:DB8::1]/a"),
        ("a/?b=[c]", "a/?b=[c]"),
    ],
)
def test_a_target_with_the_characters_of_patterns_matches_itself(target, pattern):
    assert matcher_of({"target": pattern}, "m").matches(row(target=target))


@pytest.mark.cases("lacking, given")
def test_what_a_finding_lacks_may_match_but_does_not(lacking, given):
    matcher = matcher_of({**given, "fingerprint": FINGERPRINT}, "m")
    assert not matcher.matches(ROW._replace(**lacking))
    assert matcher.may_match(ROW._replace(**lacking))
    assert not matcher.may_match(ROW._replace(**lacking, fingerprint="1:" + "f" * 32))


@pytest.mark.parametrize("given", OTHER, ids=str)
def test_what_is_known_and_differs_may_not_match(given):
    assert not matcher_of(given, "m").may_match(ROW)


def test_a_finding_without_cve_ids_is_known_to_have_none():
    assert not matcher_of({"cve": "CVE-2021-44228"}, "m").may_match(row(cve=()))


def test_a_finding_of_unknown_severity_matches_this_word():
    assert matcher_of({"severity": "unknown"}, "m").matches(row(severity="unknown"))


@pytest.mark.parametrize("key", ["name", "check", "cve", "target", "severity", "fingerprint"])
def test_a_number_is_refused_with_the_quotes_to_write(key):
    # what YAML makes of 010017 without quotes
    with pytest.raises(WrongOption) as refused:
        matcher_of({key: 4111}, "policy.include[0]")
    assert str(refused.value).startswith(
        f"policy.include[0].{key} is a number (4111): write it in quotes, as in {key}: '4111'. "
    )
    assert matcher_of({"port": 443}, "m").matches(row(port=443))


def test_a_matcher_keeps_what_was_written():
    given = {"name": " TLS* ", "port": "443"}
    assert matcher_of(given, "m").written == given


@pytest.mark.cases("given, message")
def test_a_wrong_matcher_is_refused_with_what_to_write(given, message):
    with pytest.raises(WrongOption) as refused:
        matcher_of(given, "m")
    assert str(refused.value).startswith(message)
    assert str(refused.value).endswith(("?", "."))


@pytest.mark.parametrize("port", [1, 65535])
def test_the_first_and_the_last_port_are_accepted(port):
    assert matcher_of({"port": port}, "m").matches(row(port=port))


def test_no_matchers_are_an_empty_list():
    assert matchers_of([], "x") == ()


@pytest.mark.parametrize("key", ["name", "target"])
def test_a_range_in_the_wrong_order_is_no_error_on_any_python(key):
    matcher = matcher_of({key: "x[9-0]"}, "policy.exclude[0]")
    assert not getattr(matcher, key)("x5")


@pytest.mark.cases("named, own, accepted")
def test_matchers_of_cve_ids_accept_no_other_id(named, own, accepted):
    matching = [matcher_of({"cve": cve}, "exclude") for cve in named]
    assert accepts(matching, row(cve=own)) is accepted
    # one that names something else accepts the finding with all of its ids
    assert accepts([*matching, matcher_of({"check": "WEB-1"}, "exclude")], row(cve=own))


def test_the_matchers_of_an_option_have_their_places():
    listed = matchers_of([{"check": "WEB-1"}, {"check": "WEB-2"}], "policy.include")
    assert [each.matches(ROW) for each in listed] == [True, False]
    for wrong, place in (({"check": ""}, "policy.include[1].check is empty"), ({"chek": "a"}, "policy.include[1]")):
        with pytest.raises(WrongOption, match=re.escape(place)):
            matchers_of([{"check": "WEB-1"}, wrong], "policy.include")


def test_a_wrong_value_is_shown_as_text_or_by_its_kind():
    assert shown("a\nb") == "'a\\\\nb'"
    assert shown("b" * 90) == f"'{'b' * 60}...'"
    assert shown(["a"]) == "a list"
