# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The programs of the benchmarks that import the collection by text, which no other check reads, find what they measure."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats import registry
from ansible_collections.scanops.scanner.tests.unit.conventions.collection import ROOT

# what contains ansible_collections, which can be a link to the checkout
COLLECTIONS = str(Path(registry.__file__).parents[6])


@pytest.mark.parametrize(
    "arguments",
    [
        ("judge_findings.py", COLLECTIONS, "20", "900", "5", "1"),
        ("export_findings.py", COLLECTIONS, "html", "20", "900", "1"),
    ],
)
def test_a_program_prints_the_seconds_of_both_sides(arguments):
    command = [sys.executable, str(ROOT / "tests/bench" / arguments[0]), *arguments[1:]]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True)
    assert done.returncode == 0, done.stdout
    ours, other, *_more = map(float, done.stdout.split())
    assert ours >= 0 and other >= 0
