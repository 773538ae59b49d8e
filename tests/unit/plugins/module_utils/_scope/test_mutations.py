# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""No row of the table in test_scope_cases.py is idle, and no mistake that is listed goes unnoticed."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils._scope.scope_mutations import (
    MUTATIONS,
    mutated,
)
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils._scope.test_cases import (
    TABLE,
    is_right,
    scope_of,
)
from ansible_collections.scanops.scanner.tests.unit.sampling import EXHAUSTIVE

ROWS = {(index, name) for index, (scope, names) in enumerate(TABLE) for name in names}


def red_rows(module):
    """The rows that a module gets wrong, as (index in the table, name). A scope that it cannot read proves nothing."""
    red = set()
    for index, (scope, names) in enumerate(TABLE):
        try:
            compiled = scope_of(module, scope)
        except Exception:
            continue
        for name, reason in names.items():
            try:
                right = is_right(compiled.verdict(name), reason)
            except Exception:
                right = False
            if not right:
                red.add((index, name))
    return red


def test_the_copy_without_a_mistake_gets_every_row_right(tmp_path):
    with mutated(tmp_path, "_scope/rules", "class Scope:", "class Scope:") as module:
        assert red_rows(module) == set()


@pytest.mark.slow
def test_every_mistake_is_noticed_and_every_row_notices_one(tmp_path):
    red = {}
    for mutation in MUTATIONS if EXHAUSTIVE else MUTATIONS[::4]:
        with mutated(tmp_path, *mutation) as module:
            red[mutation] = red_rows(module)
    assert [mutation for mutation, rows in red.items() if not rows] == []
    if EXHAUSTIVE:
        assert ROWS - set().union(*red.values()) == set()
    # a mistake that breaks everything would make every row look useful
    assert [mutation for mutation, rows in red.items() if len(rows) > len(ROWS) / 3] == []
