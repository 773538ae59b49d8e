# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each assumption of the guide has a verdict of service_verification, and each verdict an assumption of the guide."""

from __future__ import annotations

import re

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._verification.task import ROWS
from ansible_collections.scanops.scanner.tests.unit.conventions.collection import ROOT

GUIDE = (ROOT / "docs/docsite/rst/guide_assumptions.rst").read_text(encoding="utf-8")
# the first cell of each row, without its heading
CELLS = re.findall(r"\n   \* - (.*)", GUIDE.partition(".. list-table::")[2])[1:]
NAMED = [re.match(r"``([a-z-]+)``: (.*)", cell) for cell in CELLS]


def test_the_guide_and_the_table_of_verdicts_have_the_same_assumptions_in_the_same_order():
    unnamed = [cell for cell, named in zip(CELLS, NAMED) if not named]
    assert unnamed == [], "begin each row with its name, as in ``past-end``:, and add a Row of this name"
    names = [row.name for row in ROWS]
    assert [named[1] for named in NAMED] == names
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_guide_begins_with_the_sentence_of_the_table(row):
    (text,) = [named[2] for named in NAMED if named and named[1] == row.name]
    assert text.replace("``", "").startswith(row.assumption)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_an_assumption_is_one_sentence_and_the_reason_of_one_that_is_not_tried_a_clause(row):
    assert row.assumption.endswith(".") and ". " not in row.assumption
    if row.judge is None:
        assert row.missing and not row.missing.endswith(".")
