# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The changelog is what its fragments, the plugins and the roles give."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import yaml

CHECKOUT = Path(__file__).parents[2]
RELEASES = "changelogs/changelog.yaml"
WRITTEN = (RELEASES, "CHANGELOG.rst")
DIRECTORIES = ("changelogs", "meta", "playbooks", "plugins", "roles")
# What the session `changelog` runs.
WRITE = ("release", "--update-existing", "--refresh", "--reload-plugins")


def read(path: str) -> str:
    return (CHECKOUT / path).read_text(encoding="utf-8")


def date_of_release() -> list[str]:
    """The option that keeps the recorded date, which `release` sets to today."""
    version = yaml.safe_load(read("galaxy.yml"))["version"]
    recorded = yaml.safe_load(read(RELEASES))["releases"].get(version)
    return [f"--date={recorded['release_date']}"] if recorded else []


def test_the_changelog_is_what_the_fragments_and_plugins_give(tmp_path):
    for name in DIRECTORIES:
        shutil.copytree(
            CHECKOUT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", ".plugin-cache.yaml")
        )
    shutil.copy(CHECKOUT / "galaxy.yml", tmp_path)
    command = [sys.executable, "-m", "antsibull_changelog", *WRITE, *date_of_release()]
    done = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    for name in WRITTEN:
        written = (tmp_path / name).read_text(encoding="utf-8")
        assert read(name) == written, (
            f"{name} is stale: run nox -s changelog, for a new release with its version in galaxy.yml"
        )
