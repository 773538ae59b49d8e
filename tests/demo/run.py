# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Demonstrate the built and installed collection against the local service: `python tests/demo/run.py [--record]`.

The environment needs ansible-core, requests and tests/service/requirements.txt. --record writes the output to output.txt.
It shows what Ansible prints without the lines that a newcomer does not need, and says so at its beginning.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

CHECKOUT = Path(__file__).resolve().parents[2]

if TYPE_CHECKING:
    from ..unit.local_service import LocalService
else:
    sys.path.insert(0, str(CHECKOUT / "tests" / "unit"))
    from local_service import LocalService

OUTPUT = Path(__file__).parent / "output.txt"
BUILD = Path("build")
WRITES = ("POST", "PUT", "DELETE")
RECAP = re.compile(r"^\S+ +: ok=\d+ +changed=(\d+) ", re.M)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
REPORTS = BUILD / "reports"
GATE = BUILD / "scan_gate"
# the progress of a running scan
PROGRESS = re.compile(r"^.*\bscan \d+ of \S+: .*\n", re.M)
# progress that depends on time
BETWEEN = re.compile(r".*\bscan \d+ of \S+: (?:waiting|running)\b")
TASK = re.compile(r"TASK \[(.*)\] \*+$")
# short scans that end one after another, in the order in which they are started
SCRIPTS: list[dict[str, Any]] = [
    {"target": "shop.example.com", "queue": 1, "run": 3, "findings": [0, 1, 2]},
    {"target": "https://shop.example.com/admin", "queue": 1, "run": 4, "findings": [1, 3, 4]},
    {"target": "192.0.2.10", "queue": 2, "run": 4, "findings": [0]},
]
LEFT_OUT = (
    "Left out below: tasks that prepare or pass on, hosts without findings, and the progress between start and end."
)
FIX = "../tests/demo/fix.yml"
PROOF = BUILD / "prove_fix"
SCAN = f"ansible-playbook playbooks/scan_and_report.yml -e report_directory=../{REPORTS}"


class Step(NamedTuple):
    """One command of a chapter."""

    # what the chapter shows, "" in the chapter of the step before
    title: str
    # as a user would type it
    command: str
    # whether it may send more than GET
    writes: bool = False
    # the number of changed tasks in the recap, None for any
    changed: int | None = None
    # the number of scans for which it waits, and whose progress it prints
    scans: int = 0
    # the exit status
    status: int = 0
    # the names of the tasks that are shown, () for all
    tasks: tuple[str, ...] = ()
    # a host whose results are not shown
    idle: str = ""
    # what is said at the end about the requests; "" if the message of the last task is the end
    end: str = "Requests that the service received: {requests}"


# what a newcomer needs to see of the playbook that scans and reports, and of the gate
SCANNED = ("Scan the targets", "Keep a report of these scans")
JUDGED = ("Scan and judge, once for the whole play", "End with the outcome")

STEPS = (
    Step("Check mode on an empty account: what would change", "ansible-playbook playbooks/demo.yml --check --diff"),
    Step("The play applied", "ansible-playbook playbooks/demo.yml", writes=True),
    Step("The second run changes nothing", "ansible-playbook playbooks/demo.yml", changed=0),
    Step(
        "The targets as an inventory",
        "ansible-inventory -i playbooks/inventories/demo.targets.yml --graph",
        end="Three targets are two hosts: shop.example.com and https://shop.example.com/admin are on the same machine.",
    ),
    Step(
        "Three scans at once, what they found, and two reports",
        f"{SCAN} -e poll_interval=1 -e min_severity=medium",
        writes=True,
        scans=3,
        tasks=(*SCANNED, "Show it by severity"),
        end="Requests that the service received for three scans and two reports: {requests}",
    ),
    Step(
        "The scans are recent enough, so nothing is started",
        f"{SCAN} -e max_age=12h -e min_severity=high",
        changed=0,
        tasks=SCANNED,
    ),
    Step(
        "The gate of a pipeline: two findings fail it, and the exit status is 2",
        f"ansible-playbook playbooks/gate.yml -e artifacts=../{GATE} -e max_age=12h",
        status=2,
        tasks=JUDGED,
        end="",
    ),
    Step(
        "The inventory has the host of both findings: fixed, scanned again, and proven",
        "ansible-playbook -i playbooks/inventories/demo.targets.yml playbooks/prove_fix.yml"
        f" -e source=../{GATE}/gate.json -e artifacts=../{PROOF} -e fix={FIX} -e poll_interval=1",
        writes=True,
        scans=1,
        tasks=(
            "Show what is fixed here",
            "Update the web server",
            "Scan again and compare, once for the whole play",
            "End with the verdicts",
        ),
        idle="192.0.2.10",
        end="",
    ),
    Step(
        "The same gate passes",
        f"ansible-playbook playbooks/gate.yml -e artifacts=../{GATE} -e max_age=12h",
        tasks=JUDGED,
        end="",
    ),
    Step(
        "A control is planted behind the login: without the login the gate is blind, with it the gate passes",
        "ansible-playbook tests/demo/must_see.yml",
        writes=True,
        scans=1,
        status=2,
        tasks=JUDGED,
        end="",
    ),
    Step(
        "",
        "ansible-playbook tests/demo/must_see.yml -e @tests/demo/login.yml",
        writes=True,
        scans=1,
        tasks=JUDGED,
        end="",
    ),
)


