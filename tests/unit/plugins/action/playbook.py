# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run tasks with the real ansible-playbook, and read back what happened: events, results, and requests."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import yaml
from ansible_collections.scanops.scanner.tests.unit.local_service import LocalService

ROOT = Path(__file__).resolve().parents[7]
"""The directory with ansible_collections."""

CALLBACKS = Path(__file__).resolve().parent / "callbacks"
CONNECTIONS = CALLBACKS.parent / "connections"
PROGRAM = "from ansible.cli.playbook import main; main()"
CHANGING = ("at", "client_port")
"""What differs between two equal requests."""

RANDOM = re.compile(r"/h/[0-9a-f]{16}")
"""What the service chooses anew in each run."""


class Event(NamedTuple):
    """One event of a task. log: the requests up to then; None for an event of an item."""

    kind: str
    result: dict
    log: list[dict] | None


class Played(NamedTuple):
    """events: by the names of tasks; output: all that ansible-playbook printed."""

    status: int
    events: dict[str, list[Event]]
    output: str


def play(
    directory: Path,
    service: LocalService,
    plays: list[dict],
    environment: dict[str, str] | None = None,
    arguments: tuple[str, ...] = (),
    state: dict | None = None,
    faults: dict[str, list[dict]] | None = None,
    inventory: str = "localhost ansible_connection=local ansible_python_interpreter={{ansible_playbook_python}}\n",
    start: Path | None = None,
    first: str = "",
) -> Played:
    """Run plays. The service is reset to the state before each task, with the faults for the name of the task.

    start: the directory in which ansible-playbook starts; first: a directory in which Python looks for libraries first.
    """
    events = directory / "events.jsonl"
    command, variables = prepare(directory, service, plays, arguments, state, faults, inventory, first)
    run = subprocess.run(
        command,
        cwd=start or directory,
        env={**variables, **(environment or {})},
        capture_output=True,
        text=True,
        errors="replace",
        timeout=900,
    )
    lines = events.read_text(encoding="utf-8").splitlines() if events.exists() else []
    happened: dict[str, list[Event]] = {}
    for line in map(json.loads, lines):
        happened.setdefault(line["task"], []).append(Event(line["event"], line["result"], line.get("log")))
    return Played(run.returncode, happened, run.stdout + run.stderr)


def prepare(
    directory: Path,
    service: LocalService,
    plays: list[dict],
    arguments: tuple[str, ...] = (),
    state: dict | None = None,
    faults: dict[str, list[dict]] | None = None,
    inventory: str = "localhost ansible_connection=local\n",
    first: str = "",
) -> tuple[list[str], dict[str, str]]:
    """The command and the environment of `play`."""
    directory.mkdir(parents=True, exist_ok=True)
    plan = {
        "control_url": service.control_url,
        "settings": {"rate_limits": None},
        "state": state or {},
        "faults": faults or {},
        "events": str(directory / "events.jsonl"),
    }
    files = {
        "plan.json": json.dumps(plan),
        "play.yml": yaml.safe_dump(plays, sort_keys=False),
        "hosts": inventory,
        "ansible.cfg": "",
    }
    for name, text in files.items():
        (directory / name).write_text(text, encoding="utf-8")
    command = [sys.executable, "-c", PROGRAM, "-i", str(directory / "hosts"), str(directory / "play.yml"), *arguments]
    return command, _environment(directory, service, first)


def _environment(directory: Path, service: LocalService, first: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "SCANNER_"))}
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NETRC"):
        kept.pop(name, None)
        kept.pop(name.lower(), None)
    return {
        **kept,
        "PYTHONPATH": os.pathsep.join(filter(None, [first, *sys.path])),
        "HOME": str(directory),
        "ANSIBLE_HOME": str(directory / "ansible"),
        "ANSIBLE_ASYNC_DIR": str(directory / "async"),
        "ANSIBLE_CONFIG": str(directory / "ansible.cfg"),
        "ANSIBLE_COLLECTIONS_PATH": str(ROOT),
        "ANSIBLE_CALLBACK_PLUGINS": str(CALLBACKS),
        "ANSIBLE_CONNECTION_PLUGINS": str(CONNECTIONS),
        "ANSIBLE_CALLBACKS_ENABLED": "recorder",
        "ANSIBLE_INJECT_INVOCATION": "true",
        # texts of ansible-core list a set
        "PYTHONHASHSEED": "0",
        "ANSIBLE_NOCOLOR": "true",
        "RECORDER_PLAN": str(directory / "plan.json"),
        "SCANNER_BASE_URL": service.base_url,
        "SCANNER_API_KEY": service.api_key,
    }


def comparable(events: list[Event]) -> list[tuple]:
    """The events of a task, without what differs between two equal runs."""
    return [(event.kind, _without_way(event.result), _requests(event.log)) for event in events]


def _without_way(value: object) -> object:
    """A result without the option that says where the task ran, and without the place in the code that a time limit hit."""
    if isinstance(value, dict):
        return {name: _without_way(part) for name, part in value.items() if name not in ("in_process", "timedout")}
    if isinstance(value, list):
        return [_without_way(part) for part in value]
    return RANDOM.sub("/h/...", value) if isinstance(value, str) else value


def _requests(log: list[dict] | None) -> list[dict] | None:
    return log and [{name: part for name, part in entry.items() if name not in CHANGING} for entry in log]
