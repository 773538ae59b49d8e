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
