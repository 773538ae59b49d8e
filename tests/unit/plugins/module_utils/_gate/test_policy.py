# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.fingerprint import Spot
from ansible_collections.scanops.scanner.plugins.module_utils._gate.policy import mapping_of, origin_of, policy_of
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption
from ansible_collections.scanops.scanner.plugins.module_utils._model.outcomes import OUTCOMES
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_values import DAY, row

SEVERITIES = ("info", "low", "medium", "high", "critical")


def counted(policy, **fields):
    return policy_of(policy).counts(row(**fields))[0]


def why(policy, **fields):
    return list(policy_of(policy).counts(row(**fields))[1])


# --- fail_on


@pytest.mark.parametrize("fail_on", SEVERITIES)
@pytest.mark.parametrize("severity", SEVERITIES)
def test_a_finding_counts_from_the_severity_of_fail_on(fail_on, severity):
    assert counted({"fail_on": fail_on}, severity=severity) is (SEVERITIES.index(severity) >= SEVERITIES.index(fail_on))


@pytest.mark.parametrize("fail_on", SEVERITIES)
def test_an_unknown_severity_counts_at_every_threshold(fail_on):
    assert counted({"fail_on": fail_on}, severity="unknown") is True


@pytest.mark.parametrize("severity", [*SEVERITIES, "unknown"])
def test_fail_on_none_counts_nothing(severity):
    assert counted({"fail_on": "none"}, severity=severity) is False
    assert why({"fail_on": "none"}, severity=severity) == ["fail_on is none"]


@pytest.mark.parametrize("policy", [None, {}, {"fail_on": None}])
def test_high_is_the_default(policy):
    assert policy_of(policy) == policy_of({"fail_on": "high"})
    assert counted(policy, severity="high") and not counted(policy, severity="medium")


@pytest.mark.cases("policy, fields, counts, reasons")
def test_reasons(policy, fields, counts, reasons):
    assert (counted(policy, **fields), why(policy, **fields)) == (counts, reasons)


# --- a finding with several places

ONE, OTHER = "1:" + "1" * 32, "1:" + "2" * 32


@pytest.mark.parametrize(
    "policy, reason",
    [
        ({"exclude": [{"fingerprint": ONE}]}, None),
        ({"exclude": [{"fingerprint": OTHER}, {"fingerprint": ONE}]}, "policy.exclude[1] matches it"),
        ({"exclude": [{"check": "WEB-1"}]}, "policy.exclude[0] matches it"),
        ({"include": [{"fingerprint": OTHER}]}, None),
        ({"include": [{"fingerprint": "1:" + "3" * 32}]}, "no matcher of policy.include matches it"),
        ({"include": [{"fingerprint": OTHER}], "exclude": [{"fingerprint": ONE}]}, None),
    ],
)
def test_a_finding_is_out_of_scope_only_if_all_of_its_places_are(policy, reason):
    places = (Spot(ONE, "/a", None, None), Spot(OTHER, "/b", None, None))
    assert policy_of(policy).out_of_scope(row(places=places)) == reason


# --- filters

FILTERS = [
    ({"verified_only": True}, {"verified": True}, {"verified": False}, "verified"),
    ({"min_cvss": 7.0}, {"cvss": 7.0}, {"cvss": 6.9}, "cvss"),
    ({"min_epss": 0.1}, {"epss": 0.1}, {"epss": 0.09}, "epss"),
    ({"known_exploited": True}, {"known_exploited": True}, {"known_exploited": False}, "known_exploited"),
]
ALL = {key: value for policy, _yes, _no, _field in FILTERS for key, value in policy.items()}
ALL_TRUE = {key: value for _policy, yes, _no, _field in FILTERS for key, value in yes.items()}


@pytest.mark.parametrize("policy, yes, no, field", FILTERS)
def test_a_filter_narrows_what_counts(policy, yes, no, field):
    assert counted(policy, **yes) is True
    assert counted(policy, **no) is False
    assert counted({**policy, "fail_on": "critical"}, **yes) is False


@pytest.mark.parametrize("policy, yes, no, field", FILTERS)
def test_what_a_finding_lacks_counts_unless_it_is_ignored(policy, yes, no, field):
    assert counted(policy, **{field: None}) is True
    assert counted({**policy, "missing": "fail"}, **{field: None}) is True
    assert counted({**policy, "missing": "ignore"}, **{field: None}) is False
    assert counted({**policy, "missing": "ignore"}, **yes) is True
    assert counted({**policy, "missing": "ignore"}, **no) is False


@pytest.mark.parametrize("policy, yes, no, field", FILTERS)
def test_all_filters_must_hold(policy, yes, no, field):
    assert counted(ALL, **ALL_TRUE) is True
    assert counted(ALL, **{**ALL_TRUE, **no}) is False


# --- scope, older_than and max


@pytest.mark.cases("policy, fields, reason")
def test_scope(policy, fields, reason):
    assert policy_of(policy).out_of_scope(row(**fields)) == reason


@pytest.mark.cases("policy, age, severity, reason")
def test_older_than(policy, age, severity, reason):
    assert policy_of(policy).too_old(row(severity=severity), age) == reason


@pytest.mark.cases("most, numbers, reasons")
def test_max(most, numbers, reasons):
    rows = [row(severity=severity) for severity, number in numbers.items() for _each in range(number)]
    assert policy_of({"max": most}).exceeded(rows) == reasons


