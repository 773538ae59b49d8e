# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The search for secrets in all that is printed and written forgets no module."""

from __future__ import annotations

import re

import pytest
from ansible_collections.scanops.scanner.tests.unit.conventions.collection import MODULES, ROOT
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.simple_families import MODULES as SIMPLE

PLAY = (ROOT / "tests/integration/targets/secrecy/secrecy.yml").read_text(encoding="utf-8")
TASKS, FAILURES = PLAY.split("    # each kind of failure\n")


# the modules of simple families have no code of their own that prints: run_module searches what all of their tasks print
@pytest.mark.parametrize("module", sorted(set(MODULES) - set(SIMPLE)))
def test_each_module_runs_and_its_result_goes_into_the_cache(module):
    tasks = [task for task in TASKS.split("\n\n") if f"\n      scanops.scanner.{module}:\n" in task]
    assert tasks, "add a task to the integration target secrecy"
    for task in tasks:
        (name,) = re.findall(r"^      register: (\w+)$", task, re.M)
        assert f'- "{{{{ {name} }}}}"' in TASKS, name


def test_failures_are_searched_too():
    assert FAILURES.count("failed_when: ") > 8
