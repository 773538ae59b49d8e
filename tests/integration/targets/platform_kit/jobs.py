# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run what docs/awx/configure.yml creates as the platform does: the project in a directory of its own, the environment and
the file of the credential, the answers of the surveys as extra variables, and the statistics of a job as extra variables of
the next one.

    python jobs.py DIRECTORY
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jinja2
import yaml

HERE = Path(__file__).resolve()
sys.path.append(str(HERE.parents[1] / "setup_service" / "files"))
from start import local_service, requests_file  # noqa: E402

COLLECTION = next(directory for directory in HERE.parents if (directory / "docs" / "awx" / "configure.yml").is_file())
KIT = COLLECTION / "docs" / "awx"
STATISTICS = re.compile(r"^\tRUN: (\{.*\})$", re.MULTILINE)
ACCOUNT = {
    "workspaces": [{"name": "Web shop", "description": "What customers reach"}],
    "targets": [
        {"name": name, "workspace": "Web shop"}
        for name in ["shop.example.com", "old.example.com", *(f"app-{n:02}.example.com" for n in range(30))]
    ],
}


class Loader(yaml.SafeLoader):
    """Reads !unsafe as text."""


Loader.add_constructor("!unsafe", Loader.construct_scalar)


def load(name: str) -> object:
    return yaml.load((KIT / name).read_text(encoding="utf-8"), Loader)


SETTINGS = load("settings.yml")
TASKS = load("configure.yml")[0]["tasks"]


def objects(module: str) -> dict[str, dict]:
    """The objects that tasks with this module create, by name."""
    key = f"ansible.controller.{module}"
    return {task[key]["name"]: task[key] for task in TASKS if key in task}


def rendered(value: object, variables: dict) -> object:
    """A value with its templates, as ansible-core does for strings."""
    return jinja2.Template(value).render(**variables) if isinstance(value, str) else value