class DemoFailed(Exception):
    """A step did not do what the demo claims."""


class Interrupted(Exception):
    """The program received this signal."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def interrupt(number: int, _frame: object) -> None:
    # a second signal must not interrupt the cleanup
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    raise Interrupted(number)


def environment() -> dict[str, str]:
    """The environment of the commands: without the user's settings for Ansible and the service, with colours on a terminal."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "SCANNER_"))}
    colour = "ANSIBLE_FORCE_COLOR" if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else "ANSIBLE_NOCOLOR"
    no_proxy = {name: ",".join(filter(None, [kept.get(name), "127.0.0.1"])) for name in ("no_proxy", "NO_PROXY")}
    # one fork, so that hosts are always in the same order
    ansible = {"ANSIBLE_CONFIG": str(CHECKOUT / "ansible.cfg"), "ANSIBLE_FORKS": "1", colour: "true"}
    return {**kept, **no_proxy, **ansible}


def run(command: str, env: dict[str, str], step: Step | None = None) -> str:
    """Run an Ansible command with this Python, print what is shown of a step, and return all output. Raises DemoFailed for
    another exit status."""
    program, *arguments = command.split()
    process = subprocess.Popen(
        [sys.executable, "-m", "ansible", program.removeprefix("ansible-"), *arguments],
        cwd=CHECKOUT, env=env, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        # Ctrl-C reaches only this program, which then ends the process group
        start_new_session=True,
    )  # fmt: skip
    lines = []
    view = View(step) if step else None
    try:
        for line in process.stdout or ():
            lines.append(line)
            if view:
                print(view.next(line), end="", flush=True)
        status = process.wait()
    finally:
        end(process)
    printed = "".join(lines)
    if status != (step.status if step else 0):
        # with the tasks that are not shown
        raise DemoFailed(f"{command} exited with status {status}:\n{printed}")
    return COLOUR.sub("", printed)


