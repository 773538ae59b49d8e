# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._gate.judge import decide
from ansible_collections.scanops.scanner.plugins.module_utils._gate.policy import (
    Expect,
    expect_of,
    gaps_in,
    mapping_of,
    policy_of,
)
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_values import DAY, NOW, pair

WEB = pair(tool="Website Scanner", tool_id=170)
NETWORK = pair(tool="Network Scanner", tool_id=350)


def missing(given, *pairs):
    return [(each.target, each.tool, each.tool_id) for each in gaps_in(expect_of(given), pairs)[0]]


def late(given, *pairs):
    return gaps_in(expect_of(given), pairs)[1]


def outcome(given, *pairs, outcomes=None):
    decision = decide(pairs, [], policy=policy_of(None), mapping=mapping_of(outcomes), now=NOW, expect=expect_of(given))
    return decision.outcome, [each.outcome for each in decision.targets]


# --- what is missing


def test_without_an_expectation_nothing_is_missing():
    assert missing(None) == missing({}) == []
    assert late(None, pair(age=None)) == {}


def test_an_expected_target_without_a_scan_is_missing():
    assert missing({"targets": ["a.example", "b.example"]}, WEB) == [("b.example", "any tool", None)]
    assert missing({"targets": ["A.EXAMPLE."]}, WEB) == []


def test_each_expected_tool_must_have_scanned_each_expected_target():
    given = {"targets": ["a.example", "b.example"], "tools": ["Website Scanner", "network scanner"]}
    assert missing(given, WEB) == [
        ("a.example", "Network Scanner", 350),
        ("b.example", "Website Scanner", 170),
        ("b.example", "Network Scanner", 350),
    ]
    assert missing(given, WEB, NETWORK, WEB._replace(target="b.example"), NETWORK._replace(target="b.example")) == []


def test_without_targets_the_tools_must_have_scanned_what_is_judged():
    pairs = [WEB, WEB._replace(target="b.example"), NETWORK]
    assert missing({"tools": ["350"]}, *pairs) == [("b.example", "Network Scanner", 350)]
    assert missing({"tools": ["350"]}) == []


def test_a_target_is_expected_once():
    assert missing({"targets": ["b.example", "B.example", "b.example"]}) == [("b.example", "any tool", None)]


def test_a_missing_pair_says_so():
    (gap,) = gaps_in(expect_of({"targets": ["a.example"], "tools": ["350"]}), [WEB])[0]
    assert gap == pair(
        tool="Network Scanner",
        tool_id=350,
        scan_id=None,
        status="",
        outcome="not_covered",
        finished=None,
        age=None,
        duration=None,
        complete=False,
        reach=None,
        problems=("'a.example' has no scan with Network Scanner, which expect demands: scan the target.",),
    )


def test_a_missing_pair_of_several_workspaces_or_of_an_unknown_target_has_neither():
    pairs = [WEB._replace(target="b.example"), WEB._replace(target="c.example", workspace="Other")]
    (gap,) = gaps_in(expect_of({"targets": ["a.example"]}), pairs)[0]
    assert (gap.workspace, gap.target_id) == (None, None)


def test_expecting_something_where_nothing_was_scanned_is_nothing_scanned():
    assert outcome({"targets": ["a.example"]}) == ("nothing_scanned", ["nothing_scanned"])


def test_a_scan_that_did_not_finish_has_its_own_outcome():
    failed = WEB._replace(outcome="scan_failed", complete=False, age=9 * DAY)
    assert missing({"tools": ["170"]}, failed) == []
    assert late({"tools": ["170"], "max_age": "7d"}, failed) == {}
    assert outcome({"tools": ["170"]}, failed) == ("scan_failed", ["scan_failed"])


# --- what is too old


def test_a_scan_may_be_as_old_as_max_age():
    assert late({"max_age": "7d"}, WEB._replace(age=7 * DAY)) == {}
    assert late({"max_age": "7d"}, WEB._replace(age=8 * DAY)) == {
        0: "The scan of 'a.example' with Website Scanner is 8 days old, and expect.max_age is 7 days: scan the target again."
    }
    assert late({"max_age": 100}, WEB._replace(age=101)) != {}


def test_a_scan_whose_end_is_unknown_is_too_old():
    assert late({"max_age": "7d"}, WEB._replace(age=None)) == {
        0: (
            "The scan of 'a.example' with Website Scanner does not say when it ended, and expect.max_age is 7 days: scan the"
            " target again."
        )
    }
    assert late({"targets": ["a.example"]}, WEB._replace(age=None)) == {}


def test_without_tools_one_recent_scan_of_a_target_is_enough():
    old = NETWORK._replace(age=9 * DAY)
    assert late({"max_age": "7d"}, WEB, old) == {}
    assert set(late({"max_age": "7d"}, WEB._replace(age=8 * DAY), old)) == {0, 1}
    assert set(late({"max_age": "7d"}, WEB._replace(outcome="scan_failed"), old)) == {1}


def test_with_tools_the_scan_of_each_must_be_recent():
    pairs = [WEB, NETWORK._replace(age=9 * DAY), pair(tool="Sniper", tool_id=490, age=90 * DAY)]
    assert set(late({"tools": ["170", "350"], "max_age": "7d"}, *pairs)) == {1}


def test_only_expected_targets_must_be_recent():
    other = WEB._replace(target="b.example", age=90 * DAY)
    assert late({"targets": ["a.example"], "max_age": "7d"}, WEB, other) == {}
    assert set(late({"max_age": "7d"}, WEB, other)) == {1}


def test_a_target_that_was_scanned_too_long_ago_says_so():
    old = WEB._replace(age=8 * DAY)
    decision = decide(
        [old], [], policy=policy_of(None), mapping=mapping_of(None), now=NOW, expect=expect_of({"max_age": "7d"})
    )
    assert decision.targets[0].reasons == (late({"max_age": "7d"}, old)[0],)


def test_a_saved_file_proves_no_scan():
    saved = WEB._replace(saved=True)
    for given in ({"targets": ["a.example"]}, {"max_age": "7d"}, {"tools": ["170"]}):
        assert late(given, saved) == {
            0: (
                "The file does not prove when 'a.example' was scanned, which expect demands: judge the scans of the service."
            )
        }
    assert late(None, saved) == {}


# --- reading


def test_the_option_is_read():
    given = {"targets": [" a.example "], "tools": ["SSL Scanner", "170"], "max_age": "12h"}
    assert expect_of(given) == Expect(("a.example",), (450, 170), 43200)
    assert expect_of({"targets": None, "tools": None, "max_age": None}) == Expect()


@pytest.mark.cases("given, message")
def test_a_wrong_expectation_is_refused(given, message):
    with pytest.raises(WrongOption) as refused:
        expect_of(given)
    assert str(refused.value).startswith(message)


def test_an_expected_name_that_may_be_two_targets_is_not_covered_by_one_of_them():
    pairs = [pair(target="a.example"), pair(target="A.example.", target_id=2)]
    missing, _late = gaps_in(expect_of({"targets": ["A.EXAMPLE"]}), pairs)
    assert [each.problems for each in missing] == [
        ("expect.targets has 'A.EXAMPLE', which may be 'A.example.' or 'a.example': write one of them.",)
    ]
    # an exact name is the one
    assert gaps_in(expect_of({"targets": ["A.example."]}), pairs) == ([], {})
