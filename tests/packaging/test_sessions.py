# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each target of the Makefile starts the nox session of its name, so that session must exist."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def sessions() -> set[str]:
    """The names of the sessions that noxfile.py declares as functions of its own."""
    found = set()
    for node in ast.parse((ROOT / "noxfile.py").read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.FunctionDef):
            continue
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "nox.session":
                names = [each.value.value for each in decorator.keywords if each.arg == "name"]
                # nox names a session after the outermost function, which a second decorator replaces
                found.update(names or ([node.name] if len(node.decorator_list) == 1 else []))
    return found


def test_each_target_of_the_makefile_is_a_session():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.search(r"^SESSIONS := (.+)$", makefile, re.M)[1].split())
    assert {"demo", "test"} <= targets
    assert targets - sessions() == set()


@pytest.mark.skipif("NOX_CURRENT_SESSION" not in os.environ, reason="only a session of nox hides what is installed")
def test_a_session_sees_no_collection_that_the_demo_or_the_user_installed(tmp_path):
    """A checkout after the demo, and a home directory with an older release."""
    shutil.copy(ROOT / "ansible.cfg", tmp_path)
    for place in ("build/collections", ".ansible/collections"):
        copy = tmp_path / place / "ansible_collections" / "scanops" / "scanner"
        copy.mkdir(parents=True)
        manifest = {"collection_info": {"namespace": "scanops", "name": "scanner", "version": "0.0.1"}}
        (copy / "MANIFEST.json").write_text(json.dumps(manifest), encoding="utf-8")
    command = ["ansible-galaxy", "collection", "list", "--format", "json"]
    env = {**os.environ, "HOME": str(tmp_path)}
    listed = subprocess.run(command, cwd=tmp_path, env=env, check=False, capture_output=True, text=True).stdout
    assert "scanops.scanner" not in listed
