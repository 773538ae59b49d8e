# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the artefact from this checkout, whatever lies about in it, and looks into the tarball."""

from __future__ import annotations

import json
import posixpath
import re
import subprocess
import tarfile
from pathlib import Path

import pytest
import yaml

CHECKOUT = Path(__file__).parents[2]

# What the artefact may hold at its top. A new entry is added here on purpose, or ignored in galaxy.yml.
TOP_LEVEL = {
    # for the import log of Galaxy
    ".ansible-lint",
    "CHANGELOG.rst",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "FILES.json",
    "LICENSE",
    "LICENSES",
    "MAINTAINERS.md",
    "MANIFEST.json",
    "README.md",
    "REUSE.toml",
    "SECURITY.md",
    "changelogs",
    "docs",
    "extensions",
    "meta",
    "playbooks",
    "plugins",
    "roles",
    "tests",
}
CACHE = re.compile(r"(^|/)(__pycache__|\.[^/]*cache|\.hypothesis|\.nox|\.venv|\.ansible|output|results)(/|$)|\.pyc$|~$")
KEY_FILE = re.compile(r"\.(pem|key|p12|pfx)$|(^|/)(id_[a-z0-9]+|\.netrc|\.env|vault[-_]?pass[^/]*)$")
KEY_TEXT = re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----")
# Where people and build machines keep their checkouts; an example in a text uses another path.
MACHINE_PATH = re.compile(rb"(?<![\w.])/(root|work|builds|Users|home/(?!user\b|you\b)[a-z][\w-]*)/[\w.]")
# In two parts, so that REUSE does not read it as the licence of this file.
SPDX = re.compile(rb"^# SPDX-License-" rb"Identifier: (.+)$", re.M)


@pytest.fixture(scope="module")
def members(tmp_path_factory) -> dict[str, bytes]:
    """Content of each member of the artefact by name; a directory has none."""
    place = tmp_path_factory.mktemp("artefact")
    subprocess.run(
        ["ansible-galaxy", "collection", "build", "--output-path", str(place)],
        cwd=CHECKOUT,
        check=True,
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
    version = yaml.safe_load((CHECKOUT / "galaxy.yml").read_text(encoding="utf-8"))["version"]
    with tarfile.open(place / f"scanops-scanner-{version}.tar.gz") as tarball:
        return {member.name: tarball.extractfile(member).read() if member.isfile() else b"" for member in tarball}


def test_top_level_is_what_was_meant(members):
    assert {name.split("/")[0] for name in members} - TOP_LEVEL == set()


def test_holds_what_a_user_needs(members):
    assert {
        "CHANGELOG.rst",
        "LICENSE",
        "LICENSES/BSD-2-Clause.txt",
        "LICENSES/GPL-3.0-or-later.txt",
        "MANIFEST.json",
        "README.md",
        "meta/ee-requirements.txt",
        "meta/execution-environment.yml",
        "meta/runtime.yml",
    } - set(members) == set()


def test_a_relative_link_of_a_page_leads_to_a_file_of_the_artefact(members):
    """Pages for contributors stay out, so what is left links to them by their address."""
    dead = []
    for name, content in members.items():
        for link in re.findall(r"\]\(([^)#]+)", content.decode()) if name.endswith(".md") else []:
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), link))
            if "://" not in link and not any(f"{each}/".startswith(f"{target}/") for each in members):
                dead.append(f"{name}: {link}")
    assert "CONTRIBUTING.md" in members and dead == []


def test_holds_no_page_for_contributors(members):
    """They describe noxfile.py, the Makefile and release/, which the artefact does not have either."""
    assert [name for name in members if name == "AGENTS.md" or name.startswith("docs/development")] == []


def test_holds_no_cache_and_no_output(members):
    assert [name for name in members if CACHE.search(name)] == []


def test_holds_no_key(members):
    assert [name for name, content in members.items() if KEY_FILE.search(name) or KEY_TEXT.search(content)] == []


def test_names_no_path_of_a_machine(members):
    assert [name for name, content in members.items() if MACHINE_PATH.search(content)] == []


def test_manifest_says_what_galaxy_yml_says(members):
    declared = yaml.safe_load((CHECKOUT / "galaxy.yml").read_text(encoding="utf-8"))
    manifest = json.loads(members["MANIFEST.json"])["collection_info"]
    for field in ("namespace", "name", "version", "authors", "license", "tags", "repository", "issues"):
        assert manifest[field] == declared[field], field


def test_the_execution_environment_reads_existing_requirements(members):
    environment = yaml.safe_load(members["meta/execution-environment.yml"])
    requirements = members[environment["dependencies"]["python"]].decode()
    assert [line for line in requirements.splitlines() if line and not line.startswith("#")] == ["requests>=2.31"]


def test_each_part_has_its_licence(members):
    for name, content in members.items():
        if name.startswith("plugins/") and content:
            expected = "BSD-2-Clause" if name.startswith("plugins/module_utils/") else "GPL-3.0-or-later"
            assert SPDX.findall(content) == [expected.encode()], name
