# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The workflows of docs/examples: valid, with the actions, packages and limits of those in docs/pipelines."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

CHECKOUT = Path(__file__).parents[2]
WORKFLOWS = sorted((CHECKOUT / "docs" / "examples").glob("*/github-actions.yml"))
MODEL = (CHECKOUT / "docs" / "pipelines" / "github-actions.yml").read_text(encoding="utf-8")
BEGINNING = re.compile(r"token=\$\(python .+\n +echo .+\n +trap .+\n")


@pytest.fixture(params=WORKFLOWS, ids=lambda path: path.parent.name)
def workflow(request):
    return request.param


def test_a_workflow_is_valid_by_the_schema_of_github(workflow):
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", str(workflow)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_workflow_uses_the_actions_and_packages_of_the_pipelines(workflow):
    text = workflow.read_text(encoding="utf-8")
    for pattern in (r"uses: .+", r"pip install .+", r"ansible-galaxy collection .+"):
        assert set(re.findall(pattern, text)) <= set(re.findall(pattern, MODEL))
        assert re.search(pattern, text)


def test_a_workflow_may_only_read_and_obeys_no_command_in_the_output(workflow):
    text = workflow.read_text(encoding="utf-8")
    content = yaml.safe_load(text)
    assert content["permissions"] == {}
    assert {str(job["permissions"]) for job in content["jobs"].values()} == {"{'contents': 'read'}"}
    (beginning,) = set(BEGINNING.findall(MODEL))
    assert BEGINNING.findall(text) == [beginning] * len(re.findall(r"^ +ansible-playbook ", text, re.MULTILINE))


def test_forks_do_not_get_the_secrets_and_a_scan_ends_before_the_job(workflow):
    content = yaml.safe_load(workflow.read_text(encoding="utf-8"))
    assert "pull_request_target" not in str(content)
    assert "head.repo.full_name == github.repository" in content["jobs"]["gate"]["if"]
    playbook = (workflow.parent / "preview.yml").read_text(encoding="utf-8")
    seconds = sum(int(each) for each in re.findall(r"(?:queue|run)_timeout: (\d+)", playbook))
    minutes = int(re.search(r"wait: (\d+)m", playbook)[1]) + seconds / 60
    assert "scan_gate_on_timeout: stop" in playbook
    # time for the installation, the calls and the artefacts
    assert minutes + 15 <= content["jobs"]["gate"]["timeout-minutes"]
