# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which scan of a target and a tool is the newest one."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.scans import history_of, newest_of


def scans(*rows):
    return [{"id": number, "target_id": target, "tool_id": tool} for number, target, tool in rows]


@pytest.mark.cases("rows, histories, any_tool")
def test_the_scans_of_a_target_and_tool_are_in_order(rows, histories, any_tool):
    for number, expected in enumerate((histories, any_tool)):
        found = history_of(scans(*rows), any_tool=bool(number))
        assert [[scan["id"] for scan in group] for group in found.values()] == expected
        newest = newest_of(scans(*rows), any_tool=bool(number))
        assert [scan["id"] for scan in newest.values()] == [group[0] for group in reversed(expected)]
        assert {key: group[0] for key, group in found.items()} == newest


def test_scans_are_found_by_their_target_and_tool():
    both = scans((1, 11, 170), (2, 11, 490))
    assert newest_of(both) == {(11, 170): both[0], (11, 490): both[1]}
    assert newest_of(both, any_tool=True) == {(11, None): both[1]}
