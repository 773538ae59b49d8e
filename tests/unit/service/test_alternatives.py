# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The table of the code that exists for one form of answers, which `make replay` compares with a recording."""

from __future__ import annotations

import ast

import pytest
from ansible_collections.scanops.scanner.tests.recordings.made import SETTINGS, path_of
from ansible_collections.scanops.scanner.tests.replay.alternatives import ALTERNATIVES
from ansible_collections.scanops.scanner.tests.service.recorded import SHOWN_BY, read, settings_of
from ansible_collections.scanops.scanner.tests.service.settings import SETTINGS as KNOWN
from ansible_collections.scanops.scanner.tests.unit.conventions.collection import ROOT


def names_in(body, prefix=""):
    """The functions and classes of a file, and the methods as Class.method."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield prefix + node.name
            yield from names_in(node.body, f"{prefix}{node.name}.") if isinstance(node, ast.ClassDef) else ()


@pytest.mark.parametrize("each", ALTERNATIVES, ids=[f"{each.setting}-{each.name}" for each in ALTERNATIVES])
def test_the_code_of_an_alternative_exists(each):
    text = (ROOT / "plugins" / each.file).read_text(encoding="utf-8")
    assert each.name in set(names_in(ast.parse(text).body))
    assert each.setting in {function.__name__ for function in SHOWN_BY}
    assert each.value is True or KNOWN[each.setting].check.passes(each.value)


def test_a_recording_excludes_the_forms_that_it_does_not_show():
    usual, other = (settings_of(read(path_of(name))) for name in ("local-service", "deviating"))
    for each in ALTERNATIVES:
        deviates = SETTINGS["deviating"].get(each.setting) == each.value
        assert each.is_excluded(usual) is (each.value != KNOWN[each.setting].default and each.setting in usual), each
        assert each.is_excluded(other) is (not deviates and each.setting in other), each
        assert not each.is_excluded({})
