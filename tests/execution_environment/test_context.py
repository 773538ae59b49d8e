# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The definition of the execution environment: ansible-builder accepts it, and each step of the image that needs no
container engine does what it should."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

CHECKOUT = Path(__file__).parents[2]
DEFINITION = CHECKOUT / "ee" / "execution-environment.yml"
GUIDE = CHECKOUT / "docs" / "docsite" / "rst" / "guide_pipelines.rst"
WORKFLOW = CHECKOUT / ".github" / "workflows" / "ee.yml"
GALAXY = yaml.safe_load((CHECKOUT / "galaxy.yml").read_text(encoding="utf-8"))
ARTEFACT = f"scanops-scanner-{GALAXY['version']}.tar.gz"
# Registries that need no login for this image.
FREE = ("quay.io/centos/", "quay.io/fedora/", "quay.io/rockylinux/")


def run(*command: object, cwd: Path, **variables: object) -> str:
    words = [str(word) for word in command]
    env = {**os.environ, **{name: str(value) for name, value in variables.items()}}
    done = subprocess.run(
        words, cwd=cwd, check=False, text=True, stdin=subprocess.DEVNULL, capture_output=True, env=env
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """A directory with a copy of ee/, the artefact in it, and the build context in build/ee."""
    place = tmp_path_factory.mktemp("ee")
    (place / "ee").mkdir()
    shutil.copy(DEFINITION, place / "ee")
    # the commands of the definition's first lines
    run("ansible-galaxy", "collection", "build", "--output-path", place / "ee", cwd=CHECKOUT)
    create = "ansible-builder create --file ee/execution-environment.yml --context build/ee"
    # whichever container engine is installed
    printed = run(*create.split(), "--output-filename", "Containerfile", cwd=place)
    # only a warning: ansible-builder creates a context without the file
    assert "No matches" not in printed
    return place


@pytest.fixture(scope="module")
def steps(place) -> list[str]:
    """The lines of the Containerfile."""
    return (place / "build" / "ee" / "Containerfile").read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def installed(place, steps) -> Path:
    """Where the collection is, installed by the command of the Containerfile from a copy of its /build.

    The user has installed another copy of the same version.
    """
    (line,) = [step for step in steps if "ansible-galaxy collection install" in step]
    variable, *command = shlex.split(line.removeprefix("RUN "))
    assert variable.startswith("ANSIBLE_GALAXY_DISABLE_GPG_VERIFY=")
    command = [word for word in command if not word.startswith("$")]
    where = command.index("--collections-path") + 1
    context = place / "build" / "ee" / "_build"
    for installed in (place / "home" / "collections", place / "collections"):
        command[where] = str(installed)
        # nothing but the context: no Galaxy server, and no collection that is installed elsewhere
        variables = {"ANSIBLE_HOME": place / "home", "ANSIBLE_COLLECTIONS_PATH": installed}
        run(*command, "--offline", cwd=context, **variables)
    return installed


def argument(steps: list[str], name: str) -> str:
    """The value of a build argument."""
    (value,) = [step for step in steps if step.startswith(f'ARG {name}="')]
    return value.partition('"')[2].rstrip('"')


def test_the_base_image_needs_no_account(steps):
    assert argument(steps, "EE_BASE_IMAGE").startswith(FREE)


def test_the_image_gets_ansible_core_and_ansible_runner(steps):
    packages = argument(steps, "ANSIBLE_INSTALL_REFS")
    assert "ansible-core~=" in packages and "ansible-runner~=" in packages
    assert [step for step in steps if "pip install" in step and "$ANSIBLE_INSTALL_REFS" in step], steps


def test_the_definition_names_the_artefact_of_this_version():
    text = DEFINITION.read_text(encoding="utf-8")
    assert set(re.findall(r"scanops-scanner-[\w.]+?\.tar\.gz", text)) == {ARTEFACT}


def test_the_context_holds_one_artefact_and_no_other_file_of_the_checkout(place):
    build = place / "build" / "ee" / "_build"
    files = {path.relative_to(build).as_posix() for path in build.rglob("*") if path.is_file()}
    assert {name for name in files if not name.startswith("scripts/")} == {
        "requirements.yml", "bindep.txt", f"artefact/{ARTEFACT}",
    }  # fmt: skip


def test_the_step_of_the_image_installs_the_collection_from_its_artefact(installed):
    manifest = installed / "ansible_collections" / "scanops" / "scanner" / "MANIFEST.json"
    assert json.loads(manifest.read_text(encoding="utf-8"))["collection_info"]["version"] == GALAXY["version"]


def test_introspect_finds_requests_and_nothing_else(installed):
    found = yaml.safe_load(run("ansible-builder", "introspect", installed, cwd=installed))
    assert found == {"python": ["requests>=2.31  # from collection scanops.scanner"], "system": []}


def test_the_step_of_the_image_requires_requests_and_a_client_of_ssh(place, steps, installed):
    """The script that the image runs, with the options of its step."""
    (line,) = [step for step in steps if "introspect.py" in step]
    options = shlex.split(line.partition(" introspect ")[2])
    build = place / "build" / "ee" / "_build"
    options = [option.replace("/tmp/src/", f"{place}/") for option in options]
    run(sys.executable, "scripts/introspect.py", "introspect", installed, *options, cwd=build)
    assert (place / "requirements.txt").read_text(encoding="utf-8").splitlines() == [
        "requests>=2.31  # from collection scanops.scanner"
    ]
    assert (place / "bindep.txt").read_text(encoding="utf-8").startswith("openssh-clients ")


def test_the_guide_links_to_the_definition_and_shows_its_commands():
    guide = GUIDE.read_text(encoding="utf-8")
    text = DEFINITION.read_text(encoding="utf-8")
    assert f"/blob/main/{DEFINITION.relative_to(CHECKOUT).as_posix()}>" in guide
    # what a definition of one's own needs
    for entry in re.findall(r"``(\w+)`` and ``(\w+)``\. Another base image", guide)[0]:
        assert re.search(rf"^ *{entry}:$", text, re.MULTILINE)
    for command in re.findall(r"^#   (ansible-.*)$", text, re.MULTILINE):
        assert f"   $ {command}\n" in guide


def test_the_workflow_builds_with_the_commands_of_the_definition_and_may_only_read():
    text = WORKFLOW.read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {}
    assert [job["permissions"] for job in workflow["jobs"].values()] == [{"contents": "read"}]
    scripts = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    for command in re.findall(r"^#   (ansible-.*)$", DEFINITION.read_text(encoding="utf-8"), re.MULTILINE):
        assert any(script.startswith(command) for script in scripts), command
    for line in re.findall(r"uses: (.+)", text):
        assert re.fullmatch(r"[\w-]+(/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line), line
