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

ROOT = next(path for path in map(Path, sys.path) if (path / "ansible_collections" / "scanops" / "scanner").is_dir())
"""The directory with ansible_collections, in which the checkout may be a symbolic link."""

CALLBACKS = Path(__file__).resolve().parent / "callbacks"
CONNECTIONS = CALLBACKS.parent / "connections"
LOCAL = "ansible_connection=local ansible_python_interpreter={{ansible_playbook_python}}"
"""The variables of a host that is this machine, with the Python of ansible-core."""

PROGRAM = "from ansible.cli.playbook import main; main()"
CHANGING = ("at", "client_port", "n")
"""What differs between two equal requests."""

RANDOM = re.compile(r"/h/[0-9a-f]{16}|[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}")
"""What the service chooses for each run: addresses of HTTP loggers, and times."""

# what differs between two runs of the gate and of coverage_info: times, and the id of the run
TIMES = re.compile(r'("(?:generated|finished|first_seen|age|run)": )("[^"]*"|[0-9]+)')


class Event(NamedTuple):
    """One event of a task. log: the requests up to then; None for an event of an item."""

    kind: str
    result: dict
    log: list[dict] | None
    host: str

    def __repr__(self) -> str:
        sent = ", ".join(f"{each['method']} {each['path']} {each['status']}" for each in self.log or ())
        said = f": {self.result['msg']}" if self.result.get("msg") else ""
        return f"<{self.kind} on {self.host}{said} | requests: {sent or 'none'}>"


class Played(NamedTuple):
    """events: by the names of tasks; output: all that ansible-playbook printed."""

    status: int
    events: dict[str, list[Event]]
    output: str

    def __repr__(self) -> str:
        tasks = "".join(f" | {name}: {events}" for name, events in self.events.items())
        return f"<ansible-playbook ended with {self.status}{tasks}>"


class AdHoc(NamedTuple):
    """outcome: the word that ansible shows; warned: the words of all warnings; output: what ansible printed."""

    status: int
    outcome: str
    result: object
    warned: list[str]
    requests: list[dict]
    output: str


def play(
    directory: Path,
    service: LocalService,
    plays: list[dict],
    environment: dict[str, str] | None = None,
    arguments: tuple[str, ...] = (),
    state: dict | None = None,
    faults: dict[str, list[dict]] | None = None,
    inventory: str = f"localhost {LOCAL}\n",
    start: Path | None = None,
    first: str = "",
) -> Played:
    """Run plays. The service is reset to the state before each task, with the faults for the name of the task.

    start: the directory in which ansible-playbook starts; first: a directory in which Python looks for libraries first.
    """
    events = directory / "events.jsonl"
    # those of an earlier run in this directory
    events.unlink(missing_ok=True)
    command, variables = prepare(directory, service, plays, arguments, state, faults, inventory, first)
    run = subprocess.run(
        command,
        cwd=start or directory,
        env={**variables, **(environment or {})},
        capture_output=True,
        text=True,
        errors="replace",
        timeout=900,
        check=False,
    )
    lines = events.read_text(encoding="utf-8").splitlines() if events.exists() else []
    happened: dict[str, list[Event]] = {}
    for line in (json.loads(TIMES.sub(r'\1"TIME"', text.replace(str(directory), "DIRECTORY"))) for text in lines):
        happened.setdefault(line["task"], []).append(
            Event(line["event"], line["result"], line.get("log"), line["host"])
        )
    return Played(run.returncode, happened, run.stdout + run.stderr)


def ad_hoc(
    directory: Path,
    service: LocalService,
    arguments: tuple[str, ...],
    environment: dict[str, str],
    state: dict,
    inventory: str,
) -> AdHoc:
    """Run a module on localhost with the real ansible, at -vvv."""
    service.reset(settings={"rate_limits": None}, state=state)
    service.clear_log()
    command, variables = prepare(directory, service, [], inventory=inventory)
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("playbook", "adhoc"), *command[3:5], "localhost", "-vvv", *arguments],
        cwd=directory,
        env={**variables, **environment},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    shown = re.search(r"^localhost \| (\w+)!? => (\{.*\})$", run.stdout, re.DOTALL | re.MULTILINE)
    assert shown, run.stdout + run.stderr
    warned = " ".join(re.findall(r"^\[(?:WARN|DEPR).*", run.stderr, re.DOTALL | re.MULTILINE)).split()
    requests = requests_of([Event("", {}, service.log(), "localhost")])
    return AdHoc(run.returncode, shown[1], _without(json.loads(shown[2]), {"in_process"}), warned, requests, run.stdout)


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


def comparable(events: list[Event], loop: bool = False) -> list[tuple]:
    """The events of a task, without what differs between two equal runs. loop: without the calls, which the items of a loop
    share in process."""
    # verified_with has the time of a verification
    left_out = {"in_process", "timedout", "verified_with", *(["api_calls"] if loop else [])}
    # those of all hosts, because the second one may send before the first one is reported
    sent = [] if loop else [("requests", requests_of(events))]
    return [*((event.kind, _without(event.result, left_out)) for event in events), *sent]


def requests_of(events: list[Event]) -> list[dict]:
    """The requests of a task, without what differs between two equal requests."""
    last = next((event.log for event in reversed(events) if event.log is not None), [])
    return [{name: part for name, part in entry.items() if name not in CHANGING} for entry in last]


def sends_less(ours: list[dict], theirs: list[dict]) -> bool:
    """Whether the first requests are the second ones, but for reads that were sent before."""
    left = list(ours)
    before: list[dict] = []
    for request in theirs:
        if left and left[0] == request:
            left.pop(0)
        elif request["method"] != "GET" or request not in before:
            return False
        before.append(request)
    return not left


def _without(value: object, names: set[str]) -> object:
    """A result without these keys, and without what the service chooses."""
    if isinstance(value, dict):
        return {name: _without(part, names) for name, part in value.items() if name not in names}
    if isinstance(value, list):
        return [_without(part, names) for part in value]
    return RANDOM.sub("...", value) if isinstance(value, str) else value
