# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The collection run by ansible-runner: events, exit status, artefacts, and where the key is."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "unit"))

from local_service import LocalService

CHECKOUT = Path(__file__).parents[2]
EXAMPLE = CHECKOUT / "docs" / "runner"
GUIDE = CHECKOUT / "docs" / "runner" / "README.md"
# where a job writes what ansible-runner keeps
KEPT = "{{ lookup('ansible.builtin.env', 'AWX_ISOLATED_DATA_DIR') }}"
STARTED = re.compile(r"localhost: scan \d+ of (\S+): started")
FINISHED = re.compile(r"localhost: scan \d+ of (\S+): finished")
TARGETS = ["shop.example.com", "https://shop.example.com/admin", "192.0.2.10"]
# two findings that fail the policy, and one that does not
BAD = [{"target": TARGETS[1], "findings": [1, 3, 4]}]
HARMLESS = [{"target": target, "findings": [0]} for target in TARGETS]


class Job(NamedTuple):
    """A job that has ended: its private data directory, its artefacts, and its events in order."""

    data: Path
    artefacts: Path
    events: list[dict]

    @property
    def rc(self) -> str:
        return (self.artefacts / "rc").read_text(encoding="utf-8")

    @property
    def stdout(self) -> str:
        return (self.artefacts / "stdout").read_text(encoding="utf-8")


def job(data: Path, artefacts: Path) -> Job:
    events = [json.loads(path.read_text(encoding="utf-8")) for path in (artefacts / "job_events").glob("*.json")]
    return Job(data, artefacts, sorted(events, key=lambda event: event["counter"]))


def with_key(place: Path, key: str) -> set[str]:
    """The files below a directory that contain the key, as it is or in base64."""
    forms = [key.encode(), *(base64.b64encode(b"x" * shift + key.encode())[4:-4] for shift in range(3))]
    found = set()
    for path in place.rglob("*"):
        if path.is_file() and any(form in path.read_bytes() for form in forms):
            found.add(path.relative_to(place).as_posix())
    return found


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Path:
    """A home directory with the collection, as installed from its artefact."""
    home = tmp_path_factory.mktemp("home")
    env = environment(home)
    build = ["ansible-galaxy", "collection", "build", "--output-path", str(home / "artefact")]
    subprocess.run(build, cwd=CHECKOUT, check=True, capture_output=True, stdin=subprocess.DEVNULL, env=env)
    (tarball,) = (home / "artefact").glob("*.tar.gz")
    install = ["ansible-galaxy", "collection", "install", "--no-deps", str(tarball)]
    subprocess.run(install, cwd=home, check=True, capture_output=True, stdin=subprocess.DEVNULL, env=env)
    return home


@pytest.fixture(scope="module")
def running():
    # with a random key: the usual one is in the tests, which are part of the artefact
    with LocalService.start(key=None) as service:
        yield service


@pytest.fixture
def service(running) -> LocalService:
    running.reset()
    yield running
    assert running.violations() == []


@pytest.fixture
def data(tmp_path, service) -> Path:
    """A private data directory with the playbooks of the collection. The address and the key are in env/envvars."""
    data = tmp_path / "data"
    shutil.copytree(CHECKOUT / "playbooks", data / "project")
    (data / "env").mkdir()
    variables = {
        "SCANNER_BASE_URL": service.base_url,
        "SCANNER_API_KEY": service.api_key,
        "ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED": "true",
    }
    (data / "env" / "envvars").write_text(yaml.safe_dump(variables), encoding="utf-8")
    # ends a job whose lines of progress do not arrive
    (data / "env" / "settings").write_text("job_timeout: 900\n", encoding="utf-8")
    return data


