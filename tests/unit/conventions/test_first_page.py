# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""README.md is short, its tables and its picture are current, and it has what the community and certification ask for."""

from __future__ import annotations

import ast
import re

import pytest
import yaml
from ansible_collections.scanops.scanner.tests.unit.conventions.collection import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
PICTURE = (ROOT / "docs/pictures/run.svg").read_text(encoding="utf-8")
# what the README saves as files, in its order
FILES = ("shop.yml", "gate.yml", "shop.targets.yml")


def constants() -> dict[str, object]:
    """The constants of noxfile.py that are literals."""
    found = {}
    for node in ast.parse((ROOT / "noxfile.py").read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            try:
                found[ast.unparse(target)] = ast.literal_eval(node.value)
            except ValueError:
                continue
    return found


def rows(heading: str) -> list[list[str]]:
    """The rows of the table whose first heading is given."""
    table = README.partition(f"| {heading} |")[2].partition("\n\n")[0].split("\n")[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in table]


def test_the_readme_is_short():
    assert len(README.split()) <= 900


def test_the_table_of_releases_has_what_the_sessions_run():
    found = constants()
    shown = {
        release: (controller, hosts, "(pre-release)" in releases)
        for releases, controller, hosts in rows("ansible-core")
        for release in re.findall(r"\d\.\d+", releases)
    }
    assert shown == {
        release: (
            f"{pythons[0]}–{pythons[-1]}",
            f"{found['MODULE_PYTHON']}–{pythons[-1]}",
            release in found["PRE_RELEASES"],
        )
        for release, (pythons, *_kinds) in found["RELEASES"].items()
    }


def test_the_nightly_workflow_runs_what_the_matrix_leaves_out():
    nightly = yaml.safe_load((ROOT / ".github/workflows/nightly.yml").read_text(encoding="utf-8"))
    sessions = nightly["jobs"]["session"]["strategy"]["matrix"]["session"]
    left = [
        f"{kind}-{release}" for release, (_pythons, _kinds, kinds) in constants()["RELEASES"].items() for kind in kinds
    ]
    assert [name for name in sessions if "-2." in name] == left


def test_each_playbook_of_the_readme_is_saved_under_its_name():
    blocks = re.findall(r"Save this as `([\w.]+)`[^\n]*:\n\n```yaml\n(---\n.*?)```", README, re.DOTALL)
    assert tuple(name for name, _block in blocks) == FILES
    assert README.count("```yaml") == len(blocks) and all(yaml.safe_load(block) for _name, block in blocks)


@pytest.mark.parametrize("name", FILES)
def test_the_picture_runs_the_files_of_the_readme(name):
    assert re.search(rf"\$ ansible-playbook .*{re.escape(name)}\b", PICTURE)


def test_the_picture_can_be_read_on_a_phone():
    width = int(re.search(r'viewBox="0 0 (\d+) ', PICTURE)[1])
    # the page of a file on the repository's host is 358 pixels wide there, and its text must have 10 pixels or more
    assert 14 * 358 / width >= 10


@pytest.mark.parametrize(
    "section", ["Requirements", "Installation", "Communication", "Release notes and licence"]
)  # of the community's checklist and of certification
def test_the_readme_has_a_section(section):
    assert f"\n## {section}\n" in README


def test_the_readme_says_what_it_must_not_hide():
    assert "**It has not been tested against the live service**" in README
    assert "Scan only what you are authorised to scan." in README
    assert "pip install ansible" not in README
