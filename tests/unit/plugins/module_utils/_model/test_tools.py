# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption
from ansible_collections.scanops.scanner.plugins.module_utils._model.tools import TOOLS, tool_id_of


@pytest.mark.cases("text, number")
def test_tools_by_name_and_id(text, number):
    assert tool_id_of(text) == number


def test_each_name_is_known_by_itself():
    assert len({name.lower() for name in TOOLS}) == len(TOOLS)
    for name, number in TOOLS.items():
        assert tool_id_of(name) == number


@pytest.mark.parametrize(
    "text, hint",
    [
        ("Website Scaner", "did you mean 'Website Scanner'?"),
        ("webscanner", "did you mean"),
        ("Drupal", "did you mean 'Drupal Scanner'?"),
        ("zzz", "give its id"),
        ("", "give its id"),
        ("0", "give its id"),
        ("-5", "give its id"),
        ("1.5", "give its id"),
        ("x" * 500, "give its id"),
        ("a\x1b[31m", "give its id"),
    ],
)
def test_what_is_no_tool_is_answered_with_the_nearest(text, hint):
    with pytest.raises(WrongOption) as caught:
        tool_id_of(text)
    assert hint in str(caught.value)
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 300