# --- reading


def test_the_record_has_all_keys_in_their_normal_form():
    given = {
        "fail_on": "critical",
        "max": {"medium": "10"},
        "only_new": True,
        "min_cvss": 7.0,
        "older_than": {"high": "30d"},
        "exclude": [{"name": "TLS*", "port": "443"}],
    }
    assert policy_of(given).record() == {
        "fail_on": "critical",
        "max": {"medium": 10},
        "only_new": True,
        "verified_only": False,
        "min_cvss": 7.0,
        "min_epss": None,
        "known_exploited": False,
        "older_than": {"high": 30 * DAY},
        "include": [],
        "exclude": [{"name": "TLS*", "port": "443"}],
        "missing": "fail",
    }


WRONG = [
    ({"max": {"hihg": 3}}, "policy.max has the unknown key 'hihg': the closest one is high."),
    (
        {"max": {"high": -1}},
        "policy.max.high is a number (-1): give the number of findings that are accepted, 0 or more.",
    ),
    ({"max": {"high": 1.5}}, "policy.max.high is a number (1.5)"),
    ({"max": {"high": True}}, "policy.max.high is a boolean (true)"),
    ({"max": {"high": "many"}}, "policy.max.high is 'many'"),
    ({"max": {"high": "9" * 5000}}, "policy.max.high is '9999"),
    ({"max": {"high": None}}, "policy.max.high is null"),
    (
        {"older_than": {"high": "a month"}},
        "policy.older_than.high is 'a month': give seconds, or a number with s, m, h, d",
    ),
    ({"older_than": {"hi": 1}}, "policy.older_than has the unknown key 'hi'"),
    ({"min_cvss": 11}, "policy.min_cvss is a number (11): give a number from 0 to 10, as in 7.0."),
    ({"min_cvss": -0.1}, "policy.min_cvss is a number (-0.1)"),
    ({"min_cvss": float("nan")}, "policy.min_cvss is a number (nan)"),
    ({"min_cvss": 10**400}, "policy.min_cvss is a number"),
    ({"min_epss": 10}, "policy.min_epss is a number (10): give a number from 0 to 1, as in 0.1 for 10 percent."),
    ({"exclude": [{}]}, "policy.exclude[0] is empty, so it would match every finding"),
]


@pytest.mark.parametrize("given, message", WRONG, ids=str)
def test_a_wrong_policy_is_refused_with_what_to_write(given, message):
    with pytest.raises(WrongOption) as refused:
        policy_of(given)
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize("given", [{"min_cvss": 10}, {"min_cvss": 0}, {"min_epss": 1}, {"min_epss": 0}], ids=str)
def test_the_ends_of_the_ranges_are_accepted(given):
    assert policy_of(given).record() == {**policy_of({}).record(), **given}


# --- outcomes


def test_all_but_passed_fail_by_default():
    assert mapping_of(None) == {**dict.fromkeys(OUTCOMES, "fail"), "passed": "pass"}


def test_a_mapping_changes_what_it_names():
    assert mapping_of({"incomplete": "WARN", "passed": "fail"}) == {
        **mapping_of(None),
        "incomplete": "warn",
        "passed": "fail",
    }
    assert mapping_of({"misconfigured": "fail"}) == mapping_of(None)


@pytest.mark.parametrize(
    "given, message",
    [
        ({"incomplet": "warn"}, "outcomes has the unknown key 'incomplet': the closest one is incomplete"),
        ({"incomplete": "ok"}, "outcomes.incomplete is 'ok': write one of fail, warn, pass."),
        *[
            ({"misconfigured": verdict}, "outcomes.misconfigured must be fail, because nothing was judged: remove it.")
            for verdict in ("warn", "pass")
        ],
        ({"incomplete": None}, "outcomes.incomplete is null: write one of fail, warn, pass."),
    ],
)
def test_a_wrong_mapping_is_refused(given, message):
    with pytest.raises(WrongOption) as refused:
        mapping_of(given)
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize(
    "url", ["https://app.example.com/scans/", "/scans/{id}", "javascript:{id}", "https://a b/{id}"]
)
def test_a_scan_url_without_a_place_for_the_id_is_refused(url):
    with pytest.raises(
        WrongOption, match=r"origin.scan_url is .*: give the URL of a scan in the web application, with"
    ):
        origin_of({"scan_url": url})


# --- what a decision is traced to


def test_a_missing_field_fails_by_two_keys():
    keys = [policy_of({"min_cvss": 7}).counts(row(cvss=cvss))[2] for cvss in (None, 8)]
    assert keys == [("fail_on", "min_cvss", "missing"), ("fail_on", "min_cvss")]


def test_the_day_on_which_an_age_begins_to_fail():
    policy = policy_of({"fail_on": "none", "older_than": {"high": "30d"}})
    assert policy.due(row(), "2026-11-22T09:00:00Z") == "2026-12-22"
    assert policy.due(row(), None) is policy.due(row(severity="low"), "2026-11-22T09:00:00Z") is None


def test_an_origin_is_kept_without_passwords():
    found = origin_of({"build": "https://jo:secret@ci.example/1", "commit": ""})
    assert found == {"build": "https://ci.example/1", "commit": None, "scan_url": None}
    assert origin_of({"scan_url": "https://app.example/scans/{id}"})["scan_url"] == "https://app.example/scans/{id}"
