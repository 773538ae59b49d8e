# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a scope says to a name: one table. test_mutations.py shows that no row of it is idle."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._scope import rules as _scope
from ansible_collections.scanops.scanner.tests.unit.plugins.case_files import cases_of

# (scope, or the file's and the task's; {name: words of the reason, or None where it is allowed})
TABLE = [
    ((row["file"], row["task"]) if "file" in row else row["scope"], row["names"]) for row in cases_of(__file__)["TABLE"]
]
# no YAML file can have half of a surrogate pair
TABLE.append(({"allow": ["allowed.example"]}, {"allowed.example\ud800": "has white space, a control or an invisible"}))

CASES = [(scope, name, reason) for scope, names in TABLE for name, reason in names.items()]


def scope_of(module, scope):
    """The Scope of a row, made by the module given: the real one, or a changed one."""
    if not isinstance(scope, tuple):
        return module.compile_scope(scope)
    file_scope, task_scope = scope
    return module.combine(
        None if file_scope is None else module.compile_scope(file_scope, "file"),
        None if task_scope is None else module.compile_scope(task_scope),
    )


def is_right(verdict, reason):
    """Whether a verdict is what a row says."""
    return verdict is None if reason is None else verdict is not None and reason in verdict


@pytest.mark.parametrize("scope, name, reason", CASES, ids=[ascii(name)[1:60] for scope, name, reason in CASES])
def test_verdict(scope, name, reason):
    verdict = scope_of(_scope, scope).verdict(name)
    assert is_right(verdict, reason), verdict


def test_table_is_large():
    assert len(CASES) >= 150
