# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Scans without a target or tool: what they may be."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.read import Wanted, asked_of
from ansible_collections.scanops.scanner.plugins.module_utils._task.lookup import Place


def wanted(target_id, tool_id, scan_id):
    scan = None if scan_id is None else {"id": scan_id, "target_id": target_id, "tool_id": tool_id}
    return Wanted("a.example", target_id, "Tool", tool_id, Place(2), scan)


WANTED = [wanted(1, 170, 5), wanted(1, 70, 9), wanted(2, 170, None), wanted(None, 170, None)]


def scan(number, target_id, tool_id):
    return {"id": number, "target_id": target_id, "tool_id": tool_id}


@pytest.mark.parametrize(
    "row, newer, hidden, hidden_of_any_tool",
    [
        (scan(7, 1, 170), [], 0, 0),
        (scan(7, 1, None), [0], 0, 1),
        (scan(10, 1, None), [0, 1], 0, 1),
        (scan(4, 1, None), [], 0, 1),
        (scan(7, None, 70), [], 0, 1),
        (scan(10, None, 70), [1], 0, 1),
        (scan(7, None, 170), [0], 1, 1),
        (scan(4, None, 170), [], 1, 1),
        (scan(7, None, None), [0], 1, 1),
        (scan(7, 2, None), [], 1, 1),
        # of a target that is not judged
        (scan(7, 3, None), [], 0, 0),
        (scan(7, None, 20), [], 0, 1),
    ],
    ids=str,
)
def test_a_scan_may_be_what_its_record_does_not_exclude(row, newer, hidden, hidden_of_any_tool):
    judged, said = asked_of(WANTED, [row], False)
    assert [number for number, each in enumerate(judged) if each.doubt] == newer and len(said) == hidden
    assert len(asked_of(WANTED, [row], True)[1]) == hidden_of_any_tool