def environment(home: Path) -> dict[str, str]:
    """The environment without the user's settings for Ansible and the service."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "SCANNER_"))}
    return {**kept, "HOME": str(home)}


def play(
    data: Path, home: Path, playbook: str, listen: Callable[[dict], None] | None = None, **variables: object
) -> Job:
    """Run a playbook of the private data directory, and pass each event on as it arrives."""
    if variables:
        (data / "env" / "extravars").write_text(yaml.safe_dump(variables), encoding="utf-8")
    command = ["ansible-runner", "run", str(data), "--playbook", playbook, "--ident", "job", "--json"]
    with subprocess.Popen(
        command, env=environment(home), text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:  # fmt: skip
        for line in process.stdout:
            if listen and line.startswith("{"):
                listen(json.loads(line))
    ended = job(data, data / "artifacts" / "job")
    assert ended.rc == str(process.returncode), ended.stdout
    return ended


def assert_key_is_only_where_the_guide_says(job: Job, service: LocalService) -> None:
    assert with_key(job.data, service.api_key) == {"env/envvars", "artifacts/job/command"}
    assert job.events and all(service.api_key not in json.dumps(event) for event in job.events)


def test_a_line_of_progress_is_an_event_while_the_task_runs(data, home, service):
    """The scans finish only after the third line arrived as an event."""
    service.settings(scan_run_time=100_000)
    arrived = []

    def listen(event: dict) -> None:
        arrived.extend(STARTED.findall(event.get("stdout", "")))
        if len(arrived) == len(TARGETS) and service.settings()["clock_offset"] == 0:
            service.settings(clock_offset=200_000)

    variables = {"report_directory": f"{KEPT}/reports", "poll_interval": 1}
    ended = play(data, home, "scan_and_report.yml", listen, **variables)
    assert ended.rc == "0", ended.stdout
    assert sorted(arrived) == sorted(TARGETS)
    assert [call for call in service.writes() if call == "POST /scans"] == ["POST /scans"] * 3
    lines = [event for event in ended.events if FINISHED.search(event["stdout"])]
    assert sorted(FINISHED.search(event["stdout"])[1] for event in lines) == sorted(TARGETS)
    # each line is an event of its own, before that of the task's end
    assert {event["event"] for event in lines} == {"verbose"}
    (end,) = [event for event in ended.events if is_end_of(event, "Scan the targets")]
    assert [event for event in lines if event["counter"] >= end["counter"]] == []
    assert sorted(path.name for path in (ended.artefacts / "reports").glob("web-shop.*")) == [
        "web-shop.json", "web-shop.pdf",
    ]  # fmt: skip
    assert_key_is_only_where_the_guide_says(ended, service)


def is_end_of(event: dict, task: str) -> bool:
    return event["event"] == "runner_on_ok" and event["event_data"]["task"] == task


def test_the_gate_fails_the_job_and_its_files_are_artefacts(data, home, service):
    service.settings(scan_scripts=BAD)
    ended = play(data, home, "gate.yml", artifacts=f"{KEPT}/scan_gate", poll_interval=1)
    assert ended.rc == "2", ended.stdout
    assert (ended.artefacts / "status").read_text(encoding="utf-8") == "failed"
    gate = json.loads((ended.artefacts / "scan_gate" / "gate.json").read_text(encoding="utf-8"))
    assert gate["outcome"] == "findings"
    (stats,) = [event for event in ended.events if event["event"] == "playbook_on_stats"]
    # a later step of a workflow reads it
    assert stats["event_data"]["artifact_data"]["scan_gate_outcome"] == "findings"
    assert_key_is_only_where_the_guide_says(ended, service)


def test_the_targets_are_the_inventory_of_a_job(data, home, service):
    service.add(targets=[{"name": "a.example"}, {"name": "https://b.example/shop"}])
    (data / "inventory").mkdir()
    (data / "inventory" / "scanner.targets.yml").write_text("plugin: scanops.scanner.targets\n", encoding="utf-8")
    ended = play(data, home, "use_targets.yml", list_file=f"{KEPT}/targets.csv")
    assert ended.rc == "0", ended.stdout
    listed = (ended.artefacts / "targets.csv").read_text(encoding="utf-8")
    assert '"a.example","hostname","a.example"' in listed and '"b.example","url"' in listed
    assert service.writes() == [] and "GET /targets" in service.calls()
    assert_key_is_only_where_the_guide_says(ended, service)


# --- across machines ---


@pytest.fixture
def example(tmp_path, service) -> Path:
    """A copy of docs/runner, with the address of the local service."""
    example = tmp_path / "runner"
    shutil.copytree(EXAMPLE, example)
    variables = example / "data" / "env" / "envvars"
    text = variables.read_text(encoding="utf-8")
    variables.write_text(text.replace("https://scanner.example.com/api/v2", service.base_url), encoding="utf-8")
    gate = example / "data" / "project" / "gate.yml"
    gate.write_text(gate.read_text(encoding="utf-8").replace("interval: 10", "interval: 1"), encoding="utf-8")
    return example


@pytest.fixture
def worker(tmp_path, home, service) -> list[str]:
    """A command that runs another one as on a machine of its own: in another directory, with nothing but PATH and HOME
    in its environment. It keeps what goes to the worker and what comes back."""
    (home / ".scanner_key").write_text(service.api_key, encoding="utf-8")
    (home / ".scanner_key").chmod(0o600)
    there = tmp_path / "there"
    there.mkdir()
    alone = f'env -i PATH="{os.environ["PATH"]}" HOME="{home}" "$@"'
    return ["bash", "-c", f'cd "{there}" && tee sent | {alone} | tee returned', "worker"]


def gate_on(example: Path, worker: list[str]) -> tuple[subprocess.CompletedProcess, Job]:
    """Run the example's program. Its environment has no address and no key."""
    env = environment(example)
    done = subprocess.run([example / "gate-on", *worker], check=False, capture_output=True, text=True, env=env)
    (artefacts,) = (example / "runs" / "artifacts").iterdir()
    return done, job(example / "data", artefacts)


