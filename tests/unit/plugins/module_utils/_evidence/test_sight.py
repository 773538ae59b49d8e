# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether a scan could see everything, and whether it tested as much as another one."""

from __future__ import annotations

import json

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.sight import (
    could_see,
    reach_of,
    why_incomplete,
    why_narrower,
    words_of,
)

SCAN = {
    "id": 5,
    "status_name": "finished",
    "progress": 100,
    "num_tests": 10,
    "num_finished_tests": 10,
    "tool_params": {},
}


@pytest.mark.cases("fields, why")
def test_a_scan_sees_everything_if_it_ran_all_of_its_tests(fields, why):
    assert why_incomplete({**SCAN, **fields}) == why
    assert could_see({**SCAN, **fields}) is (not why)
    assert could_see({**SCAN, **fields, "status_name": "stopped"}) is False


def test_a_scan_without_the_fields_does_not_say_what_it_ran():
    assert could_see({"id": 5, "status_name": "Finished"}) is False


def test_what_a_scan_says_about_itself_is_shown_and_escaped():
    scan = {
        **SCAN,
        "num_finished_tests": 0,
        "status_message": "Host\x1b[31m is down",
        "result_summary": {"text": "0 findings"},
    }
    assert words_of(scan) == "Host\\x1b[31m is down"
    assert why_incomplete(scan).startswith("Scan 5 finished only 0 of its 10 tests (it says ")
    assert "is down; 0 findings" in why_incomplete(scan)
    assert words_of({**SCAN, "status_message": " ", "result_summary": None}, True) == ""


def reach(**fields):
    return reach_of({**SCAN, **fields})


@pytest.mark.cases("params")
def test_the_same_parameters_are_not_narrower(params):
    again = json.loads(json.dumps(params, sort_keys=True))
    assert why_narrower(reach(tool_params=params), reach(tool_params=again)) == ""


@pytest.mark.cases("before, after")
def test_other_parameters_may_be_narrower(before, after):
    assert why_narrower(reach(tool_params=after), reach(tool_params=before)) != ""


def test_where_it_scans_from_counts():
    for field, value in (("vpn_profile_uuid", "u"), ("redirect_level", "same_domain"), ("scan_original_url", True)):
        assert why_narrower(reach(**{field: value}), reach()) == "its parameters are others"
    # absent, null and false are the same
    assert why_narrower(reach(scan_original_url=False, vpn_profile_uuid=None), reach()) == ""


def test_a_reach_holds_no_secret():
    secret = "s3cret-cookie"
    login = {"type": "cookies", "params": {"cookie_header": secret}}
    one, other = ({"authentication": {**login, "params": {"cookie_header": each}}} for each in (secret, "another"))
    assert secret not in str(reach(tool_params=one)._asdict())
    # nor does it change with one
    assert reach(tool_params=one) == reach(tool_params=other)


@pytest.mark.parametrize("params", [None, "light", ["light"]])
def test_a_record_without_parameters_has_no_known_reach(params):
    assert reach(tool_params=params) is None
    assert why_narrower(None, reach()) != "" and why_narrower(reach(), None) != ""
    assert reach(tool_params=[]) == reach(tool_params={})


@pytest.mark.cases("before, after, narrower")
def test_parameters_are_compared_as_a_whole(before, after, narrower):
    scans = [reach_of({**SCAN, "tool_params": params}) for params in (after, before)]
    assert bool(why_narrower(*scans)) is narrower
