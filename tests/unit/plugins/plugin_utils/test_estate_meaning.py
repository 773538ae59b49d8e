# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether a file of an estate means the same as the account."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.plugin_utils._estate_files import differing

LIVE = [
    {
        "name": "Shop",
        "id": 2,
        "description": "Till",
        "targets": [{"name": "app-2.example.com"}, {"name": "app-10.example.com", "description": "Ten"}],
        "http_loggers": [{"label": "canary"}],
    },
    {"name": "Lab", "id": 3, "targets": [], "http_loggers": []},
]
SHOP, LAB = LIVE
TEN, TWO = SHOP["targets"][::-1]
# declared and left alone, but not in the account
GONE = {"name": "gone.example.com", "ignore": True}

SAME = {
    "the same": LIVE,
    "another order": [LAB, {**SHOP, "targets": [TEN, TWO]}],
    "a shorter form": [{**SHOP, "targets": ["app-2.example.com", TEN]}, LAB],
    "what is not set": [{**SHOP, "targets": [{**TWO, "description": "", "ignore": False}, TEN]}, LAB],
    "what only this collection knows": [{**SHOP, "new": True, "targets": [{**TWO, "protect": True}, TEN]}, LAB],
    "what is left alone": [{**SHOP, "targets": [{**TEN, "description": "X", "ignore": True}, TWO, GONE]}, LAB],
    "what was retired": [*LIVE, {"name": "Old", "id": 9, "state": "absent"}],
    "without an empty list": [SHOP, {"name": "Lab"}],
    "another spelling": [{**SHOP, "targets": ["APP-2.example.com", TEN]}, LAB],
    "a text in another form": [
        {**SHOP, "description": " Till\n", "targets": [TWO, {**TEN, "description": "Ten\n"}]},
        LAB,
    ],
    "an empty text": [{**SHOP, "targets": [{**TWO, "description": "\n"}, TEN]}, LAB],
    "without an id": [{key: each for key, each in SHOP.items() if key != "id"}, LAB],
}
OTHER = {
    "a target less": (
        [{**SHOP, "targets": [TEN]}, LAB],
        ["target 'app-2.example.com' of 'Shop' (only in the account)"],
    ),
    "a target more": (
        [{**SHOP, "targets": [TWO, TEN, "new.example.com"]}, LAB],
        ["target 'new.example.com' of 'Shop' (only in the file)"],
    ),
    "a description": (
        [{**SHOP, "targets": [TWO, {**TEN, "description": "X"}]}, LAB],
        ["target 'app-10.example.com' of 'Shop' (differs)"],
    ),
    "a word of this code": ([{**SHOP, "description": "ignored"}, LAB], ["workspace 'Shop' (differs)"]),
    "the workspace": ([{**SHOP, "description": "X"}, LAB], ["workspace 'Shop' (differs)"]),
    "another name": (
        [{**SHOP, "name": "Web"}, LAB],
        ["workspace 'Shop' (only in the account)", "workspace 'Web' (only in the file)"],
    ),
    "no list": (
        [{**SHOP, "http_loggers": None}, LAB],
        ["HTTP logger 'canary' of 'Shop' (only in the account)"],
    ),
    "retired": ([SHOP, {**LAB, "state": "absent"}], ["workspace 'Lab' (differs)"]),
    "another id": ([{**SHOP, "id": 9}, LAB], ["workspace 'Shop' (differs)"]),
}


@pytest.mark.parametrize("declared", SAME.values(), ids=SAME)
def test_a_file_may_mean_the_same(declared):
    assert differing(declared, LIVE) == []


@pytest.mark.parametrize("declared, differs", OTHER.values(), ids=OTHER)
def test_what_differs_is_named(declared, differs):
    found = differing(declared, LIVE)
    assert set(differs) <= set(found)
    assert len(found) == len(differs) or "another name" in str(differs) or "'Web'" in str(found)
