# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The workflows of this repository: valid, pinned, with few permissions, and with sessions that exist. The self-audit."""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import nox
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

CHECKOUT = Path(__file__).parents[2]
GITHUB = CHECKOUT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
FORMS = [GITHUB / "ISSUE_TEMPLATE" / name for name in ("bug.yml", "feature.yml")]
SCHEMAS = {
    **{path: ["vendor.github-workflows"] for path in WORKFLOWS},
    **{path: ["vendor.github-issue-forms"] for path in FORMS},
    GITHUB / "ISSUE_TEMPLATE" / "config.yml": ["vendor.github-issue-config"],
    GITHUB / "dependabot.yml": ["vendor.dependabot"],
}
# What a job may do beyond reading the repository, and why it must.
WRITES = {
    # the record of the provenance
    "provenance": {"attestations": "write", "id-token": "write"},
    # the release of the repository, or the pages of the documentation
    "publish": {"contents": "write", "pages": "write", "id-token": "write"},
}


def named(path: Path) -> str:
    return path.relative_to(CHECKOUT).as_posix()


def read(path: Path) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def jobs() -> Iterator[tuple[str, str, dict]]:
    """Workflow, name and content of each job."""
    for path in WORKFLOWS:
        for name, job in read(path)["jobs"].items():
            yield path.stem, name, job


@functools.cache
def sessions() -> set[str]:
    """The names of all sessions that nox lists."""
    command = [sys.executable, "-m", "nox", "--list"]
    done = subprocess.run(command, cwd=CHECKOUT, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(re.findall(r"^[*-] ([\w.-]+)", done.stdout, re.MULTILINE))


@pytest.mark.parametrize("path", SCHEMAS, ids=named)
def test_a_file_of_a_platform_is_valid_by_its_schema(path):
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", *SCHEMAS[path], str(path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_all_workflows_use_the_same_version_of_an_action():
    examples = [*WORKFLOWS, *(CHECKOUT / "docs" / "pipelines").glob("*github-actions.yml")]
    used = {line for path in examples for line in re.findall(r"uses: (actions/.+)", path.read_text(encoding="utf-8"))}
    names = [line.partition("@")[0] for line in used]
    assert sorted(set(names)) == sorted(names)


@pytest.mark.parametrize("workflow, name, job", list(jobs()), ids=lambda value: value if isinstance(value, str) else "")
def test_a_job_may_only_read_unless_it_must_write(workflow, name, job):
    permissions = job["permissions"]
    allowed = {"contents": "read", **WRITES.get(name, {})}
    assert {scope: right for scope, right in permissions.items() if allowed.get(scope) != right} == {}


def test_only_the_environment_of_releases_has_secrets():
    with_secrets = {name: job.get("environment") for dummy, name, job in jobs() if "secrets." in str(job)}
    assert with_secrets == {"sign": "release", "publish": "release"}


def test_only_tested_commits_are_signed_and_published():
    release = read(GITHUB / "workflows" / "release.yml")["jobs"]
    assert release["test"]["uses"] == "$/.github/workflows/ci.yml" and "test" in release["sign"]["needs"]
    assert "sign" in release["publish"]["needs"]


def test_the_cells_are_listed_with_the_pythons_that_run_them():
    jobs = read(GITHUB / "workflows" / "ci.yml")["jobs"]
    listed, run = (
        [step["with"]["python-version"] for step in jobs[name]["steps"] if "setup-python" in step.get("uses", "")]
        for name in ("cells", "matrix")
    )
    assert listed == run


def test_each_target_of_the_makefile_is_a_session():
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    targets = set(" ".join(re.findall(r"^(?:SESSIONS|COMMANDS) := (.+)$", makefile, re.M)).split())
    assert {"demo", "test"} <= targets <= sessions()


@pytest.mark.skipif("NOX_CURRENT_SESSION" not in os.environ, reason="only a session of nox hides what is installed")
def test_a_session_sees_no_collection_that_the_demo_or_the_user_installed(tmp_path):
    """A checkout after the demo, and a home directory with an older release."""
    shutil.copy(CHECKOUT / "ansible.cfg", tmp_path)
    for place in ("build/collections", ".ansible/collections"):
        copy = tmp_path / place / "ansible_collections" / "scanops" / "scanner"
        copy.mkdir(parents=True)
        manifest = {"collection_info": {"namespace": "scanops", "name": "scanner", "version": "0.0.1"}}
        (copy / "MANIFEST.json").write_text(json.dumps(manifest), encoding="utf-8")
    command = ["ansible-galaxy", "collection", "list", "--format", "json"]
    env = {**os.environ, "HOME": str(tmp_path)}
    listed = subprocess.run(command, cwd=tmp_path, env=env, check=False, capture_output=True, text=True).stdout
    assert "scanops.scanner" not in listed


def test_each_sample_has_its_complete_session_at_night():
    nightly = read(GITHUB / "workflows" / "nightly.yml")["jobs"]["session"]["strategy"]["matrix"]["session"]
    complete = {name.removesuffix("-sample") for name in sessions() if name.endswith("-sample")}
    of_a_release = {name for name in nightly if re.search(r"-2\.[0-9]+$", name)}
    assert complete and complete <= set(nightly) and set(nightly) - of_a_release <= sessions()


@pytest.mark.parametrize("path", WORKFLOWS, ids=named)
def test_each_session_that_a_workflow_names_exists(path):
    text = path.read_text(encoding="utf-8")
    assert set(re.findall(r"--session ([a-z][\w-]*)", text)) <= sessions()


def test_the_lock_has_what_the_groups_name():
    project = nox.project.load_toml(CHECKOUT / "pyproject.toml")
    # the groups of the releases have the versions of ansible-core, and a release of the collection has a lock of its own
    groups = [name for name in project["dependency-groups"] if not name.startswith(("core-", "release"))]
    wanted = {Requirement(each).name for each in nox.project.dependency_groups(project, *groups)} - {"ansible-core"}
    locked = re.findall(r"^([\w.-]+)==", (CHECKOUT / "requirements.txt").read_text(encoding="utf-8"), re.MULTILINE)
    assert {canonicalize_name(name) for name in wanted} <= set(locked)


def test_the_collection_itself_has_no_upper_bound():
    lines = (CHECKOUT / "meta" / "ee-requirements.txt").read_text(encoding="utf-8").split("\n")
    assert [line for line in lines if re.match(r"\w", line) and re.search(r"<|==|~=", line)] == []


AUDIT = (CHECKOUT / "docs" / "audit.md").read_text(encoding="utf-8")


def test_each_session_of_the_audit_exists():
    named = re.findall(r"[Ss]essions? ((?:`[\w.-]+`(?:, | and | to )?)+)", AUDIT)
    names = {name for each in named for name in re.findall(r"`([\w.-]+)`", each)}
    own = {name for name in names if not re.match(r"(sanity|units)-", name)}
    assert len(own) > 8 and own <= sessions()
