# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

OFFICE = {"name": "Office", "uuid": "6f9619ff-8b86-5011-b42d-00cf4fc964ff"}
PLANT = {"name": "Plant", "uuid": "0e37df36-f698-11e6-8dd4-cb9ced3df976"}
SECOND = {"name": "Office", "uuid": "7d444840-9dc0-11d1-b245-5ffdce74fad2"}


@pytest.fixture(autouse=True)
def _account(service):
    service.add(vpn_profiles=[OFFICE, PLANT, SECOND])


@pytest.mark.parametrize(
    "options, profiles",
    [
        ({}, [OFFICE, PLANT, SECOND]),
        ({"name": "Plant"}, [PLANT]),
        ({"name": "Office"}, [OFFICE, SECOND]),
        ({"name": "office"}, []),
        ({"uuid": PLANT["uuid"].upper()}, [PLANT]),
        ({"uuid": "Plant"}, []),
    ],
    ids=str,
)
def test_profiles_are_returned_by_name_and_by_uuid(service, run, options, profiles):
    assert run("vpn_profile_info", **options)["vpn_profiles"] == profiles
    assert service.calls() == ["GET /vpn_profiles"]


def test_the_case_of_a_uuid_does_not_matter(service, run):
    service.add(vpn_profiles=[{"name": "Loud", "uuid": "AAAAAAAA-AAAA-4AAA-8AAA-AAAAAAAAAAAA"}])
    (found,) = run("vpn_profile_info", uuid=" aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa")["vpn_profiles"]
    assert found["name"] == "Loud"


def test_an_account_without_profiles_has_an_empty_list(service, run):
    service.reset()
    assert run("vpn_profile_info")["vpn_profiles"] == []


@pytest.mark.parametrize("option", ["name", "uuid"])
def test_an_empty_name_or_uuid_is_refused(service, run, option):
    result = run("vpn_profile_info", **{option: " "})
    assert result.failed
    assert f"{option} is empty" in result.msg
    assert service.calls() == []


@pytest.mark.parametrize(
    "row", [{"name": "Office"}, {"uuid": "", "name": "x"}, {"uuid": 7, "name": "x"}, {"uuid": "a"}]
)
def test_a_row_that_is_not_a_profile_is_an_error(service, run, row):
    service.fault(path="/vpn_profiles", action="wrong_type", data=[OFFICE, row])
    result = run("vpn_profile_info")
    assert result.failed
    assert "data that is not a list of VPN profiles" in result.msg