class Platform:
    """A platform with one project, one credential and one account."""

    def __init__(self, service, directory: Path):
        self.service = service
        self.directory = directory
        self.project = directory / "project"
        shutil.copytree(KIT / "project", self.project)
        self.hosts = directory / "hosts"
        (host,) = objects("host").values()
        self.hosts.write_text(yaml.safe_dump({"all": {"hosts": {host["name"]: host["variables"]}}}), encoding="utf-8")
        self.environment = self.inject()

    def inject(self) -> dict[str, str]:
        """The environment of a job: what the injectors of the credential type set."""
        injectors = objects("credential_type")["Scanner"]["injectors"]
        scope = self.directory / "credential"
        values = {
            "base_url": self.service.base_url,
            "api_key": self.service.api_key,
            "scope": yaml.safe_dump(SETTINGS["platform_scope"]),
            "rate_share": SETTINGS["platform_rate_share"],
            "tower": {"filename": str(scope)},
        }
        scope.write_text(rendered(injectors["file"]["template"], values), encoding="utf-8")
        kept = {name: value for name, value in os.environ.items() if not name.startswith("SCANNER_")}
        return {**kept, **{name: rendered(value, values) for name, value in injectors["env"].items()}}

    def run(self, *command: str, succeeds: bool = True) -> str:
        done = subprocess.run(
            command,
            cwd=self.project,
            env={**self.environment, "ANSIBLE_NOCOLOR": "true", "ANSIBLE_SHOW_CUSTOM_STATS": "true"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        print(f"$ {' '.join(command)}\n{done.stdout}", flush=True)
        assert self.service.api_key not in done.stdout, "The key was printed."
        assert (done.returncode == 0) is succeeds, f"{command} ended with status {done.returncode}."
        return done.stdout

    def launch(self, name: str, answers: dict | None = None, succeeds: bool = True, **artifacts: object) -> Job:
        """Run a job template. answers: of its survey, its defaults beside them. artifacts: what earlier jobs of the workflow
        passed on, which takes precedence; and prompts that the template accepts."""
        template = objects("job_template")[name]
        questions = {each["variable"]: each.get("default", "") for each in template["survey_spec"]["spec"]}
        assert set(answers or {}) <= set(questions), "The survey does not ask for this."
        defaults = {variable: rendered(default, SETTINGS) for variable, default in questions.items()}
        variables = {**defaults, **(answers or {}), **artifacts}
        arguments = ["--check"] if template["job_type"] == "check" else []
        arguments += ["--diff"] if template.get("diff_mode") else []
        extra = self.directory / "extravars"
        extra.write_text(json.dumps(variables), encoding="utf-8")
        command = ["ansible-playbook", "-i", str(self.hosts), "-e", f"@{extra}", *arguments, template["playbook"]]
        self.service.clear_log()
        printed = self.run(*command, succeeds=succeeds)
        found = STATISTICS.search(printed)
        return Job(printed, json.loads(found[1]) if found else {}, self.service.writes())


class Job:
    """output: what was printed; artifacts: its statistics; writes: the requests that are not GET."""

    def __init__(self, output: str, artifacts: dict, writes: list[str]):
        self.output, self.artifacts, self.writes = output, artifacts, writes


def names(platform: Platform) -> set[str]:
    return {target["name"] for target in platform.service.targets()}


def approve(platform: Platform, answers: dict | None = None) -> dict:
    """Start the workflow, up to its approval; return what its jobs pass on."""
    (workflow,) = objects("workflow_job_template").values()
    assert set(answers or {}) <= {each["variable"] for each in workflow["survey_spec"]["spec"]}
    planned = platform.launch("Scanner: plan", answers)
    assert planned.writes == []
    assert re.fullmatch("[0-9a-f]{64}", planned.artifacts["plan_checksum"])
    return planned.artifacts


def change_the_estate(platform: Platform, *more: str) -> None:
    path = platform.project / "estate" / "web-shop.yml"
    path.write_text(
        path.read_text(encoding="utf-8") + "".join(f"      - name: {name}\n" for name in more), encoding="utf-8"
    )


def declare(platform: Platform) -> None:
    answers = {"declare_targets": "new.example.com\nhttps://new.example.com/login\n"}
    job = platform.launch("Scanner: declare", answers)
    assert job.artifacts["declare_summary"]["create"] == 2 and len(job.writes) == 2
    assert {"new.example.com", "https://new.example.com/login"} <= names(platform)
    assert platform.launch("Scanner: declare", answers).writes == []
    refused = platform.launch("Scanner: declare", {"declare_targets": "payments.example.com"}, succeeds=False)
    assert refused.writes == [] and "SCANNER_SCOPE_FILE" in refused.output


def plan_and_apply(platform: Platform) -> None:
    change_the_estate(platform, *sorted(names(platform) - {"old.example.com", "shop.example.com"}), "api.example.com")
    passed_on = approve(platform)
    assert passed_on["plan_purge"] == "false" and passed_on["plan_counts"] == {"create": 2}
    applied = platform.launch("Scanner: apply", **passed_on)
    assert len(applied.writes) == 2 and {"api.example.com", "old.example.com"} <= names(platform)


def purge_what_was_approved(platform: Platform) -> None:
    passed_on = approve(platform, {"plan_purge": "true"})
    assert passed_on["plan_counts"] == {"delete": 1}
    # the same checksum without the answer of the plan is another plan
    assert platform.launch("Scanner: apply", plan_checksum=passed_on["plan_checksum"]).writes == []
    applied = platform.launch("Scanner: apply", **passed_on)
    assert applied.writes == [call for call in applied.writes if call.startswith("DELETE /targets/")] != []
    assert "old.example.com" not in names(platform)


def refuse_a_changed_estate(platform: Platform) -> None:
    change_the_estate(platform, "docs.example.com")
    passed_on = approve(platform)
    change_the_estate(platform, "nobody-reviewed.example.com")
    refused = platform.launch("Scanner: apply", succeeds=False, **passed_on)
    assert refused.writes == [] and "has changed since the plan was reviewed" in refused.output
    without_a_plan = platform.launch("Scanner: apply", succeeds=False, **{**passed_on, "plan_checksum": ""})
    assert without_a_plan.writes == []
    # what somebody else created already is no longer a write of the plan
    platform.service.add(targets=[{"name": "nobody-reviewed.example.com", "workspace": "Web shop"}])
    assert len(platform.launch("Scanner: apply", **passed_on).writes) == 1


def scan(platform: Platform) -> None:
    (nightly,) = [each for each in objects("schedule").values() if each["unified_job_template"] == "Scanner: scan"]
    answers = {name: rendered(value, SETTINGS) for name, value in nightly["extra_data"].items()}
    job = platform.launch("Scanner: scan", answers, scan_poll_interval=0.5)
    assert [call for call in job.writes if call == "POST /scans"]
    assert set(job.artifacts["scan_findings"]) == set(SETTINGS["platform_targets"])
    # within the age of the survey, nothing is scanned again
    assert platform.launch("Scanner: scan", answers, scan_poll_interval=0.5).writes == []


def gate(platform: Platform) -> None:
    (weekly,) = [each for each in objects("schedule").values() if each["unified_job_template"] == "Scanner: gate"]
    failed = platform.launch("Scanner: gate", weekly["extra_data"], succeeds=False, gate_poll_interval=1)
    assert failed.artifacts["scan_gate_outcome"] == "findings" and failed.artifacts["scan_gate_passed"] is False
    assert "## Gate failed: 8 failing findings" in failed.output.partition("Show the summary")[2]
    message = objects("notification_template")["Scanner: gate"]["messages"]["error"]["body"]
    job = {"name": "Scanner: gate", "status": "failed", "artifacts": failed.artifacts}
    text = json.loads(rendered(message, {"job": job, "url": "https://awx.example.com/1"}))["text"]
    assert text == "Scanner: gate ended with findings: https://awx.example.com/1"


def inventory(platform: Platform) -> None:
    (source,) = objects("inventory_source").values()
    # not its output, which begins with the warnings of ansible-core
    listed = platform.directory / "inventory.json"
    platform.run("ansible-inventory", "-i", source["source_path"], "--list", "--export", "--output", str(listed))
    assert "shop.example.com" in json.loads(listed.read_text(encoding="utf-8"))["workspace_Web_shop"]["hosts"]


def main() -> None:
    directory = Path(sys.argv[1])
    with local_service().start(settings={"rate_limits": None}, log=requests_file()) as service:
        service.reset(settings={"rate_limits": None}, state=ACCOUNT)
        platform = Platform(service, directory)
        for step in (declare, plan_and_apply, purge_what_was_approved, refuse_a_changed_estate, scan, gate, inventory):
            print(f"--- {step.__name__}", flush=True)
            step(platform)
        assert service.violations() == []


if __name__ == "__main__":
    main()
