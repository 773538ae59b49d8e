# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The recipes for gate.json, run as they are in docs/recipes."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_documents import (
    document,
    mixed,
    pair,
    row,
    waived,
)

PAGE = Path(__file__).resolve().parents[5] / "docs/recipes/README.md"
JQ = shutil.which("jq")
COMMANDS = re.findall(r"^\$ (jq .+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
EXPLOITED = document([row(1, known_exploited=True), row(2, known_exploited=True, change="known"), row(3)])


def recipe(word):
    (found,) = (command for command in COMMANDS if word in command)
    return found


@pytest.fixture
def run(tmp_path):
    """Run the recipe with this word on documents; the status and the output."""
    if JQ is None:
        pytest.skip("No jq was found: install it")

    def runner(word, of, before=None):
        (tmp_path / "gate.json").write_text(json.dumps(of), encoding="utf-8")
        (tmp_path / "before.json").write_text(json.dumps(before), encoding="utf-8")
        done = subprocess.run(shlex.split(recipe(word)), check=False, cwd=tmp_path, capture_output=True, text=True)
        return done.returncode, done.stdout

    return runner


def test_new_exploited_findings_fail(run):
    assert run("known_exploited", EXPLOITED)[0] == 1
    assert run("known_exploited", document(EXPLOITED["findings"][1:]))[0] == 0


def test_waived_findings_are_counted_by_owner(run):
    other = waived(2, waiver={**waived(2)["waiver"], "owner": "team-db"})
    assert json.loads(run("owner", document([row(9), waived(1), other, waived(3)]))[1]) == {"team-db": 1, "team-web": 2}


def test_targets_without_a_scan_are_listed(run):
    of = document(
        [],
        [
            pair(),
            pair("b.example", "web", status="stopped", outcome="scan_failed"),
            pair("c.example", status="", outcome="not_covered"),
        ],
    )
    assert run("@tsv", of)[1] == "b.example\tweb\tscan_failed\nc.example\ttls\tnot_covered\n"


def test_two_runs_are_compared(run):
    (code, text) = run("--slurp", document([row(2), row(3)]), before=document([row(1), row(2)]))
    assert (code, json.loads(text)) == (0, {"gone": [row(1)["fingerprint"]], "came": [row(3)["fingerprint"]]})


def test_a_message_names_the_outcome(run):
    assert json.loads(run("text:", mixed())[1]) == {"text": "findings: 4 of 10 findings fail. 4 findings fail."}
