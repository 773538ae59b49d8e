# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rooms of module_utils, and what each may import."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.tests.unit.conventions.collection import HELPERS, MODULE_UTILS, imports

# each room with those that it may import; what these import may be reached through them
ROOMS = {
    "_model": set(),
    "_scope": {"_model"},
    "_http": {"_model", "_scope/sealed"},
    "_task": {"_model", "_scope", "_http"},
    "_estate": {"_model", "_scope", "_http", "_task"},
    "_evidence": {"_model", "_scope", "_http", "_task"},
    "_scan": {"_model", "_scope", "_http", "_task", "_evidence"},
    "_gate": {"_model", "_task", "_evidence"},
    "_contract": {"_model", "_scope", "_http", "_task", "_evidence"},
}
# a gate decides about what others have read
WALL = ("_http/", "_scan/", "_task/task", "_task/module")


def reached(name):
    """All files that a file imports, directly or through others."""
    found, left = set(), [name]
    while left:
        new = imports("module_utils", left.pop()) - found
        found |= new
        left += new
    return found


def test_there_are_these_rooms_and_no_loose_file():
    assert {name.partition("/")[0] for name in MODULE_UTILS} == set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_what_stands_below_it(room):
    wrong = [
        (name, other)
        for name in MODULE_UTILS
        if name.startswith(f"{room}/")
        for other in sorted(imports("module_utils", name))
        if not {other, other.partition("/")[0]} & {room, *ROOMS[room]}
    ]
    assert wrong == []


def test_the_gate_reaches_nothing_that_speaks_with_the_service():
    wrong = [
        (name, other)
        for name in MODULE_UTILS
        if name.startswith("_gate/")
        for other in sorted(reached(name))
        if other.startswith(WALL)
    ]
    assert wrong == []


def test_packages_import_nothing():
    texts = {path: path.read_text(encoding="utf-8") for path in HELPERS.rglob("__init__.py")}
    assert [path for path, text in texts.items() if "import" in text] == []