def test_the_exit_status_and_the_files_of_the_gate_come_back_from_a_worker(example, worker, service):
    service.settings(scan_scripts=BAD)
    done, ended = gate_on(example, worker)
    assert (done.returncode, ended.rc) == (2, "2"), done.stdout + done.stderr
    assert "POST /scans" in service.calls()
    assert sorted(path.name for path in (ended.artefacts / "scan_gate").iterdir()) == [
        "gate-junit.xml", "gate.html", "gate.json", "gate.md",
    ]  # fmt: skip
    assert "The gate ended with findings." in done.stdout
    assert sorted(STARTED.findall("\n".join(event["stdout"] for event in ended.events))) == sorted(TARGETS[:2])
    variables = json.loads((ended.artefacts / "command").read_text(encoding="utf-8"))["env"]
    assert variables["SCANNER_RATE_SHARE"] == "50" and "SCANNER_API_KEY" not in variables


def test_the_key_of_a_worker_is_only_in_its_file(example, worker, home, service, tmp_path):
    service.settings(scan_scripts=HARMLESS)
    done, ended = gate_on(example, worker)
    assert (done.returncode, ended.rc) == (0, "0"), done.stdout + done.stderr
    assert [entry for entry in service.log() if entry["authorization"] != "right"] == []
    assert with_key(example, service.api_key) == with_key(tmp_path / "there", service.api_key) == set()
    assert with_key(home, service.api_key) == {".scanner_key"}
    # the search would find it
    (tmp_path / "there" / "planted").write_text(service.api_key, encoding="utf-8")
    assert with_key(tmp_path / "there", service.api_key) == {"planted"}


@pytest.mark.parametrize("broken", ["false", "true"])
def test_a_worker_that_does_not_answer_fails_the_gate(example, broken, service):
    done, ended = gate_on(example, [broken])
    assert done.returncode == 1 and "no exit status" in done.stderr
    assert not (ended.artefacts / "rc").exists() and service.calls() == []


# --- what the guide shows ---


def test_the_guide_shows_the_commands_of_the_program():
    program = re.sub(r"^#.*", "", (EXAMPLE / "gate-on").read_text(encoding="utf-8"), flags=re.MULTILINE)
    guide = GUIDE.read_text(encoding="utf-8")
    for command in re.findall(r"ansible-runner (?:transmit|worker|process)[^|\n]*", program):
        words = command.replace("|| true", "").replace('"$ident"', "gate-1").strip()
        assert words in guide, words
