# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

STATE = {
    "workspaces": [
        {"id": 2, "name": "Web shop", "description": "x"},
        {"id": 3, "name": "Twin"},
        {"id": 4, "name": "Twin"},
    ]
}


@pytest.fixture(autouse=True)
def _account(service):
    service.add(**STATE)


def test_all_workspaces_are_returned_in_the_order_of_the_service(run):
    assert [row["id"] for row in run("workspace_info")["workspaces"]] == [1, 2, 3, 4]


def test_a_record_is_returned_with_all_fields(run):
    assert run("workspace_info", name="Web shop")["workspaces"] == [{"id": 2, "name": "Web shop", "description": "x"}]
