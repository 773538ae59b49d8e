# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Values of records."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._model.records import number_in

NUMBERS = [
    (7, 7), (0, 0), (7.0, 7), ("7", 7), (" 12 ", 12), ("9" * 15, 10**15 - 1), ("9" * 16, None), ("9" * 5000, None),
    (-1, None), (7.5, None), (True, None), (None, None), ("", None), ("7.0", None), ("-1", None), ("\u0663", None), ([], None),
]  # fmt: skip


@pytest.mark.parametrize("value, number", NUMBERS, ids=lambda value: repr(value)[:20])
def test_a_count_in_any_form(value, number):
    assert number_in(value) == number