class View:
    """What is shown of the output of a step."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self.hidden = self.repeats = False
        self.blanks = ""

    def next(self, line: str) -> str:
        """What is shown for the next line: blank lines only before another line."""
        plain = COLOUR.sub("", line).rstrip()
        task = TASK.match(plain)
        if task:
            self.hidden = bool(self.step.tasks) and task[1].split(" : ")[-1] not in self.step.tasks
        elif plain.startswith("PLAY"):
            self.hidden = plain.startswith("PLAY RECAP") and not self.step.end
        # from ansible-core 2.19 on, the message of a failed task comes twice
        self.repeats = plain.startswith("[ERROR]: ") or (self.repeats and not plain.startswith("fatal: "))
        idle = self.step.idle and f": [{self.step.idle}]" in plain
        if self.hidden or self.repeats or idle or BETWEEN.match(plain):
            return ""
        if not plain:
            self.blanks += "\n"
            return ""
        blanks, self.blanks = self.blanks, ""
        return blanks + line


def end(process: subprocess.Popen[str]) -> None:
    """End a command, if it still runs, and all its descendants."""
    started: set[int] = set()
    for number, seconds in ((signal.SIGINT, 4), (signal.SIGKILL, 4)):
        if process.poll() is not None:
            break
        with suppress(ProcessLookupError):
            # a stopped process cannot start another worker before the list is complete
            os.kill(process.pid, signal.SIGSTOP)
            started |= descendants({process.pid})
            os.killpg(process.pid, number)
            os.kill(process.pid, signal.SIGCONT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
    # from ansible-core 2.19 on, each worker has its own session, and a new one misses the signal
    killed: set[int] = set()
    while left := (started | descendants(started)) - killed:
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        killed |= left
    if process.stdout is not None:
        process.stdout.close()


def descendants(pids: set[int]) -> set[int]:
    """The descendants of these processes."""
    pairs: list[tuple[int, int]] = []
    if Path("/proc/self/stat").exists():
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                # the second field, the name in parentheses, can contain spaces
                pairs.append((int(stat.parent.name), int(stat.read_text().rpartition(")")[2].split()[1])))
    else:
        listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], check=True, capture_output=True, text=True)
        for line in listed.stdout.splitlines():
            pid, parent = line.split()
            pairs.append((int(pid), int(parent)))
    found: set[int] = set()
    fresh = set(pids)
    while fresh:
        fresh = {pid for pid, parent in pairs if parent in fresh} - found
        found |= fresh
    return found


def say(text: str = "") -> None:
    print(text, flush=True)


def show(step: Step, number: int, service: LocalService, env: dict[str, str]) -> None:
    say((f"\n=== {number}. {step.title} ===\n" if step.title else "") + f"\n$ {step.command}")
    service.clear_log()
    printed = run(step.command, env, step)
    received = service.summary()["by_method"]
    shown = WRITES if step.scans else ("GET", *WRITES)
    counts = ", ".join(f"{received[method]} {method}" for method in shown if method in received)
    polls = ", and GET while it waited" if step.scans else ""
    if step.end:
        say("\n" + step.end.format(requests=counts + polls))
    # at least its beginning and its end
    if len(PROGRESS.findall(printed)) < 2 * step.scans:
        raise DemoFailed(f"{step.command} must show the progress of the scans")
    if not step.writes and any(method in received for method in WRITES):
        raise DemoFailed(f"{step.command} must send nothing but GET")
    if step.changed is not None and RECAP.findall(printed) != [str(step.changed)]:
        raise DemoFailed(f"{step.command} must end with changed={step.changed}")


def install(env: dict[str, str]) -> None:
    """Build the collection as for a release, and install the artefact where ansible.cfg finds it."""
    say("The collection is built, and the artefact is installed into build/collections.\n")
    (CHECKOUT / BUILD).mkdir(exist_ok=True)
    for artefact in (CHECKOUT / BUILD).glob("scanops-scanner-*.tar.gz"):
        artefact.unlink()
    commands = [f"ansible-galaxy collection build --force --output-path {BUILD}"]
    say(f"$ {commands[0]}")
    run(commands[0], env)
    (artefact,) = (CHECKOUT / BUILD).glob("scanops-scanner-*.tar.gz")
    command = f"ansible-galaxy collection install --force --no-deps -p {BUILD / 'collections'} {BUILD / artefact.name}"
    say(f"$ {command}")
    run(command, env)


def demo() -> None:
    env = environment()
    install(env)
    for written in (REPORTS, GATE, PROOF):
        shutil.rmtree(CHECKOUT / written, ignore_errors=True)
    with LocalService.start(key=None, settings={"scan_scripts": SCRIPTS, "report_time": 1}) as service:
        env.update(SCANNER_BASE_URL=service.base_url, SCANNER_API_KEY=service.api_key)
        say("\nA local service is started; SCANNER_API_KEY holds its key.\n")
        say(f"$ export SCANNER_BASE_URL={service.base_url}")
        say(f"\n{LEFT_OUT}")
        number = 0
        for step in STEPS:
            number += bool(step.title)
            show(step, number, service, env)
    say("\nThe local service is stopped. To try things yourself: make service")


def masked(text: str) -> str:
    """The text with what differs between runs masked, and without trailing spaces."""
    text = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:PORT", text).replace(f"{CHECKOUT}/", "")
    return re.sub(r"[ \t]+$", "", text, flags=re.M)


def record() -> None:
    """Run the demo and write its output to output.txt. Raises DemoFailed."""
    finished = subprocess.run([sys.executable, __file__], check=False, text=True, capture_output=True)
    if finished.returncode:
        raise DemoFailed(f"the demo exited with status {finished.returncode}:\n{finished.stdout}{finished.stderr}")
    OUTPUT.write_text(masked(finished.stdout), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description="Show the collection at work against the local service.")
    parser.add_argument("--record", action="store_true", help="write the output to output.txt")
    arguments = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    try:
        (record if arguments.record else demo)()
    except DemoFailed as failure:
        print(f"The demo failed: {failure}.", file=sys.stderr)
        return 1
    except Interrupted as interrupted:
        print("Interrupted; everything is stopped.", file=sys.stderr)
        return 128 + interrupted.number
    return 0


if __name__ == "__main__":
    sys.exit(main())
